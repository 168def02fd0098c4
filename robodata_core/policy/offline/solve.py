"""From one request to its ranked candidate programs.

Puts the parts together: phrases, mentions, starting points, growth, constraints, ranking. The
policy takes the best candidate, runs it in full, and turns it into tool calls and claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from robodata_core.cancellation import CancelToken
from robodata_core.model import Direction, EntityValue
from robodata_core.policy.offline import ahead, guards
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.constrain import Constrainer, type_links
from robodata_core.policy.offline.grow import AGAINST, Grower
from robodata_core.policy.offline.inherit import with_verbs
from robodata_core.policy.offline.linking import link
from robodata_core.policy.offline.members import asked_of, of_members
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.narrowing import Narrower
from robodata_core.policy.offline.question import Kind, Question, Request
from robodata_core.policy.offline.rank import Ranker
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.relations import Match, Reading, as_verbs, without_relatives
from robodata_core.policy.offline.together import all_walks, same_word
from robodata_core.policy.offline.trained import TrainedRanker
from robodata_core.policy.offline.untold import untold
from robodata_core.policy.offline.weights import Weights, content_of
from robodata_core.policy.offline.wording import Wording
from robodata_core.policy.offline.words import GENERIC_NOUNS, singular
from robodata_core.programs.executor import Executor
from robodata_core.programs.steps import FilterByType
from robodata_core.sources.base import KnowledgeSource

if TYPE_CHECKING:
    from robodata_core.policy.offline.similar import Similar

__all__ = ["Scored", "Solution", "Solver", "defines"]

_MAX_STARTS: Final = 6
_KEPT: Final = 12
_NARROWED: Final = 5_000
_FINISHED: Final = 40
_DOMINANT: Final = 10
_INSTANCES: Final = 60
_DESCRIBED: Final = 3
_MEANT: Final = 2
_TRIED: Final = 12
#: Most confidence in a candidate that walks a relation against the wording.
_DOUBTFUL: Final = 0.45
_DEFINITION: Final = "definition"
_RELATING: Final = frozenset(["in", "at", "on", "by", "with", "from", "to", "for"])
_ASKS: Final = frozenset(["who", "what", "describe", "about", "explain", "identify"])


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score and confidence."""

    candidate: Candidate
    score: float
    confidence: float


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
        self.reader = Reader(source, index.named("subclass of"), cancel)

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
        outside = frozenset(i for i in range(len(tokens)) if not request.start <= i < request.end)
        quoted = frozenset(
            i for quote in self._question.quotes for i in range(quote.start, quote.end)
        )
        first = self._index.matches(tokens, outside | quoted)
        words = frozenset(i for match in first for i in match.span)
        linking = link(self._question, request, self._source, words, self._language)
        blocked = frozenset(
            i
            for mention in linking.mentions
            if mention.proper or not mention.span <= words
            for i in mention.span
        )
        matches = self._index.matches(tokens, outside | quoted | blocked)
        matches = with_verbs(as_verbs(matches, tokens, request), tokens)
        matches = without_relatives(matches, tokens)
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
        if open_ or not asks or not self._via or request.kind is not Kind.SET:
            return ()
        words = {tokens[i].norm for i in range(request.start, request.end) if i not in named}
        if words & _RELATING:
            return ()  # "who is in X" is not "who is X"
        doing = self._index.named("occupation")
        kinds = [name for name in self._via if name not in doing]
        if words & {"have", "has", "had", "having", "look", "looks"}:
            return ()  # nor is "what does X have" or "what does X look like"
        if words & {"do", "does", "did", "can", "could"}:
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
        request = replace(request, focus=request.focus - names)
        if defines(matches):
            request = replace(request, wanted="")
        ranker = Ranker(self.reader, self._index, tokens, request, linking, matches, self._weights)
        constrainer = Constrainer(
            self.reader, self._index, tokens, request, matches, linking.mentions, self._via
        )
        content = frozenset(content_of(tokens, request))
        grower = Grower(
            self.reader,
            tokens,
            matches,
            content,
            (request.start, request.end),
            request.kind is Kind.COUNT,
            self._index.scalars,
            request.focus,
        )
        complete: list[Candidate] = []
        members = asked_of(tokens, request, linking)
        if members is not None:
            complete += of_members(members, constrainer, request, linking)
        ahead.mentioned(self.reader, linking, matches)
        starts = [] if members else self._starts(request, linking, constrainer)
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
        if self._taught and request.kind is Kind.SET and not any(c.edges for c in complete):
            complete += untold(starts, self.reader, constrainer.finish, content - names)
        complete = [item for item in complete if not guards.doubles(item, tokens)]
        ahead.candidate_names(self.reader, complete)
        wording = Wording(tokens, request, self._index) if self._trained else None
        ranked = sorted(
            (self._scored(ranker, wording, item) for item in complete),
            key=lambda item: (-item.score, len(item.candidate.steps)),
        )
        return tuple(ranked)

    def _scored(self, ranker: Ranker, wording: Wording | None, candidate: Candidate) -> Scored:
        score = ranker.score(candidate)
        if self._trained is not None and wording is not None:
            score += self._trained.bonus(wording, candidate)
        confidence = self._weights.confidence(score)
        if any(use.agreement <= AGAINST for use in candidate.edges):
            # "Who was influenced by X" never asks whom X was influenced by.
            confidence = min(confidence, _DOUBTFUL)
        if confidence > _DOUBTFUL and ranker.misses(candidate):
            confidence = _DOUBTFUL
        return Scored(candidate, score, confidence)

    # -- where to begin -----------------------------------------------------------------------

    def _starts(
        self, request: Request, linking: Linking, constrainer: Constrainer
    ) -> list[Candidate]:
        starts: list[Candidate] = []
        groups = self._groups(linking, constrainer)
        grouped = {
            i
            for group in groups
            if group.edges[0].origin
            for link in group.links
            for i in link.mention.span
        }
        focus = request.focus
        ordered = sorted(
            linking.mentions, key=lambda m: (not m.proper, m.demonym, bool(m.span & focus), m.start)
        )
        proper = any(mention.proper and not mention.demonym for mention in linking.mentions)
        for mention in ordered:
            if mention.span & grouped or mention.demonym or (proper and not mention.proper):
                continue
            starts += self._from(mention)
        beyond = [g for g in groups if not g.links[0].mention.span & focus]
        starts += beyond or groups
        origins = {m.start for m in linking.mentions if m.demonym}
        # "Which philosophers are German": an adjective of origin does not name anything.
        open_ = not groups and all(s.links[0].mention.start in origins for s in starts)
        listing = any(self._lists(mention) for mention in linking.mentions)
        if open_ or listing or all(not s.links[0].mention.proper for s in starts):
            starts += self._from_classes(linking, constrainer)
        named = [start for start in starts if not self._is_general(start.links[0].mention)]
        if not named:
            starts = constrainer.from_years() + starts
        return starts[:_MAX_STARTS]

    def _lists(self, mention: Mention) -> bool:
        """Tell whether a name begins as a class does: "countries bordering the Baltic Sea"."""
        first = self._question.tokens[mention.start]
        plural = singular(first.norm) != first.norm
        return mention.end - mention.start > 1 and plural and not first.capitalised

    def _is_general(self, mention: Mention) -> bool:
        """Tell whether a mention is a noun as general as "people" or "things"."""
        return not mention.proper and all(
            self._question.tokens[i].norm in GENERIC_NOUNS for i in mention.span
        )

    def _from(self, mention: Mention) -> list[Candidate]:
        """Start from a mention: homonyms together, then less likely entities one by one."""
        if not mention.entities:
            return []
        best = mention.entities[0]
        together = [
            item
            for item in mention.entities
            if item.quality == best.quality
            and item.label.casefold() == best.label.casefold()
            and item.popularity * _DOMINANT >= best.popularity
        ]
        # Where one is written just so and the other is not, the writing decides.
        together = [item for item in together if item.label == mention.text] or together
        rest = [item for item in mention.entities if item not in together][:2]
        starts = [self._start(mention, together, best.quality)]
        starts += [self._start(mention, [item], item.quality * 0.93) for item in rest]
        return starts

    @staticmethod
    def _start(mention: Mention, items: Sequence[Linked], quality: float) -> Candidate:
        link = Link(mention, tuple(item.id for item in items), quality)
        return Candidate.start(link, mention.span)

    def _groups(self, linking: Linking, constrainer: Constrainer) -> list[Candidate]:
        """Start from "Japanese cities": a class narrowed by where things are from."""
        pairs = [
            (origin, mention)
            for origin in linking.mentions
            for mention in linking.mentions
            if origin.demonym and mention.start == origin.end and not mention.proper
        ]
        pairs += self._of_groups(linking, constrainer)
        ids = [item.id for origin, _ in pairs for item in origin.entities[:_MEANT]]
        ahead.groups(self.reader, ids, _TRIED, constrainer)
        groups = (self._group(origin, mention, constrainer) for origin, mention in pairs)
        return [group for group in groups if group is not None]

    def _of_groups(
        self, linking: Linking, constrainer: Constrainer
    ) -> list[tuple[Mention, Mention]]:
        """Find "countries of Asia": a class narrowed by what its members belong to."""
        tokens = self._question.tokens
        found = []
        for origin in linking.mentions:
            for mention in linking.mentions:
                gap = [token.norm for token in tokens[mention.end : origin.start]]
                if mention.proper or origin.demonym or gap[:1] not in (["of"], ["in"], ["from"]):
                    continue
                head = tokens[mention.end - 1].norm
                if singular(head) == head:
                    continue  # "the capital of X" is a relation, "countries of X" a class
                if gap[1:] not in ([], ["the"]) or self._has_relation(origin, mention, constrainer):
                    continue
                found.append((origin, mention))
        return found

    def _has_relation(self, origin: Mention, noun: Mention, constrainer: Constrainer) -> bool:
        """Tell whether the noun names a relation that the other mention has itself."""
        values = [EntityValue(item.id) for item in origin.entities[:3]]
        return any(
            match.span & noun.span and self.reader.any_of(values, match.reading.hops[0])
            for match in constrainer.matches
        )

    def _group(
        self, origin: Mention, mention: Mention, constrainer: Constrainer
    ) -> Candidate | None:
        first, last = min(origin.start, mention.start), max(origin.end, mention.end)
        whole = Mention(first, last, self._question.raw(first, last), (), True)
        for item in origin.entities[:_MEANT]:
            start = Candidate.start(Link(whole, (item.id,), item.quality, True), origin.span)
            around = self.reader.relations(item.id)
            best: Candidate | None = None
            for (name, way), _ in sorted(around.items(), key=lambda pair: -pair[1])[:_TRIED]:
                if way is not Direction.IN:
                    continue
                hop = ((name, way),)
                values = self.reader.along(start.nodes, hop[0])
                use = EdgeUse(hop, origin.span, 0.85, origin=origin.demonym)
                typed = constrainer.of_class(start.follow(use, values), mention)
                if typed is not None and (best is None or len(typed.nodes) > len(best.nodes)):
                    best = typed
            if best is not None:
                return best
        return None

    def _from_classes(self, linking: Linking, constrainer: Constrainer) -> list[Candidate]:
        """Start from all members of a class, where nothing else is named."""
        found = []
        ahead.classes(self.reader, linking, self._via)
        for mention in linking.mentions:
            link = constrainer.class_of(mention)
            named = mention.proper and not self._lists(mention)
            if link is None or named or self._is_general(mention):
                continue
            via = tuple(
                name
                for name in self._via
                if (name, Direction.IN) in self.reader.relations(link.ids[0])
            )
            first = [EntityValue(link.ids[0])]
            found_by = (self.reader.along(first, (name, Direction.IN)) for name in via)
            nodes = tuple(dict.fromkeys(v for values in found_by for v in values))
            if nodes:
                step = FilterByType("n0", "", link.ids, via)
                found.append(
                    Candidate(
                        (step,), "n0", nodes[:_INSTANCES], ("n0",), mention.span, (), (link,),
                        typed=True,
                    )
                )  # fmt: skip
        return found

    def _repeated(
        self,
        grower: Grower,
        constrainer: Constrainer,
        candidates: Sequence[Candidate],
        request: Request,
    ) -> list[Candidate]:
        """Follow a hop again and again until the asked class is reached."""
        if request.kind is not Kind.SET or not request.focus:
            return []
        found = []
        for grown in candidates:
            if len(grown.edges) > 2 or not grown.edges[-1].span & request.focus:
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
