"""To what a word points back: the most recent thing that fits what is known of it.

Fitting is decided by facts (class, sex or gender, number), by what the words of earlier questions
say ("his wife" is a woman), by what an earlier pronoun stood for, and among things of one turn by
which of them has the relation that is asked for. Where two of one turn fit alike and the word was
meant to tell them apart, nothing is chosen: the person is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from robodata_core.dialogue._words import FEMALE, MALE, THINGS, words
from robodata_core.dialogue.history import Heard, History
from robodata_core.dialogue.naming import is_carried, text_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.language.text import read_text
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import GENERIC_NOUNS, singular
from robodata_core.question import written_id

__all__ = ["Found", "Referents"]

_MOST_BACK: Final = 6
_MOST_SET: Final = 200
#: How many tokens of the ids of a set a question has room for, and letters for each of them.
_MOST_ROOM: Final = 500
_LETTERS: Final = 6
_FEW: Final = 3
_MOST_OPTIONS: Final = 6
_PARTNERS: Final = frozenset({"spouse", "unmarried partner", "partner", "significant other"})
_GENERAL: Final = frozenset({"one", "thing", "item", "entity"})


@dataclass(frozen=True, slots=True)
class Found:
    """What a word points to.

    Attributes:
        ids: One thing, or a set.
        options: What else it may mean; without ``ids`` it cannot be decided.
        gender: What the word says of it.
        whole: How many there are of a set of which ``ids`` are the first.
    """

    ids: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    gender: str = ""
    whole: int = 0


def _set(ids: tuple[str, ...]) -> Found:
    room = accumulate(_room(written_id(id_)) for id_ in ids[:_MOST_SET])
    return Found(ids[: sum(taken <= _MOST_ROOM for taken in room)], whole=len(ids))


def _room(written: str) -> float:
    """Return how much of a question an id takes up: of its tokens, or of its letters."""
    return max(1 + len(read_text(written).tokens), len(written) / _LETTERS)


class Referents:
    """Finds what words of one question point to.

    Args:
        history: What was said.
        knowledge: What is known.
        asked: Phrases for relations in the question itself.
        avoid: Ids that the question names itself.
        mutual: Whether the question may be about two things and one another.
    """

    def __init__(
        self,
        history: History,
        knowledge: Knowledge,
        asked: Sequence[Match] = (),
        avoid: frozenset[str] = frozenset(),
        mutual: bool = False,
    ) -> None:
        self._history = history
        self._knowledge = knowledge
        self._asked = asked
        self._avoid = avoid
        self._mutual = mutual

    # -- words --------------------------------------------------------------------------------

    def pronoun(self, word: str) -> Found | None:
        """Return what a personal pronoun, or "there", points to."""
        if word in MALE or word in FEMALE:
            return self._person("male" if word in MALE else "female")
        if word in THINGS:
            return self._one(lambda id_: self._knowledge.person(id_) is not True, several=True)
        if word == "there":
            return self._one(lambda id_: bool(self._knowledge.place(id_)))
        return self.several()

    def several(self) -> Found | None:
        """Return the set that "they" points to; things of the last turns where there is none."""
        for heard in self._back():
            if called := self._called(heard):
                return called
            sets = self._sets_of(heard)
            groups = [id_ for id_ in heard.topics if self._knowledge.person(id_) is not True]
            if sets and not self._has_asked(sets[0]) and not self._people(sets[0]):
                if groups:  # A band, a club or a country is "they" as well.
                    return Found((self._best(groups),))
                if self._apt(heard.topics) and not self._apt(sets[0]):
                    return self._company(heard.topics)
            if sets:
                return _set(sets[0])
            if heard.lost and not self._has_asked(heard.topics):
                return None
            if self._mutual and (two := self.run(2)):
                return two
            if heard.members or heard.topics:
                return self._one(lambda id_: True, group=True)
        return None

    def _sets_of(self, heard: Heard) -> list[tuple[str, ...]]:
        """Return the sets of several things that "they" may mean after a turn, likeliest first."""
        one = len(heard.members) == 1 and not heard.placed
        sets = [] if one else list(heard.sets)
        if self._of_a_kind(heard.topics):
            sets.append(heard.topics)
        both = (*heard.topics, *heard.members)
        if len(both) == 2 and all(self._knowledge.person(id_) for id_ in both):
            sets.append(both)
        return sets

    @staticmethod
    def _called(heard: Heard) -> Found | None:
        """Return the words for the things of which it was asked where they are: "the cups"."""
        several = [id_ for id_ in heard.kinds if singular(text_of(id_)) != text_of(id_)]
        return Found((several[0],)) if heard.placed and not heard.asked_of and several else None

    def _people(self, ids: Sequence[str]) -> bool:
        return all(self._knowledge.person(id_) is True for id_ in ids[:_FEW])

    def _apt(self, ids: Sequence[str]) -> bool:
        """Tell whether things of the kind of these have what is asked: jobs have no children."""
        return any(is_carried(id_) or self._knowledge.apt(id_, self._asked) for id_ in ids[:_FEW])

    def _company(self, ids: Sequence[str]) -> Found:
        """Return the last people among whom somebody is; themselves where there are none."""
        for heard in self._back():
            for found in self._sets_of(heard):
                if set(ids) & set(found) and self._people(found):
                    return _set(found)
        return Found((self._best(ids),))

    def _has_asked(self, ids: Sequence[str]) -> bool:
        return any(self._knowledge.has(id_, self._asked) for id_ in ids[:_MOST_OPTIONS])

    def group(self) -> Found | None:
        """Return the last set of several things that an answer gave or a question named."""
        for heard in self._back():
            if called := self._called(heard):
                return called
            if heard.sets:
                return _set(heard.sets[0])
            if self._of_a_kind(heard.topics):
                return _set(heard.topics)
            if heard.lost:
                return None
        return None

    def _of_a_kind(self, ids: Sequence[str]) -> bool:
        """Tell whether several things of one question are of one kind, so that "they" fits."""
        return len(ids) > 1 and all(self._knowledge.alike(ids[0], id_) for id_ in ids[1:])

    def member(self, place: int) -> Found | None:
        """Return a thing by its place in the last answer that gave as many."""
        for heard in self._back():
            if len(heard.members) > 1 and -len(heard.members) <= place < len(heard.members):
                return Found((heard.members[place],))
        return None

    def both(self) -> Found | None:
        """Return the two that "they both" means: rather two people in turn than what was given."""
        given, in_turn = self.run(2), self.run(2, given=False)
        people = in_turn is not None and self._people(in_turn.ids)
        return in_turn if people and given and not self._people(given.ids) else given

    def run(self, many: int, given: bool = True) -> Found | None:
        """Return so many things: of one answer, one question, or questions alike in turn."""
        last: tuple[str, ...] = ()
        for heard in self._back():
            for ids in (heard.members if given else (), heard.topics):
                if len(ids) == many:
                    return Found(ids)
            if not heard.topics:
                return None
            fresh = tuple(id_ for id_ in heard.topics[:1] if id_ not in last)
            if not last or fresh and self._knowledge.alike(fresh[0], last[0]):
                last = (*fresh, *last)
            if len(last) == many:
                return Found(last)
        return None

    def ordered(self, latter: bool) -> Found | None:
        """Return the former or the latter of two things."""
        for heard in self._back():
            for ids in (heard.topics, heard.members):
                if len(ids) == 2:
                    return Found((ids[1 if latter else 0],))
            if heard.pointed == () and (heard.topics or heard.members):
                return None
        return None

    def other(self) -> Found | None:
        """Return the one of two that was not spoken of since they were named."""
        spoken: tuple[str, ...] = ()
        for heard in self._back():
            for ids in (heard.members, heard.asked_of, heard.topics):
                left = [id_ for id_ in ids if id_ not in spoken]
                if len(ids) == 2 and len(left) == 1:
                    return Found((left[0],))
            given = heard.members if len(heard.members) == 1 else ()
            spoken = (*spoken, *given, *heard.topics, *heard.pointed)
        return None

    def noun(self, noun: str) -> Found | None:
        """Return what "that country", "this film", "the author" points to."""
        one = singular(noun)
        if noun != one:
            return self._set_of(one)
        if one in ("person", "man", "woman"):
            return self._person({"man": "male", "woman": "female"}.get(one, ""))
        role = self._in_role(one)
        if role is not None:
            return role
        return self._one(lambda id_: self._knowledge.is_a(id_, one))

    def given(self, noun: str) -> bool:
        """Tell whether a noun calls all that the last answer gave."""
        one, last = singular(noun), self._history.last
        if last is None or not last.members:
            return False
        return one in _GENERAL or all(self._fits_noun(id_, one, last) for id_ in last.members)

    def set_of(self, noun: str) -> Found | None:
        """Return the last set of several things that a noun calls."""
        one = singular(noun)
        return self.group() if one in _GENERAL else self._set_of(one)

    def thing(self, place: bool) -> Found | None:
        """Return what "this film" points to where the graph does not say what is a film."""
        known = self._knowledge
        if place:
            return self._one(lambda id_: known.place(id_) is True)
        return self._one(lambda id_: True not in (known.person(id_), known.place(id_)))

    def known_already(self, wh: str, noun: str, pointed: frozenset[str]) -> tuple[str, ...]:
        """Return what the last turn was about of the kind asked for: who "else" is besides."""
        last = self._history.last
        if last is None:
            return ()
        given = last.members if len(last.members) <= _FEW else ()
        common = [n.ids[0] for n in last.read.names if not n.whole and wh != "who"]
        ids = dict.fromkeys((*last.topics, *last.pointed, *given, *common))
        kept = [id_ for id_ in ids if id_ not in pointed]
        if noun and noun not in GENERIC_NOUNS:
            kept = [id_ for id_ in kept if self._knowledge.is_a(id_, singular(noun))]
        elif wh == "who" or noun in ("people", "persons"):
            kept = [id_ for id_ in kept if self._knowledge.person(id_) is not False]
        return tuple(kept)

    # -- one and several ----------------------------------------------------------------------

    def _back(self) -> Iterator[Heard]:
        for number, heard in enumerate(self._history.back()):
            if number >= _MOST_BACK:
                return
            yield heard

    def _of_turn(self, heard: Heard) -> tuple[str, ...]:
        """Return the single things of a turn, what the answer gave first."""
        given = heard.members if len(heard.members) == 1 else ()
        about = (*heard.described, *heard.pointed[:1], *heard.topics, *heard.kinds)
        # Where things are, and what is said of any thing of a kind, is not gone on about.
        values = heard.placed or (heard.kinds and not any(map(self._knowledge.types, given)))
        both = dict.fromkeys((*about, *given) if values else (*given, *about))
        return tuple(id_ for id_ in both if id_ not in self._avoid)

    def _one(
        self, fits: Callable[[str], bool], group: bool = False, several: bool = False
    ) -> Found | None:
        """Return the last single thing that fits, or the ``several`` that stand in its way."""
        passed: tuple[str, ...] = ()
        for heard in self._back():
            fitting = tuple(id_ for id_ in self._of_turn(heard) if fits(id_))
            if several and fitting and self._asked and not (passed or self._apt(fitting)):
                passed = fitting  # "Which of them directed it?" means no town named since.
                continue
            if passed and not (fitting and self._has_asked(fitting)):
                continue
            if (
                several
                and not fitting
                and 1 < len(heard.members) <= _MOST_OPTIONS
                and all(map(fits, heard.members))
            ):
                return Found(options=heard.members)
            if fitting and fitting[0] in heard.kinds:
                return Found(fitting[:1])  # words: what is stated of the kind is not looked up
            if group and len(fitting) > 1:  # "they" is said of people, or of a group they asked of
                fitting = tuple(sorted(fitting, key=lambda id_: id_ in heard.members))
            if fitting:
                return Found((self._best(fitting),))
        return Found((self._best(passed),)) if passed else None

    def _best(self, fitting: Sequence[str]) -> str:
        """Return the first that has what is asked for; else the first.

        The longest phrase says most: "head of state" asks for no state that something lies in.
        """
        if len(fitting) < 2:
            return fitting[0]
        places: dict[tuple[int, int], list[Match]] = {}
        for match in self._asked:
            places.setdefault((match.end - match.start, match.start), []).append(match)
        lengths = sorted({length for length, _ in places}, reverse=True)

        def having(id_: str) -> list[int]:
            has = [length for (length, _), asked in places.items()
                   if self._knowledge.has(id_, asked)]  # fmt: skip
            return [has.count(length) for length in lengths]

        return max(fitting, key=having)

    def _set_of(self, noun: str) -> Found | None:
        for heard in self._back():
            for ids in (heard.members, heard.asked_of, heard.topics):
                kinds = [id_ for id_ in ids[:3] if self._fits_noun(id_, noun, heard)]
                if len(ids) > 1 and kinds:
                    return _set(ids)
        return None

    def _fits_noun(self, id_: str, noun: str, heard: Heard) -> bool:
        if noun in ("person", "people"):
            return self._knowledge.person(id_) is True
        return noun in _asked_nouns(heard) or self._knowledge.is_a(id_, noun)

    def _in_role(self, noun: str) -> Found | None:
        """Return what an earlier question asked for by this noun: "the author"."""
        for heard in self._back():
            if len(heard.members) == 1 and noun in _asked_nouns(heard):
                return Found(heard.members)
        return None

    # -- persons ------------------------------------------------------------------------------

    def gender(self, id_: str, heard: Heard) -> str:
        """Return what is known of someone's gender, from facts, earlier words and pronouns."""
        known = self._history.genders.get(id_) or self._knowledge.gender(id_)
        if known or id_ not in heard.members:
            return known
        asked = _asked_nouns(heard)
        for nouns, kind in ((words("female_noun"), "female"), (words("male_noun"), "male")):
            if asked & nouns:
                return kind
        return ""

    def _person(self, wanted: str) -> Found | None:
        for heard in self._back():
            persons = [
                id_ for id_ in self._of_turn(heard) if self._knowledge.person(id_) is not False
            ]
            genders = {id_: self.gender(id_, heard) for id_ in persons}
            fitting = [id_ for id_ in persons if not wanted or genders[id_] in ("", wanted)]
            sure = [id_ for id_ in fitting if wanted and genders[id_] == wanted]
            if wanted and not sure and self._unknown_one(heard, wanted):
                return None
            if not any(self._knowledge.person(id_) for id_ in persons):
                several = self._one_of_several(heard, wanted)
                if several is not None:
                    return several
            if not fitting:
                continue
            if not sure and len(fitting) > 1 and wanted and self._partners(heard):
                having = [id_ for id_ in fitting if self._knowledge.has(id_, self._asked)]
                if len(having) != 1:
                    return Found(options=tuple(fitting), gender=wanted)
                return Found(tuple(having), tuple(id_ for id_ in fitting if id_ not in having))
            return Found((self._best(sure or fitting),), gender=wanted)
        return None

    def _one_of_several(self, heard: Heard, wanted: str) -> Found | None:
        """Return whom "he" means of some people that an answer gave, or who they are."""
        if not 1 < len(heard.members) <= _MOST_OPTIONS:
            return None
        fitting = tuple(
            id_
            for id_ in heard.members
            if self._knowledge.person(id_) is not False and self.gender(id_, heard) in ("", wanted)
        )
        if not any(self._knowledge.person(id_) for id_ in fitting):
            return None
        if len(fitting) == 1:
            return Found(fitting, gender=wanted)
        return Found(options=fitting, gender=wanted) if wanted else None

    @staticmethod
    def _unknown_one(heard: Heard, wanted: str) -> bool:
        """Tell whether a turn asked for someone of this gender and nobody was found."""
        nouns = words("female_noun") if wanted == "female" else words("male_noun")
        return not heard.members and bool(_asked_nouns(heard) & nouns)

    def _partners(self, heard: Heard) -> bool:
        """Tell whether a turn is about a couple: "he" and "she" then tell the two apart."""
        names = {
            normal
            for claim in heard.turn.answer.claims
            for item in claim.support.evidence
            for normal in (item.predicate_label.lower(),)
        }
        return bool(names & _PARTNERS)


def _asked_nouns(heard: Heard) -> frozenset[str]:
    """Return the singular nouns that a question asks by: "who is the wife of", "which films"."""
    read = heard.read
    found = set()
    for request in read.question.requests:
        focus = sorted(request.focus)
        for at in focus:
            found.add(singular(read.tokens[at].norm))
    nouns = read.nouns()
    if nouns and not found:
        found.add(singular(read.tokens[nouns[0].end - 1].norm))
    return frozenset(found - _GENERAL)
