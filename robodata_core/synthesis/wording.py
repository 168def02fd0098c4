"""Questions for drawn programs: plain English put together from labels.

The sentences are templates and read like it. They name every entity, relation and condition of
the program once, so they ask for exactly what it computes; how people would ask is for question
sets to show (``queries``). Labels are cleaned, because they come from outside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from robodata_core.errors import ProgramError
from robodata_core.model import Direction, EntityValue, TimeValue, Value
from robodata_core.programs import english
from robodata_core.programs.steps import (
    Comparison,
    Count,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.text import clean_text
from robodata_core.values import format_value

__all__ = ["question_for"]

_MAX_LABEL: Final = 120
_PREPOSITIONS: Final = frozenset(("as", "at", "by", "for", "from", "in", "of", "on", "to", "with"))
_COMPARED: Final[Mapping[Comparison, str]] = {**english.COMPARISONS, Comparison.NE: "is not"}


def question_for(program: Program, label: Callable[[str], str], random_: random.Random) -> str:
    """Return a question that asks for what ``program`` computes.

    Raises:
        ProgramError: If there are no words for a step.
    """
    words = _Words(label)
    phrases: dict[str, str] = {}
    last: Step = program.steps[-1]
    for step in program.steps:
        if isinstance(step, (Count, Judge)):
            last = step
        elif not isinstance(step, End):
            phrases[step.out] = words.phrase(step, phrases)
    assert isinstance(last, (Count, Judge, End))
    asked = phrases[last.source]
    if isinstance(last, Count):
        return random_.choice(
            (f"How many are there: {asked}?", f"Count {asked}.", f"What is the number of {asked}?")
        )
    if isinstance(last, Judge):
        if last.value is None:
            return f"Are there any {asked}?"
        return f"Is {words.value(last.value)} {'one of ' * asked.startswith('those')}{asked}?"
    if asked.startswith("those"):
        found = asked.replace("those", "all those", 1)
        return random_.choice((f"Find {found}.", f"List {found}.", f"Which are {asked}?"))
    return random_.choice((f"What is {asked}?", f"Name {asked}.", f"Tell me {asked}."))


class _Words:
    """Noun phrases of node sets."""

    def __init__(self, label: Callable[[str], str]) -> None:
        self._label = label

    def phrase(self, step: Step, phrases: Mapping[str, str]) -> str:
        """Return what the set that ``step`` writes is called."""
        if isinstance(step, Start):
            return " or ".join(self.value(value) for value in step.values)
        if isinstance(step, Follow):
            relation = " or ".join(map(self.name, step.properties))
            source = phrases[step.source]
            if step.direction is Direction.OUT:
                # "the instance of of X" is no English.
                loose = relation.rpartition(" ")[2] in _PREPOSITIONS
                return f"the “{relation}” for {source}" if loose else f"the {relation} of {source}"
            return f"those whose {relation} is {'one of ' * source.startswith('those')}{source}"
        if isinstance(step, (Intersect, Union)):
            between = " and also " if isinstance(step, Intersect) else " or "
            return between.join(phrases[name] for name in step.sources)
        if isinstance(step, (FilterByType, FilterByConstraint, Extreme)):
            return self._filtered(step, phrases[step.source])
        raise ProgramError(f"There are no words for {type(step).__name__}.")

    def _filtered(self, step: FilterByType | FilterByConstraint | Extreme, source: str) -> str:
        among = source if source.startswith("those") else f"those of {source}"
        if isinstance(step, FilterByType):
            kinds = " or ".join(map(self.name, step.type_ids))
            return f"{among}, of the kind {kinds}"
        relation = self.name(step.property)
        if isinstance(step, Extreme):
            size = "largest" if step.largest else "smallest"
            return f"{among}, with the {size} {relation}"
        table = english.TIME_COMPARISONS if isinstance(step.value, TimeValue) else _COMPARED
        return f"{among}, whose {relation} {table[step.comparison]} {self.value(step.value)}"

    def value(self, value: Value) -> str:
        if isinstance(value, EntityValue):
            return self.name(value.id)
        return clean_text(format_value(value, self.name), limit=_MAX_LABEL)

    def name(self, id_: str) -> str:
        """Return the label of an id, or the id."""
        return clean_text(self._label(id_), limit=_MAX_LABEL) or id_
