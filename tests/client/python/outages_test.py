"""Sessions through kills of server or client, cut connections and lost sessions: every forecast once, or an error."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import aaren
from aaren import errors
from in_process import expected
from peers.cutting_proxy import CuttingProxy
from programs import free_address


def test_killed_servers_cost_no_forecast_and_none_comes_twice(model, start_server, durable, series):
    address = free_address()
    running = start_server(*durable, listen=address)
    with aaren.Client(running.target) as client:
        session = client.session("killed")

        def kill_and_start():
            current = running
            for _ in range(3):
                time.sleep(0.7)
                current.kill()
                current = start_server(*durable, listen=address)

        killer = threading.Thread(target=kill_and_start)
        killer.start()
        forecasts = []
        while killer.is_alive() or len(forecasts) < 100:
            forecasts.append(session.update(series[len(forecasts) % len(series)]))
        values = np.resize(series, len(forecasts))
        assert [f.seq for f in forecasts] == list(range(len(forecasts)))
        assert np.array_equal([f.values for f in forecasts], expected(model, values))


def test_cut_connections_cost_no_forecast(model, server, series):
    proxy = CuttingProxy(server.target, bytes_per_second=2_000_000)
    heard, cuts, got = [], [], []

    def cut(after):
        while proxy.forwarded < after:
            time.sleep(0.001)
        cuts.append(proxy.cut())

    with aaren.Client(proxy.address) as client:
        session = client.session("cut", on_event=lambda event, detail: heard.append(event))
        for at in range(0, 2000, 400):
            # A run has as many forecasts of some hundred bytes: the cut comes among the first of them.
            cutter = threading.Thread(target=cut, args=(proxy.forwarded + 20_000,), daemon=True)
            cutter.start()
            got.append(session.run(series[at : at + 400]).values)
            cutter.join()
        session.close()
    proxy.close()
    assert cuts == [1] * 5
    assert heard.count("disconnected") == 5
    assert np.array_equal(np.concatenate(got), expected(model, series))


CHILD = """
import struct, sys
import numpy as np
import aaren
target, journal, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
values = np.sin(np.arange(count) / 3) * 10
with open(journal, "ab") as out, aaren.Client(target) as client:
    done = out.tell() // 8
    session = client.session("journal", manual=True, delivered_seq=done)
    for seq in range(session.seq, count):
        forecast = session.update(values[seq])
        if seq >= done:
            out.write(struct.pack("<d", float(forecast.median[0])))
            out.flush()
        session.delivered(seq + 1)
"""


def test_killed_client_goes_on_from_its_journal(model, start_server, durable, tmp_path):
    running = start_server(*durable)
    journal, count = tmp_path / "journal", 600
    command = [sys.executable, "-c", CHILD, running.target, str(journal), str(count)]
    for _ in range(2):
        child = subprocess.Popen(command)
        size = journal.stat().st_size if journal.exists() else 0
        while child.poll() is None and (not journal.exists() or journal.stat().st_size < size + 8 * 50):
            time.sleep(0.01)
        child.kill()
        child.wait()
    subprocess.run(command, check=True, timeout=120)
    medians = np.frombuffer(journal.read_bytes(), "<d")
    wanted = expected(model, np.sin(np.arange(count) / 3) * 10)[:, 0, len(model.levels) // 2]
    assert np.array_equal(medians, wanted.astype(np.float64))


def test_lost_session_is_data_loss_and_rewindable_ones_go_on(model, start_server, series):
    address = free_address()
    running = start_server(listen=address)
    with aaren.Client(address) as client:
        plain, again = client.session("plain", retain=0), client.session("again", retain=0, rewindable=True)
        plain.extend(series[:50])
        again.extend(series[:50])
        plain.update(1.0)
        again.update(1.0)
        time.sleep(1.5)  # saved: the client keeps no tokens
        plain.update(2.0)
        again.update(2.0)
        running.kill()
        start_server(listen=address)
        with pytest.raises(errors.DataLoss):
            plain.update(3.0)
        with pytest.raises(errors.OutOfRange):
            again.update(3.0)
        assert again.seq == 0
        again.extend(series[:50])
        values = [*series[:50], 4.0]
        assert np.array_equal(again.update(4.0).values, expected(model, values)[-1])


def test_nobody_there_is_unavailable_in_time():
    with aaren.Client(free_address(), connect_timeout=0.5) as client:
        began = time.monotonic()
        with pytest.raises(errors.Unavailable, match="no connection"):
            client.session("nobody")
        assert time.monotonic() - began < 10
        with pytest.raises(ConnectionError):
            client.models()
