"""Tool calls of one decision: what runs together, what runs alone, what is not run again."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest

from robodata_core.events import GraphChanged, ToolCalled, ToolReturned
from robodata_core.orchestrator.machine import State
from robodata_core.tools.base import (
    Tool,
    ToolCall,
    ToolContext,
    ToolFamily,
    ToolOutput,
    ToolResult,
)
from robodata_core.tools.registry import Toolbox
from tests.core.orchestrator.desk import Args
from tests.core.orchestrator.support import (
    EVAL,
    JUDGE,
    Desk,
    Scripted,
    Trial,
    filled_graph,
    go,
    look,
    parts_with,
    put,
    run,
    use,
)


def _results(trial: Trial) -> list[tuple[str, bool, bool, str]]:
    """Return (call id, ok, repeated, text) of all calls in the order they were numbered."""
    returned = sorted(trial.of(ToolReturned), key=lambda event: int(event.call_id[1:]))
    return [(event.call_id, event.ok, event.repeated, event.text) for event in returned]


# -- together and alone -------------------------------------------------------------------------


class Meet(Tool[Args]):
    """Comes back when as many calls as the meeting takes are under way at once."""

    name = "meet"
    description = "A tool of the tests."
    family = ToolFamily.REMOTE

    def __init__(self, meeting: threading.Barrier) -> None:
        self.meeting = meeting

    def run(self, args: Args, context: ToolContext) -> ToolOutput:
        self.meeting.wait(60)
        return ToolOutput(f"met {args.text}")


def _meet(text: str) -> ToolCall:
    return ToolCall("meet", {"text": text})


def test_reads_run_together_and_come_back_in_order() -> None:
    toolbox = Toolbox([Meet(threading.Barrier(3))])
    policy = Scripted(use(*map(_meet, "abc")))
    trial = run(policy, parts=_parts(toolbox), concurrency=3)
    results = policy.turns[1].results
    assert [result.output.text for result in results] == ["met a", "met b", "met c"]
    assert [result.call.id for result in results] == ["k1", "k2", "k3"]
    first_return = trial.events.index(trial.of(ToolReturned)[0])
    assert all(trial.events.index(event) < first_return for event in trial.of(ToolCalled))


def test_no_more_reads_run_together_than_allowed() -> None:
    desk = Desk()
    policy = Scripted(use(*[look(str(index), wait=0.005) for index in range(8)]))
    run(policy, desk=desk, concurrency=2)
    assert desk.most_at_once == 2
    assert [result.output.data for result in policy.turns[1].results] == list("01234567")


def test_calls_that_write_run_alone_and_in_order() -> None:
    desk = Desk()
    calls = [look("a", 0.01), look("b", 0.01), put("Q1"), put("Q2"), look("c"), put("Q3")]
    policy = Scripted(use(*calls))
    trial = run(policy, desk=desk, concurrency=4)
    position = {name: index for index, name in enumerate(desk.begun)}
    assert [name for name in desk.begun if name.startswith("put")] == ["put:Q1", "put:Q2", "put:Q3"]
    assert max(position["look:a"], position["look:b"]) < position["put:Q1"]
    assert position["put:Q2"] < position["look:c"] < position["put:Q3"]
    assert desk.ended.index("look:a") < 2 and desk.ended.index("look:b") < 2
    assert [event.call_id for event in trial.of(GraphChanged)] == ["k3", "k4", "k6"]
    assert [event.edges for event in trial.of(GraphChanged)] == [1, 2, 3]


def test_a_call_that_uses_a_named_result_waits_for_the_one_that_makes_it() -> None:
    policy = Scripted(use(_keep("$x", 0.02), _keep("$x", 0.0)))
    run(policy, concurrency=4)
    texts = [result.output.text for result in policy.turns[1].results]
    assert texts == ["stored $x", "there is $x"]


def test_calls_with_other_named_results_run_together() -> None:
    toolbox = Toolbox([Meet(threading.Barrier(2))])
    policy = Scripted(use(_meet("$x"), _meet("$y")))
    run(policy, parts=_parts(toolbox), concurrency=2)
    texts = [result.output.text for result in policy.turns[1].results]
    assert texts == ["met $x", "met $y"]


def _keep(name: str, wait: float) -> ToolCall:
    return ToolCall("keep", {"text": name, "wait": wait})


# -- ids that calls of the same decision show ---------------------------------------------------


def _show(id_: str, wait: float = 0.0) -> ToolCall:
    return ToolCall("show", {"text": id_, "wait": wait})


def _need(ids: str, wait: float = 0.0) -> ToolCall:
    return ToolCall("need", {"text": ids, "wait": wait})


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("wait", [(0.0, 0.02), (0.02, 0.0)], ids=["first-quick", "first-slow"])
def test_an_id_counts_as_shown_for_the_calls_written_after(
    concurrency: int, wait: tuple[float, float]
) -> None:
    first, second = wait
    before = use(_show("Q5", first), _need("Q5", second))
    after = use(_need("Q6", second), _show("Q6", first))
    trial = run(Scripted(before, after), concurrency=concurrency)
    assert [ok for _, ok, _, _ in _results(trial)] == [True, True, False, True]
    assert "Q6 has not been shown" in _results(trial)[2][3]


def test_ids_are_handed_on_from_call_to_call() -> None:
    desk = Desk()
    policy = Scripted(use(_need("Q7 Q8"), _show("Q6", 0.01), _need("Q6 Q7"), _need("Q7")))
    trial = run(policy, desk=desk, concurrency=4)
    assert [ok for _, ok, _, _ in _results(trial)] == [False, True, True, True]
    assert [result.call.id for result in policy.turns[1].results] == ["k1", "k2", "k3", "k4"]


def test_a_refused_call_is_carried_out_again_once_its_id_is_shown() -> None:
    desk = Desk()
    policy = Scripted(use(_need("Q5"), _need("Q5"), _show("Q5"), _need("Q5"), _need("Q5")))
    trial = run(policy, desk=desk, concurrency=4)
    assert [(ok, repeated) for _, ok, repeated, _ in _results(trial)] == [
        (False, False),
        (False, True),
        (True, False),
        (True, False),
        (True, True),
    ]


def test_calls_with_known_ids_still_run_together() -> None:
    desk = Desk()
    policy = Scripted(use(_show("Q5")), use(_need("Q5 Q6", 0.01), _need("Q5 Q7", 0.01)))
    run(policy, desk=desk, concurrency=2)
    # Which of two threads begins first is open.
    assert sorted(desk.begun[1:]) == ["need:Q5 Q6", "need:Q5 Q7"], "nothing is carried out twice"


# -- from memory --------------------------------------------------------------------------------


def test_an_identical_call_is_answered_from_memory_and_flagged() -> None:
    desk = Desk()
    again = ToolCall("look", {"wait": 0.0, "text": "a"})  # another order of the same arguments
    policy = Scripted(use(look("a")), use(again, look("b")), go(JUDGE), go(EVAL))
    trial = run(policy, desk=desk)
    assert desk.begun == ["look:a", "look:b"]
    assert _results(trial)[1][:3] == ("k2", True, True)
    assert "The same call as k1" in _results(trial)[1][3] and "saw a" in _results(trial)[1][3]
    assert policy.turns[2].results[1].output.data == "a", "programs get the data again"


def test_it_is_remembered_over_turns_and_within_one_decision() -> None:
    desk = Desk()
    policy = Scripted(use(look("a"), look("a"), look("a")), go(JUDGE), use(look("a")))
    trial = run(policy, desk=desk)
    assert desk.begun == ["look:a"]
    assert [repeated for _, _, repeated, _ in _results(trial)] == [False, True, True, True]
    assert all(text.count("same call") <= 1 for *_, text in _results(trial))
    assert trial.answer.statistics.repeated_calls == 3


def test_calls_that_write_are_always_carried_out() -> None:
    desk = Desk()
    trial = run(Scripted(use(put(), put()), use(put())), desk=desk)
    assert desk.begun == ["put:Q1930"] * 3
    assert not any(repeated for _, _, repeated, _ in _results(trial))


def test_the_local_graph_is_read_again_when_it_changed() -> None:
    peek = ToolCall("peek", {})
    trial = run(Scripted(use(peek), use(peek), use(put()), use(peek), use(peek)))
    assert [(text.splitlines()[-1], repeated) for _, _, repeated, text in _results(trial)] == [
        ("0 triples", False),
        ("0 triples", True),
        ("put", False),
        ("1 triples", False),
        ("1 triples", True),
    ]


def test_what_failed_may_be_tried_again_but_not_at_once() -> None:
    desk = Desk()
    fail = ToolCall("fail", {})
    trial = run(Scripted(use(fail, fail), use(fail)), desk=desk)
    assert desk.begun == ["fail:", "fail:"]
    assert [(ok, repeated) for _, ok, repeated, _ in _results(trial)] == [
        (False, False),
        (False, True),
        (False, False),
    ]


# -- what goes wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (ToolCall("fail", {"text": "plain"}), "That cannot be done."),
        (ToolCall("fail", {"text": "bug"}), "internal error"),
        (ToolCall("unheard", {}), "no tool unheard"),
        (ToolCall("look", {"surplus": 1}), "surplus"),
        (ToolCall("look", ["a"]), "must be an object"),  # type: ignore[arg-type]
        (ToolCall("\x1b[31m", {"text": object()}), "no tool"),
    ],
)
def test_a_failing_call_is_a_sentence_and_the_run_goes_on(call: ToolCall, sentence: str) -> None:
    with _quiet():
        policy = Scripted(use(call, look("a")))
        trial = run(policy)
    assert [ok for _, ok, _, _ in _results(trial)] == [False, True]
    assert sentence in _results(trial)[0][3]
    assert "secret detail" not in str(trial.events)
    assert trial.answer.statistics.failed_calls == 1


def test_a_toolbox_that_breaks_its_word_is_contained() -> None:
    class Broken(Toolbox):
        def execute(self, call: ToolCall, context: ToolContext) -> ToolResult:
            raise RuntimeError("a secret detail")

    with _quiet():
        trial = run(Scripted(use(look("a"))), parts=_parts(Broken(Desk().toolbox())))
    assert _results(trial)[0][1] is False and "internal error" in _results(trial)[0][3]


def test_what_a_failing_call_stored_is_told() -> None:
    trial = run(Scripted(use(ToolCall("half_put", {}))))
    assert _results(trial)[0][1] is False
    (changed,) = trial.of(GraphChanged)
    assert (changed.nodes, changed.edges) == (2, 1)
    assert trial.answer.statistics.edges == 1


def test_removed_triples_are_told() -> None:
    trial = run(
        Scripted(use(put("Q1930"), put("Q30")), use(ToolCall("drop", {"text": "Q1930"}))),
        graph=None,
    )
    changed = trial.of(GraphChanged)[-1]
    assert changed.removed == ("T1",) and changed.added == () and changed.edges == 1
    assert list(trial.state.graph) == ["T2"]
    assert trial.answer.statistics.edges == 2, "removed later, but it was added"


def test_writing_what_is_there_changes_nothing() -> None:
    trial = run(Scripted(use(put())), graph=filled_graph())
    assert [event.call_id for event in trial.of(GraphChanged)] == [""]


def _parts(toolbox: Toolbox) -> Any:
    def toolbox_for(state: State) -> Toolbox:
        return toolbox

    return parts_with(toolbox_for=toolbox_for)


class _quiet:
    """Keep expected error logs out of the tests' output."""

    def __enter__(self) -> None:
        logging.disable(logging.CRITICAL)

    def __exit__(self, *_: object) -> None:
        logging.disable(logging.NOTSET)
