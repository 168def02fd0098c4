"""What an answer must have read of its question, or it would answer another one.

A yes or no reads every word that says of how many something holds, a set every word that says what
several share, and a word that is said twice is read twice ("the father of the father of X" needs
two steps). What breaks one of them is kept back, with the word that was not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import words_of
from robodata_core.model import Direction, EntityValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.answer_kinds import is_person
from robodata_core.policy.offline.candidate import Candidate, Link
from robodata_core.policy.offline.guards import unread_by_no
from robodata_core.policy.offline.links import belonging_links
from robodata_core.policy.offline.literals import is_plain_year
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.of_class import not_by_class
from robodata_core.policy.offline.parts import Part, Plan
from robodata_core.policy.offline.qualified import YEAR
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Edge
from robodata_core.policy.offline.tables import rows_of
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import (
    FUNCTION_WORDS,
    INDEFINITE,
    NUMBERS,
    PREPOSITIONS,
    Token,
)
from robodata_core.programs.steps import FilterByConstraint, Judge, JudgeKind, Start

__all__ = ["held_back"]


#: Two letters are no acronym that a name is told by.
_PAIR: Final = 2
#: Things found that are looked at for what they have to do with a name.
_LOOKED_AT: Final = 12
#: How well known somebody has to be, against who is meant, to be meant by a surname as well.
_AS_KNOWN: Final = 0.5


@lru_cache(maxsize=1)
def _quantifiers() -> Mapping[str, frozenset[str]]:
    """Return words of number, each with what behind it with which it says something else."""
    return {
        word: frozenset(filter(None, unless.split("|")))
        for _, _, held, unless in rows_of("quantifiers.tsv")
        for word in filter(None, held.split("|"))
    }


@lru_cache(maxsize=1)
def _sharing() -> Mapping[str, frozenset[str]]:
    """Return the words that say what several have in common, each with what takes them up."""
    return {
        word: frozenset(filter(None, unless.split("|")))
        for says, _, held, unless in rows_of("quantifiers.tsv")
        if says == "same"
        for word in held.split("|")
    }


def _is_quantifier(tokens: Sequence[Token], at: int) -> bool:
    unless = _quantifiers().get(tokens[at].norm)
    behind = tokens[at + 1].norm if at + 1 < len(tokens) else "."
    return unless is not None and behind not in unless


def held_back(plan: Plan, index: RelationIndex) -> Plan:
    """Return a plan whose answers have read what they must; the others are not sure any more."""
    return replace(plan, parts=tuple(_checked(part, plan, index) for part in plan.parts))


def _passed_over(part: Part, mentions: Sequence[Mention], plan: Plan, index: RelationIndex) -> str:
    """Return a name that an answer leaves out, or an empty string: "US" in "which US states".

    What is found may be of it all the same: whoever asks for a "city in France" hears of Paris.

    Args:
        part: What is answered.
        mentions: The names of what was asked.
        plan: The plan that it is of.
        index: The relations of the graph.
    """
    candidate = part.best.candidate if part.best is not None else None
    judged = part.request.kind is AnswerKind.YES_OR_NO
    if candidate is None or part.result is None:
        return ""
    if not judged and part.request.kind is not AnswerKind.THINGS:
        return ""
    tokens = plan.question.tokens
    read = candidate.covered.union(*(link.mention.span for link in candidate.links))
    read |= {i for mention in mentions if mention.demonym for i in mention.span}
    starts = tuple(EntityValue(id_) for link in candidate.links for id_ in link.ids)
    for mention in mentions:
        written = mention.proper and mention.start > 0 and tokens[mention.start - 1].word
        if not written or not mention.entities or not mention.span.isdisjoint(read):
            continue
        if mention.entities[0].label[:1].islower():
            continue  # A noun that only begins with a capital here.
        named = {EntityValue(item.id) for item in mention.entities}
        edges = [(name, Direction.OUT) for name in sorted(belonging_links(index))]
        if judged or not any(
            _are_of(some, named, edges, plan.reader) for some in (part.result.members, starts)
        ):
            return mention.text
    return ""


def _are_of(
    values: Sequence[Value], named: Set[EntityValue], edges: Sequence[Edge], reader: Reader
) -> bool:
    """Tell whether all of some things are what is named, or belong to it."""
    return bool(values) and all(
        one in named or any(not named.isdisjoint(reader.along((one,), edge)) for edge in edges)
        for one in values[:_LOOKED_AT]
    )


def _checked(part: Part, plan: Plan, index: RelationIndex) -> Part:
    if not part.sure or part.best is None:
        return part
    failure = (
        not_by_class(part.best.candidate, plan.question.tokens, plan.reader, index)
        or _half_named(part, plan)
        or _of_other_kinds(part, plan)
        or _not_of_class(part, plan)
    )
    word = _unread(part, plan.question) or (
        _passed_over(part, part.linking.mentions, plan, index) if part.question is None else ""
    )
    if word:
        failure = f"What “{word}” changes in the question was not understood."
    if failure:
        unread = word in _sharing() or bool(YEAR.match(word))
        return replace(part, sure=False, failure=failure, unread=unread)
    unsaid = _unsaid(part, plan.reader)
    return replace(part, likely=True, missing=(*part.missing, unsaid)) if unsaid else part


def _not_of_class(part: Part, plan: Plan) -> str:
    """Return why a yes does not hold: what something is asked to be was read as a relation.

    That a country has citizens who speak a language does not make it a "country" of that language.
    """
    assert part.best is not None
    candidate, tokens = part.best.candidate, plan.question.tokens
    if candidate.final not in ("yes", "no") or part.question or len(candidate.edges) < 2:
        return ""
    places = range(part.request.start, part.request.end)
    last = max((at for at in places if tokens[at].word), default=-1)
    mentions = [one for one in part.linking.mentions if not one.proper and one.end - 1 == last]
    beginning = [one.end for one in part.linking.mentions if one.proper][:1]
    asked = any(at < len(tokens) and tokens[at].norm in INDEFINITE for at in beginning)
    followed = set(candidate.edges[-1].span)
    read = {link.mention for link in candidate.links}
    noun = next((one for one in mentions if one not in read and one.span & followed), None)
    if noun is None or not asked:
        return ""
    return f"What kind of “{noun.text}” is asked for was not understood."


def _of_other_kinds(part: Part, plan: Plan) -> str:
    """Return why a "no" does not hold: a small word alone says a relation to other kinds of things.

    That somebody is in a party says nothing of whether they are in a film.
    """
    assert part.best is not None
    candidate, tokens, reader = part.best.candidate, plan.question.tokens, plan.reader
    judge = candidate.steps[-1] if candidate.steps else None
    if candidate.final != "no" or part.question or len(candidate.edges) != 1:
        return ""
    use, named = candidate.edges[0], judge.value if isinstance(judge, Judge) else None
    small = all(tokens[i].norm in FUNCTION_WORDS for i in use.span)
    begun = next((step.values for step in candidate.steps if isinstance(step, Start)), ())
    if not use.span or not small or not isinstance(named, EntityValue):
        return ""
    ends = [value for edge in use.hop for value in reader.along(begun, edge)]
    found = [value.id for value in ends if isinstance(value, EntityValue)]
    asked, stated = (
        {kind for item in reader.entities(ids).values() for kind in item.types}
        for ids in ((named.id,), found)
    )
    above = [set().union(*map(reader.superclasses, kinds)) for kinds in (asked, stated)]
    if not asked or not stated or asked & above[1] or stated & above[0]:
        return ""
    word = tokens[min(use.span)].text
    return f"What “{word}” says of “{reader.label(named.id)}” was not understood."


def _half_named(part: Part, plan: Plan) -> str:
    """Return why a name that only has a word of the question in it is not what is meant.

    "A dolphin" is no football team, whatever its name; a person goes by a surname, anything else
    by half of its name at least, and by more of it than a number.
    """
    assert part.best is not None
    tokens, reader = (part.question or plan.question).tokens, plan.reader
    judged = part.best.candidate.final == "yes"
    for link in part.best.candidate.links:
        mention = link.mention
        if mention.exact or not mention.entities:
            continue
        meant = (item for item in mention.entities if item.id in link.ids)
        named = next(meant, mention.entities[0])
        # Places in what was put together from several questions are no places in this one.
        here = mention in part.linking.mentions and 0 < mention.start < len(tokens)
        before = tokens[mention.start - 1].norm if here else ""
        if before in INDEFINITE and _is_one_of(named.label, mention.text):
            if judged:
                continue  # "A Nobel Prize" is one in literature as well.
            return f"“{mention.text}” may be any of several; nothing is called just so."
        if _is_subtitle(mention.text, named.label) or _is_acronym(mention.text, named.label):
            continue
        said, whole = (set(words_of(text)) - FUNCTION_WORDS for text in (mention.text, named.label))
        some = before in INDEFINITE and not mention.proper
        few = len(whole) > 1 and (2 * len(said & whole) < len(whole) or said <= NUMBERS.keys())
        few = few or not (mention.proper or said & whole)
        person = is_person(reader, named.id)
        if person is None and words_of(named.label)[-1:] != words_of(mention.text)[-1:]:
            person = False  # What ends in the word may be somebody with that surname.
        if some or (few and person is False) or (person and _is_given(mention.text, named.label)):
            return f"“{mention.text}” may not be “{named.label}”; nothing is called just so."
    return ""


def _is_subtitle(text: str, label: str) -> bool:
    """Tell whether a title in parts is called by its last one: "The Return of the King"."""
    title, _, last = label.rpartition(":")
    return bool(title) and words_of(last) == words_of(text)


def _is_acronym(text: str, label: str) -> bool:
    """Tell whether capitals are the first letters of a name: "CIA"."""
    initials = "".join(w[0] for w in words_of(label) if w not in FUNCTION_WORDS)
    return text.isupper() and len(text) > _PAIR and text.casefold() == initials


def _is_one_of(name: str, kind: str) -> bool:
    """Tell whether a name says which of a kind something is: "Nobel Prize in Literature"."""
    words, known = words_of(name), words_of(kind)
    left = words[len(known) :]
    return words[: len(known)] == known and bool(left) and left[0] in PREPOSITIONS


def _is_given(said: str, name: str) -> bool:
    """Tell whether several of somebody's names are said, and not the last: "Martin Luther"."""
    words, names = words_of(said), words_of(name.split(",")[0])
    last = names[-1] if names else ""
    regnal = last.isdigit() or not set(last) - set("ivx")
    return len(words) > 1 and len(names) > len(words) and last not in words and not regnal


def _unsaid(part: Part, reader: Reader) -> str:
    """Return what a question does not say of a surname that several bear."""
    assert part.best is not None
    for link in part.best.candidate.links:
        mention = link.mention
        if not mention.exact and _has_namesakes(link, part.best.candidate, reader):
            return f"Which “{mention.text}” is meant was not said."
    return ""


def _has_namesakes(link: Link, candidate: Candidate, reader: Reader) -> bool:
    """Tell whether others well known go by a surname, of whom the same could be asked."""
    popularity = {item.id: item.popularity for item in link.mention.entities}
    if len(link.ids) != 1 or link.ids[0] not in popularity or not candidate.edges:
        return False
    least, edges = popularity[link.ids[0]] * _AS_KNOWN, set(candidate.edges[0].hop)
    return any(
        id_ not in link.ids and known >= least and not edges.isdisjoint(reader.relations(id_))
        for id_, known in popularity.items()
    )


def _unread(part: Part, question: Question) -> str:
    """Return a word that the answer should have read and did not, or an empty string."""
    assert part.best is not None
    tokens, request = question.tokens, part.request
    named = {i for mention in part.linking.mentions if mention.proper for i in mention.span}
    if part.best.candidate.final in ("yes", "no") and request.kind is AnswerKind.YES_OR_NO:
        covered = part.best.candidate.covered
        whole = covered.issuperset(range(request.start, request.end))
        phrases = {i for match in part.matches if match.end - match.start > 1 for i in match.span}
        for i in range(request.start, request.end):
            if i not in named | phrases and not whole and _is_quantifier(tokens, i):
                return tokens[i].text
        word = _unjudged(part, tokens, named)
        if word:
            return word
        if part.best.candidate.final == "no" and part.question is None:
            linked = {i for link in part.best.candidate.links for i in link.mention.span}
            read = named | linked | covered
            return unread_by_no(part.best.candidate, tokens, request, read)
    elif request.kind is AnswerKind.THINGS:
        read = named | (part.best.candidate.covered if part.question is None else frozenset())
        word = _unshared(tokens, read)
        if word:
            return word
    if part.question is not None:
        return ""  # It was put together from questions of its own.
    word = _undated(part, tokens) or _advised(part, tokens, named)
    if word:
        return word
    return _not_followed(part, tokens, named) or _said_twice(part, question, named)


def _unjudged(part: Part, tokens: Sequence[Token], named: Set[int]) -> str:
    """Return a word that is not read where something is said to be there, or nothing.

    That knives of some kind are stated says nothing of whether "a knife is dangerous".
    """
    assert part.best is not None
    candidate = part.best.candidate
    judge = candidate.steps[-1] if candidate.steps else None
    if not isinstance(judge, Judge) or judge.kind is not JudgeKind.NOT_EMPTY:
        return ""
    if part.question is not None:
        return ""  # It was put together from questions of its own.
    read = candidate.covered.union(named, *(link.mention.span for link in candidate.links))
    content = content_of(tokens, part.request)
    left = [i for i, weight in content.items() if weight >= 1.0 and i not in read]
    return tokens[left[0]].text if left else ""


def _undated(part: Part, tokens: Sequence[Token]) -> str:
    """Return a year that is not read, or nothing: who rules a country in 2011 may not today."""
    assert part.best is not None
    candidate = part.best.candidate
    read = candidate.covered.union(*(link.mention.span for link in candidate.links))
    if not candidate.covered or any(isinstance(s, FilterByConstraint) for s in candidate.steps):
        return ""  # What was reckoned does not say which words it read.
    places = range(part.request.start, part.request.end)
    years = (tokens[i].text for i in places if i not in read and is_plain_year(tokens[i]))
    return next(years, "")


def _advised(part: Part, tokens: Sequence[Token], named: Set[int]) -> str:
    """Return what it is asked to do, or nothing: "where to go" and "what is there to see"."""
    assert part.best is not None
    read = part.best.candidate.covered | named
    lexicon = open_lexicon("en")
    for at in range(part.request.start + 1, part.request.end - 1):
        behind, before = tokens[at + 1], lexicon.kind(tokens[at - 1].norm)
        asked = tokens[at].norm == "to" and before in ("question", "pronoun")
        if asked and behind.word and not {at, at + 1} & read:
            return behind.text
    return ""


def _unshared(tokens: Sequence[Token], read: Set[int]) -> str:
    """Return what says that several have something in common and was not read, or nothing."""
    for i in range(len(tokens)):
        for words, unless in _sharing().items() if i not in read else ():
            here = [token.norm for token in tokens[i : i + words.count(" ") + 1]]
            behind = (other.norm for other in tokens[i + len(here) :])
            if " ".join(here) == words and unless.isdisjoint(behind):
                return words
    return ""


def _not_followed(part: Part, tokens: Sequence[Token], named: Set[int]) -> str:
    """Return a noun for a relation of something that no step goes along, or nothing.

    "The capital of the neighbour of X" is not the capital of X.
    """
    assert part.best is not None
    candidate = part.best.candidate
    if not candidate.covered:
        return ""  # What was reckoned does not say which words it read.
    read = candidate.covered.union(named, *(link.mention.span for link in candidate.links))
    content = content_of(tokens, part.request)
    for match in part.matches:
        of = match.end < len(tokens) and tokens[match.end].norm == "of"
        said = any(content.get(i, 0.0) >= 1.0 for i in match.span)
        if of and said and match.reading.kind == "noun" and match.span.isdisjoint(read):
            return tokens[match.start].text
    return ""


def _said_twice(part: Part, question: Question, named: set[int]) -> str:
    assert part.best is not None
    tokens, covered = question.tokens, part.best.candidate.covered
    places: dict[str, list[int]] = defaultdict(list)
    for i, weight in content_of(tokens, part.request).items():
        if weight >= 1 and i not in named:
            places[tokens[i].stem].append(i)
    spans = {i for match in part.matches for i in match.span}
    for found in places.values():
        if _once(found, covered, spans):
            return tokens[found[0]].text
    return ""


def _once(found: Sequence[int], covered: frozenset[int], spans: set[int]) -> bool:
    """Tell whether of several places of a word that names a relation only some were read."""
    read = [i for i in found if i in covered]
    return 0 < len(read) < len(found) and spans.issuperset(found)
