"""Instruction data: one example a step, as chats to fine-tune a model on.

An example is what KG-Agent's planner sees before a step (question, toolbox, current relations,
history) and the call it should make. Programs come from a graph (``sampling``) or from a question
set with queries (``queries``). A program is kept only if its answer is the expected one and the
agent's tools, called one by one, end with it (``rehearsal``); what was dropped is counted with the
reason. Questions are templates filled with labels.

Source: KG-Agent paper, section 4.2.2 ("KG Reasoning Instruction Synthesis").
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from robodata_core import prompts
from robodata_core.errors import ProgramError
from robodata_core.model import Direction, EntityValue, TimeValue, Value
from robodata_core.programs import codec, english
from robodata_core.programs.steps import (
    Comparison,
    Count,
    End,
    Extreme,
    FilterByConstraint,
    FilterByType,
    Follow,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.synthesis.rehearsal import TOOLS, Made, Rehearsal, same_answer
from robodata_core.synthesis.sampling import Drawn, GraphSource, Sampler
from robodata_core.text import clean_text, normalise_name
from robodata_core.tools.base import ToolCall
from robodata_core.tools.labels import LabelCache
from robodata_core.values import format_value

__all__ = [
    "Corpus",
    "Report",
    "Sample",
    "UNANSWERABLE",
    "from_graph",
    "question_for",
    "reason_of",
    "write",
]


_PREPOSITIONS: Final = frozenset(("as", "at", "by", "for", "from", "in", "of", "on", "to", "with"))
_COMPARED: Final[Mapping[Comparison, str]] = {**english.COMPARISONS, Comparison.NE: "is not"}


def question_for(program: Program, label: Callable[[str], str], random_: random.Random) -> str:
    """Return a question that asks for what ``program`` computes.

    Args:
        program: Made of the steps that ``sampling`` draws.
        label: Gives the label of an id.
        random_: Chooses between wordings that mean the same.

    Raises:
        ProgramError: If there are no words for a step.
    """
    words = _Words(label)
    phrases: dict[str, str] = {}
    last: Step = program.steps[-1]
    for step in program.steps:
        if isinstance(step, (Count, Judge)):
            last = step
        elif not isinstance(step, End):
            phrases[step.out] = words.phrase(step, phrases)
    assert isinstance(last, (Count, Judge, End))
    asked = phrases[last.source]
    if isinstance(last, Count):
        return random_.choice(
            (f"How many are there: {asked}?", f"Count {asked}.", f"What is the number of {asked}?")
        )
    if isinstance(last, Judge):
        if last.value is None:
            return f"Are there any {asked}?"
        return f"Is {words.value(last.value)} {'one of ' * asked.startswith('those')}{asked}?"
    if asked.startswith("those"):
        found = asked.replace("those", "all those", 1)
        return random_.choice((f"Find {found}.", f"List {found}.", f"Which are {asked}?"))
    return random_.choice((f"What is {asked}?", f"Name {asked}.", f"Tell me {asked}."))


class _Words:
    """Noun phrases of node sets."""

    def __init__(self, label: Callable[[str], str]) -> None:
        self._label = label

    def phrase(self, step: Step, phrases: Mapping[str, str]) -> str:
        """Return what the set that ``step`` writes is called."""
        if isinstance(step, Start):
            return " or ".join(self.value(value) for value in step.values)
        if isinstance(step, Follow):
            relation = " or ".join(map(self.name, step.properties))
            source = phrases[step.source]
            if step.direction is Direction.OUT:
                # "the instance of of X" is no English.
                loose = relation.rpartition(" ")[2] in _PREPOSITIONS
                return f"the “{relation}” for {source}" if loose else f"the {relation} of {source}"
            return f"those whose {relation} is {'one of ' * source.startswith('those')}{source}"
        if isinstance(step, (Intersect, Union)):
            between = " and also " if isinstance(step, Intersect) else " or "
            return between.join(phrases[name] for name in step.sources)
        if isinstance(step, (FilterByType, FilterByConstraint, Extreme)):
            return self._filtered(step, phrases[step.source])
        raise ProgramError(f"There are no words for {type(step).__name__}.")

    def _filtered(self, step: FilterByType | FilterByConstraint | Extreme, source: str) -> str:
        among = source if source.startswith("those") else f"those of {source}"
        if isinstance(step, FilterByType):
            kinds = " or ".join(map(self.name, step.type_ids))
            return f"{among}, of the kind {kinds}"
        relation = self.name(step.property)
        if isinstance(step, Extreme):
            size = "largest" if step.largest else "smallest"
            return f"{among}, with the {size} {relation}"
        table = english.TIME_COMPARISONS if isinstance(step.value, TimeValue) else _COMPARED
        return f"{among}, whose {relation} {table[step.comparison]} {self.value(step.value)}"

    def value(self, value: Value) -> str:
        """Return a value in words."""
        if isinstance(value, EntityValue):
            return self.name(value.id)
        return clean_text(format_value(value, self.name), limit=_MAX_LABEL)

    def name(self, id_: str) -> str:
        """Return the label of an id, or the id."""
        return clean_text(self._label(id_), limit=_MAX_LABEL) or id_


_MAX_SEEN: Final = 600
_MAX_RELATIONS: Final = 6_000
_MAX_LABEL: Final = 120
#: Tries without a new program after which a graph is taken to have no more.
_PATIENCE: Final = 5_000
_PROMPT: Final = "synthesis"
#: The kind of a sample whose question the graph does not answer.
UNANSWERABLE: Final = "unanswerable"


@dataclass(frozen=True, slots=True)
class Sample:
    """One program with its question, its answer, and the examples made of it.

    Attributes:
        question: The question, in a template's words or a question set's.
        drawn: The program and its answer.
        made: The calls, in order.
        origin: ``graph``, or what the question set calls the question.
    """

    question: str
    drawn: Drawn
    made: tuple[Made, ...]
    origin: str = "graph"


@dataclass(slots=True)
class Report:
    """What came of it.

    Attributes:
        programs: Programs kept.
        examples: Examples, one a call.
        kinds: Programs kept, by kind.
        dropped: Programs not kept, by reason.
        tries: How often a program was drawn or read.
        natural: Programs kept whose question people worded.
        literal: Those of them that write the label of a relation.
    """

    programs: int = 0
    examples: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    tries: int = 0
    natural: int = 0
    literal: int = 0

    def add(self, sample: Sample, literal: bool | None = None) -> None:
        """Count a sample that was kept; ``literal`` is given where people worded it."""
        self.programs += 1
        self.natural += literal is not None
        self.literal += bool(literal)
        self.examples += len(sample.made)
        self.kinds[sample.drawn.kind] += 1

    def drop(self, reason: str) -> None:
        """Count a program that was not kept."""
        self.dropped[reason] += 1


class Corpus:
    """Makes examples of programs, on one source. For one thread; close it.

    Args:
        source: Where programs are carried out.
        native: Whether calls are given as a model's own tool calls, with the tools' schemas in
            every example; else as JSON in the text, with the toolbox in the instructions.
        slips: In which share of the samples a call fails first, from 0 to 1.
        seed: Draws which.
    """

    def __init__(self, source: KnowledgeSource, *, slips: float = 0.0, seed: int = 0) -> None:
        self._slips = slips
        self._chance = random.Random(seed)
        self._source = source
        self._labels = LabelCache()
        self._rehearsal = Rehearsal(source, self._labels)
        self._system = _system()

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release what the rehearsal holds."""
        self._rehearsal.close()

    def label(self, id_: str) -> str:
        """Return the label of an item or property; the id where there is none."""
        found = self._labels.entities((id_,), self._source)[id_]
        return found or self._labels.properties((id_,), self._source)[id_] or id_

    def sample(self, drawn: Drawn, question: str, origin: str = "graph") -> Sample:
        """Carry a program out.

        Raises:
            ProgramError: With the reason, if no tool does a step, or the tools end with another
                answer than the program's.
        """
        slips = self._chance if self._chance.random() < self._slips else None
        made, end = self._rehearsal.carry_out(drawn.program, question, slips)
        if not same_answer(end, drawn.values, drawn.number, drawn.boolean):
            raise ProgramError("The tools end with another answer than the program.")
        return Sample(question, drawn, made, origin)

    def unanswerable(self, program: Program, question: str, origin: str) -> Sample:
        """Make a sample of a question whose relation the graph does not have where it is asked of.

        Raises:
            ProgramError: With the reason, if it has.
        """
        made, _ = self._rehearsal.look_in_vain(program, question)
        return Sample(question, Drawn(UNANSWERABLE, program), made, origin)

    def literal(self, program: Program, question: str) -> bool:
        """Tell whether a question writes the label of a relation of its program."""
        hops = [step for step in program.steps if isinstance(step, Follow)]
        followed = {name for hop in hops for name in hop.properties}
        words = f" {normalise_name(question)} "
        return any(f" {normalise_name(self.label(name))} " in words for name in followed)

    def named(self, program: Program) -> bool:
        """Tell whether everything that a question has to name has a name."""
        return all(self.label(id_) != id_ for id_ in program.mentioned)

    def examples(self, sample: Sample) -> Iterator[dict[str, Any]]:
        """Yield the examples of a sample as chats, one a call."""
        start = self._start(sample)
        for made in sample.made:
            call = json.dumps(_call(made.call), ensure_ascii=False)
            yield {
                "messages": [
                    {"role": "system", "content": self._system},
                    {"role": "user", "content": _state(start, made)},
                    {"role": "assistant", "content": call},
                ]
            }

    def record(self, sample: Sample) -> dict[str, Any]:
        """Return a sample as one JSON object: question, program, answer, query."""
        drawn = sample.drawn
        answer: Any = [self._value(value) for value in drawn.values]
        if drawn.number is not None:
            answer = drawn.number
        elif drawn.boolean is not None:
            answer = drawn.boolean
        return {
            "question": sample.question,
            "kind": drawn.kind,
            "origin": sample.origin,
            "answer": answer,
            "calls": [_call(made.call) for made in sample.made],
            "program": codec.to_object(drawn.program),
        }

    def _start(self, sample: Sample) -> str:
        ids = sample.drawn.program.mentioned
        named = ", ".join(f"{clean_text(self.label(id_), limit=_MAX_LABEL)} ({id_})" for id_ in ids)
        question = clean_text(sample.question, limit=1_000)
        return f"Question: {question}\nNamed in it: {named or 'nothing'}"

    def _value(self, value: Value) -> str:
        return value.id if isinstance(value, EntityValue) else format_value(value)


def from_graph(
    source: GraphSource,
    corpus: Corpus,
    *,
    examples: int,
    seed: int = 0,
    report: Report | None = None,
) -> Iterator[Sample]:
    """Draw programs from a graph until there are enough examples, or no new programs come.

    Args:
        source: The graph.
        corpus: Makes the samples.
        examples: How many examples are wanted; the last program may give a few more.
        seed: The same seed and graph give the same samples.
        report: Counts what came of it.
    """
    report = Report() if report is None else report
    chance = random.Random(seed)
    known: set[str] = set()
    idle = 0
    for drawn in Sampler(source, chance):
        if report.examples >= examples or idle >= _PATIENCE:
            return
        report.tries += 1
        idle += 1
        if drawn is None:
            report.drop("led to nothing, too much, or changed nothing")
            continue
        text = codec.to_json(drawn.program)
        if text in known:
            report.drop("drawn before")
            continue
        known.add(text)
        try:
            question = question_for(drawn.program, corpus.label, chance)
            sample = corpus.sample(drawn, question)
        except ProgramError as error:
            report.drop(reason_of(error))
            continue
        idle = 0
        report.add(sample)
        yield sample


def write(
    samples: Iterable[Sample],
    corpus: Corpus,
    examples: Callable[[str], object],
    records: Callable[[str], object] | None = None,
) -> None:
    """Write samples as JSON Lines.

    Args:
        samples: What to write.
        corpus: Makes the examples.
        examples: Takes one line a call, with its line end.
        records: Takes one line a program, if anything does.
    """
    for sample in samples:
        for example in corpus.examples(sample):
            examples(json.dumps(example, ensure_ascii=False) + "\n")
        if records is not None:
            records(json.dumps(corpus.record(sample), ensure_ascii=False) + "\n")


def reason_of(error: Exception) -> str:
    """Return the first sentence of an error, without what differs from program to program."""
    return str(error).split(".")[0].split(":")[0]


def _state(start: str, made: Made) -> str:
    history = "\n".join(
        f"{number}. {json.dumps(_call(call), ensure_ascii=False)}"
        for number, call in enumerate(made.history, 1)
    )
    seen = "\n".join(_cut(text, _MAX_SEEN) for text in made.seen)
    relations = _cut(made.relations, _MAX_RELATIONS)
    return (
        f"{start}\n\nCalls so far:\n{history or '(none)'}\n\n"
        f"Results so far:\n{seen or '(none)'}\n\n"
        f"Current relations:\n{relations or '(not listed yet)'}\n\nThe next call?"
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} … (cut)"


def _call(call: ToolCall) -> dict[str, Any]:
    return {"tool": call.tool, "arguments": dict(call.arguments)}


def _system() -> str:
    lines = [
        f"{spec.name}({', '.join(_parameters(spec.parameters))}): {spec.description}"
        for spec in TOOLS.specs()
    ]
    return f"{prompts.load(_PROMPT)}\n\nTools:\n" + "\n".join(lines)


def _parameters(schema: Mapping[str, Any]) -> list[str]:
    required = set(schema.get("required", ()))
    return [name if name in required else f"{name}?" for name in schema.get("properties", {})]
