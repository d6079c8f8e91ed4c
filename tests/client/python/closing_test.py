"""What a client that is closed tells the server, and how long the client waits for the server."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

import aaren
from aaren.client.threads import METHOD
from aaren.wire import stream_pb2 as wire
from in_time import in_time

LIMITS = wire.Limits(message_bytes=1 << 20, tokens_per_item=100, in_flight_tokens=1000)
MODEL = {"name": "fake", "horizon": 1, "quantiles": [0.5]}


class FakeServer(grpc.GenericRpcHandler):
    """Says Welcome, opens every session at seq 7, and keeps the Closes. A stuck server ends no call by itself."""

    def __init__(self, stuck=False):
        self.closes, self._stuck, self._over = [], stuck, threading.Event()
        self._server = grpc.server(ThreadPoolExecutor(4), handlers=[self])
        self.target = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def close(self):
        self._over.set()
        self._server.stop(None).wait()

    def service(self, details):
        if details.method != METHOD:
            return None
        return grpc.stream_stream_rpc_method_handler(
            self._talk, wire.ClientMessage.FromString, wire.ServerMessage.SerializeToString
        )

    def _talk(self, messages, context):
        for message in messages:
            answers = [self._answer(item) for item in message.items]
            yield wire.ServerMessage(items=[answer for answer in answers if answer])
        if self._stuck:
            self._over.wait(30)

    def _answer(self, item):
        if item.HasField("hello"):
            return wire.ServerItem(welcome=wire.Welcome(limits=LIMITS))
        if item.HasField("open"):
            opened = {"handle": item.open.handle, "number": item.open.number, "next_seq": 7, "channels": 1}
            return wire.ServerItem(opened=wire.Opened(model=MODEL, tier="exact", **opened))
        self.closes.append((item.close.handle, item.close.delivered_seq))
        return wire.ServerItem(closed=wire.Closed(handle=item.close.handle, next_seq=7))


@pytest.fixture
def fake():
    running = FakeServer()
    yield running
    running.close()


@pytest.fixture
def stuck():
    running = FakeServer(stuck=True)
    yield running
    running.close()


def test_closed_client_closes_its_sessions_at_the_server(fake):
    client = aaren.Client(fake.target)
    for name in ("one", "two"):
        client.session(name)
    in_time(client.close)
    assert fake.closes == [(0, 7), (1, 7)]


def test_closed_client_of_a_loop_closes_its_sessions_at_the_server(fake):
    async def main():
        async with aaren.Client(fake.target) as client:
            for name in ("one", "two"):
                await client.aio.session(name).open()

    in_time(lambda: asyncio.run(main()))
    assert fake.closes == [(0, 7), (1, 7)]


def test_stuck_server_holds_a_closed_client_for_one_parting_however_many_streams(stuck, monkeypatch):
    monkeypatch.setattr("aaren.client.PARTING", 1.0)
    client = aaren.Client(stuck.target, streams=4)
    for i in range(8):
        client.session(f"session-{i}")
    assert len(client._streams) == 4
    began = time.monotonic()
    in_time(client.close)
    assert 1 <= time.monotonic() - began < 3
    assert len(stuck.closes) == 8
