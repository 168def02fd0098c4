"""What a draft comes to: the proof, and the proof while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from robodata_core.answers.origins import as_of, seen_last
from robodata_core.model import (
    Absence,
    AnswerStatus,
    Claim,
    Evidence,
    ResultItem,
    SupportSet,
    TruthKind,
)
from robodata_core.policy.base import AnswerDraft
from robodata_core.programs.steps import Program

__all__ = ["MAX_RESULTS", "Making", "Proof"]

MAX_RESULTS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Proof:
    """What a draft came to.

    Attributes:
        claims: Made from what holds, then those that could not be made, with their problem.
        results: What running the parts gave.
        reading: What the parts ask for, in words.
        absences: Complete look-ups that found nothing and that the answer rests on.
        missing: What keeps the answer from being whole, as sentences.
        notes: What a number or an extreme rests on, where most of it is not stated.
        problems: The same for whoever handed the draft in, to mend it.
        status: The highest status that holds.
        found: How many results stand in the local graph.
        reported: How many the source has; None where it does not say.
        programs: What was run.
    """

    claims: tuple[Claim, ...] = ()
    results: tuple[ResultItem, ...] = ()
    reading: str = ""
    absences: tuple[Absence, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    status: AnswerStatus = AnswerStatus.UNKNOWN
    found: int = 0
    reported: int | None = None
    programs: tuple[Program, ...] = ()


@dataclass(slots=True)
class Making:
    """The proof while it is made.

    Attributes:
        question: What was asked.
        asserted: Whether whoever handed it in chose its relations without a reading of them.
        held: How many parts have something that holds.
        empty: How many a complete look-up found nothing for.
    """

    question: str
    asserted: bool = False
    claims: list[Claim] = field(default_factory=list)
    results: list[ResultItem] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    held: int = 0
    empty: int = 0
    partial: bool = False
    found: int = 0
    reported: int | None = 0

    def claim(self, text: str, kind: TruthKind, evidence: tuple[Evidence, ...]) -> str:
        """Take in a claim that holds, unless it is there; return its name."""
        for claim in self.claims:
            if claim.text == text and claim.support.evidence == evidence:
                return claim.id
        name = f"c{len(self.claims) + 1}"
        if kind is TruthKind.TYPICAL:
            text = f"Typically: {text}"
        elif when := as_of(evidence):
            text = f"As of {when}: {text}"
        text = seen_last(text, evidence)
        self.claims.append(Claim(name, text, True, SupportSet(evidence), kind=kind))
        return name

    def result(self, item: ResultItem) -> None:
        """Take in a result that the last claim shows."""
        name = self.claims[-1].id
        self.results.append(ResultItem(item.value, item.label, item.unit_label, (name,)))
        self.held += 1
        self.found += 1
        if self.reported is not None:
            self.reported += 1

    def lack(self, text: str) -> None:
        """Say what keeps the answer from being whole."""
        self.missing.append(text)
        self.partial = True

    def fail(self, text: str) -> None:
        """Say what keeps the answer from being whole, to whoever handed it in as well."""
        self.lack(text)
        self.problems.append(text)

    def judge(self, draft: AnswerDraft) -> None:
        """Make a yes or no of what a draft says of its claims, where any of them holds."""
        if draft.verdict is None:
            return
        supported = tuple(claim.id for claim in self.claims if claim.supported)
        if supported:
            word = "yes" if draft.verdict else "no"
            self.results.append(ResultItem(draft.verdict, word, claims=supported))
            self.held = len(draft.parts)
            self.partial = self.partial or len(supported) < len(self.claims)

    def join(self, draft: AnswerDraft) -> None:
        """Make one yes or no of all that a draft asks at once: a no of one is enough."""
        if not draft.together:
            return
        wanting = [item for item in self.results if item.value is False]
        whole = wanting or self.results
        self.results = []
        if whole and (wanting or len(whole) == len(draft.parts)):
            word = "no" if wanting else "yes"
            claims = tuple(name for item in whole for name in item.claims)
            self.results.append(ResultItem(not wanting, word, claims=claims))
        self.held = len(draft.parts) if self.results else 0

    def proof(self, parts: int) -> Proof:
        """Return what it came to, for a draft of so many parts."""
        status = AnswerStatus.UNKNOWN
        if self.held:
            complete = self.held + self.empty >= parts and not self.partial
            status = AnswerStatus.ANSWERED if complete else AnswerStatus.PARTIAL
        return Proof(
            claims=tuple(self.claims),
            results=tuple(self.results[:MAX_RESULTS]),
            reading="; ".join(dict.fromkeys(self.readings)),
            absences=tuple({item.handle: item for item in self.absences}.values()),
            missing=tuple(dict.fromkeys(self.missing)),
            notes=tuple(dict.fromkeys(self.notes)),
            problems=tuple(dict.fromkeys(self.problems)),
            status=status,
            found=self.found,
            reported=self.reported,
            programs=tuple(self.programs),
        )
