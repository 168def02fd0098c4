"""Which detection is which known object, where detections carry no ids.

Global nearest neighbour data association (Blackman and Popoli, *Design and Analysis of Modern
Tracking Systems*, 1999, 6.4): pairs within a gate are candidates; of all ways to pair them off the
one with most pairs and, among those, the least sum of squared distances is taken. Pairing greedily
instead would swap two objects that moved along one line. Candidates fall into independent groups;
each is solved exactly (Jonker-Volgenant shortest augmenting paths, cubic in the group's size), so
the usual case of objects apart from each other costs next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from robodata_core.belief.model import Vector

__all__ = ["associate"]

_LARGEST_GROUP = 60
"""Groups beyond this are paired off greedily: seconds matter more than the last swap there."""


def associate(
    known: Sequence[Vector],
    seen: Sequence[Vector],
    gate: float,
    extra: Callable[[int, int, float], float | None] = lambda i, j, apart: 0.0,
) -> list[int | None]:
    """Pair off positions.

    Args:
        known: Where objects were.
        seen: Where detections are.
        gate: Farthest distance of a pair, metres.
        extra: What speaks against a pair (detection, object, metres apart) besides the distance,
            in metres; None forbids it.

    Returns:
        For each of ``seen`` the index of its object in ``known``, or None for a new one.
    """
    links: dict[int, dict[int, float]] = {}
    for i, place in enumerate(seen):
        near = {}
        for j, other in enumerate(known):
            if abs(place[0] - other[0]) <= gate and abs(place[1] - other[1]) <= gate:
                apart = math.dist(place, other)
                against = extra(i, j, apart) if apart <= gate else None
                if against is not None:
                    near[j] = apart * apart + against * against
        if near:
            links[i] = near
    pairs: list[int | None] = [None] * len(seen)
    for group in _groups(links):
        rows = [i for i in group if i in links]
        solve = _greedy if len(rows) > _LARGEST_GROUP else _optimal
        for i, j in solve(rows, links):
            pairs[i] = j
    return pairs


def _groups(links: dict[int, dict[int, float]]) -> list[list[int]]:
    """Return the detections that compete for objects with each other, group by group."""
    takers: dict[int, list[int]] = {}
    for i, near in links.items():
        for j in near:
            takers.setdefault(j, []).append(i)
    groups = []
    left = set(links)
    while left:
        todo = [left.pop()]
        group = []
        while todo:
            i = todo.pop()
            group.append(i)
            for j in links[i]:
                rivals = [k for k in takers[j] if k in left]
                left.difference_update(rivals)
                todo += rivals
        groups.append(sorted(group))
    return groups


def _greedy(rows: list[int], links: dict[int, dict[int, float]]) -> list[tuple[int, int]]:
    candidates = sorted((cost, i, j) for i in rows for j, cost in links[i].items())
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in candidates:
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return list(pairs.items())


def _optimal(rows: list[int], links: dict[int, dict[int, float]]) -> list[tuple[int, int]]:
    """Solve one group exactly; staying unpaired costs more than any pair within the gate."""
    columns = sorted({j for i in rows for j in links[i]})
    if len(rows) == 1:
        near = links[rows[0]]
        return [(rows[0], min(near, key=lambda j: near[j]))]
    dearest = max(cost for i in rows for cost in links[i].values())
    alone = (dearest + 1.0) * (len(rows) + 1)
    # Columns beyond the real ones stand for "unpaired".
    costs = [[links[i].get(j, 2 * alone) for j in columns] + [alone] * len(rows) for i in rows]
    return [(rows[r], columns[c]) for r, c in enumerate(_assignment(costs)) if c < len(columns)]


def _assignment(costs: list[list[float]]) -> list[int]:
    """Return the column of each row in a cheapest assignment; at least as many columns as rows."""
    count, width = len(costs), len(costs[0])
    # Rows and columns count from 1; column 0 stands for the row that looks for a column.
    row_price, price = [0.0] * (count + 1), [0.0] * (width + 1)
    owner = [0] * (width + 1)
    for row in range(1, count + 1):
        owner[0] = row
        column, via = _augment(costs, row_price, price, owner)
        while column:
            owner[column] = owner[via[column]]
            column = via[column]
    chosen = [0] * count
    for j in range(1, width + 1):
        if owner[j]:
            chosen[owner[j] - 1] = j - 1
    return chosen


def _augment(
    costs: list[list[float]], row_price: list[float], price: list[float], owner: list[int]
) -> tuple[int, list[int]]:
    """Find the shortest path from the open row to a free column; prices change on the way.

    Returns:
        The free column, and by which column each one was reached.
    """
    width = len(price)
    column = 0
    least, via, used = [math.inf] * width, [0] * width, [False] * width
    while owner[column]:
        used[column] = True
        at = owner[column]
        line = costs[at - 1]
        free = [j for j in range(1, width) if not used[j]]
        for j in free:
            reduced = line[j - 1] - row_price[at] - price[j]
            if reduced < least[j]:
                least[j], via[j] = reduced, column
        following = min(free, key=lambda j: least[j])
        step = least[following]
        for j in range(width):
            if used[j]:
                row_price[owner[j]] += step
                price[j] -= step
            else:
                least[j] -= step
        column = following
    return column, via
