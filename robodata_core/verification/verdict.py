"""What a verification gives back: verdict, reasons and evidence; and the same as JSON."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass
from typing import Any

from robodata_core.answers.json import claim_to_json, statistics_to_json, value_to_json
from robodata_core.model import AnswerStatus, Claim, RunStatistics, Triple
from robodata_core.texts.corpus import Sentence, sentence_to_json
from robodata_core.verification.trajectories import Trajectory

__all__ = ["Judgement", "Reason", "Verdict", "verdict_to_json"]


class Judgement(str, enum.Enum):
    """What the graph says of a triple."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that speaks for or against a triple.

    Attributes:
        kind: ``stated``, ``inverse``, ``path``, ``pattern``; against: ``other value``,
            ``other subject``, ``class``, ``itself``, ``direction``. Of an investigation:
            ``statements``, ``text``, ``observation``.
        text: What was found and measured, as a sentence.
        confidence: How often such a reason is right, as measured in the graph: for a reason
            against, how rarely a triple holds in spite of it. 1 for what is stated. Of an
            investigation: that of its judgement.
        claims: Ids of the claims that state the triples behind it.
        sentences: Sentences of texts behind it, which are no claims.
    """

    kind: str
    text: str
    confidence: float
    claims: tuple[str, ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a triple holds, as far as the graph tells, and why.

    Attributes:
        triple: What was judged.
        subject_label: Label of its subject.
        predicate_label: Label of its property.
        object_label: Label of its object, or the literal as text.
        unit_label: Label of the unit of a quantity.
        judgement: What the graph says.
        confidence: How sure the judgement is, 0 to 1: 1 where it is stated; for ``refuted`` the
            measured chance that such a triple does not hold; ``probability`` or one minus it
            where rules decide or a decision was forced; 0 of ``unknown``.
        probability: Estimated chance that the triple holds: measured with labelled triples where
            a calibration is used, else the strength of the best rules taken together.
        explanation: One sentence.
        reasons: What speaks for it.
        objections: What speaks against it.
        evidence: Claims behind the reasons, each with triples of the local graph.
        against: The same of the objections.
        notes: How names were read, qualifiers, ranks, and what could not be looked at.
        forced: Whether a decision was asked for although the graph gives none.
        hidden: Whether the triple itself and its copies were kept out of sight.
        method: How it was judged.
        status: How the run ended.
        statistics: Of the run.
        trace: States of the run.
        run_id: Id of the run.
        investigation: What a model did, from plan to judgement; None without one.
    """

    triple: Triple
    judgement: Judgement
    confidence: float
    probability: float
    explanation: str
    subject_label: str = ""
    predicate_label: str = ""
    object_label: str = ""
    unit_label: str = ""
    reasons: tuple[Reason, ...] = ()
    objections: tuple[Reason, ...] = ()
    evidence: tuple[Claim, ...] = ()
    against: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    forced: bool = False
    hidden: bool = False
    method: str = ""
    status: AnswerStatus = AnswerStatus.UNKNOWN
    statistics: RunStatistics = RunStatistics()
    trace: tuple[str, ...] = ()
    run_id: str = ""
    investigation: Trajectory | None = None


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as the documented JSON object (docs/VERIFICATION.md)."""
    triple = verdict.triple
    return {
        "subject": {"id": triple.subject, "label": verdict.subject_label},
        "predicate": {"id": triple.predicate, "label": verdict.predicate_label},
        "object": value_to_json(triple.object, verdict.object_label, verdict.unit_label),
        "judgement": verdict.judgement.value,
        "confidence": round(verdict.confidence, 4),
        "probability": round(verdict.probability, 4),
        "forced": verdict.forced,
        "without_itself": verdict.hidden,
        "explanation": verdict.explanation,
        "method": verdict.method,
        "reasons": [_reason(item) for item in verdict.reasons],
        "objections": [_reason(item) for item in verdict.objections],
        "evidence": [claim_to_json(claim) for claim in verdict.evidence],
        "against": [claim_to_json(claim) for claim in verdict.against],
        "notes": list(verdict.notes),
        "status": verdict.status.value,
        "statistics": statistics_to_json(verdict.statistics),
        "trace": list(verdict.trace),
        "investigation": asdict(verdict.investigation) if verdict.investigation else None,
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "kind": reason.kind,
        "text": reason.text,
        "confidence": round(reason.confidence, 4),
        "claims": list(reason.claims),
        "sentences": [sentence_to_json(one) for one in reason.sentences],
    }
