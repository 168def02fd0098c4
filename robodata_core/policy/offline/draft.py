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
    Direction,
    EntityValue,
    QuantityValue,
    ResultItem,
    SearchHit,
    Statement,
    Value,
)
from robodata_core.policy.base import AnswerDraft, ClaimDraft
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.claims import MAX_COUNTED, Sentence, Wording, listed
from robodata_core.policy.offline.plan import Part, Plan
from robodata_core.policy.offline.question import IMPERATIVES, Question
from robodata_core.policy.offline.telling import (
    contest,
    is_contest,
    outcome,
    reckoned,
    tallies,
)
from robodata_core.policy.offline.words import FUNCTION_WORDS, GENERIC_NOUNS, STEP_WORDS, WH_WORDS
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.describe import describe
from robodata_core.store.graph import LocalGraph

__all__ = ["Drafter"]

_MAX_RESULTS: Final = 2_000
_MAX_SHOWN: Final = 8
_MAX_OTHERS: Final = 3
_NEARLY: Final = 0.12
MAX_RELATED: Final = 12


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
        suggestions: Near matches for names that could not be linked.
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
            results=tuple(whole.results[:_MAX_RESULTS]) if whole.held else (),
            completeness=Completeness(found, whole.reported) if whole.held else None,
            missing=tuple(dict.fromkeys(whole.missing)),
            suggestions=_suggestions(plan),
            attempt="; ".join(dict.fromkeys(whole.attempts)),
            notes=tuple(dict.fromkeys(whole.notes)),
            program=". ".join(whole.programs),
            sparql="\n\n".join(whole.sparql),
        )

    def _add(self, whole: _Parts, plan: Plan, part: Part, hurried: bool) -> None:
        if part.best is None or part.result is None or not part.sure:
            whole.missing += self._why_not(plan, part)
            if part.best is not None and part.result is not None:
                whole.attempts += self._attempt(part)
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
            whole.attempts += self._attempt(part)
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
        values = _named_last(part.result.members[:_MAX_RESULTS], candidate)
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
        whole.results += results or [self._result(v) for v in part.result.values[:_MAX_SHOWN]]
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

    def _about(self, candidate: Candidate) -> str:
        """Return what a set is in a few words: its last relation and what it starts from."""
        names = [self._property(name) for use in candidate.path for name, _ in use.hop[:1]]
        starts = [self._entity(id_) for link in candidate.links[:1] for id_ in link.ids[:1]]
        if not names:
            return starts[0] if starts else "result"
        if not starts:
            return names[-1]
        inward = candidate.path[-1].hop and candidate.path[-1].hop[0][1] is Direction.IN
        return f"those with {names[-1]} {starts[0]}" if inward else f"{names[-1]} of {starts[0]}"

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
            asked = self._asked(plan, part)
            whole.summary.append(f"As far as the graph states, no: it does not say that {asked}.")
            whole.missing.append(f"The graph does not state that {asked}.")
        whole.results.append(ResultItem(holds, "yes" if holds else "no"))
        if whole.reported is not None:
            whole.reported += 1

    def _asked(self, plan: Plan, part: Part) -> str:
        """Return what was looked for in vain, in the words of the question."""
        assert part.best is not None
        candidate = part.best.candidate
        links = candidate.links
        ends = [_words(plan, part).raw(link.mention.start, link.mention.end) for link in links]
        path = candidate.path
        if len(ends) < 2 or len(path) > 1:
            raw = _whole(plan, part)
            return f"“{raw.strip(' ?.!')}” holds"
        if not path and candidate.edges:
            return self._wording.clause_of(ends[0], candidate.edges[-1].hop[0][0], ends[1])
        if not path:
            return f"{ends[0]} is {ends[1]}"
        name, way = path[0].hop[0]
        subject, value = ends if way is Direction.OUT else (ends[1], ends[0])
        return self._wording.clause_of(subject, name, value)

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

    # -- what could not be done ---------------------------------------------------------------

    def _attempt(self, part: Part) -> list[str]:
        """Return the best attempt, if it says more than a name that the question has itself."""
        assert part.best is not None
        candidate = part.best.candidate
        named = {EntityValue(id_) for link in candidate.links for id_ in link.ids}
        if not candidate.path and named.issuperset(candidate.nodes):
            return []
        names = listed(self._wording.value(value) for value in candidate.nodes[:_MAX_SHOWN])
        about = self._about(candidate)
        return [f"{about}: {names}" if names else about]

    def _why_not(self, plan: Plan, part: Part) -> list[str]:
        """Say what was looked for in vain."""
        if part.failure:
            return [part.failure]
        if part.linking.unlinked:
            if _is_foreign(plan, part):
                return [
                    "The question does not seem to be in English, and no other language is read."
                ]
            return [f"Nothing in the graph is called “{name}”." for name in part.linking.unlinked]
        named = [m for m in part.linking.mentions if m.entities]
        proper = [m for m in named if m.proper] or named
        if not proper:
            if _is_foreign(plan, part):
                return [
                    "The question does not seem to be in English, and no other language is read."
                ]
            return ["No name in the question could be found in the graph."]
        about = listed(dict.fromkeys(self._entity(m.entities[0].id) for m in proper))
        if part.request.chained:
            raw = _whole(plan, part).strip(" ?.!")
            return [f"The graph states nothing for any of these: {raw}."]
        words = listed(f"“{word}”" for word in self._open_words(plan, part))
        if not words:
            return [f"The graph holds no answer to this for {about}."]
        return [f"The graph holds nothing about {words} for {about}."]

    @staticmethod
    def _open_words(plan: Plan, part: Part) -> list[str]:
        """Return the content words that nothing accounts for (all where nothing was found).

        What passes over a name accounts for nothing: "Is X the capital of Y" is not about X alone.
        """
        tokens = _words(plan, part).tokens
        covered = part.best.candidate.covered if part.best else frozenset()
        proper = frozenset(i for m in part.linking.mentions if m.proper for i in m.span)
        if not proper <= covered:
            covered = frozenset()
        skipped = FUNCTION_WORDS | GENERIC_NOUNS | STEP_WORDS
        return [
            tokens[i].text
            for i in range(part.request.start, part.request.end)
            if tokens[i].word and i not in covered | proper and tokens[i].norm not in skipped
        ]


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


def _words(plan: Plan, part: Part) -> Question:
    """Return the words that places in a part refer to."""
    return part.question or plan.question


def _whole(plan: Plan, part: Part) -> str:
    """Return the text of a part's request."""
    words = _words(plan, part)
    if part.question is not None and part.question is not plan.question:
        return plan.question.text
    return words.raw(part.request.start, part.request.end)


def _is_foreign(plan: Plan, part: Part) -> bool:
    """Tell whether hardly a word of the question is known English."""
    tokens = _words(plan, part).tokens
    first = tokens[part.request.start].norm if part.request.start < len(tokens) else ""
    if first in WH_WORDS or first in IMPERATIVES:
        return False
    letters = [char for char in plan.question.text if char.isalpha()]
    if sum(char.isascii() for char in letters) * 2 < len(letters):
        return True
    read = {i for match in part.matches for i in match.span}
    words = [
        i
        for i in range(part.request.start, part.request.end)
        if tokens[i].word and not tokens[i].capitalised
    ]
    known = [i for i in words if tokens[i].norm in FUNCTION_WORDS or i in read]
    return len(words) >= 2 and len(known) * 3 <= len(words)


def _suggestions(plan: Plan) -> tuple[SearchHit, ...]:
    hits = {hit.id: hit for part in plan.parts for hit in part.linking.suggestions}
    return tuple(hits.values())[:5]


def evidence_of(parts: Iterable[Part]) -> tuple[Statement, ...]:
    """Return every statement that the sure parts of a plan rest on."""
    found: dict[Statement, None] = {}
    for part in parts:
        if part.sure and part.result is not None:
            found.update(dict.fromkeys(part.result.evidence))
            whole = part.best is not None and is_contest(part.best.candidate)
            shown = part.related[: _MAX_RESULTS if whole else MAX_RELATED]
            found.update(dict.fromkeys(shown))
    return tuple(found)


def missing_in(graph: LocalGraph, statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Return the statements that do not stand in the local graph."""
    return tuple(s for s in statements if not graph.contains(s.triple))


def entity_ids(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the ids of all entities in some statements."""
    found: dict[str, None] = {}
    for statement in statements:
        found[statement.subject] = None
        if isinstance(statement.value, EntityValue):
            found[statement.value.id] = None
        if isinstance(statement.value, QuantityValue) and statement.value.unit:
            found[statement.value.unit] = None
    return tuple(found)
