"""The local graph and answers as files: RDF for other tools, GraphML for graph viewers.

Turtle has the graph as one; TriG, N-Quads and JSON-LD keep the named graph of every run. GraphML
has nodes and triples with labels and handles, without provenance. An answer becomes a
nanopublication: what is asserted, where it comes from, and who published it, each in a graph of
its own, under a head that joins them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final
from xml.etree import ElementTree

import pyoxigraph as ox

from robodata_core._version import __version__
from robodata_core.errors import InvalidRequestError, StoreError
from robodata_core.iris import PROV, SCHEMA
from robodata_core.model import Answer, Claim, EntityValue
from robodata_core.store import _vocabulary as v
from robodata_core.store._literals import string
from robodata_core.store._memory import time_literal
from robodata_core.store._reading import ReadableGraph, StoredTriple
from robodata_core.store._statements import canonical_triple
from robodata_core.store.queries import PREFIXES
from robodata_core.store.terms import Term, digest, triple_to_terms
from robodata_core.values import datatype_of, format_value
from robodata_core.whole_files import write_whole

__all__ = ["FORMATS", "answer_to_nanopub", "export_graph"]

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
_NP: Final = "http://www.nanopub.org/nschema#"
_DCTERMS: Final = "http://purl.org/dc/terms/"


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
    prefixes = {**PREFIXES, "dcterms": _DCTERMS, "np": _NP}
    return ox.serialize(items, format=format_, prefixes=prefixes) or b""


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


# -- nanopublications -------------------------------------------------------------------------


def answer_to_nanopub(
    answer: Answer, graph: ReadableGraph, *, created: datetime | None = None
) -> bytes:
    """Return the supported claims of ``answer`` as a nanopublication in TriG.

    The assertion graph holds the claims and the triples they rest on, the provenance graph the
    statements these triples come from with rank, qualifiers, references, source and tool call,
    the publication graph the question and who answered it.

    Args:
        answer: The answer.
        graph: The local graph its handles belong to.
        created: When it is published; left out if not given.

    Raises:
        InvalidRequestError: If no claim is supported: then there is nothing to publish.
    """
    claims = [claim for claim in answer.claims if claim.supported and claim.support]
    if not claims:
        raise InvalidRequestError("The answer has no supported claim that could be published.")
    name = digest(answer.run_id, answer.question, *(claim.text for claim in claims))
    publication = _Nanopub(f"urn:robodata:nanopub:{name}")
    publication.head()
    for claim in claims:
        publication.claim(claim, graph)
    publication.publication(answer, created)
    return _rdf(publication.quads, ox.RdfFormat.TRIG)


class _Nanopub:
    """Collects the quads of one nanopublication, each once."""

    def __init__(self, iri: str) -> None:
        self._iri = iri
        self._quads: dict[ox.Quad, None] = {}
        self._head, self._assertion, self._provenance, self._publication = (
            ox.NamedNode(f"{iri}#{part}") for part in ("head", "assertion", "provenance", "pubinfo")
        )

    @property
    def quads(self) -> list[ox.Quad]:
        """All quads, grouped by graph, the head first."""
        order = (self._head, self._assertion, self._provenance, self._publication)
        return sorted(self._quads, key=lambda quad: (order.index(quad.graph_name), str(quad)))

    def head(self) -> None:
        """Say which graph is which."""
        self._add(self._head, self._node, v.TYPE, _np("Nanopublication"))
        self._add(self._head, self._node, _np("hasAssertion"), self._assertion)
        self._add(self._head, self._node, _np("hasProvenance"), self._provenance)
        self._add(self._head, self._node, _np("hasPublicationInfo"), self._publication)

    def claim(self, claim: Claim, graph: ReadableGraph) -> None:
        """Add a claim, its triples, and where they come from."""
        node = ox.NamedNode(f"{self._iri}#{claim.id}")
        self._add(self._assertion, node, ox.NamedNode(SCHEMA + "text"), string(claim.text))
        for evidence in claim.support.evidence:
            terms = triple_to_terms(canonical_triple(evidence.triple))
            self._add(self._assertion, *terms)
            for triple in graph.rdf_about(evidence.handle):
                self._add(self._provenance, triple.subject, triple.predicate, triple.object)
            for statement in graph.statement_nodes(evidence.handle):
                self._add(self._provenance, self._assertion, v.DERIVED, ox.NamedNode(statement))
                self._add(self._provenance, node, v.DERIVED, ox.NamedNode(statement))

    def publication(self, answer: Answer, created: datetime | None) -> None:
        """Say what was asked, who answered, and when."""
        agent = ox.NamedNode(f"urn:robodata:version:{__version__}")
        facts: list[tuple[ox.NamedNode, Term]] = [
            (v.ATTRIBUTED, agent),
            (ox.NamedNode(_DCTERMS + "subject"), string(answer.question)),
            (ox.NamedNode(SCHEMA + "creativeWorkStatus"), string(answer.status.value)),
        ]
        if answer.run_id:
            facts.append((v.GENERATED, v.minted(v.RUN, answer.run_id)))
        if created is not None:
            facts.append((ox.NamedNode(_DCTERMS + "created"), time_literal(created)))
        for predicate, term in facts:
            self._add(self._publication, self._node, predicate, term)
        self._add(self._publication, agent, v.TYPE, ox.NamedNode(PROV + "SoftwareAgent"))
        self._add(self._publication, agent, v.NAME, string(f"RoboData {__version__}"))

    @property
    def _node(self) -> ox.NamedNode:
        return ox.NamedNode(self._iri)

    def _add(
        self, graph: ox.NamedNode, subject: object, predicate: ox.NamedNode, object_: object
    ) -> None:
        self._quads[ox.Quad(subject, predicate, object_, graph)] = None  # type: ignore[arg-type]


def _np(name: str) -> ox.NamedNode:
    return ox.NamedNode(_NP + name)
