"""Follow-ups made of a table and of names that a graph has, or none; and what came of them.

A follow-up was made to stand alone *rightly* if its open place was filled with what it points to
(or nothing, where it points to nothing), *wrongly* if with something else or if it was answered
with its place left open, else it was given back as not understood.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus

TABLE: Final = Path(__file__).with_name("followups.tsv")
_TURN: Final = re.compile(r"(?P<text>.*?)(?:\s\[(?P<points>[^\]]+)\])?")

#: Things of a graph by kind; "nowhere" has names that no graph knows.
NAMES: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "wikidata-sample": {
        "person": ("Douglas Adams", "Olof Palme", "Friedrich Nietzsche", "Michael Jackson"),
        "country": ("Canada", "Switzerland", "Jamaica", "Belgium"),
    },
    "world": {
        "film": ("Gattaca", "A Beautiful Mind", "Lawrence of Arabia", "Titanic"),
        "series": ("Cheers", "30 Rock", "Star Trek: The Original Series", "Eureka Seven"),
        "band": ("Coldplay", "The Clash", "Kraftwerk", "Black Sabbath"),
        "person": ("James Cameron", "Stephen King", "Matt Groening", "Will Smith"),
        "club": ("Southampton F.C.", "PFC CSKA Sofia", "Rotherham United F.C."),
        "country": ("Iceland", "Portugal", "Kenya", "Nepal"),
    },
    "nowhere": {
        "film": ("The Salt Orchard", "Midnight at Brannock", "Ninefold", "Cold Harvest Moon"),
        "series": ("Harrowgate", "The Quillon Files", "Seven Lanterns", "Doctor Vesper"),
        "band": ("The Tin Swallows", "Velvet Arcadians", "Norrland Echo", "Glass Meridian"),
        "person": ("Teodor Askwith", "Jorun Felbeck", "Milos Tarrant", "Edvin Quell"),
        "book": ("The Dwarrow Saga", "A Lantern for Ysolde", "Gone Harbour", "The Ember Throne"),
        "club": ("FC Dunmarrow", "Ostrava Wanderers", "Real Castrejo"),
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A turn of a conversation: its text, and what its open place points to ("" for nothing)."""

    text: str
    points: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: where, in which manner, about what, and its turns, a whole question first."""

    graph: str
    manner: str
    seed: str
    new: str
    turns: tuple[FollowUp, ...]


def talks(chance: int = 0) -> Iterator[Talk]:
    """Yield every conversation of the table once on each graph that has things of its kind."""
    dice = random.Random(chance)
    lines = [line for line in TABLE.read_text("utf-8").splitlines() if line[:1] not in ("#", "")]
    for line in lines[1:]:
        manner, kind, turns = line.split("\t")
        for graph, kinds in NAMES.items():
            if kind not in kinds:
                continue
            seed, new = dice.sample(list(kinds[kind]), 2)
            made = []
            for turn in turns.split(" / "):
                match = _TURN.fullmatch(turn)
                assert match is not None
                text = match["text"].replace("{S}", seed).replace("{N}", new)
                made.append(FollowUp(text, match["points"] or "-"))
            yield Talk(graph, manner, seed, new, tuple(made))


def judged(talk: Talk, turn: FollowUp, answers: Sequence[Answer], ids: Mapping[str, str]) -> str:
    """Return right, wrong or unknown for the last answer of a conversation."""
    answer = answers[-1]
    said = (answer.understood_as or turn.text).casefold()
    if not answer.understood_as:
        if turn.points == "-":
            return "right"
        given = answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
        return "wrong" if given else "unknown"
    wanted = {"S": talk.seed, "N": talk.new, "-": ""}.get(turn.points)
    if wanted is not None:
        others = {talk.seed, talk.new} - {wanted}
        strange = any(name.casefold() in said for name in others)
        there = wanted.casefold() in said or f"({ids.get(wanted, '-')}".casefold() in said
        return "right" if wanted and there and not strange else "wrong"
    earlier = answers[int(turn.points[1:]) - 1]
    results = [item for item in earlier.results if item.id]
    if earlier.status not in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL) or not results:
        # Nobody was found: "the author of X" carries on.
        role = re.search(rf"\b(?:of|who|that)\b.*{re.escape(talk.seed.casefold())}", said)
        return "right" if role else "wrong"
    return "right" if any((item.id or "") in said.upper() for item in results) else "wrong"


def measure(*, first: int = 0, every: int = 1, show: bool = False) -> Counter[tuple[str, str]]:
    """Return how many follow-ups were right, wrong and unknown, by fold.

    Args:
        first: The conversation to begin with.
        every: Only one of so many conversations is held.
        show: Print those that were not made to stand alone rightly.
    """
    found: Counter[tuple[str, str]] = Counter()
    opened: dict[str, RoboData] = {}
    try:
        for talk in islice(talks(), first, None, every):
            graph = "wikidata-sample" if talk.graph == "nowhere" else talk.graph
            robodata = opened.get(graph) or opened.setdefault(
                graph, RoboData.open(source=f"snapshot:{graph}")
            )
            conversation = robodata.conversation()
            answers: list[Answer] = []
            hits = {name: robodata.source.search(name, limit=1) for name in (talk.seed, talk.new)}
            ids = {n: h[0].id for n, h in hits.items() if h and talk.graph == graph}
            for turn in talk.turns:
                answers.append(conversation.ask(turn.text))
                if len(answers) == 1:
                    continue
                mark = judged(talk, turn, answers, ids)
                found[talk.graph, mark] += 1
                found[talk.manner, mark] += 1
                found["all", mark] += 1
                if show and mark != "right":
                    print(
                        f"{mark:8}{talk.graph:16}{talk.turns[0].text} … {turn.text} [{turn.points}]"
                        f" -> {answers[-1].understood_as or '-'} | {answers[-1].text[:80]!r}"
                    )
    finally:
        for robodata in opened.values():
            robodata.close()
    return found


if __name__ == "__main__":
    counts = measure(show=True)
    for fold in sorted({fold for fold, _ in counts}):
        row = {mark: counts[fold, mark] for mark in ("right", "wrong", "unknown")}
        whole = sum(row.values())
        print(fold, whole, {mark: f"{count / whole:.0%}" for mark, count in row.items()})
