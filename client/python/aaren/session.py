"""Session and EventSession: what the sessions of this process and of a server have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy.typing as npt

from aaren.events import EventForecast, EventForecasts
from aaren.quantiles import Forecast
from aaren.times import Time, Times
from aaren.tokens import Point


@runtime_checkable
class Session(Protocol):
    """One series, and all that is remembered of it in a constant number of bytes.

    `Forecaster.session()` gives one in this process, `Client.session(id)` one on a server. Values are in the units of
    the series, and NaN is a missing value. Times are optional: int nanoseconds UTC, datetime or numpy.datetime64, never
    going back. A call that raises InvalidArgument has left the session as it was.
    """

    @property
    def seq(self) -> int:
        """Tokens taken so far: the number of the next one."""

    @property
    def last_time_ns(self) -> int | None:
        """The time of the latest token; None if no token had a time. `aaren.further` goes on behind this time."""

    @property
    def step_ns(self) -> int:
        """The last positive difference between the times of two tokens; 0 before any difference."""

    @property
    def levels(self) -> Sequence[float]:
        """The levels of the forecasts' quantiles."""

    @property
    def horizon(self) -> int:
        """The number of steps ahead that a forecast has."""

    @property
    def past(self) -> int:
        """The number of covariates that are known with the token, such as a measured temperature."""

    @property
    def future(self) -> int:
        """The number of covariates that are known in advance, such as a holiday."""

    def update(
        self,
        value: float | npt.ArrayLike,
        time: Time | None = None,
        X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecast:
        """Takes one value, [channels] for several channels, and forecasts.

        X         the token's covariates, [past + future], past ones first; NaN where missing
        X_future  the future covariates at the steps of the forecast, [horizon, future]; NaN, or all left out, where not
                  known: a covariate is then expected to stay as it is
        """

    def extend(self, values: npt.ArrayLike, times: Times | None = None, X: npt.ArrayLike | None = None) -> None:
        """Takes many values, [n] or [n, channels], without forecasts: the fast way to take in a history.

        X is [n, past + future].
        """

    def stream(self, points: Iterable[float | tuple[Time, float] | Point]) -> Iterator[Forecast]:
        """A forecast for each point: a value, a pair of a time and a value, or a Point with covariates."""

    def to_bytes(self) -> bytes:
        """The state as a snapshot, which goes on anywhere: `Forecaster.from_bytes`, `Client.import_session`."""


@runtime_checkable
class EventSession(Protocol):
    """One stream of events, and all that is remembered of it in a constant number of bytes.

    `EventForecaster.session()` gives one in this process, `Client.events(id)` one on a server. A time is int
    nanoseconds UTC, datetime or numpy.datetime64, and never goes back; a mark is the kind of an event, a text or a
    number. A call that raises InvalidArgument has left the session as it was.
    """

    @property
    def seq(self) -> int:
        """Events taken so far: the number of the next one."""

    @property
    def last_time_ns(self) -> int | None:
        """The time of the latest event; None without any."""

    @property
    def levels(self) -> Sequence[float]:
        """The levels of the forecasts' quantiles."""

    def update(self, time: Time, mark: str | int = "") -> EventForecast:
        """Takes one event and forecasts the next."""

    def run(self, times: Times, marks: Sequence[str | int] | str | int = "") -> EventForecasts:
        """Takes many events, [n], and forecasts after each; one mark may stand for all."""

    def extend(self, times: Times, marks: Sequence[str | int] | str | int = "") -> None:
        """Takes many events, [n], without forecasts; one mark may stand for all."""

    def stream(self, events: Iterable[tuple[Time, str | int]]) -> Iterator[EventForecast]:
        """A forecast for each event, a pair of a time and a mark."""

    def to_bytes(self) -> bytes:
        """The state as a snapshot, which goes on anywhere: `EventForecaster.from_bytes`, `Client.import_session`."""
