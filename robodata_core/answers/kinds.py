"""What kind of thing a question asks for, and whether what was found is of it.

"Who", "where", "when" and "how many" ask for people, places, times and numbers. What something is
is told by its classes, or by what the relation leads to that it was found by; what nobody says the
kind of is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Final

from robodata_core.language.asked_kind import sorts_of
from robodata_core.language.lexicon import Lexicon
from robodata_core.language.lexicon.lexicon import Kind
from robodata_core.language.lexicon.phrases import open_phrases
from robodata_core.language.text import Text, words_of
from robodata_core.language.understanding import Understanding
from robodata_core.language.view import View
from robodata_core.model import Direction, EntityValue, ResultItem, TimeValue, Value
from robodata_core.policy.base import AnswerKind
from robodata_core.programs.steps import Difference, Follow, Program, Start

__all__ = ["Kinds", "other_kinds"]

#: Of so many results it is looked at what they are.
_LOOKED_AT: Final = 20
_OUT: Final = Direction.OUT
_OTHER: Final = {"person": "place", "place": "person"}


class Kinds:
    """The kind of thing that one question asks for.

    Args:
        language: Knows the tables and the source.
        text: The question.
        picks: Places of its superlatives: who has "the largest number of" something is asked for
            by who has most of it.
    """

    def __init__(self, language: Understanding, text: Text, picks: Set[int]) -> None:
        self._view, self._lexicon = language.view, language.lexicon
        self._asked = _asked_kind(text, language.lexicon)
        self._norms = [token.norm for token in text.tokens if token.is_word]
        self._left = [t.norm for i, t in enumerate(text.tokens) if t.is_word and i not in picks]

    @property
    def wanted(self) -> AnswerKind:
        """What the question asks for."""
        if next(self._behind(self._left), None) is not None:
            return AnswerKind.NUMBER
        if self._lexicon.kind(next(iter(self._norms), "")) == "auxiliary":
            return AnswerKind.YES_OR_NO
        return AnswerKind.THINGS

    def objections(
        self,
        program: Program,
        results: Sequence[ResultItem],
        sets: Callable[[], Sequence[Sequence[Value]]],
    ) -> Iterator[str]:
        """Object where the result is of another kind than the question asks for.

        Args:
            program: What was run.
            results: What it gave.
            sets: Gives what its sets hold, the last one being what is counted.
        """
        wanted, asked = self.wanted, self._asked
        values = [item.value for item in results]
        if wanted is AnswerKind.YES_OR_NO and not isinstance(next(iter(values), True), bool):
            yield "The question asks for yes or no."
        if wanted is AnswerKind.THINGS and any(isinstance(v, bool) for v in values):
            yield "The question does not ask for yes or no."
        counted = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
        if wanted is AnswerKind.NUMBER and any(
            isinstance(v, (bool, EntityValue, TimeValue)) for v in values
        ):
            yield "The question asks for a number."
        if wanted is not AnswerKind.NUMBER and counted:
            yield "The question does not ask for a number."
        times = [isinstance(v, TimeValue) for v in values]
        if asked is not None and "time" in asked.values and not all(times):
            yield "The question asks for a time."
        elif asked is not None and "time" not in asked.values and any(times):
            yield "The question does not ask for a time."
        elif asked is not None and self._is_other(asked, values, program):
            yield f"The question asks for a {asked.name}."
        if wanted is AnswerKind.NUMBER and counted:
            yield from self._counted(program, sets)
        starts = {value for step in program.steps if isinstance(step, Start)
                  for value in step.values}  # fmt: skip
        plain = not any(isinstance(step, Difference) for step in program.steps)
        if plain and len(starts) == 1 and any(v in starts for v in values):
            yield "What is asked about is given as its own answer."

    def _counted(
        self, program: Program, sets: Callable[[], Sequence[Sequence[Value]]]
    ) -> Iterator[str]:
        """Object where things are counted that are not what the noun behind "how many" says."""
        stem = self._lexicon.stem
        nouns = {stem(self._norms[at]) for at in self._behind(self._norms) if at < len(self._norms)}
        for kind in self._lexicon.kinds:
            if nouns.isdisjoint(map(stem, kind.asked | kind.classes)):
                continue
            values = next(iter(sets()[-1:]), ())
            times = [isinstance(value, TimeValue) for value in values]
            if ("time" in kind.values and not all(times)) or self._is_other(kind, values, program):
                yield f"What was counted is no {kind.name}."

    def _behind(self, words: Sequence[str]) -> Iterator[int]:
        """Yield the places right behind words that ask for a number."""
        for phrase in map(str.split, self._lexicon.said("number")):
            for at in range(len(words) - len(phrase) + 1):
                if [*words[at : at + len(phrase)]] == phrase:
                    yield at + len(phrase)

    def _is_other(self, kind: Kind, values: Sequence[object], program: Program) -> bool:
        """Tell whether something found is no person, or no place, though one is asked for.

        What is stated to be neither may be somewhere, or act, all the same: cups are in cupboards,
        and studios publish. Then it counts what the relations lead to that it was found by; so it
        does of what nobody says the kind of.
        """
        if kind.name not in _OTHER:
            return False
        view, lexicon, ends = self._view, self._lexicon, self._ends(program)
        for id_, sorts in _sorts(values, view, lexicon).items():
            if not view.is_near and _OTHER[kind.name] not in sorts:
                continue  # Where a look is a request, what does not look wrong is let be.
            upper = {
                one for name in view.class_relations for one in view.ends((id_,), (name, _OUT))
            }
            kinds = [kind for kind in view.kinds(id_) if EntityValue(kind) not in upper]
            above = view.labels({one for kind in kinds for one in view.superclasses(kind)})
            if kinds or upper:  # a class of people is none of them
                sorts = sorts_of(view.labels(kinds), lexicon) or sorts_of(above, lexicon)
            acts = any({*words_of(label)} & lexicon.said("acting") for label in above)
            if not sorts.isdisjoint((kind.name, "group")) or kind.name == "person" and acts:
                continue
            leads = ends and kind.name not in ends and (kinds or upper or "thing" not in ends)
            if leads or _OTHER[kind.name] in sorts:
                return True
        return False

    def _ends(self, program: Program) -> frozenset[str]:
        """Return what the relations that a program ends with lead to, where all of them tell."""
        hops = [step for step in program.steps if isinstance(step, Follow)]
        if not hops or hops[-1].direction is not Direction.OUT:
            return frozenset()
        found = self._view.properties(hops[-1].properties).values()
        tell = open_phrases(self._lexicon.language).ends
        ends = [tell(" ".join(words_of(one.name))) for one in found]
        return frozenset().union(*ends) if all(ends) else frozenset()


def _asked_kind(text: Text, lexicon: Lexicon) -> Kind | None:
    """Return the kind of thing that a question begins with asking for, if it asks for one."""
    words = [token.norm for token in text.tokens if token.is_word]
    led = [word for word in words[:2] if lexicon.kind(word) != "preposition"]
    first = led[0] if led else ""
    if first in lexicon.said("whose"):
        return None
    return next((one for one in lexicon.kinds if first in one.asked), None)


def other_kinds(text: Text, values: Sequence[object], view: View, lexicon: Lexicon) -> str:
    """Return what was asked for where something of another kind was found, else nothing.

    Groups act as people do, and are somewhere. What nobody says the kind of may be of any.
    """
    asked = _asked_kind(text, lexicon)
    if asked is None or asked.name not in _OTHER:
        return ""
    for sorts in _sorts(values, view, lexicon).values():
        if _OTHER[asked.name] in sorts and sorts.isdisjoint((asked.name, "group")):
            return asked.name
    return ""


def _sorts(values: Sequence[object], view: View, lexicon: Lexicon) -> dict[str, set[str]]:
    """Return the sorts of things, of not too many, by their classes or what describes them."""
    ids = [value.id for value in values[:_LOOKED_AT] if isinstance(value, EntityValue)]
    found = view.entities(ids) if ids else {}
    # Most bring their classes with them; the others are asked for theirs where that is cheap.
    open_ = [id_ for id_, one in found.items() if not one.types]
    bare = view.kinds_of(open_) if view.is_near else {}
    classes = {id_: one.types or bare.get(id_, ()) for id_, one in found.items()}
    named = view.entities({kind for kinds in classes.values() for kind in kinds})
    labels = {id_: [named[kind].label for kind in classes[id_] if kind in named] for id_ in found}
    return {id_: sorts_of(labels[id_] or (one.description,), lexicon) for id_, one in found.items()}
