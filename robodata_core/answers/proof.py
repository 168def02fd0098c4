"""Claims made from triples: what a draft hands in is run, and what running it gives is claimed.

A part of a draft is a program, a query, or plain handles. It runs on the local graph, freshly;
the statements that derive its result there are the claim's support, and the sentence is written
from program and result. Nothing that a policy says is believed.

Some results hold only if nothing is missing: a no, a zero, a number, an extreme, a difference,
"every". They rest on a complete look-up of that very program at the source, made here: where the
source's own result is cut, cannot be had or differs, a number becomes "at least", and the rest is
not claimed. Source: RoboData paper, "Answer Production" (support sets).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from robodata_core.answers.coverage import Coverage, Stated
from robodata_core.answers.facts import Group, fact_groups, program_of_absence
from robodata_core.answers.fit import Fit, chained_words, has_operator, words_of_role
from robodata_core.answers.origins import as_of
from robodata_core.belief.source import MAP_SOURCE
from robodata_core.cancellation import CancelToken
from robodata_core.errors import (
    CancelledError,
    DeadlineExceededError,
    RoboDataError,
)
from robodata_core.model import (
    Absence,
    AnswerStatus,
    Claim,
    Direction,
    EntityValue,
    Evidence,
    QuantityValue,
    ResultItem,
    Statement,
    SupportSet,
    TruthKind,
    Value,
)
from robodata_core.policy.base import AnswerDraft, AnswerKind, AnswerPart
from robodata_core.programs.describe import Verbaliser, listed
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import (
    Count,
    CountDifference,
    End,
    Follow,
    Gives,
    Judge,
    JudgeKind,
    Program,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import capabilities
from robodata_core.store.graph import LocalGraph
from robodata_core.store.source import GraphSource

__all__ = ["Proof", "Prover", "prove"]

_MAX_RESULTS: Final = 2_000
_MAX_PARTS: Final = 50
_MAX_BESIDE: Final = 2_000
#: So many things are looked at to tell whether a claim is about classes.
_MAX_KINDS: Final = 50
_TAXONOMY: Final = frozenset(
    [
        "P31",
        "P279",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "http://www.w3.org/2000/01/rdf-schema#subClassOf",
    ]
)
_SUBCLASS: Final = ("P279", "http://www.w3.org/2000/01/rdf-schema#subClassOf")
_INSTANCE: Final = ("P31", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type")

_OF_KINDS: Final = (
    "What is usual for a kind is not stated in full, so that something is not stated shows nothing."
)
_log = logging.getLogger("robodata.answers")


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
class _Draft:
    """The proof while it is made."""

    claims: list[Claim] = field(default_factory=list)
    results: list[ResultItem] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    held: int = 0
    partial: bool = False
    found: int = 0
    reported: int | None = 0
    asserted: bool = False


class Prover:
    """Makes the claims of one run.

    Args:
        graph: The local graph.
        source: Where complete look-ups are made.
        now: When they are made (UTC).
        run_id: The run they belong to.
        cancel: Looked at before every round trip.
    """

    def __init__(
        self,
        graph: LocalGraph,
        source: KnowledgeSource,
        *,
        now: datetime,
        run_id: str = "",
        cancel: CancelToken | None = None,
    ) -> None:
        self._graph = graph
        self._source = source
        self._now = now
        self._run_id = run_id
        self._local = Executor(GraphSource(graph))
        self._remote = Executor(source, cancel=cancel)
        self._labels: dict[str, str] = {}
        self._coverage = Coverage(source, self._remote)
        self._fits: dict[str, Fit | None] = {}
        self.words = Verbaliser(self._label, graph.is_shared)

    def prove(
        self, draft: AnswerDraft, question: str, absences: Mapping[str, Absence] | None = None
    ) -> Proof:
        """Make claims of what a draft hands in.

        Args:
            draft: What the policy handed in.
            question: The question, for what it names.
            absences: Look-ups of this run that found nothing, by handle.
        """
        known = absences or {}
        whole = _Draft(asserted=draft.asserted)
        fit = self._fit(question) if draft.asserted and draft.parts else None
        for part in draft.parts[:_MAX_PARTS]:
            results, programs = len(whole.results), len(whole.programs)
            self._part(whole, part, question, known)
            for program in whole.programs[programs:]:
                if fit is not None:
                    self._hold_against(whole, fit, program, whole.results[results:])
                self._hold_back(whole, program, question, results)
        self._hold_back_chains(whole, question)
        if whole.held or not draft.parts:
            self._beside(whole, draft.beside[:_MAX_BESIDE])
        for handle in dict.fromkeys(draft.absences):
            if handle in known:
                whole.absences.append(known[handle])
            else:
                whole.problems.append(
                    f"{handle[:20]} is not the handle of a look-up that found nothing."
                )
        self._verdict(whole, draft)
        status = AnswerStatus.UNKNOWN
        if whole.held:
            complete = whole.held >= len(draft.parts) and not whole.partial
            status = AnswerStatus.ANSWERED if complete else AnswerStatus.PARTIAL
        return Proof(
            claims=tuple(whole.claims),
            results=tuple(whole.results[:_MAX_RESULTS]),
            reading="; ".join(dict.fromkeys(whole.readings)),
            absences=tuple({item.handle: item for item in whole.absences}.values()),
            missing=tuple(dict.fromkeys(whole.missing)),
            notes=tuple(dict.fromkeys(whole.notes)),
            problems=tuple(dict.fromkeys(whole.problems)),
            status=status,
            found=whole.found,
            reported=whole.reported,
            programs=tuple(whole.programs),
        )

    def _verdict(self, whole: _Draft, draft: AnswerDraft) -> None:
        if draft.verdict is None:
            return
        supported = tuple(claim.id for claim in whole.claims if claim.supported)
        if supported:
            word = "yes" if draft.verdict else "no"
            whole.results.append(ResultItem(draft.verdict, word, claims=supported))
            whole.held = len(draft.parts)
            whole.partial = whole.partial or len(supported) < len(whole.claims)

    def _fit(self, question: str) -> Fit | None:
        if question not in self._fits:
            try:
                self._fits[question] = Fit(self._source, question)
            except RoboDataError as error:
                _log.info("Answers are not held against the question: %s", error)
                self._fits[question] = None
        return self._fits[question]

    def _hold_back(self, whole: _Draft, program: Program, question: str, first: int) -> None:
        """Take back a yes or no where a word that it hangs on was not read."""
        judged = any(isinstance(item.value, bool) for item in whole.results[first:])
        if not judged or not has_operator(question):
            return
        fit = self._fit(question)
        unread = fit.unread(program) if fit is not None else ()
        if unread:
            words = listed(f"“{word}”" for word in unread)
            whole.held -= len(whole.results) - first
            whole.found -= len(whole.results) - first
            del whole.results[first:]
            self._fail(whole, f"In the question, {words} was not understood.")

    def _hold_back_chains(self, whole: _Draft, question: str) -> None:
        """Take everything back where a relation of a relation was read as one."""
        if not whole.results or not chained_words(question):
            return
        fit = self._fit(question)
        unread = fit.unchained(whole.programs) if fit is not None else ()
        if unread:
            words = listed(f"“{word}”" for word in unread)
            whole.held = whole.found = 0
            whole.results.clear()
            self._fail(whole, f"In the question, {words} is said of itself, which was not read so.")

    @staticmethod
    def _hold_against(
        whole: _Draft, fit: Fit, program: Program, results: Sequence[ResultItem]
    ) -> None:
        """Make an answer partial that may be one to another question."""
        objections = fit.objections(program, results)
        if objections:
            whole.partial = True
            whole.problems += objections
            whole.missing += [f"It may not be what was asked. {text}" for text in objections]

    # -- parts ----------------------------------------------------------------------------------

    def _part(
        self, whole: _Draft, part: AnswerPart, question: str, absences: Mapping[str, Absence]
    ) -> None:
        try:
            if part.program is not None:
                self._program(whole, _ending(part.program, part.kind), question)
            elif part.sparql:
                # rdflib takes long to import, and most runs hand in no query.
                from robodata_core.programs.from_sparql import program_from_sparql

                program = program_from_sparql(part.sparql)
                self._program(whole, _ending(program, part.kind), question)
            elif part.chain:
                self._chain(whole, part.handles)
            else:
                self._handles(whole, part, question, absences)
        except (CancelledError, DeadlineExceededError):
            raise
        except RoboDataError as error:
            self._fail(whole, str(error))

    def _program(self, whole: _Draft, program: Program, question: str) -> None:
        """Run a program and claim what it gives."""
        reading = self.words.reading(program)
        whole.readings.append(reading)
        whole.programs.append(program)
        remote = self._at_source(program)
        local = self._here(program, remote)
        if local is None:
            self._fail(whole, self._unfetched(program, remote))
            return
        gives = program.final.gives
        if gives is Gives.TRUTH:
            self._judged(whole, program, local, remote, question)
        elif gives is Gives.NUMBER:
            self._counted(whole, program, local, remote)
        else:
            self._set(whole, program, local, remote)

    def _here(self, program: Program, remote: ProgramResult | None) -> ProgramResult | None:
        """Return the result that is held against the local graph, None where nothing is.

        What one more statement could make untrue cannot be told from a part of the world: then it
        is the complete look-up's own result, and its evidence has to stand in the local graph.
        """
        if not program.needs_everything:
            return self._local.run(program)
        if remote is None:
            return None
        stands = all(self._graph.find(one.triple) is not None for one in remote.evidence)
        return remote if stands else None

    def _at_source(self, program: Program) -> ProgramResult | None:
        """Return the result of a complete look-up at the source; None where it cannot be had.

        What a run has read already, a source where a look costs a request has kept.
        """
        try:
            result = self._remote.run(program)
        except RoboDataError as error:  # an answer in the hand is not lost because time ran out
            _log.info("A look-up for completeness failed: %s", error)
            return None
        return None if result.truncated else result

    def _judged(
        self,
        whole: _Draft,
        program: Program,
        local: ProgramResult,
        remote: ProgramResult | None,
        question: str,
    ) -> None:
        final = program.final
        if final.closed() and not local.members:
            self._fail(whole, self.words.nothing(program))
        elif local.boolean:
            self._yes(whole, program, local, question)
        elif remote is not None and not remote.boolean:
            # Who chose the direction of a relation may have taken it for the other one.
            turned = _turned(program) if whole.asserted else None
            contrary = self._at_source(turned) if turned is not None else None
            if contrary is not None and contrary.boolean:
                self._fail(whole, "The source states it the other way round.")
                return
            if self._is_of_kinds(program):
                self._fail(whole, _OF_KINDS)
                return
            alien = self._about(self._coverage.inapplicable, program)
            if alien is not None:
                label = self.words.plain(alien.relation)
                self._fail(
                    whole,
                    f"Of {alien.looked_at:,} things of the same kind none has “{label}”, so that"
                    " it is not stated of this one shows nothing.",
                )
                return
            open_ = self._about(self._coverage.unstated, program)
            if open_ is not None:
                label = self.words.plain(open_.relation)
                named = self.words.plain(open_.lacking)
                self._fail(whole, f"No “{label}” of {named} is stated, so that it may be any.")
                return
            self._absent(whole, program, remote)
            self._result(whole, ResultItem(False, "no"))
        else:
            self._fail(whole, self._unfetched(program, remote))

    def _yes(self, whole: _Draft, program: Program, local: ProgramResult, question: str) -> None:
        evidence = self._evidence(local.evidence)
        if not evidence and not program.final.closed():
            self._fail(whole, "It names only what is given, and rests on no triple.")
            return
        if not evidence:  # it is true because a complete look-up found no exception
            self._absent(whole, program, local)
            self._result(whole, ResultItem(True, "yes"))
            return
        kind = self._kind(program, evidence)
        told = self.words.verdict(program, True, local.examples)
        self._claim(whole, told, kind, evidence)
        if kind is TruthKind.TYPICAL and self._one_of_a_kind(evidence, question):
            whole.partial = True
            whole.held += 1
            whole.missing.append(
                "That is usual for things of its kind; of this very one it is not stated."
            )
            return
        self._result(whole, ResultItem(True, "yes"))

    def _counted(
        self, whole: _Draft, program: Program, local: ProgramResult, remote: ProgramResult | None
    ) -> None:
        number = local.number or 0
        if remote is not None:
            number = remote.number or 0
            if not number and not local.number:
                self._absent(whole, program, remote)
                self._result(whole, ResultItem(0, "0"))
                return
        values = self._still(local.members, remote.members if remote is not None else None)
        evidence = self._evidence(local.evidence)
        if not evidence:
            self._fail(whole, self._unfetched(program, remote))
            return
        if remote is None:
            self._at_least(whole, program, number, values, evidence)
            return
        if set(values) - set(remote.members):
            number = max(number, local.number or 0)
        lacking = self._measured(program)
        told = self.words.counted(program, number, values, least=lacking is not None)
        self._claim(whole, told, TruthKind.RECKONED, evidence)
        if lacking is not None:
            label = self.words.plain(lacking.relation)
            whole.notes.append(
                f"“{label}” is stated of {lacking.having:,} of {lacking.looked_at:,} things like"
                " that, so there may be more."
            )
        if len(values) < number and not isinstance(program.final, CountDifference):
            self._note(whole, f"{len(values):,} of the {number:,} counted are cited.")
        least = "at least " if lacking is not None else ""
        self._result(whole, ResultItem(number, f"{least}{number:,}"))

    @staticmethod
    def _about(measure: Callable[[Program], Stated | None], program: Program) -> Stated | None:
        """Return what keeps a "no" from showing anything, as far as that can be measured."""
        try:
            return measure(program)
        except RoboDataError as error:
            _log.info("What a look-up shows could not be measured: %s", error)
            return None

    def _measured(self, program: Program) -> Stated | None:
        """Return what a number or an extreme rests on, where that is mostly missing."""
        try:
            if program.final.gives is Gives.NUMBER:
                is_count = isinstance(program.final, Count)
                return self._coverage.counted(program) if is_count else None
            return self._coverage.compared(program)
        except RoboDataError as error:  # it says how far a result can be trusted, no more
            _log.info("How much is stated could not be measured: %s", error)
            return None

    def _at_least(
        self,
        whole: _Draft,
        program: Program,
        number: int,
        values: Sequence[Value],
        evidence: tuple[Evidence, ...],
    ) -> None:
        if isinstance(program.final, CountDifference) or not number or program.needs_everything:
            self._fail(whole, "The source could not be looked through completely.")
            return
        told = self.words.counted(program, number, values, least=True)
        self._claim(whole, told, TruthKind.RECKONED, evidence)
        whole.partial = True
        whole.missing.append(
            "The source could not be looked through completely, so there may be more."
        )
        self._result(whole, ResultItem(number, f"at least {number:,}"))

    def _still(
        self, values: tuple[Value, ...], there: tuple[Value, ...] | None
    ) -> tuple[Value, ...]:
        """Return values without those that a source which changes does not give any more.

        What it says now holds, not what a run fetched, or what that would be without its rules:
        that the members of a class are the things on a map, and not the classes below it.
        """
        if there is None or capabilities(self._source).generation is None:
            return values
        return tuple(value for value in values if value in set(there))

    def _set(
        self,
        whole: _Draft,
        program: Program,
        local: ProgramResult,
        remote: ProgramResult | None,
    ) -> None:
        values = self._still(local.values, remote.values if remote is not None else None)
        if not values:
            if remote is not None and not remote.values:
                self._absent(whole, program, remote)
                whole.problems.append(f"Nothing is there for “{self.words.reading(program)}”.")
            else:
                self._fail(whole, self._unfetched(program, remote))
            return
        values = values[:_MAX_RESULTS]
        evidence = self._evidence(
            local.evidence
            if len(values) == len(local.values)
            else [one for value in values for one in local.support(value)]
        )
        if not evidence and not program.needs_everything:
            self._fail(whole, "It names only what is given, and rests on no triple.")
            return
        total = len(values)
        # Members of a given set that are left when others are taken away rest on no triple.
        kind = self._kind(program, evidence) if evidence else TruthKind.ABSENT
        name = self._claim(whole, self.words.sentence(program, values), kind, evidence)
        lacking = self._measured(program)
        if lacking is not None:
            label = self.words.plain(lacking.relation)
            whole.notes.append(
                f"Among the {lacking.having:,} of {lacking.looked_at:,} whose {label} is stated."
            )
        whole.results += [self._item(value, name) for value in values]
        whole.held += 1
        whole.found += total
        if remote is None:
            whole.reported = None
            whole.partial = True
            whole.missing.append(
                "The source could not be looked through completely, so there may be more."
            )
        elif whole.reported is not None:
            whole.reported += len(set(remote.values) | set(values))
            if len(set(remote.values) - set(values)):
                whole.partial = True
                whole.missing.append(
                    f"The source has {len(remote.values):,}; {total:,} of them were fetched."
                )

    def _unfetched(self, program: Program, remote: ProgramResult | None) -> str:
        reading = self.words.reading(program)
        if remote is None:
            return f"The source could not be looked through completely for “{reading}”."
        return f"The local graph does not hold what “{reading}” rests on; fetch that first."

    # -- plain facts ----------------------------------------------------------------------------

    def _handles(
        self,
        whole: _Draft,
        part: AnswerPart,
        question: str,
        absences: Mapping[str, Absence],
    ) -> None:
        """Make facts of handles; of look-ups that found nothing what they looked for."""
        names = dict.fromkeys(part.handles)
        for handle in names:
            if handle in absences:
                program = program_of_absence(absences[handle])
                if program is None:
                    whole.absences.append(absences[handle])
                else:
                    self._program(whole, _ending(program, part.kind), question)
        facts, problems = self._standing([name for name in names if name not in absences])
        for problem in problems:
            self._fail(whole, problem)
        groups = fact_groups(facts)
        if part.kind in (AnswerKind.NUMBER, AnswerKind.YES_OR_NO) and groups:
            if len(groups) > 1 or part.kind is AnswerKind.YES_OR_NO and len(facts) > 1:
                self._fail(whole, "That is more than one set of facts; hand in one program.")
            value = groups[0].values[0] if part.kind is AnswerKind.YES_OR_NO else None
            self._program(whole, _ending(groups[0].program, part.kind, value), question)
            return
        for group in groups:
            self._told(whole, group, question)
        whole.held += bool(groups)

    def _told(self, whole: _Draft, group: Group, question: str) -> None:
        """Claim some facts; the ends that the question does not name are results."""
        name = self._fact(whole, group)
        whole.readings.append(self.words.reading(group.program))
        whole.programs.append(group.program)
        values = self._asked_for(group, question)
        whole.results += [self._item(value, name) for value in values]
        whole.found += len(values)
        whole.partial = whole.partial or not values
        remote = self._at_source(group.program)
        if remote is None or whole.reported is None:
            whole.reported = None
            return
        there = set(remote.values) | set(group.values)
        whole.reported += len(there)
        if len(there) > len(group.values):
            whole.partial = True
            whole.missing.append(
                f"The source has {len(there):,} for “{self.words.reading(group.program)}”;"
                f" {len(group.values):,} of them are told."
            )

    def _chain(self, whole: _Draft, handles: Sequence[str]) -> None:
        """Tell facts that are one line of argument as one claim; nothing where one is missing."""
        facts, problems = self._standing(list(dict.fromkeys(handles)))
        whole.problems += problems
        if problems or not facts:
            whole.claims.append(
                Claim(f"c{len(whole.claims) + 1}", "", False, problem=" ".join(problems))
            )
            return
        clauses = [self.words.clause(group.program, group.values) for group in fact_groups(facts)]
        kinds = [self._kind(group.program, group.evidence) for group in fact_groups(facts)]
        kind = next((one for one in kinds if one is not TruthKind.STATED), TruthKind.STATED)
        name = f"c{len(whole.claims) + 1}"
        text = self.words.joined(clauses)
        whole.claims.append(Claim(name, text, True, SupportSet(tuple(facts)), kind=kind))

    def _asked_for(self, group: Group, question: str) -> tuple[Value, ...]:
        """Return the ends of some facts that a question does not name, where it names the other."""
        if not self._named(group.about, question):
            return ()
        return tuple(value for value in group.values if not self._named(value, question))

    def _one_of_a_kind(self, evidence: Sequence[Evidence], question: str) -> bool:
        """Tell whether a question asks about one certain thing of the class that is told of."""
        words, definite = _folded(question).split(), words_of_role("definite")
        for item in evidence:
            entity = self._graph.entity(item.triple.subject)
            for name in (entity.label, *entity.aliases) if entity else ():
                named = _folded(name).split()
                places = range(1, len(words) - len(named) + 1) if named else ()
                if any(
                    words[at : at + len(named)] == named and words[at - 1] in definite
                    for at in places
                ):
                    return True
        return False

    def _named(self, value: Value, question: str) -> bool:
        if not isinstance(value, EntityValue):
            return False
        asked = f" {_folded(question)} "
        entity = self._graph.entity(value.id)
        names = (value.id, *((entity.label, *entity.aliases) if entity else ()))
        return any(f" {_folded(name)} " in asked for name in names if name)

    def _beside(self, whole: _Draft, handles: Sequence[str]) -> None:
        shown = {item.handle for claim in whole.claims for item in claim.support.evidence}
        facts, problems = self._standing([one for one in dict.fromkeys(handles)])
        whole.problems += problems
        for group in fact_groups([fact for fact in facts if fact.handle not in shown]):
            self._fact(whole, group)

    def _fact(self, whole: _Draft, group: Group) -> str:
        kind = self._kind(group.program, group.evidence)
        told = self.words.sentence(group.program, group.values)
        return self._claim(whole, told, kind, group.evidence)

    def _standing(self, handles: Iterable[str]) -> tuple[list[Evidence], list[str]]:
        """Return the triples of handles that stand in the graph, and what is wrong with others."""
        found, problems = [], []
        for handle in handles:
            item = self._graph.evidence(handle)
            if item is None:
                problems.append(f"{handle[:20]} is not in the local graph.")
            elif not self._graph.contains(item.triple):
                problems.append(f"{handle[:20]} no longer stands in the local graph.")
            else:
                found.append(item)
        return found, problems

    # -- pieces ---------------------------------------------------------------------------------

    def _claim(
        self, whole: _Draft, text: str, kind: TruthKind, evidence: tuple[Evidence, ...]
    ) -> str:
        for claim in whole.claims:
            if claim.text == text and claim.support.evidence == evidence:
                return claim.id
        name = f"c{len(whole.claims) + 1}"
        if kind is TruthKind.TYPICAL:
            text = f"Typically: {text}"
        elif when := as_of(evidence):
            text = f"As of {when}: {text}"
        whole.claims.append(Claim(name, text, True, SupportSet(evidence), kind=kind))
        return name

    def _absent(self, whole: _Draft, program: Program, result: ProgramResult | None = None) -> None:
        """Claim what a complete look-up did not find, and keep the look-up."""
        truth = result is not None and result.boolean is not None
        if result is not None and truth:
            text = self.words.verdict(program, bool(result.boolean), result.examples)
            evidence = self._evidence(result.evidence)
        else:
            text, evidence = self.words.absent(program), ()
        number = 1 + sum(claim.kind is TruthKind.ABSENT for claim in whole.claims)
        absence = Absence(
            handle=f"N{900_000 + number}",
            text=text,
            source=self._source.name,
            tool="answer",
            arguments={"program": self.words.reading(program)},
            retrieved=self._now,
            run_id=self._run_id,
        )
        whole.absences.append(absence)
        name = f"c{len(whole.claims) + 1}"
        support = SupportSet(evidence)
        whole.claims.append(Claim(name, text, True, support, kind=TruthKind.ABSENT))

    def _result(self, whole: _Draft, item: ResultItem) -> None:
        name = whole.claims[-1].id
        whole.results.append(ResultItem(item.value, item.label, item.unit_label, (name,)))
        whole.held += 1
        whole.found += 1
        if whole.reported is not None:
            whole.reported += 1

    @staticmethod
    def _note(whole: _Draft, text: str) -> None:
        whole.missing.append(text)

    @staticmethod
    def _fail(whole: _Draft, text: str) -> None:
        whole.missing.append(text)
        whole.problems.append(text)
        whole.partial = True

    def _item(self, value: Value, claim: str) -> ResultItem:
        unit = ""
        if isinstance(value, QuantityValue) and value.unit:
            unit = self._label(value.unit)
        return ResultItem(value, self._plain(value), unit, (claim,))

    def _plain(self, value: Value) -> str:
        if isinstance(value, EntityValue):
            return self.words.plain(value.id)
        return self.words.value(value).strip("“”")

    def _evidence(self, statements: Iterable[Statement]) -> tuple[Evidence, ...]:
        found = (self._graph.find(statement.triple) for statement in statements)
        kept = {item.handle: item for item in found if item is not None}
        return tuple(kept.values())

    def _kind(self, program: Program, evidence: Sequence[Evidence]) -> TruthKind:
        """Return what kind of truth a claim tells, by its program and its evidence."""
        if program.is_reckoned:
            return TruthKind.RECKONED
        if any(record.source == MAP_SOURCE for item in evidence for record in item.provenance):
            return TruthKind.OBSERVED
        subjects = {
            item.triple.subject for item in evidence if item.triple.predicate not in _TAXONOMY
        }
        return TruthKind.TYPICAL if self._has_class(subjects) else TruthKind.STATED

    def _is_of_kinds(self, program: Program) -> bool:
        """Tell whether a relation of kinds of things is judged, which no source states in full.

        What a kind is itself a kind of is stated in full, as a rule.
        """
        ids: set[str] = set()
        for step in program.steps:
            if isinstance(step, Follow) and not _TAXONOMY.issuperset(step.relations):
                ids |= self._coverage.subjects_of(program, step)
        return bool(ids) and self._has_class(ids)

    def _has_class(self, ids: set[str]) -> bool:
        """Tell whether one of some things is a class, and not itself an instance of anything."""
        open_ = ids - self._with_any(sorted(ids), _INSTANCE, GraphSource(self._graph))
        # A shortcut: what the same relations lead to is, as a rule, of one kind.
        some = set(sorted(open_)[:_MAX_KINDS])
        some -= self._with_any(sorted(some), _INSTANCE, self._source)
        return bool(self._with_any(sorted(some), _SUBCLASS, self._source))

    @staticmethod
    def _with_any(
        ids: Sequence[str], properties: Sequence[str], source: KnowledgeSource
    ) -> set[str]:
        found: set[str] = set()
        for property_ in properties if ids else ():
            try:
                pages = source.statements_many(ids, property=property_, limit=1)
            except RoboDataError as error:
                _log.info("Classes could not be told from things: %s", error)
                continue
            found |= {id_ for id_, page in pages.items() if page.total}
        return found

    def _label(self, id_: str) -> str:
        known = self._labels.get(id_)
        if known is None:
            known = self._graph.label(id_) or self._label_at_source(id_)
            self._labels[id_] = known
        return known

    def _label_at_source(self, id_: str) -> str:
        look_ups: tuple[Callable[[], str], ...] = (
            lambda: getattr(self._source.properties((id_,)).get(id_), "label", ""),
            lambda: getattr(self._source.entities((id_,)).get(id_), "label", ""),
        )
        for look_up in look_ups:
            try:
                label = look_up()
            except RoboDataError:
                continue
            if label:
                return label
        return ""


def _ending(program: Program, kind: AnswerKind | None, value: Value | None = None) -> Program:
    """Return a program that gives a number or a truth, where it ends with a set and may not."""
    plain = kind is None or kind is AnswerKind.THINGS
    if plain or program.final.gives is not Gives.SET:
        return program
    last = program.steps[-1]
    assert isinstance(last, End)
    name = "answer"
    while any(getattr(step, "out", "") == name for step in program.steps):
        name += "_"
    if kind is AnswerKind.NUMBER:
        added: Count | Judge = Count(name, last.source)
    else:
        judged = JudgeKind.NOT_EMPTY if value is None else JudgeKind.CONTAINS
        added = Judge(name, last.source, judged, value)
    return Program((*program.steps[:-1], added, End(name)), program.exclude_start)


def _turned(program: Program) -> Program | None:
    """Return a judgement of one relation with the relation the other way; None for any other."""
    hops = [step for step in program.steps if isinstance(step, Follow)]
    final = program.final
    if len(hops) != 1 or not isinstance(final, Judge) or final.value is None:
        return None
    back = Direction.IN if hops[0].direction is Direction.OUT else Direction.OUT
    steps = (replace(step, direction=back) if step is hops[0] else step for step in program.steps)
    return Program(tuple(steps), program.exclude_start)


def _folded(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def prove(
    draft: AnswerDraft,
    graph: LocalGraph,
    source: KnowledgeSource,
    *,
    question: str,
    absences: Mapping[str, Absence],
    now: datetime,
    run_id: str = "",
    cancel: CancelToken | None = None,
) -> Proof:
    """Run the parts of a draft and make claims of what they give; see ``Prover``."""
    prover = Prover(graph, source, now=now, run_id=run_id, cancel=cancel)
    return prover.prove(draft, question, absences)
