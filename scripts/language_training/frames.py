"""Fits the model of frames from frames and from what is asked in them, both as people wrote them.

Every frame is put around some questions of its form, half of them typed in haste: small letters,
no signs. Questions without a frame, those among them that look as if they had one, are learned as
they stand.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from robodata_core.language.grammar.frame_model import FORMS, FrameModel, begins, ends, seen
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.text import read_text

__all__ = ["Framing", "STEP", "examples_of_frames", "fit_frames", "read_frames"]

_DATA: Final = Path(__file__).resolve().parent / "data"
STEP: Final = 1 / 5
#: How many questions every frame is put around, and how often those that look framed count.
_EACH, _LOOKING = 8, 8
#: Frames of so few words are said far more often than others.
_SHORT, _OFTEN = 3, 24
_LEAST: Final = 2
_TRUTH: Final = "truth"
_HASTY: Final = 0.4
_ROUNDS, _RATE, _SHRINK = 9, 0.25, 1e-4

_Floats: TypeAlias = NDArray[np.float64]
#: A text, where what is asked begins and ends in it (in characters), its form or None.
Framing = tuple[str, int, int, str | None]


def read_frames(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of the training data."""
    with (_DATA / name).open(encoding="utf-8") as lines:
        rows = (line for line in lines if not line.startswith("#"))
        return list(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def examples_of_frames(
    questions: Sequence[str],
    frames: Sequence[dict[str, str]],
    chance: random.Random,
    lexicon: Lexicon,
) -> Iterator[Framing]:
    """Yield texts with what is asked in them.

    Args:
        questions: Without frames.
        frames: Rows of the table.
        chance: Draws what is put into a frame.
        lexicon: Tells what asks for a truth.
    """
    cores: dict[str, list[str]] = {form: [] for form in FORMS}
    for row in read_frames("frame_cores_en.tsv"):
        cores[row["form"]].append(row["core"])
    around = [((row["before"] or "").lower(), _bare(row["after"] or "")) for row in frames]
    around = [frame for frame in around if any(frame)]
    questions = [text for text in questions if not _looks_framed(_bare(text), around)]
    cores["direct"] = questions
    # Only what asks for a truth has "yes or no" behind it.
    cores[_TRUTH] = [text for text in questions if _asks_truth(text, lexicon)]
    for row in frames:
        said = f"{row['before']} {row['after']}".split()
        short = sum(any(map(str.isalnum, word)) for word in said) <= _SHORT
        for core in chance.choices(cores[row["form"]], k=_OFTEN if short else _EACH):
            form = "direct" if row["form"] == _TRUTH else row["form"]
            yield _framed(row["before"] or "", core, row["after"] or "", form, chance)
    looking = (_DATA / "frameless_en.txt").read_text(encoding="utf-8").splitlines()
    for text in (*questions, *(one for one in looking for _ in range(_LOOKING))):
        text = text.lower().rstrip("?.! ") if chance.random() < _HASTY else text
        yield text, 0, len(text), None
    for text in (*cores["noun"], *cores["indirect"]):
        yield text, 0, len(text), None


def _asks_truth(text: str, lexicon: Lexicon) -> bool:
    return lexicon.kind(text.split()[0].lower()) == "auxiliary"


def _bare(text: str) -> str:
    return text.lower().rstrip("?.! ")


def _looks_framed(text: str, around: Iterable[tuple[str, str]]) -> bool:
    """Tell whether a question may have one of some frames, as many that people wrote have."""
    return any(text.startswith(before) and text.endswith(after) for before, after in around)


def _framed(before: str, core: str, after: str, form: str, chance: random.Random) -> Framing:
    if before and chance.random() < _HASTY and core[1:2].islower():
        core = core[0].lower() + core[1:]
    if after[:2] == ", " and chance.random() < _HASTY:
        after = chance.choice((": ", " - ", "... ", "? ", " ")) + after[2:]
    if after and after[0] != " ":
        core = core.rstrip("?.")
    elif form == "direct" and after[1:2].isupper() and core[-1].isalnum():
        core += "?"  # Another sentence begins behind it.
    whole = before + core + after
    if chance.random() < _HASTY:
        whole = whole.lower()
    return whole, len(before), len(before) + len(core), form


def fit_frames(examples: Iterable[Framing], lexicon: Lexicon, seed: int = 0) -> FrameModel:
    """Learn from examples: which span of a text is what is asked, by AdaGrad.

    Args:
        examples: Texts with their spans.
        lexicon: Tells small words, which are known however seldom they are seen.
        seed: Of the order.
    """
    rows = [(read_text(text), start, end, form) for text, start, end, form in examples]
    outside: Counter[str] = Counter()
    for text, start, end, _ in rows:
        outside.update({t.norm for t in text.tokens if t.end <= start or t.start >= end})
    small = {t.norm for text, *_ in rows for t in text.tokens if lexicon.is_small(t.norm)}
    signs = {t.norm for text, *_ in rows for t in text.tokens if not t.is_word}
    words = sorted({w for w, n in outside.items() if n >= _LEAST * _EACH} | small | signs)
    return _Fit(words).fit(rows, seed)


class _Fit:
    def __init__(self, words: Sequence[str]) -> None:
        self._words = dict.fromkeys(words)
        self._edges: dict[str, int] = {}
        self._inner: dict[str, int] = {"*": 0}

    def fit(self, rows: Sequence[tuple[Any, int, int, str | None]], seed: int) -> FrameModel:
        made = [one for row in rows if (one := self._made(*row)) is not None]
        width, inner = len(self._edges), len(self._inner)
        w, ws = np.zeros((width, len(FORMS))), np.full((width, len(FORMS)), 1e-2)
        v, vs = np.zeros(inner), np.full(inner, 1e-2)
        chance = random.Random(seed)
        for _ in range(_ROUNDS):
            for at in chance.sample(range(len(made)), len(made)):
                _step(made[at], w, ws, v, vs)
        edges = {name: list(map(float, w[at])) for name, at in self._edges.items()}
        return FrameModel(
            list(self._words), edges, {name: float(v[at]) for name, at in self._inner.items()}
        )

    def _made(self, text: Any, start: int, end: int, form: str | None) -> Any:
        words = seen(text, self._words)
        size = len(words)
        inside = [n for n, t in enumerate(text.tokens[:size]) if t.start >= start and t.end <= end]
        if not inside:
            return None
        edge = self._edges.setdefault
        first = np.array([[edge(f, len(self._edges)) for f in begins(words, n)]
                          for n in range(size)])  # fmt: skip
        last = np.array([[edge(f, len(self._edges)) for f in ends(words, n)]
                         for n in range(1, size + 1)])  # fmt: skip
        inner = self._inner.setdefault
        sides = [np.array([inner(side + word, len(self._inner)) for word in words])
                 for side in "<>="]  # fmt: skip
        gold = slice(None) if form is None else FORMS.index(form)
        return first, last, sides, inside[0], inside[-1], gold


def _step(one: Any, w: _Floats, ws: _Floats, v: _Floats, vs: _Floats) -> None:
    """Take one step of AdaGrad along the slope of the log-likelihood of one example."""
    first, last, sides, start, end, gold = one
    size = len(first)
    a, b = w[first].sum(1), w[last].sum(1)
    before, after, inside = (np.concatenate([[0.0], np.cumsum(v[side])]) for side in sides)
    rest = before[:size, None] + (after[size] - after[1:])[None, :]
    rest = rest + inside[None, 1:] - inside[:size, None]
    rest[0, size - 1] += v[0]
    scores = a[:, None, :] + b[None, :, :] + rest[:, :, None]
    scores[np.tril_indices(size, -1)] = -np.inf
    chance = np.exp(scores - scores.max())
    wanted = np.zeros_like(chance)
    wanted[start, end, gold] = chance[start, end, gold]
    error = wanted / max(wanted.sum(), 1e-300) - chance / chance.sum()
    for places, part in ((first, error.sum(1)), (last, error.sum(0))):
        ids = places.ravel()
        slope = np.repeat(part, places.shape[1], axis=0) - _SHRINK * w[ids]
        np.add.at(ws, ids, slope * slope)
        np.add.at(w, ids, _RATE * slope / np.sqrt(ws[ids]))
    spans = error.sum(2)
    begun, ended = spans.sum(1), spans.sum(0)
    # A word is before the span where that begins behind it, behind where it has ended before.
    is_before = begun[::-1].cumsum()[::-1] - begun
    is_after = ended.cumsum() - ended
    is_inside = -is_before - is_after
    for ids, part in zip(sides, (is_before, is_after, is_inside), strict=True):
        part = part - _SHRINK * v[ids]
        np.add.at(vs, ids, part * part)
        np.add.at(v, ids, _RATE * part / np.sqrt(vs[ids]))
    whole = float(spans[0, size - 1])
    vs[0] += whole * whole
    v[0] += _RATE * whole / np.sqrt(vs[0])
