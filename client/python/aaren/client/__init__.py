"""Client: sessions on an aaren-server, exactly once, and calls about sessions and models."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from aaren.client.aio import AioSession
from aaren.client.loops import LoopStream
from aaren.client.options import ClientOptions, SessionOptions
from aaren.client.remote import RemoteSession
from aaren.client.threads import ThreadStream
from aaren.client.unary import Calls

__all__ = ["AioClient", "AioSession", "Client", "ClientOptions", "RemoteSession", "SessionOptions"]

Hear = Callable[[str, Any], None]


def _nothing(event: str, detail: Any) -> None:
    pass


class AioClient:
    """The asyncio side of a client. Everything runs on the loop that uses it first."""

    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._streams: dict[int, LoopStream] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def session(self, session_id: str, *, on_event: Hear = _nothing, **options: Any) -> AioSession:
        """A session on the server, which opens with its first use. Options as of SessionOptions."""
        self._loop = asyncio.get_running_loop()
        number = self._options.stream_of(session_id)
        if number not in self._streams:
            self._streams[number] = LoopStream(self._options, number)
        chosen = SessionOptions(session_id, **options)
        return AioSession(self._streams[number], chosen, self._options.target, on_event)

    async def close(self) -> None:
        """Ends what is still open; sessions live on at the server."""
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            await stream.stop()

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
        the session.
        """
        number = self.options.stream_of(session_id)
        with self._lock:
            if number not in self._streams:
                self._streams[number] = ThreadStream(self.options, number)
            stream = self._streams[number]
        return RemoteSession(self, stream, SessionOptions(session_id, **options), on_event)

    def close(self) -> None:
        """Ends what is still open; sessions live on at the server."""
        with self._lock:
            streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.stop()
        self.aio._close_from()
        super().close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
