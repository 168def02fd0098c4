"""What leaves towards a SPARQL server, held against a second parser: only reading, no SERVICE.

The queries of the corpus once passed, or are the shortest of a kind that an engine might take for
another; a grammar makes more. What left is read by rdflib and must be what the query plainly says.
That such a test can fail is shown by guards with one mistake each.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import BNode

from robodata_core.errors import QueryRefusedError, QuerySyntaxError
from robodata_core.serve.wikibase import Reply
from robodata_core.sources.sparql import SparqlEndpoint, _endpoint
from robodata_core.store import _sparql_text
from robodata_core.store._sparql_text import QueryText, Token
from tests.core.sources.live import Canned, quick_client, serving
from tests.core.sources.queries import Made, made_up

CORPUS = [
    Made(**json.loads(line))
    for line in (Path(__file__).parent / "queries.jsonl").read_text(encoding="utf-8").splitlines()
]
REFUSED = (QueryRefusedError, QuerySyntaxError)


class Keeping(Canned):
    """A SPARQL server that keeps the queries it gets, as they came over the wire."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        super().__init__()

    def sparql(self, query: str) -> Reply:
        self.seen.append(query)
        ask = re.search(r"\bASK\b", query, re.IGNORECASE)
        return Reply(
            200,
            b'{"boolean": true}' if ask else b'{"head": {"vars": []}, "results": {"bindings": []}}',
            "application/sparql-results+json",
        )


Wire = tuple[Keeping, SparqlEndpoint]


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    api = Keeping()
    with serving(api) as server:
        client = quick_client()
        yield api, SparqlEndpoint(client, server.sparql_url)
        client.close()


@dataclass(frozen=True)
class Reading:
    """What rdflib made of a query: its parts, prefixes it declares, what reads elsewhere."""

    parts: Any
    prefixes: dict[str, str]
    elsewhere: frozenset[str]


def reading(text: str) -> Reading | None:
    """Let rdflib read a query; None if it cannot."""
    try:
        prologue, body = parseQuery(text)
    except Exception:
        return None
    names: set[str] = set()
    blanks: dict[str, int] = {}

    def parts_of(part: Any) -> Any:
        if isinstance(part, CompValue):
            names.add(str(part.name))
            return part.name, [(key, parts_of(value)) for key, value in part.items()]
        if isinstance(part, (list, tuple)) or type(part).__name__ == "ParseResults":
            return [parts_of(value) for value in part]
        return blanks.setdefault(part, len(blanks)) if isinstance(part, BNode) else repr(part)

    parts = parts_of(body)
    declared = [one for one in prologue if one.name == "PrefixDecl"]
    prefixes = {str(one.get("prefix", "")): str(one.iri) for one in declared}
    return Reading(parts, prefixes, frozenset(names & {"ServiceGraphPattern", "DatasetClause"}))


def check(wire: Wire, made: Made) -> bool:
    """Let a query out, and hold what left against what it says.

    Returns:
        Whether the second parser could read what left.
    """
    api, endpoint = wire
    before = len(api.seen)
    try:
        endpoint.query(made.text)
    except REFUSED as error:
        assert len(api.seen) == before, "sent, then refused"
        assert made.harm, f"refused what only reads: {made.text!r}: {error}"
        return False
    assert not made.harm, f"let out: {made.text!r}"
    (sent,) = api.seen[before:]
    plain, left = reading(made.plain), reading(sent)
    assert left is None or not left.elsewhere, f"asks elsewhere: {sent!r}"
    if plain is None or "\\\\u" in made.plain:  # which parsers read in two ways, both harmless
        return False
    assert left is not None, f"what left is no query: {sent!r}"
    assert left.parts == plain.parts, f"{sent!r} is not {made.plain!r}"
    assert left.prefixes.items() >= plain.prefixes.items(), f"prefixes of {sent!r}"
    return True


@pytest.mark.parametrize(
    ("query", "elsewhere"),
    [
        (
            "SELECT ?a { # \\u000A SERVICE <urn:x> { ?a ?b ?c }\n ?a ?b ?c }",
            {"ServiceGraphPattern"},
        ),
        ("SELECT * FROM NAMED <urn:x> { ?a ?b ?c }", {"DatasetClause"}),
        ("SELECT * { ?a ?b 'SERVICE DatasetClause' }", set()),
    ],
)
def test_the_second_parser_sees_what_must_not_pass(query: str, elsewhere: set[str]) -> None:
    found = reading(query)
    assert found is not None and found.elsewhere == elsewhere


@pytest.mark.parametrize("made", CORPUS, ids=lambda made: made.harm or "reads")
def test_of_the_corpus_only_what_reads_leaves(wire: Wire, made: Made) -> None:
    check(wire, made)


@pytest.mark.parametrize("seed", range(8))
def test_what_left_is_what_was_plainly_asked(wire: Wire, seed: int) -> None:
    chance = random.Random(seed)
    read = sum(check(wire, made_up(chance, harm=False)) for _ in range(60))
    assert read >= 45  # a second parser that reads little shows little


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_asks_elsewhere_leaves(wire: Wire, seed: int) -> None:
    chance = random.Random(seed)
    found = []
    for _ in range(100):
        made = made_up(chance, harm=True)
        check(wire, made)
        if made.harm in ("service", "from") and (plain := reading(made.plain)) is not None:
            found.append(plain.elsewhere)
    assert len(found) >= 40 and all(found)  # that it is harm is not only the grammar's word


def test_half_a_character_is_no_query(wire: Wire) -> None:
    api, endpoint = wire
    before = len(api.seen)
    with pytest.raises(QuerySyntaxError, match="half a character"):
        endpoint.query("SELECT * { ?a ?b '\ud800' }")
    assert len(api.seen) == before


def test_graphs_to_load_are_refused_with_what_to_do(wire: Wire) -> None:
    with pytest.raises(QueryRefusedError, match="sparql_graphs"):
        wire[1].query("SELECT * FROM <http://127.0.0.1:9/x> { ?a ?b ?c }")


# -- guards with one mistake ------------------------------------------------------------------

_refuse = _sparql_text._refuse_more_than_reading
_reading = _sparql_text._one_reading
_send = _endpoint.query_to_send


def _send_what_came(query: str) -> QueryText:
    return replace(_send(query), text=query)


def _send_comments(query: str) -> QueryText:
    checked = _send(query)
    comments = re.findall(r"#[^\r\n]*", query)
    return replace(checked, text=checked.text + "".join(f"{one}\n" for one in comments))


def _keep_escapes_of_strings(kind: str, text: str) -> str:
    return text if kind == "string" else _reading(kind, text)


def _undo_escapes_bare(kind: str, text: str) -> str:
    return _sparql_text._unescaped(text) if kind == "string" else _reading(kind, text)


def _any_iri(kind: str, text: str) -> str:
    return _sparql_text._unescaped(text) if kind == "iri" else _reading(kind, text)


def _not_in_nested_groups(tokens: tuple[Token, ...]) -> None:
    depth, near = 0, []
    for token in tokens:
        depth += (token.text == "{") - (token.text == "}")
        near += [token] if depth < 2 else []
    _refuse(tuple(near))


def _only_capitals(tokens: tuple[Token, ...]) -> None:
    _refuse(tuple(token for token in tokens if token.text.upper() == token.text))


def _only_before_an_address(tokens: tuple[Token, ...]) -> None:
    pairs = zip(tokens, tokens[1:], strict=False)
    _refuse(tuple(token for token, after in pairs if after.kind == "iri"))


def _not_after_from_named(self: QueryText) -> bool:
    pairs = zip(self.tokens, self.tokens[1:], strict=False)
    return any(token.word == "FROM" and after.word != "NAMED" for token, after in pairs)


def _only_capital_from(self: QueryText) -> bool:
    return any(token.text == "FROM" for token in self.tokens)


#: A comment that only a line feed ends, and one that a line separator ends, too.
_LATE = _sparql_text._TOKEN.pattern.replace(r"\#[^\r\n]*", r"\#[^\n]*")
_EARLY = _sparql_text._TOKEN.pattern.replace(r"\#[^\r\n]*", "\\#[^\\r\\n\u2028]*")

MISTAKES: dict[str, tuple[object, str, object]] = {
    "what came is sent": (_endpoint, "query_to_send", _send_what_came),
    "comments are sent": (_endpoint, "query_to_send", _send_comments),
    "escapes of strings are kept": (_sparql_text, "_one_reading", _keep_escapes_of_strings),
    "escapes become bare quotes": (_sparql_text, "_one_reading", _undo_escapes_bare),
    "an address may hold anything": (_sparql_text, "_one_reading", _any_iri),
    "nested groups are not looked at": (
        _sparql_text, "_refuse_more_than_reading", _not_in_nested_groups,
    ),
    "small letters are no keyword": (_sparql_text, "_refuse_more_than_reading", _only_capitals),
    "a name is no address": (_sparql_text, "_refuse_more_than_reading", _only_before_an_address),
    "FROM NAMED is missed": (QueryText, "names_graphs", property(_not_after_from_named)),
    "from is missed": (QueryText, "names_graphs", property(_only_capital_from)),
    "FROM is missed": (QueryText, "names_graphs", property(lambda self: False)),
    "a comment ends late": (_sparql_text, "_TOKEN", re.compile(_LATE, re.VERBOSE)),
    "a comment ends early": (_sparql_text, "_TOKEN", re.compile(_EARLY, re.VERBOSE)),
    "strings are cut at their ends": (
        _sparql_text, "_plain_string", lambda text: text.replace("\\u", "u"),
    ),
    "own prefixes are overridden": (
        _endpoint, "query_to_send",
        lambda query: replace(_send(query), text=_send(query).text.replace("<urn:own:>", "<x:>")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_guard_with_a_mistake_is_found(
    wire: Wire, mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*MISTAKES[mistake])
    chance = random.Random(mistake)
    with pytest.raises(AssertionError):
        for _ in range(150):
            check(wire, made_up(chance, harm=chance.random() < 0.5))
