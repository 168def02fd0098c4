"""The tiny snapshot in both forms, opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from tests.core.fixtures import TINY, tiny_snapshot


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny snapshot as one file."""
    return tiny_snapshot(tmp_path_factory.mktemp("snapshots"))


@pytest.fixture(scope="session")
def tiny_store_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny snapshot as an on-disk store."""
    folder = tmp_path_factory.mktemp("stores")
    file = folder / "tiny.trig"
    file.write_text(TINY, encoding="utf-8")
    load_files([file], folder / "tiny", name="tiny", small=0)
    return folder / "tiny"


@pytest.fixture(scope="session", params=["nquads", "oxigraph"])
def source(
    request: pytest.FixtureRequest, tiny_folder: Path, tiny_store_folder: Path
) -> Iterator[SnapshotSource]:
    """The tiny snapshot, once from arrays and once from a store."""
    folder = tiny_folder if request.param == "nquads" else tiny_store_folder
    with open_snapshot(folder) as opened:
        assert opened.manifest.form == request.param
        yield opened
