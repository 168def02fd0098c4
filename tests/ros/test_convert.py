"""Core values, claims, answers and events survive the way through real messages."""

from __future__ import annotations

import dataclasses
import math
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

from robodata_core import model
from robodata_core.errors import InvalidRequestError
from robodata_core.events import (
    Noticed,
    ReadingsRanked,
    RequestTold,
    Rewriting,
    RunEvent,
    ToolCalled,
)
from robodata_core.iris import XSD
from robodata_core.model import (
    Answer,
    Claim,
    CoordinateValue,
    EntityValue,
    Evidence,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    Provenance,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    Triple,
    UrlValue,
)
from robodata_msgs import msg as m
from robodata_ros import convert
from tests.core._strategies import instances

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12)
ITEMS = st.integers(1, 10**9).map("Q{}".format) | st.sampled_from(
    ["http://example.org/thing#é", "urn:robodata:x", "P36"]
)
PROPERTIES = st.integers(1, 10**6).map("P{}".format) | st.just("http://example.org/rel")
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.just(Decimal("1E+30"))
DEGREES = st.floats(-180, 180)
TIMES = st.builds(
    TimeValue,
    year=st.integers(-(10**10), 10**10),
    month=st.integers(0, 12),
    day=st.integers(0, 31),
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
    second=st.integers(0, 59),
    precision=st.integers(0, 14),
    calendar=ITEMS,
).filter(lambda time: time.month or not time.day)
VALUES: st.SearchStrategy[Any] = st.one_of(
    ITEMS.map(EntityValue),
    TEXT.map(StringValue),
    st.builds(StringValue, TEXT, st.just("http://example.org/type")),
    st.builds(MonolingualTextValue, TEXT, TEXT),
    st.builds(
        QuantityValue,
        DECIMALS,
        st.none() | ITEMS,
        st.none() | DECIMALS,
        st.none() | DECIMALS,
    ),
    TIMES,
    st.builds(CoordinateValue, DEGREES, DEGREES, st.none() | DEGREES, ITEMS),
    TEXT.map(UrlValue),
    TEXT.map(ExternalIdValue),
    st.just(SomeValue()),
    st.just(NoValue()),
)
TRIPLES = st.builds(Triple, ITEMS.filter(lambda item: item[0] != "P"), PROPERTIES, VALUES)


def wire(message: Any) -> Any:
    """Send a message through the middleware's own serialization."""
    return deserialize_message(serialize_message(message), type(message))


@given(VALUES)
def test_every_kind_of_value_comes_back(value: model.Value) -> None:
    assert convert.value_from_msg(wire(convert.value_to_msg(value))) == value


@given(st.booleans() | st.integers())
def test_counts_and_booleans_come_back(value: bool | int) -> None:
    back = convert.value_from_msg(wire(convert.value_to_msg(value)))
    assert back == value and type(back) is type(value)


@given(TRIPLES)
def test_triples_come_back(triple: Triple) -> None:
    assert convert.triple_from_msg(wire(convert.triple_to_msg(triple))) == triple


@given(TRIPLES, st.lists(st.builds(model.Snak, PROPERTIES, VALUES), max_size=2), TEXT)
def test_evidence_comes_back_with_its_first_provenance(
    triple: Triple, qualifiers: list[model.Snak], text: str
) -> None:
    record = Provenance(
        source="snapshot:test",
        retrieved=datetime(2025, 3, 1, 12, 30, 15, 123_456, tzinfo=timezone.utc),
        run_id=text,
        call_id="c1",
        tool="fetch_node",
        statement_id="Q1$abc",
        rank=model.Rank.PREFERRED,
        qualifiers=tuple(qualifiers),
        origin="data set",
    )
    unit = text if isinstance(triple.object, QuantityValue) else ""
    evidence = Evidence("T17", triple, "urn:x", text, text, text, (record,), unit)
    assert convert.evidence_from_msg(wire(convert.evidence_to_msg(evidence))) == evidence


@given(instances(Answer))
def test_whatever_the_core_answers_can_be_sent(answer: Answer) -> None:
    message = wire(convert.answer_to_msg(answer))
    assert message.found >= 0
    assert len(message.claims) == len(answer.claims)
    assert [claim.verdict == m.Claim.SUPPORTED for claim in message.claims] == [
        claim.supported for claim in answer.claims
    ]


def test_an_answer_comes_back() -> None:
    evidence = Evidence("T1", Triple("Q16", "P36", EntityValue("Q1930")), "", "Canada", "capital")
    answer = Answer(
        question="What is the capital of Canada?",
        status=model.AnswerStatus.PARTIAL,
        text="Ottawa [c1]",
        policy="offline",
        claims=(Claim("c1", "Ottawa", True, model.SupportSet((evidence,))),),
        results=(model.ResultItem(EntityValue("Q1930"), "Ottawa"), model.ResultItem(3, "3")),
        completeness=model.Completeness(2, 5),
        missing=("three more",),
        notes=("it may also mean Ottawa in Kansas",),
        trace=("PRODUCE_ANSWER",),
        statistics=model.RunStatistics(turns=2, tokens=model.TokenCount(3, 4), seconds=0.5),
        run_id="run-1",
    )
    message = wire(convert.answer_to_msg(answer))
    assert convert.answer_from_msg(message) == dataclasses.replace(
        answer, results=(*answer.results[:1], model.ResultItem(3, "3"))
    )
    assert message.completeness == pytest.approx(0.4)


def test_an_empty_answer_comes_back() -> None:
    answer = Answer("", model.AnswerStatus.UNKNOWN, completeness=model.Completeness(0))
    message = wire(convert.answer_to_msg(answer))
    assert math.isnan(message.completeness)
    assert convert.answer_from_msg(message) == answer


@given(instances(RunEvent))
def test_whatever_happens_in_a_run_can_be_sent(event: RunEvent) -> None:
    message = wire(convert.event_to_msg(event))
    assert message.kind < 14


PLAIN = st.integers(0, 1_000)
_EVENT_PARTS: dict[Any, st.SearchStrategy[Any]] = {
    "str": TEXT,
    "int": PLAIN,
    "bool": st.booleans(),
    "float": st.floats(0, 1e6),
    "int | None": st.none() | PLAIN,
    "tuple[str, ...]": st.lists(TEXT, max_size=3).map(tuple),
    "TokenCount": st.builds(model.TokenCount, PLAIN, PLAIN),
    "tuple[ModelCall, ...]": st.just(()),  # prompts stay where the run is
    "tuple[RankedReading, ...]": st.just(()),  # told as a notice
    "Mapping[str, Any]": st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=2), max_size=2),
    "tuple[Evidence, ...]": st.lists(st.builds(Evidence, TEXT, TRIPLES), max_size=2).map(tuple),
    "Rewriting": st.builds(
        Rewriting,
        TEXT,
        TEXT,
        st.lists(TEXT, max_size=3).map(tuple),
        st.sampled_from(["rules", "model"]),
        TEXT,
        st.floats(0, 1e6),
    ),
    "Claim": st.builds(Claim, TEXT, TEXT, st.booleans()),
    "Answer": st.builds(
        Answer,
        TEXT,
        st.sampled_from(model.AnswerStatus),
        TEXT,
        completeness=st.builds(model.Completeness, PLAIN, st.none() | PLAIN),
    ),
}


def _events(kind: type) -> st.SearchStrategy[Any]:
    parts = {
        field.name: _EVENT_PARTS[str(field.type)]
        for field in dataclasses.fields(kind)
        if field.name != "header"
    }
    header = st.builds(
        convert_header,
        TEXT,
        st.integers(1, 10**6),
        st.datetimes(datetime(1970, 1, 1), datetime(2037, 1, 1), timezones=st.just(timezone.utc)),
    )
    return st.builds(kind, header=header, **parts)


def convert_header(run_id: str, seq: int, time: datetime) -> Any:
    from robodata_core.events import Header

    return Header(run_id, seq, time)


@given(st.data())
@pytest.mark.parametrize("kind", RunEvent.__args__, ids=lambda kind: kind.__name__)
def test_events_come_back(kind: type, data: st.DataObject) -> None:
    event = data.draw(_events(kind))
    back = convert.event_from_msg(wire(convert.event_to_msg(event)))
    if kind in (RequestTold, ReadingsRanked):
        assert isinstance(back, Noticed), "told to people, as a notice"
        assert (back.header, back.level) == (event.header, "trace")
    else:
        assert back == event


def test_arguments_become_text_and_are_bounded() -> None:
    header = convert_header("r", 1, datetime(2025, 1, 1, tzinfo=timezone.utc))
    given = {"nodes": ["Q1", "Q2"], "limit": 5, "none": None, "long": "x" * 10_000}
    back = convert.event_from_msg(
        wire(convert.event_to_msg(ToolCalled(header, 1, "c1", "fetch_node", given)))
    )
    assert isinstance(back, ToolCalled)
    assert back.arguments["nodes"] == ["Q1", "Q2"]
    assert back.arguments["limit"] == "5"
    assert back.arguments["none"] == ""
    assert len(back.arguments["long"]) == 2_000


def test_text_that_no_message_can_hold_is_marked() -> None:
    term = wire(convert.value_to_msg(StringValue("a\x00b\ud800c")))
    assert term.value == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    "term",
    [
        m.Term(kind=9),
        m.Term(kind=m.Term.IRI, value=""),
        m.Term(kind=m.Term.IRI, value="not an iri"),
        m.Term(kind=m.Term.LITERAL, value="many", datatype=XSD + "decimal"),
        m.Term(kind=m.Term.LITERAL, value="NaN", datatype=XSD + "decimal"),
        m.Term(kind=m.Term.LITERAL, value="1e999999999", datatype=XSD + "double"),
        m.Term(kind=m.Term.LITERAL, value="yesterday", datatype=XSD + "date"),
        m.Term(kind=m.Term.LITERAL, value="maybe", datatype=XSD + "boolean"),
        m.Term(kind=m.Term.LITERAL, value="1", datatype=XSD + "decimal", unit="metre"),
        m.Term(
            kind=m.Term.LITERAL,
            value="here",
            datatype="http://www.opengis.net/ont/geosparql#wktLiteral",
        ),
    ],
    ids=lambda term: term.value or str(term.kind),
)
def test_a_malformed_term_is_refused_with_a_sentence(term: Any) -> None:
    with pytest.raises(InvalidRequestError, match=r"\.$"):
        convert.value_from_msg(term)


def test_a_literal_cannot_be_a_subject() -> None:
    literal = m.Term(kind=m.Term.LITERAL, value="Canada")
    with pytest.raises(InvalidRequestError, match="subject"):
        convert.triple_from_msg(m.Triple(subject=literal))


def test_short_ids_are_taken() -> None:
    triple = m.Triple(
        subject=m.Term(value="Q16"), predicate=m.Term(value="P36"), object=m.Term(value="Q1930")
    )
    assert convert.triple_from_msg(triple) == Triple("Q16", "P36", EntityValue("Q1930"))


def test_events_that_lack_what_they_announce_are_refused() -> None:
    for kind in (m.RunEvent.CLAIM_VALIDATED, m.RunEvent.ANSWER_READY, 200):
        with pytest.raises(InvalidRequestError):
            convert.event_from_msg(m.RunEvent(kind=kind))


def test_durations() -> None:
    for seconds in (0.0, 0.25, 3.5):
        assert convert.duration_to_seconds(convert.duration_to_msg(seconds)) == seconds
    assert convert.duration_to_seconds(convert.duration_to_msg(-1.0)) == 0.0
    assert convert.duration_to_msg(1e12).sec == 2**31 - 1
