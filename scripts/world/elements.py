"""Joins the chemical elements with what the world has of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from wikidata_sample.facts import Fact
from wikidata_sample.names import read_table

from robodata_core.model import EntityValue, QuantityValue, StringValue, Value
from world.factbook import slug
from world.glosses import year_value
from world.joining import Known
from world.things import Things

__all__ = ["DATASET", "elements"]

DATASET = "mendeleev-elements"
NEW = "urn:robodata:mendeleev:"
ELEMENT = "Q11344"
HEADER = (
    "number", "symbol", "name", "mass", "density", "melting point", "boiling point",
    "discovered", "discoverers",
)  # fmt: skip
DALTON, GRAM_PER_CUBIC_CENTIMETRE, KELVIN = "Q483261", "Q13147228", "Q11579"


def elements(tables: Path, known: Known, things: Things) -> Iterator[Fact]:
    """Yield what is missing of the elements, and the elements that are."""
    for number, symbol, name, mass, density, melting, boiling, year, who in read_table(
        tables / "elements.tsv", HEADER
    ):
        id_ = _same(name, known) or _new(name, number, known, things)
        told: list[tuple[str, Value]] = [
            ("P31", EntityValue(ELEMENT)),
            ("P246", StringValue(symbol)),
            ("P1086", QuantityValue(Decimal(number))),
        ]
        for prop, amount, unit in (
            ("P2067", mass, DALTON),
            ("P2054", density, GRAM_PER_CUBIC_CENTIMETRE),
            ("P2101", melting, KELVIN),
            ("P2102", boiling, KELVIN),
        ):
            if amount:
                told.append((prop, QuantityValue(Decimal(amount), unit)))
        if year:
            told.append(("P575", year_value(int(year))))
        told += [("P61", EntityValue(one)) for one in _people(who, known)]
        stated = {prop for prop, _ in told if known.states(id_, prop)}
        for prop, value in told:
            if prop not in stated:
                yield Fact(id_, prop, value, (DATASET,))


def _same(name: str, known: Known) -> str | None:
    found = sorted(
        id_
        for id_ in known.bearers(name)
        if known.is_a(id_, "element") or known.says_of(id_, "chemical element")
    )
    return found[0] if len(found) == 1 else None


def _new(name: str, number: str, known: Known, things: Things) -> str:
    """Add an element, though something else (a colour) may be called so."""
    id_ = f"{NEW}{slug(name)}"
    thing = things[id_]
    thing.name(name)
    thing.description = f"chemical element with the atomic number {number}"
    known.name(id_, name, label=True)
    return id_


def _people(text: str, known: Known) -> list[str]:
    """Return who discovered an element; nobody unless all that are named are known."""
    parts = re.split(r",|/| and ", text)
    names = [re.sub(r"^(?:Sir|Baron) ", "", name.strip(" .")) for name in parts]
    last = names[-1].split()[-1:] if names else []
    found = []
    for name in filter(None, names):
        full = name if " " in name else " ".join((name, *last))
        ids = [id_ for id_ in known.bearers(full) if known.is_a(id_, "person")]
        if " " not in full or len(ids) != 1:
            return []
        found += ids
    return found
