"""What people say around a question: "can you tell me ...", "..., right?".

It is taken off before anything else is read, so that no other part has to know it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from robodata_core.language.grammar._frames import (
    Word,
    Words,
    frames_of,
    is_marked,
    matches_in,
    words_in,
)
from robodata_core.language.grammar.frame_model import Core, open_frame_model
from robodata_core.language.grammar.operators import open_grammar
from robodata_core.language.lexicon.lexicon import Lexicon, open_lexicon
from robodata_core.language.text import Text, read_text
from robodata_core.question import BOUND_IDS

__all__ = [
    "Framed",
    "after_own",
    "as_question",
    "asked_straight",
    "evened",
    "in_context",
    "resumed",
    "spelled",
    "stranded",
    "stripped",
    "unframed",
    "unfronted",
    "untitled",
    "without_number",
]

#: Least probability of what is asked where a text says more.
_FRAMED: Final = 0.6
#: Least words of a question, and of a phrase before it.
_ASKED: Final = 3
_PHRASE: Final = 2
#: Most letters of what may be an acronym, however a text is written.
_ACRONYM: Final = 5
_NO_ID: Final = re.compile(r"\b(?![QP][0-9]+\b)\w+")
#: Most digits of a number of things that somebody takes for granted; years have more.
_DIGITS: Final = 2
_PARTING: Final = frozenset(",;:-\u2013\u2014")
_ENDING: Final = frozenset(".!?")
#: What nothing that is spoken of begins or ends with.
_NO_SUBJECT: Final = frozenset(["question", "auxiliary", "preposition", "conjunction"])


@dataclass(frozen=True, slots=True)
class Framed:
    """A text without its frame.

    Attributes:
        text: What is left.
        judges: Whether the frame asks if what is left is true.
    """

    text: Text
    judges: bool = False


def unframed(text: Text, language: str) -> Framed:
    """Return a text without what stands around the question, and what that asks for.

    Where the question begins and ends is learned (``frame_model``).
    """
    return _unframed(text.raw, language)


@lru_cache(maxsize=64)
def _unframed(raw: str, language: str) -> Framed:
    text = spelled(read_text(raw), language)
    model = open_frame_model(language)
    core = model.core(text) if model is not None else None
    if core is None or core.probability < _FRAMED:
        return Framed(text)
    lexicon = open_lexicon(language)
    norms = text.norms(core.start, core.end)
    left = (*text.norms(0, core.start), *text.norms(core.end, len(text.tokens)))
    if not left or not norms:
        return Framed(text)
    beside = {*text.norms(max(core.start - 1, 0), core.start), *text.norms(core.end, core.end + 1)}
    begins = norms[:1] if core.start else ()
    if any(map(lexicon.operator, (*beside, *begins))):
        return Framed(text)  # "Name every city": such words are of what they stand beside.
    named = any(not core.start <= mark.start < mark.end <= core.end for mark in text.marked)
    kinds = [lexicon.kind(norm) for norm in norms]
    asks = kinds[0] != "preposition" or not {"question", "auxiliary"}.isdisjoint(kinds)
    if named or not asks or all(map(lexicon.is_small, norms)):
        return Framed(text)
    said = _said_around(text, core, lexicon)
    if _points_back(text, core, lexicon) and not all(map(lexicon.is_small, (*said[0], *said[1]))):
        return Framed(text)
    if core.form == "statement" and _denies(*said, lexicon):
        return Framed(text)  # "Nobody says that it is so", "is it a myth that".
    signs = not any(token.is_word for token in text.tokens[core.end :])
    asked = read_text(text.written(core.start, len(text.tokens) if signs else core.end))
    return Framed(asked, core.form == "statement" and not _asks_something(kinds))


def _asks_something(kinds: Sequence[str]) -> bool:
    """Tell whether words ask for something: "X has how many children", but not "those who"."""
    behind = zip(("auxiliary", *kinds), kinds, strict=False)
    return any(one == "question" and before == "auxiliary" for before, one in behind)


def _points_back(text: Text, core: Core, lexicon: Lexicon) -> bool:
    """Tell whether the first sentence of what is asked may speak of what is said before it.

    So do "it" and "that country", but not "the country that", nor "it" behind a name.
    """
    frames = frames_of(lexicon.language)
    points = frames.pronouns | frames.owners | frames.places.keys()
    before = ""
    for token in text.tokens[core.start : core.end]:
        if token.text in _ENDING or (before and token.is_word and token.text[0].isupper()):
            break
        shown = token.norm in frames.shown and (not before or lexicon.is_small(before))
        if shown or token.norm in points:
            return True
        before = token.norm
    return False


def _said_around(text: Text, core: Core, lexicon: Lexicon) -> tuple[list[str], list[str]]:
    """Return the words before and behind what is asked, without what asks for a verdict."""
    verdicts, words = frames_of(lexicon.language).verdicts, words_in(text)
    before = [norm for norm, _, after in words if after <= core.start]
    behind = [norm for norm, at, _ in words if at >= core.end]
    for said in (before, behind):
        for at, end in reversed([*matches_in(said, verdicts)]):
            del said[at:end]
    return before, behind


def _denies(before: Sequence[str], behind: Sequence[str], lexicon: Lexicon) -> bool:
    """Tell whether what is said around a statement denies it; a tag asks only: "isn't it"."""
    tag = all(lexicon.is_small(norm) or lexicon.operator(norm) for norm in behind)
    around = f" {' '.join((*before, *behind))} "
    undone = any(f" {phrase} " in around for phrase in lexicon.said("undoing"))
    said = before if tag else (*before, *behind)
    return undone or any(lexicon.operator(norm) == "denial" for norm in said)


def spelled(text: Text, language: str) -> Text:
    """Return a text with what people type in haste as it is written: "whats" is "what's"."""
    frames = frames_of(language)
    return _written_out(_spelled(evened(text, language), frames.typed), frames.clipped)


def evened(text: Text, language: str) -> Text:
    """Return a text in small letters where its capitals tell nothing.

    That is so where all of it is in capitals, and where every word begins with one as in a
    headline, those that only build the sentence too.

    Args:
        text: A question.
        language: Of its words.
    """
    words = [token for token in text.tokens if token.text[0].isalpha() and not token.possessive]
    is_small = open_lexicon(language).is_small
    owned = any(token.possessive for token in text.tokens)
    built = owned or (len(words) > _PHRASE and any(is_small(token.norm) for token in words))
    headline = built and all(token.text[0].isupper() for token in words)
    shouted = len(words) > 1 and max(len(token.text) for token in words) > _ACRONYM
    if not headline and not (shouted and all(token.text.isupper() for token in words)):
        return text
    return read_text(_NO_ID.sub(lambda word: word[0].lower(), text.raw))


def as_question(text: Text, lexicon: Lexicon) -> str:
    """Return a statement with an auxiliary before all else, as it is asked whether it is so."""
    words = [(norm, at) for norm, at, after in words_in(text) if not is_marked(text, at, after)]
    at = next((at for norm, at in words if lexicon.kind(norm) == "auxiliary"), -1)
    if at < 0 and not any(lexicon.operator(norm) for norm, _ in words):
        return " ".join((*frames_of(lexicon.language).support, text.raw)) if words else text.raw
    if at < 1:
        return text.raw
    before, after = text.written(0, at), text.written(at + 1, len(text.tokens))
    return f"{text.tokens[at].text} {before} {after}"


def asked_straight(text: Text, lexicon: Lexicon) -> str:
    """Return what somebody wants to know as it is asked: "what pillows are for"; "" otherwise.

    So is "where the apple is", but not "which cities are capitals", which asks as it stands.
    """
    words = words_in(text)
    kinds = [lexicon.kind(norm) for norm, _, _ in words]
    at = next((n for n, kind in enumerate(kinds) if kind == "auxiliary"), 0)
    if at < _PHRASE or kinds[0] != "question" or {*kinds[1:at]} & _NO_SUBJECT:
        return ""
    behind = {*kinds[at + 1 :]}
    if behind - {"preposition"} or not (behind or kinds[1] == "article"):
        return ""
    order = [0, at, *range(1, at), *range(at + 1, len(words))]
    return " ".join(text.written(*words[n][1:]) for n in order)


def unfronted(text: Text, lexicon: Lexicon) -> str:
    """Return a question with what stands before it put behind it; "" where nothing does.

    "For making coffee, what do people use?" asks what they use for making coffee.
    """
    commas = (i for i, token in enumerate(text.tokens) if token.text == ",")
    at = next((i for i in commas if not is_marked(text, i, i + 1)), 0)
    words = words_in(text)
    before = [word for word in words if word[1] < at]
    behind = [word for word in words if word[1] > at]
    if not before or len(behind) < _ASKED:
        return ""
    if lexicon.kind(behind[0][0]) not in ("question", "auxiliary"):
        return ""
    frames = frames_of(lexicon.language)
    begin, end = next(matches_in([word for word, _, _ in before], frames.aim), (-1, 0))
    phrase = text.written(0, at)
    if begin == 0 and end < len(before):
        phrase = " ".join((*frames.purposive, text.written(before[end][1], at)))
    elif lexicon.kind(before[0][0]) != "preposition" or len(before) < _PHRASE:
        return ""
    return f"{text.written(at + 1, behind[-1][2])} {phrase}"


def resumed(text: Text, lexicon: Lexicon) -> str:
    """Return a question with what it begins with where its pronoun stands; "" without one.

    "The author of Emma, where was she born?" asks where the author of Emma was born.
    """
    frames, tokens = frames_of(lexicon.language), text.tokens
    at = next((i for i in range(1, len(tokens) - 1) if _parts_off(text, i)), 0)
    words = words_in(text)
    before = [lexicon.kind(norm) for norm, place, _ in words if place < at]
    behind = [word for word in words if word[1] > at]
    if not before or not behind or {before[0], before[-1]} & _NO_SUBJECT:
        return ""
    if "auxiliary" in before and "question" not in before[: before.index("auxiliary")]:
        return ""  # It says something of its own: "X was a painter, where did he live?"
    if lexicon.kind(tokens[behind[0][1]].norm) not in ("question", "auxiliary"):
        return ""
    if any(norm in frames.pronouns for norm, place, _ in words if place < at):
        return ""
    subject = text.written(0, at)
    if before[0] == "article":
        subject = subject[0].lower() + subject[1:]
    return _named(text, behind, subject, lexicon)


def stranded(text: Text, lexicon: Lexicon) -> str:
    """Return a question with the preposition that it begins with put behind it; "" without one.

    "Of what did X die?" asks what X died of, and no more where than how.
    """
    words = words_in(text)
    kinds = [lexicon.kind(norm) for norm, _, _ in words[:_PHRASE]]
    if kinds != ["preposition", "question"] or len(words) <= _ASKED:
        return ""
    (_, first, after), (_, _, end) = words[0], words[-1]
    return f"{text.written(after, end)} {text.written(first, after).lower()}"


def stripped(text: Text, place: str, language: str) -> tuple[str, str]:
    """Return a text without the phrases of one kind, and those; two empty texts without any.

    A name may have such a word in it ("Apocalypse Now"), so what is written as one stays.

    Args:
        text: The question.
        place: What the table of frames calls the kind: ``now``, ``aside``.
        language: Of the text.
    """
    phrases = dict.fromkeys(frames_of(language).left_out.get(place, frozenset()), "")
    first = next((start for _, start, _ in words_in(text)), 0)
    raw, out = _replaced(
        text, phrases, lambda at: at > first and text.tokens[at].text[:1].isupper()
    )
    return (" ".join(raw.split()), " ".join(out)) if out else ("", "")


def untitled(text: Text, lexicon: Lexicon) -> str:
    """Return a question without the titles before names; "" without any.

    "President Obama" may be known as Barack Obama alone, and "Dr. King" by a longer name.
    """
    titles, words = frames_of(lexicon.language).titles, words_in(text)
    for (norm, start, after), (behind, next_, _) in pairwise(words):
        dotted = "".join(token.text for token in text.tokens[after:next_]) in ("", ".")
        named = dotted and not lexicon.is_small(behind) and not is_marked(text, start, after)
        if norm in titles and named:
            rest = text.written(next_, len(text.tokens))
            return f"{text.written(0, start)} {rest}".strip()
    return ""


def without_number(text: Text, lexicon: Lexicon) -> tuple[str, int]:
    """Return a question without how many it takes for granted that there are, and that number.

    "What are the four official languages of Switzerland" asks for the official languages. With a
    superlative behind it a number asks for more places: "the three largest countries".

    Returns:
        An empty text and 0 where no such number stands in it.
    """
    words = words_in(text)
    for n, (norm, start, after) in enumerate(words[:-1]):
        written = lexicon.number(norm)
        number = int(written or (norm if norm.isdecimal() and len(norm) <= _DIGITS else 0))
        before = lexicon.kind(words[n - 1][0]) if n else "article"
        behind = words[n + 1][0]
        opens = before in ("article", "question") or n == 1
        named = n > 0 and text.tokens[start].text[:1].isupper()
        if number < _PHRASE or not opens or named or is_marked(text, start, after):
            continue
        if lexicon.is_small(behind) or open_grammar(lexicon).degrees("superlative", (behind,)):
            continue
        rest = f"{text.written(0, start)} {text.written(after, len(text.tokens))}"
        return rest.strip(), number
    return "", 0


def after_own(text: Text, lexicon: Lexicon) -> str:
    """Return the question behind what somebody says of themselves; "" where nothing is said.

    "I forgot: who painted the Mona Lisa?" asks who did. What is named before the question may
    change it ("I am in Rome, what is there to see"), and so may what a pronoun stands for.
    """
    words, frames = words_in(text), frames_of(lexicon.language)
    if not words or words[0][0] not in frames.own:
        return ""
    asked = (n for n, (norm, _, _) in enumerate(words) if n and lexicon.kind(norm) == "question")
    at = next(asked, 0)
    before, behind = words[1:at], words[at:]
    if not at or len(behind) < _ASKED or any(norm in frames.owners for norm, _, _ in behind):
        return ""
    named = any(text.tokens[start].text[:1].isupper() for _, start, _ in before)
    if named or any(norm in frames.pronouns | frames.own for norm, _, _ in behind):
        return ""
    return text.written(behind[0][1], len(text.tokens))


def in_context(text: Text, names: Sequence[tuple[int, int]], lexicon: Lexicon) -> str:
    """Return a question with the only name said before it where its pronoun stands; "" without.

    "I'm flying to the Gambia, what money do they use there?" asks what they use in the Gambia.

    Args:
        text: What is said.
        names: Where names begin and end in it, in tokens.
        lexicon: Of its language.
    """
    words = words_in(text)
    own = bool(words) and words[0][0] in frames_of(lexicon.language).own
    for n, (norm, start, _) in enumerate(words):
        asks = lexicon.kind(norm) in ("question", "auxiliary")
        if not n or not asks or len(words) - n < _ASKED or is_marked(text, start, start + 1):
            continue
        joint = words[n - 1][1] if lexicon.kind(words[n - 1][0]) == "conjunction" else start
        signed = joint > 0 and not text.tokens[joint - 1].is_word and _ends_clause(text, joint - 1)
        asked = own and lexicon.kind(norm) == "question"
        if not (signed or asked):
            continue
        if any(lexicon.kind(word) == "question" for word, _, _ in words[:n]):
            return ""  # What was asked before is spoken of, too.
        if all(lexicon.is_small(word) for word, _, _ in words[n:]):
            return ""  # "Who were they?" asks for nothing else.
        before = {text.written(*name) for name in names if name[1] <= start}
        if len(before) != 1 or any(name[1] > start for name in names):
            return ""
        return _named(text, words[n:], before.pop(), lexicon)
    return ""


def _named(text: Text, words: Sequence[Word], name: str, lexicon: Lexicon) -> str:
    """Return some words with a name where their first pronoun stands; "" without one.

    "There" says more of a place than any other does: "what money do they use there".
    """
    frames = frames_of(lexicon.language)
    for n in sorted(range(len(words)), key=lambda n: words[n][0] not in frames.places):
        word, at, after = words[n]
        if word in frames.places and n and lexicon.kind(words[n - 1][0]) == "auxiliary":
            continue  # "which classes are there"
        owns = n + 1 < len(words) and not lexicon.is_small(words[n + 1][0])
        if said := frames.stands_for(word, name, owns):
            begin, end = text.written(words[0][1], at), text.written(after, len(text.tokens))
            return f"{begin} {said} {end}".strip()
    return ""


def _ends_clause(text: Text, at: int) -> bool:
    return text.tokens[at].text in _PARTING | _ENDING


def _parts_off(text: Text, at: int) -> bool:
    """Tell whether a sign parts two clauses; within a word none does."""
    sign, before, behind = text.tokens[at], text.tokens[at - 1], text.tokens[at + 1]
    apart = sign.start > before.end or behind.start > sign.end
    return sign.text in _PARTING and apart and not is_marked(text, at, at + 1)


def _spelled(text: Text, typed: dict[Words, str]) -> Text:
    """Return a text with what people type in haste as it is written: "ppl" is "people"."""
    raw, found = _replaced(text, typed, lambda at: text.tokens[at].acronym or _is_bound(text, at))
    return read_text(raw) if found else text


def _replaced(
    text: Text, phrases: Mapping[Words, str], is_name: Callable[[int], bool]
) -> tuple[str, list[str]]:
    """Return a text with what stands for some phrases in their place, and these as written.

    Args:
        text: The text.
        phrases: What stands for each.
        is_name: Tells of the first token of one whether it is part of a name, and stays.
    """
    places, raw, end, found = words_in(text), "", 0, []
    words = [word for word, _, _ in places]
    for at, after in matches_in(words, phrases.keys()):
        start, stop = places[at][1], places[after - 1][2]
        first = text.tokens[start]
        if first.start < end or is_name(start) or is_marked(text, start, stop):
            continue
        raw += text.raw[end : first.start] + phrases[tuple(words[at:after])]
        end = text.tokens[stop - 1].end
        found.append(text.written(start, stop))
    return raw + text.raw[end:], found


def _is_bound(text: Text, at: int) -> bool:
    """Tell whether a word is part of an id that a name is bound to, and no word of a question."""
    start = text.tokens[at].start
    return any(ids.start() <= start < ids.end() for ids in BOUND_IDS.finditer(text.raw))


def _written_out(text: Text, clipped: frozenset[str]) -> Text:
    """Return a text with the apostrophes that were left out: "whats" is "what's"."""
    places = [
        token.end - 1
        for at, token in enumerate(text.tokens)
        if token.norm in clipped and not (is_marked(text, at, at + 1) or _is_bound(text, at))
    ]
    if not places:
        return text
    ends = [0, *places, len(text.raw)]
    return read_text("'".join(text.raw[a:b] for a, b in pairwise(ends)))
