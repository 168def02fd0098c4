"""From a proof to the answer a user gets: status, text, completeness."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Final

from robodata_core.answers.proof import Proof
from robodata_core.errors import ProgramError
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    Completeness,
    ResultItem,
    RunStatistics,
    TruthKind,
)
from robodata_core.policy.base import AnswerDraft
from robodata_core.programs.compiler import compile_sparql
from robodata_core.text import clean_text, told_name

__all__ = ["build_answer"]

_MAX_COMMENT: Final = 2_000
#: What an answer marks its own claims with, and what looks like it.
_MARKS: Final = re.compile(r"\s*(?:\[[cTN]\d+\]|[✓✔☑✅🗸])")


def build_answer(
    draft: AnswerDraft,
    proof: Proof,
    *,
    question: str,
    policy: str,
    run_id: str,
    trace: tuple[str, ...] = (),
    statistics: RunStatistics | None = None,
) -> Answer:
    """Put an answer together; what it says was made from what holds.

    The status can only go down: it is the lower one of the draft's and the proof's.
    """
    status = _status(draft, proof)
    results = proof.results if status is not AnswerStatus.UNKNOWN else ()
    missing = (*draft.missing, *proof.missing)
    return Answer(
        question=question,
        status=status,
        text=_text(status, results, proof, missing, draft),
        policy=policy,
        claims=proof.claims,
        results=results,
        completeness=_completeness(draft, proof, results),
        absences=proof.absences,
        missing=missing,
        suggestions=draft.suggestions,
        attempt=draft.attempt,
        notes=(*draft.notes, *proof.notes),
        program=proof.reading,
        sparql=_sparql(proof),
        statistics=statistics or RunStatistics(),
        trace=trace,
        run_id=run_id,
        reading=proof.reading,
        probability=draft.probability,
        comment=_MARKS.sub("", clean_text(draft.comment, limit=_MAX_COMMENT)).strip(),
    )


def _completeness(
    draft: AnswerDraft, proof: Proof, results: Sequence[ResultItem]
) -> Completeness | None:
    if not results:
        return None
    # Where something is missing, what the source has is not what was asked for.
    return Completeness(len(results), None if draft.missing else proof.reported)


def _status(draft: AnswerDraft, proof: Proof) -> AnswerStatus:
    order = (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL, AnswerStatus.UNKNOWN)
    if draft.status not in order:
        return draft.status
    return order[max(order.index(draft.status), order.index(proof.status))]


def _sparql(proof: Proof) -> str:
    queries: list[str] = []
    for program in proof.programs:
        # Some programs no query can express (numbers beyond xsd:decimal); the words remain.
        with contextlib.suppress(ProgramError):
            queries.append(compile_sparql(program))
    return "\n\n".join(queries)


def _text(
    status: AnswerStatus,
    results: Sequence[ResultItem],
    proof: Proof,
    missing: Sequence[str],
    draft: AnswerDraft,
) -> str:
    """Return the answer in prose, each claim with its ``[c1]`` mark."""
    parts: list[str] = []
    claims = proof.claims
    if status is AnswerStatus.UNKNOWN:
        parts.append("I do not know.")
    elif draft.likely and proof.reading:
        parts.append(f"If you mean {proof.reading.rstrip('.')}:")
    parts += _yes_or_no(results, claims)
    parts += [f"{claim.text} [{claim.id}]" for claim in claims if claim.supported]
    parts += [
        f"Unsupported: {_sentence(claim.text)} [{claim.id}]"
        for claim in claims
        if not claim.supported
    ]
    if status is not AnswerStatus.ANSWERED or not claims:
        parts += [_sentence(text) for text in missing]
    if draft.attempt and status is AnswerStatus.UNKNOWN:
        parts.append(f"Best attempt, not an answer: {_sentence(draft.attempt)}")
    if draft.suggestions and status is AnswerStatus.UNKNOWN:
        hits = draft.suggestions[:5]
        names = ", ".join(told_name(hit.label, hit.id, hit.description) for hit in hits)
        parts.append(f"Did you mean: {names}?")
    return " ".join(parts)


def _yes_or_no(results: Sequence[ResultItem], claims: Sequence[Claim]) -> list[str]:
    """Return what a judgement comes to; a no says what is stated, not what is true."""
    told: list[str] = []
    for item in results:
        if item.value is True:
            told.append("Yes.")
        elif item.value is False or item.value == 0 and isinstance(item.value, int):
            absent = any(claim.kind is TruthKind.ABSENT for claim in claims)
            word = "no" if item.value is False else "none"
            told.append(f"As far as the source states, {word}." if absent else f"{word.title()}.")
    return told


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
