"""From a plan and the local graph to the answer that is handed in.

Only statements that stand in the local graph are cited. Parts that are not sure enough, or whose
evidence is missing, become what is missing; if no part holds, the answer is "unknown" with the
best attempt shown as such.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from robodata_core.errors import ProgramError
from robodata_core.model import (
    AnswerStatus,
    Completeness,
    EntityValue,
    QuantityValue,
    ResultItem,
    Statement,
    Value,
)
from robodata_core.policy.base import AnswerDraft, ClaimDraft
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.claims import MAX_COUNTED, Sentence, Wording, listed
from robodata_core.policy.offline.in_vain import MAX_SHOWN, InVain, suggestions
from robodata_core.policy.offline.needed import MAX_RELATED, MAX_RESULTS
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.telling import (
    contest,
    is_contest,
    outcome,
    reckoned,
    tallies,
)
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.describe import describe
from robodata_core.store.graph import LocalGraph

__all__ = ["Drafter"]

_MAX_OTHERS: Final = 3
_NEARLY: Final = 0.12


@dataclass(slots=True)
class _Parts:
    """What the parts add up to."""

    claims: list[ClaimDraft] = field(default_factory=list)
    results: list[ResultItem] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)
    programs: list[str] = field(default_factory=list)
    sparql: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    held: int = 0
    partial: bool = False
    reported: int | None = 0


class Drafter:
    """Writes the draft of one run.

    Args:
        graph: The local graph.
        entity_label: Label of an entity.
        property_label: Label of a property.
    """

    def __init__(
        self,
        graph: LocalGraph,
        entity_label: Callable[[str], str],
        property_label: Callable[[str], str],
    ) -> None:
        self._graph = graph
        self._entity = entity_label
        self._property = property_label
        self._wording = Wording(entity_label, property_label)
        self._in_vain = InVain(entity_label, property_label, self._wording)

    def draft(self, plan: Plan, *, hurried: bool = False) -> AnswerDraft:
        """Return the draft for a plan.

        Args:
            plan: What was found.
            hurried: Whether turns ran out before everything could be done.
        """
        whole = _Parts()
        for part in plan.parts:
            self._add(whole, plan, part, hurried)
        status = AnswerStatus.UNKNOWN
        if whole.held:
            complete = whole.held == len(plan.parts) and not whole.partial
            status = AnswerStatus.ANSWERED if complete else AnswerStatus.PARTIAL
        if not plan.parts:
            whole.missing.append("No question was recognised.")
        found = len(whole.results)
        return AnswerDraft(
            status=status,
            text=" ".join(whole.summary),
            claims=tuple(whole.claims),
            results=tuple(whole.results[:MAX_RESULTS]) if whole.held else (),
            completeness=Completeness(found, whole.reported) if whole.held else None,
            missing=tuple(dict.fromkeys(whole.missing)),
            suggestions=suggestions(plan),
            attempt="; ".join(dict.fromkeys(whole.attempts)),
            notes=tuple(dict.fromkeys(whole.notes)),
            program=". ".join(whole.programs),
            sparql="\n\n".join(whole.sparql),
        )

    def _add(self, whole: _Parts, plan: Plan, part: Part, hurried: bool) -> None:
        if part.best is None or part.result is None or not part.sure:
            whole.missing += self._in_vain.why_not(plan, part)
            if part.best is not None and part.result is not None:
                whole.attempts += self._in_vain.attempt(part)
            return
        candidate = part.best.candidate
        before = len(whole.claims)
        compared = is_contest(candidate)
        self._add_form(whole, plan, part, compared)
        bound = any(link.mention.whole for link in candidate.links)
        if len(whole.claims) == before and bound:
            # The members of a set that the question brings along need no triple to be in it.
            self._cite(whole, self._wording.beside(part.related[:MAX_RELATED]))
        if len(whole.claims) == before:
            late = "before its evidence could be fetched" if hurried else "without evidence"
            whole.missing.append(f"The run ended {late}.")
            whole.attempts += self._in_vain.attempt(part)
            return
        whole.held += 1
        whole.programs.append(describe(candidate.program(), self._name))
        # Some programs no query can express (numbers beyond xsd:decimal); the words remain.
        with contextlib.suppress(ProgramError):
            whole.sparql.append(compile_sparql(candidate.program()))
        if candidate.final not in ("yes", "no") and not compared:
            shown = [item for item in part.related if item not in part.result.evidence]
            self._cite(whole, self._wording.beside(shown))
        whole.notes += (*part.notes, *candidate.narrowed.notes, *self._choices(part))
        whole.missing += part.missing
        whole.partial = whole.partial or bool(part.missing)
        self._add_open(whole, candidate)
        for label in candidate.relaxed:
            whole.partial = True
            whole.missing.append(f"The graph does not state {label} for these results.")
        if part.result.truncated:
            whole.reported = None
            whole.partial = True
            whole.missing.append("A limit was reached, so there may be more.")

    def _add_form(self, whole: _Parts, plan: Plan, part: Part, compared: bool) -> None:
        """Tell what was found, by the form of the answer."""
        assert part.best is not None
        final = part.best.candidate.final
        if compared:
            self._add_contest(whole, part)
        elif final in ("yes", "no"):
            self._add_judged(whole, plan, part)
        elif final == "count":
            self._add_count(whole, part)
        elif final in ("reckoned", "age"):
            self._add_reckoned(whole, part)
        else:
            self._add_set(whole, part)

    @staticmethod
    def _add_open(whole: _Parts, candidate: Candidate) -> None:
        """Say where the graph has only a broader relation than the question's words name."""
        narrowed = candidate.narrowed
        whole.partial = whole.partial or bool(narrowed.missing)
        whole.missing += narrowed.missing
        if narrowed.missing:
            whole.reported = None  # what the source has is not what was asked for
        if candidate.final == "count" and narrowed.missing:
            bound = "larger" if not narrowed.vague else "smaller"
            whole.missing.append(f"So the true number may be {bound}.")

    def _choices(self, part: Part) -> Iterable[str]:
        """Say what an ambiguous name was taken for, and what else goes by it."""
        assert part.best is not None and part.result is not None
        cited = {one.subject for one in part.result.evidence}
        cited |= {
            one.value.id for one in part.result.evidence if isinstance(one.value, EntityValue)
        }
        for link in part.best.candidate.links:
            entities = {item.id: item for item in link.mention.entities}
            chosen = link.mention.proper and not link.mention.whole
            if chosen and not link.mention.exact and len(entities) == 1:
                yield f"“{link.mention.text}” was read as {self._described(link.ids[0])}."
                continue
            if not chosen or len(entities) < 2 or not entities.keys() & set(link.ids):
                continue
            taken = [id_ for id_ in link.ids if id_ in cited] or list(link.ids[:1])
            best = max(entities[id_].quality for id_ in taken if id_ in entities)
            others = [
                item for id_, item in entities.items()
                if id_ not in taken and item.quality >= best - _NEARLY
            ][:_MAX_OTHERS]  # fmt: skip
            if others and taken:
                told = listed(self._described(id_) for id_ in taken)
                rest = listed(self._described(item.id) for item in others)
                yield f"“{link.mention.text}” was read as {told}; it may also mean {rest}."

    def _described(self, id_: str) -> str:
        return f"{self._entity(id_)} ({id_})"

    def _name(self, id_: str) -> str:
        return self._property(id_) if id_.startswith("P") else self._entity(id_)

    # -- forms of answers ---------------------------------------------------------------------

    def _add_set(self, whole: _Parts, part: Part) -> None:
        assert part.result is not None and part.best is not None
        candidate = part.best.candidate
        values = _named_last(part.result.members[:MAX_RESULTS], candidate)
        told = _telling(candidate, part.request.focus)
        sentences = tallies(part, values, self._wording, MAX_RELATED)
        sentences = sentences or self._wording.of_set(values, part.result.support, told)
        self._cite(whole, sentences)
        whole.results += [self._result(value) for value in values]
        if whole.reported is not None:
            whole.reported += len(part.result.members)

    def _add_reckoned(self, whole: _Parts, part: Part) -> None:
        """Tell what was reckoned, each time with all that it was reckoned from."""
        assert part.result is not None
        sentences, results = reckoned(part, self._wording)
        self._cite(whole, sentences)
        whole.results += results or [self._result(v) for v in part.result.values[:MAX_SHOWN]]
        if whole.reported is not None:
            whole.reported += len(part.result.values)

    def _add_contest(self, whole: _Parts, part: Part) -> None:
        """Tell the number of each side, and which has more."""
        assert part.result is not None
        self._cite(whole, contest(part, self._wording, MAX_RELATED))
        verdict, summary = outcome(part)
        results = [verdict] if verdict else [self._result(v) for v in part.result.values]
        whole.results += results
        whole.summary += [summary] if summary else []
        if whole.reported is not None:
            whole.reported += len(results)

    def _result(self, value: Value) -> ResultItem:
        unit = ""
        if isinstance(value, QuantityValue) and value.unit:
            unit = self._entity(value.unit)
        return ResultItem(value, self._wording.value(value), unit)

    def _add_count(self, whole: _Parts, part: Part) -> None:
        assert part.result is not None and part.best is not None
        number = part.result.number or 0
        told = _telling(part.best.candidate, part.request.focus)
        counted = self._wording.of_count(number, part.result.members, part.result.support, told)
        self._cite(whole, counted)
        whole.results.append(ResultItem(number, f"{number:,}"))
        if whole.reported is not None:
            whole.reported += 1
        if number > MAX_COUNTED:
            whole.missing.append(f"Only {MAX_COUNTED} of the {number:,} counted are named.")

    def _add_judged(self, whole: _Parts, plan: Plan, part: Part) -> None:
        assert part.result is not None and part.best is not None
        holds = bool(part.result.boolean)
        statements = part.result.evidence if holds else part.related
        if holds and part.question is not None:  # what it was compared with
            statements = tuple(dict.fromkeys((*statements, *part.related)))
        self._cite(
            whole,
            [Sentence(self._wording.sentence(item), (item,)) for item in statements[:MAX_RELATED]],
        )
        if holds:
            whole.summary.append("Yes.")
        elif part.question is not None or part.best.candidate.narrowed.against:
            whole.summary.append("No, by what the graph states.")
        else:
            asked = self._in_vain.asked(plan, part)
            whole.summary.append(f"As far as the graph states, no: it does not say that {asked}.")
            whole.missing.append(f"The graph does not state that {asked}.")
        whole.results.append(ResultItem(holds, "yes" if holds else "no"))
        if whole.reported is not None:
            whole.reported += 1

    def _cite(self, whole: _Parts, sentences: Iterable[Sentence]) -> None:
        for sentence in sentences:
            handles = self._handles(sentence.support)
            if handles is not None:
                whole.claims.append(ClaimDraft(sentence.text, handles))

    def _handles(self, statements: Sequence[Statement]) -> tuple[str, ...] | None:
        """Return the handles of all statements, or None if one is not in the local graph."""
        handles = []
        for statement in statements:
            evidence = self._graph.find(statement.triple)
            if evidence is None:
                return None
            handles.append(evidence.handle)
        return tuple(dict.fromkeys(handles)) or None


def _telling(candidate: Candidate, focus: frozenset[int]) -> Callable[[Statement], bool]:
    """Return which statements an answer tells: its hops, and classes that are not in focus."""
    told = {name for use in candidate.edges if not use.origin for name, _ in use.hop}
    after_origin = {link.mention.end for link in candidate.links if link.mention.demonym}
    after_origin |= {i for link in candidate.links for i in link.mention.span if link.group}
    any_relation = any(not use.hop for use in candidate.path)
    classes = {
        id_
        for link in candidate.links
        if not link.mention.span & focus and link.mention.start not in after_origin
        for id_ in link.ids
    }

    def tells(statement: Statement) -> bool:
        if any_relation or not candidate.edges or statement.property in told:
            return True
        value = statement.value
        return isinstance(value, EntityValue) and value.id in classes and not link_only(value.id)

    starts = {id_ for link in candidate.links[:1] for id_ in link.ids}

    def link_only(id_: str) -> bool:
        return id_ in starts

    return tells


def _named_last(values: Sequence[Value], candidate: Candidate) -> tuple[Value, ...]:
    """Put what the question names itself behind the other answers."""
    starts = {id_ for link in candidate.links for id_ in link.ids}

    def is_named(value: Value) -> bool:
        return isinstance(value, EntityValue) and value.id in starts

    return tuple(sorted(values, key=is_named))
