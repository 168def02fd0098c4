"""A report as one HTML file: no script, no request to anywhere, readable in light and dark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from robodata_core.evaluation import _svg
from robodata_core.evaluation._svg import bars
from robodata_core.evaluation.report import COLUMNS, facts, figures, setup_lines
from robodata_core.evaluation.results import Results, Row
from robodata_core.evaluation.summary import (
    OUTCOMES,
    Summary,
    by_hops,
    by_kind,
    outcome_of,
    stages_of,
    summarise,
)

__all__ = ["bars", "html_report", "page"]

_GROUPS: Final = 20
_WORST: Final = 200
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2733; --page: #ffffff; --soft: #6b7a89;
  --line: #d9e0e6; --s0: #2f6fb3; --s1: #e09b2d; --s2: #5a9e6f;
  --o0: #3f8f5f; --o1: #a9c76b; --o2: #c8503f; --o3: #9aa7b3; --o4: #6c4a8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e2e8ee; --page: #14191f; --soft: #93a1ae;
  --line: #323c46; --s0: #6aa5e3; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.label { font-size: .8rem; padding: .15rem .5rem; border: 1px solid var(--line);
  border-radius: 1rem; vertical-align: middle; }
ul { padding-left: 1.2rem; } .setup { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.texts td, .texts th { text-align: left; white-space: normal; vertical-align: top; }
.texts td:first-child { min-width: 16rem; }
svg { width: 100%; max-width: 45rem; height: auto; display: block; }
svg text { font-size: 11px; fill: var(--ink); }
.grid { stroke: var(--line); } .mark { stroke: var(--o2); stroke-dasharray: 4 3; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); }
.o0 { fill: var(--o0); } .o1 { fill: var(--o1); } .o2 { fill: var(--o2); }
.o3 { fill: var(--o3); } .o4 { fill: var(--o4); }
"""


def html_report(results: Results, *, summary_only: bool = False) -> str:
    """Return the report as a whole page.

    Args:
        results: Of one run, or pooled.
        summary_only: Only figures over all questions, no groups and no question's words.

    Raises:
        ValueError: If there are no rows.
    """
    header, rows = results.header, results.rows
    total = summarise(rows)
    parts = [
        f'<h1>{escape(header.data)} <span class="label">{escape(header.label)}</span></h1>',
        _list(setup_lines(results), "setup"),
        "<h2>Outcome</h2>",
        _svg.stacked(_outcomes(rows), "Outcome of all answers"),
        _list(facts(rows, total), ""),
        *_accuracy(rows, summary_only),
        "<h2>Latency</h2>",
        _svg.histogram(
            [row.seconds for row in rows],
            {"median": total.median_seconds, "95th percentile": total.p95_seconds},
            "Distribution of the time an answer took",
        ),
        *_failures(rows, summary_only),
        "<h2>Figures</h2>",
        _figures(rows, total, summary_only),
        *(() if summary_only else _worst(rows)),
    ]
    return page(f"{header.data}: {header.label}", parts)


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page that asks for nothing from anywhere.

    Args:
        title: Of the page, not yet escaped.
        parts: Its body, escaped.
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
        " style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title>"
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _outcomes(rows: Sequence[Row]) -> dict[str, int]:
    counts = Counter(map(outcome_of, rows))
    return {name: counts[name] for name in OUTCOMES}


def _accuracy(rows: Sequence[Row], summary_only: bool) -> Iterable[str]:
    if summary_only:
        return
    for title, groups in (("by hops", by_hops(rows)), ("by kind", by_kind(rows))):
        if len(groups) > 1:
            shown = dict(list(groups.items())[:_GROUPS])
            yield f"<h2>Accuracy {title}</h2>"
            yield _svg.grouped_bars(_shares(shown), f"Hits@1, F1 and accuracy {title}")
            if len(shown) < len(groups):
                yield f"<p>The {len(shown)} largest of {len(groups)} groups.</p>"


def _shares(groups: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, float]]:
    shares = {}
    for name, rows in groups.items():
        one = summarise(rows)
        title = f"{name} ({one.questions:,})"
        shares[title] = {"Hits@1": one.hits_at_1, "F1": one.f1, "accuracy": one.accuracy}
    return shares


def _failures(rows: Sequence[Row], summary_only: bool) -> Iterable[str]:
    stages = stages_of(rows)
    if stages and not summary_only:
        yield "<h2>Where answers went wrong</h2>"
        yield bars(stages, "Answers not fully right, by stage")
        yield (
            "<p>Told from the events of each run and the source by a fixed rule; what the rule"
            " cannot show is <em>unclear</em>.</p>"
        )


def _figures(rows: Sequence[Row], total: Summary, summary_only: bool) -> str:
    groups = [("all", total)]
    if not summary_only:
        kinds = by_kind(rows) if len(by_kind(rows)) > 1 else {}
        groups += [(name, summarise(part)) for name, part in (by_hops(rows) | kinds).items()]
    head = ["questions of", *(name for name, _ in COLUMNS)]
    return _table(head, [[name, *figures(one)] for name, one in groups], "")


def _worst(rows: Sequence[Row]) -> Iterable[str]:
    worst = [row for row in rows if outcome_of(row) != "right"]
    if not worst:
        return
    shown = worst[:_WORST]
    yield f"<h2>Not fully right ({len(shown)} of {len(worst)})</h2>"
    head = ["question", "outcome", "stage", "found", "expected", "program"]
    cells = [
        [
            row.question,
            outcome_of(row),
            row.stage,
            _clipped(", ".join(row.found[:10]) or row.error or "nothing"),
            _clipped(", ".join(row.gold[:10]) or "nothing"),
            _clipped(row.program),
        ]
        for row in shown
    ]
    yield _table(head, cells, "texts")


def _clipped(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"


def _list(lines: Sequence[str], kind: str) -> str:
    return f'<ul class="{kind}">' + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table class="{kind}"><tr>{top}</tr>{body}</table></div>'
