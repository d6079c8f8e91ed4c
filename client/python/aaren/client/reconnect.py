"""Reconnect: how long an attempt may take, whether there is another one, and how long to wait for it.

Waits begin anew with progress: replies, or a stream that outlived the wait before it. So a server that welcomes every
stream and soon breaks it gets longer and longer rests.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from enum import Enum

from aaren.client.options import ClientOptions
from aaren.errors import AarenError, Unavailable


class By(Enum):
    """Who ended a call."""

    STREAM = 0  # it broke, or the server ended it
    REFUSAL = 1  # the server refused what this client did, and said so
    LIE = 2  # the server said what cannot be
    CLIENT = 3  # this side gave it up
    DRAINING = 4  # the server is leaving, and said so in time


_FINAL = {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED"}
_MULTIPLIER, _JITTER = 1.6, 0.25


def is_final(error: AarenError, by: By) -> bool:
    """Whether another attempt would only meet the same."""
    if by is By.LIE:
        return True
    if error.retry_after is not None:
        return False
    return error.code in _FINAL or (error.code == "RESOURCE_EXHAUSTED" and by is By.REFUSAL)


class Reconnect:
    def __init__(
        self, options: ClientOptions, now: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        self._options, self._now, self._chance = options, now, chance
        self.reset()

    def reset(self) -> None:
        """As new: there is nobody to connect for."""
        self._ever = self._welcomed = self._progress = False
        self._down: float | None = None
        self._up = float("inf")
        self._waited = 0.0
        self._nominal = self._options.backoff[0]

    def begin(self) -> float:
        """An attempt begins. Returns the seconds in which the server has to say Welcome."""
        self._welcomed = self._progress = False
        self._up = float("inf")
        if self._down is None:
            self._down = self._now()
        return max(0.0, min(self._options.welcome_timeout, self._left()))

    def on_welcome(self) -> None:
        self._welcomed = self._ever = True
        self._down = None
        self._up = self._now()

    def on_progress(self) -> None:
        self._progress = True

    def end(self, error: AarenError, by: By) -> AarenError | None:
        """The attempt ended. None: there will be another; else what ends the sessions."""
        now = self._now()
        if self._progress or now - self._up > self._waited:
            self._nominal = self._options.backoff[0]
        if self._welcomed or self._down is None:
            self._down = now
        if is_final(error, by):
            return error
        if self._left() > 0:
            return None
        return Unavailable(f"no connection to {self._options.target} for {now - self._down:.1f} s; last: {error}")

    def wait(self, error: AarenError, by: By) -> float:
        """Seconds until the next attempt: none after a server that worked and left politely."""
        if by is By.DRAINING and self._progress:
            self._waited = 0.0
            return 0.0
        spread = self._nominal * (1 + _JITTER * (2 * self._chance() - 1))
        self._nominal = min(self._nominal * _MULTIPLIER, self._options.backoff[1])
        self._waited = min(error.retry_after or spread, max(0.0, self._left()))
        return self._waited

    def _left(self) -> float:
        limit = self._options.reconnect_timeout if self._ever else self._options.connect_timeout
        return limit if self._down is None else self._down + limit - self._now()
