"""plot: a history and what is expected after it, with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aaren.quantiles import Forecast, interpolate

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

    An interval has two levels that are each other's opposites, such as 0.1 and 0.9.

    history    values up to the forecast, the newest last
    surprises  of the same values: those below rate / 2 or above 1 - rate / 2 are marked
    """
    import matplotlib.pyplot as plt

    axes = plt.subplots(figsize=(9, 3.2))[1] if ax is None else ax
    past = np.asarray(history, float).reshape(-1)
    values = forecast.values if forecast.values.ndim == 2 else forecast.values[0]
    levels = [round(level, 6) for level in forecast.levels]
    ahead = np.arange(1, len(values) + 1) if forecast.horizons is None else np.asarray(forecast.horizons)
    for i, level in enumerate(levels):
        if level < 0.5 and (opposite := round(1 - level, 6)) in levels:
            high = values[:, levels.index(opposite)]
            axes.fill_between(ahead, values[:, i], high, color=_BLUE, alpha=0.13, linewidth=0)
    middle = 0.5 if len(levels) > 1 else levels[0]
    label = "median" if middle == 0.5 else f"quantile {middle:g}"
    axes.plot(ahead, interpolate(values, levels, middle), color=_BLUE, linewidth=1.8, label=label)
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
