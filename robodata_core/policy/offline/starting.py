"""Where a program may begin: from what is named, from a class narrowed by origin, from a class.

"Films by X" begins at X, "Japanese cities" at the cities that Japan leads to, "which rivers ..." at
all rivers. What a beginning may lead to is grown in ``grow``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.offline import ahead
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.constrain import Constrainer
from robodata_core.policy.offline.lying import Places
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.words import GENERIC_NOUNS, singular
from robodata_core.programs.steps import FilterByType, Start

__all__ = ["Starting"]

_MAX_STARTS: Final = 6
_DOMINANT: Final = 10
_INSTANCES: Final = 60
_MEANT: Final = 2
_TRIED: Final = 12
#: Members of a class that are asked whether they are classes.
_SAMPLE: Final = 12


@dataclass(frozen=True, slots=True)
class Starting:
    """Finds where the programs of a request begin.

    Attributes:
        reader: What the graph holds.
        question: The words.
        via: Relations that lead from something to its class.
        above: Those of them that lead from one class to another.
        belonging: Relations by which things belong to a place or a group.
        places: Widens a place to all that lies in it.
    """

    reader: Reader
    question: Question
    via: Sequence[str]
    above: frozenset[str]
    belonging: frozenset[str]
    places: Places

    def candidates(
        self, request: Request, linking: Linking, constrainer: Constrainer
    ) -> list[Candidate]:
        """Return the first sets of a request, at most six; names go before classes."""
        starts: list[Candidate] = []
        groups = self._groups(linking, constrainer)
        grouped = {
            i
            for group in groups
            if group.edges[0].origin
            for link in group.links
            for i in link.mention.span
        }
        focus = request.focus
        ordered = sorted(
            linking.mentions, key=lambda m: (not m.proper, m.demonym, bool(m.span & focus), m.start)
        )
        proper = any(mention.proper and not mention.demonym for mention in linking.mentions)
        for mention in ordered:
            if mention.span & grouped or mention.demonym or (proper and not mention.proper):
                continue
            starts += self._from(mention)
        beyond = [g for g in groups if not g.links[0].mention.span & focus]
        starts += beyond or groups
        origins = {m.start for m in linking.mentions if m.demonym}
        # "Which philosophers are German": an adjective of origin does not name anything.
        open_ = not groups and all(s.links[0].mention.start in origins for s in starts)
        listing = any(self._lists(mention) for mention in linking.mentions)
        if open_ or listing or all(not s.links[0].mention.proper for s in starts):
            starts += self._from_classes(linking, constrainer)
        named = [start for start in starts if not self._is_general(start.links[0].mention)]
        if not named:
            starts = constrainer.dated.starts() + starts
        starts = starts[:_MAX_STARTS]
        wide = (self.places.widened(s) for s in starts if isinstance(s.steps[-1], Start))
        return [*starts, *(start for start in wide if start is not None)]

    def _lists(self, mention: Mention) -> bool:
        """Tell whether a name begins as a class does: "countries bordering the Baltic Sea"."""
        first = self.question.tokens[mention.start]
        plural = singular(first.norm) != first.norm
        return mention.end - mention.start > 1 and plural and not first.capitalised

    def _is_general(self, mention: Mention) -> bool:
        """Tell whether a mention is a noun as general as "people" or "things"."""
        return not mention.proper and all(
            self.question.tokens[i].norm in GENERIC_NOUNS for i in mention.span
        )

    def _from(self, mention: Mention) -> list[Candidate]:
        """Start from a mention: homonyms together, then less likely entities one by one."""
        if not mention.entities:
            return []
        best = mention.entities[0]
        if mention.whole:
            return [self._start(mention, mention.entities, best.quality)]
        together = [
            item
            for item in mention.entities
            if item.quality == best.quality
            and item.label.casefold() == best.label.casefold()
            and item.popularity * _DOMINANT >= best.popularity
        ]
        # Where one is written just so and the other is not, the writing decides.
        together = [item for item in together if item.label == mention.text] or together
        rest = [item for item in mention.entities if item not in together][:2]
        starts = [self._start(mention, together, best.quality)]
        starts += [self._start(mention, [item], item.quality * 0.93) for item in rest]
        return starts

    @staticmethod
    def _start(mention: Mention, items: Sequence[Linked], quality: float) -> Candidate:
        link = Link(mention, tuple(item.id for item in items), quality)
        return Candidate.start(link, mention.span)

    def _groups(self, linking: Linking, constrainer: Constrainer) -> list[Candidate]:
        """Start from "Japanese cities": a class narrowed by where things are from."""
        pairs = [
            (origin, mention)
            for origin in linking.mentions
            for mention in linking.mentions
            if origin.demonym and mention.start == origin.end and not mention.proper
        ]
        pairs += self._of_groups(linking, constrainer)
        ids = [item.id for origin, _ in pairs for item in origin.entities[:_MEANT]]
        ahead.groups(self.reader, ids, _TRIED, constrainer)
        groups = (self._group(origin, mention, constrainer) for origin, mention in pairs)
        return [group for group in groups if group is not None]

    def _of_groups(
        self, linking: Linking, constrainer: Constrainer
    ) -> list[tuple[Mention, Mention]]:
        """Find "countries of Asia", "OECD countries": a class narrowed by what it belongs to."""
        tokens = self.question.tokens
        found = []
        for origin in linking.mentions:
            for mention in linking.mentions:
                gap = [token.norm for token in tokens[mention.end : origin.start]]
                compound = origin.proper and origin.end == mention.start
                joined = compound or gap[:1] in (["of"], ["in"], ["from"])
                if mention.proper or origin.demonym or not joined:
                    continue
                head = tokens[mention.end - 1].norm
                if singular(head) == head:
                    continue  # "the capital of X" is a relation, "countries of X" a class
                if gap[1:] not in ([], ["the"]) or self._has_relation(origin, mention, constrainer):
                    continue
                found.append((origin, mention))
        return found

    def _has_relation(self, origin: Mention, noun: Mention, constrainer: Constrainer) -> bool:
        """Tell whether the noun names a relation that the other mention has itself."""
        values = [EntityValue(item.id) for item in origin.entities[:3]]
        return any(
            match.span & noun.span and self.reader.any_of(values, match.reading.hops[0])
            for match in constrainer.matches
        )

    def _group(
        self, origin: Mention, mention: Mention, constrainer: Constrainer
    ) -> Candidate | None:
        """Narrow a class by the relation that most of it has; one of belonging goes before others.

        Countries have diplomatic relations with the European Union in greater number than they
        are members of it.
        """
        first, last = min(origin.start, mention.start), max(origin.end, mention.end)
        whole = Mention(first, last, self.question.raw(first, last), (), True)
        lying = self.belonging if origin.demonym else self._lying(mention, origin, constrainer)
        for item in origin.entities[:_MEANT]:
            start = Candidate.start(Link(whole, (item.id,), item.quality, True), origin.span)
            around = self.reader.relations(item.id)
            best: tuple[bool, int, Candidate] | None = None
            for (name, way), _ in sorted(around.items(), key=lambda pair: -pair[1])[:_TRIED]:
                if way is not Direction.IN:
                    continue
                if lying and name not in lying:
                    continue
                hop = ((name, way),)
                values = self.reader.along(start.nodes, hop[0])
                use = EdgeUse(hop, origin.span, 0.85, origin=origin.demonym)
                typed = constrainer.of_class(start.follow(use, values), mention)
                if typed is None:
                    continue
                worth = (name in self.belonging, len(typed.nodes))
                if best is None or worth > best[:2]:
                    best = (*worth, typed)
            if best is not None:
                return best[2]
        return None

    def _lying(self, noun: Mention, place: Mention, constrainer: Constrainer) -> Set[str]:
        """Return the relations that "in" or "from" may stand for; nothing where any may be meant.

        What is in Germany is not what has to do with Germany.
        """
        at = noun.end
        if place.end == noun.start:
            return self.belonging
        if place.start <= at or self.question.tokens[at].norm == "of":
            return frozenset()
        said = {n for m in constrainer.matches if m.start == at for n, _ in m.reading.hops[0]}
        return self.belonging and self.belonging | said

    def _from_classes(self, linking: Linking, constrainer: Constrainer) -> list[Candidate]:
        """Start from all members of a class, where nothing else is named."""
        found = []
        ahead.classes(self.reader, linking, self.via)
        for mention in linking.mentions:
            link = constrainer.class_of(mention)
            named = mention.proper and not self._lists(mention)
            if link is None or named or self._is_general(mention):
                continue
            via = tuple(
                name
                for name in self.via
                if (name, Direction.IN) in self.reader.relations(link.ids[0])
            )
            first = [EntityValue(link.ids[0])]
            found_by = {name: self.reader.along(first, (name, Direction.IN)) for name in via}
            via = self._of_members(found_by)
            nodes = tuple(dict.fromkeys(v for name in via for v in found_by[name]))
            if nodes:
                step = FilterByType("n0", "", link.ids, via)
                found.append(
                    Candidate(
                        (step,), "n0", nodes[:_INSTANCES], ("n0",), mention.span, (), (link,),
                        typed=True,
                    )
                )  # fmt: skip
        return found

    def _of_members(self, found_by: Mapping[str, Sequence[Value]]) -> tuple[str, ...]:
        """Return the relations by which a class has its members.

        Countries are instances, and island nations no country but a kind of it; where what a class
        has are classes, as instruments and dishes are, its kinds are among what it has.
        """
        names = tuple(name for name in found_by if name not in self.above)
        members = [v.id for n in names for v in found_by[n] if isinstance(v, EntityValue)]
        sample = members[:_SAMPLE]
        classes = [
            id_ for id_ in sample
            if not self.above.isdisjoint(name for name, _ in self.reader.relations(id_))
        ]  # fmt: skip
        return names if sample and 2 * len(classes) < len(sample) else tuple(found_by)
