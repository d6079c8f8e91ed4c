"""Step: the distance between the rows of a series, found or given, and the times that follow a last row.

A step is a number of nanoseconds, a number of months (with the day of the month, or the month's end), business days,
or a whole number where `ds` counts rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument

Ints = npt.NDArray[np.int64]

_UNITS = {"s": 1, "min": 60, "t": 60, "h": 3600, "d": 86400, "w": 604800}
_NS = {"ns": 1, "us": 1000, "ms": 10**6} | {unit: seconds * 10**9 for unit, seconds in _UNITS.items()}
_MONTHS = {"ms": 1, "m": 1, "me": 1, "mo": 1, "q": 3, "qs": 3, "qe": 3, "y": 12, "ys": 12, "ye": 12, "a": 12}
_DAY = 86400 * 10**9


@dataclass(frozen=True)
class Step:
    kind: Literal["fixed", "months", "business"]
    size: int = 1  # nanoseconds, months, or the step of a whole number
    month_end: bool = False

    def places(self, ds: Ints) -> Ints:
        """The row's place on the grid of all series: a whole number for each time."""
        if self.kind == "fixed":
            return np.floor_divide(ds, self.size)
        if self.kind == "business":
            days = ds.astype("datetime64[ns]").astype("datetime64[D]")
            return np.asarray(np.busday_count(np.datetime64("1970-01-01"), days), np.int64)
        months = ds.astype("datetime64[ns]").astype("datetime64[M]").astype(np.int64)
        return np.asarray(months // self.size, np.int64)

    def after(self, last: Ints, h: int) -> Ints:
        """The h times after each of `last`, [n, h]."""
        ahead = np.arange(1, h + 1)
        if self.kind == "fixed":
            return np.asarray(last[:, None] + ahead * self.size, np.int64)
        times = last.astype("datetime64[ns]")
        days = times.astype("datetime64[D]")
        rest = (times - days)[:, None]
        if self.kind == "business":
            next_days = np.busday_offset(days[:, None], ahead[None, :], roll="backward")
        else:
            months = days.astype("datetime64[M]")[:, None] + ahead * self.size
            day = (days - days.astype("datetime64[M]"))[:, None]
            longest = (months + 1).astype("datetime64[D]") - 1
            next_days = longest if self.month_end else np.minimum(months.astype("datetime64[D]") + day, longest)
        return np.asarray((next_days + rest).astype("datetime64[ns]").astype(np.int64))


def parse(freq: str | int, whole: bool) -> Step:
    """A step as a user writes it: 15min, h, D, W, B, MS, ME, QS, YE, or a whole number where `ds` is one."""
    if isinstance(freq, (int, np.integer)) or whole:
        try:
            return Step("fixed", max(1, int(freq)))
        except ValueError:
            raise InvalidArgument(f"freq {freq!r}: a whole number, as ds is one") from None
    match = re.fullmatch(r"(\d*)\s*([A-Za-z]+)(-[A-Z]{3})?", freq)
    count, unit = (int(match[1] or 1), match[2]) if match else (0, "")
    if count and unit.upper() == "B":
        return Step("business")
    if count and unit.lower() in _MONTHS and unit != "ms":
        months = _MONTHS[unit.lower()]
        return Step("months", count * months, unit.upper().endswith("E") or unit.upper() in ("M", "Q", "Y", "A"))
    if count and unit.lower() in _NS:
        return Step("fixed", count * _NS[unit.lower()])
    raise InvalidArgument(f"freq {freq!r}: such as 15min, h, D, W, B, MS, ME, QS, YE")


def infer(codes: Ints, ds: Ints, whole: bool) -> Step:
    """The step of rows sorted by series and time: the most common distance, or the calendar's where it is one."""
    same = codes[1:] == codes[:-1]
    distances = np.diff(ds)[same]
    distances = distances[distances > 0]
    if not len(distances):
        return Step("fixed", 1 if whole else _DAY)
    sizes, counts = np.unique(distances, return_counts=True)
    size = int(sizes[np.argmax(counts)])
    if whole or size < _DAY:
        return Step("fixed", size)
    days: Any = ds.astype("datetime64[ns]").astype("datetime64[D]")
    if size == _DAY:
        weekday = (days.astype(np.int64) + 3) % 7
        weekends = bool(np.any(sizes == 3 * _DAY)) and bool(np.all(weekday < 5))
        return Step("business") if weekends else Step("fixed", size)
    months = round(size / _DAY / 30.4369)
    if months < 1 or not np.all(sizes // _DAY >= 28):
        return Step("fixed", size)
    month = days.astype("datetime64[M]")
    if np.all(days == month.astype("datetime64[D]") + (days - month.astype("datetime64[D]"))[0]):
        return Step("months", months)
    if np.all(days == (month + 1).astype("datetime64[D]") - 1):
        return Step("months", months, month_end=True)
    return Step("fixed", size)
