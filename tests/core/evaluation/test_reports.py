"""Reports and comparisons: every figure there, pages that ask nobody for anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation import html
from robodata_core.evaluation.compare import compare, comparison_markdown
from robodata_core.evaluation.html import html_report
from robodata_core.evaluation.metrics import mcnemar_exact
from robodata_core.evaluation.report import in_short, markdown
from robodata_core.evaluation.results import Results

from .conftest import MakeRow, results_of

_VOID = {"meta"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(page: str) -> _Page:
    parser = _Page()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


@pytest.fixture
def mixed(make_row: MakeRow) -> Results:
    rows = [
        make_row("1", kind="a", hops=1),
        make_row("2", kind="a", hops=2, right=False, stage="linking"),
        make_row("3", kind="b|c", right=False, status="unknown", found=(), claims=0, supported=0),
        make_row("4", kind="b|c", right=False, claims=2, supported=1, seconds=3.0),
        make_row("5", kind="d", right=False, status="error", error="it broke", found=(), claims=0),
    ]
    return results_of(rows, policy="offline", ranker="", source=["snapshot:x"])


def test_a_report_says_what_was_run_and_how_it_went(mixed: Results) -> None:
    text = markdown(mixed)
    assert "# made.tsv: zero-shot" in text
    assert "- source: snapshot:x" in text
    assert re.search(r"\| all \| 5 \| 0\.200 ", text)
    assert "| 1 hop | 1 |" in text
    assert "| 2 hops | 1 |" in text
    assert "| b/c | 2 |" in text
    assert "| linking | 1 | 0.200 |" in text
    assert "Answers with a claim that does not hold: 1 (1 of them wrong)." in text
    assert "| Question 5? | error |" in text
    assert "it broke" in text


def test_every_line_of_a_table_has_as_many_cells(mixed: Results) -> None:
    lines = [line for line in markdown(mixed).splitlines() if line.startswith("| ")]
    figures = [line for line in lines if line.count("|") > 10]
    assert len({line.count("|") for line in figures}) == 1


def test_a_summary_names_no_question_and_no_kind(mixed: Results) -> None:
    for text in (
        markdown(mixed, summary_only=True),
        html_report(mixed, summary_only=True),
        in_short(mixed),
    ):
        assert "Question" not in text
        assert "b/c" not in text
        assert "b|c" not in text
        assert "GERBIL" in text


def test_a_page_is_whole_and_asks_nobody(mixed: Results) -> None:
    page = _read(html_report(mixed))
    assert not [name for name, _ in page.attributes if name in ("src", "href", "action", "style")]
    assert "url(" not in page.text
    assert "@import" not in page.text
    assert "http" not in "".join(value for name, value in page.attributes if name != "http-equiv")
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    for title in ("Outcome", "Accuracy by hops", "Accuracy by kind", "Latency", "Where answers"):
        assert title in page.text


@given(st.text(min_size=1, max_size=40))
def test_nothing_in_an_answer_becomes_markup(text: str) -> None:
    from robodata_core.evaluation.results import Row

    rows = [Row(str(n), text, text, text, (text,), (text,), stage=text, error=text, expected=1)
            for n in range(2)]  # fmt: skip
    rows.append(Row("x", "?", "other", "answered", (), ("y",), expected=1))
    page = _read(html_report(results_of(rows, source=text)))
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert all(line.count("|") < 60 for line in markdown(results_of(rows)).splitlines())


@given(
    st.dictionaries(st.text(max_size=50), st.integers(0, 10**9), max_size=8),
    st.lists(st.floats(0, 1e5), min_size=1, max_size=50),
)
def test_pictures_are_well_formed_and_within_bounds(
    counts: dict[str, int], times: list[float]
) -> None:
    shares = {name: {"one": 0.5, "other": count / 10**9} for name, count in counts.items()}
    printable = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd]")
    for picture in (
        html.bars(counts, "t"),
        html.stacked(counts, "t"),
        html.grouped_bars(shares, "t"),
        html.histogram(times, {"median": times[0], "p95": max(times)}, "t"),
    ):
        tree = ElementTree.fromstring(printable.sub("", picture))
        _, _, width, height = map(float, tree.attrib["viewBox"].split())
        for box in tree.iter("rect"):
            if "key" not in box.attrib["class"]:
                x, y = float(box.attrib["x"]), float(box.attrib["y"])
                assert -0.1 <= x <= x + float(box.attrib["width"]) <= width + 0.1
                assert -0.1 <= y <= y + float(box.attrib["height"]) <= height + 0.1


def test_two_runs_are_compared_question_by_question(make_row: MakeRow) -> None:
    before = results_of([make_row(str(n), right=n % 2 == 0) for n in range(8)], ranker="")
    after = results_of([make_row(str(n), right=n >= 3) for n in range(9)], ranker="r sha256:1")
    found = compare(before, after)
    assert [one.id for one, _ in found.gained] == ["3", "5", "7"]
    assert [one.id for one, _ in found.lost] == ["0", "2"]
    assert [one.id for one, _ in found.both_wrong] == ["1"]
    assert (found.both_right, found.unpaired) == (2, 1)
    assert found.p_value == mcnemar_exact(3, 2)
    text = comparison_markdown(found, ("a.jsonl", "b.jsonl"), summary_only=False)
    assert "| set-up | zero-shot | trained |" in text
    assert "| ranker | - | r sha256:1 |" in text
    assert "gained 3, lost 2, both right 2, both wrong 1. Not in both: 1." in text
    assert "- Question 7?" in text
    short = comparison_markdown(found, ("a.jsonl", "b.jsonl"), summary_only=True)
    assert "Question" not in short


def test_a_run_compared_with_itself_has_changed_nothing(mixed: Results) -> None:
    found = compare(mixed, mixed, "hit")
    assert (found.gained, found.lost, found.p_value) == ((), (), 1.0)
    assert "nothing changed" in comparison_markdown(found, ("a", "a"), summary_only=False)


def test_what_cannot_be_compared_is_a_sentence(make_row: MakeRow) -> None:
    one = results_of([make_row("1")])
    with pytest.raises(ConfigurationError, match="not the same data"):
        compare(one, results_of([make_row("1")], "b" * 64))
    with pytest.raises(ConfigurationError, match="No question"):
        compare(one, results_of([make_row("2")]))
