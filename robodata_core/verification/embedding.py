"""A link-prediction scorer beside the rules: two kinds of embeddings, trained on the graph itself.

Every entity gets a vector, and a relation turns it towards the vectors of its values: by complex
products (ComplEx, Trouillon et al. 2016), or by a matrix (RESCAL, Nickel et al. 2011). Both are
trained with reciprocal relations, dropout, a norm and AdaGrad (Lacroix et al. 2018; Ruffinelli et
al. 2020). A batch is of one relation, and the rivals of a value are the values that the relation
has in the graph: what is to be told apart is the plausible from the true, not a town from a film.
It knows nothing that the graph does not show, explains nothing, and supports nothing by itself:
its figures are inputs of a calibration. NumPy is needed (extra ``scorer``) and imported when used.
The same statements give the same scorer on one machine, in whatever order they come.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from robodata_core.errors import ConfigurationError
from robodata_core.verification.neighbourhoods import Edge
from robodata_core.whole_files import form_limit, write_whole, writing

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]
    Places: TypeAlias = NDArray[numpy.int64]

    from robodata_core.cancellation import CancelToken

__all__ = ["FIGURES", "Scorer", "read_scorer", "train_scorer"]

_KINDS: Final = ("complex", "matrix")
"""How relations turn vectors, one model each."""

_SHOWN: Final = ("score", "value share", "subject share", "value place", "subject place")
FIGURES: Final = tuple(f"{kind} {name}" for kind in _KINDS for name in _SHOWN)
"""The figures of ``Scorer.figures``, in order."""

_FORMAT: Final = "robodata-scorer-4"
_TWINS: Final = 3
"""Models of each kind, each from a beginning of its own: one alone is as good as its luck."""
_LARGE: Final = 100_000
"""From so many statements on there is one of each kind, so that training takes minutes."""
_STORED: Final = ("entities", "relations")
_WIDTHS: Final = {"complex": 128, "matrix": 96}
"""Figures of an entity's vector; complex ones are halves of real and imaginary parts."""
_NORMS: Final = {"complex": 0.01, "matrix": 0.02}
_OF_MATRIX: Final = 0.1
"""How much of the norm counts for a matrix, which has many more figures than a vector."""
_DROPPED: Final = {"complex": 0.4, "matrix": 0.5}
"""Share of a vector's figures that a step leaves out, before and behind the relation."""
_FEWER_DROPPED: Final = 0.3
_BATCH: Final = 512
_RATE: Final = 0.1
_SLOWED: Final = 0.8
"""How much of the rate is gone when training ends."""
_PASSES: Final = {"complex": 30, "matrix": 40}
_FEWER_PASSES: Final = 10
_MANY: Final = 200_000
"""From so many statements on, fewer passes are made, and less is dropped in them."""
_RIVALS: Final = 1_000
"""Values of a relation that compete in one batch at most."""
_OTHERS: Final = 200
"""Entities of any kind that compete beside them."""
_LEAST: Final = 50
_MOST: Final = 2_000_000
_MOST_BYTES: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Scorer:
    """Trained vectors, and the statements that they were learnt from.

    Attributes:
        entities: Place of an entity's row, by id.
        relations: Place of a relation's row, by id; the reciprocal's is behind all of them.
        models: By kind, for each of its models: vectors of entities, and what relations turn them
            by, float32.
        triples: Rows of subject, relation and value that were learnt from.
        learnt_from: How many statements of which source.
    """

    entities: dict[str, int]
    relations: dict[str, int]
    models: Mapping[str, Sequence[tuple[Floats, Floats]]]
    triples: Places
    learnt_from: str
    _stated: _Stated = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_stated", _Stated(self.triples, len(self.relations)))

    def figures(self, subject: str, property_: str, value: str) -> tuple[float, ...]:
        """Return what the scorer says of a triple, named by ``FIGURES``; NaN of what it never saw.

        For each kind the score, and the logarithms of the shares and of the places of value and
        subject among those that the property has in the graph, at the mean of its models. What is
        stated of the other end does not compete.
        """
        relation = self.relations.get(property_)
        ends = (self.entities.get(subject), self.entities.get(value))
        if relation is None or ends[0] is None or ends[1] is None:
            return (math.nan,) * len(FIGURES)
        found: list[float] = []
        for kind in _KINDS:
            there = self._standing(kind, ends[0], relation, ends[1])
            back = self._standing(kind, ends[1], relation + len(self.relations), ends[0])
            found += ((there[0] + back[0]) / 2, there[1], back[1], there[2], back[2])
        return tuple(found)

    def _standing(self, kind: str, start: int, relation: int, end: int) -> Sequence[float]:
        """Return score, share and place of an end among its rivals, at the mean of the models."""
        import numpy as np

        rivals = self._stated.ends[relation]
        left_out = np.append(self._stated.known(start, relation), end)
        rivals = rivals[~np.isin(rivals, left_out)]
        found = []
        for entities, turns in self.models[kind]:
            query = _TURNS[kind](entities[start][None], turns[relation])[0]
            own = float(query @ entities[end])
            scores = entities[rivals] @ query
            top = float(scores.max(initial=own))
            total = math.exp(own - top) + float(np.exp(scores - top).sum())
            place = math.log1p(int((scores > own).sum()))
            found.append((own, own - top - math.log(total), place))
        return [math.fsum(column) / len(found) for column in zip(*found, strict=True)]

    def write(self, path: str | Path) -> None:
        """Write it to a file (NumPy's npz).

        Raises:
            ConfigurationError: If the file cannot be written.
        """
        import numpy as np

        arrays: dict[str, Any] = {"triples": self.triples.astype(np.int32)}
        for kind, models in self.models.items():
            for name, figures in zip(_STORED, zip(*models, strict=True), strict=True):
                arrays[f"{kind} {name}"] = np.stack(figures).astype(np.float16)
        names = ("\n".join(self.entities), "\n".join(self.relations))
        header = np.array([_FORMAT, self.learnt_from, *names])
        packed = io.BytesIO()
        np.savez_compressed(packed, header=header, **arrays)
        with writing(path) as file:
            write_whole(file, packed.getvalue())


class _Stated:
    """Statements in both directions: the ends of each relation, and those of one start.

    Args:
        triples: Rows of subject, relation, value.
        relations: How many relations there are.
    """

    def __init__(self, triples: Places, relations: int) -> None:
        import numpy as np

        turned = np.stack([triples[:, 2], triples[:, 1] + relations, triples[:, 0]], axis=1)
        rows = np.concatenate([triples, turned])
        self.rows: Places = rows[np.lexsort((rows[:, 2], rows[:, 0], rows[:, 1]))]
        self.bounds: Places = np.searchsorted(self.rows[:, 1], np.arange(2 * relations + 1))
        self.ends = [
            np.unique(self.rows[low:high, 2])
            for low, high in zip(self.bounds[:-1], self.bounds[1:], strict=True)
        ]

    def known(self, start: int, relation: int) -> Places:
        """Return where the relation leads from a start."""
        import numpy as np

        low, high = self.bounds[relation], self.bounds[relation + 1]
        first, last = np.searchsorted(self.rows[low:high, 0], (start, start + 1))
        found: Places = self.rows[low + first : low + last, 2]
        return found


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
    stated = _Stated(triples, len(relations))
    twins = 1 if len(triples) >= _LARGE else _TWINS
    models: dict[str, list[tuple[Floats, Floats]]] = {kind: [] for kind in _KINDS}
    for number, (twin, kind) in enumerate(product(range(twins), _KINDS)):

        def _part(share: float, done: int = number) -> None:
            if cancel is not None:
                cancel.check()
            if told is not None:
                told((done + share) / (twins * len(_KINDS)))

        models[kind].append(_Training(kind, stated, len(entities), twin).run(_part))
    return Scorer(entities, relations, models, triples, learnt_from[:500])


def read_scorer(path: str | Path) -> Scorer:
    """Read a scorer; nothing in the file is executed.

    Raises:
        ConfigurationError: If there is none, it is too large, or it is of another version.
    """
    np = _numpy()
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(item.file_size for item in archive.infolist()) > form_limit(_MOST_BYTES):
                raise ValueError("too large")
        with np.load(path, allow_pickle=False) as data:
            format_, learnt_from, entities, relations = (str(text) for text in data["header"])
            if format_ != _FORMAT:
                raise ValueError("another format")
            return _checked(np, data, entities.split("\n"), relations.split("\n"), learnt_from)
    except OSError as error:
        raise ConfigurationError(f"The scorer {path} cannot be read: {error.strerror}.") from error
    except Exception as error:  # NumPy and zipfile raise nearly anything over a damaged file
        raise ConfigurationError(
            f"{path} is no scorer of this version.",
            hint="`robodata verify --learn-scorer --output FILE` makes one.",
        ) from error


def _checked(
    np: Any, data: Any, entities: Sequence[str], relations: Sequence[str], learnt_from: str
) -> Scorer:
    models = {}
    for kind in _KINDS:
        stored = [data[f"{kind} {name}"] for name in _STORED]
        if any(figures.dtype not in (np.float16, np.float32) for figures in stored):
            raise ValueError("no figures")
        vectors, turns = (figures.astype(np.float32) for figures in stored)
        width = _WIDTHS[kind]
        turn = (width, width) if kind == "matrix" else (width,)
        if vectors.shape[1:] != (len(entities), width):
            raise ValueError("other shapes")
        if turns.shape != (len(vectors), 2 * len(relations), *turn) or not len(vectors):
            raise ValueError("other shapes")
        if not (np.isfinite(vectors).all() and np.isfinite(turns).all()):
            raise ValueError("not finite")
        models[kind] = tuple(zip(vectors, turns, strict=True))
    triples = data["triples"]
    if triples.dtype not in (np.int32, np.int64):
        raise ValueError("no places")
    triples = triples.astype(np.int64)
    bounds = np.array([len(entities), len(relations), len(entities)])
    if triples.ndim != 2 or triples.shape[1] != 3 or (triples < 0).any():
        raise ValueError("other statements")
    if (triples >= bounds).any():
        raise ValueError("statements about what there is not")
    return Scorer(
        {id_: place for place, id_ in enumerate(entities)},
        {id_: place for place, id_ in enumerate(relations)},
        models,
        triples,
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


def _by_complex(vectors: Floats, turn: Floats) -> Floats:
    """Return complex products, so that the real part with a value's conjugate is the score."""
    import numpy as np

    half = vectors.shape[1] // 2
    a, b, x, y = vectors[:, :half], vectors[:, half:], turn[:half], turn[half:]
    return np.concatenate([a * x - b * y, a * y + b * x], axis=1)


def _by_matrix(vectors: Floats, turn: Floats) -> Floats:
    turned: Floats = vectors @ turn
    return turned


def _slopes_of_complex(slope: Floats, vectors: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """Return the slopes of vectors and turn, given the products'."""
    import numpy as np

    half = vectors.shape[1] // 2
    a, b, x, y = slope[:, :half], slope[:, half:], turn[:half], turn[half:]
    u, v = vectors[:, :half], vectors[:, half:]
    by_vectors = np.concatenate([a * x + b * y, b * x - a * y], axis=1)
    return by_vectors, np.concatenate([(a * u + b * v).sum(axis=0), (b * u - a * v).sum(axis=0)])


def _slopes_of_matrix(slope: Floats, vectors: Floats, turn: Floats) -> tuple[Floats, Floats]:
    return slope @ turn.T, vectors.T @ slope


_TURNS: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "complex": _by_complex,
    "matrix": _by_matrix,
}
_SLOPES: Final[Mapping[str, Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]]] = {
    "complex": _slopes_of_complex,
    "matrix": _slopes_of_matrix,
}


class _Training:
    """One model while it is trained.

    Args:
        kind: How relations turn vectors.
        stated: The statements.
        entities: How many entities there are.
        twin: Which beginning.
    """

    def __init__(self, kind: str, stated: _Stated, entities: int, twin: int) -> None:
        import numpy as np

        self._np = np
        self._kind = kind
        self._stated = stated
        self._count = entities
        self._chance = np.random.default_rng(twin)
        relations, width = len(stated.ends), _WIDTHS[kind]
        self._entities = self._drawn(0.1, entities, width)
        self._relations = (
            self._drawn(width**-0.5, relations, width, width)
            if kind == "matrix"
            else self._drawn(0.1, relations, width)
        )
        self._entity_squares = np.full_like(self._entities, 1e-6)
        self._relation_squares = np.full_like(self._relations, 1e-6)
        many = len(stated.rows) >= 2 * _MANY
        self._passes = _FEWER_PASSES if many else _PASSES[kind]
        self._dropped = _FEWER_DROPPED if many else _DROPPED[kind]

    def _drawn(self, deviation: float, *shape: int) -> Floats:
        drawn = self._chance.normal(size=shape) * deviation
        floats: Floats = drawn.astype(self._np.float32)
        return floats

    def run(self, told: Callable[[float], None]) -> tuple[Floats, Floats]:
        """Train; ``told`` hears the share that is done after every hundred batches."""
        for done in range(self._passes):
            rate = _RATE * (1 - _SLOWED * done / self._passes)
            batches = list(self._batches())
            for number, place in enumerate(self._chance.permutation(len(batches))):
                relation, start, end = batches[place]
                self._step(relation, start, end, rate)
                if number % 100 == 0:
                    told((done + number / len(batches)) / self._passes)
        return self._entities, self._relations

    def _batches(self) -> Iterator[tuple[int, Places, Places]]:
        """Yield relations with starts and ends of some of their statements."""
        bounds = self._stated.bounds
        for relation, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            rows = self._stated.rows[low:high]
            rows = rows[self._chance.permutation(len(rows))]
            for place in range(0, len(rows), _BATCH):
                batch = rows[place : place + _BATCH]
                yield relation, batch[:, 0], batch[:, 2]

    def _step(self, relation: int, start: Places, end: Places, rate: float) -> None:
        np, kind = self._np, self._kind
        rivals = self._rivals(relation, end)
        target = np.searchsorted(rivals, end)
        vectors, turn = self._entities[rivals], self._relations[relation]
        one, two = self._kept(len(start)), self._kept(len(start))
        from_ = self._entities[start]
        queries = _TURNS[kind](from_ * one, turn) * two
        shares = queries @ vectors.T
        shares -= shares.max(axis=1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(start)), target] -= 1
        shares /= _BATCH
        by_start, by_relation = _SLOPES[kind]((shares @ vectors) * two, from_ * one, turn)
        by_start = by_start * one + self._norm(from_)
        of_turn = np.float32(len(start) * (_OF_MATRIX if kind == "matrix" else 1))
        by_relation += of_turn * self._norm(turn)
        counts = np.bincount(target, minlength=len(rivals)).astype(np.float32)
        by_rival = shares.T @ queries + counts[:, None] * self._norm(vectors)
        self._update(self._entities, self._entity_squares, rivals, by_rival, rate)
        places, summed = self._summed(start, by_start)
        self._update(self._entities, self._entity_squares, places, summed, rate)
        row = np.array([relation])
        self._update(self._relations, self._relation_squares, row, by_relation[None], rate)

    def _kept(self, count: int) -> Floats:
        """Return a mask of what is not left out, so that its mean is 1."""
        drawn = self._chance.random((count, _WIDTHS[self._kind]), dtype=self._np.float32)
        kept: Floats = (drawn > self._dropped) / self._np.float32(1 - self._dropped)
        return kept

    def _rivals(self, relation: int, end: Places) -> Places:
        """Return the entities that compete as values, the right ones among them, in order."""
        np, chance = self._np, self._chance
        ends = self._stated.ends[relation]
        if len(ends) > _RIVALS:
            ends = chance.choice(ends, _RIVALS, replace=False)
        rivals: Places = np.unique(
            np.concatenate([ends, end, chance.integers(0, self._count, _OTHERS)])
        )
        return rivals

    def _norm(self, figures: Floats) -> Floats:
        """Return the slope of the norm, a share of it for each row of a batch.

        The nuclear 3-norm for complex figures, the squares for others.
        """
        np = self._np
        weight = np.float32(_NORMS[self._kind] / _BATCH)
        if self._kind == "matrix":
            squares: Floats = 2 * weight * figures
            return squares
        half = figures.shape[-1] // 2
        lengths = np.sqrt(figures[..., :half] ** 2 + figures[..., half:] ** 2 + 1e-12)
        slope: Floats = 3 * weight * np.concatenate([lengths, lengths], axis=-1) * figures
        return slope

    def _summed(self, places: Places, slopes: Floats) -> tuple[Places, Floats]:
        """Return each place once, with the sum of its slopes."""
        np = self._np
        order = np.argsort(places, kind="stable")
        unique, first = np.unique(places[order], return_index=True)
        return unique, np.add.reduceat(slopes[order], first, axis=0)

    def _update(
        self, vectors: Floats, squares: Floats, places: Places, slopes: Floats, rate: float
    ) -> None:
        """Take AdaGrad's step for some rows, each of them once."""
        squares[places] += slopes * slopes
        vectors[places] -= self._np.float32(rate) * slopes / self._np.sqrt(squares[places])
