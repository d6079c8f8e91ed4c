"""TokenLog: a session's latest tokens, those not sent yet and those that the server may ask for again."""

from __future__ import annotations

import numpy as np

from aaren.errors import InvalidArgument
from aaren.tokens import Shape, Tokens
from aaren.wire import stream_pb2 as wire

_RECLAIM = 1 << 16  # bytes of dropped tokens below which the others are not moved


class TokenLog:
    """Tokens begin .. end - 1 as packed bytes, so that a range becomes a message by one copy for each column."""

    def __init__(self, seq: int, shape: Shape) -> None:
        self.reset(seq, shape)

    def reset(self, seq: int, shape: Shape) -> None:
        """Forgets all tokens; the next one is `seq`."""
        self.begin = self.end = seq
        self.shape = shape
        self.timed: bool | None = None  # whether tokens have times; the first batch says
        self._head = seq  # the token at the first byte
        # The columns of a message, and the bytes that a token has of each.
        self._widths = {"doubles": 8 * shape.channels, "times_ns": 0, "covariates": 4 * shape.covariates, "marks": 0}
        self._columns = {name: bytearray() for name in self._widths}
        self._silent = bytearray()
        self._ahead: dict[int, bytes] = {}  # future covariates by token: none of a silent one, for they take much room

    def append(self, tokens: Tokens, silent: bool) -> None:
        """Takes tokens. InvalidArgument if some tokens have times and others none."""
        count, timed = len(tokens.values), tokens.times is not None
        if self.timed is None:
            self.timed = timed
            self._widths["times_ns"] = 8 if timed else 0
            self._widths["marks"] = 0 if tokens.marks is None else 4
        if self.timed != timed:
            raise InvalidArgument(f"token {self.end}: either every token of a session has a time, or none")
        arrays = {"doubles": tokens.values, "times_ns": tokens.times, "covariates": tokens.X, "marks": tokens.marks}
        for name, array in arrays.items():
            if array is not None:
                self._columns[name] += array.tobytes()
        if self.shape.future and not silent:
            unknown = np.full((count, self.shape.steps, self.shape.future), np.nan, np.float32)
            ahead = unknown if tokens.ahead is None else tokens.ahead
            self._ahead |= {self.end + i: one.tobytes() for i, one in enumerate(ahead)}
        self._silent += bytes([silent]) * count
        self.end += count

    def drop_below(self, seq: int) -> None:
        old, self.begin = self.begin, max(self.begin, min(seq, self.end))
        if self._ahead:
            for dropped in range(old, self.begin):
                self._ahead.pop(dropped, None)
        rows = self.begin - self._head
        if rows * self.token_bytes < _RECLAIM or rows * 2 < self.end - self._head:
            return
        for name, width in self._widths.items():
            del self._columns[name][: rows * width]
        del self._silent[:rows]
        self._head = self.begin

    @property
    def token_bytes(self) -> int:
        return sum(self._widths.values()) + 4 * self.shape.steps * self.shape.future

    def copy_to(self, seq: int, most: int, out: wire.Tokens) -> int:
        """Puts tokens from `seq` on into `out`, as many as `most` and one flag `silent` allow; returns the number."""
        row = seq - self._head
        end = row + min(most, self.end - seq)
        flag = self._silent[row]
        other = self._silent.find(1 - flag, row, end)
        if other >= 0:
            end = other
        out.first_seq = seq
        out.silent = bool(flag)
        for name in ("doubles", "times_ns", "covariates"):
            if self._widths[name]:
                setattr(out, name, self._bytes(name, row, end))
        if self._widths["marks"]:
            out.marks.extend(np.frombuffer(self._bytes("marks", row, end), np.uint32).tolist())
        if self.shape.future and not flag:
            out.future_values = b"".join(self._ahead[self._head + i] for i in range(row, end))
        return end - row

    def _bytes(self, name: str, row: int, end: int) -> bytes:
        width = self._widths[name]
        return bytes(memoryview(self._columns[name])[row * width : end * width])

    def first_asking(self, begin: int, end: int, every: int) -> int:
        """The first seq in begin .. end - 1 that asks for a forecast; `end` if none does. Dropped tokens ask nobody."""
        seq = -(-max(begin, self.begin) // every) * every
        while seq < end and seq < self.end:
            if not self._silent[seq - self._head]:
                return seq
            if every == 1:  # to the next that is not silent
                found = self._silent.find(0, seq - self._head, min(end, self.end) - self._head)
                return end if found < 0 else found + self._head
            seq += every
        return min(seq, end)
