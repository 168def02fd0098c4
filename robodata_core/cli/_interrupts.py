"""Telling what became of a Ctrl+C. Imports nothing, because one may come at any import."""

from __future__ import annotations

__all__ = ["was_interrupted"]


def was_interrupted(error: BaseException) -> bool:
    """Tell whether an exception is a Ctrl+C, or became of one.

    Up to Python 3.11 what is raised while a class gets its attributes' names, as in every import
    with an enumeration, comes up as a RuntimeError.
    """
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        if isinstance(one, KeyboardInterrupt):
            return True
        seen.add(id(one))
        one = one.__cause__ or one.__context__
    return False
