"""How old a claim is, told from the statements it rests on."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal

import pytest

from robodata_core.answers.json import claim_to_json
from robodata_core.answers.origins import as_of
from robodata_core.api import RoboData
from robodata_core.model import (
    Claim,
    Evidence,
    Provenance,
    QuantityValue,
    Rank,
    Snak,
    SupportSet,
    TimeValue,
    Triple,
)

_NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def _evidence(year: int | None, rank: Rank = Rank.PREFERRED, about: str = "P585") -> Evidence:
    snaks = (Snak(about, TimeValue(year, precision=9)),) if year is not None else ()
    record = Provenance("s", _NOW, "r", "c", "t", rank=rank, qualifiers=snaks)
    return Evidence("T1", Triple("Q1", "P1082", QuantityValue(Decimal(1))), provenance=(record,))


def test_a_current_value_tells_its_year() -> None:
    assert as_of([_evidence(2020)]) == "2020"
    assert as_of([_evidence(2024), _evidence(2019), _evidence(None)]) == "2019 to 2024"


@pytest.mark.parametrize(
    "evidence",
    [
        _evidence(None),
        _evidence(1921, Rank.NORMAL),  # when a prize was given is no age of the statement
        _evidence(1921, about="P580"),
    ],
)
def test_what_happened_once_has_no_age(evidence: Evidence) -> None:
    assert as_of([evidence]) == ""
    assert "as_of" not in claim_to_json(Claim("c1", "x", True, SupportSet((evidence,))))


def test_the_answer_says_how_old_it_is() -> None:
    with RoboData.open(source="snapshot:world") as data:
        people = data.ask("What is the population of Germany?")
        capital = data.ask("What is the capital of Germany?")
    claim = claim_to_json(people.claims[0])
    assert claim["as_of"].isdigit()
    assert f"As of {claim['as_of']}: " in people.text
    assert claim["text"].startswith(f"As of {claim['as_of']}: ")
    assert capital.results and "As of" not in capital.text
