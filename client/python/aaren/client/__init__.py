"""Client: sessions on an aaren-server, exactly once, and calls about sessions and models."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from aaren.client.aio import AioEvents, AioSession
from aaren.client.loops import LoopStream
from aaren.client.options import ClientOptions, EventOutput, SessionOptions
from aaren.client.remote import RemoteEvents, RemoteSession
from aaren.client.threads import PARTING, ThreadStream
from aaren.client.unary import Calls

__all__ = [
    "AioClient", "AioEvents", "AioSession", "Client", "ClientOptions", "EventOutput", "RemoteEvents", "RemoteSession",
    "SessionOptions",
]  # fmt: skip

Hear = Callable[[str, Any], None]


def _nothing(event: str, detail: Any) -> None:
    pass


def _event_options(session_id: str, options: dict[str, Any]) -> SessionOptions:
    names = {field.name for field in fields(EventOutput)}
    output = EventOutput(**{name: value for name, value in options.items() if name in names})
    rest = {name: value for name, value in options.items() if name not in names}
    return SessionOptions(session_id, **({"model": "aaren-events"} | rest), events=output)


class AioClient:
    """The asyncio side of a client. Everything runs on the loop that uses it first, until `close`.

    A call on another loop raises FailedPrecondition: nothing there could wake the call.
    """

    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._streams: dict[int, LoopStream] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def session(self, session_id: str, *, on_event: Hear = _nothing, **options: Any) -> AioSession:
        """A session on the server, which opens with its first use. Options as of SessionOptions."""
        chosen = SessionOptions(session_id, **options)
        return AioSession(self._stream_of(session_id), chosen, self._options.target, on_event)

    def events(self, session_id: str, *, on_event: Hear = _nothing, **options: Any) -> AioEvents:
        """A session of events on the server, as of `Client.events`."""
        chosen = _event_options(session_id, options)
        return AioEvents(self._stream_of(session_id), chosen, self._options.target, on_event)

    def _stream_of(self, session_id: str) -> LoopStream:
        for stream in self._streams.values():
            stream.check_loop()
        self._loop = asyncio.get_running_loop()
        number = self._options.stream_of(session_id)
        if number not in self._streams:
            self._streams[number] = LoopStream(self._options, number)
        return self._streams[number]

    async def close(self) -> None:
        """Ends what is still open; sessions live on at the server. Any loop may close, and then use the client."""
        loop = self._loop
        if loop is not None and loop is not asyncio.get_running_loop() and loop.is_running():
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self.close(), loop))
        streams, self._streams = self._streams, {}
        if loop is asyncio.get_running_loop():  # else the streams ended with their loop
            await asyncio.gather(*(stream.stop() for stream in streams.values()))

    def _close_from(self) -> None:
        loop = self._loop
        if not self._streams or loop is None or loop.is_closed():
            return
        try:
            inside = asyncio.get_running_loop() is loop
        except RuntimeError:
            inside = False
        if inside:
            loop.create_task(self.close())
        elif loop.is_running():
            asyncio.run_coroutine_threadsafe(self.close(), loop).result(10)


class Client(Calls):
    """A connection to a server; sessions share its few streams.

        with aaren.Client("localhost:7860") as client:
            session = client.session("pump-7")
            forecast = session.update(21.4)

    Options are those of ClientOptions: TLS files, a token, metadata, timeouts. A connection is made when the first
    session opens. When a stream breaks, the client connects again and sends what the server has not saved: forecasts
    come neither twice nor out of order. Safe from any thread. A process that forks makes its clients after the fork.
    """

    def __init__(self, target: str, **options: Any) -> None:
        self.options = ClientOptions(target, **options)
        self.options.credentials()  # a wrong file is told now
        super().__init__(self.options)
        self._streams: dict[int, ThreadStream] = {}
        self._lock = threading.Lock()
        self.aio = AioClient(self.options)

    def session(self, session_id: str, *, on_event: Hear = _nothing, **options: Any) -> RemoteSession:
        """Opens a session on the server, a new one or one that was left there. Options as of SessionOptions.

        `on_event(event, detail)` hears opened, disconnected, waiting and lost, on the client's thread: it must not call
        the session. The first exception that it raises is logged, and none ends the session.
        """
        return RemoteSession(self, self._stream_of(session_id), SessionOptions(session_id, **options), on_event)

    def events(self, session_id: str, *, on_event: Hear = _nothing, **options: Any) -> RemoteEvents:
        """Opens a session of events: each has a time and a mark, and each forecast tells the time to the next.

        Options as of EventOutput and SessionOptions; the model is aaren-events without a word. `on_event` also hears
        `overdue`, with an `aaren.events.Overdue`.
        """
        return RemoteEvents(self, self._stream_of(session_id), _event_options(session_id, options), on_event)

    def _stream_of(self, session_id: str) -> ThreadStream:
        number = self.options.stream_of(session_id)
        with self._lock:
            if number not in self._streams:
                self._streams[number] = ThreadStream(self.options, number)
            return self._streams[number]

    def close(self) -> None:
        """Ends what is still open; sessions live on at the server."""
        with self._lock:
            streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.leave()
        until = time.monotonic() + PARTING
        for stream in streams.values():
            stream.stop(until)
        self.aio._close_from()
        super().close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aio.close()
        self.close()
