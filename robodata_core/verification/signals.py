"""What speaks for a triple between two entities: paths, patterns, and the shape around it.

A path rule is ``rules``'. A pattern is a rule with names in it: of all things that stand in
relation B to D, this share has value V of the property; it is counted when it is asked for, once
from the subject's side and once from the value's. The triple under test, and where it is hidden
its trivial copies, never take part: every count leaves them out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.verification.embedding import FIGURES, Scorer
from robodata_core.verification.neighbourhoods import (
    Around,
    Edge,
    Neighbourhoods,
    back,
)
from robodata_core.verification.profiles import Profile
from robodata_core.verification.rules import Hidden, PathRule, hidden_edges, reach, sample

__all__ = ["NAMES", "Pattern", "Signals", "edge_of", "strength", "weigh"]

NAMES: Final = (
    "best path", "paths together", "paths", "best value pattern", "value patterns", "value lift",
    "best subject pattern", "subject patterns", "subject lift", "subjects of value",
    "values of subject", "first value", "first subject", "share of value", "share of subject",
    "another value", "another subject", "near", "far", "like subjects", "like values", *FIGURES,
)  # fmt: skip
"""The figures of ``Signals.figures``, in order; a calibration file names them too."""

_MOST_FIRED: Final = 8
_CROWD: Final = 1_500
"""Things that share a neighbour: where more do, the neighbour says little."""
_DOUBT: Final = 5
_BEST: Final = 5
_MIDDLES: Final = 150
_LIKE: Final = 40
_LEAST_CASES: Final = 3


@dataclass(frozen=True, slots=True)
class Pattern:
    """Of those that a step leads to ``anchor`` from, some have the value (or the subject).

    Attributes:
        step: From the thing to the anchor.
        anchor: What they share.
        hits: How many of them have it.
        cases: How many of them have any.
        subject_side: Whether they are subjects of the property, else values.
    """

    step: str
    anchor: str
    hits: int
    cases: int
    subject_side: bool

    @property
    def confidence(self) -> float:
        """Share that has it, drawn towards zero where few were seen."""
        return self.hits / (self.cases + _DOUBT)


@dataclass(frozen=True, slots=True)
class Signals:
    """All that speaks for one triple.

    Attributes:
        fired: Path rules that lead from the subject to the value, the surest first.
        value_patterns: Patterns over the subject, the surest first.
        subject_patterns: Patterns over the value.
        figures: The same and the shape around it as numbers, named by ``NAMES``.
    """

    fired: tuple[PathRule, ...]
    value_patterns: tuple[Pattern, ...]
    subject_patterns: tuple[Pattern, ...]
    figures: tuple[float, ...]


def strength(signals: Signals) -> float:
    """Return how strongly rules imply the triple, 0 to 1, with nothing tuned.

    The best path, the best pattern over the subject and the best over the value are taken as
    independent witnesses (noisy or).
    """
    doubt = 1.0
    for group in (signals.fired, signals.value_patterns, signals.subject_patterns):
        if group:
            doubt *= 1.0 - group[0].confidence
    return 1.0 - doubt


def weigh(
    graph: Neighbourhoods,
    profile: Profile,
    subject: str,
    value: str,
    hidden: Hidden,
    cancel: CancelToken | None = None,
    scorer: Scorer | None = None,
) -> Signals:
    """Gather what speaks for a triple.

    Args:
        graph: Where to look.
        profile: Of the property.
        subject: Subject of the triple.
        value: Its value.
        hidden: What must not be walked beside the triple itself.
        cancel: Ends it early.
        scorer: Trained on the graph, if there is one. Of a triple that the graph states, itself or
            by a copy, it knows too much to say anything: it has learnt from it.
    """
    unseen = hidden | hidden_edges([(subject, profile.property, value)])
    look = _Look(graph, profile, unseen, cancel)
    fired = look.fired(subject, value)
    step = profile.property
    forward, forward_lift = look.patterns(subject, step, value)
    inverse, inverse_lift = look.patterns(value, back(step), subject)
    doubt = math.prod(1.0 - rule.confidence for rule in fired)
    figures = (
        fired[0].confidence if fired else 0.0,
        1.0 - doubt,
        len(fired) / _MOST_FIRED,
        *_summed(forward, forward_lift),
        *_summed(inverse, inverse_lift),
        *look.shape(subject, value),
        *look.links(subject, value),
        look.likeness(subject, step, value),
        look.likeness(value, back(step), subject),
        *look.scored(subject, value, scorer),
    )
    return Signals(fired, forward[:_BEST], inverse[:_BEST], tuple(round(x, 9) for x in figures))


def _summed(patterns: tuple[Pattern, ...], lift: float) -> tuple[float, float, float]:
    best = [pattern.confidence for pattern in patterns[:_BEST]]
    return (best[0] if best else 0.0, sum(best) / _BEST, lift)


class _Look:
    def __init__(
        self,
        graph: Neighbourhoods,
        profile: Profile,
        hidden: Hidden,
        cancel: CancelToken | None,
    ) -> None:
        self._graph = graph
        self._profile = profile
        self._hidden = hidden
        self._cancel = cancel

    def _around(self, id_: str) -> Around:
        return self._graph.around(id_, self._cancel)

    def fired(self, subject: str, value: str) -> tuple[PathRule, ...]:
        """Return the rules by whose path the value is reached from the subject."""
        found = []
        copies = {back(name) for name in self._profile.copies()}
        turned = {(value, name, subject) for name in self._profile.copies()}
        hides_copies = bool(turned & self._hidden)
        for rule in self._profile.rules:
            if hides_copies and len(rule.path) == 1 and rule.path[0] in copies:
                continue
            if value in reach(self._graph, subject, rule.path, self._hidden, self._cancel):
                found.append(rule)
                if len(found) == _MOST_FIRED:
                    break
        return tuple(found)

    def patterns(self, thing: str, step: str, other: str) -> tuple[tuple[Pattern, ...], float]:
        """Return the patterns that let a thing have ``other`` by a step, and their mean lift."""
        ends = self._profile.pairs.ends(step)
        peers = self._profile.pairs.ends(back(step)).get(other, frozenset()) - {thing}
        base = len(peers) / max(1, len(ends))
        found: list[Pattern] = []
        lifts: list[float] = []
        for link, anchors in self._around(thing).items():
            for anchor in anchors:
                if (thing, link, anchor) in self._hidden:
                    continue
                crowd = self._around(anchor).get(back(link), frozenset())
                if not 2 <= len(crowd) <= _CROWD:
                    continue
                cases = sum(1 for one in crowd if one in ends and one != thing)
                if not cases:
                    continue
                hits = len(crowd & peers)
                found.append(Pattern(link, anchor, hits, cases, not step.startswith("^")))
                share = (hits + 2 * base) / (cases + 2) if cases >= _LEAST_CASES else base
                lifts.append(math.log((share + 1e-4) / (base + 1e-4)))
        found.sort(key=lambda one: (-one.confidence, -one.hits, one.step, one.anchor))
        return tuple(found), math.fsum(lifts) / math.sqrt(len(lifts)) if lifts else 0.0

    def shape(self, subject: str, value: str) -> tuple[float, ...]:
        """Return how many other values and subjects the property has here, as logarithms."""
        profile, step = self._profile, self._profile.property
        values = profile.pairs.values.get(subject, frozenset()) - {value}
        subjects = profile.pairs.subjects.get(value, frozenset()) - {subject}
        of_value = len(subjects) / max(1, len(profile.pairs.values))
        of_subject = len(values) / max(1, len(profile.pairs.subjects))
        another = profile.another(len(values), step).chance if values else 1.0
        inverse = profile.another(len(subjects), back(step)).chance if subjects else 1.0
        return (
            math.log(len(subjects) + 1),
            math.log(len(values) + 1),
            float(not values),
            float(not subjects),
            math.log(of_value + 1e-3),
            math.log(of_subject + 1e-3),
            math.log(another),
            math.log(inverse),
        )

    def links(self, subject: str, value: str) -> tuple[float, float]:
        """Return how near the two are by two and by three steps of any kind, hubs counting less."""
        graph, both = self._graph, {subject, value}
        one, other = graph.beside(subject, self._cancel), graph.beside(value, self._cancel)
        if len(one) > len(other):
            one, other = other, one
        far_side = other - both
        near = math.fsum(1.0 / graph.degree(node, self._cancel) for node in one & far_side)
        far = 0.0
        for node in sample(sorted(one - both), _MIDDLES):
            met = far_side & graph.beside(node, self._cancel)
            weight = math.fsum(1.0 / graph.degree(end, self._cancel) for end in met)
            far += weight / max(1, graph.degree(node, self._cancel))
        return (math.log(near + 1e-5), math.log(far + 1e-6))

    def likeness(self, thing: str, step: str, other: str) -> float:
        """Return how like the thing is to those that have ``other`` by the step already."""
        peers = self._profile.pairs.ends(back(step)).get(other, frozenset()) - {thing}
        chosen = sample(sorted(peers), _LIKE)
        best = sorted((self._alike(thing, one, other) for one in chosen), reverse=True)
        return sum(best[:_BEST]) / _BEST

    def scored(self, subject: str, value: str, scorer: Scorer | None) -> tuple[float, ...]:
        """Return the scorer's figures; NaN where it says nothing."""
        steps = self._around(subject)
        copies = (back(name) for name in self._profile.copies())
        stated = any(value in steps.get(step, ()) for step in (self._profile.property, *copies))
        if scorer is None or stated:
            return (math.nan,) * len(FIGURES)
        return scorer.figures(subject, self._profile.property, value)

    def _alike(self, one: str, two: str, apart: str) -> float:
        graph, cancel = self._graph, self._cancel
        shared = (graph.beside(one, cancel) & graph.beside(two, cancel)) - {one, two, apart}
        if not shared:
            return 0.0
        top = math.fsum(graph.weight(node, cancel) ** 2 for node in shared)
        return top / math.sqrt(graph.length(one, cancel) * graph.length(two, cancel))


def edge_of(pattern: Pattern, thing: str) -> Edge:
    """Return the statement that lets a pattern apply to a thing."""
    if pattern.step.startswith("^"):
        return (pattern.anchor, pattern.step[1:], thing)
    return (thing, pattern.step, pattern.anchor)
