"""A trained ranker: what training adds to the scores of candidates, and the file it is kept in.

The score of a candidate stays the untrained one (``weights``) plus what was learnt of the words
of the question beside the relations of the candidate (``wording``). Words and relations that
training never saw add nothing, so a graph it was not trained on is ranked as without it. The file
is JSON: a manifest and numbers, never code. How it is made is ``robodata_core.training``'s.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from robodata_core.errors import ConfigurationError
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.wording import Wording
from robodata_core.text import parse_json
from robodata_core.whole_files import read_whole, write_whole

__all__ = ["FEATURES", "FORMAT", "VERSION", "TrainedRanker", "read_ranker", "write_ranker"]

FORMAT: Final = "robodata-ranker"
VERSION: Final = 1
FEATURES: Final = "question words and pairs of words x labels of the walk, its first and last hop"
_MAX_BYTES: Final = 50_000_000
_MAX_WEIGHT: Final = 100.0
_HINT: Final = "Make one with `robodata train`."


@dataclass(frozen=True, slots=True)
class TrainedRanker:
    """Learnt weights, and what is known of their making.

    Attributes:
        words: Weights by walk, then by word group; see ``Wording``.
        manifest: Seed, data, features and figures of the training.
    """

    words: Mapping[str, Mapping[str, float]]
    manifest: Mapping[str, Any]

    def bonus(self, wording: Wording, candidate: Candidate) -> float:
        """Return what training adds to the score of a candidate."""
        total = 0.0
        groups: tuple[str, ...] = ()
        for walk in wording.walks(candidate):
            known = self.words.get(walk)
            if known:
                groups = groups or wording.groups(candidate)
                get = known.get
                total += sum([get(group, 0.0) for group in groups])
        return total


def write_ranker(ranker: TrainedRanker, path: str | Path) -> None:
    """Write a ranker; the same ranker gives the same bytes.

    Raises:
        ConfigurationError: If the file cannot be written.
    """
    data = {
        "format": FORMAT,
        "version": VERSION,
        "manifest": dict(ranker.manifest),
        "words": {walk: dict(sorted(groups.items())) for walk, groups in ranker.words.items()},
    }
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        write_whole(Path(path), text + "\n")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from error


def read_ranker(path: str | Path) -> TrainedRanker:
    """Read and check a ranker.

    Raises:
        ConfigurationError: If it cannot be read, is no ranker, or of another version.
    """
    data = _read_json(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ConfigurationError(f"{path} is no ranker.", hint=_HINT)
    if data.get("version") != VERSION:
        raise ConfigurationError(
            f"The ranker {path} has version {str(data.get('version'))[:20]}; this program reads"
            f" version {VERSION}.",
            hint="Train it again.",
        )
    words, manifest = data.get("words"), data.get("manifest")
    if not isinstance(words, dict) or not isinstance(manifest, dict):
        raise ConfigurationError(f"The ranker {path} lacks its words or its manifest.", hint=_HINT)
    for walk, groups in words.items():
        if not isinstance(groups, dict) or not all(map(_is_weight, groups.values())):
            raise ConfigurationError(
                f"The ranker {path} is damaged: {walk[:60]!r} has no usable weights.", hint=_HINT
            )
    return TrainedRanker(words, manifest)


def _read_json(path: str | Path) -> object:
    data = read_whole(path, most=_MAX_BYTES, what="The ranker", hint=_HINT)
    try:
        return parse_json(data)
    except ValueError as error:
        raise ConfigurationError(f"{path} is no ranker: it is not JSON.", hint=_HINT) from error


def _is_weight(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and abs(value) <= _MAX_WEIGHT
