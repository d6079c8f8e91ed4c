"""Step: the distance between the rows of a series, found or given, and the times that follow a last row.

A step is a number of nanoseconds, a number of months (with the day of the month, or the month's end), business days,
or a whole number where `ds` counts rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import index
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument

Ints = npt.NDArray[np.int64]

_UNITS = {"s": 1, "m": 60, "min": 60, "t": 60, "h": 3600, "d": 86400, "w": 604800}
_NS = {"ns": 1, "us": 1000, "ms": 10**6} | {unit: seconds * 10**9 for unit, seconds in _UNITS.items()}
_MONTHS = {"ms": 1, "m": 1, "me": 1, "mo": 1, "q": 3, "qs": 3, "qe": 3, "y": 12, "ys": 12, "ye": 12, "a": 12}
_DAY = 86400 * 10**9
_MOST_SIZE = 2**62
_WEEK = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_YEAR = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_NO_STEP = "the times have no regular step; freq= names one, such as freq='h'"
_ONE_DAY, _ONE_MONTH = np.timedelta64(1, "D"), np.timedelta64(1, "M")
_FIRST_DAY = np.datetime64("1677-09-01")  # before all times: NumPy counts otherwise for days before the first
_MONTH = 2_629_746 * 10**9  # a twelfth of the Gregorian year
# Lengths in seconds that people choose: clocks with jitter mean the nearest one within 2 %.
_NICE = np.array([1, 2, 5, 10, 12, 15, 20, 30, 60, 120, 300, 600, 720, 900, 1200, 1800, 3600, 7200, 10800, 14400, 21600,
                  28800, 43200, 86400, 604800]) * 10**9  # fmt: skip


@dataclass(frozen=True)
class Step:
    kind: Literal["fixed", "months", "business"]
    size: int = 1  # nanoseconds, months, or the step of a whole number
    first: int = 0  # where step 0 begins: nanoseconds or months after 1970-01-01, or a whole number
    last_day: bool = False  # the last day of a step's months or weeks stands for the step, not the first

    @property
    def mean_size(self) -> int:
        """About how long a step is, in nanoseconds or whole numbers."""
        return self.size * _MONTH if self.kind == "months" else _DAY if self.kind == "business" else self.size

    @property
    def by_wall_clock(self) -> bool:
        """Whether the step counts days of the calendar, so that local times are what is regular."""
        return self.kind != "fixed" or self.size % _DAY == 0

    def number(self, ds: Ints) -> Ints:
        """The number of the step in which each time lies; a day of the weekend is of Friday's."""
        if self.kind == "fixed":
            return np.floor_divide(ds - self.first, self.size)
        days = ds.astype("datetime64[ns]").astype("datetime64[D]")
        if self.kind == "business":
            return np.asarray(np.busday_count(_FIRST_DAY, days + _ONE_DAY), np.int64)
        return np.asarray((days.astype("datetime64[M]").astype(np.int64) - self.first) // self.size, np.int64)

    def begin(self, ds: Ints) -> Ints:
        """The time that stands for the step in which each time lies: its begin, or its last day."""
        begin = self.first + self.number(ds) * self.size
        if self.kind == "fixed":
            return begin + (self.size - _DAY if self.last_day else 0)
        if self.kind == "business":
            days = np.busday_offset(ds.astype("datetime64[ns]").astype("datetime64[D]"), 0, roll="backward")
        elif self.last_day:
            days = (begin + self.size).astype("datetime64[M]").astype("datetime64[D]") - _ONE_DAY
        else:
            days = begin.astype("datetime64[M]").astype("datetime64[D]")
        return np.asarray(days.astype("datetime64[ns]").astype(np.int64))

    def after(self, last: Ints, h: int) -> Ints:
        """The h times after each of `last`, [n, h]."""
        return self.ahead(last[:, None], np.arange(1, h + 1))

    def ahead(self, times: Ints, steps: Ints) -> Ints:
        """The times that are so many steps after `times`."""
        if self.kind == "fixed":
            return np.asarray(times + steps * self.size, np.int64)
        moments = times.astype("datetime64[ns]")
        days = moments.astype("datetime64[D]")
        if self.kind == "business":
            next_days = np.busday_offset(days, steps, roll="backward")
        else:
            months = days.astype("datetime64[M]") + (steps * self.size).astype("timedelta64[M]")
            day = days - days.astype("datetime64[M]")
            longest = (months + _ONE_MONTH).astype("datetime64[D]") - _ONE_DAY
            next_days = longest if self.last_day else np.minimum(months.astype("datetime64[D]") + day, longest)
        return np.asarray((next_days + (moments - days)).astype("datetime64[ns]").astype(np.int64))


def parse(freq: str | int, whole: bool) -> Step:
    """A step as a user writes it: 15min, h, D, W, B, MS, ME, QS-FEB, YE-JUN, or a whole number where `ds` is one.

    A lower-case letter means what it means to Polars, and to `aaren`: m is a minute and mo a month. M is a month, too.

    Where steps have several rows, a step of weeks ends on the day of its anchor, W-WED, and W alone is W-SUN. Quarters
    and years end or begin with the month of their anchor: QE and YE are QE-DEC and YE-DEC, QS and YS have JAN. The time
    of a joined row is the last day of W, ME, QE and YE, and the first day of w, mo, q, y, MS, QS and YS.
    """
    if whole:
        try:
            size = int(freq) if isinstance(freq, str) else index(freq)
        except (TypeError, ValueError):
            size = 0
        if not 1 <= size < _MOST_SIZE:
            raise InvalidArgument(f"freq {freq!r}: a whole number from 1 on, as ds is one")
        return Step("fixed", size)
    match = re.fullmatch(r"(\d*)\s*([A-Za-z]+)(?:-([A-Z]{3}))?", freq) if isinstance(freq, str) else None
    count, unit, anchor = (int(match[1] or 1), match[2], match[3]) if match else (0, "", None)
    months = 0 if unit in ("m", "ms") else _MONTHS.get(unit.lower(), 0)
    anchors = _WEEK if unit.lower() == "w" else _YEAR if months > 1 else ()
    if anchor not in (None, *anchors):
        count = 0
    if count == 1 and unit.upper() == "B":
        return Step("business")
    if months and 0 < count < 12_000:
        ends = unit[-1] in "eE" or unit in ("M", "Q", "Y", "A")
        first = (anchors.index(anchor) + ends) % months if anchor else 0
        return Step("months", count * months, first, ends)
    if not months and 0 < count < _MOST_SIZE and count * _NS.get(unit.lower(), _MOST_SIZE) < _MOST_SIZE:
        first = (_WEEK.index(anchor or "SUN") + 5) % 7 * _DAY if anchors else 0  # 1970-01-01 was a Thursday
        return Step("fixed", count * _NS[unit.lower()], first, unit == "W")
    raise InvalidArgument(f"freq {freq!r}: such as 15min, h, D, W-SUN, B, MS, ME, QS, YE-DEC")


def infer(codes: Ints, ds: Ints, whole: bool) -> Step:
    """The step of rows sorted by series and time: the usual distance, or the calendar's where it is one.

    InvalidArgument unless nine of ten distances are whole multiples of the step, give or take a quarter, and half are
    the step itself. Times that repeat tell nothing.
    """
    same = codes[1:] == codes[:-1]
    distances = np.diff(ds)[same]
    distances = distances[distances > 0]
    if not len(distances):
        return Step("fixed", 1 if whole else _DAY)
    size = _usual(distances, whole)
    calendar = None if whole or size < _DAY else _calendar(same, ds, distances, size)
    if calendar is not None:
        return calendar
    steps = np.rint(distances / size)
    fits = (steps >= 1) & (np.abs(distances - steps * size) <= size / 4)
    if np.mean(fits) < 0.9 or np.mean(fits & (steps == 1)) < 0.5:
        raise InvalidArgument(_NO_STEP)
    return Step("fixed", size)


def _usual(distances: Ints, whole: bool) -> int:
    """The most common distance; with jitter, the mean of those near the median."""
    sizes, counts = np.unique(distances, return_counts=True)
    if whole or 2 * counts.max() >= len(distances):
        return int(sizes[np.argmax(counts)])
    middle = np.median(distances)
    mean = float(np.mean(distances[np.abs(distances - middle) <= middle / 4]))
    nice = _NICE[np.abs(mean - _NICE) <= 0.02 * _NICE]
    return int(nice[0] if len(nice) else mean)


def _calendar(same: npt.NDArray[np.bool_], ds: Ints, distances: Ints, size: int) -> Step | None:
    """Business days, or months with all times on last days or on one day of the month; None for neither.

    InvalidArgument for months that are no multiples of the usual ones, as of quarters that become months.
    """
    days: Any = ds.astype("datetime64[ns]").astype("datetime64[D]")
    if size == _DAY:
        weekday = (days.astype(np.int64) + 3) % 7
        # A single gap of three days may be an outage.
        weekends = np.sum(distances == 3 * _DAY) >= 2 and bool(np.all(weekday < 5))
        return Step("business") if weekends else None
    months = round(size / _MONTH)
    if months < 1 or np.min(distances) < 28 * _DAY:
        return None
    month = days.astype("datetime64[M]")
    first = month.astype("datetime64[D]")
    ends = bool(np.all(days == (month + _ONE_MONTH).astype("datetime64[D]") - _ONE_DAY))
    if not ends and np.any(days - first != (days - first)[0]):
        return None
    if np.any(np.diff(month.astype(np.int64))[same] % months):
        raise InvalidArgument(_NO_STEP)
    return Step("months", months, last_day=ends)
