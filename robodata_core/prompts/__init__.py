"""The prompts, one text file a state; changing one means changing ``VERSION``."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

__all__ = ["VERSION", "load"]

VERSION: Final = "9"


@cache
def load(name: str) -> str:
    """Return the prompt ``name`` (``common``, ``answer``, ``json_protocol`` or a state).

    Raises:
        FileNotFoundError: If there is no such prompt.
    """
    return resources.files(__name__).joinpath(f"{name}.txt").read_text("utf-8").strip()
