"""How a run ends, and the answer it ends with: every run has one, whatever happened.

The wording of answers is ``answers.build``'s business; here is only what an end that nobody
planned (cancelled, out of time, failed) makes of what there is, and where sources differ about it.

Differences are looked for where the answer's facts are: what the local graph and a chain of sources
hold about the same property of the same entity, from whatever source. Beyond names nothing more is
asked of a source but of those on this machine.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from robodata_core.errors import CancelledError, DeadlineExceededError, RoboDataError
from robodata_core.model import Answer, AnswerStatus, EntityValue, Saying, Statement, Value
from robodata_core.orchestrator.statistics import run_statistics
from robodata_core.policy.base import AnswerDraft
from robodata_core.sources.capabilities import heard_about
from robodata_core.sources.chained import Conflict, find_conflicts
from robodata_core.text import plural
from robodata_core.tools.formatting import list_some
from robodata_core.values import format_value

if TYPE_CHECKING:
    from robodata_core.answers.proof import Proof
    from robodata_core.model import Claim
    from robodata_core.orchestrator._emitter import Emitter
    from robodata_core.orchestrator.parts import Parts
    from robodata_core.run_state import RunState
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.store.graph import LocalGraph

_log = logging.getLogger("robodata.orchestrator")


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a run is over.

    Attributes:
        status: What the answer's status becomes, or None to leave it as it came out.
        sentence: Why, for a person; empty when the run came to its own end.
        error: The exception behind a failed run.
    """

    status: AnswerStatus | None = None
    sentence: str = ""
    error: BaseException | None = None


DONE: Final = Ending()


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft with what running it came to."""

    draft: AnswerDraft
    proof: Proof


def ending_of(error: BaseException) -> Ending:
    """Return the ending that an exception out of a run means; unexpected ones are logged."""
    if isinstance(error, (CancelledError, KeyboardInterrupt)):
        return Ending(AnswerStatus.CANCELLED, "The run was cancelled.")
    if isinstance(error, DeadlineExceededError):
        return Ending(AnswerStatus.PARTIAL, str(error))
    if isinstance(error, RoboDataError):
        # Without a log, Python shows warnings on stderr: a sentence, never the traceback.
        _log.warning("The run failed: %s", error)
        _log.info("This is where it failed", exc_info=error)
        return Ending(AnswerStatus.FAILED, str(error), error)
    _log.error("The run failed unexpectedly", exc_info=error)
    sentence = (
        f"The run ended by an internal error ({type(error).__name__}); the log has the details."
    )
    return Ending(AnswerStatus.FAILED, sentence, error)


def make_answer(
    ending: Ending,
    checked: Checked | None,
    *,
    emitter: Emitter,
    graph: LocalGraph,
    parts: Parts | None,
    source: KnowledgeSource | None = None,
) -> tuple[Answer, Ending]:
    """Build the answer of a run that is over.

    Args:
        ending: Why it is over.
        checked: The last draft that was run, if the run came that far.
        emitter: Has the run so far.
        graph: The local graph.
        parts: The loop's collaborators, or None if not even they could be imported.
        source: The source of the run; a chain of them knows where they differ.

    Returns:
        The answer, and the ending: another one if building the answer failed.
    """
    state = emitter.state
    draft = _with_trouble(_final_draft(ending, checked, state), checked, graph)
    if parts is not None and checked is not None:
        try:
            said, notes = what_is_said(checked.proof.claims, graph, source)
            answer = parts.build_answer(
                replace(draft, notes=(*draft.notes, *notes)),
                checked.proof,
                question=state.understood_as or state.question,
                policy=state.policy,
                run_id=emitter.run_id,
                trace=state.trace,
                statistics=run_statistics(state, emitter.now()),
            )
            return _as_asked(replace(answer, said=said), state), ending
        except Exception as error:
            ending = ending_of(error)
            draft = _final_draft(ending, None, state)
    return _as_asked(_bare_answer(draft, state, emitter), state), ending


def _as_asked(answer: Answer, state: RunState) -> Answer:
    """Return the answer under the question as it was typed, with how that was understood."""
    told = state.rewriting
    notes = (told.note, *answer.notes) if told and told.note else answer.notes
    return replace(answer, question=state.question, understood_as=state.understood_as, notes=notes)


def _final_draft(ending: Ending, checked: Checked | None, state: RunState) -> AnswerDraft:
    draft = checked.draft if checked else AnswerDraft(AnswerStatus.UNKNOWN)
    if ending.status is None:
        return draft
    status = ending.status
    if status is AnswerStatus.PARTIAL:
        held = checked is not None and any(item.supported for item in checked.proof.claims)
        status = AnswerStatus.PARTIAL if held else AnswerStatus.UNKNOWN
    missing = (*draft.missing, ending.sentence, *_gathered(state))
    return replace(draft, status=status, missing=missing)


def _with_trouble(draft: AnswerDraft, checked: Checked | None, graph: LocalGraph) -> AnswerDraft:
    """Say why there may be less to answer from than was found."""
    whole = checked is None or checked.proof.status is AnswerStatus.ANSWERED
    if (draft.status is AnswerStatus.ANSWERED and whole) or not graph.trouble:
        return draft
    count = graph.edge_count
    kept = f" The {plural(count, 'triple')} it held before can still be read." if count else ""
    why = f"Facts could not be stored in the local graph. {graph.trouble}{kept}"
    return replace(draft, missing=(*draft.missing, why))


def _gathered(state: RunState) -> tuple[str, ...]:
    """Say what an interrupted run leaves behind."""
    if not state.edges_added:
        return ()
    return (f"It had gathered {plural(state.edges_added, 'triple')}, kept in the local graph.",)


def _bare_answer(draft: AnswerDraft, state: RunState, emitter: Emitter) -> Answer:
    return Answer(
        question=state.question,
        status=draft.status,
        text=" ".join(draft.missing) or "There is no answer.",
        policy=state.policy,
        missing=draft.missing,
        suggestions=draft.suggestions,
        statistics=run_statistics(state, emitter.now()),
        trace=state.trace,
        run_id=emitter.run_id,
    )


_MOST_PAIRS: Final = 100
_MOST_FACTS: Final = 50
_MOST_NOTES: Final = 5
_MOST_VALUES: Final = 3


def what_is_said(
    claims: Iterable[Claim], graph: LocalGraph, source: KnowledgeSource | None
) -> tuple[tuple[Saying, ...], tuple[str, ...]]:
    """Return what each of several sources says, and a sentence for what they differ about.

    Args:
        claims: The answer's claims; only supported ones count.
        graph: The local graph.
        source: The source of the run, which may be a chain.

    Returns:
        What is said about each property of an entity that more than one source speaks of; at most
        six sentences.
    """
    evidence = (e for claim in claims if claim.supported for e in claim.support.evidence)
    pairs = list(dict.fromkeys((e.triple.subject, e.triple.predicate) for e in evidence))
    said = [item for pair in pairs[:_MOST_PAIRS] for item in _said(*pair, graph, source)]
    conflicts = find_conflicts(said)
    labels = _labels(conflicts[:_MOST_NOTES], graph, source) if conflicts else {}
    differ = {(item.subject, item.property) for item in conflicts}
    values: dict[tuple[str, str], dict[str, dict[Value, None]]] = {}
    for item in said:
        by_source = values.setdefault((item.subject, item.property), {})
        by_source.setdefault(item.source, {})[item.value] = None
    sayings = {
        pair: [
            Saying(name, *pair, tuple(told), _told(told, labels) if pair in differ else "")
            for name, told in by_source.items()
        ]
        for pair, by_source in values.items()
        if len(by_source) > 1
    }
    notes = []
    for subject, name in [pair for pair in sayings if pair in differ][:_MOST_NOTES]:
        told = "; ".join(f"{one.source} says {one.text}" for one in sayings[subject, name])
        what, whose = labels.get(name) or name, labels.get(subject) or subject
        notes.append(f"Sources differ about {what} of {whose}: {told}.")
    if len(differ) > _MOST_NOTES:
        notes.append(f"Sources differ about {plural(len(differ) - _MOST_NOTES, 'more fact')}.")
    return tuple(item for made in sayings.values() for item in made), tuple(notes)


def _said(
    subject: str, predicate: str, graph: LocalGraph, source: KnowledgeSource | None
) -> Iterator[Statement]:
    for item in graph.match(subject, predicate, limit=_MOST_FACTS)[0]:
        for origin in item.provenance:
            yield Statement(subject, predicate, item.triple.object, source=origin.source)
    if source is not None:
        for statement in heard_about(source, subject, predicate):
            yield Statement(subject, predicate, statement.value, source=statement.source)


def _labels(
    conflicts: Iterable[Conflict], graph: LocalGraph, source: KnowledgeSource | None
) -> dict[str, str]:
    ids: set[str] = set()
    for conflict in conflicts:
        ids |= {conflict.subject, conflict.property}
        values = (item.value for item in conflict.statements)
        ids |= {value.id for value in values if isinstance(value, EntityValue)}
    labels = {id_: graph.label(id_) for id_ in ids}
    unknown = [id_ for id_, label in labels.items() if not label]
    if unknown and source is not None:
        with contextlib.suppress(RoboDataError):  # ids are good enough then
            labels |= {id_: item.label for id_, item in source.entities(unknown).items()}
    return labels


def _told(values: Iterable[Value], labels: dict[str, str]) -> str:
    return list_some(list(dict.fromkeys(_text(value, labels) for value in values)), _MOST_VALUES)


def _text(value: Value, labels: dict[str, str]) -> str:
    if isinstance(value, EntityValue):
        return labels.get(value.id) or value.id
    return format_value(value, lambda id_: labels.get(id_) or id_)
