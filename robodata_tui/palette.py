"""The command palette's entries: every action by name."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import SystemCommand

from robodata_tui.keymap import BINDINGS

__all__ = ["commands"]

_LEFT_OUT = frozenset({"back", "ask", "stop"})


def commands(run: object) -> Iterable[SystemCommand]:
    """Yield a command for every key, so that nothing needs its key known.

    Args:
        run: Takes an action's text and runs it.
    """
    assert callable(run)
    for binding in BINDINGS:
        if binding.action not in _LEFT_OUT:
            action = binding.action
            yield SystemCommand(
                binding.description, binding.tooltip, lambda action=action: run(action)
            )
