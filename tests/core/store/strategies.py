"""Well-formed values, statements and entities for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from robodata_core.model import (
    CoordinateValue,
    Entity,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    Rank,
    Reference,
    Snak,
    SomeValue,
    Statement,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_foreign = st.sampled_from(
    [
        "http://example.org/a#B",
        "urn:x:é",
        "https://example.org/p?q=1&r=%20(2)",
        "http://www.ease-crc.org/ont/SOMA.owl#Knife",
    ]
)
ids = st.integers(1, 10**6).map(lambda n: f"Q{n}") | _foreign
property_ids = st.integers(1, 10**4).map(lambda n: f"P{n}") | _foreign

_decimals = st.decimals(allow_nan=False, allow_infinity=False, places=None).map(
    lambda number: number + 0  # -0 is 0
)
_coordinates = st.floats(-180, 180)


@st.composite
def times(draw: st.DrawFn) -> TimeValue:
    precision = draw(st.integers(0, 14))
    year = draw(st.integers(-2000, 3000) | st.integers(-14 * 10**9, 14 * 10**9))
    calendar = draw(st.sampled_from(["Q1985727", "Q1985786"]))

    def part(least: int, low: int, high: int) -> int:
        return draw(st.integers(low, high)) if precision >= least else 0

    return TimeValue(
        year,
        part(10, 1, 12),
        part(11, 1, 28),
        part(12, 0, 23),
        part(13, 0, 59),
        part(14, 0, 59),
        precision,
        calendar,
    )


def values(*, no_value: bool = True) -> st.SearchStrategy[Value]:
    kinds: list[st.SearchStrategy[Value]] = [
        st.builds(EntityValue, ids),
        st.builds(StringValue, texts, st.sampled_from(["", "urn:x:datatype"])),
        st.builds(
            MonolingualTextValue, texts, st.sampled_from(["en", "de-at", "mul", "zh-classical"])
        ),
        st.builds(
            QuantityValue,
            _decimals,
            st.none() | st.sampled_from(["Q11573", "http://example.org/unit"]),
            st.none() | _decimals,
            st.none() | _decimals,
        ),
        times(),
        st.builds(
            CoordinateValue,
            _coordinates,
            _coordinates,
            st.none() | st.floats(0, 1),
            st.sampled_from(["Q2", "Q111"]),
        ),
        st.builds(UrlValue, st.sampled_from(["https://example.org/", "http://x y", "", "x"])),
        st.builds(ExternalIdValue, texts),
        st.just(SomeValue()),
    ]
    return st.one_of(*kinds, st.just(NoValue())) if no_value else st.one_of(*kinds)


# A property has one datatype, so those two kinds have properties of their own.
_OWN_PROPERTIES = {ExternalIdValue: "P345", UrlValue: "P854"}
snaks = st.builds(
    lambda id_, value: Snak(_OWN_PROPERTIES.get(type(value), id_), value),
    property_ids.filter(lambda id_: id_ not in _OWN_PROPERTIES.values()),
    values(),
)
references = st.builds(Reference, st.lists(snaks, max_size=3).map(tuple), st.just(""))
statements = st.builds(
    Statement,
    subject=ids,
    property=property_ids,
    value=values(),
    id=st.sampled_from(["", "Q42$0A1B2C3D-0000-1111-2222-333344445555", "other id"]),
    rank=st.sampled_from(Rank),
    qualifiers=st.lists(snaks, max_size=3).map(tuple),
    references=st.lists(references, max_size=2).map(tuple),
    source=st.sampled_from(["snapshot:wikidata-sample", "wikidata", "sparql:http://x/"]),
    origin=st.sampled_from(["", "urn:robodata:dataset:codex-s"]),
    revision=st.none() | st.integers(0, 2**40),
)
entities = st.builds(
    Entity,
    id=ids,
    label=texts,
    description=texts,
    aliases=st.lists(texts.filter(bool), max_size=3, unique=True).map(tuple),
    types=st.lists(ids, max_size=2, unique=True).map(tuple),
    popularity=st.integers(0, 10**6),
)

__all__ = [
    "entities",
    "ids",
    "property_ids",
    "references",
    "snaks",
    "statements",
    "texts",
    "times",
    "values",
]
