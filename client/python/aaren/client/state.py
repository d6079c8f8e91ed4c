"""SessionState: the client's half of one session. It does no input or output, and knows no thread and no loop.

    log.begin <= sent <= log.end    tokens kept, and the next to send on this stream
    acked <= sent                   the server's own next_seq, as this stream last told
    answered                        replies below it have come; above `acked` while the server catches up
    safe <= answered                replies below it have reached the application; the server is told

The rules are those of the C++ client (client/README.md). A connection carries items to and fro, one call at a time.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aaren.client.log import TokenLog
from aaren.client.options import DURABILITIES, MODES, EventOutput, SessionOptions
from aaren.errors import AarenError, Cancelled, FailedPrecondition, InvalidArgument
from aaren.times import Clock
from aaren.tokens import Shape, Tokens
from aaren.wire import stream_pb2 as wire

FIRST_TOKENS = 16  # in flight at first; doubled with every round trip, so that a broken stream gets ahead soon


_log = logging.getLogger("aaren")


def _guarded(hear: Callable[[str, Any], None], session_id: str) -> Callable[[str, Any], None]:
    """The application's on_event. Its first exception is logged; none ends the stream, which carries other sessions."""
    told = False

    def call(event: str, detail: Any) -> None:
        nonlocal told
        try:
            hear(event, detail)
        except Exception:
            if not told:
                _log.warning('session "%s": on_event raised at "%s"', session_id, event, exc_info=True)
            told = True

    return call


class Phase(Enum):
    WAITING = 0  # for a stream, or to be opened again on this one
    UNOPENED = 1  # the next item is Open
    OPENING = 2  # Open is sent
    OPEN = 3  # tokens flow
    CLOSING = 4  # Close is sent
    ENDED = 5


class Next(NamedTuple):
    """What the connection has to do after an item was handled."""

    retry: float = 0.0  # not 0: give up the handle, and open again after so many seconds
    close: bool = False  # the server still has the session open under this handle: tell it


class EventArrays(NamedTuple):
    """What forecasts of events have beside quantiles."""

    within: npt.NDArray[np.float32]  # [results, spans]
    marks: npt.NDArray[np.uint32]  # [results, marks], the likeliest first
    probabilities: npt.NDArray[np.float32]  # [results, marks]

    def part(self, rows: slice) -> EventArrays:
        return EventArrays(self.within[rows], self.marks[rows], self.probabilities[rows])


@dataclass
class Replies:
    """Forecasts that have come and were not taken yet; `at` is the next to be taken."""

    first: int
    every: int
    relative: npt.NDArray[np.float32]  # [results, channels, horizons, quantiles], relative to offsets
    offsets: npt.NDArray[np.float64]  # [results, channels]
    surprise: npt.NDArray[np.float32]  # [results, channels]
    learning: npt.NDArray[np.bool_]  # [results, channels]
    times: npt.NDArray[np.int64] | None
    steps: npt.NDArray[np.int64]  # [results], or one for all
    events: EventArrays | None = None
    at: int = 0

    @property
    def seq(self) -> int:
        return self.first + self.at * self.every

    def seqs(self) -> npt.NDArray[np.int64]:
        return self.first + np.arange(self.at, len(self)) * self.every

    def __len__(self) -> int:
        return len(self.relative)

    def values(self) -> npt.NDArray[np.float64]:
        """In the units of the series. The float next to -offset stands for 0."""
        offsets = self.offsets[:, :, None, None]
        values = self.relative + offsets
        values[self.relative == (-offsets).astype(np.float32)] = 0.0
        return values


class SessionState:
    """The application's side, and what both sides share. StreamSide adds the answers of the server."""

    def __init__(self, options: SessionOptions, server: str, hear: Callable[[str, Any], None]) -> None:
        self.options, self.server, self.hear = options, server, _guarded(hear, options.id)
        self.phase = Phase.WAITING
        self.past, self.future = options.past, options.future
        self.clock = Clock()  # of the latest token that was taken in
        self.opened: wire.Opened | None = None  # the latest answer to an Open
        self.channels = options.channels or 1
        self.horizons: tuple[int, ...] = ()
        self.levels: tuple[float, ...] = ()
        self.log = TokenLog(0, self.shape)
        self.handle = self.writer = self.number = 0
        self.sent = self.acked = self.ramp = self.answered = self.told = self.durable = 0
        self.floor = 0  # replies below it had reached an earlier life of the application
        self.last_reply_end = 0  # one past the last forecast that has come
        self.said = 0  # with `manual`: what delivered() said
        self.waited = 0.0  # for room, before it was ever open
        self.repairs = 0  # refusals since the server last made progress
        self.in_flight_limit = 1 << 62
        self.tokens_per_item = 1 << 30
        self.overdue_below = 0  # the application has heard of missing events below
        self.rewound = self.queued = False
        self.close_wanted = self.delete_wanted = self.delete_sent = False
        self.error: AarenError | None = None
        self.replies: deque[Replies] = deque()

    @property
    def shape(self) -> Shape:
        """Of the tokens; an event has a time and a mark, and no value."""
        channels = 0 if self.options.events is not None else self.channels
        return Shape(channels, self.past, self.future, len(self.horizons))

    def named(self, text: str) -> str:
        return f'session "{self.options.id}": {text}'

    @property
    def ended(self) -> bool:
        return self.phase is Phase.ENDED

    @property
    def ready(self) -> bool:
        """Whether it was ever open, so that the shape of its tokens is known."""
        return self.opened is not None

    def end_error(self) -> AarenError:
        return self.error or Cancelled(self.named("it is closed"))

    @property
    def safe(self) -> int:
        return max(self.floor, self._safe)

    @property
    def _safe(self) -> int:
        if not self.options.manual:
            return self.replies[0].seq if self.replies else self.answered
        said = min(self.said, max(self.answered, self.last_reply_end))
        return max(said, self.answered) if said >= self.last_reply_end else said

    @property
    def full(self) -> bool:
        end = self.log.end
        untaken = end - (self.replies[0].seq if self.replies else min(end, self.answered))
        in_flight = end - min(end, self.safe)
        return max(end - self.acked, untaken) >= self.options.window or in_flight >= self.in_flight_limit

    @property
    def flushed(self) -> bool:
        return not self.rewound and self.acked >= self.log.end and self.answered >= self.log.end

    @property
    def room(self) -> int:
        """How many more tokens the server may be sent."""
        in_flight = self.sent - min(self.sent, self.safe)
        return max(0, min(self.in_flight_limit - in_flight, self.ramp - (self.sent - self.acked)))

    @property
    def must_tell(self) -> bool:
        """The server holds back what it answers next until it knows that this reply has come."""
        every_token = self.opened is not None and self.opened.durability == wire.Open.EVERY_TOKEN
        return every_token and self.acked < self.sent and self.safe > self.told

    @property
    def sendable(self) -> bool:
        if self.phase is Phase.UNOPENED:
            return True
        if self.phase is not Phase.OPEN:
            return False
        if self.must_tell:
            return True
        return self.room > 0 if self.sent < self.log.end else self.close_wanted and self.flushed

    def take_in(self, tokens: Tokens, silent: bool) -> None:
        """Keeps tokens until they are answered. REQUIRES: ready, and not full."""
        if self.ended:
            raise self.end_error()
        if self.close_wanted:
            raise FailedPrecondition(self.named("tokens after close"))
        with np.errstate(over="ignore"):  # a value beyond the floats is refused, too
            infinite = np.argwhere(np.isinf(tokens.values.astype(np.float32)))
        if len(infinite):
            row, channel = infinite[0]
            raise InvalidArgument(self.named(f"row {row}, channel {channel}: the value is no 32-bit float; NaN marks a "
                                             "missing one"))  # fmt: skip
        self.log.append(tokens, silent)
        if tokens.times is not None:
            self.clock.advance(tokens.times)

    def drop_replies(self, first: int) -> None:
        """Drops forecasts below seq `first`: those of calls that were interrupted."""
        while self.replies and self.replies[0].seq < first:
            head = self.replies[0]
            head.at = min(len(head), head.at - (head.seq - first) // head.every)
            if head.at == len(head):
                self.replies.popleft()

    def take_out(self, most: int = 1) -> Replies | None:
        """The next forecasts, at most so many, as one piece; None if none has come."""
        if not self.replies:
            return None
        head = self.replies[0]
        end = min(len(head), head.at + most)
        rows = slice(head.at, end)
        piece = Replies(
            head.seq, head.every, head.relative[rows], head.offsets[rows], head.surprise[rows], head.learning[rows],
            None if head.times is None else head.times[rows], head.steps if len(head.steps) == 1 else head.steps[rows],
            head.events and head.events.part(rows),
        )  # fmt: skip
        head.at = end
        if end == len(head):
            self.replies.popleft()
        return piece

    @property
    def last_time_ns(self) -> int | None:
        return self.clock.time_ns

    def fill(self, item: wire.ClientItem, limits: wire.Limits, room: int) -> None:
        """Makes the next item of it. REQUIRES: sendable."""
        if self.phase is Phase.UNOPENED:
            self.in_flight_limit, self.tokens_per_item = limits.in_flight_tokens, limits.tokens_per_item
            self._fill_open(item.open)
        elif self.sent < self.log.end and self.room > 0:
            most = min(self.tokens_per_item, self.room, max(1, room // self.log.token_bytes))
            self.told = item.tokens.delivered_seq = self.safe
            item.tokens.handle = self.handle
            self.sent += self.log.copy_to(self.sent, most, item.tokens)
        elif self.must_tell:
            item.tokens.handle, item.tokens.first_seq = self.handle, self.acked
            self.told = item.tokens.delivered_seq = self.safe
        else:
            close = item.close
            close.handle, close.delete_session, close.delivered_seq = self.handle, self.delete_wanted, self.safe
            self.delete_sent = self.delete_wanted
            self.phase = Phase.CLOSING

    def _fill_open(self, open_: wire.Open) -> None:
        options = self.options
        open_.handle, open_.number, open_.writer = self.handle, self.number, self.writer
        open_.session_id, open_.model = options.id, options.model
        open_.mode = MODES.index(options.mode)  # type: ignore[assignment]
        # What the application asked for holds once: after a break the session is there, or is to be deleted still.
        if self.opened is not None and options.mode == "create":
            open_.mode = wire.Open.CREATE_OR_RESUME
        if self.delete_sent:
            open_.mode = wire.Open.RESUME
        if self.opened is not None:
            self.told = open_.delivered_seq = self.safe
        elif options.delivered_seq is not None:
            open_.delivered_seq = options.delivered_seq
        if options.incarnation is not None:
            open_.incarnation = options.incarnation
        open_.channels = options.channels
        open_.durability = DURABILITIES.index(options.durability)  # type: ignore[assignment]
        if options.past + options.future:
            open_.covariates.past, open_.covariates.future = options.past, options.future
        if options.profile:
            open_.profile = True
        output = open_.output
        output.horizons.extend(options.steps)
        output.quantiles.extend(options.quantiles)
        output.every, output.surprise, output.relative = options.every, True, options.events is None
        if options.events is not None:
            self._fill_events(open_, options.events)
        self.phase = Phase.OPENING

    def _fill_events(self, open_: wire.Open, events: EventOutput) -> None:
        open_.output.events.spans_s.extend(events.spans)
        open_.output.events.marks, open_.output.events.overdue = events.marks, events.overdue
        scale = open_.event_scale
        scale.unit_ns, scale.resolution_ns = round(events.unit * 1e9), round(events.resolution * 1e9)

    def end(self, error: AarenError | None) -> Next:
        """The session is over. Another writer has an aborted session: closing it would close the other's."""
        close = self.phase is Phase.OPEN and not (error is not None and error.code == "ABORTED")
        self.phase, self.error = Phase.ENDED, error
        return Next(close=close)
