"""What stands round a question and asks nothing: "a nurse here - what is X?" asks what X is.

The frames are data, ``frames.tsv``. Nothing of a graph is known here. What is said before a
question and may narrow it is never left out: then there is no other form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.policy.offline.among import chosen_from
from robodata_core.policy.offline.rephrasing import Form, read_forms
from robodata_core.policy.offline.tables import packaged

__all__ = ["Plain", "frames", "plainly"]

_LONGEST: Final = 300
#: Frames taken off one after the other.
_MOST: Final = 6
_END: Final = " \t?!."
_CLAIM: Final = re.compile(r"is it true that ", re.IGNORECASE)
_DENIAL: Final = re.compile(
    r"\b(?:not|never|nobody|no|none|only|neither|nothing|cannot|without)\b|n['’]t\b", re.IGNORECASE
)
#: "Yes or no" says what is asked for, and denies nothing.
_VERDICT: Final = re.compile(
    r"\b(?:yes or no|yes/no|(?:true|right|correct|fact) or not|or not)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Plain:
    """A question without what stands round it.

    Attributes:
        text: The question, to be read as it stands.
        binding: Whether the question as asked means this or nothing that is understood.
    """

    text: str
    binding: bool = False

    @property
    def note(self) -> str:
        """Words that say how the question was read."""
        return f"The question was read as “{self.text}”."


def plainly(question: str) -> Plain | None:
    """Return what a question asks without its frame; None if it has none.

    Args:
        question: As asked; a long one is left as it is.
    """
    if len(question) > _LONGEST:
        return None
    bare = _unframed(question.strip())
    chosen, binding = chosen_from(bare)
    text = _unframed(chosen or bare)
    if text.strip(_END) == question.strip(_END):
        return None
    claim = _CLAIM.sub("", text).strip(_END) if _CLAIM.match(text) else ""
    if claim and _DENIAL.search(claim):
        return Plain(_asked(text), binding=True)
    if claim and _DENIAL.search(_VERDICT.sub("", question).partition(claim)[0]):
        return None  # "I do not think that ...": what a yes would mean is left open
    return Plain(_asked(text), binding)


def _unframed(text: str) -> str:
    for _ in range(_MOST):
        bare = text.strip(_END)
        plain = next((other for form in frames() if (other := form.apply(bare))), "")
        if not plain or plain == bare:
            return text
        text = plain
    return text


def _asked(text: str) -> str:
    bare = text.strip(_END)
    return f"{bare[:1].upper()}{bare[1:]}?"


@lru_cache(maxsize=1)
def frames() -> tuple[Form, ...]:
    """Return the frames of ``frames.tsv``, in order."""
    return tuple(read_forms(packaged("frames.tsv")))
