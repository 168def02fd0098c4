"""What kind of thing answers are: a person, a group, a place, a time, a number, or a thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import (
    CoordinateValue,
    Direction,
    Entity,
    EntityValue,
    QuantityValue,
    TimeValue,
    Value,
)
from robodata_core.policy.offline.asking import noun_type
from robodata_core.policy.offline.candidate import Candidate
from robodata_core.policy.offline.links import containment_links, onward_links
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.words import WH_WORDS, Token, noun_of, stems

__all__ = ["AnswerKinds", "is_person"]

_YEARLIKE: Final = re.compile(r"[0-9]{3,4}\Z")
_LOOKED_AT: Final = 8


@lru_cache(maxsize=1)
def _classes() -> dict[str, frozenset[str]]:
    """Return the words in names of classes by the kind of thing that their members are."""
    return {kind.name: kind.classes for kind in open_lexicon("en").kinds}


def is_person(reader: Reader, id_: str) -> bool | None:
    """Tell whether something is a person; None where the graph does not say what it is."""
    found = reader.entities((id_,))
    kinds = reader.entities(found[id_].types) if id_ in found else {}
    return _are_people(kinds.values()) if kinds else None


@dataclass(frozen=True, slots=True)
class AnswerKinds:
    """Tells what kind the answers of a candidate are.

    Attributes:
        reader: What the graph holds.
        index: Its relations.
    """

    reader: Reader
    index: RelationIndex

    def kind(self, candidate: Candidate) -> str:
        """Return what kind the answers are: by their values, their types, or the relation."""
        return self.told(candidate) or self.of_relation(candidate)

    def told(self, candidate: Candidate) -> str:
        """Return what kind (a sample of) the answers are by what they are."""
        return self.of_values(candidate.nodes[:_LOOKED_AT])

    def of_relation(self, candidate: Candidate) -> str:
        """Return what kind the values of the last relation are, empty where it does not tell."""
        if not candidate.path:
            return ""
        kinds = {
            self.index.object_type(name)
            for name, way in candidate.path[-1].hop
            if way is Direction.OUT and name
        }
        kinds.discard("")
        return kinds.pop() if len(kinds) == 1 else ""

    def misses(self, candidate: Candidate, wanted: str, seen: str) -> bool:
        """Tell whether a time is given for a person, a person for a place, or the like.

        A group acts as people do, and is somewhere: "who" and "where" both ask for it.

        Args:
            candidate: The reading.
            wanted: What is asked for: person, place, time; empty where any kind will do.
            seen: ``kind`` of the candidate.
        """
        if candidate.final != "set" or wanted not in ("time", "person", "place"):
            return False
        if wanted == "place" and len(candidate.path) > 1 and _are_points(candidate.nodes):
            return True  # Where something around it lies is not where it is.
        if wanted == "place" and seen != "place" and self._leads_inside(candidate):
            return True
        if "time" in (seen, wanted):
            return bool(seen) and seen != wanted
        if (seen, wanted) == ("thing", "person"):
            # Labels sign and studios produce: "who" asks for them too.
            return len(candidate.edges) > 1
        if (seen, wanted) == ("thing", "place"):
            # Cups are in cupboards, which are things: what the relation says of its values counts.
            # Of what a relation leads from it says nothing: what somebody studies is no place.
            edges = candidate.path[-1].hop if candidate.path else ()
            back = bool(edges) and all(way is Direction.IN for _, way in edges)
            return back or self.of_relation(candidate) in ("thing", "person", "number")
        return (seen, wanted) == ("person", "place")

    def _leads_inside(self, candidate: Candidate) -> bool:
        """Tell whether it ends with what lies in something, or is a part or a kind of it."""
        edges = candidate.path[-1].hop if candidate.path else ()
        inner = {*containment_links(self.index), *onward_links(self.index)}
        return bool(edges) and all(way is Direction.IN and name in inner for name, way in edges)

    def are_idle(self, candidate: Candidate) -> bool:
        """Tell whether answers are classes of what does nothing, such as activities.

        A bed is somewhere that things are, as all furniture is; a worktop beside it acts no more.
        """
        nodes = candidate.nodes[:_LOOKED_AT]
        above = self.reader.above(node.id for node in nodes if isinstance(node, EntityValue))
        named = (self.reader.entities(ids).values() for ids in above)
        acting = _classes()["person"] | _classes()["group"] | _classes()["place"]
        return any(bool(one) and not _words(one) & acting for one in named)

    def are_none(self, candidate: Candidate, stem: str) -> bool:
        """Tell whether none of the answers is called by a noun, by what it is or by its name."""
        ids = [value.id for value in candidate.nodes[:_LOOKED_AT] if isinstance(value, EntityValue)]
        found = self.reader.entities(ids).values()
        types = self.reader.entities(kind for item in found for kind in item.types).values()
        labels = [*(item.label for item in types), *(item.label for item in found)]
        heads = {stems(noun_of(label))[-1:] for label in labels}
        return bool(types) and (stem,) not in heads

    def lies_elsewhere(
        self, candidate: Candidate, tokens: Sequence[Token], request: Request
    ) -> bool:
        """Tell whether something else than named lies in what is none of what is asked for.

        "Which county is X from" does not ask in what the country of X lies.

        Args:
            candidate: The reading.
            tokens: The question.
            request: What is asked for.
        """
        head = max(request.focus, default=-1)
        edges = candidate.path[-1].hop if len(candidate.path) > 1 else ()
        if (
            not edges
            or candidate.typed
            or head < 1
            or tokens[min(request.focus) - 1].norm not in WH_WORDS
        ):
            return False
        within = containment_links(self.index)
        lies = any(way is Direction.OUT and name in within for name, way in edges)
        return (
            lies
            and not noun_type(tokens[head].norm)
            and self.are_none(candidate, tokens[head].stem)
        )

    def of_values(self, sample: Sequence[Value]) -> str:
        """Return what kind some values are by what they are; empty where they do not tell."""
        if any(isinstance(value, TimeValue) for value in sample):
            return "time"
        if any(isinstance(value, QuantityValue) for value in sample):
            return "number"
        if _are_points(sample):
            return "place"
        ids = [value.id for value in sample if isinstance(value, EntityValue)]
        found = self.reader.entities(ids)
        if found and all(_YEARLIKE.match(item.label) for item in found.values()):
            return "time"
        types = self.reader.entities(kind for item in found.values() for kind in item.types)
        words, classes = _words(types.values()), _classes()
        if _are_people(types.values()):
            return "person"
        if words & classes["place"]:
            return "place"
        if words & classes["group"]:
            return "group"
        return "thing" if found and all(item.types for item in found.values()) else ""


def _are_points(nodes: Sequence[Value]) -> bool:
    return any(isinstance(value, CoordinateValue) for value in nodes[:_LOOKED_AT])


def _words(kinds: Iterable[Entity]) -> set[str]:
    return {word for kind in kinds for word in kind.label.lower().split()}


def _are_people(kinds: Iterable[Entity]) -> bool:
    """Tell whether a class is one of people by the noun that it is called by.

    What lives in a "human settlement" is human, it is not.
    """
    heads = {noun.split()[-1] for kind in kinds if (noun := noun_of(kind.label.lower()))}
    return not heads.isdisjoint(_classes()["person"])
