"""The Wikibase on loopback: what it answers to requests as they may come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from robodata_core.errors import ConfigurationError
from robodata_core.sources.http import HttpResponse
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import quick_client, serving
from tests.faults import FaultyServer, parse_fault


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyServer]:
    folder = tiny_snapshot(tmp_path_factory.mktemp("serve"))
    source: SnapshotSource
    with open_snapshot(folder) as source, serving(source, redirects={"Q900": "Q42"}) as running:
        yield running


def get(server: FaultyServer, **parameters: str) -> dict[str, Any]:
    found = quick_client().get(server.api_url, parameters).json()
    assert isinstance(found, dict)
    return found


def ask(server: FaultyServer, query: str) -> HttpResponse:
    return quick_client().request("POST", server.sparql_url, data={"query": query})


def test_entities_in_both_format_versions(server: FaultyServer) -> None:
    ids = "Q42|Q900|Q31337|P36|L7"
    for version, missing in (("1", ""), ("2", True)):
        found = get(server, action="wbgetentities", ids=ids, formatversion=version)["entities"]
        assert found["Q31337"] == {"id": "Q31337", "missing": missing}
        assert found["Q42"]["redirects"] == {"from": "Q900", "to": "Q42"}
        assert found["P36"]["datatype"] == "wikibase-item"
        assert found["L7"]["type"] == "lexeme"
        assert found["Q42"]["labels"]["en"]["value"] == "Douglas Adams"


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"action": "wbgetentities"}, "param-missing"),
        ({"action": "wbgetentities", "ids": "nonsense"}, "no-such-entity"),
        ({"action": "wbgetentities", "ids": "|".join(f"Q{n}" for n in range(1, 52))},
         "toomanyvalues"),
        ({"action": "wbsearchentities", "search": "x"}, "missingparam"),
        ({"action": "edit"}, "badvalue"),
        ({}, "badvalue"),
    ],
)  # fmt: skip
def test_errors_have_the_code_of_the_real_service(
    server: FaultyServer, parameters: dict[str, str], code: str
) -> None:
    assert get(server, **parameters)["error"]["code"] == code


def test_search(server: FaultyServer) -> None:
    found = get(server, action="wbsearchentities", search="dna", language="en", limit="1")
    (hit,) = found["search"]
    assert (hit["id"], hit["match"]["type"], hit["match"]["text"]) == ("Q42", "alias", "DNA")


def test_queries(server: FaultyServer) -> None:
    rows = ask(server, "SELECT ?n ?x WHERE { wd:Q16 wdt:P36 ?x . ?x rdfs:label ?n }")
    assert rows.headers["content-type"].startswith("application/sparql-results+json")
    (row,) = json.loads(rows.body)["results"]["bindings"]
    assert row["x"] == {"type": "uri", "value": "http://www.wikidata.org/entity/Q1930"}
    assert row["n"] == {"type": "literal", "value": "Ottawa", "xml:lang": "en"}
    assert json.loads(ask(server, "ASK { wd:Q16 wdt:P36 wd:Q16 }").body)["boolean"] is False
    assert ask(server, "SELECT nonsense").status == 400
    assert ask(server, "DROP ALL").status == 400
    assert quick_client().get(server.sparql_url).status == 400
    assert quick_client().get(f"{server.url}/elsewhere").status == 404


def test_faults_strike_as_often_and_where_they_should(server: FaultyServer) -> None:
    server.break_with("404:2@/w/", "400@/sparql")
    try:
        client = quick_client()
        statuses = [client.get(server.api_url, {"action": "x"}).status for _ in range(3)]
        assert statuses == [404, 404, 200]
        assert ask(server, "ASK { ?s ?p ?o }").status == 400
    finally:
        server.break_with()


@pytest.mark.parametrize("text", ["", "429:", "x", "429=", "-1", "429:-1", "slow=soon", "600"])
def test_what_is_no_fault(text: str) -> None:
    with pytest.raises(ConfigurationError):
        parse_fault(text)
