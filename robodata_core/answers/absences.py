"""What may rest on a look-up that found nothing: a "no", a zero, an "unknown"; never a claim.

A policy cites such look-ups by handle (``N7``). The sentences are ours, made when the look-up was
carried out, so there is nothing in them to check but that they belong to this run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from robodata_core.answers.validation import Validation
from robodata_core.model import Absence, ResultItem
from robodata_core.policy.base import AnswerDraft

__all__ = ["denial_of", "is_denial", "rests_on_nothing_found", "with_absences"]


def with_absences(
    validation: Validation, draft: AnswerDraft, known: Mapping[str, Absence]
) -> Validation:
    """Add the look-ups that ``draft`` cites to its validation, and what is wrong with them.

    Args:
        validation: Of the draft's claims.
        draft: What the policy handed in.
        known: The look-ups of this run that found nothing.
    """
    if not draft.absences:
        return validation
    handles = tuple(dict.fromkeys(draft.absences))
    found = tuple(known[handle] for handle in handles if handle in known)
    problems = tuple(
        f"{handle[:20]} is not the handle of a look-up that found nothing."
        for handle in handles
        if handle not in known
    )
    return replace(validation, absences=found, problems=(*validation.problems, *problems))


def is_denial(item: ResultItem) -> bool:
    """Tell whether a result says "no" or "none"."""
    return isinstance(item.value, (bool, int)) and not item.value


def rests_on_nothing_found(results: Sequence[ResultItem], absences: Sequence[Absence]) -> bool:
    """Tell whether all there is to the results is that nothing was found."""
    return bool(absences) and bool(results) and all(is_denial(item) for item in results)


def denial_of(results: Sequence[ResultItem]) -> str:
    """Return how such results read; they say what the source states, not what is true."""
    is_no = any(isinstance(item.value, bool) for item in results)
    return f"As far as the source states, {'no' if is_no else 'none'}."
