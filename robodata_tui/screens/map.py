"""A robot's map: a list of what there is, and a top view of where it is.

Both are text. Rooms are framed, surfaces dotted, what is in sight is a full sign and what is lost
an empty one, so nothing is told by colour alone. The robot is an arrow that points where it faces.
North is where y grows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList, Static

from robodata_core.belief import MapObject, MapSeen, ObjectState, Pose, Region, RegionKind
from robodata_core.text import plural
from robodata_tui.screens.dialog import Dialog
from robodata_tui.widgets.pane import Rows
from robodata_tui.words import clean

__all__ = ["MapScreen", "list_rows", "top_view"]

_SEEN, _LOST, _CHOSEN = "●", "○", "◉"
_ARROWS: Final = "→↗↑↖←↙↓↘"
"""Where the robot faces, by eighths of a turn from where x grows."""
_NAME: Final = 24
_SMALLEST: Final = 1.0
"""Metres: a view of one thing alone is that wide."""
_TALL: Final = 2.0
"""How much higher than wide a character is."""
_MOST_STEPS: Final = 2_000


class MapScreen(Dialog):
    """The map; drawn anew whenever the robot tells of another one."""

    TITLE_TEXT: ClassVar[str] = "Map of the robot"

    def __init__(self, seen: MapSeen | None) -> None:
        super().__init__()
        self._seen = seen

    def compose(self) -> ComposeResult:
        """Put list and view beside each other."""
        box = self.framed(
            Static("", id="map-head", markup=False),
            Horizontal(Rows(id="map-list"), Static("", id="map-plan", markup=False)),
            hint="↑ ↓ choose · Esc closes",
        )
        box.add_class("map")
        yield box

    def on_mount(self) -> None:
        """Show what there is."""
        self.query_one(Rows).focus()
        self.call_after_refresh(self.show, self._seen)

    def show(self, seen: MapSeen | None) -> None:
        """Show another map; the cursor stays on its object."""
        self._seen = seen
        head = self.query_one("#map-head", Static)
        if seen is None:
            head.update("The robot has not told of its map yet.")
            return
        lost = sum(item.state is ObjectState.LOST for item in seen.objects)
        told = f"{plural(len(seen.objects), 'object')}, {lost} of them lost from sight"
        signs = f"{_SEEN} in sight  {_LOST} lost"
        signs += f"  {_arrow(seen.robot)} the robot" if seen.robot is not None else ""
        head.update(f"{told}; {plural(len(seen.regions), 'region')}. {signs}")
        self.query_one(Rows).put(list_rows(seen))
        self._draw()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show where the chosen object is."""
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Fill the new size."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        plan = self.query_one("#map-plan", Static)
        if self._seen is not None and plan.size:
            chosen = str(self.query_one(Rows).target or "")
            plan.update("\n".join(top_view(self._seen, *plan.size, chosen)))


def list_rows(seen: MapSeen) -> list[tuple[Content | str, object]]:
    """Return a row for every object and region: sign, name, where it is, when it was seen."""
    rows: list[tuple[Content | str, object]] = []
    places = {region.id: region for region in seen.regions}
    for item in seen.objects:
        sign = _SEEN if item.state is ObjectState.SEEN else _LOST
        place = places.get(seen.places.get(item.id, ""))
        where = "" if item.has_place else " nowhere"
        if place is not None:
            where = f" {'in' if place.kind is RegionKind.VOLUME else 'on'} {place.name}"
        score = "" if item.score is None else f" {item.score:.2f}"
        when = "" if item.state is ObjectState.SEEN else f", seen {_when(item)}"
        kind = "" if _says(item.name, item.class_id) else f" ({item.class_id})"
        text = f"{sign} {item.name}{kind}{score}{where}{when}"
        rows.append((clean(text, 120), item.id))
    if seen.robot is not None:
        x, y, _ = seen.robot.pose.position
        at = f"{_arrow(seen.robot)} {seen.robot.name} at {x:.1f}, {y:.1f}"
        rows.append((clean(f"{at} in {seen.robot.frame}", 120), seen.robot.id))
    for region in seen.regions:
        sign = "▭" if region.kind is RegionKind.VOLUME else "░"
        rows.append((clean(f"{sign} {region.name}", 120), region.id))
    return rows


def _arrow(robot: MapObject) -> str:
    """Return the sign of the robot."""
    return _ARROWS[round(_turn(robot.pose) / (math.pi / 4)) % len(_ARROWS)]


def _turn(pose: Pose) -> float:
    """Return how far something is turned, seen from above."""
    qx, qy, qz, qw = pose.orientation
    return math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))


def _says(name: str, class_id: str) -> bool:
    return class_id.replace("_", " ").lower() in name.lower()


def _when(item: MapObject) -> str:
    """Return when something was seen last (UTC): an age would be wrong until the next map comes."""
    at = datetime.fromtimestamp(min(max(item.last_seen, 0.0), 4e9), timezone.utc)
    return f"{at:%Y-%m-%d %H:%M:%S}"


# -- the view from above ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """From metres to cells: the corner at the top left, and metres a cell's width stands for."""

    left: float
    top: float
    metres: float

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return column and row of a place."""
        return (
            math.floor((x - self.left) / self.metres),
            math.floor((self.top - y) / (self.metres * _TALL)),
        )


class _Sheet:
    """Characters to draw on."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [[" "] * width for _ in range(height)]

    def put(self, column: int, row: int, sign: str) -> None:
        if 0 <= column < self.width and 0 <= row < self.height:
            self._rows[row][column] = sign

    def is_free(self, column: int, row: int, length: int) -> bool:
        if not (0 <= row < self.height and column >= 0 and column + length <= self.width):
            return False
        return all(sign in " ░" for sign in self._rows[row][column : column + length])

    def write(self, column: int, row: int, text: str) -> bool:
        """Write where nothing stands yet; tell whether there was room."""
        if not self.is_free(column, row, len(text)):
            return False
        self._rows[row][column : column + len(text)] = text
        return True

    def lines(self) -> list[str]:
        return ["".join(row).rstrip() for row in self._rows]


def top_view(seen: MapSeen, width: int, height: int, chosen: str = "") -> list[str]:
    """Draw what has a place, seen from above.

    Args:
        seen: The map.
        width: Columns there are.
        height: Lines there are; the last one says the scale.
        chosen: Id of the object or region to point out.
    """
    frame = _usual_frame(seen)
    regions = [item for item in seen.regions if item.frame == frame]
    objects = [item for item in seen.objects if item.frame == frame and item.has_place]
    if width < 10 or height < 4:
        return ["There is no room here for a view."]
    robot = seen.robot if seen.robot is not None and seen.robot.frame == frame else None
    here = [*objects, robot] if robot is not None else objects
    if not regions and not here:
        return ["Nothing in the map has a place."]
    scale = _fitting(regions, here, width, height - 1)
    sheet = _Sheet(width, height - 1)
    for region in sorted(regions, key=lambda item: -item.volume):
        _draw_region(sheet, scale, region)
    order = sorted(here, key=lambda item: item.id == chosen)
    for item in order:
        sign = _SEEN if item.state is ObjectState.SEEN else _LOST
        if item is robot:
            sign = _arrow(item)
        column, row = scale.cell(*item.pose.position[:2])
        sheet.put(column, row, _CHOSEN if item.id == chosen and item is not robot else sign)
    for item in reversed(order):  # what is chosen is named first
        column, row = scale.cell(*item.pose.position[:2])
        name = clean(item.name, _NAME)
        if not sheet.write(column + 1, row, name):
            sheet.write(column - len(name), row, name)
    for region in regions:
        _name_region(sheet, scale, region, region.id == chosen)
    left_out = len(seen.objects) - len(objects)
    others = f"; {plural(left_out, 'object')} elsewhere" if left_out else ""
    metres = scale.metres * 10
    return [*sheet.lines(), f"├────────┤ {metres:.1f} m, frame {clean(frame, 40)}{others}"]


def _usual_frame(seen: MapSeen) -> str:
    things: Iterable[Any] = (*seen.regions, *(o for o in seen.objects if o.has_place))
    counted = Counter(thing.frame for thing in things)
    alone = seen.robot.frame if seen.robot is not None else ""
    return counted.most_common(1)[0][0] if counted else alone


def _fitting(
    regions: Sequence[Region], objects: Sequence[MapObject], width: int, height: int
) -> _Scale:
    places = [item.pose.position[:2] for item in objects]
    for region in regions:
        places += _corners(region)
    xs, ys = [x for x, _ in places], [y for _, y in places]
    # Room for a name at the right, and half a cell around.
    across = max(max(xs) - min(xs), _SMALLEST)
    up = max(max(ys) - min(ys), _SMALLEST / _TALL)
    metres = max(across / max(width - 4, 1), up / (max(height - 2, 1) * _TALL))
    return _Scale(min(xs) - 1.5 * metres, max(ys) + metres * _TALL / 2, metres)


def _corners(region: Region) -> list[tuple[float, float]]:
    x, y, _ = region.pose.position
    turn = _turn(region.pose)
    found = []
    for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        dx, dy = a * region.size[0] / 2, b * region.size[1] / 2
        found.append(
            (
                x + dx * math.cos(turn) - dy * math.sin(turn),
                y + dx * math.sin(turn) + dy * math.cos(turn),
            )
        )
    return found


def _draw_region(sheet: _Sheet, scale: _Scale, region: Region) -> None:
    corners = _corners(region)
    if region.kind is RegionKind.SURFACE:
        _fill(sheet, scale, corners)
        return
    for one, other in zip(corners, (*corners[1:], corners[0]), strict=True):
        start, end = scale.cell(*one), scale.cell(*other)
        sign = "─" if start[1] == end[1] else "│" if start[0] == end[0] else "·"
        for column, row in _between(start, end):
            sheet.put(column, row, sign)
    for corner in corners:
        sheet.put(*scale.cell(*corner), "+")


def _between(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    steps = min(max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1), _MOST_STEPS)
    return [
        (
            round(start[0] + (end[0] - start[0]) * n / steps),
            round(start[1] + (end[1] - start[1]) * n / steps),
        )
        for n in range(steps + 1)
    ]


def _fill(sheet: _Sheet, scale: _Scale, corners: Sequence[tuple[float, float]]) -> None:
    """Dot a convex area: every cell whose middle lies on the same side of all edges."""
    for row in range(sheet.height):
        for column in range(sheet.width):
            x = scale.left + (column + 0.5) * scale.metres
            y = scale.top - (row + 0.5) * scale.metres * _TALL
            sides = [
                (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
                for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True)
            ]
            if all(sides):
                sheet.put(column, row, "░")


def _name_region(sheet: _Sheet, scale: _Scale, region: Region, is_chosen: bool) -> None:
    corners = [scale.cell(*corner) for corner in _corners(region)]
    left, top = min(c for c, _ in corners), min(r for _, r in corners)
    bottom = max(r for _, r in corners)
    name = clean(region.name, _NAME)
    name = f"[{name}]" if is_chosen else name
    inside = 1 if region.kind is RegionKind.VOLUME else 0
    for row in range(top + inside, bottom + 1):
        if sheet.write(left + 1, row, f" {name} "):
            return
