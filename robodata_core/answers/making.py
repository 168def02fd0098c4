"""What a draft comes to: the proof while it is made, held against the question."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from robodata_core.answers.asked import chained_words, has_operator, modal
from robodata_core.answers.fit import Fit
from robodata_core.answers.kinds import other_kinds
from robodata_core.answers.origins import as_of, seen_last
from robodata_core.errors import RoboDataError
from robodata_core.language.grammar.framing import evened, unframed
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import read_text, words_of
from robodata_core.language.view import View
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
from robodata_core.programs.describe import listed
from robodata_core.programs.steps import Program
from robodata_core.sources.base import KnowledgeSource

__all__ = ["FOREIGN", "Held", "MAX_RESULTS", "Making", "Proof"]

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


_UNREAD: Final = "In the question, {words} {were} not understood."
_UNCHAINED: Final = "In the question, {words} {were} not read as said of itself."
_UNUSED: Final = "The question names {words}, which what holds does not use."
_BESIDE: Final = "What holds is another relation than {words}, which is asked for."
_OF_ANOTHER_KIND: Final = "The question asks for a {kind}, and what was found is none."
_NOT_YET: Final = "The graph states what is, which is not all that “{word}” asks for."
_LANGUAGE: Final = "en"
FOREIGN: Final = "It was not held against the words of the question, which are not English."
"""What is told of an answer to a question in a language without tables."""

_log = logging.getLogger("robodata.answers")


def _names_more(question: str, reading: str) -> bool:
    """Tell whether a question has a word that may be of a name, and that its reading has not."""
    said = set(words_of(reading))
    text = evened(read_text(question), _LANGUAGE)
    words = [token for token in text.tokens if token.is_word]
    return any(word.text[0].isupper() and word.norm not in said for word in words[1:])


class Held:
    """Holds drafts against questions about one source."""

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source
        self._fits: dict[str, Fit | None] = {}

    def against(
        self, whole: Making, program: Program, first: int, asked: str, beside: Sequence[Program]
    ) -> None:
        """Hold a program, and its results (from the one numbered ``first``), against what it asks.

        ``beside`` are all that are run for the same question.

        An answer that may be one to another question is partial; a yes or no is taken back where a
        word that it hangs on was not read, or what holds is another relation than the one it names.
        """
        fit = self._fit(asked) if whole.asserted else None
        if fit is not None and fit.is_foreign:
            whole.notes.append(FOREIGN)
        elif fit is not None:
            objections = fit.objections(program, whole.results[first:], beside)
            whole.partial = whole.partial or bool(objections)
            whole.problems += objections
            whole.missing += [f"It may not be what was asked. {text}" for text in objections]
        self._mood(whole, first, asked)
        judged = any(isinstance(item.value, bool) for item in whole.results[first:])
        if judged and has_operator(asked):
            self._take_back(whole, asked, lambda fit: fit.unread(program), first, _UNREAD)
        if any(item.value is True for item in whole.results[first:]):
            names = {name for item in whole.results[first:] for name in item.claims}
            used = {
                evidence.triple.predicate
                for claim in whole.claims
                if claim.id in names
                for evidence in claim.support.evidence
            }
            several = any(len(step.relations) > 1 for step in program.steps)
            if several and used:
                self._take_back(whole, asked, lambda fit: fit.beside(program, used), first, _BESIDE)

    def _mood(self, whole: Making, first: int, asked: str) -> None:
        """Say where another kind of thing was found, or what is where what might be is asked."""
        lexicon = open_lexicon(_LANGUAGE)
        text, results = unframed(read_text(asked), _LANGUAGE).text, whole.results[first:]
        view = View(self._source, roles=lexicon.role)
        try:
            kind = other_kinds(text, [item.value for item in results], view, lexicon)
        except RoboDataError as error:
            _log.info("What was found could not be looked at: %s", error)
            kind = ""
        if kind:
            whole.fail(_OF_ANOTHER_KIND.format(kind=kind))
        kinds = {claim.id: claim.kind for claim in whole.claims}
        told = {kinds[name] for item in results for name in item.claims}
        if told - {TruthKind.TYPICAL} and (word := modal(text, whole.readings, lexicon)):
            whole.fail(_NOT_YET.format(word=word.lower()))

    def against_names(self, whole: Making) -> None:
        """Take a yes back where the question names what nothing that holds is about."""
        judged = any(item.value is True for item in whole.results)
        if judged and not whole.asserted and _names_more(whole.question, " ".join(whole.readings)):
            self._take_back(
                whole, whole.question, lambda fit: fit.unused(whole.programs), None, _UNUSED
            )

    def against_chains(self, whole: Making) -> None:
        """Take everything back where a relation of a relation was read as one."""
        if whole.results and chained_words(whole.question):
            self._take_back(
                whole, whole.question, lambda fit: fit.unchained(whole.programs), None, _UNCHAINED
            )

    def _take_back(
        self, whole: Making, asked: str, unread: Callable[[Fit], tuple[str, ...]],
        first: int | None, told: str,
    ) -> None:  # fmt: skip
        """Take results from ``first`` on back, or all that holds, where words were not read."""
        fit = self._fit(asked)
        words = unread(fit) if fit is not None else ()
        if not words:
            return
        gone = len(whole.results[first:])
        whole.held = 0 if first is None else whole.held - gone
        whole.found = 0 if first is None else whole.found - gone
        del whole.results[first:]
        named = listed(f"“{word}”" for word in words)
        whole.fail(told.format(words=named, were="were" if len(words) > 1 else "was"))

    def _fit(self, question: str) -> Fit | None:
        if question not in self._fits:
            try:
                self._fits[question] = Fit(self._source, question)
            except RoboDataError as error:
                _log.info("Answers are not held against the question: %s", error)
                self._fits[question] = None
        return self._fits[question]
