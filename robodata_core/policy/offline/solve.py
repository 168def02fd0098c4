"""From one request to its ranked candidate programs.

Puts the parts together: phrases, mentions, starting points, growth, constraints, ranking. The
policy takes the best candidate, runs it in full, and turns it into tool calls and claims.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.cancellation import CancelToken
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline import ahead
from robodata_core.policy.offline.candidate import Candidate, Scored
from robodata_core.policy.offline.constrain import Constrainer
from robodata_core.policy.offline.effort import Effort
from robodata_core.policy.offline.grow import Grower, goes_against
from robodata_core.policy.offline.inherit import with_verbs
from robodata_core.policy.offline.linking import link
from robodata_core.policy.offline.links import (
    above_links,
    belonging_links,
    containment_links,
    onward_links,
    type_links,
)
from robodata_core.policy.offline.lying import Places, widest
from robodata_core.policy.offline.members import asked_of, of_members
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.narrowing import Narrower
from robodata_core.policy.offline.question import Question, Request
from robodata_core.policy.offline.rank import Ranker
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import PREPOSITION, RelationIndex
from robodata_core.policy.offline.relations import (
    Match,
    Reading,
    as_nouns,
    as_verbs,
    for_manner,
    without_any,
    without_having,
    without_kinds,
    without_relatives,
)
from robodata_core.policy.offline.similar import Similar
from robodata_core.policy.offline.starting import Starting
from robodata_core.policy.offline.together import all_walks, same_word
from robodata_core.policy.offline.trained import TrainedRanker
from robodata_core.policy.offline.untold import untold
from robodata_core.policy.offline.weights import Weights, content_of
from robodata_core.policy.offline.wording import Wording
from robodata_core.policy.offline.words import ARTICLES, BE, Token, said, singular
from robodata_core.programs.executor import Executor
from robodata_core.sources.base import KnowledgeSource

__all__ = ["Scored", "Solution", "Solver", "defines"]

_KEPT: Final = 12
_LINKING: Final = 40
"""Steps that finding names counts for."""
_NARROWED: Final = 5_000
_FINISHED: Final = 40
_DESCRIBED: Final = 3
#: Most confidence in a candidate that walks a relation against the wording.
_DOUBTFUL: Final = 0.45
#: What a reading that lists a class, or denies what it has not read, loses to the others.
_LISTED: Final = 10.0
_HAVING: Final = said("having any")
_DEFINITION: Final = "definition"
_RELATING: Final = said("relating to")
_NAMING: Final = said("naming")
_ASKS: Final = said("asks what it is")


@dataclass(frozen=True, slots=True)
class Solution:
    """What was found for one request.

    Attributes:
        request: The request.
        linking: Its mentions and lost names.
        matches: Readings of its phrases.
        ranked: Candidates, best first.
    """

    request: Request
    linking: Linking
    matches: tuple[Match, ...]
    ranked: tuple[Scored, ...]


def defines(matches: Sequence[Match]) -> bool:
    """Tell whether a request asks who or what something is, and nothing else."""
    return any(match.reading.kind == _DEFINITION for match in matches)


def _returns(candidate: Candidate) -> bool:
    """Tell whether a walk leads back to what the question names and to nothing else."""
    named = {EntityValue(id_) for link in candidate.links for id_ in link.ids}
    return bool(candidate.path and candidate.nodes) and named.issuperset(candidate.nodes)


def _without_verb(
    focus: frozenset[int], tokens: Sequence[Token], matches: Sequence[Match]
) -> frozenset[int]:
    """Return the noun that is asked for without the verb behind it: "which states border X".

    No noun in the plural stands before another that it is part of, and what ends as a verb of one
    ("which tool cuts bread") and is no noun for a relation is no plural of it.
    """
    verbs = {m.start for m in matches if m.reading.kind == "verb"}
    nouns = {i for m in matches if m.reading.kind == "noun" for i in m.span}
    ends = (
        at for at in sorted(focus)
        if at in verbs and at - 1 in focus
        and (_is_plural(tokens[at - 1]) or (_is_plural(tokens[at]) and at not in nouns))
    )  # fmt: skip
    end = next(ends, None)
    return focus if end is None else frozenset(at for at in focus if at < end)


def _is_plural(token: Token) -> bool:
    return singular(token.norm) != token.norm


def _fullest(ranked: Sequence[Scored]) -> tuple[Scored, ...]:
    """Put first, of readings of the same words, what has all that the best one has, and more.

    Countries "in Europe" are on the continent, and hardly any is stated to be part of it.
    """
    best = ranked[0] if ranked else None
    if best is None or best.candidate.final not in ("set", "count"):
        return tuple(ranked)
    if all(use.strength > PREPOSITION for use in best.candidate.edges):
        return tuple(ranked)  # Other words tell relations apart.
    for other in ranked[1:]:
        same = _words_of(other.candidate) == _words_of(best.candidate)
        if same and set(other.candidate.nodes) > set(best.candidate.nodes):
            best = replace(other, score=best.score, confidence=best.confidence)
    return (best, *(one for one in ranked if one.candidate is not best.candidate))


def _words_of(candidate: Candidate) -> Hashable:
    """Return how the words of a question are read, but for which relation each stands for."""
    told = tuple((use.span, use.strength, use.constraint) for use in candidate.edges)
    return candidate.final, candidate.links, told, len(candidate.steps)


class Solver:
    """Solves the requests of one question on one source."""

    def __init__(
        self,
        source: KnowledgeSource,
        index: RelationIndex,
        question: Question,
        *,
        weights: Weights | None = None,
        trained: TrainedRanker | None = None,
        similar: Similar | None = None,
        language: str = "en",
        cancel: CancelToken | None = None,
        effort: Effort | None = None,
        teaching: bool = False,
    ) -> None:
        self._source = source
        self._index = index
        self._question = question
        self._weights = weights or Weights()
        self._trained = trained
        self._similar = similar
        self._cancel = cancel
        self._taught = teaching or trained is not None
        self.notices: list[str] = []
        self._language = language
        self._via = type_links(index)
        self._above = above_links(index)
        self.reader = Reader(source, index.named("subclass of"), cancel, effort)

    @property
    def index(self) -> RelationIndex:
        """The relations of the source."""
        return self._index

    @property
    def source(self) -> KnowledgeSource:
        """What is read."""
        return self._source

    def on(self, question: Question) -> Solver:
        """Return this solver for other words, with what was read so far."""
        other = copy(self)
        other._question = question
        return other

    def link(self, request: Request) -> tuple[Linking, tuple[Match, ...]]:
        """Find the mentions and relation phrases of a request."""
        tokens = self._question.tokens
        self.reader.effort.spend(_LINKING)
        outside = frozenset(i for i in range(len(tokens)) if not request.start <= i < request.end)
        quoted = frozenset(
            i for quote in self._question.quotes for i in range(quote.start, quote.end)
        )
        first = self._index.matches(tokens, outside | quoted)
        words = frozenset(i for match in first for i in match.span)
        within = frozenset(i for match in first for i in range(match.start + 1, match.end))
        linking = link(self._question, request, self._source, words, self._language, within)
        # "The father of" asks for one, though a play is called "The Father".
        small = frozenset(i for i, token in enumerate(tokens) if token.norm in ARTICLES)
        blocked = frozenset(
            i
            for mention in linking.mentions
            if mention.proper or not mention.span - small <= words
            for i in mention.span
        )
        matches = self._index.matches(tokens, outside | quoted | blocked)
        if not any(token.is_id for token in tokens):
            matches = without_any(matches)
        matches = for_manner(as_nouns(matches, tokens), tokens, request)
        matches = with_verbs(as_verbs(matches, tokens, request), tokens)
        matches = without_kinds(without_relatives(matches, tokens), tokens, self._via)
        matches = without_having(matches, tokens, request, self._via)
        matches = (*matches, *self._definition(request, blocked))
        return linking, (*matches, *self._alike(request, linking, matches))

    def _alike(
        self, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> tuple[Match, ...]:
        """Read by meaning the words that nothing accounts for, where that is set up."""
        if self._similar is None:
            return ()
        named = linking.lost.union(*(mention.span for mention in linking.mentions))
        taken = named.union(*(match.span for match in matches))
        tokens = self._question.tokens
        open_ = frozenset(content_of(tokens, request)) - taken
        ids = [e.id for m in linking.mentions if m.proper for e in m.entities[:_DESCRIBED]]
        around = [name for id_ in ids for name, _ in self.reader.relations(id_)]
        said = frozenset(range(request.start, request.end)) - named
        found, notice = self._similar.matches(tokens, open_, said, around, self._cancel)
        if notice and notice not in self.notices:
            self.notices.append(notice)
        return found

    def _definition(self, request: Request, named: frozenset[int]) -> tuple[Match, ...]:
        """Return "what is it" as a reading where a question asks nothing else of a name."""
        tokens = self._question.tokens
        open_ = frozenset(content_of(tokens, request)) - named
        asks = [i for i in range(request.start, request.end) if tokens[i].norm in _ASKS]
        if open_ or not asks or not self._via or request.kind is not AnswerKind.THINGS:
            return ()
        until = next((i for i in range(asks[0], request.end) if tokens[i].norm in BE), asks[0])
        if not named.isdisjoint(range(asks[0] + 1, until)):
            return ()  # "What person is X" asks for a person, "what kind of film" not for film.
        words = {tokens[i].norm for i in range(request.start, request.end) if i not in named}
        doer = [token.norm for token in tokens[asks[0] : asks[0] + 2]]
        if words & _RELATING or (doer[0] == "who" and doer[-1] in _NAMING):
            return ()  # "who is in X" is not "who is X"
        doing = self._index.named("occupation")
        kinds = [name for name in self._via if name not in doing]
        if any(tokens[i].text in _HAVING for i in range(request.start, request.end)):
            return ()  # nor is "what does X have" or "what does X look like"
        if words & {"do", "does", "did", "can", "could"}:
            if "who" in words:
                return ()  # "who did X know" asks for others
            kinds = []  # "what does X do" is not "what is X"
        return tuple(
            Match(
                asks[0],
                asks[0] + 1,
                Reading(
                    (tuple((n, Direction.OUT) for n in names),), "out", _DEFINITION, "", strength
                ),
            )
            for names, strength in ((sorted(doing), 0.92), (kinds, 0.88))
            if names
        )

    def solve(self, request: Request, linking: Linking, matches: tuple[Match, ...]) -> Solution:
        """Grow, constrain and rank candidates for one request."""
        ranked = self.candidates(request, linking, matches)[:_KEPT]
        executor = Executor(self._source, cancel=self._cancel, max_nodes=_NARROWED)
        narrower = Narrower(self.reader, self._index, self._question.tokens, executor)
        narrowed = tuple(
            replace(item, candidate=narrower.narrow(item.candidate, matches)) for item in ranked
        )
        first = narrowed[0].candidate if narrowed else None
        others = same_word(first, [item.candidate for item in narrowed[1:]]) if first else []
        if first is not None and others:
            whole = replace(narrowed[0], candidate=all_walks(first, others))
            narrowed = (whole, *(item for item in narrowed[1:] if item.candidate not in others))
        return Solution(request, linking, matches, narrowed)

    def candidates(
        self, request: Request, linking: Linking, matches: tuple[Match, ...]
    ) -> tuple[Scored, ...]:
        """Return all candidates for one request, best first."""
        tokens = self._question.tokens
        names = frozenset(i for m in linking.mentions if m.proper for i in m.span)
        focus = _without_verb(request.focus - names, tokens, matches)
        request = replace(request, focus=focus)
        if defines(matches):
            request = replace(request, wanted="")
        ranker = Ranker(self.reader, self._index, tokens, request, linking, matches, self._weights)
        places = Places(self.reader, tokens, containment_links(self._index))
        belonging = belonging_links(self._index)
        constrainer = Constrainer(
            self.reader, self._index, tokens, request, matches, linking.mentions, self._via, places,
            belonging,
        )  # fmt: skip
        content = frozenset(content_of(tokens, request))
        grower = Grower(
            self.reader,
            tokens,
            matches,
            content,
            (request.start, request.end),
            request.kind is AnswerKind.NUMBER,
            self._index,
            request.focus,
            places,
        )
        complete: list[Candidate] = []
        members = asked_of(tokens, request, linking)
        if members is not None:
            complete += of_members(members, constrainer, request, linking)
        ahead.mentioned(self.reader, linking, matches)
        starting = Starting(self.reader, self._question, self._via, self._above, belonging, places)
        starts = [] if members else starting.candidates(request, linking, constrainer)
        walks = grower.grow(starts)
        ahead.narrowing(
            self.reader,
            (
                c
                for start, grown in zip(starts, walks, strict=True)
                for c in (start, *grown[:_FINISHED])
            ),
            constrainer,
        )
        for start, grown in zip(starts, walks, strict=True):
            for candidate in (start, *grown[:_FINISHED]):
                complete += constrainer.finish(candidate)
            complete += self._repeated(grower, constrainer, grown, request)
        if (
            self._taught
            and request.kind is AnswerKind.THINGS
            and not any(c.edges for c in complete)
        ):
            complete += untold(starts, self.reader, constrainer.finish, content - names)
        if request.kind is AnswerKind.THINGS:
            complete = [item for item in complete if not _returns(item)]
        ahead.candidate_names(self.reader, complete)
        wording = Wording(tokens, request, self._index) if self._trained else None
        ranked = sorted(
            (self._scored(ranker, wording, item) for item in widest(complete)),
            key=lambda item: (-item.score, len(item.candidate.steps)),
        )
        return _fullest(ranked)

    def _scored(self, ranker: Ranker, wording: Wording | None, candidate: Candidate) -> Scored:
        self.reader.effort.spend()
        score = ranker.score(candidate)
        if self._trained is not None and wording is not None:
            score += self._trained.bonus(wording, candidate)
        aside = ranker.lists_instead(candidate) or ranker.denies_unread(candidate)
        if aside or ranker.is_turned(candidate):
            score -= _LISTED
        confidence = self._weights.confidence(score)
        if goes_against(candidate):
            # "Who was influenced by X" never asks whom X was influenced by.
            confidence = min(confidence, _DOUBTFUL)
        if confidence > _DOUBTFUL and ranker.misses(candidate):
            confidence = _DOUBTFUL
        return Scored(candidate, score, confidence)

    def _repeated(
        self,
        grower: Grower,
        constrainer: Constrainer,
        candidates: Sequence[Candidate],
        request: Request,
    ) -> list[Candidate]:
        """Follow a hop again and again until the asked class is reached."""
        if request.kind is not AnswerKind.THINGS or not request.focus:
            return []
        found = []
        onward = onward_links(self._index)
        for grown in candidates:
            if len(grown.edges) > 2 or not grown.edges[-1].span & request.focus:
                continue
            if onward.isdisjoint(name for name, _ in grown.edges[-1].hop):
                continue
            for further in grower.repeat(grown):
                typed = constrainer.of_focus(further)
                if typed is None:
                    options = [m for m in constrainer.mentions if m.span & request.focus]
                    typed = next(
                        (t for m in options if (t := constrainer.of_class(further, m))), None
                    )
                if typed is not None:
                    found.append(typed)
                    break
        return found
