"""How much work a query can be at most, read off its tokens and the store's own counts.

Every solution a plain graph pattern can pass through is a combination of one match (or none) of
each of its triple patterns, so the product of ``1 + matches`` bounds the work whatever order the
engine chooses. Only simple shapes are judged: SELECT and ASK over triple patterns, OPTIONAL, UNION,
MINUS, EXISTS, VALUES, and functions whose result is no longer than their arguments. Everything
else (paths, subqueries, GRAPH, CONSTRUCT, string building...) is not judged and counts as
unbounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import pyoxigraph as ox

from robodata_core.iris import RDF
from robodata_core.store._sparql_text import QueryText, Token

CHEAP: Final = 100_000
_MAX_TOKENS: Final = 300
_MAX_PATTERNS: Final = 12
_MAX_COUNT: Final = 5_000

_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        A ABS AND AS ASC ASK AVG BIND BOUND BY CEIL COALESCE CONTAINS COUNT DATATYPE DAY
        DESC DISTINCT EXISTS FALSE FILTER FLOOR GROUP HAVING HOURS IF IN IRI ISBLANK
        ISIRI ISLITERAL ISNUMERIC ISURI LANG LANGMATCHES LCASE LIMIT MAX MIN MINUS
        MINUTES MONTH NOT OFFSET OPTIONAL OR ORDER PREFIX REDUCED ROUND SAMETERM SAMPLE
        SECONDS SELECT STR STRENDS STRLEN STRSTARTS SUM TRUE UCASE UNDEF UNION URI
        VALUES WHERE YEAR
        """,
    )
)
_TERMS: Final = frozenset({"variable", "iri", "name", "number", "string", "blank"})


class _NotJudgedError(Exception):
    """The query has a shape that is not judged."""


def upper_bound(query: QueryText, store: ox.Store, prefixes: Mapping[str, str]) -> float:
    """Return a bound on the solutions ``query`` can pass through on ``store``.

    Args:
        query: The query.
        store: What it would run on; counted only up to a small number per pattern.
        prefixes: Prefixes it may use without declaring them.

    Returns:
        The bound, or infinity if the shape is not judged or a pattern matches very often.
    """
    if query.form not in ("SELECT", "ASK") or len(query.tokens) > _MAX_TOKENS:
        return float("inf")
    try:
        return _Walker(query, store, {**prefixes, **query.prefixes}).bound()
    except _NotJudgedError:
        return float("inf")


class _Walker:
    """Walks over the tokens once, multiplying the bound as it meets patterns."""

    def __init__(self, query: QueryText, store: ox.Store, prefixes: Mapping[str, str]) -> None:
        self._tokens = query.tokens
        self._store = store
        self._prefixes = prefixes
        self._at = 0
        self._bound = 1.0
        self._patterns = 0

    def bound(self) -> float:
        """Return the most steps that the query can take."""
        for token in self._tokens:
            if token.kind == "word" and token.word not in _WORDS:
                raise _NotJudgedError
        while self._peek() != "{":
            self._next()
        self._group()
        for token in self._tokens[self._at :]:
            if token.text == "{" or token.word in ("VALUES", "EXISTS"):
                raise _NotJudgedError
        return self._bound

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _next(self) -> Token:
        if self._at >= len(self._tokens):
            raise _NotJudgedError
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _group(self) -> None:
        self._next()
        while self._peek() != "}":
            token = self._next()
            if token.text == "{":
                self._at -= 1
                self._group()
            elif token.kind == "word" and token.word not in ("TRUE", "FALSE"):
                self._keyword(token.word)
            elif token.text != ".":
                self._at -= 1
                self._triples()
        self._next()

    def _keyword(self, word: str) -> None:
        if word == "FILTER":
            while self._peek().upper() in ("NOT", "EXISTS"):
                self._next()
            if self._peek() == "{":
                return
            if self._peek() != "(":
                self._next()
            self._parentheses()
        elif word == "BIND":
            self._parentheses()
        elif word == "VALUES":
            self._values()
        elif word not in ("OPTIONAL", "UNION", "MINUS"):
            raise _NotJudgedError

    def _parentheses(self) -> None:
        """Pass over an expression; patterns inside one are not judged."""
        depth = 0
        while True:
            text = self._next().text
            depth += {"(": 1, ")": -1}.get(text, 0)
            if text in ("{", "}") or depth < 0:
                raise _NotJudgedError
            if depth == 0:
                return

    def _values(self) -> None:
        while self._peek() != "{":
            self._next()
        self._next()
        rows = 0
        while self._peek() != "}":
            if self._next().text == "{":
                raise _NotJudgedError
            rows += 1
        self._next()
        self._bound *= 1 + rows

    def _triples(self) -> None:
        subject = self._term()
        while True:
            predicate = self._term()
            while True:
                self._multiply(subject, predicate, self._term())
                if self._peek() != ",":
                    break
                self._next()
            while self._peek() == ";":
                self._next()
                if self._peek() in (".", "}", ";"):
                    continue
                break
            else:
                return

    def _term(self) -> ox.NamedNode | None:
        """Read a term; only IRIs narrow the count, everything else matches anything."""
        token = self._next()
        if token.kind not in _TERMS and token.word not in ("A", "TRUE", "FALSE"):
            raise _NotJudgedError
        if token.kind == "string":
            if self._at < len(self._tokens) and self._tokens[self._at].kind == "language":
                self._next()
            elif self._peek() == "^^":
                self._next()
                self._term()
            return None
        return self._iri(token)

    def _iri(self, token: Token) -> ox.NamedNode | None:
        if token.word == "A":
            return ox.NamedNode(RDF + "type")
        if token.kind == "iri":
            text = token.text[1:-1]
        elif token.kind == "name":
            prefix, _, local = token.text.partition(":")
            if prefix not in self._prefixes:
                raise _NotJudgedError
            text = self._prefixes[prefix] + local
        else:
            return None
        try:
            return None if "\\" in text else ox.NamedNode(text)
        except ValueError:
            return None

    def _multiply(
        self,
        subject: ox.NamedNode | None,
        predicate: ox.NamedNode | None,
        object_: ox.NamedNode | None,
    ) -> None:
        self._patterns += 1
        if self._patterns > _MAX_PATTERNS:
            raise _NotJudgedError
        count = _count(self._store, subject, predicate, object_)
        self._bound *= 1 + count
        if count > _MAX_COUNT or self._bound > CHEAP:
            raise _NotJudgedError  # too much already, whatever comes


def _count(store: ox.Store, *pattern: ox.NamedNode | None) -> int:
    """Return how many quads match a pattern in any graph, up to one more than ``_MAX_COUNT``.

    The engine counts four times faster than a loop over its quads.
    """
    terms = [str(term or f"?{name}") for name, term in zip("spo", pattern, strict=True)]
    some = f"SELECT ?s {{ {' '.join(terms)} }} LIMIT {_MAX_COUNT + 1}"
    text = f"SELECT (COUNT(*) AS ?count) {{ {{ {some} }} }}"
    rows: Any = store.query(text, use_default_graph_as_union=True)
    ((count,),) = rows
    return int(count.value)
