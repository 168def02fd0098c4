"""What people say around a question: "can you tell me ...", "..., right?".

It is taken off before anything else is read, so that no other part has to know it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from robodata_core.language.grammar.operators import open_grammar
from robodata_core.language.lexicon.lexicon import Lexicon, read_table
from robodata_core.language.text import Text, read_text

__all__ = [
    "Framed",
    "after_own",
    "as_question",
    "asked_straight",
    "done_to",
    "of_abilities",
    "of_means",
    "resumed",
    "stranded",
    "stripped",
    "unframed",
    "unfronted",
    "untitled",
    "without_number",
]

_PACKAGE: Final = "robodata_core.language.grammar"
_LONGEST: Final = 7
_MOST: Final = 4
#: Least words of a question, and of a phrase before it.
_ASKED: Final = 3
_PHRASE: Final = 2
#: Most digits of a number of things that somebody takes for granted; years have more.
_DIGITS: Final = 2
_PARTING: Final = frozenset(",;:-\u2013\u2014")
#: What nothing that is spoken of begins or ends with.
_NO_SUBJECT: Final = frozenset(["question", "auxiliary", "preposition", "conjunction"])

_Words = tuple[str, ...]
#: A word with its first token and the token after.
_Word = tuple[str, int, int]


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
    """Return a text without what stands around the question, and what that asks for."""
    frames = _frames(language)
    text = _written_out(_spelled(text, frames.typed), frames.clipped)
    judges = False
    for _ in range(_MOST):
        cut = _lead(text, frames.lead) or _tail(text, frames.tail)
        if cut is None:
            break
        start, end, truth = cut
        text = read_text(text.written(start, end))
        judges = judges or truth
    return Framed(text, judges)


def as_question(text: Text, lexicon: Lexicon) -> str:
    """Return a statement with an auxiliary before all else, as it is asked whether it is so."""
    words = [(norm, at) for norm, at, after in _words(text) if not _is_marked(text, at, after)]
    at = next((at for norm, at in words if lexicon.kind(norm) == "auxiliary"), -1)
    if at < 0 and not any(lexicon.operator(norm) for norm, _ in words):
        return " ".join((*_frames(lexicon.language).support, text.raw)) if words else text.raw
    if at < 1:
        return text.raw
    before, after = text.written(0, at), text.written(at + 1, len(text.tokens))
    return f"{text.tokens[at].text} {before} {after}"


def done_to(doing: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return what things may be called that something can be done to: "cookable" for "cooking"."""
    suffixes, gerunds = _frames(lexicon.language).endings
    ends = [end for end in gerunds if doing.endswith(end) and " " not in doing]
    if not ends:
        return ()
    stem = doing.removesuffix(ends[0])
    shorter = [stem[:-1]] if stem[-1:] == stem[-2:-1] else []
    return tuple(one + end for one in (stem, f"{stem}e", *shorter) for end in suffixes)


def asked_straight(text: Text, lexicon: Lexicon) -> str:
    """Return what somebody wants to know as it is asked: "what pillows are for"; "" otherwise.

    So is "where the apple is", but not "which cities are capitals", which asks as it stands.
    """
    words = _words(text)
    kinds = [lexicon.kind(norm) for norm, _, _ in words]
    at = next((n for n, kind in enumerate(kinds) if kind == "auxiliary"), 0)
    if at < _PHRASE or kinds[0] != "question" or {*kinds[1:at]} & _NO_SUBJECT:
        return ""
    behind = {*kinds[at + 1 :]}
    if behind - {"preposition"} or not (behind or kinds[1] == "article"):
        return ""
    order = [0, at, *range(1, at), *range(at + 1, len(words))]
    return " ".join(text.written(*words[n][1:]) for n in order)


def of_abilities(text: Text, lexicon: Lexicon) -> dict[str, str]:
    """Return what asks for what can be done as questions for what things are and are for.

    "Can I freeze bread?" asks whether bread is freezable, "what can we slice" what is sliceable,
    "can you sit on a stool" whether it is used for sitting, "can paper burn" whether it is what
    "can burn" is said of.

    Returns:
        Each question by the name in it that the graph has to know, spelled as endings may be;
        empty where nothing of the kind is asked.
    """
    frames, words = _frames(lexicon.language), _words(text)
    norms = [word for word, _, _ in words]
    at, end = next(_matches(norms, frames.ability | frames.means), (0, 0))
    if not end:
        return _of_itself(text, words, lexicon)
    if len(words) <= end:
        return {}
    verb, start, after = words[end]
    before = frames.things(text.written(0, words[at][1]))
    if lexicon.is_small(verb) or _is_marked(text, start, after) or (at and not before):
        return {}
    of = words[end + 1 :]
    kinds = [lexicon.kind(word) for word, _, _ in of]
    named = of[1:] if kinds[:1] == ["preposition"] else of
    named = named[:-1] if kinds[-1:] == ["preposition"] else named
    behind = text.written(named[0][1], named[-1][2]) if named else ""
    things = (before, *frames.plural)
    stems = dict.fromkeys((verb, verb.rstrip("e"), verb + verb[-1]))
    able, doing = ([stem + one for stem in stems for one in ends] for ends in frames.endings)
    found: dict[str, str] = {}
    means = tuple(norms[at:end]) in frames.means
    if bool(at) != bool(of) and "preposition" not in kinds and not means:
        whole = things if at else (*frames.copula, behind)
        found |= {one: " ".join((*whole, one)) for one in able}
    # What is used for eating, as a plate is, is not what can be eaten.
    if at and (means or {kinds[0], kinds[-1]} & {"preposition"} if kinds else means):
        acts = [f"{one} {behind}".strip() for one in doing]
        # What bread is cut with is not the bread.
        apart = (*frames.apart, behind) if behind and "preposition" not in kinds else ()
        found |= {one: " ".join((*things, *frames.purpose, one, *apart)) for one in acts}
    elif not at and behind and kinds[:1] == ["preposition"] and "preposition" not in kinds[1:]:
        found |= {one: " ".join((*frames.copula, behind, *frames.purpose, one)) for one in doing}
    return found


def _of_itself(text: Text, words: Sequence[_Word], lexicon: Lexicon) -> dict[str, str]:
    """Return what asks for what something itself can do or undergo: "can paper burn".

    The graph may name that just so ("can burn", "can be cut"); what it says otherwise may be
    said of what does it to others.
    """
    frames = _frames(lexicon.language)
    at = next((n for n, (norm, _, _) in enumerate(words) if (norm,) in frames.modal), -1)
    asks = lexicon.kind(words[0][0]) == "question" if words else False
    if at < 0 or (at > 0) != asks or any(_is_marked(text, s, e) for _, s, e in words[at:]):
        return {}
    modal, found = text.written(*words[at][1:]).lower(), {}
    for first in range(at + 1, len(words)) if not at else (at + 1,):
        if not at and first == 1:
            continue  # It is said of something.
        for last in range(len(words), first, -1) if at else (len(words),):
            rest = words[last:]
            if rest and lexicon.kind(rest[0][0]) != "preposition":
                continue
            name = f"{modal} {text.written(words[first][1], words[last - 1][2])}"
            subject = text.written(words[1][1], words[first - 1][2]) if not at else ""
            things = frames.things(text.written(0, words[at][1])) if at else ""
            where = text.written(rest[0][1], rest[-1][2]) if rest else ""
            whole = (things, where, *frames.plural) if at else (*frames.copula, subject)
            if things or not at:
                found[name] = " ".join(part for part in (*whole, name) if part)
    return found


def of_means(text: Text, lexicon: Lexicon) -> str:
    """Return what asks how something is done as what asks what that takes; "" for anything else."""
    words, manner = _words(text), _frames(lexicon.language).manner
    at, end = next(_matches([word for word, _, _ in words], manner.keys()), (0, 0))
    if at or not end or end >= len(words) or _is_marked(text, 0, words[end][1]):
        return ""
    said = manner[tuple(word for word, _, _ in words[:end])]
    return f"{said} {text.written(words[end][1], len(text.tokens))}"


def unfronted(text: Text, lexicon: Lexicon) -> str:
    """Return a question with what stands before it put behind it; "" where nothing does.

    "For making coffee, what do people use?" asks what they use for making coffee.
    """
    commas = (i for i, token in enumerate(text.tokens) if token.text == ",")
    at = next((i for i in commas if not _is_marked(text, i, i + 1)), 0)
    words = _words(text)
    before = [word for word in words if word[1] < at]
    behind = [word for word in words if word[1] > at]
    if not before or len(behind) < _ASKED:
        return ""
    if lexicon.kind(behind[0][0]) not in ("question", "auxiliary"):
        return ""
    frames = _frames(lexicon.language)
    begin, end = next(_matches([word for word, _, _ in before], frames.aim), (-1, 0))
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
    frames, tokens = _frames(lexicon.language), text.tokens
    at = next((i for i in range(1, len(tokens) - 1) if _parts_off(text, i)), 0)
    words = _words(text)
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
    for n, (norm, start, after) in enumerate(behind):
        own = (
            norm in frames.owners and n + 1 < len(behind) and not lexicon.is_small(behind[n + 1][0])
        )
        if own or norm in frames.pronouns:
            subject = text.written(0, at) + ("'s" if own else "")
            if before[0] == "article":
                subject = subject[0].lower() + subject[1:]
            begin, end = text.written(at + 1, start), text.written(after, len(tokens))
            return f"{begin} {subject} {end}".strip()
    return ""


def stranded(text: Text, lexicon: Lexicon) -> str:
    """Return a question with the preposition that it begins with put behind it; "" without one.

    "Of what did X die?" asks what X died of, and no more where than how.
    """
    words = _words(text)
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
    phrases = dict.fromkeys(_frames(language).left_out.get(place, frozenset()), "")
    first = next((start for _, start, _ in _words(text)), 0)
    raw, out = _replaced(
        text, phrases, lambda at: at > first and text.tokens[at].text[:1].isupper()
    )
    return (" ".join(raw.split()), " ".join(out)) if out else ("", "")


def untitled(text: Text, lexicon: Lexicon) -> str:
    """Return a question without the titles before names; "" without any.

    "President Obama" may be known as Barack Obama alone, and "Dr. King" by a longer name.
    """
    titles, words = _frames(lexicon.language).titles, _words(text)
    for (norm, start, after), (behind, next_, _) in pairwise(words):
        dotted = "".join(token.text for token in text.tokens[after:next_]) in ("", ".")
        named = dotted and not lexicon.is_small(behind) and not _is_marked(text, start, after)
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
    words = _words(text)
    for n, (norm, start, after) in enumerate(words[:-1]):
        written = lexicon.number(norm)
        number = int(written or (norm if norm.isdecimal() and len(norm) <= _DIGITS else 0))
        before = lexicon.kind(words[n - 1][0]) if n else "article"
        behind = words[n + 1][0]
        opens = before in ("article", "question") or n == 1
        named = n > 0 and text.tokens[start].text[:1].isupper()
        if number < _PHRASE or not opens or named or _is_marked(text, start, after):
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
    words, frames = _words(text), _frames(lexicon.language)
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


def _parts_off(text: Text, at: int) -> bool:
    """Tell whether a sign parts two clauses; within a word none does."""
    sign, before, behind = text.tokens[at], text.tokens[at - 1], text.tokens[at + 1]
    apart = sign.start > before.end or behind.start > sign.end
    return sign.text in _PARTING and apart and not _is_marked(text, at, at + 1)


def _matches(words: Sequence[str], phrases: Set[_Words]) -> Iterator[tuple[int, int]]:
    """Yield where phrases stand in some words, the longest of the first place first."""
    for at in range(len(words)):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            if tuple(words[at : at + size]) in phrases:
                yield at, at + size


@dataclass(frozen=True, slots=True)
class _Frames:
    """The frames of a language, each with whether it asks for truth."""

    lead: dict[_Words, bool]
    tail: dict[_Words, bool]
    support: _Words
    clipped: frozenset[str]
    typed: dict[_Words, str]
    ability: frozenset[_Words]
    means: frozenset[_Words]
    modal: frozenset[_Words]
    aim: frozenset[_Words]
    purposive: _Words
    endings: tuple[_Words, _Words]
    copula: _Words
    plural: _Words
    purpose: _Words
    apart: _Words
    nouns: dict[str, str]
    manner: dict[_Words, str]
    pronouns: frozenset[str]
    owners: frozenset[str]
    own: frozenset[str]
    titles: frozenset[str]
    left_out: dict[str, frozenset[_Words]]

    def things(self, asked: str) -> str:
        """Return what is asked for with a noun: "what" asks for things; "" for "who" alone."""
        if " " in asked:
            return asked
        noun = self.nouns.get(asked.lower(), "")
        return f"{asked} {noun}" if noun else ""


@lru_cache(maxsize=8)
def _frames(language: str) -> _Frames:
    found: defaultdict[str, dict[_Words, bool]] = defaultdict(dict)
    stands: dict[str, dict[_Words, str]] = {"typed": {}, "noun": {}, "manner": {}}
    for row in read_table(language, "frames", _PACKAGE):
        for words in row["words"].split("|"):
            if row["place"] in stands:
                stands[row["place"]][tuple(words.split())] = row["asks"]
            found[row["place"]][tuple(words.split())] = row["asks"] == "truth"
    clipped, pronouns, owners, own, titles = (
        frozenset(word for words in found[place] for word in words)
        for place in ("clipped", "pronoun", "owner", "own", "title")
    )
    one = {place: next(iter(words), ()) for place, words in found.items()}
    return _Frames(
        found["lead"], found["tail"], one.get("support", ()), clipped, stands["typed"],
        frozenset(found["ability"]), frozenset(found["means"]), frozenset(found["modal"]),
        frozenset(found["aim"]), one.get("purposive", ()),
        (one.get("suffix", ()), one.get("gerund", ())),
        one.get("copula", ()), one.get("plural", ()),
        one.get("purpose", ()), one.get("apart", ()),
        {" ".join(words): noun for words, noun in stands["noun"].items()}, stands["manner"],
        pronouns, owners, own, titles,
        {place: frozenset(found[place]) for place in ("now", "aside")},
    )  # fmt: skip


def _spelled(text: Text, typed: dict[_Words, str]) -> Text:
    """Return a text with what people type in haste as it is written: "ppl" is "people"."""
    raw, found = _replaced(text, typed, lambda at: text.tokens[at].acronym)
    return read_text(raw) if found else text


def _replaced(
    text: Text, phrases: Mapping[_Words, str], is_name: Callable[[int], bool]
) -> tuple[str, list[str]]:
    """Return a text with what stands for some phrases in their place, and these as written.

    Args:
        text: The text.
        phrases: What stands for each.
        is_name: Tells of the first token of one whether it is part of a name, and stays.
    """
    places, raw, end, found = _words(text), "", 0, []
    words = [word for word, _, _ in places]
    for at, after in _matches(words, phrases.keys()):
        start, stop = places[at][1], places[after - 1][2]
        first = text.tokens[start]
        if first.start < end or is_name(start) or _is_marked(text, start, stop):
            continue
        raw += text.raw[end : first.start] + phrases[tuple(words[at:after])]
        end = text.tokens[stop - 1].end
        found.append(text.written(start, stop))
    return raw + text.raw[end:], found


def _written_out(text: Text, clipped: frozenset[str]) -> Text:
    """Return a text with the apostrophes that were left out: "whats" is "what's"."""
    places = [
        token.end - 1
        for at, token in enumerate(text.tokens)
        if token.norm in clipped and not _is_marked(text, at, at + 1)
    ]
    if not places:
        return text
    ends = [0, *places, len(text.raw)]
    return read_text("'".join(text.raw[a:b] for a, b in pairwise(ends)))


def _lead(text: Text, frames: dict[_Words, bool]) -> tuple[int, int, bool] | None:
    words = _words(text)
    for size in range(min(_LONGEST, len(words) - 1), 0, -1):
        truth = frames.get(tuple(word for word, _, _ in words[:size]))
        if truth is not None and not _is_marked(text, 0, words[size - 1][2]):
            opening = _opening(text)
            left = range(words[size - 1][2], len(text.tokens))
            start = next((i for i in left if text.tokens[i].is_word or i in opening), len(left))
            return (start, len(text.tokens), truth) if start in left else None
    return None


def _tail(text: Text, frames: dict[_Words, bool]) -> tuple[int, int, bool] | None:
    words = _words(text)
    for size in range(min(_LONGEST, len(words) - 1), 0, -1):
        truth = frames.get(tuple(word for word, _, _ in words[-size:]))
        start = words[-size][1]
        if truth is None or _is_marked(text, start, len(text.tokens)):
            continue
        end = start
        while end and not text.tokens[end - 1].is_word and end - 1 not in _closing(text):
            end -= 1
        if truth and end == start:
            continue  # Only behind a sign: "is the lake on the right".
        return (0, end, truth) if end else None
    return None


def _words(text: Text) -> list[_Word]:
    """Return the words with their first token and the token after; "isn't" is one word."""
    found: list[_Word] = []
    at, tokens = 0, text.tokens
    while at < len(tokens):
        if not tokens[at].is_word:
            at += 1
            continue
        norm, after = tokens[at].norm, at + 1
        if [t.norm for t in tokens[after : after + 1]] == ["'"] and after + 1 < len(tokens):
            norm, after = norm + tokens[after + 1].norm, after + 2
        found.append((norm, at, after))
        at = after
    return found


def _is_marked(text: Text, start: int, end: int) -> bool:
    return any(mark.start < end and start < mark.end for mark in text.marked)


def _opening(text: Text) -> set[int]:
    return {mark.start - 1 for mark in text.marked}


def _closing(text: Text) -> set[int]:
    return {mark.end for mark in text.marked}
