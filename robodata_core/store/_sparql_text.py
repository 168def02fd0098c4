"""Cutting a SPARQL query into tokens, and the guard that is built on them.

The text of a query comes from a model or a stranger. It is never handed on as it came: it is cut
into tokens, refused if a token asks for more than reading, and written again **one token a line**
without comments. That way the engine and this module cannot disagree about what is a comment, a
string or a keyword: a line begins where a token begins, and the few characters that could make an
engine read a token differently (a quote inside an IRI, an escaped quote inside a string) are
written in a form that has one reading. Running queries is not here; see ``queries``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from robodata_core.errors import QueryRefusedError, QuerySyntaxError
from robodata_core.text import clean_text

MAX_LENGTH: Final = 100_000
MAX_DEPTH: Final = 40

_ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_LOCAL = r"[\w:\u00b7]|%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_TOKEN = re.compile(
    rf"""
      (?P<space>[ \t\r\n]+|\#[^\r\n]*)
    | (?P<iri><(?:[^\x00-\x20<>"{{}}|^`\\]|{_ESCAPE})*>)
    | (?P<string>\"\"\"(?:\"{{0,2}}(?:[^\"\\]|\\[tbnrf\\\"'uU]))*\"\"\"
        |'''(?:'{{0,2}}(?:[^'\\]|\\[tbnrf\\\"'uU]))*'''
        |\"(?:[^\"\\\r\n]|\\[tbnrf\\\"'uU])*\"
        |'(?:[^'\\\r\n]|\\[tbnrf\\\"'uU])*')
    | (?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[A-Za-z]+)?)
    | (?P<variable>[?$]\w[\w\u00b7]*)
    | (?P<blank>_:\w(?:[\w.\-\u00b7]*[\w\-\u00b7])?)
    | (?P<name>(?:[^\W\d_](?:[\w.\-]*[\w\-])?)?:
        (?:(?:{_LOCAL})(?:(?:{_LOCAL}|[.\-])*(?:{_LOCAL}|-))?)?)
    | (?P<number>\d+\.\d*[eE][+-]?\d+|\.?\d+[eE][+-]?\d+|\d*\.\d+|\d+)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>\^\^|&&|\|\||!=|<=|>=|<<\(|\)>>|<<|>>|\{{\||\|\}}|[{{}}()\[\].,;=<>!*/+\-|^?~])
    """,
    re.VERBOSE,
)
_UPDATES: Final = frozenset(
    {"ADD", "CLEAR", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "LOAD", "MOVE"}
)
_FORMS: Final = frozenset({"ASK", "CONSTRUCT", "DESCRIBE", "SELECT"})
_UNICODE = re.compile(_ESCAPE)
_HALF = re.compile(r"[\ud800-\udfff]")
_NOT_IN_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_OPENING: Final = {"{": "}", "(": ")", "[": "]", "<<(": ")>>", "<<": ">>", "{|": "|}"}
_CLOSING: Final = frozenset(_OPENING.values())
_JOINING: Final = frozenset((*_OPENING, ".", ";", ",", "/", "|", "^"))


@dataclass(frozen=True, slots=True)
class Token:
    """One token: what it is, how it reads, and where it stood (both counted from 1)."""

    kind: str
    text: str
    line: int
    column: int

    @property
    def word(self) -> str:
        """The token in capitals if it is a bare word, else an empty string."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def shown(self) -> str:
        """The token as it may stand in a message."""
        return repr(clean_text(self.text, limit=60))


@dataclass(frozen=True, slots=True)
class QueryText:
    """A query that only reads, ready to be handed to an engine.

    Attributes:
        text: The query written again, one token a line.
        tokens: Its tokens.
        form: ``SELECT``, ``ASK``, ``CONSTRUCT`` or ``DESCRIBE``.
        prefixes: The prefixes it declares itself.
        weight: How many joins it may hold, counted generously; an engine's planning time grows
            with about the fourth power of it.
    """

    text: str
    tokens: tuple[Token, ...]
    form: str
    prefixes: dict[str, str]
    weight: int

    @property
    def names_graphs(self) -> bool:
        """Whether it chooses its own data set with FROM."""
        return any(token.word == "FROM" for token in self.tokens)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of what a SELECT gives, in order; none where it says ``*``, or is no SELECT."""
        names, depth, before = [], 0, ""
        start = next((n for n, token in enumerate(self.tokens) if token.word == "SELECT"), None)
        for token in self.tokens[start:] if start is not None else ():
            if token.text == "{" and not depth:
                break
            depth += (token.text == "(") - (token.text == ")")
            if token.kind == "variable" and (not depth or (depth == 1 and before == "AS")):
                names.append(token.text[1:])
            before = token.word
        return tuple(names)

    def at(self, line: int, column: int) -> Token | None:
        """Return the token at a place of ``text`` (both counted from 1), the last one after it."""
        lines = self.text.split("\n")
        if not 1 <= line <= len(lines):
            return None
        offset = sum(len(earlier) + 1 for earlier in lines[: line - 1]) + column - 1
        for token, piece in zip(self.tokens, _pieces(self.tokens), strict=True):
            offset -= len(piece)
            if offset < 0:
                return token
        return self.tokens[-1] if self.tokens else None


def read_query(query: str) -> QueryText:
    """Cut ``query`` into tokens and refuse it if it is not a plain read.

    Raises:
        QuerySyntaxError: If it cannot be cut into tokens or has no query form.
        QueryRefusedError: For updates, LOAD, SERVICE, and texts too long or too deep.
    """
    if len(query) > MAX_LENGTH:
        raise QueryRefusedError(
            f"The query is {len(query)} characters long; at most {MAX_LENGTH} are taken."
        )
    if (half := _HALF.search(query)) is not None:
        raise QuerySyntaxError(
            f"The query is not valid SPARQL: half a character at position {half.start() + 1}."
        )
    tokens = tuple(_tokens(query))
    _refuse_more_than_reading(tokens)
    _refuse_unbalanced(tokens)
    form, prefixes = _form(tokens)
    return QueryText("".join(_pieces(tokens)), tokens, form, prefixes, _weight(tokens))


def _tokens(query: str) -> Iterator[Token]:
    position, line, line_start = 0, 1, 0
    while position < len(query):
        match = _TOKEN.match(query, position)
        column = position - line_start + 1
        if match is None:
            raise QuerySyntaxError(
                f"The query is not valid SPARQL: unexpected {clean_text(query[position])!r} at "
                f"line {line}, column {column}."
            )
        text, kind = match.group(), match.lastgroup or ""
        if kind != "space":
            yield Token(kind, _one_reading(kind, text), line, column)
        newlines = text.count("\n")
        if newlines:
            line += newlines
            line_start = position + text.rindex("\n") + 1
        position = match.end()


def _one_reading(kind: str, text: str) -> str:
    if kind == "iri":
        body = _unescaped(text[1:-1])
        if _NOT_IN_IRI.search(body):
            raise QuerySyntaxError(
                f"The query is not valid SPARQL: bad IRI {clean_text(text, limit=60)}."
            )
        return "<" + body.replace("'", "\\u0027") + ">"
    if kind == "string" and _UNICODE.search(text):
        return _plain_string(text)
    return text


def _unescaped(text: str) -> str:
    def _char(match: re.Match[str]) -> str:
        code = int(match.group()[2:], 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise QuerySyntaxError(f"The query is not valid SPARQL: bad escape {match.group()}.")
        return chr(code)

    return _UNICODE.sub(_char, text)


def _plain_string(text: str) -> str:
    """Write a string with Unicode escapes again with the characters themselves.

    Engines may undo such escapes before they look for the end of a string, so an escaped quote
    must not stand in it.
    """
    width = 3 if text[:3] in ('"""', "'''") else 1
    # The other quote is no end of this string, and some engines take no escape of it here.
    ends = {text[0]: "\\" + text[0], "\\": "\\\\", "\n": "\\n", "\r": "\\r"}

    def _character(match: re.Match[str]) -> str:
        if match.group() == "\\\\":
            return match.group()
        char = _unescaped(match.group())
        return ends.get(char, char)

    body = re.sub(r"\\\\|" + _ESCAPE, _character, text[width:-width])
    return text[:width] + body + text[-width:]


def _pieces(tokens: tuple[Token, ...]) -> Iterator[str]:
    """Yield every token with what ends it: a new line, or nothing where two belong together.

    Oxigraph does not take ``CONCAT (``, and rdflib not ``"text" @en`` or ``"1" ^^ xsd:integer``.
    """
    for token, after in zip(tokens, (*tokens[1:], None), strict=True):
        joined = after is not None and _belong_together(token, after)
        yield token.text if joined else token.text + "\n"


def _belong_together(token: Token, after: Token) -> bool:
    if token.kind == "string":
        return after.kind == "language" or after.text == "^^"
    if token.text == "^^":
        return after.kind in ("iri", "name")
    return token.kind == "word" and after.text == "("


def _refuse_more_than_reading(tokens: tuple[Token, ...]) -> None:
    for token in tokens:
        # An engine may take 'trueSERVICE' for two words, and 'SERVICE:x {' for a service call.
        head = token.text.partition(":")[0] if token.kind == "name" else token.text
        if token.kind in ("word", "name") and "SERVICE" in head.upper():
            raise QueryRefusedError(
                "Queries may not call other endpoints: SERVICE is refused.",
                hint="Labels are in rdfs:label; a prefix called 'service' must be renamed."
                if token.kind == "name"
                else "Labels are in rdfs:label.",
            )
        if token.word in _UPDATES:
            raise QueryRefusedError(
                f"Queries may only read: {token.word} is refused.",
                hint="Use SELECT, ASK, CONSTRUCT or DESCRIBE.",
            )


def _refuse_unbalanced(tokens: tuple[Token, ...]) -> None:
    open_: list[str] = []
    for token in tokens:
        if token.kind != "mark":
            continue
        if token.text in _OPENING:
            open_.append(token.text)
            if len(open_) > MAX_DEPTH:
                raise QueryRefusedError(f"The query nests its brackets more than {MAX_DEPTH} deep.")
        elif token.text in _CLOSING and (not open_ or _OPENING[open_.pop()] != token.text):
            raise QuerySyntaxError(
                f"The query is not valid SPARQL: {token.text!r} at line {token.line}, "
                f"column {token.column} closes nothing."
            )
    if open_:
        raise QuerySyntaxError(f"The query is not valid SPARQL: a {open_[-1]!r} is not closed.")


def _form(tokens: tuple[Token, ...]) -> tuple[str, dict[str, str]]:
    prefixes: dict[str, str] = {}
    index = 0
    while index < len(tokens):
        word = tokens[index].word
        following = tokens[index + 1 : index + 3]
        if word == "PREFIX" and [token.kind for token in following] == ["name", "iri"]:
            prefixes[following[0].text[:-1]] = following[1].text[1:-1]
            index += 3
        elif word in ("BASE", "VERSION") and following:
            index += 2
        elif word in _FORMS:
            return word, prefixes
        else:
            break
    if not tokens:
        raise QuerySyntaxError("The query is empty.")
    token = tokens[min(index, len(tokens) - 1)]
    raise QuerySyntaxError(
        f"The query is not valid SPARQL: it must be a SELECT, ASK, CONSTRUCT or DESCRIBE, but "
        f"{token.shown} stands at line {token.line}, column {token.column}."
    )


def _weight(tokens: tuple[Token, ...]) -> int:
    """Count the marks that may each stand for one more join or alternative."""
    weight = parentheses = 0
    for token in tokens:
        if token.text == "(":
            parentheses += 1
        elif token.text == ")":
            parentheses -= 1
        if token.kind != "mark":
            continue
        # Commas of function calls and IN lists join nothing.
        in_list = token.text == "," and parentheses > 0
        if not in_list and token.text in _JOINING:
            weight += 1
    return weight
