"""LocalEvents: a session of events in this process."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aaren import _engine
from aaren.errors import InvalidArgument
from aaren.events import EventForecast, EventForecasts, MarkNames, mark_of, within_of
from aaren.snapshot import encode_rows
from aaren.times import Clock, RowsClock, Time, Times, to_ns
from aaren.tokens import levels_of

if TYPE_CHECKING:
    from aaren.event_forecaster import EventForecaster

_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_MOST_LEVELS, _MOST_SPANS, _MOST_MARKS = 99, 64, 64  # a server's limits
_MOST_SPAN = 1e10  # seconds: 300 years


class EventOptions(NamedTuple):
    """The content of forecasts, and the scale of the session: as of `EventForecaster.session`."""

    spans: tuple[float, ...]
    marks: int
    unit: float
    resolution: float
    levels: tuple[float, ...]
    selection: _engine.EventSelection  #: the engine's word for all

    @classmethod
    def of(
        cls, spans: Sequence[float], marks: int, unit: float, resolution: float, quantiles: Sequence[float]
    ) -> EventOptions:
        """InvalidArgument names the option that cannot be."""
        levels, each = levels_of(quantiles) or _LEVELS, tuple(map(float, spans))
        if len(levels) > _MOST_LEVELS:
            raise InvalidArgument(f"{len(levels)} quantiles; {_MOST_LEVELS} at most")
        ascend = all(low < high for low, high in itertools.pairwise(each))
        if len(each) > _MOST_SPANS or not ascend or not all(0 < span <= _MOST_SPAN for span in each):
            raise InvalidArgument(f"spans {each}: seconds that ascend, above 0, {_MOST_SPANS} at most")
        if not 0 <= marks <= _MOST_MARKS:
            raise InvalidArgument(f"marks = {marks}; a forecast has 0 to {_MOST_MARKS}")
        for name, seconds in (("unit", unit), ("resolution", resolution)):
            if not (0 <= seconds <= _MOST_SPAN and math.isfinite(seconds)):
                raise InvalidArgument(f"{name} = {seconds}; seconds from 0 on, and 0 where unknown")
        scale = round(unit * 1e9), round(resolution * 1e9)
        return cls(each, marks, unit, resolution, levels, _engine.EventSelection(levels, each, marks, *scale))


class LocalEvents:
    """A session of events in this process: its state is 7.5 KB, and belongs to no thread.

    Made by `EventForecaster.session`. Calls from several threads wait for one another. The session can be pickled,
    copied (`copy.copy`) and carried to another process or a server (`to_bytes`). Nothing here keeps watch for an event
    that does not come: with 0.99 among the quantiles, `forecast[0.99]` says when one in a hundred would be later.
    """

    __slots__ = ("__weakref__", "_lock", "_model", "_options", "_rows", "_rows_clock", "names")

    def __init__(
        self, model: EventForecaster, rows: _engine.Rows, clock: Clock, options: EventOptions, names: MarkNames
    ) -> None:
        self._model, self._rows, self._rows_clock, self._options = model, rows, RowsClock(rows, clock), options
        self._lock = threading.Lock()  # the clock and the rows are of one moment
        self.names = names  #: the texts of marks

    @property
    def seq(self) -> int:
        return self._rows.seq

    @property
    def _clock(self) -> Clock:
        return self._rows_clock.now()

    @property
    def last_time_ns(self) -> int | None:
        return self._clock.time_ns

    @property
    def levels(self) -> tuple[float, ...]:
        return self._options.levels

    def update(self, time: Time, mark: str | int = "") -> EventForecast:
        """Takes one event and forecasts. InvalidArgument for a time that goes back, or a mark that cannot be."""
        ns, options = to_ns(time), self._options
        seconds, within = np.empty(len(options.levels), np.float32), np.empty(len(options.spans), np.float32)
        marks, probabilities = np.empty(options.marks, np.uint32), np.empty(options.marks, np.float32)
        with self._lock:
            number = mark_of(mark, 0, self.names)
            later = self._clock.copy()
            later.check_one(ns)
            later.advance_one(ns)
            self._rows_clock.expect(1, later)
            try:
                surprise = self._rows.update_event(ns, number, options.selection, seconds, within, marks, probabilities)
            finally:
                self._rows_clock.settle()
            where = surprise, self._rows.seq - 1, ns
            named = self.names.named(marks, probabilities)
        levels = options.levels
        return EventForecast(seconds.astype(np.float64), levels, within_of(options.spans, within), named, *where)

    def run(self, times: Times, marks: Sequence[str | int] | str | int = "") -> EventForecasts:
        """Takes many events and forecasts after each; one mark may stand for all. InvalidArgument names the row."""
        return self._model._step([self], [(times, marks)], True)[0]

    def extend(self, times: Times, marks: Sequence[str | int] | str | int = "") -> None:
        """Takes many events without forecasts; one mark may stand for all."""
        self._model._step([self], [(times, marks)], False)

    def stream(self, events: Iterable[tuple[Time, str | int]]) -> Iterator[EventForecast]:
        """A forecast for each event, a pair of a time and a mark."""
        for time, mark in events:
            yield self.update(time, mark)

    def to_bytes(self) -> bytes:
        """The state as a snapshot: the bytes that a server exports and imports."""
        with self._lock:
            return encode_rows(self._model._engine, self._rows, self._clock)

    def __copy__(self) -> LocalEvents:
        """Another session that goes on from here."""
        with self._lock:
            rows, clock, names = self._rows.copy(), self._clock.copy(), self.names.copy()
        return LocalEvents(self._model, rows, clock, self._options, names)

    fork = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> LocalEvents:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            blob, names = encode_rows(self._model._engine, self._rows, self._clock), self.names.copy()
        return (_revive, (self._model, blob, self._options[:5], names))

    def __enter__(self) -> LocalEvents:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<LocalEvents of {self._model.name}:{self._model.version}, {self.seq} events>"


def _revive(model: EventForecaster, blob: bytes, options: tuple[Any, ...], names: MarkNames) -> LocalEvents:
    spans, marks, unit, resolution, levels = options
    session = model.from_bytes(
        blob, spans=spans, marks=marks, unit=unit, resolution=resolution, quantiles=levels
    )
    session.names = names
    return session
