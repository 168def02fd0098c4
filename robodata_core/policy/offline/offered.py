"""Choosing from what a question offers: "which of X, Y and Z is perishable".

What compares them is asked of all at once. Else it is asked of each whether it is so, and what is
true of one is asked of all by the same program. Of which of them it is not stated does not show
that it is not so; where it is stated of others of them, that is likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from robodata_core.language.grammar.clauses import Alternatives, alternatives
from robodata_core.language.grammar.operators import open_grammar
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.text import Text
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.relations import flip
from robodata_core.programs.english import listed
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    FilterByConstraint,
    Follow,
    Intersect,
    Judge,
    JudgeKind,
    Start,
    Step,
)

__all__ = ["offered"]

#: Words of a name at most.
_WORDS: Final = 5
_UNTOLD: Final = "Of {} the graph does not state whether it is so."


def offered(
    plan: Plan,
    text: Text,
    view: View,
    decided: Callable[[str], Plan],
    executor: Executor,
    lexicon: Lexicon,
) -> Plan:
    """Return the plan of a question that offers what to choose from, with what it chooses.

    Args:
        plan: What was made of the question as it stands.
        text: The question.
        view: Knows what names there are.
        decided: Solves a question.
        executor: Runs programs.
        lexicon: Of the language of the question.

    Raises:
        SourceError: If the source fails.
        CancelledError: If the executor's token says so; DeadlineExceededError likewise.
    """
    if any(part.failure and not part.unread for part in plan.parts):
        return plan  # What the graph lacks is no less lacking of each.
    grammar = open_grammar(lexicon)
    joints = ("intersection", "union")
    if not any(t.text == "," or any(grammar.is_a(j, t.norm) for j in joints) for t in text.tokens):
        return plan
    asked = alternatives(text, _names(text, view, lexicon), lexicon)
    if asked is None or (asked.open and _is_whole(plan)):
        return plan
    chosen = [one for one in _whole(plan, asked, decided) if _chooses(one, asked, view, lexicon)]
    certain = next((one for one in chosen if _is_whole(one)), None)
    found = certain or _judged(asked, view, decided, executor, lexicon)
    if found is not None or asked.open or not plan.sure:
        return found or next(iter(chosen), plan)
    # What is not of what was offered is no choice.
    why = f"Which of {listed(asked.judged)} is meant was not understood."
    kept = (replace(part, sure=False, failure=why) for part in plan.parts)
    return next(iter(chosen), replace(plan, parts=tuple(kept)))


def _whole(plan: Plan, asked: Alternatives, decided: Callable[[str], Plan]) -> Iterator[Plan]:
    """Yield plans that are sure, of the question as it stands and as it is commonly asked."""
    if plan.sure:
        yield plan
    if not _is_whole(plan) and (other := decided(asked.asked)).sure:
        yield other


def _is_whole(plan: Plan) -> bool:
    """Tell whether a plan is certain, and lacks nothing."""
    return plan.certain and not any(part.missing for part in plan.parts)


def _names(text: Text, view: View, lexicon: Lexicon) -> Sequence[tuple[int, int]]:
    """Return where names of things stand, the longest of each place, with their articles."""
    tokens = text.tokens
    spans = {}
    for start in range(len(tokens)):
        words = takewhile(lambda i: tokens[i].is_word, range(start, len(tokens)))
        for end in [i + 1 for i in words][:_WORDS]:
            spans[start, end] = text.written(start, end)
    known = view.names(spans.values())
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if (found and start < found[-1][1]) or spans[start, end] not in known:
            continue
        if all(lexicon.is_small(token.norm) for token in tokens[start:end]):
            continue
        article = start > 0 and lexicon.kind(tokens[start - 1].norm) == "article"
        found.append((start - article, end))
    return found


def _chooses(plan: Plan, asked: Alternatives, view: View, lexicon: Lexicon) -> bool:
    """Tell whether what a plan found is of what was offered."""
    ids = {id_ for name in asked.judged for id_ in _ids(name, view, lexicon)}
    members = [v for part in plan.parts if part.result is not None for v in part.result.members]
    return bool(members) and all(isinstance(v, EntityValue) and v.id in ids for v in members)


def _ids(name: str, view: View, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the ids of what is called so."""
    first, _, rest = name.partition(" ")
    # "The Matrix" is a name as it stands, "the towel" without its article.
    ways = [name, rest] if rest and lexicon.kind(first.lower()) == "article" else [name]
    return tuple(hit.id for hits in view.names(ways).values() for hit in hits)


def _judged(
    asked: Alternatives,
    view: View,
    decided: Callable[[str], Plan],
    executor: Executor,
    lexicon: Lexicon,
) -> Plan | None:
    """Return a plan of those of which it is so, or of which it is not; None if nothing tells."""
    plans = {name: decided(question) for name, question in asked.judged.items()}
    truths = {name: part for name, plan in plans.items() if (part := _truth(plan)) is not None}
    told = sorted(truths, key=lambda name: not _is_so(truths[name]))
    values = {name: _meant(name, truths.get(name), view, lexicon) for name in plans}
    if not told or None in values.values():
        return None
    among = tuple(value for value in values.values() if value is not None)
    so = {values[name] for name in told if _is_so(truths[name])}
    for name in told:
        part, value = truths[name], values[name]
        assert part.best is not None and value is not None
        whole = _of_all(part.best.candidate, value, among)
        found = part.narrowed(whole, executor).result if whole is not None else None
        if whole is None or found is None or (asked.denied and not so <= set(found.members)):
            continue
        holds = set(found.members)
        reader = plans[name].reader
        # What is usual for a kind is not stated in full, so that of kinds a no shows nothing.
        denied = {n for n in truths if not any(reader.above(v.id for v in (values[n],) if v))}
        open_ = [n for n, v in values.items() if v not in holds and n not in denied]
        if (asked.denied and not so and open_) or not (asked.denied or holds):
            return None  # Of none of them it is stated, which tells none from the others.
        if asked.denied:
            start = Start(whole.fresh, among)
            whole = replace(whole, steps=(*whole.steps, start))
            whole = whole.then(Difference(whole.fresh, start.out, whole.out))
        kind = AnswerKind.NUMBER if asked.counted else AnswerKind.THINGS
        whole = whole.counted() if asked.counted else whole
        first = replace(
            part,
            request=replace(part.request, kind=kind),
            likely=part.likely or bool(asked.denied and open_),
            missing=(*part.missing, _UNTOLD.format(listed(open_))) if open_ else part.missing,
            question=part.question or plans[name].question,
            related=found.evidence if asked.denied else part.related,
        )
        return replace(plans[name], parts=(first.narrowed(whole, executor),))
    return None


def _truth(plan: Plan) -> Part | None:
    """Return the part that says whether something is so, where a plan knows."""
    part = plan.parts[0] if len(plan.parts) == 1 and plan.sure else None
    told = part is not None and part.result is not None and part.result.boolean is not None
    return part if told else None


def _is_so(part: Part) -> bool:
    return part.result is not None and part.result.boolean is True


def _meant(name: str, truth: Part | None, view: View, lexicon: Lexicon) -> EntityValue | None:
    """Return what a name stands for: what it was taken for, or what is called so first."""
    links = truth.best.candidate.links if truth is not None and truth.best is not None else ()
    taken = (link.ids[0] for link in links if link.ids and link.mention.text in name)
    id_ = next(taken, None) or next(iter(_ids(name, view, lexicon)), None)
    return EntityValue(id_) if id_ is not None else None


def _of_all(truth: Candidate, value: EntityValue, among: tuple[Value, ...]) -> Candidate | None:
    """Return the program of those of which something is so, of one that says it of one of them."""
    judge, steps = truth.steps[-1], truth.steps[:-1]
    if not isinstance(judge, Judge):
        return None
    start = Start(f"{truth.fresh}a", among)
    if judge.value == value:
        side: tuple[Step, ...] = (*steps, start)
        both = Intersect(f"{truth.fresh}b", (start.out, judge.source))
        return replace(truth, steps=(*side, both), out=both.out, final="set")
    begun = [step for step in steps if isinstance(step, Start) and step.values == (value,)]
    if len(begun) != 1:
        return None
    if judge.kind is JudgeKind.NOT_EMPTY and not any(isinstance(step, Follow) for step in steps):
        all_ = tuple(replace(s, values=among) if s is begun[0] else s for s in steps)
        return replace(truth, steps=all_, out=judge.source, final="set")
    if judge.value is None or len(steps) != sum(isinstance(s, Follow) for s in steps) + 1:
        return None
    first = steps[1]
    if isinstance(first, Follow) and len(steps) == 2 and first.direction is Direction.OUT:
        (name, *more) = first.properties or ("",)
        kept = FilterByConstraint(f"{truth.fresh}b", start.out, name, Comparison.EQ, judge.value)
        if name and not more:
            return replace(truth, steps=(start, kept), out=kept.out, final="set")
    # "X has V" said of all is "those that V is had by".
    back: list[Step] = [Start("b0", (judge.value,))]
    for step in reversed(steps[1:]):
        assert isinstance(step, Follow)
        name = f"b{len(back)}"
        back.append(Follow(name, back[-1].out, step.properties, flip(step.direction)))
    both = Intersect(f"b{len(back) + 1}", (start.out, back[-1].out))
    return replace(truth, steps=(*back, start, both), out=both.out, final="set")
