"""Corpora: what is loaded, what is found, and services that misbehave (real servers, loopback)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.cli.text import text as text_command
from robodata_core.config import load_settings
from robodata_core.errors import ConfigurationError, LoadError, MalformedResponseError, SourceError
from robodata_core.texts.corpus import mentions, split
from robodata_core.texts.index import TextIndex, load_texts
from robodata_core.texts.open import open_texts

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
OTTAWA = """# Ottawa

Ottawa is the [capital](https://example.org/x) of **Canada**. Dr. J. Smith lives there! Does he?

Capital of: Canada
| country = Canada |
It lies on a river.
"""


def load(tmp_path: Path, **files: str) -> TextIndex:
    for name, content in files.items():
        (tmp_path / name.replace("__", ".")).write_text(content, encoding="utf-8")
    output = tmp_path / "index.sqlite"
    load_texts([tmp_path / name.replace("__", ".") for name in files], output, NOW)
    return TextIndex(output)


def test_texts_fall_into_sentences_and_fields() -> None:
    found = list(split(OTTAWA))
    assert [said for said, is_field in found if not is_field] == [
        "Ottawa",
        "Ottawa is the capital of Canada.",
        "Dr. J. Smith lives there!",
        "Does he?",
        "It lies on a river.",
    ]
    assert [said for said, is_field in found if is_field] == [
        "Capital of: Canada",
        "| country = Canada |",
    ]


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("Capital: Washington, D.C.", [True]),
        ("* Capital: Ottawa.", [True]),
        ("Capital: Ottawa. Mint: yes!", [True, True]),
        ("It grew. One thing is certain: it will grow.", [False, False]),
        ("One thing is certain: it will grow. It grew.", [False, False]),
        ("Canada has two mints. Capital: Ottawa", [False, True]),
    ],
)
def test_a_line_of_fields_may_end_in_a_full_stop(line: str, fields: list[bool]) -> None:
    assert [is_field for _, is_field in split(line)] == fields


def test_wrapped_paragraphs_are_joined_and_short_lines_are_not() -> None:
    wrapped = (
        "The city lies where two rivers meet, and it was made the\n"
        "capital of the country in 1857. It has a mint.\n\nCapital: Ottawa\nMint: yes\n"
    )
    assert [said for said, _ in split(wrapped)] == [
        "The city lies where two rivers meet, and it was made the capital of the country in 1857.",
        "It has a mint.",
        "Capital: Ottawa",
        "Mint: yes",
    ]


@pytest.mark.parametrize(
    ("name", "title"), [("notes_3.md", "Ottawa"), ("notes_3.txt", "notes 3"), ("b.md", "b")]
)
def test_a_markdown_document_is_called_by_its_heading(
    tmp_path: Path, name: str, title: str
) -> None:
    text = "It has a mint." if name == "b.md" else "\n# Ottawa\n\nIt has a mint."
    index = load(tmp_path, **{name.replace(".", "__"): text})
    assert {one.document for one in index.about(["mint"], 3)} == {title}


@given(st.text(max_size=400))
def test_no_text_breaks_the_splitter_and_nothing_is_made_up(text: str) -> None:
    for said, _ in split(text):
        assert said and len(said) <= 601 and "\n" not in said


@pytest.mark.parametrize("unit", ["A. B. ", "Dr. ", "[", "![a](", "(. ]", "# > * "])
def test_a_text_takes_no_longer_than_it_is_long(unit: str) -> None:
    """What once grew with the square of the length takes hours here, not a second."""
    text = unit * (500_000 // len(unit))
    found = [said for said, _ in split(text)]
    assert all(len(said) <= 600 for said in found)
    if unit == "A. B. ":
        assert " ".join(found).split() == text.split()


def test_names_are_whole_words() -> None:
    assert mentions("The OTTAWA river.", ["Ottawa"]) and mentions("São Paulo!", ["sao paulo"])
    assert not mentions("Ottawans sing.", ["Ottawa"]) and not mentions("x", ["", "?"])


def test_pages_and_sentences_are_found_with_their_place(tmp_path: Path) -> None:
    index = load(
        tmp_path,
        Ottawa__md=OTTAWA,
        news__txt="Canada moved its mint. Toronto is larger than Ottawa, says Canada.",
        extracts__jsonl=json.dumps(
            {
                "title": "Canada",
                "text": "A country. Its capital is Ottawa.",
                "url": "http://x.test/",
            }
        ),
    )
    about = index.about(["Ottawa"], 3)
    assert [one.position for one in about] == [1, 2, 3] and about[0].document == "Ottawa"
    both = index.together(["Ottawa"], ["Canada", "Dominion"], 10)
    texts = [one.text for one in both]
    assert "Ottawa is the capital of Canada." in texts and "Its capital is Ottawa." in texts
    assert "Toronto is larger than Ottawa, says Canada." in texts
    assert "Canada moved its mint." not in texts
    extract = next(one for one in both if one.text == "Its capital is Ottawa.")
    assert (extract.address, extract.position, extract.retrieved) == ("http://x.test/", 2, NOW)
    assert index.about(["Atlantis"], 3) == () and index.together(["Ottawa"], ["Mars"], 3) == ()


@pytest.mark.parametrize("name", ['"', 'a" OR "b', "NEAR(", "*", "", "a\x00b", "text:x", "^"])
def test_names_are_never_query_syntax(tmp_path: Path, name: str) -> None:
    index = load(tmp_path, Ottawa__md=OTTAWA)
    assert isinstance(index.about([name], 3), tuple)
    assert index.together([name], ["zzz"], 3) == ()


def test_what_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    output = tmp_path / "i.sqlite"
    for name, content, wanted in (
        ("a.pdf", b"x", "no kind"),
        ("a.txt", b"\xff\xfe", "not UTF-8"),
        ("a.jsonl", b'{"title": 3}', "line 1"),
        ("b.txt", b"  \n", "no text"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(LoadError, match=wanted):
            load_texts([tmp_path / name], output, NOW)
        assert not output.exists() and not list(tmp_path.glob(".*partial"))
    with pytest.raises(ConfigurationError, match="no index of texts, so it is not replaced"):
        load_texts([tmp_path], tmp_path / "a.txt", NOW)
    assert (tmp_path / "a.txt").read_bytes() == b"\xff\xfe"
    (tmp_path / "no.sqlite").write_bytes(b"SQLite format 3\x00 nonsense")
    for path in (tmp_path / "no.sqlite", tmp_path / "absent.sqlite"):
        with pytest.raises(ConfigurationError, match="no index of texts"):
            TextIndex(path)


@pytest.mark.parametrize("small", [True, False])
def test_a_flipped_bit_is_told_when_an_index_is_opened(
    tmp_path: Path, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if not small:
        monkeypatch.setattr("robodata_core.sources.snapshot._whole._SMALL", 0)
    load(tmp_path, Ottawa__md=OTTAWA).close()
    path = tmp_path / "index.sqlite"
    whole = path.read_bytes()
    for at in (20, 69, *range(100, len(whole), 997)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(ConfigurationError, match="no index of texts, or damaged"):
            TextIndex(path)
    path.write_bytes(whole)
    for _ in range(2):
        index = TextIndex(path)
        assert index.about(["Ottawa"], 1)
        index.close()


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "Ottawa.md").write_text(OTTAWA, encoding="utf-8")
    output = str(tmp_path / "i.sqlite")
    loaded = CliRunner().invoke(text_command, ["load", str(tmp_path), "--output", output])
    assert "1 document, 7 sentences" in loaded.output
    found = CliRunner().invoke(text_command, ["search", output, "Ottawa", "Canada"])
    assert "Ottawa, sentence 2: Ottawa is the capital of Canada." in found.output


@contextmanager
def service(answer: Any) -> Iterator[tuple[str, list[tuple[str, dict[str, str]]]]]:
    """Answer every GET with what ``answer`` makes of its address."""
    asked: list[tuple[str, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            asked.append((self.path, dict(self.headers)))
            body = answer(self.path)
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_wikipedia_pages_are_read_as_plain_text() -> None:
    pages = {
        "Ottawa": "Ottawa is a city. Canada has its seat there.",
        "Canada": "Canada is large. Its capital is Ottawa.",
    }

    def answer(path: str) -> Any:
        title = parse_qs(urlsplit(path).query)["titles"][0]
        return {"query": {"pages": [{"title": title, "extract": pages.get(title)}]}}

    with service(answer) as (url, asked):
        settings = load_settings(texts="wikipedia:de", wikipedia_api=f"{url}/{{language}}/api.php")
        (corpus,) = open_texts(settings).corpora
        about = corpus.about(["Ottawa"], 1)
        both = corpus.together(["Ottawa"], ["Canada"], 5)
        assert corpus.about(["Atlantis"], 1) == ()
        corpus.close()
    assert [one.text for one in about] == ["Ottawa is a city."]
    assert about[0].address == f"{url}/wiki/Ottawa" and about[0].corpus == "wikipedia:de"
    assert {one.text for one in both} == {"Canada has its seat there.", "Its capital is Ottawa."}
    assert asked[0][0].startswith("/de/api.php?")


def test_a_search_service_gives_snippets_and_gets_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBODATA_SEARCH_KEY", "s3cret-key-of-mine")
    monkeypatch.setenv("ROBODATA_SEARCH_HEADER", "X-Key")
    hit = {
        "title": "T",
        "url": "http://x.test/",
        "description": "A <b>b</b> &amp; s3cret-key-of-mine",
    }
    with service(lambda path: {"web": {"results": [hit, {"title": "none"}, 7]}}) as (url, asked):
        settings = load_settings(
            web_search=f"{url}/find?q={{query}}&format=json",
            web_results="web.results:title,url,description",
        )
        web = open_texts(settings).web
        assert web is not None
        found = web.search("Is it so? & more", 5)
        web.close()
    assert len(found) == 1 and found[0].position == 1 and "& " in found[0].text
    assert "s3cret" not in found[0].text
    path, headers = asked[0]
    assert parse_qs(urlsplit(path).query)["q"] == ["Is it so? & more"]
    assert headers["X-Key"] == "s3cret-key-of-mine"


@pytest.mark.parametrize("body", [b"<html>", {"results": 7}, [], {"results": {"a": 1}}])
def test_answers_of_another_form_are_failures_of_the_service(body: Any) -> None:
    with service(lambda path: body) as (url, _):
        web = open_texts(load_settings(web_search=f"{url}/?q={{query}}")).web
        assert web is not None
        with pytest.raises(MalformedResponseError):
            web.search("x y z", 3)
        web.close()
    assert issubclass(MalformedResponseError, SourceError)


@pytest.mark.parametrize(
    "settings",
    [
        {"web_search": "http://127.0.0.1/search"},
        {"web_search": "no address {query}"},
        {"web_search": "http://127.0.0.1/?q={query}", "web_results": "results"},
        {"texts": "wikipedia:../x"},
        {"texts": "/nowhere/at/all.sqlite"},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        open_texts(load_settings(**settings))
