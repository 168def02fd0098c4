"""Investigations that were made before: what they are, where they are kept, which to recall.

Source: the KGV-Agent paper, section 2.3.1. Some ship with RoboData, made by
``scripts/build_trajectories.py``; a user's own stand in a file of theirs, with the ids of those
that are no longer wanted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from robodata_core.errors import ConfigurationError, SourceError
from robodata_core.policy.offline.vectors import Embedder, similarity
from robodata_core.text import clean_text, parse_json
from robodata_core.tools.similarity import content_words, stem
from robodata_core.whole_files import read_text, write_whole, writing

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken

__all__ = [
    "Schema",
    "Step",
    "Trajectories",
    "Trajectory",
    "own_path",
    "read_trajectories",
    "trajectory_of",
]

_log = logging.getLogger("robodata.llm")
_MOST_BYTES: Final = 20_000_000
_OF_THEIRS: Final = re.compile(r"\b[ESO]\d+: | \((?:[QP]\d+|[a-z][a-z0-9+.-]*:[^()\n]*)(?:\)|$)")
_OBSERVED: Final = 600
_SHOWN: Final = 240
_RELATION: Final = 0.6
_END: Final = 0.2
_ALIKE: Final = 0.3
"""What is less like a triple than this teaches nothing for it: half of the words that name the
relation, or the same classes at both ends; those at one end alone are not enough."""


@dataclass(frozen=True, slots=True)
class Step:
    """Think, act, observe.

    Attributes:
        thought: Why, in the words of whoever investigated.
        plan_step: Which step of the plan it carries out, from 1; 0 where it changed the plan.
        tool: What was called.
        arguments: With what.
        observation: What came of it.
        ok: Whether the call succeeded.
    """

    thought: str
    plan_step: int
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    observation: str = ""
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Schema:
    """What kind of triple something is: by this trajectories are compared.

    Attributes:
        relation: Names of the relation, in one text.
        subject_classes: Labels of the subject's classes.
        object_classes: The same of the object.
    """

    relation: str
    subject_classes: tuple[str, ...] = ()
    object_classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An investigation from the triple to the judgement.

    Attributes:
        id: Its id in the memory.
        triple: Labels of subject, relation and object.
        schema: What kind of triple it is.
        plan: The plan it went by.
        steps: What was done.
        judgement: ``supported``, ``refuted`` or ``unknown``.
        probability: That the triple holds, as judged.
        because: Why, in short.
        origin: Who investigated, and in what.
    """

    id: str
    triple: tuple[str, str, str]
    schema: Schema
    plan: tuple[str, ...]
    steps: tuple[Step, ...]
    judgement: str
    probability: float
    because: str
    origin: str

    def text(self) -> str:
        """Return it in few lines, as a model is shown it."""
        lines = [f"Triple: {' / '.join(self.triple)}"]
        for number, step in enumerate(self.steps, 1):
            arguments = json.dumps(dict(step.arguments), ensure_ascii=False)
            lines.append(f"{number}. {step.thought} {step.tool}({arguments})")
            lines.append(f"   -> {_short(_bare(step.observation), _SHOWN)}")
        because = _bare(self.because)
        lines.append(f"Judged {self.judgement}, probability {self.probability:.2f}: {because}")
        return "\n".join(lines)


def trajectory_of(
    triple: tuple[str, str, str],
    schema: Schema,
    plan: Sequence[str],
    steps: Iterable[Step],
    judged: tuple[str, float, str],
    origin: str,
) -> Trajectory:
    """Return a trajectory with its texts cut and its id.

    Args:
        triple: Labels.
        schema: What kind of triple it is.
        plan: The plan.
        steps: What was done.
        judged: Judgement, probability and why.
        origin: Who investigated, and in what.
    """
    kept = tuple(
        Step(
            _short(one.thought, _SHOWN), one.plan_step, one.tool, dict(one.arguments),
            _short(one.observation, _OBSERVED), one.ok,
        )
        for one in steps
    )  # fmt: skip
    key = json.dumps([triple, asdict(schema), judged, [asdict(one) for one in kept]])
    id_ = hashlib.sha256(key.encode()).hexdigest()[:8]
    judgement, probability, because = judged
    return Trajectory(
        id_, triple, schema, tuple(plan), kept, judgement, round(probability, 3),
        _short(because, _OBSERVED), origin,
    )  # fmt: skip


class Trajectories:
    """The memory bank: what ships, a user's own, less what was removed.

    Args:
        path: The user's own file; it need not be there.

    Raises:
        ConfigurationError: If it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own, self._removed = _read_own(path)

    def __len__(self) -> int:
        return len(self.all())

    def all(self) -> tuple[Trajectory, ...]:
        """Return all of them, the user's own first."""
        found = {one.id: one for one in (*self._own, *_shipped())}
        return tuple(one for id_, one in found.items() if id_ not in self._removed)

    def get(self, id_: str) -> Trajectory:
        """Return one of them.

        Raises:
            ConfigurationError: If there is none.
        """
        for one in self.all():
            if one.id == id_:
                return one
        raise ConfigurationError(
            f"There is no trajectory {clean_text(id_, limit=40)!r}.",
            hint="`robodata memory list` shows them.",
        )

    def add(self, found: Iterable[Trajectory]) -> int:
        """Keep trajectories; return how many are new.

        Raises:
            ConfigurationError: If the file cannot be written.
        """
        known = {one.id for one in self.all()}
        new = [one for one in found if one.id not in known]
        self._removed -= {one.id for one in new}
        self._own = (*new, *(one for one in self._own if one.id not in {a.id for a in new}))
        self._write()
        return len(new)

    def remove(self, id_: str) -> None:
        """Forget one of them, shipped or own.

        Raises:
            ConfigurationError: If there is none, or the file cannot be written.
        """
        self.get(id_)
        self._own = tuple(one for one in self._own if one.id != id_)
        self._removed |= {id_} & {one.id for one in _shipped()}
        self._write()

    def recall(
        self,
        schema: Schema,
        most: int = 2,
        embedder: Embedder | None = None,
        cancel: CancelToken | None = None,
    ) -> tuple[Trajectory, ...]:
        """Return those most like a triple, best first; fewer where few are like it.

        Likeness is 0.6 for the relation (the share of its words that name the other as well, rare
        words counting more, or nearness by meaning) and 0.2 for the classes at either end. Below
        0.3 nothing is recalled.

        Args:
            schema: What kind of triple it is.
            most: How many at most.
            embedder: Compares names of relations by meaning besides by words.
            cancel: Ends the wait for it.
        """
        bank = self.all()
        near = _near(schema, bank, embedder, cancel)
        words = [_words(one.schema.relation) for one in bank]
        seen = Counter(word for some in words for word in some)
        mine = _words(schema.relation)

        def _rare(word: str) -> float:
            return math.log(1 + len(bank) / (1 + seen[word]))

        def _likeness(place: int) -> float:
            there = bank[place].schema
            both = sum(map(_rare, mine & words[place]))
            every = sum(map(_rare, mine)) or 1.0
            return (
                _RELATION * max(both / every, near[place])
                + _END * _shared(schema.subject_classes, there.subject_classes)
                + _END * _shared(schema.object_classes, there.object_classes)
            )

        scored = sorted((-_likeness(place), place) for place in range(len(bank)))
        return tuple(bank[place] for score, place in scored[:most] if -score >= _ALIKE)

    def _write(self) -> None:
        rows = [asdict(one) for one in self._own]
        rows += [{"removed": id_} for id_ in sorted(self._removed)]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._path, text, mode=0o600)


def _near(
    schema: Schema,
    bank: Sequence[Trajectory],
    embedder: Embedder | None,
    cancel: CancelToken | None,
) -> Sequence[float]:
    """Return how near relations are to a triple's by meaning; 0 where nothing can tell."""
    if embedder is None or not bank:
        return [0.0] * len(bank)
    try:
        mine, *theirs = embedder.embed(
            [schema.relation, *(one.schema.relation for one in bank)], cancel
        )
    except SourceError as error:
        _log.warning("investigations are recalled by words: %s", error)
        return [0.0] * len(bank)
    return [max(0.0, similarity(mine, one)) for one in theirs]


def own_path(setting: str = "") -> Path:
    """Return where a user's own trajectories are kept."""
    if setting:
        return Path(setting).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("robodata", appauthor=False)) / "trajectories.jsonl"


def read_trajectories(text: str, where: str) -> tuple[Trajectory, ...]:
    """Read trajectories, one JSON object a line.

    Raises:
        ConfigurationError: If a line is none.
    """
    from pydantic import TypeAdapter, ValidationError

    reader = TypeAdapter(Trajectory)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(reader.validate_json(line))
        except (ValidationError, RecursionError) as error:
            raise ConfigurationError(f"{where}, line {number} is no trajectory.") from error
    return tuple(found)


@cache
def _shipped() -> tuple[Trajectory, ...]:
    file = resources.files("robodata_core.data").joinpath("trajectories.jsonl")
    return read_trajectories(file.read_text("utf-8"), "the shipped trajectories")


def _read_own(path: Path) -> tuple[tuple[Trajectory, ...], frozenset[str]]:
    try:
        if not path.is_file():
            return (), frozenset()
        text = read_text(path, most=_MOST_BYTES)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error
    removed, rest = set(), []
    for line in text.splitlines():
        if line.startswith('{"removed":'):
            removed.add(_removed_in(line, path))
        else:
            rest.append(line)
    return read_trajectories("\n".join(rest), str(path)), frozenset(removed)


def _removed_in(line: str, path: Path) -> str:
    try:
        return str(parse_json(line)["removed"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} is damaged.") from error


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))


def _shared(mine: Sequence[str], theirs: Sequence[str]) -> float:
    one, other = set(mine), set(theirs)
    return len(one & other) / len(one | other) if one and other else 0.0


def _bare(text: str) -> str:
    """Return a text without handles and ids, which mean nothing outside of its investigation."""
    return _OF_THEIRS.sub("", text)


def _short(text: str, most: int) -> str:
    clean = " ".join(clean_text(text, limit=4 * most, multiline=True).split())
    return clean if len(clean) <= most else f"{clean[: most - 1].rstrip()}…"
