"""What is known: texts read as the dialogue sees them, and what things are.

Names and relations are found by the offline policy's own linking, so that a word means here what
it means when the question is asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from robodata_core.dialogue._words import ASKING, called_alike, words
from robodata_core.dialogue.names import Name, Read
from robodata_core.dialogue.naming import carried, is_carried, text_of
from robodata_core.errors import RoboDataError
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.types import Understood
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline.links import type_links
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.question import IMPERATIVES, Question, analyse
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.solve import Solver
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    WH_WORDS,
    Token,
    bound_until,
    singular,
)
from robodata_core.sources.capabilities import lookup_names
from robodata_core.text import normalise_name

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.policy.offline.resources import OfflineResources
    from robodata_core.sources.base import KnowledgeSource
    from robodata_core.store.graph import LocalGraph

__all__ = ["Knowledge"]

_DEFINITION: Final = "definition"
_GRAMMAR: Final = WH_WORDS | AUXILIARIES | IMPERATIVES | words("opening") | words("amount")
_NO_NAMES: Final = ASKING | words("capital")
_BEFORE: Final = "about "
_MOST_NAMES: Final = 30
_FEW: Final = 3
_SIBLINGS: Final = 20
_JOINTS: Final = frozenset({"of", "with", "in", "for", "by", "on", "at", "from"})


class Knowledge:
    """What is known of things: the local graph is asked first, then the source.

    A source that fails leaves things unknown; it never ends a conversation.
    """

    def __init__(
        self,
        source: KnowledgeSource,
        store: LocalGraph,
        resources: OfflineResources,
        language: str,
        cancel: CancelToken | None = None,
    ) -> None:
        self._source = source
        self._store = store
        self._index = resources.index
        self._language = language
        self._understanding = resources.understanding
        self._cancel = cancel
        self._reader = Reader(source, self._index.named("subclass of"), cancel)

    # -- texts --------------------------------------------------------------------------------

    def read(self, text: str) -> Read:
        """Read a text; without names where the source fails."""
        question = analyse(text)
        names: dict[tuple[int, int], Name] = {}
        matches: list[Match] = []
        unlinked: list[str] = []
        solver = Solver(self._source, self._index, question, language=self._language,
                        cancel=self._cancel)  # fmt: skip
        for request in question.requests:
            try:
                linking, found = solver.link(request)
            except RoboDataError:
                continue
            matches += [m for m in found if m.reading.kind != _DEFINITION]
            unlinked += linking.unlinked
            for mention in linking.mentions:
                name = _name(question, mention)
                if name is not None:
                    names.setdefault((name.start, name.end), name)
        first = names.get((0, min((end for start, end in names if not start), default=0)))
        if first is not None and self._begins_with_name(first, matches):
            names[first.start, first.end] = replace(first, proper=True)
        unknown = unknown_names(question, [n for n in names.values() if n.proper])
        known = [n for n in names.values() if not any(_overlap(n, other) for other in unknown)]
        kept = sorted((*known, *unknown), key=lambda name: name.start)[:_MOST_NAMES]
        read = Read(question, tuple(kept), tuple(matches), tuple(unlinked))
        if any(token.capitalised for token in question.tokens):
            return read
        # Whoever writes no capitals at all writes none in names either.
        cased = self._cased(self._as_names(read))
        return self.read(cased) if cased != text else read

    def _cased(self, read: Read) -> str:
        """Return a text with its names in capitals."""
        text = read.text
        for name in read.proper():
            label, said = self.label(name.ids[0]), text[name.start : name.start + len(name.text)]
            written = label if label.casefold() == said.casefold() else said.title()
            if len(written) == len(said) and not name.whole:
                text = f"{text[: name.start]}{written}{text[name.start + len(said) :]}"
        return text

    def _as_names(self, read: Read) -> Read:
        """Return a text with what the graph writes as a name taken for one in any writing."""
        spans = [(read.tokens[m.start].start, read.tokens[m.end - 1].end) for m in read.nouns()]
        names = tuple(
            replace(name, proper=True)
            if not name.proper
            and not any(start < name.end and name.start < end for start, end in spans)
            and read.before(name) not in ARTICLES
            and self._is_name(name)
            else name
            for name in read.names
        )
        return replace(read, names=names)

    def names_small(self, read: Read) -> bool:
        """Tell whether a text names in small letters of what it asks: "the boiling point of water".

        Of one word, only what is asked of is certainly no relation ("who is the father").
        """
        spans = [(read.tokens[m.start].start, read.tokens[m.end - 1].end) for m in read.nouns()]
        for name in read.names:
            if name.proper or any(start < name.end and name.start < end for start, end in spans):
                continue
            several = len(set(normalise_name(name.text).split()) - ARTICLES) > 1
            if several and self._is_name(name):
                return True
            if read.before(name) == "of" and self.homonyms(name.text):
                return True
        return False

    def _is_name(self, name: Name) -> bool:
        """Tell whether all that words may name is written with capitals where they stand in it."""
        lexicon, said = open_lexicon("en"), name.text.split()
        words = [
            word
            for word in map(normalise_name, said)
            if not any(lexicon.is_small(w) or lexicon.number(w) for w in (word, singular(word)))
        ]
        labels = [self.label(id_) for id_ in name.ids[:_FEW]]
        written = {normalise_name(part): part for label in labels for part in label.split()}
        return (
            bool(words)
            and all(label[:1].isupper() for label in labels)
            and all(written.get(word, "A")[:1].isupper() for word in words)
        )

    def _begins_with_name(self, name: Name, matches: Sequence[Match]) -> bool:
        """Tell whether the first word of a text, always a capital, is a name."""
        if any(match.start == 0 for match in matches) or name.text[:1].islower():
            return False
        return self.label(name.ids[0])[:1].isupper()

    def fragment(self, text: str) -> Read:
        """Read a part of a question, whose first word may be a name in any writing."""
        read = self.read(text)
        if not read.names and not read.nouns():
            # Behind another word a capital says more: "about Kant".
            again = self.read(f"{_BEFORE}{text}")
            read = _without_first(again, read) if again.names or again.unlinked else read
        return self._as_names(read)

    def settled(self, read: Read, used: frozenset[str]) -> Read:
        """Take names for what an answer took them for."""
        names = []
        for name in read.names:
            chosen = tuple(id_ for id_ in name.ids if id_ in used)
            names.append(replace(name, ids=chosen) if chosen and not name.whole else name)
        return replace(read, names=tuple(names))

    # -- things -------------------------------------------------------------------------------

    def label(self, id_: str) -> str:
        """Return the label of a thing, or its id; an unknown name itself."""
        if is_carried(id_):
            return text_of(id_)
        known = self._store.label(id_)
        if known:
            return known
        try:
            return self._reader.label(id_)
        except RoboDataError:
            return id_

    def values(self, id_: str, relation: str, way: Direction = Direction.OUT) -> tuple[str, ...]:
        """Return the ids that a relation, by its label, leads to."""
        found: dict[str, None] = {}
        if is_carried(id_):
            return ()
        for name in sorted(self._index.named(relation)):
            if way is Direction.OUT:
                stored = self._store.match(id_, name)[0]
                ends = [e.triple.object for e in stored]
            else:
                stored = self._store.match(None, name, EntityValue(id_))[0]
                ends = [EntityValue(e.triple.subject) for e in stored]
            if not ends:
                try:
                    ends = list(self._reader.along((EntityValue(id_),), (name, way)))
                except RoboDataError:
                    ends = []
            found.update((end.id, None) for end in ends if isinstance(end, EntityValue))
        return tuple(found)

    def types(self, id_: str) -> frozenset[str]:
        """Return the folded labels of the classes of a thing; empty where none are known."""
        ids = self.values(id_, "instance of")
        if not ids and not is_carried(id_):
            try:
                entity = self._reader.entities((id_,)).get(id_)
            except RoboDataError:
                entity = None
            ids = entity.types if entity else ()
        return frozenset(normalise_name(self.label(type_)) for type_ in ids[:40])

    def person(self, id_: str) -> bool | None:
        """Tell whether a thing is a person; None where that is not known."""
        if is_carried(id_):
            return {"!": True, ".": False}.get(id_[1:2])
        types = self.types(id_)
        return bool(types & words("person_class")) if types else None

    def place(self, id_: str) -> bool | None:
        """Tell whether a thing is a place; None where that is not known."""
        types = self.types(id_)
        return any(words("place_class") & set(label.split()) for label in types) if types else None

    def gender(self, id_: str) -> str:
        """Return ``male`` or ``female``, or nothing where it is not known."""
        for relation in ("sex or gender", "gender", "sex"):
            for value in self.values(id_, relation):
                words = set(normalise_name(self.label(value)).split())
                if words & {"male", "female"}:
                    return "female" if "female" in words else "male"
        for relation, kind in (("father", "male"), ("mother", "female")):
            if self.values(id_, relation, Direction.IN):
                return kind
        return ""

    def is_a(self, id_: str, noun: str) -> bool:
        """Tell whether a thing is of a class, or does a job, that a noun names."""
        nouns = called_alike(noun) or frozenset({noun})
        if is_carried(id_):
            return bool(called_alike(noun)) and self.person(id_) is None
        types = self.types(id_)
        if nouns & types or any(_head(label) in nouns for label in types):
            return True
        try:
            classes = frozenset(self._classes(nouns))
            if not classes:
                return False
            nodes = (EntityValue(id_),)
            return bool(self._reader.is_a(nodes, classes, type_links(self._index)))
        except RoboDataError:
            return False

    def _classes(self, nouns: frozenset[str]) -> tuple[str, ...]:
        names = sorted({*nouns, *map(singular, nouns)})
        hits = lookup_names(self._source, names, language=self._language)
        return tuple(hit.id for found in hits.values() for hit in found)

    def alike(self, one: str, other: str) -> bool:
        """Tell whether two things share a class, as far as that is known."""
        first, second = self.types(one), self.types(other)
        if first & second:
            return True
        return any(bool(kind(one)) and bool(kind(other)) for kind in (self.person, self.place))

    def has(self, id_: str, matches: Iterable[Match]) -> bool:
        """Tell whether anything is stated of a thing by a relation that some phrases name."""
        for match in () if is_carried(id_) else matches:
            hop = match.reading.hops[0] if match.reading.hops else ()
            if match.reading.kind != "noun":  # who did it, or to whom it was done
                hop = tuple((name, way) for name, _ in hop for way in Direction)
            try:
                if hop and self._reader.any_of((EntityValue(id_),), hop):
                    return True
            except RoboDataError:
                return False
        return False

    def apt(self, id_: str, matches: Sequence[Match]) -> bool:
        """Tell whether a relation that some phrases name is stated of things of the same class."""
        kinds = self.values(id_, "instance of")[:_FEW]
        alike = (self.values(kind, "instance of", Direction.IN)[:_SIBLINGS] for kind in kinds)
        return any(self.has(one, matches) for one in itertools.chain((id_,), *alike))

    def probability(self, text: str) -> float:
        """Return how sure the best reading of a question is; 0 where it has none."""
        if self._understanding is None:
            return 0.0
        try:
            best = self._understanding.understand(text, cancel=self._cancel)[0]
        except RoboDataError:
            return 0.0
        return best.probability if isinstance(best, Understood) else 0.0

    def homonyms(self, text: str) -> tuple[str, ...]:
        """Return everything that has exactly this name."""
        try:
            hits = lookup_names(self._source, (text,), language=self._language).get(text, ())
        except RoboDataError:
            return ()
        wanted = normalise_name(text)
        return tuple(h.id for h in hits if wanted in map(normalise_name, (h.matched, h.label)))


def unknown_names(question: Question, known: Sequence[Name]) -> tuple[Name, ...]:
    """Return what is written as a name and is none, or only in part, that the graph knows."""
    tokens, found = question.tokens, []
    if any(t.capitalised and t.norm in _GRAMMAR for t in tokens[1:]):
        return ()  # every word of a title or headline has a capital
    at = 0
    while at < len(tokens):
        end = _run(tokens, at)
        start, stop = tokens[at].start, tokens[max(end - 1, at)].end
        inside = [n for n in known if n.start < stop and start < n.end]
        whole = {i for i in range(at, end) for n in inside if n.start <= tokens[i].start < n.end}
        capitals = [i for i in range(at, end) if tokens[i].capitalised]
        beside = any(one.end + 1 == n.start for one in inside for n in inside)
        unlike = not all(i in whole for i in capitals) or beside
        unlike = unlike and (at > 0 or len(capitals) > 1)
        unlike = unlike and any(tokens[i].norm not in _NO_NAMES for i in capitals)
        if end > at and unlike and not any(token.ids for token in tokens[at:end]):
            text = question.text[start:stop]
            found.append(Name(start, stop, text, (carried(text),), True))
        at = max(end, at + 1)
    return tuple(found)


def _without_first(again: Read, read: Read) -> Read:
    """Return what was found in a text behind another word, told of the text alone."""
    cut = len(_BEFORE)
    names = [replace(n, start=n.start - cut, end=n.end - cut) for n in again.names]
    matches = [replace(m, start=m.start - 1, end=m.end - 1) for m in again.matches if m.start]
    return replace(read, names=tuple(names), matches=tuple(matches), unlinked=again.unlinked)


def _run(tokens: Sequence[Token], at: int) -> int:
    """Return where the name that begins at a token ends: capitals, and small words between."""
    first = tokens[at]
    if not first.capitalised or (not at and first.norm in _GRAMMAR):
        return at
    if first.norm in ARTICLES and not (at + 1 < len(tokens) and tokens[at + 1].capitalised):
        return at
    end = at + 1
    for place in range(at + 1, len(tokens)):
        token = tokens[place]
        if token.capitalised or (token.word and token.norm.isdigit() and place == end):
            end = place + 1
        elif token.norm not in words("inside") and token.text not in "'’.:&-":
            break
    return end


def _overlap(one: Name, other: Name) -> bool:
    return one.start < other.end and other.start < one.end


def _head(label: str) -> str:
    """Return the head of a class label: "city" of "city with millions of inhabitants"."""
    words = label.split()
    end = next((i for i, word in enumerate(words) if i and word in _JOINTS), len(words))
    return words[end - 1] if words else ""


def _name(question: Question, mention: Mention) -> Name | None:
    if mention.start >= mention.end or mention.demonym or not mention.entities:
        return None
    tokens = question.tokens
    start, end = tokens[mention.start].start, tokens[mention.end - 1].end
    text = question.text[start:end]
    if tokens[mention.end - 1].ids:
        end = bound_until(question.text, end)
    ids = tuple(item.id for item in mention.entities)
    return Name(start, end, text, ids, mention.proper, mention.whole)
