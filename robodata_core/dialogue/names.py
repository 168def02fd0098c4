"""A text, read: what it names and where, its phrases for relations, and what it asks."""

from __future__ import annotations

from dataclasses import dataclass

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.question import Question
from robodata_core.policy.offline.relations import Match
from robodata_core.policy.offline.words import ARTICLES, Token

__all__ = ["Name", "Read"]


@dataclass(frozen=True, slots=True)
class Name:
    """Something that a text names.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last one, ids in parentheses included.
        text: The name alone.
        ids: What it may stand for, likeliest first; all of a set.
        proper: Whether it is written as a name.
        whole: Whether it is a set that stands for all of its ids.
    """

    start: int
    end: int
    text: str
    ids: tuple[str, ...]
    proper: bool
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A text, read.

    Attributes:
        question: Its words and requests.
        names: What it names, in order.
        matches: Its phrases for relations.
        unlinked: Names that nothing is known for.
    """

    question: Question
    names: tuple[Name, ...]
    matches: tuple[Match, ...]
    unlinked: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text itself."""
        return self.question.text

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its words and signs."""
        return self.question.tokens

    def proper(self) -> tuple[Name, ...]:
        """Return the names that are written as such."""
        return tuple(name for name in self.names if name.proper)

    def nouns(self) -> tuple[Match, ...]:
        """Return the longest noun phrases for relations, in order."""
        found: dict[int, Match] = {}
        for match in self.matches:
            if match.reading.kind == "noun" and match.reading.hops:
                known = found.get(match.start)
                if known is None or match.end > known.end:
                    found[match.start] = match
        return tuple(found[at] for at in sorted(found))

    @property
    def mutual(self) -> bool:
        """Whether it is a yes or no that names nothing but a relation: "do they share a border"."""
        nouns = {self.tokens[match.start].start for match in self.nouns()}
        spans = [(self.tokens[m.start].start, self.tokens[m.end - 1].end) for m in self.matches]
        yes_or_no = all(r.kind is AnswerKind.YES_OR_NO for r in self.question.requests)
        return yes_or_no and all(
            not name.proper
            and (name.start in nouns or any(s < name.start and name.end <= e for s, e in spans))
            for name in self.names
        )

    def before(self, name: Name) -> str:
        """Return the word before a name: "a" in "a common border"."""
        return next((t.norm for t in reversed(self.tokens) if t.end <= name.start and t.word), "")

    def joint(self, name: Name) -> str:
        """Return the word before a name and its article: "of" in "of the river"."""
        said = [t.norm for t in self.tokens if t.end <= name.start and t.word]
        return next((word for word in said[:-3:-1] if word not in ARTICLES), "")

    def in_phrase(self, name: Name) -> bool:
        """Tell whether a name is only a part of a phrase for a relation: "head of state"."""
        spans = [(self.tokens[m.start].start, self.tokens[m.end - 1].end) for m in self.nouns()]
        own = (name.start, name.end)
        return any(one != own and one[0] <= own[0] and own[1] <= one[1] for one in spans)
