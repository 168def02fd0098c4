"""A ``SparqlResult`` as the SPARQL 1.1 Query Results JSON Format, or as N-Triples.

Terms are those the model's values stand for, so a number may come back in another spelling, and
the direct predicate of a property in a SELECT as the property itself.
"""

from __future__ import annotations

import json
from typing import Any

import pyoxigraph as ox

from robodata_core.model import NoValue, SparqlResult, Value
from robodata_core.store._terms import triple_to_terms, value_to_term

__all__ = ["results_json", "results_ntriples"]


def results_json(result: SparqlResult) -> bytes:
    """Return the rows of a SELECT, or the answer of an ASK."""
    if result.boolean is not None:
        return json.dumps({"head": {}, "boolean": result.boolean}).encode()
    bindings = [
        {
            name: _term(value, f"{number}.{name}")
            for name, value in zip(result.variables, row, strict=True)
            if value is not None and not isinstance(value, NoValue)
        }
        for number, row in enumerate(result.rows)
    ]
    head = {"vars": list(result.variables)}
    return json.dumps({"head": head, "results": {"bindings": bindings}}).encode()


def results_ntriples(result: SparqlResult) -> bytes:
    """Return the triples of a CONSTRUCT or DESCRIBE."""
    lines = []
    for triple in result.triples:
        try:
            terms = triple_to_terms(triple)
        except ValueError:
            continue  # a blank node as subject: it has no name outside of its graph
        lines.append(" ".join(map(str, terms)) + " .\n")
    return "".join(lines).encode()


def _term(value: Value, seed: str) -> dict[str, Any]:
    term = value_to_term(value, seed=seed)
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    if term.language:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
