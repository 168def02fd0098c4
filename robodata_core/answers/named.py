"""Which relations words of a question name: by labels, aliases, phrases, or what was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Final

from robodata_core.answers.asked import given_by
from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.language.lexicon.relations import Evidence, RelationScore
from robodata_core.language.text import Text, words_of
from robodata_core.language.types import Edge, Mention
from robodata_core.language.understanding import Understanding
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.programs.steps import ExtremeCount, FilterByCount, Follow, Program, Union

__all__ = ["LEAST_LIKELY", "Named"]

#: Less likely than that, no word names a relation.
LEAST_LIKELY: Final = 0.02
#: Of so many results it is looked at what they are.
_MOST_TOLD: Final = 20


class Named:
    """The relations that one question names.

    Args:
        language: Knows the tables and the source.
        text: The question.
        evidence: What its words say of relations.
    """

    def __init__(self, language: Understanding, text: Text, evidence: Evidence) -> None:
        self._language = language
        self._text = text
        self._evidence = evidence

    def weight(self, score: RelationScore) -> float:
        """Return how well words name a relation, by its names, its phrases, or what was learned.

        Small words name none: "when" asks for any date, not for that of birth.
        """
        tokens, is_small = self._text.tokens, self._language.lexicon.is_small
        if all(is_small(tokens[place].norm) for place in score.said):
            return score.probability
        alias = 0.9 * (score.alias == 1.0)
        return max(score.label, alias, score.phrase, score.probability)

    def relation(self, edge: Edge) -> str:
        """Return the name of a relation."""
        found = self._language.view.properties((edge[0],)).get(edge[0])
        return found.name if found else edge[0]

    def unions(self, program: Program) -> Iterator[str]:
        """Object to relations that are put together with others though no word names them.

        "The parents" are fathers and mothers; children and schools have no word in common. A word
        that is all the name of one relation, or a phrase for it, does not name another one, of
        whose name it is only a part.
        """
        for edges in _together(program):
            scores = self._evidence.score(edges, None)
            said = {edge: self._content(edge) for edge in edges}
            whole = {edge: places for edge, places in said.items() if _is_whole(scores[edge])}
            for edge in edges:
                others = [other for other, places in whole.items() if said[edge] < places]
                if not _is_called(scores[edge]) and others or not said[edge] and any(said.values()):
                    others = others or [other for other in edges if said[other]]
                    yield (
                        f"The question names “{self.relation(others[0])}”, not"
                        f" “{self.relation(edge)}”."
                    )
                elif not (said[edge] or scores[edge].phrase or self._is_likely(scores[edge])):
                    yield f"The question does not name “{self.relation(edge)}”."

    def labelled(
        self, own: Sequence[Edge], there: Sequence[Edge], scores: Mapping[Edge, RelationScore]
    ) -> Edge | None:
        """Return a relation whose name is said, where of the own one it is a part, or an alias."""
        if any(scores[edge].label == 1.0 for edge in own):
            return None
        part = not any(_is_whole(scores[edge]) for edge in own)
        said = frozenset(place for edge in own for place in self._content(edge))
        for edge in there if said else ():
            places = self._content(edge)
            if scores[edge].label == 1.0 and said <= places:
                return edge
            if part and scores[edge].alias == 1.0 and said < places:
                return edge
        return None

    def joined(self, own: Sequence[Edge], there: Sequence[Edge]) -> Iterator[Edge]:
        """Yield relations of which a word is joined to one for others: "direct and produce"."""
        kind, tokens = self._language.lexicon.kind, self._text.tokens
        said = {place for edge in own for place in self._content(edge, loosely=True)}
        beside = {
            place + 2 * way
            for place in said
            for way in (1, -1)
            if 0 < place + way < len(tokens) and kind(tokens[place + way].norm) == "conjunction"
        }
        for edge in there:
            if self._content(edge) & beside - said:
                yield edge
                return

    def apart(self, edges: Sequence[Edge], others: Sequence[Edge], read: Set[int]) -> bool:
        """Tell whether some words may name relations that name none of those followed first.

        A phrase may name several steps at once ("grandfather").

        Args:
            edges: The relations.
            others: Those followed first.
            read: Places of words that are read as something else.
        """
        said, first = (
            frozenset(place for edge in some for place in self._content(edge))
            for some in (edges, others)
        )
        if any(len(phrase.hops) > 1 for at, phrase in self._evidence.phrases() if at & said):
            return True
        return not said < first if said else bool(self._evidence.content.keys() - first - read)

    def times(self, edge: Edge) -> int:
        """Return how often words name a relation; words side by side do it once."""
        places = self._content(edge)
        apart = sum(place - 1 not in places for place in places)
        alike = Counter(self._evidence.content[place] for place in places)
        hops = [len(phrase.hops) for at, phrase in self._evidence.phrases() if at & places]
        return max([apart, *alike.values(), *hops], default=0)

    def unread(
        self, program: Program, found: Callable[[], Sequence[Sequence[Value]]], read: Set[int]
    ) -> set[int]:
        """Return the places of words that say more of a list or a number than its program.

        Nothing names them: no relation that was followed, by its names or by what people call it,
        no class or description of what was found or given, and no word that asks for a kind.

        Args:
            program: What was run.
            found: Gives what its sets hold, the last one being what it gave, or counted.
            read: Places of words that are read as something else.
        """
        if any(isinstance(step, Follow) and not step.properties for step in program.steps):
            return set()  # any relation will do
        edges = [(name, way) for step in program.steps for name in step.relations
                 for way in Direction]  # fmt: skip
        said = self.naming(program)
        lexicon, tokens = self._language.lexicon, self._text.tokens
        left = {
            place
            for place in self._evidence.content.keys() - said - read
            if min((self._evidence.contradicts(edge, place) for edge in edges), default=1.0) > 0
            and not lexicon.operator(tokens[place].norm)
        }
        known = self._kinds | (self._told(program, found()) if left else set())
        stems = {place: lexicon.stem(tokens[place].norm) for place in left}
        return {p for p, stem in stems.items() if stem not in known and not lexicon.is_small(stem)}

    def naming(self, program: Program) -> set[int]:
        """Return the places of words that name a relation of a program, whichever way it goes."""
        names = {name for step in program.steps for name in step.relations}
        edges = [(name, way) for name in names for way in Direction]
        return {place for edge in edges for place in self._content(edge, loosely=True)}

    @cached_property
    def _kinds(self) -> set[str]:
        """Stems of the words that ask for a kind of thing, or for nothing."""
        lexicon = self._language.lexicon
        words = {word for kind in lexicon.kinds for word in kind.asked | kind.classes}
        for row in read_table(lexicon.language, "synonyms"):
            words |= set(row["words"].split("|"))
        return {*map(lexicon.stem, words | lexicon.said("light") | lexicon.said("idle"))}

    def tells(self, mention: Mention, ids: Set[str]) -> bool:
        """Tell whether a mention says of one of some things no more than what that is anyway."""
        view, stem = self._language.view, self._language.lexicon.stem
        texts = [self._text.written(mention.start, mention.end)]
        texts += [candidate.label for candidate in mention.candidates]
        said = [{*map(stem, words_of(text))} for text in texts]
        told = view.telling_of(ids).values() if ids else ()
        return any(words <= {*map(stem, known)} for known in told for words in said)

    def _told(self, program: Program, found: Sequence[Sequence[Value]]) -> set[str]:
        """Return stems of words that tell what was given, and what most of what was found is.

        The number of what was found is such a word, too.
        """
        lexicon, view = self._language.lexicon, self._language.view
        sets = [
            [one.id for one in values[:_MOST_TOLD] if isinstance(one, EntityValue)]
            for values in found
        ]
        given = [one.id for one in given_by(program).every if isinstance(one, EntityValue)]
        told = view.telling_of({*given, *(id_ for ids in sets for id_ in ids)})
        words = {lexicon.stem(word) for id_ in given for word in told[id_]}
        for ids in sets:
            often = Counter(word for id_ in ids for word in {*map(lexicon.stem, told[id_])})
            words |= {word for word, number in often.items() if 2 * number >= len(ids)}
        sizes = {len(values) for values in found[-1:]}
        numbers = {t.norm for t in self._text.tokens if lexicon.number(t.norm) in sizes}
        alike = {other for word in words for other in lexicon.synonyms(word)}
        return words | {*map(lexicon.stem, alike | numbers)}

    def _is_likely(self, score: RelationScore) -> bool:
        return self.weight(score) >= LEAST_LIKELY

    def _content(self, edge: Edge, *, loosely: bool = False) -> frozenset[int]:
        """Return the places of words that name a relation and are not small ones.

        A phrase may name it as one of several steps ("grandmother"). A noun names it one way:
        "the child" is the one that has somebody as father, not the father.
        """
        names = self.names(edge[0])
        roots = {root for name in names for root in self._evidence.roots(name)}
        named = {place for place, root in self._evidence.content.items() if root in roots}
        for places, phrase in self._evidence.phrases():
            for one in (one for hop in phrase.hops for one in hop):
                part = self._evidence.roots(one.label) if loosely else frozenset[str]()
                if one.label not in names and not (part and part <= roots):
                    continue
                back = one.inverse is not (phrase.outward is False)
                turns = phrase.kind != "noun" or phrase.outward is None
                if turns or back is (edge[1] is Direction.IN):
                    named |= places
        tokens, is_small = self._text.tokens, self._language.lexicon.is_small
        return frozenset(place for place in named if not is_small(tokens[place].norm))

    def names(self, property_: str) -> frozenset[str]:
        """Return the label and aliases of a relation, folded."""
        found = self._language.view.properties((property_,)).get(property_)
        names = (found.name, *found.aliases) if found else ()
        return frozenset(" ".join(words_of(name)) for name in names)


def _together(program: Program) -> Iterator[Sequence[Edge]]:
    """Yield relations that are put together, by one step along several or by a union of sets."""
    for step in program.steps:
        edges: Iterable[Edge] = ()
        if isinstance(step, Follow | FilterByCount | ExtremeCount):
            edges = [(name, step.direction) for name in step.properties]
        elif isinstance(step, Union):
            ends = [program.written[name] for name in step.sources]
            edges = [
                (name, end.direction)
                for end in ends
                if isinstance(end, Follow)
                for name in end.properties
            ]
        if len(found := list(dict.fromkeys(edges))) > 1:
            yield found


def _is_called(score: RelationScore) -> bool:
    return score.label == 1.0 or score.alias == 1.0


def _is_whole(score: RelationScore) -> bool:
    return _is_called(score) or score.phrase > 0
