"""Whatever is asked: a verdict or one clear sentence, and nothing cited that does not stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core import RoboData
from robodata_core.errors import InvalidRequestError
from robodata_core.model import EntityValue
from robodata_core.verification.neighbourhoods import Neighbourhoods
from robodata_core.verification.profiles import Profiles
from robodata_core.verification.rules import find_path, hidden_edges, reach
from robodata_core.verification.verdict import Judgement
from tests.core.verification.conftest import LABELS, city, country, language, person
from tests.core.verification.test_verdicts import stands

THINGS = st.one_of(
    st.integers(0, 29).map(country),
    st.integers(0, 29).map(city),
    st.integers(0, 119).map(person),
    st.integers(0, 29).map(language),
)
RELATIONS = st.sampled_from([name for name in sorted(LABELS) if name not in ("P1009", "P582")])
TEXTS = st.text(max_size=40)


@settings(max_examples=60)
@given(subject=THINGS, relation=RELATIONS, value=THINGS, decide=st.booleans(), hide=st.booleans())
def test_any_triple_gets_a_verdict_whose_evidence_stands(
    shared: RoboData, subject: str, relation: str, value: str, decide: bool, hide: bool
) -> None:
    verdict = shared.verify(subject, relation, value, decide=decide, without_itself=hide)
    assert 0.0 <= verdict.confidence <= 1.0
    assert 0.0 <= verdict.probability <= 1.0
    assert verdict.explanation
    assert stands(verdict, shared)
    assert not decide or verdict.judgement is not Judgement.UNKNOWN
    cited = [e.triple for claim in verdict.evidence for e in claim.support.evidence]
    if hide:
        assert verdict.triple not in cited
    elif shared.source.statements(subject, property=relation, limit=500).statements and any(
        one.value == EntityValue(value)
        for one in shared.source.statements(subject, property=relation, limit=500).statements
    ):
        assert (verdict.judgement, verdict.confidence) == (Judgement.SUPPORTED, 1.0)


@given(subject=TEXTS, relation=TEXTS, value=TEXTS)
def test_any_text_gets_a_verdict_or_a_sentence(
    shared: RoboData, subject: str, relation: str, value: str
) -> None:
    for given_ in (
        (subject, relation, value),
        ("Land 3", "capital", value),
        ("Land 3", relation, "Town 3 0"),
        (person(4), "date of birth", value),
    ):
        try:
            verdict = shared.verify(*given_)
        except InvalidRequestError as error:
            assert "\n" not in error.message
        else:
            assert stands(verdict, shared)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        (("", "capital", "x"), "subject is empty"),
        (("Land 3", " ", "x"), "predicate is empty"),
        (("Land 3", "capital", ""), "object is empty"),
        (("Land 3", "capitol", "Town 3 0"), "No property"),
        (("Nowhere Land", "capital", "Town 3 0"), "nothing called"),
        (("x" * 3_000, "capital", "Town 3 0"), "longer than"),
        (("Land 3", "capital", True), "must be text"),
        (("Land 3", "date of birth", "tomorrow"), "dates"),
    ],
)
def test_what_cannot_be_taken_is_told(
    shared: RoboData, given_: tuple[str, str, str], words: str
) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        shared.verify(*given_)


@given(subject=THINGS, relation=RELATIONS, hidden=st.booleans())
@settings(max_examples=30)
def test_a_path_that_reaches_has_a_chain_of_stated_triples(
    known: tuple[Neighbourhoods, Profiles], subject: str, relation: str, hidden: bool
) -> None:
    graph, profiles = known
    for rule in profiles.of(relation).rules[:5]:
        assert 0 < rule.confidence < 1
        assert rule.hits <= rule.cases
        ends = sorted(reach(graph, subject, rule.path))[:3]
        for end in ends:
            unseen = hidden_edges([(subject, relation, end)]) if hidden else frozenset()
            chain = find_path(graph, subject, rule.path, end, unseen)
            assert len(chain) in (0, len(rule.path))
            assert chain or hidden
            assert not hidden or (subject, relation, end) not in chain
            for one, property_, other in chain:
                assert other in graph.to(one, property_)


@pytest.fixture(scope="module")
def shared(folder: Path) -> object:
    with RoboData.open(source=f"snapshot:{folder}") as opened:
        yield opened


@pytest.fixture(scope="module")
def known(shared: RoboData) -> tuple[Neighbourhoods, Profiles]:
    graph = Neighbourhoods(shared.source)
    return graph, Profiles(shared.source, graph, mining=True)
