"""What people ask of things at home, put as a graph tells it: what for, with what, where, whether.

A form of a question says what is asked; its words are looked up as what a graph may call them:
an activity by another verb or of a wider kind ("iron a shirt"), a quality by what things do or
undergo ("goes bad"), the things of a kind by what is said of them. Words that the graph does not
know leave the question as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, product, takewhile, zip_longest
from typing import Final

from robodata_core.language.grammar.abilities import gerunds_of
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.usage_tables import (
    KIND,
    MANY,
    PRONOUNS,
    QUALITIES,
    WHICH,
    Phrase,
    UsageTables,
    open_usage,
    verbs_by_gerund,
)
from robodata_core.policy.offline.words import ARTICLES, COPULAS, GENERIC_NOUNS, MODALS

__all__ = ["Asked", "Usage"]

#: Longer questions are about something else.
_LONGEST: Final = 120
#: Names of one activity that are asked for, and of all that are looked at.
_NAMED: Final = 2
_HITS: Final = 20
#: Questions that are put in place of one.
_MOST: Final = 10
#: Words that a noun phrase is taken apart into, one within the other.
_DEEP: Final = 4
_SIGNS: Final = re.compile(r"\s*([,;:.?!…]|['’](?:s|d|ll|re|m)\b)\s*")
_PARTED: Final = re.compile(r"(.+) ([,;:.?…–-]) (.+)")
_FORMED: Final = frozenset("<>{}|")
#: What no name has, and no part of a clause.
_SIGN: Final = re.compile(r"(?:^|\s)[,;:.?!…](?:\s|$)")
_TO_KNOW: Final = re.compile(r"<(\w) ([^<>]*)>")
#: What has to be known of to what something is done.
#: Slots of what is done.
_DONE: Final = frozenset("vewc")
_DONE_TO: Final = "o"
_ENDS: Final = ("s", "es")
_SEP: Final = ";"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to ask instead.

    Attributes:
        text: The question.
        by_kind: Whether it asks if things are of a kind of which something is said, and a no
            tells nothing.
        widely: Whether it leaves out to what something is done.
    """

    text: str
    by_kind: bool = False
    widely: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Puts questions about things at home otherwise.

    Attributes:
        view: What the graph calls things.
        lexicon: Of the language of the questions.
    """

    view: View
    lexicon: Lexicon
    tables: UsageTables = field(default_factory=open_usage)

    def asked(self, text: str) -> Iterator[Asked]:
        """Yield questions to ask instead of one, the best first, each of known words.

        Raises:
            SourceError: If the source fails.
        """
        text = " ".join(_SIGNS.sub(r" \1 ", text.replace("’", "'")).lower().split())
        # Signs that the forms are written with are none of a question's.
        text = text.rstrip(" .?!,;:…").replace(_SEP, ",")
        told: set[str] = set()
        if len(text) > _LONGEST or _FORMED.intersection(text):
            return
        for clause in self._clauses(text):
            for form in self.tables.asked:
                for one in (one for instead in form.each(clause) for one in instead.split(_SEP)):
                    for asked in self._put(one.strip()):
                        if asked.text not in told and asked.text.lower() != text:
                            told.add(asked.text)
                            yield asked
                        if len(told) >= _MOST:
                            return

    def _clauses(self, text: str) -> Iterator[str]:
        """Yield a text, and its last clause with what the one before it ends in for "it"."""
        yield text
        parted = _PARTED.match(text)
        before, _, last = parted.groups() if parted else ("", "", "")
        stands = self.tables.told[PRONOUNS].split("|")
        words = last.split()
        # "A vase on the table" is a vase.
        first = takewhile(lambda word: self.lexicon.kind(word) != "preposition", before.split())
        ends = (" ".join(first), before)
        names = (name for end in ends for name in self._last(end))
        if set(stands) & set(words) and (name := next(names, "")):
            yield " ".join(name if word in stands else word for word in words)

    def _put(self, instead: str) -> Iterator[Asked]:
        """Yield a question with what the graph calls what has to be known in it."""
        slots, pieces = _TO_KNOW.findall(instead), _TO_KNOW.split(instead)[::3]
        ways = [tuple(islice(self._known(slot, words), _NAMED)) for slot, words in slots]
        for names in product(*ways):
            said = {slot: name for (slot, _), name in zip(slots, names, strict=True)}
            if _DONE_TO in said and not self._takes(names[0], said[_DONE_TO]):
                continue
            text = "".join(chain.from_iterable(zip_longest(pieces, names, fillvalue="")))
            kind = any(name in self.tables.kinds.values() for name in names)
            yield Asked(text, kind, "w" in said)

    def _known(self, slot: str, words: str) -> Iterator[str]:
        """Yield what the graph calls what some words say, by what has to be known of them."""
        # "Colour is a lemon": no verb begins it.
        unsaid = slot in _DONE and COPULAS.intersection(words.split()[1:2])
        ways: dict[str, Callable[[str], Iterator[str]]] = {
            "a": self._thing, "v": self._activity, "e": self._exactly,
            "w": self._widely, "c": self._able, _DONE_TO: self._objects,
            WHICH: partial(self._asked_for, WHICH), MANY: partial(self._asked_for, MANY),
            **{one: partial(self._quality, one) for one in QUALITIES},
        }  # fmt: skip
        return iter(()) if unsaid or _SIGN.search(words) else ways[slot](words)

    # -- things -------------------------------------------------------------------------------

    def _bare(self, words: str) -> str:
        """Return words without what stands before a noun: an article, whose it is, how much."""
        parts = words.split()
        while len(parts) > 1 and self.lexicon.kind(parts[0]) in ("article", "pronoun", "particle"):
            parts = parts[1:]
        return " ".join(parts)

    def _measured(self, words: str) -> tuple[str, ...]:
        """Return how something may be called that is told with how much of it: "a tin of beans"."""
        bare = self._bare(words)
        parts = bare.split()
        measured = len(parts) > 2 and self.lexicon.kind(parts[1]) == "preposition"
        if measured and parts[0] in self.tables.alike["measure"]:
            return (bare, self._bare(" ".join(parts[2:])), parts[0])
        return (bare,)

    def _forms(self, words: str) -> tuple[str, ...]:
        """Return a noun as it stands and in the singular."""
        parts = words.split()
        if not parts:
            return ()
        last = parts[-1]
        ones = (last, self.lexicon.stem(last), *(last.removesuffix(end) for end in _ENDS))
        return tuple(dict.fromkeys(" ".join((*parts[:-1], one)) for one in ones))

    def _thing(self, words: str) -> Iterator[str]:
        for one in dict.fromkeys((*self._measured(words)[:2], words)):
            forms = self._forms(one)
            if forms and not self.lexicon.is_small(forms[0]) and self.view.names(forms):
                yield one
                return

    def _last(self, words: str) -> Iterator[str]:
        """Yield the thing that some words end in."""
        parts = words.split()
        ends = (" ".join(parts[at:]) for at in range(max(len(parts) - _DEEP, 0), len(parts)))
        yield from islice((name for end in ends for name in self._thing(end)), 1)

    # -- activities ---------------------------------------------------------------------------

    def _activity(self, words: str) -> Iterator[str]:
        """Yield what the graph calls an activity, or one of a wider kind of thing."""
        ways = list(self._ways(words))
        yield from self._named(words, ways) or self._wider(ways) or self._of_head(words)

    def _exactly(self, words: str) -> Iterator[str]:
        """Yield what the graph calls just this activity."""
        yield from self._named(words, list(self._ways(words)))

    def _named(self, words: str, ways: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Return what the graph calls an activity."""
        said = [one for verb, object_ in ways for one in self._said(verb, object_)]
        names = self.view.names([*said, *self.tables.alike["whole"].get(words, ())])
        return tuple(dict.fromkeys(hit.label for hits in names.values() for hit in hits))

    def _ways(self, words: str) -> Iterator[tuple[str, str]]:
        """Yield verbs and objects that an activity may be told by."""
        parts = words.split()
        apart = f"{parts[0]} {parts[-1]}" if len(parts) > 2 else ""
        if apart in self.tables.alike["verb"]:  # "sweep the floor up"
            parts = [parts[0], parts[-1], *parts[1:-1]]
        for size in (2, 1):
            verb, object_ = " ".join(parts[:size]), " ".join(parts[size:])
            if len(parts) < size or (size > 1 and verb not in self.tables.alike["verb"]):
                continue
            alike = self.tables.alike["object"]
            named = [form for one in self._measured(object_) for form in self._forms(one)]
            things = [other for one in named for other in (one, *alike.get(one, ()))] or [""]
            stems = [one for one in self._stems(verb) if one in self.tables.alike["verb"]]
            verbs = dict.fromkeys([*self._stems(verb), *(
                other for one in stems for other in self.tables.alike["verb"][one])])  # fmt: skip
            yield from product(verbs, dict.fromkeys(things))

    def _stems(self, verb: str) -> tuple[str, ...]:
        """Return what a verb may be a form of: "cutting", "cuts", "cut"."""
        stem = self.lexicon.stem(verb)
        ones = [verb, stem, self.lexicon.root(verb), *(verb.removesuffix(end) for end in _ENDS)]
        return tuple(dict.fromkeys([*ones, *verbs_by_gerund(self.lexicon.language).get(verb, ())]))

    def _said(self, verb: str, object_: str) -> Iterator[str]:
        for one in (*gerunds_of(verb, self.lexicon), verb):
            yield f"{one} {object_}".strip()
            if object_:
                yield from (f"{one} {article} {object_}" for article in sorted(ARTICLES))

    def _of_head(self, words: str) -> tuple[str, ...]:
        """Return activities done to what the last word alone names: a school lunch is a lunch."""
        first, *rest = words.split()
        object_ = self._bare(" ".join(rest)).split()
        small = any(self.lexicon.kind(one) == "preposition" for one in object_)
        shorter = f"{first} {object_[-1]}" if object_[1:] and not small else ""
        return tuple(self._activity(shorter)) if shorter else ()

    def _wider(self, ways: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Return activities that are done to a wider kind: "ironing clothes" for a shirt."""
        objects = dict.fromkeys(object_ for _, object_ in ways if object_)
        named = self.view.names(objects)
        above = {
            up for hits in named.values() for hit in hits for up in self.view.superclasses(hit.id)
        }
        found: list[str] = []
        for name in dict.fromkeys(n for v, _ in ways for n in gerunds_of(v, self.lexicon)):
            for hit in self.view.search(name, _HITS) if above else ():
                begins, _, what = hit.label.partition(" ")
                of = self.view.names(self._forms(self._bare(what))) if begins == name else {}
                fits = any(one.id in above for hits in of.values() for one in hits)
                if fits or (begins == name and self._bare(what) in GENERIC_NOUNS):
                    found.append(hit.label)
        return tuple(dict.fromkeys(found))

    def _widely(self, words: str) -> Iterator[str]:
        """Yield what is done, where it is done to something known and the graph names no object."""
        ways = list(self._ways(words))
        known = self.view.names({object_ for _, object_ in ways if object_})
        verbs = [verb for verb, object_ in ways if object_ in known]
        names = self.view.names(n for v in verbs for n in gerunds_of(v, self.lexicon))
        yield from dict.fromkeys(hit.label for hits in names.values() for hit in hits)

    def _objects(self, words: str) -> Iterator[str]:
        """Yield what something is done to."""
        objects = dict.fromkeys(object_ for _, object_ in self._ways(words) if object_)
        yield from (one for one in objects if one in self.view.names(objects))

    def _takes(self, activity: str, object_: str) -> bool:
        """Tell whether an activity is stated to have something."""
        names = self.view.names([activity, object_])
        had = {hit.id for hit in names.get(object_, ())}
        return any(
            value.id in had
            for hit in names.get(activity, ())
            for edge in self.view.relations(hit.id)
            if edge[1] is Direction.OUT
            for value in self.view.ends([hit.id], edge)
            if isinstance(value, EntityValue)
        )

    def _able(self, words: str) -> Iterator[str]:
        """Yield what something can do to others, where the graph has a relation for that."""
        for verb, object_ in self._ways(words):
            labels = [f"{modal} {verb}" for modal in sorted(MODALS)] if object_ else []
            named = (label for label in labels if self.view.properties_named([label]))
            if (label := next(named, "")) and self.view.names([object_]):
                yield f"{label} {object_}"

    # -- qualities ----------------------------------------------------------------------------

    def _quality(self, slot: str, words: str) -> Iterator[str]:
        """Yield what the graph calls a quality, or the kind of things that have it."""
        for adverb in sorted(self.tables.alike["adverb"], key=len, reverse=True):
            words = words.removesuffix(f" {adverb}").removeprefix(f"{adverb} ")
        first, _, rest = words.partition(" ")
        stems = (first, *(first.removesuffix(end) for end in _ENDS))  # "goes bad", "perishables"
        for said in dict.fromkeys(f"{stem} {rest}".strip() for stem in stems):
            names = self.tables.qualities.get((slot, said), ())
            known = self.view.names(names)
            kind = self.tables.kinds.get((slot, said), "")
            if found := next((name for name in names if name in known), ""):
                yield found
            elif kind and self.view.names([self._bare(kind)]):
                yield kind
            else:
                continue
            return

    def _asked_for(self, asks: str, words: str) -> Iterator[str]:
        """Yield what asks for things of a kind, or how many they are."""
        told = (one.told(self.tables.told, asks) for one in self._things(words, _DEEP))
        yield from filter(None, told)

    def _things(self, words: str, depth: int) -> Iterator[Phrase]:
        """Yield what kind of things are meant, and what is said of them."""
        for form in self.tables.things if depth else ():
            for instead in form.each(words):
                role, inner, *more = (one.strip() for one in instead.split(_SEP))
                if role == "kind":
                    yield from map(Phrase, self._kind(inner))
                    continue
                slot, said_so = _TO_KNOW.findall(more[0])[0]
                for said in islice(self._known(slot, said_so), 1):
                    for one in islice(self._things(inner, depth - 1), 1):
                        yield from self._with(one, role, said)

    def _kind(self, words: str) -> Iterator[str]:
        """Yield a noun for things, or for a class that the graph has."""
        bare = self._bare(words)
        if bare in {*GENERIC_NOUNS, self.tables.told[KIND]}:
            yield self.tables.told[KIND]
        else:
            yield from self._thing(bare)

    def _with(self, one: Phrase, role: str, said: str) -> Iterator[Phrase]:
        if role == "that" and said in self.tables.kinds.values():
            if one.kind == self.tables.told[KIND]:
                yield Phrase(self._bare(said), one.said)
        else:
            yield Phrase(one.kind, (*one.said, (role, said)))
