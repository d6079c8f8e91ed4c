"""A model for statsforecast: usable in `StatsForecast(models=[Aaren()], ...)`, its `cross_validation` included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster
from aaren.frames.engine import bundled
from aaren.quantiles import Forecast

Array = npt.NDArray[Any]


class Aaren:
    """Exogenous columns are covariates that are known in advance, 8 at most. `fitted` values are one step ahead."""

    uses_exog = True
    prediction_intervals = None
    only_conformal_intervals = False

    def __init__(self, model: Forecaster | None = None, alias: str = "Aaren") -> None:
        self.model, self.alias = model, alias
        self._history: tuple[Array, Array | None] | None = None
        self._fitted: Forecast | None = None

    def __repr__(self) -> str:
        return self.alias

    def new(self) -> Aaren:
        """The same model, not fitted."""
        return Aaren(self.model, self.alias)

    def fit(self, y: Array, X: Array | None = None) -> Aaren:
        """Takes in a history."""
        self._history = y, X
        self._fitted = self._take(y, 1, X, None, fitted=True)[1]
        return self

    def _take(
        self, y: Array, h: int, X: Array | None, X_future: Array | None, fitted: bool
    ) -> tuple[Forecast, Forecast | None]:
        """The forecast of the next h values, and with `fitted` that of each value one step before it."""
        if not len(y):
            raise InvalidArgument("an empty series")
        session = (self.model or bundled()).session(future=0 if X is None else X.shape[1], horizons=h)
        before, last = (None, None) if X is None else (X[:-1], X[-1])
        ahead = None
        if fitted:
            known = None if X is None else X[1:, None, :]
            past = session.run(y[:-1], h=1, X=before, X_future=known).values[:, 0]
            ahead = Forecast(np.concatenate([np.full((1, len(session.levels)), np.nan), past]), session.levels)
        else:
            session.extend(y[:-1], X=before)
        return session.update(float(y[-1]), X=last, X_future=X_future), ahead

    def _columns(
        self, forecast: Forecast, level: Sequence[float] | None, median: str = "mean", before: str = ""
    ) -> dict[str, Array]:
        out: dict[str, Array] = {median: forecast.median}
        for percent in sorted(level or ()):
            out[f"{before}lo-{percent}"] = forecast[round(0.5 - percent / 200, 9)]
            out[f"{before}hi-{percent}"] = forecast[round(0.5 + percent / 200, 9)]
        return out

    def predict(self, h: int, X: Array | None = None, level: Sequence[float] | None = None) -> dict[str, Array]:
        """The next h values after `fit`; X has the exogenous columns of these."""
        if self._history is None:
            raise InvalidArgument("predict before fit")
        y, past = self._history
        return self.forecast(y, h, past, X, level)

    def predict_in_sample(self, level: Sequence[float] | None = None) -> dict[str, Array]:
        """One step ahead, for each value of `fit`."""
        if self._fitted is None:
            raise InvalidArgument("predict_in_sample before fit")
        return self._columns(self._fitted, level, "fitted", "fitted-")

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
        latest, ahead = self._take(y, h, X, X_future, fitted)
        out = self._columns(latest, level)
        return out if ahead is None else out | self._columns(ahead, level, "fitted", "fitted-")

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
