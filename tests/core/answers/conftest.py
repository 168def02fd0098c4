"""The graphs that claims are made about."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.sources.snapshot.loading import load_files
from tests.core.answers.worlds import SHARED, World, fill


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
    folder = tmp_path_factory.mktemp("metaqa") / "movies"
    load_files([facts], folder, name="movies", delimiter="|")
    with RoboData.open(source=f"snapshot:{folder}") as robodata:
        yield fill(robodata.source, 2)
