"""Questions of which only a part is said: "And of Germany?", "her mother?", "in 1990?".

The last question that was looked up lends the rest. What is said takes the place of what is like
it: a name that of a name of the same class, a noun that of a noun, a time that of a time; a noun
for a relation asks for that of what the last question was about.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from robodata_core.dialogue._words import words
from robodata_core.dialogue.asking import Completed, asks_only, bare, timed
from robodata_core.dialogue.degrees import swapped_degree
from robodata_core.dialogue.elided import asked_for
from robodata_core.dialogue.history import Heard
from robodata_core.dialogue.names import Name, Read
from robodata_core.dialogue.naming import name_of, set_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.policy.offline.question import IMPERATIVES
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    INDEFINITE,
    PREPOSITIONS,
    WH_WORDS,
    singular,
)
from robodata_core.question import written_id
from robodata_core.text import normalise_name

__all__ = [
    "completed",
    "corrected",
    "gapped",
    "is_fragment",
    "says",
    "turned",
    "without_that",
]

_THAT_OF: Final = re.compile(
    r"^(?:that|those|the (?:one|ones))\s+(?=of\b|in\b|by\b)", re.IGNORECASE
)
_PREPOSITIONS: Final = PREPOSITIONS | {"about", "than"}
_MOST_WORDS: Final = 12


def is_fragment(read: Read, opened: bool) -> bool:
    """Tell whether a text is only a part of a question.

    Args:
        read: The text without its opening.
        opened: Whether "what about" or "and" led over to it.
    """
    said = [token.norm for token in read.tokens if token.word]
    if not said or len(said) > _MOST_WORDS:
        return False
    if asks_only(read):
        return True
    if said[0] in WH_WORDS | AUXILIARIES | IMPERATIVES or set(said) & WH_WORDS:
        return False
    if said[0] in _PREPOSITIONS and len(said) > 1 and said[1] in WH_WORDS:
        return False
    if read.proper() and read.nouns() and not opened:
        return False  # "capital of France" says all there is to say
    return not set(said) & AUXILIARIES


def gapped(read: Read, base: Heard) -> Completed | None:
    """Fill "how many does X have" with what was counted before."""
    said = [token for token in read.tokens if token.word]
    if [t.norm for t in said[:2]] != ["how", "many"] or len(said) < 4:
        return None
    if said[2].norm not in AUXILIARIES or said[2].norm in ("are", "is", "were", "was"):
        return None
    focus = sorted(base.read.question.requests[0].focus)
    nouns = [m for m in base.read.nouns() if focus and m.start > focus[-1]]
    if not focus:
        return None
    first, end = (nouns[0].start, nouns[0].end) if nouns else (focus[0], focus[-1] + 1)
    noun = base.read.question.raw(first, end)  # of "X's siblings" the siblings
    at = said[1].end
    return Completed(f"{read.text[:at]} {noun}{read.text[at:]}", f"counted are {noun}")


def completed(read: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    """Return the whole question that a part of one stands for; None where it is not understood."""
    if asks_only(read):
        return bare(read, base, knowledge)
    for step in (_other_degree, _named, timed, _nouned):
        found = step(read, base, knowledge)
        if found is not None:
            return found
    return None


def turned(base: Heard) -> Completed | None:
    """Return the last question with its two names in each other's places."""
    names, text = base.read.proper(), base.read.text
    if len(names) != 2:
        return None
    (first, last), between = names, text[names[0].end : names[1].start]
    put = f"{text[last.start : last.end]}{between}{text[first.start : first.end]}"
    return Completed(f"{text[: first.start]}{put}{text[last.end :]}", "the other way round")


def corrected(new: Read, old: str, base: Heard, knowledge: Knowledge) -> Completed | None:
    """Return the last question with a mistake in it mended."""
    sense = _other_sense(new, base, knowledge)
    if sense is not None:
        return sense
    wrong = [
        name for name in base.read.names
        if old and normalise_name(old) in normalise_name(name.text)
        or old and normalise_name(name.text) in normalise_name(old).split()
    ]  # fmt: skip
    named = new.proper()
    if wrong and named and wrong[0].proper:
        return _replaced(base, wrong[0], named[0], knowledge)
    return completed(new, base, knowledge)


def _other_degree(read: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    """Ask for another degree of the same: "And taller?" after "Is X older than Y?"."""
    found = swapped_degree(read, base.read)
    if found is None:
        return None
    text, old, new = found
    return Completed(text, f"“{new}” takes the place of “{old}”")


# -- names ----------------------------------------------------------------------------------------


def _named(read: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    names = tuple(name for name in read.proper() if not read.in_phrase(name))
    if not names:
        return None
    new = names[0]
    nouns = [m for m in read.nouns() if read.tokens[m.start].start < new.start]
    if nouns or not says(base.read, read):
        return None
    old = _place_of(read, new, base, knowledge)
    if old is None:
        return None
    if len(names) > 1 and all(name.ids for name in names):
        return _replaced_by_all(read, base, old, names, knowledge)
    return _replaced(base, old, new, knowledge)


def says(base: Read, read: Read) -> bool:
    """Tell whether a question says all that a part of one does besides its names."""
    said = {token.stem for token in base.tokens}
    names = [(name.start, name.end) for name in read.names]
    return all(
        token.stem in said or token.norm in FUNCTION_WORDS or not token.word
        or any(start <= token.start < end for start, end in names)
        for token in read.tokens
    )  # fmt: skip


def _replaced_by_all(
    read: Read, base: Heard, old: Name, names: tuple[Name, ...], knowledge: Knowledge
) -> Completed:
    """Put several names in the place of one, joined as they were: "Japan and Germany"."""
    first, last = names[0].start, names[-1].end
    parts, at = [], first
    for name in names:
        parts += [read.text[at : name.start], name_of(name.ids[0], knowledge)]
        at = name.end
    put, text = "".join(parts), base.read.text
    whole = f"{text[: old.start]}{put}{text[old.end :]}"
    said = read.text[first:last]
    return Completed(whole, f"“{said}” takes the place of “{old.text}”", (names[0].ids[0],))


def _place_of(read: Read, new: Name, base: Heard, knowledge: Knowledge) -> Name | None:
    """Return the name of the last question whose place a new one takes."""
    old = [
        name for name in base.read.names
        if name.proper and name.whole <= new.whole and name.ids[:1] != new.ids[:1]
    ]  # fmt: skip
    description = _description(base, knowledge)
    if description is not None and new.ids:
        types = knowledge.types(new.ids[0])
        shared = [len(types & knowledge.types(one.ids[0])) for one in (description, *old)]
        if all(shared[0] > other for other in shared[1:]):
            return description
    before = read.joint(new)
    if before in _PREPOSITIONS:
        same = [name for name in old if base.read.joint(name) == before]
        if len(same) == 1:
            return same[0]
        old = same or old
    alike = [name for name in old if new.ids and knowledge.alike(name.ids[0], new.ids[0])]
    if alike:
        types = knowledge.types(new.ids[0])
        best = max(alike, key=lambda name: len(types & knowledge.types(name.ids[0])))
        if types & knowledge.types(best.ids[0]) or base.read.tokens[0].norm not in AUXILIARIES:
            return best
        return old[0]  # no class tells them apart: "is X ...?" asks about X
    if len(old) == 1 or not new.ids:
        return old[0] if old else None
    common = [
        name for name in base.read.names
        if name.whole <= new.whole and knowledge.alike(name.ids[0], new.ids[0])
    ]  # fmt: skip
    return common[-1] if common else old[0] if old else None


def _description(base: Heard, knowledge: Knowledge) -> Name | None:
    """Return the words for what is not named: "the country whose capital is Rome"."""
    names, end = base.read.names, max((n.end for n in base.read.proper()), default=0)
    for token, following in itertools.pairwise(base.read.tokens if base.described else ()):
        name = next((n for n in names if n.start == following.start), None)
        if token.norm not in ARTICLES or name is None or not name.end < end or name.proper:
            continue
        if knowledge.is_a(base.described[0], singular(normalise_name(name.text))):
            text = base.read.text[token.start : end]
            return Name(token.start, end, text, base.described, True)
    return None


def _replaced(base: Heard, old: Name, new: Name, knowledge: Knowledge) -> Completed:
    """Put a new name in the place of an old one, bound where it can mean only one thing."""
    ids = new.ids
    if len(ids) > 1 and not new.whole:
        alike = tuple(id_ for id_ in ids if knowledge.alike(id_, old.ids[0]))
        ids = alike[:1] or ids
    text = base.read.text
    if new.whole:
        put = set_of(new.ids)
    elif len(ids) == 1:
        put = name_of(ids[0], knowledge)
    else:
        put = new.text.removesuffix("'s").removesuffix("’s")
    if old.text.endswith(("'s", "’s")):
        put += "'s"
    whole = f"{text[: old.start]}{put}{text[old.end :]}"
    return Completed(whole, f"“{new.text}” takes the place of “{old.text}”", ids[:1])


def _other_sense(new: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    """Read "I meant the river": another thing of the same name that is one."""
    beside = ARTICLES | words("opening")
    said = [token.norm for token in new.tokens if token.word and token.norm not in beside]
    if len(said) != 1 or new.proper():
        return None
    for name in base.read.proper():
        if name.whole:
            continue
        used = set(name.ids[:1])
        for id_ in knowledge.homonyms(name.text):
            if id_ not in used and knowledge.is_a(id_, singular(said[0])):
                text = base.read.text
                put = f"{name.text} ({written_id(id_)})"
                whole = f"{text[: name.start]}{put}{text[name.end :]}"
                return Completed(whole, f"“{name.text}” is the {said[0]}", (id_,))
    return None


# -- nouns ----------------------------------------------------------------------------------------


def _nouned(read: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    nouns = [m for m in read.nouns() if _only_phrase(read, m)]
    common = [name for name in read.names if not name.proper]
    if common:
        place = _common_place(common[-1], base, knowledge)
        if place is not None and place.proper:
            return _replaced(base, place, common[-1], knowledge)
        if place is not None:
            return _swapped(base, place, common[-1])
    old = _common_like(base, read, common[-1]) if common else None
    if old and {read.before(common[-1]), base.read.before(old)} <= INDEFINITE:
        return _swapped(base, old, common[-1])  # "And an actor?" after "Was he a painter?"
    if nouns:
        found = _relation_of(
            read, nouns[0], base, knowledge, sure=old is not None and bool(base.asked_of)
        )
        if found is not None:
            return found
    return _swapped(base, old, common[-1]) if old and says(base.read, read) else None


def _only_phrase(read: Read, match: Match) -> bool:
    """Tell whether nothing but articles stands beside a phrase."""
    others = [
        t for i, t in enumerate(read.tokens)
        if t.word and not match.start <= i < match.end and t.norm not in ARTICLES | {"all"}
    ]  # fmt: skip
    return not others


def _common_place(new: Name, base: Heard, knowledge: Knowledge) -> Name | None:
    """Return the noun or name of the last question that is of the same class as a new one."""
    for name in reversed(base.read.names):
        if name.whole or base.read.in_phrase(name):
            continue
        first, second = knowledge.types(name.ids[0]), knowledge.types(new.ids[0])
        if first & second:
            return name
    return None


def _common_like(base: Heard, read: Read, new: Name) -> Name | None:
    """Return the noun of the last question whose place a new one takes.

    That is one behind the same word; "is a cup ...?" asks about the cup.
    """
    focus = {
        base.read.tokens[i].start for r in base.read.question.requests for i in r.focus
    }  # fmt: skip
    names = [name for name in base.read.names if not name.proper and not name.whole]
    if base.read.tokens[0].norm in AUXILIARIES:
        before = read.joint(new)
        same = [name for name in names if before and base.read.joint(name) == before]
        return next(iter(same or names), None)
    outside = [name for name in names if name.start not in focus]
    fitting = outside or names
    return fitting[-1] if fitting else None


def _swapped(base: Heard, old: Name, new: Name) -> Completed:
    text = base.read.text
    before = text[: old.start]
    if singular(normalise_name(new.text)) != normalise_name(new.text):
        before = re.sub(r"\ban? $", "", before)  # "a cup", but "plates"
    whole = f"{before}{new.text}{text[old.end :]}"
    return Completed(whole, f"“{new.text}” takes the place of “{old.text}”")


def _relation_of(
    read: Read, noun: Match, base: Heard, knowledge: Knowledge, sure: bool
) -> Completed | None:
    """Ask for a relation of what the last question was about; if ``sure``, one that it has."""
    matches = [m for m in read.matches if m.start == noun.start and m.end == noun.end]
    sets = [name.ids for name in base.read.names if name.whole]
    single = [(id_,) for id_ in (*base.topics, *base.pointed[:1])]
    given = [base.members] if len(base.members) == 1 else []
    topics = [*single, *given, *sets]
    having = [ids for ids in topics if any(knowledge.has(id_, matches) for id_ in ids[:5])]
    chosen = (having if having or sure else topics)[:1]
    if not chosen:
        return None
    ids = chosen[0]
    of = set_of(ids) if len(ids) > 1 else name_of(ids[0], knowledge)
    phrase = read.text[read.tokens[noun.start].start : read.tokens[noun.end - 1].end]
    return Completed(
        asked_for(f"the {phrase} of {of}", phrase, noun.reading.answer == "person"),
        f"“{phrase}” is that of {of}",
        ids,
    )


def without_that(text: str) -> str:
    """Return "of Tuvalu" for "that of Tuvalu"."""
    return _THAT_OF.sub("", text)
