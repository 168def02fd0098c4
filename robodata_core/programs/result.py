"""What running a program gives: its answer, and on demand the statements that derive it."""

from __future__ import annotations

from robodata_core.model import Statement, Value
from robodata_core.programs.keys import Key, key_of
from robodata_core.programs.nodes import Collector, NodeSet

__all__ = ["ProgramResult"]


class ProgramResult:
    """The outcome of one program.

    Attributes:
        number: What was counted, else None.
        boolean: What was judged, else None.
        truncated: Whether a cap was hit on the way: then sets may lack nodes, a number is a
            lower bound, and what rests on a node being absent (a difference, an extreme, a
            "no") is not certain.
    """

    __slots__ = (
        "_evidence",
        "_excluded",
        "_members",
        "_nodes",
        "_witnesses",
        "boolean",
        "number",
        "truncated",
    )

    def __init__(
        self,
        nodes: NodeSet,
        *,
        excluded: frozenset[Key] = frozenset(),
        number: int | None = None,
        boolean: bool | None = None,
        witnesses: tuple[Key, ...] | None = None,
        truncated: bool = False,
    ) -> None:
        self._nodes = nodes
        self._excluded = excluded
        self._witnesses = witnesses
        self._evidence: tuple[Statement, ...] | None = None
        self._members: tuple[Value, ...] | None = None
        self.number = number
        self.boolean = boolean
        self.truncated = nodes.truncated or truncated

    @property
    def members(self) -> tuple[Value, ...]:
        """The node set the program ends with, in order of discovery.

        Where the program ends with a number or a boolean: the set that was counted or judged.
        """
        if self._members is None:
            nodes, excluded = self._nodes.nodes, self._excluded
            if not excluded:
                self._members = tuple(nodes.values())
            else:
                kept = (value for key, value in nodes.items() if key not in excluded)
                self._members = tuple(kept)
        return self._members

    @property
    def values(self) -> tuple[Value, ...]:
        """The answer where it is a node set; empty where it is a number or a boolean."""
        plain = self.number is None and self.boolean is None
        return self.members if plain else ()

    @property
    def examples(self) -> tuple[Value, ...]:
        """Where it is a truth: the nodes that show it."""
        keys = self._nodes.nodes if self._witnesses is None else self._witnesses
        return tuple(self._nodes.nodes[key] for key in keys if key not in self._excluded)

    @property
    def evidence(self) -> tuple[Statement, ...]:
        """The statements that together derive the answer, each once.

        For a set or a number the support of every member; for a "yes" that of one witness; for
        a "no" nothing, because statements do not show what is not there.
        """
        if self._evidence is None:
            into = Collector()
            keys = self._nodes.nodes if self._witnesses is None else self._witnesses
            for key in keys:
                if key not in self._excluded:
                    self._nodes.collect(key, into)
            self._evidence = into.statements
        return self._evidence

    def support(self, value: Value) -> tuple[Statement, ...]:
        """Return the statements of one derivation of ``value``, from the start on.

        An intersection gives both branches, a filter also what let the node pass. Empty for a
        start node, and for a value that is no member.
        """
        key = key_of(value)
        into = Collector()
        if key in self._nodes.nodes and key not in self._excluded:
            self._nodes.collect(key, into)
        return into.statements
