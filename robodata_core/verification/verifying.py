"""Verifying triples with one source: what is opened once, and the run of each verification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from robodata_core.errors import ConfigurationError
from robodata_core.model import Answer, AnswerStatus, Claim, EntityValue, Triple, Value
from robodata_core.orchestrator.machine import INVESTIGATION, TRANSITIONS
from robodata_core.sources.capabilities import all_properties, capabilities
from robodata_core.text import clean_text, plural
from robodata_core.texts.open import Texts
from robodata_core.values import format_value
from robodata_core.verification.calibration import (
    Calibration,
    Example,
    read_calibration,
)
from robodata_core.verification.embedding import Scorer, read_scorer, train_scorer
from robodata_core.verification.findings import Finding, Ground
from robodata_core.verification.judging import Judge, Knowledge
from robodata_core.verification.naming import Named, name_triple
from robodata_core.verification.neighbourhoods import Edge, Neighbourhoods
from robodata_core.verification.policy import VerificationPolicy
from robodata_core.verification.profiles import Profiles
from robodata_core.verification.trajectories import Trajectory, trajectory_of
from robodata_core.verification.verdict import Judgement, Reason, Verdict

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.config import Settings
    from robodata_core.orchestrator.machine import State, Table
    from robodata_core.policy.base import Policy
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.tools.registry import Toolbox
    from robodata_core.verification.investigation import Agent, InvestigationPolicy

    Run = Callable[[str, Policy, Table, Callable[[State], Toolbox] | None], Answer]

__all__ = ["Request", "Verifier", "unasked"]

_LIVE_PAIRS: Final = 500
_LABEL: Final = 200
_METHOD: Final = "deterministic: stated facts, measured behaviour of the property"
_RULES: Final = ", and rules mined from the graph"
_INVESTIGATED: Final = (
    "investigated by the language model {}: a plan, steps with tools, a judgement; its probability"
    " is the model's own, within what was measured of what it cites"
)
_ASKING: Final = ("chat", "auto")
"""Policies that ask a model about questions, and none about triples."""
_LEARNT: Final = ", weighed by a calibration learnt from {}"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be verified, as given.

    Attributes:
        subject: Id or name.
        predicate: Id or name.
        object: Id, name, literal as text or number, or a value.
        decide: Decide even where the graph does not.
        without_itself: Keep the triple and its trivial copies out of sight.
    """

    subject: str
    predicate: str
    object: str | float | Decimal | Value
    decide: bool = False
    without_itself: bool = False


class Verifier:
    """Knows a source's properties and rules, learnt as they are asked for. Thread-safe.

    Args:
        source: The source.
        settings: What was set.
        agent: The model that investigates; without one rules judge.
        texts: What it may quote.

    Raises:
        ConfigurationError: If the calibration or the scorer cannot be read.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        settings: Settings,
        agent: Agent | None = None,
        texts: Texts | None = None,
    ) -> None:
        local = capabilities(source).on_this_machine
        graph = Neighbourhoods(source) if local else Neighbourhoods(source, most_pairs=_LIVE_PAIRS)
        calibration: Calibration | None = None
        if settings.calibration:
            calibration = read_calibration(settings.calibration)
        scorer = read_scorer(settings.scorer) if settings.scorer and local else None
        if calibration is not None and calibration.scorer and scorer is None:
            raise ConfigurationError(
                f"The calibration weighs a scorer learnt from {calibration.scorer}.",
                hint="Name that scorer's file with --scorer, or learn another calibration.",
            )
        profiles = Profiles(source, graph, mining=local)
        self._language = settings.language
        self._unasked = unasked(settings)
        self._agent = agent
        self._texts = texts or Texts()
        self._known = Knowledge(source, graph, profiles, calibration, local, scorer)

    @property
    def scorer(self) -> Scorer | None:
        """The scorer that is set, or None."""
        return self._known.scorer

    def learn_scorer(
        self, told: Callable[[float], None] | None = None, cancel: CancelToken | None = None
    ) -> Scorer:
        """Train a scorer on the source's statements between entities.

        Args:
            told: Told the share that is done, from 0 to 1.
            cancel: Ends it early.

        Raises:
            ConfigurationError: If there is too little to learn from, or NumPy is missing, or the
                source is a live one.
            SourceError: If the source cannot be read.
        """
        if not self._known.mining:
            raise ConfigurationError("A scorer is learnt from a snapshot, not from a live service.")
        edges: set[Edge] = set()
        for listed in all_properties(self._known.source):
            pairs = self._known.graph.pairs(listed.id, cancel)
            edges.update((s, listed.id, o) for s, found in pairs.values.items() for o in found)
        name = f"{plural(len(edges), 'statement')} of {self._known.source.name}"
        return train_scorer(edges, name, told=told, cancel=cancel)

    def understand(self, request: Request) -> Named:
        """Find out what a request means.

        Raises:
            InvalidRequestError: If a part names nothing, or more than one thing.
            SourceError: If the source cannot be read.
        """
        return name_triple(
            self._known.source,
            request.subject,
            request.predicate,
            request.object,
            language=self._language,
        )

    def refutes(self, triple: Triple) -> bool:
        """Tell whether rules and statistics refute a triple that they do not see.

        Raises:
            SourceError: If the source cannot be read.
        """
        found = Judge(self._known, lambda id_: id_).judge(triple, hidden=True, decide=False)
        return found.judgement is Judgement.REFUTED

    def run(
        self,
        request: Request,
        named: Named,
        run: Run,
        cancel: CancelToken | None = None,
    ) -> Verdict:
        """Verify a triple.

        Args:
            request: What was asked.
            named: What it means.
            run: Lets a policy drive the machine for a question, and returns the answer.
            cancel: Ends it early.
        """
        if self._agent is not None:
            return self._investigated(self._agent, request, named, run, cancel)
        policy = VerificationPolicy(
            named, self._known, hidden=request.without_itself, decide=request.decide
        )
        answer = run(_question(named), policy, TRANSITIONS, None)
        verdict = _verdict(request, named, policy, answer, self._method())
        return replace(verdict, notes=(*verdict.notes, *self._unasked))

    def _investigated(
        self,
        agent: Agent,
        request: Request,
        named: Named,
        run: Run,
        cancel: CancelToken | None,
    ) -> Verdict:
        from robodata_core.verification.case import Case
        from robodata_core.verification.investigation import InvestigationPolicy
        from robodata_core.verification.tools import toolboxes

        case = Case(named, self._known, self._texts, hidden=request.without_itself, cancel=cancel)
        policy = InvestigationPolicy(agent, case, decide=request.decide)
        answer = run(_question(named), policy, INVESTIGATION, toolboxes(case))
        method = _INVESTIGATED.format(clean_text(agent.model, limit=_LABEL))
        verdict = _verdict(request, named, policy, answer, method)
        if verdict.status is AnswerStatus.FAILED and case.finding is not None:
            prior = case.finding  # what was measured is not lost with the model
            note = f"Without the model: {prior.judgement.value}, {prior.probability:.2f}."
            verdict = replace(verdict, probability=prior.probability, notes=(*verdict.notes, note))
        origin = f"{clean_text(agent.model, limit=_LABEL)}, {self._known.source.name}"
        return replace(verdict, investigation=_trajectory(named, policy, verdict, origin))

    def example(self, request: Request, holds: bool) -> Example | None:
        """Return a labelled triple as a calibration learns from it; None of a literal.

        Raises:
            InvalidRequestError: If a part names nothing, or more than one thing.
            SourceError: If the source cannot be read.
        """
        named = self.understand(request)
        triple = named.triple
        signals = Judge(self._known, lambda id_: id_).signals(triple)
        if signals is None or not isinstance(triple.object, EntityValue):
            return None
        return Example(triple.predicate, triple.object.id, signals.figures, holds)

    def _method(self) -> str:
        known = self._known
        learnt = _LEARNT.format(known.calibration.learnt_from) if known.calibration else ""
        return _METHOD + (_RULES if known.mining else "") + (learnt if known.mining else "")


def unasked(settings: Settings) -> tuple[str, ...]:
    """Say that no model is asked about triples, where one is set for questions; else nothing."""
    if settings.policy not in _ASKING or not (settings.model or settings.base_url):
        return ()
    said = f"No model is asked: policy {settings.policy} is for questions"
    return (f"{said}; with --policy llm one investigates triples.",)


def _trajectory(
    named: Named, policy: InvestigationPolicy, verdict: Verdict, origin: str
) -> Trajectory:
    labels = (named.subject_label, named.predicate_label, _object_label(named))
    judged = (verdict.judgement.value, verdict.probability, policy.because or verdict.explanation)
    plan = policy.plan.steps if policy.plan else ()
    return trajectory_of(labels, policy.schema, plan, policy.steps, judged, origin)


def _question(named: Named) -> str:
    """Return a triple as a question, with its ids, so that they count as shown."""
    triple = named.triple
    object_ = clean_text(_object_label(named), limit=_LABEL)
    if isinstance(triple.object, EntityValue):
        object_ = f"{object_} ( {triple.object.id} )"
    subject = clean_text(named.subject_label, limit=_LABEL)
    predicate = clean_text(named.predicate_label, limit=_LABEL)
    return (
        f"Does this hold: {subject} ( {triple.subject} ) {predicate} ( {triple.predicate} )"
        f" {object_} ?"
    )


def _object_label(named: Named) -> str:
    if named.object_label:
        return named.object_label
    return format_value(named.triple.object, lambda id_: named.unit_label or id_)


def _verdict(
    request: Request,
    named: Named,
    policy: VerificationPolicy | InvestigationPolicy,
    answer: Answer,
    method: str,
) -> Verdict:
    finding = policy.finding
    if finding is None or answer.status in (AnswerStatus.CANCELLED, AnswerStatus.FAILED):
        text = " ".join(answer.missing) or answer.text or "The run ended before anything was found."
        finding = _left_open(finding, text)
        claims: tuple[tuple[Claim, bool, int], ...] = ()
    else:
        cited = zip(answer.claims, policy.cited, strict=False)
        claims = tuple((claim, *place) for claim, place in cited if claim.supported)
    finding = _kept(finding, claims)
    judged = finding.judgement is not Judgement.UNKNOWN  # maybe by an observation: without claims
    return Verdict(
        triple=named.triple,
        judgement=finding.judgement,
        confidence=finding.confidence,
        probability=finding.probability,
        explanation=finding.explanation,
        subject_label=named.subject_label,
        predicate_label=named.predicate_label,
        object_label=_object_label(named),
        unit_label=named.unit_label,
        reasons=_reasons(finding.reasons, claims, True),
        objections=_reasons(finding.objections, claims, False),
        evidence=tuple(claim for claim, speaks_for, _ in claims if speaks_for),
        against=tuple(claim for claim, speaks_for, _ in claims if not speaks_for),
        notes=(*named.notes, *finding.notes),
        forced=finding.forced,
        hidden=request.without_itself,
        method=method,
        status=AnswerStatus.ANSWERED if judged else answer.status,
        statistics=answer.statistics,
        trace=answer.trace,
        run_id=answer.run_id,
    )


def _kept(finding: Finding, claims: Sequence[tuple[Claim, bool, int]]) -> Finding:
    """Take a judgement back whose evidence did not come into the local graph."""
    if finding.judgement is Judgement.UNKNOWN or finding.forced:
        return finding
    supported = finding.judgement is Judgement.SUPPORTED
    grounds = finding.reasons if supported else finding.objections
    needed = any(ground.chains for ground in grounds)
    needed = needed and not any(ground.sentences for ground in grounds)
    if not needed or any(speaks_for is supported for _, speaks_for, _ in claims):
        return finding
    text = f"Its evidence could not be fetched, so it is left open. {finding.explanation}"
    return _left_open(finding, text)


def _left_open(finding: Finding | None, text: str) -> Finding:
    """Return what was measured so far, without a judgement, and say why there is none."""
    found = finding or Finding(Judgement.UNKNOWN, 0.0, 0.0, "")
    return replace(
        found, judgement=Judgement.UNKNOWN, confidence=0.0, explanation=text, forced=False
    )


def _reasons(
    grounds: Sequence[Ground], claims: Sequence[tuple[Claim, bool, int]], speaks_for: bool
) -> tuple[Reason, ...]:
    return tuple(
        Reason(
            ground.kind,
            ground.text,
            ground.confidence,
            tuple(claim.id for claim, side, at in claims if side is speaks_for and at == place),
            ground.sentences,
        )
        for place, ground in enumerate(grounds)
    )
