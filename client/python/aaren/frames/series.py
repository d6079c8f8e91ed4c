"""Panel: the series of a long frame (`unique_id`, `ds`, `y`) as dense arrays on a regular grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument, NotFound
from aaren.frames.steps import Ints, Step, infer, parse

_MOST_GROWTH = 50  # times as many grid places as rows, and some: beyond that a time is wrong, or freq


@dataclass
class Panel:
    """Series i has the values[ends[i - 1] : ends[i]]; missing rows are NaN.

    `place` says for each row of the frame where in `values` the row is; `last` is each series' last time, as int64.
    """

    frame: nw.DataFrame[Any]
    id_col: str
    time_col: str
    ids: nw.Series[Any]  # one for each series, in order of appearance
    values: npt.NDArray[np.float64]
    ends: Ints
    place: Ints
    last: Ints
    ds: Ints  # of each place in `values`
    step: Step
    whole: bool  # ds are whole numbers

    def __len__(self) -> int:
        return len(self.ends)

    def ids_for(self, series: Ints) -> nw.Series[Any]:
        return self.ids[series.tolist()] if len(series) else self.ids[:0]

    def times(self, ds: Ints, name: str) -> nw.Series[Any]:
        """A column of times with the type and the time zone of the frame's."""
        kind = self.frame[self.time_col].dtype
        backend = self.frame.implementation
        if self.whole:
            return nw.new_series(name, ds, backend=backend).cast(kind)
        column = nw.new_series(name, ds.astype("datetime64[ns]"), backend=backend)
        zone = getattr(kind, "time_zone", None)
        if zone is not None:
            column = column.dt.replace_time_zone(zone if self._wall else "UTC").dt.convert_time_zone(zone)
        return column if kind == nw.String else column.cast(kind)

    @property
    def _wall(self) -> bool:
        return wall_clock(self.step)


def wall_clock(step: Step) -> bool:
    """Whether the step counts days of the calendar, so that local times are what is regular."""
    return step.kind != "fixed" or step.size % (86400 * 10**9) == 0


def as_frame(df: Any) -> nw.DataFrame[Any]:
    """An eager frame of whatever Narwhals knows; a lazy one, such as of DuckDB, is collected."""
    try:
        frame = nw.from_native(df)
    except TypeError as error:
        raise InvalidArgument(f"a frame of pandas, Polars, PyArrow or another that Narwhals knows: {error}") from None
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _codes(ids: nw.Series[Any]) -> tuple[nw.Series[Any], Ints]:
    if len(missing := np.flatnonzero(ids.is_null().to_numpy())):
        raise InvalidArgument(f"row {missing[0]}: {ids.name} is missing")
    unique = ids.unique(maintain_order=True)
    if len(unique) <= 1:
        return unique, np.zeros(len(ids), np.int64)
    plain = ids.cast(nw.String) if ids.dtype in (nw.Categorical, nw.Enum) else ids
    known = unique.cast(nw.String) if ids.dtype in (nw.Categorical, nw.Enum) else unique
    codes = plain.replace_strict(known.to_list(), list(range(len(unique))), return_dtype=nw.Int64)
    return unique, np.asarray(codes.to_numpy(), np.int64)


def _values(y: nw.Series[Any]) -> npt.NDArray[np.float64]:
    try:
        values = np.asarray(y.cast(nw.Float64).to_numpy(), np.float64)
    except Exception as error:  # each library has its own
        raise InvalidArgument(f"column {y.name}: {error}") from None
    if len(infinite := np.flatnonzero(np.isinf(values.astype(np.float32)))):
        raise InvalidArgument(f"row {infinite[0]}: {y.name} is {values[infinite[0]]}, no 32-bit float; NaN marks a "
                              "missing value")  # fmt: skip
    return values


def _times(ds: nw.Series[Any], wall: bool) -> tuple[Ints, bool]:
    """The times as int64, and whether they are whole numbers."""
    if len(missing := np.flatnonzero(ds.is_null().to_numpy())):
        raise InvalidArgument(f"row {missing[0]}: {ds.name} is missing")
    if ds.dtype.is_integer():
        return np.asarray(ds.to_numpy(), np.int64), True
    if ds.dtype == nw.String or ds.dtype == nw.Object:
        ds = ds.cast(nw.String).str.to_datetime()
    elif ds.dtype == nw.Date:
        ds = ds.cast(nw.Datetime("us"))
    elif ds.dtype != nw.Datetime:
        raise InvalidArgument(f"column {ds.name} is {ds.dtype}; times or whole numbers expected")
    if getattr(ds.dtype, "time_zone", None) is not None:
        ds = ds.dt.replace_time_zone(None) if wall else ds.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return np.asarray(ds.to_numpy().astype("datetime64[ns]").astype(np.int64)), False


def read(df: Any, freq: str | int | None, id_col: str, time_col: str, target_col: str) -> Panel:
    """The series of a frame. InvalidArgument, naming the row, for what is missing, infinite or there twice."""
    frame = as_frame(df)
    for name in (id_col, time_col, target_col):
        if name not in frame.columns:
            raise NotFound(f"no column {name!r}; there are {', '.join(frame.columns)}")
    ids, codes = _codes(frame[id_col])
    values = _values(frame[target_col])
    ds, whole = _times(frame[time_col], wall=False)
    order = np.lexsort((ds, codes))
    step = infer(codes[order], ds[order], whole) if freq is None else parse(freq, whole)
    if not whole and wall_clock(step):
        ds, _ = _times(frame[time_col], wall=True)
        order = np.lexsort((ds, codes))
        step = infer(codes[order], ds[order], whole) if freq is None else step
    return _panel(frame, id_col, time_col, ids, codes[order], values[order], ds[order], order, step, whole)


def _panel(
    frame: nw.DataFrame[Any], id_col: str, time_col: str, ids: nw.Series[Any], codes: Ints,
    values: npt.NDArray[np.float64], ds: Ints, order: Ints, step: Step, whole: bool,
) -> Panel:  # fmt: skip
    rows, count = len(codes), len(ids)
    if not rows:
        none = np.zeros(0, np.int64)
        return Panel(frame, id_col, time_col, ids, values, none, none, none, none, step, whole)
    starts = np.searchsorted(codes, np.arange(count))
    stops = np.append(starts[1:], rows)
    # A grid of nanoseconds begins with each series' first row; the others follow the calendar.
    origin = ds[starts][codes] if step.kind == "fixed" else np.zeros(rows, np.int64)
    place = step.places(ds - origin)
    same = codes[1:] == codes[:-1]
    if len(twice := np.flatnonzero(same & (place[1:] == place[:-1]))):
        a, b = sorted((int(order[twice[0]]), int(order[twice[0] + 1])))
        raise InvalidArgument(f"row {b}: {id_col} {frame[id_col][b]!r} has a row at {time_col} {frame[time_col][b]} "
                              f"already, row {a}; a step is {step.size} {step.kind}")  # fmt: skip
    index = place - place[starts][codes]
    lengths = index[stops - 1] + 1
    total = int(lengths.sum())
    if total > _MOST_GROWTH * rows + 10_000:
        row = int(order[np.argmax(np.where(same, np.diff(place), 0)) + 1])
        time = frame[time_col][row]
        raise InvalidArgument(f"row {row}: {time_col} {time} makes {total} places of {rows} rows; is freq right?")
    ends = np.cumsum(lengths)
    where = (ends - lengths)[codes] + index
    dense, times = np.full(total, np.nan), np.zeros(total, np.int64)
    dense[where], times[where] = values, ds
    back = np.empty(rows, np.int64)
    back[order] = where
    return Panel(frame, id_col, time_col, ids, dense, ends, back, ds[stops - 1], times, step, whole)
