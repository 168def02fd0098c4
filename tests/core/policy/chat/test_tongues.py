"""Names in the language of a question: found as written, whatever is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.model import EntityValue
from robodata_core.policy.chat.tongues import labels_in, named_in
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files

MIDWAY = "http://towns.example/midway"


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    folder = tmp_path_factory.mktemp("tongues") / "snapshot"
    load_files([Path(__file__).with_name("towns.ttl")], folder, name="towns")
    with open_snapshot(str(folder)) as opened:
        yield opened


@pytest.mark.parametrize("name", ["Mittweg", "mittweg", "Mittwegs", "dem Ort Mittweg"])
def test_a_name_is_found_in_its_language_alone(towns: SnapshotSource, name: str) -> None:
    assert [hit.id for hit in named_in("de", name, (), towns)] == [MIDWAY]
    assert named_in("fr", name, (), towns) == []
    assert labels_in("de", [EntityValue(MIDWAY)], towns) == {MIDWAY: "Mittweg"}
    assert labels_in("fr", [EntityValue(MIDWAY)], towns) == {MIDWAY: "Midway"}


def test_labels_are_of_the_language_a_form_of_it_or_what_the_source_gives(tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(
        "@prefix : <http://t.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        ' :a rdfs:label "A"@en, "A pt"@pt, "A br"@pt-BR . :b rdfs:label "B"@en, "B br"@pt-BR .'
        ' :c rdfs:label "C"@en, "C mul"@mul . :d rdfs:label "D"@en, "D de"@de .'
        " :a :is :b, :c, :d .",
        encoding="utf-8",
    )
    load_files([tmp_path / "t.ttl"], tmp_path / "t", name="t")
    values = [EntityValue(f"http://t.example/{name}") for name in "abcd"]
    with open_snapshot(str(tmp_path / "t")) as opened:
        assert [*labels_in("pt", values, opened).values()] == ["A pt", "B br", "C mul", "D"]
        assert [*labels_in("pt-br", values, opened).values()] == ["A br", "B br", "C mul", "D"]


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(st.text(max_size=20), st.sampled_from(['" } #', "\\", "a\"@de'", "\n", "?x", "<x>"])),
    st.sampled_from(["de", "", "de'", "hi-IN", "x} #"]),
)
def test_no_name_and_no_tag_is_query_syntax(
    towns: SnapshotSource, name: str, language: str
) -> None:
    named_in(language, name, (), towns)
    whole = named_in(language, f"Mittweg {name}", (), towns)
    assert [hit.id for hit in whole] == ([MIDWAY] if language == "de" else [])
