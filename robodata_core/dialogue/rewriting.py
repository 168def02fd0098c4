"""From what was typed to what is asked, by rules: stands alone, made whole, replied to, or unclear.

Deterministic and without a model. Nothing is guessed: what may mean several things is asked back,
what is not understood stays as it was typed, if it points to nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from robodata_core.dialogue import ellipsis, forms
from robodata_core.dialogue._words import BACK, FEMALE, MALE, ORDINALS, POSSESSIVES, words
from robodata_core.dialogue.anaphora import edited, pointing
from robodata_core.dialogue.asking import asks_only
from robodata_core.dialogue.compared import Compared, asked_to_compare
from robodata_core.dialogue.degrees import degree_of, picks
from robodata_core.dialogue.editing import Edit, Undecided, applied
from robodata_core.dialogue.elided import asked_for, attached, leaves_open
from robodata_core.dialogue.forms import Form
from robodata_core.dialogue.history import Choice, Heard, History
from robodata_core.dialogue.names import Name, Read
from robodata_core.dialogue.naming import is_carried, name_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.dialogue.referents import Found, Referents
from robodata_core.language.grammar.framing import resumed, spelled
from robodata_core.language.lexicon import open_lexicon
from robodata_core.language.text import read_text
from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.words import DENYING, WH_WORDS
from robodata_core.text import normalise_name

__all__ = ["Alone", "Outcome", "Rewriter", "Said", "Unclear", "Whole"]

_LANGUAGE: Final = "en"
_SUPERLATIVE: Final = re.compile(
    r"(?:who|which|what)(?: one)?\s+(?P<be>is|are|was|were)\s+"
    r"(?P<what>the\s+(?:\w+est|first|last|(?:most|least)\s+\w+)(?:\s+one)?)"
    r"\s+of\s+(?P<set>these \d+[^()]*\([^()]*\))\s*\??",
    re.IGNORECASE,
)
_WHETHER: Final = re.compile(
    r"(?P<verb>did|do|does|are|were|is|was|have|had|can)\s+"
    r"(?P<set>these \d+[^()]*\([^()]*\))\s+(?P<rest>\S.*)",
    re.IGNORECASE,
)
_OWNS: Final = re.compile(r"['’]s?\s+\w")
_OPEN_KINDS: Final = (AnswerKind.THINGS, AnswerKind.NUMBER)
_SURE: Final = 0.5
_MOST_BACK: Final = 6
_MOST_BASES: Final = 3
_MOST_CHOOSING: Final = 4
_MOST_TOPICS: Final = 4
_MOST_LABELS: Final = 300


@dataclass(frozen=True, slots=True)
class Alone:
    """The question stands alone; ``note`` says what was tried and given up, if anything was."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    """The question was made to stand alone.

    Attributes:
        text: The standalone question.
        reasons: What was put in for what.
        pointed: Ids that words of the question stand for.
        genders: What its pronouns say of whom.
    """

    text: str
    reasons: tuple[str, ...]
    pointed: tuple[str, ...] = ()
    genders: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """No question to look up: small talk, or one about the last answer."""

    form: Form
    member: str = ""
    compared: Compared | None = None


@dataclass(frozen=True, slots=True)
class Unclear:
    """What a word means cannot be decided.

    Attributes:
        word: The word.
        choice: What it may mean, for the answer to the question back.
    """

    word: str
    choice: Choice | None = None


Outcome: TypeAlias = Alone | Whole | Said | Unclear


class Rewriter:
    """Understands the questions of one conversation.

    Args:
        history: What was said.
        knowledge: What is known.
    """

    def __init__(self, history: History, knowledge: Knowledge) -> None:
        self._history = history
        self._knowledge = knowledge

    def understand(self, typed: str) -> Outcome:
        """Return what a question is in the light of the turns before it."""
        chosen = self._chosen(typed)
        if chosen is not None:
            return chosen
        form = forms.form_of(typed)
        last = self._history.last
        if form is Form.COUNT and not self._may_count(forms.counted(typed)):
            form = None
        if form is not None and (last is not None or form not in (Form.COUNT, Form.LIST)):
            return Said(form)
        try:
            return self._rewritten(typed, last)
        except Undecided as unclear:
            return self._unclear(typed, unclear)

    def _may_count(self, noun: str) -> bool:
        """Tell whether a noun calls what the last answer gave: it counts nothing else."""
        return not noun or Referents(self._history, self._knowledge).given(noun)

    def _unclear(self, typed: str, unclear: Undecided) -> Outcome:
        options = tuple((id_, self._knowledge.label(id_)) for id_ in unclear.options)
        if self._history.last is None and self._knowledge.read(typed).proper():
            return Alone()  # the policy reads it as well as anybody could
        text = unclear.text or typed
        choice = Choice(text, unclear.start, unclear.end, options) if options else None
        return Unclear(unclear.word, choice)

    # -- kinds --------------------------------------------------------------------------------

    def _rewritten(self, typed: str, last: Heard | None) -> Outcome:
        typed = spelled(read_text(typed), _LANGUAGE).raw
        # "The Beatles, what label were they on?" says itself who they are.
        led = forms.opening(typed)
        begun = _begun(typed[led:])
        if last is None:
            return self._first(begun or typed)
        correction = forms.correction(typed)
        if correction is not None:
            return self._corrected(correction, typed, last)
        cut = 0 if begun else led
        body = ellipsis.without_that(typed[cut:]) if cut else begun or typed
        read = self._knowledge.read(body)
        said = self._said_of_answers(typed, read, bool(cut), last)
        if said is not None:
            return said
        if ellipsis.is_fragment(read, bool(cut)):
            if forms.denies(typed):
                return self._corrected(forms.Correction(body), typed, last)
            read = self._knowledge.fragment(body)
            read = self._knowledge.fragment(applied(body, self._short_names(read)))
            found = self._completed(read, last, bool(cut))
            if found is not None:
                return found
            named = read.proper() if cut else read.names  # "And the population?" names nothing
            attached_ = self._attached(read)
            if attached_ is not None and not asks_only(read):
                return attached_
            alone = (named or read.unlinked) and not asks_only(read)
            return Alone() if alone else Unclear(body.strip(" ?!."))
        gap = ellipsis.gapped(read, last)
        if gap is not None:
            read = self._knowledge.read(gap.text)
            whole = self._pointed(read)
            return Whole(whole.text, (gap.reason, *whole.reasons), whole.pointed, whole.genders)
        others = cut or any(token.norm in DENYING for token in read.tokens)
        sets = [name.ids for name in last.read.names if name.whole] if others else []
        whole = self._pointed(read, Found(sets[0]) if sets else None)
        if begun and led and not whole.reasons:
            return Whole(_capital(begun), ("what it begins with stands for its pronoun",))
        return whole if whole.reasons else self._attached(read) or Alone()

    def _said_of_answers(self, typed: str, read: Read, opened: bool, last: Heard) -> Said | None:
        """Return what is asked of the last answers alone: whether one is there, which is more."""
        name = forms.membership(typed) or (self._member_too(read.text) if opened else "")
        name = name or self._among(forms.existence(read.text), last)
        if name:
            return Said(Form.LIST, name)
        two = asked_to_compare(read, self._history)
        return Said(Form.COMPARE, compared=two) if two is not None else None

    def _first(self, text: str) -> Alone:
        """Ask the first question as it stands, unless a word in it points back."""
        for word in pointing(self._knowledge.read(text)):
            raise Undecided(word.text, word.start, word.end)
        return Alone()

    def _member_too(self, body: str) -> str:
        """Return the name in "And Y?" after "Is X one of them?", or nothing."""
        said = body.strip(" ?!.")
        replies = itertools.takewhile(lambda turn: not turn.ran, reversed(self._history.turns))
        if not any(forms.membership(turn.question) for turn in replies):
            return ""
        names = [name.text for name in self._knowledge.fragment(said).names]
        return said if names == [said] else ""

    def _among(self, name: str, last: Heard) -> str:
        """Return a name if the last answer gave what it calls: "is there any cheese?"."""
        called = self._knowledge.read(name).names[:1] if name else ()
        several = len(last.members) > 1
        return name if several and called and {*called[0].ids} & {*last.members} else ""

    def _pointed(self, read: Read, again: Found | None = None) -> Whole:
        """Replace what points back; the text as it is where nothing does."""
        avoid = frozenset(id_ for name in read.proper() for id_ in name.ids[:1])
        referents = Referents(self._history, self._knowledge, read.matches, avoid, read.mutual)
        edits = edited(read, referents, self._knowledge, again)
        taken = {(edit.start, edit.end) for edit in edits}
        edits += [e for e in self._short_names(read) if (e.start, e.end) not in taken]
        text = of_set(applied(read.text, sorted(edits, key=lambda edit: edit.start)))
        ids = tuple(dict.fromkeys(edit.ids[0] for edit in edits if len(edit.ids) == 1))
        genders = {id_: e.gender for e in edits if e.gender for id_ in e.ids}
        return Whole(_capital(text), tuple(edit.reason for edit in edits), ids, genders)

    def _short_names(self, read: Read) -> list[Edit]:
        """Write out unknown names that are part of the name of an earlier thing, or of its kin."""
        found = []
        unknown = (name.text for name in read.names if is_carried(name.ids[0]))
        for short in dict.fromkeys((*read.unlinked, *unknown)):
            start, parts = read.text.find(short), set(normalise_name(short).split())
            before = {id_: self._knowledge.label(id_)
                      for id_ in self._named_before() if not is_carried(id_)}  # fmt: skip
            fits = [id_ for id_, label in before.items()
                    if parts <= set(normalise_name(label).split())]  # fmt: skip
            fits = fits or self._of_the_family(short, before)
            if start < 0 or len(fits) != 1 or not parts:
                continue
            name = name_of(fits[0], self._knowledge)
            reason = f"“{short}” is {name}"
            found.append(Edit(start, start + len(short), name, reason, (fits[0],)))
        return found + self._said_again(read)

    def _said_again(self, read: Read) -> list[Edit]:
        """Bind names of several things to the one that an answer gave, or a word stood for."""
        before = {id_ for one in self._history.back() for id_ in (*one.members, *one.pointed)}
        found = []
        for name in read.proper():
            fits = [id_ for id_ in name.ids if id_ in before]
            if len(name.ids) > 1 and len(fits) == 1 and not name.whole:
                put = name_of(fits[0], self._knowledge)
                put += "'s" if name.text.endswith(("'s", "’s")) else ""
                found.append(Edit(name.start, name.end, put, f"“{name.text}” is {put}", (fits[0],)))
        return found

    def _of_the_family(self, first: str, before: Mapping[str, str]) -> list[str]:
        """Return who has a first name, and the last name of the last person that was named."""
        person = next((id_ for id_ in before if self._knowledge.person(id_)), None)
        names = before[person].split()[1:] if person is not None else []
        return list(self._knowledge.homonyms(f"{first} {names[-1]}"))[:1] if names else []

    def _named_before(self) -> tuple[str, ...]:
        ids = [id_ for heard in self._history.back() for id_ in (*heard.topics, *heard.members)]
        return tuple(dict.fromkeys(ids))[:_MOST_LABELS]

    def _bases(self, read: Read) -> Iterator[Heard]:
        """Yield the questions that may lend their words: the last, or one that says as much."""
        asked = (heard for heard in self._history.back() if heard.turn.ran)
        for place, heard in enumerate(itertools.islice(asked, _MOST_BASES)):
            if not place or read.proper() and ellipsis.says(heard.read, read):
                yield heard

    def _completed(self, read: Read, last: Heard, opened: bool) -> Whole | None:
        said = [token.norm for token in read.tokens if token.word]
        if " ".join(said) in words("reversed"):
            turned = ellipsis.turned(last)
            return Whole(turned.text, (turned.reason,)) if turned is not None else None
        if set(said) & POSSESSIVES and not set(said) & WH_WORDS:
            return self._possessed(read)
        nouns = read.nouns()
        if nouns and any(_owns(read, name) for name in read.proper()):
            body = read.text.strip(" ?!.")  # "Ottawa's country": says whose
            phrase = read.text[read.tokens[nouns[-1].start].start :].strip(" ?!.")
            person = nouns[-1].reading.answer == "person"
            return Whole(asked_for(body, phrase, person), ("asked in full",))
        reasons: tuple[str, ...] = ()
        pointed: tuple[str, ...] = ()
        if all(word in BACK for word in said) and not opened:
            return None  # "it?" points to something and asks nothing of it
        if not read.nouns():
            whole = self._pointed(read)
            if whole.reasons:
                reasons, pointed = whole.reasons, whole.pointed
                read = self._knowledge.fragment(whole.text)
        found = next(
            filter(
                None,
                (ellipsis.completed(read, base, self._knowledge) for base in self._bases(read)),
            ),
            None,
        )
        degree = degree_of(read)
        if found is None and degree:  # "And the oldest?" after a set was given
            whole = self._pointed(self._knowledge.read(f"Which is the {degree}?"))
            return whole if whole.reasons else None
        if found is None:
            return None
        return Whole(_capital(found.text), (*reasons, found.reason), (*pointed, *found.ids))

    def _possessed(self, read: Read) -> Whole | None:
        """Make "her mother?" a question: "Who is the mother of X?"."""
        nouns = read.nouns()
        body = read.text.strip(" ?!.")
        phrase = read.text[read.tokens[nouns[-1].start].start :].strip(" ?!.") if nouns else body
        asked = asked_for(body, phrase, nouns[-1].reading.answer == "person" if nouns else None)
        whole = self._pointed(self._knowledge.read(asked))
        return whole if whole.reasons else None

    def _corrected(self, correction: forms.Correction, typed: str, last: Heard) -> Outcome:
        new, asked = forms.parted(correction.new)
        read = self._knowledge.fragment(new)
        said = [token.norm for token in read.tokens if token.word]
        if said and said[0] in WH_WORDS:
            whole = self._pointed(read)
            return whole if whole.reasons else Whole(_capital(read.text), ("what was meant",))
        found = ellipsis.corrected(read, correction.old, last, self._knowledge)
        if found is None:
            return Unclear(typed.strip(" ?!."))
        if asked and found.ids:  # "I meant the river. How long is it?"
            asked = _begun(f"{name_of(found.ids[0], self._knowledge)}: {asked}") or asked
            return Whole(_capital(asked), (found.reason,), found.ids)
        return Whole(_capital(found.text), (found.reason,), found.ids)

    def _attached(self, read: Read) -> Whole | None:
        """Ask of what the conversation is about where a question does not say of what."""
        lacks = leaves_open(read)
        topics = self._standing()
        if lacks is False or not topics or self._knowledge.names_small(read):
            return None
        filled = {id_: attached(read, name_of(id_, self._knowledge)) for id_ in topics}
        sure = {id_: self._knowledge.probability(text) for id_, text in filled.items()
                if not is_carried(id_)}  # fmt: skip
        likely = [id_ for id_ in sure if sure[id_] >= _SURE]
        best = likely[0] if likely else ""
        alone = 0.0 if lacks else self._knowledge.probability(read.text)
        if is_carried(topics[0]) or not best:
            if picks(read) and not is_carried(topics[0]):
                return None  # "Longest river in the world?" picks from nothing that is theirs.
            best = topics[0]
            kind = read.question.requests[0].kind
            if alone >= _SURE or (lacks is None and kind not in _OPEN_KINDS):
                return None
        elif sure[best] <= alone:
            return None
        reason = f"asked of {name_of(best, self._knowledge)}"
        return Whole(_capital(filled[best]), (reason,), (best,))

    def _standing(self) -> tuple[str, ...]:
        """Return what the conversation is about: what was named last, then what it led to."""
        turns = list(itertools.islice(self._history.back(), _MOST_BACK))
        typed = [id_ for heard in turns for id_ in heard.typed[:1]]
        last = turns[0]
        given = last.members if len(last.members) == 1 else ()
        if not typed or is_carried(typed[0]):
            return tuple(typed) or last.topics
        ids = dict.fromkeys((*typed, *last.topics, *last.pointed, *given))
        return tuple(ids)[:_MOST_TOPICS]

    # -- after a question back ------------------------------------------------------------------

    def _chosen(self, typed: str) -> Outcome | None:
        """Read the answer to a question back."""
        choice, self._history.choice = self._history.choice, None
        if choice is None:
            return None
        said = set(normalise_name(typed).split())
        fits = [id_ for id_, label in choice.options
                if said & set(normalise_name(label).split()) or id_ in typed]  # fmt: skip
        places = {**ORDINALS, "former": 0, "latter": 1}
        for word in said & places.keys() if len(said) <= _MOST_CHOOSING and not fits else ():
            fits = [id_ for id_, _ in choice.options[places[word] :][:1]]
        if len(fits) != 1 or said & (WH_WORDS - {"which"}):
            return None
        name = name_of(fits[0], self._knowledge)
        word = choice.question[choice.start : choice.end]
        put = f"{name}'s" if word.lower() in POSSESSIVES else name
        text = f"{choice.question[: choice.start]}{put}{choice.question[choice.end :]}"
        read = self._knowledge.read(text[forms.opening(text) :])
        try:
            whole = self._pointed(read)
        except Undecided as unclear:  # Another pronoun is left open.
            return self._unclear(read.text, unclear)
        reason = f"“{word}” is {name}"
        gender = "male" if word.lower() in MALE else "female" if word.lower() in FEMALE else ""
        genders = {**whole.genders, **({fits[0]: gender} if gender else {})}
        return Whole(whole.text, (reason, *whole.reasons), (fits[0], *whole.pointed), genders)


def _begun(text: str) -> str:
    """Return a question with what it begins with in the place of its pronoun, or nothing."""
    return resumed(read_text(text), open_lexicon(_LANGUAGE))


def of_set(text: str) -> str:
    """Ask of the members of a set what is said of the set itself.

    "Who is the oldest of these 3 (...)" asks which of them is the oldest, and "did these 3 (...)
    influence X" is answered by those that did: a yes would not say whether all are meant.
    """
    match = _SUPERLATIVE.fullmatch(text)
    if match is not None:
        return f"Which of {match['set']} {match['be']} {match['what']}?"
    match = _WHETHER.fullmatch(text)
    if match is None:
        return text
    verb = match["verb"].lower()
    kept = "" if verb in ("did", "do", "does") else f" {verb}"
    return f"Which of {match['set']}{kept} {match['rest']}"


def _owns(read: Read, name: Name) -> bool:
    """Tell whether a name is somebody whose something is named: "Ottawa's country"."""
    at = name.end - 2 if name.text.endswith(("'s", "’s")) else name.end
    return _OWNS.match(read.text, at) is not None


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] if text else text
