"""The map as a PDDL problem for a domain: objects, and those facts that the domain has words for.

For PlanSys2 and other planners (PDDL 2.1 with typing). Only what the domain declares is written:
an object whose class, or a kind of it, is one of the domain's types, and the relations in, on and
near under predicates of these names (or of the names given). Nothing of the domain is executed;
it is read as a list of symbols.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from robodata_core.belief.map import BeliefMap
from robodata_core.belief.model import MapObject, ObjectState, Region
from robodata_core.errors import InvalidRequestError

__all__ = ["Domain", "problem_of", "read_domain"]

_List: TypeAlias = "list[str | _List]"
_TOKEN: Final = re.compile(r"[()]|[^\s()]+")
_MOST_SYMBOLS: Final = 50_000
_DEEPEST: Final = 100
_ROOT: Final = "object"


@dataclass(frozen=True, slots=True)
class Domain:
    """What of a domain matters here.

    Attributes:
        name: Its name.
        types: Supertype of each type.
        predicates: Types of each predicate's arguments.
    """

    name: str
    types: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]

    def is_a(self, type_: str, wanted: str) -> bool:
        """Tell whether a type is another one, or below it."""
        seen: set[str] = set()
        while type_ not in seen:
            if type_ == wanted:
                return True
            seen.add(type_)
            type_ = self.types.get(type_, _ROOT)
        return wanted == _ROOT


def read_domain(text: str) -> Domain:
    """Return the domain of a PDDL file.

    Raises:
        InvalidRequestError: If it is none, or too large.
    """
    lines = (line.partition(";")[0] for line in text.splitlines())
    tokens = _TOKEN.findall("\n".join(lines).lower())
    if len(tokens) > _MOST_SYMBOLS:
        raise InvalidRequestError(f"The domain has more than {_MOST_SYMBOLS} symbols.")
    tree = _tree(tokens)
    parts = {str(part[0]): part[1:] for part in tree if isinstance(part, list) and part}
    if not tree or tree[0] != "define" or "domain" not in parts or not parts["domain"]:
        raise InvalidRequestError("This is no PDDL domain: (define (domain NAME) ...).")
    types = dict(_typed(parts.get(":types", [])))
    predicates = {
        str(item[0]): tuple(type_ for _, type_ in _typed(item[1:]))
        for item in parts.get(":predicates", [])
        if isinstance(item, list) and item
    }
    return Domain(str(parts["domain"][0]), types, predicates)


def _tree(tokens: Iterable[str]) -> _List:
    stack: list[_List] = [[]]
    for token in tokens:
        if token == "(":
            if len(stack) > _DEEPEST:
                raise InvalidRequestError("The domain is nested too deeply.")
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                raise InvalidRequestError("The domain closes a bracket that is not open.")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or not stack[0] or not isinstance(stack[0][0], list):
        raise InvalidRequestError("The domain's brackets do not match.")
    return stack[0][0]


def _typed(items: _List) -> list[tuple[str, str]]:
    """Return names with their types: ``a b - cup c`` is cup, cup, object."""
    found: list[tuple[str, str]] = []
    open_: list[str] = []
    symbols = [item for item in items if isinstance(item, str)]
    index = 0
    while index < len(symbols):
        if symbols[index] == "-" and index + 1 < len(symbols):
            found += [(name, symbols[index + 1]) for name in open_]
            open_ = []
            index += 2
        else:
            open_.append(symbols[index])
            index += 1
    return found + [(name, _ROOT) for name in open_]


def problem_of(
    belief: BeliefMap,
    domain: Domain,
    *,
    name: str = "robodata",
    goal: str = "",
    init: str = "",
    kinds: Callable[[str], Collection[str]] = lambda class_id: (),
    names: Mapping[str, str] | None = None,
) -> str:
    """Return a PDDL problem: what the map holds that the domain has words for.

    Args:
        belief: The map.
        domain: The domain.
        name: Name of the problem.
        goal: The goal as PDDL, put in as it is; empty: ``(and)``.
        init: What holds besides, as PDDL, put in as it is: what the map does not know.
        kinds: Names of the kinds above a class, nearest first.
        names: Predicate for each of in, on, near, seen; by default the same names.
    """
    words = {"in": "in", "on": "on", "near": "near", "seen": "seen", **(names or {})}
    typed: dict[str, str] = {}
    symbols: dict[str, str] = {}
    things = belief.things()
    for id_, thing in things.items():
        type_ = _type_of(thing, domain, kinds)
        if type_ is not None:
            symbol = _symbol(id_, symbols.values())
            symbols[id_], typed[symbol] = symbol, type_
    facts: list[tuple[str, tuple[str, ...]]] = []
    for id_, symbol in symbols.items():
        thing = things[id_]
        if isinstance(thing, MapObject) and thing.state is ObjectState.SEEN:
            facts.append((words["seen"], (symbol,)))
        for relation in belief.relations(thing):
            if relation.target in symbols:
                facts.append((words[relation.name], (symbol, symbols[relation.target])))
    told = [
        f"    ({predicate} {' '.join(arguments)})"
        for predicate, arguments in facts
        if _fits(predicate, [typed[symbol] for symbol in arguments], domain)
    ]
    told += [f"    {init.strip()}"] if init.strip() else []
    objects = [f"    {symbol} - {type_}" for symbol, type_ in typed.items()]
    parts = [f"(define (problem {_symbol(name, ())})", f"  (:domain {domain.name})"]
    parts += ["  (:objects", *objects, "  )", "  (:init", *told, "  )"]
    return "\n".join([*parts, f"  (:goal {goal.strip() or '(and)'})", ")"]) + "\n"


def _fits(predicate: str, types: list[str], domain: Domain) -> bool:
    wanted = domain.predicates.get(predicate)
    return (
        wanted is not None
        and len(wanted) == len(types)
        and all(domain.is_a(type_, one) for type_, one in zip(types, wanted, strict=True))
    )


def _type_of(
    thing: MapObject | Region, domain: Domain, kinds: Callable[[str], Collection[str]]
) -> str | None:
    """Return the domain's type nearest to a thing's class; None where it has none for it."""
    general = ("region", "location") if isinstance(thing, Region) else ("item", "thing")
    for kind in (thing.class_id, *kinds(thing.class_id), *general):
        type_ = _symbol(kind, ())
        if type_ in domain.types:
            return type_
    return None


def _symbol(text: str, taken: Collection[str]) -> str:
    """Return a text as a PDDL symbol that is not taken yet."""
    stem = re.sub(r"[^a-z0-9_-]+", "_", text.lower()).strip("_-") or "thing"
    stem = stem if stem[0].isalpha() else f"o_{stem}"
    symbol, number = stem, 1
    while symbol in taken:
        number += 1
        symbol = f"{stem}_{number}"
    return symbol
