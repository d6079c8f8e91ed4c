"""StreamSide: what each answer of the server does to a session.

A number that cannot be ends the session with INTERNAL; so does a reply that was left out, which would shift all that
follow by one token, silently.
"""

from __future__ import annotations

import math

import numpy as np

from aaren.client.options import EventOutput
from aaren.client.state import FIRST_TOKENS, EventArrays, Next, Phase, Replies, SessionState
from aaren.client.status import from_proto
from aaren.errors import AarenError, Aborted, DataLoss, Internal, Unimplemented
from aaren.events import Overdue
from aaren.times import NO_TIME, Clock
from aaren.tokens import extension_of
from aaren.wire import stream_pb2 as wire

_MOST_SEQ = 1 << 62
_MOST_HORIZON = 1 << 20
_MOST_REPAIRS = 8  # a server that refuses the same tokens so often without taking any will not take them
_RETRY_DELAY = 1.0  # seconds, where the server does not say
# The arrays of a Forecasts, and those that may be left out.
_ARRAYS = {"values": "<f4", "surprise": "<f4", "offsets": "<f8", "learning": "u1", "times_ns": "<i8", "steps_ns": "<i8",
           "within": "<f4", "mark_probabilities": "<f4"}  # fmt: skip
_OPTIONAL = {"surprise", "offsets", "learning", "times_ns", "steps_ns"}


def _delay(error: AarenError) -> float:
    return max(0.001, _RETRY_DELAY if error.retry_after is None else error.retry_after)


def _clock_of(opened: wire.Opened) -> Clock:
    return Clock(opened.last_time_ns if opened.HasField("last_time_ns") else NO_TIME, opened.step_ns)


class StreamSide(SessionState):
    """Called by the connection alone."""

    def attach(self, handle: int, writer: int, number: int) -> None:
        """A new stream knows the session by `handle`; an answer to another Open than `number` is ignored."""
        self.handle, self.writer, self.number = handle, writer, number
        if not self.ended:
            self.phase = Phase.UNOPENED

    def on_disconnected(self, error: AarenError) -> None:
        if not self.ended:
            self.phase, self.queued = Phase.WAITING, False
            self.hear("disconnected", error)

    def on_opened(self, opened: wire.Opened) -> Next:
        if (opened.number and opened.number != self.number) or self.phase is not Phase.OPENING:
            return Next()
        if self.delete_sent:
            return self._delete_again(opened)
        try:
            self._check_opened(opened)
            lost = self._adopt_again(opened) if self.opened is not None else self._adopt_first(opened)
        except AarenError as error:
            self.phase = Phase.OPEN
            return self.end(error)
        if opened.next_seq > self.answered:
            lost = lost or (self.answered, opened.next_seq)
            self.answered = opened.next_seq
        self.opened, self.durable = opened, opened.durable_seq
        if lost:
            self.hear("lost", lost)
        self.hear("opened", opened)
        return self._go_on_from(opened.next_seq)

    def _check_opened(self, opened: wire.Opened) -> None:
        levels = [round(level, 6) for level in opened.model.quantiles]
        wanted = self.opened.channels if self.opened is not None else self.options.channels
        for what, possible in (
            (f"channels {opened.channels}", opened.channels >= 1 and wanted in (0, opened.channels)),
            (f"next_seq {opened.next_seq}", opened.next_seq <= _MOST_SEQ),
            (f"durable_seq {opened.durable_seq}", opened.durable_seq <= opened.next_seq),
            (f"step_ns {opened.step_ns}", opened.step_ns >= 0),
            (f"model.horizon {opened.model.horizon}", 1 <= opened.model.horizon <= _MOST_HORIZON),
            (f"model.quantiles {levels}", bool(levels) and levels[0] > 0 and levels[-1] < 1),
            (f"model.quantiles {levels}", levels == sorted(set(levels))),
        ):
            if not possible:
                raise Internal(self.named(f"server {self.server} says Opened.{what}, which cannot be"))
        self.channels = opened.channels
        self.past, self.future, profile = extension_of(opened.tier)
        if self.options.profile and not profile:
            raise Unimplemented(self.named(f"model {opened.model.name} of server {self.server} learns no profile"))
        own = 1 if self.options.events is not None else opened.model.horizon
        self.horizons = self.options.steps or tuple(range(1, own + 1))
        self.levels = tuple(round(level, 6) for level in self.options.quantiles) or tuple(levels)

    def _adopt_first(self, opened: wire.Opened) -> object:
        """Tokens that an earlier life had answers to are sent again by calls, which get their forecasts again."""
        delivered = opened.next_seq if self.options.delivered_seq is None else self.options.delivered_seq
        self.floor = delivered
        self.answered = self.said = min(delivered, opened.next_seq)
        self.log.reset(opened.next_seq, self.shape)
        self.clock = _clock_of(opened)
        return "session" if opened.created and delivered > opened.next_seq else None

    def _adopt_again(self, opened: wire.Opened) -> object:
        """After a break the session must be the one it was, or an empty one that is filled anew."""
        before = self.opened
        assert before is not None
        other = opened.created or opened.incarnation != before.incarnation
        if other and opened.next_seq > 0:
            raise Aborted(self.named(f"incarnation {before.incarnation} was replaced by {opened.incarnation}, which is "
                                     f"at seq {opened.next_seq}"))  # fmt: skip
        if opened.next_seq > self.log.end:
            raise Aborted(self.named(f"another writer sent tokens {self.log.end} .. {opened.next_seq - 1}"))
        return "session" if other else None

    def _delete_again(self, opened: wire.Opened) -> Next:
        """The stream broke between Close and Closed. A session that another client has made since is left alone."""
        assert self.opened is not None
        self.phase = Phase.OPEN
        if opened.incarnation != self.opened.incarnation:
            return self.end(None)
        self.sent = self.acked = self.log.end
        return Next()

    def _go_on_from(self, seq: int) -> Next:
        """Tokens that are still in the log are sent again from there; older ones only the application can bring."""
        self.phase = Phase.OPEN
        if seq < self.log.begin:
            if not self.options.rewindable:
                return self.end(DataLoss(self.named(f"the server needs tokens {seq} .. {self.log.begin - 1} again, and "
                                                    "they are gone")))  # fmt: skip
            self.log.reset(seq, self.shape)
            opened = self.opened
            self.clock = _clock_of(opened) if opened is not None and opened.next_seq == seq else Clock()
            self.rewound = True
            # Who sends a token again in a call wants the call's forecast again.
            self.answered = self.said = self.last_reply_end = seq
            self.replies.clear()
        self.sent = self.acked = seq
        self.ramp = FIRST_TOKENS
        return Next()

    def _due(self, seq: int) -> int:
        """The first seq from `seq` on at which a forecast is due."""
        return -(-seq // self.options.every) * self.options.every

    def _check_answered(self, replies_from: int, next_seq: int, durable_seq: int) -> None:
        if max(next_seq, durable_seq) > self.sent:
            raise Internal(self.named(f"server {self.server} says next_seq {next_seq}, durable_seq {durable_seq}; "
                                      f"{self.sent} tokens were sent"))  # fmt: skip
        asking = self.log.first_asking(self.answered, replies_from, self.options.every)
        if asking < replies_from:
            raise Internal(self.named(f"server {self.server} left out its reply to token {asking}"))

    def on_forecasts(self, item: wire.Forecasts) -> Next:
        if self.phase is not Phase.OPEN:
            return Next()
        try:
            self._check_answered(item.first_seq, item.next_seq, item.durable_seq)
            replies = self._replies(item)
        except AarenError as error:
            return self.end(error)
        # Replies from before a break are the same, since steps are bit-identical: they are not handed over again.
        replies.at = max(0, -(-(self.answered - replies.first) // replies.every))
        if replies.at < len(replies):
            self.last_reply_end = replies.first + (len(replies) - 1) * replies.every + 1
            self.replies.append(replies)
        return self._advance(item.next_seq, item.durable_seq)

    def _replies(self, item: wire.Forecasts) -> Replies:
        every, first = self.options.every, self._due(item.first_seq)
        results = max(0, (self._due(item.next_seq) - first) // every)
        shape = results, self.channels, len(self.horizons), len(self.levels)
        arrays = {name: np.frombuffer(getattr(item, name), kind) for name, kind in _ARRAYS.items()}
        sizes = {name: array.size for name, array in arrays.items()}
        by_channel, optional = results * self.channels, {"times_ns": results, "steps_ns": results}
        wanted = {"values": math.prod(shape), "surprise": by_channel, "offsets": by_channel, "learning": by_channel}
        asked = self.options.events or EventOutput()
        wanted |= {"within": results * len(asked.spans), "mark_probabilities": results * asked.marks}
        arrays["marks"] = np.array(item.marks, np.uint32)
        sizes["marks"], wanted["marks"] = len(item.marks), results * asked.marks
        for name, size in (wanted | optional).items():
            if sizes[name] != size and not (sizes[name] == 0 and name in _OPTIONAL):
                tokens = f"{item.first_seq} .. {item.next_seq} (excluded)"
                raise Internal(self.named(f"server {self.server} says that a reply to tokens {tokens} has "
                                          f"{sizes[name]} {name}; {size} expected"))  # fmt: skip
        surprise = arrays["surprise"]
        if surprise.size and not np.all(np.isnan(surprise) | ((surprise >= 0) & (surprise <= 1))):
            raise Internal(self.named(f"server {self.server} says a surprise that is not between 0 and 1"))
        flat = results, self.channels
        return Replies(
            first, every, arrays["values"].reshape(shape),
            arrays["offsets"].reshape(flat) if sizes["offsets"] else np.zeros(flat),
            surprise.reshape(flat) if sizes["surprise"] else np.full(flat, np.nan, np.float32),
            arrays["learning"].reshape(flat) != 0 if sizes["learning"] else np.zeros(flat, bool),
            arrays["times_ns"] if sizes["times_ns"] else None,
            arrays["steps_ns"] if sizes["steps_ns"] else np.array([item.step_ns]),
            None if self.options.events is None else EventArrays(
                arrays["within"].reshape(results, len(asked.spans)),
                arrays["marks"].reshape(results, asked.marks),
                arrays["mark_probabilities"].reshape(results, asked.marks),
            ),
        )  # fmt: skip

    def on_overdue(self, item: wire.Overdue) -> Next:
        """No event has come in time: told once, and only if no event was sent meanwhile."""
        if self.phase is Phase.OPEN and self.overdue_below <= item.next_seq == self.answered == self.log.end:
            self.overdue_below = item.next_seq + 1
            self.hear("overdue", Overdue(item.next_seq, item.time_ns, item.probability))
        return Next()

    def on_acked(self, item: wire.Acked) -> Next:
        if self.phase is not Phase.OPEN:
            return Next()
        try:
            self._check_answered(item.next_seq, item.next_seq, item.durable_seq)
        except AarenError as error:
            return self.end(error)
        return self._advance(item.next_seq, item.durable_seq)

    def _advance(self, next_seq: int, durable_seq: int) -> Next:
        if next_seq > self.acked:
            self.repairs = 0
            self.ramp += next_seq - self.acked
            self.acked = next_seq
        self.answered = max(self.answered, next_seq)
        self.said = max(self.said, self.safe) if self.options.manual else self.said
        settled = min(self.acked, self.safe)
        old = settled - min(settled, self.options.retain)
        # Between two values of durable_seq the server may have to go back to the older one.
        durable = durable_seq if settled >= durable_seq else self.durable if settled >= self.durable else 0
        self.durable = durable_seq
        self.log.drop_below(max(old, durable))
        return Next()

    def on_closed(self, item: wire.Closed) -> Next:
        if self.phase is Phase.CLOSING:
            return self.end(None)
        return self.end(Internal(self.named(f"server {self.server} says Closed at seq {item.next_seq}, unasked")))

    def on_failed(self, item: wire.Failed) -> Next:
        if item.HasField("open_number") and item.open_number != self.number:
            return Next()
        error = from_proto(item.status, self.named(""))
        if self.phase is Phase.OPENING:
            return self._on_open_failed(error)
        return self._on_tokens_failed(error, item.expected_seq)

    def _on_open_failed(self, error: AarenError) -> Next:
        """A session that was ever open waits for room as long as it takes: its application has tokens in flight."""
        if error.code == "NOT_FOUND" and self.delete_sent:
            return self.end(None)  # the delete was done, and only its answer was lost
        again = error.code == "UNAVAILABLE"
        if error.code == "RESOURCE_EXHAUSTED":
            self.waited += _delay(error)
            again = self.opened is not None or (
                error.retry_after is not None and self.waited <= self.options.open_timeout
            )
        if not again:
            return self.end(error)
        self.hear("waiting", error)
        self.phase, self.queued = Phase.WAITING, False
        return Next(retry=_delay(error))

    def _on_tokens_failed(self, error: AarenError, expected_seq: int) -> Next:
        """A gap is the server's after a break; whatever else it refuses will be refused again, but for lack of room."""
        retryable = error.code in ("UNAVAILABLE", "RESOURCE_EXHAUSTED")
        repairable = retryable or (error.code == "OUT_OF_RANGE" and expected_seq <= self.log.end)
        room_comes = error.code == "UNAVAILABLE" or error.reason == "SET_ASIDE"
        if not room_comes:
            self.repairs += 1
        if not repairable or self.repairs > _MOST_REPAIRS:
            return self.end(error)
        if not retryable:
            return self._go_on_from(expected_seq)
        self.phase, self.queued = Phase.WAITING, False
        return Next(retry=_delay(error), close=True)
