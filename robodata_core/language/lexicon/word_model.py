"""The learned word model: log-odds of relations from groups of words around a mention.

Multinomial logistic regression over single words, pairs, and threes about the mention, learned
by ``scripts/train_language.py`` from masked questions. Rounded to eight bits it is read without
any library, and adds up some dozen rows for a question; the other thousands stay packed.
"""

from __future__ import annotations

import gzip
import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from robodata_core.cache import BoundedCache
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
_FORM: Final = "robodata-words-2"
_ABSENT: Final = -4.0
_BLOCK: Final = 8
"""Rows that are packed together."""
_AT_HAND: Final = 128
"""Rows that stay unpacked: the readings of a question ask for the same ones again and again."""


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


class _Rows(Mapping[str, bytes]):
    """Rows of numbers by name that are packed in blocks: a third of what they take unpacked."""

    def __init__(self, names: Sequence[str], width: int, blocks: Sequence[bytes]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._width = width
        self._blocks = blocks
        self._at_hand: BoundedCache[str, bytes] = BoundedCache(_AT_HAND)

    @classmethod
    def packed(cls, names: Sequence[str], width: int, rows: memoryview) -> _Rows:
        """Pack rows that stand one behind the other."""
        cuts = range(0, len(rows), _BLOCK * width)
        return cls(names, width, [zlib.compress(rows[at : at + _BLOCK * width], 1) for at in cuts])

    def __getitem__(self, name: str) -> bytes:
        row = self._at_hand.get(name)
        if row is None:
            block, place = divmod(self._places[name], _BLOCK)
            rows = _unpacked(self._blocks[block], _BLOCK * self._width)
            row = rows[place * self._width : (place + 1) * self._width]
            self._at_hand.put(name, row)
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places


def _added(rows: Sequence[bytes], width: int) -> list[int]:
    """Add up rows of signed bytes, place by place.

    A row is read as one long number of which every fourth byte is looked at, so that Python adds
    those places at once; signed bytes are shifted before, so that no place borrows from the next.
    """
    quarter = (width + 3) // 4
    mask = int.from_bytes(b"\xff\0\0\0" * quarter, "little")
    signs = int.from_bytes(b"\x80" * (4 * quarter), "little")
    numbers = [int.from_bytes(row, "little") ^ signs for row in rows]
    added, shift = [0] * (4 * quarter), -128 * len(rows)
    for place in range(4):
        total = sum(number >> 8 * place & mask for number in numbers)
        found = struct.unpack(f"<{quarter}I", total.to_bytes(4 * quarter, "little"))
        added[place::4] = [n + shift for n in found]
    return added[:width]


def _unpacked(block: bytes, size: int) -> bytes:
    return zlib.decompressobj().decompress(block, size)


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
        rows = [self._weights[g] for g in set(groups_of(words, lexicon)) if g in self._weights]
        step = self._step
        sums = _added(rows, len(self._bias))
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

    def beside(self, stem: str) -> frozenset[int]:
        """Return the relations beside which a word stands at least as often as at large."""
        row = self._lifts.get(stem, b"")
        return frozenset(place for place, value in enumerate(row) if value < 128)

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
        rows = [self._weights[group] for group in groups]
        cuts = range(0, len(rows), _BLOCK)
        blocks = [zlib.compress(b"".join(rows[at : at + _BLOCK]), 9) for at in cuts]
        head = {
            "form": _FORM,
            "relations": [[r.label, int(r.inverse)] for r in self.relations],
            "step": self._step,
            "bias": [round(b, 3) for b in self._bias],
            "prior": [round(p, 3) for p in self.prior],
            "groups": groups,
            "blocks": [len(block) for block in blocks],
            "words": words,
            "rarity": [self._rarity[word] for word in words],
            "rarest": round(self._rarest, 2),
        }
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
        data = b"".join([*(self._lifts[word] for word in words), *blocks])
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
            file.write(len(text).to_bytes(4, "big") + text + data)

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
            width, groups, words = len(relations), head["groups"], head["words"]
            rest = memoryview(data)[size:]
            lifts, rest = rest[: width * len(words)], rest[width * len(words) :]
            if len(lifts) != width * len(words):
                raise ValueError("length")
            blocks, rest = _cut(rest, head["blocks"])
            if rest or len(blocks) != -(-len(groups) // _BLOCK):
                raise ValueError("length")
            last = _unpacked(blocks[-1], _BLOCK * width) if blocks else b""
            if len(last) != width * (len(groups) - _BLOCK * max(0, len(blocks) - 1)):
                raise ValueError("length")
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise ConfigurationError(f"{path} is no word model of this version.") from error
        return cls(
            relations, head["step"], head["bias"], head["prior"],
            _Rows(groups, width, blocks), _Rows.packed(words, width, lifts),
            dict(zip(words, head["rarity"], strict=True)), head["rarest"],
        )  # fmt: skip


def _cut(data: memoryview, lengths: Sequence[int]) -> tuple[list[bytes], memoryview]:
    """Return pieces of these lengths, and the rest."""
    pieces = []
    for length in lengths:
        if not 0 <= length <= len(data):
            raise ValueError("length")
        pieces.append(bytes(data[:length]))
        data = data[length:]
    return pieces, data
