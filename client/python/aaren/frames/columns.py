"""The columns of a frame as NumPy arrays: ids as numbers, values as floats, times as nanoseconds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import narwhals as nw
import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument, NotFound
from aaren.frames.steps import Ints
from aaren.times import EARLIEST, LATEST

_MOST_WHOLE = 2**62  # differences of two fit in 64 bits
# A month before the day is read as one by some libraries, and as the day by others.
_YEAR_FIRST = r"^\s*\d{4}(?:[-/.]?\w|\s*$)"
_SMALL = (nw.Int8, nw.Int16, nw.Int32, nw.UInt8, nw.UInt16, nw.UInt32)

Column = nw.Series[Any]
T = TypeVar("T")


def as_frame(df: Any, names: tuple[str, ...]) -> nw.DataFrame[Any]:
    """An eager frame of whatever Narwhals knows, which has these columns; a lazy one, as of DuckDB, is collected."""
    try:
        frame = nw.from_native(df)
        columns = frame.collect_schema().names()
    except Exception as error:  # each library has its own
        raise InvalidArgument(f"a frame of pandas, Polars, PyArrow or another that Narwhals knows: {error}") from None
    for name in names:
        if name not in columns:
            raise NotFound(f"no column {name!r}; there are {', '.join(map(str, columns))}")
        if names.count(name) > 1:
            raise InvalidArgument(f"column {name!r} cannot be two of the id, the time and the value")
    for name in columns:
        if not isinstance(name, str):
            raise InvalidArgument(f"column {name!r}: the name of a column is a text")
    try:
        return frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    except Exception as error:  # each library has its own
        raise InvalidArgument(f"the lazy frame cannot be collected: {error}") from None


def _refuse_missing(column: Column) -> None:
    null = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
    if len(missing := np.flatnonzero(null.fill_null(True).to_numpy())):
        raise InvalidArgument(f"row {missing[0]}: {column.name} is missing")


def _converted(column: Column, convert: Callable[[Column], T]) -> T:
    """The column after `convert`, or InvalidArgument with the first row that `convert` refuses."""
    try:
        return convert(column)
    except Exception as error:  # each library has its own
        begin, end = 0, len(column)
        while end - begin > 1:
            middle = (begin + end) // 2
            try:
                convert(column[begin:middle])
            except Exception:
                end = middle
            else:
                begin = middle
        value = column[begin] if len(column) else None
        raise InvalidArgument(f"row {begin}: {column.name} is {value!r}: {error}") from None


def codes_of(ids: Column) -> tuple[Column, Ints]:
    """The ids in order of appearance, and for each row the place of its id among them."""
    _refuse_missing(ids)
    try:
        return _codes_of(ids)
    except Exception as error:  # each library has its own
        raise InvalidArgument(f"column {ids.name} is {ids.dtype}, of which {ids.implementation} makes no ids: cast the "
                              f"column to text ({error})") from None  # fmt: skip


def _codes_of(ids: Column) -> tuple[Column, Ints]:
    unique = ids.unique(maintain_order=True)
    if len(unique) <= 1:
        return unique, np.zeros(len(ids), np.int64)
    if ids.implementation.is_pandas():  # three times as fast
        return unique, np.asarray(ids.to_native().factorize()[0], np.int64)
    # Not every library replaces values of every type.
    plain, known = (
        (ids, unique)
        if ids.dtype.is_integer() or ids.dtype == nw.String
        else (ids.cast(nw.String), unique.cast(nw.String))
    )
    codes = plain.replace_strict(known.to_list(), list(range(len(unique))), return_dtype=nw.Int64)
    return unique, np.asarray(codes.to_numpy(), np.int64)


def values_of(y: Column) -> npt.NDArray[np.float64]:
    """Values [rows], NaN where missing."""
    if y.dtype.is_temporal() or getattr(_kind_of_pandas(y), "kind", "") == "c":
        raise InvalidArgument(f"column {y.name} is {_kind_of_pandas(y) or y.dtype}; numbers expected")
    values = _converted(y, _floats)
    with np.errstate(over="ignore"):
        infinite = np.flatnonzero(np.isinf(values.astype(np.float32)))
    if len(infinite):
        raise InvalidArgument(f"row {infinite[0]}: {y.name} is {values[infinite[0]]}, no 32-bit float; NaN marks a "
                              "missing value")  # fmt: skip
    return values


def _floats(y: Column) -> npt.NDArray[np.float64]:
    if y.dtype == nw.Object:  # of pandas, where NA may be among numbers
        return np.where(y.is_null().to_numpy(), np.nan, y.to_numpy()).astype(np.float64)
    return np.asarray(y.cast(nw.Float64).to_numpy(), np.float64)


def parsed(ds: Column) -> Column:
    """Texts, and times of Python, as a column of times. With an offset from UTC the times have a zone.

    InvalidArgument names the row whose text does not begin with the year: 03/04/2024 has two meanings.
    """
    if ds.dtype == nw.Object and ds.implementation.is_pandas_like():
        ds = nw.from_native(ds.to_native().infer_objects(), series_only=True)
    if ds.dtype not in (nw.String, nw.Object):
        return ds
    _refuse_missing(ds)
    return _converted(ds, _times)


def _times(column: Column) -> Column:
    texts = column.cast(nw.String)
    if not texts.str.contains(_YEAR_FIRST).all():
        raise ValueError("a time as text begins with the year, as 2024-01-31 06:00 does; pass others as datetimes")
    try:
        return texts.str.to_datetime()
    except Exception:  # pandas and PyArrow refuse offsets that differ, as on both sides of a change of clocks
        return _times_of_iso(texts)


def _times_of_iso(texts: Column) -> Column:
    """Texts of ISO 8601 as times of UTC if they have an offset. ValueError for others, and for some without offsets."""
    times = [datetime.fromisoformat(text) for text in texts.to_list()]
    zoned = times[0].tzinfo is not None
    if any((time.tzinfo is not None) != zoned for time in times):
        raise ValueError("some times have an offset from UTC, and others have none")
    plain = [time.astimezone(timezone.utc).replace(tzinfo=None) for time in times] if zoned else times
    out = nw.new_series(texts.name, np.array(plain, "datetime64[us]"), backend=texts.implementation)
    return out.dt.replace_time_zone("UTC") if zoned else out


def times_of(ds: Column, wall: bool) -> tuple[Ints, bool]:
    """The times of a column that is `parsed`, as int64, and whether they are whole numbers. With `wall`, times with a
    zone are local."""
    _refuse_missing(ds)
    if ds.dtype.is_integer():
        return _whole(ds), True
    if ds.dtype == nw.Date:
        ds = ds.cast(nw.Datetime("us"))
    elif zone_of(ds) is not None:
        ds = _without_zone(ds, wall)
    if ds.dtype != nw.Datetime:
        raise InvalidArgument(f"column {ds.name} is {ds.dtype}; times or whole numbers expected")
    times = ds.to_numpy()
    if len(far := np.flatnonzero((times < EARLIEST) | (times > LATEST))):
        raise InvalidArgument(f"row {far[0]}: {ds.name} is {times[far[0]]}, not between {EARLIEST} and {LATEST}")
    return np.asarray(times.astype("datetime64[ns]").astype(np.int64)), False


def _whole(ds: Column) -> Ints:
    if ds.dtype in (nw.Int128, nw.UInt128):
        ds = _converted(ds, lambda column: column.cast(nw.Int64))
    numbers = ds.to_numpy()
    if len(far := np.flatnonzero((numbers > _MOST_WHOLE) | (numbers < -_MOST_WHOLE))):
        raise InvalidArgument(f"row {far[0]}: {ds.name} is {numbers[far[0]]}; whole numbers up to 2^62 are possible")
    return np.asarray(numbers, np.int64)


def _kind_of_pandas(column: Column) -> Any:
    """The column's type in pandas; None for another library. Narwhals knows neither America/New_York there nor Arrow's
    types."""
    return column.to_native().dtype if column.implementation.is_pandas_like() else None


def zone_of(column: Column) -> str | None:
    zone = getattr(_kind_of_pandas(column), "tz", None)
    return getattr(column.dtype, "time_zone", None) if zone is None else str(zone)


def _without_zone(ds: Column, wall: bool) -> Column:
    """Local times with `wall`, else UTC."""
    if getattr(_kind_of_pandas(ds), "tz", None) is None:
        return (ds if wall else ds.dt.convert_time_zone("UTC")).dt.replace_time_zone(None)
    native = ds.to_native()
    return nw.from_native((native if wall else native.dt.tz_convert("UTC")).dt.tz_localize(None), series_only=True)


def unit_of(column: Column) -> int:
    """How many nanoseconds a column of times tells apart."""
    if column.dtype == nw.Date:
        return 86400 * 10**9
    unit = getattr(_kind_of_pandas(column), "unit", None) or getattr(column.dtype, "time_unit", "ns")
    return {"s": 10**9, "ms": 10**6, "us": 1000}.get(str(unit), 1)


def times_like(column: Column, ds: Ints, name: str, whole: bool, wall: bool) -> Column:
    """Times as a column with the type and the time zone of another; `whole` and `wall` as of `times_of`."""
    backend, kind, zone = column.implementation, column.dtype, zone_of(column)
    if whole:
        out = nw.new_series(name, ds, backend=backend)
        return out if kind in _SMALL and _beyond(ds, np.iinfo(str(kind).lower())) else out.cast(kind)
    utc = _to_utc(ds, zone) if zone is not None and wall else ds
    unit = unit_of(column)
    out = nw.new_series(name, (utc // unit * unit).astype("datetime64[ns]"), backend=backend)
    if zone is not None:
        out = out.dt.replace_time_zone("UTC")
    if backend.is_pandas_like():
        return nw.from_native(out.to_native().astype(_kind_of_pandas(column)), series_only=True)
    return out.cast(kind) if zone is None else out.dt.convert_time_zone(zone).cast(kind)


def _beyond(ds: Ints, kind: np.iinfo[Any]) -> bool:
    return bool(np.any((ds < kind.min) | (ds > kind.max)))


def _to_utc(local: Ints, name: str) -> Ints:
    """Local times of a zone as UTC. A time that is there twice is the first; one that is not there moves on."""
    try:
        zone: Any = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):  # an offset, such as UTC+01:00
        zone = datetime.strptime(name.removeprefix("UTC"), "%z").tzinfo
    known, where = np.unique(local, return_inverse=True)
    seconds = known // 10**9
    utc = np.array([_utc_second(int(second), zone) for second in seconds], np.int64)
    return np.asarray((utc * 10**9 + known % 10**9)[where])


def _utc_second(local: int, zone: Any) -> int:
    plain = datetime.fromtimestamp(local, timezone.utc)
    return int(plain.replace(tzinfo=zone).timestamp())
