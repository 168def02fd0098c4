"""``robodata doctor``: a clear verdict for each part."""

from __future__ import annotations

from pathlib import Path

import pytest

from robodata_core.cli import run
from robodata_core.trust import trust
from tests.core.policy.llm.server import Reply, model_server
from tests.core.store.endpoint import Endpoint


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_the_default_setup_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split(" ", 1)[1].split(":")[0] for line in out] == [
        *("settings", "model", "source", "store", "ROS")
    ]
    assert any("Canada (Q16)" in line for line in out)


LIGHT = Reply(calls=(("switch_light", {"on": True}),))


@pytest.mark.parametrize(
    ("to_tools", "verdict"),
    [
        (LIGHT, "it makes tool calls"),
        (Reply(text="I cannot."), "did not use the tool"),
        (Reply(status=400, body=b'{"error": {"message": "no tools here"}}'), "takes no tools"),
    ],
)
def test_a_model_is_really_asked(
    capsys: pytest.CaptureFixture[str], to_tools: Reply, verdict: str
) -> None:
    with model_server(
        lambda request: to_tools if "tools" in request else Reply(text="ready")
    ) as server:
        arguments = ["doctor", "--policy", "llm", "--model", "m", "--base-url", server.url]
        assert run(arguments) == 0
        assert len(server.requests) == 2
    out = capsys.readouterr().out
    assert "'ready'" in out and verdict in out


def test_a_role_whose_model_is_missing_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "robodata.yaml").write_text("models: {update: gone}\n")
    trust(tmp_path / "robodata.yaml")
    with model_server(
        lambda request: Reply(status=404) if request["model"] == "gone" else LIGHT
    ) as server:
        arguments = ["doctor", "--policy", "llm", "--model", "m", "--base-url", server.url]
        assert run(arguments) == 3
    assert "no model called gone" in capsys.readouterr().out


def test_what_is_wrong_is_said_for_each_part(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    arguments = ["doctor", "--policy", "llm", "--source", "snapshot:/no/such/folder"]
    assert run([*arguments, "--store", str(tmp_path / "file")]) == 3
    out = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("✗") for line in out) >= 3
    assert "Traceback" not in "".join(out)


def test_wrong_settings_end_the_examination(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--max-turns", "0"]) == 3
    assert capsys.readouterr().out.startswith("✗ settings")


def test_a_server_as_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    with Endpoint() as server:
        assert run(["doctor", "--store", f"sparql:{server.url}"]) == 0
        assert "0 triples; takes queries and updates" in capsys.readouterr().out
        server.fault = lambda kind, text: 403 if kind == "update" else ""
        assert run(["doctor", "--store", f"sparql:{server.url}"]) == 3
        out = capsys.readouterr().out
    assert "✗ store: The server of the local graph cannot be used" in out
    assert "ROBODATA_STORE_TOKEN" in out
