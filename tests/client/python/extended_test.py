"""Sessions with longer rows: far steps, any levels, covariates; in the process and on a server with the same bits."""

import pickle
import time

import numpy as np
import pytest

import aaren
from aaren import errors
from programs import free_address

LEVELS = (0.005, 0.1, 0.5, 0.62, 0.995)


@pytest.fixture(scope="module")
def load():
    """A load with a season that follows a temperature (known with the value) and holidays (known in advance)."""
    chance = np.random.default_rng(3)
    t = np.arange(1200)
    temperature = 10 + chance.normal(0, 1, len(t)).cumsum() * 0.3
    holiday = np.repeat(chance.random(50) < 0.3, 24).astype(float)
    y = 50 + 10 * np.sin(t * 2 * np.pi / 24) - 0.8 * temperature - 12 * holiday + chance.normal(0, 0.5, len(t))
    X = np.stack([temperature, holiday], axis=1)
    X[40, 0] = np.nan
    return y, X


def ahead(X, begin, end, steps):
    """The holidays at the steps after each token of begin .. end - 1; NaN beyond the data."""
    holidays = np.append(X[:, 1], np.full(steps, np.nan))
    return np.stack([holidays[t + 1 : t + 1 + steps] for t in range(begin, end)])[:, :, None]


def test_far_steps_and_outer_levels_are_forecast(model, series):
    session = model.session(horizons=720, quantiles=LEVELS)
    session.extend(series[:1400])
    forecast = session.update(20.0)
    assert forecast.values.shape == (720, 5) and session.horizon == 720 and session.levels == LEVELS
    assert np.all(np.diff(forecast.values, axis=1) >= 0)
    season = 20 + 5 * np.sin((1401 + np.arange(720)) * 2 * np.pi / 24)
    assert np.mean(np.abs(forecast.median - season)) < 1.5
    inside = (forecast[0.005] < season) & (season < forecast[0.995])
    assert np.mean(inside) > 0.95


def test_the_first_steps_are_those_of_a_plain_session(model, series):
    far, plain = model.session(horizons=100), model.session()
    assert np.array_equal(far.run(series[:300]).values[:, : model.horizon], plain.run(series[:300]).values)


def test_single_steps_are_those_of_all_steps(model, series):
    some, every = model.session(horizons=(1, 48, 700)), model.session(horizons=700)
    got, wanted = some.run(series[:200]), every.run(series[:200])
    assert np.array_equal(got.values, wanted.values[:, [0, 47, 699]])
    assert list(got[3].horizons) == [1, 48, 700]
    assert list(some.update(1.0, 0).to_frame("pandas")["step"]) == [1, 48, 700]


def test_known_covariates_are_learned(model, load):
    y, X = load
    told, untold = model.session(past=1, future=1), model.session()
    told.extend(y[:1100], X=X[:1100])
    untold.extend(y[:1100])
    steps = told.horizon
    forecasts = told.run(y[1100:1150], X=X[1100:1150], X_future=ahead(X, 1100, 1150, steps)).at(0.5)
    wanted = np.stack([y[t + 1 : t + 1 + steps] for t in range(1100, 1150)])
    error, without = (np.mean(np.abs(f - wanted)) for f in (forecasts, untold.run(y[1100:1150]).at(0.5)))
    assert error < 0.8 * without


def test_one_by_one_and_many_at_once_have_the_same_bits(model, load):
    y, X = load
    future = ahead(X, 0, 150, 60)
    one, many, cut = (model.session(past=1, future=1, horizons=60) for _ in range(3))
    singly = [one.update(y[t], X=X[t], X_future=future[t]) for t in range(150)]
    at_once = many.run(y[:150], X=X[:150], X_future=future)
    assert np.array_equal([f.values for f in singly], at_once.values)
    cut.extend(y[:100], X=X[:100])
    assert np.array_equal(cut.run(y[100:150], X=X[100:150], X_future=future[100:]).values, at_once.values[100:])
    assert one.to_bytes() == many.to_bytes() == cut.to_bytes()


def test_batch_of_sessions_has_the_bits_of_each_alone(model, load):
    y, X = load
    sessions = [model.session(past=1, future=1, horizons=50) for _ in range(70)]
    model.extend(sessions, [y[: 100 + i] for i in range(70)], [X[: 100 + i] for i in range(70)])
    future = ahead(X, 500, 570, 50)
    forecasts = model.update(sessions, y[500:570], X=X[500:570], X_future=future)
    alone = model.session(past=1, future=1, horizons=50)
    alone.extend(y[:133], X=X[:133])
    assert forecasts[33] == alone.update(y[533], X=X[533], X_future=future[33])
    assert sessions[33].to_bytes() == alone.to_bytes()


def test_channels_share_covariates(model, load):
    y, X = load
    both, alone = model.session(2, future=2), model.session(future=2)
    pairs = np.stack([y, y[::-1]], axis=1)
    assert np.array_equal(both.run(pairs[:200], X=X[:200]).values[:, 0], alone.run(y[:200], X=X[:200]).values)


def test_forecasts_in_process_have_the_servers_bits(model, server, load):
    y, X = load
    options = dict(past=1, future=1, horizons=720, quantiles=LEVELS)
    here = model.session(**options)
    future = ahead(X, 300, 340, 720)
    with aaren.Client(server.target) as client, client.session("extended", **options) as remote:
        assert (remote.past, remote.future, remote.horizon, remote.levels) == (1, 1, 720, LEVELS)
        for session in (here, remote):
            assert isinstance(session, aaren.Session)
            session.extend(y[:300], X=X[:300])
        theirs, ours = (s.run(y[300:340], X=X[300:340], X_future=future) for s in (remote, here))
        assert np.array_equal(theirs.values, ours.values)
        assert np.array_equal(theirs.surprise, ours.surprise, equal_nan=True)
        assert remote.update(y[340], X=X[340]) == here.update(y[340], X=X[340])
        assert remote.to_bytes() == here.to_bytes()


@pytest.mark.parametrize("options", [{"horizons": 1024}, {"past": 1, "future": 1}, {"quantiles": LEVELS}])
def test_notebook_server_notebook(model, server, load, options):
    y, X = load
    has = {"X": X} if "past" in options else {}

    def rows(a, b):
        return {name: array[a:b] for name, array in has.items()}

    first, undisturbed = model.session(**options), model.session(**options)
    for session in (first, undisturbed):
        session.extend(y[:200], **rows(0, 200))
    name = f"moved-{next(iter(options))}"
    with aaren.Client(server.target) as client:
        client.import_session(name, first.to_bytes())
        with client.session(name, **options) as remote:
            theirs = remote.run(y[200:230], **rows(200, 230))
            assert np.array_equal(theirs.values, undisturbed.run(y[200:230], **rows(200, 230)).values)
        back = model.from_bytes(
            client.export_session(name),
            horizons=options.get("horizons", ()),
            quantiles=options.get("quantiles", ()),
        )
    assert back.to_bytes() == undisturbed.to_bytes()
    again = pickle.loads(pickle.dumps(back))
    wanted = undisturbed.update(1.0, **rows(230, 231))
    assert back.update(1.0, **rows(230, 231)) == wanted and again.update(1.0, **rows(230, 231)) == wanted


def test_a_profile_forecasts_a_stable_season_better(model):
    chance = np.random.default_rng(5)
    noise = np.zeros(3000)
    for t in range(1, len(noise)):
        noise[t] = 0.9 * noise[t - 1] + chance.normal()
    y = np.tile(chance.normal(0, 3, 48), 63)[: len(noise)] + noise
    errors_of = []
    for forecaster in (model, aaren.Forecaster(profile=True)):
        session = forecaster.session()
        session.extend(y[:2000])
        median = session.run(y[2000:2900]).at(0.5)
        errors_of.append(np.mean([np.abs(median[i] - y[2001 + i : 2049 + i]).mean() for i in range(900)]))
    assert errors_of[1] < 0.98 * errors_of[0]


def test_profiles_have_the_servers_bits(server, series):
    profiled = aaren.Forecaster(profile=True)
    here = profiled.session()
    with aaren.Client(server.target) as client:
        with client.session("profiled", profile=True) as remote:
            ours, theirs = here.run(series[:400]), remote.run(series[:400])
            assert np.array_equal(ours.values, theirs.values)
        back = aaren.Forecaster().from_bytes(client.export_session("profiled"))
    assert back.to_bytes() == here.to_bytes()
    assert pickle.loads(pickle.dumps(here)).update(3.0) == back.update(3.0)


def test_a_resumed_session_knows_its_covariates(server, load):
    y, X = load
    with aaren.Client(server.target) as client:
        with client.session("resumed", past=1, future=1) as session:
            session.extend(y[:10], X=X[:10])
        with client.session("resumed") as session:
            assert (session.past, session.future) == (1, 1)
            assert session.update(y[10], X=X[10]).seq == 10


def test_killed_servers_cost_no_forecast(model, start_server, tmp_path, load):
    y, X = load
    durable = ["--store=rocksdb", f"--data_dir={tmp_path}/data", "--save_interval=100ms"]
    address = free_address()
    running = start_server(*durable, listen=address)
    future = ahead(X, 0, 400, 100)
    options = dict(past=1, future=1, horizons=100)
    with aaren.Client(address) as client:
        session = client.session("killed", **options)
        got = []
        for t in range(400):
            if t in (90, 250):
                time.sleep(0.3)
                running.kill()
                running = start_server(*durable, listen=address)
            got.append(session.update(y[t], X=X[t], X_future=future[t]).values)
    wanted = model.session(**options).run(y[:400], X=X[:400], X_future=future).values
    assert np.array_equal(got, wanted)


def test_streams_take_points_with_covariates(model, server, load):
    y, X = load
    points = [aaren.Point(y[t], time=t, X=X[t]) for t in range(50)]
    with aaren.Client(server.target) as client, client.session("points", past=1, future=1) as remote:
        theirs = [f.values for f in remote.stream(points)]
    assert np.array_equal(theirs, [f.values for f in model.session(past=1, future=1).stream(points)])


@pytest.mark.parametrize(("call", "words"), [
    (lambda m: m.session(horizons=1025), "h = 1025; .* forecasts 1 to 1024"),
    (lambda m: m.session(horizons=(3, 2)), "ascend"),
    (lambda m: m.session(quantiles=(0.001,)), "0.005 .. 0.995"),
    (lambda m: m.session(quantiles=(0.9,)).update(1.0).median, "level 0.5: the forecast has 0.9 alone"),
    (lambda m: m.session(past=5, future=4), "5 past and 4 future covariates; a session has 8"),
    (lambda m: m.session(past=1).update(1.0), "X is missing"),
    (lambda m: m.session().update(1.0, X=[1.0]), "X is given"),
    (lambda m: m.session(past=2).extend([1.0, 2.0], X=[[1.0, 2.0]]), "X has 1 rows for 2 values"),
    (lambda m: m.session(past=2).extend([1.0], X=[[1.0]]), "X of shape"),
    (lambda m: m.session(past=2).extend([1.0] * 4, X=[[0, 0]] * 3 + [[0, np.inf]]), r"X\[3, 1\] is inf"),
    (lambda m: m.session(past=1).update(1.0, X=[1.0], X_future=[[1.0]] * 48), "no future covariates"),
    (lambda m: m.session(future=1).update(1.0, X=[1.0], X_future=[[1.0]] * 47), r"X_future of shape \(47, 1\)"),
])  # fmt: skip
def test_errors_say_what_is_wrong_and_take_nothing(model, call, words):
    with pytest.raises(errors.InvalidArgument, match=words):
        call(model)


def test_refused_tokens_leave_a_session_as_it_was(model, server):
    with aaren.Client(server.target) as client, client.session("refused", past=1) as remote:
        for session in (model.session(past=1), remote):
            with pytest.raises(errors.InvalidArgument, match=r"X\[1, 0\] is inf"):
                session.extend([1.0, 2.0], X=[[0.0], [np.inf]])
            assert session.seq == 0
            assert session.update(1.0, X=[0.0]).seq == 0


def test_batches_of_unlike_sessions_are_refused_by_name(model):
    with pytest.raises(errors.InvalidArgument, match="series 1 and 0 are of other"):
        model.update([model.session(), model.session(past=1)], [1.0, 2.0])


@pytest.mark.parametrize(("options", "words"), [
    ({"device": "cuda", "tier": "fast"}, "a GPU computes the tier exact, not fast"),
    ({"tier": "extended-0-0"}, "no tier 'extended-0-0'"),
    ({"tier": "extended-5-4"}, "5 past and 4 future covariates"),
])  # fmt: skip
def test_tiers_that_no_engine_has_are_refused(options, words):
    with pytest.raises(errors.InvalidArgument, match=words):
        aaren.Forecaster(**options)
