"""Triples, evidence, claims and answers as messages, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from robodata_core.belief import MAP_SOURCE, said_by, vocabulary
from robodata_core.errors import InvalidRequestError
from robodata_core.iris import XSD, id_from_iri
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    Completeness,
    Evidence,
    Provenance,
    QuantityValue,
    Rank,
    Reference,
    ResultItem,
    RunStatistics,
    SearchHit,
    Snak,
    StringValue,
    SupportSet,
    TokenCount,
    Triple,
    TruthKind,
)
from robodata_msgs import msg as m
from robodata_ros.convert._basic import NAN, clean, count, stamp_from_msg, stamp_to_msg
from robodata_ros.convert._terms import id_from_msg, term_of_entity, value_from_msg, value_to_msg

__all__ = [
    "answer_from_msg",
    "answer_to_msg",
    "claim_from_msg",
    "claim_to_msg",
    "evidence_from_msg",
    "evidence_to_msg",
    "near_to_msg",
    "triple_from_msg",
    "triple_to_msg",
    "truth_to_msg",
]

_RANKS: Final = {
    Rank.NORMAL: m.Evidence.RANK_NORMAL,
    Rank.PREFERRED: m.Evidence.RANK_PREFERRED,
    Rank.DEPRECATED: m.Evidence.RANK_DEPRECATED,
}
_TRUTHS: Final = {
    TruthKind.STATED: m.Claim.STATED,
    TruthKind.TYPICAL: m.Claim.TYPICAL,
    TruthKind.OBSERVED: m.Claim.OBSERVED,
    TruthKind.RECKONED: m.Claim.RECKONED,
    TruthKind.ABSENT: m.Claim.ABSENT,
}
_TRUTHS_BACK: Final = {number: kind for kind, number in _TRUTHS.items()}
_NO_CONFIDENCE: Final = {
    TruthKind.STATED: "the source states it without a confidence",
    TruthKind.TYPICAL: "the source says how things of this kind are, not how often",
    TruthKind.OBSERVED: "the detector gave no score",
    TruthKind.RECKONED: "it is computed from values without a confidence",
    TruthKind.ABSENT: "that a look-up found nothing has no confidence",
}
_UNSUPPORTED: Final = "nothing supports it"
_RANKS_BACK: Final = {number: rank for rank, number in _RANKS.items()}
_STATUSES: Final = {
    AnswerStatus.ANSWERED: m.Answer.ANSWERED,
    AnswerStatus.PARTIAL: m.Answer.PARTIAL,
}
_STATUSES_BACK: Final = {number: status for status, number in _STATUSES.items()}


def truth_to_msg(kind: TruthKind) -> int:
    """Return the number of a kind of truth in ``Claim``."""
    return int(_TRUTHS[kind])


# -- triples and evidence -----------------------------------------------------------------------


def triple_to_msg(triple: Triple, labels: tuple[str, str, str, str] = ("", "", "", "")) -> Any:
    """Return a triple; ``labels`` are those of subject, predicate, object and unit."""
    subject, predicate, object_, unit = labels
    return m.Triple(
        subject=term_of_entity(triple.subject, subject),
        predicate=term_of_entity(triple.predicate, predicate, predicate=True),
        object=value_to_msg(triple.object, object_, unit),
    )


def triple_from_msg(message: Any) -> Triple:
    """Return the triple of a message.

    Raises:
        InvalidRequestError: If it is malformed.
    """
    for name in ("subject", "predicate"):
        if getattr(message, name).kind != m.Term.IRI:
            raise InvalidRequestError(f"The {name} of a triple must be an IRI.")
    value = value_from_msg(message.object)
    if isinstance(value, bool):
        value = StringValue(str(value).lower(), XSD + "boolean")
    elif isinstance(value, int):
        value = QuantityValue(Decimal(value))
    return Triple(id_from_msg(message.subject.value), id_from_msg(message.predicate.value), value)


def _qualifier(snak: Snak) -> Any:
    property_ = term_of_entity(snak.property, predicate=True)
    return m.Qualifier(property=property_, value=value_to_msg(snak.value))


def _snak(message: Any) -> Snak:
    triple = triple_from_msg(
        m.Triple(subject=message.property, predicate=message.property, object=message.value)
    )
    return Snak(triple.predicate, triple.object)


def evidence_to_msg(evidence: Evidence) -> Any:
    """Return a triple of a graph with where it came from (its first provenance record)."""
    labels = (
        evidence.subject_label,
        evidence.predicate_label,
        evidence.object_label,
        evidence.unit_label,
    )
    message = m.Evidence(
        triple=triple_to_msg(evidence.triple, labels),
        handle=clean(evidence.handle),
        statement_iri=clean(evidence.statement),
    )
    message.confidence, message.confidence_reason = _confidence([evidence], TruthKind.STATED)
    if evidence.provenance:
        record = evidence.provenance[0]
        message.source = clean(record.source)
        message.origin = clean(record.origin)
        message.statement_id = clean(record.statement_id)
        message.rank = _RANKS[record.rank]
        message.query = clean(record.tool)
        message.run_id, message.call_id = clean(record.run_id), clean(record.call_id)
        message.stamp = stamp_to_msg(record.retrieved)
        message.qualifiers = [_qualifier(snak) for snak in record.qualifiers]
        said = record.references[0].snaks if record.references else ()
        message.references = [_qualifier(snak) for snak in said]
    return message


def _confidence(evidence: Iterable[Evidence], kind: TruthKind) -> tuple[float, str]:
    """Return the least score of what was observed, or NaN and why there is none."""
    given = tuple(evidence)
    if author := said_by(given):
        return NAN, f"{clean(author)} said so, and no detector saw it"
    records = [record for item in given for record in item.provenance[:1]]
    seen = [record for record in records if record.source == MAP_SOURCE]
    scores = [
        float(snak.value.amount)
        for record in seen
        for snak in record.qualifiers
        if snak.property == vocabulary.SCORE and isinstance(snak.value, QuantityValue)
    ]
    if scores and len(scores) == len(seen):
        return min(scores), "the detector's score"
    return NAN, _NO_CONFIDENCE[TruthKind.OBSERVED if seen else kind]


def evidence_from_msg(message: Any) -> Evidence:
    """Return the evidence of a message.

    Raises:
        InvalidRequestError: If it is malformed.
    """
    triple = message.triple
    said = tuple(_snak(item) for item in message.references)
    record = Provenance(
        source=message.source,
        retrieved=stamp_from_msg(message.stamp),
        run_id=message.run_id,
        call_id=message.call_id,
        tool=message.query,
        statement_id=message.statement_id,
        rank=_RANKS_BACK.get(message.rank, Rank.NORMAL),
        qualifiers=tuple(_snak(item) for item in message.qualifiers),
        references=(Reference(said),) if said else (),
        origin=message.origin,
    )
    return Evidence(
        handle=message.handle,
        triple=triple_from_msg(triple),
        statement=message.statement_iri,
        subject_label=triple.subject.label,
        predicate_label=triple.predicate.label,
        object_label=triple.object.label,
        provenance=(record,) if message.source else (),
        unit_label=triple.object.unit_label,
    )


# -- claims and answers -------------------------------------------------------------------------


def _supports(sets: Iterable[SupportSet]) -> list[Any]:
    return [
        m.SupportSet(evidence=[evidence_to_msg(item) for item in one.evidence])
        for one in sets
        if one
    ]


def claim_to_msg(claim: Claim, verdict: int | None = None) -> Any:
    """Return a claim; its verdict follows from whether it is supported, unless it is given."""
    if verdict is None:
        verdict = m.Claim.SUPPORTED if claim.supported else m.Claim.UNVERIFIED
    message = m.Claim(
        id=clean(claim.id),
        text=clean(claim.text),
        verdict=verdict,
        kind=_TRUTHS[claim.kind],
        support=_supports([claim.support]),
        problem=clean(claim.problem),
    )
    message.confidence, message.confidence_reason = NAN, _UNSUPPORTED
    if claim.supported:
        confidence = _confidence(claim.support.evidence, claim.kind)
        message.confidence, message.confidence_reason = confidence
    if len(claim.support.evidence) == 1:
        message.triple = message.support[0].evidence[0].triple
    return message


def claim_from_msg(message: Any) -> Claim:
    """Return the claim of a message, with its first alternative of support.

    Raises:
        InvalidRequestError: If it is malformed.
    """
    support = message.support[0].evidence if message.support else ()
    return Claim(
        id=message.id,
        text=message.text,
        supported=message.verdict == m.Claim.SUPPORTED,
        support=SupportSet(tuple(evidence_from_msg(item) for item in support)),
        problem=message.problem,
        kind=_TRUTHS_BACK.get(message.kind, TruthKind.STATED),
    )


def near_to_msg(hit: SearchHit) -> Any:
    """Return a near match of a name."""
    return m.NearMatch(
        entity=term_of_entity(hit.id, hit.label),
        description=clean(hit.description),
        score=float(hit.score),
    )


def _near_from_msg(message: Any) -> SearchHit:
    entity = message.entity
    return SearchHit(
        id_from_iri(entity.value), entity.label, message.description, score=message.score
    )


def answer_to_msg(answer: Answer) -> Any:
    """Return an answer. Cancelled and failed ones read as ABSTAINED: the error code says why."""
    complete = answer.completeness
    known = complete is not None and complete.reported is not None
    reported = complete.reported if complete and complete.reported is not None else -1
    found = count(complete.found if complete else len(answer.results))
    return m.Answer(
        status=_STATUSES.get(answer.status, m.Answer.ABSTAINED),
        question=clean(answer.understood_as or answer.question),
        reading=clean(answer.reading),
        probability=NAN if answer.probability is None else float(answer.probability),
        text=clean(answer.text),
        values=[value_to_msg(item.value, item.label, item.unit_label) for item in answer.results],
        claims=[claim_to_msg(claim) for claim in answer.claims],
        missing=[clean(text) for text in answer.missing],
        notes=[clean(text) for text in answer.notes],
        suggestions=[near_to_msg(hit) for hit in answer.suggestions],
        attempt=clean(answer.attempt),
        program=clean(answer.program),
        sparql=clean(answer.sparql),
        policy=clean(answer.policy),
        completeness=min(1.0, found / reported) if known and reported > 0 else NAN,
        found=found,
        reported=count(reported, 2**31 - 1) if known else -1,
        trace_id=clean(answer.run_id),
        states=[clean(state) for state in answer.trace],
        statistics=_statistics_to_msg(answer.statistics),
    )


def answer_from_msg(message: Any, status: AnswerStatus | None = None) -> Answer:
    """Return the answer of a message; ``status`` where it is known better (from an error code).

    Raises:
        InvalidRequestError: If it is malformed.
    """
    reported = None if message.reported < 0 else message.reported
    results = tuple(
        ResultItem(value_from_msg(term), term.label, term.unit_label) for term in message.values
    )
    return Answer(
        question=message.question,
        status=status or _STATUSES_BACK.get(message.status, AnswerStatus.UNKNOWN),
        text=message.text,
        reading=message.reading,
        probability=None if math.isnan(message.probability) else message.probability,
        policy=message.policy,
        claims=tuple(claim_from_msg(claim) for claim in message.claims),
        results=results,
        completeness=Completeness(message.found, reported),
        missing=tuple(message.missing),
        notes=tuple(message.notes),
        suggestions=tuple(_near_from_msg(hit) for hit in message.suggestions),
        attempt=message.attempt,
        program=message.program,
        sparql=message.sparql,
        statistics=_statistics_from_msg(message.statistics),
        trace=tuple(message.states),
        run_id=message.trace_id,
    )


def _statistics_to_msg(given: RunStatistics) -> Any:
    return m.RunStatistics(
        turns=count(given.turns),
        tool_calls=count(given.tool_calls),
        failed_calls=count(given.failed_calls),
        repeated_calls=count(given.repeated_calls),
        prompt_tokens=count(given.tokens.prompt, 2**64 - 1),
        completion_tokens=count(given.tokens.completion, 2**64 - 1),
        seconds=float(given.seconds),
        nodes=count(given.nodes),
        edges=count(given.edges),
    )


def _statistics_from_msg(message: Any) -> RunStatistics:
    return RunStatistics(
        turns=message.turns,
        tool_calls=message.tool_calls,
        failed_calls=message.failed_calls,
        repeated_calls=message.repeated_calls,
        tokens=TokenCount(message.prompt_tokens, message.completion_tokens),
        seconds=message.seconds,
        nodes=message.nodes,
        edges=message.edges,
    )
