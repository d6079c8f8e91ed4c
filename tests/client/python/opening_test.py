"""A session that is refused or given up while it opens leaves nothing behind: its id may be opened again."""

import asyncio
import os
import signal
import threading

import pytest

import aaren
from aaren import errors
from aaren.client import ClientOptions, SessionOptions
from aaren.client.exchange import Exchange
from aaren.client.reconnect import By
from aaren.client.replies import StreamSide
from aaren.wire import stream_pb2 as wire
from in_time import in_time
from programs import free_address


def test_session_that_is_open_already_may_be_tried_again_and_closed(server):
    async def main():
        async with aaren.Client(server.target) as client:
            first, second = await client.aio.session("twice").open(), client.aio.session("twice")
            for call in (second.open, lambda: second.update(1.0)):
                with pytest.raises(errors.AlreadyExists):
                    await asyncio.wait_for(call(), 15)
            await asyncio.wait_for(second.close(), 15)
            await first.close()
            return (await asyncio.wait_for(second.update(1.0), 15)).seq

    assert asyncio.run(main()) == 0


def test_session_of_a_closed_client_ends_at_once(server):
    async def main():
        client = aaren.Client(server.target)
        session = client.aio.session("late")
        await client.aio.close()
        with pytest.raises(errors.Cancelled):
            await asyncio.wait_for(session.update(1.0), 15)
        await asyncio.wait_for(session.close(), 15)
        client.close()

    asyncio.run(main())


def test_interrupt_leaves_the_id_free(start_server):
    address = free_address()
    with aaren.Client(address) as client:
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            client.session("interrupted")
        start_server(listen=address)
        assert in_time(lambda: client.session("interrupted").update(1.0)).seq == 0


def opening(exchange, name):
    """A session whose Open was sent on a stream that has said Welcome."""
    session = StreamSide(SessionOptions(name), "server", lambda event, detail: None)
    exchange.begin()
    assert exchange.outgoing().items[0].HasField("hello")
    limits = wire.Limits(message_bytes=1 << 20, tokens_per_item=100, in_flight_tokens=1000)
    exchange.receive(wire.ServerMessage(items=[wire.ServerItem(welcome=wire.Welcome(limits=limits))]))
    exchange.add(session)
    assert exchange.outgoing().items[0].open.session_id == name
    return session


def test_session_that_leaves_while_it_opens_is_closed_at_the_server():
    exchange = Exchange(ClientOptions("server"), lambda session: None)
    exchange.remove(opening(exchange, "leaves"))
    (item,) = exchange.outgoing().items
    assert item.close == wire.Close(handle=0)
    assert not exchange.sessions


def test_outage_without_a_session_counts_for_no_session():
    now = [0.0]
    exchange = Exchange(ClientOptions("server", reconnect_timeout=60), lambda session: None, lambda: now[0])
    exchange.remove(opening(exchange, "first"))
    exchange.broken(errors.Unavailable("the server went away"), By.STREAM)
    now[0] += 1e6
    exchange.add(StreamSide(SessionOptions("second"), "server", lambda event, detail: None))
    patience, _ = exchange.begin()
    assert patience > 0


def test_cancelled_opening_leaves_the_id_free_and_the_session_usable(start_server):
    address = free_address()

    async def main():
        async with aaren.Client(address) as client:
            session = client.aio.session("given-up")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(session.open(), 0.2)
            await asyncio.to_thread(start_server, listen=address)
            other = await asyncio.wait_for(client.aio.session("given-up").open(), 15)
            await other.close()
            return (await asyncio.wait_for(session.update(1.0), 15)).seq

    assert asyncio.run(main()) == 0


def test_session_that_another_task_waits_for_goes_on_opening(start_server):
    address = free_address()

    async def main():
        async with aaren.Client(address) as client:
            session = client.aio.session("wanted")
            waits = asyncio.create_task(session.open())
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(session.open(), 0.2)
            await asyncio.to_thread(start_server, listen=address)
            await asyncio.wait_for(waits, 15)
            return (await asyncio.wait_for(session.update(1.0), 15)).seq

    assert asyncio.run(main()) == 0
