"""python -m aaren.mcp: a Model Context Protocol server over standard input, with the forecaster as tools.

Sessions live in this process, under names that the assistant chooses, for as long as the process runs. Needs the
package `mcp`: pip install 'aaren[mcp]'.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from aaren import _engine
from aaren.errors import AarenError, InvalidArgument
from aaren.forecaster import Forecaster
from aaren.local import LocalSession
from aaren.quantiles import Forecast

_MOST_SESSIONS = 10_000

Series: TypeAlias = "list[float | None]"
Covariates: TypeAlias = "dict[str, list[float | None]] | None"

P = ParamSpec("P")
R = TypeVar("R")

server = MCPServer(
    "aaren",
    instructions="Forecasts of regular series of numbers. null is a missing value. Covariates are columns of numbers "
    "beside the series, by name, 8 at most. A column with a number for each value is known with the value, such as a "
    "measured temperature; a column with h more is known in advance, such as a holiday.",
)
_model = Forecaster()


class Kept(NamedTuple):
    """A session, and the names of its covariates."""

    session: LocalSession
    past: tuple[str, ...]  #: known with a value
    future: tuple[str, ...]  #: known in advance


_sessions: dict[str, Kept] = {}
_turn = threading.Lock()  # tools run on threads; an update of a session goes on from the one before


def _tool(function: Callable[P, R]) -> Callable[P, R]:
    """A tool of the server. The assistant reads why a call was refused; of any other exception it would see none."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except AarenError as error:
            raise ToolError(str(error)) from error

    server.tool()(call)
    return call


def _short(number: Any) -> float | None:
    """Ten digits, enough for small changes at a high level, and null for what JSON cannot tell."""
    return float(f"{number:.10g}") if np.isfinite(number) else None


def _plain(forecast: Forecast, h: int) -> dict[str, Any]:
    quantiles = {f"{level:g}": [_short(value) for value in forecast[level][:h]] for level in _model.levels}
    return {"quantiles": quantiles, "surprise": _short(forecast.surprise)}


def _numbers(column: Series) -> npt.NDArray[np.float64]:
    return np.array([np.nan if number is None else number for number in column], np.float64)


def _new(values: Series, covariates: Covariates, h: int) -> Kept:
    """A session that has seen nothing; the length of each column tells whether it is known in advance."""
    columns = covariates or {}
    for name, column in columns.items():
        if len(column) not in (len(values), len(values) + h):
            raise InvalidArgument(f"column {name!r} has {len(column)} numbers; {len(values)}, one for each value, or "
                                  f"{len(values) + h}, with the next h = {h} known in advance")  # fmt: skip
    if len(columns) > _engine.most_covariates:
        raise InvalidArgument(f"{len(columns)} columns; a series has {_engine.most_covariates} at most")
    future = tuple(name for name, column in columns.items() if len(column) > len(values))
    past = tuple(name for name in columns if name not in future)
    return Kept(_model.session(past=len(past), future=len(future)), past, future)


def _columns(kept: Kept, values: Series, covariates: Covariates, h: int) -> npt.NDArray[np.float64] | None:
    """The covariates of the values and of the next steps, [n + horizon, columns]; NaN where they are not known."""
    names, given = kept.past + kept.future, covariates or {}
    if set(given) != set(names):
        raise InvalidArgument(f"columns {', '.join(given) or 'none'}; the session has {', '.join(names) or 'none'}")
    if not names:
        return None
    table = np.full((len(values) + _model.horizon, len(names)), np.nan)
    for i, name in enumerate(names):
        allowed = (len(values), len(values) + h) if name in kept.future else (len(values),)
        if len(given[name]) not in allowed:
            raise InvalidArgument(f"column {name!r} has {len(given[name])} numbers; "
                                  f"{' or '.join(map(str, allowed))} expected")  # fmt: skip
        table[: len(given[name]), i] = _numbers(given[name])
    return table


def _take(kept: Kept, values: Series, covariates: Covariates, h: int) -> dict[str, Any]:
    if not values:
        raise InvalidArgument("no values")
    if not 1 <= h <= _model.horizon:
        raise InvalidArgument(f"h = {h}; 1 to {_model.horizon}")
    session, numbers = kept.session, _numbers(values)
    table = _columns(kept, values, covariates, h)
    if table is None:
        session.extend(numbers[:-1])
        return _plain(session.update(numbers[-1]), h)
    ahead = table[len(values) :, len(kept.past) :] if kept.future else None
    session.extend(numbers[:-1], X=table[: len(values) - 1])
    return _plain(session.update(numbers[-1], X=table[len(values) - 1], X_future=ahead), h)


@_tool
def forecast(values: list[float | None], h: int = 12, covariates: Covariates = None) -> dict[str, Any]:
    """Quantiles of the next h values of a regular series, the oldest value first.

    `covariates` has columns of numbers by name: one for each value, or h more where the next are known in advance.
    """
    return _take(_new(values, covariates, h), values, covariates, h)


@_tool
def detect(
    values: list[float | None], rate: float = 0.001, covariates: Covariates = None
) -> list[dict[str, Any]]:
    """The anomalous values of a regular series: each judged by what the values before it led to expect.

    `rate` is the share of ordinary values that is reported. A surprise near 0 is far too low, near 1 far too high.
    `covariates` has columns by name, a number for each value, which are known in advance.
    """
    columns = list((covariates or {}).items())
    for name, column in columns:
        if len(column) != len(values):
            raise InvalidArgument(f"column {name!r} has {len(column)} numbers for {len(values)} values")
    X = ahead = None
    if columns and values:
        X = np.stack([_numbers(column) for _, column in columns], axis=1)
        ahead = np.concatenate([X[1:], np.full((1, len(columns)), np.nan)])[:, None]
    found = _model.session(future=len(columns)).run(_numbers(values), h=1, X=X, X_future=ahead)
    median = found.at(0.5)[:, 0]
    return [
        {"index": i, "value": values[i], "expected": _short(median[i - 1]), "surprise": _short(found.surprise[i])}
        for i in np.flatnonzero(np.abs(found.surprise - 0.5) > 0.5 - rate / 2).tolist()
    ]


@_tool
def session_update(
    session: str, values: list[float | None], h: int = 12, covariates: Covariates = None
) -> dict[str, Any]:
    """Gives new values to a named session, which remembers all values before, and forecasts the next h.

    `covariates` has columns by name, as of `forecast`; a session keeps the columns of its first call.
    """
    with _turn:
        before = _sessions.get(session)
        if before is None and len(_sessions) >= _MOST_SESSIONS:
            raise InvalidArgument(f"{_MOST_SESSIONS} sessions are open; forget one")
        kept = before._replace(session=before.session.fork()) if before else _new(values, covariates, h)
        told = _take(kept, values, covariates, h)
        _sessions[session] = kept  # after all values, so that a mistake leaves the session as it was
        return told | {"seq": kept.session.seq}


@_tool
def session_list() -> dict[str, int]:
    """The named sessions, and how many values each has taken."""
    with _turn:
        return {name: kept.session.seq for name, kept in _sessions.items()}


@_tool
def session_forget(session: str) -> bool:
    """Forgets a named session. False if there is none."""
    with _turn:
        return _sessions.pop(session, None) is not None


if __name__ == "__main__":
    server.run()
