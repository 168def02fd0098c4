"""Replies that need no look-up: thanks, greetings, questions about the last answer.

What they state was validated when it was first answered; it is shown again, with its support.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from robodata_core.dialogue._words import ASKING
from robodata_core.dialogue.compared import compared_reply
from robodata_core.dialogue.forms import Form
from robodata_core.dialogue.history import Heard
from robodata_core.dialogue.reading import Knowledge
from robodata_core.dialogue.rewriting import Said, Unclear
from robodata_core.model import (
    Answer,
    AnswerStatus,
    Completeness,
    EntityValue,
    ResultItem,
    RunStatistics,
    SearchHit,
)
from robodata_core.text import normalise_name, plural

__all__ = ["asked_back", "reply_to"]

_SMALL: Final = {
    Form.GREETING: "Hello. Ask me something about the graph.",
    Form.THANKS: "You are welcome.",
    Form.FAREWELL: "Goodbye.",
    Form.ASSENT: "Go on: ask, or point back to what was said.",
}
_MOST_NAMED: Final = 6
_HELD: Final = (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)


def reply_to(said: Said, question: str, last: Heard | None, knowledge: Knowledge) -> Answer | None:
    """Return the reply to what is no question of its own; None where it has to be looked up."""
    if said.form in _SMALL:
        return Answer(question, AnswerStatus.UNKNOWN, _SMALL[said.form])
    if last is None:
        text = "There is no answer yet that could be explained."
        return Answer(question, AnswerStatus.UNKNOWN, text)
    if said.compared is not None:
        return compared_reply(said.compared, question, knowledge)
    if said.form is Form.EVIDENCE:
        return _evidence(question, last.turn.answer)
    if not last.members or last.turn.answer.status not in _HELD:
        if said.member:
            return None
        text = "The last answer gave nothing that could be listed or counted."
        return Answer(question, AnswerStatus.UNKNOWN, text)
    if said.member:
        return _membership(said.member, question, last, knowledge)
    reply = _count if said.form is Form.COUNT else _list
    return reply(question, last, knowledge)


def asked_back(unclear: Unclear, question: str, known: bool) -> Answer:
    """Return the question back where a word may mean several things, or nothing."""
    word = unclear.word
    if unclear.choice is None:
        words = set(normalise_name(word).split())
        if known and words and words <= ASKING:
            text = f"What “{word}” asks after the last question was not understood."
            return Answer(question, AnswerStatus.UNKNOWN, f"{text} Please ask in full.")
        why = "" if known else " Nothing was asked before that it could point to."
        text = f"What “{word}” stands for was not understood.{why} Please ask with a name."
        return Answer(question, AnswerStatus.UNKNOWN, text)
    names = [f"{label} ({id_})" for id_, label in unclear.choice.options]
    text = f"“{word}” may mean {', '.join(names[:-1])} or {names[-1]}. Which one?"
    hits = tuple(SearchHit(id_, label) for id_, label in unclear.choice.options)
    return Answer(question, AnswerStatus.UNKNOWN, text, suggestions=hits)


def _again(answer: Answer, question: str, text: str) -> Answer:
    return replace(
        answer,
        question=question,
        understood_as="",
        text=text,
        statistics=RunStatistics(),
        trace=(),
        run_id="",
    )


def _evidence(question: str, answer: Answer) -> Answer:
    triples = {e.handle for c in answer.claims if c.supported for e in c.support.evidence}
    absences = len(answer.absences)
    if not triples and not absences:
        text = "The last answer claims nothing, so there is no evidence to show."
        return _again(answer, question, text)
    parts = [plural(len(triples), "triple")] if triples else []
    parts += [f"{plural(absences, 'look-up')} that found nothing"] if absences else []
    note = (
        f"Shown again, not looked up again: the last answer rests on {' and '.join(parts)}."
        " They say what the source states, not that the source is right."
    )
    return replace(_again(answer, question, answer.text), notes=(*answer.notes, note))


def _count(question: str, last: Heard, knowledge: Knowledge) -> Answer:
    answer, number = last.turn.answer, len(last.members)
    names = [knowledge.label(id_) for id_ in last.members[:_MOST_NAMED]]
    more = number - len(names)
    counted = ", ".join(names) + (f" and {more:,} more" if more else "")
    note = f"Counted from the last answer, not looked up again: {counted}."
    if answer.status is AnswerStatus.PARTIAL:
        note += " That answer was partial, so there may be more."
    result = ResultItem(number, str(number), claims=tuple(c.id for c in answer.claims))
    told = _again(answer, question, f"{number:,}: {counted}.")
    return replace(
        told, results=(result,), completeness=Completeness(1), notes=(note, *answer.notes)
    )


def _list(question: str, last: Heard, knowledge: Knowledge) -> Answer:
    answer = last.turn.answer
    results = tuple(ResultItem(EntityValue(id_), knowledge.label(id_)) for id_ in last.members)
    names = ", ".join(item.label for item in results)
    note = "Taken from the last answer, not looked up again."
    told = _again(answer, question, names)
    return replace(
        told,
        results=results,
        completeness=Completeness(len(results), len(results)),
        notes=(*answer.notes, note),
    )


def _membership(name: str, question: str, last: Heard, knowledge: Knowledge) -> Answer | None:
    """Return whether a name is among the members; None where the name is not known."""
    names = knowledge.read(name).names
    if not names:
        return None
    answer, ids = last.turn.answer, set(names[0].ids)
    holds = bool(ids & set(last.members))
    note = f"Looked for among the {len(last.members):,} of the last answer."
    if not holds and answer.status is AnswerStatus.PARTIAL:
        return None
    told = _again(answer, question, "Yes." if holds else "No.")
    return replace(
        told,
        results=(ResultItem(holds, "yes" if holds else "no"),),
        completeness=None,
        notes=(*answer.notes, note),
    )
