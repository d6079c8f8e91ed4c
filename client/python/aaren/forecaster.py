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
from aaren.errors import FailedPrecondition, InvalidArgument
from aaren.local import LocalSession, as_values
from aaren.quantiles import Floats, Forecasts, Surprises
from aaren.times import Clock

#: The package of the bundled model, where aaren-server looks for it, too.
BUNDLED = Path(__file__).parent / "share" / "aaren" / "models" / "aaren-univariate"


class Stepped(NamedTuple):
    """What the tokens of a call gave."""

    values: Floats  #: [wanted, channels, h, levels]
    surprise: Surprises  #: [tokens, channels], or [0, channels]
    learning: npt.NDArray[np.bool_]  #: [wanted, channels]

    def of_one_channel(self) -> Stepped:
        return Stepped(self.values[:, 0], self.surprise[:, 0], self.learning[:, 0])


@functools.lru_cache(maxsize=16)
def _load(folder: str, device: str, tier: str) -> _engine.Model:
    return _engine.load(folder, device, tier)


class Forecaster:
    """A model that forecasts any series without training, in this process and without a server.

    model    a folder with a package, such as `aaren-train` writes; the bundled model without a word
    device   auto, cpu or cuda; auto takes a GPU where one serves
    tier     exact or fast: the arithmetic of new sessions, which a session keeps for life (model/engine/tier.h)
    threads  threads of a call with many sessions; the number of cores without a word

    Loading takes some tens of milliseconds and happens once a process. A Forecaster may be used by any thread, is
    pickled by the name of its folder, and survives a fork.
    """

    def __init__(
        self, model: str | os.PathLike[str] | None = None, device: str = "auto", tier: str = "exact",
        threads: int | None = None,
    ) -> None:  # fmt: skip
        self.folder = str(BUNDLED if model is None else Path(model).resolve())
        self.threads = threads or len(os.sched_getaffinity(0))
        self._device = device
        self._bundled = model is None
        self._engine = _load(self.folder, device, tier)
        self.name, self.version, self.digest = self._engine.name, self._engine.version, self._engine.digest
        self.description, self.device, self.tier = self._engine.description, self._engine.device, tier
        self.horizon, self.row_bytes = self._engine.horizon, self._engine.row_bytes
        self.levels = tuple(round(level, 6) for level in self._engine.levels)

    def session(self, channels: int = 1) -> LocalSession:
        """A session that has seen nothing. Each of its tokens has `channels` values, which share the weights."""
        if channels < 1:
            raise InvalidArgument(f"a session of {channels} channels")
        return LocalSession(self, _engine.Rows(self._engine, channels), Clock())

    def from_bytes(self, blob: bytes) -> LocalSession:
        """The session of a snapshot, of this process or of a server: it goes on with the same bits.

        DataLoss for bytes that were cut or altered. FailedPrecondition for a snapshot of another model, or of an engine
        with other bits.
        """
        state = snapshot.decode(blob)
        if state.digest != self.digest:
            raise FailedPrecondition(f"the snapshot is of {state.model}, package {state.digest[:12]}; this is "
                                     f"{self.name}:{self.version}, package {self.digest[:12]}")  # fmt: skip
        if state.numerics_version != _engine.numerics_version:
            raise FailedPrecondition(f"the snapshot is of numerics version {state.numerics_version}, this engine's is "
                                     f"{_engine.numerics_version}")  # fmt: skip
        model = self if state.tier == self.tier else self._of_tier(state.tier)
        rows = _engine.Rows(model._engine, state.channels)
        rows.restore(state.rows, state.seq)
        return LocalSession(model, rows, Clock(state.last_time_ns, state.step_ns))

    def _of_tier(self, tier: str) -> Forecaster:
        return Forecaster(None if self._bundled else self.folder, self._device, tier, self.threads)

    def update(self, sessions: Sequence[LocalSession], values: npt.ArrayLike) -> Forecasts:
        """Gives each session one value, as one batch on all threads. Returns one array [n, h, levels].

        `values` is [n], or [n, channels]. InvalidArgument, naming the series, for an infinite value or a session that
        occurs twice; nothing is then taken.
        """
        channels = sessions[0].channels if len(sessions) else 1
        array = as_values(values, channels)
        if len(array) != len(sessions):
            raise InvalidArgument(f"{len(array)} values for {len(sessions)} sessions")
        rows = [session._rows for session in sessions]
        ends = np.arange(1, len(rows) + 1)
        stepped = self._step(rows, array, ends, np.ones(len(rows), np.uint8), None, True)
        values, surprise, learning = stepped.of_one_channel() if channels == 1 else stepped
        seqs = np.fromiter((row.seq - 1 for row in rows), np.int64, len(rows))
        return Forecasts(values, self.levels, surprise, seqs, learning)

    def extend(self, sessions: Sequence[LocalSession], values: Sequence[npt.ArrayLike]) -> None:
        """Gives each session many values of its own, as one batch on all threads, without forecasts."""
        if len(values) != len(sessions):
            raise InvalidArgument(f"{len(values)} series for {len(sessions)} sessions")
        if not len(sessions):
            return
        arrays = [as_values(series, sessions[0].channels) for series in values]
        ends = np.cumsum([len(array) for array in arrays])
        flags = np.zeros(int(ends[-1]), np.uint8)
        self._step([session._rows for session in sessions], np.concatenate(arrays), ends, flags, 1, False)

    def _step(
        self, rows: list[_engine.Rows], values: npt.NDArray[np.float64], ends: npt.NDArray[np.int64],
        wanted: npt.NDArray[np.uint8], h: int | None, surprise: bool,
    ) -> Stepped:  # fmt: skip
        """Ragged runs of many sessions."""
        channels = rows[0].channels if rows else 1
        steps = self.horizon if h is None else h
        if not 1 <= steps <= self.horizon:
            raise InvalidArgument(f"h = {steps}; the model forecasts 1 to {self.horizon} steps")
        shape = int(np.count_nonzero(wanted)), channels, steps, len(self.levels)
        results, learning = np.empty(shape), np.empty(shape[:2], np.uint8)
        surprises = np.empty((len(wanted) if surprise else 0, channels), np.float32)
        self._engine.step(rows, values, ends, wanted, results, learning, surprises, self.threads)
        return Stepped(results, surprises, learning.view(np.bool_))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Forecaster, (None if self._bundled else self.folder, self._device, self.tier, self.threads))

    def __repr__(self) -> str:
        return f"<Forecaster {self.name}:{self.version} on {self.device}, {self.horizon} steps, levels {self.levels}>"
