"""A candidate: a program being grown, with the record of which words justify which step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from robodata_core.model import Direction, EntityValue, Statement, Value
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.relations import Hop
from robodata_core.programs.steps import (
    Comparison,
    Count,
    Difference,
    End,
    FilterByConstraint,
    FilterByType,
    Follow,
    Judge,
    JudgeKind,
    Program,
    Start,
    Step,
    Union,
)

__all__ = ["Candidate", "EdgeUse", "Link", "Narrowed", "Scored"]


@dataclass(frozen=True, slots=True)
class EdgeUse:
    """One hop of a candidate and what speaks for it.

    Attributes:
        hop: The union of edges followed (empty: any relation).
        span: Tokens of the question that name it, may be empty.
        strength: How surely they do, 0 to 1.
        agreement: 1 where the direction fits the wording, less where it does not.
        order: Where the words stand relative to the mention, for the order of hops.
        silent: Whether no word names it (a step back along the same relation).
        back: Whether it is a step back along the hop before.
        origin: Whether an adjective of origin stands for it ("Italian").
        constraint: Whether it narrows a set instead of leading on.
        group: A name that walks share which a word means all together.
        licensed: Whether two phrases together name its union, so that its width is meant.
    """

    hop: Hop
    span: frozenset[int] = frozenset()
    strength: float = 1.0
    agreement: float = 1.0
    order: int = 0
    silent: bool = False
    back: bool = False
    licensed: bool = False
    constraint: bool = False
    origin: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A mention used by a candidate, with the ids it was taken for.

    Attributes:
        mention: The mention.
        ids: What it was taken for.
        quality: How well the name fits.
        group: Whether it is a noun with an adjective of origin ("Japanese cities").
    """

    mention: Mention
    ids: tuple[str, ...]
    quality: float
    group: bool = False


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What came of narrowing a broader relation to the word asked ("daughters" of children).

    Attributes:
        vague: Sentences for where the graph states the broader relation alone.
        lacking: Sentences for what was left out because nothing narrows it.
        failure: What to say where nothing is left.
        against: Statements that show a "no".
        notes: How a word was taken that the graph says less than.
    """

    vague: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    failure: str = ""
    against: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()

    def plus(self, other: Narrowed) -> Narrowed:
        """Return both."""
        return Narrowed(
            tuple(dict.fromkeys((*self.vague, *other.vague))),
            tuple(dict.fromkeys((*self.lacking, *other.lacking))),
            self.failure or other.failure,
            (*self.against, *other.against),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """What keeps an answer from being whole."""
        return (*self.vague, *self.lacking)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program with its justification; grows by returning new candidates.

    Attributes:
        steps: Program steps so far, without End.
        out: Name of the last node set (or number, or boolean).
        nodes: A sample of that set.
        history: Names of the sets after each hop, the start's first.
        covered: Tokens of the question that a step or mention accounts for.
        edges: The hops.
        links: The mentions used.
        relaxed: Mentions of classes that had to be dropped, as text.
        final: "set", "count", "yes", "no" or "number".
        typed: Whether the answers were seen to be of the asked class (None: not known).
        bonus: Extra evidence of fit, e.g. a judged triple that is there.
        stations: Samples of the sets the hops started from.
        narrowed: How broader relations were narrowed to the words.
        path: The hops that lead on, without those that only narrow.
    """

    steps: tuple[Step, ...]
    out: str
    nodes: tuple[Value, ...]
    history: tuple[str, ...] = ()
    covered: frozenset[int] = frozenset()
    edges: tuple[EdgeUse, ...] = ()
    links: tuple[Link, ...] = ()
    relaxed: tuple[str, ...] = ()
    final: str = "set"
    typed: bool | None = None
    bonus: float = 0.0
    stations: tuple[tuple[Value, ...], ...] = ()
    narrowed: Narrowed = Narrowed()
    path: tuple[EdgeUse, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        path = tuple([use for use in self.edges if not use.constraint])
        object.__setattr__(self, "path", path)

    @classmethod
    def start(cls, link: Link, covered: frozenset[int]) -> Candidate:
        """Begin with linked entities."""
        values = tuple(EntityValue(id_) for id_ in link.ids)
        return cls((Start("n0", values),), "n0", values, ("n0",), covered, (), (link,))

    def program(self) -> Program:
        """Return the whole program."""
        return Program((*self.steps, End(self.out)))

    @property
    def fresh(self) -> str:
        """A name that none of its sets has."""
        return f"n{len(self.steps)}"

    def then(self, *steps: Step) -> Candidate:
        """Add steps; the last one's set is the candidate's."""
        out = steps[-1].out
        return replace(self, steps=(*self.steps, *steps), out=out, history=(*self.history, out))

    def follow(self, use: EdgeUse, nodes: tuple[Value, ...]) -> Candidate:
        """Take one hop."""
        steps = list(self.steps)
        parts: list[str] = []
        for way in (Direction.OUT, Direction.IN):
            names = tuple(name for name, direction in use.hop if direction is way)
            if names or (not use.hop and way is Direction.OUT):
                name = f"n{len(steps)}"
                steps.append(Follow(name, self.out, names, way))
                parts.append(name)
        if len(parts) > 1:
            name = f"n{len(steps)}"
            steps.append(Union(name, tuple(parts)))
        else:
            name = parts[0]
        # All named, as ``replace`` takes twice the time and this is done for every step tried.
        return Candidate(
            steps=tuple(steps),
            out=name,
            nodes=nodes,
            history=(*self.history, name),
            covered=self.covered | use.span,
            edges=(*self.edges, use),
            links=self.links,
            relaxed=self.relaxed,
            final=self.final,
            typed=None,
            bonus=self.bonus,
            stations=(*self.stations, self.nodes),
            narrowed=self.narrowed,
        )

    def put(self, cut: int, added: Sequence[Step]) -> Candidate:
        """Put steps behind one of its own, and let the rest go on from the last of them."""
        old, new = self.steps[cut].out, added[-1].out
        rest = [step.renamed({old: new}) for step in self.steps[cut + 1 :]]
        return replace(
            self,
            steps=(*self.steps[: cut + 1], *added, *rest),
            out=new if self.out == old else self.out,
            history=tuple(new if name == old else name for name in self.history),
        )

    def without(self, name: str, nodes: tuple[Value, ...]) -> Candidate:
        """Take the nodes of an earlier set out of the last one."""
        out = self.fresh
        return Candidate(
            steps=(*self.steps, Difference(out, self.out, name)),
            out=out,
            nodes=nodes,
            history=(*self.history[:-1], out),
            covered=self.covered,
            edges=self.edges,
            links=self.links,
            relaxed=self.relaxed,
            final=self.final,
            typed=self.typed,
            bonus=self.bonus,
            stations=self.stations,
            narrowed=self.narrowed,
        )

    def of_type(
        self,
        classes: tuple[str, ...],
        via: tuple[str, ...],
        nodes: tuple[Value, ...],
        link: Link,
        covered: frozenset[int],
    ) -> Candidate:
        """Keep nodes of a class."""
        out = self.fresh
        return replace(
            self,
            steps=(*self.steps, FilterByType(out, self.out, classes, via)),
            out=out,
            nodes=nodes,
            history=(*self.history[:-1], out),
            covered=self.covered | covered,
            links=(*self.links, link),
            typed=True,
        )

    def constrained(
        self,
        property_: str,
        value: Value,
        nodes: tuple[Value, ...],
        use: EdgeUse,
        link: Link,
    ) -> Candidate:
        """Keep nodes that have ``value`` for a property."""
        out = self.fresh
        step = FilterByConstraint(out, self.out, property_, Comparison.EQ, value)
        return replace(
            self,
            steps=(*self.steps, step),
            out=out,
            nodes=nodes,
            history=(*self.history[:-1], out),
            covered=self.covered | use.span | link.mention.span,
            edges=(*self.edges, replace(use, constraint=True)),
            links=(*self.links, link),
        )

    def counted(self) -> Candidate:
        """Count the last set."""
        out = self.fresh
        return replace(self, steps=(*self.steps, Count(out, self.out)), out=out, final="count")

    def judged(self, value: Value | None, link: Link | None, holds: bool) -> Candidate:
        """Judge whether the last set has ``value`` (or anything)."""
        out = self.fresh
        kind = JudgeKind.NOT_EMPTY if value is None else JudgeKind.CONTAINS
        covered = self.covered | (link.mention.span if link else frozenset())
        return replace(
            self,
            steps=(*self.steps, Judge(out, self.out, kind, value)),
            out=out,
            covered=covered,
            links=(*self.links, link) if link else self.links,
            final="yes" if holds else "no",
            bonus=1.0 if holds else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score and confidence."""

    candidate: Candidate
    score: float
    confidence: float
