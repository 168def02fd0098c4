"""The graphs that claims are made about."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import islice

import pytest

from robodata_core import RoboData
from robodata_core.sources.snapshot.loading import load_files
from tests.core.answers.worlds import SHARED, World, fill

#: Of MetaQA's films, one after the other: all of them take longer to load than to be asked about.
_LINES = 40_000


@pytest.fixture(scope="module", params=["sample", "codex-s", "metaqa"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """The sample, CoDEx-S's part of it, and MetaQA's films."""
    if request.param != "metaqa":
        origin = "codex-s" if request.param == "codex-s" else ""
        with RoboData.open(source="snapshot:wikidata-sample") as robodata:
            yield fill(robodata.source, len(request.param), origin)
        return
    facts = SHARED / "metaqa" / "kb.txt.gz"
    if not facts.exists():
        pytest.skip("the shared data is not here")
    made = tmp_path_factory.mktemp("metaqa")
    films, folder = made / "films.txt", made / "movies"
    with gzip.open(facts, "rt", encoding="utf-8") as file:
        films.write_text("".join(islice(file, _LINES)), encoding="utf-8")
    load_files([films], folder, name="movies", delimiter="|")
    with RoboData.open(source=f"snapshot:{folder}") as robodata:
        yield fill(robodata.source, 2)
