from __future__ import annotations

from robodata_core.errors import SourceTimeoutError
from robodata_core.tools.labels import LabelCache

from .fakes import FakeSource


def test_labels_are_fetched_in_one_batch_and_kept(source: FakeSource) -> None:
    cache = LabelCache()
    assert cache.entities(["Q16", "Q42", "Q404"], source) == {
        "Q16": "Canada",
        "Q42": "Douglas Adams",
        "Q404": "",
    }
    cache.entities(["Q16", "Q404"], source)
    assert source.calls["entities"] == 1


def test_a_source_out_of_reach_means_no_labels_and_is_asked_again(source: FakeSource) -> None:
    cache = LabelCache()
    source.failing = SourceTimeoutError("No answer.")
    assert cache.properties(["P36"], source) == {"P36": ""}
    source.failing = None
    assert cache.properties(["P36"], source) == {"P36": "capital"}


def test_the_oldest_labels_make_room(source: FakeSource) -> None:
    cache = LabelCache(capacity=2)
    cache.entities(["Q16", "Q42", "Q5"], source)
    before = source.calls["entities"]
    assert cache.entities(["Q5", "Q42"], source)["Q5"] == "human"
    assert source.calls["entities"] == before
    cache.entities(["Q16"], source)
    assert source.calls["entities"] == before + 1


def test_ids_of_either_kind(source: FakeSource) -> None:
    source.relation_by_id["http://e.org/made"] = source.relation_by_id["P36"]
    labels = LabelCache().mixed(["Q16", "P36", "http://e.org/made"], source)
    assert labels == {"Q16": "Canada", "P36": "capital", "http://e.org/made": "capital"}
