"""Text, numbers and times as message fields can hold them."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from builtin_interfaces.msg import Duration, Time

__all__ = [
    "NAN",
    "clean",
    "count",
    "duration_to_msg",
    "duration_to_seconds",
    "stamp_from_msg",
    "stamp_to_msg",
]

NAN: Final = math.nan
_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """Return ``text`` as a message can hold it."""
    return _UNSENDABLE.sub("\ufffd", text)


def count(number: int, most: int = 2**32 - 1) -> int:
    """Return ``number`` as an unsigned field can hold it."""
    return max(0, min(int(number), most))


def stamp_to_msg(time: datetime) -> Any:
    """Return a time as a message; what a message cannot hold becomes its first or last second."""
    since = time - datetime(1970, 1, 1, tzinfo=timezone.utc)
    seconds = since.days * 86_400 + since.seconds
    return Time(sec=max(-(2**31), min(seconds, 2**31 - 1)), nanosec=since.microseconds * 1_000)


def stamp_from_msg(stamp: Any) -> datetime:
    """Return a message's time in UTC, to the microsecond."""
    start = datetime(1970, 1, 1, tzinfo=timezone.utc)
    return start + timedelta(seconds=stamp.sec, microseconds=stamp.nanosec // 1_000)


def duration_to_msg(seconds: float) -> Any:
    """Return seconds as a message."""
    seconds = max(0.0, min(seconds, 2.0**31 - 1))
    whole = math.floor(seconds)
    return Duration(sec=whole, nanosec=min(int((seconds - whole) * 1e9), 999_999_999))


def duration_to_seconds(duration: Any) -> float:
    """Return a message's duration in seconds; it may be negative."""
    return float(duration.sec) + float(duration.nanosec) / 1e9
