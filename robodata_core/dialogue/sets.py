"""Words that point back to sets: "which of them", "both of them", "which are", "who is the oldest".

Single things and pronouns are the business of ``anaphora``, which takes these edits first.
"""

from __future__ import annotations

import re
from typing import Final

from robodata_core.dialogue._words import ORDINALS
from robodata_core.dialogue.degrees import choice_in, compares, counts_most, picks, ranged
from robodata_core.dialogue.editing import Editor, Undecided
from robodata_core.dialogue.elided import is_participle
from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import name_of, names_of, set_of
from robodata_core.dialogue.referents import Found
from robodata_core.policy.offline.tables import superlatives
from robodata_core.policy.offline.words import ARTICLES, AUXILIARIES, BE, HAVING, NUMBERS, singular

__all__ = ["edit_sets"]

_OF_THEM: Final = re.compile(
    r"\b(?P<either>either\s+)?(?:of|among|amongst|from|out of)\s+(?:all\s+(?:of\s+)?)?"
    rf"(?P<word>them|both|(?:the|those|these) (?P<number>{'|'.join(NUMBERS)})|those|these)\b"
    r"(?:\s+(?P<noun>\w+))?",
    re.IGNORECASE,
)
_CALLED: Final = frozenset({"people", "persons", "ones", *NUMBERS})
_BOTH: Final = re.compile(r"\b(?:(?:both|all) of (?:them|those|these)|they both)\b", re.IGNORECASE)
_WHICH_ONES: Final = re.compile(r"^(?P<word>which|who) (?P<ones>ones?\b ?)", re.IGNORECASE)
_OF_NOUN: Final = re.compile(
    r"\b(?P<ask>which|who|how many|any|some|one) (?P<of>of|among) (?:the|these|those) "
    r"(?P<noun>\w+)\b(?! (?:of|in|from|by|with)\b)",
    re.IGNORECASE,
)
_ONES_WHO: Final = re.compile(
    r"^(?:name|list|show|give|tell)(?: me)? (?:only |just )?the ones (?:who|that|which) ",
    re.IGNORECASE,
)
_ASKS_MOST: Final = re.compile(
    r"(?:who|which|what)(?: one)? (?:is|are|was|were) the (?P<most>\w+(?: \w+)?)\s*\?*",
    re.IGNORECASE,
)


def edit_sets(editor: Editor) -> None:
    """Put sets for the words that point to one: "which of them", "who is the oldest"."""
    text = editor.read.text
    if choice_in(editor.read):
        return  # "Which of the two is larger, X or Y?" says itself which.
    for match in _BOTH.finditer(text):
        _put_several(editor, match.start(), match.end(), match[0], pair=True)
    for match in _OF_THEM.finditer(text):
        noun = (match["noun"] or "").lower()
        number = NUMBERS.get((match["number"] or "").lower(), 0)
        called = noun in _CALLED or number and _is_plural(editor.read, match.start("noun"))
        end = match.end() if called else match.end("word")
        if editor.free(match.start("word"), end):
            many = 2 if match["either"] or match["word"].lower() == "both" else number
            _put_set(editor, match, end, many, noun)
    _which_ones(editor)
    _bare_which(editor)
    _noun_before(editor)
    _superlative(editor)
    _the_ones(editor)
    for match in _OF_NOUN.finditer(text):
        start, end = match.end("of") + 1, match.end()
        noun = match["noun"].lower()
        if noun in ORDINALS or not editor.free(start, end) or singular(noun) == noun:
            continue
        found = editor.referents.noun(noun)
        if found is not None and len(found.ids) > 1:
            editor.put(start, end, set_of(found.ids, noun), found, f"the {noun}")


def _which_ones(editor: Editor) -> None:
    """Read "which one is the oldest" as "which of them"."""
    match = _WHICH_ONES.match(editor.read.text)
    if match is None or editor.edits:
        return
    start, end = match.span("ones")
    two = compares(editor.read) and not editor.read.proper() and editor.referents.run(2)
    found = editor.again or editor.referents.group()
    if two:
        _put_choice(editor, start, end, two, match[0])
    elif found is not None:
        editor.put(start, end, f"of {set_of(found.ids)} ", found, match[0].strip())


def _is_plural(read: Read, start: int) -> bool:
    """Tell whether a plural noun stands at a place: "the two countries", but not "the two play"."""
    at = next((i for i, token in enumerate(read.tokens) if token.start == start), -1)
    word = read.tokens[at].norm if at >= 0 else ""
    verb = any(m.start == at and m.reading.kind == "verb" for m in read.matches)
    return singular(word) != word and word not in AUXILIARIES and not verb


def _put_set(editor: Editor, match: re.Match[str], end: int, many: int, noun: str) -> None:
    referents, start = editor.referents, match.start("word")
    word = editor.read.text[match.start() : end]
    found = (referents.run(many) if many else None) or referents.group() or referents.run(2)
    if found is None:
        raise Undecided(word, start, end)
    if len(found.ids) == 2 and compares(editor.read):
        if counts_most(editor.read):
            _put_choice(editor, match.start(), end, found, word)
            return
        text = names_of(found.ids, editor.knowledge)
    else:
        text = set_of(found.ids, noun if noun == "people" else "")
    if match["either"]:
        start, text = match.start(), f"any of {text}"
    editor.put(start, end, text, found, word)


def _put_choice(editor: Editor, start: int, end: int, found: Found, word: str) -> None:
    """Ask "which has more people, A or B", where the two are told apart by what is counted."""
    names = [name_of(id_, editor.knowledge) for id_ in found.ids]
    last = len(editor.read.text.rstrip(" ?!."))
    editor.put(start, end, "", found, word.strip())
    editor.put(last, last, f", {' or '.join(names)}", found, word.strip())


def _put_several(editor: Editor, start: int, end: int, word: str, *, pair: bool = False) -> None:
    if not editor.free(start, end):
        return
    found = editor.referents.both() if pair else None
    found = editor.resolved(found or editor.referents.several(), word, start, end)
    text = names_of(found.ids, editor.knowledge)
    editor.put(start, end, text, found, word)


def _bare_which(editor: Editor) -> None:
    """Read "which play the guitar", "how many are in Asia" as "of them": no noun follows."""
    tokens = editor.read.tokens
    at = 2 if [t.norm for t in tokens[:2]] == ["how", "many"] else 1
    if editor.edits or len(tokens) < at + 2 or not tokens[at].word:
        return
    who = tokens[0].norm == "who" and _picks_of_people(editor)
    if not who and tokens[at - 1].norm not in ("which", "many"):
        return
    if tokens[at + 1].norm in ("there", "they"):
        return
    verbs = [m for m in editor.read.matches if m.start == at and m.reading.kind in ("verb", "adj")]
    ends = any(token.norm != singular(token.norm) for token in tokens[at : at + 2])
    bent = ends or is_participle(tokens[at + 1].norm)  # but "which play live music"
    after = any(m.start == at + 1 and m.reading.kind == "verb" for m in editor.read.matches)
    if tokens[at + 1].norm in AUXILIARIES or (bent and after):
        verbs = []  # "which films star", "which film won": what may be a verb is a noun before one
    if not verbs and tokens[at].norm not in BE | {"have", "has", "had"}:
        return
    noun = _own_noun(editor.read, at + 1) if tokens[at].norm in BE else ""
    if noun and editor.read.proper():
        return  # "which is the largest city in Canada" says among what to look
    found = editor.again or editor.referents.group()
    if noun:
        found = editor.referents.set_of(noun)
    if found is not None:
        end = tokens[at - 1].end
        editor.put(end, end, f" of {set_of(found.ids)}", found, editor.read.text[:end])


def _picks_of_people(editor: Editor) -> bool:
    """Tell whether "who has the most children" picks from people whom the last answer gave."""
    read = editor.read
    having = read.tokens[1].norm in HAVING
    return having and picks(read) and not read.proper() and editor.referents.given("people")


def _own_noun(read: Read, at: int) -> str:
    """Return the noun of "the longest river" at a token; nothing for "the longest"."""
    tokens = read.tokens
    if at >= len(tokens) or tokens[at].norm not in ARTICLES:
        return ""
    focus = sorted(i for request in read.question.requests for i in request.focus if i > at)
    phrase = tuple(tokens[i].norm for i in focus)
    return "" if not phrase or phrase in superlatives() or phrase[-1] in ORDINALS else phrase[-1]


def _noun_before(editor: Editor) -> None:
    """Read "which film is the longest" as "of them" where the last answer gave films.

    "Which film has the largest budget?" says all that it asks, as "the longest" does not.
    """
    read, noun = editor.read, ranged(editor.read)
    if editor.edits or read.proper() or len(noun) != 1 or noun.start != 1:
        return
    is_, *most = [token.norm for token in read.tokens[noun.stop :] if token.word] or [""]
    most = most[1:] if most[:1] and most[0] in ARTICLES else most
    word = read.tokens[noun.start]
    if is_ not in BE or tuple(most) not in superlatives() or not editor.referents.given(word.norm):
        return
    found = editor.referents.set_of(word.norm)
    if found is not None:
        editor.put(word.start, word.end, f"of {set_of(found.ids)}", found, read.text[: word.end])


def _superlative(editor: Editor) -> None:
    """Read "who is the oldest" as "of them": it says of no others."""
    match = _ASKS_MOST.fullmatch(editor.read.text.strip())
    if match is None or editor.edits or tuple(match["most"].lower().split()) not in superlatives():
        return
    found = editor.again or editor.referents.group()
    if found is not None:
        end = match.end("most")
        editor.put(end, end, f" of {set_of(found.ids)}", found, f"the {match['most']}")


def _the_ones(editor: Editor) -> None:
    """Turn "name the ones who are married" into "which of them are married"."""
    match = _ONES_WHO.match(editor.read.text)
    found = editor.referents.group() if match is not None else None
    if match is not None and found is not None:
        editor.put(match.start(), match.end(), f"Which of {set_of(found.ids)} ", found, "the ones")
