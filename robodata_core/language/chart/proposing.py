"""From the items of a chart to readings: sets, numbers, and yes or no."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.language.chart.chart import Chart
from robodata_core.language.chart.items import Item, Lexical, places_of
from robodata_core.language.chart.lexical import LexicalReader
from robodata_core.language.chart.running import Ran
from robodata_core.language.grammar import open_grammar
from robodata_core.language.lexicon import Evidence, Lexicon
from robodata_core.language.meaning import (
    AllOf,
    AnyOf,
    Except,
    Given,
    Holds,
    Kind,
    Meaning,
    Number,
    Reach,
    Where,
    flipped,
    lower,
)
from robodata_core.language.text import Text
from robodata_core.language.types import Mention, NameMatch, Reading, denotation
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue, QuantityValue
from robodata_core.programs.executor import Executor

__all__ = ["Proposer", "asks_truth"]

_MOST: Final = 60
_NODES: Final = 1_000
#: Most wall time of one query about a part of a reading: a question has many parts.
_SECONDS: Final = 2.0
_SAMPLE: Final = 12
_OPEN: Final = 3
#: Of how many pairs of names in one text it is told which way words lead.
_FACED: Final = 60
#: How many tokens behind a noun the name may begin that has it: "of the late X".
_NEAR: Final = 4
#: Added to probabilities before their logarithms are taken.
_LITTLE: Final = 1e-3

_Found = tuple[Item, Meaning, Ran, tuple[tuple[str, float], ...]]


class Proposer:
    """Proposes readings with structure: everything that is not one relation from one name.

    Args:
        view: What texts are about.
        lexicon: Of their language.
    """

    def __init__(self, view: View, lexicon: Lexicon) -> None:
        self._view = view
        self._lexicon = lexicon
        self._reader = LexicalReader(view, open_grammar(lexicon))

    def propose(
        self,
        text: Text,
        mentions: Sequence[Mention],
        evidence: Evidence,
        view: View | None = None,
        *,
        judges: bool = False,
        cancel: CancelToken | None = None,
    ) -> tuple[Reading, ...]:
        """Return readings of a text, those that read most of it first.

        Args:
            text: The text.
            mentions: Everything that it names.
            evidence: What its words say of relations.
            view: What is to be seen of the graph; None for all.
            judges: Whether it is known that the text asks for yes or no.
            cancel: Asked between steps.
        """
        seen = view or self._view
        lexical = self._reader.read(text, mentions, evidence)
        executor = Executor(seen.source, cancel=cancel, max_nodes=_NODES, seconds=_SECONDS)
        judges = judges or asks_truth(text, mentions, self._lexicon)
        chart = Chart(lexical, evidence, seen, executor, cancel, judges=judges)
        items = chart.items()
        finals = _Finals(text, self._lexicon, chart, lexical, evidence, judges)
        best: dict[Meaning, tuple[float, Reading]] = {}
        for item, meaning, result, features in finals.found(items):
            known = best.get(meaning)
            score = chart.priority(item)
            if known is None or known[0] < score:
                best[meaning] = (score, _reading(item, meaning, result, features))
        order = sorted(best.values(), key=lambda pair: -pair[0])[:_MOST]
        return tuple(reading for _, reading in order)


def asks_truth(text: Text, mentions: Sequence[Mention], lexicon: Lexicon) -> bool:
    """Tell whether a text begins as a yes/no question does: "will" is no name's first word."""
    start = next((i for i, token in enumerate(text.tokens) if token.is_word), None)
    if start is None or lexicon.kind(text.tokens[start].norm) != "auxiliary":
        return False
    names = (m for m in mentions if m.start == start and m.end - m.start > 1)
    return not any(text.tokens[m.start].text[:1].isupper() and _is_written(m) for m in names)


def _is_written(mention: Mention) -> bool:
    exact = (NameMatch.LABEL, NameMatch.ALIAS)
    return any(candidate.match in exact for candidate in mention.candidates)


class _Finals:
    """Ends readings: what is asked of the set that an item means."""

    def __init__(
        self,
        text: Text,
        lexicon: Lexicon,
        chart: Chart,
        lexical: Lexical,
        evidence: Evidence,
        judges: bool,
    ) -> None:
        self._text = text
        self._lexicon = lexicon
        self._chart = chart
        self._lex = lexical
        self._evidence = evidence
        self._judges = judges
        self._count = lexical.joints.get("count", 0)
        self._faced: set[frozenset[int]] = set()

    def found(self, items: Sequence[Item]) -> Iterator[_Found]:
        whole = [item for item in items if not item.name and not item.open]
        for item in whole if not self._judges else ():
            yield from self._set(item)
        if self._judges:
            for item in items:
                yield from self._judged(item, items)
        else:
            opened = [item for item in items if item.open]
            opened.sort(key=lambda item: -self._chart.priority(item))
            for item in opened[:_OPEN]:
                assert isinstance(item.meaning, Where)
                for meaning, words in self._chart.onto(item.meaning, None):
                    told = (*item.features, ("s_all", 1.0))
                    yield from self._set(
                        replace(_reads(item, words), meaning=meaning, features=told)
                    )

    def _set(self, item: Item) -> Iterator[_Found]:
        result = self._chart.run(item.meaning)
        if result is None or not result.members:
            return
        if self._count and not isinstance(result.members[0], QuantityValue):
            counted = _reads(item, self._count)
            yield counted, Number(item.meaning), result, (("s_count", 1.0),)
        elif not _is_plain(item):
            yield item, item.meaning, result, self._vacuous(item.meaning, len(result.members))

    def _vacuous(self, meaning: Meaning, size: int) -> tuple[tuple[str, float], ...]:
        """Tell of a denial that takes nothing away."""
        before = self._chart.run(meaning.of) if isinstance(meaning, Except) else None
        empty = before is not None and len(before.members) == size
        return (("s_vacuous", 1.0),) if empty else ()

    # -- yes or no --------------------------------------------------------------------------------

    def _judged(self, item: Item, items: Sequence[Item]) -> Iterator[_Found]:
        if item.open or (item.kind and item.size == 1):
            return
        if not item.name:
            if "most" in item.rules or "most_linked" in item.rules:
                yield from self._chosen(item, item.meaning)  # There is a most of anything.
            else:
                said = self._lex.joints.get("exists", 0) & ~item.mask
                bare = (("s_exists_bare", float(not said)),)
                yield from self._judge(_reads(item, said), Holds(item.meaning), "s_exists", bare)
            return
        for other in items:
            if not other.mask & item.mask and not other.name:
                yield from self._of(item, other)

    def _of(self, item: Item, other: Item) -> Iterator[_Found]:
        """Judge what is said of a name."""
        both = Item(
            item.mask | other.mask,
            (min(item.at[0], other.at[0]), max(item.at[1], other.at[1])),
            other.meaning,
            item.size + other.size,
            hops=item.hops + other.hops,
            chosen=item.chosen + other.chosen,
            rules=(*item.rules, *other.rules, "judge"),
            features=item.features + other.features,
            score=item.score + other.score,
        )
        value = item.meaning.values[0] if isinstance(item.meaning, Given) else None
        if value is None:
            if item.joint == "union" and other.edges:
                named = AllOf((other.meaning, item.meaning))
                if self._lex.joints.get("truth", 0):
                    yield from self._judge(both, Holds(named), "s_exists")
                else:
                    yield from self._chosen(both, named)
            return
        denial = self._chart.denied(item, other)
        if denial is not None:
            minus = self._said_of(item, other)
            denied = Holds(Except(item.meaning, minus))
            yield from self._judge(_reads(both, denial.words), denied, "s_denied")
            return
        if self._chart.outside_denial(item, other):
            return
        offered = self._offered(item, other)
        chosen = list(self._chosen(both, offered)) if offered is not None else []
        if chosen:
            yield from chosen
        elif other.kind and other.joint == "intersection":
            kinds = [self._chart.of_kind(item.meaning, (kind,)) for kind in other.kind]
            yield from self._judge(both, Holds(AllOf(tuple(kinds))), "s_is")
        elif other.kind or other.open:
            yield from self._judge(both, Holds(self._said_of(item, other)), "s_is")
        elif not self._turns(item, other):
            told = self._facing(item, other)
            yield from self._judge(both, Holds(other.meaning, value), "s_contains", told)

    def _turns(self, item: Item, other: Item) -> bool:
        """Tell whether a reading turns round whose the noun is: in "X is the R of Y" it is Y's.

        A label that ends in a small word says the opposite: X has "part of", where X is part of Y.
        """
        hop = other.hops[-1] if len(other.hops) == 1 and len(other.chosen) == 1 else None
        if hop is None or not hop.words or len(hop.edges) != 1:
            return False
        tokens, lexicon = self._text.tokens, self._lexicon
        first, last = min(hop.words), max(hop.words)
        start = other.chosen[0][0].start
        owner = next((at for at in (start, item.at[0]) if last + 1 < at <= last + _NEAR), None)
        if owner is None or not first or lexicon.kind(tokens[first - 1].norm) != "article":
            return False
        between = (token for token in tokens[last + 1 : owner] if token.is_word)
        score = self._evidence.score(hop.edges, _span(other.chosen[0][0]))[hop.edges[0]]
        if score.label < 1.0 or not all(lexicon.is_small(token.norm) for token in between):
            return False
        name, way = hop.edges[0]
        label = self._chart.label(name).split()
        owned = not lexicon.is_small(label[-1].lower()) if label else True
        return owned != ((way is Direction.OUT) == (owner == start))

    def _facing(self, item: Item, other: Item) -> tuple[tuple[str, float], ...]:
        """Tell which way words lead between a name and what is reached from another.

        "Did X influence Y" asks of X for "did _ influence" what of Y is "did influence _".
        """
        sides = [(item.at, flipped(other.edges))]
        if len(other.hops) == 1 and len(other.chosen) == 1:
            sides.append((_span(other.chosen[0][0]), other.edges))
        named = {i for at, _ in sides for i in range(*at)}
        self._faced.add(frozenset(named))
        if len(self._faced) > _FACED:
            return ()  # Of so many names nobody tells who did what.
        places = frozenset(self._evidence.words) - named
        told = {"j_way": 0.0, "j_log": 0.0, "j_unseen": 0.0, "j_phrase": 0.0, "j_turned": 0.0}
        for at, edges in sides if other.edges else ():
            scores = self._evidence.score(edges, at, places).values()
            best = max(scores, key=lambda one: (one.log, one.phrase))
            share = 1 / len(sides)
            told["j_phrase"] += share * best.phrase
            told["j_turned"] += share * best.turned
            if best.seen:
                way = math.log(best.probability + _LITTLE) - math.log(best.back + _LITTLE)
                told["j_way"] += share * way / 3
                told["j_log"] += share * best.log / 3
            else:
                told["j_unseen"] += share
        return tuple(told.items())

    def _offered(self, item: Item, other: Item) -> Meaning | None:
        """Return what holds of the alternatives that are offered for a name: "an A or a B"."""
        joints = self._lex.joints
        if joints.get("truth", 0):
            return None  # "Is X either an A or a B" asks for yes or no.
        if other.kind and other.joint == "union" and isinstance(other.meaning, Kind):
            edges = tuple((name, Direction.OUT) for name in self._lex.via)
            kinds = Given(tuple(EntityValue(id_) for id_ in other.kind))
            return AllOf((Reach(item.meaning, edges), kinds))
        meaning = other.meaning
        joined = isinstance(meaning, Reach) and isinstance(meaning.of, AnyOf)
        if joined and other.mask & joints.get("union", 0):
            assert isinstance(meaning, Reach)
            return AllOf((Reach(item.meaning, flipped(meaning.edges)), meaning.of))
        return None

    def _said_of(self, item: Item, other: Item) -> Meaning:
        """Return those of a name of which something is said."""
        if other.kind and isinstance(other.meaning, Kind):
            return self._chart.of_kind(item.meaning, other.kind)
        if isinstance(other.meaning, Where) and other.open:
            return self._chart.onto(other.meaning, item.meaning)[0][0]
        return AllOf((item.meaning, other.meaning)) if other.kind else other.meaning

    def _judge(
        self, item: Item, meaning: Holds, how: str, told: tuple[tuple[str, float], ...] = ()
    ) -> Iterator[_Found]:
        """Judge a meaning; whether it comes out true says nothing of whether it is meant."""
        result = self._chart.run(meaning)
        if result is not None and result.boolean is not None:
            yield item, meaning, result, ((how, 1.0), *told)

    def _chosen(self, item: Item, meaning: Meaning) -> Iterator[_Found]:
        result = self._chart.run(meaning)
        if result is not None and result.members:
            yield item, meaning, result, (("s_choice", 1.0),)


def _is_plain(item: Item) -> bool:
    """Tell whether an item is one relation from one name: these are proposed elsewhere."""
    plain = isinstance(item.meaning, Reach) and isinstance(item.meaning.of, Given)
    return plain and item.rules == ("hop",) and not item.joint


def _span(mention: Mention) -> tuple[int, int]:
    return mention.start, mention.end


def _reads(item: Item, mask: int) -> Item:
    return replace(item, mask=item.mask | mask)


def _reading(
    item: Item,
    meaning: Meaning,
    result: Ran,
    features: tuple[tuple[str, float], ...],
) -> Reading:
    named = {i for mention, _ in item.chosen for i in mention.span}
    said = {i for hop in item.hops for i in hop.words}
    members = result.members
    values = dict(item.features)
    for name, value in features:
        values[name] = values.get(name, 0.0) + value
    judged = isinstance(meaning, Holds)
    if judged:
        # Half of all readings come out true: only those agree that judge the same.
        along = frozenset(name for hop in item.hops for name, _ in hop.edges)
        things = frozenset(candidate.value for _, candidate in item.chosen)
        key: object = ("judged", result.boolean, along, things)
    elif isinstance(meaning, Number):
        key = ("number", len(members))
    else:
        key = denotation(members, len(members))
    return Reading(
        lower(meaning),
        item.chosen,
        item.hops,
        structure=places_of(item.mask) - named - said,
        rules=item.rules,
        sample=() if judged else tuple(members[:_SAMPLE]),
        size=1 if judged else len(members),
        features=tuple(values.items()),
        denotation=key,
        judged=judged,
    )
