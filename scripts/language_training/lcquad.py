"""Questions of LC-QuAD 1, put by people over DBpedia, on a graph that is made for them.

Their queries are known, the facts are not at hand. So the things that variables stand for are made
up, with other things beside them that fit a query by half, and with the relations that things of
their class have in other queries. What a query gives there is gold. (GPL-3.0: for measuring and
learning weights only, no text of it is kept.)
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from language_training.written import Written
from robodata_core.language.meaning import (
    AllOf,
    Given,
    Holds,
    Meaning,
    Number,
    OfKind,
    Reach,
    lower,
)
from robodata_core.language.types import Edge
from robodata_core.model import Direction, EntityValue
from robodata_core.sources.base import KnowledgeSource

__all__ = ["LCQUAD", "lcquad_questions", "write_graph"]

#: Name of the graph.
LCQUAD: Final = "lcquad"
_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABEL: Final = "http://www.w3.org/2000/01/rdf-schema#label"
_ALIAS: Final = "http://www.w3.org/2004/02/skos/core#altLabel"
_MADE: Final = "http://example.org/made/"
_TERM: Final = re.compile(r"\?\w+|<[^>]*>")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ASIDE: Final = re.compile(r"\s*\([^)]*\)$")
#: How many things of a variable there are, and how many beside them fit a query by half.
_THINGS: Final = (1, 1, 2, 3)
_BESIDE: Final = 2
#: Relations that a thing has beside those asked for.
_MORE: Final = 4
#: So many letters of a word tell it.
_STEM: Final = 5
#: Share of the yes/no questions whose fact is not there.
_DENIED: Final = 0.4
_SYLLABLES: Final = re.findall(
    r"\w+",
    "ba do fe gu ka lo mi na po ra se ti vu za bren dol fas gim kor lun mep nol pir"
    " quo rast shel tarn vesk wim yor",
)

_Pattern: TypeAlias = "tuple[str, str, str]"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with its query: patterns over variables and things, and what is made of them."""

    id: str
    question: str
    patterns: tuple[_Pattern, ...]
    counts: bool
    judges: bool


def _read(path: Path) -> Iterator[_Asked]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            query = row["sparql"]
            terms = _TERM.findall(query[query.index("{") :])
            if len(terms) % 3 or not terms:
                continue
            patterns = tuple(
                (terms[i], terms[i + 1].strip("<>"), terms[i + 2]) for i in range(0, len(terms), 3)
            )
            judges = query.lstrip().upper().startswith("ASK")
            yield _Asked(row["id"], row["question"], patterns, "COUNT(" in query, judges)


def _said(iri: str) -> str:
    return _HUMP.sub(" ", iri.rsplit("/", 1)[-1]).replace("_", " ").lower()


def _relation(iri: str) -> str:
    return iri.replace("/property/", "/ontology/")


@dataclass(slots=True)
class _World:
    """The graph while it is made.

    Attributes:
        chance: What is drawn by.
    """

    chance: random.Random
    facts: dict[_Pattern, None] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    usual: dict[str, Counter[tuple[str, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )

    def make(self, class_: str = "") -> str:
        """Make a thing up."""
        id_ = f"<{_MADE}{len(self.labels)}>"
        words = ("".join(self.chance.choices(_SYLLABLES, k=3)).capitalize() for _ in range(2))
        self.labels[id_] = " ".join(words)
        if class_:
            self.classes[id_] = class_
        return id_

    def state(self, subject: str, relation: str, value: str) -> None:
        """State a fact."""
        self.facts[subject, _relation(relation), value] = None


def _class_of(name: str, asked: _Asked) -> str:
    return next((p[2] for p in asked.patterns if p[0] == name and p[1] == _TYPE), "")


def _learn(asked: Iterable[_Asked], world: _World) -> None:
    """Remember which relations things of a class have, and which go with which."""
    for one in asked:
        around: dict[str, set[tuple[str, bool]]] = defaultdict(set)
        for subject, relation, value in one.patterns:
            if relation != _TYPE:
                around[subject].add((relation, True))
                around[value].add((relation, False))
        for name, edges in around.items():
            for key in (_class_of(name, one), "", *map(str, edges)):
                world.usual[key].update(edges)


def _fill(asked: _Asked, world: _World) -> None:
    """State what a query asks for, of things made up, and what fits it by half."""
    chance = world.chance
    real = [p for p in asked.patterns if p[1] != _TYPE]
    if asked.judges:
        for subject, relation, value in real:
            there = chance.random() >= _DENIED
            world.state(subject, relation, value if there else world.make())
        return
    names = sorted({t for p in real for t in (p[0], p[2]) if t.startswith("?")})
    things = {
        name: [world.make(_class_of(name, asked)) for _ in range(chance.choice(_THINGS))]
        for name in names
    }
    for subject, relation, value in real:
        subjects, values = things.get(subject, [subject]), things.get(value, [value])
        for i in range(max(len(subjects), len(values))):
            world.state(subjects[i % len(subjects)], relation, values[i % len(values)])
    classes = sorted({p[2] for p in asked.patterns if p[1] == _TYPE})
    if all(_is_said(class_, asked.question) for class_ in classes):
        for pattern in real if len(real) > 1 or classes else ():
            _fill_by_half(pattern, classes, world)
    for name in names:
        for thing in things[name]:
            _furnish(thing, _class_of(name, asked), world)


def _fill_by_half(pattern: _Pattern, classes: Sequence[str], world: _World) -> None:
    """State of other things what one pattern of several asks for."""
    subject, relation, value = pattern
    if subject.startswith("?") == value.startswith("?"):
        return
    others = sorted(key for key in world.usual if key.startswith("<"))
    for _ in range(world.chance.randrange(_BESIDE + 1)):
        other = world.make(world.chance.choice(others) if classes else "")
        if subject.startswith("?"):
            world.state(other, relation, value)
        else:
            world.state(subject, relation, other)


def _is_said(class_: str, question: str) -> bool:
    """Tell whether a question names a class; "who" says nothing of presidents."""
    return _said(class_.strip("<>")).split()[-1][:_STEM] in question.lower()


def _furnish(thing: str, key: str, world: _World) -> None:
    """State some more of a thing, along relations that are usual for what is like it."""
    usual = world.usual.get(key) or world.usual[""]
    edges = sorted(usual)
    for relation, out in world.chance.choices(edges, [usual[e] for e in edges], k=_MORE):
        other = world.make()
        world.state(*((thing, relation, other) if out else (other, relation, thing)))


def write_graph(data: Path, source: KnowledgeSource, output: Path) -> None:
    """Write the graph as N-Triples; the same data give the same graph.

    Args:
        data: Folder with the data sets.
        source: Gives the names of relations.
        output: The file.
    """
    asked = list(_read(_path(data)))
    world = _World(random.Random(0))
    _learn(asked, world)
    for one in asked:
        _fill(one, world)
        named = {t for p in one.patterns for t in (p[0], p[2]) if p[1] != _TYPE and t[0] == "<"}
        for thing in sorted(named):
            edges = [(p[1], p[0] == thing) for p in one.patterns if thing in (p[0], p[2])]
            _furnish(thing, str(edges[0]), world)
    with output.open("w", encoding="utf-8") as out:
        out.writelines(_lines(world, asked, _labels(source)))


def _labels(source: KnowledgeSource) -> Mapping[str, str]:
    """Return the labels of relations by all their names: words were learned for labels."""
    known: dict[str, str] = {}
    for item in source.all_properties():  # type: ignore[attr-defined]
        for name in (item.label, *item.aliases):
            known.setdefault(name.lower(), item.label)
    return known


def _lines(world: _World, asked: Sequence[_Asked], labels: Mapping[str, str]) -> Iterator[str]:
    for subject, relation, value in world.facts:
        yield f"{subject} <{relation}> {value} .\n"
    for thing, class_ in world.classes.items():
        yield f"{thing} <{_TYPE}> {class_} .\n"
    named = {t for s, _, v in world.facts for t in (s, v) if t not in world.labels}
    for thing in sorted(named):
        label = thing.strip("<>").rsplit("/", 1)[-1].replace("_", " ")
        yield _named(thing, _LABEL, label)
        yield from (
            [_named(thing, _ALIAS, short)] if (short := _ASIDE.sub("", label)) != label else []
        )
    for thing, label in world.labels.items():
        yield _named(thing, _LABEL, label)
    told = {p[1] for one in asked for p in one.patterns} | set(world.classes.values())
    for iri in sorted({name.strip("<>") for name in told} - {_TYPE}):
        said = _said(iri)
        yield _named(f"<{_relation(iri)}>", _LABEL, labels.get(said, said))
        yield _named(f"<{_relation(iri)}>", _ALIAS, said)


def _named(thing: str, relation: str, name: str) -> str:
    return f"{thing} <{relation}> {json.dumps(name, ensure_ascii=False)}@en .\n"


def _path(data: Path) -> Path:
    return data / "questions_real" / "lcquad1_train.jsonl.gz"


def lcquad_questions(data: Path) -> Iterator[Written]:
    """Yield the questions with their programs.

    Args:
        data: Folder with the data sets.
    """
    for one in _read(_path(data)):
        meaning = _meaning(one)
        if meaning is not None:
            yield Written(f"l{one.id}", LCQUAD, one.question, lower(meaning), LCQUAD)


def _meaning(asked: _Asked) -> Meaning | None:
    if asked.judges:
        subject, relation, value = asked.patterns[0]
        edge = (_relation(relation), Direction.OUT)
        return Holds(Reach(_given(subject), (edge,)), EntityValue(value.strip("<>")))
    found = _set("?uri", list(asked.patterns))
    return Number(found) if asked.counts and found is not None else found


def _given(term: str) -> Given:
    return Given((EntityValue(term.strip("<>")),))


def _set(name: str, patterns: list[_Pattern]) -> Meaning | None:
    """Return what a variable stands for by the patterns that lead to it."""
    parts: list[Meaning] = []
    classes = [p[2].strip("<>") for p in patterns if p[0] == name and p[1] == _TYPE]
    for pattern in (p for p in patterns if name in (p[0], p[2]) and p[1] != _TYPE):
        subject, relation, value = pattern
        other, way = (value, Direction.IN) if subject == name else (subject, Direction.OUT)
        edge: Edge = (_relation(relation), way)
        rest = [p for p in patterns if p is not pattern and name not in (p[0], p[2])]
        of = _set(other, rest) if other.startswith("?") else _given(other)
        if of is not None:
            parts.append(Reach(of, (edge,)))
    if not parts:
        return None
    found: Meaning = parts[0] if len(parts) == 1 else AllOf(tuple(parts))
    return OfKind(found, tuple(classes), (_TYPE,)) if classes else found
