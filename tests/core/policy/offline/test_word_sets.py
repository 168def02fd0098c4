"""Where English words stand: in tables, not in the code of the rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import robodata_core.policy.offline
from robodata_core.language.lexicon.lexicon import read_table

_RULES = Path(robodata_core.policy.offline.__file__).parent
#: Sets of what is no word of a language: columns, kinds and features of the code's own.
_OWN = {
    "_ANSWERS", "_COLUMNS", "_DIRECTIONS", "_KINDS", "_NO_FEATURES", "_RECKONED", "_READ",
    "_PARTS",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def _assigned(module: Path) -> Iterator[tuple[str, ast.expr]]:
    """Yield what a module gives names to at its top."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target), node.value
        elif isinstance(node, ast.Assign):
            yield ast.unparse(node.targets[0]), node.value


def _words(collection: ast.expr) -> list[str]:
    if not isinstance(collection, ast.List | ast.Set):
        return []
    texts = [one.value for one in collection.elts if isinstance(one, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and _WORD.fullmatch(text)]


def test_no_rule_lists_words() -> None:
    found = [
        f"{module.name}: {name}"
        for module in sorted(_RULES.glob("*.py"))
        for name, value in _assigned(module)
        if name not in _OWN | {"__all__"}
        for node in ast.walk(value)
        if isinstance(node, ast.expr) and len(_words(node)) > 1
    ]
    assert not found


def test_every_set_of_words_is_asked_for_and_there() -> None:
    root = _RULES.parents[1]
    code = "".join(path.read_text(encoding="utf-8") for path in root.rglob("*.py"))
    rows = list(read_table("en", "word_sets"))
    roles = [row["role"] for row in rows]
    assert len(set(roles)) == len(roles) > 90
    assert all(row["words"].split("|") and row["words"] == row["words"].lower() for row in rows)
    assert not [role for role in roles if f'said("{role}")' not in code]
