"""Time and tokens per state and tool, as text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from robodata_core.model import Spending
from robodata_core.run_state import RunState, ToolUse, add_spending
from robodata_core.text import plural
from robodata_tui.words import clean, clock, state_name

__all__ = ["statistics_text"]


def statistics_text(state: RunState) -> str:
    """Return the run in figures."""
    tokens = state.tokens
    seconds = state.seconds or state.elapsed
    head = [
        clean(state.question, 300),
        "",
        f"{clean(state.status, 20) or 'not started'} after {clock(seconds)},"
        f" {plural(state.turns, 'turn')} of {state.max_turns}",
        f"{plural(state.tool_calls, 'call')}: {state.failed_calls} failed,"
        f" {state.repeated_calls} from memory",
        f"+{plural(state.nodes_added, 'node')}, +{plural(state.edges_added, 'triple')}"
        f" (local graph: {plural(state.nodes, 'node')}, {plural(state.edges, 'triple')})",
        f"{tokens.prompt:,} tokens sent, {tokens.completion:,} received"
        if tokens.prompt or tokens.completion
        else "no model was asked",
        "",
    ]
    states = _table(("state", "visits", "seconds", "deciding", "tokens"), _by_state(state))
    tools = _table(("tool", "calls", "failed", "seconds", "tokens ~"), _by_tool(state))
    lines = [*head, *states, "", *(tools or ["no tool was called"])]
    models = _table(("role", "model", "calls", "sent", "received", "cost"), _by_role(state))
    return "\n".join([*lines, "", *models] if models else lines)


def _by_state(state: RunState) -> list[tuple[str, ...]]:
    deciding: dict[str, float] = defaultdict(float)
    decided: dict[str, int] = defaultdict(int)
    for turn in state.timeline:
        deciding[turn.state] += turn.thinking
        decided[turn.state] += turn.tokens.prompt + turn.tokens.completion
    # The ledger counts metacognition as well; a journal from before it has only decisions.
    ledger = {
        name: count.prompt + count.completion for name, count in state.tokens_by_state.items()
    }
    return [
        (
            state_name(name),
            f"{count.visits:,}",
            f"{count.seconds:.3f}",
            f"{deciding[name]:.3f}",
            f"{ledger.get(name, decided[name]):,}",
        )
        for name, count in state.visits.items()
    ]


def _by_tool(state: RunState) -> list[tuple[str, ...]]:
    """Return a row for every tool; its tokens are an estimate of what its results take to read."""
    calls = [call for turn in state.timeline for call in turn.calls]
    names = dict.fromkeys(call.tool for call in calls)
    rows: list[tuple[str, ...]] = []
    for name in names:
        own = [call for call in calls if call.tool == name]
        use = state.tools.get(name, ToolUse())
        rows.append(
            (
                clean(name, 40),
                f"{len(own):,}",
                f"{sum(call.ok is False for call in own):,}",
                f"{sum(call.seconds for call in own):.3f}",
                f"{use.tokens:,}",
            )
        )
    return rows


def _by_role(state: RunState) -> list[tuple[str, ...]]:
    totals: dict[tuple[str, str], Spending] = {}
    for row in state.spending:
        key = (row.role, row.model)
        (totals[key],) = add_spending(
            [*([totals[key]] if key in totals else []), replace(row, state="")]
        )
    return [
        (
            clean(row.role, 20) or "all",
            clean(row.model, 40),
            f"{row.calls:,}",
            f"{row.tokens.prompt:,}",
            f"{row.tokens.completion:,}",
            f"{row.cost:.4f}" if row.cost is not None else "-",
        )
        for row in totals.values()
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    table = [head, *rows]
    if len(table) == 1:
        return []
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    lines = []
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells))
    return [lines[0], "─" * len(lines[0]), *lines[1:]]
