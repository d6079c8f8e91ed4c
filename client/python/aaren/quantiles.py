"""Forecast and Forecasts: the quantiles of the next values of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument

Floats = npt.NDArray[np.float64]
Surprises = npt.NDArray[np.float32]


def _gaps_beyond(share: float) -> float:
    """How many gaps beyond the outermost quantile the tail of a surprise leaves `share` of the outermost level."""
    return float(3 * (share ** (-1 / 3) - 1))


def interpolate(values: npt.NDArray[Any], levels: Sequence[float], level: float) -> npt.NDArray[Any]:
    """The quantile of `level` from quantiles along the last axis of `values`: the value whose surprise is the level.

    A level of the model is the model's own number. Between two levels the quantile is linear in the level; beyond the
    outermost level the quantile goes on along the tail that surprises have (model/README.md, rule 8.6).
    """
    for i, known in enumerate(levels):
        if abs(known - level) < 1e-6:
            return values[..., i]
    if not 0 < level < 1:
        raise InvalidArgument(f"level {level} is not between 0 and 1")
    if len(levels) < 2:
        raise InvalidArgument(
            f"level {level}: the forecast has {levels[0]} alone; quantiles= of its session names more"
        )
    least, most = values[..., 0], values[..., -1]
    if level < levels[0]:
        gap = np.maximum(values[..., 1] - least, (most - least) / 16)
        return np.asarray(least - _gaps_beyond(level / levels[0]) * gap)
    if level > levels[-1]:
        gap = np.maximum(most - values[..., -2], (most - least) / 16)
        return np.asarray(most + _gaps_beyond((1 - level) / (1 - levels[-1])) * gap)
    high = next(i for i, known in enumerate(levels) if known > level)
    share = (level - levels[high - 1]) / (levels[high] - levels[high - 1])
    low = values[..., high - 1]
    return np.asarray(low + share * (values[..., high] - low))


class Forecast:
    """What a session expects after its latest value.

    values    float64 [h, levels] in the units of the series; [channels, h, levels] for several channels
    levels    the quantile levels, ascending, such as (0.1, ..., 0.9)
    seq       the token after which this was forecast; tokens count from 0
    time_ns   the token's time, nanoseconds UTC, or None
    step_ns   nanoseconds between two tokens; 0 where unknown
    surprise  the place of the latest value in the forecast before: 0 far below, 1 far above, NaN without one;
              an array [channels] for several channels
    learning  whether surprises say little yet: until a hundred values or a season came; [channels] for several
    """

    __slots__ = ("horizons", "learning", "levels", "seq", "step_ns", "surprise", "time_ns", "values")

    def __init__(
        self,
        values: Floats,
        levels: Sequence[float],
        seq: int = 0,
        time_ns: int | None = None,
        step_ns: int = 0,
        surprise: float | Surprises = float("nan"),
        horizons: Sequence[int] | None = None,
        learning: bool | npt.NDArray[np.bool_] = False,
    ) -> None:
        self.values, self.levels, self.seq = values, levels, seq
        self.time_ns, self.step_ns, self.surprise, self.learning = time_ns, step_ns, surprise, learning
        self.horizons = horizons  # the steps ahead; None: 1, 2, 3, ...

    def __getitem__(self, level: float) -> Floats:
        """The quantiles of one level, [h]: f[0.5] is the median. Any level between 0 and 1; see `interpolate`."""
        return interpolate(self.values, self.levels, level)

    @property
    def median(self) -> Floats:
        return self[0.5]

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Lower and upper end of the central interval of `level` percent, such as 80."""
        if not 0 <= level < 100:
            raise InvalidArgument(f"level {level}; from 0 on and below 100, such as 80")
        return self[0.5 - level / 200], self[0.5 + level / 200]

    def __len__(self) -> int:
        return int(self.values.shape[-2])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        """The same bits for the same token."""
        if not isinstance(other, Forecast):
            return NotImplemented
        same = self.values.shape == other.values.shape and self.values.tobytes() == other.values.tobytes()
        surprises = np.asarray(self.surprise, np.float32), np.asarray(other.surprise, np.float32)
        return same and self.seq == other.seq and np.array_equal(*surprises, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    def times_ns(self) -> npt.NDArray[np.int64] | None:
        """The times that are forecast, [h]; None without times."""
        if self.time_ns is None or self.step_ns == 0:
            return None
        ahead = np.arange(1, len(self) + 1) if self.horizons is None else np.asarray(self.horizons)
        return self.time_ns + self.step_ns * ahead.astype(np.int64)

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] | None = None) -> Any:
        """A frame with a row for each step ahead, and a column for each level.

        `backend` is pandas, polars or pyarrow; without a word the first that is installed. Several channels give a
        column `channel`.
        """
        from aaren.frames.build import new_frame

        channels = 1 if self.values.ndim == 2 else len(self.values)
        ahead = list(range(1, len(self) + 1)) if self.horizons is None else list(self.horizons)
        columns: dict[str, npt.NDArray[Any]] = {}
        if channels > 1:
            columns["channel"] = np.repeat(np.arange(channels), len(self))
        columns["step"] = np.tile(np.asarray(ahead), channels)
        if (times := self.times_ns()) is not None:
            columns["ds"] = np.tile(times.astype("datetime64[ns]"), channels)
        flat = self.values.reshape(-1, len(self.levels))
        for i, level in enumerate(self.levels):
            columns[f"{level:g}"] = flat[:, i]
        return new_frame(columns, backend)

    def __repr__(self) -> str:
        if self.values.ndim != 2:
            return f"<Forecast after token {self.seq}: {self.values.shape}>"
        low, high = self.values[0, 0], self.values[0, -1]
        middle = self.median[0] if len(self.levels) > 1 else low
        return f"<Forecast after token {self.seq}: next {middle:.5g} in {low:.5g} .. {high:.5g}>"


class Forecasts:
    """Forecasts of many tokens or sessions as one array, values float64 [n, h, levels]; iterable and indexable."""

    __slots__ = ("horizons", "learning", "levels", "seqs", "surprise", "values")

    def __init__(
        self, values: Floats, levels: Sequence[float], surprise: Surprises, seqs: npt.NDArray[np.int64],
        learning: npt.NDArray[np.bool_], horizons: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        self.horizons = horizons  # the steps ahead; None: 1, 2, 3, ...
        self.values, self.levels, self.surprise, self.seqs, self.learning = values, levels, surprise, seqs, learning

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Forecast:
        surprise, learning = self.surprise[index], self.learning[index]
        one = not surprise.ndim
        return Forecast(
            self.values[index],
            self.levels,
            int(self.seqs[index]),
            surprise=float(surprise) if one else surprise,
            horizons=self.horizons,
            learning=bool(learning) if one else learning,
        )

    def at(self, level: float) -> Floats:
        """The quantiles of one level, [n, h]."""
        return interpolate(self.values, self.levels, level)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)
