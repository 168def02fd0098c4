"""Answers to other questions than the one asked: relations of relations, and other quantities."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from robodata_core import RoboData
from robodata_core.answers.asked import chained_words
from robodata_core.answers.proof import Proof, Prover
from robodata_core.model import AnswerStatus, Direction, EntityValue
from robodata_core.policy.base import AnswerDraft, AnswerPart
from robodata_core.programs.steps import (
    Comparison,
    Follow,
    JudgeShare,
    JudgeSize,
    Program,
    Quantifier,
    Start,
)
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store.graph import Fetch, LocalGraph
from tests.core.answers.worlds import NOW
from tests.core.programs.builder import ProgramBuilder

CANADA = EntityValue("Q16")


@pytest.fixture(scope="module")
def source() -> Iterator[KnowledgeSource]:
    """The sample."""
    with RoboData.open(source="snapshot:wikidata-sample") as robodata:
        yield robodata.source


def _proved(
    source: KnowledgeSource, program: Program | tuple[Program, ...], question: str, *things: str
) -> Proof:
    """Prove programs over a local graph that holds what is stated of some things."""
    with LocalGraph.in_memory() as graph:
        for id_ in things:
            for way in Direction:
                found = source.statements(id_, direction=way, limit=1_000).statements
                graph.add(found, Fetch("run", "k1", "fetch", NOW))
        programs = program if isinstance(program, tuple) else (program,)
        parts = tuple(AnswerPart(program=one) for one in programs)
        draft = AnswerDraft(AnswerStatus.ANSWERED, parts, asserted=True)
        return Prover(graph, source, now=NOW).prove(draft, question)


def _capital(times: int) -> Program:
    build = ProgramBuilder()
    name = build.add(Start, (CANADA,))
    for _ in range(times):
        name = build.add(Follow, name, ("P36",))
    return build.program(name)


def test_so_many_steps_as_relations_are_named(source: KnowledgeSource) -> None:
    one, two = "What is the capital of Canada?", "What is the capital of the capital of Canada?"
    assert _proved(source, _capital(1), one, "Q16").status is AnswerStatus.ANSWERED
    wrong = _proved(source, _capital(1), two, "Q16")
    assert wrong.status is AnswerStatus.UNKNOWN
    assert not wrong.results
    assert not _proved(source, _capital(2), two, "Q16").results  # Ottawa has no capital


@pytest.mark.parametrize(
    ("question", "chains"),
    [
        ("What is the capital of the capital of France?", [["capital", "capital"]]),
        ("Who is Anna's father's father?", [["father", "father"]]),
        ("the child of a child of the child of X", [["child", "child", "child"]]),
        ("Which language is the official language of Canada?", []),
        ("Which river flows through the country whose capital is the capital?", []),
        ("Is Paris the capital of France and Ottawa the capital of Canada?", []),
    ],
)
def test_what_is_said_of_itself(question: str, chains: list[list[str]]) -> None:
    assert chained_words(question) == chains


def _languages(**judged: object) -> Program:
    build = ProgramBuilder()
    languages = build.add(Follow, build.add(Start, (CANADA,)), ("P37",))
    if "quantifier" in judged:
        english = build.add(Start, (EntityValue("Q1860"),))
        return build.program(build.add(JudgeShare, languages, english, judged["quantifier"]))
    return build.program(build.add(JudgeSize, languages, judged["comparison"], judged["number"]))


def test_only_and_at_most_are_proved_by_complete_look_ups(source: KnowledgeSource) -> None:
    page = source.statements("Q16", property="P37", limit=100)
    assert len(page.statements) == 2
    only = _languages(quantifier=Quantifier.EVERY)
    proof = _proved(source, only, "Is English the only official language of Canada?", "Q16")
    assert [item.value for item in proof.results] == [False]
    (claim,) = proof.claims
    assert claim.supported and "French" in claim.text and claim.support.evidence
    for comparison, number, question, truth in (
        (Comparison.GE, 2, "Does Canada have at least two official languages?", True),
        (Comparison.LE, 2, "Does Canada have at most two official languages?", True),
        (Comparison.LE, 1, "Does Canada have at most 1 official language?", False),
        (Comparison.GT, 2, "Does Canada have more than two official languages?", False),
    ):
        judged = _languages(comparison=comparison, number=number)
        proof = _proved(source, judged, question, "Q16")
        assert [item.value for item in proof.results] == [truth], question
        assert proof.status is AnswerStatus.ANSWERED, proof.problems


def test_a_universal_without_the_facts_at_hand_is_not_claimed(source: KnowledgeSource) -> None:
    judged = _languages(comparison=Comparison.LE, number=2)
    proof = _proved(source, judged, "Does Canada have at most two official languages?")
    assert not proof.results
    assert not any(claim.supported for claim in proof.claims)


@pytest.mark.parametrize(
    ("question", "program"),
    [
        (
            "Is English the only official language of Canada?",
            _languages(quantifier=Quantifier.NO),
        ),
        (
            "Is English an official language of Canada?",
            _languages(quantifier=Quantifier.EVERY),
        ),
        (
            "Does Canada have at most two official languages?",
            _languages(comparison=Comparison.GE, number=2),
        ),
        (
            "Does Canada have at least five official languages?",
            _languages(comparison=Comparison.GE, number=2),
        ),
    ],
)
def test_another_quantity_is_not_answered(
    source: KnowledgeSource, question: str, program: Program
) -> None:
    assert _proved(source, program, question, "Q16").status is not AnswerStatus.ANSWERED


def _follows(start: str, *hops: tuple[tuple[str, ...], Direction]) -> Program:
    build = ProgramBuilder()
    name = build.add(Start, (EntityValue(start),))
    for relations, way in hops:
        name = build.add(Follow, name, relations, way)
    return build.program(name)


RELATIVES = _follows("Q42", (("P22", "P25", "P26", "P40"), Direction.OUT))
WRITTEN = _follows("Q42", (("P50",), Direction.IN))
BELOW = _follows("Q35120", (("P279",), Direction.IN))
BELOW_THESE = _follows("Q35120", *[(("P279",), Direction.IN)] * 2)
EXPLORED = (
    "Explore the ontology: Start from the root and list all direct subclasses."
    " Then for each subclass, list its direct subclasses"
)


@pytest.mark.parametrize(
    ("question", "programs", "fits"),
    [
        ("Who are the relatives of Douglas Adams and what books did he write?",
         (RELATIVES, WRITTEN), True),
        ("Who are the relatives of Douglas Adams and what books did he write?", (WRITTEN,), False),
        ("Who are the alleged relatives of Douglas Adams and what books did he write?",
         (RELATIVES, WRITTEN), False),
        ("Who are the relatives of Douglas Adams and what banned books did he write?",
         (RELATIVES, WRITTEN), False),
        ("Which relatives of Douglas Adams wrote books?", (RELATIVES, WRITTEN), False),
        ("Who are the relatives of Douglas Adams who write books?", (RELATIVES, WRITTEN), False),
        ("Who are relatives of Douglas Adams and who write books?", (RELATIVES, WRITTEN), False),
        (EXPLORED, (BELOW, BELOW_THESE), True),
        (EXPLORED, (_follows("Q223557", (("P279",), Direction.IN)),), False),
        ("List the subclasses of the object", (BELOW,), False),
    ],
)  # fmt: skip
def test_two_questions_in_one_are_answered_by_a_program_each(
    source: KnowledgeSource, question: str, programs: tuple[Program, ...], fits: bool
) -> None:
    """A word is read by a program for another clause, and never for the same one."""
    proof = _proved(source, programs, question, "Q42", "Q35120", "Q223557")
    assert (proof.status is AnswerStatus.ANSWERED) is fits, proof


@pytest.mark.parametrize(("given", "doubted"), [(("Q16", "Q1930"), False), (("Q16",), True)])
def test_how_many_things_a_set_has_is_said_by_the_set(
    source: KnowledgeSource, given: tuple[str, ...], doubted: bool
) -> None:
    """A conversation writes "these 2 (Q16, Q1930)"; the number is no condition of its own."""
    build = ProgramBuilder()
    name = build.add(Start, tuple(map(EntityValue, given)))
    program = build.program(build.add(Follow, name, ("P36",)))
    proof = _proved(source, program, "What is the capital of these 2 (Q16, Q1930)?", *given)
    assert any("“2”" in text for text in proof.problems) is doubted
