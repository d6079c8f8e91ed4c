"""How rows of a frame become values on a grid: doubled rows, jitter, steps with several rows, zones, odd columns."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aaren
from aaren import errors
from aaren.frames import _filled
from aaren.frames.series import Words, read

HOURS = pd.date_range("2024-01-01", periods=6, freq="h")


def panel(ds, y=None, **options):
    y = np.arange(len(ds), dtype=float) if y is None else y
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": y})
    return read(df, Words("unique_id", "ds", "y", **options))


@pytest.mark.parametrize(
    ("aggregate", "wanted"), [("first", 1), ("last", 3), ("mean", 3), ("sum", 9), ("max", 5), (None, 3)]
)
def test_rows_of_one_step_are_joined_and_missing_values_do_not_count(aggregate, wanted):
    ds = [*HOURS[:4], HOURS[2], HOURS[2], HOURS[2]]
    got = panel(ds, [7.0, 8.0, 1.0, 9.0, 5.0, 3.0, np.nan], aggregate=aggregate)
    assert list(got.values) == [7, 8, wanted, 9]
    assert list(got.place) == [0, 1, 2, 3, 2, 2, 2]


def test_late_rows_are_placed_by_their_time():
    assert list(panel(HOURS[[0, 3, 1, 2]], [0.0, 3.0, 1.0, 2.0]).values) == [0, 1, 2, 3]


def test_rows_with_jitter_count_for_the_nearest_step():
    chance = np.random.default_rng(2)
    ds = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(3000) * 60 + chance.uniform(-7, 7, 3000), "s")
    assert np.array_equal(panel(ds).values, np.arange(3000.0))


def test_grid_follows_a_clock_that_runs_fast():
    ds = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(5000) * 3600.9, "s")
    assert np.array_equal(panel(ds, freq="h").values, np.arange(5000.0))


def test_longer_steps_take_all_rows_within_them():
    ds = pd.date_range("2024-01-01 00:20", periods=100, freq="30min")
    got = panel(ds, np.ones(100), freq="D", aggregate="sum")
    assert list(got.values) == [48, 48, 4]
    assert list(got.ds.astype("datetime64[ns]")) == list(pd.date_range("2024-01-01", periods=3, freq="D"))
    months = panel(pd.date_range("2024-01-15", periods=60, freq="D"), np.ones(60), freq="MS", aggregate="sum")
    assert list(months.values) == [17, 29, 14]
    assert list(months.ds.astype("datetime64[ns]")) == list(pd.date_range("2024-01-01", periods=3, freq="MS"))


@pytest.mark.parametrize("freq", ["W", "W-SUN", "W-MON", "W-WED", "W-THU", "QE-JAN", "QE-NOV", "QE-DEC", "QS-FEB",
                                  "QS-MAR", "YE-JUN", "YE-DEC", "YS-APR", "2QS-JAN", "ME", "MS", "2D"])  # fmt: skip
def test_steps_with_several_rows_are_those_of_pandas(freq):
    rows = pd.DataFrame({"ds": pd.date_range("2023-01-11 05:00", periods=1500, freq="11h"), "y": np.arange(1500.0)})
    wanted = rows.set_index("ds")["y"].resample(freq).sum()
    got = panel(rows["ds"], rows["y"], freq=freq, aggregate="sum")
    assert list(got.ds.astype("datetime64[ns]")) == list(wanted.index)
    assert np.array_equal(got.values, wanted)


@pytest.mark.parametrize("freq", ["15m", "4h", "1d", "1w", "1mo", "1q", "1y"])
def test_lower_case_letters_are_steps_of_polars(freq):
    rows = pl.DataFrame({"ds": pd.date_range("2023-01-11 00:05", periods=60_000, freq="10min"), "y": np.arange(6e4)})
    wanted = rows.group_by_dynamic("ds", every=freq).agg(pl.col("y").last())
    got = panel(rows["ds"].to_pandas(), rows["y"], freq=freq)
    assert np.array_equal(got.values, wanted["y"])
    assert np.array_equal(got.ds.astype("datetime64[ns]"), wanted["ds"])


def test_rows_of_a_weekend_count_for_friday():
    got = panel(pd.to_datetime(["2024-01-04", "2024-01-05", "2024-01-06", "2024-01-08"]), freq="B")
    assert list(got.values) == [0, 2, 3]


def test_every_business_day_has_a_place_of_its_own_before_1970_too():
    ds = pd.bdate_range("1969-12-01", "1970-02-01")
    assert np.array_equal(panel(ds).values, np.arange(float(len(ds))))
    assert np.array_equal(panel(ds, freq="B").values, np.arange(float(len(ds))))


@pytest.mark.parametrize(
    ("freq", "rows", "gap"),
    [("min", 2_000, 100_000), ("B", 500, 25_000), ("MS", 200, 3_000), ("ME", 200, 3_000), ("D", 500, 25_000)],
)
def test_times_of_a_long_gap_are_right_and_soon_there(freq, rows, gap):
    ds = pd.date_range("1700-01-31", periods=2 * rows + gap, freq=freq)
    got = panel(ds.delete(range(rows, rows + gap)), freq=freq)
    began = time.process_time()
    assert np.array_equal(_filled(got), ds.to_numpy().astype("datetime64[ns]").astype(np.int64))
    assert time.process_time() - began < 1


def test_several_series_under_one_id_are_refused_by_row():
    ds = list(HOURS) * 2
    with pytest.raises(errors.InvalidArgument, match="row 6: ds is that of row 0"):
        panel(ds)
    assert list(panel(ds, aggregate="mean").values) == [3, 4, 5, 6, 7, 8]


def test_times_without_a_step_ask_for_one():
    ds = pd.Timestamp("2024-01-01") + pd.to_timedelta([0, 1, 17, 40, 300, 301, 1000], "s")
    with pytest.raises(errors.InvalidArgument, match="freq="):
        panel(ds)
    assert len(panel(ds, freq="min").values) == 17


@pytest.mark.parametrize("quarters", [20, 60])
def test_quarters_that_become_months_ask_for_a_step(quarters):
    ds = pd.date_range("2000-01-01", periods=quarters, freq="QS")
    ds = ds.append(pd.date_range(ds[-1], periods=5, freq="MS")[1:])
    with pytest.raises(errors.InvalidArgument, match="freq="):
        panel(ds)
    assert np.count_nonzero(~np.isnan(panel(ds, freq="MS").values)) == quarters + 4


def test_two_ends_of_quarters_go_on_at_the_end():
    df = pd.DataFrame({"unique_id": "a", "ds": pd.to_datetime(["2024-06-30", "2024-09-30"]), "y": 1.0})
    assert list(aaren.forecast(df, h=2)["ds"]) == [pd.Timestamp("2024-12-31"), pd.Timestamp("2025-03-31")]


def test_times_beyond_64_bits_of_nanoseconds_are_refused_by_row():
    df = pl.DataFrame({"unique_id": ["a", "a"], "ds": ["2024-01-01", "3000-01-01"], "y": [1.0, 2.0]})
    with pytest.raises(errors.InvalidArgument, match="row 1: ds is 3000"):
        aaren.forecast(df.with_columns(pl.col("ds").str.to_datetime()), h=1)


@pytest.mark.parametrize("column", ["ds", "y"])
def test_cells_that_are_no_time_or_number_are_refused_by_row(column):
    df = pd.DataFrame({"unique_id": "a", "ds": HOURS.astype(str), "y": ["1", "2", "3", "4", "5", "6"]})
    assert len(aaren.forecast(df, h=1)) == 1
    df.loc[4, column] = "soon"
    for one in (df, pl.from_pandas(df), pa.Table.from_pandas(df)):
        with pytest.raises(errors.InvalidArgument, match=f"row 4: {column} is 'soon'"):
            aaren.forecast(one, h=1)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Sao_Paulo", "America/New_York", "UTC", "+05:30"])
def test_daily_times_of_a_zone_stay_at_its_midnight(zone):
    ds = pd.date_range("2018-10-28", periods=5, freq="D", tz=zone)
    out = aaren.forecast(pd.DataFrame({"unique_id": "a", "ds": ds, "y": range(5)}), h=5)["ds"]
    assert list(out.dt.strftime("%d")) == ["02", "03", "04", "05", "06"]
    # Midnight of 4 November is not there in São Paulo: clocks went from 24:00 to 01:00.
    assert set(out.dt.hour) == ({0, 1} if "Sao" in zone else {0})
    assert out.dtype == ds.dtype


@pytest.mark.parametrize("zone", ["Europe/London", "Europe/Berlin", "Australia/Lord_Howe"])
@pytest.mark.parametrize(("freq", "rows"), [("MS", 30), ("ME", 14), ("QS", 9), ("W", 9), ("B", 30), ("D", 2), ("D", 3)])
def test_local_steps_of_days_and_months_are_found_over_a_change_of_clocks(zone, freq, rows):
    for begin in ("2024-03-30", "2024-10-05", "2024-10-26"):
        ds = pd.date_range(begin, periods=rows + 2, freq=freq, tz=zone)
        df = pd.DataFrame({"unique_id": "a", "ds": ds[:rows], "y": np.arange(float(rows))})
        assert list(aaren.forecast(df, h=2)["ds"]) == list(ds[rows:])


@pytest.mark.parametrize(("zone", "freq"), [("Asia/Kolkata", "h"), ("Europe/Berlin", "6h"), ("America/New_York", "2h")])
def test_hours_with_several_rows_are_those_of_the_zone(zone, freq):
    rows = pd.DataFrame({"ds": pd.date_range("2024-01-11 05:07", periods=500, freq="11min", tz=zone), "y": 1.0})
    wanted = rows.set_index("ds")["y"].resample(freq).sum()
    got = panel(rows["ds"], rows["y"], freq=freq, aggregate="sum")
    assert np.array_equal(got.values, wanted)
    assert list(got.times(got.ds, "ds").to_native()) == list(wanted.index)


def test_days_of_utc_stay_days_in_a_zone_whose_clocks_change():
    ds = pd.date_range("2024-10-26", periods=3, freq="D", tz="UTC").tz_convert("Europe/Berlin")
    out = aaren.forecast(pd.DataFrame({"unique_id": "a", "ds": ds, "y": 1.0}), h=2)["ds"]
    assert list(out) == list(pd.date_range("2024-10-29 01:00", periods=2, freq="D", tz="Europe/Berlin"))


def test_every_hour_of_a_change_of_clocks_is_a_step():
    ds = pd.date_range("2024-10-26", periods=72, freq="h", tz="Europe/Berlin")
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.arange(72.0)})
    got = read(pl.from_pandas(df), Words("unique_id", "ds", "y"))
    assert np.array_equal(got.values, np.arange(72.0))


def kinds_of_ids():
    names = ["b"] * 4 + ["a"] * 4
    yield pd.Series(names, dtype="string"), "b"
    yield pd.Series(names, dtype="category"), "b"
    yield pd.Series(names, dtype=pd.ArrowDtype(pa.string())), "b"
    yield pd.Series([2.5] * 4 + [1.5] * 4), 2.5
    yield pd.Series([2] * 4 + [1] * 4, dtype="Int64"), 2
    yield pd.Series([True] * 4 + [False] * 4), True
    yield pd.Series([pd.Timestamp("2024-01-01")] * 4 + [pd.Timestamp("2024-01-02")] * 4), pd.Timestamp("2024-01-01")


@pytest.mark.parametrize(("ids", "first"), list(kinds_of_ids()))
def test_ids_keep_their_type_and_order(ids, first):
    df = pd.DataFrame({"unique_id": ids, "ds": [*HOURS[:4], *HOURS[:4]], "y": range(8)})
    out = aaren.forecast(df, h=2)
    assert out["unique_id"].dtype == ids.dtype and out["unique_id"].iloc[0] == first and len(out) == 4
    for other in (pl.from_pandas(df), pa.Table.from_pandas(df)):
        same = aaren.forecast(other, h=2)
        assert same["unique_id"][0] == pl.from_pandas(df)["unique_id"][0] or str(same["unique_id"][0]) == str(first)
        assert np.array_equal(np.asarray(same["Aaren"]), out["Aaren"].to_numpy())


def test_times_of_arrow_and_of_other_units_come_back_alike():
    for kind in ("timestamp[us][pyarrow]", "timestamp[s, tz=UTC][pyarrow]", "datetime64[s]", "date32[day][pyarrow]"):
        ds = pd.Series(pd.date_range("2024-01-01", periods=6, freq="D"))
        ds = ds.dt.tz_localize("UTC").astype(kind) if "tz" in kind else ds.astype(kind)
        out = aaren.forecast(pd.DataFrame({"unique_id": "a", "ds": ds, "y": range(6)}), h=1)
        assert out["ds"].dtype == ds.dtype and str(out["ds"].iloc[0]).startswith("2024-01-07")


def test_an_index_of_any_kind_does_not_matter():
    df = pd.DataFrame({"unique_id": "a", "ds": HOURS, "y": np.arange(6.0)})
    wanted = aaren.detect(df)["surprise"].to_numpy()
    turned = aaren.detect(df.iloc[::-1])
    assert list(turned.index) == [5, 4, 3, 2, 1, 0]
    assert np.array_equal(turned["surprise"].to_numpy()[::-1], wanted, equal_nan=True)
    doubled = aaren.detect(df.set_index(pd.Index([1] * 6)))
    assert np.array_equal(doubled["surprise"].to_numpy(), wanted, equal_nan=True)
    twice = pd.concat([df, df[["y"]]], axis=1)
    with pytest.raises(errors.InvalidArgument, match="unique column names"):
        aaren.forecast(twice, h=1)


def test_frames_without_rows_or_types_stay_empty():
    for df in (
        pd.DataFrame(columns=["unique_id", "ds", "y"]),
        pl.DataFrame(schema={"unique_id": pl.String, "ds": pl.Datetime("us", "Europe/Berlin"), "y": pl.Int32}),
        pa.schema([("unique_id", pa.string()), ("ds", pa.timestamp("ms")), ("y", pa.float32())]).empty_table(),
    ):
        for out in (aaren.forecast(df, h=3), aaren.detect(df), aaren.backtest(df, h=3)):
            assert len(out) == 0 and "Aaren" in (out.column_names if isinstance(out, pa.Table) else out.columns)


def test_series_of_missing_values_alone_have_no_forecast():
    out = aaren.forecast(pd.DataFrame({"unique_id": "a", "ds": HOURS, "y": np.nan}), h=2)
    assert out["Aaren"].isna().all() and len(out) == 2


def test_forecasts_of_a_high_level_keep_their_digits():
    ds = pd.date_range("2024-01-01", periods=200, freq="h")
    low = 1.0 + np.sin(np.arange(200) / 4)
    high = aaren.forecast(pd.DataFrame({"unique_id": "a", "ds": ds, "y": low + 2.0**30}), h=24)["Aaren"] - 2.0**30
    wanted = aaren.forecast(pd.DataFrame({"unique_id": "a", "ds": ds, "y": low}), h=24)["Aaren"]
    assert np.allclose(high, wanted, atol=0.05)
    assert np.any(np.mod(high, 2.0**-7) != 0)  # a 32-bit float near 2^30 has steps of 64
