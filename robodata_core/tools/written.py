"""Programs as a language model writes them: short steps, one JSON object each.

Every step is told by its first key and works on the step before it, or on what it names: an id, a
list of ids, or a name that a step took with ``as``::

    {"follow": "P50", "from": "Q42", "back": true, "as": "$books"}
    {"type": "Q7725634", "of": "$books"}
    {"where": "P577", "is": "<", "value": "1990"}
    {"count": "$books"}

What the steps mean is ``programs.steps``'s business; here they are only read. What was written
is untrusted: its size is bounded, and what does not fit is said in one sentence that names the
step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from robodata_core.errors import ProgramError, ToolArgumentError
from robodata_core.iris import is_id, is_property_id
from robodata_core.model import Direction, EntityValue, StringValue, Value
from robodata_core.programs import steps
from robodata_core.programs.check import check
from robodata_core.programs.steps import Comparison, JudgeKind, Program, Quantifier, Step
from robodata_core.text import clean_text
from robodata_core.tools.arguments import normal_id

#: The steps, as prompts tell them.
STEPS_TOLD: Final = (
    '{"follow": "P50", "from": "Q42", "back": true, "as": "$x"} (values of a relation, or of any;'
    ' back: what has it as value), {"type": "Q5", "of": "$x", "via": "P106"} (class; via P31 if'
    ' left out), {"where": "P569", "is": "<", "value": "1952", "of": "$x"}, {"max": "P1082", "of":'
    ' "$x"} (or min), {"and": ["$x", "$y"]} (or: or, minus), {"count": "$x"} (with "is": ">=",'
    ' "number": 3: yes or no), {"judge": "$x", "contains": "Q1"}, {"every": "$x", "in": "$y"} (or:'
    " none, most). A step without from/of goes on from the one before; the last"
    " is the result."
)

_MOST_STEPS: Final = 40
_MOST_NODES: Final = 1_000
_ANY: Final = "any"
_KEYS: Final[Mapping[str, frozenset[str]]] = {
    "follow": frozenset({"from", "of", "back"}),
    "type": frozenset({"of", "from", "via"}),
    "where": frozenset({"is", "value", "unit", "of", "from"}),
    "max": frozenset({"of", "from"}),
    "min": frozenset({"of", "from"}),
    "and": frozenset(),
    "or": frozenset(),
    "minus": frozenset(),
    "count": frozenset({"is", "number"}),
    "judge": frozenset({"contains"}),
    "every": frozenset({"in"}),
    "none": frozenset({"in"}),
    "most": frozenset({"in"}),
}


_QUANTIFIERS: Final = {"every": Quantifier.EVERY, "none": Quantifier.NO, "most": Quantifier.MOST}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What reading a program needs to know of where it is written.

    Attributes:
        require: Told of every id; raises where one may not be used.
        value: Reads a literal as a value of a property, with a unit or without.
        entity: Returns the node that an id stands for.
        variable: Returns the nodes of a name that no step of the program took.
    """

    require: Callable[[Sequence[str]], None]
    value: Callable[[Any, str, str | None], Value]
    entity: Callable[[str], Value]
    variable: Callable[[str], Sequence[Value]]


@dataclass(slots=True)
class ProgramReader:
    """Reads one program.

    Attributes:
        around: Where it is written.
    """

    around: Surroundings
    _steps: list[Step] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _before: str = ""

    def read(self, written: object) -> Program:
        """Return the program that ``written``, a list of objects, stands for.

        Raises:
            ToolArgumentError: If it is no program, in one sentence.
            UnknownIdError: If it names an id that may not be used.
        """
        if isinstance(written, Mapping):
            written = [written]
        if not isinstance(written, list) or not written:
            raise ToolArgumentError("A program is a list of steps.")
        if len(written) > _MOST_STEPS:
            raise ToolArgumentError(f"A program has at most {_MOST_STEPS} steps.")
        for number, one in enumerate(written, 1):
            try:
                self._read_step(one)
            except ToolArgumentError as error:
                said = f"Step {number}: {error.message}"
                raise ToolArgumentError(said, hint=error.hint) from None
        program = Program((*self._steps, steps.End(self._before)))
        try:
            check(program)
        except ProgramError as error:
            raise ToolArgumentError(f"These steps make no program: {error.message}") from None
        return program

    def _read_step(self, one: object) -> None:
        if not isinstance(one, Mapping):
            raise ToolArgumentError("it is not an object.")
        kind = next((key for key in _KEYS if key in one), "")
        if not kind:
            raise ToolArgumentError(f"it has none of these keys: {', '.join(_KEYS)}.")
        odd = [key for key in one if key not in (kind, "as") and key not in _KEYS[kind]]
        if odd:
            named = clean_text(str(odd[0]), limit=40)
            raise ToolArgumentError(f"{kind} knows no {named}.")
        step = self._step(kind, one)
        self._before = self._out()
        self._steps.append(step)
        if isinstance(one.get("as"), str):
            self._names[_name(one["as"])] = self._before

    def _step(self, kind: str, one: Mapping[str, Any]) -> Step:
        if kind in ("and", "or", "minus"):
            return self._sets(kind, one[kind])
        if kind == "count":
            return self._count(one)
        if kind == "judge":
            return self._judge(one)
        if kind in _QUANTIFIERS:
            source, within = self._set(one[kind]), self._set(one.get("in"))
            return steps.JudgeShare(self._out(), source, within, _QUANTIFIERS[kind])
        given = one.get("from", one.get("of"))
        if kind == "follow":
            relations = () if one["follow"] == _ANY else self._properties(one["follow"])
            source = self._set(given)
            way = Direction.IN if one.get("back") is True else Direction.OUT
            return steps.Follow(self._out(), source, relations, way)
        if kind == "type":
            return self._type(one, given)
        return self._values(kind, one, given)

    def _type(self, one: Mapping[str, Any], given: object) -> Step:
        classes = self._ids(one["type"])
        via = self._properties(one["via"]) if one.get("via") else ("P31",)
        source = self._of(given)
        return steps.FilterByType(self._out(), source, classes, via)

    def _values(self, kind: str, one: Mapping[str, Any], given: object) -> Step:
        property_ = self._properties(one[kind])[0]
        if kind != "where":
            source = self._set(given)
            return steps.Extreme(self._out(), source, property_, kind == "max")
        comparison = _comparison(one)
        unit = self._ids(one["unit"])[0] if one.get("unit") else None
        value = self.around.value(one.get("value"), property_, unit)
        source = self._of(given)
        return steps.FilterByConstraint(self._out(), source, property_, comparison, value)

    def _count(self, one: Mapping[str, Any]) -> Step:
        counted, number = self._set(one["count"]), one.get("number")
        if number is None:
            return steps.Count(self._out(), counted)
        if type(number) is not int:
            raise ToolArgumentError("number is a whole number.")
        return steps.JudgeSize(self._out(), counted, _comparison(one), number)

    def _sets(self, kind: str, given: object) -> Step:
        if not isinstance(given, list) or len(given) < 2:
            raise ToolArgumentError(f"{kind} takes two or more sets.")
        sources = tuple(self._set(item) for item in given[:20])
        if kind == "minus":
            return steps.Difference(self._out(), sources[0], sources[1])
        make = steps.Intersect if kind == "and" else steps.Union
        return make(self._out(), sources)

    def _judge(self, one: Mapping[str, Any]) -> Step:
        source, wanted = self._set(one["judge"]), one.get("contains")
        if wanted is None:
            return steps.Judge(self._out(), source, JudgeKind.NOT_EMPTY)
        value = self.around.entity(self._ids(wanted)[0])
        return steps.Judge(self._out(), source, JudgeKind.CONTAINS, value)

    def _out(self) -> str:
        """Return the name of the step about to be written; starts may have come before it."""
        return f"s{len(self._steps)}"

    def _of(self, given: object) -> str:
        """Return what a condition is of: a set, the step before, or nothing where it is of all."""
        if given == _ANY or (given is None and not self._before):
            return ""
        return self._set(given)

    def _set(self, given: object) -> str:
        """Return the name of the set that ``given`` stands for; ids become a start of their own."""
        if given is None or given is True:
            if not self._before:
                raise ToolArgumentError("nothing is said of what it goes on from.")
            return self._before
        if isinstance(given, str) and given.startswith("$"):
            named = self._names.get(_name(given))
            return named or self._start(self.around.variable(_name(given)))
        return self._start([self.around.entity(id_) for id_ in self._ids(given)])

    def _start(self, values: Sequence[Value]) -> str:
        if not values:
            raise ToolArgumentError("the set it goes on from is empty.")
        if len(values) > _MOST_NODES:
            raise ToolArgumentError(f"a set it goes on from has more than {_MOST_NODES} nodes.")
        out = self._out()
        self._steps.append(steps.Start(out, tuple(values)))
        return out

    def _ids(self, given: object) -> tuple[str, ...]:
        listed = given if isinstance(given, list) else [given]
        ids = tuple(normal_id(item) for item in listed[:_MOST_NODES] if isinstance(item, str))
        if not ids or len(ids) < len(listed) or not all(is_id(id_) for id_ in ids):
            raise ToolArgumentError("an id such as Q42 is wanted.")
        self.around.require(ids)
        return ids

    def _properties(self, given: object) -> tuple[str, ...]:
        ids = self._ids(given)
        if not all(is_property_id(id_) for id_ in ids):
            raise ToolArgumentError("a property id such as P36 is wanted.")
        return ids


def write_steps(program: Program) -> list[dict[str, Any]]:
    """Return a program as a model would have written it, its starts where they are used.

    A text in a condition stays what it is: the property says what it means when it is read.

    Raises:
        ProgramError: If a step has no such form.
    """
    given = {step.out: step for step in program.steps if isinstance(step, steps.Start)}

    def _set(name: str) -> str | list[str]:
        return [_id(value) for value in given[name].values] if name in given else f"${name}"

    done = (steps.Start, steps.End)
    rest = [step for step in program.steps if not isinstance(step, done)]
    return [{**_written(step, _set), "as": f"${step.out}"} for step in rest]


def _written(step: Step, set_: Callable[[str], str | list[str]]) -> dict[str, Any]:
    """Return a step as it is written, without the name that it takes."""
    if isinstance(step, steps.Follow):
        back = {"back": True} if step.direction is Direction.IN else {}
        return {"follow": [*step.properties] or _ANY, "from": set_(step.source), **back}
    if isinstance(step, steps.FilterByType):
        of = set_(step.source) if step.source else _ANY
        return {"type": [*step.classes], "of": of, "via": [*step.via]}
    if isinstance(step, steps.FilterByConstraint):
        value = step.value.text if isinstance(step.value, StringValue) else _id(step.value)
        of = set_(step.source) if step.source else _ANY
        return {"where": step.property, "is": step.comparison.value, "value": value, "of": of}
    if isinstance(step, steps.Extreme):
        return {"max" if step.largest else "min": step.property, "of": set_(step.source)}
    if isinstance(step, steps.Difference):
        return {"minus": [set_(step.source), set_(step.minus)]}
    if isinstance(step, (steps.Intersect, steps.Union)):
        kind = "and" if isinstance(step, steps.Intersect) else "or"
        return {kind: [set_(one) for one in step.sources]}
    if isinstance(step, steps.Count):
        return {"count": set_(step.source)}
    if isinstance(step, steps.Judge):
        contains = {} if step.value is None else {"contains": _id(step.value)}
        return {"judge": set_(step.source), **contains}
    raise ProgramError(f"{type(step).__name__} has no written form.")


def _id(value: Value) -> str:
    if not isinstance(value, EntityValue):
        raise ProgramError("Only things and texts are written.")
    return value.id


def _comparison(one: Mapping[str, Any]) -> Comparison:
    try:
        return Comparison(one.get("is", "="))
    except ValueError:
        raise ToolArgumentError("is must be one of =, !=, <, <=, >, >=.") from None


def _name(given: str) -> str:
    return clean_text(given, limit=33).lstrip("$")
