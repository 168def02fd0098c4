"""What tests of the pipeline share: no key of whoever runs them, and an invented graph."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def towns(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small invented graph whose ids are IRIs."""
    from robodata_core.sources.snapshot.loading import load_files

    folder = tmp_path_factory.mktemp("towns") / "snapshot"
    load_files([Path(__file__).with_name("towns.ttl")], folder, name="towns")
    return f"snapshot:{folder}"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
