"""Where the rows of series lie on a grid, and how rows of one step become one value: the rules of the C++ client."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.frames.steps import Ints, Step

Aggregate = Literal["first", "last", "mean", "sum", "max"]
Floats = npt.NDArray[np.float64]

_FOLLOW = 8  # the part of a row's distance from the grid by which the grid follows a clock


def places_of(step: Step, ds: Ints, starts: Ints, within: bool) -> Ints:
    """The place of each row on its series' grid, 0 for the series' first row.

    ds      times of rows, sorted by series and time
    starts  the first row of each series
    within  a row belongs to the step around its time, else to the nearest step
    """
    counts = np.diff(np.append(starts, len(ds)))
    first = np.repeat(ds[starts], counts)
    if step.kind != "fixed" or within:
        return step.number(ds) - step.number(first)
    away = ds - first
    places = away // step.size
    odd = np.zeros(len(starts), bool)
    odd[np.repeat(np.arange(len(starts)), counts)[away % step.size != 0]] = True
    for series in np.flatnonzero(odd):
        rows = slice(starts[series], starts[series] + counts[series])
        places[rows] = _follow(ds[rows], step.size)
    return np.asarray(places, np.int64)


def _follow(ds: Ints, size: int) -> Ints:
    """Rows with jitter count for the nearest step. The grid follows a clock that runs a little fast or slow."""
    places = np.zeros(len(ds), np.int64)
    place, grid, half = 0, int(ds[0]), size // 2
    for row, time in enumerate(ds.tolist()):
        if steps := (time - grid + half) // size:
            place += steps
            grid += steps * size
            grid += (time - grid) // _FOLLOW
        places[row] = place
    return places


def join(values: Floats, where: Ints, total: int, how: Aggregate) -> Floats:
    """Values at their places, [total], NaN where none is. `where` ascends; missing values do not count."""
    if how not in get_args(Aggregate):
        raise InvalidArgument(f"aggregate {how!r}: one of {', '.join(get_args(Aggregate))}")
    dense = np.full(total, np.nan)
    there = ~np.isnan(values)
    kept, at = values[there], where[there]
    if how == "last":
        dense[at] = kept
        return dense
    heads = np.flatnonzero(np.diff(at, prepend=-1))
    if how == "first" or not len(heads):
        dense[at[heads]] = kept[heads]
        return dense
    joined = (np.maximum if how == "max" else np.add).reduceat(kept, heads)
    dense[at[heads]] = joined / np.diff(np.append(heads, len(at))) if how == "mean" else joined
    return dense
