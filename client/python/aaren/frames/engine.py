"""The series of a panel through the engine, some thousands at a time."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aaren import _engine
from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster, Stepped
from aaren.frames.series import Panel
from aaren.local import Output
from aaren.quantiles import Floats, interpolate
from aaren.tokens import Tokens

_SERIES = 1024  # at a time: 8 MB of rows


@functools.cache
def bundled() -> Forecaster:
    return Forecaster()


def chunks(panel: Panel, progress: bool | None) -> Iterator[slice]:
    """Series, some at a time, with a progress bar of tqdm where that is installed."""
    pieces = [slice(at, min(len(panel), at + _SERIES)) for at in range(0, len(panel), _SERIES)]
    if progress is False or (progress is None and len(pieces) < 2):
        return iter(pieces)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return iter(pieces)
    return iter(tqdm(pieces, unit_scale=_SERIES, unit="series", desc="Aaren"))


class Plan(NamedTuple):
    """What a panel asks of a model: rows that have its covariates and reach h steps ahead."""

    model: Forecaster
    output: Output


def plan(model: Forecaster, panel: Panel, h: int) -> Plan:
    if not isinstance(model, Forecaster):
        raise InvalidArgument(f"model {model!r}; a Forecaster expected")
    if isinstance(h, bool) or not isinstance(h, (int, np.integer)):
        raise InvalidArgument(f"h = {h!r}; a whole number expected")
    past, future = len(panel.past), len(panel.future)
    fit = model._fit(past, future, h > model.horizon)
    return Plan(fit, fit._output(h, ()))


def step(
    plan: Plan, panel: Panel, series: slice, wanted: npt.NDArray[np.uint8], surprise: bool,
    ahead: npt.NDArray[np.float32] | None = None,
) -> Stepped:  # fmt: skip
    """Some series, whose places say in `wanted`, which is of all places of the panel, where a forecast is wanted.

    `ahead` has the known covariates of these forecasts: [wanted, h, future].
    """
    begin = int(panel.ends[series.start - 1]) if series.start else 0
    ends = panel.ends[series] - begin
    places = slice(begin, begin + int(ends[-1]))
    rows = [_engine.Rows(plan.model._engine, 1) for _ in range(len(ends))]
    tokens = Tokens(panel.values[places][:, None], None, panel.X[places], ahead)
    return plan.model._step(rows, tokens, ends, wanted[places], plan.output, surprise).of_one_channel()


class Asked(NamedTuple):
    """The columns that a result shall have."""

    level: tuple[float, ...]  #: percent
    quantiles: tuple[float, ...]
    alias: str

    @classmethod
    def of(cls, level: Sequence[float] | None, quantiles: Sequence[float] | None, alias: str) -> Asked:
        """InvalidArgument names a level that cannot be."""
        try:
            each = tuple(map(float, level or ())), tuple(map(float, quantiles or ()))
        except (TypeError, ValueError):
            raise InvalidArgument(f"level {level!r}, quantiles {quantiles!r}; lists of numbers, such as level=[80] and "
                                  "quantiles=[0.9]") from None  # fmt: skip
        for percent in each[0]:
            if not 0 < percent < 100:
                raise InvalidArgument(f"level {percent:g}; between 0 and 100, such as 80")
        for quantile in each[1]:
            if not 0 < quantile < 1:
                raise InvalidArgument(f"quantile {quantile:g}; between 0 and 1, such as 0.9")
        return cls(*each, alias)

    def beside(self, others: Sequence[str], *more: str) -> None:
        """InvalidArgument for a column of the result that has the name of another one."""
        if twice := {self.alias, *more} & set(others):
            raise InvalidArgument(f"the result has a column {min(twice)!r} of its own; rename the frame's, or set "
                                  "alias=")  # fmt: skip


def columns(forecasts: Floats, levels: Sequence[float], asked: Asked) -> dict[str, npt.NDArray[Any]]:
    """Nixtla's columns of forecasts [..., levels]: Aaren, Aaren-lo-80, Aaren-hi-80; Aaren-ql0.1 for a quantile."""
    level, quantiles, alias = asked
    out = {alias: interpolate(forecasts, levels, 0.5).reshape(-1)}
    for percent in sorted(level):
        tail = (1 - percent / 100) / 2
        out[f"{alias}-lo-{percent:g}"] = interpolate(forecasts, levels, round(tail, 9)).reshape(-1)
        out[f"{alias}-hi-{percent:g}"] = interpolate(forecasts, levels, round(1 - tail, 9)).reshape(-1)
    for quantile in quantiles:
        out[f"{alias}-ql{quantile:g}"] = interpolate(forecasts, levels, quantile).reshape(-1)
    return out
