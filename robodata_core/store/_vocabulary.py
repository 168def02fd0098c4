"""The predicates and classes the local graph is written with, and the IRIs it mints itself.

Everything RoboData mints starts with ``urn:robodata:``; its own few predicates have the prefix
``rd:`` (``urn:robodata:term:``). Data only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

import pyoxigraph as ox

from robodata_core.iris import PROV, RDF, RDFS, SCHEMA, SKOS, WIKIBASE, XSD
from robodata_core.model import Rank

ROBODATA: Final = "urn:robodata:"
TERM: Final = ROBODATA + "term:"
RUN: Final = ROBODATA + "run:"
CALL: Final = ROBODATA + "call:"
SOURCE: Final = ROBODATA + "source:"
STATEMENT: Final = ROBODATA + "statement:"
REFERENCE: Final = ROBODATA + "reference:"
WIKIDATA_STATEMENT: Final = "http://www.wikidata.org/entity/statement/"
WIKIDATA_REFERENCE: Final = "http://www.wikidata.org/reference/"
_WHENCE: Final = (RUN, CALL, SOURCE, STATEMENT, WIKIDATA_STATEMENT, REFERENCE, WIKIDATA_REFERENCE)


def _rd(name: str) -> ox.NamedNode:
    return ox.NamedNode(TERM + name)


TYPE: Final = ox.NamedNode(RDF + "type")
LABEL: Final = ox.NamedNode(RDFS + "label")
ALT_LABEL: Final = ox.NamedNode(SKOS + "altLabel")
DESCRIPTION: Final = ox.NamedNode(SCHEMA + "description")
REVISION: Final = ox.NamedNode(SCHEMA + "version")

SUBJECT: Final = ox.NamedNode(RDF + "subject")
PREDICATE: Final = ox.NamedNode(RDF + "predicate")
OBJECT: Final = ox.NamedNode(RDF + "object")
RANK: Final = ox.NamedNode(WIKIBASE + "rank")
DERIVED: Final = ox.NamedNode(PROV + "wasDerivedFrom")
ATTRIBUTED: Final = ox.NamedNode(PROV + "wasAttributedTo")
GENERATED: Final = ox.NamedNode(PROV + "wasGeneratedBy")
ORIGIN: Final = ox.NamedNode(PROV + "hadPrimarySource")
ENDED: Final = ox.NamedNode(PROV + "endedAtTime")
ACTIVITY: Final = ox.NamedNode(PROV + "Activity")
AGENT: Final = ox.NamedNode(PROV + "Agent")
ITEM: Final = ox.NamedNode(WIKIBASE + "Item")
PROPERTY: Final = ox.NamedNode(WIKIBASE + "Property")

HANDLE: Final = _rd("handle")
STATEMENT_ID: Final = _rd("statementId")
REFERENCE_HASH: Final = _rd("referenceHash")
EXTERNAL_IDS: Final = _rd("externalIds")
LINKS: Final = _rd("links")
NAME: Final = _rd("name")
TOOL: Final = _rd("tool")
RUN_OF: Final = _rd("run")
RUN_ID: Final = _rd("runId")
CALL_ID: Final = _rd("callId")
ORDER: Final = _rd("order")
NODE: Final = _rd("node")
INSTANCE_OF: Final = _rd("type")
POPULARITY: Final = _rd("popularity")
DATATYPE: Final = _rd("datatype")
USES: Final = _rd("uses")

STORE: Final = ox.NamedNode(ROBODATA + "store")
FORMAT: Final = _rd("format")
HIGHEST: Final = _rd("highestHandle")

RANKS: Final = {
    Rank.PREFERRED: ox.NamedNode(WIKIBASE + "PreferredRank"),
    Rank.NORMAL: ox.NamedNode(WIKIBASE + "NormalRank"),
    Rank.DEPRECATED: ox.NamedNode(WIKIBASE + "DeprecatedRank"),
}
RANK_OF: Final = {node.value: rank for rank, node in RANKS.items()}
TRUE: Final = ox.Literal("true", datatype=ox.NamedNode(XSD + "boolean"))


@lru_cache(maxsize=1024)
def minted(base: str, name: str) -> ox.NamedNode:
    """Return the node RoboData gives to something called ``name``."""
    return ox.NamedNode(base + quote(name, safe="", errors="replace"))


def name_of(base: str, iri: str) -> str:
    """Undo ``minted``."""
    return unquote(iri[len(base) :])


def tells_whence(node: ox.NamedNode) -> bool:
    """Tell whether ``node`` is there to say where a fact comes from."""
    return node.value.startswith(_WHENCE)
