"""Frames, words and columns that people have by mistake: a right answer, or an error that says what is wrong."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aaren
from aaren import errors

N = 30
HOURS = pd.date_range("2024-01-01", periods=N, freq="h")
PLAIN = pd.DataFrame({"unique_id": "a", "ds": HOURS, "y": np.arange(float(N))})
TWO = pd.DataFrame({"unique_id": ["a", "b"] * 3, "ds": HOURS[:6], "y": 1.0})


def refuses(words, call):
    with pytest.raises(errors.InvalidArgument, match=words):
        call()


@pytest.mark.parametrize("library", [lambda df: df, pl.from_pandas, pa.Table.from_pandas])
def test_texts_with_an_offset_from_utc_give_times_with_a_zone(library):
    texts = [f"{time.isoformat()}+01:00" for time in HOURS]
    out = aaren.forecast(library(PLAIN.assign(ds=texts)), h=1)["ds"]
    first = out[0].as_py() if isinstance(out, pa.ChunkedArray) else out[0]
    assert pd.Timestamp(first).isoformat() == "2024-01-02T05:00:00+00:00"


@pytest.mark.parametrize("library", [lambda df: df, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("text", ["03/04/2024", "13-04-2024", "3.4.2024", "01/02/24", "06:00"])
def test_texts_whose_day_and_month_can_be_exchanged_are_refused_by_row(library, text):
    texts = [*PLAIN["ds"].astype(str)[:4], text]
    refuses(f"row 4: ds is '{text}': .* begins with the year.* as datetimes",
            lambda: aaren.forecast(library(PLAIN[:5].assign(ds=texts)), h=1))  # fmt: skip


@pytest.mark.parametrize("library", [lambda df: df, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%SZ"])
def test_texts_that_begin_with_the_year_are_times(library, form):
    days = pd.date_range("2024-01-02", periods=4)
    out = aaren.forecast(library(PLAIN[:4].assign(ds=days.strftime(form))), h=1)["ds"]
    assert str(out[0]).startswith("2024-01-06 00:00:00")


@pytest.mark.parametrize("library", [lambda df: df, pl.from_pandas, pa.Table.from_pandas])
def test_texts_may_change_their_offset_with_the_clocks(library):
    texts = ["2024-03-31T00:00+01:00", "2024-03-31T01:00+01:00", "2024-03-31T03:00+02:00", "2024-03-31T04:00+02:00"]
    out = aaren.forecast(library(PLAIN[:4].assign(ds=texts)), h=1)["ds"]
    assert str(out[0]).startswith("2024-03-31 03:00:00+00:00")
    texts[2] = "2024-03-31T03:00"
    refuses("some times have an offset", lambda: aaren.forecast(library(PLAIN[:4].assign(ds=texts)), h=1))


def test_times_of_python_with_a_zone_keep_their_moment():
    times = pd.Series([time.tz_localize("Europe/Berlin") for time in HOURS], dtype=object)
    assert aaren.forecast(PLAIN.assign(ds=times), h=1)["ds"][0] == pd.Timestamp("2024-01-02 06:00", tz="Europe/Berlin")


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
def test_missing_cells_among_objects_are_missing_values(missing):
    wanted = aaren.forecast(PLAIN.assign(y=[np.nan, *range(1, N)]), h=3)["Aaren"]
    y = pd.Series([missing, *range(1, N)], dtype=object)
    assert np.array_equal(aaren.forecast(PLAIN.assign(y=y), h=3)["Aaren"], wanted)


@pytest.mark.parametrize(
    "df", [PLAIN.assign(y=np.arange(N) * 1j), PLAIN.assign(y=HOURS), pl.from_pandas(PLAIN).with_columns(y=pl.col("ds")),
           pl.from_pandas(PLAIN).with_columns(y=pl.duration(hours=pl.col("y")))],
)  # fmt: skip
def test_values_that_are_no_numbers_are_refused(df):
    refuses("column y is .*numbers expected", lambda: aaren.forecast(df, h=1))


@pytest.mark.parametrize(
    "df", [TWO.assign(unique_id=[["a"], ["b"]] * 3),
           pl.from_pandas(TWO).with_columns(unique_id=pl.concat_list("unique_id")),
           pa.Table.from_pandas(TWO).set_column(0, "unique_id", pa.array(["a", "b"] * 3).cast(pa.string_view()))],
)  # fmt: skip
def test_ids_that_cannot_be_ids_are_named(df):
    refuses("column unique_id is", lambda: aaren.forecast(df, h=1))


@pytest.mark.parametrize("kind", ["int8", "Int8", "uint8"])
def test_whole_times_grow_beyond_a_small_type(kind):
    ds = np.arange(N) + np.iinfo(kind.lower()).max - N + 1
    df = PLAIN.assign(ds=pd.array(ds, dtype=kind))
    for one in (df, pl.from_pandas(df)):
        assert list(aaren.forecast(one, h=2)["ds"]) == [ds[-1] + 1, ds[-1] + 2]


def test_wide_whole_times_are_right_or_refused_by_row():
    frame = pl.from_pandas(PLAIN.assign(ds=range(N)))
    assert aaren.forecast(frame.cast({"ds": pl.Int128}), h=1)["ds"].to_list() == [N]
    refuses("row 1: ds is", lambda: aaren.forecast(PLAIN[:2].assign(ds=[0, 2**63 - 1]), h=1))
    refuses("row 0: ds is", lambda: aaren.forecast(PLAIN[:2].assign(ds=np.array([2**63, 5], "u8")), h=1))


@pytest.mark.parametrize("freq", ["D", "MS", "B"])
def test_steps_beyond_the_last_time_of_64_bits_are_refused(freq):
    ds = pd.date_range(end="2262-04-01", periods=5, freq=freq)
    refuses("unique_id 'a': h = 48 steps after", lambda: aaren.forecast(PLAIN[:5].assign(ds=ds), h=48))


@pytest.mark.parametrize(
    "freq", [0, -1, 3600, 1.5, "0h", "-1h", "2B", "9" * 30 + "h", "9" * 9 + "MS", pd.Timedelta("1h"), dt.timedelta(1),
             "W-JAN", "QE-SUN", "MS-JAN", "D-MON", "B-FRI", "ms-JAN"],
)  # fmt: skip
def test_steps_that_cannot_be_are_named(freq):
    refuses(re.escape(f"freq {freq!r}: such as"), lambda: aaren.forecast(PLAIN, h=1, freq=freq))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_an_id_that_is_no_number_is_missing(library):
    frame = library({"unique_id": [1.0, 2.0, np.nan, 2.0], "ds": [*HOURS[:4]], "y": [1.0, 2.0, 3.0, 4.0]})
    refuses("row 2: unique_id is missing", lambda: aaren.forecast(frame, h=1))


def test_whole_numbers_among_objects_are_no_years():
    years = pd.Series(range(2000, 2000 + N), dtype=object)
    assert list(aaren.forecast(PLAIN.assign(ds=years), h=2)["ds"]) == [2000 + N, 2001 + N]


@pytest.mark.parametrize("freq", ["h", "36h"])
def test_dates_have_no_steps_of_hours(freq):
    df = pl.from_pandas(PLAIN).with_columns(ds=pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, N)))
    for one in (df, df.to_arrow(), df.to_pandas(use_pyarrow_extension_array=True)):
        refuses(f"freq '{freq}': ds is Date, .* finer", lambda one=one: aaren.forecast(one, h=3, freq=freq))


@pytest.mark.parametrize("library", [lambda df: df, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_steps_found_in_times_with_jitter_keep_the_unit_of_the_times(library, unit):
    jitter = np.random.default_rng(1).uniform(55, 68, N).cumsum()
    ds = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(jitter, "s")).astype(f"datetime64[{unit}]")
    frame = library(PLAIN.assign(ds=ds))
    out = aaren.forecast(frame, h=1)["ds"]
    kind = frame["ds"].type if isinstance(frame, pa.Table) else frame["ds"].dtype
    assert kind == (out.type if isinstance(frame, pa.Table) else out.dtype)


@pytest.mark.parametrize("freq", [0, -1, 1.5, "h", 10**30])
def test_whole_steps_that_cannot_be_are_named(freq):
    refuses(f"freq {freq!r}: a whole", lambda: aaren.forecast(PLAIN.assign(ds=range(N)), h=1, freq=freq))


@pytest.mark.parametrize("word", ["n_windows", "step_size"])
@pytest.mark.parametrize("number", [0, -1, 1.5])
def test_windows_that_cannot_be_are_named(word, number):
    refuses(f"{word} = ", lambda: aaren.backtest(PLAIN, h=2, **{word: number}))


@pytest.mark.parametrize("h", [0, -1, 1.5, "3", None, True, 1025])
def test_horizons_that_cannot_be_are_named(h):
    refuses("h = ", lambda: aaren.forecast(PLAIN, h=h))


@pytest.mark.parametrize("level", [80, [0], [100], [-1], [np.nan], ["many"]])
def test_levels_that_cannot_be_are_named_before_any_work(level):
    for call in (aaren.forecast, aaren.backtest):
        refuses("level", lambda call=call: call(None, h=1, level=level))
    refuses("level", lambda: aaren.detect(None, level=level))


def test_no_levels_may_be_none():
    assert list(aaren.forecast(PLAIN, h=1, level=None, quantiles=None).columns) == ["unique_id", "ds", "Aaren"]


@pytest.mark.parametrize(
    "call", [lambda: aaren.forecast(PLAIN, h=1, alias="ds"), lambda: aaren.detect(PLAIN, alias="y"),
             lambda: aaren.detect(PLAIN, alias="surprise"), lambda: aaren.detect(aaren.detect(PLAIN)),
             lambda: aaren.detect(PLAIN.assign(anomaly=False)), lambda: aaren.backtest(PLAIN, h=1, alias="y"),
             lambda: aaren.backtest(PLAIN, h=1, alias="cutoff"),
             lambda: aaren.backtest(PLAIN.rename(columns={"ds": "cutoff"}), h=1, time_col="cutoff")],
)  # fmt: skip
def test_no_column_of_the_frame_is_lost_to_one_of_the_result(call):
    refuses("the result has a column", call)


def test_columns_are_told_apart_by_text():
    refuses("two of the id", lambda: aaren.forecast(PLAIN, h=1, id_col="ds"))
    refuses("the name of a column is a text", lambda: aaren.forecast(PLAIN.rename(columns={"y": 0}), h=1, target_col=0))
    refuses("the name of a column is a text", lambda: aaren.forecast(PLAIN.assign(z=1.0).rename(columns={"z": 0}), h=1))


def test_lazy_frames_that_fail_are_told():
    late = pl.from_pandas(PLAIN).lazy().with_columns(pl.col("unique_id").str.to_datetime("%Y"))
    refuses("the lazy frame cannot be collected", lambda: aaren.forecast(late, h=1))


def test_another_model_than_a_forecaster_is_refused():
    refuses("a Forecaster expected", lambda: aaren.forecast(PLAIN, h=1, model=aaren.EventForecaster()))
