"""Panel: the series of a long frame (`unique_id`, `ds`, `y`) as dense arrays on a regular grid."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.frames.columns import as_frame, codes_of, parsed, times_like, times_of, unit_of, values_of, zone_of
from aaren.frames.covariates import read_columns, split
from aaren.frames.places import Aggregate, join, places_of
from aaren.frames.steps import Ints, Step, infer, parse

_MOST_GROWTH = 50  # times as many grid places as rows, and some: beyond that a time is wrong, or freq
_MOST_HOURS = 12 * 3600 * 10**9  # a longer step may be one of days, which a change of clocks makes longer or shorter


@dataclass(frozen=True)
class Words:
    """How a frame is read: the names of its columns, the step between its rows, and how rows of a step are joined.

    All other columns are covariates: `past` ones, known with their row, or `future` ones, known in advance. One of the
    two has names, and the other, which is None, takes the rest.
    """

    id_col: str
    time_col: str
    target_col: str
    freq: str | int | None = None
    aggregate: Aggregate | None = None
    past: Sequence[str] | None = None
    future: Sequence[str] | None = ()


@dataclass
class Panel:
    """Series i has the values[ends[i - 1] : ends[i]]; missing rows are NaN.

    `place` says for each row of the frame where in `values` the row is; `last` is each series' last time, as int64.
    """

    frame: nw.DataFrame[Any]
    words: Words
    time: nw.Series[Any]  # the frame's times
    ids: nw.Series[Any]  # one for each series, in order of appearance
    values: npt.NDArray[np.float64]
    ends: Ints
    place: Ints
    last: Ints
    ds: Ints  # of each place in `values` that has a row
    step: Step
    whole: bool  # ds are whole numbers
    past: tuple[str, ...]  # the columns of covariates
    future: tuple[str, ...]
    X: npt.NDArray[np.float32]  # [places, past + future], past ones first; NaN where missing

    def __len__(self) -> int:
        return len(self.ends)

    def ids_for(self, series: Ints) -> nw.Series[Any]:
        return self.ids[series.tolist()] if len(series) else self.ids[:0]

    def ahead(self, h: int) -> Ints:
        """The h times after each series, [series, h]. InvalidArgument names a series whose times would not fit."""
        times = self.step.after(self.last, h)
        if len(beyond := np.flatnonzero(times[:, -1] <= self.last)):
            first, words = int(beyond[0]), self.words
            end = self.times(self.last[first : first + 1], words.time_col)[0]
            raise InvalidArgument(f"{words.id_col} {self.ids[first]!r}: h = {h} steps after {words.time_col} {end} end "
                                  "beyond 64 bits")  # fmt: skip
        return times

    def times(self, ds: Ints, name: str) -> nw.Series[Any]:
        """A column of times with the type and the time zone of the frame's."""
        return times_like(self.time, ds, name, self.whole, self.step.by_wall_clock)


def read(df: Any, words: Words) -> Panel:
    """The series of a frame. InvalidArgument, naming the row, for what is missing, infinite or far off the others."""
    frame = as_frame(df, (words.id_col, words.time_col, words.target_col))
    past, future = split(frame, words)
    ids, codes = codes_of(frame[words.id_col])
    values = values_of(frame[words.target_col])
    column = parsed(frame[words.time_col])
    ds, whole = times_of(column, wall=False)
    order = _sorted(codes, ds)
    _refuse_several_series(words, codes[order], ds[order], order)
    step, within = _step(words, codes[order], ds[order], whole)
    if zone_of(column) is not None and len(ds) and (within or step.mean_size > _MOST_HOURS):
        local, _ = times_of(column, wall=True)
        by_clock = _sorted(codes, local)
        with suppress(InvalidArgument):
            found = _step(words, codes[by_clock], local[by_clock], whole)
            step, within = found if found[0].by_wall_clock else (step, within)
        if step.by_wall_clock:
            ds, order = local, by_clock
        else:  # hours begin with those of the zone, which may be half an hour off UTC
            step = replace(step, first=int((ds - local)[order[0]]))
    if words.freq is not None and not whole and step.kind == "fixed" and step.size % unit_of(column):
        raise InvalidArgument(f"freq {words.freq!r}: {words.time_col} is {frame[words.time_col].dtype}, which does not "
                              "tell such steps apart; cast the column to finer times")  # fmt: skip
    X = read_columns(frame, past + future)[order].astype(np.float32)
    panel = Panel(frame, words, column, ids, values, codes, codes, codes, ds, step, whole, past, future, X)
    return _fill(panel, codes[order], values[order], ds[order], order, within)


def _sorted(codes: Ints, ds: Ints) -> Ints:
    """The rows by series and time; those of one time stay as they are. Most frames are in order."""
    same = codes[1:] == codes[:-1]
    if np.all(np.where(same, ds[1:] >= ds[:-1], codes[1:] > codes[:-1])):
        return np.arange(len(codes))
    return np.lexsort((ds, codes))


def _refuse_several_series(words: Words, codes: Ints, ds: Ints, order: Ints) -> None:
    """Where most times come again, the frame has several series under one id."""
    again = np.flatnonzero((codes[1:] == codes[:-1]) & (ds[1:] == ds[:-1]))
    if words.freq is not None or words.aggregate is not None or 2 * len(again) < len(ds) or len(ds) < 4:
        return
    a, b = sorted((int(order[again[0]]), int(order[again[0] + 1])))
    raise InvalidArgument(f"row {b}: {words.time_col} is that of row {a}, and most times come more than once, as of "
                          f"several series under one {words.id_col}; aggregate='mean' joins them")  # fmt: skip


def _step(words: Words, codes: Ints, ds: Ints, whole: bool) -> tuple[Step, bool]:
    """The step, and whether steps have several rows, each belonging to the step around its time."""
    if words.freq is None:
        return infer(codes, ds, whole), False
    step = parse(words.freq, whole)
    try:
        found = infer(codes, ds, whole)
    except InvalidArgument:  # rows at any time
        return step, True
    within = 4 * found.mean_size < 3 * step.mean_size
    if not within and step.kind == found.kind == "months":  # rows that stay as they are keep their day of the month
        step = replace(step, last_day=found.last_day)
    return step, within


def _fill(
    panel: Panel, codes: Ints, values: npt.NDArray[np.float64], ds: Ints, order: Ints, within: bool
) -> Panel:  # fmt: skip
    """Puts sorted rows on the grid."""
    rows = len(codes)
    starts = np.searchsorted(codes, np.arange(len(panel.ids)))
    places = places_of(panel.step, ds, starts, within) if rows else codes
    lengths = places[np.append(starts[1:], rows) - 1] + 1 if rows else codes
    total = int(lengths.sum())
    if total > _MOST_GROWTH * rows + 10_000:
        row = int(order[np.argmax(np.where(codes[1:] == codes[:-1], np.diff(places), 0)) + 1])
        time = panel.frame[panel.words.time_col][row]
        raise InvalidArgument(f"row {row}: {panel.words.time_col} {time} makes {total} places of {rows} rows; is freq "
                              "right?")  # fmt: skip
    panel.ends = np.cumsum(lengths)
    where = (panel.ends - lengths)[codes] + places
    how = "last" if panel.words.aggregate is None else panel.words.aggregate
    panel.values = join(values, where, total, how)
    columns = [join(column, where, total, how) for column in panel.X.T]
    panel.X = np.stack(columns, axis=1).astype(np.float32) if columns else np.empty((total, 0), np.float32)
    panel.place = np.empty(rows, np.int64)
    panel.place[order] = where
    panel.ds = np.zeros(total, np.int64)
    panel.ds[where[::-1]] = (panel.step.begin(ds) if within else ds)[::-1]  # of the first row of each step
    panel.last = panel.ds[panel.ends - 1]
    return panel
