"""The tools of an investigation: definition, neighbours, and the measured verdict.

Source: the KGV-Agent paper, section 2.5, and RoboData's own verifier as a sixth. They show nothing
that ``Case`` hides, and give every piece of evidence a handle. That of paths is ``path_tool``'s,
those that quote texts are ``text_tools``'.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from pydantic import Field

from robodata_core.iris import is_property_id
from robodata_core.model import Direction, EntityValue, Property, Statement
from robodata_core.orchestrator.machine import State
from robodata_core.texts.corpus import mentions
from robodata_core.tools.arguments import EntityId, PropertyId
from robodata_core.tools.base import Arguments, Tool, ToolContext, ToolFamily, ToolOutput
from robodata_core.tools.formatting import clip, list_some
from robodata_core.tools.namer import Namer
from robodata_core.tools.registry import Toolbox
from robodata_core.tools.similarity import Phrase
from robodata_core.tools.update import FetchRelationshipFromNode, FetchRelationshipToNode
from robodata_core.verification.case import Case, require_shown
from robodata_core.verification.findings import Finding, Ground
from robodata_core.verification.neighbourhoods import back
from robodata_core.verification.path_tool import Paths
from robodata_core.verification.profiles import Profile
from robodata_core.verification.text_tools import TextEvidence, WebEvidence
from robodata_core.verification.verdict import Judgement

__all__ = ["MOST_NEIGHBOURS", "toolboxes", "tools_of"]

MOST_NEIGHBOURS: Final = 20
_READ: Final = 300
_CLASSES: Final = 8
_NAMES: Final = 8
_DOMAIN: Final = ("domain", "domainIncludes")
_RANGE: Final = ("range", "rangeIncludes")


def tools_of(case: Case) -> tuple[Tool[Any], ...]:
    """Return the tools there are for a triple: those of texts only where there are texts."""
    tools: list[Tool[Any]] = [Definition(case), Neighbours(case), Paths(case), Measured(case)]
    if case.texts.corpora:
        tools.append(TextEvidence(case))
    if case.texts.web is not None:
        tools.append(WebEvidence(case))
    return tuple(tools)


def toolboxes(case: Case) -> Callable[[State], Toolbox]:
    """Return which tools each state of an investigation offers."""
    looks = Toolbox(tools_of(case))
    boxes = {
        State.PLANNING: looks,
        State.INVESTIGATING: looks,
        State.JUDGEMENT: Toolbox((FetchRelationshipFromNode(), FetchRelationshipToNode())),
    }
    return lambda state: boxes.get(state, Toolbox(()))


class DefinitionArguments(Arguments):
    """Arguments of ``kg_definition``."""

    id: EntityId = Field(description="Id of a thing or of a relation.")


class Definition(Tool[DefinitionArguments]):
    """What a thing is, or what a relation joins."""

    name = "kg_definition"
    description = (
        "What a thing or relation is: names, description, classes; of a relation also what it"
        " joins, as declared and as measured in the graph."
    )
    family = ToolFamily.REMOTE

    def __init__(self, case: Case) -> None:
        self._case = case

    def run(self, args: DefinitionArguments, context: ToolContext) -> ToolOutput:
        """Look a thing or relation up."""
        require_shown([args.id], context)
        namer = Namer(context)
        if is_property_id(args.id) and (found := context.source.properties((args.id,))):
            lines = self._relation(found[args.id], namer, context)
        else:
            lines = self._thing(args.id, namer, context)
        return ToolOutput("\n".join(lines), ids=namer.ids)

    def _thing(self, id_: str, namer: Namer, context: ToolContext) -> list[str]:
        entity = context.source.entity(id_)
        types = [one for one in entity.types if not self._is_hidden(id_, one)]
        namer.load([id_, *types])
        told = "" if self._tells(entity.description, id_, context) else entity.description
        named = f": {clip(told, 200)}" if told else ""
        lines = [f"{namer.name(id_)}{named}."]
        if entity.aliases:
            lines.append(f"Also called {list_some([clip(one) for one in entity.aliases], 6)}.")
        if types:
            lines.append(f"Classes: {list_some([namer.name(one) for one in types], _CLASSES)}.")
        return lines

    def _tells(self, description: str, id_: str, context: ToolContext) -> bool:
        """Tell whether a description of one end names the other, which is to be hidden."""
        object_ = self._case.triple.object
        if not self._case.hidden or not isinstance(object_, EntityValue):
            return False
        ends = (self._case.triple.subject, object_.id)
        if id_ not in ends:
            return False
        other = ends[1 - ends.index(id_)]
        found = context.source.entities((other,)).get(other)
        return found is not None and mentions(description, (found.label, *found.aliases))

    def _is_hidden(self, id_: str, class_: str) -> bool:
        triple = self._case.triple
        mine = self._case.hidden and id_ == triple.subject
        return mine and triple.object == EntityValue(class_)

    def _relation(self, found: Property, namer: Namer, context: ToolContext) -> list[str]:
        namer.load(properties=[found.id])
        told = f": {clip(found.description, 300)}" if found.description else ""
        lines = [f"{namer.name(found.id)}{told}."]
        if found.aliases:
            lines.append(f"Also called {list_some([clip(one) for one in found.aliases], 8)}.")
        lines += self._declared(found.id, namer, context)
        if found.id == self._case.triple.predicate:
            profile = self._case.profile
        else:
            profile = self._case.knowledge.profiles.of(found.id, context.cancel)
        return lines + _measured(profile, namer)

    def _declared(self, id_: str, namer: Namer, context: ToolContext) -> list[str]:
        ends: dict[str, list[str]] = defaultdict(list)
        for statement in context.source.statements(id_, limit=_READ).statements:
            if isinstance(statement.value, EntityValue):
                name = statement.property.rpartition("#")[2].rpartition("/")[2]
                ends[name].append(statement.value.id)
        lines = []
        for title, names in (("Declared domain", _DOMAIN), ("Declared range", _RANGE)):
            classes = [one for name in names for one in ends.get(name, ())]
            namer.load(classes)
            if classes:
                lines.append(f"{title}: {list_some([namer.name(one) for one in classes], 6)}.")
        return lines


def _measured(profile: Profile, namer: Namer) -> list[str]:
    lines = []
    for end, types, cases in (
        ("subjects", profile.subject_types, profile.typed_subjects),
        ("values", profile.value_types, profile.typed_values),
    ):
        most = sorted(types, key=lambda one: (-types[one], one))[:_CLASSES]
        namer.load(most)
        if most:
            shown = ", ".join(f"{namer.label(one)} {types[one]}" for one in most)
            more = f"; {len(types) - len(most)} others" if len(types) > len(most) else ""
            lines.append(f"Measured classes of {cases} {end}: {shown}{more}.")
    values = profile.another(1, profile.property)
    subjects = profile.another(1, back(profile.property))
    if values.cases:
        lines.append(
            f"Measured: {values.seen} of {values.cases} subjects have several values, and"
            f" {subjects.seen} of {subjects.cases} values several subjects;"
            f" {profile.symmetric.seen} of {profile.symmetric.cases} statements hold the other way"
            " round as well."
        )
    if profile.says:
        lines.append(f"Declared: {', '.join(sorted(profile.says))}.")
    return lines


class NeighboursArguments(Arguments):
    """Arguments of ``kg_neighbours``."""

    entity: EntityId
    relation: PropertyId = Field(description="What the statements are to be relevant to.")


class Neighbours(Tool[NeighboursArguments]):
    """The statements around a thing that say most about a relation."""

    name = "kg_neighbours"
    description = (
        f"The {MOST_NEIGHBOURS} statements about a thing, or pointing to it, that are most relevant"
        " to a relation."
    )
    family = ToolFamily.REMOTE

    def __init__(self, case: Case) -> None:
        self._case = case

    def run(self, args: NeighboursArguments, context: ToolContext) -> ToolOutput:
        """Read, rank and list statements."""
        require_shown([args.entity, args.relation], context)
        found: list[Statement] = []
        total = 0
        for direction in (Direction.OUT, Direction.IN):
            page = context.source.statements(args.entity, direction=direction, limit=_READ)
            found += [one for one in page.statements if self._case.shows(one)]
            total += page.total
        found = _once(found)
        scores = self._relevance(found, args, context)
        found.sort(key=lambda one: (-scores[one.property], one.property))
        shown = found[:MOST_NEIGHBOURS]
        namer = Namer(context)
        namer.load([args.entity], [args.relation])
        namer.load_statements(shown)
        head = (
            f"{namer.name(args.entity)}: {len(shown)} of {total:,} statements, those most relevant"
            f" to {namer.name(args.relation)} first."
        )
        lines = self._lines(shown, args.entity, namer)
        if not lines:
            head = f"Nothing is stated around {namer.name(args.entity)}."
        return ToolOutput("\n".join([head, *lines]), ids=namer.ids, total=total, shown=len(shown))

    def _lines(self, shown: Sequence[Statement], entity: str, namer: Namer) -> list[str]:
        """Return a line for each relation and direction, so that none is said twenty times."""
        lines: dict[str, list[str]] = defaultdict(list)
        for one in shown:
            leads = one.subject == entity
            said = namer.claim(one) if leads else namer.incoming(one)
            relation = f"{namer.name(one.property)} {'→' if leads else '←'} "
            end = said.removeprefix(relation)
            lines[relation].append(f"{self._case.exhibits.add(one)}: {end}")
        return [f"{relation}{'; '.join(ends)}" for relation, ends in lines.items()]

    def _relevance(
        self, found: Sequence[Statement], args: NeighboursArguments, context: ToolContext
    ) -> dict[str, float]:
        """Return by property how much it tells of the relation, by its words and by its rules."""
        relation = context.source.properties((args.relation,)).get(args.relation)
        words = [relation.label, *relation.aliases] if relation else []
        phrase = Phrase.of(" ".join(words[:_NAMES]))
        ids = sorted({one.property for one in found})
        scores = {}
        known = context.source.properties(ids) if ids else {}
        ruled = self._by_rules(args.relation)
        for id_ in ids:
            names = [known[id_].label, *known[id_].aliases[:_NAMES]] if id_ in known else []
            alike = phrase.likeness(names) if names and phrase.words else 0.0
            scores[id_] = max(alike, ruled.get(id_, 0.0)) + (1.0 if id_ == args.relation else 0.0)
        return scores

    def _by_rules(self, relation: str) -> dict[str, float]:
        if relation != self._case.triple.predicate:
            return {}
        found: dict[str, float] = {}
        for rule in self._case.profile.rules:
            for step in (rule.path[0], rule.path[-1]):
                name = step.removeprefix("^")
                found[name] = max(found.get(name, 0.0), rule.confidence)
        return found


def _once(found: Sequence[Statement]) -> list[Statement]:
    """Return statements without those that only say another the other way round."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for one in found:
        if isinstance(one.value, EntityValue):
            if (one.value.id, one.property, one.subject) in seen:
                continue
            seen.add((one.subject, one.property, one.value.id))
        kept.append(one)
    return kept


class MeasuredArguments(Arguments):
    """``measured_verdict`` takes none."""


class Measured(Tool[MeasuredArguments]):
    """What RoboData's rules and statistics make of the triple."""

    name = "measured_verdict"
    description = (
        "What the verifier without a model makes of the triple: what is stated, what speaks against"
        " it, what rules mined from the graph imply, with how often each was right."
    )
    family = ToolFamily.LOGIC

    def __init__(self, case: Case) -> None:
        self._case = case

    def run(self, args: MeasuredArguments, context: ToolContext) -> ToolOutput:
        """Judge by rules."""
        namer = Namer(context)

        def _label(id_: str) -> str:
            namer.load_mixed([id_])
            return namer.label(id_)  # ids stand beside the statements

        finding = self._case.measured(_label)
        lines = [
            f"Measured: {finding.judgement.value}, strength {finding.probability:.2f}"
            f" (0 to 1, no probability yet). {finding.explanation}"
        ]
        for side, grounds in (("For", finding.reasons), ("Against", finding.objections)):
            lines += [self._ground(side, ground, finding, namer) for ground in grounds]
        if finding.judgement is Judgement.UNKNOWN and len(lines) == 1:
            lines.append("Nothing speaks for or against it.")
        return ToolOutput("\n".join([*lines, *finding.notes[:3]]), ids=namer.ids)

    def _ground(self, side: str, ground: Ground, finding: Finding, namer: Namer) -> str:
        told = []
        for chain in ground.chains:
            namer.load_statements(chain)
            said = "; ".join(namer.triple(one) for one in chain)
            told.append(f"{self._case.exhibits.add(*chain)}: {clip(said, 300)}")
        once = ground.text[1:] in finding.explanation  # it is told already
        words = [*([] if once and told else [ground.text]), *([" / ".join(told)] if told else [])]
        return f"{side} ({ground.confidence:.2f}): {' '.join(words)}"
