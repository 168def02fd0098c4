"""A verdict as lines for people, in a terminal or a pipe. No colours here, only style names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robodata_core.answers.text import claim_lines
from robodata_core.model import EntityValue, RunStatistics
from robodata_core.text import clean_text, plural
from robodata_core.values import format_value
from robodata_core.verification.trajectories import Trajectory
from robodata_core.verification.verdict import Judgement, Reason, Verdict

__all__ = ["verdict_lines", "verdict_status"]

_STYLES: Final = {
    Judgement.SUPPORTED: "bold green",
    Judgement.REFUTED: "bold red",
    Judgement.UNKNOWN: "bold yellow",
}


def verdict_lines(verdict: Verdict, *, explain: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (style, line) pairs: the judgement, what it rests on, and where that came from.

    Args:
        verdict: What to show.
        explain: Also show what was measured, and the method.
    """
    yield _STYLES[verdict.judgement], _headline(verdict)
    yield "", f"{_triple(verdict)}"
    yield "", clean_text(verdict.explanation, limit=2_000)
    for note in verdict.notes:
        yield "dim", clean_text(note)
    sides = [("For it", verdict.evidence), ("Against it", verdict.against)]
    if verdict.judgement is Judgement.REFUTED:
        sides.reverse()
    for title, claims in sides:
        if claims:
            yield "", ""
            yield "bold", title
            for claim in claims:
                yield from claim_lines(claim)
    yield from _quoted(verdict)
    if verdict.investigation is not None and explain:
        yield from _investigated(verdict.investigation)
    if explain:
        yield from _measured(verdict)


def _quoted(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Show what texts say, apart from claims."""
    for title, reasons in (("for", verdict.reasons), ("against", verdict.objections)):
        sentences = [one for reason in reasons for one in reason.sentences]
        if sentences:
            yield "", ""
            yield "bold", f"Texts {title} it (quoted, not checked)"
        for one in sentences:
            where = ", ".join(filter(None, (one.corpus, one.document, one.address)))
            when = f", read {one.retrieved:%Y-%m-%d}" if one.retrieved else ""
            yield "", f"  “{clean_text(one.text)}”"
            yield "dim", f"    {clean_text(where)}, no. {one.position}{when}"


def _investigated(found: Trajectory) -> Iterator[tuple[str, str]]:
    yield "", ""
    yield "bold", "The investigation"
    for place, step in enumerate(found.plan, 1):
        yield "dim", f"plan {place}: {clean_text(step)}"
    for line in found.text().splitlines()[1:]:
        yield "", clean_text(line)


def _measured(verdict: Verdict) -> Iterator[tuple[str, str]]:
    yield "", ""
    yield "bold", "What was cited" if verdict.investigation else "What was measured"
    for mark, reasons in (("+", verdict.reasons), ("-", verdict.objections)):
        for reason in reasons:
            yield "", f"{mark} {_reason(reason)}"
    if not verdict.reasons and not verdict.objections:
        yield "", "nothing that speaks for or against it"
    yield "dim", f"probability that it holds: {verdict.probability:.3f}"
    yield "dim", f"method: {clean_text(verdict.method)}"


def _reason(reason: Reason) -> str:
    claims = f" [{', '.join(reason.claims)}]" if reason.claims else ""
    return f"{_share(reason.confidence)} {reason.kind}: {clean_text(reason.text)}{claims}"


def _share(value: float) -> str:
    """Return a share with two digits; 1.00 is kept for what is certain."""
    return f"{value if value == 1 else min(value, 0.99):.2f}"


def _headline(verdict: Verdict) -> str:
    parts = [verdict.judgement.value]
    if verdict.judgement is not Judgement.UNKNOWN:
        parts.append(f"confidence {_share(verdict.confidence)}")
    if verdict.forced:
        parts.append("decided on request")
    if verdict.hidden:
        parts.append("the triple itself unseen")
    return " · ".join(parts)


def _triple(verdict: Verdict) -> str:
    triple = verdict.triple
    if isinstance(triple.object, EntityValue):
        object_ = _named(verdict.object_label, triple.object.id)
    else:
        object_ = clean_text(
            format_value(triple.object, lambda id_: verdict.unit_label or id_), limit=200
        )
    subject = _named(verdict.subject_label, triple.subject)
    return f"{subject} — {_named(verdict.predicate_label, triple.predicate)} → {object_}"


def _named(label: str, id_: str) -> str:
    clean, id_ = clean_text(label, limit=200), clean_text(id_, limit=2_000)
    return f"{clean} ({id_})" if clean and clean != id_ else id_


def _tokens(statistics: RunStatistics) -> str:
    return plural(statistics.tokens.prompt + statistics.tokens.completion, "token")


def verdict_status(verdict: Verdict) -> str:
    """Return how the run went, on one line for the narration."""
    stats = verdict.statistics
    return " · ".join(
        (
            verdict.judgement.value,
            plural(stats.turns, "turn"),
            plural(stats.tool_calls, "tool call"),
            f"{plural(stats.edges, 'triple')} fetched",
            f"{stats.seconds:.2f} s",
            _tokens(stats) if verdict.investigation else "no language model",
        )
    )
