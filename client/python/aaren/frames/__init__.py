"""forecast, detect and backtest: many series in a long frame, with the words of Nixtla.

A frame has a column of ids, of times and of values: `unique_id`, `ds` and `y` unless named otherwise. It may be of
pandas, Polars, PyArrow or another library that Narwhals knows; the result is of the same. Rows may come in any order: a
late row is placed by its time, and a row that is not there is a missing value. Several rows of one step are joined:
`aggregate` is first, last, mean, sum or max, and last without a word.

As with Nixtla, every other column is a covariate: a number beside the value, such as a temperature or a holiday. Leave
out columns that are none, and above all those that tell the answer. A series has 8 covariates at most, and NaN is a
missing one. The model learns from each series alone what its covariates do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from aaren.errors import InvalidArgument
from aaren.forecaster import Forecaster
from aaren.frames.covariates import ahead_of, ahead_within, further_names
from aaren.frames.engine import Asked, bundled, chunks, columns, plan, step
from aaren.frames.places import Aggregate
from aaren.frames.series import Panel, Words, read

__all__ = ["backtest", "detect", "forecast"]


def _result(panel: Panel, parts: Sequence[nw.Series[Any]], numbers: dict[str, Any]) -> Any:
    backend = panel.frame.implementation
    rest = [nw.new_series(name, values, backend=backend) for name, values in numbers.items()]
    first = nw.maybe_reset_index(parts[0].to_frame())  # a frame of its own keeps the type of the ids
    return first.with_columns(*parts[1:], *rest).to_native()


def forecast(
    df: Any, h: int, level: Sequence[float] | None = (), X_df: Any = None, *, quantiles: Sequence[float] | None = (),
    freq: str | int | None = None, aggregate: Aggregate | None = None, model: Forecaster | None = None,
    id_col: str = "unique_id", time_col: str = "ds", target_col: str = "y", alias: str = "Aaren",
    progress: bool | None = None,
) -> Any:  # fmt: skip
    """The next h values of each series, up to 1,024.

    X_df       a frame with the id, the time and the covariates that are known in advance, a row for each series and
               step ahead. The columns of `df` that X_df has are these covariates; the others are known only with their
               row, as all are without X_df. A missing number in X_df is not known: it is expected to stay as it was
    level      central intervals in percent: 80 gives the columns Aaren-lo-80 and Aaren-hi-80
    quantiles  levels between 0 and 1: 0.9 gives the column Aaren-ql0.9
    freq       the step between rows, such as h, D, MS; found in the times without a word
    aggregate  how several rows of one step are joined; missing values do not count
    progress   a bar of tqdm; without a word, for more than 1,024 series

    Returns a frame with a row for each series and step: the id, the time and `Aaren`, the median. InvalidArgument names
    the row that is wrong.
    """
    model, asked = model or bundled(), Asked.of(level, quantiles, alias)
    asked.beside((id_col, time_col))
    words = Words(id_col, time_col, target_col, freq, aggregate)
    known = () if X_df is None else further_names(X_df, words)
    panel = read(df, replace(words, future=known))
    what, times = plan(model, panel, h), panel.ahead(h)
    ahead = None if X_df is None else ahead_of(X_df, panel, h)
    wanted = np.zeros(len(panel.values), np.uint8)
    wanted[panel.ends - 1] = 1
    out = np.empty((len(panel), h, len(model.levels)))
    for series in chunks(panel, progress):
        out[series] = step(what, panel, series, wanted, False, None if ahead is None else ahead[series]).values
    ids = panel.ids_for(np.repeat(np.arange(len(panel)), h)).alias(id_col)
    return _result(panel, [ids, panel.times(times.reshape(-1), time_col)], columns(out, model.levels, asked))


def detect(
    df: Any, rate: float = 0.001, level: Sequence[float] | None = (), *, hist_exog_list: Sequence[str] = (),
    freq: str | int | None = None, aggregate: Aggregate | None = None, model: Forecaster | None = None,
    id_col: str = "unique_id", time_col: str = "ds", target_col: str = "y", alias: str = "Aaren",
    progress: bool | None = None,
) -> Any:  # fmt: skip
    """Which values are surprising, each judged by the forecast of the moment before.

    rate            the share of ordinary values that is called anomalous: a value is anomalous whose surprise, its
                    place in the forecast, is below rate / 2 or above 1 - rate / 2, once a hundred values or a season
                    of the series came
    hist_exog_list  covariates that are known only with their row; of all others a forecast knows the row ahead

    Returns the frame's own rows with the columns `Aaren` (the median forecast one step ahead), the intervals of
    `level`, `surprise` (0 far below, 1 far above, NaN without a forecast) and `anomaly`.
    """
    if not 0 < rate < 1:
        raise InvalidArgument(f"rate {rate}; between 0 and 1")
    model, asked = model or bundled(), Asked.of(level, (), alias)
    panel = read(df, Words(id_col, time_col, target_col, freq, aggregate, hist_exog_list, None))
    asked.beside([*panel.frame.columns, *({"surprise", "anomaly"} & {alias})], "surprise", "anomaly")
    what, tokens = plan(model, panel, 1), len(panel.values)
    ahead = np.full((tokens, len(model.levels)), np.nan)
    surprise, learning = np.full(tokens, np.nan, np.float32), np.ones(tokens, bool)
    wanted = np.ones(tokens, np.uint8)
    for series in chunks(panel, progress):
        begin = int(panel.ends[series.start - 1]) if series.start else 0
        end = int(panel.ends[series.stop - 1])
        ahead_known = ahead_within(panel, np.arange(begin, end), 1) if panel.future else None
        forecasts, surprise[begin:end], learning[begin:end] = step(what, panel, series, wanted, True, ahead_known)
        ahead[begin + 1 : end] = forecasts[:-1, 0]  # each is of the next value
    ahead[np.append(0, panel.ends[:-1])[: len(panel)]] = np.nan
    place = panel.place
    values = columns(ahead[place], model.levels, asked)
    values["surprise"] = surprise[place]
    with np.errstate(invalid="ignore"):
        values["anomaly"] = (np.abs(surprise[place] - 0.5) > 0.5 - rate / 2) & ~learning[place]
    rest = [nw.new_series(name, column, backend=panel.frame.implementation) for name, column in values.items()]
    return panel.frame.with_columns(*rest).to_native()


def backtest(
    df: Any, h: int, n_windows: int = 1, step_size: int | None = None, level: Sequence[float] | None = (), *,
    hist_exog_list: Sequence[str] = (), quantiles: Sequence[float] | None = (), freq: str | int | None = None,
    aggregate: Aggregate | None = None,
    model: Forecaster | None = None, id_col: str = "unique_id", time_col: str = "ds", target_col: str = "y",
    alias: str = "Aaren", progress: bool | None = None,
) -> Any:  # fmt: skip
    """Forecasts of the past, each from the values before its cutoff alone, in one pass over each series.

    n_windows       cutoffs of each series; the last window ends with the series
    step_size       rows between two cutoffs; h without a word
    hist_exog_list  covariates that are known only with their row; of all others a forecast knows the h rows ahead

    Returns a frame with the id, the time, the cutoff, the true value and the columns of `forecast`. Series that are too
    short for a window have fewer. The columns are those of statsforecast's `cross_validation`.
    """
    model, asked = model or bundled(), Asked.of(level, quantiles, alias)
    asked.beside((id_col, time_col, target_col, *({"cutoff"} & {alias})), "cutoff")
    apart = h if step_size is None else step_size
    for word, number in (("n_windows", n_windows), ("step_size", apart)):
        if not isinstance(number, (int, np.integer)) or number < 1:
            raise InvalidArgument(f"{word} = {number!r}; a whole number from 1 on")
    panel = read(df, Words(id_col, time_col, target_col, freq, aggregate, hist_exog_list, None))
    what = plan(model, panel, h)
    begins = np.append(0, panel.ends[:-1])[: len(panel)]
    before = h + apart * np.arange(n_windows)[::-1]  # places after the cutoff
    cutoffs = panel.ends[:, None] - 1 - before
    kept = cutoffs >= begins[:, None]
    wanted = np.zeros(len(panel.values), np.uint8)
    wanted[cutoffs[kept]] = 1
    parts = []
    for chunk in chunks(panel, progress):
        ahead = ahead_within(panel, cutoffs[chunk][kept[chunk]], h) if panel.future else None
        parts.append(step(what, panel, chunk, wanted, False, ahead).values)
    out = np.concatenate([np.empty((0, h, len(model.levels))), *parts])
    series = np.repeat(np.nonzero(kept)[0], h)
    origin = cutoffs[kept]
    places = origin[:, None] + np.arange(1, h + 1)
    ds = _filled(panel)
    cut_times = np.repeat(ds[origin], h)
    ids = panel.ids_for(series).alias(id_col)
    times = panel.times(ds[places.reshape(-1)], time_col)
    numbers = {target_col: panel.values[places.reshape(-1)]}
    numbers |= columns(out, model.levels, asked)
    return _result(panel, [ids, times, panel.times(cut_times, "cutoff")], numbers)


def _filled(panel: Panel) -> Any:
    """The time of every place, also of the rows that are not there."""
    times = panel.ds.copy()
    there = np.zeros(len(times), bool)
    there[panel.place] = True
    if np.all(there):
        return times
    known = np.flatnonzero(there)
    gaps = np.flatnonzero(~there)
    before = known[np.searchsorted(known, gaps) - 1]
    times[gaps] = panel.step.ahead(times[before], gaps - before)
    return times
