"""A policy that verifies one triple: the same machine, tools and local graph as any run.

Deterministic, whichever policy answers questions. It looks at the ends with the agent's tools,
judges (``judging``), fetches exactly the statements that the finding rests on into the local
graph, and hands them in; claims are made from them as from any others.
"""

from __future__ import annotations

from typing import Final

from robodata_core.model import AnswerStatus, EntityValue, Statement
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import AnswerDraft, AnswerPart, Decision, StatePolicy, Turn
from robodata_core.policy.offline.fetching import fetch_calls, reveal_calls
from robodata_core.policy.offline.needed import missing_in
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import plural
from robodata_core.tools.base import ToolCall
from robodata_core.tools.known_ids import STRUCTURAL_IDS, ids_in_text
from robodata_core.verification.findings import Finding
from robodata_core.verification.judging import Judge, Knowledge
from robodata_core.verification.naming import Named
from robodata_core.verification.verdict import Judgement

__all__ = ["Labels", "VerificationPolicy", "draft_of"]

_REVEALS: Final = 4
_FETCHES: Final = 2
_MOST_IDS: Final = 200


class VerificationPolicy(StatePolicy):
    """Decides the turns of the run that verifies one triple.

    Args:
        named: The triple.
        knowledge: About the source.
        hidden: Keep the triple and its copies out of sight.
        decide: Decide even where the graph does not.

    Attributes:
        finding: What came out; None before exploration.
        cited: For each drafted claim, in order: whether it speaks for the triple, and the place
            of its ground among the reasons (or objections).
    """

    name = "verification"
    reads_view = False

    def __init__(self, named: Named, knowledge: Knowledge, *, hidden: bool, decide: bool) -> None:
        self._named = named
        self._knowledge = knowledge
        self._hidden = hidden
        self._decide = decide
        self._labels = Labels(knowledge.source, named)
        self.finding: Finding | None = None
        self.cited: list[tuple[bool, int]] = []
        self._looked = False
        self._reveals = 0
        self._fetches = 0

    def _found(self, turn: Turn) -> Finding:
        if self.finding is None:
            judge = Judge(self._knowledge, self._labels.of, turn.cancel)
            self.finding = judge.judge(self._named.triple, hidden=self._hidden, decide=self._decide)
            self._labels.load(self.finding.statements)
        return self.finding

    def _evaluate_local(self, turn: Turn) -> Decision:
        if self.finding is None:
            reason = "the source has not been looked at for this triple"
            return Decision(next_state=State.REMOTE_GRAPH_EXPLORATION, reason=reason)
        absent = missing_in(turn.store, self.finding.statements)
        needed = len(self.finding.statements)
        reason = (
            f"of {plural(needed, 'needed triple')}, the local graph holds {needed - len(absent)}"
        )
        return Decision(next_state=State.PRODUCE_ANSWER, reason=reason, reflection=reason)

    def _explore_remote(self, turn: Turn) -> Decision:
        if not self._looked:
            self._looked = True
            return Decision(calls=self._first_looks(), reason="look at what the triple names")
        finding = self._found(turn)
        absent = missing_in(turn.store, finding.statements)
        calls = reveal_calls(absent, self._shown(turn), self._labels.of)
        if calls and self._reveals < _REVEALS:
            self._reveals += 1
            return Decision(calls=calls, reason="look at what the evidence names")
        return Decision(next_state=State.REMOTE_DATA_EVALUATION, reason=finding.judgement.value)

    def _first_looks(self) -> tuple[ToolCall, ...]:
        triple = self._named.triple
        calls = [
            ToolCall("get_property_info", {"property": triple.predicate}),
            ToolCall("get_entity_info", {"entity": triple.subject}),
        ]
        if isinstance(triple.object, EntityValue):
            calls.append(ToolCall("get_entity_info", {"entity": triple.object.id}))
        if not self._hidden:
            relation = [triple.predicate]
            arguments = {"entities": [triple.subject], "relation": relation}
            calls.append(ToolCall("get_tail_entity", arguments))
        return tuple(calls)

    def _shown(self, turn: Turn) -> frozenset[str]:
        shown = {id_ for result in (*turn.memory.results(), *turn.results)
                 for id_ in result.output.ids}  # fmt: skip
        return frozenset(shown | STRUCTURAL_IDS | set(ids_in_text(turn.question)))

    def _evaluate_remote(self, turn: Turn) -> Decision:
        finding = self._found(turn)
        if missing_in(turn.store, finding.statements):
            number = len(finding.statements)
            reason = f"{plural(number, 'triple')} {'is' if number == 1 else 'are'} evidence"
            return Decision(next_state=State.LOCAL_GRAPH_UPDATE, reason=reason)
        return Decision(next_state=State.LOCAL_DATA_EVALUATION, reason="nothing to fetch")

    def _update(self, turn: Turn) -> Decision:
        absent = missing_in(turn.store, self._found(turn).statements)
        if absent and self._fetches < _FETCHES:
            self._fetches += 1
            calls = tuple(map(self._whatever_rank, fetch_calls(absent, self._shown(turn))))
            if calls:
                return Decision(calls=calls, reason=f"fetch {plural(len(absent), 'triple')}")
        return Decision(next_state=State.LOCAL_DATA_EVALUATION, reason="the evidence is fetched")

    def _whatever_rank(self, call: ToolCall) -> ToolCall:
        """Let a call for the property in question bring what others are preferred to as well."""
        mine = call.arguments.get("property") == self._named.triple.predicate
        if not mine or call.tool != "fetch_relationship_from_node" or not self._fetches_stated():
            return call
        return ToolCall(call.tool, {**call.arguments, "all_ranks": True})

    def _fetches_stated(self) -> bool:
        reasons = self.finding.reasons if self.finding else ()
        return any(reason.kind == "stated" for reason in reasons)

    # -- the answer -------------------------------------------------------------------------------

    def _answer(self, turn: Turn) -> Decision:
        finding = self.finding
        if finding is None:
            missing = ("There was no turn left to look at the source.",)
            return Decision(draft=AnswerDraft(AnswerStatus.UNKNOWN, missing=missing))
        draft, self.cited = draft_of(finding, turn)
        return Decision(draft=draft, reason=f"hand in the verdict: {finding.judgement.value}")


def draft_of(finding: Finding, turn: Turn) -> tuple[AnswerDraft, list[tuple[bool, int]]]:
    """Return the draft of a finding, and for each claim in it its side and the place of its ground.

    Args:
        finding: What was found out.
        turn: Its local graph holds what can be claimed.
    """
    cited: list[tuple[bool, int]] = []
    parts: list[AnswerPart] = []
    for speaks_for, grounds in ((True, finding.reasons), (False, finding.objections)):
        for place, ground in enumerate(grounds):
            for chain in ground.chains:
                part = _part(turn, chain)
                if part is not None:
                    parts.append(part)
                    cited.append((speaks_for, place))
    judged = finding.judgement is not Judgement.UNKNOWN
    draft = AnswerDraft(
        AnswerStatus.ANSWERED if judged else AnswerStatus.UNKNOWN,
        parts=tuple(parts),
        missing=() if judged else (finding.explanation,),
        notes=(finding.explanation, *finding.notes) if judged else finding.notes,
        verdict=(finding.judgement is Judgement.SUPPORTED) if judged else None,
    )
    return draft, cited


def _part(turn: Turn, chain: tuple[Statement, ...]) -> AnswerPart | None:
    """Return a part for statements that all stand in the local graph."""
    found = [turn.store.find(statement.triple) for statement in chain]
    handles = tuple(item.handle for item in found if item is not None)
    return AnswerPart(handles=handles, chain=True) if len(handles) == len(chain) else None


class Labels:
    """Labels of entities and properties, looked up once."""

    def __init__(self, source: KnowledgeSource, named: Named) -> None:
        self._source = source
        triple = named.triple
        self._known = {
            triple.subject: named.subject_label,
            triple.predicate: named.predicate_label,
        }
        if isinstance(triple.object, EntityValue):
            self._known[triple.object.id] = named.object_label

    def of(self, id_: str) -> str:
        """Return a label, or the id where there is none."""
        if id_ not in self._known:
            entity = self._source.entities((id_,)).get(id_)
            label = entity.label if entity else ""
            if not label:
                property_ = self._source.properties((id_,)).get(id_)
                label = property_.label if property_ else ""
            self._known[id_] = label or id_
        return self._known[id_]

    def load(self, statements: tuple[Statement, ...]) -> None:
        """Look up everything that statements name, in few requests."""
        ids = {one.subject for one in statements}
        ids |= {one.value.id for one in statements if isinstance(one.value, EntityValue)}
        wanted = sorted(ids - self._known.keys())[:_MOST_IDS]
        for id_, entity in (self._source.entities(wanted) if wanted else {}).items():
            if entity.label:
                self._known[id_] = entity.label
        relations = sorted({one.property for one in statements} - self._known.keys())
        for id_, property_ in (self._source.properties(relations) if relations else {}).items():
            self._known[id_] = property_.name
