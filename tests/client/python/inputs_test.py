"""What a call is given: missing values, cells that are no numbers or times, and Ctrl-C at any moment."""

import datetime as dt
import decimal
import multiprocessing
import signal

import numpy as np
import pandas as pd
import pytest

import aaren
from aaren import errors

NS = np.datetime64("2024-01-01", "ns").astype(np.int64)


def state(model, values):
    session = model.session()
    session.run(values)
    return session.to_bytes()


@pytest.mark.parametrize(
    "values", [[1.0, None, 3.0], [1, pd.NA, 3], pd.Series([1, None, 3], dtype="Int64"), [1, decimal.Decimal("NaN"), 3],
               np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.ma.array([1, 2, 3], mask=[0, 1, 0])],
)  # fmt: skip
def test_missing_values_of_every_kind_are_nan(model, values):
    wanted = state(model, [1.0, np.nan, 3.0])
    assert state(model, values) == wanted
    one = model.session()
    for value in values:
        one.update(np.nan if value is np.ma.masked else value)
    assert one.to_bytes() == wanted


def test_missing_covariates_of_every_kind_are_nan(model):
    def forecast(X, X_future):
        return model.session(past=1, future=1, horizons=2).update(1.0, X=X, X_future=X_future)

    wanted = forecast([np.nan, 2.0], [3.0, np.nan])
    assert forecast([pd.NA, 2], [3, None]) == wanted
    assert forecast(np.ma.array([7, 2], mask=[1, 0]), np.ma.array([3, 9], mask=[0, 1])) == wanted


@pytest.mark.parametrize(
    "value", ["x", 1j, {}, [1.0, 2.0], 10**400, np.datetime64(1, "ns"), dt.datetime(2024, 1, 1), pd.NaT]
)
def test_values_that_are_no_numbers_are_refused_and_take_nothing(model, value):
    session, two = model.session(), model.session(channels=2)
    for call in (lambda: session.update(value), lambda: session.extend([value]), lambda: two.update([1.0, value])):
        with pytest.raises(errors.InvalidArgument):
            call()
    assert session.seq == two.seq == 0


@pytest.mark.parametrize(
    "values", [pd.Series(pd.date_range("2024-01-01", periods=2)), np.array([1, 2], "m8[s]"), np.array([1j, 2]),
               (value for value in (1.0, 2.0)), {1.0, 2.0}, 5.0, "12", [1.0, [2.0]]],
)  # fmt: skip
def test_arrays_that_are_no_numbers_are_refused(model, values):
    with pytest.raises(errors.InvalidArgument, match="values"):
        model.session().extend(values)


@pytest.mark.parametrize(
    "time", ["2024-01-01", dt.date(2024, 1, 1), 1.5, pd.NaT, np.datetime64("NaT"), np.datetime64("3000-01-01"),
             np.datetime64("1500-01-01"), dt.datetime(9999, 1, 1), 2**63, -(2**63), np.uint64(2**63),
             np.timedelta64(1)],
)  # fmt: skip
def test_times_that_are_none_are_refused_by_row(model, time):
    session = model.session()
    with pytest.raises(errors.InvalidArgument, match="time"):
        session.update(1.0, time)
    for times in ([time, time], np.array([time, time])):
        with pytest.raises(errors.InvalidArgument, match=r"row 0: .*time"):
            session.extend([1.0, 2.0], times)
    with pytest.raises(errors.InvalidArgument, match="time"):
        aaren.EventForecaster().session().update(time)
    assert session.seq == 0 and session.last_time_ns is None


@pytest.mark.parametrize(
    "time", [int(NS), np.uint64(NS), pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01 09:00", tz="Asia/Tokyo"),
             dt.datetime(2024, 1, 1), np.datetime64("2024")],
)  # fmt: skip
def test_times_of_every_kind_are_one_moment(model, time):
    session = model.session()
    session.update(1.0, time)
    session.extend([2.0], [time])
    assert session.last_time_ns == NS


def test_points_of_a_stream_that_are_no_pairs_are_refused(model):
    session = model.session()
    with pytest.raises(errors.InvalidArgument, match="no pair"):
        list(session.stream([(NS, 1.0, 2.0)]))
    assert session.seq == 0


def test_forecasts_are_arrays_of_any_type(model):
    session = model.session()
    forecast, forecasts = session.update(1.0), session.run([1.0, 2.0])
    for one in (forecast, forecasts):
        assert np.array_equal(np.asarray(one, np.float32), one.values.astype(np.float32), equal_nan=True)
        assert np.asarray(one) is one.values and np.array(one) is not one.values


@pytest.mark.parametrize("level", [-5, 100, 120, np.nan])
def test_intervals_out_of_range_are_named(model, level):
    with pytest.raises(errors.InvalidArgument, match=f"level {level}"):
        model.session().update(1.0).interval(level)


@pytest.mark.parametrize("kind", [aaren.Forecaster, aaren.EventForecaster])
@pytest.mark.parametrize("threads", [-1, 1.5, "two"])
def test_threads_that_cannot_be_are_named(kind, threads):
    with pytest.raises(errors.InvalidArgument, match="threads"):
        kind(threads=threads)


def _interrupted(model, times):
    """Calls under a storm of signals. Afterwards no lock is held, and clocks are those of the tokens taken."""

    def interrupt(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    chance, sessions, timed = np.random.default_rng(1), [model.session() for _ in range(50)], model.session()
    for _ in range(times):
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-5, 4e-3))
            while True:
                model.update(sessions, np.ones(50))
                timed.extend([1.0], [timed.seq + 1])
        except KeyboardInterrupt:
            pass
        assert not any(session._lock.locked() for session in sessions)
        assert timed.seq == (timed.last_time_ns or 0)


# In a process of its own: a lock that stays held would hold the test for ever.
def test_interrupts_at_any_moment_leave_no_lock_held(model):
    child = multiprocessing.get_context("fork").Process(target=_interrupted, args=(model, 600))
    child.start()
    child.join(120)
    alive = child.is_alive()
    child.kill()
    child.join()
    assert not alive and child.exitcode == 0
