"""Relations found by meaning: a real service on this machine, its failures, and what is kept."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.cli import run
from robodata_core.config import Settings
from robodata_core.errors import CancelledError, ConfigurationError, SourceError
from robodata_core.model import Answer
from robodata_core.policy.offline.embeddings import EndpointEmbedder, open_embedder
from robodata_core.policy.offline.vector_cache import CachedEmbedder
from robodata_core.policy.offline.vectors import similarity
from robodata_core.sources.snapshot import SnapshotSource

from .real_model import real_model

# The meanings that the model of these tests knows.
_MEANINGS = (
    ("planted by", "laid out", "cultivated"),
    ("has bloom", "petals", "petals found"),
    ("lies near", "adjoins"),
    ("taught by", "apprenticed"),
)
_SIZE = 48


@cache
def _direction(word: str) -> tuple[float, ...]:
    """Give a word a direction of its own; so many directions have little in common."""
    chance = random.Random(word)
    return tuple(chance.gauss(0.0, 1.0) for _ in range(_SIZE))


def _vector(text: str, common: float = 0.0) -> list[float]:
    """Add the directions of a text's meanings and words.

    Args:
        text: The text.
        common: How much all vectors have in common, as those of many models do.
    """
    parts = [(words[0], 3.0) for words in _MEANINGS if any(word in text for word in words)]
    parts += [(word, 0.3 if parts else 1.0) for word in text.split()]
    summed = [sum(w * _direction(word)[at] for word, w in parts) for at in range(_SIZE)]
    length = sum(number * number for number in summed) ** 0.5
    return [*(number / length for number in summed), common]


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


def test_what_all_vectors_have_in_common_means_nothing(
    ask_by_meaning: Callable[[str], Answer], service: Service
) -> None:
    """A model to which all texts are alike is read by what stands out all the same."""
    service.reply = lambda texts: {"data": [{"embedding": _vector(text, 2.0)} for text in texts]}
    assert _labels(ask_by_meaning("Who cultivated Low Garden?")) == {"Cleo Vine"}
    assert ask_by_meaning("Who is the auditor of Rose Hill?").status.value == "unknown"


def test_an_answer_says_what_it_read_by_meaning(ask_by_meaning: Callable[[str], Answer]) -> None:
    notes = ask_by_meaning("Who cultivated Low Garden?").notes
    assert any("“cultivated” was read as “planted by”" in note for note in notes)
    assert not ask_by_meaning("Who planted Low Garden?").notes


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
    service.reply = lambda texts: {"error": {"message": "model tiny\x1b[31m not found"}}
    answer = ask_by_meaning("Who cultivated Low Garden?")
    assert answer.status.value == "unknown"
    assert any("status 404 (model tiny not found)" in note for note in answer.notes)
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


@dataclass
class Interrupted:
    """An embedder during whose work somebody cancels."""

    token: CancelToken
    name: str = "interrupted"
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[array[float]]:
        self.asked += texts
        self.token.cancel()
        return [array("f", [1.0]) for _ in texts]

    def close(self) -> None:
        """Nothing to release."""


def test_a_long_list_is_made_in_parts_and_each_part_is_kept(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(150)]
    inner = Interrupted(CancelToken())
    first = CachedEmbedder(inner, tmp_path / "embeddings.sqlite")
    with pytest.raises(CancelledError):
        first.embed(texts, inner.token)
    first.close()
    assert 0 < len(inner.asked) < len(texts)
    again = CachedEmbedder(inner, tmp_path / "embeddings.sqlite")
    assert len(again.embed(texts)) == len(texts)
    again.close()
    assert inner.asked == texts


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_a_cache_that_cannot_be_used_is_no_error(
    service: Service, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "embeddings.sqlite"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    embedder = CachedEmbedder(EndpointEmbedder(service.url, "tiny"), path)
    assert len(embedder.embed(["petals", "petals"])) == 2
    embedder.close()
    assert service.asked == ["petals"]


def test_kept_vectors_are_checked(service: Service, tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    first = CachedEmbedder(EndpointEmbedder(service.url, "tiny"), path)
    (vector,) = first.embed(["petals"])
    first.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE vectors SET body = ?", (b"\x00\x00\xc0\x7f" * 8,))
    connection.close()
    again = CachedEmbedder(EndpointEmbedder(service.url, "tiny"), path)
    assert list(again.embed(["petals"])[0]) == list(vector)
    again.close()
    assert service.asked == ["petals", "petals"]


def _flags(service: Service) -> list[str]:
    flags = ["--semantic", "endpoint", "--semantic-url", service.url]
    return [*flags, "--semantic-model", "tiny"]


def test_doctor_tries_the_model(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    run(["doctor", *_flags(service)])
    assert f"embeddings: tiny gives {_SIZE + 1} numbers a text" in capsys.readouterr().out
    service.status = 404
    run(["doctor", *_flags(service)])
    assert "✗ embeddings: The embeddings service at" in capsys.readouterr().out


def test_nothing_is_measured_with_a_service_that_fails(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "questions.tsv"
    questions.write_text(
        "question\texpected\nWhat is the capital of Canada?\tQ1930\n", encoding="utf-8"
    )
    assert run(["bench", "run", str(questions), *_flags(service)]) == 0
    service.status = 404
    assert run(["bench", "run", str(questions), *_flags(service)]) != 0
    assert "status 404" in capsys.readouterr().err


def test_off_needs_nothing() -> None:
    assert open_embedder(Settings()) is None


# -- a model on this machine -----------------------------------------------------------------


def test_the_extra_is_named_where_it_is_missing() -> None:
    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed here")
    with pytest.raises(ConfigurationError, match="not installed"):
        open_embedder(Settings(semantic="local", semantic_model="tiny"))


_STAND_IN = """
loaded = []


class SentenceTransformer:
    def __init__(self, name, local_files_only):
        assert local_files_only
        if name != "tiny" and "good" not in name:
            raise OSError(f"no model called {name}")
        loaded.append(name)

    def encode(self, texts, show_progress_bar):
        assert not show_progress_bar
        return [(3.0, 4.0) if "petal" in text else (0.0, 2.0) for text in texts]
"""


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[], list[str]]]:
    """A stand-in for sentence-transformers, which is too heavy to be installed for tests.

    It tells which models were loaded.
    """
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "sentence_transformers.py").write_text(_STAND_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)

    def loaded() -> list[str]:
        library = sys.modules.get("sentence_transformers")
        return list(library.loaded) if library is not None else []

    yield loaded
    sys.modules.pop("sentence_transformers", None)


def _local(model: str, cache: Path) -> Settings:
    return Settings(semantic="local", semantic_model=model, cache=str(cache))


def test_a_local_model_is_used_as_its_library_offers_it(
    stand_in: Callable[[], list[str]], tmp_path: Path
) -> None:
    embedder = open_embedder(_local("tiny", tmp_path))
    assert embedder is not None
    petals, other = embedder.embed(["petals", "other"])
    embedder.close()
    assert list(petals) == pytest.approx([0.6, 0.8])
    assert similarity(petals, other) == pytest.approx(0.8)


def test_a_model_is_loaded_only_when_something_new_is_asked(
    stand_in: Callable[[], list[str]], tmp_path: Path
) -> None:
    folder = tmp_path / "good"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    for expected in (1, 1):
        embedder = open_embedder(_local(str(folder), tmp_path))
        assert embedder is not None
        embedder.embed(["petals"])
        embedder.close()
        assert stand_in() == [str(folder)] * expected
    (folder / "config.json").write_text('{"another": "model"}', encoding="utf-8")
    embedder = open_embedder(_local(str(folder), tmp_path))
    assert embedder is not None
    embedder.embed(["petals"])
    embedder.close()
    assert stand_in() == [str(folder)] * 2


@pytest.mark.parametrize(
    ("model", "word"),
    [
        ("huge", "'huge' is not on this machine"),
        ("./nowhere", "no folder './nowhere'"),
        ("/nowhere/at/all", "no folder"),
        ("empty", "holds no model"),
    ],
)
def test_a_model_that_is_not_there_is_named_at_once(
    stand_in: Callable[[], list[str]],
    model: str,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=word):
        open_embedder(_local(model, tmp_path))


def test_a_model_that_cannot_be_loaded_ends_the_run_with_a_sentence(
    stand_in: Callable[[], list[str]],
    gardens: SnapshotSource,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROBODATA_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    flags = ["--semantic", "local", "--semantic-model", str(folder)]
    flags += ["--source", f"snapshot:{gardens.folder}"]
    assert run(["ask", *flags, "Who cultivated Rose Hill?"]) != 0
    told = capsys.readouterr()
    assert "cannot be loaded" in told.out + told.err
    assert "Traceback" not in told.out + told.err


@pytest.mark.timeout(900)
def test_a_real_model_reads_words_that_no_relation_is_called(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"semantic": "local", "semantic_model": real_model()}
    with RoboData.open(cache=str(tmp_path), **settings) as robodata:
        assert _labels(robodata.ask("Which malady did Franz Kafka have?")) == {"tuberculosis"}
        assert robodata.ask("Who was the dentist of Douglas Adams?").status.value == "unknown"
