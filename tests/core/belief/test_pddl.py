"""The map as a PDDL problem."""

from __future__ import annotations

import pytest

from robodata_core.belief.pddl import problem_of, read_domain
from robodata_core.errors import InvalidRequestError
from tests.core.belief.worlds import Clock, at, empty_map, see

DOMAIN = """
(define (domain tidy)  ; a comment
  (:requirements :strips :typing)
  (:types cup container - item item place - object table kitchen - place robot)
  (:predicates (on ?x - item ?y - place) (in ?x - item ?y - place) (holding ?r - robot ?x - item)
               (seen ?x - item))
  (:action grasp :parameters (?x - item) :precondition (seen ?x) :effect (not (seen ?x))))
"""


def test_what_the_domain_has_words_for_is_written_and_nothing_else():
    clock = Clock()
    belief = empty_map(clock)
    see(
        belief,
        clock,
        at("cup", 2.0, 2.0, id_="Cup 1"),
        at("bowl", 2.2, 2.0, id_="7"),
        at("drone", 2.3, 2.1, id_="drone_1"),
    )
    kinds = {"bowl": ("dish", "container")}
    text = problem_of(
        belief, read_domain(DOMAIN), kinds=lambda class_id: kinds.get(class_id, ()),
        goal="(in cup_1 kitchen)", init="(free)",
    )  # fmt: skip
    assert "cup_1 - cup" in text
    assert "o_7 - container" in text
    assert "(on cup_1 table)" in text and "(in o_7 kitchen)" in text and "(seen cup_1)" in text
    assert "near" not in text  # the domain has no such predicate
    assert "bathroom" not in text  # nor such a type
    assert "(in table kitchen)" not in text  # a table is no item
    assert "drone_1 - item" in text
    assert "(:goal (in cup_1 kitchen))" in text and "    (free)\n  )\n" in text
    assert text.count("(") == text.count(")")


@pytest.mark.parametrize(
    "text", ["", "(", ")", "(define)", "(define (problem x))", "(" * 1000, "x " * 60_000]
)
def test_what_is_no_domain_is_refused(text):
    with pytest.raises(InvalidRequestError):
        read_domain(text)
