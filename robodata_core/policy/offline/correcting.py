"""Misspelt names: put right where one letter is wrong and only one name is that near.

Anything less certain is left as it is and offered as a suggestion; and what was put right is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import words_of
from robodata_core.model import EXACT_MATCHES, MatchKind, SearchHit
from robodata_core.policy.offline.leftovers import holding
from robodata_core.policy.offline.mentions import Linking, Mention
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.words import FUNCTION_WORDS, PREPOSITIONS
from robodata_core.sources.base import KnowledgeSource
from robodata_core.sources.capabilities import search_written
from robodata_core.text import normalise_name, told_name

__all__ = ["corrected", "in_full", "one_letter_off", "surnamed"]

_SHORTEST: Final = 5
_SHORTEST_PART: Final = 7
_MOST_SEARCHES: Final = 16
_LONGEST: Final = 4
#: Least telling words of a name that is found without its small ones, and most words in all.
_LEAST_TOLD: Final = 3
_LONGEST_NAME: Final = 12
_MOST_BEARERS: Final = 4
#: How many are searched for: what begins with a surname ("Lincoln Tunnel") comes before them.
_SEARCHED: Final = 30
#: Least words of a name whose first one may be cut short, and least letters left of that.
_SHORT_NAME: Final = 2
_SHORT_GIVEN: Final = 3


def corrected(
    question: Question,
    linkings: Iterable[Linking],
    read: frozenset[int],
    source: KnowledgeSource,
    language: str,
) -> tuple[str, str] | None:
    """Return the question with its names put right and a note that says so, or None.

    Args:
        question: The question.
        linkings: What was found of its names.
        read: Tokens that phrases for relations account for.
        source: Where names are searched.
        language: Language of names.
    """
    linkings = tuple(linkings)
    proper = frozenset(i for link in linkings for m in link.mentions if m.proper for i in m.span)
    text, notes, searches = question.text, [], 0
    done: set[int] = set()
    ends: list[tuple[int, int]] = []
    for start, end in _spans(question, linkings, read, proper):
        if done & set(range(start, end)) or searches >= _MOST_SEARCHES:
            continue
        searches += 1
        name = question.raw(start, end)
        right = _right(name, source, language)
        if right:
            done.update(range(start, end))
            ends.append((start, end))
            text = text.replace(name, right, 1)
            notes.append(f"“{name}” was read as “{right}”, the only name like it.")
    # Two wrong words side by side are one name that is more than a letter off.
    beside = any(one[1] == other[0] for one in ends for other in ends)
    return (text, " ".join(notes)) if notes and not beside else None


def surnamed(
    question: Question, linkings: Iterable[Linking], source: KnowledgeSource, language: str
) -> Iterator[tuple[str, str, str]]:
    """Yield the question with a surname written out for whoever bears it, a note, and their id.

    Films and towns called Lincoln may be better known to a graph than the president is; which of
    those who bear a name is meant, only what is asked of them can tell.
    """
    for mention in _in_part(question, linkings):
        before = question.tokens[mention.start - 1].norm if mention.start else ""
        if before.isalpha() and before not in FUNCTION_WORDS:
            continue  # A given name may stand before it.
        if mention.end < len(question.tokens) and question.tokens[mention.end].capitalised:
            continue  # The name goes on: "the Berlin Wall" is nobody called Berlin.
        if mention.proper or any(item.label[:1].isupper() for item in mention.entities):
            wanted = normalise_name(mention.text)
            hits = _holding(mention, source, language)
            bearers = (hit for hit in hits if _is_surname(wanted, hit.label))
            for hit in islice(bearers, _MOST_BEARERS):
                yield *_written_out(question, mention.text, hit), hit.id


def _is_surname(wanted: str, name: str) -> bool:
    """Tell whether a name ends with a word that does not say where somebody is from.

    Behind a preposition it does: "Pedro II of Brazil".
    """
    words = normalise_name(name).split()
    return len(words) > 1 and words[-1] == wanted and words[-2] not in PREPOSITIONS


def _in_part(question: Question, linkings: Iterable[Linking]) -> Iterator[Mention]:
    """Yield names of one word that may be a part of one, each once."""
    done: set[str] = set()
    mentions = [mention for linking in linkings for mention in linking.mentions]
    for mention in mentions:
        name = mention.text
        if " " in name or name in done or len(name) < _SHORTEST - 1:
            continue
        if mention.end and question.tokens[mention.end - 1].ids:
            continue  # it is said which one is meant
        if any(one.demonym and one.span == mention.span for one in mentions):
            continue  # "an American" is nobody's name
        done.add(name)
        yield mention


def _holding(mention: Mention, source: KnowledgeSource, language: str) -> list[SearchHit]:
    """Return what else has a name in its own, the better known first."""
    known = {item.id for item in mention.entities}
    found = source.search(mention.text, limit=_SEARCHED, language=language)
    hits = holding(found, mention.text)
    return sorted((hit for hit in hits if hit.id not in known), key=lambda hit: -hit.popularity)


def _written_out(question: Question, name: str, hit: SearchHit) -> tuple[str, str]:
    """Return a question with a name as the graph has it, and a note that says so."""
    told = told_name(hit.label, hit.id, hit.description)
    return question.text.replace(name, hit.label, 1), f"“{name}” was read as {told}."


def in_full(
    question: Question, linkings: Iterable[Linking], source: KnowledgeSource, language: str
) -> Iterator[tuple[str, str]]:
    """Yield the question with a name written out of which only small words were left out, a note.

    "Lord of the rings return of the king" is "The Lord of the Rings: The Return of the King".
    """
    tokens = question.tokens
    linked = {m.span for link in linkings for m in link.mentions if m.exact}
    telling = [i for i, t in enumerate(tokens) if t.word and t.norm not in FUNCTION_WORDS]
    spans = (
        (first, last + 1)
        for size in range(len(telling) - 1, _LEAST_TOLD - 2, -1)
        for first, last in zip(telling, telling[size:], strict=False)
        if last + 1 - first <= _LONGEST_NAME
    )
    for start, end in islice(spans, _MOST_SEARCHES):
        if frozenset(range(start, end)) in linked:
            continue
        name = question.raw(start, end)
        wanted = _telling(name)
        for hit in search_written(source, name, limit=3, language=language):
            if wanted in (_telling(hit.label), _telling(hit.matched or "")):
                yield _written_out(question, name, hit)
                return


def _telling(name: str) -> list[str]:
    """Return the words of a name without the small ones between them."""
    return [word for word in words_of(name) if word not in FUNCTION_WORDS]


def _right(name: str, source: KnowledgeSource, language: str) -> str:
    """Return the only name that is one letter off, or an empty string."""
    wanted = normalise_name(name)
    if len(wanted) < _SHORTEST:
        return ""
    hits = source.search(name, limit=6, language=language)
    if any(hit.match in EXACT_MATCHES for hit in hits):
        return ""  # Something is called so, whatever may be asked of it.
    near = {
        found
        for hit in hits
        if hit.match is MatchKind.FUZZY
        for found in (hit.matched or hit.label,)
        if one_letter_off(wanted, normalise_name(found))
        or _ends(wanted, found)
        or _is_short_for(wanted, found)
    }
    return near.pop() if len(near) == 1 else ""


def _is_short_for(wanted: str, name: str) -> bool:
    """Tell whether a given name is cut short in one of two names: "Ben Franklin"."""
    short, long = wanted.split(), normalise_name(name).split()
    if len(short) < _SHORT_NAME or len(short) != len(long) or short[1:] != long[1:]:
        return False
    return _SHORT_GIVEN <= len(short[0]) < len(long[0]) and long[0].startswith(short[0])


def _ends(wanted: str, name: str) -> bool:
    """Tell whether one word is a letter off the last of a name: "Dostoevsky"."""
    words = normalise_name(name).split()
    long = len(wanted) >= _SHORTEST_PART and len(words) > 1
    return long and " " not in wanted and one_letter_off(wanted, words[-1])


def _spans(
    question: Question,
    linkings: Iterable[Linking],
    read: frozenset[int],
    proper: frozenset[int],
) -> Iterator[tuple[int, int]]:
    """Yield where a misspelt name may stand, longer ones first."""
    tokens = question.tokens
    lost = {i for link in linkings for i in link.lost}
    # "Can't cut" is no slip of "can cut": what changes a question stays in it.
    operators = open_lexicon("en").operators
    may_be_named = [t.word and t.norm not in FUNCTION_WORDS | operators for t in tokens]
    free = [
        i for i, token in enumerate(tokens)
        if may_be_named[i] and (i in lost or (i not in read and i not in proper))
    ]  # fmt: skip
    found: list[tuple[int, int]] = []
    for at in free:
        for start in range(max(0, at - 2), at + 1):
            for end in range(at + 1, min(len(tokens), start + _LONGEST) + 1):
                if all(may_be_named[start:end]):
                    found.append((start, end))
    # A strange word beside one that is put right may be of the same name: "machu picchu".
    unique = dict.fromkeys((start, end) for start, end in found if not {start - 1, end} & set(free))
    # Where something is capitalised, names begin and end so.
    written = any(token.capitalised for token in tokens[1:])
    kept = [
        span for span in unique
        if not written or (tokens[span[0]].capitalised and tokens[span[1] - 1].capitalised)
    ]  # fmt: skip
    yield from sorted(kept, key=lambda span: span[0] - span[1])


def one_letter_off(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter put in, left out, changed or swapped."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, rest_other = one[start:], other[start:]
    changed = rest[1:] == rest_other[1:]
    missing = rest == rest_other[1:] or rest[1:] == rest_other
    swapped = rest[:2] == rest_other[1::-1] and rest[2:] == rest_other[2:]
    return changed or missing or (swapped and len(rest) > 1)
