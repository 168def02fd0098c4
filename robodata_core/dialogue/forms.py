"""What people say that is no question of its own: thanks, doubts, corrections, openings.

Only whole utterances count: a question that merely begins with "ok" is a question.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final

from robodata_core.dialogue._words import words
from robodata_core.text import normalise_name

__all__ = [
    "Correction",
    "Form",
    "correction",
    "counted",
    "denies",
    "existence",
    "form_of",
    "membership",
    "opening",
    "parted",
]


class Form(str, enum.Enum):
    """What an utterance is, where it is no question to be looked up."""

    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    ASSENT = "assent"
    EVIDENCE = "evidence"
    COUNT = "count"
    LIST = "list"
    COMPARE = "compare"


_SMALL: Final = (Form.THANKS, Form.FAREWELL, Form.GREETING, Form.ASSENT)
_LONGEST_SMALL: Final = 8

_EVIDENCE: Final = re.compile(
    r"(?:but |and |so |ok |really )*(?:"
    r"why|why (?:is|was|do you (?:think|say)) (?:that|this|it|so)|how come|really|"
    r"how (?:do|did|can) you (?:know|find|get)(?: (?:that|this|it|so))?(?: out)?|"
    r"are you (?:really |quite |absolutely )?(?:sure|certain)(?: (?:about|of) (?:that|this|it))?|"
    r"is (?:that|this|it) (?:really )?(?:true|so|right|correct|certain)|"
    r"where (?:do|did) you (?:know|get|have|find) (?:that|this|it)(?: from)?|"
    r"where is (?:that|this) from|"
    r"(?:what|which) (?:is|are|was) (?:the|your) (?:evidence|proof|sources?|support)"
    r"(?: for (?:that|this|it))?|"
    r"(?:please )?(?:show|give|tell)(?: me)? (?:the|your|some) (?:evidence|proof|sources?|support)"
    r"(?: for (?:that|this|it))?|"
    r"says who|prove it|on what (?:evidence|grounds)|evidence|proof|sources?"
    r")(?: then| please)?"
)  # fmt: skip
_COUNT: Final = re.compile(
    r"(?:and |so |ok )*how many (?:"
    r"(?:(?P<noun>\w+) )?(?:are|is|were|was) (?:they|there|those|these|that|this|it|them)"
    r"(?: in all| in total| altogether)?|"
    r"of (?:them|those|these) (?:are|were) there(?: in all| in total)?|"
    r"(?:are|were) there of (?:them|those|these)|(?:in all|in total|altogether))"
    r"|(?:and |so |ok )*how many(?: of (?:them|those|these))?"
)
_LIST: Final = re.compile(
    r"(?:and |so |ok |please )*(?:(?:who|what|which) (?:are|were) (?:they|those|these|them)|"
    r"which ones?|(?:list|name|show|enumerate)(?: me)? (?:them|those|these|all of them)(?: all)?|"
    r"(?:what (?:is|are|was|were) )?(?:his|her|its|their) names?|which are they|"
    r"tell me (?:their names|who they are|which ones))(?: please)?"
)


def _any_of(kind: str) -> str:
    """Return a pattern for the words of a kind, longest first."""
    said = sorted(words(kind), key=len, reverse=True)
    return "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in said)


_DENIED: Final = re.compile(rf"(?:{_any_of('denial')})[,;:.!]\s+", re.IGNORECASE)
_OPENING: Final = re.compile(
    rf"(?:{_DENIED.pattern}|(?:{_any_of('opening')})\b[,;:.!]?\s+)*", re.IGNORECASE
)
_MEANT: Final = re.compile(
    r"(?:(?:no|nope|sorry|oh|wait|actually|well|hmm?|er|ah)\b[,;:.!]?\s+)*"
    r"(?:i\s+(?:actually\s+)?(?:meant|mean)(?:\s+to\s+(?:say|ask))?|i\s+was\s+(?:asking|talking)\s+about|"
    r"i\s+am\s+asking\s+about)\s*[,:]?\s+(?P<new>.+)",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"(?:(?:no|nope|sorry|oh|wait|actually|well|hmm?|er|ah)\b[,;:.!]?\s+)*not\s+(?:of\s+|for\s+)?(?P<old>[^,;]+?)"
    r"\s*(?:[,;]\s*(?:but\s+)?|\s+but\s+)(?P<new>.+)",
    re.IGNORECASE,
)
_MEANT_NOT: Final = re.compile(r"(?P<new>.+?)[,;]?\s+(?:and\s+)?not\s+(?P<old>.+)", re.IGNORECASE)
_THERE_IS: Final = re.compile(
    r"(?:and\s+)?(?:is|are)\s+there\s+(?:(?:any|a|an|some)\s+)?(?P<name>\S+(?:\s+\S+)?)\s*\??",
    re.IGNORECASE,
)
_SENTENCES: Final = re.compile(r"\s*[.;:!]\s+")
_ONE_OF: Final = re.compile(
    r"(?:and\s+)?(?:is|was|are|were)\s+(?!there\b)(?P<name>.+?)\s+(?:one\s+of|among|amongst|part\s+of)\s+"
    r"(?:them|those|these)\s*\??",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Correction:
    """What was meant, and what was not, as far as it is said."""

    new: str
    old: str = ""


def form_of(text: str) -> Form | None:
    """Return what an utterance is, or None where it is a question."""
    plain = normalise_name(text)
    said = plain.split()
    if not said:
        return None
    for form, pattern in ((Form.EVIDENCE, _EVIDENCE), (Form.COUNT, _COUNT), (Form.LIST, _LIST)):
        if pattern.fullmatch(plain):
            return form
    small = words("small").union(*(words(form.value) for form in _SMALL))
    if len(said) > _LONGEST_SMALL or not set(said) <= small:
        return None
    return next((form for form in _SMALL if set(said) & words(form.value)), None)


def counted(text: str) -> str:
    """Return the noun in "how many cups are there", or nothing."""
    match = _COUNT.fullmatch(normalise_name(text))
    return (match["noun"] if match else "") or ""


def opening(text: str) -> int:
    """Return how many characters only lead over: "And", "What about"."""
    match = _OPENING.match(text)
    return match.end() if match else 0


def correction(text: str) -> Correction | None:
    """Return what a correction says: "no, I meant X", "not X, Y"."""
    stripped = text.strip().rstrip("?!. ")
    match = _MEANT.fullmatch(stripped)
    if match:
        inner = _NOT.fullmatch(match["new"]) or _MEANT_NOT.fullmatch(match["new"])
        if inner:
            return Correction(inner["new"].strip(), inner["old"].strip())
        return Correction(match["new"].strip())
    match = _NOT.fullmatch(stripped)
    return Correction(match["new"].strip(), match["old"].strip()) if match else None


def existence(text: str) -> str:
    """Return the name in "is there any X?", or nothing."""
    match = _THERE_IS.fullmatch(text.strip())
    return match["name"].strip() if match else ""


def denies(text: str) -> bool:
    """Tell whether an utterance begins by saying no."""
    return _DENIED.match(text) is not None


def parted(text: str) -> tuple[str, str]:
    """Return what is said before a question in another sentence, and that question."""
    before, _, asked = _SENTENCES.sub("\n", text, count=1).partition("\n")
    return before, asked


def membership(text: str) -> str:
    """Return the name in "is X one of them?", or nothing."""
    match = _ONE_OF.fullmatch(text.strip())
    return match["name"].strip() if match else ""
