"""Words that point back, replaced by what they point to: "her", "there", "them", "that country".

Each replacement is an edit of a place in the text with the reason for it. Nothing is replaced
inside a name or a quotation, nor where the question itself says what a pronoun stands for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Final

from robodata_core.dialogue._words import (
    BACK,
    ORDINALS,
    POSSESSIVES,
    REFLEXIVE,
    called_alike,
    words,
)
from robodata_core.dialogue.degrees import choice_in
from robodata_core.dialogue.editing import Edit, Editor, Undecided
from robodata_core.dialogue.elided import is_participle
from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import name_of, names_of, set_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.dialogue.referents import Found, Referents
from robodata_core.dialogue.sets import edit_sets
from robodata_core.policy.offline.words import (
    AUXILIARIES,
    BE,
    COPULAS,
    FUNCTION_WORDS,
    HAVING,
    PREPOSITIONS,
    WH_WORDS,
    Token,
    singular,
)

__all__ = ["edited", "pointing"]

_ORDINAL: Final = re.compile(
    rf"\b(?:the\s+)?(?P<word>{'|'.join(ORDINALS)})(?P<one>\s+one\b|\s+of\s+(?:them|those|these)\b|(?=\s*\?*$))",
    re.IGNORECASE,
)
_FORMER: Final = re.compile(
    r"\b(?:the\s+)?(?P<word>former|latter)\b(?P<one>\s+one\b)?", re.IGNORECASE
)
_THE_OTHER: Final = re.compile(
    r"\bthe\s+other(?:\s+(?:one|two))?(?=\s*[?!.,]*\s*$|\s+(?:then|too|as\s+well)\b)", re.IGNORECASE
)
_DEMONSTRATIVE: Final = re.compile(
    r"\b(?P<det>this|that|these|those|the)\s+(?P<noun>[^\W\d_][\w-]*)\b", re.IGNORECASE
)
_ELSE: Final = re.compile(r"\b(?P<wh>who|what|where|which)\s+else\b", re.IGNORECASE)
_OTHER: Final = re.compile(
    r"\b(?P<wh>which|what)\s+other\s+(?P<noun>[^\W\d_][\w-]*)", re.IGNORECASE
)
_CLAUSES: Final = frozenset({"where", "when", "that", "who", "which", "while", "and"})
_TELLING_WHICH: Final = WH_WORDS | {"of", "in", "for", "by", "with", "that"}
"""Words that say which one is meant: "the country whose capital is Rome" points to nothing."""
_SEVERAL: Final = words("several")
_MOST_BESIDES: Final = 3
_FEW_WORDS: Final = 2


def pointing(read: Read) -> list[Token]:
    """Return the words that point back to earlier questions, in order."""
    found: list[Token] = []
    names = read.proper()
    for at, token in enumerate(read.tokens):
        if token.norm not in BACK or not _outside(read, token):
            continue
        if token.norm == "there" and not _is_place(read.tokens, at):
            continue
        if token.norm == "both" and not _stands_alone(read.tokens, at):
            continue
        if token.norm in ("these", "those") and any(
            n.whole and n.start == token.start for n in names
        ):
            continue
        if token.norm in REFLEXIVE and (found or names and names[0].end <= token.start):
            continue  # It stresses what was said: "does he appear himself".
        if token.norm in _SEVERAL and (_of_set(read, token) or choice_in(read)):
            continue
        if not (_said_within(read, at) or _is_of_subject(read.tokens, at)):
            found.append(token)
    return found


def _of_set(read: Read, token: Token) -> bool:
    """Tell whether a word for several takes up the set asked of: "those with X in them"."""
    before = [t for t in read.tokens if t.end <= token.start]
    whole = any(name.whole and name.end <= token.start for name in read.names)
    return whole or any(
        one.norm == "of" and other.norm in _SEVERAL for one, other in itertools.pairwise(before)
    )


def _is_of_subject(tokens: tuple[Token, ...], at: int) -> bool:
    """Tell whether whose it is stands before "have": "which country has Rome as its capital"."""
    before = [token.norm for token in tokens[:at]]
    has = tokens[at].norm in POSSESSIVES and before[-1:] == ["as"]
    return has and not HAVING.isdisjoint(before)


def _outside(read: Read, token: Token) -> bool:
    inside = any(n.start <= token.start < n.end for n in read.proper())
    return not inside and not any(
        read.tokens[q.start].start <= token.start < read.tokens[q.end - 1].end
        for q in read.question.quotes
    )


def _is_place(tokens: tuple[Token, ...], at: int) -> bool:
    """Tell whether "there" is a place, not the "there" of "are there any"."""
    before = tokens[at - 1].norm if at else ""
    after = tokens[at + 1].norm if at + 1 < len(tokens) and tokens[at + 1].word else ""
    return before not in BE and after not in BE | {"any", "a", "an", "some"}


def _stands_alone(tokens: tuple[Token, ...], at: int) -> bool:
    """Tell whether "both" is no part of "both X and Y"."""
    after = tokens[at + 1].norm if at + 1 < len(tokens) and tokens[at + 1].word else ""
    return not after or after in AUXILIARIES or after == "of"


def _said_within(read: Read, at: int) -> bool:
    """Tell whether a name before the pronoun, in another clause, says what it stands for."""
    token = read.tokens[at]
    before = [name for name in read.proper() if name.end <= token.start]
    if not before:
        return False
    last = before[-1].end
    between = [t.norm for t in read.tokens if last <= t.start < token.start]
    return bool(_CLAUSES & set(between))


def edited(
    read: Read, referents: Referents, knowledge: Knowledge, again: Found | None = None
) -> list[Edit]:
    """Return the edits that make a question stand alone; none where it does.

    Args:
        read: The question.
        referents: Finds what words point to.
        knowledge: What is known.
        again: The set that the last question was asked of, where this one goes on from it.

    Raises:
        Undecided: If a word may mean several things, or nothing that was said.
    """
    editor = Editor(read, referents, knowledge, again)
    try:
        for step in _STEPS:
            step(editor)
    except Undecided as unclear:
        unclear.text = read.text
        raise
    return sorted(editor.edits, key=lambda edit: edit.start)


# -- single things --------------------------------------------------------------------------------


def _ordered(editor: Editor) -> None:
    for match in _FORMER.finditer(editor.read.text):
        found = editor.referents.ordered(match["word"].lower() == "latter")
        found = editor.resolved(found, match[0], match.start(), match.end())
        text = name_of(found.ids[0], editor.knowledge)
        editor.put(match.start(), match.end(), text, found, match[0])
    for match in _THE_OTHER.finditer(editor.read.text):
        if editor.free(match.start(), match.end()):
            found = editor.referents.other()
            found = editor.resolved(found, match[0], match.start(), match.end())
            text = name_of(found.ids[0], editor.knowledge)
            editor.put(match.start(), match.end(), text, found, match[0])
    for match in _ORDINAL.finditer(editor.read.text):
        of = match["one"].split()[:1] == ["of"]
        if not (match["one"] or editor.read.text[match.start() :].lower().startswith("the ")):
            continue
        found = editor.referents.member(ORDINALS[match["word"].lower()])
        if found is None:
            if of or match["one"]:
                raise Undecided(match[0], match.start(), match.end())
            continue
        if editor.free(match.start(), match.end()):
            text = name_of(found.ids[0], editor.knowledge)
            editor.put(match.start(), match.end(), text, found, match[0].strip())


def _demonstratives(editor: Editor) -> None:
    read = editor.read
    for match in _DEMONSTRATIVE.finditer(read.text):
        det, noun = match["det"].lower(), match["noun"].lower()
        if not editor.free(match.start(), match.end()) or not _may_point(editor, match):
            continue
        if det != "the" and (is_participle(noun) or _said_of(editor.read.text, match)):
            continue  # "Is that made of glass?", "Is that breakable?"
        if det == "the" and _asked(editor, match):
            continue
        found = editor.referents.noun(noun)
        if found is None and (det in ("this", "that") or called_alike(noun)):
            found = editor.referents.thing(singular(noun) in words("place_class"))
            found = editor.resolved(found, match[0], match.start(), match.end())
        if found is None or not found.ids:
            continue
        many = len(found.ids) > 1
        text = set_of(found.ids, noun) if many else name_of(found.ids[0], editor.knowledge)
        editor.put(match.start(), match.end(), text, found, match[0])


def _said_of(text: str, match: re.Match[str]) -> bool:
    """Tell whether a word is all that a question says of "that"."""
    before, after = text[: match.start()].split(), text[match.end() :].strip(" ?!.")
    return not after and len(before) == 1 and before[0].lower() in AUXILIARIES


def _asked(editor: Editor, match: re.Match[str]) -> bool:
    """Tell whether a noun is what is asked for: "Who is the director?"."""
    text = editor.read.text
    before = text[: match.start()].lower().split()
    ends = not text[match.end() :].strip(" ?!.")
    return ends and len(before) >= 2 and before[-2] in WH_WORDS and before[-1] in COPULAS


def _may_point(editor: Editor, match: re.Match[str]) -> bool:
    """Tell whether a noun with "the" or "that" may name something said before."""
    noun = match["noun"].lower()
    rest = editor.read.text[match.end() :].split()
    following = rest[0].lower().strip("?!.,") if rest else ""
    if noun in FUNCTION_WORDS | AUXILIARIES and noun not in ("person", "people", "place"):
        return False
    if any(_next_to(editor.read.text, match.end(), name.start) for name in editor.read.proper()):
        return False  # "the novel Dracula" says which one
    if match["det"].lower() != "the":
        return True
    bare = following not in _TELLING_WHICH
    last = any(m.start < len(editor.read.tokens) for m in editor.read.matches)
    named = any(name.end <= match.start() for name in editor.read.proper())
    return bare and not named and (last or bool(following))


def _next_to(text: str, end: int, start: int) -> bool:
    """Tell whether nothing but space stands between two places."""
    return end < start and text[end:start].isspace()


def _pronouns(editor: Editor) -> None:
    for token in pointing(editor.read):
        if not editor.free(token.start, token.end):
            continue
        word = token.norm
        found = editor.resolved(editor.referents.pronoun(word), token.text, token.start, token.end)
        if word in POSSESSIVES and not (word == "her" and not _noun_follows(editor.read, token)):
            _put_possessive(editor, token, found)
            continue
        # Whether two share something is not told by which of them do.
        named = len(found.ids) == 1 or (len(found.ids) == 2 and editor.read.mutual)
        text = names_of(found.ids, editor.knowledge) if named else set_of(found.ids)
        before = [one.norm for one in editor.read.tokens if one.end <= token.start][-1:]
        if word == "there" and not {*before} & PREPOSITIONS:
            text = f"in {text}"
        if word in ("his", "hers", "theirs"):
            text += "'s"
        editor.put(token.start, token.end, text, found, token.text)
    _that(editor)


def _noun_follows(read: Read, token: Token) -> bool:
    following = read.tokens[read.tokens.index(token) + 1 :][:1]
    return any(one.word and one.norm not in FUNCTION_WORDS for one in following)


def _put_possessive(editor: Editor, token: Token, found: Found) -> None:
    """Turn "his wife" into "the wife of X"; "X's ..." where the phrase is not known."""
    read = editor.read
    at = read.tokens.index(token)
    nouns = [m for m in read.nouns() if m.start in (at, at + 1) and m.end > at + 1]
    after = [one.start for one in read.tokens[at + 1 :][:1]]
    names = [name for name in read.names if name.start in after and not name.proper]
    many = len(found.ids) > 1
    whose = set_of(found.ids) if many else name_of(found.ids[0], editor.knowledge)
    end = read.tokens[nouns[0].end - 1].end if nouns else names[0].end if names else 0
    if end:
        phrase = read.text[read.tokens[at + 1].start : end]
        editor.put(token.start, end, f"the {phrase} of {whose}", found, token.text)
    else:
        editor.put(token.start, token.end, f"{whose}'s", found, token.text)


def _that(editor: Editor) -> None:
    """Resolve "that" and "this" that no noun follows: "what else is made of that?"."""
    words = [token for token in editor.read.tokens if token.word]
    ends = words[-1:] if len(words) > _FEW_WORDS else []
    begins = [words[1]] if len(words) > _FEW_WORDS and words[0].norm in AUXILIARIES else []
    for token in dict.fromkeys((*ends, *begins)):
        if token.norm not in ("that", "this") or not editor.free(token.start, token.end):
            continue
        found = editor.referents.pronoun("it")
        found = editor.resolved(found, token.text, token.start, token.end)
        text = name_of(found.ids[0], editor.knowledge)
        editor.put(token.start, token.end, text, found, token.text)


def _others(editor: Editor) -> None:
    """Turn "who else" into "who besides X", where X was asked about."""
    text = editor.read.text
    for match in (*_ELSE.finditer(text), *_OTHER.finditer(text)):
        noun = match["noun"].lower() if "noun" in match.re.groupindex else ""
        pointed = frozenset(id_ for edit in editor.edits for id_ in edit.ids)
        known = editor.referents.known_already(match["wh"].lower(), noun, pointed)[:_MOST_BESIDES]
        if not known or not editor.free(match.start(), match.end()):
            continue
        besides = f"besides {names_of(known, editor.knowledge)}"
        wh = f"{match['wh']} {match['noun']}" if noun else match["wh"]
        found = Found(known)
        editor.put(match.start(), match.end(), f"{wh} {besides}", found, "else")


_STEPS: Final[tuple[Callable[[Editor], None], ...]] = (
    edit_sets, _ordered, _demonstratives, _pronouns, _others,
)  # fmt: skip
