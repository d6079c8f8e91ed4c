"""Times of tokens: whatever a program has becomes int64 nanoseconds since 1970-01-01 UTC."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument

Time: TypeAlias = "int | dt.datetime | np.datetime64"
Times: TypeAlias = "npt.ArrayLike | Sequence[Time]"

NO_TIME = -(2**63)  #: int64 nanoseconds of a token without a time
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


def to_ns(time: Time) -> int:
    """Nanoseconds of one time. An aware datetime is brought to UTC; a naive one is taken for UTC."""
    if isinstance(time, (int, np.integer)):
        return int(time)
    if isinstance(time, np.datetime64):
        if np.isnat(time):
            raise InvalidArgument("the time is missing (NaT)")
        return int(time.astype("datetime64[ns]").astype(np.int64))
    if hasattr(time, "value") and hasattr(time, "to_datetime64"):  # pandas.Timestamp has nanoseconds
        return int(time.to_datetime64().astype("datetime64[ns]").astype(np.int64))
    if time.tzinfo is None:
        time = time.replace(tzinfo=dt.timezone.utc)
    delta = time - _EPOCH
    return (delta.days * 86400 + delta.seconds) * 10**9 + delta.microseconds * 1000


def to_ns_array(times: Times, count: int) -> npt.NDArray[np.int64]:
    """Nanoseconds of `count` times. InvalidArgument, naming the row, for a missing time."""
    array = np.asarray(times)
    if array.dtype.kind == "M":
        if len(missing := np.flatnonzero(np.isnat(array))):
            raise InvalidArgument(f"row {missing[0]}: the time is missing (NaT)")
        array = array.astype("datetime64[ns]").astype(np.int64)
    elif array.dtype.kind not in "iu":
        array = np.array([to_ns(time) for time in times], dtype=np.int64)  # type: ignore[union-attr, arg-type]
    if array.shape != (count,):
        raise InvalidArgument(f"{array.shape} times for {count} values")
    return np.ascontiguousarray(array, dtype=np.int64)


class Clock:
    """The time of a session's latest token, and the step between its times: as a server keeps both."""

    __slots__ = ("last_ns", "step_ns")

    def __init__(self, last_ns: int = NO_TIME, step_ns: int = 0) -> None:
        self.last_ns, self.step_ns = last_ns, step_ns

    @property
    def time_ns(self) -> int | None:
        """None before the first token with a time."""
        return None if (last_ns := self.last_ns) == NO_TIME else last_ns

    def check(self, times: npt.NDArray[np.int64]) -> None:
        """InvalidArgument, naming the row, if a time goes back."""
        if not len(times):
            return
        if times[0] < self.last_ns:
            raise InvalidArgument(f"row 0: its time {times[0]} ns is before {self.last_ns} ns, the time before")
        if len(back := np.flatnonzero(times[1:] < times[:-1])):
            row = int(back[0]) + 1
            raise InvalidArgument(f"row {row}: its time {times[row]} ns is before {times[row - 1]} ns, the time before")

    def advance(self, times: npt.NDArray[np.int64]) -> None:
        """Takes times that `check` accepted."""
        if not len(times):
            return
        seen = times if self.last_ns == NO_TIME else np.concatenate(([self.last_ns], times))
        steps = np.diff(seen)
        if len(positive := np.flatnonzero(steps > 0)):
            self.step_ns = int(steps[positive[-1]])
        self.last_ns = int(times[-1])

    def check_one(self, time: int) -> None:
        """`check` for one time."""
        if time < self.last_ns:
            raise InvalidArgument(f"row 0: its time {time} ns is before {self.last_ns} ns, the time before")

    def advance_one(self, time: int) -> None:
        """`advance` for one time."""
        if NO_TIME < self.last_ns < time:
            self.step_ns = time - self.last_ns
        self.last_ns = time

    def copy(self) -> Clock:
        return Clock(self.last_ns, self.step_ns)
