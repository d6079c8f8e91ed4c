"""A forecaster for sktime: point forecasts, quantiles and intervals, and `update` without a refit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sktime.forecasting.base import BaseForecaster

from aaren.errors import InvalidArgument
from aaren.forecaster import BUNDLED, Forecaster
from aaren.quantiles import Forecast


class AarenForecaster(BaseForecaster):
    """sktime's view of a session. A series is forecast from itself, and missing values may be anywhere.

    model  a folder with a package; the bundled model without a word

    `fit` takes in a history, `update` the values behind it. In-sample predictions are of one step ahead, each from the
    values before; the first value has no such forecast, and is its own.

    >>> from aaren.adapters.sktime import AarenForecaster
    >>> from sktime.datasets import load_airline
    >>> forecaster = AarenForecaster().fit(load_airline())
    >>> quarter = forecaster.predict(fh=[1, 2, 3])
    >>> ends = forecaster.predict_interval(fh=[1, 2, 3], coverage=0.8)
    """

    _tags = {
        "authors": "aaren",
        "maintainers": "aaren",
        "capability:exogenous": False,
        "capability:missing_values": True,
        "capability:pred_int": True,
        "capability:pred_int:insample": True,
        "capability:update": True,
        "requires-fh-in-fit": False,
        "y_inner_mtype": "pd.Series",
    }

    def __init__(self, model: str | None = None) -> None:
        self.model = model
        super().__init__()

    def _fit(self, y: pd.Series, X: Any, fh: Any) -> AarenForecaster:
        self._session = Forecaster(self.model).session()
        self._name, self._index = y.name, y.index[:0]
        self._ahead = np.empty((0, len(self._session.levels)))  # of each value, one step before
        self._latest: Forecast | None = None
        return self._update(y)

    def _update(self, y: pd.Series, X: Any = None, update_params: bool = True) -> AarenForecaster:
        """Values are what a session remembers, and no parameters: they are taken in any case."""
        new = y[y.index > self._index[-1]] if len(self._index) else y
        if not len(new):
            return self
        values = new.to_numpy(np.float64)
        first = np.full((1, len(self._session.levels)), values[0]) if self._latest is None else self._latest.values[:1]
        before = self._session.run(values[:-1], h=1).values[:, 0]
        self._latest = self._session.update(values[-1])
        self._ahead = np.concatenate([self._ahead, first, before])
        self._index = self._index.append(new.index)
        return self

    def _quantiles(self, fh: Any, alpha: float) -> tuple[Any, Any]:
        """The quantiles of one level for a horizon, and their index."""
        assert self._latest is not None
        index = fh.to_absolute_index(self.cutoff)
        steps = np.asarray(fh.to_relative(self.cutoff).to_numpy(), np.int64)
        if len(steps) and steps.max() > len(self._latest):
            raise InvalidArgument(f"fh {steps.max()}; the model forecasts up to {len(self._latest)} steps")
        row = len(self._ahead) - 1 + np.minimum(steps, 0)
        if len(row) and row.min() < 0:
            raise InvalidArgument(f"fh {steps.min()}; {len(self._ahead)} values were fitted")
        past = Forecast(self._ahead[row], self._latest.levels)[alpha]
        return np.where(steps > 0, self._latest[alpha][np.maximum(steps, 1) - 1], past), index

    def _predict(self, fh: Any, X: Any) -> pd.Series:
        values, index = self._quantiles(fh, 0.5)
        return pd.Series(values, index=index, name=self._name)

    def _predict_quantiles(self, fh: Any, X: Any, alpha: list[float]) -> pd.DataFrame:
        columns = pd.MultiIndex.from_product([self._get_varnames(), alpha])
        found = [self._quantiles(fh, level) for level in alpha]
        return pd.DataFrame(np.stack([values for values, _ in found], axis=1), index=found[0][1], columns=columns)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """What sktime's own checks make instances with."""
        return [{}, {"model": str(BUNDLED)}]
