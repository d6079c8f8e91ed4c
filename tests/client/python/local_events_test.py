"""Sessions of events in this process: a server's bits, bytes that go on anywhere, and errors that name the culprit."""

import copy
import pickle
import threading

import numpy as np
import pytest

import aaren
from aaren import errors
from aaren.events import mark_number
from event_record import record

OPTIONS = {"spans": (10, 3600), "marks": 3}


@pytest.fixture(scope="module")
def model():
    return aaren.EventForecaster()


def same(mine, theirs):
    """All numbers of two EventForecasts, bit for bit."""
    pairs = [(getattr(mine, name), getattr(theirs, name)) for name in ("seconds", "within", "marks", "probabilities")]
    pairs += [(mine.surprise, theirs.surprise), (mine.seqs, theirs.seqs), (mine.times, theirs.times)]
    return all(a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)


@pytest.mark.parametrize("options", [
    OPTIONS, {}, {"marks": 64, "quantiles": (0.005, 0.25, 0.995)}, {"spans": (1,), "unit": 60, "resolution": 1},
])  # fmt: skip
def test_forecasts_have_the_servers_bits(model, server, options):
    times, marks = record(300)
    with aaren.Client(server.target) as client, client.events(f"bits {options}", **options) as remote:
        here = model.session(**options)
        assert same(here.run(times, marks), remote.run(times, marks))
        assert here.levels == remote.levels and here.last_time_ns == remote.last_time_ns
        assert here.to_bytes() == remote.to_bytes()


def test_notebook_server_notebook(model, server):
    times, marks = record(300)
    undisturbed, first = model.session(**OPTIONS), model.session(**OPTIONS)
    undisturbed.extend(times[:100], marks[:100])
    first.extend(times[:100], marks[:100])
    with aaren.Client(server.target) as client:
        client.import_session("moved", first.to_bytes())
        with client.events("moved", **OPTIONS) as remote:
            assert remote.seq == 100 and not remote.created
            assert same(remote.run(times[100:200], marks[100:200]), undisturbed.run(times[100:200], marks[100:200]))
            back = model.from_bytes(remote.to_bytes(), **OPTIONS)
    assert back.seq == 200 and back.last_time_ns == times[199]
    assert same(back.run(times[200:], marks[200:]), undisturbed.run(times[200:], marks[200:]))
    assert back.to_bytes() == undisturbed.to_bytes()


def test_both_are_event_sessions(model, server):
    with aaren.Client(server.target) as client, client.events("protocol", marks=1) as remote:
        for session in (remote, model.session(marks=1)):
            assert isinstance(session, aaren.EventSession) and not isinstance(session, aaren.Session)
            forecasts = list(session.stream((i * 10**9, "tick") for i in range(20)))
            assert [f.seq for f in forecasts] == list(range(20))
            assert forecasts[-1].marks == [("tick", pytest.approx(1, abs=0.2))]


def test_one_by_one_and_many_at_once_have_the_same_bits(model):
    times, marks = record(2000)  # several slices of the engine
    single, whole = model.session(**OPTIONS), model.session(**OPTIONS).run(times, marks)
    for i in range(40):
        assert single.update(int(times[i]), marks[i]) == whole[i]
    single.extend(times[40:1990], marks[40:1990])
    assert same(single.run(times[1990:], marks[1990:]), whole.part(slice(1990, None)))
    assert single.seq == 2000


def test_batch_of_sessions_has_the_bits_of_each_alone(model):
    many, alone = ([model.session(**OPTIONS) for _ in range(70)] for _ in range(2))
    times, marks = record(100)
    runs = [(times[: 10 + i] + i, marks[: 10 + i]) for i in range(70)]
    model.extend(many, [t for t, _ in runs], [m for _, m in runs])
    batch = model.update(many, [int(t[-1]) + 10**9 for t, _ in runs], ["pay"] * 70)
    for (t, m), session, forecast in zip(runs, alone, batch, strict=True):
        session.extend(t, m)
        assert session.update(int(t[-1]) + 10**9, "pay") == forecast
    assert [s.to_bytes() for s in many] == [s.to_bytes() for s in alone]
    assert model.update([], []) == [] and model.extend([], []) is None


def test_bytes_pickles_and_copies_go_on_alike(model):
    times, marks = record(100)
    session = model.session(**OPTIONS, unit=60)
    session.extend(times[:60], marks[:60])
    others = [pickle.loads(pickle.dumps(session)), copy.copy(session), copy.deepcopy(session), session.fork()]
    bare = model.from_bytes(session.to_bytes(), **OPTIONS, unit=60)
    wanted = session.run(times[60:], marks[60:])
    for other in others:
        assert other.update(int(times[60]), marks[60]).marks == wanted[0].marks  # with the texts of marks
        assert same(other.run(times[61:], marks[61:]), wanted.part(slice(1, None)))
    # The bytes have the numbers of marks; a text is known once it came again.
    told = bare.update(int(times[60]), marks[60])
    assert [mark for mark, _ in told.marks if mark is not None] == [
        marks[60] if mark == marks[60] else mark_number(mark) for mark, _ in wanted[0].marks if mark is not None
    ]
    assert pickle.loads(pickle.dumps(model)).digest == model.digest


@pytest.mark.parametrize(("call", "words"), [
    (lambda s: s.run([0, 10, 5]), "row 2: its time 5 ns"),
    (lambda s: s.update(-1), "row 0: its time -1 ns"),
    (lambda s: s.run([0, 1], ["a"]), "1 marks for 2 times"),
    (lambda s: s.run([0, 1], ["a", None]), "row 1: mark None"),
    (lambda s: s.run([0, 1], [1, [1]]), r"row 1: mark \[1\]"),
    (lambda s: s.run([0, 1], [1, 1.0]), "row 1: mark 1.0"),
    (lambda s: s.update(0, None), "row 0: mark None"),
    (lambda s: s.update(np.datetime64("NaT")), "the time is missing"),
    (lambda s: s.update(0, "x" * 65), "65 bytes"),
    (lambda s: s.update(0, 2**32 - 1), "mark 4294967295"),
    (lambda s: s.run(np.array(["2024-01-01", "NaT"], "datetime64[ns]")), "row 1: the time is missing"),
])  # fmt: skip
def test_events_that_cannot_be_are_refused_and_take_nothing(model, call, words):
    session = model.session()
    session.update(0)
    before = session.to_bytes()
    with pytest.raises(errors.InvalidArgument, match=words):
        call(session)
    assert session.to_bytes() == before


@pytest.mark.parametrize(("options", "words"), [
    ({"spans": (2, 1)}, "spans"), ({"spans": (0,)}, "spans"), ({"spans": (np.nan,)}, "spans"),
    ({"spans": range(1, 70)}, "64 at most"), ({"marks": 65}, "marks = 65"), ({"unit": -1}, "unit = -1"),
    ({"resolution": np.inf}, "resolution = inf"), ({"quantiles": (0.9, 0.1)}, "quantiles"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused_by_name(model, options, words):
    with pytest.raises(errors.InvalidArgument, match=words):
        model.session(**options)


def test_batches_name_the_series_that_cannot_be(model):
    a, b = model.session(), model.session()
    b.update(10)
    for call, words in (
        (lambda: model.update([a, b], [0, 5]), "series 1, row 0: its time 5 ns"),
        (lambda: model.update([a, a], [0, 0]), "series 0 and 1 are one session"),
        (lambda: model.update([a, b], [0]), "times of 1 series for 2 sessions"),
        (lambda: model.update([a, b], [0, 11], ["x"]), "marks of 1 series for 2 sessions"),
        (lambda: model.update([a, model.session(marks=1)], [0, 0]), "series 1 and 0"),
    ):
        with pytest.raises(errors.InvalidArgument, match=words):
            call()
    assert (a.seq, b.seq) == (0, 1)


def test_foreign_packages_and_snapshots_are_named(model):
    values = aaren.Forecaster()
    with pytest.raises(errors.InvalidArgument, match=r"the kind is \"events\".*EventForecaster"):
        aaren.Forecaster(model.folder)
    with pytest.raises(errors.InvalidArgument, match=r"the kind is \"forecaster\".*Forecaster runs"):
        aaren.EventForecaster(values.folder)
    with pytest.raises(errors.FailedPrecondition, match="aaren-univariate"):
        model.from_bytes(values.session().to_bytes())
    with pytest.raises(errors.FailedPrecondition, match="aaren-events"):
        values.from_bytes(model.session().to_bytes())
    blob = bytearray(model.session().to_bytes())
    blob[300] ^= 1
    with pytest.raises(errors.DataLoss, match="checksum"):
        model.from_bytes(bytes(blob))


def test_threads_may_share_a_session(model):
    session, seen = model.session(), []

    def work():
        for _ in range(50):
            seen.append(session.update(1_700_000_000 * 10**9, "a").seq)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(200)) and session.seq == 200


def test_pickled_state_and_marks_are_of_one_moment(model):
    session = model.session()
    session.extend([0, 1], "before")
    revive, arguments = session.__reduce__()
    session.extend([2], "after")  # as another thread may, while the arguments become bytes
    restored = revive(*arguments)
    numbers = map(mark_number, ("before", "after"))
    assert restored.seq == 2 and list(map(restored.names.name, numbers)) == ["before", mark_number("after")]


def test_other_threads_run_while_a_session_takes_events(model):
    session, done, counted = model.session(marks=3), threading.Event(), 0
    times = np.arange(200_000) * 10**9

    def work():
        session.extend(times, 7)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        done.wait(0.001)
    thread.join()
    assert session.seq == len(times) and counted > 20


def test_times_are_of_any_kind(model):
    a, b = model.session(), model.session()
    days = np.datetime64("2024-01-01") + np.arange(30)
    a.extend(days, "day")
    b.extend(days.astype("datetime64[ns]").astype(np.int64), ["day"] * 30)
    assert a.to_bytes() == b.to_bytes()
    assert a.update(np.datetime64("2024-01-31"), "day").median == pytest.approx(86400, rel=0.1)
