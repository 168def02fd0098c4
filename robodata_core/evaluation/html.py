"""A report as one HTML file: no script, no request to anywhere, readable in light and dark.

Its pictures are inline SVG, bars and a histogram, in colours of the page's style.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from robodata_core.evaluation.report import facts, setup_lines, table
from robodata_core.evaluation.results import Results, Row
from robodata_core.evaluation.summary import (
    OUTCOMES,
    by_hops,
    by_kind,
    outcome_of,
    stages_of,
    summarise,
)
from robodata_core.reports import html_list, html_table, page
from robodata_core.text import plural

__all__ = [
    "bars",
    "html_report",
]

_GROUPS: Final = 20
_WORST: Final = 200


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
        html_list(setup_lines(results), "setup"),
        "<h2>Outcome</h2>",
        stacked(_outcomes(rows), "Outcome of all answers"),
        html_list(facts(rows, total)),
        *_accuracy(rows, summary_only),
        "<h2>Latency</h2>",
        histogram(
            [row.seconds for row in rows],
            {"median": total.median_seconds, "95th percentile": total.p95_seconds},
            "Distribution of the time an answer took",
        ),
        *_failures(rows, summary_only),
        "<h2>Figures</h2>",
        html_table(*table(rows, summary_only=summary_only)),
        *(() if summary_only else _worst(rows)),
    ]
    return page(f"{header.data}: {header.label}", parts)


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
            yield grouped_bars(_shares(shown), f"Hits@1, F1 and accuracy {title}")
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
    yield html_table(head, cells, "texts")


def _clipped(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"


_WIDTH: Final = 720
_LABEL: Final = 230
_ROW: Final = 24


def grouped_bars(groups: Mapping[str, Mapping[str, float]], title: str) -> str:
    """Draw shares (0 to 1), several bars a group."""
    series = list(dict.fromkeys(name for bars_ in groups.values() for name in bars_))
    thick = 11
    step = thick * len(series) + 14
    height = 30 + step * len(groups) + 24
    room = _WIDTH - _LABEL - 60
    parts = [_legend(series)]
    for mark in (0, 25, 50, 75, 100):
        x = _LABEL + room * mark / 100
        parts.append(_line("grid", x, 26, height - 20))
        parts.append(_text(x, height - 6, f"{mark} %", "middle"))
    for row, (name, values) in enumerate(groups.items()):
        top = 32 + step * row
        parts.append(_text(_LABEL - 8, top + step / 2 - 3, _short(name), "end"))
        for place, one in enumerate(series):
            value = min(1.0, max(0.0, values.get(one, 0.0)))
            y = top + thick * place
            parts.append(_bar(_LABEL, y, room * value, thick - 2, f"s{place}", f"{name}: {one}"))
            parts.append(_text(_LABEL + room * value + 4, y + thick - 3, f"{value:.1%}", "start"))
    return _picture(height, title, parts)


def bars(counts: Mapping[str, int], title: str) -> str:
    """Draw counts, one bar each."""
    most = max(counts.values(), default=0) or 1
    room = _WIDTH - _LABEL - 60
    parts = []
    for row, (name, count) in enumerate(counts.items()):
        y = 6 + _ROW * row
        length = room * count / most
        parts.append(_text(_LABEL - 8, y + 15, _short(name), "end"))
        parts.append(_bar(_LABEL, y + 2, length, _ROW - 6, "s0", f"{name}: {count:,}"))
        parts.append(_text(_LABEL + length + 4, y + 15, f"{count:,}", "start"))
    return _picture(12 + _ROW * len(counts), title, parts)


def stacked(counts: Mapping[str, int], title: str) -> str:
    """Draw one bar that is divided by ``counts``."""
    total = sum(counts.values()) or 1
    x = 0.0
    parts = [_legend([f"{name} {count / total:.1%}" for name, count in counts.items()])]
    for place, (name, count) in enumerate(counts.items()):
        length = _WIDTH * count / total
        parts.append(_bar(x, 30, length, 26, f"o{place}", f"{name}: {count:,}"))
        x += length
    return _picture(62, title, parts).replace('class="key s', 'class="key o')


def histogram(values: Sequence[float], marks: Mapping[str, float], title: str) -> str:
    """Draw how values (seconds) are distributed, on a logarithmic axis, with marked values."""
    lowest = max(min(values), 1e-4)
    highest = max(max(values), lowest * 1.01)
    low = math.floor(math.log10(lowest) * 4) / 4
    high = max(math.ceil(math.log10(highest) * 4) / 4, low + 0.25)
    count = max(8, min(60, round((high - low) * 12)))
    bins = [0] * count
    for value in values:
        share = (math.log10(max(value, lowest)) - low) / (high - low)
        bins[min(count - 1, int(share * count))] += 1
    return _picture(210, title, _drawn(bins, low, high, marks))


def _drawn(bins: Sequence[int], low: float, high: float, marks: Mapping[str, float]) -> list[str]:
    floor, top = 170.0, 34.0
    most = max(bins)
    each = (_WIDTH - 20) / len(bins)
    parts = []
    for place, number in enumerate(bins):
        tall = (floor - top) * number / most
        box = (10 + each * place, floor - tall, max(1.0, each - 1), tall)
        parts.append(_bar(*box, "s0", plural(number, "answer")))
    for power in range(math.ceil(low), math.floor(high) + 1):
        x = _at(10.0**power, low, high)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" y1="{floor}" x2="{x:.1f}" y2="{floor + 5}"/>'
        )
        side = "start" if x < 30 else "end" if x > _WIDTH - 30 else "middle"
        parts.append(_text(x, floor + 18, _time(10.0**power), side))
    for row, (name, value) in enumerate(marks.items()):
        x = _at(value, low, high)
        parts.append(_line("mark", x, 22, floor))
        side = "end" if x > _WIDTH - 140 else "start"
        shift = -4 if side == "end" else 4
        parts.append(_text(x + shift, 12 + 14 * row, f"{name} {_time(value)}", side))
    return parts


def _at(value: float, low: float, high: float) -> float:
    share = (math.log10(max(value, 1e-4)) - low) / (high - low)
    return 10 + (_WIDTH - 20) * min(1.0, max(0.0, share))


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _legend(names: Sequence[str]) -> str:
    parts = []
    x = 0
    for place, name in enumerate(names):
        parts.append(f'<rect class="key s{place}" x="{x}" y="4" width="10" height="10"/>')
        parts.append(_text(x + 14, 13, name, "start"))
        x += 30 + 7 * len(name)
    return "".join(parts)


def _bar(x: float, y: float, width: float, height: float, kind: str, title: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}"'
        f' height="{height:.1f}"><title>{escape(title)}</title></rect>'
    )


def _line(kind: str, x: float, top: float, foot: float) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{foot:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(name: str) -> str:
    """Cut the middle out: groups often differ at their ends, and the count stands there."""
    return name if len(name) <= 36 else f"{name[:15]}…{name[-20:]}"


def _picture(height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        + "".join(parts)
        + "</svg>"
    )
