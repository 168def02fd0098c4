"""The question intermediate representation (QIR): what a question asks, names not yet linked.

It is a form of its own, near to what a model writes: triples with unknowns, in any order. With
names linked and relations chosen, ``queries`` makes meanings of it (``language.meaning``), which
are lowered to steps like any other.

``read_qir`` asserts what an agent replies: well-formed triples, a known thing in one of them, an
unknown unless it is a yes/no question, and names that the question really has. What it cannot be
read as raises one sentence for the model. Source: Chatty-KG paper, definition 3.2 and section
4.2.3 (triples validator); conditions, order and negation are our addition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from robodata_core.errors import ModelReplyError
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.chat.agents import strict
from robodata_core.programs.steps import Comparison
from robodata_core.text import clean_text, normalise_name
from robodata_core.tools.known_ids import ids_in_text

__all__ = [
    "ASKED",
    "HISTORY_SCHEMA",
    "QIR_SCHEMA",
    "Condition",
    "Order",
    "Pattern",
    "Qir",
    "is_unknown",
    "read_qir",
]

ASKED: Final = "?x"
_UNKNOWN: Final = re.compile(r"\?[a-z]\w{0,20}", re.ASCII)
_MOST: Final = 8
_LONGEST: Final = 300
_LONGEST_NAME: Final = 2_000
_EXPECTED: Final = ("person", "place", "thing", "time", "number", "text")
_KINDS: Final = {
    "things": AnswerKind.THINGS,
    "number": AnswerKind.NUMBER,
    "yes_no": AnswerKind.YES_OR_NO,
}
_TRIPLES: Final = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
_NAMES: Final = {"type": "array", "items": {"type": "string"}}
_OTHER: Final = "other"
_FIELDS: Final[dict[str, Any]] = {
    "triples": _TRIPLES,
    "kind": {"type": "string", "enum": [*_KINDS, _OTHER]},
    "expects": {"type": "string", "enum": list(_EXPECTED)},
    "filters": _TRIPLES,
    "order": {"type": "array", "items": {"type": "string"}},
    "not": _TRIPLES,
    "among": _NAMES,
    "except": _NAMES,
    "language": {"type": "string"},
    "say": {"type": "string"},
    "deny": {"type": "string"},
}
_ANEW: Final = {"depends": {"type": "boolean"}, "question": {"type": "string"}}
QIR_SCHEMA: Final = strict(_FIELDS, "triples", "kind")
HISTORY_SCHEMA: Final = strict({**_FIELDS, **_ANEW}, "triples", "kind", "depends")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A triple; an end is a name of the question or an unknown (``?x``)."""

    subject: str
    relation: str
    object: str

    @property
    def ends(self) -> tuple[str, str]:
        """Subject and object."""
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold of a value of something."""

    subject: str
    relation: str
    comparison: Comparison
    value: str


@dataclass(frozen=True, slots=True)
class Order:
    """By which relation the largest or smallest is meant."""

    subject: str
    relation: str
    largest: bool


@dataclass(frozen=True, slots=True)
class Qir:
    """What a question asks, before anything in it is linked.

    Attributes:
        question: The question as it stands alone.
        kind: What is to be given.
        patterns: Triples that must hold.
        without: Triples that must not.
        conditions: Comparisons that must hold.
        order: Which is the one asked for, if not all are.
        among: Names one of which is asked for.
        other_than: Names that are not.
        kinds: Kinds that unknowns or things are said to be, as pairs of an end and a kind.
        not_kinds: Kinds that they are said not to be.
        expects: What the answer is: person, place, time, number, text or thing; or nothing.
        language: Code of the question's language, or nothing.
        say: A sentence in that language with ``{answer}`` in it (of a yes without), or nothing.
        deny: A sentence in that language that says no, or nothing.
        is_beyond: Whether no triples can say it; then there are none.
    """

    question: str
    kind: AnswerKind
    patterns: tuple[Pattern, ...] = ()
    without: tuple[Pattern, ...] = ()
    conditions: tuple[Condition, ...] = ()
    order: Order | None = None
    among: tuple[str, ...] = ()
    other_than: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    not_kinds: tuple[tuple[str, str], ...] = ()
    expects: str = ""
    language: str = ""
    say: str = ""
    deny: str = ""
    is_beyond: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The things it names, each once."""
        ends = [end for one in (*self.patterns, *self.without) for end in one.ends]
        ends += [one.subject for one in self.conditions] + [end for end, _ in self.kinds]
        ends += [*self.among, *self.other_than]
        return tuple(dict.fromkeys(end for end in ends if not is_unknown(end)))

    @property
    def is_contest(self) -> bool:
        """Whether the things it names are compared with each other."""
        return self.order is not None and len(self.among) > 1

    def renamed(self, names: Mapping[str, str]) -> Qir:
        """Return the same with other names, and with another question, by what they were."""

        def _new(text: str) -> str:
            return names.get(text, text)

        def _all_new(patterns: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
            return tuple(Pattern(_new(p.subject), p.relation, _new(p.object)) for p in patterns)

        return replace(
            self,
            question=_new(self.question),
            patterns=_all_new(self.patterns),
            without=_all_new(self.without),
            conditions=tuple(replace(c, subject=_new(c.subject)) for c in self.conditions),
            kinds=tuple((_new(end), kind) for end, kind in self.kinds),
            not_kinds=tuple((_new(end), kind) for end, kind in self.not_kinds),
            among=tuple(map(_new, self.among)),
            other_than=tuple(map(_new, self.other_than)),
        )


def is_unknown(end: str) -> bool:
    """Tell whether the end of a triple is an unknown."""
    return bool(_UNKNOWN.fullmatch(end))


def read_qir(raw: Mapping[str, Any], question: str, type_relations: Iterable[str]) -> Qir:
    """Return the representation that a reply stands for.

    Args:
        raw: What the model replied.
        question: The question as it was asked, or as it stands alone.
        type_relations: Names of relations that say of what kind something is.

    Raises:
        ModelReplyError: If it is none, in one sentence for the model.
    """
    if raw.get("kind") == _OTHER:
        return Qir(question, AnswerKind.THINGS, is_beyond=True)
    kind = _KINDS.get(str(raw.get("kind")))
    if kind is None:
        raise ModelReplyError(f"kind must be one of {', '.join((*_KINDS, _OTHER))}.")
    of_kinds = frozenset({"is a", "is an", *type_relations})
    patterns, kinds = _apart(_patterns(raw.get("triples"), "triples"), of_kinds)
    without, not_kinds = _apart(_patterns(raw.get("not"), "not"), of_kinds)
    qir = Qir(
        question=question,
        kind=kind,
        patterns=patterns,
        without=without,
        conditions=_conditions(raw.get("filters")),
        order=_order(raw.get("order")),
        among=_names(raw.get("among"), "among"),
        other_than=_names(raw.get("except"), "except"),
        kinds=kinds,
        not_kinds=not_kinds,
        expects=raw["expects"] if raw.get("expects") in _EXPECTED else "",
        language=_text(raw.get("language"))[:12].lower(),
        say=_text(raw.get("say")),
        deny=_text(raw.get("deny")),
    )
    _assert(qir)
    return qir


def _assert(qir: Qir) -> None:
    """Raise where triples lack what makes a question of them."""
    if not qir.names and not qir.kinds:
        raise ModelReplyError("No triple has a thing or a kind that the question names.")
    ends = {end for one in (*qir.patterns, *qir.without) for end in one.ends}
    ends |= {one.subject for one in qir.conditions} | {end for end, _ in qir.kinds}
    ends |= {end for end, _ in qir.not_kinds} | ({ASKED} if qir.among else set())
    unknown = {end for end in ends if is_unknown(end)}
    if qir.kind is not AnswerKind.YES_OR_NO and ASKED not in unknown:
        raise ModelReplyError(f"No triple has {ASKED}, what is asked for.")
    asked = f" {normalise_name(qir.question)} "
    ids = frozenset(ids_in_text(qir.question))
    for name in qir.names:
        named = ids_in_text(name)
        if not (frozenset(named) <= ids if named else normalise_name(name) in asked):
            raise ModelReplyError(
                f"The question does not have the name {clean_text(name, limit=80)!r};"
                " write names exactly as it does."
            )


def _apart(
    patterns: tuple[Pattern, ...], of_kinds: frozenset[str]
) -> tuple[tuple[Pattern, ...], tuple[tuple[str, str], ...]]:
    """Return triples without those that say of what kind something is, and these as pairs."""
    said = {
        one
        for one in patterns
        if one.relation.casefold() in of_kinds and not is_unknown(one.object)
    }
    kinds = tuple((one.subject, one.object) for one in patterns if one in said)
    return tuple(one for one in patterns if one not in said), kinds


def _patterns(raw: Any, what: str) -> tuple[Pattern, ...]:
    rows = _listed(raw, what, "triples")
    return tuple(dict.fromkeys(Pattern(*_row(one, 3, what)) for one in rows))


def _conditions(raw: Any) -> tuple[Condition, ...]:
    found = []
    for one in _listed(raw, "filters", "lists"):
        subject, relation, sign, value = _row(one, 4, "filters")
        try:
            found.append(Condition(subject, relation, Comparison(sign), value))
        except ValueError:
            raise ModelReplyError("A filter compares with =, !=, <, <=, > or >=.") from None
    return tuple(found)


def _order(raw: Any) -> Order | None:
    if not raw:
        return None
    subject, relation, way = _row(raw, 3, "order")
    if way not in ("max", "min") or not is_unknown(subject):
        raise ModelReplyError('order must be ["?x", "relation", "max"] or "min".')
    return Order(subject, relation, way == "max")


def _names(raw: Any, what: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(_text(one) for one in _listed(raw, what, "names")))
    if not all(found) or any(is_unknown(one) for one in found):
        raise ModelReplyError(f"{what} must be a list of names.")
    return found


def _listed(raw: Any, what: str, members: str) -> list[Any]:
    """Return what a model listed, or nothing where it left it out."""
    if raw is None:
        return []
    if not isinstance(raw, list) or len(raw) > _MOST:
        raise ModelReplyError(f"{what} must be a list of at most {_MOST} {members}.")
    return raw


def _row(raw: Any, size: int, what: str) -> tuple[str, ...]:
    if not isinstance(raw, list) or len(raw) != size:
        raise ModelReplyError(f"Each of {what} must be a list of {size} texts.")
    cells = tuple(_text(str(cell) if isinstance(cell, (int, float)) else cell) for cell in raw)
    if not all(cells):
        raise ModelReplyError(f"Each of {what} must be a list of {size} texts, none empty.")
    if any(len(cell) > _LONGEST for cell in cells[1:2]):
        raise ModelReplyError("A relation is a short phrase.")
    return cells


def _text(value: Any) -> str:
    return clean_text(value, limit=_LONGEST_NAME).strip() if isinstance(value, str) else ""
