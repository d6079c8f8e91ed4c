"""python -m aaren.mcp: a Model Context Protocol server over standard input, with the forecaster as tools.

Sessions live in this process, under names that the assistant chooses, for as long as the process runs. Needs the
package `mcp`: pip install 'aaren[mcp]'.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mcp.server.mcpserver import MCPServer

from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster
from aaren.local import LocalSession
from aaren.quantiles import Forecast

_MOST_SESSIONS = 10_000

server = MCPServer("aaren", instructions="Forecasts of regular series of numbers. null is a missing value.")
_model = Forecaster()
_sessions: dict[str, LocalSession] = {}


def _plain(forecast: Forecast, h: int) -> dict[str, Any]:
    quantiles = {f"{level:g}": [round(float(v), 6) for v in forecast[level][:h]] for level in _model.levels}
    surprise = float(forecast.surprise)
    return {"quantiles": quantiles, "surprise": None if np.isnan(surprise) else round(surprise, 6)}


def _take(session: LocalSession, values: list[float | None], h: int) -> dict[str, Any]:
    if not values:
        raise InvalidArgument("no values")
    if not 1 <= h <= _model.horizon:
        raise InvalidArgument(f"h = {h}; 1 to {_model.horizon}")
    numbers = [float("nan") if value is None else value for value in values]
    session.extend(numbers[:-1])
    return _plain(session.update(numbers[-1]), h)


@server.tool()
def forecast(values: list[float | None], h: int = 12) -> dict[str, Any]:
    """Quantiles of the next h values of a regular series, the oldest value first."""
    return _take(_model.session(), values, h)


@server.tool()
def detect(values: list[float | None], rate: float = 0.001) -> list[dict[str, Any]]:
    """The anomalous values of a regular series: each judged by what the values before it led to expect.

    `rate` is the share of ordinary values that is reported. A surprise near 0 is far too low, near 1 far too high.
    """
    numbers = [float("nan") if value is None else value for value in values]
    found = _model.session().run(numbers, h=1)
    median = found.at(0.5)[:, 0]
    return [
        {"index": i, "value": values[i], "expected": float(median[i - 1]), "surprise": float(found.surprise[i])}
        for i in np.flatnonzero(np.abs(found.surprise - 0.5) > 0.5 - rate / 2).tolist()
    ]


@server.tool()
def session_update(session: str, values: list[float | None], h: int = 12) -> dict[str, Any]:
    """Gives new values to a named session, which remembers all values before, and forecasts the next h."""
    if session not in _sessions:
        if len(_sessions) >= _MOST_SESSIONS:
            raise InvalidArgument(f"{_MOST_SESSIONS} sessions are open; forget one")
        _sessions[session] = _model.session()
    return _take(_sessions[session], values, h) | {"seq": _sessions[session].seq}


@server.tool()
def session_list() -> dict[str, int]:
    """The named sessions, and how many values each has taken."""
    return {name: session.seq for name, session in _sessions.items()}


@server.tool()
def session_forget(session: str) -> bool:
    """Forgets a named session. False if there is none."""
    return _sessions.pop(session, None) is not None


if __name__ == "__main__":
    server.run()
