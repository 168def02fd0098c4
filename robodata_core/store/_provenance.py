"""From a triple to everything known about where it came from, in one SPARQL query."""

from __future__ import annotations

from typing import Final

from robodata_core.model import Provenance, Statement, Triple
from robodata_core.store._index import Fetch
from robodata_core.store._statements import canonical_triple
from robodata_core.store.terms import triple_to_terms

PROVENANCE: Final = """
SELECT * WHERE {
  VALUES (?s ?p ?o) { (SUBJECT PREDICATE OBJECT) }
  ?statement rdf:subject ?s ; rdf:predicate ?p ; rdf:object ?o ;
    rd:handle ?handle ; wikibase:rank ?rank ;
    prov:wasAttributedTo ?agent ; prov:wasGeneratedBy ?activity .
  ?agent rd:name ?source .
  ?activity rd:runId ?run ; rd:callId ?call ; rd:tool ?tool ; prov:endedAtTime ?retrieved .
  OPTIONAL { ?statement rd:statementId ?statementId }
  OPTIONAL { ?statement prov:hadPrimarySource ?origin }
  OPTIONAL { ?statement schema:version ?revision }
  OPTIONAL {
    ?statement ?qualifier ?qualifierValue
    FILTER(STRSTARTS(STR(?qualifier), "http://www.wikidata.org/prop/qualifier/")
      || STRSTARTS(STR(?qualifier), "urn:robodata:qualifier"))
  }
  OPTIONAL {
    ?statement prov:wasDerivedFrom ?reference
    OPTIONAL {
      ?reference ?referenceProperty ?referenceValue
      FILTER(STRSTARTS(STR(?referenceProperty), "http://www.wikidata.org/prop/reference/")
        || STRSTARTS(STR(?referenceProperty), "urn:robodata:reference"))
    }
  }
}
"""


def provenance_query(triple: Triple) -> str:
    """Return ``PROVENANCE`` for one triple, ready for ``LocalGraph.query``.

    Raises:
        ValueError: If the triple cannot stand in a graph.
    """
    query = PROVENANCE
    terms = triple_to_terms(canonical_triple(triple))
    for name, term in zip(("SUBJECT", "PREDICATE", "OBJECT"), terms, strict=True):
        query = query.replace(name, str(term), 1)
    return query


def provenance_of(statement: Statement, fetch: Fetch) -> Provenance:
    """Return what one fetch of one statement says about its triple."""
    return Provenance(
        source=statement.source,
        retrieved=fetch.retrieved,
        run_id=fetch.run_id,
        call_id=fetch.call_id,
        tool=fetch.tool,
        statement_id=statement.id,
        rank=statement.rank,
        qualifiers=statement.qualifiers,
        references=statement.references,
        origin=statement.origin,
        revision=statement.revision,
    )
