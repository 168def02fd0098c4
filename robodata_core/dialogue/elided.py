"""What a question leaves unsaid: of what it is asked, and what an answer in vain was to be.

"Who is the director?" and "release year?" are asked of what the conversation is about; whoever
directed a film that no graph knows is carried on as "the one who directed ...".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from robodata_core.dialogue._words import words
from robodata_core.dialogue.degrees import choice_in, ranged
from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import described
from robodata_core.language.lexicon.lexicon import read_table
from robodata_core.policy.offline.question import IMPERATIVES
from robodata_core.policy.offline.tables import superlatives
from robodata_core.policy.offline.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    WH_WORDS,
    Token,
    singular,
)

__all__ = ["asked_for", "attached", "is_participle", "leaves_open", "sought"]

_LONGEST: Final = 120
_WHERE: Final = PREPOSITIONS - {"of"}
_MOST_WORDS: Final = 12
#: What a noun may name that is a value.
_VALUES: Final = ("number", "time")


def leaves_open(read: Read) -> bool | None:
    """Tell whether a question does not say of what it is asked; None where that depends.

    A question that names something says so, and one with a number or a date, and one that says
    where to start, among which class to look, or what to choose from; one with "the ..." leaves it
    open, for it is not said of what; of others only trying tells.
    """
    said = [token for token in read.tokens if token.word]
    if not said or len(said) > _MOST_WORDS or read.proper():
        return False
    if any(token.norm[:1].isdigit() for token in said):
        return False
    if any(request.starts for request in read.question.requests):
        return False
    if choice_in(read):
        return False
    if noun := ranged(read):
        start, end = read.tokens[noun.start].start, read.tokens[noun.stop - 1].end
        # "Which country has the largest population?" of all; "which child is the oldest?" of whom?
        return False if any(n.start < end and start < n.end for n in read.names) else None
    if said[0].norm not in WH_WORDS | AUXILIARIES | IMPERATIVES:
        return True
    if _definite(read) is not None:
        return None if _has_most(read) else True
    if len(said) > 1 and said[-2].norm in ARTICLES - {"the"}:
        return False  # "What is a mammal?"
    exists = said[-1].norm in words("place") and said[-2].norm in COPULAS
    relations = {read.tokens[match.start].start for match in read.nouns()}
    classes = [name for name in read.names if exists or name.start not in relations]
    # "How many planets are there?" asks of nothing where nothing has planets.
    return False if classes or (exists and not relations) else None


def attached(read: Read, name: str) -> str:
    """Return a question asked of something, put where its words have room for it."""
    text = read.text.strip(" ?!.")
    said = [token for token in read.tokens if token.word]
    norms = [token.norm for token in said]
    if norms[0] not in WH_WORDS | AUXILIARIES | IMPERATIVES:
        if set(norms) & WH_WORDS or is_participle(norms[-1]):
            return f"{name} {text}?"
        first = next((t for t in said if t.norm not in ARTICLES | words("amount")), said[0])
        noun = text[first.start :]
        return asked_for(f"the {noun} of {name}", noun)
    end = _definite(read)
    if end is not None:
        return f"{text[:end]} of {name}{text[end:]}?"
    joint = "in" if norms[0] == "who" and len(said) == 2 else "of"
    return f"{text} {joint} {name}?"


def asked_for(phrase: str, noun: str, person: bool | None = None) -> str:
    """Return the question for a noun phrase: "Who is the mother of X?"."""
    words_said = [word.lower() for word in noun.split()]
    last = words_said[-1] if words_said else ""
    whom = person if person is not None else singular(last) in _persons()
    many = singular(last) != last or last == "children"
    return f"{'Who' if whom else 'What'} {'are' if many else 'is'} {phrase}?"


def sought(read: Read) -> str | None:
    """Return what stands for that which a question asked for, where it was not found.

    A number or a time is no thing of which more could be asked.
    """
    if any(match.reading.answer in _VALUES for match in read.nouns()[:1]):
        return None
    said = [token for token in read.tokens if token.word]
    if len(said) < 3 or not read.proper() or len(read.text) > _LONGEST:
        return None
    text = read.text.strip(" ?!.")
    who = said[0].norm == "who"
    if said[0].norm in ("who", "what", "which") and said[1].norm in COPULAS:
        if said[2].norm not in ARTICLES and not read.tokens[0].capitalised:
            return None
        head = _head(said[2:])
        return described(text[said[2].start :], who or head in _persons()) if head else None
    if who and said[1].norm not in AUXILIARIES:
        return described(f"the one who {text[said[1].start :]}", True)
    focus = sorted(read.question.requests[0].focus) if read.question.requests else []
    if any(read.tokens[i].ids for i in focus):
        focus = []  # "what besides X" has no noun for what is sought
    if said[0].norm in ("which", "what") and focus and focus[-1] + 1 < len(read.tokens):
        noun = read.question.raw(focus[0], focus[-1] + 1)
        rest = read.tokens[focus[-1] + 1]
        if rest.norm not in AUXILIARIES | PREPOSITIONS:
            person = singular(read.tokens[focus[-1]].norm) in _persons()
            return described(f"the {noun} that {text[rest.start :]}", person)
    if said[0].norm not in FUNCTION_WORDS | IMPERATIVES and _head(said):
        return described(f"the {text}", _head(said) in _persons())
    return None


def _head(said: list[Token]) -> str:
    """Return the noun before "of": what is asked for of something."""
    at = next((i for i, t in enumerate(said) if t.norm == "of" and i), 0)
    return singular(said[at - 1].norm) if at else ""


def _definite(read: Read) -> int | None:
    """Return where the last "the ..." ends that is not said to be of something."""
    tokens = [token for token in read.tokens if token.word]
    for at in range(len(tokens) - 2, -1, -1):
        if tokens[at].norm != "the":
            continue
        nouns = {read.tokens[match.end - 1].start for match in read.nouns()}
        end = at + 1
        while end < len(tokens) and (
            tokens[end].norm == "of" or tokens[end].norm not in FUNCTION_WORDS | AUXILIARIES
        ):
            end += 1  # "the head of state": of nobody's state, where nothing is named
        if end - at > 2 and end == len(tokens) and is_participle(tokens[end - 1].norm):
            end -= 1
        where = at and tokens[at - 1].norm in _WHERE
        phrase = tuple(token.norm for token in tokens[at + 1 : end])
        most = phrase[:-1] in superlatives()
        if (where or most) and tokens[end - 1].start not in nouns:
            return None  # "in the world" says among what to look, "the longest river" that to all
        if end > at + 1:
            return tokens[end - 1].end
    return None


def _has_most(read: Read) -> bool:
    """Tell whether a relation is called like what is most of all: "the longest river"."""
    return any(
        tuple(token.norm for token in read.tokens[match.start : match.end - 1]) in superlatives()
        for match in read.nouns()
    )


def is_participle(word: str) -> bool:
    """Tell whether a word says what is done to something: "made", "published"."""
    return any(word == ending or (len(ending) < 3 and word.endswith(ending) and len(word) > 4)
               for ending in words("participle"))  # fmt: skip


@lru_cache(maxsize=1)
def _persons() -> frozenset[str]:
    rows = [row for row in read_table("en", "kinds") if row["kind"] == "person"]
    named = {word for row in rows for word in row["classes"].split("|")}
    return frozenset(named) | words("person_class") | words("male_noun") | words("female_noun")
