"""Rows of a further file: what a session has not seen yet, on its grid of times."""

import numpy as np
import pytest

import aaren
from aaren import errors

HOUR = 3_600_000_000_000
START = 1_704_067_200_000_000_000  # 2024-01-01


@pytest.fixture
def session(model):
    session = model.session()
    session.extend([1.0, 2.0], [START, START + HOUR])
    return session


def times(*hours):
    return [START + int(hour * HOUR) for hour in hours]


def test_rows_of_before_are_left_out_and_gaps_are_filled(session):
    more = aaren.further(session, [1, 2, 5, 6, 7, 9], times(0, 1, 4, 5, 6, 8))
    np.testing.assert_array_equal(more.values, [np.nan, np.nan, 5, 6, 7, np.nan, 9])
    assert list(more.times) == times(*range(2, 9))
    assert (more.known, more.filled) == (2, 3)


def test_a_single_row_has_the_step_of_the_session(session):
    more = aaren.further(session, [5], times(4))
    np.testing.assert_array_equal(more.values, [np.nan, np.nan, 5])


def test_rows_come_in_any_order_and_the_last_of_a_step_counts(session):
    more = aaren.further(session, [5, 3, 4, 40], times(4, 2, 3, 3))
    assert list(more.values) == [3, 40, 5]


def test_a_clock_that_jitters_counts_for_the_nearest_step(session):
    more = aaren.further(session, [2, 3, 4], times(1.1, 1.9, 3.2), freq="h")
    assert (list(more.values), more.known) == ([3, 4], 1)


def test_months_and_weekdays_are_steps():
    model = aaren.Forecaster()
    session = model.session()
    session.extend([1.0], [np.datetime64("2024-01-05")])
    days = np.array(["2024-01-08", "2024-01-10"], "datetime64[ns]")
    assert list(np.isnan(aaren.further(session, [1, 3], days, freq="B").values)) == [False, True, False]
    months = np.array(["2024-02-05", "2024-04-05"], "datetime64[ns]")
    more = aaren.further(session, [1, 3], months, freq="MS")
    assert list(more.times.astype("datetime64[ns]").astype("datetime64[D]").astype(str)) == [
        "2024-02-05", "2024-03-05", "2024-04-05",
    ]  # fmt: skip


def test_a_session_without_times_takes_every_row(model):
    more = aaren.further(model.session(), [[1, 2], [3, 4]], times(0, 1))
    assert more.values.shape == (2, 2) and more.known == 0


def test_nothing_new_is_nothing(session):
    more = aaren.further(session, [1, 2], times(0, 1))
    assert (len(more.values), len(more.times), more.known) == (0, 0, 2)
    assert len(aaren.further(session, [], []).values) == 0


def test_a_wrong_clock_is_refused_by_its_row(session):
    with pytest.raises(errors.InvalidArgument, match="row 1"):
        aaren.further(session, [3, 4], times(2, 2_000_000), freq="h")
