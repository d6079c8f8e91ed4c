"""EventForecaster: the model of events in this process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aaren import _engine
from aaren.errors import InvalidArgument
from aaren.events import EventForecast, EventForecasts, MarkNames, events_of
from aaren.forecaster import MODELS, load, threads_of
from aaren.local import locks_of
from aaren.local_events import EventOptions, LocalEvents
from aaren.snapshot import check_model, decode, restore_rows
from aaren.times import Clock, Times
from aaren.tokens import Tokens

#: The package of the bundled model of events.
BUNDLED = MODELS / "aaren-events"

Marks = Sequence[str | int] | str | int


class EventForecaster:
    """A model that forecasts when the next event comes, and of which kind, in this process and without a server.

        model = aaren.EventForecaster()
        orders = model.session(spans=(60, 3600), marks=3)
        forecast = orders.update(time_ns, "order placed")
        forecast.median, forecast.within[3600], forecast.marks

    model    a folder with a package of kind `events`, such as `aaren-train events` writes; the bundled model without a
             word
    threads  threads of a call with many sessions; the number of cores without a word

    A forecaster may be used by any thread, is pickled by the name of its folder, and survives a fork. The numbers are a
    server's, to the last bit: `Client.events` gives out sessions of the same protocol, `aaren.EventSession`.
    """

    tier = "exact"

    def __init__(self, model: str | os.PathLike[str] | None = None, threads: int | None = None) -> None:
        self.folder = str(BUNDLED if model is None else Path(model).resolve())
        self.threads = threads_of(threads)
        self._bundled = model is None
        self._engine = load(self.folder, "cpu", self.tier, "events")
        self.name, self.version, self.digest = self._engine.name, self._engine.version, self._engine.digest
        self.description, self.row_bytes = self._engine.description, self._engine.row_bytes

    def session(
        self, *, spans: Sequence[float] = (), marks: int = 0, unit: float = 0.0, resolution: float = 0.0,
        quantiles: Sequence[float] = (),
    ) -> LocalEvents:  # fmt: skip
        """A session that has seen no event; 7.5 KB at any age.

        spans       seconds, ascending, 64 at most: a forecast has the probability of an event within each
        marks       how many of the likeliest marks a forecast has, 64 at most
        unit        seconds between two events, roughly, so that the first has a forecast; 0: unknown
        resolution  seconds of which the times are whole multiples, which surprises allow for; 0: unknown
        quantiles   the levels of a forecast, in 0.005 .. 0.995; 0.1, 0.2 ... 0.9 without a word

        InvalidArgument names the option that cannot be.
        """
        options = EventOptions.of(spans, marks, unit, resolution, quantiles)
        return LocalEvents(self, _engine.Rows(self._engine, 1), Clock(), options, MarkNames())

    def from_bytes(
        self, blob: bytes, *, spans: Sequence[float] = (), marks: int = 0, unit: float = 0.0, resolution: float = 0.0,
        quantiles: Sequence[float] = (),
    ) -> LocalEvents:  # fmt: skip
        """The session of a snapshot, of this process or of a server: it goes on with the same bits.

        Options are as of `session`. A snapshot has the numbers of marks and no texts: `LocalEvents.names` learns each
        text when the text comes again, or by `names.add`. DataLoss for bytes that were cut or altered.
        FailedPrecondition for a snapshot of another model, or of an engine with other bits.
        """
        options = EventOptions.of(spans, marks, unit, resolution, quantiles)
        check_model(state := decode(blob), self._engine)
        return LocalEvents(self, *restore_rows(state, self._engine), options, MarkNames())

    def update(self, sessions: Sequence[LocalEvents], times: Times, marks: Marks = "") -> list[EventForecast]:
        """Gives each session one event, as one batch on all threads, and forecasts after each.

        times  one of each session, [sessions]
        marks  one of each session, or one for all
        """
        each = _each(sessions, times, marks)
        parts = [([time], [mark]) for time, mark in zip(times, each, strict=True)]  # type: ignore[arg-type]
        return [forecasts[0] for forecasts in self._step(sessions, parts, True)]

    def extend(
        self, sessions: Sequence[LocalEvents], times: Sequence[Times], marks: Sequence[Marks] | str = ""
    ) -> None:
        """Gives each session many events of its own, as one batch on all threads, without forecasts.

        `times` and `marks` have an item for each session: the times, and the marks, or one mark for all.
        """
        each = _each(sessions, times, marks)
        self._step(sessions, list(zip(times, each, strict=True)), False)

    def _step(
        self, sessions: Sequence[LocalEvents], events: Sequence[tuple[Any, Any]], wanted: bool
    ) -> list[EventForecasts]:
        """Ragged runs of many sessions. A session takes all of its events, or none."""
        _check_alike(sessions)
        if not len(sessions):
            return []
        take, give_back = locks_of(sessions)
        try:
            take()
            parts = list[Tokens]()
            for i, (session, (times, marks)) in enumerate(zip(sessions, events, strict=True)):
                try:
                    parts.append(_tokens(session, times, marks))
                except InvalidArgument as error:
                    if len(sessions) == 1:
                        raise
                    raise InvalidArgument(f"series {i}, {error}") from None
            return self._run(sessions, parts, wanted)
        finally:
            give_back()

    def _run(self, sessions: Sequence[LocalEvents], parts: Sequence[Tokens], wanted: bool) -> list[EventForecasts]:
        options = sessions[0]._options
        firsts, counts = [session._rows.seq for session in sessions], [len(part.values) for part in parts]
        ends = np.cumsum(counts)
        times, marks = (np.concatenate(column) for column in zip(*((p.times, p.marks) for p in parts), strict=True))
        flags = np.full(int(ends[-1]), wanted, np.uint8)
        most = len(flags) if wanted else 0
        seconds, within = (np.empty((most, len(of)), np.float32) for of in (options.levels, options.spans))
        names = np.empty((most, options.marks), np.uint32)
        probabilities = np.empty((most, options.marks), np.float32)
        surprise = np.empty(most, np.float32)
        for session, part in zip(sessions, parts, strict=True):
            assert part.times is not None
            session._rows_clock.expect(len(part.times), session._clock.after(part.times))
        try:
            self._engine.step_events(
                [session._rows for session in sessions], times, marks, ends, flags, options.selection, seconds, within,
                names, probabilities, surprise, self.threads,
            )  # fmt: skip
        finally:  # an interrupted batch may have been taken by some of the sessions
            for session in sessions:
                session._rows_clock.settle()
        if not wanted:
            return []
        of_all = seconds.astype(np.float64), options.levels, within, options.spans, names, probabilities, surprise
        seqs = np.concatenate([np.arange(first, first + count) for first, count in zip(firsts, counts, strict=True)])
        return [
            EventForecasts(*of_all, seqs, times, session.names).part(slice(end - count, end))
            for session, end, count in zip(sessions, ends.tolist(), counts, strict=True)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return (EventForecaster, (None if self._bundled else self.folder, self.threads))

    def __repr__(self) -> str:
        return f"<EventForecaster {self.name}:{self.version}>"


def _tokens(session: LocalEvents, times: Times, marks: Marks) -> Tokens:
    tokens = events_of(times, marks, session.names)
    assert tokens.times is not None
    session._clock.check(tokens.times)
    return tokens


def _each(sessions: Sequence[LocalEvents], times: Any, marks: Any) -> Sequence[Any]:
    """The marks of each session. InvalidArgument for other numbers of times or marks than of sessions."""
    if len(times) != len(sessions):
        raise InvalidArgument(f"times of {len(times)} series for {len(sessions)} sessions")
    if isinstance(marks, (str, int, np.integer)):
        return [marks] * len(sessions)
    if len(marks) != len(sessions):
        raise InvalidArgument(f"marks of {len(marks)} series for {len(sessions)} sessions")
    return marks  # type: ignore[no-any-return]


def _check_alike(sessions: Sequence[LocalEvents]) -> None:
    """InvalidArgument names the first session that cannot be in one batch with those before."""
    seen = dict[int, int]()
    for i, session in enumerate(sessions):
        if (first := seen.setdefault(id(session), i)) != i:
            raise InvalidArgument(f"series {first} and {i} are one session")
        same = session._model._engine is sessions[0]._model._engine
        if not same or session._options[:5] != sessions[0]._options[:5]:
            raise InvalidArgument(f"series {i} and 0 are of other models, spans, marks, units or quantiles")
