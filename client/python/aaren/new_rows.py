"""The rows of a further file that a session does not have yet.

    session = client.session("pump-7")
    more = aaren.further(session, df["y"], df["ds"])
    session.run(more.values, more.times)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.frames.steps import Ints, Step, infer, parse
from aaren.session import Session
from aaren.times import Times, to_ns_array
from aaren.tokens import as_values, numbers_of

_LONGEST_GAP = 100_000  # steps without a row; a longer gap is a wrong clock


@dataclass(frozen=True)
class Further:
    """Rows for `run`, `extend` or `update`, on a grid of times."""

    values: npt.NDArray[np.float64]  #: [n], or [n, channels]; NaN where a step has no row
    times: Ints  #: [n] nanoseconds UTC
    known: int  #: rows left out, because the session has them
    filled: int  #: steps without a row


def further(session: Session, values: npt.ArrayLike, times: Times, freq: str | int | None = None) -> Further:
    """The rows behind the session's last time, in order of time, whatever the first row is.

    A step without a row becomes a missing value, also between the session's last time and the first further row. Of
    several rows in one step the last one counts. The step is the one between the rows, or `freq`; a single further row
    has the session's own step. InvalidArgument, naming the row, for a gap of more than 100,000 steps.
    """
    array = numbers_of(values, "values")
    ns = to_ns_array(times, len(array))
    rows = as_values(array, 1 if array.ndim == 1 else array.shape[1])
    order = np.argsort(ns, kind="stable")
    step = _step(session, ns[order], freq)
    last = session.last_time_ns
    place = np.asarray(_places(step, ns, int(ns[order[0]]) if last is None else last) if len(ns) else ns, np.int64)
    new = order if last is None else order[(place[order] > 0) & (ns[order] > last)]
    begin = 0 if last is None else 1
    places = place[new]
    if len(wide := np.flatnonzero(np.diff(places, prepend=begin - 1) > _LONGEST_GAP)):
        raise InvalidArgument(f"row {new[wide[0]]}: over {_LONGEST_GAP} steps of {step} lie before; is freq right?")
    count = int(places[-1]) + 1 - begin if len(new) else 0
    dense, grid = np.full((count, rows.shape[1]), np.nan), np.zeros(count, np.int64)
    taken = np.zeros(count, bool)
    dense[places - begin], grid[places - begin], taken[places - begin] = rows[new], ns[new], True
    missing = np.flatnonzero(~taken)
    grid[missing] = _times(step, last, missing, grid)
    flat = dense[:, 0] if array.ndim == 1 else dense
    return Further(flat, grid, len(ns) - len(new), len(missing))


def _step(session: Session, ns: Ints, freq: str | int | None) -> Step:
    if freq is not None:
        return parse(freq, False)
    if len(ns) < 3 and session.step_ns > 0:
        return Step("fixed", session.step_ns)
    return infer(np.zeros(len(ns), np.int64), ns, False)


def _places(step: Step, ns: Ints, origin: int) -> Ints:
    """How many steps each time is ahead of the origin: the nearest step, or the calendar's."""
    if step.kind == "fixed":
        return np.floor_divide(ns - origin + step.size // 2, step.size)
    return step.number(ns) - step.number(np.array([origin]))


def _times(step: Step, last: int | None, missing: Ints, grid: Ints) -> Ints:
    """The times of steps without a row, counted from the row before."""
    times = np.empty(len(missing), np.int64)
    before = np.int64(0 if last is None else last)
    for i, place in enumerate(missing):
        before = times[i - 1] if i and missing[i - 1] == place - 1 else (grid[place - 1] if place else before)
        times[i] = step.after(np.array([before]), 1)[0, 0]
    return times
