"""Relations found by meaning: a real service on this machine, its failures, and what is kept."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.cli._main import run
from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, SourceError
from robodata_core.model import Answer
from robodata_core.policy.offline.embeddings import (
    CachedEmbedder,
    EndpointEmbedder,
    open_embedder,
    similarity,
)
from robodata_core.sources.snapshot import SnapshotSource

# The meanings that the model of these tests knows, one dimension each.
_MEANINGS = (
    ("planted by", "laid out", "cultivated"),
    ("has bloom", "petals", "petals found"),
    ("lies near", "adjoins"),
    ("taught by", "apprenticed"),
)


def _vector(text: str) -> list[float]:
    """Give words of one meaning nearly the same direction, and all others their own."""
    numbers = [float(text in words) * 3.0 for words in _MEANINGS]
    other = not any(numbers)
    return [*numbers, 1.0 if other else 0.1, 0.0 if other else 0.2]


@dataclass
class Service:
    """A loopback service that speaks the embeddings protocol.

    Attributes:
        url: Its base address.
        asked: Every text it was asked for.
        tokens: The Authorization headers it saw.
        reply: Makes its answer from the texts; tests put other ones in.
        status: Status of its answers.
    """

    url: str = ""
    asked: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    status: int = 200
    reply: Callable[[list[str]], Any] = lambda texts: {
        "object": "list",
        "data": [
            {"object": "embedding", "index": i, "embedding": _vector(text)}
            for i, text in reversed(list(enumerate(texts)))
        ],
    }


@pytest.fixture
def service() -> Iterator[Service]:
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/embeddings"
            assert body["model"] == "tiny"
            state.asked += body["input"]
            state.tokens.append(self.headers.get("Authorization", ""))
            data = json.dumps(state.reply(body["input"])).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def ask_by_meaning(
    service: Service, gardens: SnapshotSource, tmp_path: Path
) -> Iterator[Callable[[str], Answer]]:
    with RoboData.open(
        source=f"snapshot:{gardens.folder}",
        semantic="endpoint",
        semantic_url=service.url,
        semantic_model="tiny",
        cache=str(tmp_path / "cache"),
    ) as robodata:
        yield robodata.ask


def _labels(answer: Answer) -> set[str]:
    return {item.label for item in answer.results}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who cultivated Low Garden?", {"Cleo Vine"}),
        ("Which petals does Rose Hill have?", {"Red Star", "Night Bell"}),
        ("Who apprenticed Ben Reed?", {"Ada Moss"}),
    ],
)
def test_words_that_no_relation_is_called_are_read_by_meaning(
    ask_by_meaning: Callable[[str], Answer],
    ask_gardens: Callable[[str], Answer],
    question: str,
    expected: set[str],
) -> None:
    assert ask_gardens(question).status.value == "unknown"
    answer = ask_by_meaning(question)
    assert _labels(answer) == expected, answer.text
    assert answer.claims
    assert all(claim.supported for claim in answer.claims)


def test_what_words_say_is_not_asked(
    ask_by_meaning: Callable[[str], Answer], service: Service
) -> None:
    assert _labels(ask_by_meaning("Who planted Rose Hill?")) == {"Ada Moss"}
    assert service.asked == []


def test_a_word_of_another_meaning_stays_unknown(
    ask_by_meaning: Callable[[str], Answer], service: Service
) -> None:
    assert ask_by_meaning("Who is the auditor of Rose Hill?").status.value == "unknown"
    assert "auditor" in service.asked


def test_every_text_is_asked_for_once(
    ask_by_meaning: Callable[[str], Answer], service: Service
) -> None:
    for _ in range(3):
        ask_by_meaning("Who cultivated Low Garden?")
    assert len(service.asked) == len(set(service.asked)) > 0


def test_what_was_asked_is_kept_on_disk_by_model(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    first = CachedEmbedder(EndpointEmbedder(service.url, "tiny"), path)
    vectors = first.embed(["apprenticed", "petals", "apprenticed"])
    first.close()
    assert similarity(vectors[0], vectors[2]) == pytest.approx(1.0)
    again = CachedEmbedder(EndpointEmbedder(service.url, "tiny"), path)
    assert [list(v) for v in again.embed(["petals", "apprenticed"])] == [
        pytest.approx(list(vectors[1])),
        pytest.approx(list(vectors[0])),
    ]
    again.close()
    assert service.asked == ["apprenticed", "petals"]


@pytest.mark.parametrize(
    "reply",
    [
        lambda texts: {},
        lambda texts: [1],
        lambda texts: {"data": []},
        lambda texts: {"data": [{"index": 0, "embedding": [1.0]}] * (len(texts) + 1)},
        lambda texts: {"data": [{"index": 7, "embedding": [1.0]} for _ in texts]},
        lambda texts: {"data": [{"index": i, "embedding": []} for i in range(len(texts))]},
        lambda texts: {"data": [{"index": i, "embedding": ["x"]} for i in range(len(texts))]},
        lambda texts: {"data": [{"index": i, "embedding": [0.0]} for i in range(len(texts))]},
        lambda texts: {"data": [{"index": i, "embedding": None} for i in range(len(texts))]},
        lambda texts: {
            "data": [{"index": i, "embedding": [1.0] * (i + 1)} for i in range(len(texts))]
        },
    ],
)
def test_nonsense_is_refused(service: Service, reply: Callable[[list[str]], Any]) -> None:
    service.reply = reply
    embedder = EndpointEmbedder(service.url, "tiny")
    with pytest.raises(SourceError, match="one vector for every text"):
        embedder.embed(["a", "b"])
    embedder.close()


def test_without_an_answer_words_alone_decide_and_it_is_said(
    ask_by_meaning: Callable[[str], Answer], service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    service.status = 404
    answer = ask_by_meaning("Who cultivated Low Garden?")
    assert answer.status.value == "unknown"
    assert any("embeddings" in note for note in answer.notes)
    assert any("embeddings failed" in record.message for record in caplog.records)
    # What needs no embeddings is answered as ever.
    assert _labels(ask_by_meaning("Who planted Rose Hill?")) == {"Ada Moss"}
    for _ in range(5):
        ask_by_meaning("Who cultivated Fern House?")
    tried = len(service.tokens)
    assert any("embeddings" in n for n in ask_by_meaning("Who cultivated Rose Hill?").notes)
    assert len(service.tokens) == tried  # it is not asked for ever


def test_the_token_is_sent_to_the_service_alone(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ROBODATA_EMBEDDINGS_TOKEN", "s3cret")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    settings = Settings(
        semantic="endpoint",
        semantic_url=service.url,
        semantic_model="tiny",
        cache=str(tmp_path),
    )
    embedder = open_embedder(settings)
    assert embedder is not None
    embedder.embed(["petals"])
    embedder.close()
    assert service.tokens == ["Bearer s3cret"]


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--semantic", "endpoint"], "No embedding model"),
        (["--semantic", "endpoint", "--semantic-model", "tiny"], "No embeddings service"),
        (
            ["--semantic", "endpoint", "--semantic-model", "t", "--semantic-url", "nowhere"],
            "is no address",
        ),
    ],
)
def test_what_is_missing_is_named(
    flags: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", *flags, "What is the capital of Canada?"]) == 2
    assert word in capsys.readouterr().err


def test_the_extra_is_named_where_it_is_missing() -> None:
    from importlib.util import find_spec

    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed here")
    with pytest.raises(ConfigurationError, match="not installed"):
        open_embedder(Settings(semantic="local", semantic_model="tiny"))


def test_off_needs_nothing() -> None:
    assert open_embedder(Settings()) is None


_STAND_IN = """
class SentenceTransformer:
    def __init__(self, name):
        if name != "tiny":
            raise OSError(f"no model called {name}")

    def encode(self, texts):
        return [(3.0, 4.0) if "petal" in text else (0.0, 2.0) for text in texts]
"""


def test_a_local_model_is_used_as_its_library_offers_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A stand-in for sentence-transformers, which is too heavy to be installed for tests."""
    (tmp_path / "sentence_transformers.py").write_text(_STAND_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    settings = Settings(semantic="local", semantic_model="tiny", cache=str(tmp_path))
    embedder = open_embedder(settings)
    assert embedder is not None
    petals, other = embedder.embed(["petals", "other"])
    embedder.close()
    assert list(petals) == pytest.approx([0.6, 0.8])
    assert similarity(petals, other) == pytest.approx(0.8)
    with pytest.raises(ConfigurationError, match="no model called huge"):
        open_embedder(Settings(semantic="local", semantic_model="huge"))
    sys.modules.pop("sentence_transformers", None)
