"""A model for statsforecast: usable in `StatsForecast(models=[Aaren()], ...)`, its `cross_validation` included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster
from aaren.frames.engine import bundled
from aaren.quantiles import Forecast, interpolate

Array = npt.NDArray[Any]


class Aaren:
    """Exogenous columns are ignored: the model forecasts a series from itself. `fitted` values are one step ahead."""

    uses_exog = False
    prediction_intervals = None
    only_conformal_intervals = False

    def __init__(self, model: Forecaster | None = None, alias: str = "Aaren") -> None:
        self.model, self.alias = model, alias
        self._latest: Forecast | None = None
        self._fitted: Array | None = None

    def __repr__(self) -> str:
        return self.alias

    def new(self) -> Aaren:
        """The same model, not fitted."""
        return Aaren(self.model, self.alias)

    def fit(self, y: Array, X: Array | None = None) -> Aaren:
        """Takes in a history."""
        self._latest, self._fitted = self._take(y, fitted=True)
        return self

    def _take(self, y: Array, fitted: bool) -> tuple[Forecast, Array | None]:
        if not len(y):
            raise InvalidArgument("an empty series")
        session = (self.model or bundled()).session()
        ahead = None
        if fitted:
            before = session.run(y[:-1], h=1).at(0.5)[:, 0] if len(y) > 1 else np.empty(0)
            ahead = np.concatenate([[np.nan], before]).astype(np.float64)
        else:
            session.extend(y[:-1])
        return session.update(float(y[-1])), ahead

    def _columns(self, forecast: Forecast, h: int, level: Sequence[float] | None) -> dict[str, Array]:
        if h > len(forecast):
            raise InvalidArgument(f"h = {h}; the model forecasts 1 to {len(forecast)} steps")
        values, levels = forecast.values[:h], forecast.levels
        out: dict[str, Array] = {"mean": interpolate(values, levels, 0.5)}
        for percent in sorted(level or ()):
            out[f"lo-{percent}"] = interpolate(values, levels, round(0.5 - percent / 200, 9))
            out[f"hi-{percent}"] = interpolate(values, levels, round(0.5 + percent / 200, 9))
        return out

    def predict(self, h: int, X: Array | None = None, level: Sequence[float] | None = None) -> dict[str, Array]:
        """The next h values after `fit`."""
        if self._latest is None:
            raise InvalidArgument("predict before fit")
        return self._columns(self._latest, h, level)

    def predict_in_sample(self, level: Sequence[float] | None = None) -> dict[str, Array]:
        """One step ahead, for each value of `fit`."""
        if self._fitted is None:
            raise InvalidArgument("predict_in_sample before fit")
        return {"fitted": self._fitted}

    def forecast(
        self,
        y: Array,
        h: int,
        X: Array | None = None,
        X_future: Array | None = None,
        level: Sequence[float] | None = None,
        fitted: bool = False,
    ) -> dict[str, Array]:
        """The next h values after `y`, without keeping anything."""
        latest, ahead = self._take(y, fitted)
        out = self._columns(latest, h, level)
        return out if ahead is None else out | {"fitted": ahead}

    def forward(
        self,
        y: Array,
        h: int,
        X: Array | None = None,
        X_future: Array | None = None,
        level: Sequence[float] | None = None,
        fitted: bool = False,
    ) -> dict[str, Array]:
        """As `forecast`: nothing was fitted that would have to be kept."""
        return self.forecast(y, h, X, X_future, level, fitted)
