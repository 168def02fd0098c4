"""One learned decision: how probable rules or the learned model read a question rightly.

Everything that speaks for one of them or against it is a number by name, and what it counts is
learned from questions with known answers, some of which cannot be answered (docs/TRAINING.md).
No word of a language stands here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final, Protocol

from robodata_core.language import Understood
from robodata_core.language.ranking import Scorer, read_scorers, write_scorers
from robodata_core.model import Direction
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import ARTICLES, WH_WORDS
from robodata_core.programs.result import ProgramResult
from robodata_core.programs.steps import (
    FilterByConstraint,
    FilterByType,
    Follow,
    Program,
    Start,
    Step,
    Union,
)

__all__ = ["Decision", "Read", "is_of_one_relation", "left_of", "open_decision", "outcome",
           "result_form", "signals"]  # fmt: skip

_FORM: Final = "robodata-decision-1"
_PARTS: Final = ("rules", "learned")

#: Readings beside the best that may give what rules found.
_LOOKED_AT: Final = 4
#: Probability below which a reading speaks for nothing.
_LITTLE: Final = 0.02
_PLAIN: Final = (Start, Follow, FilterByType, FilterByConstraint, Union)


class Read(Protocol):
    """A learned reading with what it gives."""

    @property
    def reading(self) -> Understood:
        """The reading."""

    @property
    def result(self) -> ProgramResult:
        """What it gives."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What training found: the log-odds that what rules say is right, and what was learned.

    Attributes:
        rules: Of what rules found.
        learned: Of the best learned reading.
    """

    rules: Scorer
    learned: Scorer

    def chances(self, values: Mapping[str, float]) -> tuple[float, float]:
        """Return how probable it is that rules are right, and that the learned reading is.

        Args:
            values: ``signals``.
        """
        rules = 0.0 if "r_none" in values else self.rules.chance(values)
        learned = 0.0 if "l_none" in values else self.learned.chance(values)
        return rules, learned

    @classmethod
    def read(cls, path: Path) -> Decision:
        """Read a decision.

        Raises:
            ConfigurationError: If the file holds none.
        """
        return cls(*read_scorers(path, _FORM, _PARTS, "decision"))

    def write(self, path: Path) -> None:
        """Write the decision; the same one gives the same bytes."""
        write_scorers(path, _FORM, dict(zip(_PARTS, (self.rules, self.learned), strict=True)))


@lru_cache(maxsize=1)
def open_decision() -> Decision:
    """Return the decision that came with the package.

    Raises:
        ConfigurationError: If it cannot be read.
    """
    with as_file(files("robodata_core.language").joinpath("weights/decision.en.gz")) as path:
        return Decision.read(path)


def signals(plan: Plan, found: Sequence[Read]) -> dict[str, float]:
    """Return what tells whether rules, and whether the learned model, read a question rightly.

    Args:
        plan: What rules made of it, of one part or more.
        found: Learned readings, the likeliest first.

    Raises:
        SourceError: If the source fails.
        CancelledError: If the run is to end; DeadlineExceededError likewise.
    """
    part = plan.parts[0]
    values = {
        "r_parts": float(len(plan.parts) - 1),
        "r_sure": float(plan.sure),
        "r_failed": float(any(bool(one.failure) and not one.unread for one in plan.parts)),
        "r_unread": float(any(one.unread for one in plan.parts)),
        "r_back": float(any(one.request.back for one in plan.parts)),
        f"r_kind:{part.request.kind.name.lower()}": 1.0,
    }
    values |= _of_rules(plan, part)
    if found:
        values |= _of_learned(found)
        values |= _of_both(part, found)
        values |= _of_words(plan, part, found[0].reading)
    else:
        values["l_none"] = 1.0
    return {name: value for name, value in values.items() if value}


def is_plain(part: Part) -> bool:
    """Tell whether rules went along one relation at most, and only kept what fits."""
    candidate = part.best.candidate if part.best is not None else None
    if candidate is None or len(candidate.path) > 1:
        return False
    return all(isinstance(step, _PLAIN) for step in candidate.steps)


def is_of_one_relation(part: Part) -> bool:
    """Tell whether rules went along one relation and kept things of a kind at most."""
    if not is_plain(part) or part.best is None:
        return False
    candidate = part.best.candidate
    one = len(candidate.edges) == len(candidate.path) == 1
    return one and all(len(use.hop) <= 1 for use in candidate.edges)


def outcome(result: ProgramResult) -> object:
    """Return what a program came to, equal for equal outcomes."""
    if result.boolean is not None:
        return result.boolean
    return result.number if result.number is not None else frozenset(result.values)


def _of_rules(plan: Plan, part: Part) -> dict[str, float]:
    linking, candidate = part.linking, part.best.candidate if part.best else None
    values = {
        "r_mentions": float(len(linking.mentions)),
        "r_unlinked": float(len(linking.unlinked)),
        "r_notes": float(len(part.notes)),
        "r_missing": float(len(part.missing)),
        "r_composed": float(part.question is not None),
    }
    if candidate is None or part.best is None or part.result is None:
        return values | {"r_none": 1.0}
    chance = part.best.confidence
    values |= {
        "r_conf": chance,
        "r_logit": _logit(chance),
        "r_others": max((one.confidence for one in part.others), default=0.0),
        f"r_final:{candidate.final}": 1.0,
        "r_steps": float(len(candidate.steps)),
        "r_hops": float(len(candidate.path)),
        "r_constraints": float(len(candidate.edges) - len(candidate.path)),
        "r_plain": float(is_plain(part)),
        "r_weakest": min((use.strength for use in candidate.edges), default=1.0),
        "r_agreement": min((use.agreement for use in candidate.edges), default=1.0),
        "r_silent": float(sum(use.silent for use in candidate.edges)),
        "r_width": float(max((len(use.hop) for use in candidate.edges), default=0)),
        "r_link": min((link.quality for link in candidate.links), default=0.8),
        "r_relaxed": float(len(candidate.relaxed)),
        "r_typed": float(candidate.typed is True),
        "r_classes": float(not any(isinstance(step, Start) for step in candidate.steps)),
        "r_wide": float(part.result.truncated),
    }
    values |= _kinds("r", candidate.steps)
    return values | _left(plan, part, candidate) | _size("r", part.result)


def _left(plan: Plan, part: Part, candidate: Candidate) -> dict[str, float]:
    """Return how much of the question rules leave out."""
    if part.question is not None:
        return {}  # Its places are those of another question.
    content = content_of(plan.question.tokens, part.request)
    left = left_of(content, part, candidate)
    return {
        "r_left": sum(left.values()),
        "r_left_words": float(sum(weight >= 1.0 for weight in left.values())),
        "r_left_share": sum(left.values()) / (sum(content.values()) or 1.0),
    }


def left_of(content: Mapping[int, float], part: Part, candidate: Candidate) -> dict[int, float]:
    """Return the places of words that rules leave out, with what each weighs.

    Args:
        content: All words that carry meaning, by their places.
        part: What rules made of them.
        candidate: Its reading.
    """
    told = candidate.covered.union(*(mention.span for mention in part.linking.mentions))
    return {at: weight for at, weight in content.items() if at not in told}


def _of_learned(found: Sequence[Read]) -> dict[str, float]:
    best, result = found[0].reading, found[0].result
    chance = best.probability
    return {
        "l_chance": chance,
        "l_logit": _logit(chance),
        "l_second": found[1].reading.probability if len(found) > 1 else 0.0,
        "l_unexplained": float(len(best.unexplained)),
        "l_unread": float(len(best.unread)),
        "l_broader": float(len(best.broader)),
        "l_steps": float(len(best.program.steps)),
        "l_hops": float(sum(isinstance(step, Follow) for step in best.program.steps)),
        "l_classes": float(not any(isinstance(step, Start) for step in best.program.steps)),
        "l_mentions": float(len(best.mentions)),
        "l_wide": float(result.truncated),
        f"l_final:{result_form(result)}": 1.0,
        **_kinds("l", best.program.steps),
        **_size("l", result),
    }


def _of_both(part: Part, found: Sequence[Read]) -> dict[str, float]:
    best = found[0]
    asked = result_form(best.result)
    values = {
        "b_kind": float((asked in ("yes", "no")) == (part.request.kind is AnswerKind.YES_OR_NO))
    }
    if part.best is None or part.result is None:
        return values
    mine, its = outcome(part.result), outcome(best.result)
    likely = [one for one in found[:_LOOKED_AT] if one.reading.probability > _LITTLE]
    same = [one.reading.probability for one in likely if outcome(one.result) == mine]
    here = {name for use in part.best.candidate.edges for name, _ in use.hop}
    there = set(best.reading.program.along)
    values |= {
        "b_same": float(mine == its),
        "b_chance": max(same, default=0.0),
        "b_relations": len(here & there) / (len(here | there) or 1),
        "b_form": float(result_form(part.result) == asked),
        "b_turned": float(_turned(part.best.candidate, best.reading.program)),
    }
    if isinstance(mine, frozenset) and isinstance(its, frozenset) and mine and its:
        values["b_within"] = len(mine & its) / len(its)
        values["b_around"] = len(mine & its) / len(mine)
    named = {value for _, value in best.reading.mentions}
    taken = {id_ for link in part.best.candidate.links for id_ in link.ids}
    if named and taken:
        values["b_things"] = sum(getattr(one, "id", "") in taken for one in named) / len(named)
    return values


def _of_words(plan: Plan, part: Part, best: Understood) -> dict[str, float]:
    """Return how the learned reading stands to the words and names that rules see."""
    tokens, mentions = plan.question.tokens, part.linking.mentions
    left = set(best.unexplained)
    # "The artist X": who says what X is asks no more than X.
    starts = [mention.start for mention in mentions if mention.start > 1]
    idle = {tokens[at - 1].text for at in starts if tokens[at - 2].norm in ARTICLES}
    names = [at for m in mentions if m.proper for at in m.span]
    asked = tokens[mentions[0].start - 1].norm if mentions and mentions[0].start else ""
    leads = isinstance(best.program.steps[0], Start) and len(mentions) == 1
    focus = max(part.request.focus, default=-1)
    return {
        "l_left": float(len(left - idle)),
        "l_left_names": float(sum(tokens[at].text in left for at in names)),
        "l_left_mentions": float(
            sum(any(tokens[at].text in left for at in m.span) for m in mentions)
        ),
        # "Which diseases cause death" asks for diseases, not for those who had them.
        "l_leaves": float(leads and asked in WH_WORDS and focus in mentions[0].span),
    }


def _turned(one: Candidate, other: Program) -> bool:
    """Tell whether a program goes a relation of a candidate the other way round."""
    here = {hop for use in one.edges for hop in use.hop}
    there = {
        (name, step.direction)
        for step in other.steps
        if isinstance(step, Follow)
        for name in step.properties
    }
    back = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT}
    return any((name, back[way]) in there and (name, way) not in there for name, way in here)


def _kinds(whose: str, steps: Iterable[Step]) -> dict[str, float]:
    return {f"{whose}_step:{type(step).__name__}": 1.0 for step in steps}


def _size(whose: str, result: ProgramResult) -> dict[str, float]:
    if result.boolean is not None:
        return {f"{whose}_no": float(not result.boolean)}
    if result.number is not None:
        return {f"{whose}_zero": float(not result.number)}
    number = len(result.members)
    return {f"{whose}_size": math.log1p(number), f"{whose}_empty": float(not number)}


def result_form(result: ProgramResult) -> str:
    """Return whether a program gave yes, no, a number or a set."""
    if result.boolean is not None:
        return "yes" if result.boolean else "no"
    return "number" if result.number is not None else "set"


def _logit(chance: float) -> float:
    chance = min(max(chance, 1e-3), 1 - 1e-3)
    return math.log(chance / (1 - chance)) / 4
