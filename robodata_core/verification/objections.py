"""What the source states of a triple and what instead of it, and what speaks against it.

What speaks against it is behaviour of its property that it would be an exception to.

Each objection is measured in the graph: how often a triple like this held all the same. Only rare
exceptions object; nothing is held against a triple because it is not stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.iris import INSTANCE_OF, SUBCLASS_OF
from robodata_core.model import (
    Direction,
    EntityValue,
    NoValue,
    Rank,
    SomeValue,
    Statement,
    TimeValue,
    Triple,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.values import format_value
from robodata_core.verification.findings import Ground, statement_of
from robodata_core.verification.neighbourhoods import Neighbourhoods, back
from robodata_core.verification.profiles import Behaviour, Profile
from robodata_core.verification.values import Agreement, compare

__all__ = [
    "WEIGHTY",
    "Objector",
    "Stated",
    "look_up",
    "qualifier_notes",
]

_MOST: Final = 1_000
_QUALIFIERS: Final = 3


@dataclass(slots=True)
class Stated:
    """What stands under a subject and property.

    Attributes:
        same: Statements of the triple that count.
        within: Statements that are more precise than the triple and agree with it.
        beyond: Statements that are less precise than the triple and agree as far as they go.
        outranked: Statements of the triple beside which another is preferred.
        deprecated: Statements of the triple that the source has withdrawn.
        others: Statements with another value that count.
        apart: Statements whose value is of another kind or unit.
        changing: Whether values hold for a time only, or several were stated over time.
        denied: Statements that say that there is no value.
        cut: Whether not all statements could be looked through.
    """

    same: list[Statement] = field(default_factory=list)
    within: list[Statement] = field(default_factory=list)
    beyond: list[Statement] = field(default_factory=list)
    outranked: list[Statement] = field(default_factory=list)
    deprecated: list[Statement] = field(default_factory=list)
    others: list[Statement] = field(default_factory=list)
    apart: list[Statement] = field(default_factory=list)
    changing: bool = False
    denied: list[Statement] = field(default_factory=list)
    cut: bool = False


def look_up(source: KnowledgeSource, triple: Triple) -> Stated:
    """Look at everything stated under the subject and property of a triple.

    Raises:
        SourceError: If the source cannot be read.
    """
    subject, property_ = triple.subject, triple.predicate
    page = source.statements(subject, property=property_, limit=_MOST)
    every = source.statements(subject, property=property_, limit=_MOST, all_ranks=True)
    statements = list(page.statements)
    found = Stated(cut=page.truncated)
    if page.truncated and isinstance(triple.object, EntityValue):
        # A subject with more values than can be looked at: the value may know it.
        into = source.statements(
            triple.object.id, direction=Direction.IN, property=property_, limit=_MOST
        )
        statements += [one for one in into.statements if one.subject == subject]
        found.cut = into.truncated
    for statement in dict.fromkeys(statements):
        _sort(found, statement, triple)
    counting = set(statements)
    for statement in every.statements:
        if statement in counting or compare(triple.object, statement.value) is not Agreement.SAME:
            continue
        withdrawn = statement.rank is Rank.DEPRECATED
        (found.deprecated if withdrawn else found.outranked).append(statement)
    kept = [one for one in every.statements if one.rank is not Rank.DEPRECATED]
    found.changing = len(kept) > len(page.statements) or any(map(_dated, statements))
    return found


def _sort(found: Stated, statement: Statement, triple: Triple) -> None:
    if isinstance(statement.value, NoValue):
        found.denied.append(statement)
        return
    if isinstance(statement.value, SomeValue):
        return
    place = {
        Agreement.SAME: found.same,
        Agreement.WITHIN: found.within,
        Agreement.BEYOND: found.beyond,
        Agreement.OTHER: found.others,
        Agreement.APART: found.apart,
    }
    place[compare(triple.object, statement.value)].append(statement)


def _dated(statement: Statement) -> bool:
    return any(isinstance(snak.value, TimeValue) for snak in statement.qualifiers)


def qualifier_notes(
    statements: Iterable[Statement],
    property_label: Callable[[str], str],
    entity_label: Callable[[str], str],
) -> tuple[str, ...]:
    """Say what narrows statements down: "end time: 1984"."""
    notes = []
    for statement in statements:
        told = [
            f"{property_label(snak.property)}: {format_value(snak.value, entity_label)}"
            for snak in statement.qualifiers[:_QUALIFIERS]
        ]
        if told:
            notes.append(f"It is stated with {'; '.join(told)}.")
    return tuple(notes[:_QUALIFIERS])


_RARE: Final = 0.1
"""A triple objects to another if at most this share of such triples held all the same."""
WEIGHTY: Final = 1 - _RARE
"""From this confidence on an objection refutes; a lesser one is only shown."""
_TELLING: Final = 0.5
_FEW: Final = 2
_SHOWN: Final = 3
_TYPED: Final = 20
_LEVELS: Final = 3
_MOST_CLASSES: Final = 100


class Objector:
    """Looks for what speaks against one triple.

    Args:
        source: The source.
        graph: Its neighbourhoods, None where they are not walked.
        profile: Of the triple's property.
        label: Gives the label of an entity or property.
        cancel: Ends it early.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        graph: Neighbourhoods | None,
        profile: Profile,
        label: Callable[[str], str],
        cancel: CancelToken | None = None,
    ) -> None:
        self._source = source
        self._graph = graph
        self._profile = profile
        self._label = label
        self._cancel = cancel
        self.notes: list[str] = []

    def objections(self, triple: Triple, stated: Stated) -> tuple[Ground, ...]:
        """Return the objections, the weightiest first.

        Raises:
            SourceError: If the source cannot be read.
        """
        found = [self._other_value(triple, stated), self._denial(stated)]
        if isinstance(triple.object, EntityValue):
            value = triple.object.id
            found += [
                self._other_subject(triple.subject, value),
                self._itself(triple.subject, value),
                self._direction(triple.subject, value),
                self._class(triple.subject, True),
                self._class(value, False),
            ]
        return tuple(
            sorted((one for one in found if one is not None), key=lambda one: -one.confidence)
        )

    def _name(self) -> str:
        return f"“{self._label(self._profile.property)}”"

    def _other_value(self, triple: Triple, stated: Stated) -> Ground | None:
        others = stated.others
        if not others or stated.same or stated.within or stated.beyond:
            return None
        again = self._profile.another(len(others), self._profile.property)
        if "functional" in self._profile.says:
            again = Behaviour(0, max(again.cases, 1_000))
        if again.chance > _TELLING or (again.chance > _RARE and len(others) > _FEW):
            return None
        if stated.changing:
            self.notes.append(
                "Another value is stated, but the values of this property are dated or were"
                " replaced over time, so this one may have held at another time."
            )
            return None
        if self._near(triple.object, others):
            self.notes.append(
                "Another value is stated, but it is directly linked with this one, so both may hold"
                " (a place and what it lies in)."
            )
            return None
        text = (
            f"{_others(others, 'value')} stated; of {again.cases:,} things with"
            f" {_as_many(others)} {self._name()} in the graph {again.seen:,} have one more."
        )
        if again.chance > _RARE:
            things = "thing" if again.cases == 1 else "things"
            text = (
                f"{_others(others, 'value')} stated, but {again.seen:,} of only {again.cases:,}"
                f" {things} with {_as_many(others)} {self._name()} in the graph having one more is"
                " too little to tell whether there can be several."
            )
        return Ground("other value", text, 1 - again.chance, _single(others))

    def _near(self, value: object, others: Iterable[Statement]) -> bool:
        if self._graph is None or not isinstance(value, EntityValue):
            return False
        around = self._graph.around(value.id, self._cancel)
        # What leads both ways, as a border does, says of neither that it lies in the other.
        apart = [ends - around.get(back(step), frozenset()) for step, ends in around.items()]
        stated = {one.value.id for one in others if isinstance(one.value, EntityValue)}
        return not all(map(stated.isdisjoint, apart))

    def _denial(self, stated: Stated) -> Ground | None:
        if not stated.denied:
            return None
        text = f"The source states that there is no {self._name()}."
        return Ground("other value", text, 1.0, _single(stated.denied))

    def _other_subject(self, subject: str, value: str) -> Ground | None:
        step = back(self._profile.property)
        others = sorted(self._profile.pairs.subjects.get(value, frozenset()) - {subject})
        if not 0 < len(others) <= _FEW:
            return None  # that nobody has a fifth subject says nothing
        again = self._unless_said(self._profile.another(len(others), step), "inverse functional")
        if again.chance > _RARE:
            return None
        statements = [statement_of((one, self._profile.property, value)) for one in others]
        text = (
            f"{_others(statements, 'subject')} stated; of {again.cases:,} values of"
            f" {self._name()} with {_as_many(statements)} such subject"
            f"{'s' if len(statements) > 1 else ''} in the graph {again.seen:,} have one more."
        )
        return Ground("other subject", text, 1 - again.chance, _single(statements))

    def _itself(self, subject: str, value: str) -> Ground | None:
        if subject != value:
            return None
        loops = self._unless_said(self._profile.reflexive, "irreflexive")
        if loops.chance > _RARE:
            return None
        text = (
            f"It leads from a thing to itself; of {loops.cases:,} statements of {self._name()}"
            f" {loops.seen:,} do."
        )
        return Ground("itself", text, 1 - loops.chance)

    def _direction(self, subject: str, value: str) -> Ground | None:
        if subject == value or subject not in self._profile.pairs.values.get(value, ()):
            return None
        turned = self._unless_said(self._profile.symmetric, "asymmetric")
        if turned.chance > _RARE:
            return None
        text = (
            f"It is stated the other way round; of {turned.cases:,} statements of {self._name()}"
            f" {turned.seen:,} hold in both directions."
        )
        statement = statement_of((value, self._profile.property, subject))
        return Ground("direction", text, 1 - turned.chance, ((statement,),))

    def _unless_said(self, measured: Behaviour, axiom: str) -> Behaviour:
        """Return what was measured; where the source rules it out, that it was never seen."""
        ruled_out = axiom in self._profile.says
        return Behaviour(0, max(measured.cases, 1_000)) if ruled_out else measured

    def _class(self, id_: str, of_subject: bool) -> Ground | None:
        profile = self._profile
        seen = profile.subject_types if of_subject else profile.value_types
        typed = profile.typed_subjects if of_subject else profile.typed_values
        entity = self._source.entities((id_,)).get(id_)
        if entity is None or not entity.types or typed < _TYPED:
            return None
        # Good and Turing: the share of classes seen once is the chance that the next is new.
        once = sum(count == 1 for count in seen.values())
        new = Behaviour(once, typed)
        if new.chance > _RARE or self._upwards(entity.types) & seen.keys():
            return None
        names = " and ".join(self._label(one) for one in entity.types[:_SHOWN])
        end = "subjects" if of_subject else "values"
        text = (
            f"{self._label(id_)} is {names}; none of {typed:,} {end} of {self._name()} looked at"
            f" has such a class, and {once:,} have one that no other has."
        )
        return Ground("class", text, 1 - new.chance, self._type_statements(id_))

    def _upwards(self, types: Iterable[str]) -> set[str]:
        """Return classes with what they are subclasses of, some levels up."""
        found, level = set(types), list(types)
        for _ in range(_LEVELS):
            above: dict[str, None] = {}
            for relation in SUBCLASS_OF:
                pages = self._source.statements_many(level, property=relation, limit=20)
                for page in pages.values():
                    for one in page.statements:
                        if isinstance(one.value, EntityValue):
                            above[one.value.id] = None
            level = [one for one in above if one not in found][:_MOST_CLASSES]
            if not level:
                break
            found.update(level)
        return found

    def _type_statements(self, id_: str) -> tuple[tuple[Statement, ...], ...]:
        for relation in INSTANCE_OF:
            page = self._source.statements(id_, property=relation, limit=_SHOWN)
            if page.statements:
                return _single(page.statements)
        return ()


def _single(statements: Iterable[Statement]) -> tuple[tuple[Statement, ...], ...]:
    return tuple((one,) for one in list(statements)[:_SHOWN])


def _others(items: list[Statement], noun: str) -> str:
    if len(items) == 1:
        return f"Another {noun} is"
    return f"{len(items):,} other {noun}s are"


def _as_many(items: list[Statement]) -> str:
    return "one" if len(items) == 1 else f"{len(items):,}"
