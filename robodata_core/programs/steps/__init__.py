"""The kinds of steps of KG-Agent's reasoning programs; each is one class, see ``step``.

A program is data: a sequence of steps over named node sets. ``executor`` runs it on a source and
reports which statements it used; ``compiler`` turns it into one SPARQL query with the same result.
Source: KG-Agent paper, "Toolbox for Knowledge Graph" and "Reasoning Program Generation".
"""

from robodata_core.programs.comparison import Comparison
from robodata_core.programs.step import End, Gives, Program, Step, step_kinds
from robodata_core.programs.steps.places import Distance, Nearest, Within
from robodata_core.programs.steps.relations import Closure, FilterBySame, FilterByType, Follow
from robodata_core.programs.steps.sets import (
    Difference,
    Intersect,
    Judge,
    JudgeKind,
    JudgeShare,
    Quantifier,
    Start,
    Union,
)
from robodata_core.programs.steps.sides import Between, OnSide, Side
from robodata_core.programs.steps.sizes import Count, ExtremeCount, FilterByCount, JudgeSize
from robodata_core.programs.steps.times import Coarsen, Elapsed, ExtremeSpan, Stretch
from robodata_core.programs.steps.values import Aggregate, Extreme, FilterByConstraint, Function

__all__ = [
    "Aggregate",
    "Between",
    "Closure",
    "Coarsen",
    "Comparison",
    "Count",
    "Difference",
    "Distance",
    "Elapsed",
    "End",
    "Extreme",
    "ExtremeCount",
    "ExtremeSpan",
    "FilterByConstraint",
    "FilterByCount",
    "FilterBySame",
    "FilterByType",
    "Follow",
    "Function",
    "Gives",
    "Intersect",
    "Judge",
    "JudgeKind",
    "JudgeShare",
    "JudgeSize",
    "Nearest",
    "OnSide",
    "Program",
    "Quantifier",
    "Side",
    "Start",
    "Step",
    "Stretch",
    "Union",
    "Within",
    "step_kinds",
]
