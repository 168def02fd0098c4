"""What the loop calls in other packages, gathered so that a test can hand in its own.

Imported when a run begins, not when the loop's module is: the tools and the store are heavy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from robodata_core.answers.proof import Proof
    from robodata_core.model import Answer
    from robodata_core.orchestrator.machine import State
    from robodata_core.store.graph import LocalGraph
    from robodata_core.tools.base import Tool
    from robodata_core.tools.known_ids import KnownIds
    from robodata_core.tools.registry import Toolbox

# Rendering a view takes milliseconds, so it is done only where a look at the size cannot tell.
# Generous guesses at what one triple takes in a view: labels are cut there, and every fact shows
# at least a handle and an object.
_MOST_TOKENS_PER_TRIPLE: Final = 60
_LEAST_TOKENS_PER_TRIPLE: Final = 2


@dataclass(frozen=True, slots=True)
class Parts:
    """The loop's collaborators.

    Attributes:
        toolbox_for: Which tools a state offers.
        known_ids: Begins "know before use" with a question.
        prove: Makes claims of what a draft hands in; called as ``answers.proof.prove``.
        build_answer: Makes the answer of a proof; called as ``answers.build.build_answer``.
        overflows: Whether a graph's view for a question needs more than some tokens.
    """

    toolbox_for: Callable[[State], Toolbox]
    known_ids: Callable[[str], KnownIds]
    prove: Callable[..., Proof]
    build_answer: Callable[..., Answer]
    overflows: Callable[[LocalGraph, str, int], bool]


def default_parts(tools: Iterable[Tool[Any]] = ()) -> Parts:
    """Return the real collaborators.

    Args:
        tools: What a program adds of its own; each is offered where its family is.
    """
    from robodata_core.answers.build import build_answer
    from robodata_core.answers.proof import prove
    from robodata_core.tools.known_ids import KnownIds
    from robodata_core.tools.registry import toolboxes

    return Parts(toolboxes(tools).__getitem__, KnownIds, prove, build_answer, _overflows)


def _overflows(graph: LocalGraph, question: str, budget_tokens: int) -> bool:
    triples = graph.edge_count
    if triples * _MOST_TOKENS_PER_TRIPLE <= budget_tokens:
        return False
    if triples * _LEAST_TOKENS_PER_TRIPLE > budget_tokens:
        return True
    from robodata_core.store.view import render_view

    view = render_view(graph, question, budget_tokens=budget_tokens)
    return view.shown < view.total
