"""plot: a history and what is expected after it, with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aaren.quantiles import Forecast

_BLUE, _INK, _RED = "#1f6fb2", "#333333", "#c0392b"


def plot(
    forecast: Forecast,
    history: npt.ArrayLike = (),
    *,
    surprises: npt.ArrayLike | None = None,
    rate: float = 0.001,
    title: str = "",
    ax: Any = None,
) -> Any:
    """Draws the last values, the median and the intervals of a forecast. Returns matplotlib's Axes.

    history    values up to the forecast, the newest last
    surprises  of the same values: those below rate / 2 or above 1 - rate / 2 are marked
    """
    import matplotlib.pyplot as plt

    axes = plt.subplots(figsize=(9, 3.2))[1] if ax is None else ax
    past = np.asarray(history, float).reshape(-1)
    values = forecast.values if forecast.values.ndim == 2 else forecast.values[0]
    ahead = np.arange(1, len(values) + 1)
    for i in range(len(forecast.levels) // 2):
        axes.fill_between(ahead, values[:, i], values[:, -1 - i], color=_BLUE, alpha=0.13, linewidth=0)
    axes.plot(ahead, values[:, len(forecast.levels) // 2], color=_BLUE, linewidth=1.8, label="median")
    at = np.arange(1 - len(past), 1)
    axes.plot(at, past, color=_INK, linewidth=1.0, label="history")
    if surprises is not None:
        found = np.abs(np.asarray(surprises, float) - 0.5) > 0.5 - rate / 2
        axes.plot(at[found], past[found], "o", color=_RED, markersize=5, label="anomaly")
    axes.axvline(0, color=_INK, linewidth=0.6, alpha=0.4)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("steps ahead")
    axes.set_title(title or repr(forecast), loc="left", fontsize=10)
    axes.legend(loc="upper left", frameon=False, fontsize=8, ncols=3)
    return axes
