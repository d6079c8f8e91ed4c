"""The client against real servers: exactly once through kills and cuts, many sessions, TLS, tokens, errors."""

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import aaren
from aaren import errors
from peers.cutting_proxy import CuttingProxy
from peers.tls import make_certificate
from programs import free_address


@pytest.fixture
def durable(tmp_path):
    """The flags of a server that saves often, on an address it comes back to."""
    return ["--store=rocksdb", f"--data_dir={tmp_path}/data", "--save_interval=100ms"]


def expected(model, values):
    return model.session().run(values).values


def test_sessions_live_on_between_clients(server, series):
    with aaren.Client(server.target) as client, client.session("lives") as session:
        assert session.created
        session.extend(series[:10])
    with aaren.Client(server.target) as client, client.session("lives") as session:
        assert session.seq == 10 and not session.created
        session.delete()
        with pytest.raises(errors.NotFound) as info:
            client.get_session("lives")
        assert info.value.reason == "SESSION_NOT_FOUND"


HOUR = 3_600_000_000_000


def hours(first, last):
    return np.arange(first, last) * HOUR + 1_704_067_200_000_000_000


def test_sessions_remember_the_time_of_their_last_token(server, series):
    with aaren.Client(server.target) as client:
        with client.session("times") as session:
            assert session.last_time_ns is None
            session.extend(series[:10], hours(0, 10))
        with client.session("times") as session:
            assert (session.last_time_ns, session.step_ns) == (hours(9, 10)[0], HOUR)
            with pytest.raises(errors.InvalidArgument):
                session.update(1.0, int(hours(8, 9)[0]))


def test_further_files_go_on_behind_the_session(model, server, series):
    with aaren.Client(server.target) as client, client.session("further") as session:
        for first, last in ((0, 48), (24, 72), (80, 100)):
            more = aaren.further(session, series[first:last], hours(first, last))
            got = session.run(more.values, more.times)
        assert (more.known, more.filled, session.seq) == (0, 8, 100)
        values = np.concatenate([series[:72], np.full(8, np.nan), series[80:100]])
        assert np.array_equal(got.values, expected(model, values)[72:])


def test_tokens_sent_again_may_have_their_old_times(start_server, series):
    address = free_address()
    first = start_server(listen=address)
    with aaren.Client(first.target) as client:
        session = client.session("again", rewindable=True, retain=1)
        session.extend(series[:50], hours(0, 50))
        first.kill()
        start_server(listen=address)
        with pytest.raises(errors.OutOfRange):
            session.run(series[50:60], hours(50, 60))
        assert (session.seq, session.last_time_ns) == (0, None)
        session.extend(series[:60], hours(0, 60))
        assert session.last_time_ns == hours(59, 60)[0]


def test_many_sessions_share_few_streams(model, server, series):
    with aaren.Client(server.target, streams=2) as client:
        sessions = [client.session(f"many-{i}") for i in range(60)]
        results: dict[int, np.ndarray] = {}

        def work(part):
            for i in range(part, 60, 6):
                results[i] = sessions[i].run(series[i : i + 100]).values

        threads = [threading.Thread(target=work, args=(part,)) for part in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert len(list(client.list_sessions("many-"))) == 60
        for i in (0, 31, 59):
            assert np.array_equal(results[i], expected(model, series[i : i + 100]))


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
    proxy = CuttingProxy(server.target)
    heard = []
    with aaren.Client(proxy.address) as client:
        session = client.session("cut", on_event=lambda event, detail: heard.append(event))
        stop = threading.Event()

        def cut():
            while not stop.wait(0.5):
                proxy.cut()

        cutter = threading.Thread(target=cut)
        cutter.start()
        try:
            got = np.concatenate([session.run(series[at : at + 400]).values for at in range(0, 2000, 400)])
        finally:
            stop.set()
            cutter.join()
        session.close()
    proxy.close()
    assert np.array_equal(got, expected(model, series))
    assert "opened" in heard


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


def test_another_writer_takes_the_session(server):
    with aaren.Client(server.target) as one, aaren.Client(server.target) as two:
        first = one.session("taken")
        first.update(1.0)
        second = two.session("taken")
        second.update(2.0)
        with pytest.raises(errors.Aborted):
            first.update(3.0)
        assert second.seq == 2


def test_nobody_there_is_unavailable_in_time():
    with aaren.Client(free_address(), connect_timeout=0.5) as client:
        began = time.monotonic()
        with pytest.raises(errors.Unavailable, match="no connection"):
            client.session("nobody")
        assert time.monotonic() - began < 10
        with pytest.raises(ConnectionError):
            client.models()


def test_errors_name_their_session(server):
    with aaren.Client(server.target) as client:
        with pytest.raises(errors.NotFound, match='session "absent"'):
            client.session("absent", mode="resume")
        with pytest.raises(errors.InvalidArgument):
            client.session("")
        with client.session("named") as session:
            with pytest.raises(errors.InvalidArgument, match="row 1"):
                session.extend([1.0, np.inf])
            with pytest.raises(errors.AlreadyExists):
                client.session("named")
            with pytest.raises(TypeError, match="on a server"):
                import pickle

                pickle.dumps(session)
        assert client.models()[0].name == client.model(client.models()[0].name).name


def test_tls_and_tokens(start_server, tmp_path):
    certificate, key = make_certificate(str(tmp_path))
    secret = "a-long-secret-token-of-thirty-two-bytes"
    callers = tmp_path / "callers"
    callers.write_text(f"acme admin sha256:{hashlib.sha256(secret.encode()).hexdigest()}\n")
    running = start_server(f"--tls_cert={certificate}", f"--tls_key={key}", f"--callers={callers}")
    target = running.target.replace("127.0.0.1", "localhost")
    tokens = []

    def token():
        tokens.append(1)
        return secret

    with aaren.Client(target, ca=certificate, token=token) as client, client.session("safe") as session:
        session.update(1.0)
        assert client.get_session("safe").next_seq == 1
        assert len(tokens) >= 2
    with aaren.Client(target, ca=certificate, token="wrong") as client, pytest.raises(errors.Unauthenticated):
        client.session("safe")
    with pytest.raises(errors.InvalidArgument, match="holds no PEM"):
        (tmp_path / "empty").write_text("")
        aaren.Client(target, ca=str(tmp_path / "empty")).session("x")


def test_asyncio_streams_points(model, server, series):
    async def points():
        for value in series[:300]:
            yield value
            if np.isnan(value):
                await asyncio.sleep(0.001)

    async def main():
        with aaren.Client(server.target) as client:
            got = [f async for f in client.aio.session("aio").stream(points())]
            ran = await client.aio.session("aio-run").run(series[:300])
            one = client.aio.session("aio-one")
            await one.extend(series[:299])
            last = await one.update(series[299])
            await one.close(delete=True)
            await client.aio.close()
            return got, ran, last

    got, ran, last = asyncio.run(main())
    wanted = expected(model, series[:300])
    assert np.array_equal([f.values for f in got], wanted)
    assert np.array_equal(ran.values, wanted)
    assert last.seq == 299


LOOPS = """
import asyncio, sys
import aaren
target, way = sys.argv[1:]

async def main(i):
    client = aaren.Client(target)
    assert (await client.aio.session(f"loop-{way}-{i}").update(1.0)).seq == 0
    if way == "closed":
        await client.aio.close()
    if way != "left":
        client.close()

async def managed(i):
    async with aaren.Client(target) as client:
        assert (await client.aio.session(f"loop-{way}-{i}").update(1.0)).seq == 0

for i in range(5):
    asyncio.run(managed(i) if way == "managed" else main(i))
"""


@pytest.mark.parametrize("way", ["managed", "closed", "closing", "left"])
def test_one_loop_after_another_hears_nothing_of_the_one_before(server, way):
    command = [sys.executable, "-c", LOOPS, server.target, way]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert ran.stderr == ""


def test_cancelled_task_leaves_the_session_usable(model, server):
    async def main():
        with aaren.Client(server.target) as client:
            session = await client.aio.session("cancelled").open()
            for _ in range(20):
                task = asyncio.create_task(session.update(1.0))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
            taken = session.seq
            forecast = await session.update(2.0)
            await client.aio.close()
            return taken, forecast

    taken, forecast = asyncio.run(main())
    assert forecast.seq == taken
    assert np.array_equal(forecast.values, expected(model, [1.0] * taken + [2.0])[-1])


def test_forecasts_of_a_cancelled_run_do_not_come_in_the_next(model, server, series):
    async def main():
        with aaren.Client(server.target) as client:
            session = await client.aio.session("cancelled-run").open()
            task = asyncio.create_task(session.run(series[:600]))
            while session.seq < 256:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            taken = session.seq
            ran = await session.run(series[:50])
            await client.aio.close()
            return taken, ran

    taken, ran = asyncio.run(main())
    assert np.array_equal(ran.values, expected(model, [*series[:taken], *series[:50]])[taken:])


def test_interrupt_ends_a_wait_and_leaves_the_session_usable(model, server, series):
    with aaren.Client(server.target) as client, client.session("interrupted") as session:
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(np.resize(series, 400_000))
        taken = session.seq
        forecast, ran = session.update(1.0), session.run(series[:50])
        session.extend(series[:10])
    wanted = expected(model, [*np.resize(series, taken), 1.0, *series[:50]])[taken:]
    assert np.array_equal([forecast.values, *ran.values], wanted)


def test_calls_from_threads_and_tasks_each_get_their_own_forecasts(server, series):
    with aaren.Client(server.target) as client, client.session("shared") as session:
        with ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(lambda i: session.run(series[: 20 + i]).seqs, range(20)))
        assert sorted(np.concatenate(runs)) == list(range(session.seq))
        assert all(np.all(np.diff(seqs) == 1) for seqs in runs)

    async def main():
        with aaren.Client(server.target) as client:
            session = await client.aio.session("shared-aio").open()
            forecasts = await asyncio.gather(*(session.update(float(i)) for i in range(40)))
            await client.aio.close()
            return [forecast.seq for forecast in forecasts]

    assert asyncio.run(main()) == list(range(40))


def test_asyncio_survives_kills(model, start_server, durable, series):
    address = free_address()
    running = start_server(*durable, listen=address)

    async def main():
        nonlocal running
        with aaren.Client(address) as client:
            got = []
            async for forecast in client.aio.session("aio-killed").stream(series[:1500]):
                got.append(forecast.values)
                if len(got) in (200, 900):
                    await asyncio.to_thread(running.kill)
                    running = await asyncio.to_thread(start_server, *durable, listen=address)
            await client.aio.close()
            return got

    assert np.array_equal(asyncio.run(main()), expected(model, series[:1500]))


def test_source_that_fails_is_told(server):
    async def main():
        async def points():
            yield 1.0
            raise RuntimeError("the sensor is gone")

        with aaren.Client(server.target) as client:
            try:
                async for _ in client.aio.session("fails").stream(points()):
                    pass
            finally:
                await client.aio.close()

    with pytest.raises(RuntimeError, match="sensor"):
        asyncio.run(main())


def test_window_bounds_what_waits(server, series):
    with aaren.Client(server.target) as client, client.session("window", window=16) as session:
        assert len(session.run(series[:500])) == 500
        assert session.update(1.0).seq == 500


def test_forked_child_may_make_a_client(server):
    pid = os.fork()
    if pid == 0:
        with aaren.Client(server.target) as client, client.session("forked") as session:
            os._exit(0 if session.update(1.0).seq == 0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
