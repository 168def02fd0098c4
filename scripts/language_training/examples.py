"""Questions on a graph as examples for the ranker: readings with features, and which are right.

The same question also comes with its fact taken away (nothing is right then), with its relation
treated as never seen, and with a word put in that changes what is asked (nothing is right either).
What cannot be answered is learned from these: everything that people are asked to write can be.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from language_training.questions import Asked
from robodata_core.language.chart import Proposer, asks_truth
from robodata_core.language.grammar.framing import unframed
from robodata_core.language.lexicon import Evidence, Lexicon, RelationModel, WordModel
from robodata_core.language.linking import Linker
from robodata_core.language.one_hop import one_hop_readings
from robodata_core.language.ranking import Features, Signals
from robodata_core.language.text import Text, read_text
from robodata_core.language.types import Edge, Mention, Reading
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Follow, Start

__all__ = [
    "Changes", "Example", "Hidden", "Prepared", "Without", "examples_of", "judges_along", "prepare",
    "refused",
]  # fmt: skip

#: How often a question also comes in each of the other forms.
SHARES: Final = {"gone": 1.0, "unseen": 0.4, "changed": 0.5}
#: How often a question with structure also comes without a relation, and with a word put in.
_WITHOUT: Final = 0.5
_CHANGED: Final = 0.4
#: How often the word put in is a content word rather than an operator.
_CONTENT: Final = 0.5
#: Steps of a program that follows one relation from one thing.
_ONE_FACT: Final = 3


@dataclass(frozen=True, slots=True)
class Example:
    """One question's readings.

    Attributes:
        id: The question's.
        form: plain, gone, unseen, changed, web, own, written or without.
        found: Features of its readings.
        meant: Which of them are what was meant.
        right: Which of them give the answer all the same.
    """

    id: str
    form: str
    found: tuple[Features, ...]
    meant: tuple[bool, ...]
    right: tuple[bool, ...]


class Hidden(View):
    """A view of a source in which some facts are taken away.

    Args:
        view: The view.
        subject: Of whom the facts are.
        edge: Which relation, from the subject.
    """

    def __init__(self, view: View, subject: str, edge: Edge) -> None:
        self.__dict__.update(view.__dict__)
        self._whole = view
        self.gone = frozenset((edge[0],))
        back = (edge[0], Direction.IN if edge[1] is Direction.OUT else Direction.OUT)
        ends = view.ends((subject,), edge, 1000)
        self._hidden = {(subject, edge): len(ends)}
        self._hidden.update({(end.id, back): 1 for end in ends if isinstance(end, EntityValue)})
        self._gone = {subject, *(end.id for end in ends if isinstance(end, EntityValue))}

    def relations(self, id_: str) -> Mapping[Edge, int]:
        """Return the relations around a thing, without the facts taken away."""
        around = self._whole.relations(id_)
        if id_ not in self._gone:
            return around
        left = {edge: n - self._hidden.get((id_, edge), 0) for edge, n in around.items()}
        return {edge: n for edge, n in left.items() if n > 0}


class Without(View):
    """A view of a source in which some relations are stated of nothing.

    Args:
        view: The view.
        gone: Ids of the relations.
    """

    def __init__(self, view: View, gone: AbstractSet[str]) -> None:
        self.__dict__.update(view.__dict__)
        self._whole = view
        self.gone = frozenset(gone)

    def relations(self, id_: str) -> Mapping[Edge, int]:
        """Return the relations around a thing, without those taken away."""
        around = self._whole.relations(id_)
        return {edge: number for edge, number in around.items() if edge[0] not in self.gone}


class Prepared:
    """What reading questions on a graph needs, made once.

    Args:
        view: The graph.
        lexicon: Of the language of the questions.
        words: The word model.
    """

    def __init__(self, view: View, lexicon: Lexicon, words: WordModel) -> None:
        self.lexicon = lexicon
        self.relations = RelationModel(lexicon, view, words)
        self.linker = Linker(view, lexicon, words)
        self.proposer = Proposer(view, lexicon)
        self._last: tuple[str, frozenset[str], _Read] | None = None

    def read(self, question: str, unseen: Iterable[str]) -> _Read:
        """Return what does not depend on what is hidden; the last question's is kept."""
        unseen = frozenset(unseen)
        if self._last is None or self._last[:2] != (question, unseen):
            self._last = question, unseen, self._read(question, unseen)
        return self._last[2]

    def _read(self, question: str, unseen: frozenset[str]) -> _Read:
        framed = unframed(read_text(question), self.lexicon.language)
        text = framed.text
        evidence = self.relations.evidence(text, unseen)
        mentions = self.linker.mentions(text)
        judges = framed.judges or asks_truth(text, mentions, self.lexicon)
        structured = self.proposer.propose(text, mentions, evidence, judges=judges)
        return _Read(text, mentions, evidence, judges, structured)


@dataclass(frozen=True, slots=True)
class _Read:
    """A question, as far as reading it does not depend on what of the graph is to be seen."""

    text: Text
    mentions: tuple[Mention, ...]
    evidence: Evidence
    judges: bool
    structured: tuple[Reading, ...]


def prepare(
    question: str, prepared: Prepared, seen: View, unseen: Iterable[str] = ()
) -> tuple[tuple[Reading, ...], tuple[Features, ...]]:
    """Return the readings of a question with their features.

    Args:
        question: What was asked.
        prepared: What reading needs.
        seen: What of the graph is to be seen.
        unseen: Relations to treat as never learned.
    """
    read = prepared.read(question, unseen)
    gone = seen.gone if isinstance(seen, Hidden | Without) else frozenset[str]()
    readings = (
        *one_hop_readings(read.mentions, read.evidence, seen),
        *(reading for reading in read.structured if gone.isdisjoint(_properties(reading))),
    )
    signals = Signals(
        read.text, read.mentions, read.evidence, seen, prepared.lexicon, judges=read.judges
    )
    return readings, tuple(map(signals.features, readings))


def examples_of(
    questions: Iterable[Asked],
    view: View,
    lexicon: Lexicon,
    words: WordModel,
    chance: random.Random,
) -> list[Example]:
    """Return the examples that questions make on a graph."""
    prepared = Prepared(view, lexicon, words)
    executor = Executor(view.source, max_nodes=2_000)
    questions = list(questions)
    changes = Changes(lexicon, (asked.question for asked in questions))
    found = []
    for asked in questions:
        edge = (asked.property, Direction.IN if asked.inverse else Direction.OUT)
        there = bool(asked.property) and edge in view.relations(asked.subject)
        forms = ["plain" if asked.id.startswith("s") else "web"]
        forms += [form for form, share in SHARES.items() if there and chance.random() < share]
        for form in forms:
            question = asked.question
            if form == "changed":
                question = changes.change(question, chance)
            seen = Hidden(view, asked.subject, edge) if form == "gone" else view
            unseen = (asked.property,) if form == "unseen" else ()
            readings, features = prepare(question, prepared, seen, unseen)
            wanted = set(view.ends((asked.subject,), edge, 1000)) if there else set()
            right = tuple(
                there and form != "changed" and _right(reading, asked, wanted, executor)
                for reading in readings
            )
            meant = tuple(
                hit and form != "gone" and _parts(reading) in (None, (asked.subject, edge))
                for reading, hit in zip(readings, right, strict=True)
            )
            found.append(Example(asked.id, form, features, meant, right))
    return found


class Changes:
    """Puts words into questions that change what is asked.

    They are operators, and words for kinds of things and for relations that other questions use.

    Args:
        lexicon: Of the language of the questions.
        questions: All questions.
    """

    def __init__(self, lexicon: Lexicon, questions: Iterable[str]) -> None:
        self._operators = sorted(lexicon.operators)
        words = {word for question in questions for word in question.split()}
        self._words = sorted(
            word
            for word in words
            if word.islower() and word.isalpha() and not lexicon.is_small(word)
        )

    def change(self, question: str, chance: random.Random) -> str:
        """Return a question with a word put in."""
        words = self._words if self._words and chance.random() < _CONTENT else self._operators
        parts = question.split()
        at = chance.randrange(1, len(parts)) if len(parts) > 1 else 0
        return " ".join((*parts[:at], chance.choice(words), *parts[at:]))


def refused(
    id_: str,
    question: str,
    along: Iterable[str],
    prepared: Prepared,
    view: View,
    changes: Changes,
    right: Callable[[Reading], bool],
) -> Iterator[Example]:
    """Yield a question with a relation taken away, and with a word put in.

    Where the word that was put in is read, nobody knows whether the reading is right: readings
    that leave nothing out are no examples.

    Args:
        id_: The question's.
        question: What was asked.
        along: Relations of which one is taken away.
        prepared: What reading needs.
        view: The graph.
        changes: Puts words in.
        right: Whether a reading gives what was asked for.
    """
    chance = random.Random(id_)
    relations = sorted(along)
    if relations and chance.random() < _WITHOUT:
        seen = Without(view, {chance.choice(relations)})
        readings, features = prepare(question, prepared, seen)
        hits = tuple(map(right, readings))
        yield Example(id_, "without", features, (False,) * len(hits), hits)
    if chance.random() < _CHANGED:
        readings, features = prepare(changes.change(question, chance), prepared, view)
        left = tuple(one for one in features if one.unexplained)
        none = (False,) * len(left)
        yield Example(id_, "changed", left, none, none)


def judges_along(reading: Reading, relations: AbstractSet[str]) -> bool:
    """Tell whether a reading that gives yes or no goes along one of some relations; others pass.

    Half of all readings give the right yes or no by chance.
    """
    return not reading.judged or not relations.isdisjoint(reading.program.along)


def _properties(reading: Reading) -> frozenset[str]:
    return frozenset(name for hop in reading.hops for name, _ in hop.edges)


def _parts(reading: Reading) -> tuple[str, Edge] | None:
    """Return the thing and the edge of a reading of one fact, None for others."""
    if len(reading.program.steps) > _ONE_FACT:
        return None
    start, follow = reading.program.steps[:2]
    if not isinstance(start, Start) or not isinstance(follow, Follow):
        return None
    value = start.values[0]
    assert isinstance(value, EntityValue)
    return value.id, (follow.properties[0], follow.direction)


def _narrows(reading: Reading, asked: Asked) -> bool:
    """Tell whether a reading is the fact asked for, kept to a kind that the question names."""
    edge = (asked.property, Direction.IN if asked.inverse else Direction.OUT)
    hops = [hop.edges for hop in reading.hops]
    things = [candidate.value for _, candidate in reading.mentions]
    kept = set(reading.rules) <= {"hop", "kind", "of_kind"}
    return kept and hops == [(edge,)] and EntityValue(asked.subject) in things


def _right(reading: Reading, asked: Asked, wanted: set[Value], executor: Executor) -> bool:
    got = set(executor.run(reading.program).values)
    if asked.target and _narrows(reading, asked):
        return EntityValue(asked.target) in got
    if _parts(reading) is None or not asked.target:
        return got == wanted or got == {EntityValue(asked.target)}
    return EntityValue(asked.target) in got
