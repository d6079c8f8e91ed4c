"""Aaren behind the interfaces of other libraries, each where it is installed."""

import asyncio
import json
import os
import sys

import numpy as np
import pytest


def test_river_learns_one_and_forecasts(model, series):
    pytest.importorskip("river")
    from aaren.adapters.river import AarenForecaster

    forecaster, session = AarenForecaster(), model.session()
    for value in series[:100]:
        forecaster.learn_one(value)
        forecast = session.update(value)
    assert forecaster.forecast(12) == [float(v) for v in forecast.median[:12]]


def test_statsforecasts_model_gives_its_columns(model, series):
    from aaren.adapters.statsforecast import Aaren

    y = series[:200]
    out = Aaren().forecast(y, h=6, level=[80], fitted=True)
    fitted = Aaren().fit(y)
    assert np.array_equal(out["mean"], fitted.predict(h=6)["mean"])
    session = model.session()
    session.extend(y[:-1])
    assert np.array_equal(out["mean"], fitted.new().fit(y).predict(6)["mean"]) and len(out["fitted"]) == 200


def test_statsforecast_cross_validates(series):
    statsforecast = pytest.importorskip("statsforecast")
    pd = pytest.importorskip("pandas")
    import aaren
    from aaren.adapters.statsforecast import Aaren

    ds = pd.date_range("2024-01-01", periods=300, freq="h")
    df = pd.DataFrame({"unique_id": "a", "ds": ds, "y": np.nan_to_num(series[:300])})
    theirs = statsforecast.StatsForecast(models=[Aaren()], freq="h").cross_validation(
        df=df, h=4, n_windows=3, step_size=4
    )
    ours = aaren.backtest(df, h=4, n_windows=3)
    assert np.array_equal(theirs["Aaren"].to_numpy(), ours["Aaren"].to_numpy())


def test_plot_draws_history_median_and_intervals(model, series):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import aaren

    session = model.session()
    past = session.run(series[:100])
    axes = aaren.plot(past[-1], series[:100], surprises=past.surprise)
    assert len(axes.lines) >= 3 and len(axes.collections) == len(model.levels) // 2


def test_assistants_forecast_detect_and_keep_sessions():
    mcp = pytest.importorskip("mcp")
    pytest.importorskip("mcp.server.mcpserver")
    from mcp.client.stdio import stdio_client

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
