"""Know before use: which ids a run has really seen.

A model that invents ids gets plausible nonsense back, so an id that neither the question nor a
tool result has shown is refused. What an id looks like is ``robodata_core.iris``' business;
which ids a SPARQL text mentions is read by ``query_ids``.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from typing import Final

from robodata_core.errors import UnknownIdError
from robodata_core.iris import SCHEMA, WIKIBASE

__all__ = ["STRUCTURAL_IDS", "KnownIds", "ids_in_text", "is_short_id", "is_vocabulary", "refuse"]

# Relations that say what kind of thing something is. Every graph has them, and no question
# names them, so they need not be found first. Keep this list as short as it is.
STRUCTURAL_IDS: Final = frozenset({"P31", "P279"})

# Vocabularies that describe graphs rather than the world: their terms are names of structure,
# not facts that could be made up. ``urn:robodata:`` names the graphs of the local store.
_VOCABULARIES: Final = (
    "http://www.w3.org/",  # RDF, RDFS, OWL, SKOS, PROV, XSD
    SCHEMA,
    "https://schema.org/",
    WIKIBASE,
    "http://purl.org/dc/",
    "http://xmlns.com/foaf/0.1/",
    "http://www.opengis.net/ont/",
    "urn:robodata:",
)

_SHORT = re.compile(r"(?<![A-Za-z0-9])[QPqp][1-9][0-9]{0,11}(?![A-Za-z0-9])", re.ASCII)
_IRI = re.compile(r"(?:https?://|urn:)[^\s<>\"{}|^`\\]+")


def is_short_id(text: str) -> bool:
    """Tell whether the whole of ``text`` is an id of Wikidata's form, ``Q42`` or ``P36``."""
    return len(text) <= 13 and bool(_SHORT.fullmatch(text)) and text[0] in "QP"


def is_vocabulary(id_: str) -> bool:
    """Tell whether ``id_`` is a term of a general vocabulary (``rdfs:label``, ``skos:...``)."""
    return id_.startswith(_VOCABULARIES)


def ids_in_text(text: str) -> tuple[str, ...]:
    """Return the ids that stand in running text: ``Q42``, ``p36``, absolute IRIs."""
    short = [match.upper() for match in _SHORT.findall(text)]
    iris = [match.rstrip(".,;:!?)]}'") for match in _IRI.findall(text)]
    return tuple(dict.fromkeys(short + iris))


class KnownIds:
    """The ids shown so far in one run. Thread-safe.

    Args:
        question: The question; ids in it count as shown.

    Attributes:
        missed: The ids that were asked for and not known.
    """

    def __init__(self, question: str = "") -> None:
        self._lock = threading.Lock()
        self._ids = set(STRUCTURAL_IDS)
        self._ids.update(ids_in_text(question))
        self.missed: set[str] = set()

    def branch(self) -> KnownIds:
        """Return what is known now; what is added to it, or to this one later, stays apart."""
        branch = KnownIds()
        with self._lock:
            branch._ids.update(self._ids)
        return branch

    def add(self, ids: Iterable[str]) -> None:
        """Remember ids that a result has shown."""
        fresh = tuple(ids)
        with self._lock:
            self._ids.update(fresh)

    @property
    def shown(self) -> frozenset[str]:
        """All that has been shown."""
        with self._lock:
            return frozenset(self._ids)

    def __contains__(self, id_: object) -> bool:
        with self._lock:
            if id_ in self._ids:
                return True
        return isinstance(id_, str) and is_vocabulary(id_)

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return those of ``ids`` that were never shown, each once, in order."""
        unknown = tuple(id_ for id_ in dict.fromkeys(ids) if id_ not in self)
        with self._lock:
            self.missed.update(unknown)
        return unknown


def refuse(unknown: tuple[str, ...]) -> None:
    """Return if there are no unknown ids.

    Raises:
        UnknownIdError: Naming the first few, and what to do.
    """
    if not unknown:
        return
    shown = ", ".join(unknown[:5])
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    verb = "has" if len(unknown) == 1 else "have"
    raise UnknownIdError(
        f"{shown}{more} {verb} not been shown by the question or by any result, so"
        f" {'it' if len(unknown) == 1 else 'they'} cannot be used.",
        hint="Find the right id first with search_entities, retrieve_relation, get_relation or"
        " explore_entity_neighbors.",
    )
