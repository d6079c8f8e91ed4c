"""Sessions of events on real servers: what a forecast says, the C++ client's numbers, exactly once through breaks."""

import asyncio
import inspect
import json
import os
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import aaren
from aaren import errors
from aaren.events import MarkNames, mark_number
from event_record import MARKS, record
from peers.cutting_proxy import CuttingProxy
from programs import free_address


@pytest.fixture(scope="module")
def whole(server):
    """The forecasts of a session that nothing disturbed."""
    times, marks = record(600)
    with aaren.Client(server.target) as client, client.events("whole", spans=(10, 3600), marks=3) as session:
        return session.run(times, marks)


def test_forecasts_tell_when_and_what_comes_next(whole):
    forecast = whole[599]  # a payment: ten minutes of silence, then a browser
    assert forecast.seq == 599 and forecast.time_ns == record(600)[0][-1]
    assert np.all(np.diff(forecast.seconds) >= 0) and 500 < forecast.median < 700
    assert forecast.within[10] < 0.2 and forecast.within[3600] > 0.9
    assert forecast.marks[0][0] == "browse" and forecast.marks[0][1] > 0.8
    assert forecast.marks[0][1] >= forecast.marks[1][1] >= forecast.marks[2][1]
    assert 0 < whole[598].median < 10 and whole[598].marks[0][0] == "pay"
    assert 0 < whole[599].surprise < 1 and np.isnan(whole[0].surprise)
    low, high = forecast.interval(80)
    assert (low, high) == (forecast[0.1], forecast[0.9]) and low < forecast.median < high


def test_one_by_one_and_many_at_once_have_the_same_bits(server, whole):
    times, marks = record(60)
    with aaren.Client(server.target) as client, client.events("single", spans=(10, 3600), marks=3) as session:
        pairs = zip(times[:40].tolist(), marks[:40], strict=True)
        assert list(session.stream(pairs)) == [whole[i] for i in range(40)]
        session.extend(times[40:50], marks[40:50])
        assert session.update(int(times[50]), marks[50]) == whole[50]
        assert session.seq == 51 and session.last_time_ns == times[50]


def test_numbers_are_those_of_the_c_client(server, tmp_path, whole):
    times, marks = record(600)
    path = tmp_path / "events.csv"
    path.write_text("time,mark\n" + "".join(f"{t / 1e9:.1f},{m}\n" for t, m in zip(times, marks, strict=True)))
    command = [Path(os.environ["AAREN_BIN"]) / "aaren", "stream", f"--target={server.target}", f"--events={path}"]
    flags = ["--session=cli", "--marks=3", "--spans=10s,1h"]
    lines = subprocess.run([*command, *flags], check=True, capture_output=True, text=True).stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert len(told) == 600
    for i in (3, 300, 599):
        assert np.allclose(list(told[i]["next_seconds"].values()), whole[i].seconds, rtol=1e-4)
        assert np.allclose(list(told[i]["within"].values()), list(whole[i].within.values()), atol=1e-4)
        assert [mark["mark"] for mark in told[i]["marks"]][:2] == [mark for mark, _ in whole[i].marks][:2]


def test_killed_servers_cost_no_forecast_and_none_comes_twice(start_server, tmp_path, whole):
    durable = ["--store=rocksdb", f"--data_dir={tmp_path}/data", "--save_interval=100ms"]
    address = free_address()
    running = start_server(*durable, listen=address)
    times, marks = record(600)
    with aaren.Client(address) as client:
        session = client.events("killed", spans=(10, 3600), marks=3)
        got = []
        for i in range(600):
            if i in (100, 300, 450):
                time.sleep(0.3)
                running.kill()
                running = start_server(*durable, listen=address)
            got.append(session.update(int(times[i]), marks[i]))
    assert got == [whole[i] for i in range(600)]


def test_cut_connections_cost_no_forecast(server, whole):
    proxy = CuttingProxy(server.target)
    times, marks = record(600)
    with aaren.Client(proxy.address) as client:
        session = client.events("cut", spans=(10, 3600), marks=3)
        got = []
        for at in range(0, 600, 60):
            cutter = threading.Timer(0.02, proxy.cut)
            cutter.start()
            got.append(session.run(times[at : at + 60], marks[at : at + 60]))
            cutter.join()
        session.close()
    proxy.close()
    assert np.array_equal(np.concatenate([part.seconds for part in got]), whole.seconds, equal_nan=True)
    assert np.array_equal(np.concatenate([part.marks for part in got]), whole.marks)


CHILD = f"""
import struct, sys
import numpy as np
import aaren
MARKS = {MARKS}
{inspect.getsource(record)}
target, journal, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
times, marks = record(count)
with open(journal, "ab") as out, aaren.Client(target) as client:
    done = out.tell() // 8
    session = client.events("journal", manual=True, delivered_seq=done)
    for seq in range(session.seq, count):
        forecast = session.update(int(times[seq]), marks[seq])
        if seq >= done:
            out.write(struct.pack("<d", forecast.median))
            out.flush()
        session.delivered(seq + 1)
"""


def test_killed_client_goes_on_from_its_journal(start_server, tmp_path, whole):
    running = start_server("--store=rocksdb", f"--data_dir={tmp_path}/data", "--save_interval=100ms")
    journal = tmp_path / "journal"
    command = [sys.executable, "-c", CHILD, running.target, str(journal), "600"]
    for _ in range(2):
        child = subprocess.Popen(command)
        size = journal.stat().st_size if journal.exists() else 0
        while child.poll() is None and (not journal.exists() or journal.stat().st_size < size + 8 * 50):
            time.sleep(0.01)
        child.kill()
        child.wait()
    subprocess.run(command, check=True, timeout=120)
    wanted = b"".join(struct.pack("<d", whole[i].median) for i in range(600))
    assert journal.read_bytes() == wanted


def test_asyncio_streams_events(server, whole):
    times, marks = record(200)

    async def events():
        for event in zip(times.tolist(), marks, strict=True):
            yield event

    async def main():
        with aaren.Client(server.target) as client:
            options = {"spans": (10, 3600), "marks": 3}
            streamed = [f async for f in client.aio.events("aio", **options).stream(events())]
            ran = await client.aio.events("aio-run", **options).run(times, marks)
            one = await client.aio.events("aio-one", **options).open()
            await one.extend(times[:199], marks[:199])
            last = await one.update(int(times[199]), marks[199])
            await client.aio.close()
            return streamed, ran, last

    streamed, ran, last = asyncio.run(main())
    assert streamed == [whole[i] for i in range(200)]
    assert np.array_equal(ran.seconds, whole.seconds[:200], equal_nan=True)
    assert last == whole[199]


def test_an_event_that_does_not_come_is_told_once(server):
    heard = []
    with aaren.Client(server.target) as client:
        session = client.events("overdue", overdue=0.9, on_event=lambda *told: heard.append(told))
        now = time.time_ns()
        session.run([now - 3 * 10**8 + i * 10**7 for i in range(30)])
        deadline = time.monotonic() + 20
        while not any(event == "overdue" for event, _ in heard) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)
        told = [detail for event, detail in heard if event == "overdue"]
        assert len(told) == 1 and told[0].next_seq == 30 and told[0].probability == pytest.approx(0.1)
        assert abs(told[0].time_ns - now) < 10**9
        session.close()


def test_a_unit_gives_the_first_event_a_forecast(server):
    with aaren.Client(server.target) as client:
        with client.events("unit", unit=60) as session:
            assert 1 < session.update(0).median < 3600
        with client.events("without") as session:
            assert np.isnan(session.update(0).median)


def test_marks_are_texts_or_numbers(server):
    assert mark_number("") == 0x811C9DC5 and mark_number("a") == 0xE40C292C  # FNV-1a's own examples
    names = MarkNames(capacity=2)
    first = names.add("one")
    assert (names.name(first), names.name(7), names.name(0xFFFFFFFF)) == ("one", 7, None)
    names.add("two")
    names.add("three")
    assert names.name(first) == first
    with aaren.Client(server.target) as client, client.events("numbers", marks=2) as session:
        forecast = session.run(np.arange(50) * 10**9, [7, 9] * 25)[49]
        assert forecast.marks[0][0] == 7


@pytest.mark.parametrize(("call", "words"), [
    (lambda s: s.run([0, 10, 5]), "row 2: its time 5 ns"),
    (lambda s: s.run([0, 1], ["a"]), "1 marks for 2 times"),
    (lambda s: s.run([0, 1], ["a", None]), "row 1: mark None"),
    (lambda s: s.update(0, "x" * 65), "65 bytes"),
    (lambda s: s.update(0, 2**32 - 1), "mark 4294967295"),
])  # fmt: skip
def test_events_that_cannot_be_are_refused_and_take_nothing(server, call, words):
    with aaren.Client(server.target) as client, client.events("refused") as session:
        with pytest.raises(errors.InvalidArgument, match=words):
            call(session)
        assert session.seq == 0
        session.close(delete=True)


def test_options_that_cannot_be_are_refused_by_name(server):
    with aaren.Client(server.target) as client:
        for options, words in (({"spans": (2, 1)}, "spans"), ({"overdue": 0.2}, "overdue"), ({"unit": -1}, "unit")):
            with pytest.raises(errors.InvalidArgument, match=words):
                client.events("wrong", **options)
        with pytest.raises(errors.InvalidArgument, match="no events"):
            client.events("wrong", model="aaren-univariate", spans=(1,))
