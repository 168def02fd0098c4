"""Patterns of triples with variables, as SPARQL and back from its rows. No strings are trusted.

Every IRI and literal of a pattern goes through the same reader as any other message, and into the
query as an escaped term; variables are letters, digits and underscores. A query that says no more
than such triples is read as a pattern, too, so that its rows can be explained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from robodata_core.errors import InvalidRequestError
from robodata_core.iris import RDF, XSD, id_from_iri, iri_of, is_id, is_property_id, predicate_iri
from robodata_core.model import EntityValue, QuantityValue, StringValue, TimeValue, Triple, Value
from robodata_core.store.queries import PREFIXES, check_read_only
from robodata_core.values import iso_time, text_of
from robodata_msgs import msg as m
from robodata_ros import convert

__all__ = ["Pattern", "pattern_of", "read_pattern"]

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,30}\Z", re.ASCII)
_MOST: Final = 20
_HEAD: Final = re.compile(r"(?:SELECT|DISTINCT|REDUCED|WHERE|\*|[?$]\w+)\Z", re.IGNORECASE)
_TAIL: Final = re.compile(r"(?:LIMIT|OFFSET|\d+)\Z", re.IGNORECASE)
_KEPT: Final = {".": 0, ";": 1, ",": 2}
"""Parts of a triple that the next one begins with, by what stands between them."""


@dataclass(frozen=True, slots=True)
class _Variable:
    name: str


_Part: TypeAlias = "_Variable | Value"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Triples that must all hold; their parts are values or variables."""

    triples: tuple[tuple[_Part, _Part, _Part], ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order in which they come."""
        parts = (part for triple in self.triples for part in triple)
        return tuple(dict.fromkeys(part.name for part in parts if isinstance(part, _Variable)))

    @property
    def sparql(self) -> str:
        """The same as a query: a SELECT of the variables, or an ASK where there are none."""
        lines = [
            f"  {_written(s)} {_written(p, predicate=True)} {_written(o)} ."
            for s, p, o in self.triples
        ]
        body = "{\n" + "\n".join(lines) + "\n}"
        names = " ".join(f"?{name}" for name in self.variables)
        return f"SELECT DISTINCT {names} WHERE {body}" if names else f"ASK {body}"

    def bound(self, row: Mapping[str, Value | None]) -> Iterator[Triple]:
        """Yield the triples with a row's values in place of variables."""
        for triple in self.triples:
            parts = [row.get(p.name) if isinstance(p, _Variable) else p for p in triple]
            subject, predicate, value = parts
            if (
                isinstance(subject, EntityValue)
                and isinstance(predicate, EntityValue)
                and value is not None
            ):
                yield Triple(subject.id, predicate.id, value)


def read_pattern(messages: Sequence[Any]) -> Pattern:
    """Return the pattern of a request.

    Raises:
        InvalidRequestError: If it is empty, too large, or a part of it is malformed.
    """
    if not 0 < len(messages) <= _MOST:
        raise InvalidRequestError(f"A pattern has 1 to {_MOST} triples.")
    triples = []
    for number, message in enumerate(messages, 1):
        try:
            triples.append(
                (_node(message.subject), _node(message.predicate, True), _part(message.object))
            )
        except InvalidRequestError as error:
            raise InvalidRequestError(f"Triple {number}: {error.message}") from error
    return Pattern(tuple(triples))


def pattern_of(query: str) -> Pattern | None:
    """Return the triples that a SELECT consists of; None if it says anything else.

    Args:
        query: A query that has been run, so it is well-formed.
    """
    words = check_read_only(query).rstrip().split("\n")  # a token a line
    prefixes = dict(PREFIXES)
    while words[0].upper() == "PREFIX":
        prefixes[words[1].removesuffix(":")] = words[2][1:-1]
        words = words[3:]
    if "{" not in words:
        return None
    begin, end = words.index("{"), len(words) - 1 - words[::-1].index("}")
    if not all(map(_HEAD.match, words[:begin])) or not all(map(_TAIL.match, words[end + 1 :])):
        return None
    triples, parts = [], []
    for word in (*words[begin + 1 : end], "."):
        if word not in _KEPT:
            part = _read(word, prefixes)
            if part is None:
                return None
            parts.append(part)
        elif len(parts) == 3:
            triples.append((parts[0], parts[1], parts[2]))
            del parts[_KEPT[word] :]
        elif parts:
            return None
    return Pattern(tuple(triples))


def _read(word: str, prefixes: Mapping[str, str]) -> _Part | None:
    """Return a variable or an IRI of a query; None for any other token."""
    if word[0] in "?$":
        return _Variable(word[1:])
    if word == "a":
        return EntityValue(RDF + "type")
    if word[0] == "<":
        return EntityValue(id_from_iri(word[1:-1]))
    prefix, colon, local = word.partition(":")
    if not colon or prefix not in prefixes or "\\" in local:
        return None
    return EntityValue(id_from_iri(prefixes[prefix] + local))


def _part(term: Any) -> _Part:
    if term.kind == m.Term.VARIABLE:
        if not _VARIABLE.match(term.value):
            raise InvalidRequestError(f"{term.value[:40]!r} is no name of a variable.")
        return _Variable(term.value)
    value = convert.value_from_msg(term)
    if isinstance(value, (bool, int)):
        raise InvalidRequestError("A truth value or count is no part of a pattern.")
    return value


def _node(term: Any, is_predicate: bool = False) -> _Part:
    part = _part(term)
    if isinstance(part, _Variable):
        return part
    good = is_property_id if is_predicate else is_id
    if not isinstance(part, EntityValue) or not good(part.id):
        raise InvalidRequestError("Subject and predicate are IRIs or variables.")
    return part


def _written(part: _Part, *, predicate: bool = False) -> str:
    if isinstance(part, _Variable):
        return f"?{part.name}"
    if isinstance(part, EntityValue):
        return f"<{predicate_iri(part.id) if predicate else iri_of(part.id)}>"
    if isinstance(part, QuantityValue):
        return f'"{part.amount}"^^<{XSD}decimal>'
    if isinstance(part, TimeValue):
        return f'"{iso_time(part)}"^^<{XSD}dateTime>'
    text = text_of(part)
    if text is None:
        raise InvalidRequestError("This kind of value cannot be looked for by a pattern.")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    escaped = escaped.replace("\r", "\\r")
    language = getattr(part, "language", "")
    datatype = part.datatype if isinstance(part, StringValue) else ""
    if language and re.match(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z", language):
        return f'"{escaped}"@{language}'
    return f'"{escaped}"^^<{iri_of(datatype)}>' if datatype else f'"{escaped}"'
