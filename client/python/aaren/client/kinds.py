"""ValueCalls and EventCalls: what a call is given, and the forecasts that it returns, by the kind of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aaren.client.calls import Make, SessionCalls
from aaren.client.replies import StreamSide
from aaren.client.state import EventArrays, Replies
from aaren.events import EventForecast, EventForecasts, MarkNames, events_of
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times, to_ns
from aaren.tokens import point_of, tokens_of

Event: TypeAlias = "tuple[Time, str | int]"


class ValueCalls(SessionCalls[Forecast, Forecasts]):
    """Of a session of values."""

    @property
    def channels(self) -> int:
        return self._state.channels

    @property
    def past(self) -> int:
        return self._state.past

    @property
    def future(self) -> int:
        return self._state.future

    @property
    def step_ns(self) -> int:
        return self._state.clock.step_ns

    @property
    def horizon(self) -> int:
        return len(self._state.horizons)

    def _tokens(
        self, values: npt.ArrayLike, times: Times | None, X: npt.ArrayLike | None, X_future: npt.ArrayLike | None = None
    ) -> Make:
        return lambda: tokens_of(self._state.shape, values, times, X, X_future)

    def _point(self, point: Any) -> Make:
        point = point_of(point)
        one = np.asarray(np.nan if point.value is None else point.value, np.float64).reshape(1, -1)
        return self._tokens(one, None if point.time is None else [to_ns(point.time)], point.X, point.X_future)

    def _all(self, pieces: list[Replies]) -> Forecasts:
        state = self._state
        empty = np.empty((0, state.channels, len(state.horizons), len(state.levels)))
        values = np.concatenate([empty, *(piece.values() for piece in pieces)])
        surprise = np.concatenate([empty[:, :, 0, 0].astype(np.float32), *(piece.surprise for piece in pieces)])
        learning = np.concatenate([empty[:, :, 0, 0].astype(bool), *(piece.learning for piece in pieces)])
        seqs = np.concatenate([np.empty(0, np.int64), *(piece.seqs() for piece in pieces)])
        if state.channels == 1:
            values, surprise, learning = values[:, 0], surprise[:, 0], learning[:, 0]
        return Forecasts(values, state.levels, surprise, seqs, learning, state.options.steps or None)

    def _one(self, piece: Replies) -> Forecast:
        state = self._state
        values, surprise, learning = piece.values()[0], piece.surprise[0], piece.learning[0]
        time = None if piece.times is None else int(piece.times[0])
        where = state.levels, piece.seq, time, int(piece.steps[0])
        horizons = state.options.steps or None
        if state.channels > 1:
            return Forecast(values, *where, surprise, horizons, learning)
        return Forecast(values[0], *where, float(surprise[0]), horizons, bool(learning[0]))


class EventCalls(SessionCalls[EventForecast, EventForecasts]):
    """Of a session of events."""

    def __init__(self, state: StreamSide, enqueue: Callable[[StreamSide], None]) -> None:
        super().__init__(state, enqueue)
        self.names = MarkNames()

    def _events(self, times: Times, marks: Sequence[str | int] | str | int) -> Make:
        return lambda: events_of(times, marks, self.names)

    def _point(self, point: Event) -> Make:
        return self._events([to_ns(point[0])], [point[1]])

    def _all(self, pieces: list[Replies]) -> EventForecasts:
        state, asked = self._state, self._state.options.events
        assert asked is not None
        none = EventArrays(
            np.empty((0, len(asked.spans)), np.float32), np.empty((0, asked.marks), np.uint32),
            np.empty((0, asked.marks), np.float32),
        )  # fmt: skip
        columns = zip(none, *(piece.events for piece in pieces if piece.events), strict=True)
        within, marks, probabilities = (np.concatenate(column) for column in columns)
        seconds = np.concatenate([np.empty((0, len(state.levels))), *(piece.values()[:, 0, 0] for piece in pieces)])
        surprise = np.concatenate([np.empty(0, np.float32), *(piece.surprise[:, 0] for piece in pieces)])
        seqs = np.concatenate([np.empty(0, np.int64), *(piece.seqs() for piece in pieces)])
        times = np.concatenate([np.empty(0, np.int64), *(p.times for p in pieces if p.times is not None)])
        return EventForecasts(
            seconds, state.levels, within, asked.spans, marks, probabilities, surprise, seqs, times, self.names
        )

    def _one(self, piece: Replies) -> EventForecast:
        return self._all([piece])[0]
