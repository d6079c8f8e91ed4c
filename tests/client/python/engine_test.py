"""The engine in the process: forecasts, batches, state as bytes, and what may go wrong."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import aaren
from aaren import errors, snapshot


def test_update_gives_quantiles_that_ascend(model, series):
    session = model.session()
    session.extend(series[:500])
    forecast = session.update(series[500])
    assert forecast.values.shape == (model.horizon, len(model.levels))
    assert np.all(np.diff(forecast.values, axis=1) >= 0)
    assert np.array_equal(forecast[0.5], forecast.median)
    assert forecast.seq == 500 and session.seq == 501
    low, high = forecast.interval(80)
    assert np.array_equal(low, forecast[0.1]) and np.array_equal(high, forecast[0.9])


def test_only_a_forecaster_runs_in_the_process():
    events = os.path.join(os.path.dirname(__file__), "../../../model/bundled/aaren-events")
    with pytest.raises(errors.InvalidArgument, match='the kind is "events"'):
        aaren.Forecaster(events)


def test_levels_between_and_beyond_the_models_are_in_order(model, series):
    session = model.session()
    session.extend(series[:500])
    forecast = session.update(series[500])
    at = [forecast[level] for level in (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)]
    assert np.all(np.diff(at, axis=0) >= 0)
    with pytest.raises(errors.InvalidArgument):
        forecast[1.5]


@pytest.mark.parametrize("level", [0.005, 0.05, 0.15, 0.62, 0.97, 0.995])
def test_quantile_of_a_level_is_the_value_with_that_surprise(model, series, level):
    session = model.session()
    session.extend(series[:500])
    forecast = session.update(series[500])
    assert session.update(float(forecast[level][0])).surprise == pytest.approx(level, abs=1e-4)


def test_one_by_one_and_many_at_once_have_the_same_bits(model, series):
    one, many = model.session(), model.session()
    singly = [one.update(value) for value in series[:300]]
    at_once = many.run(series[:300])
    assert np.array_equal([f.values for f in singly], at_once.values)
    assert np.array_equal([f.surprise for f in singly], at_once.surprise, equal_nan=True)
    assert one.to_bytes() == many.to_bytes()


def test_batch_of_sessions_has_the_bits_of_each_alone(model, series):
    sessions = [model.session() for _ in range(150)]
    model.extend(sessions, [series[: 100 + i] for i in range(150)])
    forecasts = model.update(sessions, series[500:650])
    assert forecasts.values.shape == (150, model.horizon, len(model.levels))
    alone = model.session()
    alone.extend(series[:177])
    assert forecasts[77] == alone.update(series[577])
    assert sessions[77].to_bytes() == alone.to_bytes()


def test_channels_are_series_of_their_own(model, series):
    both = model.session(channels=2)
    pairs = np.stack([series[:200], series[1000:1200]], axis=1)
    together = both.run(pairs)
    alone = model.session().run(pairs[:, 1].copy())
    assert together.values.shape == (200, 2, model.horizon, len(model.levels))
    assert np.array_equal(together.values[:, 1], alone.values)
    assert both.update([1.0, np.nan]).values.shape == (2, model.horizon, len(model.levels))


def test_fast_tier_is_another_arithmetic_that_stays_with_its_session(series):
    session = aaren.Forecaster(tier="fast").session()
    session.extend(series[:200])
    again = aaren.Forecaster().from_bytes(session.to_bytes())
    assert again.update(3.0) == session.update(3.0)
    assert snapshot.decode(again.to_bytes()).tier == "fast"


def test_bytes_pickles_and_copies_go_on_alike(model, series):
    session = model.session()
    session.extend(series[:333])
    others = [model.from_bytes(session.to_bytes()), pickle.loads(pickle.dumps(session)), copy.copy(session),
              copy.deepcopy(session), session.fork()]  # fmt: skip
    wanted = session.run(series[333:350]).values
    for other in others:
        assert np.array_equal(other.run(series[333:350]).values, wanted)


def test_damaged_snapshots_are_refused(model):
    blob = bytearray(model.session().to_bytes())
    for cut in (0, 5, 30, len(blob) - 1):
        with pytest.raises(errors.DataLoss):
            model.from_bytes(bytes(blob[:cut]))
    blob[len(blob) // 2] ^= 1
    with pytest.raises(errors.DataLoss, match="checksum"):
        model.from_bytes(bytes(blob))
    other = snapshot.decode(model.session().to_bytes())
    for field, value in (("digest", "0" * 64), ("numerics_version", 1)):
        changed = snapshot.Snapshot(**{**vars(other), field: value})
        with pytest.raises(errors.FailedPrecondition):
            model.from_bytes(changed.encode())


def test_errors_name_the_row_and_take_nothing(model):
    session = model.session()
    with pytest.raises(ValueError, match="row 2"):
        session.extend([1.0, 2.0, np.inf])
    with pytest.raises(errors.InvalidArgument, match="row 1"):
        session.extend([1.0, 1e39])
    with pytest.raises(errors.InvalidArgument, match="row 1: 'x'"):
        session.extend([1.0, "x"])
    with pytest.raises(errors.InvalidArgument, match="row 1: its time"):
        session.extend([1.0, 2.0], [10, 5])
    with pytest.raises(errors.InvalidArgument, match="series 1, row 0"):
        model.extend([session, model.session()], [[1.0], [np.inf]])
    with pytest.raises(errors.InvalidArgument, match="one session"):
        model.update([session, session], [1.0, 2.0])
    assert session.seq == 0


def test_missing_values_are_none_or_nan(model):
    session = model.session()
    session.extend([1.0, None, np.nan, 2.0])
    assert session.seq == 4
    assert np.isnan(session.update(np.nan).surprise)


def test_unknown_models_devices_and_tiers_are_named(tmp_path):
    with pytest.raises(errors.NotFound):
        aaren.Forecaster(tmp_path)
    with pytest.raises(errors.InvalidArgument, match="gpu"):
        aaren.Forecaster(device="gpu")
    with pytest.raises(errors.InvalidArgument, match="slow"):
        aaren.Forecaster(tier="slow")


def test_threads_may_share_a_model_and_a_session(model, series):
    shared = model.session()

    def work(i):
        own = model.session()
        for value in series[i : i + 50]:
            own.update(value)
            shared.update(value)
        return own.to_bytes()

    with ThreadPoolExecutor(4) as pool:
        states = list(pool.map(work, range(8)))
    assert shared.seq == 400
    alone = model.session()
    alone.run(series[3:53])
    assert states[3] == alone.to_bytes()


def test_calls_of_several_threads_tell_the_token_that_each_has_taken(model):
    session, start = model.session(), np.datetime64("2024-01-01")

    def work(i):
        told = []
        for _ in range(100):
            told.append(session.update(1.0).seq)
            told.extend(session.run([1.0, 2.0]).seqs)
            later = session.update(1.0, time=start)
            assert later.time_ns == start.astype("datetime64[ns]").astype(int)
            told.append(later.seq)
        return told

    with ThreadPoolExecutor(4) as pool:
        seqs = [seq for told in pool.map(work, range(4)) for seq in told]
    assert sorted(seqs) == list(range(1600))


def test_batches_of_several_threads_tell_the_tokens_that_each_has_taken(model):
    sessions = [model.session() for _ in range(20)]

    def work(i):
        told = []
        for _ in range(30):
            told.append(model.update(sessions, np.ones(20)).seqs)
            model.extend(sessions[::-1], [[1.0]] * 20)
            told.append([session.update(1.0).seq for session in sessions])
        return told

    with ThreadPoolExecutor(4) as pool:
        seqs = np.concatenate(list(pool.map(work, range(4))))
    for told in seqs.T.tolist():
        assert len(set(told)) == 240 and max(told) < 360


def _in_child(session, value, queue):
    queue.put(session.update(value).values)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_get_sessions(model, series, method):
    session = model.session()
    session.extend(series[:100])
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(session, 3.0, queue))
    child.start()
    values = queue.get(timeout=60)
    child.join()
    assert np.array_equal(values, session.update(3.0).values)


def test_interrupt_ends_a_long_call_and_leaves_the_session(model):
    session = model.session()
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        session.run(np.random.default_rng(1).normal(size=400_000), h=1)
    assert time.monotonic() - began < 5
    assert session.seq == 0


def _copy_while_a_thread_steps(session):
    values = np.random.default_rng(1).normal(size=100_000)
    thread = threading.Thread(target=lambda: session.run(values, h=1))
    thread.start()
    time.sleep(0.3)
    assert copy.copy(session).seq in (0, len(values))
    restored = pickle.loads(pickle.dumps(session))
    assert restored.seq in (0, len(values))
    thread.join()


# In a process of its own: threads that wait for each other would hold the interpreter's lock for ever.
def test_session_is_copied_while_another_thread_steps_it(model):
    child = multiprocessing.get_context("fork").Process(target=_copy_while_a_thread_steps, args=(model.session(),))
    child.start()
    child.join(60)
    alive = child.is_alive()
    child.kill()
    child.join()
    assert not alive and child.exitcode == 0


def test_memory_stays_flat(model):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4

    session = model.session()
    for i in range(2000):
        session.update(float(i % 7))
    before = resident()
    for i in range(20_000):
        session.update(float(i % 7))
    assert resident() - before < 1000  # KB


def test_times_give_the_forecasts_times(model):
    session = model.session()
    times = np.datetime64("2024-01-01") + np.arange(48) * np.timedelta64(1, "h")
    session.extend(np.sin(np.arange(48)), times)
    forecast = session.update(1.0, np.datetime64("2024-01-03"))
    assert forecast.times_ns()[0] == np.datetime64("2024-01-03T01", "ns").astype(np.int64)
    assert list(forecast.to_frame("pandas").columns)[:2] == ["step", "ds"]


def test_import_brings_neither_torch_nor_grpc():
    import subprocess
    import sys

    code = "import aaren, sys; print('torch' in sys.modules, 'grpc' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert out == ["False", "False"]
