"""What a model writes as triples: anything at all is read or refused, and order says nothing."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.errors import ModelReplyError
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.chat.question import Qir, is_unknown, read_qir
from robodata_core.text import normalise_name

QUESTION = "Which rivers flow through the capital of Austria, not through Graz?"
KINDS = ("instance of", "type")

cells = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["?x", "?y", "Austria", "Graz", "capital", "is a", "river", "Vienna", ">"]),
    st.integers(),
    st.none(),
    st.booleans(),
    st.lists(st.text(max_size=3), max_size=2),
)
anything = st.recursive(cells, lambda inner: st.lists(inner, max_size=5), max_leaves=30)
replies = st.dictionaries(
    st.sampled_from(
        ["triples", "kind", "not", "filters", "order", "among", "except", "say", "language"]
    ),
    st.one_of(anything, st.sampled_from(["things", "number", "yes_no", "other"])),
)


@settings(max_examples=300, deadline=None)
@given(replies)
def test_whatever_is_written_is_read_or_refused(raw: dict[str, Any]) -> None:
    try:
        qir = read_qir(raw, QUESTION, KINDS)
    except ModelReplyError as error:
        assert error.message
        return
    assert isinstance(qir.kind, AnswerKind)
    for name in qir.names:  # never one that the question does not have
        assert normalise_name(name) in f" {normalise_name(QUESTION)} "
        assert not is_unknown(name)
    assert qir.is_beyond or qir.names or qir.kinds


TRIPLES = [["Austria", "capital", "?y"], ["?x", "flows through", "?y"], ["?x", "is a", "river"]]


@pytest.mark.parametrize("rows", list(itertools.permutations(TRIPLES)))
def test_the_order_of_triples_says_nothing(rows: tuple[list[str], ...]) -> None:
    def folded(qir: Qir) -> tuple[object, ...]:
        return frozenset(qir.patterns), qir.kinds, frozenset(qir.names), qir.kind

    one = read_qir({"triples": TRIPLES, "kind": "things"}, QUESTION, KINDS)
    other = read_qir({"triples": list(rows), "kind": "things"}, QUESTION, KINDS)
    assert folded(one) == folded(other)
    assert one.kinds == (("?x", "river"),)


def test_names_may_be_set_anew() -> None:
    raw = {"triples": [["?x", "is a", "river"]], "among": ["Graz"], "kind": "things"}
    qir = read_qir(raw, QUESTION, KINDS).renamed({"Graz": "Graz (Q13298)"})
    assert qir.names == ("Graz (Q13298)",)
