"""LoopStream: an exchange on an asyncio loop, over grpc.aio."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc

from aaren.client.exchange import Exchange
from aaren.client.options import ClientOptions
from aaren.client.reconnect import By
from aaren.client.replies import StreamSide
from aaren.client.status import from_exception
from aaren.client.threads import METHOD, PARTING
from aaren.errors import AarenError, Cancelled, FailedPrecondition, Unavailable
from aaren.wire import stream_pb2 as wire

# gRPC's last events of a cancelled call come from a thread of its own. Where the loop is closed by then, gRPC prints
# "Event loop is closed" for each, from whatever loop runs next.
_SETTLING = 0.05


class LoopStream:
    """All of it runs on the loop that made it; nothing is locked."""

    def __init__(self, options: ClientOptions, number: int) -> None:
        self._options, self._number = options, number
        self._loop = asyncio.get_running_loop()
        self.exchange = Exchange(options, lambda session: self.notify())
        self._waiters: list[asyncio.Future[None]] = []
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def check_loop(self) -> None:
        """FailedPrecondition on any other loop, where a call would wait for ever."""
        if asyncio.get_running_loop() is not self._loop:
            raise FailedPrecondition("another event loop uses this client; each loop needs a client of its own, or "
                                     "await client.aio.close() between two loops")  # fmt: skip

    def notify(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def pulse(self, timeout: float | None = None) -> None:
        """Until something has changed."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await asyncio.wait([waiter], timeout=timeout)

    def add(self, session: StreamSide) -> None:
        if self._stopped:
            raise Cancelled("the client is closed")
        self.exchange.add(session)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=f"aaren-{self._number}")
        self.notify()

    def enqueue(self, session: StreamSide) -> None:
        if self.exchange.enqueue(session):
            self.notify()

    def remove(self, session: StreamSide) -> None:
        if not session.ended:
            self.exchange.remove(session)

    async def stop(self) -> None:
        self._stopped = True
        self.exchange.end_all(Cancelled("the client was closed"))
        self.notify()
        if self._task is not None:
            if self.exchange.welcomed:
                await asyncio.wait([self._task], timeout=PARTING)
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while not self._stopped:
            try:
                await self._round()
            except Exception as error:  # calls wait for this task: whatever is raised ends sessions, no task
                self.exchange.end_all(from_exception(error))

    async def _round(self) -> None:
        """Waits for a session, makes one call, and rests for as long as the exchange says."""
        if not self.exchange.sessions:
            return await self.pulse()
        patience, wary = self.exchange.begin()
        error = await self._run_call(patience, wary)
        wait = self.exchange.broken(error, By.STREAM)
        self.notify()
        if wait:
            await asyncio.sleep(0.0 if self._stopped else wait)

    async def _run_call(self, patience: float, wary: bool) -> AarenError:
        try:
            credentials, arguments = self._options.fresh_credentials(), self._options.arguments(wary)
            target = self._options.target
            channel = (
                grpc.aio.secure_channel(target, credentials, arguments)
                if credentials
                else grpc.aio.insecure_channel(target, arguments)
            )
            async with channel:
                return await self._talk(channel, patience)
        except asyncio.CancelledError:
            await asyncio.sleep(_SETTLING)
            raise
        except Exception as error:
            return from_exception(error)

    async def _talk(self, channel: grpc.aio.Channel, patience: float) -> AarenError:
        writer: asyncio.Task[None] | None = None
        try:
            headers = [*self._options.headers(), ("aaren-stream", str(self._number))]
            stream = channel.stream_stream(
                METHOD,
                request_serializer=wire.ClientMessage.SerializeToString,
                response_deserializer=wire.ServerMessage.FromString,
            )
            call = stream(metadata=headers, wait_for_ready=True)
            writer = asyncio.create_task(self._pump(call))
            async with asyncio.timeout(patience) if hasattr(asyncio, "timeout") else _Timeout(patience) as limit:
                message = await call.read()
                while message is not grpc.aio.EOF:
                    self.exchange.receive(message)
                    if self.exchange.welcomed:
                        limit.reschedule(None)
                    self.notify()
                    if self.exchange.given_up and self.exchange.draining is None:
                        break
                    message = await call.read()
            return Unavailable("the server ended the stream")
        except (TimeoutError, asyncio.TimeoutError):
            return self.exchange.no_welcome()
        finally:
            if writer is not None:
                writer.cancel()
                await asyncio.wait([writer])

    async def _pump(self, call: Any) -> None:
        try:
            while True:
                message = self.exchange.outgoing()
                if message is not None:
                    await call.write(message)
                elif self._stopped or self.exchange.draining is not None:
                    return await call.done_writing()  # type: ignore[no-any-return]
                else:
                    at = self.exchange.deadline()
                    await self.pulse(None if at is None else max(0.001, at - time.monotonic()))
        except grpc.aio.AioRpcError:
            return  # the reader learns why
        except asyncio.InvalidStateError:
            return


class _Timeout:
    """asyncio.timeout of Python 3.10: for the Welcome alone."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def __aenter__(self) -> _Timeout:
        task = asyncio.current_task()
        assert task is not None
        self._expired = False
        self._handle = asyncio.get_running_loop().call_later(self._seconds, self._expire, task)
        return self

    def _expire(self, task: asyncio.Task[Any]) -> None:
        self._expired = True
        task.cancel()

    def reschedule(self, when: float | None) -> None:
        self._handle.cancel()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._handle.cancel()
        if self._expired and kind is asyncio.CancelledError:
            raise TimeoutError
