"""Looking a triple up in source and local graph."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.cancellation import CancelToken
from robodata_core.config import load_settings
from robodata_core.errors import CancelledError
from robodata_core.model import (
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    Statement,
    StringValue,
    TimeValue,
    Triple,
    Value,
)
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import write_snapshot
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_ros.enrichment import ClassLookup
from robodata_ros.labels import LabelTable
from robodata_ros.runtime import Runtime
from robodata_ros.verification import Refutations, check_triple, same_value
from tests.core.verification import conftest as atlas

STEEL = Triple("Q32489", "P186", EntityValue("Q11427"))
WOOD = Triple("Q32489", "P186", EntityValue("Q287"))


@pytest.fixture(scope="module")
def source() -> Iterator[SnapshotSource]:
    with open_snapshot("wikidata-sample") as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "atlas"
    quads = ox.parse(atlas.atlas().encode(), format=ox.RdfFormat.TRIG)
    write_snapshot(quads, folder, name="atlas")
    return folder


@pytest.mark.parametrize("judge", [False, True])
def test_what_is_not_found_is_judged_where_the_node_is_set_to(folder: Path, judge: bool) -> None:
    stated = Triple(atlas.country(4), atlas.CAPITAL, EntityValue(atlas.city(4)))
    wrong = Triple(atlas.country(4), atlas.CAPITAL, EntityValue(atlas.city(5)))
    nothing = Triple("Q999999", atlas.CAPITAL, EntityValue(atlas.city(5)))
    runtime = Runtime(load_settings(source=f"snapshot:{folder}"), 1, judge=judge)
    try:
        found = runtime.verify((stated, wrong, nothing), CancelToken())
    finally:
        runtime.close()
    assert [one.found for one in found] == [True, False, False]
    assert [one.refuted for one in found] == [False, judge, False]
    assert found[0].confidence is None  # a lookup was enough
    assert all(one.problem for one in found[1:])
    if judge:
        against = [item.triple for one in found[1].refutation for item in one.evidence]
        assert stated in against
        assert found[1].confidence is not None and found[1].confidence > 0.9


def test_facts_that_are_refuted_unseen_are_kept_back(folder: Path, tmp_path: Path) -> None:
    extra = f"wd:{atlas.country(4)} wdt:{atlas.CAPITAL} wd:{atlas.city(5, 1)} ."
    quads = ox.parse(f"{atlas.atlas()}\n{extra}".encode(), format=ox.RdfFormat.TRIG)
    write_snapshot(quads, tmp_path / "atlas", name="atlas")
    with open_snapshot(str(tmp_path / "atlas")) as opened:
        refuted = Refutations(load_settings())
        kept = {
            gate: {
                fact.claim.support.evidence[-1].triple.object
                for fact in ClassLookup(
                    [opened], LabelTable.read(), (atlas.CAPITAL, atlas.COUNTRY), refuted=gate
                )
                .look_up("Land 4")
                .facts
            }
            for gate in (None, refuted)
        }
    both = {EntityValue(atlas.city(4)), EntityValue(atlas.city(5, 1))}
    assert both <= kept[None]
    assert not both & kept[refuted]  # each is an exception while the other stands


def test_what_stands_in_the_source_is_found_with_its_statement(source: SnapshotSource) -> None:
    checked = check_triple(STEEL, source, (), CancelToken())
    assert checked.found and checked.claim.supported
    (support,) = checked.support
    assert support.evidence[0].triple == STEEL
    assert support.evidence[0].provenance[0].source == source.name
    assert "knife" in checked.text and "steel" in checked.text


def test_what_does_not_is_not_found(source: SnapshotSource) -> None:
    for triple in (WOOD, Triple("Q999999999", "P186", EntityValue("Q11427"))):
        checked = check_triple(triple, source, (), CancelToken())
        assert not checked.found and not checked.support
        assert source.name in checked.problem


def test_what_stands_in_the_local_graph_only_is_found_there(source: SnapshotSource) -> None:
    with LocalGraph.in_memory() as graph:
        fetch = Fetch("run", "call", "fetch_node", datetime(2025, 1, 1, tzinfo=timezone.utc))
        graph.add([Statement(*_parts(WOOD), source="elsewhere")], fetch)
        checked = check_triple(WOOD, source, [graph], CancelToken())
    assert checked.found
    assert checked.support[0].evidence[0].provenance[0].source == "elsewhere"


def _parts(triple: Triple) -> tuple[str, str, Value]:
    return triple.subject, triple.predicate, triple.object


def test_it_can_be_cancelled(source: SnapshotSource) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        check_triple(STEEL, source, (), token)


@pytest.mark.parametrize(
    ("stated", "asked", "same"),
    [
        (QuantityValue(Decimal("1.96"), "Q11573"), QuantityValue(Decimal("1.960")), True),
        (QuantityValue(Decimal("1.96"), "Q11573"), QuantityValue(Decimal("1.96"), "Q1"), False),
        (QuantityValue(Decimal("2")), QuantityValue(Decimal("3")), False),
        (TimeValue(1952, 3, 11), TimeValue(1952, precision=9), True),
        (TimeValue(1952, 3, 11), TimeValue(1953, precision=9), False),
        (TimeValue(1952, precision=9), TimeValue(1952, 3, 11), False),
        (MonolingualTextValue("cup", "en"), StringValue("cup"), True),
        (EntityValue("Q1"), StringValue("Q1"), False),
        (StringValue("1"), QuantityValue(Decimal(1)), False),
    ],
)
def test_when_two_values_are_the_same(stated: Value, asked: Value, same: bool) -> None:
    assert same_value(stated, asked) is same
