"""Does anything grow with the questions asked: memory, descriptors, threads, time a question?

Rounds on one opened RoboData: questions, a conversation, verifications, a cancelled run, one out of
time; and questions to a Wikibase on loopback whose answers are spoilt in another way each round.
The first third warms up; of the rest, the last quarter is compared with the first.
``ROBODATA_SOAK_SECONDS`` says how long it goes on (600; 20 with ``--quick``).
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
from robodata_core.errors import RoboDataError
from robodata_core.serve.wikibase import WikibaseApi
from robodata_core.sources.snapshot import open_snapshot
from tests.faults import FaultyServer

QUESTIONS = (
    "What is the capital of Canada?",
    "Who wrote The Hitchhiker's Guide to the Galaxy?",
    "How many children does Douglas Adams have?",
    "Is Ottawa the capital of Canada?",
    "What is nobody called here?",
)


FAULTS = ("500=1", "429=1:1", "reset", "truncate", "malformed", "html", "stall=0.2", "bomb=1000000")


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process holds after a round, and what a question and a verification of it took."""

    rss: int
    descriptors: int
    threads: int
    question: float
    verification: float


def _sample(question: float, verification: float) -> Sample:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Sample(
        pages * resource.getpagesize(),
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        question,
        verification,
    )


def _round(robodata: RoboData, live: RoboData, server: FaultyServer, number: int) -> Sample:
    """Ask everything once; the local graph holds it already, so nothing is to be kept."""
    started = time.process_time()
    for question in QUESTIONS:
        robodata.ask(question)
    asked = time.process_time()
    for name in ("Q1930", "Q172", "Q42"):
        robodata.verify("Q16", "P36", name)
    verified = time.process_time()
    talk = robodata.conversation()
    talk.ask(QUESTIONS[0])
    talk.ask("And of France?")
    token = CancelToken()
    token.cancel()
    robodata.ask(QUESTIONS[0], cancel=token)
    robodata.ask("the author of " * 60 + "Canada", time_budget=0.05)
    with contextlib.suppress(RoboDataError):
        robodata.verify("nothing", "of", "this")
    server.break_with(FAULTS[number % len(FAULTS)])
    live.ask(QUESTIONS[number % len(QUESTIONS)], time_budget=2.0)
    server.break_with()
    live.ask(QUESTIONS[0], time_budget=2.0)
    return _sample((asked - started) / len(QUESTIONS), (verified - asked) / 3)


def _samples(seconds: float) -> list[Sample]:
    samples: list[Sample] = []
    with contextlib.ExitStack() as opened:
        source = opened.enter_context(open_snapshot("wikidata-sample"))
        server = FaultyServer(WikibaseApi(source))
        opened.enter_context(server)
        robodata = opened.enter_context(RoboData.open(source="snapshot:wikidata-sample"))
        live = opened.enter_context(
            RoboData.open(
                source="wikidata",
                wikidata_api=server.api_url,
                wikidata_sparql=server.sparql_url,
                cache_days=0,
                http_tries=2,
            )
        )
        end = time.monotonic() + seconds
        while time.monotonic() < end or len(samples) < 12:
            samples.append(_round(robodata, live, server, len(samples)))
    return samples


def results(*, quick: bool) -> list[Result]:
    seconds = float(os.environ.get("ROBODATA_SOAK_SECONDS") or (20 if quick else 600))
    samples = _samples(seconds)
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
        *(
            Result(
                f"processor time a {name}, ratio",
                middle(last, name) / middle(first, name),
                "",
                1.3,
                note=f"{middle(last, name) * 1_000:.1f} ms",
            )
            for name in ("question", "verification")
        ),
    ]


if __name__ == "__main__":
    raise SystemExit(main(__doc__, results))
