"""From what is stated, what speaks against it and what implies it to a finding.

The layers are gone through in this order: stated as it is or by a copy; contradicted; implied by
rules. What is neither stated nor contradicted nor implied strongly enough is unknown, unless a
decision is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.answers.facts import program_of_relation
from robodata_core.cancellation import CancelToken
from robodata_core.model import EntityValue, Triple
from robodata_core.programs.describe import Verbaliser
from robodata_core.sources.base import KnowledgeSource
from robodata_core.verification.calibration import Calibration
from robodata_core.verification.embedding import Scorer
from robodata_core.verification.findings import Finding, Ground, statement_of, statements_of
from robodata_core.verification.neighbourhoods import Neighbourhoods, back
from robodata_core.verification.objections import (
    WEIGHTY,
    Objector,
    Stated,
    look_up,
    qualifier_notes,
)
from robodata_core.verification.profiles import Profile, Profiles
from robodata_core.verification.rules import PathRule, find_path, hidden_edges
from robodata_core.verification.signals import Pattern, Signals, edge_of, strength, weigh
from robodata_core.verification.verdict import Judgement

__all__ = ["SURE", "Judge", "Knowledge", "beside"]

SURE: Final = 0.8
"""From this probability on rules alone support a triple."""
_EVEN: Final = 0.5
_PATHS: Final = 3
_LIKES: Final = 2
_WORTH: Final = 0.2
"""A reason weaker than this is not shown; it counts all the same."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is shared between verifications of one source.

    Attributes:
        source: The source.
        graph: Its neighbourhoods.
        profiles: Its properties.
        calibration: From labelled triples, or None.
        mining: Whether rules are mined; not where every look costs a request.
        scorer: Trained on the graph, for a calibration to weigh, or None.
    """

    source: KnowledgeSource
    graph: Neighbourhoods
    profiles: Profiles
    calibration: Calibration | None = None
    mining: bool = True
    scorer: Scorer | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """One triple under judgement, and what is known of it."""

    triple: Triple
    profile: Profile
    stated: Stated
    signals: Signals | None
    hidden: bool


class Judge:
    """Judges triples; one serves one run.

    Args:
        knowledge: About the source.
        label: Gives the label of an entity or property.
        cancel: Ends it early.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        label: Callable[[str], str],
        cancel: CancelToken | None = None,
    ) -> None:
        self._known = knowledge
        self._label = label
        self._cancel = cancel
        self._words = Verbaliser(label)

    def judge(self, triple: Triple, *, hidden: bool, decide: bool) -> Finding:
        """Judge a triple.

        Args:
            triple: The triple.
            hidden: Keep it and its trivial copies out of sight.
            decide: Decide even where the graph does not.

        Raises:
            SourceError: If the source cannot be read.
            CancelledError: If the run was cancelled.
            DeadlineExceededError: If its time is over.
        """
        stated = look_up(self._known.source, triple)
        notes = self._rank_notes(stated) if not hidden else ()
        if not hidden:
            found = self._directly(stated)
            if found is not None:
                return replace(found, notes=(*found.notes, *notes))
        if self._cancel is not None:
            self._cancel.check()
        profile = self._known.profiles.of(triple.predicate, self._cancel)
        if hidden:
            stated.same, stated.within, stated.beyond = [], [], []
        elif (copy := self._copy(triple, profile)) is not None:
            return replace(copy, notes=notes)
        signals = self._signals(triple, profile, hidden)
        case = _Case(triple, profile, stated, signals, hidden)
        return self._weighed(case, notes, decide=decide)

    def signals(self, triple: Triple) -> Signals | None:
        """Return what speaks for a triple between two entities, itself hidden; for learning."""
        profile = self._known.profiles.of(triple.predicate, self._cancel)
        return self._signals(triple, profile, True)

    # -- stated ---------------------------------------------------------------------------------

    def _directly(self, stated: Stated) -> Finding | None:
        statements = stated.same or stated.within or stated.outranked
        if not statements:
            return None
        text = "The source states it."
        if not stated.same:
            text = "The source states it more precisely."
        if not stated.same and not stated.within:
            text = "The source states it, but prefers another value to it."
        notes = qualifier_notes(statements, self._label, self._label)
        chains = tuple((one,) for one in statements[:_PATHS])
        ground = Ground("stated", text, 1.0, chains)
        told = " ".join((text, *notes[:1]))
        return Finding(Judgement.SUPPORTED, 1.0, 1.0, told, (ground,), notes=notes)

    def _rank_notes(self, stated: Stated) -> tuple[str, ...]:
        notes = []
        if stated.deprecated:
            notes.append("The source holds this statement as deprecated: it has withdrawn it.")
        if stated.beyond:
            notes.append("What is stated agrees, but is less precise.")
        if stated.apart:
            notes.append("A value of another kind or unit is stated; it was not converted.")
        if stated.cut:
            notes.append("There are more statements than could be looked through.")
        return tuple(notes)

    def _copy(self, triple: Triple, profile: Profile) -> Finding | None:
        """Return a finding if an inverse or symmetric property states the same."""
        if not isinstance(triple.object, EntityValue):
            return None
        for name in profile.copies():
            share = profile.share_turned(name)
            page = self._known.source.statements(triple.object.id, property=name, limit=1_000)
            found = [one for one in page.statements if one.value == EntityValue(triple.subject)]
            if not found or share < SURE:
                continue
            text = (
                f"“{self._label(name)}” states it the other way round, which implies it in"
                f" {share:.0%} of the cases in the graph."
            )
            ground = Ground("inverse", text, share, (tuple(found[:1]),))
            return Finding(Judgement.SUPPORTED, share, share, text, (ground,))
        return None

    # -- for and against ------------------------------------------------------------------------

    def _signals(self, triple: Triple, profile: Profile, hidden: bool) -> Signals | None:
        if not self._known.mining or not isinstance(triple.object, EntityValue):
            return None
        subject, value = triple.subject, triple.object.id
        copies = ((value, name, subject) for name in profile.copies()) if hidden else ()
        edges = hidden_edges(copies)
        return weigh(
            self._known.graph, profile, subject, value, edges, self._cancel, self._known.scorer
        )

    def _weighed(self, case: _Case, notes: tuple[str, ...], *, decide: bool) -> Finding:
        graph = self._known.graph if self._known.mining else None
        objector = Objector(self._known.source, graph, case.profile, self._label, self._cancel)
        objections = objector.objections(case.triple, case.stated)
        reasons = self._reasons(case)
        notes = (*notes, *objector.notes, *self._limits(case))
        weighty = tuple(one for one in objections if one.confidence >= WEIGHTY)
        probability = self._probability(case, objections)
        finding = self._settled(case, probability, reasons, weighty)
        if not weighty and objections:
            finding = _shown_beside(finding, objections)
        if finding.judgement is Judgement.UNKNOWN and decide:
            finding = _forced(finding)
        return replace(finding, notes=notes)

    def _probability(self, case: _Case, objections: tuple[Ground, ...]) -> float:
        """Return the chance that the triple holds, objections taken into account."""
        calibration = self._known.calibration
        if case.signals is None:
            return 1 - objections[0].confidence if objections else 0.0
        value = case.triple.object
        if calibration is not None and isinstance(value, EntityValue):
            return calibration.probability(case.profile.property, value.id, case.signals.figures)
        return beside(strength(case.signals), objections)

    def _settled(
        self,
        case: _Case,
        probability: float,
        reasons: tuple[Ground, ...],
        objections: tuple[Ground, ...],
    ) -> Finding:
        implied = strength(case.signals) if case.signals else 0.0
        if objections and implied < _EVEN:
            sure = objections[0].confidence
            text = f"The graph speaks against it: {_lowered(objections[0].text)}"
            return Finding(
                Judgement.REFUTED, sure, min(probability, 1 - sure), text, reasons, objections
            )
        if objections:
            text = "The graph speaks for it and against it, so it is left open."
        elif probability >= SURE and reasons:
            text = f"It is not stated, but implied: {_lowered(reasons[0].text)}"
            return Finding(Judgement.SUPPORTED, probability, probability, text, reasons)
        elif reasons:
            text = "It is neither stated nor contradicted, and what implies it is too weak."
        else:
            text = "It is neither stated nor contradicted, and nothing in the graph implies it."
        return Finding(Judgement.UNKNOWN, 0.0, probability, text, reasons, objections)

    def _limits(self, case: _Case) -> tuple[str, ...]:
        if not self._known.mining:
            return ("No rules were mined: that needs a snapshot, not a live service.",)
        if case.profile.pairs.truncated:
            count = sum(case.profile.pairs.counts.values())
            return (f"The property was judged by {count:,} of its statements.",)
        return ()

    # -- reasons --------------------------------------------------------------------------------

    def _reasons(self, case: _Case) -> tuple[Ground, ...]:
        signals = case.signals
        if signals is None or not isinstance(case.triple.object, EntityValue):
            return ()
        found = [self._by_path(case, rule) for rule in signals.fired[:_PATHS]]
        for patterns in (signals.value_patterns, signals.subject_patterns):
            found += [self._by_pattern(case, pattern) for pattern in patterns[:1]]
        good = [one for one in found if one is not None and one.confidence >= _WORTH]
        return tuple(sorted(good, key=lambda one: -one.confidence))

    def _by_path(self, case: _Case, rule: PathRule) -> Ground | None:
        assert isinstance(case.triple.object, EntityValue)
        subject, value = case.triple.subject, case.triple.object.id
        edges = [(subject, case.profile.property, value)]
        if case.hidden:
            edges += [(value, name, subject) for name in case.profile.copies()]
        chain = find_path(self._known.graph, subject, rule.path, value, hidden_edges(edges))
        if not chain:
            return None
        steps = " / ".join(self._step(step) for step in rule.path)
        text = (
            f"A path leads there ({steps}); where it leads, “{self._label(case.profile.property)}”"
            f" does in {rule.hits:,} of {rule.cases:,} cases measured."
        )
        return Ground("path", text, rule.confidence, (statements_of(chain),))

    def _by_pattern(self, case: _Case, pattern: Pattern) -> Ground | None:
        assert isinstance(case.triple.object, EntityValue)
        subject, value = case.triple.subject, case.triple.object.id
        name = case.profile.property
        thing, other = (subject, value) if pattern.subject_side else (value, subject)
        own = statement_of(edge_of(pattern, thing))
        likes = []
        crowd = self._known.graph.to(pattern.anchor, back(pattern.step), self._cancel)
        ends = case.profile.pairs.ends(name if pattern.subject_side else back(name))
        for one in sorted(crowd - {thing}):
            if other in ends.get(one, ()):
                edge = (one, name, value) if pattern.subject_side else (subject, name, one)
                likes.append(statements_of((edge_of(pattern, one), edge)))
                if len(likes) == _LIKES:
                    break
        if not likes:
            return None
        shared = self._words.clause(
            program_of_relation(EntityValue(own.subject), own.property), (own.value,)
        )
        end = "subjects" if pattern.subject_side else "values"
        text = (
            f"{_raised(shared)}; of {pattern.cases:,} other {end} of “{self._label(name)}” with the"
            f" same, {pattern.hits:,} have {self._label(other)} there."
        )
        return Ground("pattern", text, pattern.confidence, ((own,), *likes))

    def _step(self, step: str) -> str:
        name = self._label(step.removeprefix("^"))
        return f"backwards by {name}" if step.startswith("^") else name


def beside(strong: float, objections: Sequence[Ground]) -> float:
    """Return what implies a triple, weighed against what objects to it.

    Also an objection that is too weak to refute counts by its odds: where few of those with as many
    values have one more, what is implied is rarer than it is of those that lack any.
    """
    if not objections:
        return strong
    rare = 1 - objections[0].confidence
    return strong * rare / (strong * rare + (1 - strong) * (1 - rare) + 1e-9)


def _shown_beside(finding: Finding, objections: tuple[Ground, ...]) -> Finding:
    """Show what speaks against a triple without refuting it."""
    if finding.judgement is not Judgement.UNKNOWN:
        return replace(finding, objections=objections)
    text = f"It is not stated, and what speaks against it is weak: {_lowered(objections[0].text)}"
    return replace(finding, explanation=text, objections=objections)


def _forced(finding: Finding) -> Finding:
    holds = finding.probability >= _EVEN
    judgement = Judgement.SUPPORTED if holds else Judgement.REFUTED
    text = f"Decided because a decision was asked for (probability {finding.probability:.2f}). "
    return replace(
        finding,
        judgement=judgement,
        confidence=max(finding.probability, 1 - finding.probability),
        explanation=text + finding.explanation,
        forced=True,
    )


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first in ("A", "Another", "It", "The") else text


def _raised(text: str) -> str:
    return text[:1].upper() + text[1:]
