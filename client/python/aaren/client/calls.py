"""SessionCalls: what the calls of a session on a server do, for threads and for asyncio alike.

A call is a generator. It yields each condition that has to hold before it goes on, and returns the call's result; the
shell around it waits in its own way: remote.py on the condition of a lock, aio.py on the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Generic, TypeAlias, TypeVar

from aaren.client.replies import StreamSide
from aaren.client.state import Replies
from aaren.errors import OutOfRange
from aaren.tokens import Tokens

CHUNK = 256  # tokens that go into the log at once

T = TypeVar("T")
One = TypeVar("One")  # a forecast
All = TypeVar("All")  # forecasts of many tokens
Condition: TypeAlias = Callable[[], bool]
Steps: TypeAlias = Generator[Condition, None, T]
Make: TypeAlias = Callable[[], Tokens]  # of what a call was given, once the session's shape is known


class SessionCalls(Generic[One, All]):
    """`enqueue` tells the stream that the session may have something to send."""

    def __init__(self, state: StreamSide, enqueue: Callable[[StreamSide], None]) -> None:
        self._state, self._enqueue = state, enqueue

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
    def levels(self) -> tuple[float, ...]:
        return self._state.levels

    @property
    def created(self) -> bool:
        """Whether there was no session of this id before."""
        return self._state.opened is not None and self._state.opened.created

    def _all(self, pieces: list[Replies]) -> All:
        """All forecasts of the pieces, one after the other."""
        raise NotImplementedError

    def _one(self, piece: Replies) -> One:
        """The first forecast of a piece."""
        raise NotImplementedError

    def _point(self, point: Any) -> Make:
        """A point of `stream`."""
        raise NotImplementedError

    def _may_go_on(self, done: Condition) -> bool:
        return self._state.ended or self._state.rewound or done()

    def _check(self, done: Condition) -> None:
        """After a wait: raises what has ended the session, or wants tokens again."""
        state = self._state
        if state.ended and not done():
            raise state.end_error()
        if state.rewound:
            state.rewound = False
            raise OutOfRange(state.named(f"tokens are wanted from seq {state.log.end}"))

    def _has_room(self, first: int) -> bool:
        """Whether tokens may be sent. Forecasts that nobody takes fill the window."""
        self._drop(first)
        return not self._state.full

    def _has_replies(self, first: int) -> bool:
        self._drop(first)
        return bool(self._state.replies)

    def _drop(self, first: int) -> None:
        """Forecasts below `first` are of calls that were interrupted: nobody waits for them any more."""
        if self._state.replies and self._state.replies[0].seq < first:
            self._state.drop_replies(first)
            self._enqueue(self._state)

    def _send(self, make: Make, silent: bool, first: int) -> Steps[None]:
        """Sends tokens as the window has room. InvalidArgument, naming the row, for a time that goes back."""
        state, tokens = self._state, make()
        if tokens.times is not None:
            state.clock.check(tokens.times)
        for at in range(0, len(tokens.values), CHUNK):
            yield lambda: self._has_room(first)
            state.take_in(tokens.part(slice(at, at + CHUNK)), silent)
            self._enqueue(state)

    def _next(self, first: int, most: int = 1) -> Steps[Replies]:
        """The next forecasts from `first` on."""
        yield lambda: self._has_replies(first)
        piece = self._state.take_out(most)
        assert piece is not None
        self._enqueue(self._state)
        return piece

    def _updating(self, make: Make) -> Steps[One]:
        yield lambda: self._has_room(self.seq)
        first = self.seq
        yield from self._send(make, False, first)
        return self._one((yield from self._next(first)))

    def _running(self, make: Make, silent: bool) -> Steps[All]:
        pieces = list[Replies]()
        first, every = self.seq, self._state.options.every
        for _ in self._send(make, silent, first):
            yield lambda: self._has_room(first) or self._has_replies(first)
            while not self._has_room(first):
                pieces.append((yield from self._next(first, CHUNK)))
                yield lambda: self._has_room(first) or self._has_replies(first)
        due = 0 if silent else -(-self.seq // every) - -(-first // every)
        while (got := sum(map(len, pieces))) < due:
            pieces.append((yield from self._next(first, due - got)))
        return self._all(pieces)

    def _flushing(self) -> Steps[None]:
        yield lambda: self._state.flushed

    def _closing(self, delete: bool) -> Steps[None]:
        state = self._state
        if not state.ended:
            state.close_wanted, state.delete_wanted = True, delete
            self._enqueue(state)
            yield lambda: state.ended
        if state.error is not None and state.error.code != "CANCELLED":
            raise state.error
