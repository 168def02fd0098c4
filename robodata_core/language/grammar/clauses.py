"""Truths that are asked for in one question: "Does X border Y and Z?" asks for two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robodata_core.language.grammar.operators import open_grammar
from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.text import Text

__all__ = ["truths"]

#: Words of a clause at least; names of a list, and truths, at most.
_LEAST: Final = 3
_MOST: Final = 4


def truths(text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon) -> tuple[str, ...]:
    """Return a question for each truth that a question asks for, or nothing where it asks for one.

    What several share ("in the same city") is no truth about each of them.

    Args:
        text: A question for yes or no.
        names: Where names begin and end in it, in tokens.
        lexicon: Of its language.
    """
    tokens, grammar = text.tokens, open_grammar(lexicon)
    words = [token.norm for token in tokens if token.is_word]
    if not words or lexicon.kind(words[0]) != "auxiliary":
        return ()
    if any(grammar.is_a(kind, word) for kind in ("sharing", "negation") for word in words):
        return ()
    joints = [i for i, token in enumerate(tokens) if grammar.is_a("intersection", token.norm)]
    if len(joints) == 1:
        at = joints[0]
        behind = at + 1 < len(tokens) and lexicon.kind(tokens[at + 1].norm) == "auxiliary"
        if behind and min(at, len(tokens) - at) > _LEAST:
            return (text.written(0, at).rstrip(" ,"), text.written(at + 1, len(tokens)))
    return _of_each(text, names, joints, lexicon)


def _of_each(
    text: Text, names: Sequence[tuple[int, int]], joints: Sequence[int], lexicon: Lexicon
) -> tuple[str, ...]:
    """Return a question for each of the names that stand in a list, without the words for both."""
    listed = _listed(text, names, joints)
    if not 1 < len(listed) <= _MOST:
        return ()
    grammar, tokens = open_grammar(lexicon), text.tokens
    first, last = listed[0][0], listed[-1][1]
    before, behind = (
        " ".join(token.text for token in part if not grammar.is_a("jointly", token.norm))
        for part in (tokens[:first], tokens[last:])
    )
    return tuple(f"{before} {text.written(*name)} {behind}".strip() for name in listed)


def _listed(
    text: Text, names: Sequence[tuple[int, int]], joints: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the names of the only list that stands in a text."""
    lists: list[list[tuple[int, int]]] = [[]]
    for name in sorted(names):
        one = lists[-1]
        between = range(one[-1][1], name[0]) if one else range(0)
        joined = all(i in joints or text.tokens[i].text == "," for i in between)
        if one and (not joined or not between):
            lists.append([])
        lists[-1].append(name)
    found = [one for one in lists if len(one) > 1]
    if len(found) != 1 or not any(i in joints for i in range(found[0][0][1], found[0][-1][0])):
        return []
    return found[0]
