"""Which ids a SPARQL or Cypher text mentions, found without running it.

This serves know-before-use: it catches ids that a model made up. It is no parser and no security
boundary; what a query may do is decided where queries are run. Ids that a query assembles from
pieces while it runs are not seen here.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin

from robodata_core.iris import PROV, RDF, RDFS, SCHEMA, SKOS, WD, WDT, WIKIBASE, XSD

_WIKIDATA: Final = "http://www.wikidata.org/"

# Prefixes that queries on Wikidata use without declaring them.
_PREFIXES: Final = {
    "wd": WD,
    "wdt": WDT,
    "wds": WD + "statement/",
    "p": _WIKIDATA + "prop/",
    "ps": _WIKIDATA + "prop/statement/",
    "psv": _WIKIDATA + "prop/statement/value/",
    "psn": _WIKIDATA + "prop/statement/value-normalized/",
    "pq": _WIKIDATA + "prop/qualifier/",
    "pqv": _WIKIDATA + "prop/qualifier/value/",
    "pr": _WIKIDATA + "prop/reference/",
    "prv": _WIKIDATA + "prop/reference/value/",
    "wdno": _WIKIDATA + "prop/novalue/",
    "wikibase": WIKIBASE,
    "rdf": RDF,
    "rdfs": RDFS,
    "skos": SKOS,
    "schema": SCHEMA,
    "prov": PROV,
    "xsd": XSD,
}

_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_IRI_PATTERN: Final = r"<[^<>\"{}|^`\\\x00-\x20]*>"
# A string that is never closed runs to the end (of the line, if it is a short one), so that no
# text makes this start over at every quotation mark.
_LEXEME = re.compile(
    r"(?P<comment>\#[^\r\n]*)"
    r'|(?P<string>"""(?:"{0,2}(?:[^"\\]|\\.))*(?:"""|"{0,2}\\?\Z)'
    r"|'''(?:'{0,2}(?:[^'\\]|\\.))*(?:'''|'{0,2}\\?\Z)"
    r'|"(?:[^"\\\r\n]|\\.)*"?'
    r"|'(?:[^'\\\r\n]|\\.)*'?)"
    rf"|(?P<iri>{_IRI_PATTERN})",
    re.DOTALL,
)
_DECLARATION = re.compile(
    rf"\bPREFIX\s+(?P<prefix>[\w.-]*):\s*(?P<iri>{_IRI_PATTERN})"
    rf"|\bBASE\s+(?P<base>{_IRI_PATTERN})",
    re.IGNORECASE,
)
_MENTION = re.compile(
    rf"(?P<iri>{_IRI_PATTERN})"
    r"|(?<![\w?$])(?P<prefix>(?:[^\W\d_][\w-]{0,63}(?:\.[\w-]{1,63}){0,3})?)"
    r":(?P<local>(?:[\w:-]|%[0-9A-Fa-f]{2}|\\.)(?:[\w:-]|%[0-9A-Fa-f]{2}|\\.|\.(?=[\w:%-]))*)"
)
_WIKIDATA_ID = re.compile(
    r"https?://(?:www\.)?wikidata\.org/(?:[\w:-]+/)*([QP][1-9][0-9]{0,11})(?![0-9A-Za-z])", re.ASCII
)
_NAMED = re.compile(
    r"http://www\.wikidata\.org/(?:entity|prop/(?:direct|statement|qualifier))/"
    r"(?!statement\b|value\b)[A-Za-z_][A-Za-z_-]+"
)
_SHORT = re.compile(r"(?<![A-Za-z0-9_$.:])([QP][1-9][0-9]{0,11})(?![A-Za-z0-9_])", re.ASCII)
_CYPHER_TYPE = re.compile(r"[:|]\s*([QP][1-9][0-9]{0,11})(?![A-Za-z0-9_])", re.ASCII)


def sparql_ids(query: str) -> tuple[str, ...]:
    """Return the ids in a SPARQL text: short for Wikidata's, absolute IRIs for all others.

    Namespaces and other Wikidata addresses that name no item or property are left out, but not
    names where an id belongs (``wdt:capital``): nothing is called that, so a query with it finds
    nothing whatever the source states.
    """
    text = _ESCAPE.sub(_unescape, query)
    found: list[str] = []
    plain = _LEXEME.sub(lambda match: _blank(match, found), text)
    prefixes = dict(_PREFIXES)
    base = ""
    for match in _DECLARATION.finditer(plain):
        if match["base"]:
            base = match["base"][1:-1]
        else:
            prefixes[match["prefix"]] = match["iri"][1:-1]
    for match in _MENTION.finditer(_DECLARATION.sub(" ", plain)):
        if match["iri"]:
            iri = match["iri"][1:-1]
            found.append(_resolve(base, iri))
        elif match["prefix"] in prefixes:
            local = re.sub(r"\\(.)", r"\1", match["local"])
            found.append(prefixes[match["prefix"]] + local)
    ids = dict.fromkeys(_id_of(iri) for iri in found if ":" in iri)
    return tuple(id_ for id_ in ids if not id_.startswith(_WIKIDATA) or _NAMED.fullmatch(id_))


def cypher_ids(query: str) -> tuple[str, ...]:
    """Return the short ids in a Cypher text, as values or as relation types."""
    return tuple(dict.fromkeys(_SHORT.findall(query) + _CYPHER_TYPE.findall(query)))


def _unescape(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code < 0x110000 else ""


def _blank(match: re.Match[str], found: list[str]) -> str:
    """Empty comments and strings; a string may still spell out an entity's IRI."""
    if match["iri"]:
        return match[0]
    if match["string"]:
        found += [hit[0] for hit in _WIKIDATA_ID.finditer(match["string"])]
    return " "


def _resolve(base: str, iri: str) -> str:
    if ":" in iri or not base:
        return iri
    try:
        return urljoin(base, iri)
    except ValueError:  # the base is no address; the query will not parse either
        return iri


def _id_of(iri: str) -> str:
    match = _WIKIDATA_ID.match(iri)
    return match[1] if match else iri
