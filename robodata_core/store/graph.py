"""The local graph: what a run knows, and where every triple came from.

One Oxigraph store, in memory or in a folder, that speaks Wikidata's own RDF. For a statement of
Wikidata with a unit and a qualifier it holds, in the graph of the run that fetched it::

    wd:Q42  wdt:P2048 1.96 .                              # the direct triple, unless deprecated
    wd:Q42  p:P2048   wds:Q42-4e0f3b1a-... .
    wds:Q42-4e0f3b1a-...
        ps:P2048 1.96 ; psv:P2048 <urn:robodata:value:...> ;
        pq:P459 wd:Q745072 ; wikibase:rank wikibase:NormalRank ;
        prov:wasDerivedFrom <http://www.wikidata.org/reference/...> ;
        rdf:subject wd:Q42 ; rdf:predicate wdt:P2048 ; rdf:object 1.96 ;   # for any ontology
        rd:handle "T7" ; rd:statementId "Q42$4e0f3b1a-..." ; schema:version 2156000000 ;
        prov:wasAttributedTo <urn:robodata:source:wikidata> ;              # rd:name "wikidata"
        prov:hadPrimarySource <urn:robodata:dataset:...> ;
        prov:wasGeneratedBy <urn:robodata:call:RUN:CALL> .                 # one for each fetch
    <urn:robodata:call:RUN:CALL> a prov:Activity ;
        rd:tool "fetch_node" ; rd:callId "CALL" ; rd:runId "RUN" ;
        rd:run <urn:robodata:run:RUN> ; prov:endedAtTime "..."^^xsd:dateTime ; rd:order 3 .

A statement without an id of its own has the node ``urn:robodata:statement:HASH``. Properties of
other ontologies are their own direct predicate; in the other roles they are
``urn:robodata:qualifier:IRI`` and so on. An unknown value is ``urn:robodata:genid:HASH``; "no
value" is the class ``wdno:P40`` in place of an object. Names (rdfs:label, skos:altLabel,
schema:description) are no facts and stand in the default graph. No triple stands in two graphs,
so the union of all graphs, which queries see, has no duplicates.

One query leads from any direct triple to all of this; ``provenance_query(triple)`` fills it in::

    SELECT * WHERE {
      VALUES (?s ?p ?o) { (wd:Q42 wdt:P2048 1.96) }
      ?statement rdf:subject ?s ; rdf:predicate ?p ; rdf:object ?o ;
        rd:handle ?handle ; wikibase:rank ?rank ;
        prov:wasAttributedTo ?agent ; prov:wasGeneratedBy ?activity .
      ?agent rd:name ?source .
      ?activity rd:runId ?run ; rd:callId ?call ; rd:tool ?tool ; prov:endedAtTime ?retrieved .
      OPTIONAL { ?statement rd:statementId ?statementId }
      OPTIONAL { ?statement prov:hadPrimarySource ?origin }
      OPTIONAL { ?statement schema:version ?revision }
      OPTIONAL { ?statement ?qualifier ?qualifierValue FILTER(...) }
      OPTIONAL { ?statement prov:wasDerivedFrom ?reference
                 OPTIONAL { ?reference ?referenceProperty ?referenceValue FILTER(...) } }
    }

What runs queries is ``queries``, what shows the graph to a model is ``view``, what writes it to
files is ``export``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyoxigraph as ox

from robodata_core.errors import StoreError
from robodata_core.iris import id_from_iri
from robodata_core.model import Entity, Evidence, Property, Statement
from robodata_core.store import _vocabulary as v
from robodata_core.store._disk import letting_go, open_store, sentences
from robodata_core.store._draft import Addition, Removal, side_mentions
from robodata_core.store._index import Fetch
from robodata_core.store._literals import string
from robodata_core.store._memory import FORMAT, read_memory
from robodata_core.store._provenance import provenance_query
from robodata_core.store._reading import ReadableGraph, StoredTriple

__all__ = ["Added", "Fetch", "LocalGraph", "StoredTriple", "provenance_query"]


@dataclass(frozen=True, slots=True)
class Added:
    """What one ``add`` changed.

    Attributes:
        evidence: The triples that were not in the graph before.
        nodes: How many nodes were not.
        edges: How many triples were not.
    """

    evidence: tuple[Evidence, ...]
    nodes: int
    edges: int


class LocalGraph(ReadableGraph):
    """Triples with handles and provenance. Thread-safe; a context manager that closes itself.

    Use ``in_memory`` or ``open``.

    Args:
        store: An Oxigraph store that belongs to nobody else.
        folder: Where it is on disk, or None.
        language: Language tag of the labels written.
    """

    def __init__(self, store: ox.Store, folder: Path | None, language: str) -> None:
        with sentences(folder):
            if not len(store):
                store.add(ox.Quad(v.STORE, v.FORMAT, string(FORMAT)))
                if folder is not None:
                    store.flush()
            memory = read_memory(store)
        super().__init__(store, folder, memory)
        self._language = language

    @classmethod
    def in_memory(cls, *, language: str = "en") -> LocalGraph:
        """Return an empty graph that is gone when it is closed."""
        return cls(ox.Store(), None, language)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, language: str = "en") -> LocalGraph:
        """Open the graph in a folder, or make one there.

        Raises:
            StoreBusyError: If it is open elsewhere.
            StoreError: If the folder is damaged, cannot be written, or is something else.
        """
        with letting_go():
            return cls(open_store(path), Path(path).expanduser(), language)

    def close(self) -> None:
        """Release files and processes; writing and querying raise ``StoreError`` from now on."""
        self._processes.close()
        with self._lock:
            self._rdf = None

    def __enter__(self) -> LocalGraph:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # -- writing ------------------------------------------------------------------------------

    def add(
        self,
        statements: Iterable[Statement],
        fetch: Fetch,
        *,
        entities: Iterable[Entity] = (),
        properties: Iterable[Property] = (),
    ) -> Added:
        """Store statements and names: all of them or, on an error, none.

        Entities become nodes even without a triple, unless the statements mention them only as
        unit, in qualifiers or in references.

        Args:
            statements: What a source stated.
            fetch: The call that fetched them.
            entities: Names of items.
            properties: Names of properties.

        Returns:
            What is new in the graph. On disk it is safe there.

        Raises:
            StoreFullError: If there is no space left; the graph is as before.
            StoreError: If an id or value cannot be stored, or the disk fails.
        """
        given = tuple(statements)
        with self._lock:
            nodes = self._memory.index.node_count
            addition = Addition(self._memory, fetch, self._language)
            self._stage(addition, given, tuple(entities), tuple(properties))
            self._commit(addition)
            new = tuple(self._evidence(fact) for fact in addition.new_facts.values())
            return Added(new, self._memory.index.node_count - nodes, len(new))

    def _stage(
        self,
        addition: Addition,
        statements: tuple[Statement, ...],
        entities: tuple[Entity, ...],
        properties: tuple[Property, ...],
    ) -> None:
        aside = side_mentions(statements)
        try:
            for statement in statements:
                addition.statement(statement)
            for property_ in properties:
                addition.names(property_)
            for entity in entities:
                addition.names(entity)
                if entity.id not in aside:
                    addition.mark(entity.id)
        except ValueError as error:
            raise StoreError(f"A statement cannot be stored: {error}.") from error
        addition.finish()

    def remove_node(self, id_: str) -> tuple[str, ...]:
        """Remove a node with all triples it is in; their handles are never used again.

        Returns:
            The handles of the removed triples; nothing happens if there is no such node.
        """
        node = id_from_iri(id_)
        with self._lock:
            if not self._memory.index.is_node(node):
                return ()
            with sentences(self._folder):
                removal = Removal(self._memory, self._store, node)
            self._commit(removal)
            return tuple(fact.handle for fact in removal.facts)

    def _commit(self, change: Addition | Removal) -> None:
        """Carry out a change in one transaction; it is on disk before memory learns of it."""
        self._version += 1
        try:
            with sentences(self._folder):
                _write(self._store, change.added, change.removed)
                if self._folder is not None:
                    self._store.flush()
            change.apply()
        except BaseException:  # an interrupt, too, may come when only half of it is done
            self._recover()
            raise

    def _recover(self) -> None:
        """After a failed write: believe the RDF, which may or may not have taken it."""
        try:
            self._memory = read_memory(self._store)
        except (StoreError, OSError):
            return  # the disk does not answer: what memory knows is the best there is

    def export(self, format: str, target: str | Path | IO[bytes]) -> None:
        """Write the graph to a file; see ``export.export_graph``."""
        from robodata_core.store.export import export_graph

        export_graph(self, format, target)


def _write(store: ox.Store, added: list[ox.Quad], removed: list[ox.Quad]) -> None:
    if not removed:
        store.extend(added)
        return
    # Oxigraph runs all operations of one update as one transaction.
    store.update(f"DELETE DATA {{ {_data(removed)} }} ; INSERT DATA {{ {_data(added)} }}")


def _data(quads: Iterable[ox.Quad]) -> str:
    parts = []
    for quad in quads:
        triple = f"{quad.subject} {quad.predicate} {quad.object} ."
        default = isinstance(quad.graph_name, ox.DefaultGraph)
        parts.append(triple if default else f"GRAPH {quad.graph_name} {{ {triple} }}")
    return "\n".join(parts)
