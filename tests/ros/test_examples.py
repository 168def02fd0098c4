"""The example planner against a real node and the fake detector, each in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ros.harness import ROOT, NodeProcess, Peer, running

PLANNER = str(ROOT / "examples" / "planner.py")
KITCHEN = str(ROOT / "examples" / "kitchen.py")
PROBLEM = str(ROOT / "examples" / "pddl_problem.py")
DETECTOR = str(ROOT / "examples" / "fake_detector.py")


@pytest.mark.parametrize("detector", [True, False], ids=["with facts", "by asking"])
def test_the_planner_knows_where_the_cup_goes(peer: Peer, detector: bool) -> None:
    place = ["--ros-args", "-r", "__ns:=/demo"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with running("/demo", peer):
        eyes = subprocess.Popen([sys.executable, DETECTOR, *place], env=env) if detector else None
        try:
            done = subprocess.run(
                [sys.executable, PLANNER, *place, "-p", f"patience:={60.0 if detector else 0.1}"],
                env=env,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
        finally:
            if eyes is not None:
                eyes.terminate()
                eyes.wait(timeout=60)
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert "The cup goes to the kitchen" in said
        assert ("asking:" in said) is not detector


@contextmanager
def kitchen(peer: Peer, ask_by: str) -> Iterator[tuple[NodeProcess, str]]:
    """Give a real node that was shown a minute of noisy detections, and how it fared when asked."""
    # The flat is shown faster than it happened, and asked about for longer than it was shown.
    with running("/flat", peer, "lost_after:=0.0", ROBODATA_SOURCE="snapshot:household") as node:
        place = ["--ros-args", "-r", "__ns:=/flat"]
        yield node, _run(KITCHEN, *place, "-p", "minutes:=1.0", "-p", f"ask_by:=[{ask_by}]")


def test_the_kitchen_is_told_in_words(peer: Peer) -> None:
    with kitchen(peer, "words") as (_, told):
        assert "By words: {'right': 60, 'wrong': 0, 'none': 0}" in told, told


def test_the_kitchen_is_told_by_type_and_as_a_planning_problem(peer: Peer, tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(
        "(define (domain tidy) (:types vessel fruit room - object cup - vessel"
        " kitchen bathroom - room)"
        " (:predicates (in ?a - vessel ?b - room) (seen ?a - vessel) (free)))"
    )
    with kitchen(peer, "type") as (node, told):
        assert "By type: {'right': 125, 'wrong': 0}" in told, told
        more = ("--node", node.name, "--init", "(free)", "--goal", "(seen cup_1)")
        problem = _run(PROBLEM, str(domain), *more)
    assert "orange_1 - fruit" in problem and "    (free)\n" in problem
    assert problem.count("(in cup_") == 5 and "(:goal (seen cup_1))" in problem
    assert problem.count(" bathroom)") == 1


def _run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
