"""Questions about a robot's surroundings: what was seen where, how far, and what belongs where.

They are read only where coordinates are stated: on a robot's map. Each becomes a program over
what was observed and, where it asks for more than that, over what is known of kinds of things. What
was never seen is told as a no, with what was seen at the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Final

from robodata_core.belief import vocabulary as v
from robodata_core.model import Direction, EntityValue, TimeValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.earlier import Earlier
from robodata_core.policy.offline.forms import Form, read_forms
from robodata_core.policy.offline.judging import Open, Told
from robodata_core.policy.offline.keeping import Keeping
from robodata_core.policy.offline.question import Question, Request, analyse
from robodata_core.policy.offline.scene import Scene
from robodata_core.policy.offline.seeing import (
    Seeing,
    is_robot,
    joined,
    on,
    relations_of,
    was_seen,
)
from robodata_core.policy.offline.solved import Failure, Solved, as_asked, solve_alone
from robodata_core.policy.offline.spans import UNTIMED, seconds_of, stretch
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.tables import packaged
from robodata_core.policy.offline.what_was import WhatWas
from robodata_core.policy.offline.words import number_of
from robodata_core.programs.english import listed
from robodata_core.programs.steps import (
    Comparison,
    Distance,
    ExtremeCount,
    JudgeSize,
    Nearest,
    Quantifier,
    Start,
)
from robodata_core.sources.capabilities import lookup_names

__all__ = ["Placing"]

#: Longer questions are about something else.
_LONGEST: Final = 200
#: Forms that are put as another one, one after the other.
_MOST_TURNS: Final = 3
_AGAIN: Final = "ask"
#: Most things of which it is said where each one is.
_MOST_EACH: Final = 8
#: What else a sentence may ask is not looked for where this has a reason not to be told.
_DECIDED: Final = "able;"
_CLIPPED: Final = (
    (re.compile(r"\b(wh\w+|how|that|there|it)['’]s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\b(i|you|we|they)['’]ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\bcan(?:no|['’])t\b", re.IGNORECASE), "can not"),
    (re.compile(r"\b([a-z]{2,5})n['’]t\b", re.IGNORECASE), r"\1 not"),
)
#: How things of a map are called: a class and a number.
_ID: Final = re.compile(r"\b[^\W\d_]\w*_[0-9]+\b")


@dataclass(frozen=True, slots=True)
class Placing:
    """Answers questions about where things are, were never seen, belong, or are lacking.

    Attributes:
        deep: Solves what they name.
    """

    deep: Deep

    def solve(self, question: Question, request: Request) -> Told:
        """Answer a question of such a form; None where it is of none, or nothing has a place."""
        text = _whole(question.raw(request.start, request.end).strip(" ?!.,"))
        known = self.deep.solver.index.properties
        if len(text) > _LONGEST or not all(axis in known for axis in (*v.AXES, v.FRAME)):
            return None
        named = _ID.findall(text)
        known_names = lookup_names(self.deep.solver.source, named) if named else {}
        unseen = next((name for name in named if not known_names.get(name)), "")
        if unseen:
            return Failure(f"Nothing that is called “{unseen}” was seen.")
        seeing = Seeing(self.deep)
        keeping = Keeping(seeing)
        scene = Scene(seeing, keeping)
        told = _Asked(request, seeing, keeping, scene, Earlier(seeing, scene)).answer(text)
        if not isinstance(told, Solved):
            return told
        # A form reads every word of a question, also those that stand for no name.
        read = told.candidate.covered.union(range(told.request.start, told.request.end))
        return replace(told, candidate=replace(told.candidate, covered=read))


@dataclass(frozen=True, slots=True)
class _Asked(WhatWas):
    """One question about a robot's surroundings."""

    def answer(self, text: str, turn: int = 0) -> Told:
        """Answer the first form whose words are understood; say why not where one nearly was."""
        failed: Failure | None = None
        for form in _forms():
            for read in form.each(text):
                outcome = self._asked(*read.split(";"), turn=turn)
                if isinstance(outcome, Solved | Open) or (outcome and read.startswith(_DECIDED)):
                    return outcome
                failed = failed or outcome
        return failed

    def _asked(self, asked: str, *words: str, turn: int) -> Told:
        if asked == _AGAIN:
            return self.answer(words[0], turn + 1) if turn < _MOST_TURNS else None
        return self._ASKED[asked](self, *words)

    # -- sets, numbers ----------------------------------------------------------------------------

    def listed(self, words: str) -> Told:
        """Return what words are about."""
        found = self.scene.read(words)
        if not isinstance(found, Solved) or found.result.members:
            return found
        if self.request.kind is not AnswerKind.THINGS:
            shown = self.with_seen(found, words)
            return as_asked(shown, self.request, self.seeing.deep.executor)
        return Failure(f"Nothing that is “{words}” was seen.", question=found.question)

    def counted(self, words: str) -> Told:
        """Return how many things words are about."""
        found = self.scene.read(words)
        if not isinstance(found, Solved) or self._is_elsewhere(found):
            return None if isinstance(found, Solved) else found
        if not found.result.members:
            shown = self.with_seen(found, words)
            if isinstance(shown, Failure):
                return shown
            found = shown
        elif gone := self.gone_since(found, words, every=True):
            return gone
        elif more := self.maybe(found, words):
            found = replace(found, missing=(*found.missing, more.reason))
        return found.then(found.candidate.counted(), self.seeing.deep.executor)

    def most(self, how: str, holders: str, words: str) -> Told:
        """Return in or on which of some places most things are, or fewest."""
        places, things = self.scene.read(holders), self.scene.read(words)
        if not isinstance(places, Solved) or not isinstance(things, Solved):
            return places if not isinstance(places, Solved) else things
        whole, among = combine.after(places.candidate, things.candidate)
        step = ExtremeCount(
            whole.fresh, places.candidate.out, (v.LOCATION,), Direction.IN, how == "most", among
        )
        found = self.seeing.run(replace(places, candidate=whole.then(step)))
        held = on(things.candidate, (v.LOCATION,))
        holding = self.seeing.run(joined(places, replace(things, candidate=held)))
        if how != "most" and len(holding.result.members) < len(places.result.members):
            return Failure(f"Nothing was seen at some of “{holders}”: which is fewest is open.")
        return found if found.result.members else Failure(f"No “{words}” were seen there.")

    # -- yes and no -------------------------------------------------------------------------------

    def there(self, words: str) -> Told:
        """Tell whether anything is what words are about."""
        found = self.scene.read(words)
        if not isinstance(found, Solved) or self._is_elsewhere(found):
            return None if isinstance(found, Solved) else found
        return self.gone_since(found, words) or self.judged(found, words)

    def able(self, words: str, being: str) -> Told:
        """Tell whether things are of kinds of which something is stated, if it is."""
        things, found = self.scene.read(words), self.scene.read(being)
        if not isinstance(things, Solved) or not isinstance(found, Solved):
            return None
        if not things.result.members or v.STATE in found.candidate.program().along:
            return None
        if not found.result.members:
            return Failure(f"That “{words}” is so is not stated, nor that it is not.")
        return self.judged(found, words)

    def sized(self, comparison: str, number: str, words: str) -> Told:
        """Tell whether there are so many things."""
        found, amount = self.scene.read(words), number_of(number)
        if amount is None or amount != int(amount):
            return None
        if not isinstance(found, Solved) or self._is_elsewhere(found):
            return None if isinstance(found, Solved) else found
        whole = found.candidate
        if not found.result.members:
            # Said to be among what was seen, where none of it says that it has been looked for.
            whole = whole.then(was_seen(whole.fresh, whole.out))
            found = replace(found, candidate=whole)
        elif open_ := self.gone_since(found, words, every=True) or self.maybe(found, words):
            found = replace(found, missing=(*found.missing, open_.reason))
        least = len(found.result.members)
        reached = least >= amount if comparison in (">=", "<") else least > amount
        if found.missing and not reached:
            return Failure(found.missing[0])  # there may be more
        step = JudgeSize(whole.fresh, whole.out, Comparison(comparison), int(amount))
        return self.decided(replace(found, missing=()), step, words)

    def compared(self, comparison: str, words: str, others: str) -> Told:
        """Tell whether there are more of some things than of others."""
        sides = self._read(words, others)
        if not isinstance(sides, list):
            return sides
        first, second = sides
        whole, name = combine.after(first.candidate, second.candidate)
        step = JudgeSize(whole.fresh, first.candidate.out, Comparison(comparison), 0, name)
        return self.decided(replace(first, candidate=whole), step, words)

    def share(self, quantifier: str, words: str, within: str) -> Told:
        """Tell whether all of some things are among others, or none, or most."""
        sides = self._read(words, within)
        if not isinstance(sides, list):
            return sides
        if not sides[0].result.members:
            return Failure(f"Nothing that is “{words}” was seen.")
        if is_robot(sides[0]):
            return None
        if self.scene.is_open(*sides):
            return Failure(f"It is not known where all of “{words}” are.")
        return self.shared(sides[0], sides[1], Quantifier(quantifier), words)

    def everywhere(self, words: str, places: str) -> Told:
        """Tell whether some of some things were seen at each of some places."""
        things, held = self.scene.read(words), self.scene.read(places)
        known = things if isinstance(held, Solved) and isinstance(things, Solved) else None
        if known and not known.result.members and not self._is_elsewhere(known):
            return self.judged(known, words)
        sides = self._at_places(words, places)
        return self.shared(*sides, Quantifier.EVERY, words) if isinstance(sides, tuple) else sides

    def lacked(self, words: str, places: str) -> Told:
        """Tell whether nothing of some things was seen at one of some places."""
        sides = self._at_places(words, places)
        if not isinstance(sides, tuple):
            return sides
        if self.scene.is_nowhere(self.scene.read(words), sides[0]):
            return Failure(f"It is not known where all of “{words}” are.")
        whole, full = combine.after(sides[0].candidate, sides[1].candidate)
        step = JudgeSize(whole.fresh, sides[0].candidate.out, Comparison.GT, 0, full)
        return self.decided(replace(sides[0], candidate=whole), step, words)

    def _at_places(self, words: str, places: str) -> tuple[Solved, Solved] | Failure | None:
        """Return places, and those where some of some things were seen.

        They are those where anything was seen; nothing is told where that leaves it open.
        """
        held, full = self.scene.read(places), self.scene.read(f"{places} with {words}")
        if not isinstance(held, Solved) or not isinstance(full, Solved):
            return next(one for one in (held, full) if not isinstance(one, Solved))
        if self.keeping.roams(full):
            return Failure(f"“{words}” may have come or gone: they move by themselves.")
        looked = self.scene.looked_at(held)
        known = len(looked.result.members) == len(held.result.members)
        if not known and set(looked.result.members) <= set(full.result.members):
            return Failure(f"Nothing was seen at some of “{places}”, so what is there is open.")
        return looked, full

    def denied(self, words: str, being: str, others: str) -> Told:
        """Tell whether none of some things is among others; the robot is among none."""
        if is_robot(self.scene.read(words)):
            return self.sized(Comparison.LT.value, "1", being)
        return self.share(Quantifier.NO.value, words, others)

    def homed(self, words: str) -> Told:
        """Tell whether things are where things of their kind are kept."""
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return None
        known = self.keeping.with_homes(things)
        if len(known.result.members) < len(things.result.members):
            return Failure(f"Where “{words}” belongs, or is, is not known.")
        return self.shared(known, self.keeping.strayed(things, known), Quantifier.NO, words)

    def keeps(self, words: str, place: str) -> Told:
        """Tell whether things are of kinds that are kept at a place."""
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return None
        known, kept = self.keeping.with_homes(things), self.keeping.kept_at(things, place)
        if kept is None or len(known.result.members) < len(things.result.members):
            return Failure(f"Where “{words}” belongs is not known.")
        return self.shared(known, kept, Quantifier.EVERY, words)

    def together(self, one: str, other: str, relation: str, place: str) -> Told:
        """Tell whether two things are at a place."""
        sides = self._read(f"{one} {relation} {place}", f"{other} {relation} {place}")
        names = relations_of(relation)
        if not isinstance(sides, list) or not names:
            return sides if not isinstance(sides, list) else None
        for words, side in zip((one, other), sides, strict=True):
            if not side.result.members:
                return self.judged(side, words)
        places = [on(side.candidate, names) for side in sides]
        held = self.scene.read(place)
        if not isinstance(held, Solved):
            return held
        both = combine.joined([held.candidate, *places], every=True)
        return self.judged(self.seeing.run(replace(sides[0], candidate=both)), place)

    def closer(self, one: str, near: str, far: str) -> Told:
        """Tell whether a thing is nearer to a second one than to a third."""
        sides = self._read(one, near, far)
        if not isinstance(sides, list):
            return sides
        if any(len(side.result.members) != 1 for side in sides):
            return Failure("Which things are meant is not said: it takes one of each.")
        whole, second = combine.after(sides[1].candidate, sides[2].candidate)
        either = combine.joined([sides[1].candidate, sides[2].candidate], every=False)
        whole, second = combine.after(either, sides[0].candidate)
        best = whole.then(Nearest(whole.fresh, either.out, second, v.AXES, v.FRAME))
        found = self.seeing.run(replace(sides[1], candidate=best))
        if not found.result.members:
            return Failure("Where these are is not known in one frame.")
        return self.shared(found, sides[1], Quantifier.EVERY, near)

    def _read(self, *words: str) -> list[Solved] | Failure | None:
        """Return what each of some words is about, or why one of them is about nothing known."""
        sides: list[Solved] = []
        for one in words:
            side = self.scene.read(one)
            if not isinstance(side, Solved) or self._is_elsewhere(side):
                return side if isinstance(side, Failure) else None
            sides.append(side)
        return sides

    @staticmethod
    def _is_elsewhere(found: Solved) -> bool:
        """Tell whether words name something of its own that is none of what is around the robot."""
        return found.proper and not found.result.members

    def such(self, words: str, word: str) -> Failure | None:
        """Refuse to tell of how things are now what is not even known of their kind."""
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return None
        source = self.seeing.deep.solver.source
        kinds = ids_of(self.seeing.along(things, (v.INSTANCE_OF,)).result.members)
        meant = {hit.id for hits in lookup_names(source, [word]).values() for hit in hits}
        pages = source.statements_many(kinds)
        stated = {one.value for page in pages.values() for one in page.statements}
        if any(EntityValue(id_) in stated for id_ in meant):
            return None  # it is known of their kind, and told as such
        return self.open(words, word)

    def open(self, words: str, what: str) -> Failure | None:
        """Refuse to tell of things that were seen what nobody sees of them."""
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return None
        return Failure(f"“{what}”: that was not seen of “{words}”.")

    # -- one thing after the other ----------------------------------------------------------------

    def which(self, words: str, *places: str) -> Told:
        """Return at which of two places things are."""
        things, held = self.scene.read(words), self.scene.either(*places[1::2])
        names = [name for relation in places[::2] for name in relations_of(relation)]
        if not isinstance(things, Solved) or not isinstance(held, Solved) or not names:
            return things if not isinstance(things, Solved) else held
        if not things.result.members or self._is_elsewhere(things):
            return Failure(f"Nothing that is “{words}” was seen.")
        lying = replace(things, candidate=on(things.candidate, tuple(dict.fromkeys(names))))
        found = self.seeing.run(joined(lying, held))
        return found if found.result.members else Failure(f"“{words}” was seen at neither.")

    def located(self, words: str, relation: str = "") -> Told:
        """Return where things are, or what they are in or on."""
        return self._stated(relations_of(relation) or (v.LOCATION, v.POSITION), words)

    def placed(self, words: str) -> Told:
        """Return where things are that were seen; of others it may be known where they are kept."""
        things = self.scene.read(words)
        if isinstance(things, Solved) and things.result.members:
            return self.located(words)
        if isinstance(things, Failure):
            return things
        if gone := self.seeing.gone(words):
            return gone
        return self.located(words) if self.seeing.named(words) is None else None

    def said(self, words: str) -> Told:
        """Return who says where things are."""
        told = self._stated((v.AUTHOR,), words)
        if isinstance(told, Solved) or not isinstance(self.scene.read(words), Solved):
            return told
        return Failure(f"Nobody has said where “{words}” is.")

    def last_seen(self, words: str) -> Told:
        """Return when things were seen last."""
        return self._sighted(v.LAST_SEEN, words)

    def first_seen(self, words: str) -> Told:
        """Return when things were seen first."""
        return self._sighted(v.FIRST_SEEN, words)

    def _sighted(self, when: str, words: str) -> Told:
        """Return when things were seen, those that are more than somebody's word."""
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return self._stated((when,), words)
        if not self.seeing.along(things, (v.STATE,)).result.members:
            return Failure(f"Nothing that is “{words}” was seen.", question=things.question)
        whole = combine.stating(things.candidate, v.STATE)
        return self.seeing.along(replace(things, candidate=whole), (when,))

    def since(self, words: str) -> Told:
        """Return when things were seen last, and how long ago that is."""
        told, now = self.last_seen(words), self.seeing.now()
        if not isinstance(told, Solved):
            return told
        if len(told.result.members) > 1:
            return Failure(f"Several that are “{words}” were seen last, at different times.")
        (seen,) = told.result.members
        if not isinstance(seen, TimeValue):
            return None
        ago = UNTIMED if now is None else f"That was {stretch(now - seconds_of(seen))} ago."
        return replace(told, notes=(ago,))

    def _stated(self, properties: tuple[str, ...], words: str) -> Told:
        things = self.scene.read(words)
        if not isinstance(things, Solved):
            return things
        told = self.seeing.along(things, properties)
        if told.result.members:
            return replace(told, notes=(*told.notes, *self._each_place(things, properties)))
        if things.result.members:
            return Failure(f"“{words}” was seen, and in or on nothing that is known.")
        return self.seeing.gone(words) or Failure(f"Nothing that is “{words}” was seen.")

    def _each_place(self, things: Solved, properties: tuple[str, ...]) -> tuple[str, ...]:
        """Say of each of several things where it is."""
        ids, reader = ids_of(things.result.members), self.seeing.deep.solver.reader
        if not 1 < len(ids) <= _MOST_EACH or v.LOCATION not in properties:
            return ()
        pages = self.seeing.deep.solver.source.statements_many(ids, property=v.LOCATION)
        told = []
        for id_ in ids:
            places = ids_of([one.value for one in pages[id_].statements])
            where = listed(reader.label(place) for place in places) or "nowhere that is known"
            told.append(f"{reader.label(id_)}: {where}")
        return (f"{'; '.join(told)}.",)

    def apart(self, one: str, other: str) -> Told:
        """Return how far things lie apart."""
        if self.request.kind is AnswerKind.YES_OR_NO:
            return None
        ends = self.scene.ends(one, other)
        if not isinstance(ends, tuple):
            return ends or Failure(f"Where “{one}” and “{other}” are is not known.")
        first, source, second = ends
        whole, target = combine.after(first.candidate, second.candidate)
        step = Distance(whole.fresh, source, target, v.AXES, v.FRAME)
        outcome = self.seeing.run(replace(first, candidate=whole.then(step)))
        if outcome.result.members:
            return outcome
        return Failure(f"Where “{one}” and “{other}” are is not known in one frame.")

    # -- what is known of kinds -------------------------------------------------------------------

    def told(self, words: str, before: str, after: str) -> Told:
        """Return what is typical of the kinds of some things, by a question about a kind."""
        if self.seeing.named(words) is not None:
            return None  # it is asked as it stands
        things = self.scene.read(words)
        if not isinstance(things, Solved) or not things.result.members:
            return things if isinstance(things, Failure) else None
        kinds = self.seeing.along(things, (v.INSTANCE_OF,))
        ids = ids_of(kinds.result.members)
        labels = [self.seeing.deep.solver.reader.label(id_) for id_ in ids[:1]]
        if len(ids) != 1:
            return None
        asked = solve_alone(self.seeing.deep.set_of, analyse(f"{before} {labels[0]} {after}"))
        if not isinstance(asked, Solved) or asked.missing:
            return None
        start, *rest = asked.candidate.steps
        if not isinstance(start, Start) or ids[0] not in ids_of(start.values) or not rest:
            return None
        own = replace(asked.candidate, steps=tuple(rest))
        return self.seeing.run(
            replace(kinds, candidate=combine.onwards(kinds.candidate, start.out, own))
        )

    def belongs(self, words: str) -> Told:
        """Return where things are kept, one that is named or those that words are about."""
        kinds = self.keeping.kinds(words)
        if kinds is None:
            things = self.scene.read(words)
            if things is None and any(map(self._names_seen, words.split())):
                return Failure(f"Which things “{words}” are was not understood.")
            if not isinstance(things, Solved):
                return things
            kinds = self.seeing.along(things, (v.INSTANCE_OF,))
            if not kinds.result.members:
                return Failure(f"Nothing that is “{words}” was seen.")
        return self.keeping.kept(words, kinds)

    def cleaned(self, doing: str, words: str) -> Told:
        """Return at what kinds of places something is done to things of a kind."""
        return self.keeping.cleaned(doing, words)

    def _names_seen(self, word: str) -> bool:
        """Tell whether a word names something that was seen: where that is, is another question."""
        named = self.scene.read(word)
        return isinstance(named, Solved) and bool(named.result.members)

    def lacking(self, activity: str) -> Told:
        """Return what an activity takes of which nothing was seen."""
        found = self.keeping.lacking(activity)
        if not isinstance(found, tuple):
            return found
        rest, seen = found
        if rest.result.members or self.request.kind is not AnswerKind.THINGS:
            shown = replace(rest, related=seen.result.evidence[:8])
            return as_asked(shown, self.request, self.seeing.deep.executor)
        return Failure(f"Something was seen of everything that “{activity}” is stated to take.")

    def complete(self, activity: str) -> Told:
        """Return what is lacking where it is asked whether all is there that an activity takes."""
        return replace(self, request=replace(self.request, kind=AnswerKind.THINGS)).lacking(
            activity
        )

    def astray(self, relation: str, place: str, home: str) -> Told:
        """Return things at one place of a kind that is kept at another one."""
        around = self.scene.at(relation, place)
        if not isinstance(around, Solved):
            return around
        found = self.keeping.astray(around, place, home)
        if found is None:
            return None
        if not found.result.members:
            shown = self.with_seen(found, place)
            return as_asked(shown, self.request, self.seeing.deep.executor)
        return as_asked(found, self.request, self.seeing.deep.executor)

    _ASKED: ClassVar[Mapping[str, Callable[..., Told]]] = {
        **WhatWas.ASKED,
        "set": listed,
        "count": counted,
        "most": most,
        "there": there,
        "able": able,
        "size": sized,
        "more": compared,
        "share": share,
        "every": everywhere,
        "lacked": lacked,
        "not": denied,
        "homed": homed,
        "keeps": keeps,
        "both": together,
        "closer": closer,
        "which": which,
        "where": located,
        "placed": placed,
        "when": last_seen,
        "apart": apart,
        "first": first_seen,
        "since": since,
        "such": such,
        "open": open,
        "told": told,
        "said": said,
        "cleaned": cleaned,
        "belongs": belongs,
        "lacking": lacking,
        "complete": complete,
        "astray": astray,
    }


def _whole(text: str) -> str:
    """Return a text whose forms need not know that "where is" is written "where's", too."""
    for pattern, words in _CLIPPED:
        text = pattern.sub(words, text)
    return text


@lru_cache(maxsize=1)
def _forms() -> tuple[Form, ...]:
    return tuple(read_forms(packaged("placing.tsv")))
