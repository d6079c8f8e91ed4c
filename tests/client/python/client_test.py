"""The client against real servers: many sessions, times, errors, TLS, tokens, threads, forks."""

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
from aaren.client.apart import Apart
from in_process import expected
from peers.tls import make_certificate
from programs import free_address


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


def test_another_writer_takes_the_session(server):
    with aaren.Client(server.target) as one, aaren.Client(server.target) as two:
        first = one.session("taken")
        first.update(1.0)
        second = two.session("taken")
        second.update(2.0)
        with pytest.raises(errors.Aborted):
            first.update(3.0)
        assert second.seq == 2


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


_STORM = """
import signal, sys
import numpy as np
import aaren

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
chance = np.random.default_rng(1)
with aaren.Client(sys.argv[1]) as client:
    session = client.session("storm")
    for _ in range(800):
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-5, 6e-3))
            while True:
                session.update(1.0)
                session.extend([2.0, 3.0])
        except KeyboardInterrupt:
            pass
    assert session.update(4.0).seq + 1 == session.seq
    print(session.seq)
"""


def test_call_begun_while_another_thread_closes_the_client_ends():
    apart = Apart(lambda: None)
    jobs = apart._jobs

    class ClosesFirst:
        def put(self, job):
            apart._jobs = jobs
            apart.stop()
            while any(thread.name == "aaren-calls" for thread in threading.enumerate()):
                time.sleep(0.001)
            jobs.put(job)

    apart._jobs = ClosesFirst()
    assert apart.call(lambda job: 7) == 7


def test_interrupts_at_any_moment_leave_the_client_usable(model, server):
    storm = subprocess.run([sys.executable, "-c", _STORM, server.target], capture_output=True, text=True, timeout=120,
                           check=True)  # fmt: skip
    seq = int(storm.stdout)
    with aaren.Client(server.target) as client:
        assert client.session("storm").seq == seq


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
