"""Whatever is done to a file that somebody else wrote, it is read or refused in a sentence.

The corpus holds one good file of every form that is read, and those that once were read wrongly;
what a file is stands after its last dot. Hypothesis does to them what cables, editors and enemies
do: bytes flipped, cut, doubled and moved, values exchanged for others, and nesting without end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core import journal
from robodata_core.belief.regions import read_regions
from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError, ProgramError, SnapshotError
from robodata_core.evaluation.datasets import load_dataset
from robodata_core.evaluation.html import html_report
from robodata_core.evaluation.results import read_results
from robodata_core.policy.llm.completion import Completion, RawCall
from robodata_core.policy.llm.replies import read_reply
from robodata_core.policy.offline.lexicon import read_lexicon
from robodata_core.policy.offline.trained import read_ranker
from robodata_core.programs.codec import from_json
from robodata_core.run_state import fold
from robodata_core.sources.http import TrafficReplay
from robodata_core.sources.snapshot import read_manifest
from robodata_core.synthesis.grounded import read_queries
from robodata_core.trust import read_settings_file
from robodata_core.verification.calibration import read_calibration
from robodata_core.verification.embedding import read_scorer
from robodata_core.verification.files import read_triples
from robodata_core.verification.trajectories import _read_own
from robodata_core.whole_files import read_whole

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(CORPUS.iterdir())


def _journal(path: Path) -> None:
    fold(journal.read(path, notice=lambda text: None))


def _manifest(path: Path) -> None:
    folder = path.parent / "snapshot"
    folder.mkdir(exist_ok=True)
    for name in ("graph.nq.gz", "index.sqlite"):
        (folder / name).touch()
    (folder / "manifest.json").unlink(missing_ok=True)
    (folder / "manifest.json").symlink_to(path.absolute())
    read_manifest(folder)


def _reply(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    assert isinstance(read_reply(Completion(text=text)).problem, str)
    calls = (RawCall("1", text[:50], text), RawCall("2", "search_entities", text))
    assert isinstance(read_reply(Completion(calls=calls)).problem, str)


def _settings(path: Path) -> None:
    read_settings_file(path)
    load_settings(path)


def _results(path: Path) -> None:
    results = read_results(path)
    if results.rows:
        html_report(results)


READERS: dict[str, tuple[Callable[[Path], Any], type[Exception] | tuple[()]]] = {
    ".calibration": (read_calibration, ConfigurationError),
    ".journal": (_journal, ConfigurationError),
    ".lexicon": (read_lexicon, ConfigurationError),
    ".manifest": (_manifest, SnapshotError),
    ".program": (lambda path: from_json(read_whole(path)), ProgramError),
    ".queries": (read_queries, ConfigurationError),
    ".questions": (load_dataset, ConfigurationError),
    ".ranker": (read_ranker, ConfigurationError),
    ".recording": (TrafficReplay, ConfigurationError),
    ".regions": (read_regions, ConfigurationError),
    ".reply": (_reply, ()),
    ".results": (_results, ConfigurationError),
    ".scorer": (read_scorer, ConfigurationError),
    ".settings": (_settings, ConfigurationError),
    ".trajectories": (_read_own, ConfigurationError),
    ".triples": (read_triples, ConfigurationError),
}

PIECES = (
    b"null", b"true", b"-1", b"1e999", b"9" * 400, b"NaN", b'""', b"[]", b"{}", b'"\\ud800"',
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\t", b"'", b'"', b"\\", b"{", b"}", b"[",
    b"]", b",", b":", b"&a", b"*a", b"!!python/object:os.system", b"%", b"|", b"\xe2\x80\xa8",
    b"[" * 2_000, b'{"a":' * 2_000, b"(" * 2_000, b"- " * 500, b"x" * 5_000, b"2026-13-45T99:99",
)  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn, data: bytes) -> bytes:
    """A file after one to four things have been done to it."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from((0, 1, 2, 8, 40, 1_000))))
        what = draw(st.sampled_from(("put", "cut", "flip", "double", "value", "end")))
        if what == "put":
            data = data[:start] + draw(st.sampled_from(PIECES)) + data[end:]
        elif what == "cut":
            data = data[:start] + data[end:]
        elif what == "flip" and start < len(data):
            bit = 1 << draw(st.integers(0, 7))
            data = data[:start] + bytes([data[start] ^ bit]) + data[start + 1 :]
        elif what == "double":
            data = data[:end] + data[start:]
        elif what == "value":
            data = _exchanged(draw, data)
        else:
            data = data[:start]
    return data


def _exchanged(draw: st.DrawFn, data: bytes) -> bytes:
    """Put something else in the place of one value of one line of JSON."""
    lines = data.split(b"\n")
    place = draw(st.integers(0, len(lines) - 1))
    try:
        whole = json.loads(lines[place])
    except (ValueError, RecursionError):
        return data
    holder, key = {"": whole}, ""
    inner: Any = whole
    while isinstance(inner, (dict, list)) and inner and draw(st.integers(0, 3)):
        holder = inner  # type: ignore[assignment]
        keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
        key = draw(st.sampled_from(list(keys)))
        inner = inner[key]
    others = (None, True, -1, 1.5, 10**400, "", "x", "\ud800", [], {}, [[]], {"a": {}}, ["x"])
    holder[key] = draw(st.sampled_from(others))  # type: ignore[assignment]
    lines[place] = json.dumps(whole).encode()
    return b"\n".join(lines)


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_the_corpus_is_read_or_refused(name: str, tmp_path: Path) -> None:
    _read(tmp_path, name, (CORPUS / name).read_bytes())


@pytest.mark.parametrize("name", [path.name for path in FILES])
@given(data=st.data())
def test_a_spoilt_file_is_read_or_refused(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = data.draw(spoilt((CORPUS / name).read_bytes()))
    _read(tmp_path_factory.getbasetemp(), name, content)


def test_every_form_has_a_reader_and_a_file() -> None:
    assert {path.suffix for path in FILES} == set(READERS)


def _read(folder: Path, name: str, content: bytes) -> None:
    path = folder / f"spoilt-{name}"
    path.write_bytes(content)
    read, refusal = READERS[path.suffix]
    try:
        read(path)
    except refusal as error:
        said = str(error)
        assert said and "\n" not in said and len(said) < 2_000, said
