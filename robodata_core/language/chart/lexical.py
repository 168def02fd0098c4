"""What the words of one text may stand for, before anything is put together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.language.chart.items import (
    Denial,
    Lexical,
    Limit,
    Long,
    Pick,
    bits,
    mask_of,
)
from robodata_core.language.grammar import ANY, TIME, Degree, Grammar, Limited, Operators
from robodata_core.language.lexicon.phrases import Only, Phrase
from robodata_core.language.lexicon.relations import Evidence
from robodata_core.language.meaning import Where
from robodata_core.language.text import Text
from robodata_core.language.types import Edge, Mention, MentionKind
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue, Value
from robodata_core.programs.steps import Comparison

__all__ = ["LexicalReader"]

_THINGS: Final = 4
_CLASSES: Final = 3
_NAMES: Final = 40
_ASPECTS: Final = 4
_TIME: Final = "time"
_NUMBER: Final = "quantity"


class LexicalReader:
    """Reads what words may stand for on one graph.

    Args:
        view: The graph.
        grammar: Of the language.
    """

    def __init__(self, view: View, grammar: Grammar) -> None:
        self._view = view
        self._grammar = grammar

    def read(self, text: Text, mentions: Sequence[Mention], evidence: Evidence) -> Lexical:
        """Return what the words of a text may stand for.

        Args:
            text: The text.
            mentions: All its mentions, literals too.
            evidence: What its words say of relations.
        """
        literals = [m for m in mentions if m.candidates[0].kind is MentionKind.LITERAL]
        found = self._grammar.find(text, literals)
        light = mask_of(i for i in range(len(text.tokens)) if i not in evidence.content)
        return Lexical(
            tuple(self._names(mentions, evidence)),
            tuple(self._limits(found, evidence)),
            tuple(self._picks(found, evidence)),
            tuple(self._denials(found, mentions, text)),
            tuple(self._longs(evidence)),
            tuple(self._countable(evidence)) if found.limits or found.extremes else (),
            {kind: mask_of(places) for kind, places in found.joints.items()}
            | {"comma": mask_of(i for i, t in enumerate(text.tokens) if t.text == ",")},
            tuple((1 << place, precision) for place, precision in found.parts),
            tuple((mask_of(places), stretch) for places, stretch in found.lasted),
            light,
            self._view.type_relations,
            self._view.belonging_relations,
        )

    # -- names ----------------------------------------------------------------------------------

    def _names(self, mentions: Sequence[Mention], evidence: Evidence) -> Iterator[Mention]:
        """Yield mentions with their likeliest candidates; of very many those that say most."""
        named = [m for m in mentions if m.candidates[0].kind is not MentionKind.LITERAL]
        if len(named) > _NAMES:
            rarity = evidence.rarity
            weight = {m: sum(rarity.get(i, 0.0) for i in m.span) for m in named}
            named = sorted(named, key=lambda m: -weight[m])[:_NAMES]
        for mention in named:
            things = [c for c in mention.candidates if c.kind is MentionKind.THING][:_THINGS]
            kinds = [c for c in mention.candidates if c.kind is MentionKind.CLASS][:_CLASSES]
            yield replace(mention, candidates=(*things, *kinds))

    # -- relations by name ------------------------------------------------------------------------

    def _of_kind(self, labels: Sequence[str], kind: str) -> tuple[str, ...]:
        """Return the relations with one of some labels whose values are of a kind."""
        names = self._view.properties_named(labels)
        known = self._view.properties(names)
        return tuple(n for n in names if known[n].datatype in ("", kind))

    def _said(self, evidence: Evidence, kind: str) -> Iterator[tuple[str, int]]:
        """Yield the relations to values of a kind that phrases name, with the phrases' words."""
        for places, phrase in evidence.phrases():
            if len(phrase.hops) == 1:
                labels = [named.label for named in phrase.hops[0] if not named.inverse]
                for name in self._of_kind(labels, kind):
                    yield name, mask_of(places)

    def _longs(self, evidence: Evidence) -> Iterator[Long]:
        """Yield walks that phrases name; rows for the same walk are one."""
        found: dict[tuple[int, tuple[tuple[Edge, ...], ...]], list[tuple[Edge, ...]]] = {}
        narrowed: dict[tuple[int, tuple[tuple[Edge, ...], ...]], list[tuple[Edge, ...]]] = {}
        only: dict[int, tuple[tuple[str, Value], ...]] = {}
        for places, phrase in evidence.phrases():
            last = len(phrase.hops) - 1
            before = tuple(self._hop(phrase, number) for number in range(last))
            if not all(before) or (not last and (phrase.only is None or phrase.kind != "noun")):
                continue
            key = mask_of(places), before
            broader = self._hop(phrase, last, broader=True)
            # "Sister" may be an alias of what all siblings are joined by.
            exact = tuple(edge for edge in self._hop(phrase, last) if edge not in broader)
            if exact:
                found.setdefault(key, []).append(exact)
                continue
            values = self._only(phrase.only) if broader and phrase.only is not None else ()
            if values:
                narrowed.setdefault(key, []).append(broader)
                only[key[0]] = values
        for mask, before in dict.fromkeys((*found, *narrowed)):
            exact, broader = (
                tuple(dict.fromkeys(itertools.chain(*some.get((mask, before), ()))))
                for some in (found, narrowed)
            )
            if before or broader:
                yield Long(mask, (*before, exact), broader, only.get(mask, ()) if broader else ())

    def _only(self, only: Only) -> tuple[tuple[str, Value], ...]:
        """Return what narrows a phrase on this graph: relations with the values that are meant."""
        properties = self._view.properties_named(only.relations)
        named = self._view.names(only.values) if properties else {}
        values = dict.fromkeys(hit.id for hits in named.values() for hit in hits)
        return tuple(
            (name, EntityValue(id_))
            for name in properties
            for id_ in values
            if self._view.ends((id_,), (name, Direction.IN), 1)
        )

    def _countable(self, evidence: Evidence) -> Iterator[tuple[Edge, int]]:
        """Yield the relations that phrases name, either way, with the phrases' words."""
        for places, phrase in evidence.phrases():
            if len(phrase.hops) == 1 and phrase.kind != "prep":
                for edge in self._hop(phrase, 0):
                    yield edge, mask_of(places)

    def _hop(self, phrase: Phrase, number: int, *, broader: bool = False) -> tuple[Edge, ...]:
        edges: dict[Edge, None] = {}
        for named in phrase.hops[number]:
            way = Direction.IN if named.inverse else Direction.OUT
            if named.broader is broader:
                edges.update({(n, way): None for n in self._view.properties_named((named.label,))})
        return tuple(edges)

    # -- limits and extremes ----------------------------------------------------------------------

    def _limits(self, found: Operators, evidence: Evidence) -> Iterator[Limit]:
        for limit in (*found.limits, *found.bare):
            mask = bits(limit.start, limit.end)
            if limit.other >= 0:
                yield Limit(
                    mask, limit.start, other=limit.other, comparison=limit.comparison,
                    properties=tuple(self._compared(limit, mask, evidence)),
                )  # fmt: skip
                continue
            values = [value for _, value in limit.tests]
            timed = isinstance(values[0], TimeValue)
            sets = tuple(self._conditions(limit, mask, _TIME if timed else _NUMBER, evidence))
            number = None
            if len(values) == 1 and isinstance(values[0], QuantityValue):
                amount = values[0].amount
                number = int(amount) if amount == int(amount) else None
            yield Limit(mask, limit.start, sets, number, limit.tests[0][0])

    def _compared(
        self, limit: Limited, mask: int, evidence: Evidence
    ) -> Iterator[tuple[str, Comparison]]:
        for degree in limit.degrees:
            for name in self._view.properties_named(degree.relations)[:_ASPECTS]:
                yield name, Comparison.GT if degree.high else Comparison.LT
        if not limit.degrees:
            said = [name for name, more in self._said(evidence, _TIME) if not more & mask]
            usual = self._view.time_relations
            for name in dict.fromkeys([*said, *usual]):
                yield name, limit.comparison

    def _conditions(
        self, limit: Limited, mask: int, kind: str, evidence: Evidence
    ) -> Iterator[tuple[Where, int]]:
        """Yield conditions without a set, with all tokens that they read."""
        wanted: dict[tuple[str, int], None] = {}
        for degree in limit.degrees:
            names = self._of_kind([r for r in degree.relations if r not in (ANY, TIME)], kind)
            wanted.update({(name, mask): None for name in names[:_ASPECTS]})
        for name, more in self._said(evidence, kind):
            if not more & mask:
                wanted[name, mask | more] = None
        if kind == _TIME:
            names = self._view.time_relations
            wanted.update({(name, mask): None for name in names})
        for name, read in wanted:
            condition: Where | None = None
            for comparison, value in limit.tests:
                condition = Where(condition, name, comparison, value)
            if condition is not None:
                yield condition, read

    def _picks(self, found: Operators, evidence: Evidence) -> Iterator[Pick]:
        limits = [bits(limit.start, limit.end) for limit in found.limits]
        for extreme in found.extremes:
            mask = bits(extreme.start, extreme.end)
            if any(mask != limit and mask & limit == mask for limit in limits):
                continue  # "at least three" picks nothing that is least
            properties: dict[tuple[str, bool, int], None] = {}
            for degree in extreme.degrees:
                properties.update({found: None for found in self._aspects(degree, mask, evidence)})
            counts = any(ANY in degree.relations for degree in extreme.degrees)
            high = extreme.degrees[0].high
            yield Pick(mask, tuple(properties), counts, high, extreme.often)

    def _aspects(
        self, degree: Degree, mask: int, evidence: Evidence
    ) -> Iterator[tuple[str, bool, int]]:
        if TIME in degree.relations or ANY in degree.relations:
            kind = _TIME if TIME in degree.relations else _NUMBER
            for name, more in self._said(evidence, kind):
                if not more & mask:
                    yield name, degree.high, mask | more
        if TIME in degree.relations:
            for name in self._view.time_relations:
                yield name, degree.high, mask
        plain = [label for label in degree.relations if label not in (ANY, TIME)]
        for label in plain:
            for name in self._view.properties_named((label,)):
                yield name, degree.high, mask

    # -- denials ----------------------------------------------------------------------------------

    def _denials(
        self, found: Operators, mentions: Sequence[Mention], text: Text
    ) -> Iterator[Denial]:
        small = self._grammar.lexicon.is_small
        for denied in found.denials:
            until = denied.until
            if denied.leaves_out:
                at = denied.end
                while at < until and small(text.tokens[at].norm):
                    at += 1
                until = max([m.end for m in mentions if m.start == at], default=until)
            yield Denial(bits(denied.start, denied.end), bits(denied.end, until), denied.leaves_out)
