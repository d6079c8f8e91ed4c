"""AioSession and AioEvents: sessions on a server, for asyncio."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy.typing as npt

from aaren.client.calls import All, One, SessionCalls, Steps, T
from aaren.client.kinds import Event, EventCalls, ValueCalls
from aaren.client.loops import LoopStream
from aaren.client.options import SessionOptions
from aaren.client.replies import StreamSide
from aaren.errors import FailedPrecondition
from aaren.events import EventForecast, EventForecasts
from aaren.quantiles import Forecast, Forecasts
from aaren.times import Time, Times
from aaren.tokens import Point

Points: TypeAlias = "Iterable[Any] | AsyncIterable[Any]"


class AioCalls(SessionCalls[One, All]):
    """A session on a server for asyncio. It opens with its first use.

    A task that is cancelled in a call leaves the session usable: a token that was taken stays taken, and its forecast
    is dropped. A session that nobody waits for any more before it is open is given up, until its next use.
    """

    def __init__(self, stream: LoopStream, options: SessionOptions, server: str, hear: Callable[..., None]) -> None:
        super().__init__(StreamSide(options, server, hear), stream.enqueue)
        self._stream = stream
        self._turn = asyncio.Lock()  # a call that sends keeps others waiting, so that each has its own forecasts
        self._live = weakref.WeakSet[object]()  # the stream() that sends, while somebody takes its forecasts
        self._added, self._openings = False, 0  # calls that wait until the session is open, or have seen that

    async def _open(self) -> None:
        self._stream.check_loop()
        if not self._added:
            self._stream.add(self._state)
            self._added = True  # and not before: what was refused may be tried again, and has nothing to close
        self._openings += 1
        try:
            while not self._may_go_on(lambda: self._state.ready):
                await self._stream.pulse()
        except BaseException:
            self._openings -= 1
            if not self._openings:
                self._give_up_opening()
            raise
        self._check(lambda: self._state.ready)

    def _give_up_opening(self) -> None:
        """As if never used. The application may have no hold of this session any more, and open the id by another."""
        state = self._state
        self._stream.remove(state)
        self._state, self._added = StreamSide(state.options, state.server, state.hear), False

    async def _call(self, steps: Steps[T]) -> T:
        await self._open()
        while True:
            try:
                done = next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            while not self._may_go_on(done):
                await self._stream.pulse()
            self._check(done)

    async def _sending(self, steps: Steps[T], *, flush: bool = False) -> T:
        self._refuse_beside_stream()
        async with self._turn:
            result = await self._call(steps)
            if flush:
                await self.flush()
            return result

    def _refuse_beside_stream(self) -> None:
        """A call in the loop over a stream would wait for ever: the stream ends no sooner than the loop."""
        if self._live:
            raise FailedPrecondition(self._state.named("its stream() is running; take all forecasts first, or end the "
                                                       "stream by aclose()"))  # fmt: skip

    def _streamed(self, points: Points) -> AsyncGenerator[One, None]:
        """A forecast for each point. Points go ahead, up to the window."""
        live = weakref.WeakSet[object]()
        stream = self._streaming(points, live)
        live.add(stream)  # a loop that was left by `break` drops its stream, which then gives the turn back
        return stream

    async def _streaming(self, points: Points, live: weakref.WeakSet[object]) -> AsyncGenerator[One, None]:
        self._refuse_beside_stream()
        self._live = live
        try:
            async with self._turn:
                await self._open()
                first = self.seq
                feeder = asyncio.create_task(self._feed(points, first))
                feeder.add_done_callback(lambda _: self._stream.notify())
                try:
                    while (forecast := await self._call(self._taking(feeder, first))) is not None:
                        yield forecast
                finally:
                    feeder.cancel()
                    await asyncio.wait([feeder])
        finally:
            live.clear()

    def _taking(self, feeder: asyncio.Task[None], first: int) -> Steps[One | None]:
        """The next forecast of a stream, or None at its end. What the source raised comes after all forecasts."""
        yield lambda: self._has_replies(first) or (feeder.done() and self._state.flushed)
        if self._state.replies:
            return self._one((yield from self._next(first)))
        feeder.result()
        return None

    async def _feed(self, points: Points, first: int) -> None:
        if isinstance(points, AsyncIterable):
            async for point in points:
                await self._call(self._send(self._point(point), False, first))
        else:
            for point in points:
                await self._call(self._send(self._point(point), False, first))
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


class AioSession(AioCalls[Forecast, Forecasts], ValueCalls):
    """A session of values, made by `Client.aio.session`. X and X_future are as of `aaren.Session`."""

    async def open(self) -> AioSession:
        """Opens the session, so that `seq` says where to go on."""
        await self._open()
        return self

    async def update(
        self, value: float | npt.ArrayLike, time: Time | None = None, X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecast:  # fmt: skip
        """Takes one value and waits for its forecast."""
        return await self._sending(self._updating(self._point(Point(value, time, X, X_future))))

    async def extend(self, values: npt.ArrayLike, times: Times | None = None, X: npt.ArrayLike | None = None) -> None:
        """Takes many values without forecasts; returns when the server has answered them."""
        await self._sending(self._running(self._tokens(values, times, X), True), flush=True)

    async def run(
        self, values: npt.ArrayLike, times: Times | None = None, *, X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecasts:  # fmt: skip
        """Takes many values and gives a forecast after each, as one array [n, h, levels].

        X_future is [n, h, future].
        """
        return await self._sending(self._running(self._tokens(values, times, X, X_future), False))

    def stream(self, points: Points) -> AsyncGenerator[Forecast, None]:
        """A forecast for each point: a value, a pair of a time and a value, or an `aaren.Point`.

        Points go ahead of the forecasts, so `update`, `extend`, `run` and another `stream` raise FailedPrecondition
        until the last forecast was taken.
        """
        return self._streamed(points)


class AioEvents(AioCalls[EventForecast, EventForecasts], EventCalls):
    """A session of events, made by `Client.aio.events`."""

    async def open(self) -> AioEvents:
        """Opens the session, so that `seq` says where to go on."""
        await self._open()
        return self

    async def update(self, time: Time, mark: str | int = "") -> EventForecast:
        """Takes one event and waits for its forecast."""
        return await self._sending(self._updating(self._point((time, mark))))

    async def extend(self, times: Times, marks: Sequence[str | int] | str | int = "") -> None:
        """Takes many events without forecasts; one mark may stand for all."""
        await self._sending(self._running(self._events(times, marks), True), flush=True)

    async def run(self, times: Times, marks: Sequence[str | int] | str | int = "") -> EventForecasts:
        """Takes many events and gives a forecast after each."""
        return await self._sending(self._running(self._events(times, marks), False))

    def stream(self, events: Iterable[Event] | AsyncIterable[Event]) -> AsyncGenerator[EventForecast, None]:
        """A forecast for each event, a pair of a time and a mark. Other calls as of `AioSession.stream`."""
        return self._streamed(events)
