"""Chatty-KG's pipeline as a policy: it walks the same states as any other, with few model calls.

Question and links are made where the source is explored, queries and the choice among them after
that; the chosen ones are run where the local graph is updated, so that their triples stand there,
and are handed in as what they are. Source: Chatty-KG paper, sections 3 to 5.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from robodata_core.answers.making import FOREIGN
from robodata_core.errors import (
    ModelReplyError,
    PolicyError,
    ProgramError,
    RoboDataError,
    SourceError,
)
from robodata_core.language.meaning import Kind, Most, OfKind
from robodata_core.language.understanding import Understanding
from robodata_core.model import AnswerStatus, SearchHit, TokenCount
from robodata_core.orchestrator.machine import State
from robodata_core.policy.base import AnswerDraft, AnswerKind, Decision, StatePolicy, Turn
from robodata_core.policy.chat.agents import Agent, Agents, strict
from robodata_core.policy.chat.expected import lacking_in, told_failure
from robodata_core.policy.chat.matching import Links, Matcher
from robodata_core.policy.chat.queries import Generator
from robodata_core.policy.chat.query import Query, merged, within
from robodata_core.policy.chat.question import Qir
from robodata_core.policy.chat.tongues import said_in
from robodata_core.policy.chat.understanding import Reader
from robodata_core.policy.llm.handing_in import read_answer
from robodata_core.policy.llm.ledger import Price, Prices
from robodata_core.policy.llm.policy import Roles
from robodata_core.text import clean_text
from robodata_core.tools.base import ToolCall, ToolResult

if TYPE_CHECKING:
    from robodata_core.config import Settings
    from robodata_core.policy.llm.client import ModelClient
    from robodata_core.sources.base import KnowledgeSource

__all__ = [
    "ChatPolicy",
    "Pipeline",
]

_log = logging.getLogger("robodata.chat")
_MOST_CHOSEN: Final = 3
_SEARCHED: Final = 5
_SUGGESTED: Final = 5
_LONGEST_TOLD: Final = 600
_PLANNING: Final = Agent(
    "planning",
    ("chat_planning",),
    strict(
        {
            "queries": {"type": "array", "items": {"type": "integer"}},
            "sure": {"type": "boolean"},
        },
        "queries",
    ),
    reply_tokens=100,
)
_KINDS: Final = {
    AnswerKind.THINGS: "list",
    AnswerKind.NUMBER: "number",
    AnswerKind.YES_OR_NO: "yes_no",
}


class ChatPolicy(StatePolicy):
    """Decides the turns of one run with a few structured model calls.

    Args:
        agents: Asks the model.
        reader: Makes triples of questions; it may have done so in the conversation already.
        matcher: Links names and relations on the source.
        sure: The figure of ``likelihood`` below which there is a ``doubt``.
    """

    name = "chat"

    def __init__(self, agents: Agents, reader: Reader, matcher: Matcher, sure: float = 0.0) -> None:
        self._sure = sure
        self._agents = agents
        self._reader = reader
        self._matcher = matcher
        self._qir: Qir | None = None
        self._links: Links | None = None
        self._offered: tuple[Query, ...] = ()
        self._chosen: tuple[Query, ...] | None = None
        self._trouble: PolicyError | None = None
        self._lacking = ""
        self._unread = ""
        self._revealed = 0
        self._ran: ToolResult | None = None
        self._beside: tuple[str, ...] = ()

    def decide(self, turn: Turn) -> Decision:
        """Return what to do next, and what models were asked for it; see ``Policy``.

        Raises:
            PolicyError: If the model failed; calls made before that are told first.
        """
        if self._trouble is not None:
            raise self._trouble
        try:
            decision = super().decide(turn)
        except PolicyError as error:
            self._trouble = error
            decision = Decision(next_state=turn.legal[0] if turn.legal else None)
        calls = self._agents.taken()
        if not calls:
            if self._trouble is not None:
                raise self._trouble
            return decision
        tokens = sum((call.tokens for call in calls), TokenCount())
        return replace(decision, tokens=tokens, role=calls[-1].role, model_calls=calls)

    def known(self) -> str:
        """Return what was found out, for whoever goes on; see ``cascade.Tells``."""
        if self._links is None:
            return ""
        label = self._matcher.view.label
        linked = [
            f"{name} = "
            + ", ".join(one if label(one) == name else f"{label(one)} ({one})" for one in ids)
            for name, ids in (*self._links.vertices.items(), *self._links.classes.items())
        ]
        tried = ["; ".join(query.told) for query in self._chosen or ()]
        parts = [f"Names: {', '.join(linked)}." if linked else ""]
        parts.append(f"Queries chosen: {' | '.join(tried)}." if tried else "")
        return clean_text(" ".join(part for part in parts if part), limit=_LONGEST_TOLD)

    def likelihood(self) -> float:
        """Return from 0 to 1 how well the question's words agree with what was chosen for them.

        That is how alike the words are of a name and of what it was taken for (1 where that has
        exactly this name; of several names the least), times a half for the planning agent, which
        was sure, and as much of the other half as words name the relations that they name least
        well (``Query.score``). It was never held against right and wrong answers of a model, so it
        is no probability: it only says when to ask somebody dearer, and stands in no answer.
        """
        if self._links is None or not self._chosen:
            return 0.0
        return self._links.likeness * (1 + min(query.score for query in self._chosen)) / 2

    def doubt(self) -> str:
        """Return why its answer may not be what was asked; see ``cascade.Doubts``."""
        likely = self.likelihood()
        if likely >= self._sure:
            return ""
        return (
            f"Names and relations agree with the question's words to {likely:.2f} only, and"
            f" {self._sure:.2f} is wanted."
        )

    # -- states ---------------------------------------------------------------------------------

    def _evaluate_local(self, turn: Turn) -> Decision:
        if self._qir is None and not self._lacking:
            return Decision(
                next_state=State.REMOTE_GRAPH_EXPLORATION,
                reason="the question has not been looked up",
            )
        reason = self._lacking or "what the chosen queries rest on stands"
        return Decision(next_state=State.PRODUCE_ANSWER, draft=self._draft(turn), reason=reason)

    def _explore_remote(self, turn: Turn) -> Decision:
        try:
            if self._links is None and (calls := self._link(turn)):
                return Decision(calls=calls, reason="names are linked")
            if self._chosen is None and not self._lacking:
                self._plan(turn)
        except (ProgramError, SourceError) as error:
            self._lacking = error.message
        if self._lacking or not self._chosen:
            return Decision(next_state=State.LOCAL_DATA_EVALUATION, reason=self._lacking)
        calls = self._reveal(turn)
        if calls:
            return Decision(calls=calls, reason="show the relations of the chosen queries")
        return Decision(
            next_state=State.REMOTE_DATA_EVALUATION,
            reason=f"{len(self._chosen)} of {len(self._offered)} candidate queries chosen",
        )

    def _evaluate_remote(self, turn: Turn) -> Decision:
        told = " | ".join("; ".join(query.told) for query in self._chosen or ())
        return Decision(
            next_state=State.LOCAL_GRAPH_UPDATE,
            reason=clean_text(f"fetch what this rests on: {told}", limit=300),
        )

    def _update(self, turn: Turn) -> Decision:
        assert self._qir is not None
        if self._ran is None and not turn.results:
            programs = [merged(self._chosen or (), self._qir.kind), *self._sides()]
            calls = tuple(ToolCall("run_program", {"steps": steps}) for steps in programs)
            return Decision(calls=calls, reason="run the queries")
        if turn.results:
            ran, *sides = turn.results
            self._beside = tuple(handle for one in sides for handle in one.output.handles)
            lacking, fits = lacking_in(ran, self._qir.kind, self._qir.expects)
            failed = next((told_failure(one) for one in sides if not one.ok), "")
            self._lacking = self._lacking or lacking or failed
            self._ran = ran if fits else None
        return Decision(
            next_state=State.LOCAL_DATA_EVALUATION, reason=self._lacking or "its triples are here"
        )

    def _answer(self, turn: Turn) -> Decision:
        return Decision(draft=self._draft(turn), reason="hand in the answer")

    def _sides(self) -> list[list[dict[str, Any]]]:
        """Return steps that find what named things are compared by, of each of them."""
        assert self._qir is not None and self._links is not None
        if not self._qir.is_contest:
            return []
        ids = [id_ for name in self._qir.among for id_ in self._links.vertices[name]]
        inner = (one for query in self._chosen or () for one in within(query))
        measures = dict.fromkeys(one.property for one in inner if isinstance(one, Most))
        return [[{"follow": [name], "from": ids}] for name in measures]

    # -- agents ---------------------------------------------------------------------------------

    def _link(self, turn: Turn) -> tuple[ToolCall, ...]:
        """Read the question and link its names; return calls that show what nothing has shown."""
        state = turn.state.value
        if self._qir is None:
            self._qir = self._reader.read(turn.question, self._agents, state, turn.cancel)
        if self._qir.is_beyond:
            self._lacking = "No triples can say what is asked."
            self._links = Links({}, {})
            return ()
        self._links = self._matcher.link(self._qir, self._agents, state, turn.cancel)
        self._note_unlinked(self._qir, self._links)
        calls = []
        for name, (found, ids) in self._shown(self._links).items():
            if found and all(id_ in turn.known for id_ in ids or [found[0].id]):
                continue
            text = name[:200]
            turn.names.note(text, found)
            calls.append(ToolCall("search_entities", {"text": text, "limit": _SEARCHED}))
        return tuple(calls)

    def _shown(self, links: Links) -> dict[str, tuple[tuple[SearchHit, ...], tuple[str, ...]]]:
        """Return by name what is to be seen: candidates, and the ids of what it is linked to."""
        view = self._matcher.view
        shown = {name: (hits, links.vertices.get(name, ())) for name, hits in links.hits.items()}
        for kind, ids in links.classes.items():
            hits = view.names((kind,)).get(kind, ())
            shown[kind] = (tuple(sorted(hits, key=lambda hit: hit.id not in ids)), ids)
            if not hits:
                label = view.label(ids[0])
                shown[label] = (view.search(label, _SEARCHED), ids)
        return shown

    def _note_unlinked(self, qir: Qir, links: Links) -> None:
        """Note what was not linked; a kind that only narrows what triples say is left out."""
        unread = tuple(pair for pair in qir.kinds if pair[1] in links.unlinked)
        names = [name for name in qir.names if name in links.unlinked]
        if not names and unread and qir.patterns:
            self._qir = replace(qir, kinds=tuple(one for one in qir.kinds if one not in unread))
            self._unread = f"{_quoted(kind for _, kind in unread)} is no class of the source."
        elif links.unlinked:
            self._lacking = f"Nothing that fits goes by the name {_quoted(links.unlinked)}."

    def _plan(self, turn: Turn) -> None:
        """Make candidate queries, and have those chosen that ask what the question asks."""
        assert self._qir is not None and self._links is not None
        generator = Generator(self._qir, self._links, self._matcher)
        self._offered = offered = generator.queries()
        if not offered:
            self._chosen = ()
            self._lacking = "There is no relation around what the question names."
            return

        def _read(raw: Mapping[str, Any]) -> tuple[tuple[Query, ...], bool]:
            numbers = raw.get("queries")
            if not isinstance(numbers, list) or len(numbers) > _MOST_CHOSEN:
                raise ModelReplyError(f"queries must be a list of at most {_MOST_CHOSEN} numbers.")
            if not all(type(one) is int and 1 <= one <= len(offered) for one in numbers):
                raise ModelReplyError(f"queries must be numbers from 1 to {len(offered)}.")
            chosen = tuple(offered[one - 1] for one in dict.fromkeys(numbers))
            return chosen, raw.get("sure") is not False

        told = {str(n): generator.told(query) for n, query in enumerate(offered, 1)}
        asked = {"question": turn.question, "queries": told}
        self._chosen, sure = self._agents.ask(
            _PLANNING, asked, _read, state=turn.state.value, cancel=turn.cancel
        )
        if not self._chosen:
            self._lacking = (
                "No relation around what the question names asks what the question asks."
            )
        elif not sure:
            self._lacking = "The model is not sure that these queries ask what the question asks."

    # -- know before use ------------------------------------------------------------------------

    def _reveal(self, turn: Turn) -> tuple[ToolCall, ...]:
        """Return calls that show the relations of the chosen queries, first those around names."""
        assert self._links is not None
        needed = dict.fromkeys(edge[0] for query in self._chosen or () for edge in query.edges)
        for query in self._chosen or ():
            for one in within(query):
                if isinstance(one, (Kind, OfKind)):
                    needed.update(dict.fromkeys(one.via))
        hidden = [id_ for id_ in needed if id_ not in turn.known]
        if not hidden or self._revealed >= 2:
            return ()
        self._revealed += 1
        ids = [id_ for ids in self._links.vertices.values() for id_ in ids if id_ in turn.known]
        if self._revealed == 1 and ids:
            return (ToolCall("get_relation", {"entities": ids}),)
        names = self._matcher.view.properties(hidden)
        return tuple(
            ToolCall("search_entities", {"text": names[id_].name[:200], "kind": "property"})
            for id_ in hidden
        )

    # -- the answer -----------------------------------------------------------------------------

    def _draft(self, turn: Turn) -> AnswerDraft:
        suggestions = self._suggestions()
        if self._qir is None or not self._chosen or self._ran is None or not self._ran.ok:
            why = self._lacking or "The question was not looked up to the end."
            return AnswerDraft(AnswerStatus.UNKNOWN, missing=(why,), suggestions=suggestions)
        kind = self._qir.kind
        written = {"kind": _KINDS[kind], "steps": merged(self._chosen, kind)}
        try:
            draft = read_answer(written, turn)
        except RoboDataError as error:
            _log.info("what was chosen cannot be handed in: %s", error)
            return AnswerDraft(AnswerStatus.UNKNOWN, missing=(error.message,))
        # What it is held against is not for the model to say.
        english = self._qir.language in ("", "en") or self._matcher.speaks(turn.question)
        missing = tuple(text for text in (self._lacking, self._unread) if text)
        status = AnswerStatus.PARTIAL if missing else draft.status
        return replace(
            draft,
            status=status,
            beside=self._beside,
            asserted=english,
            missing=missing,
            comment=said_in(self._qir, self._ran, self._matcher.view.source),
            notes=() if english else (FOREIGN,),
        )

    def _suggestions(self) -> tuple[SearchHit, ...]:
        if self._links is None:
            return ()
        hits = [hit for name in self._links.unlinked for hit in self._links.hits.get(name, ())]
        return tuple(hits[:_SUGGESTED])


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"“{clean_text(name, limit=80)}”" for name in names)


class Pipeline:
    """Makes a policy for each run; what they share is read once, when the first begins.

    Args:
        settings: Name the model and its prices.
        source: What questions are about.
        client: Completes conversations; shared by all runs.

    Attributes:
        reader: Reads questions, in conversations before their runs begin.
    """

    def __init__(self, settings: Settings, source: KnowledgeSource, client: ModelClient) -> None:
        prices = Prices({name: Price(*pair) for name, pair in settings.prices.items()})
        model = Roles(settings.model, **settings.models).model("chat")
        self._client, self._model, self._prices = client, model, prices
        self._source = source
        self._sure = settings.sure
        self._language = settings.language
        self._matcher: Matcher | None = None
        self.reader = Reader(self._agents())

    def policy(self) -> ChatPolicy:
        """Return a policy for one run."""
        if self._matcher is None:
            self._matcher = Matcher(Understanding(self._source), self._language)
        return ChatPolicy(self._agents(), self.reader, self._matcher, self._sure)

    def _agents(self) -> Agents:
        return Agents(self._client, self._model, self._prices)
