"""Finding entities by a value: the look-ups that need a query, not pages of statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from robodata_core.cancellation import CancelToken
from robodata_core.model import EntityValue, Value
from robodata_core.programs._conditions import candidates
from robodata_core.programs._sparql import Text, indented
from robodata_core.programs.comparison import Comparison
from robodata_core.programs.nodes import NodeSet
from robodata_core.programs.query import Queried, QueryWriter
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.store.terms import lookup_terms

__all__ = ["Lookup"]

#: Alternatives in one query: engines plan long ones badly.
_ALTERNATIVES = 16
#: Rows that are read of a ranking, whose first places are wanted.
_LEADING = 200


class Lookup:
    """Asks a source's SPARQL for entities by value."""

    def __init__(
        self, source: KnowledgeSource, limit: int, seconds: float, cancel: CancelToken | None
    ) -> None:
        self._source = source
        self._limits = QueryLimits(rows=limit, seconds=seconds)
        self._cancel = cancel

    def holders(self, values: Sequence[Value], properties: Sequence[str]) -> tuple[list[str], bool]:
        """Return the entities that have one of ``values`` as it is, and whether some were cut."""
        terms = list(dict.fromkeys(term for value in values for term in lookup_terms(value)))
        pairs = [(property_, term) for term in terms for property_ in properties]
        found: set[str] = set()
        cut = False
        for start in range(0, len(pairs), _ALTERNATIVES):
            text = Text()
            parts = [
                f"{{ ?x {text.predicate(property_)} {text.serialised(term)} }}"
                for property_, term in pairs[start : start + _ALTERNATIVES]
            ]
            ids, more = self._entities(text, [" UNION ".join(parts)])
            found.update(ids)
            cut = cut or more
        return sorted(found), cut

    def passing(
        self, property_: str, comparison: Comparison, value: Value
    ) -> tuple[list[str], bool]:
        """Return the entities that may pass a constraint, and whether some were cut."""
        text = Text()
        ids, cut = self._entities(text, candidates(text, "?x", property_, comparison, value))
        return sorted(ids), cut

    def all_of(self, step: Queried) -> NodeSet:
        """Return the entities that a step without a source set keeps."""
        writer = QueryWriter({step.out: step})
        lines = writer.select(step.out)
        ids, cut = self._asked("\n".join([*writer.text.prologue(), *lines]))
        return NodeSet({id_: EntityValue(id_) for id_ in sorted(ids)}, cut)

    def leading(
        self, write: Callable[[QueryWriter, str, str], list[str]], *, largest: bool
    ) -> NodeSet | None:
        """Return the entities with the largest or smallest number of all; ties are all kept.

        Engines do this far faster than they compare every number with the largest.

        Args:
            write: Gives lines that bind, for two variables, entities and their numbers.
            largest: Whether the largest are meant.

        Returns:
            None if so many share the first place that this is no way to find them.
        """
        writer = QueryWriter({})
        node, number = (writer.text.variable(stem) for stem in ("x", "n"))
        lines = [
            f"SELECT {node} {number} WHERE {{", *indented(write(writer, node, number)),
            f"}} ORDER BY {'DESC' if largest else 'ASC'}({number}) LIMIT {_LEADING}",
        ]  # fmt: skip
        query = "\n".join([*writer.text.prologue(), *lines])
        rows = self._source.sparql(query, limits=self._limits, cancel=self._cancel).rows
        ids = [
            row[0].id for row in rows if row[1] == rows[0][1] and isinstance(row[0], EntityValue)
        ]
        if len(ids) == _LEADING:
            return None
        return NodeSet({id_: EntityValue(id_) for id_ in sorted(ids)})

    def _entities(self, text: Text, lines: Sequence[str]) -> tuple[set[str], bool]:
        body = ["SELECT DISTINCT ?x WHERE {", *indented(lines), "}"]
        return self._asked("\n".join([*text.prologue(), *body]))

    def _asked(self, query: str) -> tuple[set[str], bool]:
        # One row more than taken would tell nothing: the source says itself if it cut.
        result = self._source.sparql(query, limits=self._limits, cancel=self._cancel)
        named = (row[0] for row in result.rows)
        return {value.id for value in named if isinstance(value, EntityValue)}, result.truncated
