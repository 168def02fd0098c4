"""Which relations of a graph a question's words may mean.

The index is built once per source from the names its properties have (labels, aliases) and from
the lexicon; ``matches`` finds the readings of all phrases of a question. Which of them make
sense is decided by growing programs along them, not here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.model import Direction, Property
from robodata_core.policy.offline.broader import read_broader
from robodata_core.policy.offline.lexicon import LabelHop, Row
from robodata_core.policy.offline.own_names import RELATING, forms_of, signatures
from robodata_core.policy.offline.relations import Edge, Hop, Match, Reading
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    LIGHT_VERBS,
    Token,
    singular,
    stems,
)

__all__ = ["PREPOSITION", "RelationIndex"]

_HAS: Final = "has"
_LONGEST: Final = 6
_LABEL: Final = 1.0
_ALIAS: Final = 0.96
_LEXICON: Final = 0.92
_PARTICIPLES: Final = ("ed", "ing")
_DONE_BY: Final = "ed by"
_LIGHT: Final = 0.8
_PUT_TOGETHER: Final = 0.6
#: How surely a preposition alone names a relation.
PREPOSITION: Final = 0.55


class RelationIndex:
    """Readings by phrase, for the properties of one source."""

    def __init__(self, properties: Iterable[Property], rows: Iterable[Row]) -> None:
        self.properties = {item.id: item for item in properties}
        self._by_phrase: dict[tuple[str, ...], list[Reading]] = defaultdict(list)
        self._names: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._object_type: dict[str, str] = {}
        self._unheld: set[tuple[str, ...]] = set()
        self._vague: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._written: dict[tuple[tuple[str, ...], bool], set[Reading]] = defaultdict(set)
        for item in self.properties.values():
            for name in (item.label, *item.aliases):
                for key in signatures(name):
                    self._names[key].add(item.id)
        self._heads = self._read_heads()
        rows = tuple(rows)
        self._note_types(rows)
        self._add_names()
        for row in rows:
            self._add_row(row)
        self.broader = read_broader(rows, self._find, self._is_label)
        self._drop_redundant()

    def object_type(self, property_: str) -> str:
        """Return what the values of a property are (person, place, ...), or an empty string."""
        return self._object_type.get(property_, "")

    def name_of(self, property_: str) -> str:
        """Return the name of a property, or its id where the graph has no such property."""
        known = self.properties.get(property_)
        return known.name if known else property_

    @property
    def scalars(self) -> frozenset[str]:
        """The properties whose values are times or numbers."""
        return frozenset(
            name for name, kind in self._object_type.items() if kind in ("time", "number")
        )

    def named(self, label: str) -> frozenset[str]:
        """Return the properties that go by ``label`` (or nearly)."""
        return frozenset(name for key in signatures(label) for name in self._names.get(key, ()))

    def called(self, label: str) -> frozenset[str]:
        """Return the properties whose own label is ``label``; those of that alias where none is.

        For what a graph says with one property (what a thing is), so that no other one that is also
        called so is taken beside it.
        """
        found = self.named(label)
        return frozenset(name for name in found if self._is_label(name, label)) or found

    # -- building -----------------------------------------------------------------------------

    def _note_types(self, rows: Iterable[Row]) -> None:
        for item in self.properties.values():
            kind = {"time": "time", "quantity": "number"}.get(item.datatype, "")
            if kind:
                self._object_type[item.id] = kind
        # What stands first in a row is what its answer column is about; the rest fills gaps.
        for first, last in ((0, 3), (3, None)):
            for row in rows:
                if len(row.hops) > 1 or not row.answer:
                    continue
                for label, back in row.hops[0].labels[first:last]:
                    for name in () if back else self._find(label):
                        self._object_type.setdefault(name, row.answer)

    def _find(self, label: str) -> tuple[str, ...]:
        return tuple(sorted(self.named(label)))

    def _find_narrower(self, label: str) -> tuple[str, ...]:
        """Return the one property whose label is a noun phrase around ``label``, if there is one.

        A graph that has "leading actors" and nothing else with actors means these by "actors".
        """
        key = stems(label)
        found = self._heads.get(key[0], ()) if len(key) == 1 else ()
        return tuple(found) if len(found) == 1 else ()

    def _read_heads(self) -> dict[str, list[str]]:
        """Return properties with labels of several words by the last of these."""
        heads: dict[str, list[str]] = defaultdict(list)
        for item in self.properties.values():
            words = stems(item.label)
            if words[:1] == (_HAS,):
                words = words[1:]  # "hasPart" names a part, as ontologies write it
            if len(words) > 1 and not any(word in FUNCTION_WORDS for word in words):
                heads[words[-1]].append(item.id)
        return heads

    def _add_names(self) -> None:
        for item in self.properties.values():
            names = (item.label, *item.aliases)
            own = frozenset(stems(name) for name in names)
            for index, name in enumerate(names):
                strength = _ALIAS if index else _LABEL
                doer = self._object_type.get(item.id, "") in ("person", "")
                for phrase, facing, kind in forms_of(name, own, doer):
                    reading = Reading(
                        (((item.id, Direction.OUT),),),
                        facing,
                        kind,
                        self._object_type.get(item.id, ""),
                        strength,
                        kind == "noun" and not name.lower().endswith(_PARTICIPLES),
                        passive=name.lower().endswith(_DONE_BY),
                    )
                    self._put(phrase, reading)

    def _add_row(self, row: Row) -> None:
        hops, rank = [], 0
        for hop in row.hops:
            resolved, first = self._resolve(hop, row.answer)
            if resolved is None:
                self._note_unheld(row)
                return
            rank = max(rank, first)
            hops.append(resolved)
        strength = _LEXICON - min(0.12, 0.02 * rank)
        if row.kind == "prep":
            strength = PREPOSITION
        without = self._walks(row.without, row.answer)
        having = self._walks([row.having], row.answer)
        if without is None or having is None:
            self._note_unheld(row)
            return
        reading = Reading(
            tuple(hops), row.direction, row.kind, row.answer, strength,
            without=without, having=having[0], group=row.group,
        )  # fmt: skip
        hop = row.hops[-1]
        exact = hop.exact(self._find, self._is_label)
        vague = {name for label in hop.broader if exact for name in self._find(label)} - exact
        forms = {nominal: replace(reading, nominal=nominal) for nominal in (False, True)}
        for phrase in row.phrases:
            key = stems(phrase)
            if vague:
                self._vague[key] |= vague
            own = forms[row.kind == "noun" and not phrase.endswith(_PARTICIPLES)]
            self._put(key, own)
            self._written[key, _is_plural(phrase.split()[-1])].add(own)

    def _walks(
        self, walks: Iterable[Sequence[LabelHop]], answer: str
    ) -> tuple[tuple[Hop, ...], ...] | None:
        """Resolve walks, or return None where the graph lacks a part of one."""
        found = [[self._resolve(hop, answer)[0] for hop in walk] for walk in walks]
        if any(hop is None for walk in found for hop in walk):
            return None
        return tuple(tuple(hop for hop in walk if hop is not None) for walk in found)

    def _note_unheld(self, row: Row) -> None:
        """Remember names of relations the graph lacks: their parts are not meant on their own.

        Only names of several words are one: "director of" is the noun "director" with grammar,
        and in a verb phrase ("languages spoken in") a noun keeps its meaning.
        """
        if row.kind != "noun":
            return
        for phrase in row.phrases:
            if sum(word not in FUNCTION_WORDS for word in phrase.split()) > 1:
                self._unheld.add(stems(phrase))

    def _resolve(self, hop: LabelHop, answer: str) -> tuple[Hop | None, int]:
        if hop.any_relation:
            return (), 0
        edges: dict[Edge, None] = {}
        first = len(hop.labels)
        exact = hop.exact(self._find, self._is_label)
        for index, (label, back) in enumerate(hop.labels):
            if exact and label in hop.broader:
                continue
            for name in self._find(label) or self._find_narrower(label):
                if not back and self._misfits(name, label, answer):
                    continue
                if first == 0 and index and not self._is_label(name, label):
                    continue  # the usual relation is there; an alias would only blur it
                edges.setdefault((name, Direction.IN if back else Direction.OUT))
                first = min(first, index)
        return (tuple(edges) or None), first

    def _misfits(self, name: str, label: str, answer: str) -> bool:
        """Tell whether an alias means something else ("killed by" a cause, not a person)."""
        own = self._object_type.get(name, "")
        if answer not in ("person", "thing") or own not in ("person", "thing") or own == answer:
            return False
        return not self._is_label(name, label)

    def _is_label(self, name: str, label: str) -> bool:
        """Tell whether a property is labelled so (else it only has it as an alias)."""
        return bool(set(signatures(label)) & set(signatures(self.properties[name].label)))

    def _put(self, phrase: tuple[str, ...], reading: Reading) -> None:
        if phrase and reading not in self._by_phrase[phrase]:
            self._by_phrase[phrase].append(reading)

    def _drop_redundant(self) -> None:
        """Forget readings that others make superfluous or contradict.

        "Capital of" is no noun of its own where "capital" is one: the "of" is grammar. An alias
        of a broader relation ("gave birth to" of "child") gives way where another says just that.
        """
        for phrase, readings in self._by_phrase.items():
            vague = self._vague.get(phrase, set())
            if any(item.hops[0] for item in readings):
                # "Neighbours" are any only where no relation of neighbours leads anywhere.
                readings[:] = [
                    item if item.hops[0] else replace(item, strength=item.strength * _PUT_TOGETHER)
                    for item in readings
                ]
            if any(item.strength == _LABEL and len(item.hops) == 1 for item in readings):
                # A relation of that very name goes before what others put together.
                readings[:] = [
                    replace(item, strength=item.strength * _PUT_TOGETHER)
                    if len(item.hops) > 1 else item
                    for item in readings
                ]  # fmt: skip
            turned = {
                name
                for item in readings
                if item.kind == "noun" and len(item.hops) == 1 and item.strength < _ALIAS
                for name, way in item.hops[0]
                if way is Direction.IN
            }
            # "Instances" of a class point to it, whatever an alias of the relation suggests.
            readings[:] = [
                item
                for item in readings
                if item.strength != _ALIAS or item.hops[0][0][0] not in turned | vague
            ]
        for phrase in list(self._by_phrase):
            if phrase[-1] != "of" or not self._by_phrase.get(phrase[:-1]):
                continue
            kept = [item for item in self._by_phrase[phrase] if item.kind != "noun"]
            self._by_phrase[phrase] = kept

    # -- matching -----------------------------------------------------------------------------

    def matches(self, tokens: Sequence[Token], blocked: frozenset[int]) -> tuple[Match, ...]:
        """Return all readings of all phrases outside the ``blocked`` tokens."""
        found: list[Match] = []
        unheld: list[tuple[int, int]] = []
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + _LONGEST) + 1):
                if end - 1 in blocked or not tokens[end - 1].word:
                    break
                if _says_nothing(tokens[start:end]):
                    continue
                key = tuple(token.stem for token in tokens[start:end])
                light = _is_light(tokens[start:end])
                if key in self._unheld and not self._by_phrase.get(key):
                    unheld.append((start, end))
                verbal = tokens[end - 1].norm.endswith("ed")
                other = self._of_other_number(key, tokens[end - 1].norm)
                for reading in self._by_phrase.get(key, ()):
                    if (verbal and reading.nominal) or reading in other:
                        continue
                    if reading.passive and _is_plural(tokens[end - 2].norm):
                        continue  # "Films by X" are not filmed by X.
                    if light:
                        reading = replace(reading, strength=reading.strength * _LIGHT)
                    found.append(Match(start, end, reading))
        found += self._fronted(tokens, blocked)
        # "Birth name" is known as a whole: where the graph lacks it, "birth" is not meant.
        found = [m for m in found if not any(_within(m, span) for span in unheld)]
        return tuple(_drop_inner(found))

    def _of_other_number(self, key: tuple[str, ...], word: str) -> set[Reading]:
        """Return what a noun means in the other number only, where the lexicon has both.

        "The province of X" is where X lies, "the provinces of X" are what lies in X.
        """
        plural = _is_plural(word)
        own = self._written.get((key, plural))
        return self._written.get((key, not plural), set()) - own if own else set()

    def _fronted(self, tokens: Sequence[Token], blocked: frozenset[int]) -> list[Match]:
        """Read "in which city did X work" as "work in"."""
        free = [i for i in range(len(tokens)) if i not in blocked and tokens[i].word]
        fronted = [
            tokens[i].stem
            for i in free
            if tokens[i].norm in RELATING
            and i + 1 < len(tokens)
            and tokens[i + 1].norm in ("which", "what", "whom")
        ]
        return [
            Match(i, i + 1, reading)
            for preposition in fronted[:1]
            for i in free
            if tokens[i].norm not in FUNCTION_WORDS
            for reading in self._by_phrase.get((tokens[i].stem, preposition), ())
        ]


def _within(match: Match, span: tuple[int, int]) -> bool:
    """Tell whether a phrase lies within a longer one."""
    inside = span[0] <= match.start and match.end <= span[1]
    return inside and (match.start, match.end) != span


def _is_plural(word: str) -> bool:
    return singular(word) != word


def _says_nothing(tokens: Sequence[Token]) -> bool:
    """Tell whether a phrase is too general to name a relation ("people", "what is")."""
    if len(tokens) == 1:
        return tokens[0].norm in GENERIC_NOUNS
    words = {token.norm for token in tokens}
    asked = bool(words & {"what", "who"}) and words <= FUNCTION_WORDS
    return asked or ("not" in words and words <= AUXILIARIES | {"not"})


def _is_light(tokens: Sequence[Token]) -> bool:
    """Tell whether a phrase is a verb that says little ("belongs to")."""
    return any(token.norm in LIGHT_VERBS for token in tokens) and all(
        token.norm in LIGHT_VERBS or token.norm in FUNCTION_WORDS for token in tokens
    )


def _drop_inner(found: list[Match]) -> list[Match]:
    """The longest phrase wins: what a part of it may mean counts less.

    A part that speaks of the very same relation is dropped ("influenced" in "influenced by"), and
    one of what a relation is called by: "date" of "date of birth" is no date of anything else.
    """
    kept = []
    for match in found:
        outer = [
            other
            for other in found
            if other.start <= match.start
            and match.end <= other.end
            and (other.start, other.end) != (match.start, match.end)
        ]
        named = (other.reading.strength >= 1.0 for other in outer)
        if any(named) or any(_shares(match.reading, other.reading) for other in outer):
            continue
        if outer:
            reading = match.reading
            weaker = replace(reading, strength=reading.strength * 0.9)
            match = Match(match.start, match.end, weaker)
        kept.append(match)
    return kept


def _shares(one: Reading, other: Reading) -> bool:
    names = {name for hop in one.hops for name, _ in hop}
    return bool(names & {name for hop in other.hops for name, _ in hop})
