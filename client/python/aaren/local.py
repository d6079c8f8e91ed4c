"""LocalSession: a session in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aaren import _engine
from aaren.errors import InvalidArgument
from aaren.quantiles import Forecast, Forecasts
from aaren.snapshot import Snapshot
from aaren.times import NO_TIME, Clock, Time, Times, to_ns, to_ns_array

if TYPE_CHECKING:
    from aaren.forecaster import Forecaster


def as_values(values: npt.ArrayLike, channels: int) -> npt.NDArray[np.float64]:
    """Values as float64 [n, channels], without a copy where they are. A missing value (None, NA) is NaN."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array([_number(value, row) for row, value in enumerate(np.asarray(values, object))], np.float64)
    if array.ndim == 1 and channels == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != channels:
        raise InvalidArgument(f"values of shape {array.shape}; [n] or [n, {channels}] expected")
    return np.ascontiguousarray(array)


def _number(value: Any, row: int) -> Any:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        if value is None or type(value).__name__ == "NAType":
            return np.nan
        raise InvalidArgument(f"row {row}: {value!r} is no number") from None


class LocalSession:
    """A session in this process: its state is 8 KB a channel, and belongs to no thread.

    Made by `Forecaster.session`. Calls from several threads wait for one another. The session can be pickled, copied
    (`copy.copy`) and carried to another process or a server (`to_bytes`).
    """

    __slots__ = ("__weakref__", "_clock", "_model", "_rows", "_sealed")

    def __init__(self, model: Forecaster, rows: _engine.Rows, clock: Clock) -> None:
        self._model, self._rows, self._clock = model, rows, clock

    @property
    def seq(self) -> int:
        return self._rows.seq

    @property
    def channels(self) -> int:
        return self._rows.channels

    @property
    def last_time_ns(self) -> int | None:
        return None if self._clock.last_ns == NO_TIME else self._clock.last_ns

    @property
    def step_ns(self) -> int:
        return self._clock.step_ns

    @property
    def levels(self) -> tuple[float, ...]:
        return self._model.levels

    @property
    def horizon(self) -> int:
        return self._model.horizon

    def update(self, value: float | npt.ArrayLike, time: Time | None = None) -> Forecast:
        """Takes one value and forecasts. InvalidArgument for an infinite value or a time that goes back."""
        model, rows = self._model, self._rows
        if rows.channels != 1 or time is not None:
            times = None if time is None else [to_ns(time)]
            one = np.asarray(value, np.float64).reshape(1, -1)
            return self.run(one[0] if rows.channels == 1 else one, times)._one(self._clock)
        values = np.empty((model.horizon, len(model.levels)))
        surprise, learning = rows.update(float(value), values)  # type: ignore[arg-type]
        clock = self._clock
        last = None if clock.last_ns == NO_TIME else clock.last_ns
        return Forecast(values, model.levels, rows.seq - 1, last, clock.step_ns, surprise, learning=learning)

    def run(self, values: npt.ArrayLike, times: Times | None = None, h: int | None = None) -> LocalForecasts:
        """Takes many values and forecasts after each: one array [n, h, levels], or [n, channels, h, levels]."""
        return self._take(values, times, True, h)

    def extend(self, values: npt.ArrayLike, times: Times | None = None) -> None:
        """Takes many values without forecasts, several hundred thousand a second."""
        self._take(values, times, False, 1)

    def _take(self, values: npt.ArrayLike, times: Times | None, wanted: bool, h: int | None) -> LocalForecasts:
        array = as_values(values, self.channels)
        ns = to_ns_array([] if times is None else times, 0 if times is None else len(array))
        self._clock.check(ns)
        first = self.seq
        flags = np.full(len(array), wanted, np.uint8)
        stepped = self._model._step([self._rows], array, np.array([len(array)]), flags, h, wanted)
        self._clock.advance(ns)
        values, surprise, learning = stepped.of_one_channel() if self.channels == 1 else stepped
        return LocalForecasts(values, self.levels, surprise, np.arange(first, first + len(values)), learning)

    def stream(self, points: Iterable[float | tuple[Time, float]]) -> Iterator[Forecast]:
        """A forecast for each point: a value, or a pair of a time and a value."""
        for point in points:
            yield self.update(point[1], point[0]) if isinstance(point, tuple) else self.update(point)

    def to_bytes(self) -> bytes:
        """The state as a snapshot: the bytes that a server exports and imports."""
        model, clock = self._model, self._clock
        rows = self._rows.copy()  # seq and bytes of one moment
        name = f"{model.name}:{model.version}"
        return Snapshot(
            name, model.digest, model.tier, _engine.numerics_version, rows.channels, rows.seq, clock.last_ns,
            clock.step_ns, rows.to_bytes(),
        ).encode()  # fmt: skip

    def __copy__(self) -> LocalSession:
        """Another session that goes on from here."""
        return LocalSession(self._model, self._rows.copy(), self._clock.copy())

    fork = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> LocalSession:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_revive, (self._model, self.to_bytes()))

    def __enter__(self) -> LocalSession:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<LocalSession of {self._model.name}:{self._model.version}, {self.seq} tokens>"


class LocalForecasts(Forecasts):
    """Forecasts of one session's tokens."""

    __slots__ = ()

    def _one(self, clock: Clock) -> Forecast:
        last = self[-1]
        last.time_ns = None if clock.last_ns == NO_TIME else clock.last_ns
        last.step_ns = clock.step_ns
        return last


def _revive(model: Forecaster, blob: bytes) -> LocalSession:
    return model.from_bytes(blob)
