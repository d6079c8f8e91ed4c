"""AioSession: a session on a server, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from aaren.client.loops import LoopStream
from aaren.client.options import SessionOptions
from aaren.client.remote import CHUNK, arrays_of, checked, forecast_of, one_token
from aaren.client.replies import StreamSide
from aaren.client.state import Replies
from aaren.errors import OutOfRange
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times, to_ns

Point: TypeAlias = "float | tuple[Time, float]"


class AioSession:
    """A session on a server for asyncio, made by `Client.aio.session`. It opens with its first use.

    A task that is cancelled in a call leaves the session usable: a token that was taken stays taken, and its forecast
    is dropped.
    """

    def __init__(self, stream: LoopStream, options: SessionOptions, server: str, hear: Callable[..., None]) -> None:
        self._stream = stream
        self._state = StreamSide(options, server, hear)
        self._added = False

    @property
    def id(self) -> str:
        return self._state.options.id

    @property
    def seq(self) -> int:
        return self._state.log.end

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

    async def open(self) -> AioSession:
        """Opens the session, so that `seq` says where to go on."""
        if not self._added:
            self._added = True
            self._stream.add(self._state)
        await self._wait(lambda: self._state.ready)
        return self

    async def _wait(self, done: Callable[[], bool]) -> None:
        state = self._state
        while not (state.ended or state.rewound or done()):
            await self._stream.pulse()
        if state.ended and not done():
            raise state.end_error()
        if state.rewound:
            state.rewound = False
            raise OutOfRange(state.named(f"tokens are wanted from seq {state.log.end}"))

    def _send(self, values: npt.NDArray[np.float64], ns: npt.NDArray[np.int64] | None, silent: bool) -> None:
        self._state.take_in(values, ns, silent)
        self._stream.enqueue(self._state)

    async def _next(self, most: int = 1) -> Replies:
        await self._wait(lambda: bool(self._state.replies))
        piece = self._state.take_out(most)
        assert piece is not None
        self._stream.enqueue(self._state)
        return piece

    async def update(self, value: float | npt.ArrayLike, time: Time | None = None) -> Forecast:
        """Takes one value and waits for its forecast."""
        await self.open()
        await self._wait(lambda: not self._state.full)
        seq = self.seq
        self._send(*self._one(value, time), False)
        piece = await self._next()
        while piece.seq < seq:  # of a call that was cancelled
            piece = await self._next()
        return forecast_of(self._state, piece)

    def _one(self, value: Any, time: Time | None) -> tuple[Any, Any]:
        return checked(self._state, one_token(value), None if time is None else [to_ns(time)])

    async def extend(self, values: npt.ArrayLike, times: Times | None = None) -> None:
        """Takes many values without forecasts; returns when the server has answered them."""
        await self._feed(values, times, True)
        await self.flush()

    async def run(self, values: npt.ArrayLike, times: Times | None = None) -> Forecasts:
        """Takes many values and gives a forecast after each, as one array [n, h, levels]."""
        return arrays_of(self._state, await self._feed(values, times, False))

    async def _feed(self, values: npt.ArrayLike, times: Times | None, silent: bool) -> list[Replies]:
        await self.open()
        state, pieces, got = self._state, list[Replies](), 0
        array, ns = checked(state, values, times)
        first, every = self.seq, state.options.every
        for at in range(0, len(array), CHUNK):
            await self._wait(lambda: not state.full or bool(state.replies))
            while state.full:
                pieces.append(await self._next(CHUNK))
                got += len(pieces[-1])
                await self._wait(lambda: not state.full or bool(state.replies))
            self._send(array[at : at + CHUNK], None if ns is None else ns[at : at + CHUNK], silent)
        due = 0 if silent else -(-(first + len(array)) // every) - -(-first // every)
        while got < due:
            pieces.append(await self._next(due - got))
            got += len(pieces[-1])
        return pieces

    async def stream(self, points: Iterable[Point] | AsyncIterable[Point]) -> AsyncIterator[Forecast]:
        """A forecast for each point: a value, or a pair of a time and a value. Points go ahead, up to the window."""
        await self.open()
        feeder = asyncio.create_task(self._feed_points(points))
        feeder.add_done_callback(lambda _: self._stream.notify())
        state, first = self._state, self.seq
        try:
            while True:
                await self._wait(lambda: bool(state.replies) or (feeder.done() and state.flushed))
                if feeder.done() and feeder.exception():
                    await feeder
                if not state.replies:
                    return
                piece = await self._next()
                if piece.seq >= first:
                    yield forecast_of(state, piece)
        finally:
            feeder.cancel()
            await asyncio.wait([feeder])

    async def _feed_points(self, points: Iterable[Point] | AsyncIterable[Point]) -> None:
        async def take(point: Point) -> None:
            await self._wait(lambda: not self._state.full)
            self._send(*(self._one(point[1], point[0]) if isinstance(point, tuple) else self._one(point, None)), False)

        if isinstance(points, AsyncIterable):
            async for point in points:
                await take(point)
        else:
            for point in points:
                await take(point)
                await asyncio.sleep(0)

    def delivered(self, seq: int) -> None:
        """With `manual`: forecasts below `seq` have reached the application for good."""
        self._state.said = max(self._state.said, seq)
        self._stream.enqueue(self._state)

    async def flush(self) -> None:
        """Waits until the server has answered every token."""
        await self._wait(lambda: self._state.flushed)

    async def close(self, *, delete: bool = False) -> None:
        """Waits for the last answer and leaves the session at the server, or has the server forget it."""
        state = self._state
        if not self._added or state.ended:
            return
        state.close_wanted, state.delete_wanted = True, delete
        self._stream.enqueue(state)
        await self._wait(lambda: state.ended)
        if state.error is not None:
            raise state.error
