"""Whatever a SPARQL server answers, a source gives what it can or ends in an error of its own."""

from __future__ import annotations

import gc
import json
import random
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from robodata_core.errors import MalformedResponseError, SourceError
from robodata_core.model import EntityKind, EntityValue, StringValue
from robodata_core.serve.wikibase import Reply
from robodata_core.sources.sparql import SparqlEndpoint, SparqlSource
from tests.core.sources.live import Canned, quick_client, serving

JSON = "application/sparql-results+json"
XSD = "http://www.w3.org/2001/XMLSchema#"
IRIS = ("http://e/x", "http://www.wikidata.org/entity/Q42", "urn:a b", "", "x" * 3_000)
PLAIN = ("Hamlet", "", "\x1b[31mred", "label", "yes", "a\nb" * 100, "\ud83d", "9" * 500)
TYPED = {
    "double": ("INF", "NaN", "1e400"), "integer": ("9" * 400, "abc"), "boolean": ("maybe",),
    "dateTime": ("2026-13-45T99:99:99Z", "-99999999999-01-01T00:00:00Z"), "gYear": ("0000",),
}  # fmt: skip
TERMS: tuple[dict[str, Any], ...] = (
    *({"type": "uri", "value": value} for value in IRIS),
    *({"type": "literal", "value": value} for value in PLAIN),
    *({"type": "literal", "value": "Hamlet", "xml:lang": tag} for tag in ("en", "", "no tag")),
    *(
        {"type": "literal", "value": value, "datatype": XSD + name}
        for name, values in TYPED.items()
        for value in values
    ),
    {"type": "literal", "value": "Point(NaN 999)", "datatype": "urn:wktLiteral"},
    {"type": "bnode", "value": "b0"},
)


class Odd(Canned):
    """Answers every query with rows that chance has put together, now and then of other names."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)

    def sparql(self, query: str) -> Reply:
        chance = self._chance
        names = re.findall(r"[?$](\w+)", query.partition("{")[0])
        names = chance.choice((names, names, names, names[::-1], names[1:], [*names, "zz"]))
        rows = [
            {name: self._term() for name in names if chance.random() < 0.9}
            for _ in range(chance.choice((0, 1, 3, 10)))
        ]
        body: dict[str, Any] = {"head": {"vars": names}, "results": {"bindings": rows}}
        if re.match(r"(PREFIX\n.*\n.*\n)*ASK", query):
            body = {"head": {}, "boolean": True}
        return Reply(200, json.dumps(body).encode(), JSON)

    def _term(self) -> dict[str, Any]:
        few = self._chance.random() < 0.4
        return self._chance.choice(TERMS[:2] if few else TERMS)


CALLS: dict[str, Callable[[SparqlSource], object]] = {
    "search": lambda source: source.search("Hamlet", kind=EntityKind.ITEM),
    "names": lambda source: source.lookup_names(["Hamlet", "x"]),
    "entities": lambda source: source.entities(["http://e/x", "http://e/y"]),
    "statements": lambda source: source.statements("http://e/x"),
    "many": lambda source: source.statements_many(["http://e/x", "http://e/y"]),
    "relations": lambda source: source.relations("http://e/x"),
    "query": lambda source: source.sparql("SELECT ?a (COUNT(?b) AS ?n) { ?a ?b 1 } GROUP BY ?a"),
}


@pytest.mark.parametrize("name", CALLS)
def test_odd_rows_end_in_nothing_worse_than_an_error_of_the_source(name: str) -> None:
    given = 0
    for seed in range(12):
        with serving(Odd(seed)) as server:
            client = quick_client()
            source = SparqlSource(client, SparqlEndpoint(client, server.sparql_url), name="odd")
            for _ in range(3):
                try:
                    CALLS[name](source)
                    given += 1
                except SourceError:
                    continue
            source.close()
    assert given


def answered(variables: list[str], rows: list[dict[str, Any]], query: str) -> Any:
    body = json.dumps({"head": {"vars": variables}, "results": {"bindings": rows}}).encode()
    with serving(Canned(sparql=Reply(200, body, JSON))) as server:
        return SparqlEndpoint(quick_client(), server.sparql_url).query(query)


ROW = {"a": {"type": "uri", "value": "urn:a"}, "n": {"type": "literal", "value": "one"}}
QUERY = "SELECT ?n (MAX(?c) AS ?m) ?a { ?a ?n ?c } GROUP BY ?n ?a"


def test_rows_hold_what_was_asked_for_in_its_order() -> None:
    found = answered(["a", "n", "other"], [ROW], QUERY)
    assert found.variables == ("n", "m", "a")
    assert found.rows == ((StringValue("one"), None, EntityValue("urn:a")),)
    assert answered(["a", "n"], [ROW], "SELECT * { ?a ?n ?c }").variables == ("a", "n")


def test_rows_of_nothing_that_was_asked_for_are_no_answer() -> None:
    with pytest.raises(MalformedResponseError, match="these variables"):
        answered(["x"], [{"x": ROW["a"]}], QUERY)


def test_triples_are_no_answer_to_a_select() -> None:
    reply = Reply(200, b"<urn:a> <urn:b> <urn:c> .\n", "application/n-triples")
    with serving(Canned(sparql=reply)) as server, pytest.raises(MalformedResponseError):
        SparqlEndpoint(quick_client(), server.sparql_url).query(QUERY)


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What Python would write to the terminal because nobody could catch it."""
    seen: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda said: seen.append(str(said.exc_value)))
    yield seen


def test_rows_that_break_off_are_told_in_any_thread_and_nothing_else_is(
    complaints: list[str],
) -> None:
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            answered(["a", "n"], [ROW, {"a": {"type": "uri", "value": "no IRI"}}], QUERY)
        except MalformedResponseError as error:
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(errors) == 1
    errors.clear()  # what the error holds ends here, in another thread
    gc.collect()
    assert complaints == []
