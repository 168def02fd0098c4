"""Where the output goes: a reader that leaves, a full disk, closed streams, narrow encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from .conftest import one_sentence

ASK = "ask --source snapshot:wikidata-sample 'What is the capital of Canada?'"
SHOW = "kg show Q30 --limit 10000 --source snapshot:wikidata-sample"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


def shell(command: str, **environment: str) -> tuple[int, str, str]:
    """Run a command line in bash, where `robodata` is this one."""
    defined = f'robodata() {{ "{sys.executable}" -m robodata_core.cli "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", defined],
        capture_output=True,
        timeout=90,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


@pytest.mark.parametrize("command", [ASK, SHOW, f"{SHOW} --json", "kg export", "verify --help"])
def test_a_reader_that_leaves_is_no_error(command: str) -> None:
    code, out, err = shell(f"robodata {command} | head -c 1")
    assert (code, len(out)) == (0, 1)
    assert "robodata:" not in err
    assert "Traceback" not in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("command", [SHOW, "kg export", "kg list"])
def test_a_full_disk_is_one_sentence(command: str) -> None:
    code, _, err = shell(f"robodata {command} >/dev/full")
    assert code == 1
    assert "no space left on device." in err
    assert one_sentence(err)


def test_closed_streams_end_nothing() -> None:
    assert shell(f"robodata {ASK} >&-")[0] == 0
    assert shell("robodata chat <&-")[0] == 0
    assert "Commands:" in shell("robodata <&-")[1]
    assert shell(f"robodata {ASK} <&- 2>&-")[1].startswith("Ottawa")


def test_what_the_encoding_lacks_is_escaped() -> None:
    code, out, _ = shell(f"robodata {ASK}", PYTHONIOENCODING="latin-1")
    assert code == 0
    assert r"c1 \u2713 The capital of Canada is Ottawa." in out
    code, out, _ = shell(f"robodata {SHOW} --json", PYTHONIOENCODING="ascii")
    assert code == 0
    assert "Raven-Symoné" in json.dumps(json.loads(out), ensure_ascii=False)
