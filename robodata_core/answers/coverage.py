"""How much of what a number or an extreme rests on is stated at all.

That a source was looked through completely does not say that it states everything: of most people
no child is stated. So the relation is measured over things of the same class: where fewer than half
of them have it, a number is told as a least one, and an extreme with how many it was found among.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from robodata_core.iris import INSTANCE_OF
from robodata_core.language.view import View, has_one_each
from robodata_core.model import Direction, EntityValue, QuantityValue
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import (
    Comparison,
    Count,
    Difference,
    End,
    Extreme,
    ExtremeCount,
    FilterByConstraint,
    FilterByCount,
    Follow,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import capabilities

__all__ = ["Coverage", "Stated"]

#: So many things of a class are looked at.
_SAMPLE: Final = 60
#: Fewer tell nothing.
_LEAST: Final = 5
_MOSTLY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Stated:
    """Of how many things a property is stated.

    Attributes:
        relation: The property.
        having: How many have it.
        looked_at: How many were looked at.
        lacking: What it was looked for at, where that has none.
    """

    relation: str
    having: int
    looked_at: int
    lacking: str = ""

    @property
    def mostly_missing(self) -> bool:
        """Whether most of them lack it."""
        return self.looked_at >= _LEAST and self.having < _MOSTLY * self.looked_at


class Coverage:
    """Measures one source.

    Args:
        source: The source.
        executor: Runs parts of programs on it.
    """

    def __init__(self, source: KnowledgeSource, executor: Executor) -> None:
        self._source = source
        self._view = View(source)
        self._near = capabilities(source).on_this_machine
        self._executor = executor

    def counted(self, program: Program) -> Stated | None:
        """Return a relation that a count rests on and that is mostly missing; None without one.

        Raises:
            SourceError: If the source fails.
        """
        final = program.final
        for step in program.steps if isinstance(final, Count) and not final.minus else ():
            if isinstance(step, (Follow, FilterByConstraint)) and len(step.relations) == 1:
                found = self._stated(step.relations[0], self._subjects(program, step))
                if found.mostly_missing:
                    return found
        return None

    def is_open(self, program: Program) -> bool:
        """Tell whether a count is of what a graph may not all hold: all of a class, all with X.

        What is stated of one thing is counted as it stands; that things of a class, or those that
        a relation joins to something, are all in a graph is said nowhere. A ranking by how many
        there are is such a count.
        """
        final = program.final
        if isinstance(final, ExtremeCount):
            return final.direction is Direction.IN or _is_gathered(program, final.source)
        return isinstance(final, Count) and not final.minus and _is_gathered(program, final.source)

    def none(self, program: Program) -> Stated | None:
        """Return a relation that is mostly missing where a count found nothing; None otherwise.

        That no child of somebody is stated is no zero, as long as of most people none is; nor is
        it where nothing of that kind has any, as countries have no children, or where nothing at
        all is stated of somebody.

        Raises:
            SourceError: If the source fails.
        """
        final = program.final
        for step in program.steps if isinstance(final, Count) and not final.minus else ():
            if not isinstance(step, Follow | FilterByConstraint):
                continue
            way = step.direction if isinstance(step, Follow) else Direction.OUT
            ids = self._ids(program, step.source) if step.source else ()
            if way is Direction.OUT and len(ids) == 1 and not self._is_told(ids[0]):
                return Stated(step.relations[0], 0, 0, lacking=ids[0])
            if len(ids) < _SAMPLE and isinstance(step, Follow):
                ids = self._peers(ids[:1])
            found = [self._stated(name, ids, way) for name in step.relations]
            best = max(found, key=lambda one: one.having, default=None)
            if best is not None and best.mostly_missing:
                return best
        return None

    def other_unit(self, program: Program) -> tuple[str, str] | None:
        """Return a property and its unit where it is compared with a number in another unit.

        What is measured otherwise is neither more nor less: that nothing compares so shows nothing.

        Raises:
            SourceError: If the source fails.
        """
        for step in program.steps:
            if not isinstance(step, FilterByConstraint) or not step.source:
                continue
            if not isinstance(step.value, QuantityValue):
                continue
            ids = self._ids(program, step.source)[:_SAMPLE]
            pages = self._source.statements_many(ids, property=step.property, limit=_SAMPLE)
            values = (one.value for page in pages.values() for one in page.statements)
            units = {one.unit or "" for one in values if isinstance(one, QuantityValue)}
            if units and (step.value.unit or "") not in units:
                return step.property, min(units)
        return None

    def _is_told(self, id_: str) -> bool:
        """Tell whether anything at all is stated of a thing."""
        return bool(self._source.statements(id_, limit=1).statements)

    def compared(self, program: Program) -> Stated | None:
        """Return what the values were compared of, where most things lack it; None otherwise.

        Raises:
            SourceError: If the source fails.
        """
        final = program.final
        if not isinstance(final, Extreme):
            return None
        found = self._stated(final.property, self._ids(program, final.source))
        return found if found.mostly_missing else None

    def ranked(self, program: Program) -> Stated | None:
        """Return the relation that a ranking counts, where most things lack it; None otherwise.

        The country where most people live is not the one where most residents are stated, as long
        as of most people no residence is.

        Raises:
            SourceError: If the source fails.
        """
        final = program.final
        if not isinstance(final, ExtremeCount) or len(final.properties) > 1:
            return None
        (property_,) = final.properties
        if final.direction is Direction.OUT and final.source:
            found = self._stated(property_, self._ids(program, final.source))
        else:
            ids = self._ids(program, final.out)[:1]
            if final.direction is Direction.IN:
                ids = [
                    one.subject
                    for id_ in ids
                    for one in self._source.statements(
                        id_, direction=Direction.IN, property=property_, limit=1
                    ).statements
                ]
            found = self._stated(property_, self._peers(ids))
        return found if found.mostly_missing else None

    def lacked(self, program: Program) -> Stated | None:
        """Return a relation that a set was chosen by for having none of it; None without one.

        Which countries have no official language is not known from a graph that states one of
        most: what it does not state of the others may be so all the same.

        Raises:
            SourceError: If the source fails.
        """
        for step in program.steps:
            for near in self._having(program, step):
                having = self._ids(program, near.out)
                if not self._is_shared_out(near, having):
                    among = self._ids(program, near.source)
                    return Stated(near.relations[0], len(having), len(among))
        return None

    def _is_shared_out(self, near: FilterByCount, having: Sequence[str]) -> bool:
        """Tell whether what is led to is so from things that have one each.

        Every country has one capital, so that a city to which none leads is no capital.
        """
        if near.direction is Direction.OUT:
            return False
        name = max(near.properties, key=lambda one: len(self._led_from(having, one)))
        return has_one_each(self._source, self._led_from(having, name), name)

    def _led_from(self, ids: Sequence[str], property_: str) -> list[str]:
        """Return some things that a property leads from to some others, one for each."""
        pages = self._source.statements_many(
            ids[:_SAMPLE], direction=Direction.IN, property=property_, limit=1
        )
        return [one.subject for page in pages.values() for one in page.statements]

    def _having(self, program: Program, step: Step) -> Iterator[FilterByCount]:
        """Yield how a set that is taken away was found, where that is by having something."""
        names = [step.minus] if isinstance(step, Difference) else []
        while names:
            near = program.written.get(names.pop())
            if isinstance(near, (Union, Intersect)):
                names += near.reads
            elif isinstance(near, FilterByCount) and near.source and _is_any(near):
                yield near

    def inapplicable(self, program: Program) -> Stated | None:
        """Return a relation that is stated of nothing like what it was looked for at; else None.

        That nobody is stated to have won a film says nothing, since nothing is stated to be won by
        films. What has the relation itself, to whatever, is where it can be looked for.

        Raises:
            SourceError: If the source fails.
        """
        for step, _, peers in self._judged_in_vain(program):
            found = self._stated(step.relations[0], peers)
            if found.looked_at >= _LEAST and not found.having:
                return found
        return None

    def unstated(self, program: Program) -> Stated | None:
        """Return a relation whose one value is not stated of what it was looked for at; else None.

        Everybody was born somewhere: where no place of birth is stated, it may be any. A relation
        is such a one where things of the same class have one value each, as far as they have any.
        Where only one thing can have the value and another one has it, nothing is open.

        Raises:
            SourceError: If the source fails.
        """
        for step, id_, peers in self._judged_in_vain(program):
            (property_,) = step.relations
            one_each = has_one_each(self._source, peers, property_)
            if one_each and not self._is_taken(program, step):
                return replace(self._stated(property_, peers), lacking=id_)
        return None

    def _is_taken(self, program: Program, step: Follow) -> bool:
        """Tell whether a value is another thing's, and values like it are of one thing each.

        Istanbul is not the capital of Turkey, since another city is, whatever it is the capital of.
        """
        (property_,) = step.relations
        ids = sorted(self._ends_of(program, step, step.direction is Direction.IN))
        pages = self._source.statements_many(
            ids, direction=Direction.IN, property=property_, limit=1
        )
        return any(page.statements for page in pages.values()) and has_one_each(
            self._source, self._peers(ids), property_, Direction.IN
        )

    def _judged_in_vain(self, program: Program) -> Iterator[tuple[Follow, str, Sequence[str]]]:
        """Yield steps along a relation that is not stated where it is looked for, there, and peers.

        Peers are things like what it was looked for at.
        """
        for step in program.steps if isinstance(program.final, Judge) else ():
            if isinstance(step, Follow) and len(step.relations) == 1:
                ids = sorted(self.subjects_of(program, step))
                if ids and not self._executor.having(ids, step.relations[0]):
                    yield step, ids[0], self._peers(ids)

    def subjects_of(self, program: Program, step: Follow) -> set[str]:
        """Return what a relation is looked for at, where a program judges one thing of it.

        Raises:
            SourceError: If the source fails.
        """
        return self._ends_of(program, step, step.direction is Direction.OUT)

    def objects_of(self, program: Program, step: Follow) -> set[str]:
        """Return what a relation would have to lead to, where a program judges one thing of it.

        Raises:
            SourceError: If the source fails.
        """
        return self._ends_of(program, step, step.direction is not Direction.OUT)

    def _ends_of(self, program: Program, step: Follow, near: bool) -> set[str]:
        """Return what a step goes from; of the last one, where it leads."""
        if near:
            ids = self._ids(program, step.source)
            # Of what goes by one name each may be meant.
            named = isinstance(program.written[step.source], Start)
            return set(ids if named else ids[:1])
        final = program.final
        value = final.value if isinstance(final, Judge) and step.out == final.source else None
        return {value.id} if isinstance(value, EntityValue) else set()

    def _subjects(self, program: Program, step: Follow | FilterByConstraint) -> Sequence[str]:
        """Return what could have a relation: the set it is looked for in, or things like it.

        What was found by the relation has it, all of it, so that things like it are looked at.
        """
        inwards = isinstance(step, Follow) and step.direction is Direction.IN
        if inwards or not step.source:
            return self._peers(self._ids(program, step.out)[:1])
        ids = self._ids(program, step.source)
        given = isinstance(step, FilterByConstraint) or len(ids) >= _SAMPLE
        return ids if given else self._peers(ids[:1])

    def _ids(self, program: Program, name: str) -> list[str]:
        steps: list[Step] = []
        for step in program.steps:
            if not isinstance(step, End):
                steps.append(step)
                if step.out == name:
                    break
        result = self._executor.run(Program((*steps, End(name))))
        return [value.id for value in result.values if isinstance(value, EntityValue)]

    def _peers(self, ids: Sequence[str]) -> list[str]:
        """Return some things of a class of the first one, by the first relation that tells one."""
        for type_ in dict.fromkeys((*INSTANCE_OF, *self._view.type_relations)) if ids else ():
            for one in self._source.statements(ids[0], property=type_, limit=1).statements:
                if isinstance(one.value, EntityValue):
                    return self._spread(one.value.id, type_)
        return []

    def _spread(self, class_: str, type_: str) -> list[str]:
        """Return some things of a class: its first ones, which are often the best known, and later.

        A source that is asked over a network is asked once, for the first ones.
        """
        into = partial(self._source.statements, class_, direction=Direction.IN, property=type_)
        first = into(limit=_SAMPLE)
        if not self._near or first.total <= _SAMPLE:
            return [item.subject for item in first.statements]
        part = _SAMPLE // 3
        pages = [first.statements[:part]]
        for offset in ((first.total - part) // 2, first.total - part):
            pages.append(into(limit=part, offset=offset).statements)
        return list(dict.fromkeys(item.subject for page in pages for item in page))

    def _stated(
        self, property_: str, ids: Sequence[str], direction: Direction = Direction.OUT
    ) -> Stated:
        if direction is Direction.OUT:
            return Stated(property_, self._executor.having(ids, property_), len(ids))
        pages = self._source.statements_many(ids, direction=direction, property=property_, limit=1)
        having = sum(bool(page.statements) for page in pages.values())
        return Stated(property_, having, len(ids))


def _is_any(step: FilterByCount) -> bool:
    """Tell whether a step keeps what has any value at all."""
    return step.number == 1 and step.comparison is Comparison.GE and not step.among


def _is_gathered(program: Program, name: str) -> bool:
    """Tell whether a set is gathered from all there is, and not from what is stated of a thing."""
    step = program.written.get(name)
    if step is None or isinstance(step, Start):
        return False
    if isinstance(step, Follow) and step.direction is Direction.IN:
        return True
    reads = step.reads[:1] if not isinstance(step, (Union, Intersect)) else step.reads
    if not all(reads) or not reads:
        return True
    gathered = [_is_gathered(program, one) for one in reads]
    return all(gathered) if isinstance(step, Intersect) else any(gathered)
