"""The learned word model: log-odds of relations from groups of words around a mention.

Multinomial logistic regression over single words, pairs, and threes about the mention, learned
by ``scripts/train_language.py`` from masked questions. Rounded to eight bits it is read without
any library, and adds up some dozen rows for a question.
"""

from __future__ import annotations

import gzip
import json
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from robodata_core.errors import ConfigurationError
from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.text import parse_json
from robodata_core.whole_files import read_whole

__all__ = ["BEGIN", "END", "MENTION", "Relation", "WordModel", "groups_of", "masked"]

#: What stands for a mention, the beginning and the end of a text among its words.
MENTION: Final = "_e_"
BEGIN: Final = "^"
END: Final = "$"
_SIGNS: Final = frozenset({MENTION, BEGIN, END})
_FORM: Final = "robodata-words-1"
_ABSENT: Final = -4.0


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """A relation as the model knows it: by its label, and the way it is followed."""

    label: str
    inverse: bool


def masked(words: Sequence[str], start: int, end: int) -> tuple[str, ...]:
    """Return words with a mention hidden, its possessive s dropped, and both ends marked."""
    rest = words[end:]
    if rest[:1] == ("s",) and start < end:
        rest = rest[1:]
    hidden = (MENTION,) if start < end else ()
    return (BEGIN, *words[:start], *hidden, *rest, END)


def groups_of(words: Sequence[str], lexicon: Lexicon) -> list[str]:
    """Return the word groups the model looks at."""
    stems = [word if word in _SIGNS else lexicon.stem(word) for word in words]
    found = list(stems)
    found += [f"{a} {b}" for a, b in zip(stems, stems[1:], strict=False)]
    found += [
        f"{a} {b} {c}"
        for a, b, c in zip(stems, stems[1:], stems[2:], strict=False)
        if MENTION in (a, b, c)
    ]
    return found


class WordModel:
    """Probabilities of relations from words.

    Attributes:
        relations: What is told apart.
        prior: How often each was asked for (log of its share).
    """

    def __init__(
        self,
        relations: Sequence[Relation],
        step: float,
        bias: Sequence[float],
        prior: Sequence[float],
        weights: Mapping[str, bytes],
        lifts: Mapping[str, bytes],
        rarity: Mapping[str, float],
        rarest: float,
    ) -> None:
        self.relations = tuple(relations)
        self.prior = tuple(prior)
        self._step = step
        self._bias = list(bias)
        self._weights = weights
        self._lifts = lifts
        self._rarity = rarity
        self._rarest = rarest
        self._known: tuple[str, ...] | None = None

    def probabilities(self, words: Sequence[str], lexicon: Lexicon) -> list[float]:
        """Return the probability of each relation, given masked words."""
        rows = [array("b", self._weights[g]) for g in set(groups_of(words, lexicon))
                if g in self._weights]  # fmt: skip
        step = self._step
        sums = map(sum, zip(*rows, strict=True)) if rows else [0] * len(self._bias)
        scores = [bias + step * total for bias, total in zip(self._bias, sums, strict=True)]
        top = max(scores)
        powers = [math.exp(score - top) for score in scores]
        whole = sum(powers)
        return [power / whole for power in powers]

    def lift(self, stem: str, relation: int) -> float:
        """Return how much likelier a word is beside a relation than at large (a logarithm)."""
        row = self._lifts.get(stem)
        if row is None:
            return _ABSENT
        value = row[relation]
        return (value - 256 if value > 127 else value) * self._step

    def knows(self, stem: str) -> bool:
        """Tell whether questions had this word often enough to learn from."""
        return stem in self._lifts

    @property
    def known(self) -> tuple[str, ...]:
        """The longer words that it knows, as stems, letters only."""
        if self._known is None:
            self._known = tuple(w for w in sorted(self._lifts) if len(w) > 4 and w.isalpha())
        return self._known

    def rarity(self, stem: str) -> float:
        """Return how rare a word is in questions (logarithm of the inverse share)."""
        return self._rarity.get(stem, self._rarest)

    # -- files ----------------------------------------------------------------------------------

    def write(self, path: Path) -> None:
        """Write the model to a file; the same model gives the same bytes."""
        groups, words = sorted(self._weights), sorted(self._lifts)
        head = {
            "form": _FORM,
            "relations": [[r.label, int(r.inverse)] for r in self.relations],
            "step": self._step,
            "bias": [round(b, 3) for b in self._bias],
            "prior": [round(p, 3) for p in self.prior],
            "groups": groups,
            "words": words,
            "rarity": [self._rarity[word] for word in words],
            "rarest": round(self._rarest, 2),
        }
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
        rows = b"".join([*(self._weights[g] for g in groups), *(self._lifts[w] for w in words)])
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(len(text).to_bytes(4, "big") + text + rows)

    @classmethod
    def read(cls, path: Path) -> WordModel:
        """Read a model.

        Raises:
            ConfigurationError: If the file is no such model.
        """
        data = read_whole(path, what="The word model")
        try:
            size = 4 + int.from_bytes(data[:4], "big")
            head: dict[str, Any] = parse_json(data[4:size])
            if head["form"] != _FORM:
                raise ValueError(head["form"])
            relations = tuple(Relation(label, bool(way)) for label, way in head["relations"])
            width = len(relations)
            groups, words = head["groups"], head["words"]
            rows = data[size:]
            if len(rows) != width * (len(groups) + len(words)):
                raise ValueError("length")
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{path} is no word model of this version.") from error
        cut = [rows[at : at + width] for at in range(0, len(rows), width)] if width else []
        return cls(
            relations, head["step"], head["bias"], head["prior"],
            dict(zip(groups, cut, strict=False)), dict(zip(words, cut[len(groups):], strict=True)),
            dict(zip(words, head["rarity"], strict=True)), head["rarest"],
        )  # fmt: skip
