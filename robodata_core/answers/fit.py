"""Does what a model handed in answer the question that was asked?

A claim may hold and still answer another question. The program of an answer is held against the
question with what ``language`` knows, without a model: what is given must be named in the
question, and what the question names must be used; of the relations around what is given no other
one may be named better; words that change what is asked (only, not, first) must have a step; and
the kind of the result must be the one asked for. What is found is an objection, never a verdict
on the claim.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Final

from robodata_core.answers.asked import (
    OF_TRUTHS,
    Given,
    chained_words,
    given_by,
    numbers_of,
    phrases_of,
    taken_away,
)
from robodata_core.answers.directions import Directions
from robodata_core.answers.kinds import Kinds
from robodata_core.answers.named import LEAST_LIKELY, Named
from robodata_core.answers.sides import Sides
from robodata_core.errors import RoboDataError
from robodata_core.iris import is_property_id
from robodata_core.language.grammar import open_grammar
from robodata_core.language.grammar.framing import unframed
from robodata_core.language.hierarchy import top_class
from robodata_core.language.lexicon.phrases import Only
from robodata_core.language.lexicon.relations import RelationScore
from robodata_core.language.text import Text, Token, read_text, words_of
from robodata_core.language.types import Candidate, Edge, Mention, MentionKind, NameMatch
from robodata_core.language.understanding import Understanding
from robodata_core.model import Direction, EntityValue, QuantityValue, ResultItem, TimeValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import End, Follow, Gives, Program, Start, Step
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import told_name
from robodata_core.tools.known_ids import ids_in_text

__all__ = ["Fit"]

_log = logging.getLogger("robodata.answers")

#: The kinds of words that change what is asked; steps say which of them they carry.
_OPERATORS: Final = frozenset({"denial", "share", "order", "measure", "choice"})
_EXACT: Final = (NameMatch.BOUND, NameMatch.LABEL, NameMatch.ALIAS)
#: What a step along may go without saying: what something is, and what it lies in.
_SILENT: Final = ("type", "above", "belonging", "within")
#: How a conversation writes a set: a number, perhaps a noun, and so many ids.
_COUNTED: Final = re.compile(r"(\d+)[^()\d]*\(([^()]*)\)")
#: Signs that end a sentence, or a heading.
_ENDS: Final = frozenset(".?!;:")
#: How much likelier another relation has to be than the one that was followed.
_CLEARLY: Final = 2.0
#: Below this share of English words a question is in another language; of 408 that people asked, in
#: capitals and without, one is below in English, and nine of ten in eleven other languages.
_OF_OURS: Final = 0.4
#: Fewer words than these may be names alone, and tell no language.
_TELLING: Final = 3
#: Of so many results it is looked at whether they have what a word asks for.
_MOST_NARROWED: Final = 20


class Fit:
    """Holds programs against one question.

    Args:
        source: What the question is about.
        question: The question.
        language: Of the question.

    Attributes:
        is_foreign: Whether the question is in another language, so that its words say nothing here.
    """

    def __init__(self, source: KnowledgeSource, question: str, language: str = "en") -> None:
        self._language = Understanding(source, language)
        self._text: Text = unframed(read_text(question), language).text
        self._ids = frozenset(ids_in_text(question))
        self._counted = {
            found.start(1): frozenset(ids_in_text(found[2]))
            for found in _COUNTED.finditer(self._text.raw)
        }
        self._mentions: tuple[Mention, ...] = self._language.linker.mentions(self._text)
        self._evidence = self._language.relations.evidence(self._text)
        self._directions = Directions(self._language, self._text, self._mentions)
        self._named = Named(self._language, self._text, self._evidence)
        self._kinds = Kinds(self._language, self._text, self._directions.superlatives)
        self._stress = open_grammar(self._language.lexicon).find(self._text, ()).joints["stress"]
        self._role = self._language.lexicon.said
        self._said = phrases_of(language, "quantifiers", "says")
        self._norms = [token.norm for token in self._text.tokens if token.is_word]
        self._words = " ".join(["", *self._norms, ""])
        few = len(self._norms) < _TELLING
        self.is_foreign = not few and not self._language.speaks(question, _OF_OURS)

    def objections(
        self, program: Program, results: Sequence[ResultItem], beside: Sequence[Program] = ()
    ) -> tuple[str, ...]:
        """Return why a program may answer another question; nothing where it seems to fit.

        Args:
            program: What was run.
            results: What it gave.
            beside: All that is run for the question.
        """
        given = given_by(program)
        try:
            found = [
                *self._unnamed(given),
                *self._unused(program, results),
                *self._relation(program, results, beside),
                *self._named.unions(program),
                *self._in_vain(program, results),
                *self._unread(program),
                *self._unexplained(program, results, beside),
                *self._directions.objections(program, self._names_used(given)),
                *self._quantified(program),
                *self._kinds.objections(program, results, lambda: self._sets(program)),
            ]
        except RoboDataError as error:
            _log.info("The fit of an answer could not be looked at: %s", error)
            return ("Whether this is what was asked could not be looked at.",)
        return tuple(dict.fromkeys(found))

    # -- names --------------------------------------------------------------------------------

    def _unnamed(self, given: Given) -> Iterable[str]:
        """Object to what is given, or held to, without being named in the question."""
        narrowing = self._narrowing()
        for value in (*given.starts, *given.judged, *given.limits):
            if isinstance(value, EntityValue) and value.id in self._ids:
                continue
            if value in given.limits and self._name_alone(value) in narrowing:
                continue  # "daughters" are female without saying so
            if value in given.starts and value == self._top:
                continue
            taken = self._taken_for(value)
            if taken is None:
                yield f"The question does not name {self._name(value)}."
                continue
            mention, candidate = taken
            if longer := self._longer_name(mention, given):
                yield f"The question names “{longer}”, not {self._name(value)}."
                continue
            better = next((one for one in mention.candidates if one.match in _EXACT), candidate)
            others = {one.value for one in mention.candidates}
            likelier = better.value != value and better.popularity > candidate.popularity
            if likelier and not others & (given.every - {value}):
                name = self._text.written(mention.start, mention.end)
                yield f"“{name}” may rather mean {self._name(better.value)}."

    @cached_property
    def _top(self) -> EntityValue | None:
        """The class above all others, where the question names it by that."""
        if self._role("top").isdisjoint(self._norms):
            return None
        view = self._language.view
        return EntityValue(top_class(view.source, view.class_relations))

    def _longer_name(self, mention: Mention, given: Given) -> str:
        """Return the name of something else that a name is only a part of, and that is not used."""
        for other in self._mentions:
            named = {
                one.value
                for one in other.candidates
                if one.match in _EXACT and one.kind is MentionKind.THING
            }
            if mention.span < other.span and named and not named & given.every:
                return self._text.written(other.start, other.end)
        return ""

    def _taken_for(self, value: Value) -> tuple[Mention, Candidate] | None:
        for mention in self._mentions:
            for candidate in mention.candidates:
                if candidate.value == value:
                    return mention, candidate
        return None

    def unused(self, programs: Sequence[Program]) -> tuple[str, ...]:
        """Return the names of what a question names and no judgement of it uses.

        A date or an amount may be that of what is named ("born before Ann").
        """
        values = (v for program in programs for step in program.steps for v in step.named)
        if any(isinstance(value, (TimeValue, QuantityValue)) for value in values):
            return ()
        unused = [[*self._unused_names(program, frozenset())] for program in programs]
        return tuple(name for name in unused[0] if all(name in names for names in unused))

    def _unused(self, program: Program, results: Sequence[ResultItem]) -> Iterable[str]:
        """Object where the question names something by name that the program does not use."""
        given = given_by(program)
        excludes = any(f" {word} " in self._words for word in self._role("others"))
        asked = frozenset(item.value for item in results if isinstance(item.value, EntityValue))
        for id_ in sorted(self._ids):
            if not is_property_id(id_) and EntityValue(id_) not in given.every | asked:
                yield f"The question names {id_}, which the answer does not use."
        for name in self._unused_names(program, frozenset() if excludes else asked):
            yield f"The question names “{name}”, which the answer does not use."

    def _unused_names(self, program: Program, asked: Collection[Value]) -> Iterable[str]:
        used = self._used(program)
        for mention in self._mentions:
            named = [one for one in mention.candidates if one.match in _EXACT]
            things = [one for one in named if one.kind is MentionKind.THING]
            written = self._text.written(mention.start, mention.end)
            is_name = mention.marked or written[:1].isupper() and mention.start > 0
            if not things or not is_name or mention.span & used:
                continue
            if len(self._text.tokens[mention.start].text) < 2 or self._inside_longer(mention):
                continue
            if self._named.tells(mention, self._introduced(mention, program, used)):
                continue
            if not any(one.value in asked for one in things):
                yield written

    def _introduced(self, mention: Mention, program: Program, used: Collection[int]) -> set[str]:
        """Return what a program is given whose name a mention stands before: "the German X"."""
        at, tokens, lexicon = mention.end, self._text.tokens, self._language.lexicon
        while at < len(tokens) and tokens[at].is_word and at not in used:
            if lexicon.is_small(tokens[at].norm):
                return set()
            at += 1
        named = (one.value for m in self._mentions if m.start == at for one in m.candidates)
        given = given_by(program).every
        return {one.id for one in named if isinstance(one, EntityValue) and one in given}

    def _inside_longer(self, mention: Mention) -> bool:
        return any(mention.span < other.span for other in self._mentions)

    def _narrowing(self) -> set[str]:
        """Return the labels of what words narrow a relation to without naming it."""
        phrases = (phrase for _, phrase in self._evidence.phrases() if phrase.only is not None)
        return {label for phrase in phrases if phrase.only for label in phrase.only.values}

    def _name_alone(self, value: Value) -> str:
        return self._language.view.label(value.id) if isinstance(value, EntityValue) else ""

    def _name(self, value: Value) -> str:
        if not isinstance(value, EntityValue):
            return "what is given"
        return told_name(self._language.view.label(value.id), value.id)

    # -- relations ------------------------------------------------------------------------------

    def _relation(
        self, program: Program, results: Sequence[ResultItem], beside: Sequence[Program]
    ) -> Iterable[str]:
        """Object where the words name another relation of what is given, or none that is used."""
        hops = [step for step in program.steps if isinstance(step, Follow) and step.properties]
        starts = {step.out: step for step in program.steps if isinstance(step, Start)}
        given = given_by(program)
        judged = given.judged if program.final.gives is Gives.TRUTH else None
        found = [item.value for item in results if isinstance(item.value, EntityValue)]
        others = {name for one in beside for step in one.steps for name in step.relations}
        for hop in hops:
            yield from self._too_often(hop, program)
            start = starts.get(hop.source)
            if start is None:
                yield from self._later_hop(hop, program)
                continue
            for value in start.values[:1]:
                if isinstance(value, EntityValue):
                    single = len(hops) == 1
                    sides = self._sides(given)
                    yield from self._first_hop(value, hop, judged, others, sides, single=single)
                    yield from self._turned(value, hop, judged or (), found, sides, single=single)

    def _later_hop(self, hop: Follow, program: Program) -> Iterable[str]:
        """Object to a step on of which no word of its own says anything."""
        edges = [(name, hop.direction) for name in hop.properties]
        scores = self._evidence.score(edges, None)
        named = max(map(self._named.weight, scores.values())) >= LEAST_LIKELY
        before = program.written.get(hop.source)
        if isinstance(before, Follow):
            behind = [(name, before.direction) for name in before.properties]
            named = named and self._named.apart(edges, behind, self._used(program))
        if not named and not self._goes_without_saying(hop):
            yield f"The question does not name “{self._named.relation(edges[0])}”."

    def _goes_without_saying(self, hop: Follow) -> bool:
        """Tell whether a step leads to what something is, or to what it lies in."""
        labels = (label for name in _SILENT for label in self._language.lexicon.role(name))
        return not set(self._language.view.properties_named(labels)).isdisjoint(hop.properties)

    def _too_often(self, hop: Follow, program: Program) -> Iterable[str]:
        """Object to a relation that is followed on from itself more often than it is said."""
        times, step = 1, program.written.get(hop.source)
        while isinstance(step, Follow):
            times += step.direction is hop.direction and step.properties == hop.properties
            step = program.written.get(step.source)
        edges = [(name, hop.direction) for name in hop.properties]
        said = max(map(self._named.times, edges))
        if times > max(1, said) and not self._goes_without_saying(hop):
            yield f"The question does not say “{self._named.relation(edges[0])}” {times} times."

    def _in_vain(self, program: Program, results: Sequence[ResultItem]) -> Iterable[str]:
        """Object to a no or a zero that rests on a relation of which no word says anything."""
        if not any(item.value is False or item.value == 0 for item in results):
            return
        for hop in program.steps:
            if isinstance(hop, Follow) and hop.properties:
                edges = [(name, hop.direction) for name in hop.properties]
                scores = self._evidence.score(edges, None)
                if max(map(self._named.weight, scores.values())) < LEAST_LIKELY:
                    yield f"The question does not name “{self._named.relation(edges[0])}”."

    def _first_hop(
        self,
        value: EntityValue,
        hop: Follow,
        judged: tuple[Value, ...] | None,
        others: Set[str],
        sides: Sides,
        *,
        single: bool,
    ) -> Iterable[str]:
        taken = self._taken_for(value)
        span = (taken[0].start, taken[0].end) if taken else None
        own: list[Edge] = [(name, hop.direction) for name in hop.properties]
        back = [(name, way) for name, _ in own for way in Direction if way is not hop.direction]
        there = [edge for edge in self._language.view.relations(value.id) if edge not in own]
        self._language.view.properties(name for name, _ in (*own, *there))  # read at once
        there = [edge for edge in there if not sides.turned(value, [edge])]
        scores = self._evidence.score([*own, *back, *there], span)
        weight = {edge: self._named.weight(score) for edge, score in scores.items()}
        # "Whose child is Ann" names who has her as a child, which are her parents.
        fits = sides.turned(value, own) is False
        mine = max((weight[edge] for edge in (*own, *(back if fits else ()))), default=0.0)
        best = max(there, key=weight.__getitem__, default=None)
        if single and best is not None and weight[best] > max(mine, 0.1) * _CLEARLY:
            yield (
                f"The question rather names “{self._named.relation(best)}”"
                f" than “{self._named.relation(own[0])}”."
            )
        elif (
            mine < LEAST_LIKELY
            and (judged is not None or single and hop.direction is Direction.OUT)
            or single
            and not fits
            and self._meant_otherwise(own, scores, span)
        ):
            yield f"The question does not name “{self._named.relation(own[0])}”."
        elif single and (labelled := self._named.labelled(own, there, scores)) is not None:
            yield (
                f"The question rather names “{self._named.relation(labelled)}”"
                f" than “{self._named.relation(own[0])}”."
            )
        elif single and span and not fits and all(_is_against(scores[edge]) for edge in own):
            yield f"The question says “{self._named.relation(own[0])}” the other way round."
        for edge in self._named.joined(own, there):
            if edge[0] not in others:
                yield f"The question names “{self._named.relation(edge)}” as well."

    def _meant_otherwise(
        self,
        own: Sequence[Edge],
        scores: Mapping[Edge, RelationScore],
        span: tuple[int, int] | None,
    ) -> bool:
        """Tell whether a word is known to name other relations, and none names what was followed.

        Who was killed somewhere died there; whoever died somewhere need not have been killed.
        """
        if any(scores[e].label or scores[e].alias or scores[e].phrase for e in own):
            return False
        taken = frozenset(range(*span)) if span else frozenset[int]()
        return any(
            phrase.kind != "prep" and places & self._evidence.content.keys() and not places & taken
            for places, phrase in self._evidence.phrases()
        )

    def _turned(
        self,
        value: EntityValue,
        hop: Follow,
        judged: Sequence[Value],
        found: Sequence[Value],
        sides: Sides,
        *,
        single: bool,
    ) -> Iterable[str]:
        """Object where words put what is given on the other side of what was followed."""
        own = [(name, hop.direction) for name in hop.properties]
        back = [(name, way) for name, _ in own for way in Direction if way is not hop.direction]
        for end, edges in ((value, own), *((one, back) for one in judged if single)):
            if sides.turned(end, edges) and not self._holds(value, (own, back), judged or found):
                yield (
                    f"The question says “{self._named.relation(own[0])}” of"
                    f" {self._name(end)} the other way round."
                )

    def _sides(self, given: Given) -> Sides:
        """Return the sides on which words put the names of what a program is given."""
        named = [m for m in self._mentions if any(c.value in given.every for c in m.candidates)]
        return Sides(self._language, self._text, named)

    def _holds(
        self, value: EntityValue, ways: Iterable[Sequence[Edge]], ends: Collection[Value]
    ) -> bool:
        """Tell whether relations lead to some things both ways, as those of siblings do."""
        view = self._language.view
        there = [{end for e in edges for end in view.ends((value.id,), e)} for edges in ways]
        return bool(ends) and all(found.issuperset(ends) for found in there)

    # -- words that change what is asked, and kinds ----------------------------------------------

    def unread(self, program: Program) -> tuple[str, ...]:
        """Return the words a yes or no hangs on that a judgement has no step for.

        "Is every guitarist American?" is no question for one American guitarist.
        """
        if program.final.gives is not Gives.TRUTH:
            return ()
        words = [
            word
            for word in self._words_without_step(program, OF_TRUTHS)
            if word.lower() not in self._role("polar") | self._role("idle")
        ]
        if not all(self._is_said(step) for step in taken_away(program)):
            norms = (token.norm for token in self._text.tokens)
            words += [word for word in norms if self._language.lexicon.operator(word) == "denial"]
        return (*words, *self._undone(program))

    def beside(self, program: Program, used: Collection[str]) -> tuple[str, ...]:
        """Return the label of a relation that words name in full, unlike those that hold.

        "Is Spanish an official language of Canada?" is no question for a language that is used
        there, though both relations were followed.

        Args:
            program: What was judged to be true.
            used: The relations that the facts behind it are of.
        """
        for step in program.steps:
            here = set(step.relations) & set(used)
            if isinstance(step, Follow) and here and len(step.relations) > 1:
                scores = self._evidence.score([(p, step.direction) for p in step.relations], None)
                whole = [edge for edge, score in scores.items() if score.label == 1.0]
                if whole and not here & {name for name, _ in whole}:
                    return (self._named.relation(whole[0]),)
        return ()

    def _is_said(self, step: Step) -> bool:
        """Tell whether words name one of the relations that a step looks at, either way."""
        edges = [(name, way) for name in step.relations for way in Direction]
        scores = self._evidence.score(edges, None).values()
        return not edges or any(self._named.weight(score) >= LEAST_LIKELY for score in scores)

    def _names_something(self, phrase: str, program: Program) -> bool:
        """Tell whether words are part of a name that a program uses."""
        given = given_by(program)
        used = (
            one.label
            for mention in self._mentions
            for one in mention.candidates
            if one.value in given.every
        )
        properties = (name for step in program.steps for name in step.relations)
        found = self._language.view.properties(tuple(properties)).values()
        names = (*used, *(name for one in found for name in (one.name, *one.aliases)))
        return any(f" {phrase} " in f" {name.casefold()} " for name in names)

    def unchained(self, programs: Sequence[Program]) -> tuple[str, ...]:
        """Return words that are said of one another and that too few relations stand for.

        "The capital of the capital of France" takes two steps along a relation of that name. What
        is named by another thing's name is none of these words.

        Args:
            programs: All that were run for the question.
        """
        found = []
        steps = [step for program in programs for step in program.steps]
        starts = max(1, sum(len(step.starts) for step in steps))
        for words in chained_words(self._text.raw):
            stem = self._language.lexicon.stem(words[0])
            edges = sum(any(stem in self._stems(id_) for id_ in step.relations) for step in steps)
            if 0 < edges * starts < len(words):
                found.append(words[0])
        return tuple(found)

    def _stems(self, property_: str) -> frozenset[str]:
        found = self._language.view.properties((property_,)).get(property_)
        names = (found.name, *found.aliases) if found else ()
        words = (token.norm for name in names for token in read_text(name).tokens)
        return frozenset(map(self._language.lexicon.stem, words))

    def _quantified(self, program: Program) -> Iterable[str]:
        """Object where a judgement of a set says another quantity than the question."""
        final = program.final
        if not final.quantity:
            return
        said = self._directions.says(final, program)
        if said is not None:
            if not said:
                yield f"The question does not say “{final.quantity}” of that number."
            return
        number, read = getattr(final, "number", None), self._language.lexicon.number
        named = [t.norm == str(number) or read(t.norm) == number for t in self._text.tokens]
        if number and not any(named):
            yield f"The question does not name the number {number:,}."
        if program.written[final.reads[0]].starts and self._says("only"):
            yield "The question says “only” the other way round."
        if not self._says(final.quantity):
            yield f"The question does not say “{final.quantity}”."

    def _says(self, quantity: str) -> bool:
        return any(f" {phrase} " in self._words for phrase in self._said.get(quantity, ()))

    def _unread(self, program: Program) -> Iterable[str]:
        """Object where a word that changes what is asked has no step."""
        judged = program.final.gives is Gives.TRUTH
        kinds = _OPERATORS - (frozenset() if judged else {"share"})
        undoing = () if judged else self._undone(program)
        asked = {word for phrase in self._role("number") for word in phrase.split()}
        # Whether a number is given is seen by what was found.
        numbers = asked if self._kinds.wanted is AnswerKind.NUMBER else frozenset[str]()
        for word in (*self._words_without_step(program, kinds), *undoing):
            if word.lower() not in numbers:
                yield f"Nothing in it stands for “{word}”."

    def _undone(self, program: Program) -> Iterable[str]:
        """Yield phrases that say that what follows does not hold."""
        for phrase in self._role("undoing"):
            if f" {phrase} " in self._words and not self._names_something(phrase, program):
                yield phrase

    def _unexplained(
        self, program: Program, results: Sequence[ResultItem], beside: Sequence[Program]
    ) -> Iterable[str]:
        """Object where a word says more than anything that the program names.

        A word of another clause than the program's relations may be what another program that is
        run for the question is about: "the relatives of X, and what books did he write?"
        """
        clauses = {self._clauses[place] for place in self._named.naming(program)}
        for place in self._left(program, results):
            elsewhere = clauses and self._clauses[place] not in clauses
            if elsewhere and any(place not in self._left(one, ()) for one in beside):
                continue
            yield f"Nothing in it stands for “{self._text.tokens[place].text}”."

    @cached_property
    def _clauses(self) -> tuple[int, ...]:
        """By place, the number of its clause: a sentence, or a question behind a conjunction."""
        tokens, found, number = self._text.tokens, list[int](), 0
        for place, token in enumerate(tokens):
            joined = place > 0 and self._language.lexicon.kind(tokens[place - 1].norm)
            resumed = joined == "conjunction" and token.norm in self._role("resuming")
            number += resumed or token.text in _ENDS
            found.append(number)
        return tuple(found)

    def _left(self, program: Program, results: Sequence[ResultItem]) -> Iterator[int]:
        """Yield the places of words that say more than anything that a program names.

        A truth hangs on every word: "the cultural capital" is not the capital. A list or a number
        is held to numbers ("before 1980"), to words that narrow a relation ("sons"), to those
        for what somebody is to another ("the father of"), and to those that nothing explains, of
        what was followed or found ("the alleged children", "the schools that expelled").
        """
        lexicon, numbers, given = self._language.lexicon, numbers_of(program), given_by(program)
        edges = [(name, way) for step in program.steps for name in step.relations
                 for way in Direction]  # fmt: skip
        scores = self._evidence.score(edges, None).values()
        broader = {place for score in scores for place in score.broader | score.unfit}
        narrower = self._narrower(program, results, broader)
        said = {place for score in scores for place in score.said} | self._used(program)
        said |= self._of_names(given)
        more = self._people_beside(program, said) | narrower
        if program.final.gives is not Gives.TRUTH:
            read = self._used(program) | self._directions.idle(program) | self._stress
            more |= self._named.unread(program, lambda: self._sets(program), read)
        for place in self._evidence.content:
            token = self._text.tokens[place]
            idle = lexicon.operator(token.norm) or token.norm in self._role("idle")
            idle = idle or place in self._stress or self._begins(place)
            idle = idle or token.norm in self._role("top") and self._top in given.starts
            idle = idle or self._counts(token, given)
            if idle or place in said - narrower or self._offered(place):
                continue
            if str(lexicon.number(token.norm) or token.norm) not in numbers and (
                program.final.gives is Gives.TRUTH or token.norm.isdecimal() or place in more
            ):
                yield place

    def _counts(self, token: Token, given: Given) -> bool:
        """Tell whether a number is that of the ids behind it, all of which are given."""
        ids = self._counted.get(token.start)
        values = {value.id for value in given.every if isinstance(value, EntityValue)}
        return ids is not None and token.norm == str(len(ids)) and ids <= values

    def _of_names(self, given: Given) -> set[int]:
        """Return the places around a name of what is given that are words of its label, too."""
        tokens, found = self._text.tokens, set[int]()
        for mention in self._mentions:
            for one in mention.candidates if mention.span else ():
                if one.match is not NameMatch.PART or one.value not in given.every:
                    continue
                words = words_of(one.label)
                for way, at in ((-1, mention.start - 1), (1, mention.end)):
                    while 0 <= at < len(tokens) and (
                        tokens[at].norm in words or not tokens[at].is_word or tokens[at].possessive
                    ):
                        found.add(at)
                        at += way
        return found

    def _begins(self, place: int) -> bool:
        """Tell whether a word asks for something where a sentence begins: "Start from"."""
        tokens = self._text.tokens
        first = place == 0 or not tokens[place - 1].is_word
        return first and tokens[place].norm in self._role("imperative")

    def _sets(self, program: Program) -> list[Sequence[Value]]:
        """Return what the sets of a program hold, in its order."""
        executor = Executor(self._language.view.source)
        steps = [step for step in program.steps if not isinstance(step, End)]
        ends = [n for n, step in enumerate(steps, 1) if step.gives is Gives.SET and not step.starts]
        return [executor.run(Program((*steps[:n], End(steps[n - 1].out)))).values for n in ends]

    def _people_beside(self, program: Program, said: set[int]) -> set[int]:
        """Return the places of words for what somebody is to another that are not read.

        Those that may be what somebody is by trade ("author") are left aside.
        """
        trades = {self._language.lexicon.stem(word) for kind in self._language.lexicon.kinds
                  for word in kind.classes}  # fmt: skip
        return {
            place
            for places, phrase in self._evidence.phrases()
            if phrase.kind == "noun" and phrase.answer == "person"
            if not places & (said | self._named.naming(program))
            for place in places
            if self._language.lexicon.stem(self._text.tokens[place].norm) not in trades
        }

    def _narrower(
        self, program: Program, results: Sequence[ResultItem], broader: set[int]
    ) -> set[int]:
        """Return the places of words that say more than the relations that were followed.

        "Grandchild" is two steps, and "son" is a child of whom it is stated that he is male.
        """
        along = [step for step in program.steps if step.relations]
        single = len({step.relations for step in along}) == 1
        judged, given = program.final.gives is Gives.TRUTH, given_by(program)
        sides = self._sides(given)
        called = {
            " ".join(words_of(one.name))
            for step in along
            for one in self._language.view.properties(step.relations).values()
        }
        found: dict[frozenset[int], bool] = {}
        for places, phrase in self._evidence.phrases():
            enough = len(phrase.hops) <= len(along)
            less = {one.label for one in phrase.hops[-1] if one.broader} & called
            if phrase.only is not None and single and (places <= broader or less):
                said = sides.bearers(max(places)) & given.every
                gave = [] if judged else [item.value for item in results[:_MOST_NARROWED]]
                has = [self._has(value, phrase.only) for value in said or gave]
                # That "sister" is an alias of "sibling" is enough for those of whom nobody knows.
                unknown = not judged and not places <= broader
                enough = (
                    enough and bool(has) and all(unknown if one is None else one for one in has)
                )
            found[places] = found.get(places, False) or enough
        return {place for places, enough in found.items() if not enough for place in places}

    def _has(self, value: object, only: Only) -> bool | None:
        """Tell whether something has what narrows a relation to a phrase; None if none is known."""
        view = self._language.view
        known = {
            view.label(end.id)
            for name in view.properties_named(only.relations) if isinstance(value, EntityValue)
            for end in view.ends((value.id,), (name, Direction.OUT))
            if isinstance(end, EntityValue)
        }  # fmt: skip
        return not known.isdisjoint(only.values) if known else None

    def _used(self, program: Program) -> frozenset[int]:
        """Return the places of the names of what a program is given, and of its limits."""
        return self._names_used(given_by(program)) | self._directions.read(program)

    def _names_used(self, given: Given) -> frozenset[int]:
        """Return the places of the names of what is given.

        What is named well is not named once more by a slip: the name and a word beside it.
        """
        used = [
            (mention, one.value, one.match is NameMatch.SLIP)
            for mention in self._mentions
            for one in mention.candidates
            if one.value in given.every
        ]
        well = {value for _, value, slip in used if not slip}
        tokens = enumerate(self._text.tokens)
        ids = {place for place, token in tokens if EntityValue(token.text) in given.every}
        return frozenset(ids).union(
            place
            for mention, value, slip in used
            if not (slip and value in well)
            for place in mention.span
        )

    def _words_without_step(self, program: Program, of: frozenset[str]) -> Iterable[str]:
        carried = frozenset(kind for step in program.steps for kind in step.carries)
        # The second one is what comes first when the first one is left out.
        picked = sum(step.hangs_on_all and "order" in step.carries for step in program.steps)
        lists = program.final.gives is Gives.SET
        picks = self._directions.picks - self._named.naming(program) if lists else frozenset[int]()
        used = self._used(program)
        named = {
            word
            for step in program.steps
            if isinstance(step, Follow)
            for property_ in self._language.view.properties(step.properties).values()
            for name in (property_.name, *property_.aliases)
            for word in (token.norm for token in read_text(name).tokens)
        }
        for place, token in enumerate(self._text.tokens):
            kind = self._language.lexicon.operator(token.norm)
            if place in picks and not self._language.lexicon.is_small(token.norm):
                kind = "order"
            if kind not in of or place in used or place in self._stress:
                continue
            if token.norm in named or self._offered(place):
                continue
            if kind not in carried or self._language.lexicon.rank(token.norm) > max(1, picked):
                yield token.text

    def _offered(self, place: int) -> bool:
        """Tell whether a word only offers an answer, as in "yes or no?"."""
        tokens, lexicon = self._text.tokens, self._language.lexicon
        joined = place > 0 and lexicon.kind(tokens[place - 1].norm) == "conjunction"
        return joined and (place + 1 == len(tokens) or not tokens[place + 1].is_word)


def _is_against(score: RelationScore) -> bool:
    """Tell whether words name a relation the other way round than it was followed."""
    return score.turned > 0 and not score.phrase and score.back > score.probability
