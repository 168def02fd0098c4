"""Samples from question sets that come with queries, grounded on one graph.

A question's query is read as a program (``queries``) and both are run on the graph: the program is
kept if it gives what the query gives there. So a set made for the whole of Wikidata can be used on
a part of it, and what the part does not hold is counted, not made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from robodata_core.errors import ConfigurationError, ProgramError, QueryError, SourceError
from robodata_core.model import Direction, EntityValue, QuantityValue, SparqlResult, Value
from robodata_core.programs.executor import execute
from robodata_core.programs.from_sparql import UnfitQueryError, kind_of, program_from_sparql
from robodata_core.programs.keys import key_of
from robodata_core.programs.steps import Count, End, Follow, Judge, Program, Start
from robodata_core.sources.base import KnowledgeSource
from robodata_core.synthesis.corpus import UNANSWERABLE, Corpus, Report, Sample, reason_of
from robodata_core.synthesis.sampling import Drawn
from robodata_core.text import clean_text, parse_json
from robodata_core.whole_files import read_whole

__all__ = ["Asked", "Fit", "from_queries", "read_queries"]

_MAX_QUESTION: Final = 1_000
_ITEM: Final = re.compile(r"Q\d{1,12}")
_RELATION: Final = re.compile(r"[PR]\d{1,8}")
#: At most so many of the kept questions may write the label of their relation.
_LITERAL: Final = 1 / 3
#: At most so many of the kept programs may be of questions that the graph does not answer.
_UNANSWERABLE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its query.

    Attributes:
        id: What the set calls it.
        question: The question, in English where the set has several languages.
        query: SPARQL.
        program: What it means, where that is given in place of a query.
        target: One thing that the answer must hold.
    """

    id: str
    question: str
    query: str = ""
    program: Program | None = None
    target: str = ""


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
    """Read a question set; it may be packed (.gz).

    Known are QALD JSON, JSON Lines with ``question`` and ``query`` (or ``sparql``), and lines as
    in SimpleQuestions on Wikidata: subject, property (R19 is P19 backwards), object, question.

    Raises:
        ConfigurationError: If the file cannot be read, or is neither.
    """
    data = read_whole(path)
    try:
        text = data.decode("utf-8-sig")
        if ".tsv" in Path(path).suffixes:
            lines = [line.split("\t") for line in text.splitlines() if line.strip()]
            return tuple(_one_fact(cells, number) for number, cells in enumerate(lines, 1))
        items = _items(text)
        return tuple(_asked(item, number) for number, item in enumerate(items, 1))
    except (ValueError, TypeError, LookupError, AttributeError):
        raise ConfigurationError(
            f"{path} is no question set with queries.",
            hint='Give QALD JSON, or a line {"question": ..., "query": ...} for each question.',
        ) from None


def from_queries(
    asked: Iterable[Asked], source: KnowledgeSource, corpus: Corpus, *, report: Report, fit: Fit
) -> Iterator[Sample]:
    """Yield a sample for each question whose query is a program that this graph answers.

    Args:
        asked: Questions with their queries.
        source: Where queries and programs are run.
        corpus: Makes the samples.
        report: Counts what came of it.
        fit: Counts which queries are programs, and why the others are not.
    """
    for one in asked:
        report.tries += 1
        fit.read += 1
        try:
            program = one.program or program_from_sparql(one.query)
        except UnfitQueryError as error:
            reason = str(error)
            fit.unfit[reason] = fit.unfit.get(reason, 0) + 1
            report.drop("the query does not fit the toolbox")
            continue
        fit.programs += 1
        literal = corpus.literal(program, one.question)
        if literal and report.literal >= _LITERAL * (report.natural + 1):
            report.drop("it writes the label of its relation, as enough others do")
            continue
        try:
            sample = _sample(one, program, source, corpus, report)
        except (ProgramError, QueryError, SourceError) as error:
            report.drop(reason_of(error))
            continue
        report.add(sample, literal)
        yield sample


def _sample(
    one: Asked, program: Program, source: KnowledgeSource, corpus: Corpus, report: Report
) -> Sample:
    if not corpus.named(program):
        raise ProgramError("The graph has no name for what is asked about.")
    drawn = _grounded(one, program, source)
    if drawn is not None:
        return corpus.sample(drawn, one.question, one.id)
    if report.kinds[UNANSWERABLE] >= _UNANSWERABLE * (report.programs + 1):
        raise ProgramError("The graph holds nothing on it.")
    return corpus.unanswerable(program, one.question, one.id)


def _grounded(one: Asked, program: Program, source: KnowledgeSource) -> Drawn | None:
    """Run both and return the program with its answer; None where the graph holds nothing."""
    result = execute(program, source)
    if not one.query:
        ids = {value.id for value in result.values if isinstance(value, EntityValue)}
        if result.truncated or (ids and one.target and one.target not in ids):
            raise ProgramError("The answer is too large, or is not the expected one.")
        return Drawn(kind_of(program), program, values=result.values) if result.values else None
    expected = source.sparql(one.query)
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
        # A "no" or a zero of a graph that may just lack the facts teaches no answer.
        return None
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


def _one_fact(cells: list[str], number: int) -> Asked:
    subject, relation, target, question = cells
    if not (_ITEM.fullmatch(subject) and _RELATION.fullmatch(relation)):
        raise ValueError("no fact")
    way = Direction.IN if relation[0] == "R" else Direction.OUT
    program = Program(
        (
            Start("start", (EntityValue(subject),)),
            Follow("found", "start", (f"P{relation[1:]}",), way),
            End("found"),
        )
    )
    text = clean_text(question, limit=_MAX_QUESTION)
    return Asked(str(number), text, program=program, target=target)


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
