"""A forecaster for River: `learn_one(y)` and `forecast(horizon)`."""

from __future__ import annotations

from typing import Any

from river import time_series

from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster
from aaren.quantiles import Forecast


class AarenForecaster(time_series.base.Forecaster):
    """River's view of a session. Features are ignored: the model forecasts a series from itself."""

    def __init__(self, model: str | None = None) -> None:
        self.model = model
        self._session = Forecaster(model).session()
        self._latest: Forecast | None = None

    def learn_one(self, y: float | None, x: dict[str, Any] | None = None) -> None:
        """Takes one value; None is a missing one."""
        self._latest = self._session.update(float("nan") if y is None else y)

    def forecast(self, horizon: int, xs: list[dict[str, Any]] | None = None) -> list[float]:
        """The medians of the next values."""
        if horizon > self._session.horizon:
            raise InvalidArgument(f"horizon {horizon}; the model forecasts 1 to {self._session.horizon} steps")
        if self._latest is None:
            return [0.0] * horizon
        return [float(value) for value in self._latest.median[:horizon]]
