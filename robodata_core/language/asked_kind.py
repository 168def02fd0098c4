"""What a reading leads to, narrowed to the class that the text asks for.

"Which films are in the western genre?" asks for films; along the relation stand actors, too. How
words and relations go together says nothing of that: whoever has the genre is told by "genre".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from robodata_core.errors import ProgramError, QueryLimitError, SourceTimeoutError
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.lexicon.relations import Evidence
from robodata_core.language.ranking import Ranked
from robodata_core.language.text import Text, words_of
from robodata_core.language.types import Mention, MentionKind, Reading
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import End, FilterByType, Program

__all__ = ["AskedKind", "sorts_of"]

#: Classes that one noun may name which are tried.
_CLASSES: Final = 3
#: Token before which the article of what is asked for stands: "what is the name of a ...".
_ARTICLE: Final = 6
#: How many members of a class show what else they are.
_SAMPLE: Final = 12
#: Share of them that have what all of them are taken to be.
_COMMON: Final = 0.67
#: Most probability of a reading of which no answer is what is asked for.
_OTHERS: Final = 0.4
_KIND: Final = "asked_kind"


class AskedKind:
    """The class that the first noun phrase of a text names, if it names one.

    Args:
        text: The text.
        mentions: Everything that it names.
        evidence: What its words say of relations.
        view: What is really there.
        lexicon: Of the text's language.
    """

    def __init__(
        self,
        text: Text,
        mentions: Sequence[Mention],
        evidence: Evidence,
        view: View,
        lexicon: Lexicon,
    ) -> None:
        self._text = text
        self._evidence = evidence
        self._view = view
        self._lexicon = lexicon
        self._noun, self._behind = _asked(text, mentions, evidence.content, lexicon)

    def narrowed(self, best: Ranked, executor: Executor) -> Ranked:
        """Return a reading of which only those are left that are what is asked for.

        It stays as it is where the relation goes by the noun ("which actors"), and where no answer
        is of another sort: "artists" means singers, too. Where those asked for cannot be told from
        the others, the noun says more than the relation; where there are none, it is misread.

        Args:
            best: The reading.
            executor: Runs programs.

        Raises:
            SourceError: If the source fails.
            CancelledError: If the executor's token says so; DeadlineExceededError likewise.
        """
        reading, noun = best.reading, self._noun
        used = {i for mention, _ in reading.mentions for i in mention.span} | reading.structure
        if noun is None or reading.judged or noun.span & used or not _is_of_things(reading):
            return best
        if self._is_called(reading, noun):
            return best
        try:
            whole = executor.run(reading.program).members
            tried = (self._tried(best, class_, whole, executor) for class_ in _classes(noun))
            found = next((one for one in tried if one is not None), best)
        except (ProgramError, QueryLimitError, SourceTimeoutError):
            return best
        return found

    def _tried(
        self, best: Ranked, class_: str, whole: tuple[Value, ...], executor: Executor
    ) -> Ranked | None:
        """Return a reading narrowed to a class; None where the class has no members."""
        nature = self._nature(class_)
        if not nature:
            return None
        sorts = _Sorts(whole, nature, self._view, self._lexicon)
        if not (sorts.are_mixed or sorts.are_known):
            return best
        programs = [self._filtered(best.reading.program, of) for of in ((class_,), nature)]
        kept = executor.run(programs[1]).members
        assert self._noun is not None
        if not kept and not (
            sorts.are_called(self._view.label(class_))
            or self._is_said(best.reading, self._noun.span)
            or (not sorts.are_known and self._is_said(best.reading))
        ):
            chance = min(best.probability, _OTHERS)
            return replace(best, probability=chance, unread=best.unread | self._noun.span)
        if not kept or not sorts.are_mixed:
            return best
        exact = executor.run(programs[0]).members
        if len(nature) == 1 and sorts.misses(kept):
            # What an artist is besides is not stated here, so singers may be some.
            return _broader(best, self._noun)
        narrowed = _narrowed(best, self._noun, programs[len(exact) < len(kept)], kept)
        return narrowed if len(exact) == len(kept) else _broader(narrowed, self._noun)

    def _nature(self, class_: str) -> tuple[str, ...]:
        """Return a class with what its members are besides; nothing where it has none.

        Singers that nobody states to be artists are people, as artists are; films are not.
        """
        view, around = self._view, self._view.relations(class_)
        edges = [edge for name in view.type_relations if (edge := (name, Direction.IN)) in around]
        found = (one for edge in edges for one in view.ends((class_,), edge, _SAMPLE))
        members = {one.id for one in found if isinstance(one, EntityValue)}
        kinds = Counter(kind for known in view.kinds_of(members).values() for kind in known)
        common = (kind for kind, number in kinds.items() if number >= _COMMON * len(members))
        return tuple(dict.fromkeys((class_, *sorted(common)))) if members else ()

    def _filtered(self, program: Program, classes: tuple[str, ...]) -> Program:
        """Return a program that keeps what is of one of some classes."""
        last = program.steps[-1]
        assert isinstance(last, End)
        around = [self._view.relations(class_) for class_ in classes]
        via = (
            name
            for name in self._view.type_relations
            if any((name, Direction.IN) in edges for edges in around)
        )
        step = FilterByType(_KIND, last.source, classes, (*via, *self._view.class_relations))
        return Program((*program.steps[:-1], step, End(_KIND)))

    def _is_called(self, reading: Reading, noun: Mention) -> bool:
        """Tell whether a relation goes by the noun: who acts in a film is its actor.

        So it may by what stands behind it: a musical genre is a genre.
        """
        written = self._text.written(noun.start, noun.end)
        behind = [self._text.written(noun.end, self._behind)] if noun.end < self._behind else []
        # A slip of the pen is what its class is called.
        labels = (candidate.label for candidate in noun.candidates)
        nouns = [self._stems(name) for name in (written, *labels, *behind)]
        names = [name for hop in reading.hops for name, _ in hop.edges]
        return any(
            self._stems(called) in nouns
            for known in self._view.properties(names).values()
            for called in (known.label, *known.aliases)
        )

    def _stems(self, name: str) -> list[str]:
        return [self._lexicon.stem(word) for word in words_of(name)]

    def _is_said(self, reading: Reading, places: frozenset[int] | None = None) -> bool:
        """Tell whether the noun is how people call the relation: a nationality is a country.

        Args:
            reading: Goes along the relation.
            places: Words to hear that from; all, where left out: "which countries border X".
        """
        assert self._noun is not None
        scores = (self._evidence.score(hop.edges, None, places).values() for hop in reading.hops)
        return any(
            score.phrase and self._noun.span <= score.said for found in scores for score in found
        )


def sorts_of(labels: Iterable[str], lexicon: Lexicon) -> set[str]:
    """Return of what sorts the members of classes are: people, places, groups.

    Args:
        labels: Of the classes, or what describes a thing.
        lexicon: Says which words of labels are of a sort.
    """
    heads = {_head(words_of(label), lexicon) for label in labels}
    return {kind.name for kind in lexicon.kinds if not heads.isdisjoint(kind.classes)}


class _Sorts:
    """Of what sort things are: people, places, groups.

    Args:
        values: What is looked at.
        classes: What is asked for.
        view: What is really there.
        lexicon: Says which classes are of a sort.
    """

    def __init__(
        self, values: Sequence[Value], classes: tuple[str, ...], view: View, lexicon: Lexicon
    ) -> None:
        self._view, self._lexicon = view, lexicon
        self._asked = sorts_of(view.labels(classes), lexicon)
        self._kinds = view.kinds_of(one.id for one in values if isinstance(one, EntityValue))
        self._found = {
            id_: sorts_of(view.labels(kinds), lexicon) for id_, kinds in self._kinds.items()
        }

    @property
    def are_mixed(self) -> bool:
        """Whether some are of a sort that what is asked for is not of."""
        return any(sorts and not sorts & self._asked for sorts in self._found.values())

    @property
    def are_known(self) -> bool:
        """Whether it is stated of all of them what they are."""
        return bool(self._kinds) and all(self._kinds.values())

    def are_called(self, label: str) -> bool:
        """Tell whether all are of a class whose noun is that of another: a "city of Italy"."""
        head = _head(words_of(label), self._lexicon)
        kinds = (self._view.labels(kinds) for kinds in self._kinds.values())
        return bool(self._kinds) and all(
            any(_head(words_of(one), self._lexicon) == head for one in labels) for labels in kinds
        )

    def misses(self, kept: Sequence[Value]) -> bool:
        """Tell whether some that are of the sort asked for are not among those kept."""
        ids = {one.id for one in kept if isinstance(one, EntityValue)}
        return any(sorts & self._asked and id_ not in ids for id_, sorts in self._found.items())


def _narrowed(best: Ranked, noun: Mention, program: Program, kept: tuple[Value, ...]) -> Ranked:
    reading = replace(
        best.reading,
        program=program,
        structure=best.reading.structure | noun.span,
        rules=(*best.reading.rules, _KIND),
        sample=kept[: len(best.reading.sample)],
        size=len(kept),
        words="",
    )
    unexplained, broader = best.unexplained - noun.span, best.broader - noun.span
    return replace(best, reading=reading, unexplained=unexplained, broader=broader)


def _broader(best: Ranked, noun: Mention) -> Ranked:
    return replace(best, broader=best.broader | noun.span)


def _classes(noun: Mention) -> tuple[str, ...]:
    values = (c.value for c in noun.candidates if c.kind is MentionKind.CLASS)
    return tuple(value.id for value in values if isinstance(value, EntityValue))[:_CLASSES]


def _head(words: Sequence[str], lexicon: Lexicon) -> str:
    """Return the noun of a class's name: a university teacher is no university."""
    first = next((i for i, word in enumerate(words) if i and lexicon.is_small(word)), len(words))
    return words[first - 1] if words else ""


def _asked(
    text: Text, mentions: Sequence[Mention], content: Mapping[int, str], lexicon: Lexicon
) -> tuple[Mention | None, int]:
    """Return the class that is named by the first noun phrase, if one is, and where that ends."""
    for start in _starts(text, lexicon):
        end = start
        while end in content:
            end += 1
        if end > start:
            return _class_within(text, mentions, range(start, end)), end
    return None, 0


def _class_within(text: Text, mentions: Sequence[Mention], phrase: range) -> Mention | None:
    """Return the longest class named within a phrase; none where it only has what is asked for."""
    if phrase.stop < len(text.tokens) and text.tokens[phrase.stop].possessive:
        return None
    inside = (
        m
        for m in mentions
        if phrase.start <= m.start
        and m.end <= phrase.stop
        and any(c.kind is MentionKind.CLASS for c in m.candidates)
    )
    return max(inside, key=lambda m: (m.end - m.start, -m.start), default=None)


def _starts(text: Text, lexicon: Lexicon) -> Iterator[int]:
    """Yield where the phrase that says what is asked for may begin."""
    yield 0
    for i, token in enumerate(text.tokens):
        kind = lexicon.kind(token.norm)
        if kind == "question" or (kind == "article" and i < _ARTICLE):
            yield i + 1


def _is_of_things(reading: Reading) -> bool:
    ends = isinstance(reading.program.steps[-1], End)
    return ends and any(isinstance(one, EntityValue) for one in reading.sample)
