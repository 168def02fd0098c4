"""Constraints and the form of the answer: what the rest of a question asks of a grown candidate.

A class the question names narrows a set ("which philosophers"), another entity must be joined to
its members ("who has been a member of Y"), an adjective of origin likewise. Then the set is
counted, judged, or taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import Direction, EntityValue, QuantityValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.asking import noun_type
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.facing import facing
from robodata_core.policy.offline.lying import Places
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.question import Request
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Edge, Match, focus_names, reverse
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    MODALS,
    Token,
    said,
    singular,
    stem,
    stems,
)
from robodata_core.policy.offline.years import Years

__all__ = ["FOCUSED", "Constrainer"]

_PREPOSITIONS: Final = said("before value")
_MAX_TRIED: Final = 12
#: Most ways to narrow one candidate that are kept, whatever the question names: each mention may
#: double them. Questions that people ask have six at most.
_MAX_VARIANTS: Final = 24
_FEW: Final = 10
#: Members of a set whose kinds are looked at.
FOCUSED: Final = 24
_SILENT: Final = 0.55
_MODIFIER: Final = 0.75
_ORIGIN: Final = 0.85


@dataclass(frozen=True, slots=True)
class Constrainer:
    """Attaches constraints to candidates of one request.

    Attributes:
        reader: The source.
        index: Relations of the source.
        tokens: The question.
        request: What is asked.
        matches: Readings of the question's phrases.
        mentions: All mentions of the request.
        via: The relations that express types.
        places: Widens a place to what it lies in.
        belonging: Relations by which things belong to a place or a group.
    """

    reader: Reader
    index: RelationIndex
    tokens: Sequence[Token]
    request: Request
    matches: tuple[Match, ...]
    mentions: tuple[Mention, ...]
    via: tuple[str, ...]
    places: Places
    belonging: frozenset[str]

    @property
    def dated(self) -> Years:
        """What keeps to the years that the request names."""
        return Years(
            self.reader, self.index, self.tokens, self.request, self.matches, self.mentions
        )

    def finish(self, candidate: Candidate) -> list[Candidate]:
        """Return the complete candidates that a grown one gives."""
        if self.request.kind is AnswerKind.YES_OR_NO:
            return self._judged(candidate)
        if (not candidate.edges and not candidate.typed) or self._leaves_focus(candidate):
            return []
        variants = self._constrained(candidate)
        if self.request.kind is AnswerKind.NUMBER:
            return [self._counted(variant) for variant in variants]
        return variants

    def type_edges(self) -> tuple[Edge, ...]:
        """Return the relations that express types, as they are followed."""
        return tuple((name, Direction.OUT) for name in self.via)

    def asks_of(self, candidate: Candidate) -> tuple[Edge, ...]:
        """Return the relations that narrowing a candidate may ask for; nothing where none may."""
        free = self.free(candidate)
        judged = self.request.kind is AnswerKind.YES_OR_NO
        if not free or not (candidate.edges or candidate.typed or judged):
            return ()
        edges: dict[Edge, None] = {}
        for mention in free:
            if not mention.demonym and self.class_of(mention) is not None:
                edges.update(dict.fromkeys(self.type_edges()))
            edges.update(dict.fromkeys(edge for edge, _ in self._joins(candidate, mention)))
        return tuple(edges)

    def asks_for_kinds(self, candidate: Candidate) -> bool:
        """Tell whether a candidate may be narrowed to kinds of the name in focus."""
        if self.request.kind is AnswerKind.YES_OR_NO or not (candidate.edges or candidate.typed):
            return False
        focus = (self.tokens[i].norm for i in self.request.focus)
        return any(norm not in FUNCTION_WORDS | GENERIC_NOUNS for norm in focus)

    def _leaves_focus(self, candidate: Candidate) -> bool:
        """Tell whether a walk leads away from what is asked for: "which mathematicians ..."."""
        if not candidate.path or not candidate.links or not self.request.focus:
            return False
        mention, first = candidate.links[0].mention, min(self.request.focus)
        if not first or self.tokens[first - 1].norm not in ("which", "what"):
            return False
        return not mention.proper and max(self.request.focus) in mention.span

    # -- classes ------------------------------------------------------------------------------

    def class_of(self, mention: Mention) -> Link | None:
        """Return the mention as a class, where the graph uses it as one.

        Several of the same name may be meant; one that only goes by it, too, is not.
        """
        found = [
            item
            for item in mention.entities
            if any((name, Direction.IN) in self.reader.relations(item.id) for name in self.via)
        ]
        if not found or mention.demonym or self._asks_for_anything(mention):
            return None
        ids = tuple(item.id for item in found if item.quality >= found[0].quality)
        return Link(mention, ids[:3], mention.entities[0].quality)

    def _asks_for_anything(self, mention: Mention) -> bool:
        """Tell whether a noun leaves open what is asked for, whatever a graph calls so."""
        if self.request.kind is AnswerKind.YES_OR_NO or mention.proper:
            return False
        norms = [self.tokens[i].norm for i in mention.span]
        return all(norm in GENERIC_NOUNS and not noun_type(norm) for norm in norms)

    def of_class(self, candidate: Candidate, mention: Mention) -> Candidate | None:
        """Narrow a candidate to a class."""
        link = self.class_of(mention)
        if link is None:
            return None
        via = self._via_of(link)
        passing = self.reader.is_a(candidate.nodes, frozenset(link.ids), via)
        if not passing:
            return None
        if len(link.ids) > 1:  # "country" is a kind of music, too, which none of these is
            telling = (id_ for id_ in link.ids if self.reader.is_a(passing, frozenset([id_]), via))
            link = replace(link, ids=tuple(telling) or link.ids)
        return candidate.of_type(link.ids, via, passing, link, mention.span | self._saying(via))

    def _saying(self, via: Sequence[str]) -> frozenset[int]:
        """Return the words that name a relation by which a class is meant ("a member of")."""
        edges = {(name, Direction.OUT) for name in via}
        return frozenset(
            i
            for match in self.matches
            if len(match.reading.hops) == 1 and edges & set(match.reading.hops[0])
            for i in match.span
        )

    def _via_of(self, link: Link) -> tuple[str, ...]:
        return tuple(
            name
            for name in self.via
            if any((name, Direction.IN) in self.reader.relations(id_) for id_ in link.ids)
        )

    def of_focus(self, candidate: Candidate) -> Candidate | None:
        """Narrow to types whose label holds the words in focus ("federal state")."""
        words = [
            self.tokens[i]
            for i in sorted(self.request.focus)
            if self.tokens[i].norm not in FUNCTION_WORDS
        ]
        if all(word.norm in GENERIC_NOUNS for word in words):
            return None
        others = {_type_stem(word.norm) for word in words[:-1]}
        heads = (words[-1].norm, *open_lexicon().synonyms(singular(words[-1].norm)))
        ids = [value.id for value in candidate.nodes if isinstance(value, EntityValue)]
        sample = self.reader.entities(ids[:FOCUSED])
        types = {kind for item in sample.values() for kind in item.types}
        fitting = tuple(
            sorted(
                kind
                for kind, entity in self.reader.entities(sorted(types)).items()
                if any(_fits(others | {_type_stem(head)}, head, entity.label) for head in heads)
            )
        )
        if not fitting:
            return None
        via = tuple(self.index.called("instance of")) or self.via
        passing = self.reader.is_a(candidate.nodes, frozenset(fitting), via)
        if not passing:
            return None
        first, last = min(self.request.focus), max(self.request.focus) + 1
        mention = Mention(first, last, " ".join(word.text for word in words), ())
        link = Link(mention, fitting, 0.97)
        return candidate.of_type(fitting, via, passing, link, self.request.focus)

    # -- sets ---------------------------------------------------------------------------------

    def free(self, candidate: Candidate) -> list[Mention]:
        """Return the mentions that a candidate has not used."""
        used = [link.mention.span for link in candidate.links]
        return [
            mention
            for mention in self.mentions
            if mention.span and not any(mention.span & span for span in used)
        ]

    def _constrained(self, candidate: Candidate) -> list[Candidate]:
        found = [candidate]
        years = self.dated
        for index, year in years.named():
            found += [v for c in list(found) if (v := years.narrow(c, index, year)) is not None]
        path = candidate.path
        named = bool(path) and focus_names(path[-1].hop, self.request.focus, self.matches)
        for mention in self.free(candidate)[:_MAX_TRIED]:
            if (
                named
                and mention.span <= self.request.focus
                and self._would_drop(candidate, mention)
            ):
                continue
            for variant in found[:_MAX_VARIANTS]:
                if len(found) >= _MAX_VARIANTS:
                    break
                if any(link.mention.span & mention.span for link in variant.links):
                    continue  # one word does not say two things
                narrowed = self._narrow(variant, mention)
                if narrowed is not None:
                    found.append(narrowed)
        if any(item.typed for item in found) or (named and not self._lies_in(candidate)):
            return found + self._relaxed(found)
        focused = self.of_focus(candidate)
        if focused is not None and named:
            return [focused]  # The states of a country are not all that lies in it.
        found += [focused] if focused is not None else []
        return found + self._relaxed(found)

    def _lies_in(self, candidate: Candidate) -> bool:
        """Tell whether a walk ends at what lies in a place."""
        last = candidate.path[-1].hop
        return any(way is Direction.IN and name in self.places.within for name, way in last)

    def _would_drop(self, candidate: Candidate, mention: Mention) -> bool:
        """Tell whether a class leaves out some of what a relation of that name leads to."""
        link = None if mention.proper else self.class_of(mention)
        if link is None:
            return False
        passing = self.reader.is_a(candidate.nodes, frozenset(link.ids), self._via_of(link))
        return len(passing) < len(candidate.nodes)

    def _narrow(self, candidate: Candidate, mention: Mention) -> Candidate | None:
        self.reader.effort.spend()
        if mention.span & candidate.covered and not mention.proper:
            return None
        if self._leads_on(candidate, mention):
            return None
        return self.of_class(candidate, mention) or self.joined(candidate, mention)

    def _leads_on(self, candidate: Candidate, mention: Mention) -> bool:
        """Tell whether a noun names a relation of these nodes ("the continent of ...")."""
        if mention.end >= len(self.tokens) or self.tokens[mention.end].norm != "of":
            return False
        return any(
            match.span & mention.span
            and match.reading.kind == "noun"
            and self.reader.any_of(candidate.nodes, match.reading.hops[0])
            for match in self.matches
        )

    def _relaxed(self, found: list[Candidate]) -> list[Candidate]:
        """Give up the class in focus where another class holds and both together do not."""
        relaxed = []
        for candidate in found:
            if not candidate.typed:
                continue
            for mention in self.free(candidate):
                link = self.class_of(mention)
                asked = mention.span & self.request.focus and not self._before_of(mention)
                if link and asked and not mention.demonym:
                    label = self.reader.label(link.ids[0])
                    relaxed.append(replace(candidate, relaxed=(*candidate.relaxed, label)))
        return relaxed

    def _before_of(self, mention: Mention) -> bool:
        """Tell whether "of" follows: "the language of ..." names a relation, not a class."""
        return mention.end < len(self.tokens) and self.tokens[mention.end].norm == "of"

    def joined(self, candidate: Candidate, mention: Mention) -> Candidate | None:
        """Keep the nodes that some relation joins to another entity the question names."""
        # An island is not Iceland, which goes by that name in its own language.
        least = 0.0 if mention.proper or not mention.entities else mention.entities[0].quality
        meant = [item for item in mention.entities[:3] if item.quality >= least]
        targets = tuple(EntityValue(item.id) for item in meant)
        best: tuple[tuple[bool, float], EdgeUse, Value, tuple[Value, ...]] | None = None
        for edge, use in self._joins(candidate, mention):
            # Unsaid, "American" is where somebody is from; nobody asks whom Americans deal with.
            told = bool(use.span) or edge[0] in self.belonging
            if not told and mention.is_name:
                continue
            for target in targets:
                holding = self.reader.holding(candidate.nodes, edge, (target,))
                worth = (told, use.strength * use.agreement + 0.001 * len(holding))
                if holding and (best is None or worth > best[0]):
                    best = (worth, use, target, holding)
        if best is None:
            return None
        _, use, found, holding = best
        item = next(e for e in mention.entities if found == EntityValue(e.id))
        link = Link(mention, (item.id,), item.quality)
        return candidate.constrained(use.hop[0][0], found, holding, use, link)

    def _joins(self, candidate: Candidate, mention: Mention) -> Iterable[tuple[Edge, EdgeUse]]:
        """Yield relations that may join members to the mention, worded ones first."""
        seen: set[Edge] = set()
        turned: set[Edge] = set()
        for match in self.matches:
            inside = match.start == mention.start and match.end < mention.end  # "can be sliced"
            if (match.span & mention.span and not inside) or len(match.reading.hops) > 1:
                continue
            if match.span & candidate.covered and not mention.demonym:
                continue
            hop = match.reading.hops[0]
            if self._is_done_to(match, mention):
                hop = reverse((hop,))[0]
                turned.update(reverse((hop,))[0])
            for edge in hop:
                if edge[1] is Direction.OUT and edge not in seen:
                    seen.add(edge)
                    yield edge, EdgeUse((edge,), match.span, match.reading.strength)
        for edge, use in self._unsaid(candidate, mention):
            if edge not in seen | turned:
                seen.add(edge)
                yield edge, use

    def _is_done_to(self, match: Match, mention: Mention) -> bool:
        """Tell whether a verb is what members did to what is named: "writers influenced X".

        What influenced somebody is not what he influenced.
        """
        before = {token.norm for token in self.tokens[: match.start]}
        if match.reading.kind != "verb" or before & AUXILIARIES:
            return False
        at = (mention.start, mention.end)
        verbs = [m for m in self.matches if m.span == match.span and m.reading.kind == "verb"]
        return all(facing(one, at, self.tokens) == "out" for one in verbs)

    def _unsaid(self, candidate: Candidate, mention: Mention) -> Iterable[tuple[Edge, EdgeUse]]:
        """Yield relations that no word names which may join members to the mention."""
        origin = mention.demonym or self._modifies(mention)
        strength = _ORIGIN if mention.demonym else _MODIFIER if origin else _SILENT
        used = {name for use in candidate.path for name, _ in use.hop}
        for item in mention.entities[:3]:
            around = self.reader.relations(item.id)
            ranked = sorted(around.items(), key=lambda pair: -pair[1])
            if mention.demonym and self.belonging:
                ranked = [pair for pair in ranked if pair[0][0] in self.belonging]
            for (name, way), _ in ranked[:_MAX_TRIED]:
                edge = (name, Direction.OUT)
                if way is Direction.IN and (origin or name not in used):
                    use = EdgeUse((edge,), frozenset(), strength, silent=not origin)
                    yield edge, replace(use, origin=origin)

    def _modifies(self, mention: Mention) -> bool:
        """Tell whether a mention qualifies a noun: "rock musicians", "countries of Africa"."""
        common = [other for other in self.mentions if not other.proper and not other.demonym]
        if not mention.proper and any(other.start == mention.end for other in common):
            return True
        before = [token.norm for token in self.tokens[max(0, mention.start - 2) : mention.start]]
        if before[-1:] == ["the"]:
            before.pop()
        gap = mention.start - (2 if len(before) == 1 else 1)
        return before[-1:] == ["of"] and any(other.end == gap for other in common)

    # -- numbers and judgements ---------------------------------------------------------------

    def _counted(self, candidate: Candidate) -> Candidate:
        numbers = candidate.nodes and all(
            isinstance(value, QuantityValue) for value in candidate.nodes
        )
        if numbers:
            return replace(candidate, final="number", bonus=1.0)
        return candidate.counted()

    def _judged(self, candidate: Candidate) -> list[Candidate]:
        free = self.free(candidate)
        found: list[Candidate] = []
        for index, year in self.dated.named():
            if not candidate.edges:
                found += self.dated.judged(candidate, index, year)
        for mention in free:
            if not candidate.edges:
                found += self._classed(candidate, mention)
            else:
                found += self._contains(candidate, mention)
        if not free and candidate.edges and not self._says_nothing(candidate):
            found.append(candidate.judged(None, None, True))
        return found

    def _says_nothing(self, candidate: Candidate) -> bool:
        """Tell whether it is not said what something is to be: "is China"."""
        said = {self.tokens[i].norm for use in candidate.edges for i in use.span}
        return bool(said) and said <= COPULAS | MODALS

    def _classed(self, candidate: Candidate, mention: Mention) -> list[Candidate]:
        """Judge whether something belongs to a class: "is a carrot a vegetable"."""
        narrowed = self.of_class(candidate, mention)
        if narrowed is None and mention.demonym:
            narrowed = self.joined(candidate, mention)
        if narrowed is not None:
            return [narrowed.judged(None, None, True)]
        link = self.class_of(mention)
        if link is None:
            return []
        via = self._via_of(link)
        edges = tuple((name, Direction.OUT) for name in via)
        if not self.reader.any_along(candidate.nodes, edges):
            return []
        empty = candidate.of_type(link.ids, via, (), link, mention.span)
        return [empty.judged(None, None, False)]

    def _contains(self, candidate: Candidate, mention: Mention) -> list[Candidate]:
        found: list[Candidate] = []
        if not any(isinstance(value, EntityValue) for value in candidate.nodes):
            return found
        narrowed = self.joined(candidate, mention) if mention.demonym else None
        if narrowed is not None:  # "is the director of X Mexican"
            return [narrowed.judged(None, None, True)]
        for item in mention.entities[:3]:
            value = EntityValue(item.id)
            link = Link(mention, (item.id,), item.quality)
            beyond = None
            if value not in candidate.nodes:
                beyond = self.places.judged(candidate, value, mention)
            at = beyond or candidate
            judged = at.judged(value, link, value in at.nodes)
            if judged.final == "no" and len(candidate.nodes) <= _FEW:
                # What is stated instead says more where there is little of it.
                judged = replace(judged, bonus=0.5)
            found.append(judged)
        return found


def _fits(wanted: set[str], head: str, label: str) -> bool:
    """Tell whether a class label holds all words, with the same head ("federated state of X")."""
    words = _words(label)
    end = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words))
    inner = [_type_stem(word) for word in words]
    return (
        end > 0 and stem(singular(words[end - 1])) == stem(singular(head)) and wanted <= set(inner)
    )


def _type_stem(word: str) -> str:
    found = stems(singular(word))
    return found[0][:5] if found else word


def _words(label: str) -> list[str]:
    return [word for word in label.lower().replace("-", " ").split() if word]
