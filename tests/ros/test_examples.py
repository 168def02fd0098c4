"""The example planner against a real node and the fake detector, each in its own process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.ros.harness import ROOT, Peer, running

PLANNER = str(ROOT / "examples" / "planner.py")
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
