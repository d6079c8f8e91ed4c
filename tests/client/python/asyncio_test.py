"""The client in asyncio: streams, loops one after another, cancelled tasks, servers killed below a stream."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import aaren
from aaren import errors
from in_process import expected
from programs import free_address


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


def test_call_beside_a_stream_is_refused_and_costs_no_forecast(model, server, series):
    async def main():
        async with aaren.Client(server.target) as client:
            session, got = client.aio.session("beside"), []
            async for forecast in session.stream(series[:50]):
                got.append(forecast.values)
                other = session.stream([1.0])
                for call in (session.update(1.0), session.run([1.0]), session.extend([1.0]), anext(other)):
                    with pytest.raises(errors.FailedPrecondition, match=r'"beside": its stream\(\) is running'):
                        await asyncio.wait_for(call, 15)
                await asyncio.wait_for(session.flush(), 15)
            return got, await asyncio.wait_for(session.update(series[50]), 15)

    got, last = asyncio.run(main())
    assert np.array_equal([*got, last.values], expected(model, series[:51]))


@pytest.mark.parametrize("way", ["break", "raise", "aclose"])
def test_loop_over_a_stream_that_is_left_gives_way_to_the_next_call(model, server, series, way):
    async def leave(session):
        stream = session.stream(series[:2000])
        async for _ in stream:
            if way == "aclose":
                return await stream.aclose()
            if way == "raise":
                raise RuntimeError("enough")
            break

    async def main():
        async with aaren.Client(server.target) as client:
            session = client.aio.session(f"left-{way}")
            for _ in range(3):
                try:
                    await leave(session)
                except RuntimeError:
                    pass
            ran = await asyncio.wait_for(session.run(series[:5]), 15)
            return ran, await asyncio.wait_for(session.update(series[5]), 15)

    ran, last = asyncio.run(main())
    assert len(ran) == 5 and last.seq == ran.seqs[-1] + 1


def test_stream_waits_for_the_calls_before_it(server):
    async def main():
        async with aaren.Client(server.target) as client:
            session = await client.aio.session("queued").open()
            calls = [asyncio.create_task(session.update(1.0)) for _ in range(5)]
            await asyncio.sleep(0)
            streamed = [forecast.seq async for forecast in session.stream([1.0] * 5)]
            return [(await call).seq for call in calls] + streamed

    assert asyncio.run(main()) == list(range(10))


def test_source_that_fails_is_told_after_the_forecasts_of_its_points(model, server, series):
    def points():
        yield from series[:30]
        raise RuntimeError("the sensor is gone")

    async def main(got):
        async with aaren.Client(server.target) as client:
            async for forecast in client.aio.session("fails-late").stream(points()):
                got.append(forecast.values)

    in_tasks, in_threads = [], []
    with pytest.raises(RuntimeError, match="sensor"):
        asyncio.run(main(in_tasks))
    with aaren.Client(server.target) as client, pytest.raises(RuntimeError, match="sensor"):
        for forecast in client.session("fails-late-too").stream(points()):
            in_threads.append(forecast.values)
    assert np.array_equal(in_tasks, expected(model, series[:30])) and np.array_equal(in_tasks, in_threads)


def test_second_loop_is_refused_until_the_client_was_closed(server):
    made = []

    async def first(client):
        made.append(await client.aio.session("first-loop").open())

    async def second(client):
        for call in (lambda: made[0].update(1.0), made[0].close, lambda: client.aio.session("second-loop").update(1.0)):
            with pytest.raises(errors.FailedPrecondition, match="another event loop uses this client"):
                await asyncio.wait_for(call(), 15)
        await asyncio.wait_for(client.aio.close(), 15)
        return (await asyncio.wait_for(client.aio.session("first-loop").update(1.0), 15)).seq

    with aaren.Client(server.target) as client:
        asyncio.run(first(client))
        assert asyncio.run(second(client)) == 0


def test_client_of_a_running_loop_may_be_closed_from_another(server):
    client = aaren.Client(server.target)
    opened, closed = threading.Event(), threading.Event()

    async def first():
        session = await client.aio.session("closed-from-outside").open()
        opened.set()
        await asyncio.to_thread(closed.wait, 15)
        with pytest.raises(errors.Cancelled):
            await asyncio.wait_for(session.update(1.0), 15)

    async def second():
        await asyncio.wait_for(client.aio.close(), 15)
        closed.set()

    with ThreadPoolExecutor(1) as pool:
        ran = pool.submit(asyncio.run, first())
        assert opened.wait(15)
        asyncio.run(second())
        ran.result(15)
    client.close()
