"""forecast, detect and backtest with covariates and far steps: which columns they are, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import aaren
from aaren import errors


@pytest.fixture(scope="module")
def frame():
    """Two series with a covariate known with its row, and one known in advance."""
    chance = np.random.default_rng(5)
    t = np.arange(400)
    parts = []
    for name in ("b", "a"):
        temp, holiday = chance.normal(0, 1, len(t)).cumsum(), t // 24 % 7 == 6
        y = 30 + 5 * np.sin(t * 2 * np.pi / 24) - 0.5 * temp - 8 * holiday + chance.normal(0, 0.3, len(t))
        ds = pd.Timestamp("2024-01-01") + pd.to_timedelta(t, "h")
        parts.append(pd.DataFrame({"unique_id": name, "ds": ds, "temp": temp, "y": y, "holiday": holiday}))
    return pd.concat(parts, ignore_index=True)


def last_rows(frame, h):
    """The history, and the rows of the last h steps of each series."""
    behind = frame.groupby("unique_id").cumcount(ascending=False) < h
    return frame[~behind].reset_index(drop=True), frame[behind].reset_index(drop=True)


def alone(model, rows, columns, future, h, X_future):
    """The medians of a session that takes the rows one by one."""
    session = model.session(past=len(columns) - future, future=future, horizons=h)
    X = rows[columns].to_numpy(float)
    session.extend(rows["y"].to_numpy()[:-1], X=X[:-1])
    return session.update(rows["y"].iloc[-1], X=X[-1], X_future=X_future).median


def test_columns_of_X_df_are_known_in_advance_and_the_others_are_not(model, frame):
    df, after = last_rows(frame, 30)
    X_df = after[["unique_id", "ds", "holiday"]]
    out = aaren.forecast(df, h=30, X_df=X_df.sample(frac=1, random_state=2))
    for name in ("b", "a"):
        mine, known = df[df["unique_id"] == name], X_df[X_df["unique_id"] == name]
        wanted = alone(model, mine, ["temp", "holiday"], 1, 30, known[["holiday"]].to_numpy(float))
        assert np.array_equal(out[out["unique_id"] == name]["Aaren"], wanted)


def test_without_X_df_all_columns_are_of_the_past(model, frame):
    df, _ = last_rows(frame, 5)
    out = aaren.forecast(df, h=5)
    wanted = alone(model, df[df["unique_id"] == "a"], ["temp", "holiday"], 0, 5, None)
    assert np.array_equal(out[out["unique_id"] == "a"]["Aaren"], wanted)


def test_every_library_gets_the_same_numbers(frame):
    df, after = last_rows(frame, 12)
    X_df = after.drop(columns=["y", "temp"])
    wanted = aaren.forecast(df, 12, [90], X_df)
    for make in (pl.from_pandas, pa.Table.from_pandas):
        got = aaren.forecast(make(df), 12, [90], make(X_df))
        for name in ("Aaren", "Aaren-lo-90", "Aaren-hi-90"):
            assert np.array_equal(np.asarray(got[name]), wanted[name])


def test_far_steps_have_nixtlas_columns_and_the_sessions_numbers(model, frame):
    plain = frame[["unique_id", "ds", "y"]]
    out = aaren.forecast(plain, h=720, level=[80, 99])
    assert list(out.columns) == ["unique_id", "ds", "Aaren", "Aaren-lo-80", "Aaren-hi-80", "Aaren-lo-99", "Aaren-hi-99"]
    session = model.session(horizons=720)
    rows = plain[plain["unique_id"] == "b"]["y"].to_numpy()
    session.extend(rows[:-1])
    forecast, mine = session.update(rows[-1]), out[out["unique_id"] == "b"]
    assert np.array_equal(mine["Aaren"], forecast.median)
    assert np.array_equal(mine["Aaren-hi-99"], forecast[0.995])
    assert mine["ds"].iloc[-1] == frame["ds"].iloc[399] + pd.Timedelta(720, "h")


def test_backtest_knows_covariates_ahead_unless_told_otherwise(model, frame):
    out = aaren.backtest(frame, h=6, n_windows=3, step_size=4, hist_exog_list=["temp"])
    mine = frame[frame["unique_id"] == "a"].reset_index(drop=True)
    for window, cutoff in enumerate((386, 390, 394)):
        known = mine["holiday"].to_numpy(float)[cutoff : cutoff + 6, None]
        wanted = alone(model, mine.iloc[:cutoff], ["temp", "holiday"], 1, 6, known)
        got = out[out["unique_id"] == "a"].iloc[6 * window : 6 * window + 6]
        assert np.array_equal(got["Aaren"], wanted)


def test_detect_judges_a_value_by_its_covariates(model, frame):
    out = aaren.detect(frame, hist_exog_list=["temp"])
    mine = frame[frame["unique_id"] == "a"]
    session = model.session(past=1, future=1, horizons=1)
    X = mine[["temp", "holiday"]].to_numpy(float)
    ahead = np.append(X[1:, 1], np.nan)[:, None, None]
    wanted = session.run(mine["y"], X=X, X_future=ahead)
    got = out[out["unique_id"] == "a"]
    assert np.array_equal(got["surprise"], wanted.surprise, equal_nan=True)
    assert np.array_equal(got["Aaren"].to_numpy()[1:], wanted.at(0.5)[:-1, 0], equal_nan=True)
    assert list(out.columns)[:5] == list(frame.columns)


def test_missing_rows_have_missing_covariates(model, frame):
    mine = frame[frame["unique_id"] == "a"].reset_index(drop=True)
    holes = mine.drop(index=range(100, 130))
    filled = mine.astype({"holiday": float})
    filled.loc[100:129, ["y", "temp", "holiday"]] = np.nan
    assert np.array_equal(aaren.forecast(holes, h=8)["Aaren"], aaren.forecast(filled, h=8)["Aaren"])


def test_numbers_that_X_df_does_not_know_stay_as_they_were(frame):
    df, after = last_rows(frame, 4)
    nothing = after[["unique_id", "ds"]].assign(holiday=np.nan)
    kept = nothing.assign(holiday=0.0)
    kept["holiday"] = df.groupby("unique_id")["holiday"].last().reindex(kept["unique_id"]).to_numpy(float)
    assert np.array_equal(aaren.forecast(df, 4, X_df=nothing)["Aaren"], aaren.forecast(df, 4, X_df=kept)["Aaren"])


def spoiled(rows, **cells):
    out = rows.astype({name: object for name in cells})
    for name, (row, value) in cells.items():
        out.loc[row, name] = value
    return out.infer_objects()


@pytest.mark.parametrize(("change", "words"), [
    (lambda x: x.drop(index=2), r"X_df has no row of unique_id 'b', ds 2024-01-17 14:00:00: 1 of 8 rows"),
    (lambda x: x[x["unique_id"] == "b"], "X_df has no row of unique_id 'a'.*4 of 8"),
    (lambda x: pd.concat([x, x.iloc[[5]]], ignore_index=True), "X_df, row 8: .*is the step of row 5"),
    (lambda x: spoiled(x, unique_id=(3, "z")), "X_df, row 3: unique_id 'z' is no series"),
    (lambda x: spoiled(x, ds=(6, pd.Timestamp("2024-01-19"))), "X_df, row 6: ds 2024-01-19.* none of the h = 4 steps"),
    (lambda x: spoiled(x, holiday=(7, np.inf)), "row 7: holiday is inf"),
    (lambda x: x.assign(ds=range(8)), "X_df: ds is"),
])  # fmt: skip
def test_errors_of_X_df_name_the_row(frame, change, words):
    df, after = last_rows(frame, 4)
    with pytest.raises(errors.InvalidArgument, match=words):
        aaren.forecast(df, 4, X_df=change(after[["unique_id", "ds", "holiday"]]))


def test_columns_that_are_no_covariates_are_refused_by_name(frame):
    with pytest.raises(errors.InvalidArgument, match=r"column station is .*leave the column out"):
        aaren.forecast(frame.assign(station="north"), h=1)
    with pytest.raises(errors.InvalidArgument, match="9 columns beside"):
        aaren.forecast(frame.assign(**{f"x{i}": 1.0 for i in range(7)}), h=1)
    with pytest.raises(errors.NotFound, match="no column 'rain'"):
        aaren.detect(frame, hist_exog_list=["rain"])
    df, after = last_rows(frame, 1)
    with pytest.raises(errors.NotFound, match="no column 'rain'"):
        aaren.forecast(df, 1, X_df=after[["unique_id", "ds"]].assign(rain=1.0))
    with pytest.raises(errors.InvalidArgument, match="row 5: temp is inf"):
        aaren.forecast(spoiled(frame, temp=(5, np.inf)), h=1)
