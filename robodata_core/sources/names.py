"""Which of an entity's names is its label, and what to call what has no name.

Pure functions over strings; where the names come from and where they are kept is the index's
business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final
from urllib.parse import unquote

from robodata_core.iris import OWL, RDF, RDFS, SKOS, WD
from robodata_core.sources.predicates import ALIASES, DESCRIPTIONS, LABELS
from robodata_core.text import clean_text

__all__ = [
    "MAX_DESCRIPTION",
    "MAX_NAME",
    "NAME_KINDS",
    "NameKind",
    "Names",
    "WELL_KNOWN",
    "choose_names",
    "derived_label",
    "derived_names",
    "name_kind",
    "page_of_a_wiki",
]

MAX_NAME: Final = 400
MAX_DESCRIPTION: Final = 500
MAX_ALIASES: Final = 200

_WIKI = re.compile(
    r"https?://[a-z-]+\.(?:m\.)?wik[a-z]+\.org/wiki/|https?://www\.wikidata\.org/wiki/"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MINTED: Final = tuple(
    f"urn:robodata:{kind}:" for kind in ("statement", "reference", "value", "genid", "dataset")
)
_OPAQUE = re.compile(r"[0-9a-f-]{16,}\Z|[A-Z]{0,12}[:_-]?\d+\Z", re.ASCII)


WELL_KNOWN: Final = {
    RDF + "type": ("type", "is a", "instance of", "kind"),
    RDFS + "subClassOf": ("subclass of", "kind of", "superclass"),
    RDFS + "subPropertyOf": ("subproperty of",),
    RDFS + "domain": ("domain",),
    RDFS + "range": ("range",),
    RDFS + "seeAlso": ("see also",),
    RDFS + "isDefinedBy": ("defined by",),
    SKOS + "broader": ("broader", "broader concept"),
    SKOS + "narrower": ("narrower", "narrower concept"),
    SKOS + "related": ("related",),
    OWL + "sameAs": ("same as",),
    OWL + "equivalentClass": ("equivalent class",),
    OWL + "disjointWith": ("disjoint with",),
    OWL + "inverseOf": ("inverse of",),
    OWL + "imports": ("imports",),
}
"""Label and aliases of properties that vocabularies everywhere use and nobody describes."""


class NameKind(IntEnum):
    """What a name is, the one to prefer for a label first."""

    LABEL = 0
    ALIAS = 1
    DESCRIPTION = 2


NAME_KINDS: Final = tuple(NameKind)

_KINDS: Final = {
    **{iri: (NameKind.LABEL, place) for place, iri in enumerate(LABELS)},
    **{iri: (NameKind.ALIAS, place) for place, iri in enumerate(ALIASES)},
    **{iri: (NameKind.DESCRIPTION, place) for place, iri in enumerate(DESCRIPTIONS)},
}


def name_kind(predicate: str) -> tuple[NameKind, int] | None:
    """Return what a predicate names with, and its place among its like; None if it does not."""
    return _KINDS.get(predicate)


@dataclass(frozen=True, slots=True)
class Names:
    """An entity's names in one language."""

    label: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""


def choose_names(found: Iterable[tuple[NameKind, int, str, str]], language: str) -> Names:
    """Choose label, aliases and description for readers of ``language``.

    Names in the language itself come first, then its regional forms, then names for all
    languages (``mul``) and without a language; any other language only serves a label or a
    description where there is no better one, never an alias.

    Args:
        found: Kind, place among its like (lower is better), language tag, text.
        language: What the reader prefers.
    """
    found = list(found)
    if len(found) == 1 and found[0][0] is NameKind.LABEL:
        return Names(found[0][3])
    ranked = sorted(
        (kind, _distance(tag, language), place, tag, text) for kind, place, tag, text in found
    )
    labels = [row for row in ranked if row[0] is NameKind.LABEL]
    descriptions = [row for row in ranked if row[0] is NameKind.DESCRIPTION]
    label = labels[0][4] if labels else ""
    others = [row[4] for row in ranked if row[0] is not NameKind.DESCRIPTION and row[1] < _FOREIGN]
    if not label and others:
        label = others[0]
    aliases = tuple(dict.fromkeys(name for name in others if name != label))
    return Names(label, aliases[:MAX_ALIASES], descriptions[0][4] if descriptions else "")


_FOREIGN: Final = 4


def _distance(tag: str, language: str) -> int:
    tag, language = tag.lower(), language.lower()
    if tag == language:
        return 0
    base = language.partition("-")[0]
    if tag.partition("-")[0] == base:
        return 1
    if tag == "mul":
        return 2
    if not tag:
        return 3
    return _FOREIGN + (tag.partition("-")[0] != "en")


def derived_names(iri: str, *, is_property: bool) -> tuple[str, ...]:
    """Return names for something without a label, from its IRI, the best first; maybe none.

    ``...#DesignedContainer`` is called "Designed Container" and "DesignedContainer", and the
    property ``...#hasPart`` "has part" and "hasPart". Wikidata's ids, numbers and hashes are not
    names.
    """
    if iri.startswith((WD, "http://www.wikidata.org/", *_MINTED)) or ":b:" in iri:
        return ()
    end = unquote(re.split(r"[#/:]", iri.rstrip("#/:"))[-1], errors="replace")
    name = clean_text(end.replace("_", " "), limit=MAX_NAME).strip()
    if _OPAQUE.match(name) or not any(map(str.isalpha, name)):
        return ()
    words = name if " " in name else _CAMEL.sub(" ", name)
    if is_property:
        words = " ".join(word if word.isupper() else word.lower() for word in words.split())
    return tuple(dict.fromkeys((words, name)))


def derived_label(id_: str) -> str:
    """Return what an entity without a label is called after its IRI, or ""."""
    names = derived_names(id_, is_property=False)
    return names[0] if names else ""


def page_of_a_wiki(iri: str) -> bool:
    """Tell whether an IRI is a wiki page about something, and not the thing itself."""
    return bool(_WIKI.match(iri))
