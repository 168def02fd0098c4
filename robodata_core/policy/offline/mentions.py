"""What a question names: mentions, and the entities each may stand for. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field

from robodata_core.model import SearchHit

__all__ = ["Linked", "Linking", "Mention"]


@dataclass(frozen=True, slots=True)
class Linked:
    """An entity a mention may stand for.

    Attributes:
        id: Entity id.
        label: Its label.
        quality: 0 to 1: how well the name fits.
        popularity: How often the graph mentions it.
    """

    id: str
    label: str
    quality: float
    popularity: int = 0


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of tokens that names something.

    Attributes:
        start: First token.
        end: After the last.
        text: As written.
        entities: What it may stand for, best first.
        proper: Whether it is written as a name (quoted, capitalised, an id).
        demonym: Whether it is an adjective of origin.
        exact: Whether the whole name matched (else only some of its words).
        whole: Whether it stands for all of its entities at once, not for one of them.
        span: The tokens of the mention.
    """

    start: int
    end: int
    text: str
    entities: tuple[Linked, ...]
    proper: bool = False
    demonym: bool = False
    exact: bool = True
    whole: bool = False
    span: frozenset[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Asked for thousands of times in a question.
        object.__setattr__(self, "span", frozenset(range(self.start, self.end)))

    @property
    def is_name(self) -> bool:
        """Whether what is meant has a name with a capital, however it is written here."""
        return any(item.label[:1].isupper() for item in self.entities[:1])


@dataclass(frozen=True, slots=True)
class Linking:
    """The mentions of one request, and the names that nothing could be found for."""

    mentions: tuple[Mention, ...]
    unlinked: tuple[str, ...] = ()
    lost: frozenset[int] = frozenset()
    suggestions: tuple[SearchHit, ...] = ()
