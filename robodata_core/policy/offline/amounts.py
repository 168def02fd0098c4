"""Reckoning with amounts: averages, sums, differences, and the unit a question asks for.

Every amount that goes in is cited; nothing is reckoned over several units, nor where a thing has
several amounts. What the graph states no amount for is left out and said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from robodata_core.model import Direction, QuantityValue, Value
from robodata_core.policy.offline import combine
from robodata_core.policy.offline.candidate import Candidate, EdgeUse, Link
from robodata_core.policy.offline.mentions import Linking
from robodata_core.policy.offline.question import Kind, Question, Request, analyse
from robodata_core.policy.offline.solved import Failure, Solved, solve_alone
from robodata_core.policy.offline.special import Special
from robodata_core.policy.offline.stated import Stated, ids_of, values_of
from robodata_core.policy.offline.tables import comparatives, units
from robodata_core.policy.offline.words import GENERIC_NOUNS
from robodata_core.programs.steps import (
    Aggregate,
    Comparison,
    End,
    FilterByCount,
    Function,
    Program,
)
from robodata_core.text import normalise_name
from robodata_core.values import format_amount

__all__ = ["Amounts"]

_FUNCTIONS: Final = {
    "average": Function.AVERAGE,
    "mean": Function.AVERAGE,
    "total": Function.SUM,
    "combined": Function.SUM,
    "overall": Function.SUM,
    "sum": Function.SUM,
}
_ASKED: Final = re.compile(
    r"(?:what|how (?:much|large|big|high)) (?:is|was|are|were|'s) (?:the )?"
    r"(?P<f>average|mean|total|combined|overall|sum)(?: of (?:the |all )?)?"
    r" (?P<p>.+?)s? of (?:all )?(?:the )?(?P<s>.+)",
    re.IGNORECASE,
)
_DIFFERENCE: Final = re.compile(
    r"what (?:is|was|'s) the difference (?:in|of) (?P<p>.+?) (?:between|of) "
    r"(?P<x>.+?) and (?P<y>.+)",
    re.IGNORECASE,
)
_MUCH: Final = re.compile(
    r"(?:by )?how much (?P<d>[a-z]+) (?:is|was|are|were) (?P<x>.+?) than (?P<y>.+)", re.IGNORECASE
)
_IN_UNIT: Final = re.compile(
    r"(?P<q>.+?),? (?:measured |given )?in (?P<u>[a-z][a-z /0-9-]+)", re.IGNORECASE
)
_HOW_MANY: Final = re.compile(
    r"how many (?P<u>[a-z]+) (?P<d>tall|high|long|wide|deep|heavy) (?P<r>(?:is|was|are|were) .+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amounts(Special):
    """Answers questions that reckon with amounts."""

    def solve(self, question: Question, request: Request) -> Solved | Failure | None:
        """Answer a question of such a form; None where it is of none."""
        if request.kind not in (Kind.SET, Kind.COUNT):
            return None
        text = question.raw(request.start, request.end).strip(" ?!.,")
        asked = _ASKED.fullmatch(text)
        if asked is not None:
            function = _FUNCTIONS[asked["f"].lower()]
            return self._over(self._set(asked["s"]), self._named(asked["p"]), function)
        apart = _DIFFERENCE.fullmatch(text)
        if apart is not None:
            base = self._names(apart["x"], apart["y"])
            return self._over(base, self._named(apart["p"]), Function.RANGE)
        much = _MUCH.fullmatch(text)
        if much is not None:
            return self._by_how_much(much)
        return self._in_unit(text)

    def _by_how_much(self, match: re.Match[str]) -> Solved | Failure | None:
        """Answer "how much taller is X than Y"."""
        degrees = comparatives().get((match["d"].lower(),), ())
        for degree in degrees:
            names = [
                name for label in degree.relations
                for name in sorted(self.solver.index.named(label))
                if self.solver.index.object_type(name) == "number"
            ]  # fmt: skip
            if names:
                base = self._names(match["x"], match["y"])
                return self._over(base, names, Function.RANGE, high=degree.high)
        return None

    # -- sets ---------------------------------------------------------------------------------

    def _set(self, words: str) -> Solved | Failure | None:
        """Return the set that a noun phrase means; None for all there is."""
        if words.lower() in GENERIC_NOUNS:
            return None
        pair = re.fullmatch(r"(.+?),? and (.+)", words)
        if pair is not None and pair[1][:1].isupper() and pair[2][:1].isupper():
            return self._names(pair[1], pair[2])
        return solve_alone(self.set_of, analyse(f"Which {words}?"))

    def _names(self, *names: str) -> Solved | Failure:
        """Return some names as one set."""
        found: list[Solved] = []
        for name in names:
            question = analyse(name)
            one = solve_alone(self.set_of, question)
            if isinstance(one, Failure):
                one = self._bare(question) or one
            if isinstance(one, Failure):
                return one
            found.append(one)
        whole = combine.joined([one.candidate for one in found], False)
        links = tuple(link for one in found for link in one.candidate.links)
        return found[0].then(replace(whole, links=links), self.executor)

    def _bare(self, question: Question) -> Solved | None:
        """Return what a name alone names."""
        request = question.requests[0]
        linking, matches = self.solver.on(question).link(request)
        named = [m for m in linking.mentions if m.proper and m.entities]
        if len(named) != 1 or linking.unlinked:
            return None
        item = named[0].entities[0]
        candidate = Candidate.start(Link(named[0], (item.id,), item.quality), named[0].span)
        result = self.executor.run(candidate.program())
        return Solved(question, request, linking, matches, candidate, result, 1.0)

    def _named(self, words: str) -> list[str]:
        """Return the properties with numbers that words name."""
        tokens = analyse(words).tokens
        found = [
            (match.end - match.start, match.reading.strength, name)
            for match in self.solver.index.matches(tokens, frozenset())
            if match.end == len(tokens)
            for hop in match.reading.hops[:1] for name, way in hop
            if way is Direction.OUT and self.solver.index.object_type(name) == "number"
        ]  # fmt: skip
        whole = [one for one in found if one[0] == len(tokens)]
        return list(dict.fromkeys(name for *_, name in sorted(whole, reverse=True)))

    # -- reckoning ----------------------------------------------------------------------------

    def _over(
        self,
        base: Solved | Failure | None,
        names: Sequence[str],
        function: Function,
        *,
        high: bool | None = None,
    ) -> Solved | Failure | None:
        """Reckon over a set; ``high`` says that the first is to have more (or less)."""
        if not names:
            return None
        if isinstance(base, Failure):
            return base
        base = base or self._all_with(names[0])
        if base is None:
            return Failure("The graph states no such amounts.")
        ids = ids_of(base.result.members)
        found = [(name, values_of(self.solver.source, ids, name)) for name in names]
        name, stated = max(found, key=lambda one: len(one[1]))
        trouble = self._trouble(name, ids, stated, function)
        if trouble is not None or base.result.truncated:
            return trouble or Failure("There is too much of this to reckon with; ask for less.")
        if high is not None and not _first_leads(ids, stated, high):
            return Failure("As the graph states, it is the other way round.")
        out = f"n{len(base.candidate.steps)}"
        step = Aggregate(out, base.candidate.out, name, function)
        use = EdgeUse(((name, Direction.OUT),), constraint=True)
        candidate = replace(
            base.candidate, steps=(*base.candidate.steps, step), out=out, final="reckoned",
            edges=(*base.candidate.edges, use),
        )  # fmt: skip
        lacking = len(ids) - len(stated)
        label = self.solver.index.name_of(name)
        missing: tuple[str, ...] = ()
        if lacking:
            missing = (f"The graph states no {label} for {lacking:,} of the {len(ids):,}.",)
        notes = (f"Reckoned over the {label} of {len(stated):,}.",)
        return replace(
            base.then(candidate, self.executor), missing=(*base.missing, *missing), notes=notes
        )

    def _trouble(
        self, name: str, ids: Sequence[str], stated: Stated, function: Function
    ) -> Failure | None:
        label = self.solver.index.name_of(name)
        reader = self.solver.reader
        if len(stated) < 2:
            return Failure(f"The graph states the {label} of only {len(stated)} of {len(ids):,}.")
        if function is Function.RANGE and len(stated) < len(ids):
            lacks = next(id_ for id_ in ids if id_ not in stated)
            return Failure(f"The graph states no {label} for {reader.label(lacks)}.")
        several = next((id_ for id_, found in stated.items() if len(found) > 1), None)
        if several is not None:
            return Failure(f"The graph states more than one {label} for {reader.label(several)}.")
        kinds = {getattr(found[0].value, "unit", None) for found in stated.values()}
        if len(kinds) > 1:
            return Failure(f"The values of {label} have several units.")
        return None

    def _all_with(self, name: str) -> Solved | None:
        step = FilterByCount("n0", "", (name,), Direction.OUT, Comparison.GE, 1)
        result = self.executor.run(Program((step, End("n0"))))
        question = analyse("all")
        candidate = Candidate((step,), "n0", (), ("n0",), typed=True)
        empty = Linking(())
        if not result.members:
            return None
        return Solved(question, question.requests[0], empty, (), candidate, result, 0.9)

    # -- units --------------------------------------------------------------------------------

    def _in_unit(self, text: str) -> Solved | Failure | None:
        """Answer "how tall is X in metres" by the stated amount, with what it is so measured."""
        match = _HOW_MANY.fullmatch(text)
        asked = f"How {match['d']} {match['r']}?" if match is not None else ""
        if match is None:
            match = _IN_UNIT.fullmatch(text)
            asked = f"{match['q']}?" if match is not None else ""
        wanted = match["u"].strip().lower() if match is not None else ""
        if wanted not in units():
            return None
        found = solve_alone(self.set_of, analyse(asked))
        if isinstance(found, Failure):
            return found
        if not found.result.members or not all(
            isinstance(value, QuantityValue) for value in found.result.members
        ):
            return None
        notes = [note for v in found.result.members if (note := self._converted(v, wanted))]
        return replace(found, notes=(*found.notes, *dict.fromkeys(notes)))

    def _converted(self, value: Value, wanted: str) -> str:
        assert isinstance(value, QuantityValue)
        if value.unit is None:
            return "The graph gives no unit."
        label = self.solver.reader.label(value.unit)
        known, asked = units().get(normalise_name(label)), units()[wanted]
        if known is None or known[0] != asked[0]:
            return f"The graph gives this in {label}, which is no measure of {wanted}."
        if known[1] == asked[1]:
            return ""
        amount = format_amount((value.amount * known[1] / asked[1]).normalize())
        return f"{format_amount(value.amount)} {label} are {amount} {wanted}."


def _first_leads(ids: Sequence[str], stated: Stated, high: bool) -> bool:
    """Tell whether the first of two has the larger (or smaller) amount."""
    amounts = [value.amount for id_ in ids[:2] for one in stated[id_][:1]
               if isinstance(value := one.value, QuantityValue)]  # fmt: skip
    return len(amounts) == 2 and (amounts[0] > amounts[1]) == high and amounts[0] != amounts[1]
