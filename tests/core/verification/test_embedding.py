"""Link scorers: learnt from the graph alone, the same every time, blind to what they have seen."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from robodata_core import RoboData
from robodata_core.cancellation import CancelToken
from robodata_core.cli import run
from robodata_core.errors import CancelledError, ConfigurationError
from robodata_core.model import EntityValue, Triple
from robodata_core.verification.calibration import Example, fit
from robodata_core.verification.embedding import FIGURES, Scorer, read_scorer, train_scorer
from robodata_core.verification.signals import NAMES
from robodata_core.verification.verifying import Request, Verifier
from tests.core.verification.conftest import CITIZEN, country, person

np = pytest.importorskip("numpy", reason="needs NumPy (pip install 'robodata[scorer]')")


def towns() -> list[tuple[str, str, str]]:
    """Sixty people of six places each have three friends, all of their own place."""
    chance = random.Random(3)
    edges = []
    for n in range(60):
        edges.append((f"h{n}", "lives in", f"t{n % 6}"))
        for other in chance.sample([m for m in range(60) if m % 6 == n % 6 and m != n], 3):
            edges.append((f"h{n}", "friend", f"h{other}"))
    return edges


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    kept = [edge for edge in towns() if edge not in held_out()]
    return train_scorer(kept, "towns")


def held_out() -> list[tuple[str, str, str]]:
    return [edge for edge in towns() if edge[1] == "lives in" and int(edge[0][1:]) % 10 == 3]


def test_it_ranks_what_was_kept_from_it_above_what_does_not_hold(scorer: Scorer) -> None:
    for person_, relation, right in held_out():
        shares = {f"t{n}": scorer.figures(person_, relation, f"t{n}")[1] for n in range(6)}
        assert max(shares, key=shares.__getitem__) == right
        place = scorer.figures(person_, relation, right)[FIGURES.index("complex value place")]
        assert place == 0
        assert all(math.isfinite(x) for x in scorer.figures(person_, relation, right))


def test_it_says_nothing_of_what_it_never_saw(scorer: Scorer) -> None:
    for triple in (("h1", "likes", "h2"), ("nobody", "friend", "h2"), ("h1", "friend", "nobody")):
        assert all(math.isnan(figure) for figure in scorer.figures(*triple))


def test_what_is_stated_of_the_same_subject_does_not_compete(scorer: Scorer) -> None:
    """A second friend takes nothing from the share of a third: only those who are not stated do."""
    edges = [edge for edge in towns() if edge not in held_out()]
    subject = "h1"
    friends = {o for s, p, o in edges if (s, p) == (subject, "friend")}
    others = {o for _, p, o in edges if p == "friend"} - friends
    place = FIGURES.index("complex value share")
    friend = min(friends)
    shares = []
    for vectors, turns in scorer.models["complex"]:
        half = vectors.shape[1] // 2
        start, turn = vectors[scorer.entities[subject]], turns[scorer.relations["friend"]]
        query = (start[:half] + 1j * start[half:]) * (turn[:half] + 1j * turn[half:])
        ends = vectors[[scorer.entities[one] for one in (friend, *sorted(others))]]
        scores = (query * (ends[:, :half] - 1j * ends[:, half:])).sum(axis=1).real
        shares.append(float(scores[0] - np.log(np.exp(scores).sum())))
    assert len({*shares}) > 1  # each from a beginning of its own
    share = sum(shares) / len(shares)
    assert scorer.figures(subject, "friend", friend)[place] == pytest.approx(share, abs=1e-3)


def test_the_same_statements_give_the_same_scorer_in_any_order() -> None:
    edges = towns()
    one = train_scorer(edges, "towns")
    two = train_scorer(reversed(edges), "towns")
    assert one.figures(*edges[0]) == two.figures(*edges[0])


def test_it_survives_a_file(scorer: Scorer, tmp_path: Path) -> None:
    scorer.write(tmp_path / "s.npz")
    again = read_scorer(tmp_path / "s.npz")
    assert (again.entities, again.relations, again.learnt_from) == (
        scorer.entities,
        scorer.relations,
        "towns",
    )
    before = scorer.figures("h1", "friend", "h7")
    assert again.figures("h1", "friend", "h7") == pytest.approx(before, abs=0.05)


@pytest.mark.parametrize(
    "damage", ["cut", "text", "shape", "none", "nan", "ends", "format", "missing"]
)
def test_a_damaged_file_is_refused(scorer: Scorer, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "s.npz"
    scorer.write(path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:500])
    elif damage == "text":
        path.write_text("no scorer")
    elif damage == "missing":
        path.unlink()
    else:
        with np.load(path) as data:
            arrays = dict(data)
        if damage == "shape":
            arrays["matrix entities"] = arrays["matrix entities"][:, 1:]
        elif damage == "none":
            arrays |= {name: arrays[name][:0] for name in arrays if name.startswith("matrix")}
        elif damage == "nan":
            arrays["complex relations"] = arrays["complex relations"] * np.nan
        elif damage == "ends":
            arrays["triples"] = arrays["triples"] + len(scorer.entities)
        else:
            arrays["header"][0] = "another"
        np.savez(path, **arrays)
    with pytest.raises(ConfigurationError):
        read_scorer(path)


def test_too_few_statements_teach_nothing_and_training_can_be_cancelled() -> None:
    with pytest.raises(ConfigurationError, match="learns from"):
        train_scorer(towns()[:10], "few")
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        train_scorer(towns(), "towns", cancel=token)


def test_of_what_the_graph_states_it_says_nothing(folder: Path, tmp_path: Path) -> None:
    """A scorer has learnt the statements of its graph by heart; they must not count twice."""
    output = tmp_path / "s.npz"
    assert (
        run(["verify", "--learn-scorer", "--output", str(output), "--source", f"snapshot:{folder}"])
        == 0
    )
    with RoboData.open(source=f"snapshot:{folder}", scorer=str(output)) as robodata:
        verifier = Verifier(robodata.source, robodata.settings)
        assert verifier.scorer is not None
        value = robodata.source.statements(person(1), property=CITIZEN).statements[0].value
        stated = verifier.example(Request(person(1), CITIZEN, value), True)
        other = verifier.example(Request(person(1), CITIZEN, country(9)), False)
    assert stated is not None
    assert other is not None
    own = [NAMES.index(name) for name in FIGURES]
    assert all(math.isnan(stated.figures[place]) for place in own)
    assert all(math.isfinite(other.figures[place]) for place in own)


def test_a_calibration_that_weighs_a_scorer_needs_it(folder: Path, tmp_path: Path) -> None:
    rows = [
        Example("p", "v", (*([0.0] * (len(NAMES) - 1)), float(n % 2)), bool(n % 2))
        for n in range(60)
    ]
    fit(rows, "made", "an atlas").write(tmp_path / "c.json")
    with (
        RoboData.open(
            source=f"snapshot:{folder}", calibration=str(tmp_path / "c.json")
        ) as robodata,
        pytest.raises(ConfigurationError, match="--scorer"),
    ):
        robodata.verify(person(1), CITIZEN, country(1))


def test_figures_that_are_not_known_count_as_the_mean() -> None:
    triple = Triple("Q1", "P1", EntityValue("Q2"))
    rows = [
        Example(triple.predicate, "Q2", (*([0.0] * (len(NAMES) - 1)), float(n % 2)), bool(n % 2))
        for n in range(100)
    ]
    found = fit(rows, "made")
    unknown = (*([0.0] * (len(NAMES) - 1)), math.nan)
    high, low = rows[1].figures, rows[0].figures
    assert found.probability("P1", "Q2", low) < found.probability("P1", "Q2", unknown)
    assert found.probability("P1", "Q2", unknown) < found.probability("P1", "Q2", high)
