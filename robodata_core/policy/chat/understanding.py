"""Classifier, rephraser and QIR agent in one call: what a question asks, history included.

In a conversation the question is read before its run begins, because what it points back to has
to be known first; the triples of that call wait for the run, so that it costs no second one.
Source: Chatty-KG paper, algorithm 1.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ModelReplyError, PolicyError
from robodata_core.events import ModelCall
from robodata_core.language.lexicon import open_lexicon
from robodata_core.policy.chat.agents import Agent, Agents
from robodata_core.policy.chat.question import HISTORY_SCHEMA, QIR_SCHEMA, Qir, read_qir
from robodata_core.policy.llm.asides import PastTurn, Rephrased, told_of
from robodata_core.text import clean_text

__all__ = ["Reader"]

_log = logging.getLogger("robodata.chat")
_ALONE: Final = Agent("question", ("chat_question",), QIR_SCHEMA, reply_tokens=500)
_IN_HISTORY: Final = Agent(
    "conversation", ("chat_question", "chat_history"), HISTORY_SCHEMA, reply_tokens=700
)
_IN_BRACKETS: Final = re.compile(r"\([^()]*\)")
_GROUP: Final = re.compile(r"\(S\d+\)")
_LONGEST: Final = 6_000


@dataclass(slots=True)
class Reader:
    """Reads questions; one serves all runs of an opened RoboData.

    Attributes:
        agents: Asks the model.
    """

    agents: Agents
    _waiting: Qir | None = None
    _before: tuple[ModelCall, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _kinds: frozenset[str] = field(
        default_factory=lambda: frozenset(open_lexicon("en").role("type"))
    )

    def read(self, question: str, agents: Agents, state: str, cancel: CancelToken | None) -> Qir:
        """Return what a question that stands alone asks.

        Args:
            question: The question.
            agents: Those of the run, which keep what it takes.
            state: The state of the run, for the ledger.
            cancel: Ends the wait.

        Raises:
            ModelReplyError: If the model gives no triples that can be used.
            PolicyError: If it fails otherwise.
        """
        known = self._taken(question, agents)
        if known is not None:
            return known

        def _read(raw: Mapping[str, Any]) -> Qir:
            return read_qir(raw, question, self._kinds)

        return agents.ask(_ALONE, {"question": question}, _read, state=state, cancel=cancel)

    def rephrase(
        self, question: str, history: Sequence[PastTurn], cancel: CancelToken | None = None
    ) -> tuple[Rephrased | None, ModelCall | None]:
        """Return a question said anew in the light of a history, and what that took.

        Its triples are kept for the run that follows, which tells of all calls but the first. None
        for a model that says nothing usable, however often it is asked.
        """
        agents = replace(self.agents, _calls=[])
        told = {"history": told_of(history), "question": question}

        def _read(raw: Mapping[str, Any]) -> tuple[Rephrased, Qir | None]:
            depends, said = raw.get("depends"), raw.get("question")
            if depends is False and not isinstance(said, str):
                said = question
            if not isinstance(depends, bool) or not isinstance(said, str) or not said.strip():
                raise ModelReplyError("depends or question is missing.")
            alone = " ".join(clean_text(said, limit=_LONGEST).split()) if depends else question
            try:
                qir: Qir | None = read_qir(raw, alone, self._kinds)
            except ModelReplyError as error:
                _log.info("the triples are asked for again: %s", error)
                qir = None
            return Rephrased(depends, alone), qir

        try:
            rephrased, qir = agents.ask(_IN_HISTORY, told, _read, cancel=cancel)
        except PolicyError as error:
            _log.warning("the question is understood by rules: %s", error)
            rephrased, qir = None, None
        calls = agents.taken()
        with self._lock:
            self._waiting, self._before = qir, calls
        return rephrased, next(iter(calls), None)

    def _taken(self, question: str, agents: Agents) -> Qir | None:
        """Return the triples that wait for a question, once; none where it is another one.

        What making them took counts for the agents of its run.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, None
            before, self._before = self._before, ()
        agents.go_on_from(before, told=1)
        if waiting is None or _plain(waiting.question) != _plain(question):
            return None
        sets = {name: _spelled_out(name, question) for name in waiting.names if _GROUP.search(name)}
        if not all(sets.values()):
            return None
        return waiting.renamed({**sets, waiting.question: question})


def _spelled_out(name: str, question: str) -> str:
    """Return the name of a set with the ids that a question has in the place of its short name."""
    called = _GROUP.sub("", name).strip()
    found = re.search(re.escape(called) + r"\s*(\([^()]*\))", question) if called else None
    return f"{called} {found[1]}" if found else ""


def _plain(question: str) -> str:
    """Return a question without ids, which the conversation may write in another way."""
    return " ".join(_IN_BRACKETS.sub(" ", question).casefold().split()).rstrip(" ?.!")
