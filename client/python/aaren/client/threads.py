"""ThreadStream: an exchange on a thread, over gRPC's blocking interface."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import grpc

from aaren.client.apart import Apart
from aaren.client.exchange import Exchange
from aaren.client.options import ClientOptions
from aaren.client.reconnect import By
from aaren.client.replies import StreamSide
from aaren.client.status import from_exception
from aaren.errors import AarenError, Cancelled, Unavailable
from aaren.wire import stream_pb2 as wire

METHOD = "/aaren.v1.Streaming/Stream"
PARTING = 2.0  # seconds in which a server that was told of the end has to end the call


class ThreadStream:
    """The lock guards the exchange and its sessions.

    Ctrl-C may raise an exception at any line of Python in the application's thread, and so in a Condition, which is
    written in Python: then the lock stays held, or is not held where it should be. So applications take the lock alone,
    and wait for an answer by a lock of their own, which this stream's thread releases.
    """

    def __init__(self, options: ClientOptions, number: int) -> None:
        self._options, self._number = options, number
        self.lock = threading.RLock()
        self._waiters = list[threading.Lock]()  # of applications
        self._changed = threading.Condition(self.lock)  # for this stream's thread
        self._write = threading.Condition(self.lock)  # the writer's own, so that an answer wakes no writer
        self.exchange = Exchange(options, lambda session: self._tell())
        self._thread: threading.Thread | None = None
        self._call: grpc.Call | None = None
        self._stopped = False
        self.apart = Apart(self._wake)

    def add(self, session: StreamSide) -> None:
        with self.lock:
            if self._stopped:
                raise Cancelled("the client is closed")
            self.exchange.add(session)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"aaren-{self._number}", daemon=True)
                self._thread.start()
            self._write.notify_all()
            self._changed.notify_all()

    def enqueue(self, session: StreamSide) -> None:
        """REQUIRES: the lock is held."""
        if self.exchange.enqueue(session):
            self._write.notify_all()

    def remove(self, session: StreamSide) -> None:
        with self.lock:
            if not session.ended:
                self.exchange.remove(session)
                self._write.notify_all()

    def waiter(self) -> threading.Lock:
        """A lock to wait for, which the next answer releases. REQUIRES: the lock is held."""
        waiter = threading.Lock()
        waiter.acquire()
        self._waiters.append(waiter)
        return waiter

    def _wake(self) -> None:
        with self.lock:
            self._tell()

    def _tell(self) -> None:
        """Wakes all who wait for an answer. REQUIRES: the lock is held."""
        while self._waiters:
            self._waiters.pop().release()

    def leave(self) -> None:
        """Ends all sessions. Their Closes are the last that is sent: so the server knows that nobody has them open."""
        with self.lock:
            self._stopped = True
            self._end(Cancelled("the client was closed"))
            self._changed.notify_all()
            self._write.notify_all()
        self.apart.stop()

    def stop(self, until: float) -> None:
        """After `leave`: waits for the server to end the call, until that time of the clock, and else cancels."""
        thread = None if self._thread is threading.current_thread() else self._thread
        try:
            if thread is not None and self.exchange.welcomed:
                thread.join(max(0.0, until - time.monotonic()))
        finally:
            with self.lock:
                if self._call is not None:
                    self._call.cancel()
        if thread is not None:
            thread.join(10)

    def _run(self) -> None:
        while not self._stopped:
            try:
                self._round()
            except BaseException as error:  # calls wait for this thread: whatever is raised ends sessions, no thread
                self._end(from_exception(error))
        self._end(Cancelled("the client was closed"))

    def _end(self, error: AarenError) -> None:
        with self.lock:
            self.exchange.end_all(error)
            self._tell()

    def _round(self) -> None:
        """Waits for a session, makes one call, and rests for as long as the exchange says."""
        with self.lock:
            self._changed.wait_for(lambda: self._stopped or self.exchange.sessions)
            if self._stopped:
                return
            patience, wary = self.exchange.begin()
        error = self._run_call(patience, wary)
        with self.lock:
            wait = self.exchange.broken(error, By.STREAM)
            self._tell()
            self._write.notify_all()
            if wait:
                self._changed.wait_for(lambda: self._stopped, wait)

    def _run_call(self, patience: float, wary: bool) -> AarenError:
        try:
            credentials, arguments = self._options.fresh_credentials(), self._options.arguments(wary)
            target = self._options.target
            with (
                grpc.secure_channel(target, credentials, arguments)
                if credentials
                else grpc.insecure_channel(target, arguments)
            ) as channel:
                return self._talk(channel, patience)
        except Exception as error:
            return from_exception(error)

    def _talk(self, channel: grpc.Channel, patience: float) -> AarenError:
        timer = threading.Timer(min(patience, threading.TIMEOUT_MAX), self._no_welcome)
        timer.daemon = True
        over = threading.Event()
        try:
            headers = [*self._options.headers(), ("aaren-stream", str(self._number))]
            stream = channel.stream_stream(
                METHOD,
                request_serializer=wire.ClientMessage.SerializeToString,
                response_deserializer=wire.ServerMessage.FromString,
            )
            call = stream(self._requests(over), metadata=headers, wait_for_ready=True)
            with self.lock:
                self._call = call
                if self._stopped:
                    call.cancel()
            timer.start()
            for message in call:
                with self.lock:
                    self.exchange.receive(message)
                    if self.exchange.welcomed:
                        timer.cancel()
                    if self.exchange.given_up and self.exchange.draining is None:
                        call.cancel()
                    self._tell()
                    self._write.notify_all()
            return Unavailable("the server ended the stream")
        finally:
            timer.cancel()
            over.set()
            with self.lock:
                self._call = None
                self._write.notify_all()

    def _no_welcome(self) -> None:
        with self.lock:
            if not self.exchange.welcomed and self._call is not None:
                self.exchange.given_up = self.exchange.no_welcome(), By.CLIENT
                self._call.cancel()

    def _requests(self, over: threading.Event) -> Iterator[wire.ClientMessage]:
        """Messages as they become ready; gRPC asks for the next when it has sent the one before."""
        while True:
            with self.lock:
                message = None
                while message is None:
                    if over.is_set():
                        return
                    message = self.exchange.outgoing()
                    if message is None:
                        if self._stopped or self.exchange.draining is not None:
                            return  # half-closed: the server answers what it has
                        at = self.exchange.deadline()
                        self._write.wait(None if at is None else max(0.001, at - time.monotonic()))
            yield message
