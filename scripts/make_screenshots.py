"""Draw the pictures of the README and the tour from a recorded journal, as SVG.

    python scripts/make_screenshots.py [JOURNAL]

Nothing is asked and nothing is fetched: the pictures show what the journal holds.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from robodata_core.config import Settings
from robodata_tui.app import RoboDataApp
from robodata_tui.bridge import Bridge
from robodata_tui.dialogs import Options
from robodata_tui.exporting import without_fonts

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
JOURNAL = ROOT / "tests" / "tui" / "data" / "twins.jsonl"

# Name, size, theme, keys pressed before the picture is taken.
PICTURES: tuple[tuple[str, tuple[int, int], str, tuple[str, ...]], ...] = (
    ("main", (160, 44), "textual-dark", ("down",)),
    ("proof", (120, 36), "textual-dark", ("down", "enter", "enter")),
    ("whole", (120, 36), "textual-light", ("down", "p")),
    ("narrow", (80, 24), "textual-dark", ()),
    ("statistics", (110, 36), "textual-dark", ("s",)),
)


class Replayed(Bridge):
    """A bridge that opens nothing: a replay needs no core."""

    def start(self) -> None:
        """Open nothing."""


def _unopened() -> Any:
    raise RuntimeError("a picture opens no core")


async def draw(journal: Path, size: tuple[int, int], theme: str, keys: tuple[str, ...]) -> str:
    """Return the picture of a journal."""
    options = Options(
        settings=Settings(), open_core=lambda _: _unopened(), replay=journal, ssh=True, theme=theme
    )
    app = RoboDataApp(options, Replayed(_unopened))
    async with app.run_test(size=size) as pilot:
        while app.focused is not app.workspace.pane("answer").main or not app.conversation.records:
            await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await pilot.pause()
        return app.export_screenshot(title="RoboData")


def main(arguments: list[str]) -> int:
    """Draw all pictures."""
    journal = Path(arguments[0]) if arguments else JOURNAL
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, size, theme, keys in PICTURES:
        path = IMAGES / f"{name}.svg"
        picture = asyncio.run(draw(journal, size, theme, keys))
        path.write_text(without_fonts(picture), encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
