"""forecast, detect and backtest: the same numbers for pandas, Polars and PyArrow, and right for odd frames."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aaren
from aaren import errors


@pytest.fixture(scope="module")
def frame():
    t = np.arange(300)
    parts = []
    for i, name in enumerate(("b", "a", "c")):
        y = 10 * (i + 1) + 3 * np.sin(t * 2 * np.pi / 24)
        parts.append(
            pd.DataFrame({"unique_id": name, "ds": pd.Timestamp("2024-01-01") + pd.to_timedelta(t, "h"), "y": y})
        )
    return pd.concat(parts, ignore_index=True)


def alone(model, values, h):
    session = model.session()
    session.extend(values[:-1])
    return session.update(values[-1]).values[:h]


def test_forecast_has_nixtlas_columns_and_the_sessions_numbers(model, frame):
    out = aaren.forecast(frame, h=12, level=[80, 95], quantiles=[0.3])
    assert list(out.columns) == ["unique_id", "ds", "Aaren", "Aaren-lo-80", "Aaren-hi-80", "Aaren-lo-95", "Aaren-hi-95",
                                 "Aaren-ql0.3"]  # fmt: skip
    assert len(out) == 36 and list(out["unique_id"].unique()) == ["b", "a", "c"]
    assert out["ds"].iloc[0] == pd.Timestamp("2024-01-13 12:00") and out["ds"].dtype == frame["ds"].dtype
    wanted = alone(model, frame["y"].to_numpy()[300:600], 12)
    one = out[out["unique_id"] == "a"]
    middle = model.levels.index(0.5)
    assert np.array_equal(one["Aaren"].to_numpy(), wanted[:, middle])
    assert np.array_equal(one["Aaren-lo-80"].to_numpy(), wanted[:, model.levels.index(0.1)])
    assert np.all(one["Aaren-lo-95"] <= one["Aaren-lo-80"])


@pytest.mark.parametrize("call", [
    lambda df: aaren.forecast(df, h=5, level=[90]),
    lambda df: aaren.detect(df, rate=0.01, level=[90]),
    lambda df: aaren.backtest(df, h=5, n_windows=4),
])  # fmt: skip
def test_every_library_gets_its_own_back_with_the_same_numbers(frame, call):
    ours = call(frame)
    polars, arrow = call(pl.from_pandas(frame)), call(pa.Table.from_pandas(frame))
    lazy = call(pl.from_pandas(frame).lazy())
    assert isinstance(polars, pl.DataFrame) and isinstance(lazy, pl.DataFrame) and isinstance(arrow, pa.Table)
    for name in ours.columns:
        mine = ours[name].to_numpy()
        for theirs in (polars[name].to_numpy(), arrow[name].to_numpy(), lazy[name].to_numpy()):
            if mine.dtype.kind == "f":
                assert np.array_equal(mine, theirs, equal_nan=True)
            else:
                assert np.array_equal(np.asarray(mine).astype(str), np.asarray(theirs).astype(mine.dtype).astype(str))


def test_rows_in_any_order_give_the_same(frame):
    mixed = frame.sample(frac=1, random_state=1)
    columns = ["unique_id", "ds"]
    one, two = (aaren.forecast(df, h=3).sort_values(columns, ignore_index=True) for df in (frame, mixed))
    pd.testing.assert_frame_equal(one, two)
    found = aaren.detect(mixed, rate=0.01).sort_index()
    pd.testing.assert_frame_equal(found, aaren.detect(frame, rate=0.01))


def test_missing_rows_are_missing_values(model, frame):
    one = frame[frame["unique_id"] == "a"].reset_index(drop=True)
    holes = one.drop(index=range(100, 130))
    values = one["y"].to_numpy().copy()
    values[100:130] = np.nan
    assert np.array_equal(aaren.forecast(holes, h=8)["Aaren"], alone(model, values, 8)[:, model.levels.index(0.5)])
    assert len(aaren.detect(holes)) == 270
    assert aaren.backtest(holes, h=24, n_windows=10)["ds"].is_monotonic_increasing is not None


def test_backtest_sees_nothing_after_its_cutoff(model, frame):
    out = aaren.backtest(frame, h=6, n_windows=3, step_size=2)
    assert list(out.columns) == ["unique_id", "ds", "cutoff", "y", "Aaren"] and len(out) == 3 * 3 * 6
    first = out[out["unique_id"] == "c"].iloc[:6]
    y = frame["y"].to_numpy()[600:]
    assert first["cutoff"].iloc[0] == frame["ds"].iloc[300 - 6 - 4 - 1]
    assert np.array_equal(first["y"], y[290:296])
    assert np.array_equal(first["Aaren"], alone(model, y[:290], 6)[:, model.levels.index(0.5)])


def test_detect_finds_a_jump(frame):
    spoiled = frame.copy()
    spoiled.loc[450, "y"] += 40
    out = aaren.detect(spoiled, rate=0.001)
    assert out["anomaly"].iloc[450] and out["surprise"].iloc[450] > 0.999
    assert out["anomaly"].sum() < 20
    assert np.isnan(out["Aaren"].iloc[0]) and np.isnan(out["Aaren"].iloc[300])


@pytest.mark.parametrize(("freq", "start", "wanted"), [
    ("15min", "2024-01-01", "2024-01-01 10:00"), ("D", "2024-01-01", "2024-02-10"), ("W", "2024-01-07", "2024-10-13"),
    ("B", "2024-01-01", "2024-02-26"), ("MS", "2020-01-01", "2023-05-01"), ("ME", "2020-01-31", "2023-05-31"),
    ("QS", "2010-01-01", "2020-01-01"), ("YS", "1980-01-01", "2020-01-01"),
])  # fmt: skip
def test_steps_of_calendars_are_found_and_given(freq, start, wanted):
    df = pd.DataFrame({"unique_id": 1, "ds": pd.date_range(start, periods=40, freq=freq), "y": np.arange(40.0)})
    assert aaren.forecast(df, h=2)["ds"].iloc[0] == pd.Timestamp(wanted)
    pd.testing.assert_frame_equal(aaren.forecast(df, h=2), aaren.forecast(df, h=2, freq=freq))
    following = pd.date_range(start, periods=42, freq=freq)[-2:]
    assert list(aaren.forecast(df, h=2)["ds"]) == list(following)


@pytest.mark.parametrize(("rows", "given"), [
    ("MS", "ME"), ("ME", "1mo"), ("ME", "MS"), ("QS", "1q"), ("QS", "QE"), ("QE", "1q"), ("YS", "YE"), ("YE", "1y"),
])  # fmt: skip
def test_rows_a_month_apart_go_on_at_their_own_day(rows, given):
    ds = pd.date_range("2019-03-01", periods=14, freq=rows)
    df = pd.DataFrame({"unique_id": 1, "ds": ds[:12], "y": np.arange(12.0)})
    assert list(aaren.forecast(df, h=2, freq=given)["ds"]) == list(ds[12:])


def test_local_times_stay_local_over_a_change_of_clocks():
    ds = pd.date_range("2024-03-20", periods=10, freq="D", tz="Europe/Berlin")
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.arange(10.0)})
    out = aaren.forecast(df, h=5)
    assert list(out["ds"]) == list(pd.date_range("2024-03-30", periods=5, freq="D", tz="Europe/Berlin"))
    hours = pd.date_range("2024-03-30 20:00", periods=4, freq="h", tz="Europe/Berlin")
    out = aaren.forecast(pl.from_pandas(df.iloc[:4].assign(ds=hours)), h=4)
    assert out["ds"].to_list()[2].hour == 3  # 02:00 is not there that night


def test_kinds_of_columns():
    ds = pd.date_range("2024-01-01", periods=30, freq="h")
    plain = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.arange(30.0)})
    wanted = aaren.forecast(plain, h=3)["Aaren"].to_numpy()
    for y in (
        pd.array(range(30), dtype="Int64"),
        pd.array(range(30), dtype="float32"),
        pd.array(range(30), dtype="int64[pyarrow]"),
    ):
        assert np.array_equal(aaren.forecast(plain.assign(y=y), h=3)["Aaren"].to_numpy(), wanted)
    nullable = plain.assign(y=pd.array([None, *range(1, 30)], dtype="Int64"))
    assert len(aaren.forecast(nullable, h=3)) == 3
    whole = plain.assign(ds=range(30), unique_id=pd.Categorical(["a"] * 30))
    out = aaren.forecast(whole, h=3)
    assert list(out["ds"]) == [30, 31, 32] and isinstance(out["unique_id"].dtype, pd.CategoricalDtype)
    dates = pl.DataFrame(
        {
            "unique_id": ["a"] * 5,
            "ds": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 5), eager=True),
            "y": range(5),
        }
    )
    assert aaren.forecast(dates, h=2)["ds"].dtype == pl.Date


def test_empty_frames_stay_empty(frame):
    for df in (frame.iloc[:0], pl.from_pandas(frame.iloc[:0])):
        assert len(aaren.forecast(df, h=3, level=[80])) == 0
        assert len(aaren.detect(df)) == 0
        assert len(aaren.backtest(df, h=3)) == 0
        assert "Aaren-lo-80" in aaren.forecast(df, h=3, level=[80]).columns


def test_errors_name_the_row(frame):
    def spoiled(**changes):
        df = frame.astype({"unique_id": object})
        for column, (row, value) in changes.items():
            df.loc[row, column] = value
        return df

    for df, words in (
        (spoiled(y=(7, np.inf)), "row 7: y"), (spoiled(ds=(8, pd.NaT)), "row 8: ds"),
        (spoiled(unique_id=(9, None)), "row 9: unique_id"),
        (spoiled(ds=(5, pd.Timestamp("2250-01-01"))), "row 5: ds"),
    ):  # fmt: skip
        with pytest.raises(errors.InvalidArgument, match=words):
            aaren.forecast(df, h=3)
    for call in (lambda: aaren.forecast(frame, h=0), lambda: aaren.forecast(frame, h=10**6),
                 lambda: aaren.forecast(frame, h=1, freq="fortnight"), lambda: aaren.forecast(frame, h=1, level=[100]),
                 lambda: aaren.detect(frame, rate=2), lambda: aaren.forecast({"y": [1]}, h=1),
                 lambda: aaren.forecast(frame.assign(y="x"), h=1)):  # fmt: skip
        with pytest.raises(errors.InvalidArgument):
            call()
    with pytest.raises(errors.NotFound, match="no column 'z'"):
        aaren.forecast(frame, h=1, target_col="z")


def test_other_names_of_columns(frame):
    renamed = frame.rename(columns={"unique_id": "sensor", "ds": "time", "y": "load"})
    out = aaren.backtest(renamed, h=2, id_col="sensor", time_col="time", target_col="load", alias="Mine")
    assert list(out.columns) == ["sensor", "time", "cutoff", "load", "Mine"]
