"""RemoteSession and RemoteEvents: sessions on a server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from aaren.client.apart import Job
from aaren.client.calls import All, Condition, One, SessionCalls, Steps, T
from aaren.client.kinds import Event, EventCalls, ValueCalls
from aaren.client.options import SessionOptions
from aaren.client.replies import StreamSide
from aaren.client.threads import ThreadStream
from aaren.errors import Cancelled, DeadlineExceeded
from aaren.events import EventForecast, EventForecasts
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times
from aaren.tokens import Point

if TYPE_CHECKING:
    from aaren.client import Client


class RemoteCalls(SessionCalls[One, All]):
    """A session on a server. Every forecast comes exactly once, whatever breaks.

    A call waits where the window is full or no server is there, and raises what has ended the session: Aborted if
    another writer has taken it, DataLoss if tokens that the server needs again are gone. Calls from several threads
    wait for one another.
    """

    def __init__(
        self, client: Client, stream: ThreadStream, options: SessionOptions, hear: Callable[..., None]
    ) -> None:
        super().__init__(StreamSide(options, client.options.target, hear), stream.enqueue)
        self._client, self._stream = client, stream
        self._turn = threading.Lock()  # a call that sends keeps others waiting, so that each has its own forecasts
        try:
            stream.apart.call(self._open)
        except BaseException:  # Ctrl-C, too: nobody gets this session, so the id is to be free again
            stream.apart.call(lambda job: stream.remove(self._state))
            raise

    def _open(self, job: Job) -> None:
        self._stream.add(self._state)
        self._advance(self._opening(), None, job)

    def _opening(self) -> Steps[None]:
        yield lambda: self._state.ready

    def _call(self, steps: Steps[T], timeout: float | None = None) -> T:
        return self._stream.apart.call(lambda job: self._advance(steps, timeout, job))

    def _advance(self, steps: Steps[T], timeout: float | None, job: Job) -> T:
        done: Condition | None = None
        until = float("inf") if timeout is None else time.monotonic() + timeout
        while True:
            with self._stream.lock:
                while done is None or self._may_go_on(done):
                    if done is not None:
                        self._check(done)
                    try:
                        done = next(steps)
                    except StopIteration as end:
                        result: T = end.value
                        return result
                if job.stopped:
                    raise Cancelled(self._state.named("the call was interrupted"))
                waiter = self._stream.waiter()
            left = until - time.monotonic()
            if left <= 0:
                raise DeadlineExceeded(self._state.named(f"no answer after {timeout} s"))
            waiter.acquire(timeout=min(left, threading.TIMEOUT_MAX))

    def _sending(self, steps: Steps[T], *, flush: bool = False) -> T:
        with self._turn:
            result = self._call(steps)
            if flush:
                self.flush()
            return result

    def delivered(self, seq: int) -> None:
        """With `manual`: forecasts below `seq` have reached the application for good."""
        self._stream.apart.call(lambda job: self._say(seq))

    def _say(self, seq: int) -> None:
        with self._stream.lock:
            self._state.said = max(self._state.said, seq)
            self._stream.enqueue(self._state)

    def flush(self, timeout: float | None = None) -> None:
        """Waits until the server has answered every token."""
        self._call(self._flushing(), timeout)

    def to_bytes(self) -> bytes:
        """The state after the latest token, as a snapshot."""
        self.flush()
        return self._client.export_session(self.id)

    def close(self, *, delete: bool = False, timeout: float | None = None) -> None:
        """Waits for the last answer and leaves the session at the server, or has the server forget it."""
        self._call(self._closing(delete), timeout)

    def delete(self) -> None:
        self.close(delete=True)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._stream.remove(self._state)

    def __reduce__(self) -> Any:
        raise TypeError(f"session {self.id!r} is on a server: pickle its to_bytes(), or open it again by its id")


class RemoteSession(RemoteCalls[Forecast, Forecasts], ValueCalls):
    """A session of values, made by `Client.session`. X and X_future are as of `aaren.Session`."""

    def update(
        self, value: float | npt.ArrayLike, time: Time | None = None, X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecast:  # fmt: skip
        """Takes one value and waits for its forecast."""
        return self._sending(self._updating(self._point(Point(value, time, X, X_future))))

    def extend(self, values: npt.ArrayLike, times: Times | None = None, X: npt.ArrayLike | None = None) -> None:
        """Takes many values without forecasts; returns when the server has answered them."""
        self._sending(self._running(self._tokens(values, times, X), True), flush=True)

    def run(
        self, values: npt.ArrayLike, times: Times | None = None, *, X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecasts:  # fmt: skip
        """Takes many values and gives a forecast after each, as one array [n, h, levels].

        X_future is [n, h, future].
        """
        return self._sending(self._running(self._tokens(values, times, X, X_future), False))

    def stream(self, points: Iterable[float | tuple[Time, float] | Point]) -> Iterator[Forecast]:
        """A forecast for each point, before the next point is asked for. `run` is faster for points at hand."""
        for point in points:
            yield self._sending(self._updating(self._point(point)))

    def __enter__(self) -> RemoteSession:
        return self


class RemoteEvents(RemoteCalls[EventForecast, EventForecasts], EventCalls):
    """A session of events, made by `Client.events`."""

    def update(self, time: Time, mark: str | int = "") -> EventForecast:
        """Takes one event and waits for its forecast."""
        return self._sending(self._updating(self._point((time, mark))))

    def extend(self, times: Times, marks: Sequence[str | int] | str | int = "") -> None:
        """Takes many events without forecasts; one mark may stand for all."""
        self._sending(self._running(self._events(times, marks), True), flush=True)

    def run(self, times: Times, marks: Sequence[str | int] | str | int = "") -> EventForecasts:
        """Takes many events and gives a forecast after each."""
        return self._sending(self._running(self._events(times, marks), False))

    def stream(self, events: Iterable[Event]) -> Iterator[EventForecast]:
        """A forecast for each event, a pair of a time and a mark, before the next event is asked for."""
        for event in events:
            yield self._sending(self._updating(self._point(event)))

    def __enter__(self) -> RemoteEvents:
        return self
