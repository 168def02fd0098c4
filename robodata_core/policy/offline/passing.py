"""Names of a question that a learned reading passes over.

What a reading leaves out narrows what is asked for, however likely the reading is: whoever asks
what "in the kitchen" can break does not ask for all that can.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from robodata_core.language.grammar import open_grammar
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import words_of
from robodata_core.model import EntityValue
from robodata_core.policy.offline.deciding import Read, outcome
from robodata_core.policy.offline.mentions import Mention
from robodata_core.policy.offline.parts import Part
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.reading import Reader
from robodata_core.policy.offline.relation_index import RelationIndex
from robodata_core.policy.offline.weights import content_of
from robodata_core.policy.offline.words import ARTICLES, FUNCTION_WORDS, PREPOSITIONS, WH_WORDS

__all__ = ["names_doing", "names_more", "passes_over", "reads_all", "says_less"]

_LOOKED_AT: Final = 8
#: What a word that carries meaning weighs at least.
_CONTENT: Final = 1.0
_NARROWING: Final = PREPOSITIONS - {"of"}


def passes_over(read: Read, part: Part, question: Question, reader: Reader) -> bool:
    """Tell whether a learned reading leaves out a name that rules see.

    Args:
        read: The reading.
        part: What rules made of the question.
        question: The question.
        reader: What the graph holds.
    """
    said = _said(read, part)
    left = (
        one for one in _narrowing(part, question, said)
        if _is_left(one, read, said)
        and (one.span <= part.request.focus or not _begins(one, read, question))
    )  # fmt: skip
    return not all(_is_so_anyway(one, read, reader) for one in left)


def says_less(read: Read, part: Part) -> bool:
    """Tell whether a learned reading gives more than rules do, as it leaves out a name of theirs.

    Args:
        read: The reading.
        part: What rules made of the question.
    """
    if not part.sure or part.best is None or part.result is None:
        return False
    mine, theirs = outcome(read.result), outcome(part.result)
    if not isinstance(mine, frozenset) or not isinstance(theirs, frozenset):
        return False
    if not theirs or not theirs < mine:
        return False
    said, asked = _said(read, part), part.request.focus
    # What kind of thing is asked for is not always stated: those signed to a label are musicians.
    mentions = (link.mention for link in part.best.candidate.links)
    return any(_is_left(one, read, said) for one in mentions if not one.span & asked)


def names_doing(read: Read, part: Part, question: Question) -> bool:
    """Tell whether a learned reading takes for a name what rules read as said: "can cut bread".

    Args:
        read: The reading.
        part: What rules made of the question.
        question: The question.
    """
    candidate = part.settled
    if candidate is None or part.question is not None:
        return False
    verbs = {i for m in part.matches if m.reading.kind == "verb" for i in m.span}
    said = {i for use in candidate.edges for i in use.span} & verbs
    named = [link.mention for link in candidate.links if not link.mention.proper]
    return any(
        question.raw(at, one.end).casefold() == words.casefold()
        for words, _ in read.reading.mentions
        for one in named
        for at in said
        if at == one.start - 1
    )


def names_more(read: Read, part: Part, question: Question, index: RelationIndex) -> bool:
    """Tell whether a learned reading goes along "type of area" where rules read just "area".

    Args:
        read: The reading.
        part: What rules made of the question.
        question: The question.
        index: The relations of the graph.
    """
    if part.question is not None:
        return False  # Its places are those of another question.
    candidate = part.settled
    said = {token.norm for token in question.tokens} | FUNCTION_WORDS
    for use in candidate.edges if candidate is not None else ():
        own = [words_of(index.name_of(name)) for name, _ in use.hop]
        asked = tuple(question.tokens[at].norm for at in sorted(use.span))
        others = (set(words_of(index.name_of(name))) for name in read.reading.program.along)
        if asked in own and any(set(asked) <= one and not one <= said for one in others):
            return True
    return False


def _is_so_anyway(mention: Mention, read: Read, reader: Reader) -> bool:
    """Tell whether a name narrows nothing: the city in France where somebody died is in France."""
    meant = {item.id for item in mention.entities}
    for member in read.result.members[:_LOOKED_AT]:
        around = {one.id for one in reader.neighbours((member,)) if isinstance(one, EntityValue)}
        if isinstance(member, EntityValue) and not meant & {member.id, *around}:
            return False
    return True


def reads_all(part: Part, question: Question) -> bool:
    """Tell whether rules are sure of what they made of all words that carry meaning.

    Args:
        part: What they made of the question.
        question: The question.
    """
    candidate = part.settled
    if candidate is None or part.question is not None:
        return False
    read = candidate.covered.union(*(link.mention.span for link in candidate.links))
    content = content_of(question.tokens, part.request)
    return all(at in read for at, weight in content.items() if weight >= _CONTENT)


def _said(read: Read, part: Part) -> Set[int]:
    """Return the places of the words that name the relations of a reading."""
    along = set(read.reading.program.along)
    hops = ((match, name) for match in part.matches for h in match.reading.hops for name, _ in h)
    return {place for match, name in hops if name in along for place in match.span}


def _is_left(mention: Mention, read: Read, said: Set[int]) -> bool:
    text = mention.text.casefold()
    named = [words.casefold() for words, _ in read.reading.mentions]
    return not mention.span <= said and not any(text in words for words in named)


def _begins(mention: Mention, read: Read, question: Question) -> bool:
    """Tell whether a name stands right before one that is read: "North American Central Time"."""
    begun = question.raw(mention.start, len(question.tokens)).casefold()
    whole = (f"{mention.text.casefold()} {words.casefold()}" for words, _ in read.reading.mentions)
    return any(begun.startswith(one) for one in whole)


def _narrowing(part: Part, question: Question, said: Set[int]) -> Iterator[Mention]:
    """Yield the names behind prepositions, and what tells whose something is that is asked for.

    "Genres of music" are what a relation leads to, and "the name of a country" is a country's.
    """
    tokens = question.tokens
    for mention in part.linking.mentions if part.question is None else ():
        asked = mention.start and tokens[mention.start - 1].norm in WH_WORDS
        if mention.demonym and asked and mention.span <= part.request.focus:
            yield mention
            continue
        at = mention.start - 1
        while at > 0 and tokens[at].norm in ARTICLES:
            at -= 1
        behind = at >= 0 and tokens[at].norm in _NARROWING and at - 1 not in said
        phrase = tuple(token.norm for token in tokens[max(at, 0) : mention.end])
        behind = behind and not open_grammar(open_lexicon()).operators(phrase)  # "in common"
        if behind and mention.exact and not mention.span & part.request.focus:
            yield mention
