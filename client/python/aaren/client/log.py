"""TokenLog: a session's latest tokens, those not sent yet and those that the server may ask for again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.wire.stream_pb2 import Tokens

_RECLAIM = 1 << 16  # bytes of dropped tokens below which the others are not moved


class TokenLog:
    """Tokens begin .. end - 1 as packed bytes, so that a range becomes a message by one copy for each column."""

    def __init__(self, seq: int = 0, channels: int = 1) -> None:
        self.reset(seq, channels)

    def reset(self, seq: int, channels: int) -> None:
        """Forgets all tokens; the next one is `seq`."""
        self.begin = self.end = seq
        self.channels = channels
        self.timed: bool | None = None  # whether tokens have times; the first batch says
        self._head = seq  # the token at the first byte
        self._values, self._times, self._silent = bytearray(), bytearray(), bytearray()

    def append(self, values: npt.NDArray[np.float64], times: npt.NDArray[np.int64] | None, silent: bool) -> None:
        """Takes `values` [n, channels] with their times. InvalidArgument if some tokens have times and others none."""
        if self.timed is None:
            self.timed = times is not None
        if self.timed != (times is not None):
            raise InvalidArgument(f"token {self.end}: either every token of a session has a time, or none")
        self._values += values.tobytes()
        if times is not None:
            self._times += times.tobytes()
        self._silent += bytes([silent]) * len(values)
        self.end += len(values)

    def drop_below(self, seq: int) -> None:
        self.begin = max(self.begin, min(seq, self.end))
        rows = self.begin - self._head
        if rows * self.token_bytes < _RECLAIM or rows * 2 < self.end - self._head:
            return
        del self._values[: rows * 8 * self.channels]
        del self._times[: rows * 8 if self.timed else 0]
        del self._silent[:rows]
        self._head = self.begin

    @property
    def token_bytes(self) -> int:
        return 8 * self.channels + (8 if self.timed else 0)

    def copy_to(self, seq: int, most: int, out: Tokens) -> int:
        """Puts tokens from `seq` on into `out`, as many as `most` and one flag `silent` allow; returns the number."""
        row = seq - self._head
        end = row + min(most, self.end - seq)
        flag = self._silent[row]
        other = self._silent.find(1 - flag, row, end)
        if other >= 0:
            end = other
        out.first_seq = seq
        out.silent = bool(flag)
        width = 8 * self.channels
        out.doubles = bytes(memoryview(self._values)[row * width : end * width])
        if self.timed:
            out.times_ns = bytes(memoryview(self._times)[row * 8 : end * 8])
        return end - row

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
