"""A run's worth of tool calls without an orchestrator: the desk that tests call tools from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from robodata_core.cancellation import CancelToken
from robodata_core.store.graph import LocalGraph
from robodata_core.tools.base import ToolCall, ToolContext, ToolResult
from robodata_core.tools.known_ids import KnownIds
from robodata_core.tools.registry import ALL_TOOLS, Toolbox

__all__ = ["NOW", "QUESTION", "Desk"]

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
QUESTION = "What is the capital of Canada (Q16), and who was the wife of Q42?"


class Desk:
    """Calls any tool on one source and one fresh local graph, numbering the calls.

    Args:
        source: Any knowledge source.
        store: The local graph.
        question: Its ids are known.
        known: Further ids to know from the start.
    """

    def __init__(
        self, source: Any, store: LocalGraph, question: str = QUESTION, known: tuple[str, ...] = ()
    ) -> None:
        self.source = source
        self.store = store
        self.question = question
        self.known = KnownIds(question)
        self.known.add(known)
        self.variables: dict[str, Any] = {}
        self.cancel = CancelToken()
        self.box = Toolbox(ALL_TOOLS)
        self.max_items = 20
        self._count = 0

    def context(self, call_id: str = "k0") -> ToolContext:
        """Return the context of a call."""
        return ToolContext(
            self.source,
            self.store,
            self.known,
            self.variables,
            self.question,
            "run-1",
            call_id,
            NOW,
            "en",
            self.cancel,
            self.max_items,
        )

    def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any
    ) -> ToolResult:
        """Call a tool."""
        self._count += 1
        call_id = f"k{self._count}"
        call = ToolCall(tool, {**(arguments or {}), **more}, call_id)
        return self.box.execute(call, self.context(call_id))

    def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must succeed; return its text."""
        result = self.call(tool, arguments)
        assert result.ok, result.output.text
        return result.output.text

    def data(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that must succeed; return its data."""
        result = self.call(tool, arguments)
        assert result.ok, result.output.text
        return result.output.data

    def refusal(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail; return the sentence."""
        result = self.call(tool, arguments)
        assert not result.ok, result.output.text
        assert result.output.ids == () and result.output.handles == ()
        return result.output.text
