"""The tables of a language, read once: small words, endings, roles of relations.

A language is a folder beside this module. Tables are tab-separated; lines that start with "#"
are comments, the first other line names the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Final

from robodata_core.errors import ConfigurationError

__all__ = ["Kind", "Lexicon", "open_lexicon", "read_table"]

_PACKAGE: Final = "robodata_core.language.lexicon"


def read_table(language: str, name: str, package: str = _PACKAGE) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of a language by column; none where there is no such table.

    Args:
        language: The folder.
        name: The table, without its ending.
        package: Where the folders of languages are.
    """
    path = files(package).joinpath(language).joinpath(f"{name}.tsv")
    if not path.is_file():
        return
    columns: list[str] | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if columns is None:
            columns = cells
        else:
            yield dict(zip(columns, (*cells, *[""] * len(columns)), strict=False))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing: the words that ask for it, and what is of that kind.

    Attributes:
        name: person, place, time, ...
        asked: Question words.
        classes: Words in labels of classes whose members are of that kind.
        values: Kinds of literals that are.
    """

    name: str
    asked: frozenset[str]
    classes: frozenset[str]
    values: frozenset[str]


class Lexicon:
    """What the words of one language do, as far as tables tell.

    Attributes:
        language: Its code, as the folder is called.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._small: dict[str, str] = {}
        for row in read_table(language, "function_words"):
            for word in row["words"].split("|"):
                self._small.setdefault(word, row["kind"])
        self._inflections = [
            (row["ending"], row["instead"], int(row["least"]), tuple(_parts(row["spares"])))
            for row in read_table(language, "inflections")
        ]
        self._derivations = [
            (row["ending"], row["instead"], int(row["least"]))
            for row in read_table(language, "derivations")
        ]
        self._roles = {row["role"]: _parts(row["labels"]) for row in read_table(language, "roles")}
        self._read: dict[str, str] = {}
        for row in read_table(language, "must_be_read"):
            self._read.update(dict.fromkeys(_parts(row["words"]), row["kind"]))
        self._said = {
            row["role"]: frozenset(_parts(row["words"]))
            for row in read_table(language, "questions")
        }
        self._kinds = {
            row["kind"]: Kind(
                row["kind"],
                frozenset(_parts(row["asked"])),
                frozenset(_parts(row["classes"])),
                frozenset(_parts(row["values"])),
            )
            for row in read_table(language, "kinds")
        }
        self._read_names()
        self._read_numbers()
        self._stems: dict[str, str] = {}
        self._roots: dict[str, str] = {}

    def _read_names(self) -> None:
        self._synonyms: dict[str, tuple[str, ...]] = {}
        articles: list[str] = []
        for row in read_table(self.language, "synonyms"):
            words = _parts(row["words"])
            for word in words:
                self._synonyms[word] = tuple(other for other in words if other != word)
            articles += _parts(row["leading"])
        #: Articles that names may begin with and people leave out.
        self.leading_articles = tuple(articles)
        self._origins: dict[tuple[str, ...], list[str]] = {}
        for row in read_table(self.language, "origins"):
            for name in _parts(row["words"]):
                self._origins.setdefault(tuple(name.split()), []).extend(_parts(row["of"]))

    def _read_numbers(self) -> None:
        found: dict[str, dict[str, str]] = {"number": {}, "month": {}, "ordinal": {}}
        for row in read_table(self.language, "numbers"):
            for word in _parts(row["word"]):
                found.setdefault(row["kind"], {})[word] = row["value"]
        self._numbers = {word: Decimal(value) for word, value in found["number"].items()}
        self._months = {word: int(value) for word, value in found["month"].items()}
        #: Endings and small words that stand between the parts of a date.
        self.ordinal = frozenset(found["ordinal"])
        self._ranks = {word: int(value) for word, value in found.get("rank", {}).items()}
        self._centuries = frozenset(found.get("century", {}))

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Return words that people use for one another in names."""
        return self._synonyms.get(word, ())

    def origins(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the labels of what an adjective of origin or belief belongs to."""
        found = self._origins.get(words) or self._origins.get(
            (*words[:-1], self.stem(words[-1])) if words else ()
        )
        return tuple(found or ())

    def number(self, word: str) -> Decimal | None:
        """Return the number that a word names, or None."""
        return self._numbers.get(word)

    def rank(self, word: str) -> int:
        """Return the place that an ordinal word names ("third"), or 0."""
        return self._ranks.get(word, 0)

    def is_century(self, word: str) -> bool:
        """Tell whether a word behind an ordinal makes it a century."""
        return word in self._centuries

    def month(self, word: str) -> int | None:
        """Return the number of the month that a word names, or None."""
        return self._months.get(word)

    def kind(self, word: str) -> str:
        """Return what a small word does (article, auxiliary, ...), or "" for one that names."""
        return self._small.get(word, "")

    def is_small(self, word: str) -> bool:
        """Tell whether a word builds sentences and names nothing."""
        return word in self._small

    def operator(self, word: str) -> str:
        """Return how a word changes what is asked (denial, share, ...), or ""."""
        return self._read.get(word, "")

    @property
    def operators(self) -> frozenset[str]:
        """All words that change what is asked."""
        return frozenset(self._read)

    @property
    def kinds(self) -> Iterable[Kind]:
        """The kinds of things that question words ask for."""
        return self._kinds.values()

    def role(self, name: str) -> tuple[str, ...]:
        """Return the labels of the relations that have a part in understanding any graph."""
        return self._roles.get(name, ())

    def said(self, role: str) -> frozenset[str]:
        """Return the words that have a role in questions."""
        return self._said.get(role, frozenset())

    def stem(self, word: str) -> str:
        """Return a folded word without the ending that inflection adds."""
        known = self._stems.get(word)
        if known is None:
            known = self._stem(word)
            _keep(self._stems, word, known)
        return known

    def _stem(self, word: str) -> str:
        for ending, instead, least, spares in self._inflections:
            if word.endswith(ending) and len(word) - len(ending) >= least:
                return word if word.endswith(spares) else word[: -len(ending)] + instead
        return word

    def root(self, word: str) -> str:
        """Return what a folded word shares with others of its family ("found" for "founder")."""
        known = self._roots.get(word)
        if known is None:
            known = self.stem(word)
            for ending, instead, least in self._derivations:
                if known.endswith(ending) and len(known) - len(ending) >= least:
                    known = known[: -len(ending)] + instead
                    break
            _keep(self._roots, word, known)
        return known


_MOST_KEPT: Final = 50_000


def _keep(kept: dict[str, str], word: str, form: str) -> None:
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[word] = form


def _parts(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split("|") if part)


@lru_cache(maxsize=8)
def open_lexicon(language: str = "en") -> Lexicon:
    """Return the lexicon of a language.

    Raises:
        ConfigurationError: If there are no tables for it.
    """
    if not language.isalpha() or not files(_PACKAGE).joinpath(language).is_dir():
        raise ConfigurationError(f"There are no tables for the language {language!r}.")
    return Lexicon(language)
