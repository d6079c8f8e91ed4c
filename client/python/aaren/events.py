"""Forecasts of events: when the next one comes, and of which kind.

A *mark* is the kind of an event: a text here, a number on the wire that follows from the text alone, as in the C++
client. So every process and language has the same numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aaren.errors import InvalidArgument
from aaren.quantiles import Floats, Surprises, interpolate
from aaren.times import Times, to_ns_array
from aaren.tokens import Tokens

NEW_MARK = 0xFFFFFFFF  # in forecasts: any mark that the session does not know
_MOST_BYTES = 64
_MARK = (str, int, np.integer)

Probabilities = npt.NDArray[np.float32]


class Overdue(NamedTuple):
    """No event has come for longer than the session's option `overdue` allows."""

    next_seq: int  #: the event that is missing
    time_ns: int  #: by which it should have come
    probability: float  #: that a gap is as long as this, as the session sees it


def mark_number(mark: str) -> int:
    """FNV-1a of 32 bits over the text's UTF-8."""
    state = 0x811C9DC5
    for byte in mark.encode():
        state = ((state ^ byte) * 0x01000193) & 0xFFFFFFFF
    return min(state, NEW_MARK - 1)


def within_of(spans: Sequence[float], probabilities: Probabilities) -> dict[float, float]:
    """The probability of each span."""
    return dict(zip(spans, probabilities.tolist(), strict=True))


class MarkNames:
    """The texts behind the numbers of marks; the marks used last are remembered."""

    def __init__(self, capacity: int = 4096) -> None:
        self._capacity = capacity
        self._names: OrderedDict[int, str] = OrderedDict()
        self._numbers: dict[str, int] = {}

    def add(self, mark: str | int) -> int:
        """The number of a mark. InvalidArgument for a text of more than 64 bytes, and a number that is no mark's."""
        if isinstance(mark, (int, np.integer)):
            if not 0 <= mark < NEW_MARK:
                raise InvalidArgument(f"mark {mark}; a text, or a number from 0 to {NEW_MARK - 1}")
            return int(mark)
        number = self._numbers.get(mark)
        if number is None:
            if len(mark.encode()) > _MOST_BYTES:
                raise InvalidArgument(f"mark {mark!r} has {len(mark.encode())} bytes; {_MOST_BYTES} are possible")
            number = self._numbers[mark] = mark_number(mark)
        self._names[number] = mark
        self._names.move_to_end(number)
        if len(self._names) > self._capacity:
            _, forgotten = self._names.popitem(last=False)
            self._numbers.pop(forgotten, None)
        return number

    def named(
        self, numbers: npt.NDArray[np.uint32], probabilities: Probabilities
    ) -> list[tuple[str | int | None, float]]:
        """The marks of a forecast with their texts. Places without any mark are left out."""
        pairs = zip(numbers.tolist(), probabilities.tolist(), strict=True)
        return [(self.name(number), p) for number, p in pairs if not (number == NEW_MARK and p == 0)]

    def copy(self) -> MarkNames:
        other = MarkNames(self._capacity)
        other._names, other._numbers = self._names.copy(), self._numbers.copy()
        return other

    def name(self, number: int) -> str | int | None:
        """The text of a number, the number itself where no text is known, and None for new marks."""
        return None if number == NEW_MARK else self._names.get(number, number)


def mark_of(mark: str | int, row: int, names: MarkNames) -> int:
    """The number of a row's mark. InvalidArgument for anything but a text or a number."""
    if not isinstance(mark, _MARK):
        raise InvalidArgument(f"row {row}: mark {mark!r}; a text, or a number")
    return names.add(mark)


def events_of(times: Times, marks: Sequence[str | int] | str | int, names: MarkNames) -> Tokens:
    """Events as tokens; one mark may stand for all. InvalidArgument, naming the row, for an event that cannot be."""
    ns = to_ns_array(times, len(times))  # type: ignore[arg-type]
    each = [marks] * len(ns) if isinstance(marks, (str, int, np.integer)) else list(marks)
    if len(each) != len(ns):
        raise InvalidArgument(f"{len(each)} marks for {len(ns)} times")
    if not all(issubclass(kind, _MARK) for kind in set(map(type, each))):
        for row, mark in enumerate(each):
            mark_of(mark, row, names)
    # A number is looked up once for each mark, however often the mark comes.
    known = {mark: names.add(mark) for mark in dict.fromkeys(each)}
    numbers = np.fromiter(map(known.__getitem__, each), np.uint32, len(each))
    return Tokens(np.empty((len(ns), 0)), ns, np.empty((len(ns), 0), np.float32), None, numbers)


class EventForecast:
    """What a session expects after its latest event.

    seconds   float64 [levels]: quantiles of the time from the latest event to the next; NaN before the first interval,
              unless the session was told a `unit`
    within    {span: probability}: that an event comes within so many seconds of the latest
    marks     [(mark, probability)], the likeliest first; None is any mark that the session does not know
    surprise  the place of the latest event's time in the forecast before: 0 far too early, 1 far too late
    seq       the event after which this was forecast; events count from 0
    time_ns   the event's time, nanoseconds UTC
    """

    __slots__ = ("levels", "marks", "seconds", "seq", "surprise", "time_ns", "within")

    def __init__(
        self, seconds: Floats, levels: Sequence[float], within: dict[float, float],
        marks: list[tuple[str | int | None, float]], surprise: float, seq: int, time_ns: int,
    ) -> None:  # fmt: skip
        self.seconds, self.levels, self.within, self.marks = seconds, levels, within, marks
        self.surprise, self.seq, self.time_ns = surprise, seq, time_ns

    def __getitem__(self, level: float) -> float:
        """The quantile of one level: f[0.9] is the time, in seconds, within which the event comes nine times in ten."""
        return float(interpolate(self.seconds, self.levels, level))

    @property
    def median(self) -> float:
        return self[0.5]

    def interval(self, level: float) -> tuple[float, float]:
        """Lower and upper end of the central interval of `level` percent, such as 80."""
        return self[0.5 - level / 200], self[0.5 + level / 200]

    def __eq__(self, other: object) -> bool:
        """The same bits for the same event."""
        if not isinstance(other, EventForecast):
            return NotImplemented
        mine, theirs = ([*f.seconds, *f.within.values(), *(p for _, p in f.marks), f.surprise] for f in (self, other))
        names = [m for m, _ in self.marks] == [m for m, _ in other.marks]
        return self.seq == other.seq and names and np.array_equal(mine, theirs, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        low, high = self.seconds[0], self.seconds[-1]
        return f"<EventForecast after event {self.seq}: next in {self.median:.5g} s, {low:.5g} .. {high:.5g}>"


class EventForecasts:
    """Forecasts of many events as arrays; iterable and indexable.

    seconds [n, levels], within [n, spans], marks [n, marks] (numbers; `MarkNames`), probabilities [n, marks],
    surprise [n], seqs and times [n].
    """

    def __init__(
        self, seconds: Floats, levels: Sequence[float], within: Probabilities, spans: Sequence[float],
        marks: npt.NDArray[np.uint32], probabilities: Probabilities, surprise: Surprises,
        seqs: npt.NDArray[np.int64], times: npt.NDArray[np.int64], names: MarkNames,
    ) -> None:  # fmt: skip
        self.seconds, self.levels, self.within, self.spans = seconds, levels, within, spans
        self.marks, self.probabilities, self.surprise = marks, probabilities, surprise
        self.seqs, self.times, self._names = seqs, times, names

    def __len__(self) -> int:
        return len(self.seconds)

    def __getitem__(self, index: int) -> EventForecast:
        where = float(self.surprise[index]), int(self.seqs[index]), int(self.times[index])
        within = within_of(self.spans, self.within[index])
        marks = self._names.named(self.marks[index], self.probabilities[index])
        return EventForecast(self.seconds[index], self.levels, within, marks, *where)

    def part(self, rows: slice) -> EventForecasts:
        """The forecasts of some of the events."""
        return EventForecasts(
            self.seconds[rows], self.levels, self.within[rows], self.spans, self.marks[rows], self.probabilities[rows],
            self.surprise[rows], self.seqs[rows], self.times[rows], self._names,
        )  # fmt: skip

    def at(self, level: float) -> Floats:
        """The quantiles of one level, [n]."""
        return interpolate(self.seconds, self.levels, level)
