"""What every report is made of: tables in Markdown, and pages of HTML.

A page has no script and asks for nothing from anywhere; it can be read in light and dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

__all__ = ["html_list", "html_table", "markdown_table", "page", "plain"]

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


def markdown_table(
    head: Sequence[str], rows: Iterable[Iterable[str]], most: int = 120
) -> list[str]:
    """Return a table as lines; cells are cut after ``most`` characters, and cannot break it."""
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(plain(cell, most) for cell in row) + " |" for row in rows]


def plain(text: str, most: int = 120) -> str:
    """Return a text as one line of Markdown without a table's bars; cut after ``most``."""
    flat = " ".join(text.split()).replace("|", "/")
    return flat if len(flat) <= most else flat[: most - 1] + "…"


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


def html_list(lines: Iterable[str], kind: str = "") -> str:
    """Return lines as a list; ``kind`` is a class of the page's style."""
    return f'<ul class="{kind}">' + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def html_table(head: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    """Return a table; ``kind`` is a class of the page's style."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table class="{kind}"><tr>{top}</tr>{body}</table></div>'
