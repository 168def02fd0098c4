"""Traffic with a language model in a recording: streams come back, keys stay out."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core.policy.llm.client import ModelLimits, OpenAIClient
from robodata_core.policy.llm.transport import RecordingTransport, ReplayingTransport
from robodata_core.serve.wikibase import Reply as WikibaseReply
from robodata_core.sources.http import (
    TrafficRecorder,
    TrafficReplay,
    UnrecordedRequestError,
)
from tests.core.policy.llm.server import Reply, model_server
from tests.core.sources.live import Canned, quick_client, serving

pytest.importorskip("openai", reason="the openai package is not installed (extra 'llm')")

KEY = "sk-test-0123456789abcdef"
MESSAGES = [{"role": "user", "content": "hello"}]
LIMITS = ModelLimits(tries=2, backoff_seconds=0.001)


def test_a_completion_is_repeated_without_its_server(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    reply = Reply(text="hello to you", calls=(("search_entities", {"text": "Canada"}),))
    with model_server(lambda request: reply) as server, TrafficRecorder(path) as recorder:
        client = OpenAIClient(
            server.url, api_key=KEY, limits=LIMITS, transport=RecordingTransport(recorder)
        )
        first = client.complete(MESSAGES, model="m")
        client.close()
    assert first.text == "hello to you"
    assert KEY not in path.read_text(encoding="utf-8")
    replay = TrafficReplay(path)
    again = OpenAIClient(
        server.url, api_key="another", limits=LIMITS, transport=ReplayingTransport(replay)
    )
    assert again.complete(MESSAGES, model="m") == first
    with pytest.raises(UnrecordedRequestError, match="no answer to POST"):
        again.complete([{"role": "user", "content": "something else"}], model="m")


def test_source_and_model_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script = Reply(text="yes")
    with model_server(lambda request: script) as server, TrafficRecorder(path) as recorder:
        client = OpenAIClient(
            server.url, api_key=KEY, limits=LIMITS, transport=RecordingTransport(recorder)
        )
        client.complete(MESSAGES, model="m")
        with serving(Canned(WikibaseReply(body=b"{}"))) as wikibase:
            quick_client(wire=recorder.wire()).get(wikibase.api_url)
    replay = TrafficReplay(path)
    assert replay.left == 2
    quick_client(wire=replay.wire()).get(wikibase.api_url)
    again = OpenAIClient(
        server.url, api_key=KEY, limits=LIMITS, transport=ReplayingTransport(replay)
    )
    assert again.complete(MESSAGES, model="m").text == "yes"
    assert replay.left == 0
