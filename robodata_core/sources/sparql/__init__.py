"""SPARQL 1.1 endpoints: the source over any of them, and the parts that a Wikibase reads with."""

from __future__ import annotations

from robodata_core.sources.sparql._endpoint import (
    Queryable,
    Remembering,
    SparqlEndpoint,
    results_json,
    results_ntriples,
)
from robodata_core.sources.sparql._exact_names import ExactNames
from robodata_core.sources.sparql._source import SparqlSource
from robodata_core.sources.sparql._triples import (
    TripleReader,
    Vocabulary,
    best_text,
    group_names,
    language_chain,
)
from robodata_core.sources.sparql._wide import WideReader, in_order_of_use

__all__ = [
    "ExactNames",
    "Queryable",
    "Remembering",
    "SparqlEndpoint",
    "SparqlSource",
    "TripleReader",
    "Vocabulary",
    "WideReader",
    "best_text",
    "group_names",
    "in_order_of_use",
    "language_chain",
    "results_json",
    "results_ntriples",
]
