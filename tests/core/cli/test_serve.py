"""``robodata serve-wikibase``: its options, and the command as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from robodata_core.cli import run
from robodata_core.errors import NotFoundError
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.wikibase import WikibaseSite, WikidataSource
from tests.core.fixtures import tiny_snapshot
from tests.core.sources.live import quick_client, serving


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--source", "snapshot:no-such-one"], "no snapshot"),
        (["--source", "nonsense"], "no source"),
        (["--port", "70000"], "70000"),
        (["--redirect", "Q900"], "OLD=NEW"),
    ],
)
def test_wrong_options(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert run(["serve-wikibase", *arguments]) in (2, 3)
    assert words in capsys.readouterr().err


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "robodata_core.cli", "serve-wikibase", "--port", "0"]
    command += ["--source", f"snapshot:{tiny_snapshot(tmp_path)}"]
    command += ["--redirect", "Q900=Q42"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        api, sparql = (process.stdout.readline().split("=", 1)[1].strip() for _ in range(2))
        source = WikidataSource(quick_client(), site=WikibaseSite("wikidata", api, sparql))
        assert source.entity("Q900").label == "Douglas Adams"
        with pytest.raises(NotFoundError):
            source.entity("Q999")
        assert source.sparql("ASK { ?s ?p ?o }").boolean is True
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=90)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_question_is_asked_recorded_and_asked_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, file = "What is the capital of Canada?", str(tmp_path / "traffic.jsonl")
    monkeypatch.setenv("ROBODATA_CACHE", str(tmp_path / "cache"))
    with open_snapshot(tiny_snapshot(tmp_path)) as snapshot, serving(snapshot) as server:
        monkeypatch.setenv("ROBODATA_WIKIDATA_API", server.api_url)
        monkeypatch.setenv("ROBODATA_WIKIDATA_SPARQL", server.sparql_url)
        assert run(["ask", "--source", "wikidata", "--record", file, question]) == 0
        first = capsys.readouterr().out
    # The server is gone; only the recording is left.
    assert run(["ask", "--source", "wikidata", "--replay-traffic", file, question]) == 0
    minute = re.compile(r"fetched [0-9-]+ [0-9:]+ UTC")
    assert minute.sub("", capsys.readouterr().out) == minute.sub("", first)
    assert minute.search(first)
    assert "Ottawa" in first
    assert run(["ask", "--source", "wikidata", question]) == 3
    assert "cannot be reached" in capsys.readouterr().err
