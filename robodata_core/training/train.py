"""From question sets to a ranker: split by a fixed hash, make examples, fit, measure, describe.

Which questions are held out depends on their words alone, so that the same questions are held out
whatever the seed, the limit and the order; figures on them are the only ones to compare with.
"""

from __future__ import annotations

import hashlib
import json
import math
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Final

from robodata_core.config import Settings
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.trained import FEATURES, TrainedRanker
from robodata_core.policy.offline.weights import Weights
from robodata_core.sources.base import KnowledgeSource
from robodata_core.training.fit import Example, Fitting, fit, hits_at_1, make_example
from robodata_core.worker import Worker, WorkerEndedError

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
    with _opened(settings) as (source, _):
        return source.name


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
    learnt: Sequence[Example], measured: Sequence[Example], words: Mapping[str, Mapping[str, float]]
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


def _examples(
    questions: Sequence[GoldQuestion], settings: Settings, processes: int
) -> Iterator[Example]:
    processes = min(processes, len(questions))
    if processes <= 1:
        yield from _solved(questions, settings)
        return
    with ExitStack() as stack:
        replies = []
        for number in range(processes):
            worker = stack.enter_context(Worker(f"{__name__}:serve"))
            data = pickle.dumps((questions[number::processes], settings))
            worker.send({"size": len(data)}, data)
            replies.append(worker.replies(math.inf))
        for number in range(len(questions)):
            try:
                _, data = next(replies[number % processes])
            except WorkerEndedError as error:
                raise ConfigurationError(
                    "A process that solves questions ended before its time.",
                    hint="With fewer --processes they may have enough memory.",
                ) from error
            made = pickle.loads(data)  # noqa: S301 - written by this project's own process
            if isinstance(made, str):
                raise ConfigurationError(made)
            yield made


def serve(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Solve the questions that come, each replied by its example or what failed; a worker's job."""
    sys.stdout = sys.stderr  # what a source of somebody's own prints is no reply
    size = json.loads(stdin.readline())["size"]
    questions, settings = pickle.loads(stdin.read(size))  # noqa: S301 - the parent's

    def _reply(what: Example | str) -> None:
        data = pickle.dumps(what)
        stdout.write(json.dumps({"size": len(data)}).encode() + b"\n" + data)
        stdout.flush()

    try:
        for example in _solved(questions, settings):
            _reply(example)
    except RoboDataError as error:
        _reply(str(error))


def _solved(questions: Sequence[GoldQuestion], settings: Settings) -> Iterator[Example]:
    with _opened(settings) as (source, resources):
        for question in questions:
            yield make_example(question, source, resources)


@contextmanager
def _opened(settings: Settings) -> Iterator[tuple[KnowledgeSource, OfflineResources]]:
    from robodata_core.api import open_source

    with closing(open_source(settings)) as source:
        yield source, OfflineResources.build(source, settings)
