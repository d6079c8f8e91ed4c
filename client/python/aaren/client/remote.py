"""RemoteSession: a session on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aaren.client.options import SessionOptions
from aaren.client.replies import StreamSide
from aaren.client.state import Replies
from aaren.client.threads import ThreadStream
from aaren.errors import DeadlineExceeded, OutOfRange
from aaren.local import as_values
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times, to_ns, to_ns_array

if TYPE_CHECKING:
    from aaren.client import Client

CHUNK = 256  # tokens that go into the log at once


def checked(
    state: StreamSide, values: npt.ArrayLike, times: Times | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64] | None]:
    """Tokens as a message holds them. InvalidArgument, naming the row, for a time that goes back."""
    array = as_values(values, state.channels)
    if times is None:
        return array, None
    ns = to_ns_array(times, len(array))
    state.clock.check(ns)
    return array, ns


def one_token(value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The values [1, channels] of one token."""
    return np.asarray(np.nan if value is None else value, np.float64).reshape(1, -1)


def arrays_of(state: StreamSide, pieces: list[Replies]) -> Forecasts:
    """All forecasts of the pieces, one after the other."""
    empty = np.empty((0, state.channels, len(state.horizons), len(state.levels)))
    values = np.concatenate([empty, *(piece.values() for piece in pieces)])
    surprise = np.concatenate([empty[:, :, 0, 0].astype(np.float32), *(piece.surprise for piece in pieces)])
    learning = np.concatenate([empty[:, :, 0, 0].astype(bool), *(piece.learning for piece in pieces)])
    seqs = np.concatenate([np.empty(0, np.int64), *(piece.seqs() for piece in pieces)])
    if state.channels == 1:
        values, surprise, learning = values[:, 0], surprise[:, 0], learning[:, 0]
    return Forecasts(values, state.levels, surprise, seqs, learning)


def forecast_of(state: StreamSide, piece: Replies) -> Forecast:
    """The first forecast of a piece."""
    values, surprise, learning = piece.values()[0], piece.surprise[0], piece.learning[0]
    time = None if piece.times is None else int(piece.times[0])
    where = state.levels, piece.seq, time, int(piece.steps[0])
    horizons = state.options.horizons or None
    if state.channels > 1:
        return Forecast(values, *where, surprise, horizons, learning)
    return Forecast(values[0], *where, float(surprise[0]), horizons, bool(learning[0]))


class RemoteSession:
    """A session on a server, made by `Client.session`. Every forecast comes exactly once, whatever breaks.

    A call waits where the window is full or no server is there, and raises what has ended the session: Aborted if
    another writer has taken it, DataLoss if tokens that the server needs again are gone. Safe from any thread.
    """

    def __init__(
        self, client: Client, stream: ThreadStream, options: SessionOptions, hear: Callable[..., None]
    ) -> None:
        self._client, self._stream = client, stream
        self._state = StreamSide(options, client.options.target, hear)
        stream.add(self._state)
        with stream.lock:
            self._wait(lambda: self._state.ready)

    @property
    def id(self) -> str:
        return self._state.options.id

    @property
    def seq(self) -> int:
        return self._state.log.end

    @property
    def channels(self) -> int:
        return self._state.channels

    @property
    def last_time_ns(self) -> int | None:
        return self._state.last_time_ns

    @property
    def step_ns(self) -> int:
        return self._state.clock.step_ns

    @property
    def levels(self) -> tuple[float, ...]:
        return self._state.levels

    @property
    def horizon(self) -> int:
        return len(self._state.horizons)

    @property
    def created(self) -> bool:
        """Whether there was no session of this id before."""
        return self._state.opened is not None and self._state.opened.created

    def _wait(self, done: Callable[[], bool], timeout: float | None = None) -> None:
        """Waits with the lock held until `done`; raises what has ended the session, or wants tokens again."""
        state = self._state
        if not self._stream.wait(lambda: state.ended or state.rewound or done(), timeout):
            raise DeadlineExceeded(state.named(f"no answer after {timeout} s"))
        if state.ended and not done():
            raise state.end_error()
        if state.rewound:
            state.rewound = False
            raise OutOfRange(state.named(f"tokens are wanted from seq {state.log.end}"))

    def _send(self, values: npt.NDArray[Any], ns: npt.NDArray[np.int64] | None, silent: bool) -> None:
        """REQUIRES: the lock is held."""
        self._state.take_in(values, ns, silent)
        self._stream.enqueue(self._state)

    def update(self, value: float | npt.ArrayLike, time: Time | None = None) -> Forecast:
        """Takes one value and waits for its forecast."""
        state = self._state
        array, ns = checked(state, one_token(value), None if time is None else [to_ns(time)])
        with self._stream.lock:
            self._wait(lambda: not state.full)
            seq = self.seq
            self._send(array, ns, False)
            piece = self._next()
            while piece.seq < seq:  # of a call that was interrupted
                piece = self._next()
        return forecast_of(state, piece)

    def _next(self, most: int = 1) -> Replies:
        self._wait(lambda: bool(self._state.replies))
        piece = self._state.take_out(most)
        assert piece is not None
        self._stream.enqueue(self._state)
        return piece

    def extend(self, values: npt.ArrayLike, times: Times | None = None) -> None:
        """Takes many values without forecasts; returns when the server has answered them."""
        self._feed(values, times, True)
        self.flush()

    def run(self, values: npt.ArrayLike, times: Times | None = None) -> Forecasts:
        """Takes many values and gives a forecast after each, as one array [n, h, levels]."""
        return arrays_of(self._state, self._feed(values, times, False))

    def _feed(self, values: npt.ArrayLike, times: Times | None, silent: bool) -> list[Replies]:
        state, pieces, got = self._state, list[Replies](), 0
        array, ns = checked(state, values, times)
        with self._stream.lock:
            first = self.seq
            for at in range(0, len(array), CHUNK):
                self._wait(lambda: not state.full or bool(state.replies))
                while state.full:
                    pieces.append(self._next(CHUNK))
                    got += len(pieces[-1])
                    self._wait(lambda: not state.full or bool(state.replies))
                self._send(array[at : at + CHUNK], None if ns is None else ns[at : at + CHUNK], silent)
            every = state.options.every
            due = 0 if silent else -(-(first + len(array)) // every) - -(-first // every)
            while got < due:
                pieces.append(self._next(due - got))
                got += len(pieces[-1])
        return pieces

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
        with self._stream.lock:
            self._wait(lambda: self._state.flushed, timeout)

    def to_bytes(self) -> bytes:
        """The state after the latest token, as a snapshot."""
        self.flush()
        return self._client.export_session(self.id)

    def close(self, *, delete: bool = False, timeout: float | None = None) -> None:
        """Waits for the last answer and leaves the session at the server, or has the server forget it."""
        state = self._state
        with self._stream.lock:
            if state.ended:
                if state.error is not None and state.error.code != "CANCELLED":
                    raise state.error
                return
            state.close_wanted, state.delete_wanted = True, delete
            self._stream.enqueue(state)
            self._wait(lambda: state.ended, timeout)
            if state.error is not None:
                raise state.error

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
