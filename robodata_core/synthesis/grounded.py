"""Samples from question sets that come with queries, grounded on one graph.

A question's query is read as a program (``queries``) and both are run on the graph: the program is
kept if it gives what the query gives there. So a set made for the whole of Wikidata can be used on
a part of it, and what the part does not hold is counted, not made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError, ProgramError, QueryError, SourceError
from robodata_core.model import QuantityValue, SparqlResult, Value
from robodata_core.programs._keys import key_of
from robodata_core.programs.executor import execute
from robodata_core.programs.from_sparql import UnfitQueryError, kind_of, program_from_sparql
from robodata_core.programs.steps import Count, Judge, Program
from robodata_core.sources.base import KnowledgeSource
from robodata_core.synthesis.corpus import Corpus, Report, Sample, reason_of
from robodata_core.synthesis.sampling import Drawn
from robodata_core.text import clean_text, parse_json
from robodata_core.whole_files import read_whole

__all__ = ["Asked", "Fit", "from_queries", "read_queries"]

_MAX_QUESTION: Final = 1_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its query.

    Attributes:
        id: What the set calls it.
        question: The question, in English where the set has several languages.
        query: SPARQL.
    """

    id: str
    question: str
    query: str


@dataclass(slots=True)
class Fit:
    """How many queries of a set are programs of the toolbox.

    Attributes:
        read: Queries read.
        programs: Queries that are programs, whether the graph has an answer or not.
        unfit: Reasons of the others, each with its count.
    """

    read: int
    programs: int
    unfit: dict[str, int]


def read_queries(path: str | Path) -> tuple[Asked, ...]:
    """Read QALD JSON, or JSON Lines with ``question`` and ``query`` (or ``sparql``); may be .gz.

    Raises:
        ConfigurationError: If the file cannot be read, or is neither.
    """
    data = read_whole(path)
    try:
        text = data.decode("utf-8-sig")
        items = _items(text)
        return tuple(_asked(item, number) for number, item in enumerate(items, 1))
    except (ValueError, TypeError, LookupError, AttributeError):
        raise ConfigurationError(
            f"{path} is no question set with queries.",
            hint='Give QALD JSON, or a line {"question": ..., "query": ...} for each question.',
        ) from None


def from_queries(
    asked: Iterable[Asked],
    source: KnowledgeSource,
    corpus: Corpus,
    *,
    report: Report,
    fit: Fit,
    cancel: CancelToken | None = None,
) -> Iterator[Sample]:
    """Yield a sample for each question whose query is a program that this graph answers.

    Args:
        asked: Questions with their queries.
        source: Where queries and programs are run.
        corpus: Makes the samples.
        report: Counts what came of it.
        fit: Counts which queries are programs, and why the others are not.
        cancel: Asked between round trips.
    """
    for one in asked:
        report.tries += 1
        fit.read += 1
        try:
            program = program_from_sparql(one.query)
        except UnfitQueryError as error:
            reason = str(error)
            fit.unfit[reason] = fit.unfit.get(reason, 0) + 1
            report.drop("the query does not fit the toolbox")
            continue
        fit.programs += 1
        try:
            drawn = _grounded(program, one.query, source, cancel)
            sample = corpus.sample(drawn, one.question, one.id)
        except (ProgramError, QueryError, SourceError) as error:
            report.drop(reason_of(error))
            continue
        report.add(sample)
        yield sample


def _grounded(
    program: Program, query: str, source: KnowledgeSource, cancel: CancelToken | None
) -> Drawn:
    """Run both and return the program with its answer.

    Raises:
        ProgramError: If they differ, or the graph holds nothing.
    """
    result = execute(program, source, cancel=cancel)
    expected = source.sparql(query, cancel=cancel)
    if result.truncated or expected.truncated:
        raise ProgramError("The answer is too large.")
    kind = kind_of(program)
    last = program.steps[-2]
    if isinstance(last, Judge):
        same = result.boolean == expected.boolean
        drawn = Drawn(kind, program, boolean=result.boolean)
    elif isinstance(last, Count):
        same = result.number == _number(expected)
        drawn = Drawn(kind, program, number=result.number)
    else:
        same = {key_of(one) for one in result.values} == {key_of(one) for one in _column(expected)}
        drawn = Drawn(kind, program, values=result.values)
    if not (drawn.values or drawn.number or drawn.boolean):
        # A "no" or a zero of a graph that may just lack the facts teaches nothing.
        raise ProgramError("The graph holds nothing on it.")
    if not same:
        raise ProgramError("The program gives another answer than the query.")
    return drawn


def _column(result: SparqlResult) -> list[Value]:
    return [row[0] for row in result.rows if row[0] is not None]


def _number(result: SparqlResult) -> int | None:
    values = _column(result)
    if len(values) != 1 or not isinstance(values[0], QuantityValue):
        return None
    return int(values[0].amount)


def _items(text: str) -> list[Any]:
    if text.lstrip().startswith("{") and '"questions"' in text[:2_000]:
        questions = parse_json(text)["questions"]
        return list(questions)
    return [parse_json(line) for line in text.splitlines() if line.strip()]


def _asked(item: Any, number: int) -> Asked:
    query = item.get("query", item.get("sparql"))
    if isinstance(query, dict):
        query = query["sparql"]
    question = item["question"]
    if isinstance(question, list):
        english = [one["string"] for one in question if one.get("language") == "en"]
        question = (english or [question[0]["string"]])[0]
    if not isinstance(query, str) or not isinstance(question, str):
        raise ValueError("no question with a query")
    return Asked(str(item.get("id", number)), clean_text(question, limit=_MAX_QUESTION), query)
