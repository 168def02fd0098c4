"""One SPARQL 1.1 query with the same result as the executor's.

The query reads a source's plain RDF: direct triples (``wdt:``, or the source's own predicates).
Where these lose what a comparison needs, it looks at Wikibase's value nodes too: the unit of a
quantity, the precision of a time. A value without such a node has no unit, or is known to the
precision its datatype says. The result is the same as the executor's, within these limits:

- The executor has caps, the query has none: the two agree where ``truncated`` is false.
- A query gives direct values. The unit of a quantity and the precision of a time that the
  program *ends* with are not in its result.
- Statements of one entity and property whose direct values are equal share one direct triple.
  Which of their units or precisions count is then decided by all of them together.
- Numbers of a graph's own predicates that are not xsd:decimal are compared, but as nodes "5" and
  "5.0" of two datatypes are two in a query and one in the executor.
- An IRI that a Wikidata property leads to is a link unless it is Wikidata's own. A program does
  not go on from it; a query does where the graph says something of the same IRI.
- Labels, aliases and descriptions are no statements; a program that follows them as properties
  cannot be compiled.
- Engines may not reckon with very large or very precise decimals (Oxigraph: 1.7e20, 18 digits
  after the point) and skip what they cannot read. A program that holds such a number itself
  cannot be compiled.
"""

from __future__ import annotations

from robodata_core.programs.check import check
from robodata_core.programs.query import QueryWriter
from robodata_core.programs.step import Gives, Program

__all__ = ["compile_sparql"]


def compile_sparql(program: Program) -> str:
    """Return a query with the same result: SELECT for a set or a number, ASK for a boolean.

    A set is bound to ``?x``, a number to ``?count``.

    Raises:
        ProgramError: If the program is not well formed, or cannot be compiled.
    """
    check(program)
    writer = QueryWriter(program.written, exclude_start=program.exclude_start)
    final = program.final
    lines = final.query(writer) if final.gives is not Gives.SET else writer.select(final.out)
    return "\n".join([*writer.text.prologue(), *lines])
