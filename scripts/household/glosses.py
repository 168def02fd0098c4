"""Reads what things are for out of WordNet's glosses, by a small grammar.

"A ladle for serving soup", "used to clean teeth", "a bottle opener that pulls corks": a purpose
behind "for", "used to" or "that" is a use, named as people name it, with its verb in "-ing". What
is more than a verb and what it is done to is cut off where the rest stands without it; otherwise
nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

__all__ = ["Glosses", "definition"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: So many uses of a thing, and words of one, at most.
MOST, LONGEST = 3, 6
_HOW: Final = (
    r"(?:(?:mainly|chiefly|usually|often|especially|originally|frequently|primarily|now) )*"
)
_BY: Final = r"(?:by [\w ]{1,25}? )?"
#: Before a verb in "-ing".
_FOR: Final = re.compile(
    rf"(?:\b{_HOW}(?:used|designed|intended|needed) {_BY}{_HOW}(?:for|in)"
    rf"|(?<!suitable )(?<!ready )(?<!fit )\bfor) (?=[a-z]+ing\b)"
)
#: Before a verb as it stands in a dictionary.
_TO: Final = re.compile(
    rf"\b(?:{_HOW}(?:used|designed|intended) {_BY}{_HOW}|can be used |that serves |serving )to "
)
_AT_ONCE: Final = re.compile(
    rf"^(?:{_HOW}(?:used|designed|intended|needed) {_BY}{_HOW}(?:for|in|to)|for) "
)
#: What the thing itself does: nothing stands between its kind and "that".
_THAT: Final = re.compile(
    r"^(?:an? |the |any )?(?:(?!(?:of|with|for|in|on|from|by|to) )[\w'/-]+ ){1,5}"
    r"that (?=[a-z]+s )"
)
#: From here on it is said how, when or of which, no longer what for.
_ASIDE: Final = re.compile(
    r"[,:]|\b(?:consisting|else|caused|passing|free|needed|designed|traversed|deposited|that|which|who|whose|when|while|where|as|so|without|by|with|using|at|during|before|"
    r"after|until|if|because|usually|especially|etc|such|having|made|used|worn|but|than|in order|"
    r"automatically|firmly|together|open)\b"
)
_PREPOSITIONS: Final = _set(
    "from into onto to on in for between through over against around under across off out up down "
    "inside within along toward towards below above near upon away about beneath among"
)
#: These may stay, if all is short.
_NEEDED: Final = frozenset({"from", "into", "onto", "off", "through"})
#: These say nothing without what follows what they are done to.
_OPEN: Final = _set(
    "turn convert transform change keep put place set prevent bring take give get attach connect "
    "fasten insert join protect separate adapt divide"
)
#: Nor do these without what they are done to.
_EMPTY: Final = _OPEN | _set(
    "hold support carry provide drive produce lock contain secure supply control create make power"
)
#: These are no use by themselves.
_REFUSED: Final = _set(
    "be have make use contain consist cause let help enable allow do go come include resemble "
    "require involve lack extend run stand need represent work operate fit mean lie know show "
    "form wear develop increase determine ensure permit maintain"
)
#: Something that is made is a use ("making holes").
_MAKING: Final = frozenset({"make", "form", "show", "increase", "determine"})
_VAGUE: Final = frozenset({"something", "someone", "anything"})
_THINGS: Final = re.compile(r"\b(?:objects|articles|items)\b(?! of\b)")
#: What is called "the ..." is told by what follows.
_WHICH: Final = frozenset({"that", "which", "used", "made", "at", "when", "where"})
#: What nobody wants to hear at home.
_UNFIT: Final = re.compile(r"\b(?:torture|execution|punish\w*|Negro|suicide|killing people)\b")
_UNSAID: Final = _set(
    "it them its their him her his they you your one another this these those each other "
    "certain various specific particular same"
)
_ARTICLES: Final = frozenset({"a", "an", "the", "some", "any"})


class Glosses:
    """The grammar, with WordNet's words.

    Args:
        folder: Has ``index.verb``, ``index.noun``, ``index.adj`` and ``verb.exc``.
    """

    def __init__(self, folder: Path) -> None:
        doubled: dict[str, str] = {}
        for line in (folder / "verb.exc").read_text("utf-8").splitlines():
            form, base = line.split()[:2]
            if form.endswith("ing"):
                doubled.setdefault(base, form)
        self._gerunds: dict[str, str] = {}
        for verb in _words(folder / "index.verb"):
            self._gerunds[verb] = doubled.get(verb) or _gerund(verb)
        self._bases = {form: base for base, form in self._gerunds.items()}
        self._third = {_third(verb): verb for verb in self._gerunds}
        self._adjectives = set(_words(folder / "index.adj"))
        self._nouns = set(_words(folder / "index.noun"))

    def uses(self, gloss: str, is_tool: bool) -> list[str]:
        """Return what a thing is for.

        Args:
            gloss: WordNet's gloss of it.
            is_tool: Whether what it does is what it is for.
        """
        found: dict[str, None] = {}
        if _UNFIT.search(gloss):
            return []
        for at, part in enumerate(_parts(gloss)):
            for clause, forms in self._purposes(part, at == 0, is_tool):
                for use in self._read(clause, forms):
                    found[use] = None
        return list(found)[:MOST]

    def _purposes(
        self, part: str, is_first: bool, is_tool: bool
    ) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield what may be a purpose, and the forms its verbs are in, each with its base."""
        plain = {verb: verb for verb in self._gerunds}
        if not is_first:
            start = _AT_ONCE.match(part)
            if start:
                yield part[start.end() :], plain if start[0].endswith("to ") else self._bases
            return
        for form, forms in ((_FOR, self._bases), (_TO, plain)):
            if start := form.search(part):
                yield part[start.end() :], forms
        if is_tool and (start := _THAT.match(part)):
            yield part[start.end() :], self._third

    def _read(self, clause: str, forms: Mapping[str, str]) -> Iterator[str]:
        verbs, rest = self._verbs(clause, forms)
        # "Of fuel, charges or fires" is one list.
        rest = re.sub(r",(?= [\w -]{1,25}?(?:,| or ))", " or", rest)
        cut = _ASIDE.search(rest)
        words = _THINGS.sub("things", rest[: cut.start() if cut else None]).split()
        more = self._next(words, forms) if verbs else len(words)
        words, behind = words[:more], words[more + 1 :]
        if words[:1] == ["the"] and cut and cut[0] in _WHICH and not behind:
            return
        last = verbs[-1:] if set(verbs) & _OPEN else verbs
        for verb in verbs:
            if verb in _REFUSED and not (verb in _MAKING and words):
                continue
            if verb not in last:
                if verb not in _EMPTY:
                    yield self._gerunds[verb]
                continue
            for done in self._objects(verb, words):
                if forms is not self._third or (done and done[0] not in _PREPOSITIONS):
                    yield " ".join((self._gerunds[verb], *done))
        if behind[:1] and behind[0] in ("for", "to"):
            behind = behind[1:]
        if behind and (forms is self._bases or forms.get(behind[0]) not in self._nouns):
            yield from self._read(" ".join(behind), forms)

    def _verbs(self, clause: str, forms: Mapping[str, str]) -> tuple[list[str], str]:
        """Return the verbs a clause starts with and what follows them."""
        verbs: list[str] = []
        rest = clause
        while found := re.match(r"(?:, )?(?:(?:and|or) )?(?:to )?([a-z]+)\b ?", rest):
            joined = re.match(r",|and |or ", rest)
            if found[1] not in forms or (verbs and not joined):
                break
            verbs.append(forms[found[1]])
            rest = rest[found.end() :]
        return verbs, rest

    def _next(self, words: list[str], forms: Mapping[str, str]) -> int:
        """Return where the next of several verbs is joined: "moves leaves or loosens soil"."""
        for at, word in enumerate(words):
            if word in ("and", "or"):
                behind = words[at + 1 :]
                if behind[0:1] and behind[0] in ("for", "to"):
                    return at
                if not behind or (behind[0] in forms and (forms is self._bases or len(behind) > 1)):
                    return at
        return len(words)

    def _objects(self, verb: str, words: list[str]) -> list[list[str]]:
        """Return what is done to, each as its words; one that is empty for a verb alone."""
        at = next((i for i, word in enumerate(words) if word in _PREPOSITIONS), len(words))
        done, tail = words[:at], words[at:]
        if done[:1] and done[0] in ("and", "or"):
            done, tail = [], []
        if not done or done[0] in _VAGUE:
            if verb in _EMPTY or len(done) > 1:
                return []
            place = tail[1:] and len(tail) < 4 and tail[0] in {"on", "in", "through"}
            return [tail] if place and not done and _is_said(tail) else [[]]
        if not _is_said(done) or set(done) & _VAGUE or _is_torn(done):
            return []
        definite = done[0] == "the" and "of" not in done
        needed = _NEEDED | ({"to", "on"} if verb in _OPEN else set())
        if tail and (definite or tail[0] in needed) and len(tail) > 1 and _is_said(tail):
            whole = done + tail
            if len(whole) < LONGEST and whole[-1] not in _PREPOSITIONS:
                return [whole]
        if (tail and (verb in _OPEN or definite)) or len(done) >= LONGEST:
            return []
        return list(self._apart(done))

    def _apart(self, done: list[str]) -> Iterator[list[str]]:
        """Yield each of several things: tea and coffee, but not "large or heavy loads"."""
        each = [one.split() for one in " ".join(done).split(" or ")]
        article = each[0][:1] if each[0][0] in _ARTICLES else []
        bare = [one[1:] if one[:1] == article else one for one in each]
        if all(len(one) == 1 and one[0] not in self._adjectives for one in bare):
            for (one,) in bare:
                which = "an" if article == ["a"] and one[0] in "aeiou" else "".join(article)
                yield [which, one] if which else [one]
        elif not done[-1].endswith("ly"):
            yield done


def definition(gloss: str) -> str:
    """Return a gloss up to what is added to it, without examples and asides."""
    return next(iter(_parts(gloss)), "")


def _parts(gloss: str) -> list[str]:
    text = re.sub(r'"[^"]*"?', "", gloss)
    text = re.sub(r"\([^()]*\)", "", text)
    return [" ".join(part.split()).strip(" ,:") for part in text.split(";") if part.strip(" ,:")]


def _is_said(words: Iterable[str]) -> bool:
    """Tell whether words stand without what was said before them."""
    return all(word not in _UNSAID and word.replace("-", "").isalpha() for word in words)


def _is_torn(words: list[str]) -> bool:
    """Tell whether an article stands at the end, or behind a noun: "data a bit"."""
    joined = {"of", "or", "and"}
    return words[-1] in _ARTICLES or any(
        word in _ARTICLES and before not in joined
        for before, word in zip(words, words[1:], strict=False)
    )


def _words(path: Path) -> Iterator[str]:
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" ") and "_" not in (word := line.split(" ", 1)[0]):
            yield word


def _gerund(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprtvz]", verb):
        return verb + verb[-1] + "ing"
    return verb + "ing"


def _third(verb: str) -> str:
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:[sxz]|[cs]h)$", verb) else "s")
