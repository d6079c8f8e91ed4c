"""Covariates of frames: which columns they are, and what a frame of further rows, X_df, says of the steps ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from aaren import _engine
from aaren.errors import InvalidArgument, NotFound
from aaren.frames.columns import as_frame, codes_of, parsed, times_of, values_of
from aaren.frames.steps import Ints

if TYPE_CHECKING:
    from aaren.frames.series import Panel, Words

Floats = npt.NDArray[np.float32]
Names = tuple[str, ...]


def split(frame: nw.DataFrame[Any], words: Words) -> tuple[Names, Names]:
    """The columns that are past covariates, and those that are known in advance.

    Each column is a covariate but the id's, the time's and the target's. NotFound or InvalidArgument names a column
    that is not there, or that has no numbers.
    """
    own = (words.id_col, words.time_col, words.target_col)
    others = [name for name in frame.columns if name not in own]
    named = words.past if words.future is None else words.future
    for name in named or ():
        if name not in others:
            raise NotFound(f"no column {name!r} beside {', '.join(own)}; there are {', '.join(others) or 'none'}")
    for name in others:
        if not (frame[name].dtype.is_numeric() or frame[name].dtype == nw.Boolean):
            raise InvalidArgument(f"column {name} is {frame[name].dtype}: columns beside {', '.join(own)} are "
                                  "covariates, which are numbers; leave the column out")  # fmt: skip
    if len(others) > _engine.most_covariates:
        raise InvalidArgument(f"{len(others)} columns beside {', '.join(own)}: {', '.join(others)}; a series has "
                              f"{_engine.most_covariates} covariates at most")  # fmt: skip
    rest = tuple(name for name in others if name not in (named or ()))
    return (tuple(named or ()), rest) if words.future is None else (rest, tuple(named or ()))


def further_names(X_df: Any, words: Words) -> Names:
    """The columns of X_df that are known in advance. A target's column tells nothing yet, and is left out."""
    frame = as_frame(X_df, (words.id_col, words.time_col))
    return tuple(name for name in frame.columns if name not in (words.id_col, words.time_col, words.target_col))


def ahead_of(X_df: Any, panel: Panel, h: int) -> Floats:
    """What X_df says of the h steps after each series, [series, h, future].

    InvalidArgument names the row that is of no series, of no such step or of one that another row has, or the series
    and the time that have no row.
    """
    words = panel.words
    frame = as_frame(X_df, (words.id_col, words.time_col, *panel.future))
    ids, codes = codes_of(frame[words.id_col])
    places = {name: i for i, name in enumerate(panel.ids.to_list())}
    unknown = [name not in places for name in ids.to_list()]
    if any(unknown):
        row = int(np.flatnonzero(np.array(unknown)[codes])[0])
        raise InvalidArgument(f"X_df, row {row}: {words.id_col} {frame[words.id_col][row]!r} is no series of df")
    series = np.array([places[name] for name in ids.to_list()], np.int64)[codes] if len(ids) else codes
    ds, whole = times_of(parsed(frame[words.time_col]), wall=not panel.whole and panel.step.by_wall_clock)
    if whole != panel.whole:
        raise InvalidArgument(f"X_df: {words.time_col} is {frame[words.time_col].dtype}, in df it is "
                              f"{panel.frame[words.time_col].dtype}")  # fmt: skip
    where = series * h + _steps_ahead(panel, series, ds, h, frame) - 1
    _refuse_twice(where, frame, words)
    _refuse_absent(where, panel, h)
    out = np.empty((len(panel) * h, len(panel.future)), np.float32)
    for i, name in enumerate(panel.future):
        out[where, i] = values_of(frame[name])
    return out.reshape(len(panel), h, len(panel.future))


def _steps_ahead(panel: Panel, series: Ints, ds: Ints, h: int, frame: nw.DataFrame[Any]) -> Ints:
    """How many steps each row is behind its series' last one: 1 .. h."""
    last, step, time_col = panel.last[series], panel.step, panel.words.time_col
    if step.kind == "fixed":
        ahead = np.floor_divide(ds - last + step.size // 2, step.size)
    else:
        ahead = step.number(ds) - step.number(last)
    if len(wrong := np.flatnonzero((ahead < 1) | (ahead > h))):
        row = int(wrong[0])
        end = panel.times(last[row : row + 1], time_col)[0]
        raise InvalidArgument(f"X_df, row {row}: {time_col} {frame[time_col][row]} is none of the h = {h} steps after "
                              f"{end}, the last of {panel.ids[int(series[row])]!r} in df")  # fmt: skip
    return np.asarray(ahead, np.int64)


def _refuse_twice(where: Ints, frame: nw.DataFrame[Any], words: Words) -> None:
    order = np.argsort(where, kind="stable")
    if len(again := np.flatnonzero(np.diff(where[order]) == 0)):
        a, b = int(order[again[0]]), int(order[again[0] + 1])
        raise InvalidArgument(f"X_df, row {b}: {words.id_col} {frame[words.id_col][b]!r}, {words.time_col} "
                              f"{frame[words.time_col][b]} is the step of row {a}, too")  # fmt: skip


def _refuse_absent(where: Ints, panel: Panel, h: int) -> None:
    there = np.zeros(len(panel) * h, bool)
    there[where] = True
    if len(absent := np.flatnonzero(~there)):
        i, words = int(absent[0]) // h, panel.words
        time = panel.times(panel.step.after(panel.last[i : i + 1], h)[0, absent[:1] % h], words.time_col)[0]
        raise InvalidArgument(f"X_df has no row of {words.id_col} {panel.ids[i]!r}, {words.time_col} {time}: "
                              f"{len(absent)} of {len(there)} rows are missing, h = {h} for each series")  # fmt: skip


def ahead_within(panel: Panel, places: Ints, h: int) -> Floats:
    """The known covariates at the h places after each of `places`, [places, h, future]; NaN beyond the series."""
    ends = panel.ends[np.searchsorted(panel.ends, places, side="right")] if len(places) else places
    at = places[:, None] + np.arange(1, h + 1)
    known = panel.X[np.minimum(at, len(panel.X) - 1), len(panel.past) :]
    known[at >= ends[:, None]] = np.nan
    return known


def read_columns(frame: nw.DataFrame[Any], names: Sequence[str]) -> npt.NDArray[np.float64]:
    """The covariates of each row, [rows, names]; NaN where missing."""
    if not names:
        return np.empty((len(frame), 0))
    return np.stack([values_of(frame[name]) for name in names], axis=1)
