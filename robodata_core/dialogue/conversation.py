"""The front door: a conversation over one opened RoboData.

A question is understood in the light of the turns before (``rewriting``, or ``rephraser`` where
there is a model), checked, and then asked like any other. Replies about the last answer and small
talk are given without a run. The history is bounded and forgotten by ``reset``; the local graph is
RoboData's and stays.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from robodata_core.cancellation import CancelToken
from robodata_core.dialogue.anaphora import pointing
from robodata_core.dialogue.assertions import bound, checked
from robodata_core.dialogue.elided import sought
from robodata_core.dialogue.history import DialogueTurn, Heard, History, described_in, members_of
from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import name_of, set_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.dialogue.replies import asked_back, reply_to
from robodata_core.dialogue.rewriting import (
    Alone,
    Outcome,
    Rewriter,
    Said,
    Unclear,
    Whole,
)
from robodata_core.errors import CancelledError, DeadlineExceededError
from robodata_core.events import ModelCall, Rewriting, RunEvent
from robodata_core.killable import run_killable
from robodata_core.model import Answer, AnswerStatus, EntityValue
from robodata_core.policy.llm.asides import MOST_TURNS, PastTurn
from robodata_core.question import clean_question

if TYPE_CHECKING:
    from robodata_core.dialogue.means import HasMeans, Means

__all__ = ["Conversation"]

_MARKS: Final = re.compile(r" ?\[[cN]\d+\]")
_GROUP: Final = re.compile(r"\((S\d+)\)")
_BARE: Final = re.compile(r"\((https?://[^\s<>()]+)\)")
_FEW: Final = 4
_MOST_MEMBERS: Final = 200


class Conversation:
    """Questions that may point back to earlier ones. Made by ``RoboData.conversation``.

    ``ask`` may be called from any thread; questions on one RoboData take turns.

    Args:
        means: What of RoboData is used.
        most_turns: Turns that are remembered.
    """

    def __init__(self, means: Means, *, most_turns: int = 50) -> None:
        self._means = means
        self._history = History(most_turns)

    @property
    def turns(self) -> tuple[DialogueTurn, ...]:
        """What was said and is remembered, oldest first."""
        return self._history.turns

    def reset(self) -> None:
        """Forget what was said; the facts in the local graph stay."""
        with self._means.turn(CancelToken()):
            self._history.clear()

    def move_to(self, robodata: HasMeans) -> None:
        """Go on over another opened RoboData, of at least the same sources, with what was said."""
        self._means = robodata._means()

    def ask(
        self,
        question: str,
        *,
        on_event: Callable[[RunEvent], None] | None = None,
        cancel: CancelToken | None = None,
        time_budget: float | None = None,
    ) -> Answer:
        """Answer ``question`` in the light of the turns before it.

        Args:
            question: Natural language, at most ``settings.max_question`` characters.
            on_event: Called with every event, in order, in this thread.
            cancel: Stops it from another thread; its deadline counts as well.
            time_budget: Seconds it may take, instead of ``settings.time_budget``; not used when
                ``cancel`` is given.

        Returns:
            The answer. ``understood_as`` is the question that was asked in its place, where it
            did not stand alone. What may mean several things is asked back, as ``unknown``.

        Raises:
            InvalidRequestError: If the question is empty or too long.
        """
        settings = self._means.settings
        text = clean_question(question, settings.max_question)
        budget = time_budget if time_budget is not None else settings.time_budget
        token = cancel or CancelToken(budget)
        with self._means.turn(token), token.active():
            return self._ask(text, on_event, token)

    # -- one turn -----------------------------------------------------------------------------

    def _ask(
        self, text: str, on_event: Callable[[RunEvent], None] | None, token: CancelToken
    ) -> Answer:
        started = time.monotonic()
        knowledge = self._means.knowledge(token)
        outcome: Outcome
        try:
            outcome, by, calls = run_killable(
                lambda: self._understood(text, knowledge, token), token, "robodata-dialogue"
            )
        except (CancelledError, DeadlineExceededError):  # the run will say so
            outcome, by, calls = Alone(), "rules", ()
        told = Rewriting(text, by=by, model_calls=calls)
        if isinstance(outcome, Said):
            reply = reply_to(outcome, text, self._history.last, knowledge)
            if reply is not None:
                return self._replied(text, reply, told, on_event)
            outcome = _as_typed(text, knowledge)
        if isinstance(outcome, Unclear):
            self._history.choice = outcome.choice
            reply = asked_back(outcome, text, self._history.last is not None)
            # Whoever was named in vain is spoken of all the same.
            return self._replied(text, reply, told, on_event, knowledge.read(text))
        told = replace(told, seconds=time.monotonic() - started)
        if isinstance(outcome, Alone):
            told = replace(told, note=outcome.note)
            whole = Whole(text, ())
        else:
            whole = outcome
            told = replace(told, understood_as=whole.text, reasons=whole.reasons)
        answer = self._means.run(whole.text, on_event, token, told)
        self._remember(text, whole, answer, knowledge, token)
        return answer

    def _replied(
        self,
        text: str,
        reply: Answer,
        told: Rewriting,
        on_event: Callable[[RunEvent], None] | None,
        read: Read | None = None,
    ) -> Answer:
        answer = self._means.reply(reply, told, on_event)
        turn = DialogueTurn(text, text, answer, ran=False)
        self._history.add(turn, Heard(turn, read, ()) if read and read.proper() else None)
        return answer

    def _understood(
        self, text: str, knowledge: Knowledge, token: CancelToken
    ) -> tuple[Outcome, str, tuple[ModelCall, ...]]:
        """Return what a question is, who found out, and what a model was asked for it."""
        outcome = self._by_rules(text, knowledge)
        rephraser = self._means.rephraser
        if rephraser is None or isinstance(outcome, Said) or self._history.last is None:
            return outcome, "rules", ()
        past, groups = self._past(knowledge)
        said, call = rephraser.rephrase(text, past, token)
        calls = (call,) if call is not None else ()
        if said is None:
            return outcome, "rules", calls
        if not said.depends or _same(said.question, text):
            # What the model does not see to depend on anything may still hold a pronoun.
            points = pointing(knowledge.read(text))
            return (outcome, "rules", calls) if points else (Alone(), "model", calls)
        written = _BARE.sub(r"(<\1>)", said.question)
        written = _GROUP.sub(lambda m: f"({groups.get(m[1], m[1])})", written)
        whole = bound(written, self._history, knowledge)
        checked_whole = self._checked(whole, text, knowledge)
        if isinstance(checked_whole, Whole):
            return checked_whole, "model", calls
        return outcome, "rules", calls

    def _past(self, knowledge: Knowledge) -> tuple[tuple[PastTurn, ...], dict[str, str]]:
        """Return the turns as a model is told of them, and the ids that names of sets stand for."""
        turns: list[PastTurn] = []
        groups: dict[str, str] = {}
        for heard in reversed(tuple(islice(self._history.back(), MOST_TURNS))):
            members, group = heard.members[:_MOST_MEMBERS], ""
            if len(members) > _FEW:
                group = f"S{len(groups) + 1}"
                groups[group] = set_of(members).partition("(")[2].rstrip(")")
            question = heard.turn.standalone
            for name, ids in groups.items():
                question = question.replace(f"({ids})", f"({name})")
            others = [id_ for id_ in (*heard.topics, *heard.shown) if id_ not in members]
            answer = heard.turn.answer
            turns.append(
                PastTurn(
                    question,
                    tuple(name_of(id_, knowledge) for id_ in members),
                    group,
                    tuple(name_of(id_, knowledge) for id_ in dict.fromkeys(others)),
                    "" if any(item.id for item in answer.results) else _MARKS.sub("", answer.text),
                )
            )
        return tuple(turns), groups

    def _by_rules(self, text: str, knowledge: Knowledge) -> Outcome:
        try:
            outcome = Rewriter(self._history, knowledge).understand(text)
            if isinstance(outcome, Whole):
                return self._checked(outcome, text, knowledge)
        except (CancelledError, DeadlineExceededError):
            return Alone()  # the run that follows ends by the same token, and says so
        return outcome

    def _checked(self, whole: Whole, text: str, knowledge: Knowledge) -> Whole | Alone | Unclear:
        """Return a rewriting if it may be asked; else the question as it stands, with a note."""
        if _same(whole.text, text):
            return Alone()
        problem = checked(whole, text, self._history, knowledge)
        if problem:
            note = f"Asked as typed: what it points back to was not understood ({problem})."
            return _as_typed(text, knowledge, note)
        return whole

    def _remember(
        self, text: str, whole: Whole, answer: Answer, knowledge: Knowledge, token: CancelToken
    ) -> None:
        turn = DialogueTurn(text, whole.text, answer)
        if answer.status is AnswerStatus.CANCELLED:
            self._history.add(turn)
            return
        evidence = [e for c in answer.claims if c.supported for e in c.support.evidence]
        used = {e.triple.subject for e in evidence}
        used |= {e.triple.object.id for e in evidence if isinstance(e.triple.object, EntityValue)}
        try:
            read = run_killable(
                lambda: knowledge.settled(knowledge.read(whole.text), frozenset(used)),
                token,
                "robodata-dialogue",
            )
        except (CancelledError, DeadlineExceededError):
            self._history.add(turn)
            return
        self._history.genders |= whole.genders
        self._history.labels |= {item.id: item.label for item in answer.results if item.id}
        heard = Heard(turn, read, (), whole.pointed)
        named = frozenset(id_ for name in read.names if not name.whole for id_ in name.ids)
        members = members_of(answer, named)
        missed = sought(read) if answer.status is AnswerStatus.UNKNOWN else None
        heard = replace(
            heard,
            members=members or ((missed,) if missed else ()),
            described=described_in(answer, named),
        )
        self._history.add(turn, heard)


def _as_typed(text: str, knowledge: Knowledge, note: str = "") -> Alone | Unclear:
    """Ask a question as it stands; say what was not understood where it points back."""
    words = pointing(knowledge.read(text))
    return Unclear(words[0].text) if words else Alone(note)


def _same(one: str, other: str) -> bool:
    return one.strip(" ?!.").casefold() == other.strip(" ?!.").casefold()
