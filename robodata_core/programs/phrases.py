"""Parts of sentences: noun phrases for sets, names for things, and what a step says of itself.

What sentences are made of them is told in ``describe``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from robodata_core.model import (
    Direction,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    TimeValue,
    Value,
)
from robodata_core.programs import english
from robodata_core.programs.english import listed
from robodata_core.programs.fields import Fielded, Gives
from robodata_core.text import clean_text
from robodata_core.values import format_value

__all__ = [
    "ANYTHING", "ANY_OF", "MAX_LISTED", "Label", "Phrase", "Reader", "Told", "Words",
    "first_places",
]  # fmt: skip

Label: TypeAlias = Callable[[str], str]

MAX_LISTED: Final = 20
#: Times of this precision (millennia) and coarser ones are told rounded.
_ROUNDED: Final = 6
_MAX_TEXT: Final = 200
_MAX_WORDS: Final = 4_000
#: What names of several things begin with.
ANY_OF: Final = "any of "
#: Most relations that are named where any of several counts.
_MAX_RELATIONS: Final = 6


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase for a set.

    Attributes:
        text: The head: "Douglas Adams", "capital of Canada", "anything".
        plain: Whether it may stand behind "of" without brackets: a name or a chain from one.
        name: Whether it is given by name.
        restrictions: What narrows it: "that is a city", "whose population is more than 5".
        kind: For what is given by restrictions alone, what one of them is: "something", "a city".
        counts: Whether its members are numbers of what the head names: "years from ... to ...".
        about: Subject, relation and way of a hop from one thing, for a sentence of its own.
        many: The phrase as several of what the head names: "children of Ann".
        common: For what is in several sets, these: "both the child of Ann and the child of Bob".
        place: For what stands at one place in an order: of what, by what, and the place from 1.
        rest: For what is left without the first places in an order: the same, with how many.
        verbs: What narrows it, as said of something by name: "has a population that is more than
            5"; empty for what cannot be said so.
    """

    text: str
    plain: bool = False
    name: bool = False
    restrictions: tuple[str, ...] = ()
    kind: str = ""
    counts: bool = False
    about: tuple[str, tuple[str, ...], Direction] | None = None
    many: str = ""
    common: str = ""
    place: tuple[Phrase, str, int] | None = None
    rest: tuple[Phrase, str, int] | None = None
    verbs: tuple[str, ...] = ()

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

    @property
    def several(self) -> str:
        """The phrase as what is counted: "children of Ann", "rivers whose mouth is the Rhine"."""
        if self.many and not self.restrictions:
            return self.many
        if not self.kind or not all(told.startswith("whose ") for told in self.restrictions):
            return self.inner
        anything = self.kind == ANYTHING.kind
        plural = "those" if anything else english.plural(self.kind.split(" ", 1)[1])
        return " ".join([plural, " and ".join(self.restrictions)]).strip() if plural else self.inner

    @property
    def each(self) -> str:
        """The phrase as what one of them is: "child of Ann", "river whose mouth is the Rhine"."""
        if self.about is not None and self.about[2] is Direction.OUT and not self.restrictions:
            return self.text
        if not self.kind:
            return self.inner
        noun = self.kind.split(" ", 1)[-1]
        return " ".join([noun, " and ".join(self.restrictions)]).strip()

    def best(self, told: str) -> str:
        """Return which of them are meant: "country with the largest population"."""
        if self.kind == ANYTHING.kind and not self.restrictions:
            return f"one {told}"
        if self.name and not self.restrictions and self.text.startswith(ANY_OF):
            return f"one of {self.text.removeprefix(ANY_OF)} {told}"
        plain = self.kind and not self.restrictions and self.text == f"any {self.each}"
        return f"{self.each} {told}" if plain else f"one of ({self.whole}) {told}"

    def ordered(self, measure: str) -> Phrase:
        """Return which of them comes first by a measure: "largest population".

        Of what is left without some first ones it is the next of all of them.
        """
        whole, by, before = self.rest or (self, measure, 0)
        if by != measure:
            whole, before = self, 0
        rank = f"{english.ordinal(before + 1)} " if before else ""
        told = f"with the {rank}{measure}"
        return Phrase(whole.best(told), place=(whole, measure, before + 1))

    def without(self, minus: Phrase, told: str) -> Phrase:
        """Return what is left of this where a set is taken away, told in a restriction."""
        left = self.narrowed(told)
        if minus.place is None:
            return left
        whole, measure, place = minus.place
        first = place == 1 and whole == self
        next_ = self.rest == (whole, measure, place - 1)
        return replace(left, rest=minus.place) if first or next_ else left

    @property
    def clause(self) -> str:
        """What narrows a thing given by name, as said of it: "Ann is a writer"; else nothing."""
        if not self.name or not self.restrictions:
            return ""
        if all(self.verbs) and len(self.verbs) == len(self.restrictions):
            return f"{self.text} {' and '.join(self.verbs)}"
        return f"{self.text} is one {' and '.join(self.restrictions)}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """What a thing has to be, where the phrase says nothing else."""
        if not self.kind:
            return ()
        own = () if self.kind == ANYTHING.kind else (f"that is {self.kind}",)
        return (*own, *self.restrictions)

    def beyond(self, other: Phrase) -> tuple[str, ...]:
        """Return what a thing of another phrase has to be besides, to be one of this, too."""
        if self.kind:
            own = tuple(one for one in self.conditions if one not in other.conditions)
            return own or self.conditions
        size = len(other.restrictions)
        narrower = self.text == other.text and self.restrictions[:size] == other.restrictions
        return self.restrictions[size:] if narrower else ()

    def narrowed(self, *restrictions: str, verb: str = "") -> Phrase:
        """Return the phrase with more restrictions.

        Args:
            restrictions: What they say behind a noun.
            verb: What one that does not begin with "that" says of something by name.
        """
        told = [one.removeprefix("that ") if one.startswith("that ") else verb
                for one in restrictions]  # fmt: skip
        more, verbs = (*self.restrictions, *restrictions), (*self.verbs, *told)
        return replace(self, restrictions=more, verbs=verbs, about=None, place=None, rest=None)


ANYTHING: Final = Phrase("anything", kind="something")


class Words:
    """Names things and values.

    Args:
        label: Gives the label of an id, or an empty string.
        is_shared: Tells whether another thing goes by the same label, so that the id is needed.
    """

    def __init__(self, label: Label, is_shared: Callable[[str], bool] | None = None) -> None:
        self._label = label
        self._is_shared = is_shared or (lambda id_: False)

    def value(self, value: Value) -> str:
        """Return an entity's label, or a literal as text."""
        if isinstance(value, EntityValue):
            return self.named(value.id)
        text = clean_text(format_value(value, self.plain), limit=_MAX_TEXT)
        if isinstance(value, TimeValue) and value.precision <= _ROUNDED:
            # "about 2,000" may be 1900 or 2100, which are not the same limit.
            return (
                text
                if value.year % 10 ** (9 - value.precision) == 0 < value.year
                else (f"{text} (year {value.year})")
            )
        return text if isinstance(value, (QuantityValue, TimeValue)) else f"“{text}”"

    def named(self, id_: str) -> str:
        """Return the label, with the id where others go by the same label."""
        label = self.plain(id_)
        return f"{label} ({id_})" if label != id_ and self._is_shared(id_) else label

    def apart(self, ids: Sequence[str]) -> list[str]:
        """Return the names of things, each once: "planet (Q634 or Q17)" for two of one label."""
        alike: dict[str, list[str]] = {}
        for id_ in dict.fromkeys(ids):
            alike.setdefault(self.plain(id_), []).append(id_)
        return [
            f"{label} ({listed(same, 'or')})" if len(same) > 1 else self.named(same[0])
            for label, same in alike.items()
        ]

    def plain(self, id_: str) -> str:
        """Return the label, or the id where there is none."""
        return clean_text(self._label(id_), limit=_MAX_TEXT) or id_

    def given(self, value: Value) -> str:
        """Return a value that a program begins with: a text with its language."""
        told = self.value(value)
        return f"{told} ({value.language})" if isinstance(value, MonolingualTextValue) else told

    def names(self, values: Sequence[Value], total: int = 0, word: str = "and") -> str:
        """Return values in a row, the first ones by name; a digest tells long rows apart."""
        shown = [self.value(value) for value in values[:MAX_LISTED]]
        more = max(total, len(values)) - len(shown)
        return listed([*shown, f"{more:,} more"] if more > 0 else shown, word)


class Told(Fielded):
    """What a step says of itself in words.

    One that gives a set has ``phrase``; one that gives a number or a truth has ``reading``, a
    number also ``counted`` and a truth ``told``.
    """

    __slots__ = ()

    def phrase(self, reader: Reader) -> Phrase:
        """Return its set in words."""
        raise NotImplementedError

    def reading(self, reader: Reader) -> str:
        """Return what it asks for, as a noun phrase."""
        raise NotImplementedError

    def counted(self, reader: Reader, number: int, size: str, named: str) -> str:
        """Return its outcome as a clause.

        Args:
            reader: Makes phrases.
            number: The outcome.
            size: The same as text: "3", "at least 3".
            named: What was counted, in a row, if it is named.
        """
        raise NotImplementedError

    def told(self, reader: Reader, truth: bool, examples: tuple[Value, ...]) -> str:
        """Return its outcome as a clause.

        Args:
            reader: Makes phrases.
            truth: The outcome.
            examples: Nodes that show it, if any do.
        """
        raise NotImplementedError


def first_places(parts: Sequence[Phrase]) -> Phrase | None:
    """Return the phrase of the first places in one order; None where parts are something else."""
    places = [part.place for part in parts if part.place is not None]
    orders = {(whole, measure) for whole, measure, _ in places}
    if len(orders) != 1 or [place for *_, place in places] != [*range(1, len(parts) + 1)]:
        return None
    whole, measure = orders.pop()
    return Phrase(f"one of the first {len(parts)} of ({whole.whole}) by {measure}")


class Reader:
    """Makes the phrases of one program.

    Attributes:
        words: Names things.

    Args:
        steps: The steps by the names of what they write.
        final: The one whose outcome is the answer.
        words: See above.
        exclude_start: Whether what it starts from is left out of the answer.
    """

    def __init__(
        self, steps: Mapping[str, Told], final: Told, words: Words, *, exclude_start: bool = False
    ) -> None:
        self.words = words
        self._steps = steps
        self._final = final
        self._exclude_start = exclude_start
        self._size = 0

    def text(self) -> str:
        """Return the reading."""
        final = self._final
        return self.judged().whole if final.gives is Gives.SET else final.reading(self)

    def judged(self) -> Phrase:
        """Return the phrase of the set that is given, counted or judged."""
        final = self._final
        return self.kept(final.out if final.gives is Gives.SET else final.reads[0])

    def kept(self, name: str) -> Phrase:
        """Return the phrase of a set without what is left out of the answer."""
        phrase = self.of(name)
        if not self._exclude_start:
            return phrase
        return phrase.narrowed("that is not what it is reckoned from")

    def told(self, values: Sequence[Value], total: int) -> str:
        """Return a clause that says what the set is made of."""
        phrase = self.judged()
        names = self.words.names(values, total)
        many = total > 1
        if phrase.about is not None:
            return self._fact(*phrase.about, names, many, phrase.many)
        each = f"each of {names}" if many else names
        if phrase.counts:
            return f"there are {names} {phrase.whole}"
        if phrase.clause and phrase.text == names:
            return phrase.clause
        if phrase.name and phrase.text.startswith(ANY_OF) and phrase.restrictions:
            offered = phrase.text.removeprefix(ANY_OF)
            return f"{each} is one of {offered} {' and '.join(phrase.restrictions)}"
        if phrase.name:
            return f"{each} is among {phrase.whole}"
        if phrase.kind:
            return f"{each} is {phrase.kind} {' and '.join(phrase.restrictions)}".rstrip()
        if phrase.common:
            return f"{each} is {phrase.common} {' and '.join(phrase.restrictions)}".rstrip()
        subject = phrase.whole if phrase.text.startswith("the ") else f"the {phrase.whole}"
        return f"{subject}: {names}" if many else f"{subject} is {names}"

    def _fact(
        self,
        name: str,
        properties: tuple[str, ...],
        way: Direction,
        names: str,
        many: bool,
        several: str,
    ) -> str:
        """Return a clause for a relation between one thing and others."""
        label = self.relation(properties)
        inwards = way is Direction.IN
        verb = self.verb(properties, many=many and inwards)
        if inwards and verb is None and not english.is_noun(label):
            return f"{names}: {label} {name}"
        if inwards:
            whose = f"each of {names}" if many else names
            return f"{names} {verb} {name}" if verb else f"the {label} of {whose} is {name}"
        if verb is not None:
            return f"{name} {verb} {names}"
        if not english.is_noun(label):
            return f"{label} of {name}: {names}"
        if not many:
            return f"the {label} of {name} is {names}"
        return f"the {several} are {names}" if several else f"{label} of {name}: {names}"

    def of(self, name: str) -> Phrase:
        """Return the phrase of a set, or of anything where the name is empty."""
        if not name:
            return ANYTHING
        phrase = self._steps[name].phrase(self)
        self._size += len(phrase.text)
        if self._size > _MAX_WORDS:  # sets used over and over make phrases too long to read
            digest = hashlib.sha256(
                repr((self._final, *self._steps.values())).encode()
            ).hexdigest()[:12]
            return Phrase(f"result of a long program [{digest}]", plain=True)
        return phrase

    def relation(self, ids: Sequence[str]) -> str:
        """Return relations by their labels; of very many the first, and a digest of all."""
        labels = self._labels(ids)
        told = [f"“{one}”" if len(labels) > 1 else one for one in labels]
        if len(told) > _MAX_RELATIONS:
            digest = hashlib.sha256(repr(sorted({*ids})).encode()).hexdigest()[:8]
            more = len(told) - _MAX_RELATIONS + 1
            told = [*told[: _MAX_RELATIONS - 1], f"{more} more [{digest}]"]
        return listed(told, "or")

    def verb(self, ids: Sequence[str], *, many: bool = False) -> str | None:
        """Return relations as the verb of a sentence, None where one of them names a thing.

        Args:
            ids: The relations; of several any counts.
            many: Whether the subject is more than one.
        """
        labels = self._labels(ids)
        if len(labels) == 1:
            return english.verb(labels[0], many=many)
        if len(labels) > _MAX_RELATIONS or not all(map(english.ends_open, labels)):
            return None
        verbs = [english.verb(one, many=many) for one in labels]
        return None if None in verbs else listed([f"“{one}”" for one in verbs], "or")

    def _labels(self, ids: Sequence[str]) -> list[str]:
        return [self.words.named(id_).replace("_", " ") for id_ in dict.fromkeys(ids)]

    def whether(self, values: Sequence[Value]) -> str:
        """Return a clause that says that the set has some values."""
        return self.told(values, len(values))
