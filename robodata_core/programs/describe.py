"""Programs and what they give, in words: one verbaliser for readings and claims.

``Verbaliser.reading`` says what a program asks for, as a noun phrase ("place of birth of Douglas
Adams"); ``Verbaliser.sentence`` says what it gave ("The place of birth of Douglas Adams is
Cambridge."). Both are made from the program alone and follow one grammar, in which every part
that is not a name or a plain chain of relations stands in brackets. So two programs of different
meaning never read alike, given labels that tell their bearers apart (things that share a label
are told with their ids). Nothing here looks at a graph or a question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue, Value
from robodata_core.programs._keys import key_of
from robodata_core.programs.check import check
from robodata_core.programs.steps import (
    Aggregate,
    Coarsen,
    Comparison,
    Count,
    CountDifference,
    Difference,
    Elapsed,
    End,
    Extreme,
    ExtremeCount,
    ExtremeSize,
    ExtremeSpan,
    FilterByConstraint,
    FilterByCount,
    FilterBySame,
    FilterByType,
    Follow,
    Function,
    Intersect,
    Judge,
    Program,
    Start,
    Step,
    Union,
)
from robodata_core.text import clean_text
from robodata_core.values import format_value

__all__ = ["Verbaliser", "describe", "listed"]

Label: TypeAlias = Callable[[str], str]

_MAX_LISTED: Final = 20
_MAX_TEXT: Final = 200
_MAX_WORDS: Final = 4_000
_COMPARISONS: Final = {
    Comparison.EQ: "is",
    Comparison.NE: "is something else than",
    Comparison.LT: "is less than",
    Comparison.LE: "is at most",
    Comparison.GT: "is more than",
    Comparison.GE: "is at least",
}
_TIME_COMPARISONS: Final = {
    Comparison.EQ: "is in",
    Comparison.NE: "is not in",
    Comparison.LT: "is before",
    Comparison.LE: "is not after",
    Comparison.GT: "is after",
    Comparison.GE: "is not before",
}
_NUMBER_COMPARISONS: Final = {
    Comparison.EQ: "exactly",
    Comparison.NE: "not",
    Comparison.LT: "less than",
    Comparison.LE: "at most",
    Comparison.GT: "more than",
    Comparison.GE: "at least",
}
_PRECISIONS: Final = {6: "millennium", 7: "century", 8: "decade", 9: "year", 10: "month", 11: "day"}
_FUNCTIONS: Final = {
    Function.SUM: "sum",
    Function.AVERAGE: "average",
    Function.RANGE: "largest less the smallest",
}
_PREPOSITION_WORDS: Final = """
about after against as at before by for from in into of on to under with
"""
_PREPOSITIONS: Final = frozenset(_PREPOSITION_WORDS.split())
#: How labels begin that are verbs already.
_VERB_WORDS: Final = """
affects causes contains depicts follows has includes lacks owns produces replaces requires shares
treats uses
"""
_VERBS: Final = frozenset(_VERB_WORDS.split())
_IRREGULAR: Final = {"child": "children", "person": "people"}


def describe(program: Program, label: Label) -> str:
    """Return what ``program`` asks for, in words; see ``Verbaliser.reading``."""
    return Verbaliser(label).reading(program)


def listed(names: Iterable[str], word: str = "and") -> str:
    """Join names as English does: "a, b and c"."""
    items = list(names)
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} {word} {items[-1]}"


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase for a set.

    Attributes:
        text: The head: "Douglas Adams", "capital of Canada", "anything".
        plain: Whether it may stand behind "of" without brackets: a name or a chain from one.
        name: Whether it is given by name.
        restrictions: What narrows it: "that is a city", "whose population is more than 5".
        kind: For what is given by restrictions alone, what one of them is: "something", "a city".
        counts: Whether its members are numbers of what the head names: "years from ... to ...".
        about: Subject, relation and way of a single hop from a name, for a sentence of its own.
    """

    text: str
    plain: bool = False
    name: bool = False
    restrictions: tuple[str, ...] = ()
    kind: str = ""
    counts: bool = False
    about: tuple[str, tuple[str, ...], Direction] | None = None

    @property
    def whole(self) -> str:
        """The phrase with all that narrows it."""
        return f"{self.text} {' and '.join(self.restrictions)}" if self.restrictions else self.text

    @property
    def inner(self) -> str:
        """The phrase as part of another."""
        if not self.plain or self.restrictions:
            return f"({self.whole})"
        return self.text if self.name else f"the {self.text}"

    def narrowed(self, restriction: str) -> _Phrase:
        """Return the phrase with one more restriction."""
        return _Phrase(
            self.text, self.plain, self.name, (*self.restrictions, restriction), self.kind
        )


_ANYTHING: Final = _Phrase("anything", kind="something")


class Verbaliser:
    """Writes programs and their results in words.

    Args:
        label: Gives the label of an id, or an empty string.
        is_shared: Tells whether another thing goes by the same label, so that the id is needed.
    """

    def __init__(self, label: Label, is_shared: Callable[[str], bool] | None = None) -> None:
        self._label = label
        self._is_shared = is_shared or (lambda id_: False)

    def reading(self, program: Program) -> str:
        """Return what ``program`` asks for, as a noun phrase.

        Raises:
            ProgramError: If the program is not well formed.
        """
        check(program)
        return _Reader(program, self).text()

    def sentence(self, program: Program, values: Sequence[Value], *, total: int = 0) -> str:
        """Return what a program that ends with a set (or judges one) gave, as a sentence.

        Args:
            program: The program.
            values: Members of the set, at least one; the first ones are named.
            total: How many there are, where that is more than ``values``.
        """
        return _sentence(self.clause(program, values, total=total))

    def clause(self, program: Program, values: Sequence[Value], *, total: int = 0) -> str:
        """Return ``sentence`` as a clause, without capital and full stop."""
        return _Reader(program, self).told(values, max(total, len(values)))

    def statement(self, subject: str, property_: str, value: Value) -> str:
        """Return one fact as a clause."""
        start = Start("a", (EntityValue(subject),))
        program = Program((start, Follow("b", "a", (property_,)), End("b")))
        return self.clause(program, (value,))

    @staticmethod
    def joined(clauses: Iterable[str]) -> str:
        """Return clauses as one sentence."""
        return _sentence(", and ".join(dict.fromkeys(clauses)))

    def counted(self, program: Program, number: int, values: Sequence[Value]) -> str:
        """Return how many there are of what a program counts, naming some of them."""
        head = f"the number of {_Reader(program, self).judged().inner} is {number:,}"
        named = self.names(values, number) if values else ""
        return _sentence(f"{head}: {named}" if named else head)

    def absent(self, program: Program) -> str:
        """Return that a source states nothing of what a program asks, as a sentence."""
        reader = _Reader(program, self)
        judge = reader.judge
        if judge is not None and judge.value is not None:
            fact = reader.told((judge.value,), 1)
            return _sentence(f"it is not stated that {fact}")
        return _sentence(f"nothing is stated for “{reader.judged().whole}”")

    def value(self, value: Value) -> str:
        """Return an entity's label, or a literal as text."""
        if isinstance(value, EntityValue):
            return self.named(value.id)
        text = clean_text(format_value(value, self.plain), limit=_MAX_TEXT)
        return text if isinstance(value, (QuantityValue, TimeValue)) else f"“{text}”"

    def named(self, id_: str) -> str:
        """Return the label, with the id where others go by the same label."""
        label = self.plain(id_)
        return f"{label} ({id_})" if label != id_ and self._is_shared(id_) else label

    def plain(self, id_: str) -> str:
        """Return the label, or the id where there is none."""
        return clean_text(self._label(id_), limit=_MAX_TEXT) or id_

    def names(self, values: Sequence[Value], total: int = 0, word: str = "and") -> str:
        """Return values in a row, the first ones by name; a digest tells long rows apart."""
        shown = [self.value(value) for value in values[:_MAX_LISTED]]
        more = max(total, len(values)) - len(shown)
        return listed([*shown, f"{more:,} more"] if more > 0 else shown, word)


class _Reader:
    """Makes the phrases of one program."""

    def __init__(self, program: Program, words: Verbaliser) -> None:
        self._program = program
        self._words = words
        self._steps = {step.out: step for step in program.steps if not isinstance(step, End)}
        final = program.steps[-1]
        assert isinstance(final, End)
        self._final: Step = self._steps[final.source]
        self._size = 0

    @property
    def judge(self) -> Judge | None:
        """The judgement that the program ends with, if it does."""
        return self._final if isinstance(self._final, Judge) else None

    def text(self) -> str:
        """Return the reading."""
        final = self._final
        if isinstance(final, Judge):
            if final.value is None:
                return f"whether there is {self.judged().whole}"
            return f"whether {self.told((final.value,), 1)}"
        if isinstance(final, Count):
            return f"the number of {self.judged().inner}"
        if isinstance(final, CountDifference):
            more, less = self._of(final.source), self._of(final.minus)
            return f"how many more there are of {self._kept(more).inner} than of " + (
                self._kept(less).inner
            )
        return self.judged().whole

    def judged(self) -> _Phrase:
        """Return the phrase of the set that is given, counted or judged."""
        final = self._final
        numbers = isinstance(final, (Count, CountDifference, Judge))
        return self._kept(self._of(final.source if numbers else final.out))  # type: ignore[union-attr]

    def told(self, values: Sequence[Value], total: int) -> str:
        """Return a clause that says what the set is made of."""
        phrase = self.judged()
        names = self._words.names(values, total)
        many = total > 1
        if phrase.about is not None:
            return self._fact(*phrase.about, names, values, many)
        each = f"each of {names}" if many else names
        if phrase.counts:
            return f"there are {names} {phrase.whole}"
        if phrase.name:
            return f"{each} is among {phrase.whole}"
        if phrase.kind:
            return f"{each} is {phrase.kind} {' and '.join(phrase.restrictions)}".rstrip()
        subject = f"the {phrase.whole}"
        return f"{subject}: {names}" if many else f"{subject} is {names}"

    def _fact(
        self,
        name: str,
        properties: tuple[str, ...],
        way: Direction,
        names: str,
        values: Sequence[Value],
        many: bool,
    ) -> str:
        """Return a clause for a relation between one thing and others."""
        label = self._relation(properties)
        verb = _verb(label) if len(properties) == 1 else None
        if way is Direction.IN:
            if verb is None:
                whose = f"each of {names}" if many else names
                return f"the {label} of {whose} is {name}"
            return f"each of {names} {verb} {name}" if many else f"{names} {verb} {name}"
        if verb is not None:
            return f"{name} {verb} {names}"
        if not many:
            return f"the {label} of {name} is {names}"
        plural = _plural(label) if len(properties) == 1 else ""
        return f"the {plural} of {name} are {names}" if plural else f"{label} of {name}: {names}"

    def _kept(self, phrase: _Phrase) -> _Phrase:
        if not self._program.exclude_start:
            return phrase
        return phrase.narrowed("that is not what it is reckoned from")

    # -- one phrase a step ---------------------------------------------------------------------

    def _of(self, name: str) -> _Phrase:
        step = self._steps[name]
        phrase: _Phrase = _PHRASES[type(step)](self, step)
        self._size += len(phrase.text)
        if self._size > _MAX_WORDS:  # sets used over and over make phrases too long to read
            digest = hashlib.sha256(repr(self._program).encode()).hexdigest()[:12]
            return _Phrase(f"result of a long program [{digest}]", plain=True)
        return phrase

    def _start(self, step: Start) -> _Phrase:
        names = self._words.names(step.values, word="and")
        if len(step.values) > _MAX_LISTED:
            keys = repr([key_of(value) for value in step.values]).encode()
            names += f" [{hashlib.sha256(keys).hexdigest()[:8]}]"
        if len(step.values) > 1:
            return _Phrase(f"any of {names}", plain=True, name=True)
        return _Phrase(names, plain=True, name=True)

    def _follow(self, step: Follow) -> _Phrase:
        source = self._of(step.source)
        relation = self._relation(step.properties)
        about = (source.text, step.properties, step.direction) if source.name else None
        if not step.properties:
            text = f"{'what is joined to' if step.direction is Direction.IN else 'what joins'}"
            return _Phrase(f"{text} {source.inner}")
        verb = _verb(relation) if len(step.properties) == 1 else None
        if step.direction is Direction.OUT:
            if verb is None:
                return _Phrase(f"{relation} of {source.inner}", source.plain, about=about)
            return _Phrase(f"what {source.inner} {verb}", about=about)
        if verb is not None:
            told = f"that {verb} {source.inner}"
        else:
            told = f"whose {relation} is {source.inner}"
        return _Phrase("anything", restrictions=(told,), kind="something", about=about)

    def _by_type(self, step: FilterByType) -> _Phrase:
        source = self._of(step.source) if step.source else _ANYTHING
        classes = listed([self._words.named(id_) for id_ in step.type_ids], "or")
        if step.via != ("P31",) or len(step.type_ids) > 1:
            relation = self._relation(step.via)
            return source.narrowed(f"that is of the kind {classes} by {relation}")
        if source.kind == "something":
            return _Phrase(f"any {classes}", restrictions=source.restrictions, kind=_one(classes))
        return source.narrowed(f"that is {_one(classes)}")

    def _by_constraint(self, step: FilterByConstraint) -> _Phrase:
        source = self._of(step.source) if step.source else _ANYTHING
        times = isinstance(step.value, TimeValue)
        compared = (_TIME_COMPARISONS if times else _COMPARISONS)[step.comparison]
        told = f"{self._relation((step.property,))} {compared} {self._words.value(step.value)}"
        return source.narrowed(f"whose {told}")

    def _intersect(self, step: Intersect) -> _Phrase:
        parts = [self._of(name) for name in dict.fromkeys(step.sources)]
        if len(parts) == 1:
            return parts[0]
        return _Phrase(f"what is in all of {', '.join(f'({part.whole})' for part in parts)}")

    def _union(self, step: Union) -> _Phrase:
        parts = [self._of(name) for name in dict.fromkeys(step.sources)]
        if len(parts) == 1:
            return parts[0]
        return _Phrase(" or ".join(f"({part.whole})" for part in parts))

    def _difference(self, step: Difference) -> _Phrase:
        source, minus = self._of(step.source), self._of(step.minus)
        return _Phrase(f"({source.whole}) but not ({minus.whole})")

    def _extreme(self, step: Extreme) -> _Phrase:
        size = "largest" if step.largest else "smallest"
        relation = self._relation((step.property,))
        return _Phrase(f"one with the {size} {relation} of ({self._of(step.source).whole})")

    def _by_count(self, step: FilterByCount) -> _Phrase:
        source = self._of(step.source) if step.source else _ANYTHING
        number = f"{_NUMBER_COMPARISONS[step.comparison]} {step.number:,}"
        return source.narrowed(f"that has {number} {self._others(step)}")

    def _extreme_count(self, step: ExtremeCount) -> _Phrase:
        source = self._of(step.source) if step.source else _ANYTHING
        size = "most" if step.largest else "fewest"
        return _Phrase(f"one with the {size} {self._others(step)} of ({source.whole})")

    def _others(self, step: FilterByCount | ExtremeCount) -> str:
        relation = self._relation(step.properties)
        back = step.direction is Direction.IN
        told = f"things that it is the {relation} of" if back else f"values of {relation}"
        return f"{told} among ({self._of(step.among).whole})" if step.among else told

    def _by_same(self, step: FilterBySame) -> _Phrase:
        source = self._of(step.source) if step.source else _ANYTHING
        first, second = self._relation(step.first), self._relation(step.second)
        return source.narrowed(f"whose {first} is the same as its {second}")

    def _extreme_size(self, step: ExtremeSize) -> _Phrase:
        each = [
            f"{self._words.value(value)} by the number of ({self._of(name).whole})"
            for value, name in zip(step.values, step.sources, strict=True)
        ]
        return _Phrase(f"{'larger' if step.largest else 'smaller'} of {'; '.join(each)}")

    def _extreme_span(self, step: ExtremeSpan) -> _Phrase:
        size = "longest" if step.largest else "shortest"
        begin, end = self._relation((step.begin,)), self._relation((step.end,))
        source = self._of(step.source).whole
        return _Phrase(f"one with the {size} time from {begin} to {end} of ({source})")

    def _coarsen(self, step: Coarsen) -> _Phrase:
        relation, source = self._relation((step.property,)), self._of(step.source)
        text = f"{_PRECISIONS[step.precision]} of the {relation} of {source.inner}"
        return _Phrase(text, source.plain)

    def _elapsed(self, step: Elapsed) -> _Phrase:
        source, target = self._of(step.source), self._of(step.target)
        return _Phrase(f"{step.stretch.value} from {source.inner} to {target.inner}", counts=True)

    def _aggregate(self, step: Aggregate) -> _Phrase:
        relation = self._relation((step.property,))
        source = self._of(step.source).whole
        return _Phrase(f"{_FUNCTIONS[step.function]} {relation} of ({source})")

    def _relation(self, ids: Sequence[str]) -> str:
        labels = [self._words.named(id_).replace("_", " ") for id_ in dict.fromkeys(ids)]
        return listed([f"“{one}”" if len(labels) > 1 else one for one in labels], "or")


_PHRASES: Final[dict[type, Callable[[Any, Any], _Phrase]]] = {
    Start: _Reader._start,
    Follow: _Reader._follow,
    FilterByType: _Reader._by_type,
    FilterByConstraint: _Reader._by_constraint,
    Intersect: _Reader._intersect,
    Union: _Reader._union,
    Difference: _Reader._difference,
    Extreme: _Reader._extreme,
    FilterByCount: _Reader._by_count,
    FilterBySame: _Reader._by_same,
    ExtremeCount: _Reader._extreme_count,
    ExtremeSize: _Reader._extreme_size,
    ExtremeSpan: _Reader._extreme_span,
    Coarsen: _Reader._coarsen,
    Elapsed: _Reader._elapsed,
    Aggregate: _Reader._aggregate,
}


def _one(name: str) -> str:
    return f"an {name}" if name[:1].lower() in tuple("aeiou") else f"a {name}"


def _verb(label: str) -> str | None:
    """Return a relation's label as the verb of a sentence, None where it names a thing."""
    words = label.lower().split()
    if not words:
        return None
    if words[0] in _VERBS:
        return label
    if len(words) > 1 and words[-1] in _PREPOSITIONS:
        past = words[0].endswith("ed") or words[-1] in ("by", "at")
        return f"was {label}" if past and not words[0].endswith("ted in") else f"is {label}"
    return None


def _plural(label: str) -> str:
    """Return the plural of a noun phrase in English, or nothing where it may be one already."""
    words = label.split()
    cut = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words))
    head = words[cut - 1]
    if not head.isascii() or not head.isalpha() or head.endswith("s") or head != head.lower():
        return ""
    if head in _IRREGULAR:
        plural = _IRREGULAR[head]
    elif head.endswith("y") and head[-2:-1] not in tuple("aeiou"):
        plural = head[:-1] + "ies"
    elif head.endswith(("x", "ch", "sh")):
        plural = head + "es"
    else:
        plural = head + "s"
    return " ".join([*words[: cut - 1], plural, *words[cut:]])


def _sentence(text: str) -> str:
    """Return a clause as a sentence: a capital where it begins with a word of ours, a full stop."""
    text = text.strip()
    first = text.split(" ", 1)[0]
    if first in ("the", "each", "it", "there", "nothing", "any", "anything", "what", "one", "how"):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
