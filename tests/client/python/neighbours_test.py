"""Aaren behind the interfaces of other libraries."""

import asyncio
import json
import os
import sys

import matplotlib
import mcp
import numpy as np
import pandas as pd
import pytest
import statsforecast
from mcp.client.stdio import stdio_client
from sktime.utils.estimator_checks import check_estimator

import aaren
from aaren import mcp as tools
from aaren.adapters.river import AarenForecaster as RiverForecaster
from aaren.adapters.sktime import AarenForecaster
from aaren.adapters.statsforecast import Aaren


def test_river_learns_one_and_forecasts(model, series):
    forecaster, session = RiverForecaster(), model.session()
    for value in series[:100]:
        forecaster.learn_one(value)
        forecast = session.update(value)
    assert forecaster.forecast(12) == [float(v) for v in forecast.median[:12]]


def test_rivers_features_are_covariates(model, series):
    forecaster, session = RiverForecaster(features=("sun", "rain")), model.session(future=2)
    sun, rain = np.random.default_rng(3).normal(0, 1, (2, 420))
    y = series[:400] + 10 * sun[:400]
    for i in range(399):
        forecaster.learn_one(y[i], {"sun": sun[i], "rain": rain[i], "weather": "of no interest"})
    forecaster.learn_one(y[399], {"sun": sun[399], "rain": None})
    X = np.stack([sun, rain], axis=1)
    session.extend(y[:399], X=X[:399])
    ahead = np.full((session.horizon, 2), np.nan)
    ahead[:12] = X[400:412]
    wanted = session.fork().update(y[399], X=[sun[399], np.nan], X_future=ahead)
    xs = [{"sun": float(a), "rain": float(b)} for a, b in X[400:412]]
    assert forecaster.forecast(12, xs) == forecaster.forecast(12, xs) == wanted.median[:12].tolist()
    unknown = session.update(y[399], X=[sun[399], np.nan])
    assert forecaster.forecast(12) == unknown.median[:12].tolist() != wanted.median[:12].tolist()


def test_river_names_the_feature_that_is_no_number():
    forecaster = RiverForecaster(features=("sun",))
    forecaster.learn_one(1.0, {"sun": 0.5})
    for call, words in (
        (lambda: forecaster.learn_one(1.0, {"sun": "bright"}), r"x\['sun'\]: 'bright' is no number"),
        (lambda: forecaster.learn_one(float("inf"), {"sun": 1}), "y: inf is no 32-bit float"),
        (lambda: forecaster.forecast(2, [{"sun": 1}]), "xs has the features of 1 steps"),
        (lambda: forecaster.forecast(2, [{"sun": 1}, {"sun": 1e300}]), r"xs\[1\]\['sun'\]: 1e"),
    ):
        with pytest.raises(aaren.errors.InvalidArgument, match=words):
            call()


def test_statsforecasts_model_gives_its_columns(model, series):
    y = series[:200]
    out = Aaren().forecast(y, h=6, level=[80], fitted=True)
    fitted = Aaren().fit(y)
    assert np.array_equal(out["mean"], fitted.predict(h=6)["mean"])
    session = model.session()
    session.extend(y[:-1])
    assert np.array_equal(out["mean"], fitted.new().fit(y).predict(6)["mean"]) and len(out["fitted"]) == 200


def test_statsforecast_cross_validates(series):
    ds = pd.date_range("2024-01-01", periods=300, freq="h")
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.nan_to_num(series[:300])})
    theirs = statsforecast.StatsForecast(models=[Aaren()], freq="h").cross_validation(
        df=df, h=4, n_windows=3, step_size=4
    )
    ours = aaren.backtest(df, h=4, n_windows=3)
    assert np.array_equal(theirs["Aaren"].to_numpy(), ours["Aaren"].to_numpy())


def test_statsforecasts_fitted_values_have_intervals(series):
    ds = pd.date_range("2024-01-01", periods=300, freq="h")
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.nan_to_num(series[:300])})
    forecaster = statsforecast.StatsForecast(models=[Aaren()], freq="h")
    forecaster.forecast(df=df, h=2, level=[80], fitted=True)
    theirs, ours = forecaster.forecast_fitted_values(), aaren.detect(df, level=[80])
    in_sample = Aaren().fit(df["y"].to_numpy()).predict_in_sample(level=[80])
    for name, key in (("Aaren", "fitted"), ("Aaren-lo-80", "fitted-lo-80"), ("Aaren-hi-80", "fitted-hi-80")):
        assert np.array_equal(theirs[name], ours[name], equal_nan=True)
        assert np.array_equal(in_sample[key], ours[name], equal_nan=True)


def test_statsforecast_passes_covariates_and_far_steps_on(series):
    ds = pd.date_range("2024-01-01", periods=400, freq="h")
    sun = np.sin(np.arange(400) / 5)
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.nan_to_num(series[:400]), "sun": sun})
    known, X_df = df[:300], df[300:].drop(columns="y")
    theirs = statsforecast.StatsForecast(models=[Aaren()], freq="h").forecast(100, df=known, X_df=X_df, level=[90])
    ours = aaren.forecast(known, 100, [90], X_df)
    for name in ("Aaren", "Aaren-lo-90", "Aaren-hi-90"):
        assert np.array_equal(theirs[name].to_numpy(), ours[name].to_numpy())


@pytest.mark.filterwarnings("ignore")
def test_sktimes_own_checks_pass():
    results = check_estimator(AarenForecaster, verbose=False)
    assert len(results) > 100 and set(results.values()) == {"PASSED"}


@pytest.mark.filterwarnings("ignore")
def test_sktimes_updates_are_the_sessions(model, series):
    index = pd.period_range("2024-01-01", periods=200, freq="h")
    y = pd.Series(series[:200], index)
    forecaster = AarenForecaster().fit(y[:150])
    session = model.session()
    past = session.run(series[:150])
    assert np.array_equal(forecaster.predict(fh=[-2, -1, 0]), past.values[146:149, 0, model.levels.index(0.5)])
    forecaster.update(y[150:])
    session.extend(series[150:199])
    forecast = session.update(series[199])
    assert np.array_equal(forecaster.predict(fh=np.arange(1, 13)), forecast.median[:12])
    ends = forecaster.predict_interval(fh=[1, 12], coverage=0.8)
    assert np.array_equal(ends.to_numpy(), np.stack(forecast.interval(80), axis=1)[[0, 11]])
    with pytest.raises(aaren.AarenError, match="fh 49"):
        forecaster.predict(fh=[49])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("index", [
    pd.period_range("2024-01-01", periods=200, freq="h"), pd.date_range("2024-01-01", periods=200, freq="h"),
    pd.date_range("2018-10-01", periods=200, freq="MS"), pd.RangeIndex(3, 203),
])  # fmt: skip
def test_sktimes_times_without_a_row_are_missing_values(model, series, index):
    y = pd.Series(series[:200], index)
    there = ~np.isin(np.arange(200), [*range(40, 47), *range(100, 105)])
    forecaster = AarenForecaster().fit(y[:40]).update(y[47:100]).update(y[105:])
    forecast = model.session()
    past = forecast.run(np.where(there, series[:200], np.nan))
    assert np.array_equal(forecaster.predict(fh=[1, 2]), past[199].median[:2])
    assert np.array_equal(forecaster.predict(fh=[-150, -1]), past.at(0.5)[[48, 197], 0])
    if not isinstance(index, pd.DatetimeIndex):
        assert np.array_equal(AarenForecaster().fit(y[there]).predict(fh=[1]), past[199].median[:1])


@pytest.mark.filterwarnings("ignore")
def test_sktimes_covariates_may_lack_rows_where_y_does(with_columns):
    y, X = with_columns
    there = ~np.isin(np.arange(200), range(40, 47))
    holes = X[:200].mask(np.repeat(~there[:, None], 2, axis=1))
    wanted = AarenForecaster().fit(y[:200].where(there), X=holes).predict(fh=[1], X=X[200:])
    known = AarenForecaster().fit(y[:200].where(there), X=X[:200]).predict(fh=[1], X=X[200:])
    forecaster = AarenForecaster().fit(y[:40], X=X[:40])
    assert np.array_equal(forecaster.update(y[47:200], X=X[47:200]).predict(fh=[1], X=X[200:]), wanted)
    forecaster = AarenForecaster().fit(y[:40], X=X[:40])
    assert np.array_equal(forecaster.update(y[47:200], X=X[40:200]).predict(fh=[1], X=X[200:]), known)


@pytest.mark.filterwarnings("ignore")
def test_sktime_names_an_index_that_is_no_regular_time(series):
    hours = pd.date_range("2024-01-01", periods=9, freq="h")
    for index, words in (
        (hours.delete(4), "gaps and no freq"),
        (pd.Index([0, 1, 2, 3, 4, 10**9]), "6 values for the 1000000001 times"),
    ):
        with pytest.raises(aaren.errors.InvalidArgument, match=words):
            AarenForecaster().fit(pd.Series(series[: len(index)], index))
    forecaster = AarenForecaster().fit(pd.Series(series[:9], hours))
    half = pd.date_range("2024-01-01 09:30", periods=3, freq="h")
    with pytest.raises(aaren.errors.InvalidArgument, match="a value at 2024-01-01 09:30:00, which is none"):
        forecaster.update(pd.Series(series[:3], half))


@pytest.fixture
def with_columns(series):
    """A series of 300 hours with two columns beside it."""
    index = pd.date_range("2024-01-01", periods=300, freq="h")
    X = pd.DataFrame(np.random.default_rng(3).normal(0, 1, (300, 2)), index, ["sun", "rain"])
    return pd.Series(series[:300] + 10 * X["sun"].to_numpy(), index, name="load"), X


@pytest.mark.filterwarnings("ignore")
def test_sktimes_columns_are_covariates(model, with_columns):
    y, X = with_columns
    forecaster = AarenForecaster().fit(y[:150], X=X[:150]).update(y[150:200], X=X)
    session, table = model.session(future=2), X.to_numpy()
    past = session.run(y[:199].to_numpy(), h=1, X=table[:199], X_future=table[1:200, None])
    ahead = np.full((session.horizon, 2), np.nan)
    ahead[[0, 4]] = table[[200, 204]]
    forecast = session.fork().update(y.iloc[199], X=table[199], X_future=ahead)
    assert np.array_equal(forecaster.predict(fh=[1, 5], X=X[200:]), forecast.median[[0, 4]])
    ends = forecaster.predict_interval(fh=[1, 5], X=X[200:], coverage=0.8)
    assert np.array_equal(ends.to_numpy(), np.stack(forecast.interval(80), axis=1)[[0, 4]])
    assert np.array_equal(forecaster.predict(fh=[-1, 0]), past.at(0.5)[197:199, 0])
    assert np.array_equal(forecaster.predict(fh=[1, 5]), session.update(y.iloc[199], X=table[199]).median[[0, 4]])


@pytest.mark.filterwarnings("ignore")
def test_sktime_names_what_X_lacks(with_columns):
    y, X = with_columns
    forecaster = AarenForecaster().fit(y[:200], X=X[:200])
    for call, words in (
        (lambda: forecaster.predict(fh=[1, 2], X=X[200:201]), "no row of 2024-01-09 09:00:00: 1 of 2"),
        (lambda: forecaster.predict(fh=[1], X=X[["sun"]]), "no column 'rain'"),
        (lambda: forecaster.update(y[200:210]), "update without X; fit had the columns sun, rain"),
        (lambda: AarenForecaster().fit(y, X=pd.DataFrame(np.zeros((300, 9)), y.index)), "X has 9 columns"),
    ):
        with pytest.raises(aaren.errors.InvalidArgument, match=words):
            call()


def test_plot_draws_history_median_and_intervals(model, series):
    matplotlib.use("agg")
    session = model.session()
    past = session.run(series[:100])
    axes = aaren.plot(past[-1], series[:100], surprises=past.surprise)
    assert len(axes.lines) >= 3 and len(axes.collections) == len(model.levels) // 2


def test_plot_draws_steps_where_they_are_and_intervals_of_opposite_levels(model, series):
    matplotlib.use("agg")
    session = model.session(horizons=(1, 12, 40), quantiles=(0.1, 0.6, 0.8, 0.9))
    session.extend(series[:99])
    forecast = session.update(series[99])
    axes = aaren.plot(forecast)
    line = axes.lines[0]
    assert list(line.get_xdata()) == [1, 12, 40] and line.get_label() == "median"
    assert np.array_equal(line.get_ydata(), forecast.median)
    (interval,) = axes.collections
    assert {tuple(corner) for corner in np.stack([[1, 12, 40], forecast[0.9]], axis=1)} <= {
        tuple(corner) for corner in interval.get_paths()[0].vertices
    }


def test_plot_names_the_only_level(model):
    matplotlib.use("agg")
    line = aaren.plot(model.session(quantiles=(0.9,)).update(1.0)).lines[0]
    assert line.get_label() == "quantile 0.9" and len(line.get_xdata()) == model.horizon


def test_assistants_forecast_detect_and_keep_sessions(model):
    chance = np.random.default_rng(3)
    X = chance.normal(0, 1, (403, 2))
    y = np.sin(np.arange(400) / 3) + 3 * X[:400, 1]
    numbers = y.tolist(), X[:400, 0].tolist(), X[:, 1].tolist()

    async def main():
        parameters = mcp.StdioServerParameters(command=sys.executable, args=["-m", "aaren.mcp"], env=dict(os.environ))
        async with stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as client:
            await client.initialize()
            tools = {tool.name for tool in (await client.list_tools()).tools}
            values, sun, known = numbers

            async def call(name, **arguments):
                return json.loads((await client.call_tool(name, arguments)).content[0].text)

            forecast = await call("forecast", values=values, h=3)
            await call("session_update", session="a", values=values[:50], h=3)
            goes_on = await call("session_update", session="a", values=values[50:], h=3)
            told = await call("forecast", values=values, h=3, covariates={"sun": sun, "known": known})
            half = {"sun": sun[:50], "known": known[:53]}
            await call("session_update", session="b", values=values[:50], h=3, covariates=half)
            half = {"sun": sun[50:], "known": known[50:]}
            same = await call("session_update", session="b", values=values[50:], h=3, covariates=half)
            short = {"values": values, "h": 3, "covariates": {"sun": sun[1:]}}
            refused = (await client.call_tool("forecast", short)).content[0].text
            peak = {"values": [*values[:399], 90.0], "covariates": {"sun": sun}}
            odd = [json.loads(each.text)["index"] for each in (await client.call_tool("detect", peak)).content]
            return tools, forecast, goes_on, told, same, refused, odd

    tools, forecast, goes_on, told, same, refused, odd = asyncio.run(main())
    session = model.session(past=1, future=1)
    session.extend(y[:399], X=X[:399])
    ahead = np.full((session.horizon, 1), np.nan)
    ahead[:3, 0] = X[400:, 1]
    wanted = session.update(y[399], X=X[399], X_future=ahead)
    assert told["quantiles"]["0.5"] == pytest.approx(wanted.median[:3], rel=1e-9)
    assert same["quantiles"] == told["quantiles"] and told["quantiles"] != forecast["quantiles"]
    assert "column 'sun' has 399 numbers; 400" in refused
    assert odd[-1] == 399
    assert tools >= {"forecast", "detect", "session_update", "session_list", "session_forget"}
    assert goes_on["seq"] == 400 and len(forecast["quantiles"]["0.5"]) == 3


def test_assistants_read_small_numbers_and_no_nan(model, series):
    small = [1e-9 * value for value in np.nan_to_num(series[:100]).tolist()]
    session = model.session()
    session.extend(small[:-1])
    wanted = session.update(small[-1]).median[:3]
    assert tools.forecast(small, h=3)["quantiles"]["0.5"] == pytest.approx(wanted, rel=1e-9, abs=0)
    odd = tools.detect([*small[:-1], 1.0])[-1]
    assert 0 < abs(odd["expected"]) < 1e-6
    told = tools.forecast([None, None], h=3)
    assert told["quantiles"]["0.5"] == [None, None, None] and told["surprise"] is None
