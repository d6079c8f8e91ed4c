"""A forecaster for sktime: point forecasts, quantiles and intervals, and `update` without a refit."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sktime.forecasting.base import BaseForecaster

from aaren import _engine
from aaren.errors import InvalidArgument
from aaren.forecaster import BUNDLED, Forecaster
from aaren.quantiles import Forecast

Array = npt.NDArray[np.float64]

_MOST_GROWTH = 50  # times as many times as values, and some: beyond that the index is no time of a regular series


def _freq(index: pd.DatetimeIndex) -> Any:
    """The freq of times. None for one or two times; InvalidArgument if others have none."""
    freq = index.freq or (pd.infer_freq(index) if len(index) > 2 else None)
    if freq is None and len(index) > 2:
        raise InvalidArgument("the index of y has gaps and no freq; y.asfreq('h') gives it one, and missing values")
    return freq


class AarenForecaster(BaseForecaster):
    """sktime's view of a session. Missing values may be anywhere, and a time without a row is a missing value.

    model  a folder with a package; the bundled model without a word

    `fit` takes in a history, `update` the values behind it. Columns of X are covariates that are known in advance, 8 at
    most: `predict` takes their rows for the horizon, and expects a covariate to stay as it is without them. In-sample
    predictions are of one step ahead, each from the values before and the covariates of its own time; the first value
    has no such forecast, and is its own.

    >>> from aaren.adapters.sktime import AarenForecaster
    >>> from sktime.datasets import load_airline
    >>> forecaster = AarenForecaster().fit(load_airline())
    >>> quarter = forecaster.predict(fh=[1, 2, 3])
    >>> ends = forecaster.predict_interval(fh=[1, 2, 3], coverage=0.8)
    """

    _tags = {
        "authors": "aaren",
        "maintainers": "aaren",
        "capability:exogenous": True,
        "capability:missing_values": True,
        "capability:pred_int": True,
        "capability:pred_int:insample": True,
        "capability:update": True,
        "requires-fh-in-fit": False,
        "y_inner_mtype": "pd.Series",
        "X_inner_mtype": "pd.DataFrame",
    }

    def __init__(self, model: str | None = None) -> None:
        self.model = model
        super().__init__()

    def _fit(self, y: pd.Series, X: pd.DataFrame | None, fh: Any) -> AarenForecaster:
        self._columns = [] if X is None else list(X.columns)
        if len(self._columns) > _engine.most_covariates:
            raise InvalidArgument(f"X has {len(self._columns)} columns; a series has {_engine.most_covariates} "
                                  "covariates at most")  # fmt: skip
        self._session = Forecaster(self.model).session(future=len(self._columns))
        self._name, self._index, self._freq = y.name, y.index[:0], None
        self._ahead = np.empty((0, len(self._session.levels)))  # of each value, one step before
        self._latest = np.empty(0), np.empty((0, len(self._columns)))  # which the session has not taken yet
        return self._update(y, X)

    def _update(self, y: pd.Series, X: pd.DataFrame | None = None, update_params: bool = True) -> AarenForecaster:
        """Values are what a session remembers, and no parameters: they are taken in any case."""
        new = y[y.index > self._index[-1]] if len(self._index) else y
        if not len(new):
            return self
        times = self._without_gaps(new.index)
        taken, x = (np.concatenate(both) for both in zip(self._latest, self._tokens(new, X, times), strict=True))
        if not len(self._index):
            self._ahead = np.full((1, len(self._session.levels)), taken[0])
        # The covariates of the value ahead are known.
        before, ahead = (x[:-1], x[1:, None]) if self._columns else (None, None)
        forecasts = self._session.run(taken[:-1], h=1, X=before, X_future=ahead)
        self._ahead = np.concatenate([self._ahead, forecasts.values[:, 0]])
        self._latest = taken[-1:], x[-1:]
        self._index = self._index.append(times)
        return self

    def _without_gaps(self, index: pd.Index) -> pd.Index:
        """Each time from behind the latest value to the end of an index. InvalidArgument names a time between two."""
        begin, end = self._index[-1:].append(index)[0], index[-1]
        if isinstance(index, pd.PeriodIndex):
            times: pd.Index = pd.period_range(begin, end, freq=index.freq)
        elif isinstance(index, pd.DatetimeIndex):
            self._freq = self._freq or _freq(self._index.append(index) if index.freq is None else index)
            times = pd.date_range(begin, end, freq=self._freq) if self._freq else self._index[-1:].append(index)
        else:
            times = pd.RangeIndex(begin, end + 1)
        if len(times) > _MOST_GROWTH * len(index) + 10_000:
            raise InvalidArgument(f"y has {len(index)} values for the {len(times)} times from {begin} to {end}")
        if len(between := index[~index.isin(times)]):
            raise InvalidArgument(f"y has a value at {between[0]}, which is none of the times from {begin} on")
        return times[len(self._index[-1:]) :]

    def _tokens(self, y: pd.Series, X: pd.DataFrame | None, times: pd.Index) -> tuple[Array, Array]:
        """The values of times and their covariates, [n, columns]; NaN where there is no row."""
        if X is None and self._columns:
            raise InvalidArgument(f"update without X; fit had the columns {', '.join(map(str, self._columns))}")
        if X is not None and self._columns:
            self._covariates(X, y.index)  # each value has its row
            X = X.reindex(times)
        return y.reindex(times).to_numpy(np.float64, na_value=np.nan), self._covariates(X, times)

    def _covariates(self, X: pd.DataFrame | None, index: pd.Index) -> Array:
        """The rows of X at the times of an index, [n, columns]. InvalidArgument names what X lacks."""
        if X is None or not self._columns:
            return np.empty((len(index), 0))
        if absent := [name for name in self._columns if name not in X.columns]:
            raise InvalidArgument(f"X has no column {absent[0]!r}, which fit had")
        if len(absent := index.difference(X.index)):
            raise InvalidArgument(f"X has no row of {absent[0]}: {len(absent)} of {len(index)} rows are missing")
        return np.asarray(X.loc[index, self._columns], np.float64)

    def _forecast(self, fh: Any, X: pd.DataFrame | None) -> Forecast:
        """The forecast behind the latest value, with what X tells of the horizon."""
        session = copy.copy(self._session)  # the latest value stays to be taken with what a later call knows
        value, x = self._latest
        if not self._columns:
            return session.update(value[0])
        steps = self._steps(fh)
        ahead = np.full((session.horizon, len(self._columns)), np.nan)
        if X is not None:
            future = steps > 0
            ahead[steps[future] - 1] = self._covariates(X, fh.to_absolute_index(self.cutoff)[future])
        return session.update(value[0], X=x[0], X_future=ahead)

    def _steps(self, fh: Any) -> npt.NDArray[np.int64]:
        """The steps of a horizon, 0 for the latest value. InvalidArgument names a step that there is none of."""
        steps, most = np.asarray(fh.to_relative(self.cutoff).to_numpy(), np.int64), self._session.horizon
        if len(steps) and steps.max() > most:
            raise InvalidArgument(f"fh {steps.max()}; the model forecasts up to {most} steps")
        if len(steps) and steps.min() <= -len(self._ahead):
            raise InvalidArgument(f"fh {steps.min()}; {len(self._ahead)} values were fitted")
        return steps

    def _quantiles(self, fh: Any, X: pd.DataFrame | None, alphas: list[float]) -> tuple[Array, pd.Index]:
        """The quantiles of levels for a horizon, [fh, levels], and their index."""
        steps, latest = self._steps(fh), self._forecast(fh, X)
        past = Forecast(self._ahead[len(self._ahead) - 1 + np.minimum(steps, 0)], latest.levels)
        columns = [np.where(steps > 0, latest[alpha][np.maximum(steps, 1) - 1], past[alpha]) for alpha in alphas]
        return np.stack(columns, axis=1), fh.to_absolute_index(self.cutoff)

    def _predict(self, fh: Any, X: Any) -> pd.Series:
        values, index = self._quantiles(fh, X, [0.5])
        return pd.Series(values[:, 0], index=index, name=self._name)

    def _predict_quantiles(self, fh: Any, X: Any, alpha: list[float]) -> pd.DataFrame:
        columns = pd.MultiIndex.from_product([self._get_varnames(), alpha])
        values, index = self._quantiles(fh, X, alpha)
        return pd.DataFrame(values, index=index, columns=columns)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """What sktime's own checks make instances with."""
        return [{}, {"model": str(BUNDLED)}]
