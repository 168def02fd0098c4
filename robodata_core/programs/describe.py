"""Programs in words, for people: what was looked up, step by step.

    start from Douglas Adams (Q42); follow author (P50) backwards; count them

Steps that continue the set before them read on; any other set gets a letter to be called by.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue, Value
from robodata_core.programs.check import check, reads
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Comparison,
    Count,
    CountDifference,
    Difference,
    Elapsed,
    End,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Function,
    Intersect,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.text import clean_text
from robodata_core.values import format_value

__all__ = ["describe"]

Label: TypeAlias = Callable[[str], str]

_MAX_LISTED: Final = 5
_MAX_TEXT: Final = 200
_COMPARISONS: Final = {
    Comparison.EQ: "is",
    Comparison.NE: "is not",
    Comparison.LT: "is less than",
    Comparison.LE: "is at most",
    Comparison.GT: "is more than",
    Comparison.GE: "is at least",
}
_TIME_COMPARISONS: Final = {
    Comparison.EQ: "is in",
    Comparison.NE: "is not in",
    Comparison.LT: "is before",
    Comparison.LE: "is not after",
    Comparison.GT: "is after",
    Comparison.GE: "is not before",
}
_PRECISIONS: Final = {
    6: "millennium",
    7: "century",
    8: "decade",
    9: "year",
    10: "month",
    11: "day",
}
_FUNCTIONS: Final = {
    Function.SUM: "add up",
    Function.AVERAGE: "take the average of",
    Function.RANGE: "take the largest less the smallest of",
}
_DIRECT_TYPES: Final = ("P31",)


def describe(program: Program, label: Callable[[str], str]) -> str:
    """Return what ``program`` does, in one line.

    Args:
        program: A well-formed program.
        label: Gives the label of an id, or an empty string.

    Raises:
        ProgramError: If the program is not well formed.
    """
    check(program)
    return _Description(program, label).text()


class _Description:
    """Names the sets that need a name and puts the phrases together."""

    def __init__(self, program: Program, label: Label) -> None:
        self._program = program
        self._label = label
        self._letters = _letters(program.steps)

    def text(self) -> str:
        """Return the whole."""
        phrases: list[str] = []
        before = ""
        for step in self._program.steps:
            phrase = self._phrase(step, before)
            if phrase:
                phrases.append(phrase)
            if not isinstance(step, End):
                before = step.out
        if self._program.exclude_start:
            # What is counted or judged comes last, the exclusion is made before.
            last = isinstance(self._program.steps[-2], (Count, CountDifference, Judge))
            phrases.insert(len(phrases) - last, "leave out what it started from")
        return "; ".join(phrases)

    def _phrase(self, step: Step, before: str) -> str:
        if isinstance(step, End):
            return "" if step.source == before else f"the answer is {self._set(step.source)}"
        words = self._words(step, before)
        letter = self._letters.get(step.out)
        return f"{words} (call these {letter})" if letter else words

    def _words(self, step: Step, before: str) -> str:
        if isinstance(step, Start):
            return f"start from {self._listed([self._value(one) for one in step.values], 'and')}"
        if isinstance(step, (Intersect, Union)):
            return self._combination(step)
        if isinstance(step, (Difference, CountDifference, Elapsed)):
            return self._of_two(step, before)
        if isinstance(step, ExtremeSize):
            size = "largest" if step.largest else "smallest"
            each = [
                f"{self._value(value)} ({self._set(name)})"
                for value, name in zip(step.values, step.sources, strict=True)
            ]
            return f"of {self._listed(each, 'and')}, take what has the {size} set"
        sentence = self._action(step, before)
        goes_on_with = getattr(step, "source", "")
        continues = not goes_on_with or goes_on_with == before
        return sentence if continues else f"with {self._set(goes_on_with)}: {sentence}"

    def _of_two(self, step: Difference | CountDifference | Elapsed, before: str) -> str:
        source = self._object(step.source, before)
        if isinstance(step, Difference):
            return f"take {self._set(step.minus)} away from {source}"
        if isinstance(step, Elapsed):
            return f"reckon the {step.stretch.value} from {source} to {self._set(step.target)}"
        return f"count {source}, less the number of {self._set(step.minus)}"

    def _combination(self, step: Intersect | Union) -> str:
        names = [self._set(name) for name in step.sources]
        if isinstance(step, Union):
            return f"put together {self._listed(names, 'and')}"
        return f"keep what is in {'both ' * (len(names) == 2)}{self._listed(names, 'and')}"

    def _action(self, step: Step, before: str) -> str:
        if isinstance(step, Follow):
            relation = self._relations(step.properties) if step.properties else "any relation"
            back = " backwards" if step.direction is Direction.IN else ""
            return f"follow {relation}{back}"
        if isinstance(step, FilterByType):
            return self._typed(step)
        if isinstance(step, FilterByConstraint):
            keep = "keep those" if step.source else "take everything"
            value = self._value(step.value)
            is_time = isinstance(step.value, TimeValue)
            compared = (_TIME_COMPARISONS if is_time else _COMPARISONS)[step.comparison]
            return f"{keep} whose {self._named(step.property)} {compared} {value}"
        if isinstance(step, Extreme):
            size = "largest" if step.largest else "smallest"
            return f"keep those with the {size} {self._named(step.property)}"
        if isinstance(step, (FilterByCount, ExtremeCount)):
            return self._number(step)
        if isinstance(step, FilterBySame):
            keep = "keep those" if step.source else "take everything"
            first, second = self._relations(step.first), self._relations(step.second)
            return f"{keep} whose {first} and {second} are the same"
        if isinstance(step, (Coarsen, Aggregate, ExtremeSpan)):
            return self._reckoning(step)
        if isinstance(step, Judge):
            return self._judgement(step)
        return "count them"

    def _typed(self, step: FilterByType) -> str:
        keep = "keep those" if step.source else "take everything"
        classes = self._listed([self._named(id_) for id_ in step.type_ids], "or")
        if step.via == _DIRECT_TYPES:
            return f"{keep} that {'are' if step.source else 'is'} an instance of {classes}"
        return f"{keep} whose {self._relations(step.via)} is {classes}"

    def _number(self, step: FilterByCount | ExtremeCount) -> str:
        back = " backwards" if step.direction is Direction.IN else ""
        relations = self._relations(step.properties) + back
        keep = "keep those" if step.source else "take everything"
        which = f" of {self._set(step.among)}" if step.among else ""
        if isinstance(step, ExtremeCount):
            size = "most" if step.largest else "fewest"
            return f"{keep} with the {size}{which} by {relations}"
        compared = _COMPARISONS[step.comparison]
        return f"{keep} whose number{which} by {relations} {compared} {step.number:,}"

    def _reckoning(self, step: Coarsen | Aggregate | ExtremeSpan) -> str:
        if isinstance(step, Coarsen):
            return f"take the {_PRECISIONS[step.precision]} of their {self._named(step.property)}"
        if isinstance(step, Aggregate):
            return f"{_FUNCTIONS[step.function]} their {self._named(step.property)}"
        size = "longest" if step.largest else "shortest"
        begin, end = self._named(step.begin), self._named(step.end)
        return f"keep those with the {size} time from {begin} to {end}"

    def _judgement(self, step: Judge) -> str:
        if step.kind is JudgeKind.NOT_EMPTY or step.value is None:
            return "see whether there are any"
        return f"see whether {self._value(step.value)} is among them"

    def _object(self, name: str, before: str) -> str:
        return "them" if name == before else self._set(name)

    def _set(self, name: str) -> str:
        return self._letters.get(name, name)

    def _relations(self, ids: Sequence[str]) -> str:
        return self._listed([self._named(id_) for id_ in ids], "or")

    def _value(self, value: Value) -> str:
        if isinstance(value, EntityValue):
            return self._named(value.id)
        text = clean_text(format_value(value, self._plain_label), limit=_MAX_TEXT)
        return text if isinstance(value, (QuantityValue, TimeValue)) else f"“{text}”"

    def _named(self, id_: str) -> str:
        label = self._plain_label(id_)
        return f"{label} ({id_})" if label != id_ else id_

    def _plain_label(self, id_: str) -> str:
        return clean_text(self._label(id_), limit=_MAX_TEXT) or id_

    @staticmethod
    def _listed(items: Sequence[str], word: str) -> str:
        if len(items) > _MAX_LISTED:
            more = len(items) - _MAX_LISTED
            items = [*items[:_MAX_LISTED], f"{more} more"]
        if len(items) == 1:
            return items[0]
        return f"{', '.join(items[:-1])} {word} {items[-1]}"


def _letters(steps: Sequence[Step]) -> dict[str, str]:
    """Give letters to the sets that another step than the next one goes on with."""
    written = {step.out: place for place, step in enumerate(steps) if not isinstance(step, End)}
    called: set[str] = set()
    for place, step in enumerate(steps):
        names = (step.source,) if isinstance(step, End) else reads(step)
        for position, name in enumerate(names):
            several = isinstance(step, (Intersect, Union, ExtremeSize)) or position > 0
            several = several or name == getattr(step, "among", "")
            if several or written[name] != place - 1:
                called.add(name)
    ordered = sorted(called, key=written.__getitem__)
    return dict(zip(ordered, _alphabet(len(ordered)), strict=True))


def _alphabet(count: int) -> list[str]:
    """Return ``A`` to ``Z``, then ``A2`` to ``Z2`` and so on."""
    letters = string.ascii_uppercase
    return [
        letters[number % 26] + (str(number // 26 + 1) if number >= 26 else "")
        for number in range(count)
    ]
