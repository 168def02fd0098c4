"""A link-prediction scorer beside the rules: ComplEx embeddings, trained on the graph itself.

Every entity and relation gets a complex vector, so that the real part of <subject, relation,
conjugate value> is large for triples of the graph (Trouillon et al. 2016). Trained with reciprocal
relations, a softmax over values, the nuclear 3-norm and AdaGrad (Lacroix et al. 2018). It knows
nothing that the graph does not show, explains nothing, and supports nothing by itself: its figures
are inputs of a calibration. NumPy is needed (extra ``scorer``) and imported when used. The same
statements in the same order give the same scorer on one machine.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from robodata_core.errors import ConfigurationError
from robodata_core.verification.neighbourhoods import Edge

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]
    Places: TypeAlias = NDArray[numpy.int64]

    from robodata_core.cancellation import CancelToken

__all__ = ["FIGURES", "Scorer", "read_scorer", "train_scorer"]

FIGURES: Final = ("scorer", "scorer value share", "scorer subject share", "scorer among stated")
"""The figures of ``Scorer.figures``, in order."""

_FORMAT: Final = "robodata-scorer-1"
_HALF: Final = 64
"""Complex dimensions of a vector; it has twice as many real ones."""
_SEEDS: Final = (0, 1)
"""One model for each; their figures are averaged."""
_BATCH: Final = 512
_RATE: Final = 0.1
_NORM: Final = 0.05
_PASSES: Final = 20
_FEWER_PASSES: Final = 8
_MANY: Final = 200_000
"""From so many statements on, fewer passes are made."""
_ALL_ENTITIES: Final = 5_000
"""Up to so many entities all are rivals of a value; of more, a sample is drawn for each batch."""
_RIVALS: Final = 1_000
_LEAST: Final = 50
_MOST: Final = 2_000_000
_MOST_BYTES: Final = 1_000_000_000
_LEAST_STATED: Final = 3


@dataclass(frozen=True, slots=True)
class Scorer:
    """Trained vectors, and how the graph's own triples score with them.

    Attributes:
        entities: Place of an entity's row, by id.
        relations: Place of a relation's row, by id; the reciprocal's is behind all of them.
        models: For each seed: vectors of entities (entities × 128) and of relations (twice the
            relations × 128), float32.
        stated: Mean and deviation of the scores of a relation's own triples (relations × 2).
        learnt_from: How many statements of which source.
    """

    entities: dict[str, int]
    relations: dict[str, int]
    models: tuple[tuple[Floats, Floats], ...]
    stated: Floats
    learnt_from: str

    def figures(self, subject: str, property_: str, value: str) -> tuple[float, ...]:
        """Return what the scorer says of a triple, named by ``FIGURES``; NaN of what it never saw.

        The score, the logarithms of the shares that value and subject have among all entities
        for this relation, and the score in deviations from the relation's stated triples.
        """
        import numpy as np

        relation = self.relations.get(property_)
        ends = (self.entities.get(subject), self.entities.get(value))
        if relation is None or ends[0] is None or ends[1] is None:
            return (math.nan,) * len(FIGURES)
        row = np.array([[ends[0], relation, ends[1]]], dtype=np.int64)
        scores, value_share, subject_share = _scored(self.models, row, len(self.relations))
        mean, deviation = self.stated[relation]
        score = float(scores[0])
        return (
            score,
            float(value_share[0]),
            float(subject_share[0]),
            (score - float(mean)) / float(deviation),
        )

    def write(self, path: str | Path) -> None:
        """Write it to a file (NumPy's npz).

        Raises:
            ConfigurationError: If the file cannot be written.
        """
        import numpy as np

        arrays: dict[str, Any] = {"stated": self.stated}
        for place, (entities, relations) in enumerate(self.models):
            arrays[f"entities{place}"] = entities.astype(np.float16)
            arrays[f"relations{place}"] = relations.astype(np.float16)
        names = ("\n".join(self.entities), "\n".join(self.relations))
        header = np.array([_FORMAT, self.learnt_from, *names])
        try:
            with Path(path).open("wb") as file:
                np.savez_compressed(file, header=header, **arrays)
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from error


def train_scorer(
    edges: Iterable[Edge],
    learnt_from: str,
    *,
    told: Callable[[float], None] | None = None,
    cancel: CancelToken | None = None,
) -> Scorer:
    """Train a scorer on statements between entities.

    Args:
        edges: Subject, property, value.
        learnt_from: What they are, for people.
        told: Told the share that is done, from 0 to 1.
        cancel: Ends it early.

    Raises:
        ConfigurationError: If NumPy is missing, or there are too few or too many statements.
        CancelledError: If it was cancelled.
    """
    np = _numpy()
    ordered = sorted(set(edges))
    if not _LEAST <= len(ordered) <= _MOST:
        raise ConfigurationError(
            f"A scorer learns from {_LEAST} to {_MOST:,} statements between things,"
            f" and here are {len(ordered):,}."
        )
    ends = sorted({end for subject, _, value in ordered for end in (subject, value)})
    entities = {id_: place for place, id_ in enumerate(ends)}
    properties = sorted({property_ for _, property_, _ in ordered})
    relations = {id_: place for place, id_ in enumerate(properties)}
    triples = np.array(
        [(entities[s], relations[p], entities[o]) for s, p, o in ordered], dtype=np.int64
    )
    models = []
    for number, seed in enumerate(_SEEDS):

        def part(share: float, done: int = number) -> None:
            if cancel is not None:
                cancel.check()
            if told is not None:
                told((done + share) / len(_SEEDS))

        models.append(_Training(triples, len(entities), len(relations), seed).run(part))
    parts = np.array_split(triples, max(1, len(triples) // _BATCH))
    scores = np.concatenate([_scored(models, rows, len(relations))[0] for rows in parts])
    stated = np.zeros((len(relations), 2), dtype=np.float32)
    for relation in range(len(relations)):
        own = scores[triples[:, 1] == relation]
        known = own if len(own) >= _LEAST_STATED else scores
        stated[relation] = (known.mean(), known.std() + 1e-3)
    return Scorer(entities, relations, tuple(models), stated, learnt_from[:500])


def read_scorer(path: str | Path) -> Scorer:
    """Read a scorer; nothing in the file is executed.

    Raises:
        ConfigurationError: If there is none, it is too large, or it is of another version.
    """
    np = _numpy()
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(item.file_size for item in archive.infolist()) > _MOST_BYTES:
                raise ValueError("too large")
        with np.load(path, allow_pickle=False) as data:
            format_, learnt_from, entities, relations = (str(text) for text in data["header"])
            if format_ != _FORMAT:
                raise ValueError("another format")
            return _checked(np, data, entities.split("\n"), relations.split("\n"), learnt_from)
    except OSError as error:
        raise ConfigurationError(f"The scorer {path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError) as error:
        raise ConfigurationError(
            f"{path} is no scorer of this version.",
            hint="`robodata verify --learn-scorer --output FILE` makes one.",
        ) from error


def _checked(
    np: Any, data: Any, entities: Sequence[str], relations: Sequence[str], learnt_from: str
) -> Scorer:
    models = tuple(
        tuple(data[f"{name}{place}"].astype(np.float32) for name in ("entities", "relations"))
        for place in range(len(_SEEDS))
    )
    stated = data["stated"].astype(np.float32)
    shapes = {
        ((len(entities), 2 * _HALF), (2 * len(relations), 2 * _HALF)) == (one.shape, two.shape)
        for one, two in models
    }
    arrays = [array for model in models for array in model]
    finite = all(np.isfinite(array).all() for array in (*arrays, stated))
    if shapes != {True} or stated.shape != (len(relations), 2) or not finite:
        raise ValueError("other shapes")
    if (stated[:, 1] <= 0).any():
        raise ValueError("deviations")
    return Scorer(
        {id_: place for place, id_ in enumerate(entities)},
        {id_: place for place, id_ in enumerate(relations)},
        models,
        stated,
        learnt_from,
    )


def _numpy() -> Any:
    try:
        import numpy
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "A scorer needs NumPy.", hint="pip install 'robodata[scorer]'"
        ) from error
    return numpy


def _queries(entities: Floats, relations: Floats, start: Places, relation: Places) -> Floats:
    """Return the products whose scalar product with a value's vector is the score."""
    import numpy as np

    one, two = entities[start], relations[relation]
    a, b, x, y = one[:, :_HALF], one[:, _HALF:], two[:, :_HALF], two[:, _HALF:]
    return np.concatenate([a * x - b * y, a * y + b * x], axis=1)


def _scored(
    models: Sequence[tuple[Floats, Floats]], triples: Places, count: int
) -> tuple[Floats, Floats, Floats]:
    """Return scores and log shares of value and subject, averaged over the models."""
    import numpy as np

    sums = np.zeros((3, len(triples)), dtype=np.float32)
    subjects, relations, values = triples.T
    rows = np.arange(len(triples))
    for entity_vectors, relation_vectors in models:
        for place, (start, relation, end) in enumerate(
            ((subjects, relations, values), (values, relations + count, subjects)), 1
        ):
            all_scores = (
                _queries(entity_vectors, relation_vectors, start, relation) @ entity_vectors.T
            )
            own = all_scores[rows, end]
            top = all_scores.max(axis=1)
            total = np.log(np.exp(all_scores - top[:, None]).sum(axis=1)) + top
            sums[0] += own
            sums[place] += own - total
    sums /= len(models)
    return sums[0], sums[1], sums[2]


class _Training:
    """One model while it is trained.

    Args:
        triples: Rows of subject, relation, value.
        entities: How many entities there are.
        relations: How many relations.
        seed: Of the only source of chance.
    """

    def __init__(self, triples: Places, entities: int, relations: int, seed: int) -> None:
        import numpy as np

        self._np = np
        self._chance = np.random.default_rng(seed)
        turned = np.stack([triples[:, 2], triples[:, 1] + relations, triples[:, 0]], axis=1)
        self._rows = np.concatenate([triples, turned])
        self._entities = self._drawn(entities)
        self._relations = self._drawn(2 * relations)
        self._entity_squares = np.full_like(self._entities, 1e-6)
        self._relation_squares = np.full_like(self._relations, 1e-6)
        self._passes = _PASSES if len(triples) < _MANY else _FEWER_PASSES

    def _drawn(self, count: int) -> Floats:
        drawn = self._chance.normal(size=(count, 2 * _HALF)) * 0.1
        floats: Floats = drawn.astype(self._np.float32)
        return floats

    def run(self, told: Callable[[float], None]) -> tuple[Floats, Floats]:
        """Train; ``told`` hears the share that is done after every hundred batches."""
        batches = -(-len(self._rows) // _BATCH)
        for done in range(self._passes):
            order = self._chance.permutation(len(self._rows))
            for number in range(batches):
                self._step(self._rows[order[number * _BATCH : (number + 1) * _BATCH]])
                if number % 100 == 0:
                    told((done + number / batches) / self._passes)
        return self._entities, self._relations

    def _step(self, rows: Places) -> None:
        np = self._np
        start, relation, end = rows.T
        rivals, target = self._rivals(end)
        vectors = self._entities[rivals]
        queries = _queries(self._entities, self._relations, start, relation)
        shares = queries @ vectors.T
        shares -= shares.max(axis=1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(rows)), target] -= 1
        shares /= len(rows)
        slope = shares @ vectors
        one, two = self._entities[start], self._relations[relation]
        by_start = _against(slope, two) + self._norm(one, len(rows))
        by_relation = _against(slope, one) + self._norm(two, len(rows))
        by_rival = shares.T @ queries
        np.add.at(by_rival, target, self._norm(vectors[target], len(rows)))
        self._update(
            self._entities,
            self._entity_squares,
            np.concatenate([rivals, start]),
            np.concatenate([by_rival, by_start]),
        )
        self._update(self._relations, self._relation_squares, relation, by_relation)

    def _rivals(self, end: Places) -> tuple[Places, Places]:
        """Return the entities that compete as values, and where the right ones stand in them."""
        np, count = self._np, len(self._entities)
        if count <= _ALL_ENTITIES:
            return np.arange(count), end
        drawn = self._chance.integers(0, count, _RIVALS)
        rivals = np.unique(np.concatenate([end, drawn]))
        return rivals, np.searchsorted(rivals, end)

    def _norm(self, vectors: Floats, count: int) -> Floats:
        """Return the slope of the nuclear 3-norm, a share of it for each row of a batch."""
        np = self._np
        lengths = np.sqrt(vectors[:, :_HALF] ** 2 + vectors[:, _HALF:] ** 2 + 1e-12)
        slope: Floats = (3 * _NORM / count) * np.concatenate([lengths, lengths], axis=1) * vectors
        return slope

    def _update(self, vectors: Floats, squares: Floats, places: Places, slopes: Floats) -> None:
        """Take AdaGrad's step for the rows that a batch touched."""
        np = self._np
        unique, where = np.unique(places, return_inverse=True)
        summed = np.zeros((len(unique), vectors.shape[1]), dtype=np.float32)
        np.add.at(summed, where, slopes)
        squares[unique] += summed * summed
        vectors[unique] -= _RATE * summed / np.sqrt(squares[unique])


def _against(slope: Floats, other: Floats) -> Floats:
    """Return the slope of one factor of a complex product, given the product's and the other."""
    import numpy as np

    a, b, x, y = slope[:, :_HALF], slope[:, _HALF:], other[:, :_HALF], other[:, _HALF:]
    return np.concatenate([a * x + b * y, b * x - a * y], axis=1)
