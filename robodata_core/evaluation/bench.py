"""Running a question set: in parallel, resumable, and never stopped by one bad question.

Every result is one JSON line, written as soon as it is there; a second run with the same file
skips what is in it. ``summary`` adds up, ``report`` writes it down.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from robodata_core.api import RoboData
from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.evaluation.datasets import GoldQuestion, keys_of
from robodata_core.model import Answer, AnswerStatus, EntityValue
from robodata_core.sources.base import KnowledgeSource

__all__ = ["Row", "Summary", "read_rows", "report", "run_questions", "summarise"]


@dataclass(frozen=True, slots=True)
class Row:
    """One question's outcome.

    Attributes:
        id: The question's id in its set.
        question: Its words.
        kind: Its group.
        status: Status of the answer, or ``error``.
        found: Results as text, in order.
        gold: Gold keys.
        hit: Whether the first result is right (1 or 0).
        precision: Share of results that are right.
        recall: Share of gold that was found.
        f1: Harmonic mean of the two.
        claims: Number of claims.
        supported: Claims whose every triple was found again in the source.
        seconds: Wall time of the run.
        error: What went wrong, or empty.
    """

    id: str
    question: str
    kind: str
    status: str
    found: tuple[str, ...]
    gold: tuple[str, ...]
    hit: float
    precision: float
    recall: float
    f1: float
    claims: int
    supported: int
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over some rows; abstention is counted apart from error.

    Attributes:
        questions: How many.
        hits_at_1: Mean of ``hit``; an abstention counts as no hit.
        precision: Macro precision.
        recall: Macro recall.
        f1: Macro F1 (mean of each question's F1).
        f1_of_means: Harmonic mean of macro precision and recall.
        abstained: Share answered with "unknown".
        wrong: Share answered with no right result at all.
        errors: Share that ended in an error.
        support: Share of claims whose every triple holds in the source.
        median_seconds: Median time.
        p95_seconds: 95th percentile.
    """

    questions: int
    hits_at_1: float
    precision: float
    recall: float
    f1: float
    f1_of_means: float
    abstained: float
    wrong: float
    errors: float
    support: float
    median_seconds: float
    p95_seconds: float


_worker: RoboData | None = None


def run_questions(
    questions: Sequence[GoldQuestion],
    settings: Mapping[str, Any],
    output: str | Path,
    *,
    config: str | None = None,
    processes: int = 1,
    progress: Callable[[Row], None] = lambda row: None,
) -> None:
    """Ask all questions that ``output`` does not hold yet and append their rows to it.

    Args:
        questions: What to ask.
        settings: Settings by name, for every process.
        output: JSON Lines file.
        config: Settings file.
        processes: How many processes ask at the same time.
        progress: Told every row.

    Raises:
        ConfigurationError: If the output cannot be written or the settings are wrong.
    """
    path = Path(output)
    done = {row.id for row in read_rows(path)} if path.exists() else set()
    waiting = [question for question in questions if question.id not in done]
    try:
        file = path.open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        for row in _rows(waiting, settings, config, processes):
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            file.flush()
            progress(row)


def _rows(
    questions: Sequence[GoldQuestion],
    settings: Mapping[str, Any],
    config: str | None,
    processes: int,
) -> Iterator[Row]:
    if processes <= 1 or len(questions) < 2:
        _start(settings, config)
        yield from map(_ask, questions)
        _stop()
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, _start, (dict(settings), config)) as pool:
        yield from pool.imap(_ask, questions, chunksize=4)


def _start(settings: Mapping[str, Any], config: str | None) -> None:
    global _worker
    _worker = RoboData.open(config, **settings)


def _stop() -> None:
    global _worker
    if _worker is not None:
        _worker.close()
        _worker = None


def _ask(question: GoldQuestion) -> Row:
    from robodata_core.store.graph import LocalGraph

    assert _worker is not None
    started = time.perf_counter()
    try:
        _worker.store.close()
        _worker.store = LocalGraph.in_memory()
        answer = _worker.ask(question.text)
        return _row(question, answer, _worker.source, time.perf_counter() - started)
    except Exception as error:  # one question must never end a run of thousands
        text = str(error) if isinstance(error, RoboDataError) else repr(error)
        seconds = time.perf_counter() - started
        gold = tuple(sorted(question.gold))
        return Row(
            question.id, question.text, question.kind, "error", (), gold,
            0.0, 0.0, 0.0, 0.0, 0, 0, seconds, text,
        )  # fmt: skip


def _row(question: GoldQuestion, answer: Answer, source: KnowledgeSource, seconds: float) -> Row:
    given = answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL)
    results = answer.results if given else ()
    keys = [keys_of(item) for item in results]
    right = [bool(item & question.gold) for item in keys]
    reached = question.gold & frozenset().union(*keys) if keys else frozenset()
    if not question.gold:
        precision = recall = float(not results)
    else:
        precision = sum(right) / len(right) if right else 0.0
        recall = len(reached) / len(question.gold)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    shown = tuple(item.label or str(getattr(item.value, "id", item.value)) for item in results)
    claims = [claim for claim in answer.claims if claim.supported]
    return Row(
        id=question.id,
        question=question.text,
        kind=question.kind,
        status=answer.status.value,
        found=shown[:100],
        gold=tuple(sorted(question.gold))[:100],
        hit=float(right[0]) if right else float(not question.gold),
        precision=precision,
        recall=recall,
        f1=f1,
        claims=len(claims),
        supported=sum(_holds(claim.support.evidence, source) for claim in claims),
        seconds=round(seconds, 4),
    )


def _holds(evidence: Sequence[Any], source: KnowledgeSource) -> bool:
    """Look every triple up in the source again, past the local graph and past validation."""
    for item in evidence:
        triple = item.triple
        page = source.statements(triple.subject, property=triple.predicate, limit=10_000)
        if not any(_same(statement.value, triple.object) for statement in page.statements):
            return False
    return bool(evidence)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, EntityValue) or isinstance(other, EntityValue):
        return bool(one == other)
    return bool(one == other) or repr(one) == repr(other)


def read_rows(path: str | Path) -> tuple[Row, ...]:
    """Read the rows of a results file; a cut last line is left out.

    Raises:
        ConfigurationError: If it is no results file.
    """
    rows = []
    lines = Path(path).read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            data["found"], data["gold"] = tuple(data["found"]), tuple(data["gold"])
            rows.append(Row(**data))
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                break
            raise ConfigurationError(f"{path}:{number}: not a line of results.") from error
    return tuple(rows)


def summarise(rows: Sequence[Row]) -> Summary:
    """Add rows up.

    Raises:
        ValueError: If there are none.
    """
    if not rows:
        raise ValueError("no rows")
    precision = statistics.fmean(row.precision for row in rows)
    recall = statistics.fmean(row.recall for row in rows)
    claims = sum(row.claims for row in rows)
    times = sorted(row.seconds for row in rows)
    answered = [row for row in rows if row.status in ("answered", "partial")]
    return Summary(
        questions=len(rows),
        hits_at_1=statistics.fmean(row.hit for row in rows),
        precision=precision,
        recall=recall,
        f1=statistics.fmean(row.f1 for row in rows),
        f1_of_means=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        abstained=sum(row.status == "unknown" for row in rows) / len(rows),
        wrong=sum(row.f1 == 0 for row in answered) / len(rows),
        errors=sum(row.status in ("error", "failed") for row in rows) / len(rows),
        support=sum(row.supported for row in rows) / claims if claims else 1.0,
        median_seconds=statistics.median(times),
        p95_seconds=times[min(len(times) - 1, int(0.95 * len(times)))],
    )


def report(rows: Sequence[Row], title: str, setup: Mapping[str, Any]) -> str:
    """Return a report in Markdown: figures in all and by kind, and the worst questions."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.kind].append(row)
    lines = [f"# {title}", ""]
    lines += [f"- {name}: {value}" for name, value in setup.items()]
    lines += ["", _HEADER, _RULE, _line("all", summarise(rows))]
    if len(groups) > 1:
        lines += [_line(kind or "-", summarise(part)) for kind, part in sorted(groups.items())]
    worst = [row for row in rows if row.f1 < 1.0][:50]
    if worst:
        lines += ["", f"## Not fully right (first {len(worst)})", ""]
    for row in worst:
        found = ", ".join(row.found[:5]) or row.error or "nothing"
        lines.append(f"- {row.question} — {row.status}: {found}; gold: {', '.join(row.gold[:5])}")
    return "\n".join(lines) + "\n"


_HEADER = (
    "| questions of | n | Hits@1 | P | R | F1 | F1 of means | abstained | wrong | errors "
    "| support | median s | p95 s |"
)
_RULE = "|---" * 13 + "|"


def _line(name: str, figures: Summary) -> str:
    shares = (
        figures.hits_at_1,
        figures.precision,
        figures.recall,
        figures.f1,
        figures.f1_of_means,
        figures.abstained,
        figures.wrong,
        figures.errors,
        figures.support,
    )
    cells = [name.replace("|", "/"), str(figures.questions)]
    cells += [f"{share:.3f}" for share in shares]
    cells += [f"{figures.median_seconds:.3f}", f"{figures.p95_seconds:.3f}"]
    return "| " + " | ".join(cells) + " |"
