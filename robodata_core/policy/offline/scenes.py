"""What is named or told before the question, and the pronoun of the question that stands for it.

"X, whose daughter is she?" names X first; "X founded a company. What was it called?" tells of it.
What is told narrows what is asked, so that it is read with the question or not at all. Purely on
the words; nothing of a graph is known here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from robodata_core.policy.offline.lexicon import demonyms, standard_lexicon
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    BE,
    COPULAS,
    FUNCTION_WORDS,
    WH_WORDS,
    Token,
    singular,
    tokenize,
    word_set,
)

__all__ = ["brought_in", "told_first"]

_CUT: Final = re.compile(r"\s*(?:[,:;!?]|\.(?=\s)|\s-+|\s[–—])\s+(?:(?:and|so|but|now)\s+)?")
_MOST_WORDS: Final = 8
_LONGEST_TALE: Final = 20
_OWNED: Final = word_set("his its their")
_ALL: Final = word_set("he him his she her hers they them their theirs it its")
_PRONOUN: Final = re.compile(rf"\b(?:{'|'.join(sorted(_ALL - _OWNED - {'her'}))})\b", re.IGNORECASE)
_VERBAL: Final = AUXILIARIES | WH_WORDS
_SHOWN: Final = word_set("that this these those")
_THIS: Final = _SHOWN | word_set("my your our")
_ASKS: Final = WH_WORDS | AUXILIARIES | word_set("name list give tell show")
_BEFORE_ASKING: Final = word_set("in at on of to by from with for under over about between")
_SPEAKERS: Final = word_set("i im ive id we weve our my you your")
_NARROWING: Final = WH_WORDS | word_set("that not no but only except without unless if never")
_POINTING: Final = word_set("one ones these those this that here there so such")
#: What a speaker's statement ends with: "I have bought a toaster".
_THING: Final = re.compile(r"\b(?:the|an?|my|our|this|that)\s+([\w-]+)$", re.IGNORECASE)
_GROUPS: Final = word_set("family kin band group relations people")
_SOMEBODY: Final = word_set(
    "man woman boy girl person guy lady gentleman singer actor actress writer poet painter composer"
    " politician scientist musician friend star king queen emperor princess prince teacher dancer"
    " model doctor lawyer nurse artist colleague boss neighbour neighbor somebody someone"
)
#: Asks for somebody, or for something that is no person.
_SOMEONE: Final = re.compile(r"\b(?:who|he|she|her|him)\b|\bhis names?\b", re.IGNORECASE)
_SOMETHING: Final = re.compile(r"\b(?:it|its)\b", re.IGNORECASE)
_SEVERAL: Final = re.compile(r"\band\b", re.IGNORECASE)
#: Asks for a noun of nothing: "what are the official languages".
_OPEN: Final = re.compile(
    r"(?:what|which|who)(?:'s|’s| is| are| was| were) the [a-z-]+(?: (?!of\b|in\b)[a-z-]+)?",
    re.IGNORECASE,
)
_TAGGED: Final = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|will|would)(?:n['’]?t)?\s+\w+(?:\s+not)?",
    re.IGNORECASE,
)
_THERE: Final = ("are", "there")
_NOT_FIRST: Final = (
    _SPEAKERS
    | _ASKS
    | _ALL
    | word_set(
        "for of from if because since when while as after before apart besides except other than"
        " among between without like unlike including excluding instead and or so well ok hi hey"
        " not only no yes there here"
    )
    | _BEFORE_ASKING
)
#: Words with capitals, and the small ones between them: "Rachel de la Cruz", "W. H. Auden".
_NAMES: Final = re.compile(
    r"(?:[^\W\d_a-zß-ÿ][\w'’-]*\.?)(?:\s+(?:(?:of|de|la|von|van|der|den|the|da|di|le|el|al|bin|ibn)\s+)*"
    r"[^\W\d_a-zß-ÿ][\w-]*\.?)*"
)
#: Asks for the name of what was told of, and for nothing else.
_NAME_IT: Final = re.compile(
    r"(?:and |but )?(?:please )?(?:do you know |can you tell me |could you tell me |tell me )?(?:"
    r"(?:which|what)(?: exactly| one| ones)?(?: (?:is|was) (?:it|that|this))?"
    r"|who(?: exactly)?(?: (?:is|was) (?:it|that|he|she))?|who(?:'s|’s) (?:it|that)"
    r"|(?:what|how)(?:'s|’s| is| was| are| were) (?:it|that|this|this one|that one|she|he|they)"
    r" (?:called|named)"
    r"|what(?:'s|’s| is| was| are| were) (?:its|the|his|her|their) names?"
    r"|name (?:it|that|this|her|him|them|one)|(?:give|tell) me (?:its|the|his|her|their) names?"
    r"|(?:what|how) do (?:we|you|they) call (?:it|them|that)"
    r"|which (?:is|was|would) (?:it|that)(?: be)?"
    r"|what(?:'s|’s| is| was) the name of (?:it|that|this)(?: one)?"
    r"|(?:its|the|his|her) name"
    r")(?:,? (?:please|exactly|then|again))*",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r",\s*(?:is|are|was|were|do|does|did|has|have|had)(?:n['’]?t)?\s+(?:it|he|she|they|there)"
    r"\s*[?.!,;]*$",
    re.IGNORECASE,
)
_HAS: Final = re.compile(
    r"(?P<who>\S.*?)\s+(?:has got|have got|has had|has|had|have|possesses|possessed|owned|owns)"
    r"\s+(?:an?|one|some|(?P<own>(?:his|her|its|their)\s+(?:very\s+)?own))\s+(?P<what>\S.*)"
)
_DOES: Final = re.compile(
    r"(?P<who>\S.*?)\s+(?P<verb>(?!(?:is|was|has|does)\b)(?:[a-z]+(?:ed|es|s)|set|wrote|made|built|won"
    r"|led|bought|sold|sang|taught|met|spoke|drew|held|kept|lost|gave|took|wore|ran|began|got|grew)"
    r"(?:\s+(?:up|in|at|on|for|to|with|out|into|by|of))?)\s+(?:an?|one)\s+(?P<what>\S.*)"
)
_IS: Final = re.compile(
    r"(?P<who>\S.*?)\s+(?P<be>is|was|are|were)\s+"
    r"(?:(?:said|known|thought|reported|recorded|believed|supposed)\s+to\s+(?:be|have been)\s+)?"
    r"(?P<verb>[a-z]+(?:ed|en|rn|ld)\s+(?:in|at|on|for|to|with|by|of|from|after|under|into))\s+"
    r"(?:an?|one)\s+(?P<what>\S.*)"
)
_SAME: Final = re.compile(
    r"(?P<one>\S.*?)\s+and\s+(?P<two>\S.*?)\s+(?:(?P<be>are|were)\s+)?"
    r"(?:(?:said|known|thought|reported|recorded|believed|supposed)\s+to\s+"
    r"(?:be\s+|have been\s+)?)?"
    r"(?P<verb>[a-z]+)\s+(?:both\s+)?(?:(?P<prep>in|at|from|to|by|on|of|for|with)\s+)?"
    r"(?:the|one and the)\s+(?:very\s+)?(?:same|common)\s+(?P<what>[\w -]+)",
)
_ENDS_NOUN: Final = word_set(
    "in at on of from for with that who which whose where by to called named as during since"
)


def told_first(text: str) -> str:
    """Return the question that a statement and a request for a name make; else nothing.

    "Rome has a sister city in Japan - which one?" asks which sister city Rome has in Japan.
    """
    for cut in reversed(list(_CUT.finditer(text))):
        asked = text[cut.end() :].strip(" ?.!")
        if not _NAME_IT.fullmatch(asked):
            continue
        told = _TAG.sub("", text[: cut.start()].rstrip(" ?.!") + ",").strip(" ,.?!;:")
        told = re.sub(r"\bover (in|at)\b", r"\1", told)
        if _asks(told) or _PRONOUN.search(told.replace(" own", "")):
            return ""
        return _made_of(told, asked)
    return ""


def _made_of(told: str, asked: str) -> str:
    same = _SAME.fullmatch(told)
    if same is not None:
        return _in_common(same)
    if _SEVERAL.search(told):
        return ""
    has, does, is_ = (pattern.fullmatch(told) for pattern in (_HAS, _DOES, _IS))
    found = next((m for m in (has, is_, does) if m is not None and _named(m["who"])), None)
    if found is None:
        return ""
    head, rest = _head(found["what"])
    person = singular(head.split()[-1].lower()) in _people()
    if (_SOMETHING if person else _SOMEONE).search(asked):
        return ""  # "wrote a book with a friend. Who is it?"
    who = found["who"]
    if found is has:
        if found["own"]:
            return f"Which {head} was founded by {who} {rest}"
        return f"Which {head} does {who} have {rest}"
    if found is is_:
        return f"Which {head} {rest} {found['be']} {who} {found['verb']}"
    return f"Which {head} did {who} {found['verb']} {rest}"


def _head(words: str) -> tuple[str, str]:
    """Split a noun phrase before what is said behind its noun."""
    found = words.split()
    end = next((i for i, w in enumerate(found) if i and w.lower() in _ENDS_NOUN), len(found))
    return " ".join(found[:end]), " ".join(found[end:])


def _in_common(same: re.Match[str]) -> str:
    both = f"both {same['one']} and {same['two']}"
    if same["verb"] in ("have", "had", "share", "shared"):
        return f"Which {same['what']} do {both} have"
    prep = f"{same['prep'].capitalize()} which" if same["prep"] else "Which"
    return f"{prep} {same['what']} {same['be'] or 'do'} {both} {same['verb']}"


def brought_in(text: str) -> tuple[str, bool]:
    """Return a question with what is named before it put where a pronoun stands for it.

    Returns:
        The question, or the text as it is where nothing can be put in; and whether more was said
        before it than a name, so that the text as it is has another meaning.
    """
    for cut in _CUT.finditer(text):
        before, asked = text[: cut.start()].strip(), text[cut.end() :].strip()
        if not _begins_asking(asked):
            continue
        if _speaks_idly(before, asked):
            return asked, False
        if _TAGGED.fullmatch(asked.strip(" ?.!")):
            continue
        topic = _topic(before)
        name = topic or _told_of(before, asked)
        whole = _substituted(name, asked) if name else ""
        return (whole, not topic) if whole else (text, False)
    return text, False


def _speaks_idly(before: str, asked: str) -> bool:
    """Tell whether a statement is about the speaker alone, and the question does without it."""
    tokens = [token for token in tokenize(before) if token.word]
    words = [token.norm for token in tokens]
    if not _by_speaker(tokens) or len(words) > _LONGEST_TALE:
        return False
    if set(words) & _NARROWING or any(token.capitalised for token in tokens[1:]):
        return False
    if any(word.isdigit() for word in words):
        return False
    found = [token.norm for token in tokenize(asked)]
    found = [w for w, before_ in zip(found, ["", *found], strict=False) if (before_, w) != _THERE]
    return not set(found) & (_ALL | _POINTING)


def _by_speaker(tokens: Sequence[Token]) -> bool:
    """Tell whether a statement begins with who speaks: "I am ...", "we're ..."."""
    if not tokens:
        return False
    contracted = tokens[0].text.lower().startswith(("we'", "we’"))
    return contracted or tokens[0].norm in _SPEAKERS


def _topic(before: str) -> str:
    """Return a noun phrase without a verb as it is; nothing if it is none."""
    tokens = [token for token in tokenize(before) if token.word]
    words = [token.norm for token in tokens]
    if not words or len(words) > _MOST_WORDS or words[0] in _NOT_FIRST:
        return ""
    if set(words) & (_VERBAL | _ALL) or any(word.endswith("ed") for word in words):
        return ""
    name = _NAMES.match(before)
    behind = before[name.end() :].split() if name else []
    if behind and len(words) > 1 and not _owner(name, before):
        return ""  # "Ann Ash married into a family"
    return before


def _owner(name: re.Match[str] | None, before: str) -> bool:
    """Tell whether a name at the start says whose something is, or begins with an article."""
    if name is None:
        return True
    first = tokenize(name[0])[0].norm
    return first in ARTICLES or first in _THIS or name[0].endswith(("'s", "’s", "s'", "s’"))


def _told_of(before: str, asked: str) -> str:
    """Return what a statement is about where a pronoun behind it can stand for nothing else."""
    tokens = [token for token in tokenize(before) if token.word]
    words = [token.norm for token in tokens]
    speaks = _by_speaker(tokens)
    if len(tokens) > _LONGEST_TALE or set(words[1:]) & _ALL or (_asks(before) and not speaks):
        return ""
    names = [
        name for name in _NAMES.finditer(before)
        if tokenize(name[0])[0].norm not in _SPEAKERS | FUNCTION_WORDS
    ]  # fmt: skip
    if speaks and not names:
        thing = _THING.search(before)
        return f"the {thing[1]}" if thing and not set(words) & _NARROWING else ""
    if len(names) != 1 or before[names[0].end() :].startswith(("'", "’", ",")):
        return ""
    told, kinds = before[names[0].end() :].split(), _kinds(asked)
    if not speaks and (names[0].start() or not told):
        return ""
    defined = not speaks and told[0] in COPULAS
    if kinds == {"it"}:
        return names[0][0] if speaks or defined else ""
    other = any(singular(word) in _people() for word in words)
    return names[0][0] if kinds in ({"he"}, {"she"}) and (defined or not other) else ""


@lru_cache(maxsize=1)
def _people() -> frozenset[str]:
    """Return the nouns for people that a pronoun may stand for: "daughter", "teacher"."""
    rows = (row for row in standard_lexicon() if row.kind == "noun" and row.answer == "person")
    return (_SOMEBODY | {phrase for row in rows for phrase in row.phrases}) - _GROUPS


def _kinds(text: str) -> set[str]:
    found = [token.norm for token in tokenize(text.rstrip(" ?.!"))]
    there = {"it"} if found[-1:] in (["there"], ["here"]) else set()
    return {_kind(word) for word in found if word in _ALL} | there


def _substituted(name: str, asked: str) -> str:
    tokens = tokenize(asked.rstrip(" ?.!"))
    found = [i for i, token in enumerate(tokens) if token.norm in _ALL]
    if not found:
        found = [
            i for i, token in enumerate(tokens[:3])
            if token.norm in _SHOWN and i and tokens[i - 1].norm in COPULAS
        ]  # fmt: skip
    if not found and tokens[-1:] and tokens[-1].norm in ("there", "here"):
        return "" if tokens[-2].norm in BE else f"{asked[: tokens[-1].start]}in {name}"
    if not found and _OPEN.fullmatch(asked.strip(" ?.!")):
        return f"{asked.strip(' ?.!')} of {name}"
    if not found or len({_kind(tokens[i].norm) for i in found}) > 1:
        return ""
    if any(_other(tokens, i) for i in range(1, found[0])):
        return ""  # "Ann, where did Bob meet his wife": another one may be meant
    text, at = "", 0
    for i in found:
        token = tokens[i]
        text += asked[at : token.start] + name + ("'s" if _owned(tokens, i) else "")
        at = token.end
    return text + asked[at:]


def _other(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word begins another name that a pronoun behind it may stand for."""
    token = tokens[at]
    if not token.capitalised or token.norm in demonyms() or token.norm in FUNCTION_WORDS:
        return False
    return tokens[at - 1].norm not in _BEFORE_ASKING


def _owned(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a pronoun says whose something is: "her mother", not "who killed her"."""
    if tokens[at].norm in _OWNED:
        return True
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    return (
        tokens[at].norm == "her"
        and following is not None
        and following.word
        and following.norm not in FUNCTION_WORDS
    )


def _kind(word: str) -> str:
    if word in ("he", "him", "his"):
        return "he"
    if word in ("she", "her", "hers"):
        return "she"
    return "it" if word in ("it", "its") else word if word in _SHOWN else "they"


def _asks(text: str) -> bool:
    words = [token.norm for token in tokenize(text) if token.word]
    return bool(words) and (bool(set(words) & WH_WORDS) or words[0] in AUXILIARIES)


def _begins_asking(text: str) -> bool:
    words = [token.norm for token in tokenize(text)[:3] if token.word]
    if not words:
        return False
    return words[0] in _ASKS or (
        words[0] in _BEFORE_ASKING and len(words) > 1 and words[1] in WH_WORDS
    )


def _named(words: str) -> bool:
    """Tell whether the subject of a statement names something."""
    tokens = tokenize(words)
    first = tokens[0].norm if tokens else ""
    return first not in _SPEAKERS and len(tokens) <= _MOST_WORDS and not _asks(words)
