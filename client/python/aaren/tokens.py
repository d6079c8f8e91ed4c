"""Tokens: what a call gives to a session, as the engine and the wire take it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.times import Time, Times, to_ns_array

Horizons: TypeAlias = "int | Sequence[int]"

LEAST_LEVEL, MOST_LEVEL = 0.005, 0.995
_TIMES = {np.datetime64, np.timedelta64}
MOST_HORIZON = 1 << 20  # of any model


@dataclass(frozen=True)
class Point:
    """One token of `Session.stream`: a value, and what belongs to it. `Session.update` says what the fields are."""

    value: float | npt.ArrayLike
    time: Time | None = None
    X: npt.ArrayLike | None = None
    X_future: npt.ArrayLike | None = None


def point_of(point: Any) -> Point:
    """A point of a stream: a Point, a pair of a time and a value, or a value."""
    if isinstance(point, Point):
        return point
    if not isinstance(point, tuple):
        return Point(point)
    if len(point) != 2:
        raise InvalidArgument(f"{point!r} is no pair of a time and a value; a Point has further fields")
    return Point(point[1], point[0])


class Shape(NamedTuple):
    """The numbers of a token: a value of each channel, covariates, and the future covariates of each step ahead."""

    channels: int
    past: int
    future: int
    steps: int

    @property
    def covariates(self) -> int:
        return self.past + self.future


class Tokens(NamedTuple):
    values: npt.NDArray[np.float64]  #: [n, channels]; NaN = missing
    times: npt.NDArray[np.int64] | None  #: [n] nanoseconds UTC
    X: npt.NDArray[np.float32]  #: [n, past + future]; NaN = missing
    ahead: npt.NDArray[np.float32] | None  #: [n, steps, future]; NaN = not known; None: none is known
    marks: npt.NDArray[np.uint32] | None = None  #: [n], of events, which have no values

    def part(self, rows: slice) -> Tokens:
        return Tokens(*(None if array is None else array[rows] for array in self))  # type: ignore[arg-type]


def tokens_of(
    shape: Shape, values: npt.ArrayLike, times: Times | None, X: npt.ArrayLike | None, X_future: npt.ArrayLike | None
) -> Tokens:
    """The arrays of a call. InvalidArgument, naming the row, for a shape, a number or a time that cannot be."""
    array = as_values(values, shape.channels)
    ns = None if times is None else to_ns_array(times, len(array))
    return Tokens(array, ns, covariates_of(X, len(array), shape), ahead_of(X_future, len(array), shape))


def as_values(values: npt.ArrayLike, channels: int, name: str = "values") -> npt.NDArray[np.float64]:
    """Values as float64 [n, channels], without a copy where they are. A missing value is NaN."""
    array = numbers_of(values, name)
    if array.ndim == 1 and channels == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != channels:
        raise InvalidArgument(f"{name} of shape {array.shape}; [n] or [n, {channels}] expected")
    return np.ascontiguousarray(array)


def one_of(value: Any, channels: int) -> npt.NDArray[np.float64]:
    """The value of one token as float64 [1, channels]."""
    return as_values(value[None] if isinstance(value, np.ndarray) else [value], channels)


def numbers_of(values: Any, name: str) -> npt.NDArray[np.float64]:
    """Numbers as float64, without a copy where they are. A missing one (None, NA, masked) is NaN.

    InvalidArgument, naming the row, for a cell that is no number; also for times, which NumPy would count.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise InvalidArgument(f"{name}: {error}") from None
    if array.dtype.kind not in "biufOUS" or not array.ndim:
        told = array.dtype if array.ndim else type(values).__name__
        raise InvalidArgument(f"{name} of type {told}; an array or a list of numbers expected")
    try:
        if array.dtype == object and not _TIMES.isdisjoint(map(type, array.flat)):
            raise TypeError  # NumPy would count their nanoseconds
        numbers = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        each = (_number(cell, place[0]) for place, cell in np.ndenumerate(array.astype(object)))
        numbers = np.fromiter(each, np.float64, array.size).reshape(array.shape)
    if isinstance(values, np.ma.MaskedArray):
        numbers = np.where(np.ma.getmaskarray(values), np.nan, numbers)
    return numbers


def _number(cell: Any, row: int) -> float:
    if cell is None or type(cell).__name__ == "NAType":
        return np.nan
    try:
        if type(cell) in _TIMES:
            raise TypeError
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"row {row}: {cell!r} is no number") from None


def as_floats(array: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float32]:
    """Covariates as floats. InvalidArgument, naming the place, for an infinite one."""
    with np.errstate(over="ignore"):
        floats = array.astype(np.float32)
    if len(infinite := np.argwhere(np.isinf(floats))):
        place = tuple(infinite[0].tolist())
        raise InvalidArgument(f"{name}{list(place)} is {array[place]}, no 32-bit float; NaN marks a missing number")
    return floats


def extension_of(tier: str) -> tuple[int, int, bool]:
    """The past and future covariates, and the profile, in a tier's name, such as extended-1-2-profile."""
    named = re.fullmatch(r"extended(-(\d)-(\d))?(-profile)?", tier)
    return (int(named[2] or 0), int(named[3] or 0), bool(named[4])) if named else (0, 0, False)


def covariates_of(X: npt.ArrayLike | None, rows: int, shape: Shape) -> npt.NDArray[np.float32]:
    """The covariates of `rows` tokens, [rows, past + future]."""
    if X is None and shape.covariates == 0:
        return np.empty((rows, 0), np.float32)
    told = f"the session has {shape.past} past and {shape.future} future covariates"
    if X is None or shape.covariates == 0:
        raise InvalidArgument(f"{told}, and X is {'missing' if X is None else 'given'}; past= and future= of a new "
                              "session say how many it has")  # fmt: skip
    numbers = numbers_of(X, "X")
    if numbers.ndim == 1 and rows == 1 and len(numbers) == shape.covariates:
        numbers = numbers[None, :]
    array = as_values(numbers, shape.covariates, "X")
    if len(array) != rows:
        raise InvalidArgument(f"X has {len(array)} rows for {rows} values; {told}, NaN where missing")
    return as_floats(array, "X")


def ahead_of(X_future: npt.ArrayLike | None, rows: int, shape: Shape) -> npt.NDArray[np.float32] | None:
    """The future covariates of the steps ahead of `rows` tokens, [rows, steps, future]."""
    if X_future is None:
        return None
    if shape.future == 0:
        raise InvalidArgument("X_future is given, and the session has no future covariates; future= of a new session "
                              "says how many it has")  # fmt: skip
    array = given = numbers_of(X_future, "X_future")
    wanted = rows, shape.steps, shape.future
    if array.ndim < 3 and rows == 1:
        array = array[None]
    if array.ndim < 3 and shape.future == 1:
        array = array[..., None]
    if array.shape != wanted:
        raise InvalidArgument(f"X_future of shape {given.shape}; [{shape.steps}, {shape.future}] for each of {rows} "
                              "values expected: the steps of a forecast, and the future covariates")  # fmt: skip
    return as_floats(array, "X_future")


def steps_of(horizons: Horizons) -> tuple[int, ...]:
    """The steps ahead of a forecast: a number stands for all from 1 on. InvalidArgument unless the steps ascend."""
    if isinstance(horizons, (int, np.integer)):
        if not 1 <= horizons <= MOST_HORIZON:
            raise InvalidArgument(f"h = {horizons}; a forecast has 1 to {MOST_HORIZON} steps")
        return tuple(range(1, int(horizons) + 1))
    try:
        steps = tuple(index(step) for step in horizons)
    except TypeError:  # no list, or no whole numbers
        steps = (0,)
    if list(steps) != sorted({max(1, step) for step in steps}):
        raise InvalidArgument(f"horizons {horizons}: a number of steps, or steps from 1 on that ascend")
    return steps


def levels_of(quantiles: Sequence[float]) -> tuple[float, ...]:
    """The levels of a forecast's quantiles. InvalidArgument unless they ascend within 0.005 .. 0.995."""
    try:
        levels = tuple(round(float(level), 6) for level in quantiles)
    except (TypeError, ValueError):
        raise InvalidArgument(f"quantiles {quantiles!r}: a list of numbers expected") from None
    if list(levels) != sorted(set(levels)) or (levels and not LEAST_LEVEL <= levels[0] <= levels[-1] <= MOST_LEVEL):
        raise InvalidArgument(f"quantiles {levels}: levels in {LEAST_LEVEL} .. {MOST_LEVEL} that ascend")
    return levels


def check_covariates(past: int, future: int, most: int = 8) -> None:
    """InvalidArgument for numbers of covariates that no session has."""
    if min(past, future) < 0 or past + future > most:
        raise InvalidArgument(f"{past} past and {future} future covariates; a session has {most} at most, together")
