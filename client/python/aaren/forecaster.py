"""Forecaster: the model in this process."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aaren import _engine, snapshot
from aaren.errors import InvalidArgument
from aaren.local import LocalSession, Output, locks_of
from aaren.quantiles import Floats, Forecasts, Surprises
from aaren.times import Clock
from aaren.tokens import Horizons, Shape, Tokens, check_covariates, extension_of, levels_of, steps_of, tokens_of

#: The packages of the bundled models, where aaren-server looks for them, too.
MODELS = Path(__file__).parent / "share" / "aaren" / "models"
BUNDLED = MODELS / "aaren-univariate"


class Stepped(NamedTuple):
    """What the tokens of a call gave."""

    values: Floats  #: [wanted, channels, h, levels]
    surprise: Surprises  #: [tokens, channels], or [0, channels]
    learning: npt.NDArray[np.bool_]  #: [wanted, channels]

    def of_one_channel(self) -> Stepped:
        return Stepped(self.values[:, 0], self.surprise[:, 0], self.learning[:, 0])


def threads_of(threads: int | None) -> int:
    """The threads of a call with many sessions; the number of cores without a word."""
    if threads is not None and (not isinstance(threads, (int, np.integer)) or threads < 0):
        raise InvalidArgument(f"threads = {threads!r}; a number from 1 on, or None for the number of cores")
    return int(threads or len(os.sched_getaffinity(0)))


@functools.lru_cache(maxsize=64)
def load(folder: str, device: str, tier: str, kind: str = "forecaster") -> _engine.Model:
    """The model in a folder, which is loaded once a process. InvalidArgument for a package of another kind."""
    past, future, profile = extension_of(tier)
    if past + future or profile:
        return load(folder, device, "extended").extended(past, future, profile)
    return _engine.load(folder, device, tier, kind)


class Forecaster:
    """A model that forecasts any series without training, in this process and without a server.

    model    a folder with a package, such as `aaren-train` writes; the bundled model without a word
    device   auto, cpu or cuda; auto takes a GPU where one serves
    tier     exact or fast: the arithmetic of new sessions, which a session keeps for life (model/engine/tier.h);
             `extended` for sessions that need longer rows
    threads  threads of a call with many sessions; the number of cores without a word
    profile  new sessions also forecast the series less the average course of its season: better where a season of up
             to 336 values repeats for weeks, for 2.4 times the time and 3.5 times the memory

    Loading takes some tens of milliseconds and happens once a process. A Forecaster may be used by any thread, is
    pickled by the name of its folder, and survives a fork.
    """

    def __init__(
        self, model: str | os.PathLike[str] | None = None, device: str = "auto", tier: str = "exact",
        threads: int | None = None, profile: bool = False,
    ) -> None:  # fmt: skip
        self.folder = str(BUNDLED if model is None else Path(model).resolve())
        self.threads = threads_of(threads)
        self._device = device
        self._bundled = model is None
        self._engine = load(self.folder, device, tier)
        self.name, self.version, self.digest = self._engine.name, self._engine.version, self._engine.digest
        self.description, self.device, self.tier = self._engine.description, self._engine.device, tier
        self.horizon, self.row_bytes = self._engine.horizon, self._engine.row_bytes
        self.levels = tuple(round(level, 6) for level in self._engine.levels)
        self.past, self.future, self.profile = extension_of(tier)
        self.profile |= profile

    def session(
        self, channels: int = 1, *, past: int = 0, future: int = 0, horizons: Horizons = (),
        quantiles: Sequence[float] = (),
    ) -> LocalSession:  # fmt: skip
        """A session that has seen nothing. Each of its tokens has `channels` values, which share the weights.

        past, future  covariates of each token: known with the token, and known in advance; 8 at most, together
        horizons      the steps of a forecast: a number up to 1,024, or steps that ascend; the model's without a word
        quantiles     the levels of a forecast, in 0.005 .. 0.995; the model's without a word

        Covariates, and steps beyond the model's horizon, take rows of the tier `extended`: up to 10 KB. The bits are
        those of a server's session of the same options.
        """
        if channels < 1:
            raise InvalidArgument(f"a session of {channels} channels")
        check_covariates(past, future, _engine.most_covariates)
        far = max(steps_of(horizons), default=0) > self.horizon
        model = self._fit(past, future, far)
        return LocalSession(model, _engine.Rows(model._engine, channels), Clock(), model._output(horizons, quantiles))

    def from_bytes(self, blob: bytes, *, horizons: Horizons = (), quantiles: Sequence[float] = ()) -> LocalSession:
        """The session of a snapshot, of this process or of a server: it goes on with the same bits.

        `horizons` and `quantiles` are as of `session`; a session goes beyond the model's horizon if it was made to.
        DataLoss for bytes that were cut or altered. FailedPrecondition for a snapshot of another model, or of an engine
        with other bits.
        """
        state = snapshot.decode(blob)
        snapshot.check_model(state, self._engine)
        model = self._of_tier(state.tier, "cpu" if state.tier.startswith("extended") else None)
        return LocalSession(model, *snapshot.restore_rows(state, model._engine), model._output(horizons, quantiles))

    def _of_tier(self, tier: str, device: str | None = None) -> Forecaster:
        if tier == self.tier:
            return self
        return Forecaster(None if self._bundled else self.folder, device or self._device, tier, self.threads)

    def _fit(self, past: int, future: int, far: bool) -> Forecaster:
        """The same model with rows that have so many covariates, on the CPU, or this one where plain rows will do."""
        if not (past + future or far or self.profile):
            return self
        counts = f"-{past}-{future}" if past + future else ""
        return self._of_tier(f"extended{counts}{'-profile' if self.profile else ''}", "cpu")

    def _output(self, horizons: Horizons, quantiles: Sequence[float]) -> Output:
        own = range(1, self.horizon + 1)
        steps, levels = steps_of(horizons) or tuple(own), levels_of(quantiles) or self.levels
        most = _engine.far_horizon if self.tier.startswith("extended") else self.horizon
        if steps[-1] > most:
            raise InvalidArgument(f"h = {steps[-1]}; {self.name}:{self.version} forecasts 1 to {most} steps")
        plain = steps == tuple(own[: len(steps)]) and levels == self.levels and self.past + self.future == 0
        return Output(steps, levels, None if plain else _engine.Selection(steps, levels))

    def update(
        self, sessions: Sequence[LocalSession], values: npt.ArrayLike, X: npt.ArrayLike | None = None,
        X_future: npt.ArrayLike | None = None,
    ) -> Forecasts:  # fmt: skip
        """Gives each session one value, as one batch on all threads. Returns one array [n, h, levels].

        `values` is [n], or [n, channels]; X [n, past + future]; X_future [n, h, future]. InvalidArgument, naming the
        series, for an infinite value, a session that occurs twice, or one that was made otherwise than the first;
        nothing is then taken.
        """
        model, output, shape = self._alike(sessions)
        tokens = tokens_of(shape, values, None, X, X_future)
        if len(tokens.values) != len(sessions):
            raise InvalidArgument(f"{len(tokens.values)} values for {len(sessions)} sessions")
        rows = [session._rows for session in sessions]
        ends = np.arange(1, len(rows) + 1)
        take, give_back = locks_of(sessions)
        try:
            take()
            stepped = model._step(rows, tokens, ends, np.ones(len(rows), np.uint8), output, True)
            seqs = np.fromiter((row.seq - 1 for row in rows), np.int64, len(rows))
        finally:
            give_back()
        forecasts, surprise, learning = stepped.of_one_channel() if shape.channels == 1 else stepped
        return Forecasts(forecasts, output.levels, surprise, seqs, learning, output.horizons)

    def extend(
        self, sessions: Sequence[LocalSession], values: Sequence[npt.ArrayLike],
        X: Sequence[npt.ArrayLike] | None = None,
    ) -> None:  # fmt: skip
        """Gives each session many values of its own, as one batch on all threads, without forecasts.

        `values` and X have an item for each session: [n] or [n, channels], and [n, past + future].
        """
        if len(values) != len(sessions) or (X is not None and len(X) != len(sessions)):
            raise InvalidArgument(f"{len(values)} series for {len(sessions)} sessions")
        if not len(sessions):
            return
        model, output, shape = self._alike(sessions)
        parts = [tokens_of(shape, series, None, None if X is None else X[i], None) for i, series in enumerate(values)]
        ends = np.cumsum([len(part.values) for part in parts])
        all_values, all_x = (np.concatenate(arrays) for arrays in zip(*((p.values, p.X) for p in parts), strict=True))
        flags = np.zeros(int(ends[-1]), np.uint8)
        take, give_back = locks_of(sessions)
        try:
            take()
            model._step([s._rows for s in sessions], Tokens(all_values, None, all_x, None), ends, flags, output, False)
        finally:
            give_back()

    def _alike(self, sessions: Sequence[LocalSession]) -> tuple[Forecaster, Output, Shape]:
        """What all sessions have in common. InvalidArgument names the first that differs."""
        if not len(sessions):
            return self, self._output((), ()), Shape(1, 0, 0, self.horizon)
        first, ids = sessions[0], list(map(id, sessions))
        if len(set(ids)) < len(ids):
            twice = next(i for i, one in enumerate(ids) if one in ids[:i])
            raise InvalidArgument(f"series {ids.index(ids[twice])} and {twice} are one session")
        for i, session in enumerate(sessions):
            same = session._model._engine is first._model._engine and session.channels == first.channels
            if not same or session._output[:2] != first._output[:2]:
                raise InvalidArgument(f"series {i} and 0 are of other models, tiers, channels, horizons or quantiles")
        return first._model, first._output, Shape(first.channels, first.past, first.future, first.horizon)

    def _step(
        self, rows: list[_engine.Rows], tokens: Tokens, ends: npt.NDArray[np.int64], wanted: npt.NDArray[np.uint8],
        output: Output, surprise: bool,
    ) -> Stepped:  # fmt: skip
        """Ragged runs of many sessions. `tokens.ahead` is [wanted, steps, future]."""
        channels = rows[0].channels if rows else 1
        shape = int(np.count_nonzero(wanted)), channels, len(output.steps), len(output.levels)
        results, learning = np.empty(shape), np.empty(shape[:2], np.uint8)
        surprises = np.empty((len(wanted) if surprise else 0, channels), np.float32)
        ahead = np.empty(0, np.float32) if tokens.ahead is None else tokens.ahead
        self._engine.step(
            rows, tokens.values, ends, wanted, tokens.X, ahead, output.selection, results, learning, surprises,
            self.threads,
        )  # fmt: skip
        return Stepped(results, surprises, learning.view(np.bool_))

    def __reduce__(self) -> tuple[Any, ...]:
        folder = None if self._bundled else self.folder
        return (Forecaster, (folder, self._device, self.tier, self.threads, self.profile))

    def __repr__(self) -> str:
        return f"<Forecaster {self.name}:{self.version} on {self.device}, {self.horizon} steps, levels {self.levels}>"
