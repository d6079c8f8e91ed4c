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
from aaren.adapters.river import AarenForecaster as RiverForecaster
from aaren.adapters.sktime import AarenForecaster
from aaren.adapters.statsforecast import Aaren


def test_river_learns_one_and_forecasts(model, series):
    forecaster, session = RiverForecaster(), model.session()
    for value in series[:100]:
        forecaster.learn_one(value)
        forecast = session.update(value)
    assert forecaster.forecast(12) == [float(v) for v in forecast.median[:12]]


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


def test_plot_draws_history_median_and_intervals(model, series):
    matplotlib.use("agg")
    session = model.session()
    past = session.run(series[:100])
    axes = aaren.plot(past[-1], series[:100], surprises=past.surprise)
    assert len(axes.lines) >= 3 and len(axes.collections) == len(model.levels) // 2


def test_assistants_forecast_detect_and_keep_sessions():
    async def main():
        parameters = mcp.StdioServerParameters(command=sys.executable, args=["-m", "aaren.mcp"], env=dict(os.environ))
        async with stdio_client(parameters) as (read, write), mcp.ClientSession(read, write) as client:
            await client.initialize()
            tools = {tool.name for tool in (await client.list_tools()).tools}
            values = [float(np.sin(i / 3)) for i in range(100)]

            async def call(name, **arguments):
                return json.loads((await client.call_tool(name, arguments)).content[0].text)

            forecast = await call("forecast", values=values, h=3)
            await call("session_update", session="a", values=values[:50], h=3)
            goes_on = await call("session_update", session="a", values=values[50:], h=3)
            return tools, forecast, goes_on

    tools, forecast, goes_on = asyncio.run(main())
    assert tools >= {"forecast", "detect", "session_update", "session_list", "session_forget"}
    assert goes_on["seq"] == 100 and len(forecast["quantiles"]["0.5"]) == 3
