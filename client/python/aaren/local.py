"""LocalSession: a session in this process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import compress
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aaren import _engine
from aaren.errors import InvalidArgument
from aaren.quantiles import Forecast, Forecasts
from aaren.snapshot import encode_rows
from aaren.times import Clock, RowsClock, Time, Times, to_ns
from aaren.tokens import Shape, one_of, point_of, tokens_of

if TYPE_CHECKING:
    from aaren.forecaster import Forecaster
    from aaren.local_events import LocalEvents


def locks_of(sessions: Sequence[LocalSession | LocalEvents]) -> tuple[Callable[[], object], Callable[[], object]]:
    """Two functions: one takes the locks of all sessions, in one order, so that two calls never wait for one another;
    the other gives back the locks that were taken.

    Both run in C from the first lock to the last. So no exception of a signal, such as Ctrl-C, comes between a lock and
    the note that the lock is held. REQUIRES: no session occurs twice.
    """
    locks, held = sorted((session._lock for session in sessions), key=id), list[bool]()
    take = partial(held.extend, map(methodcaller("acquire"), locks))
    give_back: Callable[[], object] = partial(deque, map(methodcaller("release"), compress(locks, held)), 0)
    return take, give_back


class Output(NamedTuple):
    """The content of forecasts."""

    steps: tuple[int, ...]  #: steps ahead, ascending
    levels: tuple[float, ...]  #: of the quantiles
    selection: _engine.Selection | None  #: the engine's word for both; None: the first of the model's own steps

    def first(self, h: int | None) -> Output:
        """The first h of the steps."""
        if h is None or h == len(self.steps):
            return self
        if not isinstance(h, (int, np.integer)) or not 1 <= h <= len(self.steps):
            raise InvalidArgument(f"h = {h!r}; the session forecasts 1 to {len(self.steps)} steps")
        steps = self.steps[:h]
        return Output(steps, self.levels, self.selection and _engine.Selection(steps, self.levels))

    @property
    def horizons(self) -> tuple[int, ...] | None:
        """The steps where they are not 1, 2, 3, ..."""
        return None if self.steps[-1] == len(self.steps) else self.steps


class LocalSession:
    """A session in this process: its state is 8 to 10 KB a channel, and belongs to no thread.

    Made by `Forecaster.session`. Calls from several threads wait for one another. The session can be pickled, copied
    (`copy.copy`) and carried to another process or a server (`to_bytes`).
    """

    __slots__ = ("__weakref__", "_lock", "_model", "_output", "_plain", "_rows", "_rows_clock")

    def __init__(self, model: Forecaster, rows: _engine.Rows, clock: Clock, output: Output) -> None:
        self._model, self._rows, self._rows_clock, self._output = model, rows, RowsClock(rows, clock), output
        self._lock = threading.Lock()  # the clock and the rows are of one moment
        self._plain = rows.channels == 1 and output.selection is None and len(output.steps) == model.horizon

    @property
    def seq(self) -> int:
        return self._rows.seq

    @property
    def _clock(self) -> Clock:
        return self._rows_clock.now()

    @property
    def channels(self) -> int:
        return self._rows.channels

    @property
    def past(self) -> int:
        return self._model.past

    @property
    def future(self) -> int:
        return self._model.future

    @property
    def last_time_ns(self) -> int | None:
        return self._clock.time_ns

    @property
    def step_ns(self) -> int:
        return self._clock.step_ns

    @property
    def levels(self) -> tuple[float, ...]:
        return self._output.levels

    @property
    def horizon(self) -> int:
        return len(self._output.steps)

    def update(
        self, value: float | npt.ArrayLike, time: Time | None = None, X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecast:  # fmt: skip
        """Takes one value and forecasts. InvalidArgument for an infinite value or a time that goes back."""
        model, rows = self._model, self._rows
        if not self._plain or time is not None or X is not None or X_future is not None:
            times = None if time is None else [to_ns(time)]
            forecasts, clock = self._take(one_of(value, self.channels), times, True, self._output, X, X_future)
            return forecasts._one(clock)
        values = np.empty((model.horizon, len(model.levels)))
        number = value if isinstance(value, float) else float(one_of(value, 1)[0, 0])
        with self._lock:
            surprise, learning = rows.update(number, values)
            clock = self._clock
            where = rows.seq - 1, clock.time_ns, clock.step_ns
        return Forecast(values, model.levels, *where, surprise, learning=learning)

    def run(
        self, values: npt.ArrayLike, times: Times | None = None, h: int | None = None, *,
        X: npt.ArrayLike | None = None, X_future: npt.ArrayLike | None = None,
    ) -> LocalForecasts:  # fmt: skip
        """Takes many values and forecasts after each: one array [n, h, levels], or [n, channels, h, levels].

        X is [n, past + future], X_future [n, h, future]. h steps are a part of the session's.
        """
        return self._take(values, times, True, self._output.first(h), X, X_future)[0]

    def extend(self, values: npt.ArrayLike, times: Times | None = None, X: npt.ArrayLike | None = None) -> None:
        """Takes many values without forecasts, several hundred thousand a second."""
        self._take(values, times, False, self._output, X, None)

    def _take(
        self, values: npt.ArrayLike, times: Times | None, wanted: bool, output: Output, X: npt.ArrayLike | None,
        X_future: npt.ArrayLike | None,
    ) -> tuple[LocalForecasts, Clock]:  # fmt: skip
        """The forecasts, and the clock after the last token."""
        shape = Shape(self.channels, self.past, self.future, len(output.steps))
        tokens = tokens_of(shape, values, times, X, X_future)
        ns = np.empty(0, np.int64) if tokens.times is None else tokens.times
        count = len(tokens.values)
        flags = np.full(count, wanted, np.uint8)
        with self._lock:
            self._clock.check(ns)
            first = self.seq
            clock = self._clock.after(ns)
            self._rows_clock.expect(count, clock)
            try:
                stepped = self._model._step([self._rows], tokens, np.array([count]), flags, output, wanted)
            finally:
                self._rows_clock.settle()
        forecasts, surprise, learning = stepped.of_one_channel() if self.channels == 1 else stepped
        seqs = np.arange(first, first + len(forecasts))
        return LocalForecasts(forecasts, output.levels, surprise, seqs, learning, output.horizons), clock

    def stream(self, points: Iterable[Any]) -> Iterator[Forecast]:
        """A forecast for each point: a value, a pair of a time and a value, or an `aaren.Point`."""
        for point in map(point_of, points):
            yield self.update(point.value, point.time, point.X, point.X_future)

    def to_bytes(self) -> bytes:
        """The state as a snapshot: the bytes that a server exports and imports."""
        with self._lock:
            return encode_rows(self._model._engine, self._rows, self._clock)

    def __copy__(self) -> LocalSession:
        """Another session that goes on from here."""
        with self._lock:
            return LocalSession(self._model, self._rows.copy(), self._clock.copy(), self._output)

    fork = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> LocalSession:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_revive, (self._model, self.to_bytes(), self._output.steps, self._output.levels))

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
        last.time_ns, last.step_ns = clock.time_ns, clock.step_ns
        return last


def _revive(model: Forecaster, blob: bytes, steps: tuple[int, ...], levels: tuple[float, ...]) -> LocalSession:
    return model.from_bytes(blob, horizons=steps, quantiles=levels)
