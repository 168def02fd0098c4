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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from robodata_core.answers._direction import turned_round
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
    Entity,
    EntityValue,
    Evidence,
    NoValue,
    Property,
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
    vocabulary = _Vocabulary(graph)
    claims: list[Claim] = []
    problems: list[str] = []
    for number, drafted in enumerate(draft.claims, 1):
        evidence, problem = _cited(drafted, graph)
        if not problem:
            problem = _objection(drafted.text, evidence, question, vocabulary)
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
    return not _foreign(text, evidence, question, _Vocabulary(graph))


def affirms(question: str, claims: Iterable[Claim], graph: LocalGraph) -> bool:
    """Tell whether the support of ``claims`` is about everything that ``question`` names.

    A "yes" may not ride on true sentences about something else. Names are the capitalised words
    behind the first one; words that may be adjectives of places ("Italian") are not looked for.
    """
    evidence = tuple(item for claim in claims if claim.supported for item in claim.support.evidence)
    names = _allowed_names(evidence, _Vocabulary(graph))
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


def _cited(drafted: ClaimDraft, graph: LocalGraph) -> tuple[tuple[Evidence, ...], str]:
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
        item = graph.evidence(handle)
        if item is None:
            return (), f"it cites {handle[:20]}, {_why_unknown(handle)}"
        if not graph.contains(item.triple):
            return (), f"{handle} no longer stands in the local graph."
        found.append(item)
    return tuple(found), ""


def _why_unknown(handle: str) -> str:
    if _ABSENCE.fullmatch(handle):
        return "a look-up that found nothing: those support no claim, name them in absences."
    return "which is not in the local graph."


class _Vocabulary:
    """Names of the local graph's nodes, by folded label and alias, for one validation."""

    def __init__(self, graph: LocalGraph) -> None:
        self._graph = graph
        self._names: dict[str, set[str]] | None = None
        self._relations: frozenset[str] | None = None
        self._of_node: dict[str, frozenset[str]] = {}
        self._of_property: dict[str, frozenset[str]] = {}

    def names_of(self, id_: str) -> frozenset[str]:
        """Return the folded label and aliases of a node."""
        if id_ not in self._of_node:
            self._of_node[id_] = _folded(self._graph.entity(id_))
        return self._of_node[id_]

    def names_with(self, id_: str, label: str) -> frozenset[str]:
        """Return the folded names of a node, the given label among them."""
        return self.names_of(id_) | {name for name in (fold(label), fold(id_)) if name}

    def all_names(self) -> Mapping[str, set[str]]:
        """Return ids by folded name for every node of the graph."""
        if self._names is None:
            self._names = {}
            for id_ in self._graph.nodes():
                for name in self.names_of(id_):
                    self._names.setdefault(name, set()).add(id_)
        return self._names

    def relation_names(self) -> frozenset[str]:
        """Return the folded labels of all relations in the graph."""
        if self._relations is None:
            ids = {stored.triple.predicate for stored in self._graph.triples()}
            labels = (self._graph.property(id_) for id_ in ids)
            self._relations = frozenset(fold(item.label) for item in labels if item and item.label)
        return self._relations

    def property_names(self, id_: str) -> frozenset[str]:
        """Return the folded label and aliases of a property."""
        if id_ not in self._of_property:
            self._of_property[id_] = _folded(self._graph.property(id_))
        return self._of_property[id_]


def _folded(item: Entity | Property | None) -> frozenset[str]:
    """Return the folded names of a node or property; none of what is not known."""
    if item is None:
        return frozenset()
    return frozenset(name for one in (item.label, *item.aliases) if (name := fold(one)))


def _objection(
    text: str, evidence: tuple[Evidence, ...], question: str, vocabulary: _Vocabulary
) -> str:
    if any(word in NEGATIONS for word in tokens(text)) and not _states_no_value(evidence):
        allowed = fold(question) + " " + " ".join(_allowed_names(evidence, vocabulary))
        if any(word in NEGATIONS and word not in tokens(allowed) for word in tokens(text)):
            return "it denies something; triples can only state."
    foreign = _foreign(text, evidence, question, vocabulary)
    if foreign:
        return foreign
    relation = _other_relation(text, evidence, question, vocabulary)
    if relation:
        return f"it speaks of “{relation}”, which is not the relation of the triples it cites."
    turned = turned_round(text, evidence, vocabulary.names_with)
    if turned:
        return turned
    return _silent(text, evidence, question, vocabulary)


def _states_no_value(evidence: tuple[Evidence, ...]) -> bool:
    return any(isinstance(item.triple.object, NoValue) for item in evidence)


def _ends(evidence: Iterable[Evidence]) -> Iterable[tuple[Value, str]]:
    for item in evidence:
        yield EntityValue(item.triple.subject), item.subject_label
        yield item.triple.object, item.object_label


def _names_of_end(value: Value, label: str, vocabulary: _Vocabulary) -> set[str]:
    names = {fold(label)} if label else set()
    if isinstance(value, EntityValue):
        names |= vocabulary.names_of(value.id) | {fold(value.id)}
    else:
        names.add(fold(format_value(value)))
    return {name for name in names if name}


def _allowed_names(evidence: tuple[Evidence, ...], vocabulary: _Vocabulary) -> set[str]:
    names: set[str] = set()
    for value, label in _ends(evidence):
        names |= _names_of_end(value, label, vocabulary)
        if isinstance(value, QuantityValue) and value.unit:
            names |= vocabulary.names_of(value.unit)
    for item in evidence:
        names |= {fold(item.predicate_label)} | vocabulary.property_names(item.triple.predicate)
    return {name for name in names if name}


def _foreign(
    text: str, evidence: tuple[Evidence, ...], question: str, vocabulary: _Vocabulary
) -> str:
    """Return what ``text`` names that neither its triples nor the question give, as a sentence."""
    ids = {item.triple.subject for item in evidence} | {i.triple.predicate for i in evidence}
    ids |= {i.triple.object.id for i in evidence if isinstance(i.triple.object, EntityValue)}
    for id_ in _ID.findall(text):
        if id_ not in ids and id_ not in question:
            return f"it names {id_}, which is not in the triples it cites."
    names = _allowed_names(evidence, vocabulary)
    folded, asked = fold(text), fold(question)
    rest = folded
    for name in sorted(names, key=len, reverse=True):
        if contains_phrase(rest, name):
            rest = without_phrase(rest, name)
    for name, owners in vocabulary.all_names().items():
        if name not in rest or len(name) < 3 or name in FUNCTION_WORDS or name.isdigit():
            continue  # nearly all names end here: there are as many as the graph has
        if owners & ids or not contains_phrase(rest, name) or contains_phrase(asked, name):
            continue
        return f"it names “{name}”, which is not in the triples it cites."
    allowed = {word for name in (*names, asked) for word in tokens(name)}
    stranger = _unknown_name(text, allowed, evidence)
    if stranger:
        return f"it names “{stranger}”, which is not in the triples it cites."
    return _wrong_number(text, evidence, names, question)


def _other_relation(
    text: str, evidence: tuple[Evidence, ...], question: str, vocabulary: _Vocabulary
) -> str:
    """Return the label of a relation of the graph that ``text`` speaks of but does not cite."""
    rest, asked = fold(text), fold(question)
    allowed = _allowed_names(evidence, vocabulary)
    for name in sorted(allowed, key=len, reverse=True):
        rest = without_phrase(rest, name)
    # A "member of political party" is spoken of as a "member of".
    cited = {name for item in evidence for name in vocabulary.property_names(item.triple.predicate)}
    for name in sorted(vocabulary.relation_names()):
        if not contains_phrase(rest, name) or contains_phrase(asked, name):
            continue
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


def _wrong_number(text: str, evidence: tuple[Evidence, ...], names: set[str], question: str) -> str:
    numbers = _numbers_of(evidence, names, question)
    counts = _counts(evidence) | reckoned_numbers(evidence, question)
    for match in (*_NUMBER.finditer(text), *_NUMBER_WITH_SUFFIX.finditer(text)):
        raw = (match.group(1) if match.re.groups else match.group()).replace(",", "")
        try:
            number = Decimal(raw)
        except InvalidOperation:
            continue
        if number not in numbers and number not in counts:
            return f"the number {match.group()} is not in the triples it cites."
    for word in tokens(text):
        if word in NUMBER_WORDS and not (
            Decimal(NUMBER_WORDS[word]) in numbers | counts
            or any(word in tokens(name) for name in (*names, fold(question)))
        ):
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


def _silent(
    text: str, evidence: tuple[Evidence, ...], question: str, vocabulary: _Vocabulary
) -> str:
    """Object if the sentence names nothing its triples tell beyond the question."""
    folded, asked = fold(text), fold(question)
    if _gives_count(text, evidence):
        return ""
    told, untold = 0, 0
    for value, label in dict.fromkeys(_ends(evidence)):
        names = _names_of_end(value, label, vocabulary)
        if any(contains_phrase(asked, name) for name in names):
            continue
        if _is_said(value, names, folded, text):
            told += 1
        else:
            untold += 1
    # With one triple both its ends must be named, except that a pronoun may stand for one of
    # them beside the other. A chain of triples may leave nodes between its ends unnamed.
    lenient = len(evidence) > 1 or any(word in PRONOUNS for word in tokens(text))
    if untold and not (told and lenient):
        return "it does not name what the triples it cites tell."
    return ""


def _gives_count(text: str, evidence: tuple[Evidence, ...]) -> bool:
    counts = _counts(evidence)
    found = {Decimal(raw.replace(",", "")) for raw in re.findall(r"\b\d[\d,]*\b", text)}
    found |= {Decimal(NUMBER_WORDS[word]) for word in tokens(text) if word in NUMBER_WORDS}
    return bool(found & counts)


def _is_said(value: Value, names: set[str], folded: str, text: str) -> bool:
    if any(contains_phrase(folded, name) for name in names):
        return True
    if isinstance(value, EntityValue):
        return value.id in text
    if isinstance(value, TimeValue):
        return str(abs(value.year)) in text or str(1 - value.year) in text.replace(",", "")
    if isinstance(value, QuantityValue):
        return format_value(QuantityValue(value.amount)) in text or str(value.amount) in text
    return False
