"""Whether a triple stands in the source or in the local graph, with the statement that says so.

A plain lookup first: what is found is supported. What is not found is left at that, or judged by
the core's verifier where the node is set to: then it may be supported by rules, or refuted. The
same verifier may keep facts back that it refutes without seeing them. No ROS in here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from robodata_core.belief import Call, evidence_for, kind_of
from robodata_core.errors import InvalidRequestError, NotFoundError
from robodata_core.model import (
    Claim,
    EntityValue,
    QuantityValue,
    SupportSet,
    TimeValue,
    Triple,
    Value,
)
from robodata_core.values import format_value, text_of
from robodata_core.verification.verdict import Judgement

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.cancellation import CancelToken
    from robodata_core.config import Settings
    from robodata_core.model import Statement
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.store.graph import LocalGraph
    from robodata_core.verification.verifying import Verifier

__all__ = ["CheckedTriple", "Refutations", "check_triple", "judge_triple", "same_value"]

_PAGE: Final = 500
_MOST_PAGES: Final = 20
_LOOKUP: Final = Call("verify")


@dataclass(frozen=True, slots=True)
class CheckedTriple:
    """A triple with what was found for it.

    Attributes:
        triple: What was asked about.
        found: Whether it stands.
        support: What says so: alternatives, each of them enough.
        text: The triple in words.
        problem: Why it was not found, in one sentence; else empty.
        refuted: Whether the verifier refutes it.
        refutation: What speaks against it then, as far as statements do.
        confidence: How sure the verifier is; None where it was not asked or cannot tell.
    """

    triple: Triple
    found: bool
    support: tuple[SupportSet, ...] = ()
    text: str = ""
    problem: str = ""
    refuted: bool = False
    refutation: tuple[SupportSet, ...] = ()
    confidence: float | None = None

    @property
    def claim(self) -> Claim:
        """The same as a claim, with the first alternative of support."""
        support = self.support[0] if self.support else SupportSet()
        kind = kind_of(support.evidence)
        return Claim("", self.text, self.found, support, self.problem, kind)


def check_triple(
    triple: Triple,
    source: KnowledgeSource,
    graphs: Iterable[LocalGraph],
    cancel: CancelToken,
    call: Call = _LOOKUP,
) -> CheckedTriple:
    """Look for ``triple`` in local graphs and in the source.

    Args:
        triple: What to look for.
        source: The remote ontology.
        graphs: Local graphs.
        cancel: Asked between lookups.
        call: Who asks: stands in the provenance of what is found.

    Raises:
        SourceError: If the source cannot answer.
        CancelledError: If ``cancel`` was cancelled.
        DeadlineExceededError: If its time is over.
    """
    support: list[SupportSet] = []
    for graph in graphs:
        cancel.check()
        found = graph.find(triple)
        if found is not None:
            support.append(SupportSet((found,)))
    statement, looked_at_all = _in_source(triple, source, cancel)
    labels = _labels(triple, source)
    text = f"{labels[0]}: {labels[1]} {labels[2]}."
    if statement is not None:
        support.append(SupportSet(evidence_for((statement,), source, call)))
    if support:
        return CheckedTriple(triple, True, tuple(support), text)
    where = f"{source.name} and the local graph"
    problem = f"It was not found in {where}."
    if not looked_at_all:
        problem = f"It was not found among the first {_PAGE * _MOST_PAGES:,} statements."
    return CheckedTriple(triple, False, (), text, problem)


def judge_triple(checked: CheckedTriple, robodata: RoboData, cancel: CancelToken) -> CheckedTriple:
    """Return what the verifier makes of a triple that a lookup did not find.

    Raises:
        RoboDataError: If the source or the model cannot answer, or the work was cancelled.
    """
    triple = checked.triple
    try:
        verdict = robodata.verify(triple.subject, triple.predicate, triple.object, cancel=cancel)
    except InvalidRequestError as error:  # it names what there is not
        return replace(checked, problem=f"{checked.problem} {error.message}")
    cancel.check()
    if verdict.judgement is Judgement.UNKNOWN:
        return replace(checked, problem=f"{checked.problem} {verdict.explanation}")
    if verdict.judgement is Judgement.SUPPORTED:
        support = tuple(claim.support for claim in verdict.evidence if claim.supported)
        if not support:
            return checked
        return replace(
            checked, found=True, support=support, problem="", confidence=verdict.confidence
        )
    against = tuple(claim.support for claim in verdict.against if claim.supported)
    return replace(
        checked,
        problem=verdict.explanation,
        refuted=True,
        refutation=against,
        confidence=verdict.confidence,
    )


class Refutations:
    """Says which triples the verifier refutes without seeing them, by rules alone. Thread-safe.

    Args:
        settings: The core's settings.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._verifiers: dict[str, Verifier] = {}
        self._lock = threading.Lock()

    def __call__(self, triple: Triple, source: KnowledgeSource) -> bool:
        """Tell whether a triple of a source is refuted.

        Raises:
            SourceError: If the source cannot be read.
        """
        from robodata_core.verification.verifying import Verifier

        with self._lock:
            if source.name not in self._verifiers:
                self._verifiers[source.name] = Verifier(source, self._settings)
            verifier = self._verifiers[source.name]
        return verifier.refutes(triple)


def _in_source(
    triple: Triple, source: KnowledgeSource, cancel: CancelToken
) -> tuple[Statement | None, bool]:
    """Return the statement that says it, and whether all of them were looked at."""
    for page in range(_MOST_PAGES):
        cancel.check()
        try:
            found = source.statements(
                triple.subject, property=triple.predicate, limit=_PAGE, offset=page * _PAGE
            )
        except NotFoundError:
            return None, True
        for statement in found.statements:
            if same_value(statement.value, triple.object):
                return statement, True
        if (page + 1) * _PAGE >= found.total:
            return None, True
    return None, False


def same_value(stated: Value, asked: Value) -> bool:
    """Tell whether a statement's value is the one asked for.

    A number without a unit matches that number of anything, bounds do not matter, a coarser
    time matches a finer one that lies in it, and text is compared as text.
    """
    if stated == asked:
        return True
    if isinstance(stated, QuantityValue) and isinstance(asked, QuantityValue):
        return stated.amount == asked.amount and asked.unit in (None, stated.unit)
    if isinstance(stated, TimeValue) and isinstance(asked, TimeValue):
        return _same_time(stated, asked)
    if isinstance(stated, EntityValue) or isinstance(asked, EntityValue):
        return False
    ours, theirs = text_of(stated), text_of(asked)
    return ours is not None and ours == theirs


def _same_time(stated: TimeValue, asked: TimeValue) -> bool:
    if asked.precision > stated.precision or asked.precision < 9:
        return False
    parts = asked.precision - 8  # 9 is a year, 10 also a month, ...
    return stated.order[:parts] == asked.order[:parts]


def _labels(triple: Triple, source: KnowledgeSource) -> tuple[str, str, str]:
    ids = [triple.subject]
    if isinstance(triple.object, EntityValue):
        ids.append(triple.object.id)
    names = {id_: entity.name for id_, entity in source.entities(ids).items()}
    property_ = source.properties([triple.predicate]).get(triple.predicate)
    relation = property_.name if property_ else triple.predicate
    target = format_value(triple.object, lambda id_: names.get(id_, id_))
    return names.get(triple.subject, triple.subject), relation, target
