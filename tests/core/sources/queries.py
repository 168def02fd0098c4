"""SPARQL queries made from a grammar, each with the one reading that it must have.

Every query is made twice at the same time: as a stranger may write it, with comments, escapes and
keywords that look like something else, and plainly, so that there is one way to read it. What asks
another server or loads another graph is known to do so, because it was put in.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

__all__ = ["ELSEWHERE", "Made", "made_up"]

ELSEWHERE: Final = "http://127.0.0.1:9/x"


@dataclass(frozen=True)
class Made:
    """A query.

    Attributes:
        text: As a stranger writes it.
        plain: The same with one reading.
        harm: What it does besides reading this graph; empty if nothing.
    """

    text: str
    plain: str
    harm: str = ""


#: A token as a stranger writes it and as it reads.
_Token = tuple[str, str]

#: What stands in strings and comments: whatever might end them too early, or look like more.
_INSIDE: Final = (
    f" SERVICE <{ELSEWHERE}> {{ ?a ?b ?c }} ", f"FROM <{ELSEWHERE}>", "LOAD", '"', "'", '"""',
    "'''", "\\", "\n", "\r", "#", "{", "}", "<", ">", ")", " . ", ";", "\\u0022",
    "x", "y", "é", "\u2028", "\u0085", "\U0001f600", "@en", "^^",
)  # fmt: skip
_COMMENTED: Final = (
    f" SERVICE <{ELSEWHERE}> {{ ?a ?b ?c }} ", "\\u000A", "\\u000D", "\\u000a ?x ?y ?z . ", "'",
    '"', '"""', "}", "\\", "#", " } } ", "\u2028", "\u0085", "\x0b", "\x0c", "é", "FROM",
)  # fmt: skip
_ECHARS: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_SPACES: Final = (" ", " ", " ", "\n", "\t", "\r\n", "\r", "  ")
_MARKS: Final = frozenset("{}()")
_IRIS: Final = ("urn:a", "urn:é", "urn:it's", "urn:#SERVICE", "urn:x/y?z=1;w", "http://e.example/#")
#: No part of an IRI, whatever it is written as.
_NOT_IN_IRIS: Final = (
    "\\U0000003e",
    "".join(f"\\u{ord(char):04X}" for char in f"> . SERVICE <{ELSEWHERE}> {{ ?a ?b ?c }} ?x ?y <"),
)
_NAMES: Final = ("wd:Q1", "wdt:P36", "rdfs:label", "ex:a.b", "ex:%20", "ex:a\\,b", ":c", "ex:")
_PREFIXES: Final = (
    ("PREFIX", "PREFIX"), ("ex:", "ex:"), ("<urn:ex:>", "<urn:ex:>"),
    ("PREFIX", "PREFIX"), (":", ":"), ("<urn:own:>", "<urn:own:>"),
)  # fmt: skip
_UPDATES: Final = (
    f"LOAD <{ELSEWHERE}>", "DROP ALL", "CLEAR DEFAULT", "INSERT DATA { <urn:a> <urn:b> 1 }",
    "DELETE WHERE { ?a ?b ?c }", f"CREATE GRAPH <{ELSEWHERE}>",
)  # fmt: skip


def made_up(chance: random.Random, *, harm: bool) -> Made:
    """Make a query.

    Args:
        chance: Decides everything.
        harm: Whether it asks for more than reading this graph.
    """
    while True:
        maker = _Maker(chance, chance.choice(tuple(_HARMS)) if harm else "")
        tokens = maker.query()
        if not maker.pending:  # else no place came up where it could stand
            return Made(_written(chance, tokens), _plainly(tokens), maker.harm)


class _Maker:
    """Makes the tokens of one query, with its harm at the first place chance takes."""

    def __init__(self, chance: random.Random, harm: str) -> None:
        self._chance = chance
        self.harm = harm
        self.pending = bool(harm)
        self._bound = 0

    def query(self) -> list[_Token]:
        form = self._chance.choice((self._select, self._ask, self._construct, self._describe))
        tokens = [*_PREFIXES, *form()]
        if self._here("update"):
            update = self._chance.choice(_UPDATES)
            tokens += [(";", ";"), *((word, word) for word in update.split())]
        return tokens

    # -- forms --------------------------------------------------------------------------------

    def _select(self) -> list[_Token]:
        what = self._chance.choice(
            (self._words("SELECT", "*"), self._words("SELECT", "DISTINCT", "?a", "?b"))
        )
        return [*what, *self._graphs(), *self._where(), *self._modifiers()]

    def _ask(self) -> list[_Token]:
        return [*self._words("ASK"), *self._graphs(), *self._where()]

    def _construct(self) -> list[_Token]:
        template = self._words("CONSTRUCT", "{", "?a", "<urn:b>", "?c", "}")
        return [*template, *self._graphs(), *self._words("WHERE"), *self._group(2)]

    def _describe(self) -> list[_Token]:
        return [*self._words("DESCRIBE", "?a"), *self._graphs(), *self._where()]

    def _graphs(self) -> list[_Token]:
        """FROM, where it is the harm."""
        if not self._here("from"):
            return []
        named = self._words("NAMED") if self._chance.random() < 0.5 else []
        return [*self._words("FROM"), *named, self._elsewhere()]

    def _where(self) -> list[_Token]:
        return [*(self._words("WHERE") if self._chance.random() < 0.5 else ()), *self._group(2)]

    def _modifiers(self) -> list[_Token]:
        kind = self._chance.random()
        if kind < 0.2:
            return [*self._words("ORDER", "BY", "("), *self._exists(1), *self._words(")")]
        if kind < 0.5:
            return self._words("LIMIT", "7")
        return []

    # -- what stands in braces ----------------------------------------------------------------

    def _group(self, depth: int) -> list[_Token]:
        parts: list[_Token] = []
        for _ in range(self._chance.randint(1, 2)):
            parts += self._chance.choice(_PARTS if depth > 0 else _PARTS[:4])(self, depth - 1)
            if self._chance.random() < 0.3 and self._here("service"):
                parts += self._service()
            if self._chance.random() < 0.3 and self._here("iri"):
                parts += self._words("?a", "?b")
                bad = f"<urn:{self._chance.choice(_NOT_IN_IRIS)}urn:x>"
                parts += [(bad, bad), *self._words(".")]
        return [("{", "{"), *parts, ("}", "}")]

    def _service(self) -> list[_Token]:
        word = "".join(self._chance.choice((a, a.lower())) for a in "SERVICE")
        if self._chance.random() < 0.2:  # a letter may be written as an escape
            at = self._chance.randrange(7)
            word = f"{word[:at]}\\u{ord(word[at]):04x}{word[at + 1 :]}"
        silent = self._words("SILENT") if self._chance.random() < 0.3 else []
        return [(word, "SERVICE"), *silent, self._elsewhere(), *self._group(0)]

    def _elsewhere(self) -> _Token:
        return self._chance.choice(((f"<{ELSEWHERE}>", f"<{ELSEWHERE}>"), ("ex:x", "ex:x")))

    def _triple(self, depth: int) -> list[_Token]:
        return [self._node(), self._relation(), self._value(), (".", ".")]

    def _lists(self, depth: int) -> list[_Token]:
        first = [self._node(), self._relation(), self._value(), (",", ","), self._value()]
        return [*first, (";", ";"), self._relation(), self._value(), (".", ".")]

    def _filter(self, depth: int) -> list[_Token]:
        return [*self._words("FILTER", "(", "?c", "!="), self._value(), (")", ")")]

    def _bind(self, depth: int) -> list[_Token]:
        return [*self._words("BIND", "("), self._value(), *self._words("AS", self._own("?v"), ")")]

    def _nested(self, depth: int) -> list[_Token]:
        lead = self._chance.choice(("", "OPTIONAL", "MINUS", "GRAPH ?g", "FILTER EXISTS"))
        return [*self._words(*lead.split()), *self._group(depth)]

    def _union(self, depth: int) -> list[_Token]:
        return [*self._group(depth), *self._words("UNION"), *self._group(depth)]

    def _inner(self, depth: int) -> list[_Token]:
        inner = [*self._words("SELECT", "?a", "WHERE"), *self._group(depth)]
        return [("{", "{"), *inner, ("}", "}")]

    def _filtered(self, depth: int) -> list[_Token]:
        return [*self._words("FILTER", "("), *self._exists(depth), *self._words(")")]

    def _exists(self, depth: int) -> list[_Token]:
        other = [*self._words("||", "?c", "="), self._value()]
        return [*self._words("EXISTS"), *self._group(depth), *other]

    # -- terms --------------------------------------------------------------------------------

    def _node(self) -> _Token:
        blank = self._own("_:n")  # one in two groups would be no query
        return self._chance.choice((("?a", "?a"), ("$b", "?b"), (blank, blank), self._iri()))

    def _relation(self) -> _Token:
        return self._chance.choice((("?p", "?p"), ("a", "a"), self._iri(), self._name()))

    def _value(self) -> _Token:
        kind = self._chance.random()
        if kind < 0.6:
            return self._string()
        return self._chance.choice(
            (("1.5", "1.5"), ("1e3", "1e3"), ("true", "true"), self._iri(), self._name())
        )

    def _iri(self) -> _Token:
        value = self._chance.choice(_IRIS)
        written = "".join(
            f"\\u{ord(char):04X}" if self._chance.random() < 0.1 else char for char in value
        )
        return f"<{written}>", f"<{value}>"

    def _name(self) -> _Token:
        name = self._chance.choice(_NAMES)
        return name, name

    def _string(self) -> _Token:
        value = "".join(self._chance.choices(_INSIDE, k=self._chance.randint(0, 4)))
        quote = self._chance.choice(('"', "'", '"""', "'''"))
        written = "".join(self._character(char, quote) for char in value)
        plain = value.replace("\\", "\\\\")
        for char in '\n\r"':
            plain = plain.replace(char, {'"': '\\"', **_ECHARS}[char])
        tail = self._chance.choice(("", "", "", "@en", "^^xsd:string"))
        return f"{quote}{written}{quote}{tail}", f'"{plain}"{tail}'

    def _character(self, char: str, quote: str) -> str:
        """Write a character of a string in one of the ways it can be written."""
        ways = [f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08X}"]
        if char in _ECHARS:
            ways.append(_ECHARS[char])
        if char == quote[0]:
            ways.append(f"\\{char}")
        elif char != "\\" and (len(quote) == 3 or char not in "\n\r"):
            ways += [char] * 6
        return self._chance.choice(ways)

    def _words(self, *words: str) -> list[_Token]:
        return [
            (word.lower() if self._chance.random() < 0.2 and word.isalpha() else word, word)
            for word in words
        ]

    def _own(self, name: str) -> str:
        self._bound += 1
        return f"{name}{self._bound}"

    def _here(self, harm: str) -> bool:
        """Whether this is where the harm is done."""
        if not self.pending or self.harm != harm:
            return False
        self.pending = False
        return True


_HARMS: Final = ("service", "service", "from", "update", "iri")
_PARTS: Final[tuple[Callable[[_Maker, int], list[_Token]], ...]] = (
    _Maker._triple,
    _Maker._lists,
    _Maker._filter,
    _Maker._bind,
    _Maker._nested,
    _Maker._union,
    _Maker._inner,
    _Maker._filtered,
)


def _plainly(tokens: list[_Token]) -> str:
    return " ".join(plain for _, plain in tokens)


def _written(chance: random.Random, tokens: list[_Token]) -> str:
    parts = []
    for (token, _), (after, _) in zip(tokens, [*tokens[1:], ("}", "}")], strict=True):
        parts.append(token)
        if chance.random() < 0.15:
            inner = "".join(chance.choices(_COMMENTED, k=chance.randint(1, 3)))
            parts.append(f"#{inner}" + chance.choice(("\n", "\r", "\r\n")))
        elif not ({token, after} & _MARKS and chance.random() < 0.3):
            parts.append(chance.choice(_SPACES))
    return "".join(parts)
