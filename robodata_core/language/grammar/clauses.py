"""Truths that are asked for in one question: "Does X border Y and Z?" asks for two.

So does "which of X, Y and Z is perishable": whether it is so is asked of each that is offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from robodata_core.language.grammar._frames import Word, frames_of, words_in
from robodata_core.language.grammar.framing import as_question
from robodata_core.language.grammar.operators import open_grammar
from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.text import Text, read_text

__all__ = ["Alternatives", "alternatives", "truths"]

#: Words of a clause at least; names of a list, and truths, at most.
_LEAST: Final = 3
_MOST: Final = 4
#: Things that are offered at most, and words before a list that a sentence begins with.
_OFFERED: Final = 8
_LEADING: Final = 2
#: Words between what asks and its verb at most ("which one of these").
_ASKING: Final = 4


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What a question offers to choose from, and what it asks of each.

    Attributes:
        asked: The question with what is offered behind what asks for it ("which of X and Y ...").
        judged: By what is offered, as written, the question whether it is so.
        denied: Whether those are wanted of which it is not so.
        counted: Whether it is asked how many they are.
        open: Whether what is offered may be part of a longer list, which is no choice.
    """

    asked: str
    judged: dict[str, str]
    denied: bool
    counted: bool
    open: bool


def alternatives(
    text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon
) -> Alternatives | None:
    """Return what a question offers to choose from, or None where it does not.

    That stands before what is asked ("X, Y, Z: which ..."), behind it ("which ..., X or Y?") or
    within ("which of X and Y ...").

    Args:
        text: A question.
        names: Where names begin and end in it, in tokens.
        lexicon: Of its language.
    """
    tokens, grammar = text.tokens, open_grammar(lexicon)
    joints = [
        i for i, token in enumerate(tokens)
        if grammar.is_a("intersection", token.norm) or grammar.is_a("union", token.norm)
    ]  # fmt: skip
    whole = _listed(text, names, joints, bare=True)
    # What is asked may end in a name: "which is perishable, X or Y".
    ways = ((one, _beside(text, one, lexicon)) for one in (whole, whole[1:]) if len(one) > 1)
    listed, clause = next((way for way in ways if way[1]), ([], []))
    lead = [word for word, *_ in clause[:1] if lexicon.kind(word) == "preposition"]
    asking, *rest = clause[len(lead) :] or [("", 0, 0)]
    if lexicon.kind(asking[0]) != "question" or not rest:
        return None
    counted = any(kind == "count" for kind, _ in grammar.operators((asking[0], rest[0][0])))
    said = _predicate(rest[counted:], lexicon)
    frames = frames_of(lexicon.language)
    if not said or len(listed) > _OFFERED or any(norm in frames.pronouns for norm, *_ in said):
        return None  # "X and Y: what do they share" is of both.
    denied = any(grammar.is_a("negation", norm) for norm, *_ in said)
    helper = _helper(said[0][0], lexicon)
    helper = " ".join(frames.copula) if (helper,) == frames.plural else helper
    words = [
        text.written(at, after) for norm, at, after in said[bool(helper) :]
        if not grammar.is_a("negation", norm)
    ]  # fmt: skip
    done_to = bool(helper and words) and lexicon.kind(words[0].lower()) == "pronoun"
    judged = {}
    for name in (text.written(*one) for one in listed):
        about = [*words, *lead, name] if done_to else [name, *words, *lead]
        truth = " ".join(about)
        judged[name] = f"{helper} {truth}" if helper else as_question(read_text(truth), lexicon)
        if helper in frames.owning and not done_to and lexicon.kind(words[0].lower()) == "article":
            judged[name] = " ".join([*frames.support, name, frames.owning[0], *words])
    *most, last = judged
    offered = [*frames.choice, ", ".join(most), *frames.joint, last]
    if counted:  # "How many of X and Y ..."
        offered[: len(frames.choice) - 1] = (asking[0], rest[0][0])
    asked = " ".join([*lead, *offered, *(text.written(at, after) for _, at, after in said)])
    return Alternatives(asked, judged, denied, counted, len(listed) < len(whole))


def _beside(text: Text, listed: Sequence[tuple[int, int]], lexicon: Lexicon) -> list[Word]:
    """Return the words of the clause that asks about a list, or nothing where it is part of one."""
    first, last = listed[0][0], listed[-1][1]
    words = words_in(text)
    before = [word for word in words if word[2] <= first]
    behind = [word for word in words if word[1] >= last]
    kinds = [lexicon.kind(norm) for norm, *_ in before]
    if not behind:
        return before if before and not text.tokens[first - 1].is_word else []
    parted = not text.tokens[last].is_word or lexicon.kind(behind[0][0]) == "question"
    if len(before) <= _LEADING and not {"question", "auxiliary"} & set(kinds):
        return behind if parted else []
    within = kinds[-1] == "preposition" and "question" in kinds[:2]
    return [*before[:-1], *behind] if within else []


def _predicate(words: Sequence[Word], lexicon: Lexicon) -> Sequence[Word]:
    """Return what is said of what is asked for: all from its verb on."""
    for at, (norm, *_) in enumerate(words[:_ASKING]):
        if _helper(norm, lexicon):
            nouns = sum(not lexicon.is_small(word) for word, *_ in words[:at])
            return words[at:] if nouns <= 1 else ()
    small = takewhile(lambda word: lexicon.is_small(word[0]), words)
    return words[len(list(small)) :]


def _helper(word: str, lexicon: Lexicon) -> str:
    """Return the auxiliary that a word is, or that it denies ("isnt"); "" for any other."""
    if lexicon.kind(word) == "auxiliary":
        return word
    denies = open_grammar(lexicon).is_a("negation", word)
    parts = (word[:end] for end in range(len(word) - 1, 1, -1) if denies)
    return next((part for part in parts if lexicon.kind(part) == "auxiliary"), "")


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
    text: Text, names: Sequence[tuple[int, int]], joints: Sequence[int], *, bare: bool = False
) -> list[tuple[int, int]]:
    """Return the names of the only list that stands in a text; a bare one may be without "and"."""
    lists: list[list[tuple[int, int]]] = [[]]
    for name in sorted(names):
        one = lists[-1]
        between = range(one[-1][1], name[0]) if one else range(0)
        joined = all(i in joints or text.tokens[i].text == "," for i in between)
        if one and (not joined or not between):
            lists.append([])
        lists[-1].append(name)
    found = [one for one in lists if len(one) > 1]
    if len(found) != 1:
        return []
    joined = any(i in joints for i in range(found[0][0][1], found[0][-1][0]))
    return found[0] if joined or bare else []
