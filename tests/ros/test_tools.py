"""``ros2`` and ``launch`` themselves: what the documents tell people to type brings up the node.

They come with ROS installations. Elsewhere these tests are skipped, unless launch, launch_ros,
ros2cli and its commands are on the path. Commands that need more than these (``service``,
``topic``, ``lifecycle`` want rosidl_runtime_py) are taken apart in ``test_commands.py``.
"""

from __future__ import annotations

import configparser
import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lifecycle_msgs.msg import Transition

from robodata_msgs.msg import Map
from robodata_msgs.srv import AskQuestion
from robodata_ros import qos
from tests.conftest import ROOT
from tests.ros.harness import PATIENCE, Collector, Peer, eventually

MISSING = [name for name in ("launch_ros", "ros2cli") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"{' and '.join(MISSING)} not installed: they come with ROS"
)
STAND_IN = """class LoadNode:
    class Request: ...
"""
"""composition_interfaces: launch_ros imports it for containers alone, and no wheel has it."""
ROS2 = "import sys; from ros2cli.cli import main; sys.exit(main())"


class Ros2:
    """The ``ros2`` command, with the package installed as setup.cfg lays it out."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self._output = prefix / "said"
        self._env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        # The node's first line asks for any python3: it must be the one that has rclpy.
        self._env["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._env["AMENT_PREFIX_PATH"] = f"{prefix}:{sys.prefix}"
        path = [str(ROOT), *filter(None, sys.path)]
        if importlib.util.find_spec("composition_interfaces") is None:
            stand_in = prefix / "stand_in" / "composition_interfaces"
            stand_in.mkdir(parents=True)
            (stand_in / "__init__.py").touch()
            (stand_in / "srv.py").write_text(STAND_IN)
            path.append(str(stand_in.parent))
        self._env["PYTHONPATH"] = ":".join(path)

    def stand_in(self, package: str, script: str) -> None:
        """Install a package with one executable of its name."""
        marker = self.prefix / "share" / "ament_index" / "resource_index" / "packages" / package
        marker.touch()
        path = self.prefix / "lib" / package / package
        path.parent.mkdir(parents=True)
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)

    def said(self) -> str:
        """Return what the command that runs, or ran last, has said so far."""
        return self._output.read_text(encoding="utf-8", errors="replace")

    def __call__(self, *words: str) -> str:
        """Run a command that ends, and return what it said."""
        done = subprocess.run(
            [sys.executable, "-c", ROS2, *words],
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextlib.contextmanager
    def running(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command that goes on until it is told to end, as by Ctrl+C."""
        with self._output.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", ROS2, *words],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                # Without a terminal launch passes the signal on, and run does not.
                send = os.kill if words[0] == "launch" else os.killpg
                send(process.pid, signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise AssertionError("it did not end") from None


@pytest.fixture(scope="module")
def ros2(tmp_path_factory: pytest.TempPathFactory) -> Ros2:
    prefix = tmp_path_factory.mktemp("prefix")
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    for folder, patterns in setup["options.data_files"].items():
        (prefix / folder).mkdir(parents=True, exist_ok=True)
        for path in (path for pattern in patterns.split() for path in ROOT.glob(pattern)):
            shutil.copy(path, prefix / folder / path.name)
    return Ros2(prefix)


def until_state(peer: Peer, node: str, wanted: str) -> None:
    end = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(AssertionError):
            if peer.state_of(node, 5.0) == wanted:
                return
        time.sleep(0.1)
    raise AssertionError(f"{node} did not become {wanted}")


def test_launched_it_is_known_to_the_tools_and_answers(peer: Peer, ros2: Ros2) -> None:
    words = ("robodata.launch.py", "namespace:=launched", "autostart:=false")
    name = "/launched/robodata"
    with ros2.running("launch", "robodata", *words) as process:
        until_state(peer, name, "unconfigured")
        listed = ("node", "list", "--no-daemon", "--spin-time", "2")
        eventually(lambda: name in ros2(*listed).split())
        assert "False" in ros2("param", "get", "--no-daemon", "--spin-time", "5", name, "autostart")
        assert peer.change(name, Transition.TRANSITION_CONFIGURE)
        assert peer.change(name, Transition.TRANSITION_ACTIVATE)
        question = AskQuestion.Request(question="What is a knife made of?")
        response = peer.call(AskQuestion, f"{name}/ask", question)
        assert response.success and "steel" in response.answer.text
    assert process.returncode == 0


def test_the_demo_brings_up_all_three(peer: Peer, ros2: Ros2) -> None:
    with ros2.running("launch", "robodata", "demo.launch.py") as process:
        until_state(peer, "/robodata", "active")
        eventually(lambda: "fake_detector" in peer.node.get_node_names())
        # The planner goes once it has its answer, so it may never be seen.
        eventually(lambda: "[planner]: The cup goes to the kitchen" in ros2.said())
        maps = Collector(peer, Map, "/robodata/map", qos.MAP)
        try:
            maps.until(lambda got: got and got[-1].objects)
        finally:
            maps.close()
    assert process.returncode == 0


def test_a_node_that_was_killed_is_started_again_where_that_is_asked_for(
    peer: Peer, ros2: Ros2
) -> None:
    words = ("robodata.launch.py", "namespace:=again", "respawn:=true")
    with ros2.running("launch", "robodata", *words) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until_state(peer, "/again/robodata", "active")
        (node,) = children.read_text().split()
        os.kill(int(node), signal.SIGKILL)
        eventually(lambda: children.read_text().split() not in ([], [node]))
        until_state(peer, "/again/robodata", "active")
    assert process.returncode == 0


def test_run_starts_the_node_by_the_name_of_its_executable(peer: Peer, ros2: Ros2) -> None:
    words = ("--ros-args", "-r", "__ns:=/ran", "-p", "autostart:=true")
    with ros2.running("run", "robodata", "node", *words):
        until_state(peer, "/ran/robodata", "active")


def test_the_arguments_of_the_launch_files_are_told(ros2: Ros2) -> None:
    told = ros2("launch", "robodata", "robodata.launch.py", "--show-args")
    assert all(f"'{name}'" in told for name in ("namespace", "params_file", "autostart", "respawn"))
    rviz = ros2("launch", "robodata", "visualization.launch.py", "--show-args")
    assert "'frame'" in rviz


def test_rviz_is_started_on_the_maps_markers(ros2: Ros2) -> None:
    """With a program in RViz' place that writes down what it is given: no wheel has RViz."""
    told = ros2.prefix / "rviz.txt"
    ros2.stand_in("rviz2", f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}\n')
    words = ("visualization.launch.py", "namespace:=robot", "frame:=odom")
    ros2("launch", "robodata", *words)
    given = told.read_text(encoding="utf-8").splitlines()
    config = Path(given[given.index("-d") + 1])
    assert config == ros2.prefix / "share" / "robodata" / "config" / "map.rviz" and config.is_file()
    assert given[given.index("--fixed-frame") + 1] == "odom"
    assert "/robodata/markers:=robot/robodata/markers" in given
    assert "Value: /robodata/markers" in config.read_text(encoding="utf-8")
