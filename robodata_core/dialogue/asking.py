"""Questions of which only the time or the question words are said: "In 1952?", "To whom?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from robodata_core.dialogue._words import ASKING, words
from robodata_core.dialogue.degrees import compares
from robodata_core.dialogue.history import Heard
from robodata_core.dialogue.names import Read
from robodata_core.dialogue.naming import name_of
from robodata_core.dialogue.reading import Knowledge
from robodata_core.policy.offline.tables import plain_forms
from robodata_core.policy.offline.words import AUXILIARIES, PREPOSITIONS, said

__all__ = ["Completed", "asks_only", "bare", "timed"]

_TIME: Final = re.compile(
    r"\b(?:in|before|after|since|until|during|between|on|from|by)\s+"
    r"(?:(?:the|early|late|year|years|january|february|march|april|may|june|july|august|september"
    r"|october|november|december)\s+)*\d[\w-]*(?:\s+(?:and|to|until)\s+\d[\w-]*)?",
    re.IGNORECASE,
)
_SWAPPED: Final = said("where or when")
_WHERE_OR_WHEN: Final = words("place_class") | words("time_class")


@dataclass(frozen=True, slots=True)
class Completed:
    """A question made whole: its text, why, and what the new part stands for."""

    text: str
    reason: str
    ids: tuple[str, ...] = ()


def asks_only(read: Read) -> bool:
    """Tell whether there is nothing but question words: "When?", "To whom?", "How long?"."""
    said = [token.norm for token in read.tokens if token.word and token.norm != "else"]
    if len(said) == 2 and said[0] == "how" and tuple(said[1:]) in plain_forms():
        return True
    if said[-2:-1] and said[-2] in ("what", "which") and said[-1] in _WHERE_OR_WHEN:
        said.pop()  # "what city?" asks where
    return bool(said) and all(word in ASKING for word in said)


def timed(read: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    """Ask the last question of another time."""
    new = _TIME.search(read.text)
    if new is None or read.proper():
        return None
    text = base.read.text
    old = _TIME.search(text)
    if old is not None:
        whole = f"{text[: old.start()]}{new[0].lower()}{text[old.end() :]}"
        return Completed(whole, f"“{new[0]}” takes the place of “{old[0]}”")
    stripped = text.rstrip("?!. ")
    return Completed(f"{stripped} {new[0].lower()}?", f"“{new[0]}” is added")


def bare(read: Read, base: Heard, knowledge: Knowledge) -> Completed | None:
    """Complete "When?" and "To whom?" from a question about one thing."""
    said = [token.norm for token in read.tokens if token.word]
    asked = read.text.strip(" ?!.")
    if said[-1] in _WHERE_OR_WHEN:
        asked = asked if said[0] in PREPOSITIONS else f"in {asked}"
        said = ["where"]
    text, tokens = base.read.text.rstrip("?!. "), base.read.tokens
    if len(tokens) > 1 and tokens[0].norm in words("opening"):
        tokens = tokens[1 if tokens[1].word else 2 :]
    if tokens and tokens[0].norm in _SWAPPED and len(said) == 1 and said[0] in _SWAPPED:
        whole = f"{asked}{text[tokens[0].end :]}?"
        return Completed(whole, f"“{asked}” is asked of the same")
    if tokens and tokens[0].norm in AUXILIARIES:
        if compares(base.read):
            return None  # "is X older than Y" holds nowhere and at no time
        joints = said[:1] if said[0] in PREPOSITIONS else ["in", "at"]
        place = [n for n in base.read.proper() if base.read.joint(n) in joints]
        cut = place[-1].start if place and place[-1].end >= len(text) else len(text)
        rest = re.sub(rf"\s+(?:{'|'.join(joints)})\s*$", "", text[tokens[0].start : cut])
        if cut < len(text):
            besides = f"besides {name_of(place[-1].ids[0], knowledge)}"
            asked = re.sub(r"\belse\b", besides, asked, flags=re.IGNORECASE)
        return Completed(f"{asked} {rest[0].lower()}{rest[1:]}?", f"“{asked}” is asked of the same")
    sets = [name for name in base.read.names if name.whole]
    if len(base.members) != 1 or not sets:
        return None
    following = text[sets[0].end :].split()
    if not following or following[0].lower() not in AUXILIARIES:
        return None
    name = name_of(base.members[0], knowledge)
    whole = " ".join([asked, following[0], name, *following[1:]])
    return Completed(f"{whole}?", f"“{asked}” is asked of {name}", base.members)
