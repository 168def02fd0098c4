"""Asking the items of a data set, one after the other, and marking the answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.dialogue import Conversation
from robodata_core.errors import RoboDataError
from robodata_core.evaluation.datasets import (
    GoldDialogue,
    GoldItem,
    GoldQuestion,
    GoldTriple,
    keys_of,
)
from robodata_core.evaluation.metrics import marks
from robodata_core.evaluation.results import Row
from robodata_core.evaluation.stages import Trail, stage_of
from robodata_core.model import Answer, AnswerStatus, Claim, EntityValue, Triple, TruthKind
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store.graph import LocalGraph
from robodata_core.verification.verdict import Judgement, Verdict

_SHOWN: Final = 100
_OVER: Final = "no answer within {:g} s"


class Asker:
    """Asks with one opened RoboData; every question or dialogue has a local graph of its own.

    Args:
        settings: Settings by name.
        config: Settings file.
        timeout: Seconds a question may take.
        turns_alone: Whether the turns of a dialogue are asked each by itself.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        config: str | None,
        timeout: float,
        turns_alone: bool = False,
    ) -> None:
        given = {name: value for name, value in settings.items() if name != "store"}
        self._robodata = RoboData.open(config, **given)
        budget = self._robodata.settings.time_budget
        self._timeout = timeout if budget is None else min(timeout, budget)
        self._turns_alone = turns_alone

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._robodata.close()

    def ask(self, item: GoldItem, place: int) -> tuple[Row, ...]:
        """Ask one item; whatever goes wrong becomes a row, never an exception.

        Raises:
            KeyboardInterrupt: If somebody stops it.
        """
        if isinstance(item, GoldDialogue):
            if self._turns_alone:
                return tuple(self._question(turn, place, "dialogues") for turn in item.turns)
            return self._dialogue(item, place)
        if isinstance(item, GoldQuestion):
            return (self._question(item, place, "questions"),)
        return (self._triple(item, place),)

    def _fresh(self) -> None:
        self._robodata.store.close()
        self._robodata.store = LocalGraph.in_memory()

    def _triple(self, item: GoldTriple, place: int) -> Row:
        """Judge a triple that is kept out of sight; a decision is always made."""
        started = time.perf_counter()
        try:
            self._fresh()
            token = CancelToken(self._timeout)
            verdict = self._robodata.verify(
                item.subject,
                item.predicate,
                item.object,
                decide=True,
                without_itself=True,
                cancel=token,
            )
            seconds = time.perf_counter() - started
            if token.cancelled:
                raise KeyboardInterrupt  # as in a question
            if verdict.status is AnswerStatus.FAILED:
                why = self._robodata.failure or verdict.explanation
                return failed(item, place, _said(why), seconds)[0]
            if token.remaining == 0 and verdict.judgement is Judgement.UNKNOWN:
                return failed(item, place, _OVER.format(self._timeout), seconds)[0]
            return _verdict_row(item, place, verdict, seconds, self._robodata.source)
        except Exception as error:  # one triple must never end a run of thousands
            return failed(item, place, _said(error), time.perf_counter() - started)[0]

    def _dialogue(self, dialogue: GoldDialogue, place: int) -> tuple[Row, ...]:
        """Ask the turns one after the other in one conversation; a failed one ends nothing."""
        self._fresh()
        conversation = self._robodata.conversation()
        return tuple(
            self._question(turn, place, "dialogues", conversation) for turn in dialogue.turns
        )

    def _question(
        self,
        question: GoldQuestion,
        place: int,
        task: str,
        conversation: Conversation | None = None,
    ) -> Row:
        started = time.perf_counter()
        trail = Trail()
        try:
            if conversation is None:
                self._fresh()
            token = CancelToken(self._timeout)
            asked = conversation or self._robodata
            answer = asked.ask(question.text, on_event=trail.see, cancel=token)
            seconds = time.perf_counter() - started
            if token.cancelled:
                # The run has swallowed it, to keep what it gathered; an answer that was made
                # already does not say so.
                raise KeyboardInterrupt
            if token.remaining == 0 and not answer.results:
                return _failure(question, place, _OVER.format(self._timeout), seconds, task)
            if answer.status is AnswerStatus.FAILED:
                why = self._robodata.failure or "; ".join(answer.missing) or answer.text
                return _failure(question, place, _said(why), seconds, task)
            return _answer_row(question, place, task, answer, seconds, trail, self._robodata.source)
        except Exception as error:  # one question must never end a run of thousands
            return _failure(question, place, _said(error), time.perf_counter() - started, task)


def _said(why: BaseException | str) -> str:
    return str(why) if isinstance(why, (str, RoboDataError)) else repr(why)


def failed(item: GoldItem, place: int, problem: str, seconds: float) -> tuple[Row, ...]:
    """Return the rows of an item that could not be asked to its end."""
    if isinstance(item, GoldDialogue):
        return tuple(_failure(turn, place, problem, seconds, "dialogues") for turn in item.turns)
    if isinstance(item, GoldQuestion):
        return (_failure(item, place, problem, seconds, "questions"),)
    question = _as_question(item, f"{item.subject} {item.predicate} {item.object}")
    return (_failure(question, place, problem, seconds, "triples"),)


def _as_question(item: GoldTriple, words: str) -> GoldQuestion:
    return GoldQuestion(item.id, words, frozenset({str(item.holds).lower()}), item.kind)


def _row(
    question: GoldQuestion, place: int, task: str, seconds: float, found: Sequence[str], **more: Any
) -> Row:
    """Return a row with what every item has, and ``more``."""
    return Row(
        id=question.id,
        question=question.text,
        kind=question.kind,
        found=tuple(found[:_SHOWN]),
        gold=tuple(sorted(question.gold))[:_SHOWN],
        seconds=round(seconds, 4),
        place=place,
        hops=question.hops,
        task=task,
        expected=len(question.gold),
        **more,
    )


def _failure(question: GoldQuestion, place: int, problem: str, seconds: float, task: str) -> Row:
    return _row(question, place, task, seconds, (), status="error", stage="error", error=problem)


def _answer_row(
    question: GoldQuestion,
    place: int,
    task: str,
    answer: Answer,
    seconds: float,
    trail: Trail,
    source: KnowledgeSource,
) -> Row:
    given = answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
    results = answer.results if given else ()
    worth = marks([keys_of(item) for item in results], question.gold)
    shown = [item.label or str(getattr(item.value, "id", item.value)) for item in results]
    # What is absent has no triples to be looked up again.
    absent = TruthKind.ABSENT
    claims = [claim for claim in answer.claims if claim.kind is not absent] if given else []
    return _row(
        question,
        place,
        task,
        seconds,
        shown,
        status=answer.status.value,
        **_support([claim for claim in claims if claim.supported], source),
        turns=answer.statistics.turns,
        tokens=answer.statistics.tokens.prompt + answer.statistics.tokens.completion,
        stage="" if worth.exact else stage_of(question, answer, worth.f1, trail, source),
        program=answer.program,
        **asdict(worth),
    )


def _verdict_row(
    item: GoldTriple, place: int, verdict: Verdict, seconds: float, source: KnowledgeSource
) -> Row:
    """Return a verdict as a row; ``partial`` is one that was made only because it had to be."""
    words = f"{verdict.subject_label} {verdict.predicate_label} {verdict.object_label}"
    question = _as_question(item, words)
    said = {Judgement.SUPPORTED: "true", Judgement.REFUTED: "false"}.get(verdict.judgement)
    found = [said] if said else []
    worth = marks([{one} for one in found], question.gold)
    status = "partial" if verdict.forced else "answered"
    return _row(
        question,
        place,
        "triples",
        seconds,
        found,
        status=status if said else "unknown",
        **_support((*verdict.evidence, *verdict.against), source),
        turns=verdict.statistics.turns,
        stage="" if worth.exact else "verdict",
        program=verdict.explanation,
        **asdict(worth),
    )


def _support(claims: Sequence[Claim], source: KnowledgeSource) -> dict[str, int]:
    """Count claims, and those whose every triple the source holds."""
    holds = _Holds(source)
    supported = sum(holds.all_of([one.triple for one in c.support.evidence]) for c in claims)
    return {"claims": len(claims), "supported": supported}


class _Holds:
    """Looks triples up in the source again, past the local graph and whatever made the claim."""

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source
        self._values: dict[tuple[str, str], list[Any]] = {}

    def all_of(self, triples: Sequence[Triple]) -> bool:
        """Tell whether there are triples at all, and each stands in the source."""
        return bool(triples) and all(self._holds(triple) for triple in triples)

    def _holds(self, triple: Triple) -> bool:
        key = (triple.subject, triple.predicate)
        if key not in self._values:
            page = self._source.statements(
                triple.subject, property=triple.predicate, limit=10_000, all_ranks=True
            )
            self._values[key] = [statement.value for statement in page.statements]
        return any(_same(value, triple.object) for value in self._values[key])


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, EntityValue) or isinstance(other, EntityValue):
        return bool(one == other)
    return bool(one == other) or repr(one) == repr(other)
