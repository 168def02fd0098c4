"""What can be done with things, what they can do, and how: put as questions for what is so.

"Can paper burn?" asks whether paper is burnable, and "how do I make tea?" what that takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from robodata_core.language.grammar._frames import (
    Word,
    frames_of,
    is_marked,
    matches_in,
    words_in,
)
from robodata_core.language.lexicon.lexicon import Lexicon
from robodata_core.language.text import Text

__all__ = ["done_to", "gerunds_of", "objects_of", "of_abilities", "of_means", "verbs_of"]


def done_to(doing: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return what things may be called that something can be done to: "cookable" for "cooking"."""
    suffixes, gerunds = frames_of(lexicon.language).endings
    ends = [end for end in gerunds if doing.endswith(end) and " " not in doing]
    if not ends:
        return ()
    stem = doing.removesuffix(ends[0])
    shorter = [stem[:-1]] if stem[-1:] == stem[-2:-1] else []
    return tuple(one + end for one in (stem, f"{stem}e", *shorter) for end in suffixes)


def gerunds_of(verb: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return how doing something may be spelled, of a verb with a small word behind it perhaps."""
    first, *rest = verb.split() or [verb]
    ends = frames_of(lexicon.language).endings[1]
    return tuple(" ".join((one, *rest)) for one in _ending(first, ends))


def _ending(verb: str, ends: Sequence[str]) -> list[str]:
    """Return a verb with each of some endings, as that may be spelled: "cuting", "cutting"."""
    stems = dict.fromkeys((verb, verb.rstrip("e"), verb + verb[-1:]))
    return [stem + end for stem in stems for end in ends]


def objects_of(verb: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return what things may be called to which a verb is done: "food" for "eat", "cookable"."""
    frames = frames_of(lexicon.language)
    able = (name for end in frames.endings[1] for name in done_to(f"{verb}{end}", lexicon))
    return (*frames.patients.get(verb, ()), *able)


def verbs_of(name: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return what is done to things that are called so: "eat" for "edible"."""
    verbs = frames_of(lexicon.language).patients
    return tuple(verb for verb in verbs if name in objects_of(verb, lexicon))


def of_abilities(text: Text, lexicon: Lexicon) -> dict[str, str]:
    """Return what asks for what can be done as questions for what things are and are for.

    "Can I freeze bread?" asks whether bread is freezable, "what can we slice" what is sliceable,
    "can you sit on a stool" whether it is used for sitting, "can paper burn" whether it is what
    "can burn" is said of.

    Returns:
        Each question by the name in it that the graph has to know, spelled as endings may be;
        empty where nothing of the kind is asked.
    """
    frames, words = frames_of(lexicon.language), words_in(text)
    norms = [word for word, _, _ in words]
    at, end = next(matches_in(norms, frames.ability | frames.means), (0, 0))
    if not end:
        return _of_itself(text, words, lexicon)
    if len(words) <= end:
        return {}
    verb, start, after = words[end]
    before = frames.things(text.written(0, words[at][1]))
    if lexicon.is_small(verb) or is_marked(text, start, after) or (at and not before):
        return {}
    of = words[end + 1 :]
    kinds = [lexicon.kind(word) for word, _, _ in of]
    named = of[1:] if kinds[:1] == ["preposition"] else of
    named = named[:-1] if kinds[-1:] == ["preposition"] else named
    behind = text.written(named[0][1], named[-1][2]) if named else ""
    things = (before, *frames.plural)
    able, doing = (_ending(verb, ends) for ends in frames.endings)
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


def _of_itself(text: Text, words: Sequence[Word], lexicon: Lexicon) -> dict[str, str]:
    """Return what asks for what something itself can do or undergo: "can paper burn".

    The graph may name that just so ("can burn", "can be cut"); what it says otherwise may be
    said of what does it to others.
    """
    frames = frames_of(lexicon.language)
    at = next((n for n, (norm, _, _) in enumerate(words) if (norm,) in frames.modal), -1)
    asks = lexicon.kind(words[0][0]) == "question" if words else False
    if at < 0 or (at > 0) != asks or any(is_marked(text, s, e) for _, s, e in words[at:]):
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
    words, manner = words_in(text), frames_of(lexicon.language).manner
    at, end = next(matches_in([word for word, _, _ in words], manner.keys()), (0, 0))
    if at or not end or end >= len(words) or is_marked(text, 0, words[end][1]):
        return ""
    said = manner[tuple(word for word, _, _ in words[:end])]
    return f"{said} {text.written(words[end][1], len(text.tokens))}"
