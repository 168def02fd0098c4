"""The local graph: what a run knows, and where every triple came from.

RDF in memory, in a folder or at a SPARQL server, that speaks Wikidata's own. For a statement of
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

One query leads from any direct triple to all of this::

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
      OPTIONAL { ?statement ?qualifier ?qualifierValue
                 FILTER(CONTAINS(STR(?qualifier), "qualifier")) }
      OPTIONAL { ?statement prov:wasDerivedFrom ?reference
                 OPTIONAL { ?reference ?referenceProperty ?referenceValue
                            FILTER(CONTAINS(STR(?referenceProperty), "reference")) } }
    }

At a server the default graph is the named graph ``urn:robodata:graph:names``; see ``_server``.
What runs queries is ``queries``, what shows the graph to a model is ``view``, what writes it to
files is ``export``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, TypeVar

from robodata_core.errors import StoreError
from robodata_core.iris import id_from_iri
from robodata_core.model import Entity, Evidence, Property, Statement
from robodata_core.store._backend import Backend, Embedded, letting_go
from robodata_core.store._draft import Addition, Removal, side_mentions
from robodata_core.store._index import Fetch
from robodata_core.store._memory import read_memory
from robodata_core.store._reading import ReadableGraph, StoredTriple

__all__ = ["Added", "Fetch", "LocalGraph", "StoredTriple"]

_MOST_DRAFTS: Final = 50
_Change = TypeVar("_Change", Addition, Removal | None)


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

    Use ``in_memory`` or ``open``; ``open.open_graph`` makes what the settings ask for.

    Args:
        backend: Where its RDF is kept; closed with the graph.
        language: Language tag of the labels written.

    Attributes:
        trouble: Why the last change could not be made; empty after one that could.
    """

    def __init__(self, backend: Backend, language: str) -> None:
        super().__init__(backend)
        self.trouble = ""
        self._language = language

    @classmethod
    def in_memory(cls, *, language: str = "en") -> LocalGraph:
        """Return an empty graph that is gone when it is closed."""
        return cls(Embedded(), language)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, language: str = "en") -> LocalGraph:
        """Open the graph in a folder, or make one there.

        Raises:
            StoreBusyError: If it is open elsewhere.
            StoreError: If the folder is damaged, cannot be written, or is something else.
        """
        with letting_go():
            return cls(Embedded(path), language)

    def close(self) -> None:
        """Release files, connections and processes.

        Writing and querying raise ``StoreError`` from now on.
        """
        self._processes.close()
        with self._lock:
            backend, self._kept = self._kept, None
            if backend is not None:
                backend.close()

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
        given = (tuple(statements), tuple(entities), tuple(properties))

        def _draft() -> Addition:
            addition = Addition(self._memory, fetch, self._language)
            self._stage(addition, *given)
            return addition

        with self._lock:
            addition = self._commit(_draft)
            new = tuple(self._evidence(fact) for fact in addition.new_facts.values())
            return Added(new, addition.new_nodes, len(new))

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

        def _draft() -> Removal | None:
            if not self._memory.index.is_node(node):
                return None
            with self._backend.guard():
                return Removal(self._memory, self._store, node)

        with self._lock:
            self._catch_up()
            removal = self._commit(_draft)
            return tuple(fact.handle for fact in removal.facts) if removal is not None else ()

    def _commit(self, draft: Callable[[], _Change]) -> _Change:
        """Carry out a change whole or not at all; it is kept before memory learns of it.

        Somebody else may have changed the graph since the change was drafted: then it is drafted
        again on what they left.
        """
        try:
            change = self._committed(draft)
        except StoreError as error:
            self.trouble = str(error)
            raise
        self.trouble = ""
        return change

    def _committed(self, draft: Callable[[], _Change]) -> _Change:
        for _ in range(_MOST_DRAFTS):
            change = draft()
            if change is None or not (change.added or change.removed):
                return change
            self._version += 1
            try:
                if self._backend.write(change.added, change.removed):
                    change.apply()
                    return change
            except BaseException:  # an interrupt, too, may come when only half of it is done
                self._recover()
                raise
            self._catch_up(must=True)
        raise StoreError(
            "The local graph is changed by others all the time, so this change could not be made.",
            hint="Try again.",
        )

    def _recover(self) -> None:
        """After a failed write: believe the RDF, which may or may not have taken it."""
        try:
            with self._backend.guard():
                self._memory = read_memory(self._store, self._backend.advice)
        except StoreError:
            return  # the disk does not answer: what memory knows is the best there is

    def export(self, format: str, target: str | Path | IO[bytes]) -> None:
        """Write the graph to a file; see ``export.export_graph``."""
        from robodata_core.store.export import export_graph

        export_graph(self, format, target)
