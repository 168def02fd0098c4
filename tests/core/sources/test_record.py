"""Traffic recorded to a file and played back: the same bytes, no secrets, no network."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from robodata_core.errors import (
    ConfigurationError,
    MalformedResponseError,
    SourceError,
    SourceRefusedError,
)
from robodata_core.policy.llm.transport import RecordingTransport, ReplayingTransport
from robodata_core.serve.wikibase import Reply
from robodata_core.sources.http import (
    HttpClient,
    TrafficRecorder,
    TrafficReplay,
    UnrecordedRequestError,
)
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import Canned, limits_for, quick_client, serving, wikidata_at

SECRET = "sk-live-0123456789/+="
ENVIRONMENT = {"OPENAI_API_KEY": SECRET, "HOME": "/home/nobody"}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    with open_snapshot(tiny_snapshot(tmp_path_factory.mktemp("record"))) as source:
        yield source


def replayed(path: Path) -> HttpClient:
    wire = TrafficReplay(path, environment=ENVIRONMENT).wire()
    return quick_client(wire=wire, patient=False)


def test_a_run_is_repeated_without_its_server(snapshot: SnapshotSource, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"

    def run(source: object) -> list[object]:
        assert isinstance(source, type(wikidata))
        return [
            source.search("Douglas Adams"),
            source.entity("Q42"),
            source.statements("Q5", property="P31").statements,
            source.statements_many(["Q16", "Q42"], property="P31"),
            source.sparql("SELECT * WHERE { ?s wdt:P36 ?o }"),
            source.relations(["Q16"]),
        ]

    with serving(snapshot) as server, TrafficRecorder(path) as recorder:
        wikidata = wikidata_at(server, client=quick_client(wire=recorder.wire()))
        there = run(wikidata)
    replay = TrafficReplay(path)
    again = wikidata_at(server, client=quick_client(wire=replay.wire()))
    assert run(again) == there
    assert replay.left == 0


def test_a_request_that_was_not_recorded_fails_in_a_sentence(
    snapshot: SnapshotSource, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    with serving(snapshot) as server, TrafficRecorder(path) as recorder:
        client = quick_client(wire=recorder.wire())
        wikidata_at(server, client=client).entity("Q42")
    source = wikidata_at(server, client=replayed(path))
    with pytest.raises(UnrecordedRequestError, match=r"no answer to GET http://127.0.0.1"):
        source.entity("Q16")
    source.entity("Q42")
    with pytest.raises(UnrecordedRequestError, match="no further answer"):
        wikidata_at(server, client=source._client).entity("Q42")


@pytest.mark.parametrize("fault", ["429=0:1", "500:1", "truncate:1", "slow=30:1", "reset:1"])
def test_faults_are_repeated_as_well(snapshot: SnapshotSource, tmp_path: Path, fault: str) -> None:
    path = tmp_path / "run.jsonl"
    limits = limits_for(fault, tries=1)
    with serving(snapshot, fault) as server, TrafficRecorder(path) as recorder:
        source = wikidata_at(server, client=quick_client(wire=recorder.wire(), limits=limits))
        with pytest.raises(SourceError) as first:
            source.entity("Q42")
        good = source.entity("Q42")
    client = quick_client(wire=TrafficReplay(path).wire(), limits=limits)
    again = wikidata_at(server, client=client)
    with pytest.raises(type(first.value)) as second:
        again.entity("Q42")
    assert str(second.value) == str(first.value)
    assert again.entity("Q42") == good


def test_a_refused_connection_is_repeated(snapshot: SnapshotSource, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with serving(snapshot) as server:
        pass
    refused = pytest.raises(SourceRefusedError, match="cannot be reached")
    with TrafficRecorder(path) as recorder, refused:
        quick_client(wire=recorder.wire()).get(server.api_url)
    with pytest.raises(SourceRefusedError, match="cannot be reached"):
        replayed(path).get(server.api_url)


@pytest.mark.parametrize(
    "body",
    [b"", b"plain", "Füße \u2028 \u0085 \x00".encode(), bytes(range(256)), b"x" * 100_000],
    ids=["empty", "plain", "odd", "binary", "long"],
)
def test_bodies_come_back_byte_for_byte(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "run.jsonl"
    reply = Reply(body=body, kind="application/octet-stream")
    with serving(Canned(reply)) as server, TrafficRecorder(path) as recorder:
        there = quick_client(wire=recorder.wire()).get(server.api_url)
    assert there.body == body
    again = replayed(path).get(server.api_url)
    assert (again.body, again.status) == (there.body, there.status)
    kept = {
        n: v for n, v in there.headers.items() if n not in ("content-length", "content-encoding")
    }
    assert dict(again.headers) == kept


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    told = f'{{"echo": "your key is {SECRET}"}}'.encode()
    reply = Reply(body=told, headers=(("Set-Cookie", "session=abcdef"), ("X-Harmless", "yes")))
    headers = {
        "Authorization": f"Bearer {SECRET}",
        "X-Api-Key": "another-key-123",
        "Cookie": "session=abcdef",
        "X-Odd": f"<{SECRET}>",
    }
    with serving(Canned(reply)) as server:
        with TrafficRecorder(path, environment=ENVIRONMENT) as recorder:
            client = quick_client(wire=recorder.wire(), headers=headers)
            address = f"{server.api_url}?q=1&api_key=hunter22&access_token=tok123&max_tokens=9"
            client.get(address.replace("http://", "http://user:pa55word@"))
            client.request("POST", server.api_url, data={"query": "x", "password": "hunter23"})
        text = path.read_text(encoding="utf-8")
        for secret in (SECRET, "another-key-123", "abcdef", "hunter2", "tok123", "pa55word"):
            assert secret not in text
        assert "%2B%3D" not in text
        for harmless in ("X-Harmless".lower(), "max_tokens=9", "q=1", "query=x", "[removed]"):
            assert harmless in text
        again = replayed(path)
        assert b"[removed]" in again.get(address).body
        again.request("POST", server.api_url, data={"query": "x", "password": "other"})


def test_the_file_is_lines_of_json_for_its_owner(snapshot: SnapshotSource, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with serving(snapshot) as server, TrafficRecorder(path) as recorder:
        client = quick_client(wire=recorder.wire())
        wikidata_at(server, client=client).entity("Q42")
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert first == {"robodata-traffic": 1}
    assert second["request"]["method"] == "GET"
    assert json.loads(second["response"]["text"])["entities"]["Q42"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_streams_are_passed_on_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    pieces = [b"data: 1\n\n", b"data: 2\n\n", b"data: [DONE]\n\n"]
    seen: list[bytes] = []

    class Stream(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for piece in pieces:
                assert len(seen) == pieces.index(piece), "a piece was held back"
                yield piece

    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=Stream())

    with TrafficRecorder(path) as recorder:
        transport = RecordingTransport(recorder, httpx.MockTransport(handler))
        with (
            httpx.Client(transport=transport) as client,
            client.stream("POST", "http://model.test/v1", json={"stream": True}) as response,
        ):
            for piece in response.iter_raw():
                seen.append(piece)
    assert seen == pieces
    with httpx.Client(transport=ReplayingTransport(TrafficReplay(path))) as client:
        assert client.post("http://model.test/v1", json={"stream": True}).content == b"".join(
            pieces
        )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "nonsense",
        '{"robodata-traffic": 99}',
        '{"robodata-traffic": 1}\n{"request": 7}',
        '{"robodata-traffic": 1}\n{"request": {"method": "GET", "url": "http://x/", "text": ""}}',
        '{"robodata-traffic": 1}\n{"request": {"method": "GET", "url": "u"}, "response": {}}',
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        TrafficReplay(path)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        TrafficReplay(tmp_path / "missing.jsonl")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        TrafficRecorder(tmp_path / "missing" / "run.jsonl")


def test_a_recording_ends_with_an_answer_that_was_too_large(
    snapshot: SnapshotSource, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"
    large = pytest.raises(MalformedResponseError, match="larger")
    with serving(snapshot, "oversize=5000000") as server, TrafficRecorder(path) as recorder, large:
        quick_client(wire=recorder.wire()).get(server.api_url)
    with pytest.raises(MalformedResponseError, match="larger"):
        replayed(path).get(server.api_url)


def test_a_full_disk_ends_the_recording_and_not_the_run(
    snapshot: SnapshotSource, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "traffic.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with serving(snapshot) as server, TrafficRecorder(path) as recorder:
        source = wikidata_at(server, client=quick_client(wire=recorder.wire()))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
        try:
            assert source.entity("Q42").label == "Douglas Adams"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert source.entity("Q16").label == "Canada"
        source.close()
    assert "ends early" in caplog.text and path.stat().st_size <= 1_000


def test_a_recording_that_cannot_be_begun_is_told(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no full device here")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        TrafficRecorder(full)
