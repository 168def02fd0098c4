"""Small tools that note when they run and do as they are told, and the graph they fill."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone

from robodata_core.errors import ToolError
from robodata_core.model import Entity, EntityValue, Property, Statement
from robodata_core.store.graph import Fetch, LocalGraph
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.guard import require_known
from robodata_core.tools.registry import Toolbox

__all__ = ["Args", "Desk", "filled_graph"]

_NAMES = {"Q16": "Canada", "Q1930": "Ottawa", "Q30": "United States"}


@dataclass
class Desk:
    """What the tools below note and obey; shared by one toolbox."""

    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    gate: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def toolbox(self) -> Toolbox:
        """Return all the tools below."""
        kinds = (Look, Show, NeedAndShow, Hang, Fail, Peek, Put, HalfPut, Drop, Keep, SlowPut)
        return Toolbox(kind(self) for kind in kinds)

    def enter(self, name: str) -> None:
        with self.lock:
            self.begun.append(name)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)

    def leave(self, name: str) -> None:
        with self.lock:
            self.ended.append(name)
            self.at_once -= 1


class Args(Arguments):
    """One text, and how long to take over it."""

    text: str = ""
    wait: float = 0.0


class DeskTool(Tool[Args]):
    """Writes down when it runs; ``work`` says what it does."""

    description = "A tool of the tests."

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def run(self, args: Args, context: ToolContext) -> ToolOutput:
        name = f"{self.name}:{args.text}"
        self.desk.enter(name)
        try:
            if args.wait:
                time.sleep(args.wait)
            return self.work(args, context)
        finally:
            self.desk.leave(name)

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        raise NotImplementedError


class Look(DeskTool):
    """Reads; says what it was told."""

    name = "look"
    family = ToolFamily.REMOTE

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        return ToolOutput(f"saw {args.text}", data=args.text, total=1, shown=1)


class Show(DeskTool):
    """Reads; shows the id it is told."""

    name = "show"
    family = ToolFamily.REMOTE

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        return ToolOutput(f"here is {args.text}", ids=(args.text,))


class NeedAndShow(DeskTool):
    """Reads; uses the first id it is told and shows the others ("Q1 Q2")."""

    name = "need"
    family = ToolFamily.REMOTE

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        needed, *shown = args.text.split()
        require_known([needed], context)
        return ToolOutput(f"used {needed}", ids=tuple(shown))


class Hang(DeskTool):
    """Reads; does not come back before the gate opens, and heeds nothing."""

    name = "hang"
    family = ToolFamily.REMOTE

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        self.desk.gate.wait(30)
        return ToolOutput("late")


class Fail(DeskTool):
    """Reads; fails as told."""

    name = "fail"
    family = ToolFamily.REMOTE

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        if args.text == "bug":
            raise RuntimeError("a secret detail")
        raise ToolError("That cannot be done.")


class Peek(DeskTool):
    """Reads the local graph."""

    name = "peek"
    family = ToolFamily.LOCAL

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        return ToolOutput(f"{context.store.edge_count} triples")


class Put(DeskTool):
    """Writes "Q16 P36 <text>"."""

    name = "put"
    family = ToolFamily.UPDATE
    writes = True

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        added = _add(context, args.text or "Q1930")
        return ToolOutput("put", handles=added)


class SlowPut(Put):
    """Writes once the run is cancelled, as a fetch does that was under way."""

    name = "slow_put"

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        self.desk.gate.set()
        while not context.cancel.cancelled:
            time.sleep(0.001)
        return super().work(args, context)


class HalfPut(Put):
    """Writes, and then fails."""

    name = "half_put"

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        _add(context, args.text or "Q1930")
        raise ToolError("Only half of it was fetched.")


class Drop(DeskTool):
    """Removes the node it is told."""

    name = "drop"
    family = ToolFamily.UPDATE
    writes = True

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        return ToolOutput("dropped", data=context.store.remove_node(args.text))


class Keep(DeskTool):
    """Stores or shows a named result, as the logic tools do."""

    name = "keep"
    family = ToolFamily.LOGIC

    def work(self, args: Args, context: ToolContext) -> ToolOutput:
        if args.text in context.variables:
            return ToolOutput(f"there is {args.text}")
        context.variables[args.text] = True
        return ToolOutput(f"stored {args.text}")


def _add(context: ToolContext, capital: str) -> tuple[str, ...]:
    fetch = Fetch(context.run_id, context.call_id, "put", context.now)
    return _state_capital(context.store, fetch, capital)


def _state_capital(graph: LocalGraph, fetch: Fetch, capital: str) -> tuple[str, ...]:
    added = graph.add(
        [Statement("Q16", "P36", EntityValue(capital), source="stub")],
        fetch,
        entities=[Entity(id_, _NAMES.get(id_, id_)) for id_ in ("Q16", capital)],
        properties=[Property("P36", "capital")],
    )
    return tuple(item.handle for item in added.evidence)


def filled_graph() -> LocalGraph:
    """Return a local graph in which an earlier run put Canada's capital (T1)."""
    graph = LocalGraph.in_memory()
    _state_capital(
        graph, Fetch("earlier", "k1", "put", datetime(2025, 1, 1, tzinfo=timezone.utc)), "Q1930"
    )
    return graph
