"""Linking: the names of a question to vertices, its relations to predicates really there.

Vertices are found by name, at most ``V_LIMIT`` of each, and chosen by an agent by their labels;
what it chooses must be among those offered; pages that are no content (``pages``) are not. A name
that only one vertex has exactly needs no choice. Predicates are those around the linked vertices,
ranked by how well words name them. Source: Chatty-KG paper, algorithm 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rapidfuzz import fuzz

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ModelReplyError
from robodata_core.language.lexicon.relations import RelationScore
from robodata_core.language.text import read_text
from robodata_core.language.types import Candidate, Edge, MentionKind, NameMatch
from robodata_core.language.understanding import Understanding
from robodata_core.model import Direction, EntityValue, SearchHit
from robodata_core.policy.chat.agents import Agent, Agents, strict
from robodata_core.policy.chat.pages import is_page
from robodata_core.policy.chat.question import Qir
from robodata_core.policy.chat.tongues import named_in
from robodata_core.sources.capabilities import near_form
from robodata_core.text import clean_text, normalise_name
from robodata_core.tools.known_ids import ids_in_text

__all__ = ["V_LIMIT", "Links", "Matcher"]

V_LIMIT: Final = 600
"""Most vertices looked through for one name."""

_MOST_SHOWN: Final = 12
_LOOKED_AT: Final = 2 * _MOST_SHOWN
_LOOKED_AT_AFAR: Final = 4
_LONGEST_LABEL: Final = 80
_LONGEST_TOLD: Final = 60
_SAMPLE: Final = 20
_EXACT: Final = (NameMatch.LABEL, NameMatch.ALIAS, NameMatch.BOUND, NameMatch.ORIGIN)
_LINKING: Final = Agent(
    "linking",
    ("chat_linking",),
    strict({"choices": {"type": "object", "additionalProperties": {"type": "integer"}}}, "choices"),
    reply_tokens=200,
)


@dataclass(frozen=True, slots=True)
class Links:
    """What names stand for.

    Attributes:
        vertices: Ids by name; several where a name lists them.
        classes: Ids of classes by kind.
        hits: The candidates of each name that was searched for, the chosen one first.
        unlinked: Names and kinds that nothing was found or chosen for.
        likeness: 0 to 1, of the name least like that of what was chosen for it.
    """

    vertices: Mapping[str, tuple[str, ...]]
    classes: Mapping[str, tuple[str, ...]]
    hits: Mapping[str, tuple[SearchHit, ...]] = field(default_factory=dict)
    unlinked: tuple[str, ...] = ()
    likeness: float = 1.0


class Matcher:
    """Links the names and the relations of questions on one source.

    Args:
        language: Names, relations and their words on the source.
        asked_in: Language of names, for sources that search by language.
        v_limit: Most vertices looked through for one name.
    """

    def __init__(
        self, language: Understanding, asked_in: str = "en", v_limit: int = V_LIMIT
    ) -> None:
        self.view = language.view
        self.is_near = near_form(language.view.source) is not None
        self._language = language
        self._asked_in = asked_in
        self._limit = v_limit

    # -- vertices -------------------------------------------------------------------------------

    def speaks(self, question: str) -> bool:
        """Tell whether a question is in the language of the tables."""
        return self._language.speaks(question)

    def link(self, qir: Qir, agents: Agents, state: str, cancel: CancelToken | None) -> Links:
        """Return what the names of a question stand for, asking an agent where it is a choice.

        Raises:
            ModelReplyError: If the agent chooses nothing that was offered.
            PolicyError: If the model fails.
            SourceError: If the source does.
        """
        self.view.refresh()
        vertices: dict[str, tuple[str, ...]] = {}
        found: dict[str, tuple[SearchHit, ...]] = {}
        open_: dict[str, tuple[SearchHit, ...]] = {}
        named: set[str] = set()
        likeness = 1.0
        for name in qir.names:
            ids = ids_in_text(name)
            if ids:
                vertices[name] = ids
                continue
            hits, exact = self._candidates(name, qir.language)
            if len(exact) == 1:
                vertices[name], found[name] = (hits[0].id,), hits
            elif hits:
                open_[name] = hits
                named |= exact
        if open_:
            chosen = self._choose(qir.question, open_, agents, state, cancel)
            for name, hit in chosen.items():
                vertices[name] = (hit.id,)
                found[name] = (hit, *(one for one in open_[name] if one.id != hit.id))
                if hit.id not in named:
                    likeness = min(likeness, _likeness(name, hit))
            found |= {name: hits for name, hits in open_.items() if name not in found}
        kinds = tuple(dict.fromkeys(kind for _, kind in (*qir.kinds, *qir.not_kinds)))
        classes = {kind: ids for kind in kinds if (ids := self._classes(kind))}
        missing = [name for name in qir.names if name not in vertices]
        missing += [kind for kind in kinds if kind not in classes]
        return Links(vertices, classes, found, tuple(missing), likeness)

    def _candidates(self, name: str, language: str) -> tuple[tuple[SearchHit, ...], set[str]]:
        """Return what a name may mean, the likeliest first, and what has exactly that name."""
        whole = self._whole(name, MentionKind.THING)
        exact = {one.value.id for one in whole if one.match in _EXACT}  # type: ignore[union-attr]
        tongue = language or self._asked_in
        source = self.view.source
        hits = list(source.search(name, limit=self._limit, language=tongue))
        if tongue != self._asked_in:
            hits = named_in(tongue, name, hits, source)[: self._limit]
        known = {hit.id for hit in hits}
        missing = [one for one in whole if one.value.id not in known]  # type: ignore[union-attr]
        entities = self.view.entities(one.value.id for one in missing)  # type: ignore[union-attr]
        for one in missing:
            id_ = one.value.id  # type: ignore[union-attr]
            told = entities[id_].description if id_ in entities else ""
            hits.append(SearchHit(id_, one.label, told, popularity=one.popularity))
        form = normalise_name(name)

        def _rank(hit: SearchHit) -> tuple[bool, bool, float]:
            return (normalise_name(hit.label) != form, hit.id not in exact, -hit.popularity)

        hits.sort(key=_rank)
        named = [hit for hit in hits if normalise_name(hit.label) == form or hit.id in exact]
        hits = named + [hit for hit in hits if hit not in named]
        if len(named) != 1:  # there is a choice, which pages have no part in
            looked_at = hits[:_LOOKED_AT] if self.is_near else named[:_LOOKED_AT_AFAR]
            pages = {hit.id for hit in looked_at if is_page(hit.id, self.view)}
            hits = [hit for hit in hits if hit.id not in pages]
            named = [hit for hit in named if hit.id not in pages]
        return tuple(hits), {hit.id for hit in named}

    def _choose(
        self,
        question: str,
        names: Mapping[str, Sequence[SearchHit]],
        agents: Agents,
        state: str,
        cancel: CancelToken | None,
    ) -> dict[str, SearchHit]:
        """Return the candidates that an agent chooses; what has none is left out."""
        shown = {name: hits[:_MOST_SHOWN] for name, hits in names.items()}

        def _read(raw: Mapping[str, Any]) -> dict[str, SearchHit]:
            choices = raw.get("choices")
            if not isinstance(choices, Mapping):
                raise ModelReplyError("choices must be an object of names and numbers.")
            found = {}
            for name, hits in shown.items():
                number = choices.get(name)
                if isinstance(number, str) and number.isascii() and number.isdigit():
                    number = int(number[:9])
                if not isinstance(number, int) or isinstance(number, bool):
                    raise ModelReplyError(f"choices has no number for {name!r}.")
                if not 0 <= number <= len(hits):
                    raise ModelReplyError(f"{number} is none of the candidates of {name!r}.")
                if number:
                    found[name] = hits[number - 1]
            return found

        told = {name: _told(hits) for name, hits in shown.items()}
        asked = {"question": question, "names": told}
        return agents.ask(_LINKING, asked, _read, state=state, cancel=cancel)

    def _whole(self, name: str, kind: MentionKind) -> list[Candidate]:
        """Return the entities of a kind that all of a name stands for."""
        text = read_text(name)
        return [
            one
            for mention in self._language.linker.mentions(text)
            if mention.end - mention.start == len(text.tokens)
            for one in mention.candidates
            if one.kind is kind and isinstance(one.value, EntityValue)
        ]

    def _classes(self, kind: str) -> tuple[str, ...]:
        """Return the classes that go by a name, the most used first."""
        found = self._whole(kind, MentionKind.CLASS)
        labelled = [one for one in found if one.match is NameMatch.LABEL] or found
        labelled.sort(key=lambda one: -one.popularity)
        return tuple(one.value.id for one in labelled[:3] if isinstance(one.value, EntityValue))

    def via(self, classes: Iterable[str]) -> tuple[str, ...]:
        """Return the relations by which things are of some classes."""
        around = {edge for id_ in classes for edge in self.view.relations(id_)}
        there = [name for name in self.view.type_relations if (name, Direction.IN) in around]
        return tuple(there) or self.view.type_relations[:1]

    # -- predicates -----------------------------------------------------------------------------

    def predicates(
        self, ids: Sequence[str], phrase: str, forward: bool, *, counted: bool = False
    ) -> tuple[tuple[Edge, float], ...]:
        """Return the relations really there around some things, those that words name first.

        Args:
            ids: From where.
            phrase: How the relation is called.
            forward: Whether the things are its subject, as the question has it.
            counted: Whether their number is asked for, which may be a relation of its own.
        """
        if len(ids) == 1:
            there: Mapping[Edge, int] = self.view.relations(ids[0])
        else:
            counts = self.view.source.relations(ids[:_SAMPLE])
            there = {(one.property, one.direction): one.count for one in counts}
        phrases = (phrase, f"number of {phrase}") if counted else (phrase,)
        found = [
            self._language.relations.evidence(read_text(one)).score(there, None) for one in phrases
        ]
        scores = {edge: max(_weight(one[edge]) for one in found) for edge in there}
        names = self.view.properties(name for name, _ in there)

        def _rank(edge: Edge) -> tuple[float, bool, bool, bool, int]:
            way = (edge[1] is Direction.OUT) == forward
            telling = names[edge[0]].datatype != "external-id"
            return (scores[edge], telling, way, telling, there[edge])

        ranked = sorted(there, key=_rank, reverse=True)
        return tuple((edge, scores[edge]) for edge in ranked)


def _weight(score: RelationScore) -> float:
    """Return how well words name a relation, in hundredths: smaller differences say nothing."""
    best = max(score.label, 0.9 * score.alias, score.phrase, score.probability)
    return round(max(best, 0.8 * score.turned), 2)


def _likeness(name: str, hit: SearchHit) -> float:
    """Return how alike the words of a name and those of what a thing was found by are.

    Words that the name leaves out ("Kafka") say nothing against it.
    """
    own = [*normalise_name(hit.label).split(), *normalise_name(hit.matched).split()]
    words = normalise_name(name).split()
    alike = [max((fuzz.ratio(word, one) for one in own), default=0) / 100 for word in words]
    letters = sum(map(len, words))
    return sum(len(w) * a for w, a in zip(words, alike, strict=True)) / letters if letters else 0.0


def _told(hits: Sequence[SearchHit]) -> dict[str, str]:
    """Return candidates by number: labels, and what tells apart those with the same one."""
    forms = [normalise_name(hit.label) for hit in hits]
    told = {}
    for number, (hit, form) in enumerate(zip(hits, forms, strict=True), 1):
        label = clean_text(hit.label, limit=_LONGEST_LABEL)
        more = clean_text(hit.description, limit=_LONGEST_TOLD)
        told[str(number)] = f"{label}: {more}" if more and forms.count(form) > 1 else label
    return told
