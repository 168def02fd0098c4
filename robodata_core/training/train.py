"""From question sets to a ranker: split by a fixed hash, make examples, fit, measure, describe.

Which questions are held out depends on their words alone, so that the same questions are held out
whatever the seed, the limit and the order; figures on them are the only ones to compare with.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from typing import Any, Final

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.trained import FEATURES, TrainedRanker
from robodata_core.policy.offline.weights import Weights
from robodata_core.sources.base import KnowledgeSource
from robodata_core.training.examples import Example, make_example
from robodata_core.training.fit import Fitting, fit, hits_at_1

__all__ = ["Report", "is_held_out", "train"]

_BUCKETS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Report:
    """What a training gave.

    Attributes:
        questions: Questions trained on.
        held_out: Questions measured on.
        used: Questions trained on that had a program with the gold answer.
        skipped: How many had none, by reason.
        before: Share of the held-out questions whose best program is right, untrained.
        after: The same, trained.
        before_train: As ``before``, on the questions trained on.
        after_train: As ``after``, on the questions trained on.
        weights: How many weights the ranker has.
    """

    questions: int
    held_out: int
    used: int
    skipped: Mapping[str, int]
    before: float
    after: float
    before_train: float
    after_train: float
    weights: int


def is_held_out(question: str, share: float) -> bool:
    """Tell whether a question is kept out of training, by its words alone."""
    digest = hashlib.sha256(" ".join(question.lower().split()).encode()).digest()
    return int.from_bytes(digest[:8], "big") % _BUCKETS < share * _BUCKETS


def train(
    questions: Sequence[GoldQuestion],
    settings: Settings,
    *,
    seed: int = 0,
    hold_out: float = 0.2,
    processes: int = 1,
    how: Fitting | None = None,
    progress: Callable[[Example], None] = lambda example: None,
) -> tuple[TrainedRanker, Report]:
    """Train a ranker.

    Args:
        questions: With their gold answers.
        settings: Source and lexicon to answer them with; its ranker is not used.
        seed: Of the order in which examples are learnt.
        hold_out: Share of questions to measure on instead.
        processes: How many processes solve questions at the same time.
        how: How to fit.
        progress: Told every example that was made.

    Raises:
        ConfigurationError: If no question can be learnt from, or a setting is wrong.
        SnapshotError: If the source cannot be opened.
    """
    unique = list({question.text: question for question in questions}.values())
    if not unique:
        raise ConfigurationError("There are no questions to train on.")
    settings = settings.model_copy(update={"ranker": ""})
    source = _name_of_source(settings)
    learnt: list[Example] = []
    measured: list[Example] = []
    for example in _examples(unique, settings, processes):
        (measured if is_held_out(example.question, hold_out) else learnt).append(example)
        progress(example)
    _check_use(learnt)
    how = how or Fitting()
    words = fit(learnt, Weights(), seed, how)
    report = _report(learnt, measured, words)
    manifest = _manifest(unique, source, seed, hold_out, how, report)
    return TrainedRanker(words, manifest), report


def _name_of_source(settings: Settings) -> str:
    """Open what the workers will open: what is wrong with it is told here, not by one of them."""
    _open(settings)
    try:
        return _source.name if _source is not None else ""
    finally:
        _close()


def _check_use(examples: Sequence[Example]) -> None:
    if any(not example.skipped for example in examples):
        return
    why = Counter(example.skipped for example in examples).most_common(1)
    raise ConfigurationError(
        "Nothing can be learnt from these questions"
        + (f": of most, {why[0][0]}." if why else ", all of them are held out."),
        hint="Check that --source is the graph the questions are about.",
    )


def _report(
    learnt: Sequence[Example],
    measured: Sequence[Example],
    words: Mapping[str, Mapping[str, float]],
) -> Report:
    skipped = Counter(example.skipped for example in learnt if example.skipped)
    return Report(
        questions=len(learnt),
        held_out=len(measured),
        used=len(learnt) - sum(skipped.values()),
        skipped=dict(skipped),
        before=hits_at_1(measured, {}),
        after=hits_at_1(measured, words),
        before_train=hits_at_1(learnt, {}),
        after_train=hits_at_1(learnt, words),
        weights=sum(map(len, words.values())),
    )


def _manifest(
    questions: Sequence[GoldQuestion],
    source: str,
    seed: int,
    hold_out: float,
    how: Fitting,
    report: Report,
) -> dict[str, Any]:
    """Describe a training; nothing here changes from one run to the next."""
    digest = hashlib.sha256()
    for question in sorted(questions, key=lambda item: item.text):
        digest.update(f"{question.text}\t{'|'.join(sorted(question.gold))}\n".encode())
    figures = {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in asdict(report).items()
    }
    return {
        "seed": seed,
        "source": source,
        "data_sha256": digest.hexdigest(),
        "hold_out": hold_out,
        "features": FEATURES,
        "fitting": asdict(how),
        "figures": figures,
    }


# -- examples, in one process or several --------------------------------------------------------

_source: KnowledgeSource | None = None
_resources: OfflineResources | None = None
_failure = ""


def _examples(
    questions: Sequence[GoldQuestion], settings: Settings, processes: int
) -> Iterator[Example]:
    if processes <= 1 or len(questions) < 2:
        _open(settings)
        try:
            yield from map(_make, questions)
        finally:
            _close()
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _begin, (settings,)) as pool:
        try:
            yield from pool.map(_make, questions, chunksize=8)
        except BrokenProcessPool as error:
            raise ConfigurationError(
                "A process that solves questions ended before its time.",
                hint="With fewer --processes they may have enough memory.",
            ) from error


def _begin(settings: Settings) -> None:
    """Open in a process of its own; what fails is told with the first question.

    A process that dies here would only be begun again.
    """
    global _failure
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to answer
    try:
        _open(settings)
    except RoboDataError as error:
        _failure = str(error)


def _open(settings: Settings) -> None:
    from robodata_core.api import open_source

    global _source, _resources
    _source = open_source(settings)
    _resources = OfflineResources.build(_source, settings)


def _close() -> None:
    global _source, _resources
    if _source is not None:
        _source.close()
    _source = _resources = None


def _make(question: GoldQuestion) -> Example:
    if _failure:
        raise ConfigurationError(_failure)
    assert _source is not None and _resources is not None
    return make_example(question, _source, _resources)
