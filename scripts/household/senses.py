"""Which sense of a word a row of the tables means: whether what is above it says the same.

"Horse" is an animal in the tables and a trestle in BDDL's taxonomy, "rose" a flower and a wine.
A row is joined with a synset of its name only if the kinds above both agree; the names and the
kinds above are those of BDDL and of WordNet's part that ``make_household_kinds`` wrote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import IntEnum
from pathlib import Path

from wikidata_sample.names import read_table

from household.bddl import Node
from household.kinds import spelled

__all__ = ["Agreement", "Senses"]

#: What is only this much alike is of different kinds altogether: an animal and a trestle.
_ANYTHING = frozenset(
    {"entity.n.01", "physical_entity.n.01", "object.n.01", "whole.n.02", "abstraction.n.06"}
)
#: What is only this much alike may still be meant by one word that is the first name of both.
_MADE = frozenset(
    {
        "artifact.n.01",
        "device.n.01",
        "instrumentality.n.03",
        "matter.n.03",
        "substance.n.01",
        "substance.n.07",
        "unit.n.03",
    }
)
_LIVING = "living_thing.n.01"


class Agreement(IntEnum):
    """How far the kinds above a row and those above a synset say the same."""

    ALIVE = 0  # what the row is about lives, and that does not
    APART = 1
    FAR = 2
    UNKNOWN = 3
    NEAR = 4
    SAME = 5


class Senses:
    """The synsets of BDDL's taxonomy and of WordNet's part beside it, by what they are called.

    Args:
        nodes: BDDL's taxonomy.
        table: WordNet's names of kinds.
    """

    def __init__(self, nodes: Mapping[str, Node], table: Path) -> None:
        self._above = {name: node.parent for name, node in nodes.items()}
        self._first = {name: spelled(name) for name in nodes}
        self._names = {
            name: {spelled(name), *map(spelled, node.categories)} for name, node in nodes.items()
        }
        for synset, above, told in read_table(table, ("synset", "above", "names")):
            if above:
                self._above.setdefault(synset, above)
            names = [spelled(name) for name in told.split("|") if name]
            self._names.setdefault(synset, set()).update(names)
            if names:
                self._first[synset] = names[0]
        self._called: dict[str, list[str]] = defaultdict(list)
        for synset, called in self._names.items():
            for name in called:
                self._called[name].append(synset)

    def called(self, name: str) -> list[str]:
        """Return the synsets of a name, or of the one that it is the plural of."""
        name = spelled(name)
        return self._called.get(name, []) or self._called.get(_one(name), [])

    def line(self, synset: str) -> list[str]:
        """Return a synset and those above it, nearest first."""
        found: list[str] = []
        while synset and synset not in found:
            found.append(synset)
            synset = self._above.get(synset, "")
        return found

    def agreement(self, above: Collection[str], synset: str) -> Agreement:
        """Tell how well a synset fits to what is above a row.

        Args:
            above: Synsets; none: unknown.
            synset: The synset.
        """
        line = self.line(synset)
        if not above:
            return Agreement.UNKNOWN
        if not set(line).isdisjoint(above):
            return Agreement.SAME
        found = Agreement.ALIVE
        lives = _LIVING in line
        for other in above:
            up = self.line(other)
            shared = next((one for one in line if one in up), "entity.n.01")
            if shared in _ANYTHING:
                told = Agreement.ALIVE if _LIVING in up and not lives else Agreement.APART
            else:
                told = Agreement.FAR if shared in _MADE else Agreement.NEAR
            found = max(found, told)
        return found

    def is_same(
        self, thing: str, names: Collection[str], above: Collection[str], synset: str
    ) -> bool:
        """Tell whether a row is about a synset.

        Args:
            thing: What the row is about.
            names: Its other names.
            above: Synsets of the kinds above it.
            synset: One that has any of these names.
        """
        agreement = self.agreement(above, synset)
        called = self._names.get(synset, set())
        mine = {spelled(thing), *map(spelled, names)}
        shared = len(mine & called)
        if _joined(thing, (spelled(synset), self._first.get(synset, ""))):
            return agreement > Agreement.ALIVE
        if _joined(thing, called):
            return agreement >= Agreement.UNKNOWN or shared > 1
        return agreement in (Agreement.UNKNOWN, Agreement.SAME) or (
            shared > 1 and agreement > Agreement.APART
        )

    def is_close(self, names: Collection[str], above: Collection[str], synset: str) -> bool:
        """Tell whether a row is about a synset of its name that no taxonomy has chosen for homes.

        Args:
            names: The row's other names.
            above: Synsets of the kinds above it.
            synset: The synset.
        """
        agreement = self.agreement(above, synset)
        shared = not self._names.get(synset, set()).isdisjoint(map(spelled, names))
        return agreement >= Agreement.UNKNOWN or (shared and agreement is Agreement.FAR)

    def narrower(self, names: Collection[str], synsets: Collection[str]) -> Iterator[str]:
        """Yield those of some names that name synsets below some others, and not these."""
        own = {name for synset in synsets for name in self._names.get(synset, ())}
        for name in names:
            told = self._called.get(spelled(name), [])
            if (
                told
                and spelled(name) not in own
                and any(not set(self.line(one)[1:]).isdisjoint(synsets) for one in told)
            ):
                yield name


def _one(name: str) -> str:
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _joined(name: str, called: Collection[str]) -> bool:
    """Tell whether a name is one of some others, or its plural: "high chairs", "highchair"."""

    def bare(text: str) -> str:
        return spelled(text).replace(" ", "")

    return not {bare(name), bare(_one(spelled(name)))}.isdisjoint(map(bare, called))
