"""Solving the requests of one wording of a question, in order, each by what fits it.

Later requests may point back ("what books did he write", "for each subclass"), so what the earlier
ones were about and gave is remembered.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

from robodata_core.belief.vocabulary import LOCATION, SPATIAL
from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.language.lexicon import open_lexicon
from robodata_core.model import EntityValue, Statement, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.apart import Apart, open_or
from robodata_core.policy.offline.candidate import Scored
from robodata_core.policy.offline.deep import Deep
from robodata_core.policy.offline.describing import left_out
from robodata_core.policy.offline.effort import Effort
from robodata_core.policy.offline.finding import unread
from robodata_core.policy.offline.joint import Joint
from robodata_core.policy.offline.mentions import Linked, Linking, Mention
from robodata_core.policy.offline.overview import described_as, subject_of, telling
from robodata_core.policy.offline.parts import Part
from robodata_core.policy.offline.question import Question, Request, behind_name
from robodata_core.policy.offline.reckonings import Reckonings
from robodata_core.policy.offline.referring import Referring
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.resources import OfflineResources
from robodata_core.policy.offline.slots import bound_pronoun, empty_slot
from robodata_core.policy.offline.solve import Solver, defines
from robodata_core.policy.offline.solved import Failure, Solved, related_to
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    MODALS,
    PAST_COPULAS,
    PRONOUNS,
    WH_WORDS,
    said,
)
from robodata_core.programs.executor import Executor, ProgramResult
from robodata_core.programs.steps import Extreme, ExtremeCount
from robodata_core.sources.base import KnowledgeSource

if TYPE_CHECKING:
    from robodata_core.policy.offline.similar import Similar

__all__ = ["Planner"]

_MAX_RUNS: Final = 4
_MAX_CHAINED: Final = 1_000
_MAX_NODES: Final = 5_000
_ROOT_WORDS: Final = said("root")
_UNREAD: Final = "What is asked of where things are was not understood."
_USUAL: Final = "Where such things usually are does not tell where it is now."
_OVER: Final = "What is now does not tell what was."
_NOT_SEEN: Final = "What was seen tells what is, not what could be, should be or will be."


class Planner:
    """Solves requests one after the other and remembers what the next may point to."""

    def __init__(
        self,
        source: KnowledgeSource,
        resources: OfflineResources,
        settings: Settings,
        question: Question,
        cancel: CancelToken | None,
        similar: Similar | None,
        today: date | None,
        effort: Effort,
    ) -> None:
        self._resources = resources
        self._settings = settings
        self._question = question
        self.solver = Solver(
            source,
            resources.index,
            question,
            weights=resources.weights,
            trained=resources.trained,
            similar=similar,
            language=settings.language,
            cancel=cancel,
            effort=effort,
        )
        self._executor = Executor(source, cancel=cancel, max_nodes=_MAX_NODES)
        self._deep = Deep(self.solver, self._executor, self._link, settings.confidence)
        self._apart = Apart(self._deep, question)
        self._reckonings = Reckonings(self._deep, question, today)
        self._topic: tuple[Linked, ...] = ()
        self._results: tuple[Value, ...] = ()
        self._before: Request | None = None

    def solve(self, request: Request) -> Part | None:
        """Solve one request; None where it only sets the scene."""
        linking, matches = self.solver.link(request)
        named = _begun_by_name(linking, request)
        if named:
            request = behind_name(self._question, request, named)
            linking, matches = self.solver.link(request)
        if request.starts:
            self._set_scene(request, linking)
            return None
        if self._is_open(request, linking):
            text = "Whom the pronoun stands for was not understood; give the name instead."
            return Part(request, linking, matches, failure=text)
        linking = self._in_context(request, linking, self._question)
        reckoned = self._reckonings.solve(request, linking, matches)
        if reckoned is not None:
            part = _certain(self._composed(Part(request, linking, matches), reckoned))
            self._remember(part)
            return part
        open_ = empty_slot(self._question, request, linking, matches)
        if open_:
            text = f"The question does not say what it is about: nothing follows “{open_}”."
            return Part(request, linking, matches, failure=text, unread=True)
        bound = bound_pronoun(self._question.tokens, request) or self._open_subject(request)
        if bound:
            text = f"Whom or what “{bound}” stands for was not understood."
            return Part(request, linking, matches, failure=text, unread=bound not in WH_WORDS)
        part = Part(request, linking, matches)
        joined = self._joint(request, linking)
        if joined is not None:
            part = self._composed(part, joined)
            self._remember(part)
            return part
        outcome = self._deep.solve(self._question, request, linking, matches)
        outcome = outcome or self._apart.names(request, linking, matches, known=True)
        part = self._composed(part, outcome) if outcome is not None else self._as_a_whole(part)
        part = self._with_overview(_certain(self._seen(part)))
        self._remember(part)
        return part

    def _seen(self, part: Part) -> Part:
        """Give up what a plain walk judges of where things are now, or of a word it passes over.

        What was seen tells neither what should be or will be, nor, as no form of a question about
        a map was read (``placing``), that something is there or not: what a walk makes of such a
        question may be about another thing than the one that is named.
        """
        final = part.best.candidate.final if part.best is not None else ""
        if part.program is None or not self._resources.is_map:
            return part
        if self._is_usual(part):
            return replace(part, sure=False, failure=_USUAL)
        tokens = self._question.tokens
        lies = not {*SPATIAL, LOCATION}.isdisjoint(part.program.along)
        said = {token.norm for token in tokens[part.request.start : part.request.end]}
        if lies and said & PAST_COPULAS:
            return replace(part, sure=False, failure=part.failure or _OVER)
        if final not in ("yes", "no"):
            return part
        if not lies:
            word = self._passed_over(part)
            text = f"What “{word}” stands for was not understood."
            return replace(part, sure=False, failure=text) if part.sure and word else part
        asks = tokens[part.request.start].norm in MODALS
        return replace(part, sure=False, failure=_NOT_SEEN if asks else part.failure or _UNREAD)

    def _passed_over(self, part: Part) -> str:
        """Return a word with a meaning of its own that what was judged does not rest on."""
        if part.best is None or part.question is not None:
            return ""
        request, covered = part.request, part.best.candidate.covered
        words = (self._question.tokens[i] for i in range(request.start, request.end)
                 if i not in covered)  # fmt: skip
        small = FUNCTION_WORDS | GENERIC_NOUNS
        return next((one.norm for one in words if one.word and one.norm not in small), "")

    def _is_usual(self, part: Part) -> bool:
        """Tell whether it is told where a kind is as a rule for where something is now."""
        assert part.best is not None
        labels = open_lexicon().role("usual")
        usual = {name for label in labels for name in self._resources.index.named(label)}
        tokens = (part.question or self._question).tokens
        return any(
            usual.issuperset(name for name, _ in use.hop)
            and any(tokens[i].norm in WH_WORDS for i in use.span if i < len(tokens))
            for use in part.best.candidate.edges
            if use.hop
        )

    def _joint(self, request: Request, linking: Linking) -> Solved | Failure | None:
        """Let the chart judge what a question joins, where that is set up."""
        understanding = self._resources.understanding
        if understanding is None:
            return None
        joint = Joint(understanding, self.solver.source, self._executor)
        return joint.solve(self._question, request, linking)

    def _with_overview(self, part: Part) -> Part:
        """Add the most telling facts where it was asked who or what something is."""
        asked = part.sure and not part.related and defines(part.matches)
        if not asked or part.best is None or part.result is None:
            return part
        told = part.result.evidence
        subject = subject_of(part.best.candidate, told)
        if not subject:
            return part
        facts = telling(subject, told, self._resources.index, self.solver.source)
        entity = self.solver.reader.entities((subject,)).get(subject)
        return replace(part, related=facts, notes=(*part.notes, *described_as(entity)))

    def _as_a_whole(self, part: Part) -> Part:
        """Solve a plain request; piece by piece where it is not understood as a whole."""
        request, linking, matches = part.request, part.linking, part.matches
        solution = self.solver.solve(request, linking, matches)
        part = self._run(replace(part, others=solution.ranked))
        found = part.result.members if part.result else ()
        number = self._apart.number(request, found, self._labels(part))
        if number is not None and request.kind is AnswerKind.THINGS:
            return self._composed(part, number)
        either = open_or(self._question, request, linking) or bool(
            unread(self._question.tokens, request, linking.mentions, matches)
        )
        left = self._untold(part)
        if part.sure and part.best and not (part.best.candidate.relaxed or either or left):
            return part
        outcome = self._apart.pieces(request, linking, matches)
        if outcome is not None:
            return self._composed(part, outcome)
        word = unread(self._question.tokens, request, linking.mentions, matches)
        if word:
            text = f"What “{word}” compares was not understood."
            return replace(part, sure=False, failure=text, unread=True)
        if either:
            text = "The alternatives that the question names were not understood."
            return replace(part, sure=False, failure=text, unread=True)
        if left:
            text = f"What “{left}” is said of was not understood."
            return replace(part, sure=False, failure=text, unread=True)
        return part

    def _untold(self, part: Part) -> str:
        """Return what a reading leaves out of a question with a description, if it is sure."""
        if not part.sure or part.best is None:
            return ""
        candidate = part.best.candidate
        return left_out(self._question, part.request, part.linking, part.matches, candidate)

    def _labels(self, part: Part) -> list[str]:
        """Return the labels of the relations that the best candidate goes along."""
        known = self._resources.index.properties
        path = part.best.candidate.path if part.best else ()
        return [known[name].label for use in path[-1:] for name, _ in use.hop if name in known]

    def _link(self, question: Question, request: Request) -> tuple[Linking, tuple[Match, ...]]:
        """Link some words of the question in the context of the earlier requests."""
        linking, matches = self.solver.on(question).link(request)
        return self._in_context(request, linking, question), matches

    def _composed(self, part: Part, outcome: Solved | Failure) -> Part:
        """Make a part of what came of a request with operators."""
        if isinstance(outcome, Failure):
            linking = outcome.linking or part.linking
            return replace(
                part, linking=linking, question=outcome.question, failure=outcome.reason,
                unread=outcome.unread, matches=outcome.matches or part.matches,
            )  # fmt: skip
        scored = Scored(outcome.candidate, 0.0, outcome.confidence)
        none = outcome.candidate.final == "count" and bool(outcome.related)
        empty = outcome.candidate.final == "no" and not outcome.related
        found = bool(outcome.result.members) or none or outcome.candidate.final in ("yes", "no")
        return replace(
            part,
            request=replace(outcome.request, kind=part.request.kind),
            linking=outcome.linking,
            matches=outcome.matches,
            best=scored if found else None,
            result=outcome.result if found else None,
            sure=found and not empty and outcome.confidence >= self._settings.confidence,
            related=outcome.related,
            question=outcome.question,
            notes=outcome.notes,
            missing=outcome.missing,
            failure="" if found else "Nothing is left when that is taken away.",
        )

    # -- context ------------------------------------------------------------------------------

    def _set_scene(self, request: Request, linking: Linking) -> None:
        words = {token.norm for token in self._question.tokens[request.start : request.end]}
        proper = [mention for mention in linking.mentions if mention.entities]
        if words & _ROOT_WORDS and not any(mention.proper for mention in proper):
            label = self.solver.reader.label
            self._topic = tuple(Linked(id_, label(id_), 1.0) for id_ in self._resources.root())
        elif proper:
            self._topic = proper[0].entities[:1]

    def _is_open(self, request: Request, linking: Linking) -> bool:
        """Settle whom "he" or "she" stands for, and tell where that is left open."""
        before = self._before
        if before is None or not (request.back and self._topic) or request.chained:
            return False
        if any(mention.proper for mention in linking.mentions):
            return False
        tokens = self._question.tokens
        words = [token.norm for token in tokens[request.start : request.end]]
        referring = Referring(self.solver.source, self._resources.index)
        asked = tokens[before.start : before.end]
        meant = referring.meant(words, asked, self._topic[0], self._results)
        if meant:
            self._topic = (Linked(meant, self.solver.reader.label(meant), 1.0),)
        return meant == ""

    def _open_subject(self, request: Request) -> str:
        """Return the pronoun that is asked about where nothing before says whom it stands for."""
        tokens = self._question.tokens[request.start : request.end]
        asked = request.kind is AnswerKind.YES_OR_NO and not self._topic
        subject = next((t for t in tokens if t.word and t.norm not in AUXILIARIES), None)
        bound = subject is not None and not subject.ids and subject.norm in PRONOUNS
        return subject.norm if asked and subject is not None and bound else ""

    def _in_context(self, request: Request, linking: Linking, question: Question) -> Linking:
        """Give pronouns and requests without a name what the earlier requests were about."""
        if any(mention.proper for mention in linking.mentions):
            return linking
        entities = self._topic
        each = request.chained and bool(self._results)
        if each:
            entities = tuple(
                Linked(value.id, value.id, 1.0)
                for value in self._results[:_MAX_CHAINED]
                if isinstance(value, EntityValue)
            )
        if not entities or not (request.back or request.chained or not linking.mentions):
            return linking
        start, end = _pronoun(question, request)
        name = self.solver.reader.label(entities[0].id)
        mention = Mention(start, end, name, entities, True, whole=each)
        kept = tuple(m for m in linking.mentions if not m.span & mention.span)
        return replace(linking, mentions=(mention, *kept))

    def _remember(self, part: Part) -> None:
        if part.best is not None and part.best.candidate.links:
            link = part.best.candidate.links[0]
            known = {item.id: item for item in link.mention.entities}
            topic = tuple(known.get(id_, Linked(id_, id_, 1.0)) for id_ in link.ids)
            if not part.request.chained:
                self._topic = topic
        if part.result is not None and part.sure:
            self._results = part.result.members
            self._before = part.request

    # -- running ------------------------------------------------------------------------------

    def _run(self, part: Part) -> Part:
        """Run the best candidates in full until one gives a result."""
        for scored in part.others[:_MAX_RUNS]:
            result = self._executor.run(scored.candidate.program())
            if scored.candidate.final in ("yes", "no"):
                return self._judged(part, scored, result)
            sure = scored.confidence >= self._settings.confidence
            if result.members:
                return replace(part, best=scored, result=result, sure=sure)
            if sure and scored.candidate.narrowed.failure:
                return replace(part, failure=scored.candidate.narrowed.failure)
        return part

    def _judged(self, part: Part, scored: Scored, result: ProgramResult) -> Part:
        sure = scored.confidence >= self._settings.confidence
        related: tuple[Statement, ...] = ()
        if not result.boolean:
            related = scored.candidate.narrowed.against
            related = related or related_to(scored.candidate, self._executor)
            sure = sure and bool(related) and not result.truncated
        return replace(part, best=scored, result=result, sure=sure, related=related)


def _certain(part: Part) -> Part:
    """Give up what would rest on a relation that says less than the question's words.

    A yes or no is true of the broader relation only, and so is an extreme among all of its values.
    """
    if part.best is None:
        return part
    candidate = part.best.candidate
    narrowed = candidate.narrowed
    judged = candidate.final in ("yes", "no")
    picked = any(isinstance(step, (Extreme, ExtremeCount)) for step in candidate.steps)
    if narrowed.vague and (judged or picked):
        return replace(part, sure=False, failure=narrowed.vague[0])
    if narrowed.lacking and candidate.final == "no":
        return replace(part, sure=False, failure=narrowed.lacking[0])
    return part


def _pronoun(question: Question, request: Request) -> tuple[int, int]:
    """Return where a pronoun stands for the topic; before the first word if none does."""
    for index in range(request.start, request.end):
        if question.tokens[index].norm in PRONOUNS:
            return index, index + 1
    return request.start, request.start


def _begun_by_name(linking: Linking, request: Request) -> int:
    """Return where the name ends whose first word was taken for an auxiliary ("Will Smith's")."""
    if request.kind is not AnswerKind.YES_OR_NO:
        return 0
    ends = (m.end for m in linking.mentions if m.exact and m.start == request.start)
    return max((end for end in ends if end > request.start + 1), default=0)
