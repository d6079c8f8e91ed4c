"""RemoteSession: a session on a server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from aaren.client.calls import SessionCalls, Steps, T
from aaren.client.options import SessionOptions
from aaren.client.replies import StreamSide
from aaren.client.threads import ThreadStream
from aaren.errors import DeadlineExceeded
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times

if TYPE_CHECKING:
    from aaren.client import Client


class RemoteSession(SessionCalls):
    """A session on a server, made by `Client.session`. Every forecast comes exactly once, whatever breaks.

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
        stream.add(self._state)
        self._call(self._opening())

    def _opening(self) -> Steps[None]:
        yield lambda: self._state.ready

    def _call(self, steps: Steps[T], timeout: float | None = None) -> T:
        with self._stream.lock:
            while True:
                try:
                    done = next(steps)
                except StopIteration as end:
                    result: T = end.value
                    return result
                if not self._stream.wait(lambda done=done: self._may_go_on(done), timeout):  # type: ignore[misc]
                    raise DeadlineExceeded(self._state.named(f"no answer after {timeout} s"))
                self._check(done)

    def update(self, value: float | npt.ArrayLike, time: Time | None = None) -> Forecast:
        """Takes one value and waits for its forecast."""
        with self._turn:
            return self._call(self._updating(value, time))

    def extend(self, values: npt.ArrayLike, times: Times | None = None) -> None:
        """Takes many values without forecasts; returns when the server has answered them."""
        with self._turn:
            self._call(self._running(values, times, True))
            self.flush()

    def run(self, values: npt.ArrayLike, times: Times | None = None) -> Forecasts:
        """Takes many values and gives a forecast after each, as one array [n, h, levels]."""
        with self._turn:
            return self._call(self._running(values, times, False))

    def stream(self, points: Iterable[float | tuple[Time, float]]) -> Iterator[Forecast]:
        """A forecast for each point, before the next point is asked for. `run` is faster for points at hand."""
        for point in points:
            yield self.update(point[1], point[0]) if isinstance(point, tuple) else self.update(point)

    def delivered(self, seq: int) -> None:
        """With `manual`: forecasts below `seq` have reached the application for good."""
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

    def __enter__(self) -> RemoteSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._stream.remove(self._state)

    def __reduce__(self) -> Any:
        raise TypeError(f"session {self.id!r} is on a server: pickle its to_bytes(), or open it again by its id")
