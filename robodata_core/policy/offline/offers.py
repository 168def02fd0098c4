"""Reading questions that offer their answers: "scissors: plastic or steel".

Purely on the words; whether what stands there names anything is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.policy.offline.tables import comparatives, superlatives
from robodata_core.policy.offline.words import AUXILIARIES, WH_WORDS

__all__ = ["Offered", "read_offered"]

_MOST: Final = 5
#: What somebody makes stands for who makes it.
_MADE: Final = r"'s (?:music|songs|works?|art|style|writing|novels|books|films|thinking|sound)$"
_LIST: Final = r"(?P<list>[^,;:?!]+?(?:, [^,;:?!]+?){0,3},? or [^,;:?!]+)"
_ARTICLE: Final = re.compile(r"(?:(?:an?|the|more of an?|rather an?|from|in|of) )+", re.IGNORECASE)
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE | re.DOTALL)
    for form in (
        # X, is it A or B; X - are they A or B
        r"(?P<name>[^,;:?!]+?)(?:,| ?[-–:]) ?(?:what |so |tell me )?(?:is|are|was|were) "
        r"(?:it|that|this|he|she|they|those|these) (?:made (?:of|from) |considered |called )?"
        rf"{_LIST}",
        # What is X, A or B; which instrument does X play: A or B
        r"(?P<asked>(?:what|which|where|who|whom|in which|in what|of what|from which|at which)\b"
        rf"[^,;:?!]+?)(?:,|\?| ?[-–:]) ?(?:is it |was it |is that |are they )?{_LIST}",
        # was it A or B who wrote X
        rf"(?:is|was|are|were) it {_LIST} (?P<by>that|who|which|whom) (?P<rest>.+)",
        # which of the two, A or B, is ...; which of A and B is ...
        rf"which(?: one| of the two| of these| of them| of those)?, {_LIST}, (?P<rest>.+)",
        r"which(?: one)? of (?P<list>[^,;:?!]+? (?:and|or) [^,;:?!]+?) "
        r"(?P<rest>(?:is|are|was|were|did|does|do|has|have|had) .+)",
        # X: A or B
        rf"(?P<name>[^,;:?!]+?)(?:,| ?[-–:]) ?{_LIST}",
    )
)


@dataclass(frozen=True, slots=True)
class Offered:
    """What a question offers.

    Attributes:
        options: Words of each.
        name: What stands before, where that is a name alone.
        asked: A question of its own that the answer is to, where there is one.
    """

    options: tuple[str, ...]
    name: str = ""
    asked: str = ""


def read_offered(text: str) -> Offered | None:
    """Read a question that offers its answers behind a comma or colon."""
    bare = re.sub(r"\s+", " ", text.strip(" ?!.")).replace("’", "'")
    for form in _FORMS:
        found = form.fullmatch(bare)
        if found is None:
            continue
        parts = found.groupdict()
        options = tuple(
            _ARTICLE.sub("", one, count=1) if _ARTICLE.match(one) else one
            for one in re.split(r",? (?:or|and) |, ", parts["list"])
        )
        if parts.get("rest"):
            parts["asked"] = f"{_who(parts.get('by') or '')} {parts['rest']}"
        name = re.sub(_MADE, "", parts.get("name") or "")
        first = next(iter((name or parts.get("asked") or "").lower().split()), "")
        said = set((parts.get("asked") or "").lower().split())
        if (
            not first
            or said & _compared()
            or not _is_list(options)
            or (name and first in AUXILIARIES | WH_WORDS | {"how", "if"})
        ):
            continue
        return Offered(options, name, f"{parts['asked']}?" if parts.get("asked") else "")
    return None


@lru_cache(maxsize=1)
def _compared() -> frozenset[str]:
    """Return words that ask to compare what is offered, which is done elsewhere."""
    words = {key[0] for table in (superlatives(), comparatives()) for key in table}
    return frozenset(words | {"more", "less"})


def _who(by: str) -> str:
    return "Who" if by.lower() in ("who", "whom") else "What"


def _is_list(options: Sequence[str]) -> bool:
    """Tell whether these may be names: few words, none of them a verb of its own."""
    return 1 < len(options) <= _MOST and all(
        0 < len(one.split()) <= _MOST and one.lower() not in ("not", "no", "more", "less")
        and one.split()[0].lower() not in AUXILIARIES | {"did", "not", "who", "by", "whether"}
        for one in options
    )  # fmt: skip
