"""A forecaster for River: `learn_one(y, x)` and `forecast(horizon, xs)`."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from river import time_series

from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster


class AarenForecaster(time_series.base.Forecaster):
    """River's view of a session.

    model     a folder with a package; the bundled model without a word
    features  names of features that are covariates, such as a temperature: 8 at most. A forecast knows them in advance
              from `xs`. All other features are ignored; a feature that is not there, or None, is missing
    """

    def __init__(self, model: str | None = None, features: Sequence[str] = ()) -> None:
        self.model, self.features = model, features
        self._session = Forecaster(model).session(future=len(features))
        self._latest: tuple[float, npt.NDArray[np.float64]] | None = None  # which the session has not taken yet

    def learn_one(self, y: float | None, x: dict[str, Any] | None = None) -> None:
        """Takes one value and its features; None is a missing value. InvalidArgument names what is no number."""
        latest = _number(y, "y"), self._numbers(x, "x")
        if self._latest is not None:
            value, covariates = self._latest
            self._session.extend([value], X=covariates[None] if self.features else None)
        self._latest = latest

    def forecast(self, horizon: int, xs: list[dict[str, Any]] | None = None) -> list[float]:
        """The medians of the next values.

        xs  the features of each of these, [horizon]; without a word a feature is expected to stay as it is
        """
        if horizon > self._session.horizon:
            raise InvalidArgument(f"horizon {horizon}; the model forecasts 1 to {self._session.horizon} steps")
        if self._latest is None:
            return [0.0] * horizon
        value, covariates = self._latest
        session = copy.copy(self._session)  # the latest value stays to be taken with what a later call knows
        known = (covariates, self._ahead(horizon, xs)) if self.features else (None, None)
        return [float(median) for median in session.update(value, None, *known).median[:horizon]]

    def _ahead(self, horizon: int, xs: list[dict[str, Any]] | None) -> npt.NDArray[np.float64] | None:
        if xs is None:
            return None
        if len(xs) != horizon:
            raise InvalidArgument(f"xs has the features of {len(xs)} steps; horizon is {horizon}")
        ahead = np.full((self._session.horizon, len(self.features)), np.nan)
        ahead[:horizon] = [self._numbers(x, f"xs[{step}]") for step, x in enumerate(xs)]
        return ahead

    def _numbers(self, x: dict[str, Any] | None, where: str) -> npt.NDArray[np.float64]:
        return np.array([_number((x or {}).get(name), f"{where}[{name!r}]") for name in self.features], np.float64)


def _number(value: Any, where: str) -> float:
    if value is None:
        return np.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{where}: {value!r} is no number") from None
    with np.errstate(over="ignore"):
        if np.isinf(np.float32(number)):
            raise InvalidArgument(f"{where}: {value!r} is no 32-bit float; None is a missing number")
    return number
