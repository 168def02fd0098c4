from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core.store.graph import LocalGraph

from .desk import Desk
from .fakes import FakeSource


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def desk(source: FakeSource) -> Iterator[Desk]:
    with LocalGraph.in_memory() as store:
        yield Desk(source, store)
