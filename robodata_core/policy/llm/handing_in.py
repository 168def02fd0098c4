"""What a model hands in as its answer: steps, a query or handles; never sentences that count.

The object of ``submit_answer`` becomes a draft, whose parts are run on the local graph by
``answers``. What a model says in words is a comment: bounded, and kept apart from all that is run.
What cannot be read raises one sentence for the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from robodata_core.errors import QueryRefusedError, QuerySyntaxError, ToolArgumentError
from robodata_core.model import AnswerStatus, Direction, EntityValue, Value
from robodata_core.policy.base import AnswerDraft, AnswerKind, AnswerPart, Turn
from robodata_core.programs.steps import End, Follow, Program
from robodata_core.store.queries import check_read_only
from robodata_core.text import clean_text
from robodata_core.tools.guard import stands_in
from robodata_core.tools.known_ids import refuse
from robodata_core.tools.literals import read_value
from robodata_core.tools.query_ids import sparql_ids
from robodata_core.tools.variables import Variable
from robodata_core.tools.written import ProgramReader, Surroundings

__all__ = ["ANSWER_SCHEMA", "read_answer"]

_MOST_COMMENT: Final = 600
_MOST_PARTS: Final = 20
_MOST_QUERY: Final = 10_000
_MOST_HANDLES: Final = 2_000
_RANGE: Final = re.compile(r"([TN])(\d{1,6}) ?(?:-|–|\.\.+|to) ?\1?(\d{1,6})", re.ASCII)
#: How a query begins that reads: after its declarations comes SELECT or ASK.
_READING: Final = re.compile(
    r"(?:\s*(?:PREFIX\s+[\w-]*:\s*<[^<>]*>|BASE\s*<[^<>]*>|#[^\n]*\n))*\s*(?:SELECT|ASK)\b",
    re.IGNORECASE,
)
_KINDS: Final = {"number": AnswerKind.NUMBER, "yes_no": AnswerKind.YES_OR_NO}
_HANDLE: Final = re.compile(r"[TN]\d{1,9}", re.ASCII)

ANSWER_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["list", "number", "yes_no", "unknown"]},
        "steps": {"type": "array", "items": {}},
        "sparql": {"type": "string"},
        "handles": {"type": "array", "items": {"type": "string"}},
        "partial": {"type": "boolean"},
        "comment": {"type": "string"},
    },
    "required": ["kind"],
}


def read_answer(raw: Mapping[str, Any], turn: Turn) -> AnswerDraft:
    """Return the draft that an answer object stands for.

    Args:
        raw: The object, as the model wrote it.
        turn: Where it is handed in: says which ids and named sets there are.

    Raises:
        ToolArgumentError: If a part of it cannot be read, in one sentence for the model.
        UnknownIdError: If it names an id that nothing has shown.
    """
    kind = raw.get("kind")
    comment = clean_text(_text(raw.get("comment")), limit=_MOST_COMMENT)
    parts = _parts(raw, turn)
    if kind == "unknown" or not parts:
        if kind != "unknown":
            raise ToolArgumentError(
                "Nothing was handed in that could be run: give steps, sparql or handles, or the"
                " kind unknown."
            )
        return AnswerDraft(AnswerStatus.UNKNOWN, comment=comment, asserted=True)
    whole = raw.get("partial") is not True
    return AnswerDraft(
        AnswerStatus.ANSWERED if whole else AnswerStatus.PARTIAL,
        parts=tuple(replace(part, kind=_kind_of(part, kind, turn)) for part in parts),
        comment=comment,
        asserted=True,
    )


def _parts(raw: Mapping[str, Any], turn: Turn) -> list[AnswerPart]:
    parts = [AnswerPart(program=program) for program in _programs(raw.get("steps"), turn)]
    query = _text(raw.get("sparql")).strip()
    if query:
        if len(query) > _MOST_QUERY:
            raise ToolArgumentError(f"A query has at most {_MOST_QUERY:,} characters.")
        if not _READING.match(query):
            raise ToolArgumentError(
                "Only a SELECT with one variable or an ASK can be handed in as sparql."
            )
        _refuse_more_than_reading(query)
        _require(sparql_ids(query), turn)
        parts.append(AnswerPart(sparql=query))
    handles = _handles(raw.get("handles"))
    if handles:
        parts.append(AnswerPart(handles=_known(handles, turn)))
    return parts


def _refuse_more_than_reading(query: str) -> None:
    """Return if a query only reads; what it names is no matter where it may not be run at all.

    Raises:
        ToolArgumentError: Saying what it may not do.
    """
    try:
        check_read_only(query)
    except QuerySyntaxError:
        return  # why it is no query is said where it is read
    except QueryRefusedError as error:
        raise ToolArgumentError(f"The query cannot be run. {error}") from None


def _programs(written: object, turn: Turn) -> list[Program]:
    """Return the programs of some steps; several lists are several parts."""
    if not isinstance(written, (list, Mapping)) or not written:
        return []
    several = isinstance(written, list) and all(isinstance(one, list) for one in written)
    listed = written[:_MOST_PARTS] if isinstance(written, list) and several else [written]
    return [ProgramReader(_around(turn)).read(steps) for steps in listed]


def _kind_of(part: AnswerPart, kind: object, turn: Turn) -> AnswerKind | None:
    """Return what a part is to give; None where what it ends with gives it as it stands."""
    wanted = _KINDS.get(kind) if isinstance(kind, str) else None
    if wanted is AnswerKind.NUMBER and part.program is not None:
        steps = {one.out: one for one in part.program.steps if not isinstance(one, End)}
        last = part.program.steps[-1]
        if isinstance(last, End) and _is_stated(steps.get(last.source), turn):
            return None  # a number that is stated, not counted
    return wanted


def _is_stated(final: object, turn: Turn) -> bool:
    """Tell whether a step gives the quantities that a property states."""
    if not isinstance(final, Follow) or final.direction is not Direction.OUT:
        return False
    known = [turn.store.property(id_) for id_ in final.properties]
    return any(one is not None and one.datatype == "quantity" for one in known)


def _around(turn: Turn) -> Surroundings:
    return Surroundings(
        require=lambda ids: _require(ids, turn),
        value=lambda given, property_, unit: _value(given, property_, unit, turn),
        entity=EntityValue,
        variable=lambda name: _variable(name, turn),
    )


def _value(given: Any, property_: str, unit: str | None, turn: Turn) -> Value:
    known = turn.store.property(property_)
    kind = known.datatype if known is not None else ""
    return read_value(given, kind, unit, lambda ids: _require(ids, turn))


def _variable(name: str, turn: Turn) -> Sequence[Value]:
    found = turn.variables.get(f"${name}")
    if not isinstance(found, Variable):
        raise ToolArgumentError(f"there is no set ${name}.")
    return found.values


def _require(ids: Sequence[str], turn: Turn) -> None:
    """Return if all of ``ids`` were shown.

    Raises:
        UnknownIdError: Naming those that were not.
    """
    unknown = (id_ for id_ in dict.fromkeys(ids) if id_ not in turn.known)
    refuse(tuple(id_ for id_ in unknown if not stands_in(turn.store, id_)))


def _known(handles: Sequence[str], turn: Turn) -> tuple[str, ...]:
    """Return the handles that there are.

    Raises:
        ToolArgumentError: If there is none among them; those given are not repeated, because a
            weak model takes what it reads for something that exists.
    """
    kept = tuple(
        one for one in handles if one in turn.absences or turn.store.evidence(one) is not None
    )
    if not kept:
        raise ToolArgumentError(
            "These handles are neither of facts in the local graph nor of look-ups that found"
            " nothing. Use those that stand there, or steps."
        )
    return kept


def _handles(value: Any) -> tuple[str, ...]:
    """Return handles; of a range ("T3-T9") all in it."""
    found: list[str] = []
    for part in value if isinstance(value, list) else [value]:
        text = _text(part)[:40].strip("[] ")
        match = _RANGE.fullmatch(text)
        if match and int(match[2]) <= int(match[3]) < int(match[2]) + _MOST_HANDLES:
            numbers = range(int(match[2]), int(match[3]) + 1)
            found += [f"{match[1]}{number}" for number in numbers]
        elif _HANDLE.fullmatch(text):
            found.append(text)
        if len(found) > _MOST_HANDLES:
            break
    return tuple(dict.fromkeys(found[:_MOST_HANDLES]))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
