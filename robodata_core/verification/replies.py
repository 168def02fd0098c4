"""What a model says in an investigation: a plan, a step, a judgement. Checked, never guessed.

JSON is found and calls are read by ``policy.llm.replies``; here is what the objects must hold. What
does not fit is a sentence for the model.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, Final

from robodata_core.policy.llm.completion import Completion
from robodata_core.policy.llm.replies import objects_in, read_reply
from robodata_core.text import clean_text
from robodata_core.tools.base import ToolCall
from robodata_core.verification.verdict import Judgement

__all__ = ["JUDGEMENT_SCHEMA", "PLAN_SCHEMA", "Judged", "Plan", "Stepping", "read_judgement",
           "read_plan", "read_step", "step_schema"]  # fmt: skip

_SAID: Final = 600
_MOST_STEPS: Final = 10
_MOST_CITED: Final = 20
_IMPRESSIONS: Final = ("correct", "incorrect")
_ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "verdict": {"enum": [one.value for one in Judgement]},
        "probability": {"type": "number"},
        "for": {"type": "array", "items": {"type": "string"}},
        "against": {"type": "array", "items": {"type": "string"}},
        "because": {"type": "string"},
    },
    "required": ["verdict", "probability", "for", "against", "because"],
}
PLAN_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "impression": {"enum": list(_IMPRESSIONS)},
        "because": {"type": "string"},
        "plan": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["impression", "because", "plan"],
}
JUDGEMENT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": _ANSWER},
    "required": ["answer"],
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A first impression and the steps to take."""

    impression: str
    because: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A model's judgement; what it cites was shown to it.

    Attributes:
        judgement: What it says of the triple.
        probability: How likely it says the triple is.
        cited_for: Handles that speak for the triple.
        cited_against: Handles that speak against it.
        because: Why, in its words.
    """

    judgement: Judgement
    probability: float
    cited_for: tuple[str, ...]
    cited_against: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Stepping:
    """A step: a call, or a judgement.

    Attributes:
        thought: Why, in the model's words.
        plan_step: Which step of the plan it carries out; 0 with a correction.
        correction: The steps that are left, where the plan is changed.
        call: The call, or None.
        judged: The judgement, or None.
    """

    thought: str
    plan_step: int = 0
    correction: tuple[str, ...] = ()
    call: ToolCall | None = None
    judged: Judged | None = None


def step_schema(tools: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON schema of a step.

    Args:
        tools: By name, the schemas of their arguments.
    """
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"enum": [name]}, "arguments": _bare(arguments)},
            "required": ["tool", "arguments"],
        }
        for name, arguments in tools.items()
    ]
    step = {
        "type": "object",
        "properties": {
            "thought": {"type": "string"},
            "plan_step": {"type": "integer"},
            "correction": {"type": "array", "items": {"type": "string"}},
            "calls": {"type": "array", "items": {"anyOf": calls}},
        },
        "required": ["thought", "calls"],
    }
    return {"anyOf": [step, JUDGEMENT_SCHEMA]}


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the words that the prompt's signatures say of it."""
    return {
        key: {name: _bare(one) for name, one in value.items()} if key == "properties" else value
        for key, value in schema.items()
        if key not in ("description", "title")
    }


def read_plan(completion: Completion) -> Plan | str:
    """Return a plan, or what is wrong with the reply."""
    found = next(objects_in(completion.text), None)
    if found is None:
        return "The reply holds no JSON object. Reply with the object described, and nothing else."
    impression = str(found.get("impression", "")).strip().lower()
    steps = _texts(found.get("plan"))
    if impression not in _IMPRESSIONS:
        return 'impression must be "correct" or "incorrect".'
    if not steps:
        return "plan must be a list of steps, each a sentence that names a tool."
    return Plan(impression, _said(found.get("because")), steps)


def read_step(completion: Completion, plan: Plan, shown: Container[str]) -> Stepping | str:
    """Return a step, or what is wrong with the reply.

    Args:
        completion: The reply.
        plan: What was planned.
        shown: Handles that may be cited.
    """
    reply = read_reply(completion)
    if reply.answer is not None:
        judged = _judged(reply.answer, shown)
        return judged if isinstance(judged, str) else Stepping("", judged=judged)
    if reply.problem or not reply.calls:
        return reply.problem or 'Reply with "calls" or with "answer".'
    if len(reply.calls) > 1:
        return "A step is one call; give the first one only."
    found = next(objects_in(completion.text), {})
    place, correction = _place(found.get("plan_step"), plan), _texts(found.get("correction"))
    if not place and not correction:
        return (
            f"Say which step of the plan this call carries out: plan_step is 1 to"
            f" {len(plan.steps)}; or give the steps that are left as correction."
        )
    place = 0 if correction else place
    return Stepping(_said(found.get("thought")), place, correction, reply.calls[0])


def _place(value: Any, plan: Plan) -> int:
    """Return a number of a step of the plan, or 0."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return int(value) if whole and 1 <= value <= len(plan.steps) else 0


def read_judgement(completion: Completion, shown: Container[str]) -> Judged | str:
    """Return a judgement, or what is wrong with the reply."""
    reply = read_reply(completion)
    if reply.answer is None:
        return 'No more tools can be called. Reply with one JSON object that holds "answer".'
    return _judged(reply.answer, shown)


def _judged(answer: Mapping[str, Any], shown: Container[str]) -> Judged | str:
    said = str(answer.get("verdict", "")).strip().lower()
    if said not in tuple(one.value for one in Judgement):
        return "verdict must be supported, refuted or unknown."
    judgement, probability = Judgement(said), answer.get("probability")
    if isinstance(probability, bool) or not isinstance(probability, (int, float)):
        return "probability must be a number from 0 to 1."
    if not math.isfinite(probability) or not 0 <= probability <= 1:
        return "probability must be a number from 0 to 1."
    cited_for, cited_against = _handles(answer.get("for")), _handles(answer.get("against"))
    unknown = [handle for handle in (*cited_for, *cited_against) if handle not in shown]
    if unknown:
        return f"Nothing with the handle {', '.join(unknown[:5])} was shown; cite what was."
    wrong = _contradiction(judgement, float(probability), cited_for, cited_against)
    because = _said(answer.get("because"))
    return wrong or Judged(judgement, float(probability), cited_for, cited_against, because)


def _contradiction(
    judgement: Judgement,
    probability: float,
    cited_for: tuple[str, ...],
    cited_against: tuple[str, ...],
) -> str:
    if judgement is Judgement.SUPPORTED:
        if probability < 0.5:
            return "supported does not go with a probability below 0.5."
        if not any(handle[0] in "ES" for handle in cited_for):
            return "supported needs at least one E or S in for; without evidence it is unknown."
    if judgement is Judgement.REFUTED:
        if probability > 0.5:
            return "refuted does not go with a probability above 0.5."
        if not cited_against:
            return "refuted needs at least one handle in against; without any it is unknown."
    return ""


def _handles(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    found = (str(item).strip().strip("[]").upper()[:20] for item in items[:_MOST_CITED])
    return tuple(dict.fromkeys(handle for handle in found if handle))


def _texts(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    found = (_said(item) for item in items[:_MOST_STEPS])
    return tuple(text for text in found if text)


def _said(value: Any) -> str:
    return clean_text(value, limit=_SAID).strip() if isinstance(value, str) else ""
