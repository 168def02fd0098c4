"""Does a sentence follow from the triples it cites? The gate between a draft and an answer.

Nothing a policy hands in is believed. A claim is supported only if

1. it cites handles, all of them known, and every cited triple stands in the local graph;
2. everything it names - ids, labels of the local graph, capitalised names - belongs to the
   cited triples or to the question;
3. it names what its triples tell beyond the question, so that a sentence cannot ride on a
   triple about something else;
4. its numbers and dates are those of the cited triples (or count them, or follow from them by
   arithmetic, see ``reckoned``; or are the question's);
5. it denies nothing: triples state, they never deny;
6. it does not turn a relation round, where English shows that beyond doubt (``_direction``).

These checks bound what can be said; they do not understand it. A sentence that names the right
things in the wrong relation may pass, which is why the triples are always shown beside it.
Source: RoboData paper, "Answer Production" (support sets).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from robodata_core.answers._direction import turned_round
from robodata_core.answers._vocabulary import Vocabulary
from robodata_core.answers._words import (
    FUNCTION_WORDS,
    NEGATIONS,
    NUMBER_WORDS,
    PRONOUNS,
    contains_phrase,
    fold,
    tokens,
    without_phrase,
)
from robodata_core.answers.reckoned import reckoned_numbers
from robodata_core.model import (
    Absence,
    Claim,
    EntityValue,
    Evidence,
    NoValue,
    QuantityValue,
    SupportSet,
    TimeValue,
    Value,
)
from robodata_core.policy.base import AnswerDraft, ClaimDraft
from robodata_core.store.graph import LocalGraph
from robodata_core.values import MONTHS, format_value

__all__ = ["Validation", "affirms", "says_number", "says_only_supported", "validate"]

_ID: Final = re.compile(r"\b[QP][1-9][0-9]{0,11}\b")
_NUMBER: Final = re.compile(r"(?<![\w.,])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
_NUMBER_WITH_SUFFIX: Final = re.compile(r"(?<![\w.,])(\d+)(?:st|nd|rd|th|s)\b")
_NAME: Final = re.compile(r"\b[^\W\d_][\w'’.-]*")
_POSSESSIVE: Final = re.compile(r"['’](?:s)?$")
_ADJECTIVE: Final = re.compile(r"(?:an|ish|ese|ch|ic|i)\Z")
_ABSENCE: Final = re.compile(r"N[0-9]{1,9}")
_MAX_SENTENCE: Final = 4_000
_MAX_HANDLES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Validation:
    """Outcome of checking a draft.

    Attributes:
        claims: One claim per drafted sentence, in order, supported or with its problem.
        problems: The problems again, each naming its claim, as sentences for a repair.
        absences: Look-ups of this run that found nothing and that the draft cites.
    """

    claims: tuple[Claim, ...]
    problems: tuple[str, ...]
    absences: tuple[Absence, ...] = ()


def validate(draft: AnswerDraft, graph: LocalGraph, question: str) -> Validation:
    """Check every claim of ``draft`` against the local graph.

    Args:
        draft: What the policy handed in.
        graph: The local graph the handles belong to.
        question: The question; what it names may be named in answers too.
    """
    vocabulary = Vocabulary(graph)
    standing: dict[str, Evidence] = {}
    claims: list[Claim] = []
    problems: list[str] = []
    for number, drafted in enumerate(draft.claims, 1):
        evidence, problem = _cited(drafted, graph, standing)
        if not problem:
            problem = _objection(_Sentence(drafted.text, evidence, question, vocabulary))
        name = f"c{number}"
        support = SupportSet(evidence if not problem else ())
        claims.append(Claim(name, drafted.text.strip(), not problem, support, problem))
        if problem:
            problems.append(f"Claim {name}: {problem}")
    return Validation(tuple(claims), tuple(problems))


def says_only_supported(
    text: str, claims: Iterable[Claim], graph: LocalGraph, question: str
) -> bool:
    """Tell whether a summary names nothing beyond the support of ``claims`` and the question."""
    evidence = tuple(item for claim in claims if claim.supported for item in claim.support.evidence)
    return not _foreign(_Sentence(text, evidence, question, Vocabulary(graph)))


def affirms(question: str, claims: Iterable[Claim], graph: LocalGraph) -> bool:
    """Tell whether the support of ``claims`` is about everything that ``question`` names.

    A "yes" may not ride on true sentences about something else. Names are the capitalised words
    behind the first one; words that may be adjectives of places ("Italian") are not looked for.
    """
    evidence = tuple(item for claim in claims if claim.supported for item in claim.support.evidence)
    names = _allowed_names(evidence, Vocabulary(graph))
    told = {word for name in names for word in tokens(name)}
    asked = _NAME.finditer(question)
    for match in list(asked)[1:]:
        word = _POSSESSIVE.sub("", match.group())
        if not word[:1].isupper() or _ADJECTIVE.search(word):
            continue
        if not all(part in told or part in FUNCTION_WORDS for part in tokens(word)):
            return False
    return True


def says_number(number: int, claims: Iterable[Claim]) -> bool:
    """Tell whether a supported claim says ``number``, in digits or in words."""
    for claim in claims:
        if not claim.supported:
            continue
        digits = {raw.replace(",", "") for raw in re.findall(r"\b\d[\d,]*\b", claim.text)}
        words = {NUMBER_WORDS[word] for word in tokens(claim.text) if word in NUMBER_WORDS}
        if str(number) in digits or number in words:
            return True
    return False


def _cited(
    drafted: ClaimDraft, graph: LocalGraph, standing: dict[str, Evidence]
) -> tuple[tuple[Evidence, ...], str]:
    """Return the triples that a claim cites, or what is wrong with them.

    Args:
        drafted: The claim.
        graph: The local graph.
        standing: The triples that were seen to stand for other claims of the draft.
    """
    if not drafted.text.strip():
        return (), "the sentence is empty."
    if len(drafted.text) > _MAX_SENTENCE:
        return (), f"the sentence is longer than {_MAX_SENTENCE} characters."
    handles = tuple(dict.fromkeys(drafted.handles))
    if not handles:
        return (), "it cites no triples."
    if len(handles) > _MAX_HANDLES:
        return (), f"it cites more than {_MAX_HANDLES} triples."
    found = []
    for handle in handles:
        item = standing.get(handle) or graph.evidence(handle)
        if item is None:
            return (), f"it cites {handle[:20]}, {_why_unknown(handle)}"
        if handle not in standing and not graph.contains(item.triple):
            return (), f"{handle} no longer stands in the local graph."
        standing[handle] = item
        found.append(item)
    return tuple(found), ""


def _why_unknown(handle: str) -> str:
    if _ABSENCE.fullmatch(handle):
        return "a look-up that found nothing: those support no claim, name them in absences."
    return "which is not in the local graph."


class _Sentence:
    """A sentence with what it cites, and what more than one check needs of them."""

    def __init__(
        self, text: str, evidence: tuple[Evidence, ...], question: str, vocabulary: Vocabulary
    ) -> None:
        self.text = text
        self.evidence = evidence
        self.question = question
        self.vocabulary = vocabulary
        self.folded = fold(text)
        self.words = tokens(text)
        self.asked = fold(question)
        self.names = _allowed_names(evidence, vocabulary)
        self.rest = self.folded
        for name in sorted(self.names, key=len, reverse=True):
            self.rest = without_phrase(self.rest, name)


def _objection(sentence: _Sentence) -> str:
    evidence, denies = sentence.evidence, NEGATIONS.intersection(sentence.words)
    if denies and not _states_no_value(evidence):
        denies = denies.difference(tokens(sentence.asked), _words_of_names(sentence))
        if denies:
            return "it denies something; triples can only state."
    foreign = _foreign(sentence)
    if foreign:
        return foreign
    relation = _other_relation(sentence)
    if relation:
        return f"it speaks of “{relation}”, which is not the relation of the triples it cites."
    turned = turned_round(sentence.text, evidence, sentence.vocabulary.names_with)
    if turned:
        return turned
    return _silent(sentence)


def _words_of_names(sentence: _Sentence) -> set[str]:
    of_names = map(sentence.vocabulary.words_of, sentence.names)
    return set().union(*of_names)


def _states_no_value(evidence: tuple[Evidence, ...]) -> bool:
    return any(isinstance(item.triple.object, NoValue) for item in evidence)


def _ends(evidence: Iterable[Evidence]) -> Iterable[tuple[Value, str]]:
    for item in evidence:
        yield EntityValue(item.triple.subject), item.subject_label
        yield item.triple.object, item.object_label


def _allowed_names(evidence: tuple[Evidence, ...], vocabulary: Vocabulary) -> set[str]:
    names: set[str] = set()
    for value, label in _ends(evidence):
        names |= vocabulary.names_of_end(value, label)
        if isinstance(value, QuantityValue) and value.unit:
            names |= vocabulary.names_of(value.unit)
    for item in evidence:
        names |= {fold(item.predicate_label)} | vocabulary.property_names(item.triple.predicate)
    names.discard("")
    return names


def _foreign(sentence: _Sentence) -> str:
    """Return what a sentence names that neither its triples nor the question give, in words."""
    text, evidence, rest = sentence.text, sentence.evidence, sentence.rest
    ids = {item.triple.subject for item in evidence} | {i.triple.predicate for i in evidence}
    ids |= {i.triple.object.id for i in evidence if isinstance(i.triple.object, EntityValue)}
    for id_ in _ID.findall(text):
        if id_ not in ids and id_ not in sentence.question:
            return f"it names {id_}, which is not in the triples it cites."
    for name, owners in sentence.vocabulary.all_names().items():
        if name not in rest or len(name) < 3 or name in FUNCTION_WORDS or name.isdigit():
            continue  # nearly all names end here: there are as many as the graph has
        if owners & ids or not contains_phrase(rest, name) or contains_phrase(sentence.asked, name):
            continue
        return f"it names “{name}”, which is not in the triples it cites."
    allowed = _words_of_names(sentence).union(tokens(sentence.asked))
    stranger = _unknown_name(text, allowed, evidence)
    if stranger:
        return f"it names “{stranger}”, which is not in the triples it cites."
    return _wrong_number(sentence)


def _other_relation(sentence: _Sentence) -> str:
    """Return the label of a relation of the graph that a sentence speaks of but does not cite."""
    vocabulary = sentence.vocabulary
    spoken_of = [
        name
        for name in sorted(vocabulary.relation_names())
        if contains_phrase(sentence.rest, name) and not contains_phrase(sentence.asked, name)
    ]
    # A "member of political party" is spoken of as a "member of".
    predicates = {item.triple.predicate for item in sentence.evidence if spoken_of}
    cited = {name for id_ in predicates for name in vocabulary.property_names(id_)}
    for name in spoken_of:
        if not any(contains_phrase(longer, name) for longer in cited):
            return name
    return ""


def _unknown_name(text: str, allowed: set[str], evidence: tuple[Evidence, ...]) -> str:
    months = {
        fold(MONTHS[item.triple.object.month - 1])
        for item in evidence
        if isinstance(item.triple.object, TimeValue) and item.triple.object.month
    }
    for match in _NAME.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        if not word[0].isupper():
            continue
        parts = tokens(word)
        if all(part in allowed or part in months or part in FUNCTION_WORDS for part in parts):
            continue
        return word
    return ""


def _wrong_number(sentence: _Sentence) -> str:
    text, evidence, question = sentence.text, sentence.evidence, sentence.question
    written = (*_NUMBER.finditer(text), *_NUMBER_WITH_SUFFIX.finditer(text))
    spelt = [word for word in sentence.words if word in NUMBER_WORDS]
    if not written and not spelt:
        return ""
    numbers = _numbers_of(evidence, sentence.names, question)
    numbers |= _counts(evidence) | reckoned_numbers(evidence, question)
    for match in written:
        raw = (match.group(1) if match.re.groups else match.group()).replace(",", "")
        try:
            number = Decimal(raw)
        except InvalidOperation:
            continue
        if number not in numbers:
            return f"the number {match.group()} is not in the triples it cites."
    for word in spelt:
        if Decimal(NUMBER_WORDS[word]) not in numbers and word not in {
            *tokens(sentence.asked),
            *_words_of_names(sentence),
        }:
            return f"the number “{word}” is not in the triples it cites."
    return ""


def _numbers_of(evidence: tuple[Evidence, ...], names: set[str], question: str) -> set[Decimal]:
    numbers: set[Decimal] = set()
    for item in evidence:
        value = item.triple.object
        if isinstance(value, QuantityValue):
            numbers |= {value.amount, abs(value.amount)}
        elif isinstance(value, TimeValue):
            parts = (value.year, value.month, value.day, value.hour, value.minute, value.second)
            numbers |= {Decimal(part) for part in parts}
            numbers |= {Decimal(abs(value.year)), Decimal(1 - value.year)}
            numbers.add(Decimal(value.year // 10 * 10))
    for text in (*names, question):
        for raw in re.findall(r"\d[\d,]*(?:\.\d+)?", text):
            numbers.add(Decimal(raw.replace(",", "")))
    return numbers


def _counts(evidence: tuple[Evidence, ...]) -> set[Decimal]:
    subjects = {item.triple.subject for item in evidence}
    objects = {item.triple.object for item in evidence}
    return {Decimal(len(subjects)), Decimal(len(objects)), Decimal(len(evidence))}


def _silent(sentence: _Sentence) -> str:
    """Object if the sentence names nothing its triples tell beyond the question."""
    evidence, vocabulary = sentence.evidence, sentence.vocabulary
    if _gives_count(sentence):
        return ""
    told, untold = 0, 0
    for value, label in dict.fromkeys(_ends(evidence)):
        names = vocabulary.names_of_end(value, label)
        if any(contains_phrase(sentence.asked, name) for name in names):
            continue
        if _is_said(value, names, sentence.folded, sentence.text):
            told += 1
        else:
            untold += 1
    # With one triple both its ends must be named, except that a pronoun may stand for one of
    # them beside the other. A chain of triples may leave nodes between its ends unnamed.
    lenient = len(evidence) > 1 or not PRONOUNS.isdisjoint(sentence.words)
    if untold and not (told and lenient):
        return "it does not name what the triples it cites tell."
    return ""


def _gives_count(sentence: _Sentence) -> bool:
    found = {Decimal(raw.replace(",", "")) for raw in re.findall(r"\b\d[\d,]*\b", sentence.text)}
    found |= {Decimal(NUMBER_WORDS[word]) for word in sentence.words if word in NUMBER_WORDS}
    return bool(found) and not found.isdisjoint(_counts(sentence.evidence))


def _is_said(value: Value, names: frozenset[str], folded: str, text: str) -> bool:
    if any(contains_phrase(folded, name) for name in names):
        return True
    if isinstance(value, EntityValue):
        return value.id in text
    if isinstance(value, TimeValue):
        return str(abs(value.year)) in text or str(1 - value.year) in text.replace(",", "")
    if isinstance(value, QuantityValue):
        return format_value(QuantityValue(value.amount)) in text or str(value.amount) in text
    return False
