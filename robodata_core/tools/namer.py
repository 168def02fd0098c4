"""How facts read: ``label (Q42)`` beside every id, one line a statement.

A ``Namer`` writes names and remembers every id it wrote, so that what a text shows and what
counts as shown cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from robodata_core.model import (
    EntityValue,
    Evidence,
    ExternalIdValue,
    MonolingualTextValue,
    QuantityValue,
    Rank,
    Snak,
    Statement,
    StringValue,
    Triple,
    Value,
    ids_in,
)
from robodata_core.text import clean_text
from robodata_core.tools.formatting import clip, quote
from robodata_core.tools.known_ids import is_vocabulary
from robodata_core.values import format_value

if TYPE_CHECKING:
    from robodata_core.tools.base import ToolContext

_QUALIFIERS: Final = 3


def property_ids(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the ids of the properties of statements and of their qualifiers."""
    ids: dict[str, None] = {}
    for statement in statements:
        ids[statement.property] = None
        ids.update((snak.property, None) for snak in statement.qualifiers)
    return tuple(ids)


def things_in(statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the ids of subjects, objects, units and qualifiers' values of statements."""
    values: list[Value] = []
    for statement in statements:
        values += [EntityValue(statement.subject), statement.value]
        values += [snak.value for snak in statement.qualifiers]
    return ids_in(values)


class Namer:
    """Writes ``label (Q42)`` and remembers which ids it wrote; serves one call.

    Args:
        context: Of the call.
    """

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._names: dict[str, str] = {}
        self._shown: dict[str, None] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id written so far."""
        return tuple(self._shown)

    def show(self, ids: Iterable[str]) -> None:
        """Count ids as shown that stand in the data of an output."""
        self._shown.update(dict.fromkeys(ids))

    def learn(self, names: Mapping[str, str]) -> None:
        """Take over labels that are known already."""
        self._names.update({id_: label for id_, label in names.items() if label})

    def load(self, entities: Iterable[str] = (), properties: Iterable[str] = ()) -> None:
        """Fetch the labels of ids that will be written."""
        labels, source = self._context.labels, self._context.source
        self.learn(labels.entities((i for i in entities if i not in self._names), source))
        self.learn(labels.properties((i for i in properties if i not in self._names), source))

    def load_mixed(self, ids: Iterable[str]) -> None:
        """Fetch the labels of ids that may be entities or properties."""
        missing = [i for i in ids if i not in self._names and not is_vocabulary(i)]
        self.learn(self._context.labels.mixed(missing, self._context.source))

    def load_statements(self, statements: Sequence[Statement]) -> None:
        """Fetch all labels that writing ``statements`` needs."""
        self.load(things_in(statements), property_ids(statements))

    def label(self, id_: str) -> str:
        """Return the label alone, or the id where there is none; it does not count as shown."""
        return clip(self._names.get(id_, "")) or clean_text(id_)

    def name(self, id_: str) -> str:
        """Return ``label (Q42)``, or the id alone where there is no label."""
        self._shown[id_] = None
        label = clip(self._names.get(id_, ""))
        safe = clean_text(id_)
        return f"{label} ({safe})" if label and label != safe else safe

    def value(self, value: Value | None) -> str:
        """Return a value as a cell: names with ids, texts in quotes and clipped."""
        if value is None:
            return "-"
        if isinstance(value, EntityValue):
            return self.name(value.id)
        if isinstance(value, QuantityValue):
            return format_value(value, self.name)
        if isinstance(value, (StringValue, ExternalIdValue)):
            return quote(value.text)
        if isinstance(value, MonolingualTextValue):
            return f"{quote(value.text)}@{clip(value.language, 12)}"
        return clip(format_value(value))

    def triple(self, triple: Triple | Statement) -> str:
        """Return ``Canada (Q16) — capital (P36) → Ottawa (Q1930)``."""
        if isinstance(triple, Statement):
            return f"{self.name(triple.subject)} — {self.claim(triple)}"
        predicate, value = self.name(triple.predicate), self.value(triple.object)
        return f"{self.name(triple.subject)} — {predicate} → {value}"

    def claim(self, statement: Statement) -> str:
        """Return a statement without its subject: ``capital (P36) → Ottawa (Q1930)``."""
        text = f"{self.name(statement.property)} → {self.value(statement.value)}"
        return text + self._circumstances(statement)

    def incoming(self, statement: Statement) -> str:
        """Return a statement without its object: ``country (P17) ← Ottawa (Q1930)``."""
        text = f"{self.name(statement.property)} ← {self.name(statement.subject)}"
        return text + self._circumstances(statement)

    def evidence(self, evidence: Evidence) -> str:
        """Return ``T3: Canada (Q16) — capital (P36) → Ottawa (Q1930)``."""
        triple = evidence.triple
        self.learn({triple.subject: evidence.subject_label})
        self.learn({triple.predicate: evidence.predicate_label})
        if isinstance(triple.object, EntityValue):
            self.learn({triple.object.id: evidence.object_label})
        elif isinstance(triple.object, QuantityValue) and triple.object.unit:
            unit = triple.object.unit
            self.learn({unit: evidence.unit_label or self._context.store.label(unit)})
        return f"{evidence.handle}: {self.triple(triple)}"

    def snaks(self, snaks: Sequence[Snak]) -> str:
        """Return qualifiers in short: ``start time (P580): 1857; ...``."""
        shown = [f"{self.name(s.property)}: {self.value(s.value)}" for s in snaks[:_QUALIFIERS]]
        if len(snaks) > _QUALIFIERS:
            shown.append(f"{len(snaks) - _QUALIFIERS} more")
        return "; ".join(shown)

    def _circumstances(self, statement: Statement) -> str:
        parts = [] if statement.rank is Rank.NORMAL else [f"{statement.rank.value} rank"]
        if statement.qualifiers:
            parts.append(self.snaks(statement.qualifiers))
        return f" [{'; '.join(parts)}]" if parts else ""
