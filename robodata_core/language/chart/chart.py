"""The chart: items grow along relations really there, by conditions, and by joining two.

An item reads some tokens and means a set. What leads nowhere in the graph is dropped at once.
Which reading is meant is not decided here; items only carry what speaks for and against them, and
a score by which the chart is kept small (SEMPRE's floating parser: Pasupat and Liang 2015).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.language.chart.items import (
    Denial,
    Item,
    Lexical,
    Pick,
    bits,
    mask_of,
)
from robodata_core.language.chart.running import Ran, Runner
from robodata_core.language.lexicon.relations import Evidence, RelationScore
from robodata_core.language.meaning import (
    AllOf,
    AnyOf,
    Applied,
    Except,
    Given,
    Kind,
    Linked,
    Meaning,
    Most,
    MostLinked,
    OfKind,
    Reach,
    Where,
    flipped,
)
from robodata_core.language.types import Edge, Hop, Mention, MentionKind, NameMatch
from robodata_core.language.view import View, may_be_alike
from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue, Value
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import Coarsen, Comparison, Elapsed

__all__ = ["Chart"]

_SIZES: Final = 6
_TRIED: Final = 80
_RUNS: Final = 400
_ALIKE: Final = 6
_RELATIONS: Final = 5
_MEMBERS: Final = 4
_FARTHEST: Final = 6
#: Of how many members it is looked at what they are.
_LOOKED_AT: Final = 60
_SMALLER: Final = 0.5
_UNITS: Final = 3
#: Most pairs of items that are tried to be joined on one level: very long texts have millions.
_PAIRS: Final = 20_000
_GROWN: Final = 4_000
"""Most items made on one level: long lists of words that pick are tried on every item."""
_VALUES: Final = 50

_Feature = tuple[str, float]


class Chart:
    """Builds the items of one text.

    Args:
        lexical: What its words may stand for.
        evidence: What its words say of relations.
        view: What is really there.
        executor: Runs parts of readings, to drop what leads nowhere.
        cancel: Asked between steps.
        judges: Whether the text asks for yes or no.
    """

    def __init__(
        self,
        lexical: Lexical,
        evidence: Evidence,
        view: View,
        executor: Executor,
        cancel: CancelToken | None = None,
        *,
        judges: bool = False,
    ) -> None:
        self._judges = judges
        self._lex = lexical
        self._evidence = evidence
        self._view = view
        self._runner = Runner(view, executor, _RUNS, cancel)
        self._around: dict[Meaning, dict[Edge, int]] = {}
        self._rarity = [(1 << i, weight) for i, weight in evidence.rarity.items()]

    # -- running --------------------------------------------------------------------------------

    def run(self, meaning: Meaning) -> Ran | None:
        """Return what a meaning gives; None where it cannot be run, or too much was run."""
        return self._runner.run(meaning)

    def label(self, name: str) -> str:
        """Return the label of a relation."""
        return self._view.properties((name,))[name].label

    def _leads(self, item: Item) -> bool:
        if item.name or item.open or isinstance(item.meaning, Except):
            return True
        result = self.run(item.meaning)
        return result is not None and bool(result.members)

    # -- building -------------------------------------------------------------------------------

    def items(self) -> list[Item]:
        """Return all items that lead somewhere, in the order they were built."""
        level = list(_best(self._lexical()).values())
        every = list(level)
        seen = {(item.mask, item.meaning) for item in every}
        for _ in range(2, _SIZES + 1):
            new = _best(self._grown(level, every))
            level = self._kept([item for key, item in new.items() if key not in seen])
            if not level:
                break
            seen.update((item.mask, item.meaning) for item in level)
            every += level
        return every

    def _kept(self, items: list[Item]) -> list[Item]:
        kept: list[Item] = []
        alike: dict[int, int] = {}
        tried = 0
        for item in sorted(items, key=lambda item: -self.priority(item)):
            if tried >= _TRIED:
                break
            if alike.get(item.mask, 0) >= _ALIKE:
                continue
            tried += 1
            if self._leads(item):
                kept.append(item)
                alike[item.mask] = alike.get(item.mask, 0) + 1
        return kept

    def _make(self, item: Item, *features: _Feature, promise: float = 0.0) -> Item:
        """Return an item with further features and its score."""
        total = dict(item.features)
        for name, value in features:
            if value:
                total[name] = total.get(name, 0.0) + value
        return replace(item, features=tuple(total.items()), score=item.score + promise)

    def priority(self, item: Item) -> float:
        """Return by what the chart is pruned: what is read, and how well it fits."""
        read = sum(weight for bit, weight in self._rarity if item.mask & bit)
        return read + item.score - _SMALLER * item.size

    def _lexical(self) -> Iterator[Item]:
        for mention in self._lex.mentions:
            yield from self._named(mention)
        for limit in self._lex.limits:
            for meaning, mask in limit.sets:
                item = Item(mask, _extent(mask), meaning, open=True, rules=("limit",))
                yield self._make(item, ("s_limit_said", float(mask != limit.mask)))
        yield from self._of_all()

    def _of_all(self) -> Iterator[Item]:
        """Count what words name, of whatever has it: "who has the most children"."""
        for edge, words in self._lex.countable:
            for turned, ((name, way),) in enumerate(((edge,), flipped((edge,)))):
                spoken = self._evidence.score(((name, way),), None)[name, way]
                told = (("s_turned", float(turned)), ("s_all", 1.0), *_counting(spoken))
                for pick in self._lex.picks:
                    mask = pick.mask | words
                    if pick.counts and not pick.mask & words:
                        most = MostLinked(None, (name,), way, pick.largest)
                        item = Item(mask, _extent(mask), most, rules=("most_linked",))
                        often = ("s_often", float(pick.often))
                        yield self._make(item, *told, often, promise=-float(turned))
                for limit in self._lex.limits:
                    if limit.number is not None and not limit.mask & words:
                        mask = limit.mask | words
                        linked = Linked(None, (name,), way, limit.comparison, limit.number)
                        item = Item(mask, _extent(mask), linked, rules=("linked",))
                        yield self._make(item, *told, promise=-float(turned))

    def _named(self, mention: Mention) -> Iterator[Item]:
        mask = bits(mention.start, mention.end)
        for rank, candidate in enumerate(mention.candidates):
            assert isinstance(candidate.value, EntityValue)
            item = Item(
                mask, (mention.start, mention.end), Given((candidate.value,)),
                chosen=((mention, candidate),),
            )  # fmt: skip
            promise = -1.0 * rank
            if candidate.kind is MentionKind.CLASS:
                kind = (candidate.value.id,)
                via = self._view.membership(candidate.value.id)
                meaning = Kind(kind, via)
                yield self._make(replace(item, meaning=meaning, kind=kind, rules=("kind",)))
                continue
            yield self._make(replace(item, name=True), promise=promise)
            if candidate.match is NameMatch.ORIGIN:
                edges = tuple((name, Direction.IN) for name in self._lex.belonging)
                if edges:
                    yield self._make(
                        replace(item, meaning=Reach(item.meaning, edges), edges=edges,
                                rules=("origin",)),
                        promise=promise,
                    )  # fmt: skip

    def _grown(self, level: Sequence[Item], every: Sequence[Item]) -> Iterator[Item]:
        for item in level:
            yield from self._hops(item)
            yield from self._longs(item)
            yield from self._than(item)
            yield from self._counted(item)
            yield from self._picked(item)
            yield from self._lacking(item)
            yield from self._told(item)
            yield from self._shared(item)
        pairs = (
            (other, item)
            for item in level
            for other in every
            if item.size + other.size <= _SIZES
            and not item.mask & other.mask & ~_shared(item, other)
        )
        for other, item in itertools.islice(pairs, _PAIRS):
            yield from self._joined(other, item)

    # -- along relations --------------------------------------------------------------------------

    def around(self, item: Item) -> dict[Edge, int]:
        """Return the relations really there around some members of a set, with counts."""
        known = self._around.get(item.meaning)
        if known is None:
            known = {}
            result = self.run(item.meaning)
            members = result.members[:_MEMBERS] if result is not None else ()
            for value in members:
                if isinstance(value, EntityValue):
                    for edge, number in self._view.relations(value.id).items():
                        known[edge] = known.get(edge, 0) + number
            self._around[item.meaning] = known
        return known

    def _hops(self, item: Item) -> Iterator[Item]:
        """Follow relations that words which are left speak of."""
        if item.open or (item.joint and not item.name) or _is_bare(item):
            return
        if item.joint == "list":  # Of "X, Y or Z" the beginning; "X, Y" alone is X in Y.
            return
        if item.hops and not self._is_said(item.hops[-1]):
            return
        around = self.around(item)
        scores = self._evidence.offered(around, item.at)
        best = sorted(scores.items(), key=lambda pair: -_promise(pair[1]))[:_RELATIONS]
        if item.name and not item.joint:
            yield from self._paired(item, best)
        phrased: dict[frozenset[int], list[tuple[Edge, RelationScore]]] = {}
        for edge, score in best:
            if item.kind and not score.said:
                continue  # From all of a class only along what is called by its name.
            if score.phrase and score.said:
                phrased.setdefault(score.said, []).append((edge, score))
            yield from self._hop(item, (edge,), score, ("s_from_kind", float(bool(item.kind))))
        for some in phrased.values():
            if len(some) > 1:
                edges = tuple(edge for edge, _ in some)
                yield from self._hop(item, edges, some[0][1], ("s_union", 1.0))

    def _is_said(self, hop: Hop) -> bool:
        """Tell whether more than a small word speaks of a hop that others are to follow.

        What a place lies in is said by no more than "in".
        """
        within = self._view.containments
        lies = bool(hop.words) and all(name in within for name, _ in hop.edges)
        return lies or not self._evidence.content.keys().isdisjoint(hop.words)

    def _hop(
        self, item: Item, edges: tuple[Edge, ...], score: RelationScore, *features: _Feature
    ) -> Iterator[Item]:
        words = self._nearest(score.said, item) or self._nearest(score.explained, item)
        bare = not words
        back = bool(set(flipped(item.edges)) & set(edges))
        if (bare and not item.name) or (back and not isinstance(item.meaning, Reach)):
            return
        mask = mask_of(words)
        at = _hull(item.at, mask)
        gap = _distance(item.at, mask)
        base = replace(
            item, mask=item.mask | mask, at=at, meaning=Reach(item.meaning, edges),
            size=item.size + 1, name=False, joint="", kind=(), edges=edges,
            hops=(*item.hops, Hop(edges, words, item.at, at)), rules=(*item.rules, "hop"),
        )  # fmt: skip
        if back and isinstance(item.meaning, Reach):
            # All that have the same, without the ones from which it was walked there.
            base = replace(base, meaning=Except(base.meaning, item.meaning.of))
        inside = bool(words) and item.at[0] < min(words) and max(words) < item.at[1]
        told = (
            *features, ("s_bare", float(bare)), ("s_gap", gap), ("s_back", float(back)),
            ("s_inside", float(inside)),
        )  # fmt: skip
        if item.name and item.joint == "intersection" and isinstance(item.meaning, AnyOf):
            each = tuple(Reach(one, edges) for one in item.meaning.sets)
            same = base.mask | self._lex.joints.get("sharing", 0)
            both = AnyOf(each) if self._is_one_each(each) else AllOf(each)
            base = replace(base, meaning=both, mask=same, rules=(*base.rules, "distributed"))
        yield self._make(base, *told, promise=_promise(score) - gap)

    def _is_one_each(self, sets: Sequence[Reach]) -> bool:
        """Tell whether several things have one value each: "where were X and Y born" is two."""
        if self._judges or self._lex.joints.get("sharing", 0):
            return False
        found = [ran.members for one in sets if (ran := self.run(one)) is not None]
        single = len(found) == len(sets) and all(len(members) == 1 for members in found)
        return single and len({members[0] for members in found}) > 1

    def _paired(self, item: Item, best: Sequence[tuple[Edge, RelationScore]]) -> Iterator[Item]:
        """Follow two relations that joined words name: "born or died in X"."""
        joints = self._lex.joints
        for edge, score in best:
            for other, second in best:
                first, last = mask_of(score.said), mask_of(second.said)
                if not first or not last or first & last or first > last:
                    continue
                between = bits(_extent(first)[1], _extent(last)[0])
                ors, ands = (
                    between & joints.get("union", 0),
                    between & joints.get("intersection", 0),
                )
                if not ors | ands or between & ~(ors | ands | self._lex.light):
                    continue
                sets = (Reach(item.meaning, (edge,)), Reach(item.meaning, (other,)))
                mask = first | last | ors | ands
                at = _hull(item.at, mask)
                hops = (Hop((edge,), score.said, item.at, _hull(item.at, first)),
                        Hop((other,), second.said, item.at, _hull(item.at, last)))  # fmt: skip
                joined = replace(
                    item, mask=item.mask | mask, at=at,
                    meaning=AnyOf(sets) if ors else AllOf(sets), size=item.size + 1, name=False,
                    edges=(edge,), hops=hops, rules=(*item.rules, "paired"),
                )  # fmt: skip
                yield self._make(joined, promise=_promise(score) + _promise(second))

    def _nearest(self, places: Iterable[int], item: Item) -> frozenset[int]:
        """Return the words a hop reads: of a word said twice the one that is nearer."""
        found: dict[str, int] = {}
        for place in sorted(places):
            root = self._evidence.content.get(place, str(place))
            if item.mask >> place & 1:
                continue
            known = found.get(root)
            near = _distance(item.at, 1 << place)
            if known is None or near < _distance(item.at, 1 << known):
                found[root] = place
        return frozenset(found.values())

    def _longs(self, item: Item) -> Iterator[Item]:
        """Follow a walk of several hops that words name ("grandmother")."""
        if item.open or item.kind or item.joint or _is_bare(item):
            return
        for long in self._lex.longs:
            if long.mask & item.mask:
                continue
            words = frozenset(i for i in self._evidence.content if long.mask >> i & 1)
            meaning, hops, at = item.meaning, item.hops, _hull(item.at, long.mask)
            *before, last = long.hops
            for edges in before:
                meaning = Reach(meaning, edges)
                hops = (*hops, Hop(edges, words, item.at, at))
            exact: Meaning | None = Reach(meaning, last) if last else None
            if exact is not None:
                result = self.run(exact)
                exact = exact if result is not None and result.members else None
            if exact is not None and not before:
                continue  # That is one relation by its name.
            ends = [exact] if exact else self._fitting(Reach(meaning, long.broader), long.only)
            if not ends:
                continue
            edges = last if exact else long.broader
            yield self._make(
                replace(item, mask=item.mask | long.mask, at=at, edges=edges,
                        meaning=ends[0] if len(ends) == 1 else AnyOf(tuple(ends)),
                        hops=(*hops, Hop(edges, words, item.at, at)),
                        size=item.size + 1, name=False,
                        rules=(*item.rules, "long" if exact else "narrowed")),
                ("s_gap", _distance(item.at, long.mask)), promise=2.0,
            )  # fmt: skip

    def _fitting(self, of: Meaning, only: Sequence[tuple[str, Value]]) -> list[Meaning]:
        """Return those of a set with one of some values, where it is stated of them all."""
        result = self.run(of)
        members = result.members if result is not None else ()
        ids = [value.id for value in members if isinstance(value, EntityValue)]
        return [
            Where(of, name, Comparison.EQ, value)
            for name, value in only
            if all((name, Direction.OUT) in self._view.relations(id_) for id_ in ids)
        ]

    def _shared(self, item: Item) -> Iterator[Item]:
        """Go to what something has and back to all that have the same: "the same place as X"."""
        mask = self._lex.joints.get("sharing", 0)
        if not mask or mask & item.mask or not isinstance(item.meaning, Reach):
            return
        back = Reach(item.meaning, flipped(item.edges))
        yield self._make(
            replace(item, mask=item.mask | mask, size=item.size + 1, edges=back.edges,
                    meaning=Except(back, item.meaning.of), rules=(*item.rules, "sharing")),
            promise=1.0,
        )  # fmt: skip

    # -- conditions -------------------------------------------------------------------------------

    def _than(self, item: Item) -> Iterator[Item]:
        """Compare with the value of something that is named ("older than X")."""
        if not item.name or item.joint:
            return
        for limit in self._lex.limits:
            if limit.mask & item.mask or limit.other != item.at[0]:
                continue
            for rank, (name, comparison) in enumerate(limit.properties):
                values = self.run(Reach(item.meaning, ((name, Direction.OUT),)))
                if values is None or len(values.members) != 1:
                    continue
                meaning = Where(None, name, comparison, values.members[0])
                mask = item.mask | limit.mask
                yield self._make(
                    replace(item, mask=mask, at=_extent(mask), meaning=meaning, name=False,
                            open=True, size=item.size + 1, rules=(*item.rules, "than")),
                    ("s_rank", rank), promise=-0.5 * rank,
                )  # fmt: skip

    def _onto(self, condition: Where, of: Meaning | None) -> Iterator[tuple[Meaning, int]]:
        """Put a condition on a set, in the units its values have; with words for the unit."""
        inner: list[Meaning | None] = [of]
        if condition.of is not None:
            assert isinstance(condition.of, Where)
            inner = [meaning for meaning, _ in self._onto(condition.of, of)]
        for meaning in inner:
            if not isinstance(condition.value, QuantityValue) or condition.value.unit:
                yield replace(condition, of=meaning), 0
                continue
            for unit in sorted(self._units(condition.property, of), key=str)[:_UNITS]:
                value = QuantityValue(condition.value.amount, unit)
                yield replace(condition, of=meaning, value=value), self._unit_words(unit)

    def _units(self, property_: str, of: Meaning | None) -> frozenset[str | None]:
        if of is None:
            return self._view.units(property_)
        values = self.run(Reach(of, ((property_, Direction.OUT),)))
        members = values.members[:_VALUES] if values is not None else ()
        return frozenset(v.unit for v in members if isinstance(v, QuantityValue))

    def _unit_words(self, unit: str | None) -> int:
        if unit is None:
            return 0
        roots = self._evidence.roots(self._view.label(unit))
        return mask_of(i for i, root in self._evidence.content.items() if root in roots)

    def onto(self, condition: Where, of: Meaning | None) -> list[tuple[Meaning, int]]:
        """Return a condition put on a set, or on everything, with the words read for its unit."""
        return list(self._onto(condition, of)) or [(replace(condition, of=of), 0)]

    def _counted(self, item: Item) -> Iterator[Item]:
        """Limit how many others the members of a set are joined to."""
        if item.name or item.open:
            return
        for limit in self._lex.limits:
            if limit.number is None or limit.mask & item.mask:
                continue
            for (name, way), words, score in self._countable(item, limit.mask):
                meaning = Linked(item.meaning, (name,), way, limit.comparison, limit.number)
                mask, told = limit.mask | words, _counting(score)
                yield self._put(item, meaning, mask, "linked", _promise(score), *told)

    def _countable(self, item: Item, taken: int) -> Iterator[tuple[Edge, int, RelationScore]]:
        """Yield what can be counted of a set's members, with the words that name it."""
        scores = self._evidence.score(self.around(item), item.at)
        best = sorted(scores.items(), key=lambda pair: -_promise(pair[1]))[:_RELATIONS]
        for edge, score in best:
            words = mask_of(i for i in score.said if i in self._evidence.content) & ~item.mask
            if words and not words & taken:
                yield edge, words, score

    def _picked(self, item: Item) -> Iterator[Item]:
        """Take the extreme of a set."""
        if (
            item.open
            or (item.name and not item.joint)
            or item.joint == "intersection"
            or _is_bare(item)
        ):
            return
        for pick in self._lex.picks:
            if pick.mask & item.mask:
                continue
            for rank, (name, largest, mask) in enumerate(pick.properties):
                if not mask & item.mask and not self._lacks(item, name):
                    more = ("s_said", float(mask != pick.mask))
                    meaning: Meaning = Most(item.meaning, name, largest)
                    yield self._put(item, meaning, mask, "most", -0.3 * rank, more)
            if pick.counts:
                yield from self._most_linked(item, pick)

    def _lacks(self, item: Item, property_: str) -> bool:
        """Tell whether one of several that are named has no value to be compared by."""
        if not item.joint or not isinstance(item.meaning, AnyOf):
            return False
        of_each = (self.run(Reach(one, ((property_, Direction.OUT),))) for one in item.meaning.sets)
        return item.name and any(ran is None or not ran.members for ran in of_each)

    def _most_linked(self, item: Item, pick: Pick) -> Iterator[Item]:
        for (name, way), words, score in self._countable(item, pick.mask):
            meaning = MostLinked(item.meaning, (name,), way, pick.largest)
            mask, told = pick.mask | words, _counting(score)
            yield self._put(item, meaning, mask, "most_linked", _promise(score), *told)

    def _put(
        self, item: Item, meaning: Meaning, mask: int, rule: str, promise: float, *more: _Feature
    ) -> Item:
        return self._make(
            replace(item, mask=item.mask | mask, at=_hull(item.at, mask), meaning=meaning,
                    name=False, joint="", kind=(), size=item.size + 1,
                    rules=(*item.rules, rule)),
            *more, ("s_gap", _distance(item.at, mask)), promise=promise,
        )  # fmt: skip

    def _told(self, item: Item) -> Iterator[Item]:
        """Tell a time to the precision that is asked for; reckon how long something lasted."""
        if item.name and not item.joint:
            yield from self._lived(item)
        if not isinstance(item.meaning, Reach) or not item.edges:
            return
        result = self.run(item.meaning)
        if result is None or not result.members or not isinstance(result.members[0], TimeValue):
            return
        for mask, precision in self._lex.parts:
            make = Coarsen("", "", item.edges[0][0], precision)
            meaning = Applied(make, (item.meaning.of,), ("source",))
            yield self._put(item, meaning, mask, "told", 0.5)
        for mask, stretch in self._lex.lifetimes:
            if not mask & item.mask:
                for begin in self._view.birth_relations:
                    start = Reach(item.meaning.of, ((begin, Direction.OUT),))
                    parts = (start, item.meaning)
                    lasted = Applied(Elapsed("", "", "", stretch), parts, ("source", "target"))
                    yield self._put(item, lasted, mask, "lasted", 0.5)

    def _lived(self, item: Item) -> Iterator[Item]:
        """Reckon how long a life lasted, where only its length is asked for."""
        for mask, stretch in self._lex.lifetimes:
            for begin in self._view.birth_relations:
                for end in self._view.death_relations:
                    parts = tuple(
                        Reach(item.meaning, ((name, Direction.OUT),)) for name in (begin, end)
                    )
                    if not mask & item.mask and all(map(self.run, parts)):
                        whole = Applied(Elapsed("", "", "", stretch), parts, ("source", "target"))
                        yield self._put(item, whole, mask, "lasted", 0.0, ("s_bare", 1.0))

    # -- joining two ------------------------------------------------------------------------------

    def _joined(self, a: Item, b: Item) -> Iterator[Item]:
        if a.mask & b.mask:
            yield from self._overlapping(a, b)
            return
        for one, other in ((a, b), (b, a)):
            denial = self.denied(one, other)
            if denial is not None:
                yield from self._excepted(one, other, denial)
                return
        if self.outside_denial(a, b):
            return
        first, second = (a, b) if a.at <= b.at else (b, a)
        if a.kind and b.kind and self._goes_on(first, second):
            yield from self._listed(first, second)
            return
        for one, other in ((a, b), (b, a)):
            if other.open and not one.open and (not one.name or one.joint):
                yield from self._limited(one, other)
            if other.kind and not one.open and (one.edges or one.size > 1) and not one.name:
                yield self._both(one, other, self.of_kind(one.meaning, other.kind), "of_kind")
        yield from self._listed(first, second)
        if _whole(a) and _whole(b):
            yield from self._put_together(first, second)

    def _put_together(self, first: Item, second: Item) -> Iterator[Item]:
        """Join two sets by what stands between them."""
        ors = bits(first.at[1], second.at[0]) & self._lex.joints.get("union", 0)
        if ors and not self._alike(first, second):
            return
        sets = (first.meaning, second.meaning)
        joined: Meaning = AnyOf(sets) if ors else AllOf(sets)
        item = self._both(first, second, joined, "union" if ors else "intersection")
        ands = bits(first.at[1], second.at[0]) & self._lex.joints.get("intersection", 0)
        yield replace(item, mask=item.mask | ors | ands)

    def _goes_on(self, first: Item, second: Item) -> bool:
        """Tell whether two kinds stand in one list: of "an A, a B or a C" nothing is both."""
        between = bits(first.at[1], second.at[0])
        commas = between & self._lex.joints.get("comma", 0)
        return bool(commas and second.joint) and not between & ~(commas | self._lex.light)

    def _alike(self, a: Item, b: Item) -> bool:
        """Tell whether two sets hold things of one kind: nobody asks for a town or a person."""
        kinds: list[set[object]] = []
        for item in (a, b):
            result = self.run(item.meaning)
            found: set[object] = set()
            for value in result.members[:_MEMBERS] if result is not None else ():
                if isinstance(value, EntityValue):
                    found.update(self._view.kinds(value.id))
                else:
                    found.add(type(value))
            kinds.append(found)
        if all(kinds):
            return not kinds[0].isdisjoint(kinds[1])
        return a.edges[0][1] is b.edges[0][1]  # Values, or those that have them.

    def _overlapping(self, a: Item, b: Item) -> Iterator[Item]:
        """Join what one word or one name says of both: "died of X in Y", "born and died in X"."""
        one, other = (a, b) if min(a.hops[-1].words) < min(b.hops[-1].words) else (b, a)
        between = bits(_extent(mask_of(one.hops[-1].words))[1], min(other.hops[-1].words))
        named = one.chosen == other.chosen
        ors = between & self._lex.joints.get("union", 0) if named else 0
        sets = (one.meaning, other.meaning)
        meaning: Meaning = AnyOf(sets) if ors else AllOf(sets)
        item = self._both(one, other, meaning, "union" if ors else "intersection")
        ands = between & self._lex.joints.get("intersection", 0)
        told = ("s_one_name" if named else "s_one_word", 1.0)
        yield self._make(replace(item, mask=item.mask | ors | ands), told, promise=-1.0)

    def of_kind(self, of: Meaning, kind: tuple[str, ...]) -> OfKind:
        """Return those of a set that are of a kind; subclasses count, where classes are named.

        An occupation says nothing of countries, of which none has one.
        """
        usual, others = self._lex.via[:1], self._lex.via[1:]
        around = {edge for id_ in kind for edge in self._view.relations(id_)}
        told = (name for name in others if (name, Direction.IN) in around)
        return OfKind(of, kind, (*usual, *told, *self._view.class_relations))

    def _limited(self, one: Item, other: Item) -> Iterator[Item]:
        assert isinstance(other.meaning, Where)
        for meaning, words in self._onto(other.meaning, one.meaning):
            item = self._both(one, other, meaning, "where")
            yield replace(item, mask=item.mask | (words & ~one.mask), kind=(), name=False)

    def _both(self, one: Item, other: Item, meaning: Meaning, rule: str) -> Item:
        """Join two items, with the last hop of the first."""
        gap = max(other.at[0] - one.at[1], one.at[0] - other.at[1])
        across = float(gap < 0)
        total = dict(one.features)
        for name, value in other.features:
            total[name] = total.get(name, 0.0) + value
        item = Item(
            one.mask | other.mask,
            (min(one.at[0], other.at[0]), max(one.at[1], other.at[1])),
            meaning,
            one.size + other.size,
            edges=one.edges,
            hops=one.hops + other.hops,
            chosen=one.chosen + other.chosen,
            rules=(*one.rules, *other.rules, rule),
            features=tuple(total.items()),
            score=one.score + other.score,
        )
        near = min(max(gap, 0), _FARTHEST) / _FARTHEST
        return self._make(item, ("s_apart", near), ("s_across", across), promise=-near - across)

    def _listed(self, first: Item, second: Item) -> Iterator[Item]:
        """Put names, or kinds, of a list together: "X, Y or Z"."""
        kinds = isinstance(first.meaning, Kind) and isinstance(second.meaning, Kind)
        if not kinds and not (first.name and second.name and not second.joint):
            return
        joints = self._lex.joints
        ors, ands = joints.get("union", 0), joints.get("intersection", 0)
        between = bits(first.at[1], second.at[0])
        words = between & (ors | ands | joints.get("comma", 0))
        if not words or between & ~(words | self._lex.light):
            return
        joint = (
            "union" if words & ors else "intersection" if words & ands else first.joint or "list"
        )
        if kinds:
            classes = first.kind + second.kind
            item = self._both(first, second, Kind(classes, self._lex.via), "list")
            yield replace(item, mask=item.mask | words, kind=classes, joint=joint)
            return
        sets = first.meaning.sets if isinstance(first.meaning, AnyOf) else (first.meaning,)
        item = self._both(first, second, AnyOf((*sets, second.meaning)), "list")
        yield replace(item, mask=item.mask | words, name=True, joint=joint)

    # -- denials ----------------------------------------------------------------------------------

    def _excepted(self, one: Item, other: Item, denial: Denial) -> Iterator[Item]:
        """Take away what a clause denies."""
        if one.name or one.open:
            return
        minus: list[tuple[Meaning, float]] = []
        if not other.name and not other.open:
            minus.append((other.meaning, 0.0))
        elif other.open and isinstance(other.meaning, Where):
            minus += [(meaning, 0.0) for meaning, _ in self._onto(other.meaning, one.meaning)]
        elif other.name:
            left_out = denial.leaves_out and self._may_be_among(other, one)
            minus += [(other.meaning, 0.0)] if left_out else []
            minus += [(Reach(other.meaning, one.edges), 1.0)] if one.edges else []
        for meaning, gapped in minus:
            item = self._both(one, other, Except(one.meaning, meaning), "minus")
            item = self._make(item, ("s_gapped", gapped))
            yield replace(item, mask=item.mask | denial.words, kind=())

    def _may_be_among(self, name: Item, item: Item) -> bool:
        """Tell whether what is named is of a kind with what an item means: who else leaves it out?

        "Apart from Ashkenazi Jews" leaves nobody out of some writers by name.
        """
        ran = self.run(item.meaning)
        if ran is None or not isinstance(name.meaning, Given) or not ran.members:
            return True
        members = frozenset(ran.members)
        if not members.isdisjoint(name.meaning.values):
            return True
        ours, its = self._kinds(ran.members[:_LOOKED_AT]), self._kinds(name.meaning.values)
        return may_be_alike(ours, its, self._view.superclasses)

    def _kinds(self, values: Iterable[Value]) -> frozenset[str]:
        ids = (value.id for value in values if isinstance(value, EntityValue))
        return frozenset(kind for id_ in ids for kind in self._view.kinds(id_))

    def _lacking(self, item: Item) -> Iterator[Item]:
        """Take away those of whom a denied relation is stated at all: "never married"."""
        if item.name or item.open:
            return
        for denial in self._lex.denials:
            if item.mask & (denial.extent | denial.words):
                continue
            for (name, way), words, score in self._countable(item, denial.words):
                if not words & ~denial.extent:
                    stated = Linked(item.meaning, (name,), way, Comparison.GE, 1)
                    meaning, mask = Except(item.meaning, stated), words | denial.words
                    yield self._put(item, meaning, mask, "lacking", _promise(score))

    def denied(self, one: Item, other: Item) -> Denial | None:
        """Return the denial that spans ``other`` and not ``one``.

        Names may stand before it: "which did Kant not influence".
        """
        if not self._lex.denials:
            return None
        for denial in self._lex.denials:
            if not other.mask & denial.extent or one.mask & (denial.extent | denial.words):
                continue
            outside = other.mask & ~denial.extent
            if not outside or (_within(other, denial.extent) and not outside & ~_named(other)):
                return denial
        return None

    def outside_denial(self, a: Item, b: Item) -> bool:
        """Tell whether one of two items is within a denial that nothing has read yet."""
        return any(
            not (a.mask | b.mask) & denial.words
            and bool(a.mask & denial.extent) != bool(b.mask & denial.extent)
            for denial in self._lex.denials
        )


def _counting(score: RelationScore) -> tuple[_Feature, ...]:
    """Return what words say of a relation that is counted, which is no hop."""
    return (
        ("s_count_log", score.log / 3), ("s_count_label", max(score.label, score.alias)),
        ("s_count_phrase", score.phrase), ("s_count_turned", score.turned),
    )  # fmt: skip


def _promise(score: RelationScore) -> float:
    seen = score.log if score.seen else -6.0
    return seen + 3 * max(score.label, score.alias) + 3 * score.phrase


def _best(items: Iterable[Item]) -> dict[tuple[int, Meaning], Item]:
    """Return the best item of each meaning read from the same tokens."""
    found: dict[tuple[int, Meaning], Item] = {}
    for item in itertools.islice(items, _GROWN):
        known = found.get((item.mask, item.meaning))
        if known is None or known.score < item.score:
            found[item.mask, item.meaning] = item
    return found


def _is_bare(item: Item) -> bool:
    """Tell whether nobody named the last hop: nothing leads on from there."""
    return bool(item.hops) and not item.hops[-1].words


def _within(item: Item, extent: int) -> bool:
    """Tell whether the words for the last relation of an item are all within some tokens."""
    head = mask_of(item.hops[-1].words) if item.hops else 0
    return bool(head) and not head & ~extent


def _named(item: Item) -> int:
    """Return the tokens of the names that an item is of."""
    mask = 0
    for mention, _ in item.chosen:
        mask |= bits(mention.start, mention.end)
    return mask


def _shared(one: Item, other: Item) -> int:
    """Return the tokens that two items may both read: words for their relations, or a name."""
    if not (_whole(one) and _whole(other) and one.hops and other.hops):
        return 0
    first, second = one.hops[-1].words, other.hops[-1].words
    if one.edges == other.edges or not (first and second):
        return 0
    if one.chosen == other.chosen and len(one.hops) == 1 and len(other.hops) == 1:
        return 0 if first & second else _named(one)
    return mask_of(first & second)


def _whole(item: Item) -> bool:
    plain = item.name or item.open or item.kind
    return not plain and bool(item.edges) and not _is_bare(item)


def _extent(mask: int) -> tuple[int, int]:
    return (mask & -mask).bit_length() - 1, mask.bit_length()


def _hull(at: tuple[int, int], mask: int) -> tuple[int, int]:
    if not mask:
        return at
    start, end = _extent(mask)
    return min(at[0], start), max(at[1], end)


def _distance(at: tuple[int, int], mask: int) -> float:
    if not mask:
        return 0.0
    start, end = _extent(mask)
    return min(max(start - at[1], at[0] - end, 0), _FARTHEST) / _FARTHEST
