"""Notes about nodes, spooled to files by a hash of the node.

A node's notes may come from anywhere in the input; each file holds all notes of its share of the
nodes, so that one share at a time is put together in memory. What is noted, ``_collect`` decides.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from robodata_core.sources.names import NAME_KINDS, NameKind

_PARTS: Final = 64
_MAX_BUFFERED: Final = 100_000


@dataclass(slots=True)
class Node:
    """What is known of one node.

    Attributes:
        outgoing: How many facts are stated of it.
        incoming: How many facts point to it.
        is_property: Whether it is said to be a property.
        datatype: The Wikibase datatype it is said to have, as a property.
        names: Kind, place among its like, language, text.
    """

    outgoing: int = 0
    incoming: int = 0
    is_property: bool = False
    datatype: str = ""
    names: list[tuple[NameKind, int, str, str]] = field(default_factory=list)


class Spool:
    """The files; a context manager.

    Args:
        folder: Where they are made.
    """

    def __init__(self, folder: Path) -> None:
        self._buffers: list[list[bytes]] = [[] for _ in range(_PARTS)]
        self._buffered = 0
        self._stack = ExitStack()
        self._files: list[IO[bytes]] = [
            self._stack.enter_context((folder / f"part-{number}").open("w+b"))
            for number in range(_PARTS)
        ]

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stack.close()

    def note(self, key: bytes, kind: bytes, data: bytes) -> None:
        """Note something about the node ``key``.

        Args:
            key: The node, ``<iri>``.
            kind: ``O`` and ``I`` (facts of it, facts pointing to it: a number), ``N`` (a name:
                kind, place, language, text), ``P`` (it is a property), ``D`` (its datatype).
            data: Without line ends; its parts separated by tabs.
        """
        self._buffers[zlib.crc32(key) % _PARTS].append(b"%b\t%b\t%b\n" % (key, kind, data))
        self._buffered += 1
        if self._buffered > _MAX_BUFFERED:
            self._write()

    def shares(self) -> Iterator[dict[bytes, Node]]:
        """Yield all nodes, a share of them at a time; each share is forgotten afterwards."""
        self._write()
        for file in self._files:
            file.seek(0)
            yield _read(file)
            file.truncate(0)

    def _write(self) -> None:
        for file, buffer in zip(self._files, self._buffers, strict=True):
            file.write(b"".join(buffer))
            buffer.clear()
        self._buffered = 0


def _read(file: IO[bytes]) -> dict[bytes, Node]:
    nodes: dict[bytes, Node] = {}
    for line in file:
        key, kind, data = line.split(b"\t", 2)
        node = nodes.get(key)
        if node is None:
            node = nodes[key] = Node()
        if kind == b"O":
            node.outgoing += int(data)
        elif kind == b"I":
            node.incoming += int(data)
        elif kind == b"N":
            name, place, language, text = data.decode("utf-8").split("\t", 3)
            node.names.append((NAME_KINDS[int(name)], int(place), language, text[:-1]))
        elif kind == b"P":
            node.is_property = True
        else:
            node.datatype = declared_datatype(data.decode("utf-8").rstrip())
    return nodes


_LITERAL_KINDS: Final = (
    (b"#dateTime", "time"),
    (b"#date", "time"),
    (b"#gYear", "time"),
    (b"#decimal", "quantity"),
    (b"nteger>", "quantity"),
    (b"#double", "quantity"),
    (b"#float", "quantity"),
    (b"#int>", "quantity"),
    (b"#long>", "quantity"),
    (b"#wktLiteral", "globe-coordinate"),
    (b"#anyURI", "url"),
)
_DATATYPES: Final = {
    "WikibaseItem": "wikibase-item",
    "WikibaseProperty": "wikibase-property",
    "ExternalId": "external-id",
    "GlobeCoordinate": "globe-coordinate",
    "CommonsMedia": "commonsMedia",
}


def declared_datatype(iri: str) -> str:
    """Return the datatype that ``wikibase:propertyType`` names."""
    name = iri.rpartition("#")[2]
    return _DATATYPES.get(name, name.lower())


def kind_of(object_: bytes) -> str:
    """Return the datatype of a value from the beginning of an N-Quads line's object on."""
    if object_[:1] != b'"':
        return "wikibase-item"
    suffix = object_[object_.rindex(b'"') + 1 :]
    if suffix[:1] == b"@":
        return "monolingualtext"
    datatype = suffix.partition(b" ")[0]
    return next((kind for part, kind in _LITERAL_KINDS if part in datatype), "string")


def observed_datatype(kinds: dict[str, int]) -> str:
    """Return the datatype most values have, or an empty string.

    Links and entities look alike: where any value is an entity, the property is about entities.
    """
    if "wikibase-item" in kinds and "url" in kinds:
        kinds = {**kinds, "wikibase-item": kinds["wikibase-item"] + kinds["url"], "url": 0}
    return max(sorted(kinds), key=lambda kind: kinds[kind]) if kinds else ""
