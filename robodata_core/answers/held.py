"""Holding what a draft gives against the question: what does not fit it is taken back, or told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from robodata_core.answers.asked import chained_words, has_operator
from robodata_core.answers.fit import Fit
from robodata_core.answers.making import Making
from robodata_core.answers.mood import modal, other_kinds
from robodata_core.errors import RoboDataError
from robodata_core.language.grammar.framing import unframed
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import read_text, words_of
from robodata_core.language.view import View
from robodata_core.model import TruthKind
from robodata_core.programs.describe import listed
from robodata_core.programs.steps import Program
from robodata_core.sources.base import KnowledgeSource

__all__ = ["Held"]

_UNREAD: Final = "In the question, {words} {were} not understood."
_UNCHAINED: Final = "In the question, {words} {were} not read as said of itself."
_UNUSED: Final = "The question names {words}, which what holds does not use."
_BESIDE: Final = "What holds is another relation than {words}, which is asked for."
_OF_ANOTHER_KIND: Final = "The question asks for a {kind}, and what was found is none."
_NOT_YET: Final = "The graph states what is, which is not all that “{word}” asks for."
_LANGUAGE: Final = "en"
_log = logging.getLogger("robodata.answers")


def _names_more(question: str, reading: str) -> bool:
    """Tell whether a question has a word that may be of a name, and that its reading has not."""
    said = set(words_of(reading))
    words = [token for token in read_text(question).tokens if token.is_word]
    return any(word.text[0].isupper() and word.norm not in said for word in words[1:])


class Held:
    """Holds drafts against questions about one source."""

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source
        self._fits: dict[str, Fit | None] = {}

    def against(
        self, whole: Making, program: Program, first: int, asked: str, beside: Sequence[Program]
    ) -> None:
        """Hold a program, and its results (from the one numbered ``first``), against what it asks.

        ``beside`` are all that are run for the same question.

        An answer that may be one to another question is partial; a yes or no is taken back where a
        word that it hangs on was not read, or what holds is another relation than the one it names.
        """
        if whole.asserted and (fit := self._fit(asked)):
            objections = fit.objections(program, whole.results[first:], beside)
            whole.partial = whole.partial or bool(objections)
            whole.problems += objections
            whole.missing += [f"It may not be what was asked. {text}" for text in objections]
        self._mood(whole, first, asked)
        judged = any(isinstance(item.value, bool) for item in whole.results[first:])
        if judged and has_operator(asked):
            self._take_back(whole, asked, lambda fit: fit.unread(program), first, _UNREAD)
        if any(item.value is True for item in whole.results[first:]):
            names = {name for item in whole.results[first:] for name in item.claims}
            used = {
                evidence.triple.predicate
                for claim in whole.claims
                if claim.id in names
                for evidence in claim.support.evidence
            }
            several = any(len(step.relations) > 1 for step in program.steps)
            if several and used:
                self._take_back(whole, asked, lambda fit: fit.beside(program, used), first, _BESIDE)

    def _mood(self, whole: Making, first: int, asked: str) -> None:
        """Say where another kind of thing was found, or what is where what might be is asked."""
        lexicon = open_lexicon(_LANGUAGE)
        text, results = unframed(read_text(asked), _LANGUAGE).text, whole.results[first:]
        view = View(self._source, roles=lexicon.role)
        try:
            kind = other_kinds(text, [item.value for item in results], view, lexicon)
        except RoboDataError as error:
            _log.info("What was found could not be looked at: %s", error)
            kind = ""
        if kind:
            whole.fail(_OF_ANOTHER_KIND.format(kind=kind))
        kinds = {claim.id: claim.kind for claim in whole.claims}
        told = {kinds[name] for item in results for name in item.claims}
        if told - {TruthKind.TYPICAL} and (word := modal(text, whole.readings, lexicon)):
            whole.fail(_NOT_YET.format(word=word.lower()))

    def against_names(self, whole: Making) -> None:
        """Take a yes back where the question names what nothing that holds is about."""
        judged = any(item.value is True for item in whole.results)
        if judged and not whole.asserted and _names_more(whole.question, " ".join(whole.readings)):
            self._take_back(
                whole, whole.question, lambda fit: fit.unused(whole.programs), None, _UNUSED
            )

    def against_chains(self, whole: Making) -> None:
        """Take everything back where a relation of a relation was read as one."""
        if whole.results and chained_words(whole.question):
            self._take_back(
                whole, whole.question, lambda fit: fit.unchained(whole.programs), None, _UNCHAINED
            )

    def _take_back(
        self, whole: Making, asked: str, unread: Callable[[Fit], tuple[str, ...]],
        first: int | None, told: str,
    ) -> None:  # fmt: skip
        """Take results from ``first`` on back, or all that holds, where words were not read."""
        fit = self._fit(asked)
        words = unread(fit) if fit is not None else ()
        if not words:
            return
        gone = len(whole.results[first:])
        whole.held = 0 if first is None else whole.held - gone
        whole.found = 0 if first is None else whole.found - gone
        del whole.results[first:]
        named = listed(f"“{word}”" for word in words)
        whole.fail(told.format(words=named, were="were" if len(words) > 1 else "was"))

    def _fit(self, question: str) -> Fit | None:
        if question not in self._fits:
            try:
                self._fits[question] = Fit(self._source, question)
            except RoboDataError as error:
                _log.info("Answers are not held against the question: %s", error)
                self._fits[question] = None
        return self._fits[question]
