"""AioSession: a session on a server, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from typing import TypeAlias

import numpy.typing as npt

from aaren.client.calls import SessionCalls, Steps, T, forecast_of
from aaren.client.loops import LoopStream
from aaren.client.options import SessionOptions
from aaren.client.replies import StreamSide
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times

Point: TypeAlias = "float | tuple[Time, float]"


class AioSession(SessionCalls):
    """A session on a server for asyncio, made by `Client.aio.session`. It opens with its first use.

    A task that is cancelled in a call leaves the session usable: a token that was taken stays taken, and its forecast
    is dropped.
    """

    def __init__(self, stream: LoopStream, options: SessionOptions, server: str, hear: Callable[..., None]) -> None:
        super().__init__(StreamSide(options, server, hear), stream.enqueue)
        self._stream = stream
        self._turn = asyncio.Lock()  # a call that sends keeps others waiting, so that each has its own forecasts
        self._added = False

    async def open(self) -> AioSession:
        """Opens the session, so that `seq` says where to go on."""
        if not self._added:
            self._added = True
            self._stream.add(self._state)
        while not self._may_go_on(lambda: self._state.ready):
            await self._stream.pulse()
        self._check(lambda: self._state.ready)
        return self

    async def _call(self, steps: Steps[T]) -> T:
        await self.open()
        while True:
            try:
                done = next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            while not self._may_go_on(done):
                await self._stream.pulse()
            self._check(done)

    async def update(self, value: float | npt.ArrayLike, time: Time | None = None) -> Forecast:
        """Takes one value and waits for its forecast."""
        async with self._turn:
            return await self._call(self._updating(value, time))

    async def extend(self, values: npt.ArrayLike, times: Times | None = None) -> None:
        """Takes many values without forecasts; returns when the server has answered them."""
        async with self._turn:
            await self._call(self._running(values, times, True))
            await self.flush()

    async def run(self, values: npt.ArrayLike, times: Times | None = None) -> Forecasts:
        """Takes many values and gives a forecast after each, as one array [n, h, levels]."""
        async with self._turn:
            return await self._call(self._running(values, times, False))

    async def stream(self, points: Iterable[Point] | AsyncIterable[Point]) -> AsyncIterator[Forecast]:
        """A forecast for each point: a value, or a pair of a time and a value. Points go ahead, up to the window."""
        await self.open()
        state, first = self._state, self.seq
        feeder = asyncio.create_task(self._feed(points, first))
        feeder.add_done_callback(lambda _: self._stream.notify())

        def taking() -> Steps[Forecast | None]:
            yield lambda: self._has_replies(first) or (feeder.done() and state.flushed)
            if feeder.done() and (error := feeder.exception()):
                raise error
            return forecast_of(state, (yield from self._next(first))) if state.replies else None

        try:
            while (forecast := await self._call(taking())) is not None:
                yield forecast
        finally:
            feeder.cancel()
            await asyncio.wait([feeder])

    async def _feed(self, points: Iterable[Point] | AsyncIterable[Point], first: int) -> None:
        async def take(point: Point) -> None:
            time, value = point if isinstance(point, tuple) else (None, point)
            await self._call(self._send_one(value, time, first))

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
        await self._call(self._flushing())

    async def close(self, *, delete: bool = False) -> None:
        """Waits for the last answer and leaves the session at the server, or has the server forget it."""
        if self._added:
            await self._call(self._closing(delete))
