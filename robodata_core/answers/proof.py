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
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeVar

from robodata_core.answers.coverage import Coverage, Stated
from robodata_core.answers.facts import (
    Group,
    ended,
    fact_groups,
    looked_for,
    program_of_absence,
    turned_round,
)
from robodata_core.answers.making import MAX_RESULTS, Held, Making, Proof
from robodata_core.answers.origins import seen_last
from robodata_core.answers.truth import Truths, is_of_the_seen
from robodata_core.cancellation import CancelToken
from robodata_core.errors import CancelledError, DeadlineExceededError, ProgramError, RoboDataError
from robodata_core.model import (
    Absence,
    Claim,
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
from robodata_core.programs.describe import Verbaliser
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import Gives, Program
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import capabilities
from robodata_core.store.graph import LocalGraph
from robodata_core.store.source import GraphSource

__all__ = ["Proof", "Prover", "prove"]

_MAX_PARTS: Final = 50
_MAX_BESIDE: Final = 2_000
_OF_KINDS: Final = (
    "What is usual for a kind is not stated in full, so that something is not stated shows nothing."
)
_COUNTED: Final = "What the source states of each was counted, which may not be all there is."
_Told = TypeVar("_Told")
_log = logging.getLogger("robodata.answers")


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
        self._changes = capabilities(source).generation is not None
        self._coverage = Coverage(source, self._remote)
        self._truths = Truths(graph, source, self._coverage)
        self._held = Held(source)
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
        whole = Making(question, draft.asserted)
        parts = draft.parts[:_MAX_PARTS]
        for part in parts:
            results, programs = len(whole.results), len(whole.programs)
            self._part(whole, part, known)
            beside = [one.program for one in parts if one.program and one.asked == part.asked]
            for program in whole.programs[programs:]:
                self._held.against(whole, program, results, part.asked or question, beside)
        self._held.against_names(whole)
        self._held.against_chains(whole)
        if whole.held or not draft.parts:
            self._beside(whole, draft.beside[:_MAX_BESIDE])
        for handle in dict.fromkeys(draft.absences):
            if handle in known:
                whole.absences.append(known[handle])
            else:
                whole.problems.append(
                    f"{handle[:20]} is not the handle of a look-up that found nothing."
                )
        whole.judge(draft)
        whole.join(draft)
        return whole.proof(len(draft.parts))

    # -- parts ----------------------------------------------------------------------------------

    def _part(self, whole: Making, part: AnswerPart, absences: Mapping[str, Absence]) -> None:
        try:
            if part.program is not None:
                self._program(whole, ended(part.program, part.kind))
            elif part.sparql:
                self._program(whole, ended(_read(part.sparql), part.kind))
            elif part.chain:
                self._chain(whole, part.handles)
            else:
                self._handles(whole, part, absences)
        except (CancelledError, DeadlineExceededError):
            raise
        except RoboDataError as error:
            whole.fail(str(error))

    def _program(self, whole: Making, program: Program) -> None:
        """Run a program and claim what it gives."""
        reading = self.words.reading(program)
        whole.readings.append(reading)
        whole.programs.append(program)
        if other := self._measured(self._coverage.other_unit, program):
            whole.fail(self._unit_told(*other))
            return
        remote = self._at_source(program)
        local = self._here(program, remote)
        if local is None:
            whole.fail(self._unfetched(program, remote))
            return
        gives = program.final.gives
        if gives is Gives.TRUTH:
            self._judged(whole, program, local, remote)
        elif gives is Gives.NUMBER:
            self._counted(whole, program, local, remote)
        else:
            self._set(whole, program, local, remote)

    def _here(self, program: Program, remote: ProgramResult | None) -> ProgramResult | None:
        """Return the result that is held against the local graph, None where nothing is.

        What one more statement could make untrue cannot be told from a part of the world, nor what
        changes from what a run fetched once: then it is the complete look-up's own result, and its
        evidence has to stand in the local graph.
        """
        if not (program.needs_everything or self._changes):
            return self._local.run(program)
        if remote is not None and all(self._graph.find(one.triple) for one in remote.evidence):
            return remote
        return None if program.needs_everything else self._local.run(program)

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
        self, whole: Making, program: Program, local: ProgramResult, remote: ProgramResult | None
    ) -> None:
        final = program.final
        if final.closed() and not local.members and not is_of_the_seen(program):
            whole.fail(self.words.nothing(program))
        elif local.boolean and not (self._changes and remote is not None and not remote.boolean):
            self._yes(whole, program, local)
        elif remote is not None and not remote.boolean:
            if problem := self._shows_nothing(whole, program):
                whole.fail(problem)
                return
            self._absent(whole, program, remote)
            whole.result(ResultItem(False, "no"))
        else:
            whole.fail(self._unfetched(program, remote))

    def _shows_nothing(self, whole: Making, program: Program) -> str:
        """Return why it is no "no" that something is not stated; nothing where it is one."""
        # Who chose the direction of a relation may have taken it for the other one.
        turned = turned_round(program) if whole.asserted else None
        contrary = self._at_source(turned) if turned is not None else None
        if contrary is not None and contrary.boolean:
            return "The source states it the other way round."
        if self._truths.is_of_kinds(program):
            return _OF_KINDS
        if alien := self._measured(self._coverage.inapplicable, program):
            return self._alien(alien)
        if changing := self._truths.may_have_changed(program, whole.question):
            return (
                f"“{self.words.plain(changing)}” holds for a time, and what the source states of it"
                " may be what holds now: that something was so before is not ruled out."
            )
        if open_ := self._measured(self._coverage.unstated, program):
            label, named = self.words.plain(open_.relation), self.words.plain(open_.lacking)
            return f"No “{label}” of {named} is stated, so that it may be any."
        return ""

    def _alien(self, alien: Stated) -> str:
        return (
            f"Of {alien.looked_at:,} things of the same kind none has"
            f" “{self.words.plain(alien.relation)}”, so that it is not stated of this one shows"
            " nothing."
        )

    def _unit_told(self, property_: str, unit: str) -> str:
        told = f"in {self.words.plain(unit)} ({unit})" if unit else "without a unit"
        return (
            f"“{self.words.plain(property_)}” is stated {told}, and was compared with a number in"
            " another unit."
        )

    def _doubts(
        self,
        whole: Making,
        program: Program,
        values: Sequence[Value],
        evidence: tuple[Evidence, ...],
    ) -> None:
        """Say of how much of what a set was chosen from the graph states what it was chosen by."""
        lacking = self._measured(self._coverage.compared, program)
        if lacking is not None:
            label = self.words.plain(lacking.relation)
            whole.notes.append(
                f"Among the {lacking.having:,} of {lacking.looked_at:,} whose {label} is stated."
            )
        if (few := self._measured(self._coverage.ranked, program)) is not None:
            whole.lack(
                f"“{self.words.plain(few.relation)}” is stated of {few.having:,} of"
                f" {few.looked_at:,} things like those counted, so that others may have more."
            )
        elif self._coverage.is_open(program) and not is_of_the_seen(program, evidence):
            whole.lack(_COUNTED)
        if self._truths.is_left_of_kinds(program, values):
            whole.lack(_OF_KINDS)
        else:
            self._may_have(whole, program, evidence)

    def _may_have(self, whole: Making, program: Program, evidence: tuple[Evidence, ...]) -> None:
        """Say of how many of a set a relation is stated that the others were chosen for lacking."""
        open_ = self._measured(self._coverage.lacked, program)
        if open_ is not None and not is_of_the_seen(program, evidence):
            whole.lack(
                f"“{self.words.plain(open_.relation)}” is stated of {open_.having:,} of"
                f" {open_.looked_at:,}; the others may have one that is not stated."
            )

    def _no_zero(self, few: Stated) -> str:
        """Return why it is no zero that nothing was found."""
        if few.lacking:
            return (
                f"Nothing is stated of {self.words.plain(few.lacking)}, so that no"
                f" “{self.words.plain(few.relation)}” is stated shows nothing."
            )
        if not few.having:
            return self._alien(few)
        return (
            f"“{self.words.plain(few.relation)}” is stated of {few.having:,} of {few.looked_at:,}"
            " things like that, so that none is stated shows nothing."
        )

    def _yes(self, whole: Making, program: Program, local: ProgramResult) -> None:
        evidence = self._evidence(local.evidence)
        if not evidence and not program.final.closed():
            whole.fail("It names only what is given, and rests on no triple.")
            return
        if not evidence:  # it is true because a complete look-up found no exception
            self._absent(whole, program, local)
            whole.result(ResultItem(True, "yes"))
            return
        kind = self._truths.kind(program, evidence)
        told = self.words.verdict(program, True, local.examples)
        whole.claim(told, kind, evidence)
        if kind is TruthKind.TYPICAL and self._truths.is_one_of_a_kind(evidence, whole.question):
            whole.held += 1
            whole.lack("That is usual for things of its kind; of this very one it is not stated.")
            return
        whole.result(ResultItem(True, "yes"))

    def _counted(
        self, whole: Making, program: Program, local: ProgramResult, remote: ProgramResult | None
    ) -> None:
        number = local.number or 0
        if remote is not None:
            number = remote.number or 0
            if not remote.members and not local.members:
                if few := self._measured(self._coverage.none, program):
                    whole.fail(self._no_zero(few))
                    return
                self._absent(whole, program, remote)
                whole.result(ResultItem(0, "0"))
                return
        values = self._still(local.members, remote.members if remote is not None else None)
        evidence = self._evidence(local.evidence)
        if not evidence:
            whole.fail(self._unfetched(program, remote))
            return
        if remote is None:
            self._at_least(whole, program, number, values, evidence)
            return
        if set(values) - set(remote.members):
            number = max(number, local.number or 0)
        self._may_have(whole, program, evidence)
        lacking = self._measured(self._coverage.counted, program)
        seen = is_of_the_seen(program, evidence)
        open_ = self._coverage.is_open(program) and not seen
        least = lacking is not None or open_
        whole.claim(
            self.words.counted(program, number, values, least=least), TruthKind.RECKONED, evidence
        )
        if lacking is not None:
            label = self.words.plain(lacking.relation)
            whole.notes.append(
                f"“{label}” is stated of {lacking.having:,} of {lacking.looked_at:,} things like"
                " that, so there may be more."
            )
        elif open_:
            whole.notes.append("Those are counted that the source holds; there may be more.")
        if len(values) < number:
            whole.missing.append(f"{len(values):,} of the {number:,} counted are cited.")
        whole.result(ResultItem(number, f"{'at least ' if least else ''}{number:,}"))

    @staticmethod
    def _measured(measure: Callable[[Program], _Told | None], program: Program) -> _Told | None:
        """Return what is mostly not stated of what a result rests on, as far as it is known."""
        try:
            return measure(program)
        except RoboDataError as error:  # it says how far a result can be trusted, no more
            _log.info("How much is stated could not be measured: %s", error)
            return None

    def _at_least(
        self,
        whole: Making,
        program: Program,
        number: int,
        values: Sequence[Value],
        evidence: tuple[Evidence, ...],
    ) -> None:
        if not number or program.needs_everything:
            whole.fail("The source could not be looked through completely.")
            return
        told = self.words.counted(program, number, values, least=True)
        whole.claim(told, TruthKind.RECKONED, evidence)
        whole.lack("The source could not be looked through completely, so there may be more.")
        whole.result(ResultItem(number, f"at least {number:,}"))

    def _still(
        self, values: tuple[Value, ...], there: tuple[Value, ...] | None
    ) -> tuple[Value, ...]:
        """Return values without those that a source which changes does not give any more.

        What it says now holds, not what a run fetched, or what that would be without its rules:
        that the members of a class are the things on a map, and not the classes below it.
        """
        if there is None or not self._changes:
            return values
        return tuple(value for value in values if value in set(there))

    def _set(
        self, whole: Making, program: Program, local: ProgramResult, remote: ProgramResult | None
    ) -> None:
        values = self._still(local.values, remote.values if remote is not None else None)
        if not values:
            if remote is not None and not remote.values:
                self._absent(whole, program, remote)
                whole.empty += 1
                whole.problems.append(f"Nothing is there for “{self.words.reading(program)}”.")
            else:
                whole.fail(self._unfetched(program, remote))
            return
        values = values[:MAX_RESULTS]
        evidence = self._evidence(
            local.evidence
            if len(values) == len(local.values)
            else [one for value in values for one in local.support(value)]
        )
        if not evidence and not program.needs_everything:
            whole.fail("It names only what is given, and rests on no triple.")
            return
        total = len(values)
        # Members of a given set that are left when others are taken away rest on no triple.
        kind = self._truths.kind(program, evidence) if evidence else TruthKind.ABSENT
        name = whole.claim(self.words.sentence(program, values), kind, evidence)
        self._doubts(whole, program, values, evidence)
        whole.results += [self._item(value, name) for value in values]
        whole.held += 1
        whole.found += total
        if remote is None:
            whole.reported = None
            whole.lack("The source could not be looked through completely, so there may be more.")
        elif whole.reported is not None:
            whole.reported += len(set(remote.values) | set(values))
            if len(set(remote.values) - set(values)):
                whole.lack(
                    f"The source has {len(remote.values):,}; {total:,} of them were fetched."
                )

    def _unfetched(self, program: Program, remote: ProgramResult | None) -> str:
        reading = self.words.reading(program)
        if remote is None:
            return f"The source could not be looked through completely for “{reading}”."
        return f"The local graph does not hold what “{reading}” rests on; fetch that first."

    # -- plain facts ----------------------------------------------------------------------------

    def _handles(self, whole: Making, part: AnswerPart, absences: Mapping[str, Absence]) -> None:
        """Make facts of handles; of look-ups that found nothing what they looked for."""
        names = dict.fromkeys(part.handles)
        for handle in names:
            if handle in absences:
                program = program_of_absence(absences[handle])
                if program is None:
                    whole.absences.append(absences[handle])
                else:
                    self._program(whole, ended(program, part.kind))
        facts, problems = self._standing([name for name in names if name not in absences])
        for problem in problems:
            whole.fail(problem)
        groups = fact_groups(facts)
        if part.kind in (AnswerKind.NUMBER, AnswerKind.YES_OR_NO) and groups:
            if len(groups) > 1 or part.kind is AnswerKind.YES_OR_NO and len(facts) > 1:
                whole.fail("That is more than one set of facts; hand in one program.")
            value = groups[0].values[0] if part.kind is AnswerKind.YES_OR_NO else None
            self._program(whole, ended(groups[0].program, part.kind, value))
            return
        for group in groups:
            self._told(whole, group)
        whole.held += bool(groups)

    def _told(self, whole: Making, group: Group) -> None:
        """Claim some facts; the ends that the question does not name are results."""
        name = self._fact(whole, group)
        whole.readings.append(self.words.reading(group.program))
        whole.programs.append(group.program)
        values = self._asked_for(group, whole.question)
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
            whole.lack(
                f"The source has {len(there):,} for “{self.words.reading(group.program)}”;"
                f" {len(group.values):,} of them are told."
            )

    def _chain(self, whole: Making, handles: Sequence[str]) -> None:
        """Tell facts that are one line of argument as one claim; nothing where one is missing."""
        facts, problems = self._standing(list(dict.fromkeys(handles)))
        whole.problems += problems
        if problems or not facts:
            whole.claims.append(
                Claim(f"c{len(whole.claims) + 1}", "", False, problem=" ".join(problems))
            )
            return
        clauses = [self.words.clause(group.program, group.values) for group in fact_groups(facts)]
        kinds = [self._truths.kind(group.program, group.evidence) for group in fact_groups(facts)]
        kind = next((one for one in kinds if one is not TruthKind.STATED), TruthKind.STATED)
        name = f"c{len(whole.claims) + 1}"
        text = self.words.joined(clauses)
        whole.claims.append(Claim(name, text, True, SupportSet(tuple(facts)), kind=kind))

    def _asked_for(self, group: Group, question: str) -> tuple[Value, ...]:
        """Return the ends of some facts that a question does not name, where it names the other."""
        if not self._truths.is_named(group.about, question):
            return ()
        return tuple(value for value in group.values if not self._truths.is_named(value, question))

    def _beside(self, whole: Making, handles: Sequence[str]) -> None:
        shown = {item.handle for claim in whole.claims for item in claim.support.evidence}
        facts, problems = self._standing([one for one in dict.fromkeys(handles)])
        whole.problems += problems
        for group in fact_groups([fact for fact in facts if fact.handle not in shown]):
            self._fact(whole, group)

    def _fact(self, whole: Making, group: Group) -> str:
        kind = self._truths.kind(group.program, group.evidence)
        told = self.words.sentence(group.program, group.values)
        return whole.claim(told, kind, group.evidence)

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

    def _absent(self, whole: Making, program: Program, result: ProgramResult | None = None) -> None:
        """Claim what a complete look-up did not find, and keep the look-up."""
        truth = result is not None and result.boolean is not None
        if result is not None and truth:
            text = self.words.verdict(program, bool(result.boolean), result.examples)
            evidence = self._evidence(result.evidence)
            text = seen_last(text, evidence)
        else:
            text, evidence = self.words.absent(program), ()
        number = 1 + sum(claim.kind is TruthKind.ABSENT for claim in whole.claims)
        triple = None if evidence else looked_for(program)
        ids = (triple.subject, triple.predicate) if triple is not None else ()
        if triple is not None and isinstance(triple.object, EntityValue):
            ids = (*ids, triple.object.id)
        absence = Absence(
            handle=f"N{900_000 + number}",
            text=text,
            source=self._source.name,
            tool="answer",
            arguments={"program": self.words.reading(program)},
            retrieved=self._now,
            run_id=self._run_id,
            triple=triple,
            labels={id_: self.words.plain(id_) for id_ in ids},
        )
        whole.absences.append(absence)
        name = f"c{len(whole.claims) + 1}"
        support = SupportSet(evidence)
        whole.claims.append(Claim(name, text, True, support, kind=TruthKind.ABSENT))

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
        kept: dict[str, Evidence] = {}
        for statement in statements:
            item = self._graph.find(statement.triple)
            if item is not None:
                kept[item.handle] = self._as_it_is(item, statement) if self._changes else item
        return tuple(kept.values())

    def _as_it_is(self, item: Evidence, statement: Statement) -> Evidence:
        """Return evidence with what the source says beside it now, and not what it said once."""
        own = [one for one in item.provenance if one.source == statement.source]
        if not own or own[-1].qualifiers == statement.qualifiers:
            return item
        others = [one for one in item.provenance if one.source != statement.source]
        now = replace(own[-1], qualifiers=statement.qualifiers, retrieved=self._now)
        return replace(item, provenance=(*others, now))

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


def _read(sparql: str) -> Program:
    """Return the program that a query is."""
    # rdflib takes long to import, and most runs hand in no query.
    from robodata_core.programs.from_sparql import UnfitQueryError, program_from_sparql

    try:
        return program_from_sparql(sparql)
    except UnfitQueryError as error:
        why = str(error).strip().rstrip(".")
        raise ProgramError(f"The query cannot be run: {why[:1].lower()}{why[1:]}.") from None


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
