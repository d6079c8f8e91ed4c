"""A session that begins in a notebook goes on at a server, and back, by bytes; forecasts have the same bits."""

import numpy as np

import aaren


def test_forecasts_in_process_have_the_servers_bits(model, server, series):
    with aaren.Client(server.target) as client, client.session("bits") as remote:
        here = model.session()
        assert np.array_equal(remote.run(series[:700]).values, (mine := here.run(series[:700])).values)
        theirs = remote.run(series[700:720])
        ours = here.run(series[700:720])
        assert np.array_equal(theirs.surprise, ours.surprise, equal_nan=True)
        assert len(mine) == 700
        assert remote.to_bytes() == here.to_bytes()


def test_notebook_server_notebook(model, server, series):
    times = np.datetime64("2024-01-01", "ns") + np.arange(len(series)) * np.timedelta64(1, "h")
    undisturbed, first = model.session(), model.session()
    undisturbed.extend(series[:400], times[:400])
    first.extend(series[:400], times[:400])
    with aaren.Client(server.target) as client:
        client.import_session("moved", first.to_bytes())
        with client.session("moved") as remote:
            assert remote.seq == 400 and not remote.created
            for i in range(400, 450):
                forecast = remote.update(series[i], times[i])
                assert forecast == undisturbed.update(series[i], times[i])
            assert forecast.times_ns()[0] == times[450].astype(np.int64)
        back = model.from_bytes(client.export_session("moved"))
    assert back.seq == 450
    assert back.to_bytes() == undisturbed.to_bytes()
    assert back.update(series[450], times[450]) == undisturbed.update(series[450], times[450])


def test_silent_history_is_the_servers_too(model, server, series):
    here = model.session(channels=2)
    pairs = np.stack([series, series[::-1]], axis=1)
    with aaren.Client(server.target) as client, client.session("silent", channels=2) as remote:
        remote.extend(pairs)
        here.extend(pairs)
        assert remote.update([1.0, 2.0]) == here.update([1.0, 2.0])
        assert remote.to_bytes() == here.to_bytes()


def test_series_at_a_high_level_keep_all_digits(model, server, series):
    high = np.nan_to_num(series[:300]) + 2.0**40  # 32-bit floats have steps of 131072 there
    here = model.session()
    with aaren.Client(server.target) as client, client.session("high") as remote:
        theirs, ours = remote.run(high), here.run(high)
        assert np.array_equal(theirs.values, ours.values)
        assert np.all(np.abs(theirs.values[200:] - 2.0**40) < 1000)
        assert np.array_equal(theirs.learning, ours.learning) and ours.learning[0] and not ours.learning[-1]
        last = remote.update(high[0])
        assert last == here.update(high[0]) and last.learning is False


def test_both_are_sessions(model, server):
    with aaren.Client(server.target) as client, client.session("protocol") as remote:
        for session in (remote, model.session()):
            assert isinstance(session, aaren.Session)
            forecasts = list(session.stream([1.0, 2.0]))
            assert [f.seq for f in forecasts] == [0, 1]
            assert session.levels and session.horizon
