"""What a robot's map holds, found by a name or a kind: the sets that questions about it begin with.

A name that stands for single things of the map means those; one that stands for a kind means all
that were seen of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeGuard

from robodata_core.belief import vocabulary as v
from robodata_core.belief.model import ROBOT, ObjectState
from robodata_core.model import Direction, EntityValue, Snak, Statement, StringValue
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, Link
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Question, analyse, reread
from robodata_core.policy.offline.solved import Failure, Solved
from robodata_core.policy.offline.stated import ids_of
from robodata_core.policy.offline.words import FUNCTION_WORDS, Token, said, singular_phrase
from robodata_core.programs.steps import (
    Comparison,
    End,
    FilterByCount,
    FilterByType,
    Follow,
    Program,
    Start,
    Step,
)
from robodata_core.sources.capabilities import capabilities, lookup_names
from robodata_core.text import normalise_name

__all__ = [
    "Seeing",
    "bare",
    "in_sight",
    "is_definite",
    "is_robot",
    "joined",
    "of",
    "on",
    "relations_of",
    "values",
    "was_seen",
]

#: Most of what was seen that stands beside a no or a number.
_SHOWN: Final = 8
#: Most words of a name that may be misspelt, or written in part, and of any name.
_MISSPELT, _LONGEST = 2, 8
#: Words before a noun that say nothing of how many there are.
_DEFINITE: Final = said("definite here")
_DETERMINERS: Final = _DEFINITE | said("indefinite here")
_CLASS: Final = (v.INSTANCE_OF, Direction.OUT)


@dataclass(frozen=True, slots=True)
class Seeing:
    """Finds things of the map.

    Attributes:
        deep: Links names, and runs programs.
    """

    deep: Deep

    def named(self, words: str) -> Solved | None:
        """Return what some words name and nothing else, every meaning of the name."""
        question = analyse(words)
        if not self._may_be_name(question):
            return None
        named = self.deep.plain.named(question, range(len(question.tokens)))
        if named is None:
            return None
        mention = named.candidate.links[0].mention
        before, behind = (
            named.question.tokens[: mention.start],
            named.question.tokens[mention.end :],
        )
        if any(token.word and token.norm not in _DETERMINERS for token in before):
            return None  # "more than one", "no": it says how many, which is not read here
        if any(token.word for token in behind):
            return None
        ids = tuple(item.id for item in mention.entities)
        link = Link(mention, ids, mention.entities[0].quality)
        return replace(named, candidate=Candidate.start(link, mention.span))

    def _may_be_name(self, question: Question) -> bool:
        """Tell whether words could be a name: a short one may be misspelt, a long one is exact.

        Most words that are tried are no name, and to tell that by linking them takes long.
        """
        first = next((i for i, token in enumerate(question.tokens) if not _only_points(token)), 0)
        words = question.tokens[first:]
        if len(words) > _LONGEST:
            return False
        if len(words) <= _MISSPELT and not any(token.norm in FUNCTION_WORDS for token in words):
            return True
        raw = question.raw(first, len(question.tokens))
        return bool(
            lookup_names(self.deep.solver.source, (raw, singular_phrase(normalise_name(raw))))
        )

    def seen(self, words: str) -> Solved | None:
        """Return the things of the map that words name: one by its name, or all of a kind."""
        named = self.named(words)
        if named is None:
            return None
        best = named.candidate.links[0].quality
        found = named.candidate.links[0].mention.entities
        own = tuple(one.id for one in found if v.id_of(one.id) and one.quality >= best)
        if own:
            return self.run(replace(named, candidate=of(named.candidate, Start("n0", values(own)))))
        kinds = tuple(one.id for one in found if not v.id_of(one.id))
        steps: tuple[Step, ...] = (FilterByType("n0", "", kinds),)
        every = self.run(replace(named, candidate=of(named.candidate, *steps)))
        found_ids = ids_of(every.result.members)
        just = self._just(words, kinds, found_ids)
        if just:
            return self.run(replace(named, candidate=of(named.candidate, Start("n0", just))))
        if found_ids and all(v.id_of(id_) for id_ in found_ids):
            return every
        return self.run(replace(named, candidate=of(named.candidate, *steps, was_seen("n1", "n0"))))

    def _just(
        self, words: str, kinds: Sequence[str], things: Sequence[str]
    ) -> tuple[EntityValue, ...]:
        """Return which of some things are meant by "the table" where there are desks, too.

        They are none, or not all, where some are of the very kind and others of kinds below it.
        """
        noun = words.partition(" ")[2]
        if not is_definite(words) or singular_phrase(noun) != noun:
            return ()
        stated = [self.deep.solver.reader.along((EntityValue(id_),), _CLASS) for id_ in things]
        just = [id_ for id_, own in zip(things, stated, strict=True) if set(ids_of(own)) & {*kinds}]
        return values(just) if 0 < len(just) < len(things) else ()

    def everything(self) -> Solved:
        """Return all that was seen."""
        return self.begun(was_seen("n0", ""))

    def begun(self, step: Step) -> Solved:
        """Return what a first step gives, which no words name."""
        question, request = reread(analyse(""), ())
        candidate = Candidate((step,), step.out, (), (step.out,))
        result = self.deep.executor.run(candidate.program())
        return Solved(question, request, Linking(()), (), candidate, result, 1.0)

    def around(self, relation: str, held: Solved) -> Solved | None:
        """Return what is in, on, near ... something; None for words that are no such relation."""
        names = relations_of(relation)
        if not names:
            return None
        return self.along(held, names, Direction.IN)

    def shown(self, candidate: Candidate) -> tuple[Statement, ...]:
        """Return what says what was seen at the places where a program looks, else at all.

        A no and a number rest on it; there is nothing where nothing was seen.
        """
        places = [
            number
            for number, step in enumerate(candidate.steps, 1)
            if step in _looked_at(candidate.steps)
        ]
        programs = [
            Program((*candidate.steps[:number], End(candidate.steps[number - 1].out)))
            for number in places
        ]
        if not places:
            programs = [Program((was_seen("n0", ""), End("n0")))]
        found = (self.deep.executor.run(program).evidence for program in programs)
        seen = next((evidence for evidence in found if evidence), ())
        return tuple(sorted(seen, key=in_sight, reverse=True))[:_SHOWN]

    @staticmethod
    def lies(found: Solved) -> bool:
        """Tell whether things are what is in, on or near something."""
        return bool(_looked_at(found.candidate.steps))

    def now(self) -> float | None:
        """Return what time it is where things are seen, in seconds since 1970; None: not known."""
        now = capabilities(self.deep.solver.source).now
        return now() if now is not None else None

    def gone(self, words: str) -> Failure | None:
        """Say what became of what words name, where it was seen and is gone."""
        told = capabilities(self.deep.solver.source).gone
        why = told(bare(words)) if told is not None else ""
        return Failure(why) if why else None

    def run(self, solved: Solved) -> Solved:
        """Run what has only been put together."""
        return solved.then(solved.candidate, self.deep.executor)

    def along(self, start: Solved, names: Sequence[str], way: Direction = Direction.OUT) -> Solved:
        """Go on along the first of some relations that leads anywhere."""
        for name in names:
            found = self.run(replace(start, candidate=on(start.candidate, (name,), way)))
            if found.result.members:
                break
        return found

    def members(self, kinds: Solved) -> Solved:
        """Return the things seen of some kinds."""
        whole = on(kinds.candidate, (v.INSTANCE_OF,), Direction.IN)
        return self.run(replace(kinds, candidate=whole.then(was_seen(whole.fresh, whole.out))))

    def known(self, relations: Iterable[str], but: str = "") -> tuple[str, ...]:
        """Return those of some relations that the source has, but for one."""
        there = self.deep.solver.index.properties
        return tuple(name for name in relations if name in there and name != but)


def in_sight(statement: Statement) -> bool:
    """Tell whether a statement is about what is seen now."""
    return Snak(v.STATE, StringValue(ObjectState.SEEN.value)) in statement.qualifiers


def _only_points(token: Token) -> bool:
    return not token.word or token.norm in _DETERMINERS


def _looked_at(steps: Sequence[Step]) -> list[Follow]:
    """Return the steps that go to what is at places, but not those that find such a place.

    That something is on a table says nothing of what is in it.
    """
    lying = [
        step
        for step in steps
        if isinstance(step, Follow) and step.direction is Direction.IN and _lies(step)
    ]
    written = {step.out: step for step in steps}
    found: set[str] = set()
    left = [step.source for step in lying]
    while left:
        name = left.pop()
        if name in written and name not in found:
            found.add(name)
            left += written[name].reads
    return [step for step in lying if step.out not in found]


def _lies(step: Follow) -> bool:
    """Tell whether a step goes from where things are."""
    return not {*v.SPATIAL, v.LOCATION}.isdisjoint(step.properties)


@lru_cache(maxsize=64)
def relations_of(word: str) -> tuple[str, ...]:
    """Return the relations of the map that a preposition stands for."""
    form = normalise_name(word)
    for item in v.PROPERTIES:
        if item.id in v.SPATIAL and form in map(normalise_name, (item.label, *item.aliases)):
            return (item.id, v.LOCATION) if item.id == v.IN else (item.id,)
    return ()


def is_definite(words: str) -> bool:
    """Tell whether words speak of certain things: "the cup"."""
    return words.partition(" ")[0].casefold() in _DEFINITE


def bare(words: str) -> str:
    """Return words without those before a noun that say nothing of how many there are."""
    first, _, rest = words.partition(" ")
    return bare(rest) if rest and first.casefold() in _DETERMINERS else words


def values(ids: Iterable[str]) -> tuple[EntityValue, ...]:
    """Return things by their ids, as values."""
    return tuple(EntityValue(id_) for id_ in ids)


def of(candidate: Candidate, *steps: Step) -> Candidate:
    """Return a candidate of these steps alone, about what another one names."""
    outs = tuple(step.out for step in steps)
    return replace(candidate, steps=steps, out=outs[-1], history=outs)


def on(candidate: Candidate, names: tuple[str, ...], way: Direction = Direction.OUT) -> Candidate:
    """Return a candidate that goes on along relations."""
    return candidate.then(Follow(candidate.fresh, candidate.out, names, way))


def is_robot(found: Solved | Failure | None) -> TypeGuard[Solved]:
    """Tell whether a set is the robot itself."""
    robot = (EntityValue(v.instance_iri(ROBOT)),)
    return isinstance(found, Solved) and found.result.members == robot


def was_seen(out: str, source: str) -> FilterByCount:
    """Return the step that keeps what was seen."""
    return FilterByCount(out, source, (v.LAST_SEEN,), Direction.OUT, Comparison.GE, 1)


def joined(*parts: Solved, every: bool = True) -> Solved:
    """Put sets together, not run yet: what all of them hold, or what any does."""
    return replace(parts[0], candidate=combine.joined([one.candidate for one in parts], every))
