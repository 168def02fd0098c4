"""What was said so far: the turns of a conversation, bounded, oldest forgotten first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import carried, described
from robodata_core.model import Answer, AnswerStatus, EntityValue, Evidence, Value
from robodata_core.policy.offline.words import ARTICLES, AUXILIARIES, singular

__all__ = ["Choice", "DialogueTurn", "Heard", "History", "described_in", "members_of"]

_MOST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """One question and what came back.

    Attributes:
        question: As typed.
        standalone: What was asked; the same where the question stands alone.
        answer: What came back.
        ran: Whether it was looked up; else it is a reply from what was said before.
    """

    question: str
    standalone: str
    answer: Answer
    ran: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """A question that waits until it is said which of some things it means.

    Attributes:
        question: As typed.
        start: Where the word stands in it that may mean several things, and ``end`` its end.
        end: See ``start``.
        options: Ids and labels of what it may mean.
    """

    question: str
    start: int
    end: int
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn as later questions may point back to it.

    Attributes:
        turn: The turn.
        read: The standalone question, read.
        members: Entities the answer is a set of; what was counted where it is a number.
        pointed: Ids that a word of this turn's question stood for.
        described: The thing the answer is stated of, where the question only describes it.
    """

    turn: DialogueTurn
    read: Read
    members: tuple[str, ...]
    pointed: tuple[str, ...] = ()
    described: tuple[str, ...] = ()

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids of the single things that the question names, in its order."""
        return tuple(dict.fromkeys(id_ for _, id_ in self._named()))

    def _named(self) -> Iterator[tuple[str, str]]:
        """Yield the proper names with what they stand for; with themselves where that is open."""
        for name in self.read.names:
            if name.proper and (len(name.ids) == 1 or not name.whole):
                yield name.text, name.ids[0] if len(name.ids) == 1 else carried(name.text)

    @property
    def typed(self) -> tuple[str, ...]:
        """Ids of those topics that the question as typed names."""
        said = self.turn.question.casefold()
        found = [id_ for text, id_ in self._named() if text.casefold() in said]
        return tuple(dict.fromkeys(found))

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids in the support of the answer: its sentences name them, whatever the results are."""
        triples = [e.triple for c in self.turn.answer.claims if c.supported
                   for e in c.support.evidence[:_MOST_SHOWN]][:_MOST_SHOWN]  # fmt: skip
        ends = [id_ for t in triples for id_ in (t.subject, _entity(t.object)) if id_]
        return tuple(dict.fromkeys(ends))

    @property
    def lost(self) -> bool:
        """Tell whether several things were counted, and not which."""
        values = [item.value for item in self.turn.answer.results]
        return not self.members and any(isinstance(one, int) and one > 1 for one in values)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return what stands for "a plate" and "the plate": words, which may mean several ids."""
        found = []
        relations = {self.read.tokens[match.start].start for match in self.read.nouns()}
        told = relations | {name.start for name in self.read.names[1:]}  # "the rivers in the world"
        for name in () if self.topics else self.read.names:
            before = [t for t in self.read.tokens if t.end <= name.start][-1:]
            if name.proper or not before:
                continue
            if before[0].norm not in ARTICLES:
                about = self.placed or before[0].norm in AUXILIARIES
                if about and singular(name.text) != name.text:  # "Where do I find cups?"
                    found.append(described(name.text, person=False))
                continue
            if before[0].norm != "the" or name.start not in told:
                found.append(described(f"{before[0].norm} {name.text}", person=False))
        return tuple(found)

    @property
    def placed(self) -> bool:
        """Tell whether it was only asked where things are: people go on about those things."""
        return any(r.wanted == "place" and not r.focus for r in self.read.question.requests)

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of several things that the turn is about: what was given, what it was asked of."""
        given, asked = self.members, self.asked_of
        sets = (asked, given) if self.placed else (given, asked)
        return tuple(ids for ids in sets if len(ids) > 1)

    @property
    def asked_of(self) -> tuple[str, ...]:
        """Ids of the set that the question was asked of, if of one."""
        sets = [name.ids for name in self.read.names if name.whole]
        return sets[0] if sets else ()


class History:
    """The last turns of one conversation.

    Args:
        most_turns: How many are kept.
    """

    def __init__(self, most_turns: int) -> None:
        self._turns: deque[DialogueTurn] = deque(maxlen=max(1, most_turns))
        self._heard: deque[Heard] = deque(maxlen=max(1, most_turns))
        self.genders: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.choice: Choice | None = None

    @property
    def turns(self) -> tuple[DialogueTurn, ...]:
        """The turns that are remembered, oldest first."""
        return tuple(self._turns)

    @property
    def last(self) -> Heard | None:
        """The last turn that was looked up."""
        return next((heard for heard in self.back() if heard.turn.ran), None)

    def back(self) -> Iterator[Heard]:
        """Yield the turns that later words may point back to, latest first."""
        return reversed(tuple(self._heard))

    def add(self, turn: DialogueTurn, heard: Heard | None = None) -> None:
        """Remember a turn, and what it was about if it was looked up."""
        self._turns.append(turn)
        if heard is not None:
            self._heard.append(heard)
            self._forget()

    def _forget(self) -> None:
        """Drop what is known of things that no turn names any more."""
        alive = {id_ for heard in self._heard for id_ in (*heard.members, *heard.topics)}
        self.genders = {id_: kind for id_, kind in self.genders.items() if id_ in alive}
        self.labels = {id_: label for id_, label in self.labels.items() if id_ in alive}

    def clear(self) -> None:
        """Forget everything."""
        self._turns.clear()
        self._heard.clear()
        self.genders.clear()
        self.labels.clear()
        self.choice = None


def _entity(value: Value) -> str:
    return value.id if isinstance(value, EntityValue) else ""


def _evidence(answer: Answer) -> tuple[Evidence, ...]:
    return tuple(e for c in answer.claims if c.supported for e in c.support.evidence)


def members_of(answer: Answer, named: frozenset[str]) -> tuple[str, ...]:
    """Return the entities an answer gives; those that were counted where it is a number.

    Counted are the ends that the evidence has as many of, of those that the question does not name
    if there are any; of several such, those a claim names.
    """
    if answer.status not in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL):
        return ()
    found = [item.id for item in answer.results if item.id]
    if found or not answer.results:
        return tuple(dict.fromkeys(found))
    number = answer.results[0].value
    if len(answer.results) != 1 or isinstance(number, bool) or not isinstance(number, int):
        return ()
    columns: dict[tuple[str, bool], dict[str, str]] = {}
    for item in _evidence(answer):
        triple = item.triple
        for relation in ("", triple.predicate):  # of the evidence as a whole, and of a relation
            columns.setdefault((relation, True), {})[triple.subject] = item.subject_label
            columns.setdefault((relation, False), {})[_entity(triple.object)] = item.object_label
    told = " ".join(claim.text for claim in answer.claims if claim.supported)
    # What a robot sees may go by the very name that it is counted by: "apples".
    for left_out in (named, frozenset[str]()):
        told_of: dict[tuple[str, ...], int] = {}
        for labels in columns.values():
            ids = tuple(id_ for id_ in labels if id_ and id_ not in left_out)
            if len(ids) == number:
                told_of[ids] = sum(labels[id_] in told for id_ in ids if labels[id_])
        best = [ids for ids in told_of if told_of[ids] == max(told_of.values())]
        if best:
            return best[0] if len({frozenset(ids) for ids in best}) == 1 else ()
    return ()


def described_in(answer: Answer, named: frozenset[str]) -> tuple[str, ...]:
    """Return the one thing that the answer is stated of, where the question does not name it."""
    given = {item.value for item in answer.results}
    found = {e.triple.subject for e in _evidence(answer) if e.triple.object in given}
    return tuple(found) if len(found) == 1 and not found & named else ()
