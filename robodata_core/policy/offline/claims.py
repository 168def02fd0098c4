"""Wording: from statements to sentences, from a program's result to claims with their support.

Sentences are built from labels alone, so that whatever they name stands in their triples. The
wording follows the form of a property's label ("influenced by", "member of", "capital"), with a
few labels that read better otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from robodata_core.model import EntityValue, QuantityValue, Statement, Value
from robodata_core.policy.offline.words import PREPOSITIONS
from robodata_core.values import format_value

__all__ = ["MAX_COUNTED", "Sentence", "Wording", "listed"]

_MAX_SINGLE: Final = 20
_MAX_PER_SENTENCE: Final = 20
_MOST_SAID: Final = 40
MAX_COUNTED: Final = 50
_MAX_CITED: Final = 900

_PREPOSITIONS: Final = PREPOSITIONS | {"after", "as"}
_VERBS: Final = frozenset(
    [
        "has",
        "have",
        "shares",
        "contains",
        "uses",
        "affects",
        "depicts",
        "follows",
        "includes",
        "requires",
        "owns",
        "replaces",
        "starred",
        "lacks",
        "treats",
        "produces",
        "causes",
        "desires",
    ]
)
_TEMPLATES: Final = {
    "instance of": "{s} is an instance of {o}",
    "subclass of": "{s} is a subclass of {o}",
    "member of": "{s} is a member of {o}",
    "part of": "{s} is part of {o}",
    "occupation": "the occupation of {s} is {o}",
    "languages spoken, written or signed": "{s} speaks, writes or signs {o}",
    "country of citizenship": "{s} is a citizen of {o}",
    "twinned administrative body": "{s} is twinned with {o}",
    "diplomatic relation": "{s} has diplomatic relations with {o}",
    "made from material": "{s} is made from {o}",
    "material used": "{s} is made from {o}",
    "has use": "{s} is used for {o}",
    "use": "{s} is used for {o}",
    "employer": "{s} worked for {o}",
    "instrument": "{s} plays {o}",
    "position held": "{s} has held the position {o}",
    "award received": "{s} received {o}",
    "nominated for": "{s} was nominated for {o}",
    "member of political party": "{s} is a member of {o}",
    "influenced by": "{s} was influenced by {o}",
    "founded by": "{s} was founded by {o}",
    "educated at": "{s} was educated at {o}",
    "named after": "{s} is named after {o}",
    "located in the administrative territorial entity": "{s} is located in {o}",
    "location": "the location of {s} is {o}",
    "has part(s)": "{s} has the part {o}",
    "has part": "{s} has the part {o}",
    "genre": "the genre of {s} is {o}",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the statements it rests on."""

    text: str
    support: tuple[Statement, ...]


class Wording:
    """Words statements with the labels of one source."""

    def __init__(
        self, entity_label: Callable[[str], str], property_label: Callable[[str], str]
    ) -> None:
        self._entity = entity_label
        self._property = property_label

    def value(self, value: Value) -> str:
        """Return an entity's label, or a literal as text."""
        if isinstance(value, EntityValue):
            return self._entity(value.id)
        if isinstance(value, QuantityValue) and value.unit:
            return format_value(value, self._entity)
        return format_value(value)

    def clause(self, subject: str, property_: str, objects: Sequence[Value]) -> str:
        """Return a clause without a full stop: "the capital of Canada is Ottawa"."""
        told = listed([self.value(item) for item in objects])
        return self._clause(self._entity(subject), property_, told, len(objects) > 1)

    def _clause(self, name: str, property_: str, told: str, many: bool) -> str:
        label = self._property(property_).replace("_", " ").strip()
        template = _TEMPLATES.get(label.lower())
        if template is not None:
            return template.format(s=name, o=told)
        words = label.lower().split()
        if not words:
            return f"{name}: {told}"
        if words[0] in _VERBS:
            return f"{name} {label} {told}"
        if len(words) > 1 and words[-1] in _PREPOSITIONS or words[0].endswith("ed") and words[1:]:
            return f"{name} is {label} {told}"
        verb = "are" if many and words[-1].endswith("s") else "is"
        return f"the {label} of {name} {verb} {told}"

    def clause_of(self, subject: str, property_: str, value: str) -> str:
        """Return a clause about two names as they are written."""
        return self._clause(subject, property_, value, False)

    def sentence(self, statement: Statement) -> str:
        """Return one statement as a sentence."""
        return _sentence(self.statement(statement))

    def statement(self, statement: Statement) -> str:
        """Return one statement as a clause."""
        return self.clause(statement.subject, statement.property, (statement.value,))

    # -- sets ---------------------------------------------------------------------------------

    def of_set(
        self,
        values: Sequence[Value],
        support: Callable[[Value], tuple[Statement, ...]],
        told: Callable[[Statement], bool],
    ) -> list[Sentence]:
        """Return sentences that name every value, each with the statements behind it.

        Args:
            values: The answers.
            support: Statements that derive an answer.
            told: Whether a statement is worth saying; the others are cited only.
        """
        chains = {value: support(value) for value in values}
        if len(chains) == 1:
            chain = next(iter(chains.values()))
            if sum(map(told, chain)) > 2:
                return [Sentence(_sentence(self.statement(item)), (item,)) for item in chain]
        if len(chains) <= _MAX_SINGLE:
            return _merged(self._one(chain, told) for chain in chains.values() if chain)
        return self._grouped(chains, told)

    def _one(self, chain: Sequence[Statement], told: Callable[[Statement], bool]) -> Sentence:
        worded = [item for item in chain if told(item)] or list(chain)
        text = ", and ".join(self._together(worded))
        return Sentence(_sentence(text), tuple(chain))

    def _together(self, statements: Sequence[Statement]) -> list[str]:
        """Return clauses, those with one subject and relation in one."""
        groups: dict[tuple[str, str], list[Value]] = {}
        for item in statements:
            groups.setdefault((item.subject, item.property), []).append(item.value)
        return [self.clause(subject, name, values) for (subject, name), values in groups.items()]

    def beside(self, statements: Sequence[Statement]) -> list[Sentence]:
        """Return sentences for what was compared or left out, a subject and relation in each."""
        groups: dict[tuple[str, str], list[Statement]] = {}
        for item in statements:
            groups.setdefault((item.subject, item.property), []).append(item)
        return [
            Sentence(_sentence(self._together(group)[0]), tuple(group)) for group in groups.values()
        ]

    def _grouped(
        self, chains: Mapping[Value, tuple[Statement, ...]], told: Callable[[Statement], bool]
    ) -> list[Sentence]:
        """Tell many answers in few sentences: those that share subject and relation together."""
        groups: dict[tuple[Value, str, bool], list[Value]] = {}
        for value, chain in chains.items():
            about = [item for item in chain if item.value == value] or [
                item for item in chain if EntityValue(item.subject) == value
            ]
            last = next((item for item in reversed(chain) if told(item)), None)
            rest = about or list(chain)
            last = last or (rest[-1] if rest else None)
            if last is not None:
                outward = last.value == value
                other = EntityValue(last.subject) if outward else last.value
                groups.setdefault((other, last.property, outward), []).append(value)
        sentences = []
        for (other, property_, outward), members in groups.items():
            for start in range(0, len(members), _MAX_PER_SENTENCE):
                part = members[start : start + _MAX_PER_SENTENCE]
                cited = tuple(dict.fromkeys(s for value in part for s in chains[value]))
                text = self._shared(other, property_, outward, part)
                sentences.append(Sentence(_sentence(text), cited))
        return sentences

    def _shared(self, other: Value, property_: str, outward: bool, members: Sequence[Value]) -> str:
        """Return a clause for many values on one side of a relation."""
        if len(members) == 1 and isinstance(members[0], EntityValue) and not outward:
            return self.clause(members[0].id, property_, (other,))
        if outward and isinstance(other, EntityValue):
            return self.clause(other.id, property_, members)
        each = self._clause("each of these", property_, self.value(other), False)
        return f"{each}: {listed([self.value(value) for value in members])}"

    # -- numbers ------------------------------------------------------------------------------

    def of_count(
        self,
        number: int,
        values: Sequence[Value],
        support: Callable[[Value], tuple[Statement, ...]],
        told: Callable[[Statement], bool],
    ) -> list[Sentence]:
        """Return sentences about a number: the count with the counted, then what else backs it.

        The first rests on one statement for each of the counted, so that they can be counted.
        """
        counted = values[:_MAX_CITED]
        chains = {value: support(value) for value in counted}
        found = {value: _about(value, chain, told) for value, chain in chains.items()}
        lasts = [item for item in found.values() if item is not None]
        text = self._counted(number, counted, lasts)
        cited = tuple(dict.fromkeys(lasts))
        rest = {s: None for chain in chains.values() for s in chain if s not in set(cited)}
        return [Sentence(_sentence(text), cited), *self._backing(tuple(rest))]

    def of_tally(self, value: Value, counted: Sequence[Statement]) -> Sentence:
        """Return one sentence for what others were counted for ``value``, with all of them."""
        every = {_other_end(one, value): one for one in counted}
        ends = dict(list(every.items())[:_MAX_CITED])
        cited = tuple(dict.fromkeys(ends.values()))
        shown = list(ends)[:MAX_COUNTED]
        more = " (and more)" if len(ends) > len(shown) else ""
        names = {one.property for one in cited}
        told = listed([self.value(item) for item in shown])
        if len(names) == 1:
            outward = EntityValue(cited[0].subject) == value
            told = self._shared(value, cited[0].property, outward, shown)
        else:
            told = f"{self.value(value)}: {told}"
        whole = f"{len(ends):,} in all: " if len(ends) == len(every) else ""
        return Sentence(_sentence(f"{whole}{told}{more}"), cited)

    def reckoned(self, told: str, support: Sequence[Statement]) -> Sentence:
        """Return one sentence for what was reckoned, which says what it was reckoned from."""
        own = support[-_MOST_SAID:]
        text = ", and ".join(self._together(own))
        return Sentence(_sentence(f"{told}: {text}"), tuple(support))

    def _counted(self, number: int, values: Sequence[Value], lasts: Sequence[Statement]) -> str:
        shown = values[:MAX_COUNTED]
        more = " (and more)" if number > len(shown) else ""
        found = f"{number:,} in all"
        first = lasts[0] if lasts else None
        if first is not None and len(lasts) == len(values):
            same_subject = all(s.subject == first.subject for s in lasts)
            if same_subject or all(s.value == first.value for s in lasts):
                outward = same_subject and first.value == values[0]
                other = EntityValue(first.subject) if outward else first.value
                text = self._shared(other, first.property, outward, shown)
                return f"{found}: {text}{more}"
        return f"{found}: {listed([self.value(value) for value in shown])}{more}"

    def _backing(self, statements: Sequence[Statement]) -> list[Sentence]:
        """Return sentences for statements that only back others, many subjects in one."""
        groups: dict[tuple[str, Value], list[Statement]] = {}
        for statement in statements:
            groups.setdefault((statement.property, statement.value), []).append(statement)
        sentences = []
        for (property_, value), group in groups.items():
            for start in range(0, len(group), _MAX_PER_SENTENCE):
                part = group[start : start + _MAX_PER_SENTENCE]
                subjects = [EntityValue(statement.subject) for statement in part]
                text = self._shared(value, property_, False, subjects)
                sentences.append(Sentence(_sentence(text), tuple(part)))
        return sentences


def _other_end(one: Statement, value: Value) -> Value:
    return one.value if EntityValue(one.subject) == value else EntityValue(one.subject)


def _about(
    value: Value, chain: Sequence[Statement], told: Callable[[Statement], bool]
) -> Statement | None:
    """Return the statement of a chain that has ``value`` at one end, a told one if there is."""
    own = [s for s in chain if s.value == value or EntityValue(s.subject) == value]
    return next((s for s in reversed(own) if told(s)), own[-1] if own else None)


def listed(names: Iterable[str]) -> str:
    """Join names as English does: "a, b and c"."""
    items = list(names)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _sentence(text: str) -> str:
    text = text.strip()
    if text[:1].islower() and text.split(" ", 1)[0].isalpha():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _merged(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Drop a sentence that says the same as an earlier one, keeping all support."""
    found: dict[str, Sentence] = {}
    for sentence in sentences:
        known = found.get(sentence.text)
        cited = sentence.support
        if known is not None:
            cited = tuple(dict.fromkeys((*known.support, *sentence.support)))
        found[sentence.text] = Sentence(sentence.text, cited)
    return list(found.values())
