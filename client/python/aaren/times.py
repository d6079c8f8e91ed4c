"""Times of tokens: whatever a program has becomes int64 nanoseconds since 1970-01-01 UTC."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aaren import _engine
from aaren.errors import InvalidArgument

Time: TypeAlias = "int | dt.datetime | np.datetime64"
Times: TypeAlias = "npt.ArrayLike | Sequence[Time]"

NO_TIME = -(2**63)  #: int64 nanoseconds of a token without a time
#: The first and the last day that 64 bits of nanoseconds hold.
EARLIEST, LATEST = np.datetime64("1677-09-22"), np.datetime64("2262-04-11")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


def to_ns(time: Time) -> int:
    """Nanoseconds of one time. An aware datetime is brought to UTC; a naive one is taken for UTC.

    InvalidArgument for a missing time, for anything else, and for a time that 64 bits of nanoseconds do not hold.
    """
    if isinstance(time, np.datetime64):
        if np.isnat(time):
            raise InvalidArgument("the time is missing (NaT)")
        if not EARLIEST <= time <= LATEST:
            raise InvalidArgument(f"the time {time} is not between {EARLIEST} and {LATEST}")
        return int(time.astype("datetime64[ns]").astype(np.int64))
    if hasattr(time, "value") and hasattr(time, "to_datetime64"):  # pandas.Timestamp has nanoseconds
        return to_ns(time.to_datetime64())
    if isinstance(time, (int, np.integer)) and np.asarray(time).dtype.kind != "m":  # a timedelta64 is an np.integer
        ns = int(time)
    elif isinstance(time, dt.datetime):
        delta = (time.replace(tzinfo=dt.timezone.utc) if time.tzinfo is None else time) - _EPOCH
        ns = (delta.days * 86400 + delta.seconds) * 10**9 + delta.microseconds * 1000
    else:
        raise InvalidArgument(f"{time!r} is no time: int nanoseconds, a datetime or a numpy.datetime64 expected")
    if abs(ns) >= 2**63:
        raise InvalidArgument(f"the time {time} is not between {EARLIEST} and {LATEST}")
    return ns


def _to_ns(time: Any, row: int) -> int:
    try:
        return to_ns(time)
    except InvalidArgument as error:
        raise InvalidArgument(f"row {row}: {error}") from None


def to_ns_array(times: Times, count: int) -> npt.NDArray[np.int64]:
    """Nanoseconds of `count` times. InvalidArgument, naming the row, for what `to_ns` refuses."""
    array = np.asarray(times)
    if array.dtype.kind == "M":
        if len(missing := np.flatnonzero(np.isnat(array))):
            raise InvalidArgument(f"row {missing[0]}: the time is missing (NaT)")
        if len(far := np.flatnonzero((array < EARLIEST) | (array > LATEST))):
            raise InvalidArgument(f"row {far[0]}: the time {array[far[0]]} is not between {EARLIEST} and {LATEST}")
        array = array.astype("datetime64[ns]").astype(np.int64)
    elif array.dtype != np.int64 or NO_TIME in array:
        cells = array.reshape(-1) if array.dtype.kind == "m" else array.reshape(-1).astype(object)
        array = np.array([_to_ns(time, row) for row, time in enumerate(cells)], np.int64)
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

    def after(self, times: npt.NDArray[np.int64]) -> Clock:
        """The clock when these times are taken."""
        later = self.copy()
        later.advance(times)
        return later


class RowsClock:
    """The clock of rows in this process. Rows take tokens in C, and then an exception of a signal may come before any
    further line of Python: so the clock after a call is told before, and the rows' seq says which clock is the one.
    """

    __slots__ = ("_moment", "_rows")

    def __init__(self, rows: _engine.Rows, clock: Clock) -> None:
        self._rows, self._moment = rows, (0, clock, clock)

    def now(self) -> Clock:
        seq, after, before = self._moment
        return after if self._rows.seq >= seq else before

    def expect(self, count: int, clock: Clock) -> None:
        """With `count` further tokens the clock will be this."""
        self._moment = self._rows.seq + count, clock, self.now()

    def settle(self) -> None:
        """A call has ended, and the tokens were taken or were not."""
        now = self.now()
        self._moment = 0, now, now
