"""The learned model of frames: which part of a text is asked, and what people only say around it.

A log-linear model over the spans of a text: what stands at both ends of a span, what is left
outside of it, and what is inside. It is learned by ``scripts/train_language.py`` from frames and
questions that people wrote; no word of a language stands here.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from itertools import accumulate
from pathlib import Path
from typing import Final

from robodata_core.errors import ConfigurationError
from robodata_core.language.text import Text
from robodata_core.text import parse_json
from robodata_core.whole_files import read_whole

__all__ = ["FORMS", "Core", "FrameModel", "begins", "ends", "open_frame_model", "seen"]

#: How what is asked stands in its frame: as a question, as a clause of one, as a phrase that names
#: it, as a statement of which the truth is asked.
FORMS: Final = ("direct", "indirect", "noun", "statement")
_FORM: Final = "robodata-frames-1"
#: Tokens beyond these are in no frame.
_MOST: Final = 80
#: Steps of the largest weight of what is worth keeping.
_LEAST: Final = 3
_BEFORE, _AFTER, _INSIDE, _WHOLE = "<", ">", "=", "*"


@dataclass(frozen=True, slots=True)
class Core:
    """What is asked in a text.

    Attributes:
        start: Its first token.
        end: After its last.
        form: One of ``FORMS``.
        probability: That it is this, as the model has it.
    """

    start: int
    end: int
    form: str
    probability: float


def seen(text: Text, known: Mapping[str, object]) -> list[str]:
    """Return the tokens of a text as the model sees them: words it does not know by their kind."""
    found = []
    for at, token in enumerate(text.tokens[:_MOST]):
        if token.norm in known:
            found.append(token.norm)
        elif token.norm[:1].isdecimal():
            found.append("<n>")
        else:
            found.append("<C>" if at and token.text[:1].isupper() else "<w>")
    return found


def begins(words: Sequence[str], at: int) -> list[str]:
    """Return what tells whether the question begins at a place."""
    return _around(_BEFORE, words, at)


def ends(words: Sequence[str], at: int) -> list[str]:
    """Return what tells whether the question ends before a place."""
    return _around(_AFTER, words, at)


def _around(side: str, words: Sequence[str], at: int) -> list[str]:
    padded = ("^", "^", *words, "$", "$")
    last, one, two = padded[at + 1], padded[at + 2], padded[at + 3]
    return [
        f"{side}{padded[at]} {last}|", f"{side}{last}|", f"{side}|{one}", f"{side}|{one} {two}",
        f"{side}{last}|{one}",
    ]  # fmt: skip


class FrameModel:
    """Finds what is asked in a text.

    Args:
        words: The words that it knows.
        edges: Weights of what stands at an end of the question, by form.
        inner: Weights of a word before, behind and inside of it.
    """

    def __init__(
        self,
        words: Sequence[str],
        edges: Mapping[str, Sequence[float]],
        inner: Mapping[str, float],
    ) -> None:
        self.words = dict.fromkeys(words)
        self.edges = edges
        self.inner = inner

    def core(self, text: Text) -> Core:
        """Return what is asked in a text."""
        words = seen(text, self.words)
        size = len(words)
        if not size:
            return Core(0, 0, FORMS[0], 1.0)
        before, after, inside = (
            [0.0, *accumulate(self.inner.get(f"{side}{word}", 0.0) for word in words)]
            for side in (_BEFORE, _AFTER, _INSIDE)
        )
        first = [self._edge(begins(words, at)) for at in range(size)]
        last = [self._edge(ends(words, at)) for at in range(1, size + 1)]
        whole = self.inner.get(_WHOLE, 0.0)
        scores: dict[tuple[int, int, int], float] = {}
        for start in range(size):
            for end in range(start + 1, size + 1):
                rest = before[start] + after[size] - after[end] + inside[end] - inside[start]
                rest += whole if end - start == size else 0.0
                for form in range(len(FORMS)):
                    scores[start, end, form] = rest + first[start][form] + last[end - 1][form]
        start, end, form = max(scores, key=lambda key: scores[key])
        best = scores[start, end, form]
        # Whether a sign at its end is of it or not, it is the same question.
        said = [0, *accumulate(int(token.is_word) for token in text.tokens[:size])]
        mine = sum(
            math.exp(score - best)
            for (begun, ended, _), score in scores.items()
            if said[begun] == said[start] and said[ended] == said[end]
        )
        share = mine / sum(math.exp(score - best) for score in scores.values())
        return Core(start, len(text.tokens) if end == size else end, FORMS[form], share)

    def _edge(self, names: Sequence[str]) -> list[float]:
        rows = [self.edges[name] for name in names if name in self.edges]
        return [sum(row[form] for row in rows) for form in range(len(FORMS))]

    @classmethod
    def read(cls, path: Path) -> FrameModel:
        """Read a model.

        Raises:
            ConfigurationError: If the file holds none.
        """
        text = read_whole(path, what="The frames")
        try:
            data = parse_json(text)
            if data["form"] != _FORM:
                raise ValueError(data["form"])
            step = float(data["step"])
            edges = {
                str(name): [step * int(value) for value in row]
                for name, row in data["edges"].items()
            }
            if any(len(row) != len(FORMS) for row in edges.values()):
                raise ValueError(len(FORMS))
            inner = {str(name): step * int(value) for name, value in data["inner"].items()}
            return cls([str(word) for word in data["words"]], edges, inner)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(f"{path} holds no frames of this version.") from error

    def write(self, path: Path, step: float) -> None:
        """Write the model in steps of a size; the same one gives the same bytes."""
        edges = {name: [round(value / step) for value in self.edges[name]]
                 for name in sorted(self.edges)}  # fmt: skip
        inner = {name: round(self.inner[name] / step) for name in sorted(self.inner)}
        data = {
            "form": _FORM, "step": step, "words": sorted(self.words),
            "edges": {name: row for name, row in edges.items() if _tells(row)},
            "inner": {name: value for name, value in inner.items() if _tells((value,))},
        }  # fmt: skip
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(text.encode())


def _tells(row: Sequence[int]) -> bool:
    """Tell whether weights, in steps, are worth keeping."""
    return any(abs(value) >= _LEAST for value in row)


@lru_cache(maxsize=8)
def open_frame_model(language: str) -> FrameModel | None:
    """Return the model of a language that came with the package; None without one.

    Raises:
        ConfigurationError: If it cannot be read.
    """
    with as_file(files("robodata_core.language").joinpath("weights")) as folder:
        path = folder / f"frames.{language}.gz"
        return FrameModel.read(path) if path.exists() else None
