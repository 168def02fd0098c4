"""Does anything grow with the questions asked: memory, descriptors, threads, time a question?

Rounds of questions, a conversation, a cancelled run, one out of time and a failing verification, on
one open source. The first third warms up; of the rest, the last quarter is compared
with the first. ``ROBODATA_SOAK_SECONDS`` says how long it goes on (600; 20 with ``--quick``).
"""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks._common import Result, main, median
from robodata_core.api import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.config import load_settings
from robodata_core.errors import RoboDataError
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.store.graph import LocalGraph

QUESTIONS = (
    "What is the capital of Canada?",
    "Who wrote The Hitchhiker's Guide to the Galaxy?",
    "How many children does Douglas Adams have?",
    "Is Ottawa the capital of Canada?",
    "What is nobody called here?",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process holds after a round, and what a question of it took."""

    rss: int
    descriptors: int
    threads: int
    seconds: float


def _sample(seconds: float) -> Sample:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Sample(
        pages * resource.getpagesize(),
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        seconds,
    )


def _round() -> Sample:
    """Ask everything once, with a local graph of its own: what is to be kept is no growth."""
    started = time.process_time()
    robodata = RoboData(load_settings(), SOURCE, LocalGraph.in_memory())
    for question in QUESTIONS:
        robodata.ask(question)
    spent = (time.process_time() - started) / len(QUESTIONS)
    talk = robodata.conversation()
    talk.ask(QUESTIONS[0])
    talk.ask("And of France?")
    token = CancelToken()
    token.cancel()
    robodata.ask(QUESTIONS[0], cancel=token)
    robodata.ask("the author of " * 60 + "Canada", time_budget=0.05)
    with contextlib.suppress(RoboDataError):
        robodata.verify("nothing", "of", "this")
    robodata.store.close()
    return _sample(spent)


SOURCE = open_snapshot("wikidata-sample")


def results(*, quick: bool) -> list[Result]:
    seconds = float(os.environ.get("ROBODATA_SOAK_SECONDS") or (20 if quick else 600))
    samples: list[Sample] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(samples) < 12:
        samples.append(_round())
    warm = samples[len(samples) // 3 :]
    quarter = max(1, len(warm) // 4)
    first, last = warm[:quarter], warm[-quarter:]
    how = f"{len(samples)} rounds in {seconds:g} s, last quarter against first, warm"

    def middle(part: list[Sample], name: str) -> float:
        return median([float(getattr(sample, name)) for sample in part])

    grown = middle(last, "rss") - middle(first, "rss")
    return [
        Result("memory grown", grown / 1_000_000, "MB", 20.0, note=how),
        Result(
            "descriptors grown", middle(last, "descriptors") - middle(first, "descriptors"), "", 2.0
        ),
        Result("threads grown", middle(last, "threads") - middle(first, "threads"), "", 1.0),
        Result(
            "processor time a question, ratio",
            middle(last, "seconds") / middle(first, "seconds"),
            "",
            1.3,
        ),
    ]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
