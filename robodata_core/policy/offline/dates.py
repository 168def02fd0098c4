"""Forms of questions that reckon with dates: ages, spans, parts of dates, who was alive when.

Purely on the words: a form says which times are asked for as questions of their own ("When did X
die?"), and what is done with them. ``dating`` carries it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from robodata_core.policy.offline.date_parts import named_part
from robodata_core.policy.offline.operators import PRECISIONS

__all__ = ["Age", "Alive", "Apart", "Form", "Longest", "Part", "Turned", "forms"]

#: A time of its own ("1 January 2001") is asked for by these words in front of it.
_PRONOUN: Final = re.compile(r"^(?:he|she|it|they)\b", re.IGNORECASE)
_OWNED: Final = r"(?:'s|’s|s'|s’)"
_UNITS: Final = {"year": "years", "years": "years", "day": "days", "days": "days"}
_DEATHS: Final = r"(?:die|died|dies|pass away|passed away)"
_NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Age:
    """How old something was at a time; without a time, how old it is today."""

    subject: str
    when: str = ""
    unit: str = "years"


@dataclass(frozen=True, slots=True)
class Apart:
    """How much time lies between two times."""

    first: str
    last: str
    unit: str = "years"


@dataclass(frozen=True, slots=True)
class Alive:
    """Whether somebody was alive at a time (or dead by then)."""

    subject: str
    when: str
    alive: bool = True


@dataclass(frozen=True, slots=True)
class Turned:
    """Whether a time lies before (or after) somebody reached an age."""

    when: str
    subject: str
    years: int
    before: bool


@dataclass(frozen=True, slots=True)
class Longest:
    """Who of some lived longest (or shortest).

    Attributes:
        names: The names compared; one alone is a noun for all that are.
        long: Whether the longest is asked for.
        judged: Whether it is asked if the first lived longer than the second.
    """

    names: tuple[str, ...]
    long: bool = True
    judged: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The year, decade, century or month of a time."""

    when: str
    precision: int


Form = Age | Apart | Alive | Turned | Longest | Part


def forms(text: str) -> Iterator[Form]:
    """Give the forms that a question may have, the likeliest first.

    Args:
        text: The question without the sign at its end.
    """
    for pattern, make in _FORMS:
        match = pattern.match(text)
        if match is not None:
            form = make(match)
            if form is not None:
                yield form
    yield from _parts(text)


def _event(words: str, subject: str = "") -> str:
    """Return the question for the time of an event: "X died" -> "When did X die?"."""
    words = words.strip()
    if subject:
        words = _PRONOUN.sub(lambda _: subject, words)
        words = re.sub(r"^(?:his|her|its|their) ", f"{subject}'s ", words, flags=re.IGNORECASE)
    for pattern, template in _EVENTS:
        match = pattern.match(words)
        if match is not None:
            return template.format(match["s"])
    return words


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})\Z", re.IGNORECASE)


_EVENTS: Final = tuple(
    (_compiled(pattern), template)
    for pattern, template in (
        (r"(?P<s>(?:did|was|were) .+)", "When {}?"),
        (rf"(?P<s>.+?) (?:{_DEATHS}|was (?:killed|murdered|assassinated))", "When did {} die?"),
        (r"(?P<s>.+?) (?:was|were) born", "When was {} born?"),
        (r"(?:the )?(?:death|passing) of (?P<s>.+)", "When did {} die?"),
        (rf"(?P<s>.+?){_OWNED} (?:death|passing)", "When did {} die?"),
        (r"(?:the )?birth of (?P<s>.+)", "When was {} born?"),
        (rf"(?P<s>.+?){_OWNED} birth", "When was {} born?"),
    )
)


def _born(subject: str) -> str:
    return f"When was {subject} born?"


def _died(subject: str) -> str:
    return f"When did {subject} die?"


def _named(match: re.Match[str], *groups: str) -> str:
    return next((match[g] for g in groups if g in match.re.groupindex and match[g]), "").strip()


def _age_then(match: re.Match[str]) -> Form | None:
    subject = _named(match, "x")
    return Age(subject, _event(match["e"], subject))


_AT_DEATH: Final = ("x", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9")


def _age_at_death(match: re.Match[str]) -> Form | None:
    subject = _named(match, *_AT_DEATH)
    unit = match["u"] if match["u"] else "years"
    return Age(subject, _died(subject), _UNITS[unit.lower()])


def _age_now(match: re.Match[str]) -> Form | None:
    return Age(_named(match, "x", "x2", "x3"))


def _alive(match: re.Match[str]) -> Form | None:
    subject = match["x"]
    return Alive(subject, _event(match["t"], subject), not match["dead"])


def _turned(match: re.Match[str]) -> Form | None:
    number = match["n"].lower()
    years = int(number) if number.isdigit() else _NUMBERS.get(number, -1)
    when = _born(match["x"]) if match["v"].lower() == "born" else _died(match["x"])
    known = 0 < years < 1000
    return Turned(when, match["y"], years, match["op"].lower() == "before") if known else None


def _reached(match: re.Match[str]) -> Form | None:
    number = match["n"].lower()
    years = int(number) if number.isdigit() else _NUMBERS.get(number, -1)
    subject = match["x"]
    return Turned(_died(subject), subject, years, False) if 0 < years < 1000 else None


def _longer(match: re.Match[str]) -> Form | None:
    names = tuple(filter(None, (match["x"], match["z"], match["y"])))
    return Longest(tuple(name.strip(" ,") for name in names), _is_long(match["d"]))


def _longer_than(match: re.Match[str]) -> Form | None:
    return Longest((match["x"], match["y"]), _is_long(match["d"]), judged=True)


def _longest(match: re.Match[str]) -> Form | None:
    return Longest((f"Which {match['c']}",), _is_long(match["d"]))


def _is_long(word: str) -> bool:
    return word.lower() in ("longer", "longest", "older", "oldest")


def _after(match: re.Match[str]) -> Form | None:
    unit = _UNITS[(match["u"] or "years").lower()]
    first, last = _event(match["e"]), _event(match["f"])
    after = match["op"].lower() in ("after", "since")
    return Apart(first, last, unit) if after else Apart(last, first, unit)


def _older(match: re.Match[str]) -> Form | None:
    unit = _UNITS[(match["u"] or "years").lower()]
    first, last = _born(match["x"]), _born(match["y"])
    older = match["d"].lower() == "older"
    return Apart(first, last, unit) if older else Apart(last, first, unit)


def _between(match: re.Match[str]) -> Form | None:
    return Apart(_event(match["e"]), _event(match["f"]), _UNITS[match["u"].lower()])


_WAS: Final = r"(?:was|were|is) (?P<x>.+?) (?:still |already )?"
_OWN: Final = r"(?:his |her |its |their )?"
_NOW: Final = r"(?: now| today| currently| at present)?"
_WHO: Final = r"(?:who|which|what)(?: (?:of them|of the two|one|person|man|woman))? (?:has )?"
_LIST: Final = r"(?P<x>.+?)(?:, (?P<z>.+?))?,?"
_LIVED: Final = r"lived (?:for )?(?:the )?"
_ALIVE: Final = r"(?P<dead>)(?:alive|living|among the living) "
_REACHED: Final = r"(?:turned|had turned|was|reached the age of|reached|became|was aged)"
_LIE: Final = r"(?:are there |were there |lie |lay |passed |elapsed |is it |are )?"
_Maker = Callable[[re.Match[str]], Form | None]
_FORMS: Final[tuple[tuple[re.Pattern[str], _Maker], ...]] = (
    (
        _compiled(r"(?:how old|(?:at )?what age) (?:was|were) (?P<x>.+?) (?:when|as) (?P<e>.+)"),
        _age_then,
    ),
    (
        _compiled(
            rf"at (?:what|which) age (?:did|has|had) (?P<x>.+?) {_DEATHS}",
            rf"(?:what|which) age did (?P<x2>.+?) {_DEATHS}(?: at)?",
            r"how old did (?P<x3>.+?) (?:become|get|grow|live to be|live to become)",
            rf"how old was (?P<x4>.+?) (?:at|on) (?:the (?:time|moment) of )?{_OWN}death",
            r"how (?:long|many (?P<u>years|days)) did (?P<x5>.+?) live",
            rf"what was (?P<x6>.+?){_OWNED} age (?:at|on) {_OWN}death",
            rf"what was the age of (?P<x7>.+?) (?:at|on) {_OWN}death",
            rf"(?P<x8>.+?) {_DEATHS} at (?:what|which) age",
            r"(?:to )?(?:what|which) age did (?P<x9>.+?) (?:reach|attain|get to|live(?: to)?)",
        ),
        _age_at_death,
    ),
    (_compiled(r"how old was (?P<x>.+?) (?:in|on|by|at) (?P<e>.+)"), _age_then),
    (
        _compiled(
            rf"how old (?:is|are) (?P<x>.+?){_NOW}",
            rf"what (?:is|'s) (?P<x2>.+?){_OWNED} (?:current |present )?age{_NOW}",
            rf"what (?:is|'s) the (?:current |present )?age of (?P<x3>.+?){_NOW}",
        ),
        _age_now,
    ),
    (
        _compiled(
            rf"{_WHO}(?:lived|died) (?:the )?(?P<d>longer|longest|older|younger)[,:]? "
            rf"{_LIST} or (?P<y>.+)"
        ),
        _longer,
    ),
    (_compiled(r"did (?P<x>.+?)(?P<z>) or (?P<y>.+?) live (?P<d>longer)"), _longer),
    (
        _compiled(
            rf"(?:who|which)(?: one)? (?:of|between) {_LIST} and (?P<y>.+?) {_LIVED}"
            r"(?P<d>longer|longest)"
        ),
        _longer,
    ),
    (
        _compiled(r"did (?P<x>.+?) (?:live|die) (?P<d>longer|older|younger) than (?P<y>.+)"),
        _longer_than,
    ),
    (
        _compiled(rf"which (?P<c>.+?) {_LIVED}(?P<d>longest|shortest)(?: life| time)?"),
        _longest,
    ),
    (_compiled(rf"{_WAS}{_ALIVE}(?:on|in|at|by|during|when) (?P<t>.+)"), _alive),
    (
        _compiled(
            r"did (?P<x>.+?) (?P<dead>)(?:live|survive) (?:to see|until|till|into) (?P<t>.+)"
        ),
        _alive,
    ),
    (_compiled(rf"{_WAS}(?P<dead>dead|deceased) (?:by|on|in|when) (?P<t>.+)"), _alive),
    (
        _compiled(
            r"(?:did|was) (?P<x>.+?) (?P<v>die|born|pass away) (?P<op>before|after) "
            rf"(?P<y>.+?) {_REACHED} (?P<n>[0-9]{{1,3}}|[a-z]+)(?: years old| years of age)?"
        ),
        _turned,
    ),
    (
        _compiled(
            r"did (?P<x>.+?) (?:live to be|live to the age of|reach the age of|reach|turn) "
            r"(?P<n>[0-9]{1,3}|[a-z]+)(?: years old| years of age)?"
        ),
        _reached,
    ),
    (
        _compiled(
            rf"who was (?P<d>older|younger) when (?:he|she|they) {_DEATHS}[,:]? "
            rf"{_LIST} or (?P<y>.+)"
        ),
        _longer,
    ),
    (
        _compiled(
            r"how (?:many (?P<u>years|days)|long) (?P<op>after|before) (?P<e>.+?),? "
            r"(?P<f>(?:did|was|were) .+)"
        ),
        _after,
    ),
    (
        _compiled(
            r"how (?:much|many (?P<u>years|days)) (?P<d>older|younger) (?:is|was) (?P<x>.+?) "
            r"than (?P<y>.+)"
        ),
        _older,
    ),
    (
        _compiled(rf"how many (?P<u>years|days) {_LIE}between (?P<e>.+?) and (?P<f>.+)"),
        _between,
    ),
)

_PART: Final = re.compile(
    r"(?:\b(?:in|during|since|from|until|by) )?\b(?:what|which) (?:exact |calendar )?"
    r"(?P<p>year|decade|century|month)\b",
    re.IGNORECASE,
)


def _parts(text: str) -> Iterator[Part]:
    """Give "in which year ..." as "when ...", wherever it stands in the question."""
    noun = named_part(text)
    if noun is not None:
        yield Part(*noun)
        return
    match = _PART.search(text)
    if match is None:
        return
    before, behind = text[: match.start()].strip(), text[match.end() :].strip()
    since = match.group().lower().startswith("since")
    asked = "Since when" if since else "When"
    rest = behind if not before else f"{behind} {before}".strip()
    if re.match(r"(?:was|is|were|did|does|do|has|had|have)\b", rest, re.IGNORECASE) or before:
        yield Part(f"{asked} {rest}?", PRECISIONS[match["p"].lower()])
