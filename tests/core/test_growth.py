"""Nothing grows with the number of questions: a late one takes the time an early one took.

Processor time, as a ratio in one run. Memory, descriptors and threads are ``bench_soak``'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import pytest

from robodata_core.api import RoboData
from robodata_core.model import AnswerStatus
from robodata_core.sources.base import QueryLimits

PEOPLE = 75
WARM = 15
SOME = 15
NOISE = 0.004
RELATION = "country of citizenship"


def ask(robodata: RoboData, name: str) -> None:
    answer = robodata.ask(f"What is the {RELATION} of {name}?")
    assert answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL), name


def verify(robodata: RoboData, name: str) -> None:
    robodata.verify(name, RELATION, "Q16")


@pytest.mark.parametrize("work", [ask, verify])
def test_the_last_of_many_takes_no_longer_than_the_first(
    work: Callable[[RoboData, str], None],
) -> None:
    query = "SELECT DISTINCT ?one WHERE { ?one wdt:P31 wd:Q5 ; wdt:P27 ?country } ORDER BY ?one"
    with RoboData.open() as robodata:
        took = []
        for row in robodata.source.sparql(query, limits=QueryLimits(rows=PEOPLE)).rows:
            started = time.process_time()
            work(robodata, row[0].id)
            took.append(time.process_time() - started)
    assert len(took) == PEOPLE
    early, late = median(took[WARM : WARM + SOME]), median(took[-SOME:])
    assert late <= 2.0 * max(early, NOISE)
