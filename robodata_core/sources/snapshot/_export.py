"""Writes the graph of a snapshot in an RDF syntax, streaming."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

import pyoxigraph as ox

from robodata_core.errors import ConfigurationError

if TYPE_CHECKING:
    from robodata_core.sources.snapshot._source import SnapshotSource

FORMATS: Final = {
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "nquads": ox.RdfFormat.N_QUADS,
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdfxml": ox.RdfFormat.RDF_XML,
}
_PREFIXES: Final = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wds": "http://www.wikidata.org/entity/statement/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pr": "http://www.wikidata.org/prop/reference/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "dataset": "urn:robodata:dataset:",
}


def write_graph(source: SnapshotSource, format_: str, target: IO[bytes]) -> None:
    """Write all facts and names of a snapshot.

    Args:
        source: The snapshot.
        format_: One of ``FORMATS``; those without named graphs say nothing of data sets.
        target: Where to write.

    Raises:
        ConfigurationError: If there is no such format.
    """
    if format_ not in FORMATS:
        raise ConfigurationError(
            f"There is no format {format_!r}.", hint=f"Known are {', '.join(FORMATS)}."
        )
    format__ = FORMATS[format_]
    quads = source.quads()
    if not format__.supports_datasets:
        rows = (quad.triple for quad in quads)
        ox.serialize(rows, target, format=format__, prefixes=_PREFIXES)
    else:
        ox.serialize(quads, target, format=format__, prefixes=_PREFIXES)
