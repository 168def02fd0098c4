"""What things of a kind are for, and what can be done to them, as far as an ontology says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from robodata_core.belief.world import WorldSource
from robodata_core.iris import is_id
from robodata_core.model import EntityValue, Statement
from robodata_core.text import normalise_name

__all__ = ["Uses", "is_form"]

_MOST_VALUES = 200


class Uses:
    """Tells why things of a class can be used for something. Thread-safe.

    Args:
        world: Map and ontologies.
        relations: From a class to its uses and abilities.
    """

    def __init__(self, world: WorldSource, relations: Sequence[str]) -> None:
        self._world = world
        self._relations = relations

    def reason(self, class_id: str, affordance: str) -> tuple[Statement, ...] | None:
        """Return why things of a class can be used for something; None if nothing says so."""
        wanted = {affordance} if is_id(affordance) else set()
        for id_, path in self._world.kinds.above(class_id).items():
            for relation in self._relations:
                page = self._world.statements(id_, property=relation, limit=_MOST_VALUES)
                for statement in page.statements:
                    value = statement.value
                    if isinstance(value, EntityValue) and (
                        value.id in wanted or self._is_called(value.id, affordance)
                    ):
                        return (*path, statement)
        return None

    def _is_called(self, id_: str, wanted: str) -> bool:
        """Tell whether a name of an entity has every word wanted, in whatever form of it."""
        entity = self._world.entities([id_]).get(id_)
        if entity is None:
            return False
        words = normalise_name(wanted).split()
        names = [normalise_name(name).split() for name in (entity.label, *entity.aliases)]
        return any(
            words
            and _suffers(words) == _suffers(name)
            and all(any(_same_word(word, own) for own in name) for word in words)
            for name in names
        )


def is_form(word: str, other: str) -> bool:
    """Tell whether of two words one is the other, or it with a short ending, but no more."""
    stems = [_stem(one) for one in (word, other)]
    return word == other or stems[0] == stems[1]


def _stem(word: str) -> str:
    """Return a word without its ending: "mak" for "make" and "making", "plate" for "plates"."""
    stem = re.sub(r"(?<=..)(?:ing|(?<=[sxh])es|(?<!s)s)$", "", word)
    stem = re.sub(r"(?<=..)([b-df-hj-np-tv-z])\1$", r"\1", stem) if stem != word else stem
    return re.sub(r"(?<=..)e$", "", stem)


def _same_word(word: str, other: str) -> bool:
    """Tell whether two words look like forms of one: "cut" and "cutting", "slice" and "slicing"."""
    shared = max(3, min(len(word), len(other)) - 1)
    return word == other or (len(word) >= 3 and word[:shared] == other[:shared])


def _suffers(words: Iterable[str]) -> bool:
    """Tell whether a use is something done to a thing: "cuttable", "can be cut", but not "cut"."""
    return any(
        word == "be" or (len(word) > 5 and word.endswith(("able", "ible"))) for word in words
    )
