"""What comes back from a robodata node, as typed values of the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from robodata_core.errors import InvalidRequestError
from robodata_core.model import Answer, Claim
from robodata_ros import convert
from robodata_ros.codes import Code

__all__ = [
    "KnownFact",
    "Progress",
    "Reply",
    "Verdicts",
    "known_facts",
    "progress_of",
    "reply_of",
    "verdicts_of",
]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a question.

    Attributes:
        code: ``Code.NONE`` if a run ended on its own, whether or not it found something.
        problem: One sentence if it did not.
        answer: The answer; after a cancel or a timeout what was found until then, or None.
    """

    code: Code
    problem: str = ""
    answer: Answer | None = None

    @property
    def ok(self) -> bool:
        """Whether there is an answer, even one that says "I do not know"."""
        return self.code is Code.NONE


@dataclass(frozen=True, slots=True)
class Progress:
    """What a goal's node reports on the way; see ``AnswerQuestion.action``."""

    state: str
    message: str
    turn: int
    max_turns: int
    elapsed: float
    tool: str
    nodes: int
    edges: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What came back for triples: one claim each, in order, and whether it was found."""

    code: Code
    problem: str = ""
    claims: tuple[Claim, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether all triples were checked."""
        return self.code is Code.NONE


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact about an object.

    Attributes:
        id: Stable id.
        object_id: The object.
        class_id: Its class, as the detector calls it.
        predicate: Id of the relation (``P276``), or empty where nothing is known.
        value: Label of the value.
        claim: The fact with its support; not supported where nothing is known.
        near: Names that come close to the class, where nothing is known under its own.
    """

    id: str
    object_id: str
    class_id: str
    predicate: str
    value: str
    claim: Claim
    near: tuple[str, ...] = ()


def _code(number: int) -> Code:
    try:
        return Code(number)
    except ValueError:
        return Code.UNKNOWN


def reply_of(message: Any) -> Reply:
    """Return what a service response or an action result says."""
    code = _code(message.error_code)
    has_answer = bool(message.answer.trace_id or message.answer.question)
    try:
        answer = convert.answer_from_msg(message.answer) if has_answer else None
    except InvalidRequestError as error:
        return Reply(Code.UNKNOWN, f"The node's answer cannot be read: {error}")
    return Reply(code, message.error_msg, answer)


def verdicts_of(message: Any) -> Verdicts:
    """Return what a verification response says."""
    try:
        claims = tuple(convert.claim_from_msg(claim) for claim in message.claims)
    except InvalidRequestError as error:
        return Verdicts(Code.UNKNOWN, f"The node's answer cannot be read: {error}")
    return Verdicts(_code(message.error_code), message.error_msg, claims)


def progress_of(feedback: Any) -> Progress:
    """Return what feedback says."""
    return Progress(
        state=feedback.state,
        message=feedback.message,
        turn=feedback.turn,
        max_turns=feedback.max_turns,
        elapsed=convert.duration_to_seconds(feedback.elapsed),
        tool=feedback.tool,
        nodes=feedback.nodes,
        edges=feedback.edges,
        claims=_claims(feedback.claims),
    )


def _claims(messages: Iterable[Any]) -> tuple[Claim, ...]:
    """Return the claims of a report; one that cannot be read is left out, the answer has it."""
    claims = []
    for message in messages:
        with suppress(InvalidRequestError):
            claims.append(convert.claim_from_msg(message))
    return tuple(claims)


def known_facts(facts: Iterable[Any]) -> Iterator[KnownFact]:
    """Yield the facts of messages; what cannot be read is left out."""
    for fact in facts:
        with suppress(InvalidRequestError):
            yield _known_fact(fact)


def _known_fact(fact: Any) -> KnownFact:
    triple = fact.claim.triple
    known = bool(triple.predicate.value)
    return KnownFact(
        id=fact.id,
        object_id=fact.object_id,
        class_id=fact.class_id,
        predicate=convert.id_from_msg(triple.predicate.value) if known else "",
        value=triple.object.label or triple.object.value,
        claim=convert.claim_from_msg(fact.claim),
        near=tuple(near.entity.label for near in fact.near_matches),
    )
