"""What is asked for by "who", "where" and "how many", and what kind of thing answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.answers.proof import Proof
from robodata_core.model import AnswerStatus, EntityValue, TruthKind
from robodata_core.policy.base import AnswerDraft, AnswerPart
from robodata_core.programs.steps import (
    Comparison,
    Difference,
    FilterByConstraint,
    Follow,
    Judge,
    JudgeKind,
    Program,
    Start,
)
from robodata_core.sources.snapshot.loading import load_files
from tests.core.answers.worlds import with_facts
from tests.core.programs.builder import ProgramBuilder

_HERE = "http://stage.example/"
_TTL = """
@prefix : <http://stage.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:plays rdfs:label "played by" . :stage rdfs:label "location" . :spouse rdfs:label "spouse" .
:sex rdfs:label "sex or gender" . :male rdfs:label "male" . :female rdfs:label "female" .
:Hero rdfs:label "fictional elf" ; rdfs:subClassOf :Character .
:Character rdfs:label "fictional character" .
:Band rdfs:label "rock band" . :Network rdfs:label "television network" . :Town rdfs:label "town" .
:Illness rdfs:label "illness" . :People rdfs:label "seafaring people" .
:Cupboard rdfs:label "cupboard" .
:ilse rdfs:label "Ilse" ; a :Hero . :reds rdfs:label "The Reds" ; a :Band .
:tv rdfs:label "TV Nord" ; a :Network . :bergen rdfs:label "Bergheim" ; a :Town .
:flu rdfs:label "Sneezles" ; a :Illness . :vik rdfs:label "Vikar" ; a :People .
:box rdfs:label "Corner Box" ; a :Cupboard . :nobody rdfs:label "Quilla" .
:p1 rdfs:label "Oneplay" ; :plays :ilse . :p2 rdfs:label "Twoplay" ; :plays :reds .
:p3 rdfs:label "Threeplay" ; :plays :tv . :p4 rdfs:label "Fourplay" ; :plays :vik .
:p5 rdfs:label "Fiveplay" ; :plays :nobody . :p6 rdfs:label "Sixplay" ; :plays :bergen .
:p7 rdfs:label "Sevenplay" ; :stage :box . :p8 rdfs:label "Eightplay" ; :stage :bergen .
:p9 rdfs:label "Nineplay" ; :stage :nobody . :p10 rdfs:label "Tenplay" ; :stage :ilse .
:anna rdfs:label "Anna Arndt" ; :sex :female ; :spouse :bert .
:bert rdfs:label "Bert Brandt" ; :sex :male ; :spouse :anna .
"""

Prove = Callable[[Program, str], Proof]


@pytest.fixture(scope="module")
def prove(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prove]:
    """Prove programs over an invented stage, all of which is in the local graph."""
    folder = tmp_path_factory.mktemp("stage")
    file = Path(folder) / "stage.ttl"
    file.write_text(_TTL)
    load_files([file], folder / "stage", name="stage")
    with RoboData.open(source=f"snapshot:{folder / 'stage'}") as robodata:
        names = [*(f"p{number}" for number in range(1, 11)), "anna", "bert", "ilse", "bergen"]
        facts = [
            one for n in names for one in robodata.source.statements(_HERE + n, limit=99).statements
        ]
        world = with_facts(robodata.source, facts)

        def prove(program: Program, question: str) -> Proof:
            part = AnswerPart(program=program)
            return world.prove(AnswerDraft(AnswerStatus.ANSWERED, (part,), asserted=True), question)

        yield prove


def _along(name: str, property_: str) -> tuple[ProgramBuilder, str]:
    build = ProgramBuilder()
    start = build.add(Start, (EntityValue(_HERE + name),))
    return build, build.add(Follow, start, (_HERE + property_,))


@pytest.mark.parametrize(
    ("name", "property_", "question", "fits"),
    [
        ("p1", "plays", "Who is Oneplay played by?", True),
        ("p1", "plays", "By whom is Oneplay played?", True),
        ("p2", "plays", "Who is Twoplay played by?", True),
        ("p3", "plays", "Who is Threeplay played by?", True),
        ("p4", "plays", "Who is Fourplay played by?", True),
        ("p5", "plays", "Who is Fiveplay played by?", True),
        ("p6", "plays", "Who is Sixplay played by?", False),
        ("p1", "plays", "Where is Oneplay played by?", False),
        ("p7", "stage", "Where is the location of Sevenplay?", True),
        ("p8", "stage", "Where is the location of Eightplay?", True),
        ("p9", "stage", "Where is the location of Nineplay?", True),
        ("p10", "stage", "Where is the location of Tenplay?", False),
        ("p8", "stage", "Who is the location of Eightplay?", False),
        ("p9", "stage", "Who is the location of Nineplay?", False),
    ],
)
def test_who_acts_and_where_things_are(
    prove: Prove, name: str, property_: str, question: str, fits: bool
) -> None:
    """Characters, bands, networks and peoples act; what nobody says the kind of may be of any."""
    build, end = _along(name, property_)
    proof = prove(build.program(end), question)
    assert proof.results
    assert (proof.status is AnswerStatus.ANSWERED) is fits, proof.problems or proof.missing


@pytest.mark.parametrize(
    ("noun", "bearer", "fits"),
    [("husband", "bert", True), ("husband", "anna", False), ("wife", "anna", True),
     ("wife", "bert", False), ("spouse", "anna", True), ("spouse", "bert", True)],
)  # fmt: skip
def test_a_word_for_one_sex_is_no_yes_of_the_other(
    prove: Prove, noun: str, bearer: str, fits: bool
) -> None:
    other = "bert" if bearer == "anna" else "anna"
    names = {"anna": "Anna Arndt", "bert": "Bert Brandt"}
    build, end = _along(other, "spouse")
    judge = build.add(Judge, end, JudgeKind.CONTAINS, EntityValue(_HERE + bearer))
    proof = prove(build.program(judge), f"Is {names[bearer]} the {noun} of {names[other]}?")
    assert (proof.status is AnswerStatus.ANSWERED) is fits, proof.problems


def test_what_is_left_because_something_was_not_found_is_no_stated_truth(prove: Prove) -> None:
    """Which of two have no husband rests on a look-up; which are not Anna is plainly stated."""
    for minus, kind in (("bert", TruthKind.STATED), ("", TruthKind.ABSENT)):
        build = ProgramBuilder()
        both = build.add(Start, tuple(EntityValue(_HERE + name) for name in ("anna", "bert")))
        married = build.add(Follow, both, (_HERE + "spouse",))
        if minus:
            less = build.add(Start, (EntityValue(_HERE + minus),))
        else:
            male = Comparison.EQ, EntityValue(_HERE + "male")
            less = build.add(FilterByConstraint, married, _HERE + "sex", *male)
        proof = prove(build.program(build.add(Difference, married, less)), "")
        assert [item.value for item in proof.results] == [EntityValue(_HERE + "anna")]
        assert [claim.kind for claim in proof.claims] == [kind]
