"""Wikibase's JSON: real responses of the services, and documents that somebody broke."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    Rank,
    SomeValue,
    StringValue,
    TimeValue,
    UrlValue,
)
from robodata_core.sources.wikibase import (
    UnsupportedEntityError,
    parse_entity,
    pick_term,
)
from tests.conftest import ROOT

FIXTURES = ROOT.parent / "shared" / "data" / "wikidata_api_fixtures"
needs_fixtures = pytest.mark.skipif(
    not FIXTURES.is_dir(), reason="the recorded responses of Wikidata are not here"
)

# file | entity | English label (first 40 letters) | statements | qualifiers | references
YIELDS = """
entitydata/L1883 | L1883 | unsupported
entitydata/L42 | L42 | unsupported
entitydata/L42353 | L42353 | unsupported
entitydata/P31 | P31 | instance of | 228 | 1284 | 6
entitydata/P3111 | P3111 | FEI athlete ID | 23 | 24 | 2
entitydata/Q1 | Q1 | Universe | 178 | 158 | 36
entitydata/Q120248304 | Q120248304 |  | 9 | 3 | 9
entitydata/Q17633526 | Q17633526 | Wikinews article | 13 | 1 | 0
entitydata/Q17948861 | Q17948861 |  | 1 | 0 | 0
entitydata/Q182397 | Q182397 | Lars Løkke Rasmussen | 123 | 125 | 59
entitydata/Q42 | Q42 | Douglas Adams | 332 | 152 | 149
entitydata/Q51605722 | Q51605722 | The effect of graded hemorrhage and intr | 15 | 3 | 13
entitydata/Q53713 | Q53713 | Olof Palme | 209 | 183 | 123
entitydata/Q8413 | Q8413 | Constantine the Great | 305 | 72 | 96
wikibase_sdk/entity_L525 | L525 | unsupported
wikibase_sdk/entity_M56656949 | M56656949 | unsupported
wikibase_sdk/entity_M566797 | M566797 | unsupported
wikibase_sdk/entity_P3035 | P3035 |  | 4 | 0 | 0
wikibase_sdk/entity_P8098 | P8098 | Biographical Dictionary of Architects in | 20 | 12 | 0
wikibase_sdk/entity_Q1 | Q1 |  | 1 | 3 | 1
wikibase_sdk/entity_Q19180293 | Q19180293 |  | 1 | 2 | 0
wikibase_sdk/entity_Q2112 | Q2112 | Bielefeld | 186 | 75 | 55
wikibase_sdk/entity_Q217447 | Q217447 | Verla | 25 | 2 | 11
wikibase_sdk/entity_Q22002395 | Q22002395 | Gewissensbisse | 12 | 0 | 8
wikibase_sdk/entity_Q235557 | Q235557 |  | 2 | 0 | 0
wikibase_sdk/entity_Q271094 | Q271094 | Neihu District | 268 | 396 | 246
wikibase_sdk/entity_Q328212 | Q328212 | Veronica Roth | 98 | 14 | 55
wikibase_sdk/entity_Q4115189 | Q4115189 | Wikidata Sandbox | 6 | 0 | 0
wikibase_sdk/entity_Q4132785 | Q4132785 | Bring the Jubilee | 21 | 3 | 7
wikibase_sdk/entity_Q571 | Q571 | book | 185 | 68 | 33
wikibase_sdk/entity_Q646148 | Q646148 | Henning Christophersen | 60 | 48 | 29
wikibase_sdk/entity_Q970917 | Q970917 |  | 4 | 0 | 0
wikibase_sdk/entity_empty_values | Q4115189 |  | 3 | 0 | 0
wikibase_sdk/other_L525-F2 | L525-F2 | unsupported
wikibase_sdk/other_L525-S1 | L525-S1 | unsupported
wikibase_sdk/wbgetentities_wbgetentities_response | Q3235026 |  | 4 | 0 | 0
wikidata_toolkit/item | Q34987 | Bile | 13 | 1 | 9
wikidata_toolkit/property | P3467 | Inventario Sculture - Polo Museale Fiore | 10 | 1 | 0
wikidata_toolkit/wbgetentites-Oliver-Kahn | Q131261 | Oliver Kahn | 35 | 4 | 19
wikidata_toolkit/wbgetentities-1234567890-missing | None | missing
wikidata_toolkit/wbgetentities-Douglas-Adams | Q42 | Douglas Adams | 74 | 12 | 51
wikidata_toolkit/wbgetentities-Q1 | Q1 | universe | 16 | 4 | 4
wikidata_toolkit/wbgetentities-Q32063953 | Q1040 | Karlsruhe | 173 | 106 | 93
wikidata_toolkit/wbgetentities-Q6-Q42-P31 | Q6 | missing
wikidata_toolkit/wbgetentities-Q6-Q42-P31 | Q42 | Douglas Adams | 69 | 12 | 48
wikidata_toolkit/wbgetentities-Q6-Q42-P31 | P31 | instance of | 1 | 0 | 0
wikidata_toolkit/wbgetentities-RandomImage.jpg | M65057 | unsupported
wikidata_toolkit/wbgetentities-missing-mid | M91629437 | missing
wikidata_toolkit/wbgetentities-titles | M89 | unsupported
wikidata_toolkit/wbgetentities-titles | M37 | unsupported
wikidata_toolkit/wbgetentities-virtual-Test.jpg | M4215516 | missing
"""


def load(name: str) -> Any:
    with gzip.open(FIXTURES / f"{name}.json.gz") as file:
        return json.load(file)


def documents(name: str) -> list[dict[str, Any]]:
    data = load(name)
    if isinstance(data, list):
        return data
    return list(data["entities"].values()) if "entities" in data else [data]


def table() -> Iterator[tuple[str, ...]]:
    for line in YIELDS.strip().splitlines():
        yield tuple(cell.strip() for cell in line.split("|"))


@needs_fixtures
@pytest.mark.parametrize("row", tuple(table()), ids=lambda row: f"{row[0]}:{row[1]}")
def test_what_a_real_response_yields(row: tuple[str, ...]) -> None:
    name, id_, label, *counts = row
    (document,) = (
        item
        for item in documents(name)
        if str(item.get("id")) == id_ or (id_ == "None" and "id" not in item)
    )
    if label == "unsupported":
        with pytest.raises(UnsupportedEntityError):
            parse_entity(document, source="wikidata")
        return
    parsed = parse_entity(document, source="wikidata")
    if label == "missing":
        assert parsed is None
        return
    assert parsed is not None
    assert parsed.id == id_
    assert parsed.entity.label[:40].strip() == label
    assert parsed.skipped == 0
    found = (
        len(parsed.statements),
        sum(len(item.qualifiers) for item in parsed.statements),
        sum(len(item.references) for item in parsed.statements),
    )
    assert found == tuple(map(int, counts))


@needs_fixtures
def test_nothing_of_a_real_response_is_lost() -> None:
    seen: set[type] = set()
    for path in sorted(FIXTURES.glob("*/*.json.gz")):
        data = load(str(path.relative_to(FIXTURES)).removesuffix(".json.gz"))
        entities = data.get("entities") if isinstance(data, dict) else data
        for document in entities.values() if isinstance(entities, dict) else entities or ():
            if not isinstance(document, dict) or document.get("type") not in ("item", "property"):
                continue
            parsed = parse_entity(document, source="wikidata")
            assert parsed is not None
            groups = document.get("claims") or {}
            claims = [claim for group in groups.values() for claim in group]
            assert len(parsed.statements) == len(claims)
            assert [item.id for item in parsed.statements] == [
                claim.get("id", "") for claim in claims
            ]
            seen |= {type(item.value) for item in parsed.statements}
    assert seen == {
        CoordinateValue,
        EntityValue,
        ExternalIdValue,
        MonolingualTextValue,
        NoValue,
        QuantityValue,
        SomeValue,
        StringValue,
        TimeValue,
        UrlValue,
    }


@needs_fixtures
def test_douglas_adams_as_he_is_today() -> None:
    (document,) = documents("entitydata/Q42")
    assert "en" not in document["labels"]
    parsed = parse_entity(document, source="wikidata")
    assert parsed is not None
    assert parsed.entity.label == "Douglas Adams"
    assert parsed.entity.types == ("Q5",)
    assert parsed.revision == document["lastrevid"]
    (born,) = (s for s in parsed.statements if s.property == "P569" and s.rank is Rank.NORMAL)
    assert born.value == TimeValue(1952, 3, 11)
    assert born.references


# -- by hand ----------------------------------------------------------------------------------


def snak(property_: str, kind: str, value: Any, datatype: str = "") -> dict[str, Any]:
    found = {
        "snaktype": "value",
        "property": property_,
        "datavalue": {"type": kind, "value": value},
    }
    return found | ({"datatype": datatype} if datatype else {})


ITEM: dict[str, Any] = {
    "type": "item",
    "id": "Q1",
    "lastrevid": 7,
    "labels": {"en": {"language": "en", "value": "thing"}, "mul": {"value": "Ding"}},
    "descriptions": [],
    "aliases": {"en": [{"language": "en", "value": "object"}]},
    "claims": {
        "P31": [
            {
                "mainsnak": snak("P31", "wikibase-entityid", {"entity-type": "item", "id": "Q5"}),
                "type": "statement",
                "id": "Q1$a",
                "rank": "preferred",
                "qualifiers": {"P585": [snak("P585", "time", {"time": "+2001-00-00T00:00:00Z",
                    "precision": 9, "calendarmodel": "http://www.wikidata.org/entity/Q1985727"})]},
                "qualifiers-order": ["P585"],
                "references": [{"hash": "h", "snaks": {"P854": [
                    snak("P854", "string", "https://example.org/", "url")]}}],
            }
        ],
        "P2048": [
            {
                "mainsnak": snak("P2048", "quantity", {"amount": "+1.80", "unit":
                    "http://www.wikidata.org/entity/Q11573", "lowerBound": "+1.7"}),
                "rank": "normal",
            },
            {"mainsnak": {"snaktype": "novalue", "property": "P2048"}, "rank": "deprecated"},
        ],
        "P625": [{"mainsnak": snak("P625", "globecoordinate",
            {"latitude": 1, "longitude": 2.5, "precision": None, "globe": None})}],
    },
    "sitelinks": {"enwiki": {}},
}  # fmt: skip


def values(*claims: dict[str, Any]) -> list[Any]:
    document = {"type": "item", "id": "Q1", "claims": {"P1": [{"mainsnak": c} for c in claims]}}
    parsed = parse_entity(document, source="w")
    assert parsed is not None
    return [item.value for item in parsed.statements]


def test_every_part_of_a_document_is_read() -> None:
    parsed = parse_entity(ITEM, source="here")
    assert parsed is not None
    assert (parsed.id, parsed.revision, parsed.skipped) == ("Q1", 7, 0)
    assert (parsed.entity.label, parsed.entity.aliases) == ("thing", ("object",))
    first, second, third, fourth = parsed.statements
    assert (first.id, first.rank, first.source) == ("Q1$a", Rank.PREFERRED, "here")
    assert first.qualifiers[0].value == TimeValue(2001, precision=9)
    assert first.references[0].snaks[0].value == UrlValue("https://example.org/")
    assert second.value == QuantityValue(Decimal("1.80"), "Q11573", Decimal("1.7"))
    assert third.value == NoValue()
    assert third.rank is Rank.DEPRECATED
    assert fourth.value == CoordinateValue(1.0, 2.5)


@pytest.mark.parametrize(
    ("time", "precision", "value"),
    [
        ("+1952-03-11T00:00:00Z", 11, TimeValue(1952, 3, 11)),
        ("+1952-00-00T00:00:00Z", 9, TimeValue(1952, precision=9)),
        ("-0044-03-15T00:00:00Z", 11, TimeValue(-43, 3, 15)),
        ("-13798000000-00-00T00:00:00Z", 3, TimeValue(-13797999999, precision=3)),
        ("+1900-00-00T00:00:00Z", 7, TimeValue(1900, precision=7)),
    ],
)
def test_times(time: str, precision: int, value: TimeValue) -> None:
    model = "http://www.wikidata.org/entity/Q1985727"
    given_ = {"time": time, "precision": precision, "calendarmodel": model}
    assert values(snak("P1", "time", given_)) == [value]


@pytest.mark.parametrize(
    "broken",
    [
        {},
        None,
        [],
        snak("P1", "time", {"time": "yesterday", "precision": 11}),
        snak("P1", "time", {"time": "+2000-13-01T00:00:00Z", "precision": 11}),
        snak("P1", "quantity", {"amount": "much", "unit": "1"}),
        snak("P1", "quantity", {"amount": "NaN", "unit": "1"}),
        snak("P1", "globecoordinate", {"latitude": 91, "longitude": 0}),
        snak("P1", "wikibase-entityid", {"entity-type": "item", "id": "Q1; DROP"}),
        snak("Q1", "string", "x"),
        snak("P1", "hologram", {}),
        {"snaktype": "value", "property": "P1"},
    ],
)
def test_what_has_not_the_documented_shape_is_left_out_and_counted(broken: Any) -> None:
    document = {"type": "item", "id": "Q1", "claims": {"P1": [{"mainsnak": broken}]}}
    parsed = parse_entity(document, source="w")
    assert parsed is not None
    assert (parsed.statements, parsed.skipped) == ((), 1)


def test_old_documents_name_entities_by_number_only() -> None:
    old = snak("P1", "wikibase-entityid", {"entity-type": "item", "numeric-id": 5})
    assert values(old) == [EntityValue("Q5")]


def test_lexemes_are_named_but_not_followed() -> None:
    form = snak("P1", "wikibase-entityid", {"entity-type": "form", "id": "L7-F1"})
    assert values(form) == [ExternalIdValue("L7-F1")]


@pytest.mark.parametrize(
    ("language", "text"), [("en", "e"), ("de", "d"), ("de-AT", "d"), ("fr", "m"), ("xx", "m")]
)
def test_languages_fall_back(language: str, text: str) -> None:
    terms = {tag: {"language": tag, "value": tag[0]} for tag in ("en", "de", "mul")}
    assert pick_term(terms, language) == text


def paths(part: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(part, dict):
        for key in part:
            yield from paths(part[key], (*at, key))
    elif isinstance(part, list):
        for index in range(len(part)):
            yield from paths(part[index], (*at, index))


PATHS = list(paths(ITEM))[1:]
KEYS = st.text(max_size=8) | st.sampled_from(["id", "value", "P1"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=8) | st.sampled_from(["id", "value", "P1"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


def put(part: Any, path: tuple[Any, ...], value: Any) -> None:
    """Change the document at ``path``, if an earlier change has left that place."""
    try:
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
    except (KeyError, IndexError, TypeError):
        return


@given(st.lists(st.tuples(st.sampled_from(PATHS), JSON), min_size=1, max_size=4))
def test_a_mutilated_document_never_breaks_the_reader(changes: list[tuple[Any, Any]]) -> None:
    document = copy.deepcopy(ITEM)
    for path, value in changes:
        put(document, path, copy.deepcopy(value))
    try:
        parsed = parse_entity(document, source="w")
    except ValueError:
        return
    assert parsed is None or parsed.entity.id == parsed.id


@given(JSON)
def test_anything_else_is_an_error_or_missing(document: Any) -> None:
    try:
        parse_entity(document, source="w")
    except ValueError:
        return
