"""From a validated draft to the answer a user gets: status, results, text, completeness."""

from __future__ import annotations

from collections.abc import Iterable

from robodata_core.answers.absences import denial_of, is_denial, rests_on_nothing_found
from robodata_core.answers.reckoned import follows
from robodata_core.answers.validation import Validation, affirms, says_number, says_only_supported
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    Completeness,
    EntityValue,
    ResultItem,
    RunStatistics,
    Value,
)
from robodata_core.policy.base import AnswerDraft
from robodata_core.store.graph import LocalGraph
from robodata_core.text import plural

__all__ = ["build_answer", "compose_text"]


def build_answer(
    draft: AnswerDraft,
    validation: Validation,
    graph: LocalGraph,
    *,
    question: str,
    policy: str,
    run_id: str,
    trace: tuple[str, ...] = (),
    statistics: RunStatistics | None = None,
) -> Answer:
    """Put an answer together; nothing unsupported is presented as supported.

    A "no" or a zero may rest on look-ups that found nothing; they stand in ``absences`` and, as
    sentences, in ``missing``.

    Results that no supported claim names are left out, and a status can only go down: without
    a supported claim nothing is ``answered``, and with an unsupported one it is ``partial``.
    """
    claims, absences = validation.claims, validation.absences
    results, dropped = _kept_results(draft, validation, graph, question)
    nothing = not claims and not dropped and rests_on_nothing_found(results, absences)
    status = draft.status if nothing else _status(draft, claims, dropped)
    if status is AnswerStatus.UNKNOWN:
        results = ()
    denials = [f"{item.text.rstrip('.')} [{item.handle}]." for item in absences]
    missing = (*draft.missing, *denials, *_left_out(dropped))
    if nothing and results:
        summary = denial_of(results)
    else:
        summary = _summary(draft, claims, status, graph, question)
    text = compose_text(status, summary, claims, missing, draft)
    # A "no" beside claims would not be told in an answer that lacks nothing else.
    text = " ".join([text, *(denial for denial in denials if denial not in text)])
    return Answer(
        question=question,
        status=status,
        text=text,
        policy=policy,
        claims=claims,
        results=results,
        completeness=_completeness(draft, results),
        absences=absences,
        missing=missing,
        suggestions=draft.suggestions,
        attempt=draft.attempt,
        notes=draft.notes,
        program=draft.program,
        sparql=draft.sparql,
        statistics=statistics or RunStatistics(),
        trace=trace,
        run_id=run_id,
    )


def _kept_results(
    draft: AnswerDraft, validation: Validation, graph: LocalGraph, question: str
) -> tuple[tuple[ResultItem, ...], int]:
    """Return the results that something carries, and how many of the draft nothing does."""
    claims, drafted = validation.claims, draft.results
    if draft.asserted:
        drafted = tuple(item for item in drafted if _may_say(item, claims, graph, question))
    results, dropped = _results(drafted, claims, question, denied=bool(validation.absences))
    return results, dropped + len(draft.results) - len(drafted)


def _left_out(dropped: int) -> tuple[str, ...]:
    if not dropped:
        return ()
    return (
        f"{plural(dropped, 'result')} {'was' if dropped == 1 else 'were'} left out because no"
        f" supported claim names {'it' if dropped == 1 else 'them'}.",
    )


def _summary(
    draft: AnswerDraft,
    claims: tuple[Claim, ...],
    status: AnswerStatus,
    graph: LocalGraph,
    question: str,
) -> str:
    """Return the draft's own words where they say no more than claims that are supported."""
    summary = draft.text.strip()
    if summary and any(claim.supported for claim in claims):
        return summary if says_only_supported(summary, claims, graph, question) else ""
    return summary if status is AnswerStatus.UNKNOWN else ""


def _may_say(item: ResultItem, claims: tuple[Claim, ...], graph: LocalGraph, question: str) -> bool:
    """Tell whether claims carry a "yes" or a number; other results are matched with triples."""
    if item.value is True:
        return affirms(question, claims, graph)
    if isinstance(item.value, int) and item.value:
        return says_number(item.value, claims)
    return True


def _status(draft: AnswerDraft, claims: tuple[Claim, ...], dropped: int) -> AnswerStatus:
    if draft.status not in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL):
        return draft.status
    supported = sum(claim.supported for claim in claims)
    if not supported:
        return AnswerStatus.UNKNOWN
    if supported < len(claims) or dropped:
        return AnswerStatus.PARTIAL
    return draft.status


def _results(
    drafted: Iterable[ResultItem], claims: tuple[Claim, ...], question: str, *, denied: bool
) -> tuple[tuple[ResultItem, ...], int]:
    named: dict[Value, list[str]] = {}
    for claim in claims:
        for item in claim.support.evidence if claim.supported else ():
            for value in (EntityValue(item.triple.subject), item.triple.object):
                if claim.id not in named.setdefault(value, []):
                    named[value].append(claim.id)
    supported = tuple(claim.id for claim in claims if claim.supported)
    kept, dropped = [], 0
    for result in drafted:
        if isinstance(result.value, (bool, int)):
            ids = supported
        else:
            ids = tuple(named.get(result.value, ())) or _reckoned(result.value, claims, question)
        if ids or (denied and is_denial(result)):
            kept.append(ResultItem(result.value, result.label, result.unit_label, ids))
        else:
            dropped += 1
    return tuple(kept), dropped


def _reckoned(value: Value, claims: Iterable[Claim], question: str) -> tuple[str, ...]:
    """Return the claims that cite everything that a value was reckoned from."""
    return tuple(
        claim.id
        for claim in claims
        if claim.supported and follows(value, claim.support.evidence, question)
    )


def _completeness(draft: AnswerDraft, results: tuple[ResultItem, ...]) -> Completeness | None:
    if draft.completeness is not None:
        return draft.completeness
    return Completeness(len(results), None) if results else None


def compose_text(
    status: AnswerStatus,
    summary: str,
    claims: tuple[Claim, ...],
    missing: tuple[str, ...],
    draft: AnswerDraft,
) -> str:
    """Return the answer in prose, each claim with its ``[c1]`` mark."""
    parts: list[str] = []
    if summary:
        parts.append(summary)
    parts += [f"{_sentence(claim.text)} [{claim.id}]" for claim in claims if claim.supported]
    parts += [
        f"Unsupported: {_sentence(claim.text)} [{claim.id}]"
        for claim in claims
        if not claim.supported
    ]
    if status is AnswerStatus.UNKNOWN and not summary:
        parts.insert(0, "I do not know.")
    if status is not AnswerStatus.ANSWERED or not any(claim.supported for claim in claims):
        parts += [_sentence(text) for text in missing]
    if draft.attempt and status is AnswerStatus.UNKNOWN:
        parts.append(f"Best attempt, not an answer: {_sentence(draft.attempt)}")
    if draft.suggestions and status is AnswerStatus.UNKNOWN:
        names = ", ".join(f"{hit.label} ({hit.id})" for hit in draft.suggestions[:5])
        parts.append(f"Did you mean: {names}?")
    return " ".join(parts)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
