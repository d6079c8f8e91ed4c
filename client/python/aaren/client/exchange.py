"""Exchange: the sessions of one stream, over all its calls. It does no input or output.

A transport (threads.py, loops.py) opens calls, writes what `outgoing` gives, hands each message to `receive`, and
connects again as `broken` says. Items of one session keep their order. What is ready leaves in one message.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable

from aaren.client.options import ClientOptions
from aaren.client.reconnect import By, Reconnect
from aaren.client.replies import StreamSide
from aaren.client.state import Next, Phase
from aaren.client.status import from_proto
from aaren.errors import AarenError, AlreadyExists, Internal, InvalidArgument, Unavailable
from aaren.wire import stream_pb2 as wire

_MOST_OPENING = 256  # Opens under way; tokens of open sessions would wait behind those of all others
_WRITE_BYTES = 128 << 10  # in one message
_WARY_ATTEMPTS = 3  # that go only to servers which are not leaving, after one has left
_LONGEST_DRAIN = 3600.0


class Exchange:
    """`changed` is called for each session that an item or a break has changed."""

    def __init__(
        self, options: ClientOptions, changed: Callable[[StreamSide], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self.options, self._changed, self._now = options, changed, now
        self.reconnect = Reconnect(options, now)
        self.sessions: dict[str, StreamSide] = {}
        self.given_up: tuple[AarenError, By] | None = None  # the transport cancels the call
        self.draining: float | None = None  # when a call that drains is given up
        self.welcomed = False
        self._writer, self._opens = random.getrandbits(63) | 1, 0
        self._wary = 0
        self._begin_call()

    def _begin_call(self) -> None:
        self._limits = wire.Limits()
        self._handles: dict[int, StreamSide] = {}
        self._next_handle = 0
        self._hello_due = True
        self._unopened: deque[StreamSide] = deque()
        self._opening: set[int] = set()
        self._ready: deque[StreamSide] = deque()
        self._closes: list[wire.Close] = []
        self._retries: list[tuple[float, StreamSide]] = []

    # The application's side.

    def add(self, session: StreamSide) -> None:
        """AlreadyExists if a session of that id is here."""
        if session.options.id in self.sessions:
            raise AlreadyExists(session.named("this client has it open"))
        if not self.sessions and not self.welcomed:
            self.reconnect.reset()  # the time without a session is no part of an outage
        self.sessions[session.options.id] = session
        if self.welcomed:
            self._attach(session)

    def enqueue(self, session: StreamSide) -> bool:
        """Notes that the session may have something to send. True if it has, and the transport is to be woken."""
        if session.queued or not session.sendable:
            return False
        session.queued = True
        self._ready.append(session)
        return True

    def remove(self, session: StreamSide) -> None:
        """Its owner has gone; the session lives on at the server. A Close may follow an Open without an answer."""
        opening = session.phase is Phase.OPENING
        then = session.end(session.error)
        self._follow(session, Next(close=then.close or opening))

    # The transport's side.

    def begin(self) -> tuple[float, bool]:
        """A call begins. Returns the seconds until Welcome must have come, and whether only serving servers will do."""
        self.welcomed, self.given_up, self.draining = False, None, None
        self._begin_call()
        wary = self._wary > 0
        self._wary -= wary
        return self.reconnect.begin(), wary

    def no_welcome(self) -> AarenError:
        return Unavailable(f"{self.options.target} did not say Welcome in time")

    def deadline(self) -> float | None:
        """When the transport has to look again, by the clock; None: when something happens."""
        times = [at for at, _ in self._retries] + ([] if self.draining is None else [self.draining])
        return min(times, default=None)

    def outgoing(self) -> wire.ClientMessage | None:
        """The next message to write, or None if there is nothing to send."""
        message = wire.ClientMessage()
        if self._hello_due:
            self._hello_due = False
            hello = message.items.add().hello
            hello.protocol_version, hello.client = 1, self.options.name
            return message
        if not self.welcomed or self.draining is not None:
            return None
        self._retry_due()
        room = min(_WRITE_BYTES, self._limits.message_bytes - 1024)
        for close in self._closes:
            message.items.add().close.CopyFrom(close)
        self._closes.clear()
        while self._unopened and len(self._opening) < _MOST_OPENING and room > 0:
            session = self._unopened.popleft()
            if self._handles.get(session.handle) is session:
                self._opening.add(session.handle)
                room -= self._fill(session, message, room)
        while self._ready and room > 0:
            room -= self._fill(self._ready.popleft(), message, room)
        return message if message.items else None

    def _fill(self, session: StreamSide, message: wire.ClientMessage, room: int) -> int:
        session.queued = False
        if not session.sendable:
            return 0
        item = message.items.add()
        try:
            session.fill(item, self._limits, room)
        except Exception as error:  # another attempt, with all sessions of the stream, would meet the same
            del message.items[-1]
            self._follow(session, session.end(InvalidArgument(session.named(f"no message holds it: {error}"))))
            return 0
        if session.sendable:
            session.queued = True
            self._ready.append(session)
        return item.ByteSize()

    def receive(self, message: wire.ServerMessage) -> None:
        for item in message.items:
            try:
                self._handle(item)
            except AarenError as error:
                self._give_up(error, By.LIE)

    def _give_up(self, error: AarenError, by: By) -> None:
        if self.given_up is None:
            self.given_up = error, by

    def _handle(self, item: wire.ServerItem) -> None:
        kind = item.WhichOneof("item")
        if kind == "forecasts":
            self.reconnect.on_progress()
            self._dispatch(item.forecasts.handle, lambda s: s.on_forecasts(item.forecasts))
        elif kind == "acked":
            self.reconnect.on_progress()
            self._dispatch(item.acked.handle, lambda s: s.on_acked(item.acked))
        elif kind == "opened":
            self._opening.discard(item.opened.handle)
            self._dispatch(item.opened.handle, lambda s: s.on_opened(item.opened))
        elif kind == "closed":
            self.reconnect.on_progress()
            self._dispatch(item.closed.handle, lambda s: s.on_closed(item.closed))
        elif kind == "overdue":
            self._dispatch(item.overdue.handle, lambda s: s.on_overdue(item.overdue))
        elif kind == "failed":
            self._on_failed(item.failed)
        elif kind == "welcome":
            self._on_welcome(item.welcome)
        elif kind == "draining":
            self._give_up(Unavailable("the server is shutting down"), By.DRAINING)
            self._wary = _WARY_ATTEMPTS
            self.draining = self._now() + min(max(0, item.draining.deadline_ms) / 1000, _LONGEST_DRAIN)

    def _on_welcome(self, welcome: wire.Welcome) -> None:
        if self.welcomed:
            return
        limits = welcome.limits
        if (
            min(limits.message_bytes, limits.tokens_per_item, limits.in_flight_tokens) < 1
            or limits.message_bytes < 2048
        ):
            raise Internal(f"server {self.options.target} says limits that cannot be: {limits}")
        self._limits, self.welcomed, self._wary = limits, True, 0
        self.reconnect.on_welcome()
        for session in self.sessions.values():
            self._attach(session)

    def _attach(self, session: StreamSide) -> None:
        if session.ended:
            return
        self._opens += 1
        session.attach(self._next_handle, self._writer, self._opens)
        session.queued = True
        self._handles[self._next_handle] = session
        self._next_handle += 1
        self._unopened.append(session)

    def _on_failed(self, failed: wire.Failed) -> None:
        if failed.HasField("handle"):
            self._opening.discard(failed.handle)
            self._dispatch(failed.handle, lambda s: s.on_failed(failed))
        else:
            self._give_up(from_proto(failed.status), By.REFUSAL)

    def _dispatch(self, handle: int, method: Callable[[StreamSide], Next]) -> None:
        if handle >= self._next_handle:
            raise Internal(f"server {self.options.target} answers under handle {handle}; only {self._next_handle} were "
                           "given")  # fmt: skip
        session = self._handles.get(handle)
        if session is not None:
            self._follow(session, method(session))

    def _follow(self, session: StreamSide, then: Next) -> None:
        if then.close:
            delivered = session.safe if session.ready else None
            self._closes.append(wire.Close(handle=session.handle, delivered_seq=delivered))
        if session.ended or then.retry:
            if self._handles.get(session.handle) is session:
                del self._handles[session.handle]
            self._opening.discard(session.handle)
        if then.retry:
            self._retries.append((self._now() + then.retry, session))
        if session.ended and self.sessions.get(session.options.id) is session:
            del self.sessions[session.options.id]
        self.enqueue(session)
        self._changed(session)

    def _retry_due(self) -> None:
        now = self._now()
        due = [session for at, session in self._retries if at <= now]
        self._retries = [(at, session) for at, session in self._retries if at > now]
        for session in due:
            self._attach(session)

    def broken(self, error: AarenError, by: By) -> float | None:
        """A call ended. Seconds until the next attempt; None: every session has ended with an error."""
        if self.given_up is not None:
            error, by = self.given_up
        verdict = self.reconnect.end(error, by)
        self.welcomed = False
        for session in list(self.sessions.values()):
            session.on_disconnected(error)
        if verdict is None:
            return self.reconnect.wait(error, by)
        self.end_all(verdict)
        return None

    def end_all(self, error: AarenError) -> None:
        for session in list(self.sessions.values()):
            self._follow(session, session.end(error))
        self.reconnect.reset()
