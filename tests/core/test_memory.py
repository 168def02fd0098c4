"""Every reader of a file that somebody else wrote keeps to a little memory, whatever is in it.

A process of its own has a limit on its memory (``RLIMIT_AS``) while it reads: a file that says it
is small and never ends, one of gigabytes that take no place on the disk, a small one that unpacks
to them, and one of nothing but empty values, which take far more memory than their text. What
``kg load`` reads is in ``sources/test_load_bombs``, what servers send in ``test_http_bounds`` and
``test_hostile_server``, settings and their aliases in ``test_trust``.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from robodata_core.cli.memory import _found_in
from robodata_core.errors import RoboDataError
from robodata_core.language.lexicon.word_model import WordModel
from robodata_core.language.ranking.ranker import Weights
from robodata_core.texts.index import TextIndex, load_texts
from tests.conftest import ROOT
from tests.core.test_hostile_files import CORPUS, READERS

ALLOWED = 700_000_000
LARGE = 3_000_000_000


def _load_texts(path: Path) -> None:
    load_texts([path], path.with_name("made"), datetime(2026, 1, 2, tzinfo=timezone.utc))


OTHERS: dict[str, Callable[[Path], Any]] = {
    ".jsonl": _load_texts,
    ".shared": _found_in,
    ".texts": TextIndex,
    ".txt": _load_texts,
    ".weights": Weights.read,
    ".words": WordModel.read,
}
FORMS = {name: read for name, (read, _) in READERS.items() if name != ".reply"} | OTHERS
BOMBS = ("endless", "hole", "packed", "values")


def write(folder: Path, form: str, bomb: str) -> Path:
    """Write a file of a form that begins as a good one, where there is one, and goes on."""
    good = next((path.read_bytes() for path in CORPUS.iterdir() if path.suffix == form), b"{")
    path = folder / f"{bomb}{form}"
    if bomb == "endless":
        path.symlink_to("/dev/zero")
    elif bomb == "packed":
        path = path.with_suffix(f"{form}.gz")
        path.write_bytes(gzip.compress(good) + gzip.compress(b"\n" * 10_000_000) * 300)
    elif bomb == "values":
        values = folder / "values"
        if not values.exists():
            values.write_bytes(b'{"a": [' + b"{}," * 12_000_000 + b"1]}")
        path.symlink_to(values)
    else:
        path.write_bytes(good)
        os.truncate(path, LARGE)
    return path


def read_them(folder: Path, bomb: str) -> None:
    """Read all of them, each in turn, and print what came of it."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ALLOWED, used + ALLOWED))
    for form, read in FORMS.items():
        path = write(folder, form, bomb)
        try:
            read(path)
            what = "read"
        except RoboDataError as error:
            what = f"refused: {error}"
        except MemoryError:
            what = "memory"
        print(json.dumps([form, what]), flush=True)
        path.unlink()


@pytest.fixture(scope="module", params=BOMBS)
def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("bombs")
    arguments = f"t.Path({str(folder)!r}), {request.param!r}"
    code = f"from tests.core import test_memory as t; t.read_them({arguments})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=110)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (rows[-1:], done.stderr[-500:])
    return dict(rows)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads what Linux says of memory")
@pytest.mark.parametrize("form", FORMS)
def test_a_reader_keeps_to_its_memory(form: str, told: dict[str, str]) -> None:
    assert told[form] != "memory"
