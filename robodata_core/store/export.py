"""The local graph as files: RDF for other tools, GraphML for graph viewers.

Turtle has the graph as one; TriG, N-Quads and JSON-LD keep the named graph of every run. GraphML
has nodes and triples with labels and handles, without provenance.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final
from xml.etree import ElementTree

import pyoxigraph as ox

from robodata_core.errors import InvalidRequestError, StoreError
from robodata_core.model import EntityValue
from robodata_core.store._reading import ReadableGraph, StoredTriple
from robodata_core.store.queries import PREFIXES
from robodata_core.values import datatype_of, format_value
from robodata_core.whole_files import write_whole

__all__ = ["FORMATS", "export_graph"]

_RDF: Final = {
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "nquads": ox.RdfFormat.N_QUADS,
    "jsonld": ox.RdfFormat.JSON_LD,
}
_ALIASES: Final = {"ttl": "turtle", "nq": "nquads", "n-quads": "nquads", "json-ld": "jsonld"}
FORMATS: Final = (*_RDF, "graphml")

_GRAPHML: Final = "http://graphml.graphdrawing.org/xmlns"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def export_graph(graph: ReadableGraph, format_: str, target: str | Path | IO[bytes]) -> None:
    """Write ``graph``.

    Args:
        graph: The local graph.
        format_: ``turtle``, ``trig``, ``nquads``, ``jsonld`` or ``graphml``.
        target: A file name, or a binary file to write into. A named file appears only when it is
            complete.

    Raises:
        InvalidRequestError: If there is no such format.
        StoreError: If the file cannot be written.
    """
    name = _ALIASES.get(format_.lower(), format_.lower())
    if name == "graphml":
        data = _graphml(graph)
    elif name in _RDF:
        data = _rdf(sorted(graph.quads(), key=str), _RDF[name])
    else:
        raise InvalidRequestError(
            f"There is no export format {format_!r}.", hint="Formats: " + ", ".join(FORMATS) + "."
        )
    try:
        if isinstance(target, str | os.PathLike):
            write_whole(Path(target), data)
        else:
            target.write(data)
    except OSError as error:
        raise StoreError(f"The export cannot be written: {error}.") from error


def _rdf(quads: Iterable[ox.Quad], format_: ox.RdfFormat) -> bytes:
    items: Any = quads
    if not format_.supports_datasets:
        items = [ox.Triple(quad.subject, quad.predicate, quad.object) for quad in quads]
    return ox.serialize(items, format=format_, prefixes=dict(PREFIXES)) or b""


# -- GraphML ----------------------------------------------------------------------------------

_NODE_KEYS: Final = ("label", "description", "kind", "datatype")
_EDGE_KEYS: Final = ("handle", "property", "label", "rank", "source")


def _graphml(graph: ReadableGraph) -> bytes:
    root = ElementTree.Element("graphml", xmlns=_GRAPHML)
    for scope, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            attributes = {"id": f"{scope}-{key}", "for": scope, "attr.name": key}
            ElementTree.SubElement(root, "key", {**attributes, "attr.type": "string"})
    body = ElementTree.SubElement(root, "graph", id="local", edgedefault="directed")
    for id_ in graph.nodes():
        entity = graph.entity(id_)
        description = entity.description if entity else ""
        _node(body, id_, graph.label(id_) or id_, description, "entity", "item")
    for stored in graph.triples():
        _edge(body, stored, graph)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _edge(body: ElementTree.Element, stored: StoredTriple, graph: ReadableGraph) -> None:
    value = stored.triple.object
    if isinstance(value, EntityValue):
        target = value.id
    else:
        # Every literal is a node of its own: equal texts are not the same thing.
        target = f"{stored.handle}-value"
        _node(body, target, format_value(value, graph.label), "", "literal", datatype_of(value))
    attributes = {"source": stored.triple.subject, "target": target, "id": stored.handle}
    edge = ElementTree.SubElement(
        body, "edge", {name: _xml(text) for name, text in attributes.items()}
    )
    evidence = graph.evidence(stored.handle)
    origin = evidence.provenance[0] if evidence and evidence.provenance else None
    _data(edge, "edge-handle", stored.handle)
    _data(edge, "edge-property", stored.triple.predicate)
    _data(edge, "edge-label", graph.label(stored.triple.predicate) or stored.triple.predicate)
    _data(edge, "edge-rank", origin.rank.value if origin else "")
    _data(edge, "edge-source", origin.source if origin else "")


def _node(
    body: ElementTree.Element, id_: str, label: str, description: str, kind: str, datatype: str
) -> None:
    node = ElementTree.SubElement(body, "node", id=_xml(id_))
    for key, text in zip(_NODE_KEYS, (label, description, kind, datatype), strict=True):
        _data(node, f"node-{key}", text)


def _data(parent: ElementTree.Element, key: str, text: str) -> None:
    if text:
        ElementTree.SubElement(parent, "data", key=key).text = _xml(text)


def _xml(text: str) -> str:
    """Replace the characters no XML document may hold, escaped or not."""
    return _NOT_XML.sub("\ufffd", text)
