"""Aaren: forecasts of live series, in this process or on an aaren-server.

    import aaren
    model = aaren.Forecaster()            # the bundled model, in this process
    session = model.session()             # 8 KB that remember one series
    forecast = session.update(21.4)       # quantiles of the next values

`Forecaster` works in the process, `Client` on a server; both give out a `Session`. `EventForecaster` and
`Client.events` give out an `EventSession`: when the next event comes, and of which kind. `forecast`, `detect` and
`backtest` take frames of pandas, Polars or PyArrow; `further` finds the rows that a session does not have; `plot`
draws.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from aaren.errors import AarenError
from aaren.event_forecaster import EventForecaster
from aaren.forecaster import Forecaster
from aaren.local import LocalSession
from aaren.local_events import LocalEvents
from aaren.quantiles import Forecast, Forecasts
from aaren.session import EventSession, Session
from aaren.tokens import Point

if TYPE_CHECKING:
    from aaren.client import Client
    from aaren.frames import backtest, detect, forecast
    from aaren.new_rows import further
    from aaren.plotting import plot

__version__ = "0.1.0"
__all__ = [
    "AarenError", "Client", "EventForecaster", "EventSession", "Forecast", "Forecaster", "Forecasts", "LocalEvents",
    "LocalSession", "Point", "Session", "backtest", "detect", "forecast", "further", "plot",
]  # fmt: skip

# Loaded when first asked for: importing the package costs neither gRPC nor Narwhals.
_LAZY = {
    "Client": "aaren.client",
    "backtest": "aaren.frames",
    "detect": "aaren.frames",
    "forecast": "aaren.frames",
    "further": "aaren.new_rows",
    "plot": "aaren.plotting",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'aaren' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
