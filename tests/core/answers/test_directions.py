"""Limits and extremes the wrong way, and relations put together: none answers the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from robodata_core import RoboData
from robodata_core.model import Answer, AnswerStatus, Direction
from robodata_core.sources.snapshot.loading import load_files
from tests.core.answers.worlds import asking, with_facts

Part = dict[str, Any]
Ask = Callable[..., Answer]

_ATLAS = Path(__file__).parents[1] / "policy" / "offline" / "atlas.ttl"
_HERE = "http://atlas.example/"
_THINGS = ("Norvia", "Sudia", "Ostland", "Ada", "Bo", "Cia", "Erik")


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Ask about the invented atlas, of which a local graph holds some countries and people."""
    folder = tmp_path_factory.mktemp("atlas") / "atlas"
    load_files([_ATLAS], folder, name="atlas")
    with RoboData.open(source=f"snapshot:{folder}") as robodata:
        source = robodata.source
        facts = [
            one
            for name in (*_THINGS, "Country")
            for way in Direction
            for one in source.statements(_HERE + name, limit=300, direction=way).statements
        ]
        with asking(with_facts(source, facts)) as asked:
            yield asked


def _whether(comparison: str, number: int | str, subject: str = "Norvia") -> Part:
    property_ = "population" if isinstance(number, int) else "born"
    kept = {"where": _HERE + property_, "is": comparison, "value": number, "of": _HERE + subject}
    return {"kind": "yes_no", "steps": [kept, {"judge": True}]}


def _around(*behind: Part, relation: str | list[str] = "borders") -> Part:
    names = [relation] if isinstance(relation, str) else relation
    follow = {"follow": [_HERE + name for name in names], "from": _HERE + "Norvia"}
    return {"kind": "list", "steps": [follow, *behind]}


def _over(comparison: str) -> Part:
    return {"where": _HERE + "population", "is": comparison, "value": 2_000_000}


_LARGEST, _SMALLEST = {"max": _HERE + "population"}, {"min": _HERE + "population"}


@pytest.mark.parametrize(
    ("question", "given"),
    [
        *[
            ("Is the population of Norvia more than 100000000?", _whether(way, 100_000_000))
            for way in ("<", "<=", ">=", "!=")
        ],
        ("Is the population of Norvia more than 100000000?", _whether(">", 1_000)),
        ("Was Ada Lind born after 1960?", _whether("<", "1960", "Ada")),
        ("Was Ada Lind born after 1950?", _whether(">", "1950-01-01", "Ada")),
        ("Was Ada Lind born after Bo Lind?", _whether("<", "1972-03-04", "Ada")),
        ("Which countries that border Norvia have more than 2000000 inhabitants?",
         _around(_over("<"))),
        ("Which countries that border Norvia have at least 2 million inhabitants?",
         _around(_over("<="))),
        ("Which countries border Norvia?", _around(_over(">"))),
        ("Which countries border Norvia?", _around(_LARGEST)),
        ("Which country that borders Norvia has the largest population?", _around(_SMALLEST)),
        ("Which country that borders Norvia has the fewest inhabitants?", _around(_LARGEST)),
        ("Which is the second largest country that borders Norvia?", _around(_LARGEST)),
        ("Which countries border Norvia?", _around(relation=["borders", "capital"])),
        ("How many countries border Norvia?",
         _around(relation=["borders", "continent"]) | {"kind": "number"}),
    ],
)  # fmt: skip
def test_another_direction_or_relation_is_not_what_was_asked(
    ask: Ask, question: str, given: Part
) -> None:
    answer = ask(question, **given)
    assert answer.status is not AnswerStatus.ANSWERED, (answer.reading, answer.text)


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("Is the population of Norvia more than 100000000?", _whether(">", 100_000_000)),
        ("Was Ada Lind born before 1960?", _whether("<", "1960", "Ada")),
        ("Was Ada Lind born before Bo Lind?", _whether("<", "1972-03-04", "Ada")),
        ("Was Bo Lind born from 1972 to 1975?",
         {"kind": "yes_no", "steps": [
             {"where": _HERE + "born", "is": ">=", "value": "1972", "of": _HERE + "Bo"},
             {"where": _HERE + "born", "is": "<=", "value": "1975"}, {"judge": True}]}),
        ("How many inhabitants does Norvia have?",
         {"kind": "list", "steps": [{"follow": _HERE + "population", "from": _HERE + "Norvia"}]}),
        ("Is the population of Norvia no more than 80 million?", _whether("<=", 80_000_000)),
        ("Does Norvia have more than 5 million inhabitants?", _whether(">", 5_000_000)),
        ("Which countries that border Norvia have more than 2000000 inhabitants?",
         _around(_over(">"))),
        ("Which neighbours of Norvia have a population of over 2 million?", _around(_over(">"))),
        ("Which country that borders Norvia has the largest population?", _around(_LARGEST)),
        ("Which country that borders Norvia has the fewest inhabitants?", _around(_SMALLEST)),
        ("Which countries border Norvia?", _around()),
    ],
)  # fmt: skip
def test_the_direction_that_is_asked_for_is_answered(ask: Ask, question: str, given: Part) -> None:
    answer = ask(question, **given)
    assert answer.status is AnswerStatus.ANSWERED, (answer.missing, answer.text)
