"""From signals to a probability, learnt from triples that somebody has labelled.

Two small models are averaged: a logistic one and boosted trees, both over the figures of
``signals``, the same as they stand to the property's own centre, and an offset of the property.
Centres and offsets are drawn towards those of all where a property was seen little: what is much
for one property is little for another, as in the thresholds by relation that link predictors use.
What both leave over of a property's value that was labelled several times shifts it, by one Newton
step of a random effect. Of subjects nothing is kept: labelled sets are often made by replacing the
value, so that a subject's other triples give the label away there and nowhere else.
Plain Python, the same for the same triples. A file names what it was learnt from and how good it
was on triples it had not seen; it is labelled data's word, so figures got with it are never called
zero-shot.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from pydantic import ConfigDict, TypeAdapter

from robodata_core.errors import ConfigurationError
from robodata_core.text import parse_json
from robodata_core.verification._trees import Tree, grow, leaf_of
from robodata_core.verification.signals import NAMES
from robodata_core.whole_files import read_whole, write_whole, writing

__all__ = ["Calibration", "Example", "Measured", "fit", "measure", "read_calibration"]

_FORMAT: Final = "robodata-calibration"
_VERSION: Final = 4
_MOST_BYTES: Final = 20_000_000
_PRIOR: Final = 10.0
"""Examples of a property that weigh as much as what is known of all properties together."""
_CENTRE_PRIOR: Final = 2.0
"""The same for the centres of its figures, of triples that hold and of those that do not."""
_VALUE_PRIOR: Final = 4.0
"""What a value must outweigh to count: the inverse variance of such shifts, in log odds."""
_TREES: Final = 200
_EPOCHS: Final = 15
_RATE: Final = 0.3
_DECAY: Final = 1e-3
_LEAST: Final = 20
_STEEP: Final = 30.0
_MOST_NODES: Final = 100_000
_LONGEST: Final = 500

Offsets: TypeAlias = Mapping[str, float]
Centres: TypeAlias = Mapping[str, tuple[float, ...]]
Shifts: TypeAlias = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled triple as a calibration sees it."""

    property: str
    value: str
    figures: tuple[float, ...]
    holds: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """How good verdicts were on triples that nothing was learnt from."""

    triples: int = 0
    accuracy: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learnt; ``probability`` applies it.

    Attributes:
        learnt_from: What the triples were, and how many.
        offsets: Log odds by property, and under "" of those never seen.
        centres: By property, for each figure the middle between triples that hold and those that
            do not, and under "" of those never seen.
        means: Of the figures and of their distances from the centres.
        spreads: The deviations of the same.
        weights: Of the same in the logistic model, then the offset's, then a constant.
        scorer: What the scorer was learnt from whose figures it weighs, or empty for none.
        trees: Boosted on top of the offset.
        held_out: How good it was on triples kept apart.
        shifts: Log odds by property and value, added to both.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, allow_inf_nan=False)

    learnt_from: str
    offsets: Offsets
    centres: Centres
    means: tuple[float, ...]
    spreads: tuple[float, ...]
    weights: tuple[float, ...]
    trees: tuple[Tree, ...]
    held_out: Measured = Measured()
    scorer: str = ""
    shifts: Shifts = field(default_factory=dict)

    def probability(self, property_: str, value: str, figures: Sequence[float]) -> float:
        """Return how likely a triple with this value and these figures is to hold."""
        figures = _filled(_centred(property_, figures, self.centres), self.means)
        offset = self.offsets.get(property_, self.offsets.get("", 0.0))
        row = _scaled(figures, self.means, self.spreads)
        linear = sum(w * x for w, x in zip(self.weights, (*row, offset, 1.0), strict=True))
        boosted = offset + sum(leaf_of(tree, figures) for tree in self.trees)
        shift = self.shifts.get(property_, {}).get(value, 0.0)
        return _sigmoid((linear + boosted) / 2 + shift)

    def write(self, path: str | Path) -> None:
        """Write it to a file.

        Raises:
            ConfigurationError: If the file cannot be written.
        """
        data = {"file": _FORMAT, "version": _VERSION, "figures": NAMES, **asdict(self)}
        with writing(path) as file:
            write_whole(file, json.dumps(data, ensure_ascii=False) + "\n")


def fit(examples: Sequence[Example], learnt_from: str, scorer: str = "") -> Calibration:
    """Learn from labelled triples.

    Args:
        examples: The triples; a figure that is NaN counts as the mean of the others.
        learnt_from: What they were, for people.
        scorer: What the scorer was learnt from that gave figures, or empty for none.

    Raises:
        ConfigurationError: If there are too few, or all have the same label.
    """
    held = sum(example.holds for example in examples)
    if len(examples) < _LEAST or held in (0, len(examples)):
        raise ConfigurationError(
            f"A calibration needs at least {_LEAST} triples, some that hold and some that do not."
        )
    given = examples
    offsets, centres = _offsets(examples), _centres(examples)
    examples = [replace(e, figures=_centred(e.property, e.figures, centres)) for e in examples]
    count = len(examples[0].figures)
    means = tuple(_mean([e.figures[j] for e in examples]) for j in range(count))
    examples = [replace(e, figures=_filled(e.figures, means)) for e in examples]
    spreads = tuple(
        math.sqrt(math.fsum((e.figures[j] - means[j]) ** 2 for e in examples) / len(examples))
        or 1.0
        for j in range(count)
    )
    labels = [float(example.holds) for example in examples]
    starts = [offsets[e.property] for e in examples]
    rows = [
        (*_scaled(e.figures, means, spreads), start, 1.0)
        for e, start in zip(examples, starts, strict=True)
    ]
    trees = grow([e.figures for e in examples], labels, starts, _TREES)
    weights = _logistic(rows, labels)
    learnt = Calibration(
        learnt_from[:_LONGEST], offsets, centres, means, spreads, weights, trees, scorer=scorer
    )
    return replace(learnt, shifts=_shifts(learnt, given))


def measure(
    calibration: Callable[[str, str, Sequence[float]], float], examples: Sequence[Example]
) -> Measured:
    """Score forced decisions on labelled triples; "holds" is the positive class."""
    if not examples:
        return Measured()
    pairs = Counter((calibration(e.property, e.value, e.figures) >= 0.5, e.holds) for e in examples)
    hits, false, missed = pairs[True, True], pairs[True, False], pairs[False, True]
    precision = hits / (hits + false) if hits + false else 0.0
    recall = hits / (hits + missed) if hits + missed else 0.0
    both = precision + recall
    return Measured(
        len(examples),
        round(1 - (false + missed) / len(examples), 4),
        round(precision, 4),
        round(recall, 4),
        round(2 * precision * recall / both if both else 0.0, 4),
    )


def read_calibration(path: str | Path) -> Calibration:
    """Read a calibration.

    Raises:
        ConfigurationError: If there is none, or it is of another version.
    """
    raw = read_whole(path, most=_MOST_BYTES, what="The calibration")
    try:
        data = parse_json(raw)
        if (data["file"], data["version"]) != (_FORMAT, _VERSION):
            raise ValueError("another format")
        if tuple(data["figures"]) != NAMES:
            raise ValueError("other figures")
        found = TypeAdapter(Calibration).validate_json(raw)
        if not _is_sound(found):
            raise ValueError("figures that do not fit together")
        return found
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} is no calibration of this version.",
            hint="`robodata verify --learn TRIPLES --output FILE` makes one.",
        ) from error


def _is_sound(found: Calibration) -> bool:
    """Tell whether all that figures are looked up in is as long as the figures are."""
    count = 2 * len(NAMES)
    return (
        len(found.means) == len(found.spreads) == len(found.weights) - 2 == count
        and all(spread > 0 for spread in found.spreads)
        and "" in found.centres
        and all(len(row) == len(NAMES) for row in found.centres.values())
        and max(len(found.learnt_from), len(found.scorer)) <= _LONGEST
        and sum(map(len, found.trees)) <= _MOST_NODES
        and all(map(_ends, found.trees))
    )


def _ends(tree: Tree) -> bool:
    """Tell whether every node of a tree leads onwards, so that walking it ends."""
    return bool(tree) and all(
        figure < 2 * len(NAMES)
        and (figure < 0 or (place < low < len(tree) and place < high < len(tree)))
        for place, (figure, _, low, high) in enumerate(tree)
    )


def _offsets(examples: Sequence[Example]) -> dict[str, float]:
    totals = Counter(example.property for example in examples)
    held = Counter(example.property for example in examples if example.holds)
    share = sum(held.values()) / len(examples)
    found = {"": _log_odds(share)}
    for name, count in sorted(totals.items()):
        found[name] = _log_odds((held[name] + _PRIOR * share) / (count + _PRIOR))
    return found


def _centres(examples: Sequence[Example]) -> dict[str, tuple[float, ...]]:
    """Return for each figure the middle between triples that hold and others, by property."""
    by_property: dict[str, list[Example]] = {}
    for example in examples:
        by_property.setdefault(example.property, []).append(example)
    figures = range(len(examples[0].figures))
    of_all = [[_mean([e.figures[j] for e in examples if e.holds is side]) for j in figures]
              for side in (False, True)]  # fmt: skip
    found = {"": tuple((low + high) / 2 for low, high in zip(*of_all, strict=True))}
    for name, own in sorted(by_property.items()):
        found[name] = tuple(
            sum(
                _drawn([e.figures[j] for e in own if e.holds is side], of_all[side][j])
                for side in (False, True)
            )
            / 2
            for j in figures
        )
    return found


def _shifts(learnt: Calibration, examples: Sequence[Example]) -> Shifts:
    """Return what a calibration leaves over of each value, drawn towards nothing."""
    slopes: defaultdict[tuple[str, str], float] = defaultdict(float)
    curves: defaultdict[tuple[str, str], float] = defaultdict(float)
    for example in examples:
        share = learnt.probability(example.property, example.value, example.figures)
        slopes[example.property, example.value] += example.holds - share
        curves[example.property, example.value] += share * (1 - share)
    found: dict[str, dict[str, float]] = {}
    for (name, value), slope in sorted(slopes.items()):
        shift = slope / (curves[name, value] + _VALUE_PRIOR)
        found.setdefault(name, {})[value] = shift
    return found


def _drawn(figures: Iterable[float], towards: float) -> float:
    """Return the mean of what is known, drawn towards a value."""
    known = [figure for figure in figures if not math.isnan(figure)]
    return (math.fsum(known) + _CENTRE_PRIOR * towards) / (len(known) + _CENTRE_PRIOR)


def _centred(property_: str, figures: Sequence[float], centres: Centres) -> tuple[float, ...]:
    """Return the figures, and after them their distances from the property's centres."""
    centre = centres.get(property_) or centres[""]
    return (*figures, *(x - c for x, c in zip(figures, centre, strict=True)))


def _log_odds(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(share / (1 - share))


def _mean(figures: Iterable[float]) -> float:
    known = [figure for figure in figures if not math.isnan(figure)]
    return math.fsum(known) / len(known) if known else 0.0


def _filled(figures: Sequence[float], means: Sequence[float]) -> tuple[float, ...]:
    """Return the figures with the mean in place of each that is not known."""
    pairs = zip(figures, means, strict=True)
    return tuple(mean if math.isnan(figure) else figure for figure, mean in pairs)


def _scaled(
    figures: Sequence[float], means: Sequence[float], spreads: Sequence[float]
) -> tuple[float, ...]:
    return tuple((x - m) / s for x, m, s in zip(figures, means, spreads, strict=True))


def _logistic(rows: Sequence[tuple[float, ...]], labels: Sequence[float]) -> tuple[float, ...]:
    """Return the weights that AdaGrad finds, examples in an order drawn once with a fixed seed."""
    weights = [0.0] * len(rows[0])
    squares = [1e-2] * len(weights)
    order = list(range(len(rows)))
    chance = random.Random(0)
    for _ in range(_EPOCHS):
        chance.shuffle(order)
        for place in order:
            row = rows[place]
            wrong = _sigmoid(sum(w * x for w, x in zip(weights, row, strict=True))) - labels[place]
            for j, x in enumerate(row):
                slope = wrong * x + _DECAY * weights[j]
                squares[j] += slope * slope
                weights[j] -= _RATE * slope / math.sqrt(squares[j])
    return tuple(weights)


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-_STEEP, min(_STEEP, value))))
