"""Real nodes in processes of their own, and a client node that spins in a thread.

Tests talk to nodes through ROS alone. Everything here ends what it started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy._rclpy_pybind11 import RCLError
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60.0
"""Seconds after which something that should happen counts as not happening."""


class NodeProcess:
    """A robodata node in its own process."""

    def __init__(
        self, namespace: str, parameters: Sequence[str] = (), params_file: str = "", **env: str
    ) -> None:
        self.namespace = namespace
        self.name = f"{namespace}/robodata"
        module = "tests.ros.faulty_node" if "ROBODATA_TEST_SLOW" in env else "robodata_ros.process"
        command = [sys.executable, "-m", module, "--ros-args", "-r"]
        command.append(f"__ns:={namespace or '/'}")
        if params_file:
            command += ["--params-file", params_file]
        for parameter in parameters:
            command += ["-p", parameter]
        # A file: a pipe that nobody reads would stop a node that says much.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as this object)
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )

    def stop(self, sent: int = signal.SIGINT, timeout: float = PATIENCE) -> str:
        """Send a signal, wait, and return what the process said."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the node did not end: {self.said()}") from None
        return self.said()

    def said(self) -> str:
        """Return what the process has said so far."""
        self._output.seek(0)
        return self._output.read().decode("utf-8", "replace")


class Peer:
    """A node that talks to others; its executor spins in a thread of its own."""

    def __init__(self, name: str = "peer") -> None:
        self.node = Node(name)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="peer-spin")
        self._thread.start()

    def _spin(self) -> None:
        while rclpy.ok() and not self._over.is_set():
            try:
                self.executor.spin_once(timeout_sec=0.2)
            except ExternalShutdownException:
                return
            except RCLError as error:
                # Tests destroy clients in their own thread, and rclpy may just be about to wait
                # for one that is gone.
                print(f"the peer's executor goes on after: {error}")
            except Exception:
                # Without it, everything that this test and later ones of the module wait for
                # would be late, and none of them would tell why.
                print("the peer's executor goes on after:")
                traceback.print_exc(file=sys.stdout)

    def close(self) -> None:
        """Stop spinning, then take the node down."""
        self._over.set()
        self.executor.wake()
        self._thread.join()
        self.executor.shutdown()
        self.node.destroy_node()

    def call(self, kind: Any, name: str, request: Any, timeout: float = PATIENCE) -> Any:
        """Call a service and wait for its response."""
        client = self.node.create_client(kind, name)
        try:
            assert client.wait_for_service(timeout), f"there is no service {name}"
            return wait(client.call_async(request), timeout)
        finally:
            self.node.destroy_client(client)

    def state_of(self, node: str, timeout: float = PATIENCE) -> str:
        """Return the life cycle state of a node."""
        response = self.call(GetState, f"{node}/get_state", GetState.Request(), timeout)
        return str(response.current_state.label)

    def change(self, node: str, transition: int) -> bool:
        """Ask for a transition, and tell whether it was made."""
        request = ChangeState.Request(transition=Transition(id=transition))
        return bool(self.call(ChangeState, f"{node}/change_state", request).success)

    def until_active(self, node: NodeProcess) -> None:
        """Wait until a node that starts itself is active."""
        self.until_state(node, "active")

    def until_state(self, node: NodeProcess, wanted: str) -> None:
        """Wait until a node is in a state of its life cycle."""
        end = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < end:
            if node.process.poll() is not None:
                raise AssertionError(f"the node ended: {node.stop()}")
            # Asked again, because a node that is just starting may miss a request.
            with contextlib.suppress(AssertionError):
                if self.state_of(node.name, 5.0) == wanted:
                    return
            time.sleep(0.05)
        raise AssertionError(f"the node did not become {wanted}: {node.said()}")

    def until_watched(self, node: NodeProcess) -> None:
        """Wait until the node knows somebody who listens to its events: it tells nobody else."""
        name = f"{node.name.lstrip('/')}: status"

        def knows(reports: list[Any]) -> bool:
            told = [status for report in reports for status in report.status]
            ours = [status.values for status in told if status.name == name][-1:]
            return any(item.key == "watchers" and item.value != "0" for item in sum(ours, []))

        reports = Collector(self, DiagnosticArray, "/diagnostics", 10)
        try:
            reports.until(knows)
        finally:
            reports.close()


class Collector:
    """Keeps what comes on a topic."""

    def __init__(self, peer: Peer, kind: Any, topic: str, qos: Any) -> None:
        self.messages: list[Any] = []
        self._changed = threading.Condition()
        self._peer = peer
        self._subscription = peer.node.create_subscription(kind, topic, self._take, qos)

    def _take(self, message: Any) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def until(self, wanted: Callable[[list[Any]], Any], timeout: float = PATIENCE) -> Any:
        """Wait until ``wanted`` says something true of the messages, and return that."""
        with self._changed:
            self._changed.wait_for(lambda: wanted(self.messages), timeout)
            found = wanted(self.messages)
        assert found, f"not among {len(self.messages)} messages"
        return found

    def close(self) -> None:
        """Take no more."""
        self._peer.node.destroy_subscription(self._subscription)


def wait(future: Any, timeout: float = PATIENCE) -> Any:
    """Wait for a future that another thread's executor completes."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(timeout), "nothing came back"
    return future.result()


def eventually(condition: Callable[[], Any], timeout: float = PATIENCE) -> Any:
    """Wait until a condition holds, and return what it says."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


@contextlib.contextmanager
def running(namespace: str, peer: Peer, *parameters: str, **env: str) -> Iterator[NodeProcess]:
    """Run an active node; it must end cleanly when it is told to."""
    node = NodeProcess(namespace, ["autostart:=true", *parameters], **env)
    try:
        peer.until_active(node)
        yield node
    finally:
        said = node.stop()
    assert node.process.returncode == 0, said
