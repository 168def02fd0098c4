"""Calibrations: learnt from labels alone, the same every time, refused when they are no good."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core import RoboData
from robodata_core.errors import ConfigurationError
from robodata_core.verification.calibration import Example, fit, measure, read_calibration
from robodata_core.verification.signals import NAMES
from robodata_core.verification.verdict import Judgement
from robodata_core.verification.verifying import Request, Verifier
from tests.core.verification.conftest import CITIZEN, SPEAKS, country, language, person


def made(count: int = 400) -> list[Example]:
    """Examples in which the first figure tells, and one property nearly always holds."""
    rows = []
    for n in range(count):
        figures = tuple(((n * (j + 3)) % 101) / 101 for j in range(len(NAMES)))
        usual = n % 4 == 0
        rows.append(
            Example("usual" if usual else "p", f"v{n % 7}", figures, usual or figures[0] > 0.5)
        )
    return rows


def test_it_learns_what_tells() -> None:
    rows = made()
    found = fit(rows[:300], "made")
    measured = measure(found.probability, rows[300:])
    assert measured.triples == 100
    assert measured.accuracy > 0.9
    assert found.probability("usual", "v", rows[1].figures) > found.probability(
        "p", "v", rows[1].figures
    )


def test_a_value_labelled_often_is_judged_by_that_too() -> None:
    """Its figures are those of the others; only its own labels tell."""
    figures = (0.5,) * len(NAMES)
    rows = [Example("p", f"v{n % 4}", figures, n % 4 == 0 or n % 3 == 0) for n in range(240)]
    found = fit(rows, "made")
    assert found.probability("p", "v0", figures) > 0.8
    assert found.probability("p", "v1", figures) < found.probability("p", "never", figures) < 0.8


def test_it_is_the_same_every_time_and_survives_a_file(tmp_path: Path) -> None:
    one, two = fit(made(), "made"), fit(made(), "made")
    assert one == two
    one.write(tmp_path / "c.json")
    assert read_calibration(tmp_path / "c.json") == one


@pytest.mark.parametrize("holds", [True, False])
def test_one_label_teaches_nothing(holds: bool) -> None:
    rows = [Example("p", "v", (0.0,) * len(NAMES), holds)] * 100
    with pytest.raises(ConfigurationError, match="needs at least"):
        fit(rows, "made")


@given(
    place=st.sampled_from(
        [
            "means",
            "spreads",
            "weights",
            "trees",
            "offsets",
            "figures",
            "version",
            "held_out",
            "shifts",
        ]
    ),
    junk=st.one_of(
        st.none(),
        st.text(max_size=5),
        st.lists(st.one_of(st.none(), st.floats(), st.text(max_size=3)), max_size=3),
        st.just([[[0, 0.5, 0, 0]]]),
        st.just([[[99, 0.5, 1, 2], [-1, 0, 0, 0], [-1, 0, 0, 0]]]),
    ),
)
def test_a_damaged_file_is_refused(
    tmp_path_factory: pytest.TempPathFactory, place: str, junk: Any
) -> None:
    path = tmp_path_factory.mktemp("c") / "c.json"
    fit(made(60), "made").write(path)
    data = json.loads(path.read_text())
    data[place] = junk
    path.write_text(json.dumps(data))
    try:
        found = read_calibration(path)
    except ConfigurationError:
        return
    assert found.probability("p", "v1", (0.5,) * len(NAMES)) >= 0  # what is let through can be used


def test_a_calibration_weighs_verdicts_and_says_so(folder: Path, tmp_path: Path) -> None:
    source = f"snapshot:{folder}"
    with RoboData.open(source=source) as robodata:
        verifier = Verifier(robodata.source, robodata.settings)
        examples = []
        for n in range(60):
            for property_, value, holds in (
                (CITIZEN, country(n % 30), n % 10 > 0),
                (CITIZEN, country((n + 7) % 30), False),
                (SPEAKS, language(n % 30), True),
            ):
                example = verifier.example(Request(person(n), property_, value), holds)
                assert example is not None
                examples.append(example)
    learnt = fit(examples, "the atlas")
    learnt.write(tmp_path / "c.json")
    with RoboData.open(source=source, calibration=str(tmp_path / "c.json")) as robodata:
        verdict = robodata.verify(person(71), CITIZEN, country(11), without_itself=True)
        assert verdict.judgement is Judgement.SUPPORTED
        assert "calibration learnt from the atlas" in verdict.method
