"""Programs as JSON: for storing them, sending them, and reading back what others wrote.

Reading is strict. Unknown and missing keys, wrong types and repeated keys are errors that say
where they are, and what is read has passed ``check``. Steps and values look as in events (see
``robodata_core._codec``): the class name under ``type``, amounts as strings.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, cast

from robodata_core._codec import CodecError, decode, encode
from robodata_core.errors import ProgramError
from robodata_core.programs.check import check
from robodata_core.programs.steps import Program, Step, step_kinds
from robodata_core.text import parse_json

__all__ = ["FORMAT", "from_json", "from_object", "to_json", "to_object"]

FORMAT: Final = 1
_MAX_LENGTH: Final = 4_000_000
_TAG: Final = "type"


@dataclass(frozen=True, slots=True)
class _Header:
    """A program before its steps are read."""

    steps: tuple[Any, ...]
    exclude_start: bool = False


def to_json(program: Program) -> str:
    """Return ``program`` as one line of JSON.

    Raises:
        ProgramError: If it is not well formed.
    """
    return json.dumps(to_object(program), ensure_ascii=False, allow_nan=False)


def from_json(text: str | bytes) -> Program:
    """Return the program that ``to_json`` wrote.

    Raises:
        ProgramError: If ``text`` is not JSON or not a well-formed program.
    """
    if len(text) > _MAX_LENGTH:
        raise ProgramError(f"A program in JSON has at most {_MAX_LENGTH} characters.")
    try:
        data = parse_json(text, object_pairs_hook=_unique)
    except ValueError as error:
        raise ProgramError(f"This is not JSON: {error}") from None
    return from_object(data)


def to_object(program: Program) -> dict[str, Any]:
    """Return ``program`` as plain dicts and lists, to stand in other JSON.

    Raises:
        ProgramError: If it is not well formed.
    """
    check(program)
    data: dict[str, Any] = encode(program)
    del data[_TAG]
    return {"format": FORMAT, **data}


def from_object(data: object) -> Program:
    """Return the program that ``to_object`` wrote.

    Raises:
        ProgramError: If it is not a well-formed program.
    """
    if not isinstance(data, dict) or _TAG in data:
        raise ProgramError("This is not a program: it is not an object of its own format.")
    if type(data.get("format")) is not int or data["format"] != FORMAT:
        raise ProgramError(f"This is not a program: its 'format' is not {FORMAT}.")
    rest = {key: part for key, part in data.items() if key != "format"}
    try:
        header = decode({_TAG: "_Header", **rest}, _Header)
        steps = tuple(_step(one, place) for place, one in enumerate(header.steps))
    except (CodecError, RecursionError) as error:
        raise ProgramError(f"This is not a program: {error}") from None
    program = Program(steps, header.exclude_start)
    check(program)
    return program


def _step(data: Any, place: int) -> Step:
    tag = data.get(_TAG) if isinstance(data, dict) else None
    kind = step_kinds().get(tag) if isinstance(tag, str) else None
    if kind is None:
        raise CodecError(f"steps[{place}]: {str(tag)[:40]!r} is not a kind of step")
    try:
        return cast("Step", decode(data, kind))
    except CodecError as error:
        raise CodecError(f"steps[{place}].{error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has the same key twice")
    return made
