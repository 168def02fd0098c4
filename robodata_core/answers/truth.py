"""What kind of truth a claim tells: stated of a thing, typical of its class, observed, reckoned."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Final

from robodata_core.answers.asked import taken_away
from robodata_core.answers.coverage import Coverage
from robodata_core.belief import said_by
from robodata_core.belief.source import MAP_SOURCE
from robodata_core.belief.vocabulary import LAST_SEEN
from robodata_core.errors import RoboDataError
from robodata_core.iris import INSTANCE_OF, SUBCLASS_OF
from robodata_core.language.grammar.framing import stripped
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import read_text
from robodata_core.model import EntityValue, Evidence, TruthKind, Value
from robodata_core.programs.steps import FilterByConstraint, Follow, Program
from robodata_core.sources.base import KnowledgeSource
from robodata_core.store.graph import LocalGraph
from robodata_core.store.source import GraphSource

__all__ = ["Truths", "is_of_the_seen"]

#: So many things are looked at to tell whether a claim is about classes.
_MAX_KINDS: Final = 50
_TAXONOMY: Final = frozenset((*INSTANCE_OF, *SUBCLASS_OF))

_LANGUAGE: Final = "en"
#: What is left of "Ann's" behind the name.
_OWNS: Final = "s"

_log = logging.getLogger("robodata.answers")


class Truths:
    """Tells things from classes, in the local graph and at the source.

    Args:
        graph: The local graph.
        source: What the local graph does not say is looked up there.
        coverage: Runs parts of programs.
    """

    def __init__(self, graph: LocalGraph, source: KnowledgeSource, coverage: Coverage) -> None:
        self._graph = graph
        self._source = source
        self._coverage = coverage

    def kind(self, program: Program, evidence: Sequence[Evidence]) -> TruthKind:
        """Return what kind of truth a claim tells, by its program and its evidence."""
        if program.is_reckoned:
            return TruthKind.RECKONED
        known = [item for item in evidence if not _was_observed(item)]
        subjects = {item.triple.subject for item in known if item.triple.predicate not in _TAXONOMY}
        # What is usual for a kind of things is no more certain of one that was seen.
        if self._has_class(subjects):
            return TruthKind.TYPICAL
        if len(known) < len(evidence) and not said_by(evidence):
            return TruthKind.OBSERVED
        # That something was taken away for having none of what is looked for rests on not finding.
        denied = any(not step.starts for step in taken_away(program))
        return TruthKind.ABSENT if denied else TruthKind.STATED

    def is_of_kinds(self, program: Program) -> bool:
        """Tell whether a relation of kinds of things is judged, which no source states in full.

        What a kind is itself a kind of is stated in full, as a rule. What is an instance of nothing
        and is judged of a kind, as a use is, is one as well.
        """
        ids: set[str] = set()
        others: set[str] = set()
        for step in program.steps:
            if isinstance(step, Follow) and not _TAXONOMY.issuperset(step.relations):
                ids |= self._coverage.subjects_of(program, step)
                others |= self._coverage.objects_of(program, step)
        open_ = self._without_instance(ids)
        return bool(open_) and (self._is_any_class(open_) or self._has_class(others))

    def may_have_changed(self, program: Program, question: str) -> str:
        """Return a relation that holds for a time, where it is asked what was so; else nothing.

        That Berlin is the capital does not say that Bonn never was.

        Args:
            program: What was judged.
            question: What was asked.
        """
        lexicon = open_lexicon(_LANGUAGE)
        if (lexicon.said("past") | lexicon.said("over")).isdisjoint(_folded(question).split()):
            return ""
        names = [name for step in program.steps for name in step.relations]
        told = self._source.properties(names) if names else {}
        changing = lexicon.role("changing")
        return next((one for one in names if one in told and told[one].label in changing), "")

    def is_left_of_kinds(self, program: Program, values: Sequence[Value]) -> bool:
        """Tell whether kinds of things are given of which a relation of kinds is not stated.

        Args:
            program: What was run.
            values: What it gave.
        """
        denied = any(
            isinstance(step, (Follow, FilterByConstraint))
            and not _TAXONOMY.issuperset(step.relations)
            for step in taken_away(program)
        )
        ids = {value.id for value in values[:_MAX_KINDS] if isinstance(value, EntityValue)}
        return denied and bool(ids) and self._has_class(ids)

    def is_one_of_a_kind(self, evidence: Sequence[Evidence], question: str) -> bool:
        """Tell whether a question asks about certain things of the class that is told of.

        "The red cup", "my cups" and "Ann's cup" are certain ones, and so is any that is somewhere
        now.
        """
        if stripped(read_text(question), "now", _LANGUAGE)[0]:
            return True
        stem = open_lexicon(_LANGUAGE).stem
        words = _folded(question).split()
        asked = [stem(word) for word in words]
        kinds = dict.fromkeys(item.triple.subject for item in evidence)
        # What is usual for mugs is told of the kind of cups that they are.
        kinds |= dict.fromkeys(
            item.triple.object.id for item in evidence
            if item.triple.predicate in SUBCLASS_OF and isinstance(item.triple.object, EntityValue)
        )  # fmt: skip
        for entity in map(self._graph.entity, kinds):
            for name in (entity.label, *entity.aliases) if entity else ():
                named = [stem(word) for word in _folded(name).split()]
                places = range(1, len(words) - len(named) + 1) if named else ()
                if any(
                    asked[at : at + len(named)] == named and _is_certain(words, at) for at in places
                ):
                    return True
        return False

    def is_named(self, value: Value, question: str) -> bool:
        """Tell whether a question names a thing."""
        if not isinstance(value, EntityValue):
            return False
        asked = f" {_folded(question)} "
        entity = self._graph.entity(value.id)
        names = (value.id, *((entity.label, *entity.aliases) if entity else ()))
        return any(f" {_folded(name)} " in asked for name in names if name)

    def _has_class(self, ids: set[str]) -> bool:
        """Tell whether one of some things is a class, and not itself an instance of anything."""
        return self._is_any_class(self._without_instance(ids))

    def _is_any_class(self, ids: set[str]) -> bool:
        return bool(self._with_any(sorted(ids), SUBCLASS_OF, self._source))

    def _without_instance(self, ids: set[str]) -> set[str]:
        """Return those of some things, and not of too many, that are an instance of nothing."""
        open_ = ids - self._with_any(sorted(ids), INSTANCE_OF, GraphSource(self._graph))
        # A shortcut: what the same relations lead to is, as a rule, of one kind.
        some = set(sorted(open_)[:_MAX_KINDS])
        return some - self._with_any(sorted(some), INSTANCE_OF, self._source)

    @staticmethod
    def _with_any(
        ids: Sequence[str], properties: Sequence[str], source: KnowledgeSource
    ) -> set[str]:
        found: set[str] = set()
        for property_ in properties if ids else ():
            try:
                pages = source.statements_many(ids, property=property_, limit=1)
            except RoboDataError as error:
                _log.info("Classes could not be told from things: %s", error)
                continue
            found |= {id_ for id_, page in pages.items() if page.total}
        return found


def is_of_the_seen(program: Program, evidence: Iterable[Evidence] = ()) -> bool:
    """Tell whether a program asks among what was seen, which a map states in full.

    Args:
        program: What was run.
        evidence: What its result rests on.
    """
    named = any(LAST_SEEN in step.relations for step in program.steps)
    return named or any(map(_was_observed, evidence))


def _is_certain(words: Sequence[str], at: int) -> bool:
    """Tell whether a noun is said of certain things, by the words before it."""
    lexicon = open_lexicon(_LANGUAGE)
    definite = lexicon.said("definite")
    before = at - 1
    while before > 0 and not lexicon.is_small(words[before]) and words[before] != _OWNS:
        before -= 1
    return words[before] in definite or words[before] == _OWNS


def _folded(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def _was_observed(item: Evidence) -> bool:
    return any(record.source == MAP_SOURCE for record in item.provenance)
