"""Hypothesis strategies for every dataclass of the model, read off the annotations.

Written apart from the codec on purpose: it must not share its idea of what a field may hold.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from robodata_core.events import RunEvent

__all__ = ["EVENT_CLASSES", "instances", "json_values"]

EVENT_CLASSES: tuple[type, ...] = typing.get_args(RunEvent)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)

_times = st.datetimes(
    min_value=datetime(1, 1, 3),
    max_value=datetime(9999, 12, 29),
    timezones=st.sampled_from([timezone.utc, timezone(timedelta(hours=-9, minutes=-30))]),
)
# Surrogates are text that no UTF-8 file can hold as it is.
_texts = st.text(st.characters(), max_size=12)

_SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    Any: json_values,
    str: _texts,
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False),
    Decimal: st.decimals(allow_nan=False),
    datetime: _times,
    type(None): st.none(),
}


def instances(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for everything that fits the annotation ``kind``."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(instances, args))
    if origin is tuple:
        return st.lists(st.deferred(lambda: instances(args[0])), max_size=2).map(tuple)
    if origin is collections.abc.Mapping:
        return st.dictionaries(_texts, instances(args[1]), max_size=2)
    if issubclass(kind, enum.Enum):
        return st.sampled_from(kind)
    hints = typing.get_type_hints(kind)
    return st.builds(
        kind, **{field.name: instances(hints[field.name]) for field in dataclasses.fields(kind)}
    )
