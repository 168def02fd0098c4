"""A small invented graph whose ids are IRIs, and the embedded sample, opened for conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from robodata_core import RoboData
from tests.core.belief.asked_flat import opened


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snapshot of the invented town."""
    from robodata_core.sources.snapshot.loading import load_files

    folder = tmp_path_factory.mktemp("town") / "snapshot"
    load_files([Path(__file__).with_name("town.ttl")], folder, name="town")
    return folder


@pytest.fixture
def in_town(town: Path) -> Iterator[RoboData]:
    with RoboData.open(source=f"snapshot:{town}") as robodata:
        yield robodata


@pytest.fixture
def sample() -> Iterator[RoboData]:
    with RoboData.open() as robodata:
        yield robodata


@pytest.fixture(scope="module")
def world() -> Iterator[RoboData]:
    with RoboData.open(source="snapshot:world") as robodata:
        yield robodata


@pytest.fixture(scope="module")
def flat() -> Iterator[RoboData]:
    with opened() as robodata:
        yield robodata
