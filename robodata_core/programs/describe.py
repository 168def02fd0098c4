"""Programs and what they give, in words: one verbaliser for readings and claims.

``Verbaliser.reading`` says what a program asks for, as a noun phrase ("place of birth of Douglas
Adams"); ``Verbaliser.sentence`` says what it gave ("The place of birth of Douglas Adams is
Cambridge."). Both are made from the program alone and follow one grammar, in which every part
that is not a name or a plain chain of relations stands in brackets. So two programs of different
meaning never read alike, given labels that tell their bearers apart (things that share a label
are told with their ids). Nothing here looks at a graph or a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from robodata_core.model import Value
from robodata_core.programs.check import check
from robodata_core.programs.english import listed
from robodata_core.programs.phrases import Label, Reader, Words
from robodata_core.programs.step import Gives, Program

__all__ = ["Verbaliser", "describe", "listed"]


def describe(program: Program, label: Label) -> str:
    """Return what ``program`` asks for, in words; see ``Verbaliser.reading``."""
    return Verbaliser(label).reading(program)


class Verbaliser(Words):
    """Writes programs and their results in words.

    Args:
        label: Gives the label of an id, or an empty string.
        is_shared: Tells whether another thing goes by the same label, so that the id is needed.
    """

    def reading(self, program: Program) -> str:
        """Return what ``program`` asks for, as a noun phrase.

        Raises:
            ProgramError: If the program is not well formed.
        """
        check(program)
        return self._reader(program).text()

    def sentence(self, program: Program, values: Sequence[Value], *, total: int = 0) -> str:
        """Return what a program that ends with a set (or judges one) gave, as a sentence.

        Args:
            program: The program.
            values: Members of the set, at least one; the first ones are named.
            total: How many there are, where that is more than ``values``.
        """
        return _sentence(self.clause(program, values, total=total))

    def clause(self, program: Program, values: Sequence[Value], *, total: int = 0) -> str:
        """Return ``sentence`` as a clause, without capital and full stop."""
        return self._reader(program).told(values, max(total, len(values)))

    def verdict(self, program: Program, truth: bool, examples: Sequence[Value] = ()) -> str:
        """Return what a program that ends with a truth came to, as a sentence.

        Args:
            program: The program.
            truth: The outcome.
            examples: Nodes that show it, if any do.
        """
        reader = self._reader(program)
        return _sentence(program.final.told(reader, truth, tuple(examples)))

    @staticmethod
    def joined(clauses: Iterable[str]) -> str:
        """Return clauses as one sentence."""
        return _sentence(", and ".join(dict.fromkeys(clauses)))

    def counted(
        self, program: Program, number: int, values: Sequence[Value], *, least: bool = False
    ) -> str:
        """Return how many there are of what a program counts, naming some of them.

        Args:
            program: The program, which ends with a number.
            number: How many there are.
            values: Some of them.
            least: Whether there may be more.
        """
        size = f"at least {number:,}" if least else f"{number:,}"
        named = self.names(values, number) if values else ""
        return _sentence(program.final.counted(self._reader(program), number, size, named))

    def absent(self, program: Program) -> str:
        """Return that a source states nothing of what a program asks, as a sentence."""
        if program.final.gives is Gives.TRUTH:
            return self.verdict(program, False)
        return self.nothing(program)

    def nothing(self, program: Program) -> str:
        """Return that a source states nothing of the set that a program ends with or judges."""
        return _sentence(f"nothing is stated for “{self._reader(program).judged().whole}”")

    def _reader(self, program: Program) -> Reader:
        return Reader(program.written, program.final, self, exclude_start=program.exclude_start)


def _sentence(text: str) -> str:
    """Return a clause as a sentence: a full stop, and a capital.

    A word that has one within ("iPhone") or is no plain word is written so on purpose.
    """
    text = text.strip()
    first = text.split(" ", 1)[0].removesuffix(",")
    if first.islower() and first.replace("-", "").isalpha():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
