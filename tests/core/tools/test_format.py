from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import (
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    SomeValue,
    StringValue,
)
from robodata_core.text import plural
from robodata_core.tools.formatting import CELL, MAX_TEXT, clip, compose, page_note
from robodata_core.tools.namer import Namer

from .desk import Desk


@given(st.text(max_size=400), st.integers(2, 100))
def test_a_clipped_text_is_one_short_line(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert len(clipped) <= limit
    assert "\n" not in clipped and "\x1b" not in clipped


@given(st.text(max_size=9_000), st.lists(st.text(max_size=900), max_size=60))
def test_composed_texts_stay_below_the_cap(head: str, lines: list[str]) -> None:
    text, kept = compose(head, lines)
    assert len(text) <= MAX_TEXT - 600
    assert 0 <= kept <= len(lines)
    assert all(line in text for line in lines[:kept])


def test_page_notes_say_how_to_get_more() -> None:
    assert page_note(5, 5, 0) == ""
    assert page_note(50, 20, 20) == "Shown: 21 to 40 of 50. For more, call again with offset=40."
    assert page_note(50, 10, 40) == "Shown: 41 to 50 of 50."
    assert "Nothing at offset 60" in page_note(50, 0, 60)
    assert plural(1, "row") == "1 row" and plural(2_000, "entity", "entities") == "2,000 entities"


def test_values_read_with_names_beside_ids(desk: Desk) -> None:
    namer = Namer(desk.context())
    namer.load(["Q16", "Q11573", "Q1", "Q2"])
    assert namer.value(EntityValue("Q16")) == "Canada (Q16)"
    assert namer.value(QuantityValue(Decimal("1.96"), "Q11573")) == "1.96 metre (Q11573)"
    assert namer.value(StringValue('a "b"\n' + "c" * 99)).startswith("\"a 'b' ccc")
    assert len(namer.value(StringValue("c" * 99))) <= CELL + 2
    assert namer.value(MonolingualTextValue("Kanada", "de")) == '"Kanada"@de'
    assert namer.value(SomeValue()) == "unknown value"
    assert namer.value(None) == "-"
    assert namer.value(EntityValue("Q1")) == "Jane Belson (Q1)"
    assert namer.value(EntityValue("Q2")) == "Q2"
    assert set(namer.ids) == {"Q16", "Q11573", "Q1", "Q2"}
