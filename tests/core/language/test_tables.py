"""Words of a language stand in its tables, and the tables are what their readers expect."""

from __future__ import annotations

import ast
from decimal import Decimal
from pathlib import Path

import pytest

import robodata_core.language
from robodata_core.errors import ConfigurationError
from robodata_core.language.lexicon import open_lexicon, open_phrases
from robodata_core.language.lexicon.lexicon import read_table

_ROOT = Path(robodata_core.language.__file__).parent
#: Names of columns, kinds, operators, rules and letters that happen to be English words as well.
_CODES = {
    "in", "out", "either", "number", "kind", "least", "instead", "of", "type", "s", "i", "th",
    "century", "count", "list", "lower", "most", "none", "often", "than", "where", "within",
    "person", "thing",
}  # fmt: skip


def _constants(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and not isinstance(parents.get(id(node)), ast.Expr)
    }


def _words() -> set[str]:
    found: set[str] = set()
    for table in ("function_words", "must_be_read"):
        for row in read_table("en", table):
            found.update(row["words"].split("|"))
    for row in read_table("en", "numbers"):
        found.update(row["word"].split("|"))
    return found


@pytest.mark.parametrize("path", sorted(_ROOT.rglob("*.py")), ids=lambda path: path.stem)
def test_no_small_word_stands_in_code(path: Path) -> None:
    assert not (_constants(path) & _words()) - _CODES


def test_words_have_stems_and_families() -> None:
    lexicon = open_lexicon("en")
    assert lexicon.stem("countries") == "country"
    assert lexicon.root("founder") == lexicon.root("founded") == lexicon.root("founders")
    assert lexicon.kind("whose") == "question"
    assert lexicon.operator("neither") == "denial"
    assert lexicon.number("dozen") == Decimal(12)
    assert "Italy" in lexicon.origins(("italian",))


def test_a_language_without_tables_is_told() -> None:
    with pytest.raises(ConfigurationError, match="no tables"):
        open_lexicon("xx")
    with pytest.raises(ConfigurationError, match="no tables"):
        open_lexicon("../en")


def test_phrases_name_relations_with_a_direction() -> None:
    found = open_phrases("en").find(("where", "was", "kant", "buried"))
    phrase = next(item.phrase for item in found if item.start == 3)
    assert phrase.hops[0][0].label == "place of burial"
    assert phrase.outward is False


def test_every_phrase_of_the_open_lexicon_can_be_found() -> None:
    phrases = open_phrases("en")
    for row in read_table("en", "relations"):
        words = tuple(row["phrases"].split("|")[0].replace("'", " ").replace("-", " ").split())
        if len(words) <= 6 and row["relations"] != "*":
            assert phrases.find(words), words
