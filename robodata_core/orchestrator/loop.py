"""The stateful orchestrator: asks the policy, carries out its calls, moves the machine.

Source: the RoboData paper, "Stateful Orchestrator". A turn is a visit of a state in which the
policy is asked; within it calls are carried out and shown until the policy chooses. The states
and their transitions are ``machine``'s, the limits ``budget``'s; ``_asking`` has the turn itself,
``_calls`` the calls, ``_ending`` the ends. What a policy, a tool or a claim is stands elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from robodata_core.events import (
    AnswerReady,
    ClaimValidated,
    GraphChanged,
    QuestionUnderstood,
    Rewriting,
    RunEnded,
    RunEvent,
    RunStarted,
    StateEntered,
    UrgencyChanged,
)
from robodata_core.model import AnswerStatus
from robodata_core.orchestrator._asking import Asker
from robodata_core.orchestrator._calls import CallRunner
from robodata_core.orchestrator._emitter import Emitter, public_settings, without_credentials
from robodata_core.orchestrator._ending import DONE, Checked, Ending, ending_of, make_answer
from robodata_core.orchestrator.budget import urgency
from robodata_core.orchestrator.machine import (
    TRANSITIONS,
    State,
    Table,
    default_next,
    is_legal,
    start_of,
)
from robodata_core.orchestrator.memory import Memory, TurnRecord
from robodata_core.orchestrator.parts import Parts, default_parts
from robodata_core.outgoing import listening
from robodata_core.policy.base import AnswerDraft, Decision, Turn, Urgency, reads_view
from robodata_core.text import clean_text, plural
from robodata_core.tools.base import ToolContext
from robodata_core.tools.labels import FoundNames, LabelCache

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.clock import Clock
    from robodata_core.config import Settings
    from robodata_core.model import Absence, Answer
    from robodata_core.orchestrator.observer import Observer
    from robodata_core.policy.base import Policy
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.store.graph import LocalGraph
    from robodata_core.tools.known_ids import KnownIds
    from robodata_core.tools.registry import Toolbox

__all__ = ["Earlier", "Orchestrator"]

_MOST_INTERRUPTS: Final = 3
_MOST_EARLIER: Final = 300


@dataclass(frozen=True, slots=True)
class Earlier:
    """What runs before this one saw, where a question was taken apart.

    Attributes:
        ids: The ids that were shown in them.
        answers: Their questions, each with its answer.
    """

    ids: frozenset[str] = frozenset()
    answers: tuple[str, ...] = ()


class Orchestrator:
    """Runs one question through the state machine.

    Args:
        source: The remote ontology.
        store: The local graph; may hold facts of earlier runs.
        policy: Decides the turns of this one run.
        settings: What shapes the run.
        emit: Called with every event, in order, one at a time: in the thread of ``run``, or
            in that of a tool that tells of its requests.
        cancel: Stops the run by hand or by its deadline.
        clock: Where times come from.
        new_id: Gives the run its id.
        observer: Metacognition, if there is any.
        parts: Stand-ins for the loop's collaborators; None takes the real ones.
        earlier: What runs before this one saw.
        table: The states of the run and where each may go.
        tools: The tools of its states, if not the ones of questions.

    Attributes:
        earlier: The same after a run, with what that run saw.
        failure: What ended the last run as ``failed``, else None; its ``exit_code`` tells a
            missing service from a fault.
    """

    def __init__(
        self,
        *,
        source: KnowledgeSource,
        store: LocalGraph,
        policy: Policy,
        settings: Settings,
        emit: Callable[[RunEvent], None],
        cancel: CancelToken,
        clock: Clock,
        new_id: Callable[[], str],
        observer: Observer | None = None,
        parts: Parts | None = None,
        earlier: Earlier | None = None,
        table: Table = TRANSITIONS,
        tools: Callable[[State], Toolbox] | None = None,
    ) -> None:
        self.tools = tools
        self.table = table
        self.earlier = earlier or Earlier()
        self.source = source
        self.store = store
        self.policy = policy
        self.settings = settings
        self.cancel = cancel
        self.clock = clock
        self.observer = observer
        self.parts = parts
        self.failure: BaseException | None = None
        self._emit = emit
        self._new_id = new_id

    def run(self, question: str, rewriting: Rewriting | None = None) -> Answer:
        """Answer ``question`` (cleaned text); returns however the run ends.

        Ctrl+C counts as cancelling. The last two events are always ``AnswerReady`` and
        ``RunEnded``, each exactly once.

        Args:
            question: What is to be answered; it stands alone.
            rewriting: Where it comes from, if somebody typed something else.
        """
        emitter = Emitter(self._new_id(), self._emit, self.clock)
        run = _Run(self, question, emitter, rewriting)
        ending: Ending | None = None
        interrupts = 0
        while True:
            try:
                with self.cancel.active(), listening(emitter.tell_request):
                    ending = ending or self._drive(run)
                self.failure = ending.error
                answer = run.finish(ending)
                self.earlier = run.seen(answer)
                return answer
            except KeyboardInterrupt as error:
                interrupts += 1
                if interrupts > _MOST_INTERRUPTS:
                    raise
                self.cancel.cancel()
                ending = ending_of(error)

    def _drive(self, run: _Run) -> Ending:
        try:
            run.drive()
        except KeyboardInterrupt:
            raise
        except Exception as error:
            return ending_of(error)
        except BaseException as error:
            # SystemExit and the like: the watchers get their end, the program its way.
            run.finish(ending_of(error))
            raise
        return DONE


class _Run:
    """The state of one run while it lasts."""

    def __init__(
        self, host: Orchestrator, question: str, emitter: Emitter, rewriting: Rewriting | None
    ) -> None:
        self._host = host
        self._question = question
        self._rewriting = rewriting
        self._emitter = emitter
        self._memory = Memory(keep_reflections=host.settings.self_reflection)
        self._max_turns = host.settings.max_turns
        self._calls: CallRunner | None = None
        self._parts: Parts | None = host.parts
        self._checked: Checked | None = None
        self._visited: set[State] = set()
        self._variables: dict[str, Any] = {}
        self._absences: dict[str, Absence] = {}
        self._names = FoundNames()
        self._handed_in: Decision | None = None  # a draft that came with the choice to answer
        self._unread = ""  # why what was handed in last was no answer
        self._fits_at = -1  # triples in the graph when its view was last seen to fit

    # -- beginning and end ----------------------------------------------------------------

    def drive(self) -> None:
        """Go from the start to a checked draft."""
        self._started()
        parts = self._parts or default_parts()
        if self._host.tools is not None:
            parts = replace(parts, toolbox_for=self._host.tools)
        self._parts = parts
        self._calls = calls = self._call_runner(parts)
        asker = Asker(
            policy=self._host.policy,
            observer=self._host.observer,
            emitter=self._emitter,
            calls=calls,
            cancel=self._host.cancel,
            clock=self._host.clock,
        )
        self._tell_graph()
        state, number, forced = start_of(self._host.table), 1, ""
        while True:
            self._host.cancel.check()
            self._enter(state, number, forced)
            if state is State.PRODUCE_ANSWER:
                self._produce(asker, parts, number)
                return
            onward = self._pass_through(parts, state, number)
            if onward is not None:
                state, forced = onward
                continue
            state, forced = self._choose(asker, parts, state, number)
            number += 1
            if number >= self._max_turns and state is not State.PRODUCE_ANSWER:
                state, forced = State.PRODUCE_ANSWER, self._limit_reached()

    def finish(self, ending: Ending) -> Answer:
        """Tell the watchers how it ended; may be called again after an interruption."""
        if self._calls is not None:
            self._calls.close()
        answer = self._emitter.state.answer
        if answer is None:
            if not self._emitter.state.run_id:
                self._started()
            answer, ending = make_answer(
                ending,
                self._checked,
                emitter=self._emitter,
                graph=self._host.store,
                parts=self._parts,
                source=self._host.source,
            )
            self._host.failure = ending.error
            ready = answer
            self._emitter.emit(AnswerReady, ready)
        if not self._emitter.state.ended:
            status, seconds = answer.status.value, self._emitter.elapsed()
            error = ending.sentence if ending.error is not None else ""
            self._emitter.emit(RunEnded, status, seconds, error)
        self._emitter.deliver()
        return answer

    def seen(self, answer: Answer) -> Earlier:
        """Return what there is to know for runs that come after this one."""
        before = self._host.earlier
        shown = self._calls.known.shown if self._calls is not None else frozenset()
        line = clean_text(f"{self._question} {answer.text}", limit=_MOST_EARLIER)
        return Earlier(before.ids | shown, (*before.answers, line))

    def _started(self) -> None:
        host, rewriting = self._host, self._rewriting
        self._emitter.emit(
            RunStarted,
            rewriting.question if rewriting else self._question,
            host.policy.name,
            without_credentials(host.source.name),
            host.settings.max_turns,
            public_settings(host.settings),
        )
        if rewriting is not None:
            told = rewriting
            self._emitter.emit(QuestionUnderstood, told)

    def _tell_graph(self) -> None:
        nodes, edges = self._host.store.node_count, self._host.store.edge_count
        if nodes or edges:
            self._emitter.emit(GraphChanged, 0, "", (), (), nodes, edges)

    def _call_runner(self, parts: Parts) -> CallRunner:
        host, labels = self._host, LabelCache()

        def _context(call_id: str, known: KnownIds) -> ToolContext:
            return ToolContext(
                source=host.source,
                store=host.store,
                known=known,
                variables=self._variables,
                question=self._question,
                run_id=self._emitter.run_id,
                call_id=call_id,
                now=self._emitter.now(),
                language=host.settings.language,
                cancel=host.cancel,
                labels=labels,
                absences=self._absences,
                names=self._names,
            )

        return CallRunner(
            emitter=self._emitter,
            memory=self._memory,
            store=host.store,
            cancel=host.cancel,
            clock=host.clock,
            known=self._known_ids(parts),
            context=_context,
            concurrency=host.settings.concurrency,
        )

    def _known_ids(self, parts: Parts) -> KnownIds:
        known = parts.known_ids(self._question)
        known.add(self._host.earlier.ids)
        return known

    # -- states ---------------------------------------------------------------------------

    def _enter(self, state: State, number: int, forced: str) -> None:
        level = urgency(number, self._max_turns).value
        before = self._emitter.state.urgency or Urgency.NONE.value
        self._visited.add(state)
        if level != before:
            self._emitter.emit(UrgencyChanged, number, level)
        self._emitter.emit(StateEntered, state.value, number, level, forced)

    def _pass_through(self, parts: Parts, state: State, number: int) -> tuple[State, str] | None:
        """Return where to go without asking, and why; None where the policy is asked."""
        store, budget = self._host.store, self._host.settings.view_tokens
        if number >= self._max_turns:
            return State.PRODUCE_ANSWER, self._limit_reached()
        if state is not State.LOCAL_DATA_EVALUATION:
            return None
        # Both happen once: who comes back with nothing must be able to say that.
        if State.REMOTE_GRAPH_EXPLORATION not in self._visited and not (
            store.node_count or store.edge_count
        ):
            return State.REMOTE_GRAPH_EXPLORATION, "the local graph is empty"
        if State.LOCAL_GRAPH_EXPLORATION not in self._visited and self._too_large(parts):
            reason = f"the local graph does not fit into {budget:,} tokens"
            return State.LOCAL_GRAPH_EXPLORATION, reason
        return None

    def _too_large(self, parts: Parts) -> bool:
        host, size = self._host, self._host.store.edge_count
        if not reads_view(host.policy):
            return False
        if size != self._fits_at and not parts.overflows(
            host.store, self._question, host.settings.view_tokens
        ):
            self._fits_at = size
        return size != self._fits_at

    def _limit_reached(self) -> str:
        return f"the limit of {plural(self._max_turns, 'turn')} is reached"

    def _turn(self, parts: Parts, state: State, number: int) -> Turn:
        settings = self._host.settings
        return Turn(
            question=self._question,
            language=settings.language,
            state=state,
            legal=self._host.table[state],
            number=number,
            max_turns=self._max_turns,
            urgency=urgency(number, self._max_turns),
            toolbox=parts.toolbox_for(state),
            results=(),
            memory=self._memory,
            store=self._host.store,
            cancel=self._host.cancel,
            variables=MappingProxyType(self._variables),
            absences=MappingProxyType(self._absences),
            names=self._names,
            earlier=self._host.earlier.answers,
            known=self._calls.known if self._calls is not None else frozenset(),
        )

    def _choose(self, asker: Asker, parts: Parts, state: State, number: int) -> tuple[State, str]:
        """Ask the policy where to go; returns that, and why if it did not choose it."""
        table = self._host.table
        legal = ", ".join(choice.value for choice in table[state])
        fallback = default_next(state, table)

        def _objection(decision: Decision) -> str:
            chosen = decision.next_state
            if chosen is None:
                return f"No next state was chosen. Choose one of: {legal}."
            if chosen not in tuple(State) or not is_legal(state, chosen, table):
                return f"{str(chosen)[:60]} cannot follow {state}. Choose one of: {legal}."
            return ""

        turn = self._turn(parts, state, number)
        asker.observe(turn)
        decision, results = asker.ask(turn, _objection, fallback.value)
        chosen = State(decision.next_state) if decision and decision.next_state else fallback
        self._handed_in = decision if decision and decision.draft else None
        self._memory.add(TurnRecord(number, state, results, self._reflection(), chosen))
        return chosen, "" if decision else "no legal choice was made, so the default applies"

    def _reflection(self) -> str:
        turn = self._emitter.state.turn
        return turn.reflection if turn else ""

    # -- the answer -----------------------------------------------------------------------

    def _produce(self, asker: Asker, parts: Parts, number: int) -> None:
        """Get a draft, run it, have it repaired once, and tell what held."""

        def _objection(decision: Decision) -> str:
            if decision.draft:
                return ""
            self._unread = decision.reason
            return "No answer was handed in. Hand in the answer now."

        turn = self._turn(parts, State.PRODUCE_ANSWER, number)
        decision, results = self._handed_in, tuple(turn.results)
        if decision is None:
            decision, results = asker.ask(turn, _objection, "An answer without claims")
        checked = self._check(parts, decision)
        if checked.proof.problems:
            self._host.cancel.check()
            asker.reject(turn, " ".join(checked.proof.problems))
            turn = replace(turn, results=results, problems=checked.proof.problems)
            decision, results = asker.ask(turn, _objection, "The answer before")
            if decision is not None:
                checked = self._check(parts, decision)
        if self._host.cancel.cancelled:
            self._host.cancel.check()
        self._look_again(asker, checked, number)
        record = TurnRecord(number, turn.state, results, self._reflection(), None)
        self._memory.add(record)
        for claim in checked.proof.claims:
            self._emitter.emit(ClaimValidated, claim)

    def _look_again(self, asker: Asker, checked: Checked, number: int) -> None:
        """Note what the policy has against the reading of an answer that has results."""
        if not checked.proof.results or not checked.proof.reading:
            return
        objection = asker.look_again(self._question, checked.proof.reading, number)
        if objection:
            said = f"A second look objects, in the model's words: {objection}"
            draft = replace(checked.draft, notes=(*checked.draft.notes, said))
            self._checked = replace(checked, draft=draft)

    def _check(self, parts: Parts, decision: Decision | None) -> Checked:
        draft = decision.draft if decision else None
        if draft is None:
            why = self._unread or "No answer was handed in."
            draft = AnswerDraft(AnswerStatus.UNKNOWN, missing=(why,))
        host = self._host
        proof = parts.prove(
            draft,
            host.store,
            host.source,
            question=self._question,
            absences=self._absences,
            now=self._emitter.now(),
            run_id=self._emitter.run_id,
            cancel=host.cancel,
        )
        self._checked = Checked(draft, proof)
        return self._checked
