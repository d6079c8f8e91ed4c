"""Exceptions on a stream's own thread or task: calls end in time, and the stream serves later sessions."""

import asyncio
import logging
import threading

import pytest

import aaren
from aaren import errors
from aaren.client.exchange import Exchange
from in_time import by_asyncio, by_threads, in_time
from peers.cutting_proxy import CuttingProxy
from peers.tls import make_certificate
from programs import free_address

both_ways = pytest.mark.parametrize("update", [by_threads, by_asyncio])


@pytest.fixture
def proxy(server):
    between = CuttingProxy(server.target)
    yield between
    between.close()


def next_seq(event, detail):
    """An on_event that expects no other event than `opened`."""
    return detail.next_seq


def test_callback_that_raises_ends_no_session(proxy, caplog):
    with aaren.Client(proxy.address) as client:
        session = client.session("raises", on_event=next_seq)
        session.update(1.0)
        for seq in (1, 2):
            proxy.cut()
            assert in_time(lambda: session.update(1.0)).seq == seq
    told = [record for record in caplog.records if record.name == "aaren"]
    assert [(record.levelno, record.exc_info[0]) for record in told] == [(logging.WARNING, AttributeError)]
    assert 'session "raises": on_event raised at "disconnected"' in told[0].getMessage()


def test_callback_that_raises_ends_no_session_of_a_loop(proxy):
    async def main():
        async with aaren.Client(proxy.address) as client:
            session = client.aio.session("raises-aio", on_event=next_seq)
            await session.update(1.0)
            proxy.cut()
            return (await asyncio.wait_for(session.update(2.0), 20)).seq

    assert asyncio.run(main()) == 1


@both_ways
@pytest.mark.parametrize("content", [None, "", "-----BEG"])
def test_wrong_file_at_an_attempt_is_unavailable(tmp_path, update, content):
    path = tmp_path / "ca.pem"
    path.write_text("-----BEGIN CERTIFICATE-----")
    with aaren.Client(free_address(), ca=str(path), connect_timeout=0.3) as client:
        path.unlink()
        if content is not None:
            path.write_text(content)
        with pytest.raises(errors.Unavailable, match=r"ca\.pem"):
            update(client, "wrong")


@both_ways
def test_file_that_comes_back_opens_the_session(start_server, tmp_path, update):
    certificate, key = make_certificate(str(tmp_path))
    running = start_server(f"--tls_cert={certificate}", f"--tls_key={key}")
    path = tmp_path / "rotated.pem"
    path.write_bytes(content := (tmp_path / certificate).read_bytes())
    with aaren.Client(running.target.replace("127.0.0.1", "localhost"), ca=str(path)) as client:
        path.unlink()
        threading.Timer(0.3, lambda: path.write_bytes(content)).start()
        assert update(client, "rotated").seq == 0


@both_ways
def test_endless_keepalive_is_none(server, update):
    with aaren.Client(server.target, keepalive=float("inf")) as client:
        assert update(client, f"patient-{update.__name__}").seq == 0


@both_ways
def test_any_other_exception_ends_the_sessions_and_not_the_stream(server, monkeypatch, update):
    with aaren.Client(server.target) as client:
        with monkeypatch.context() as patch:
            patch.setattr(Exchange, "begin", lambda self: 1 / 0)
            with pytest.raises(errors.FailedPrecondition, match="ZeroDivisionError"):
                update(client, "broken")
        assert update(client, f"mended-{update.__name__}").seq == 0


def test_token_source_that_exits_ends_the_calls():
    def leave():
        raise SystemExit("no token")

    told = pytest.raises(errors.FailedPrecondition, match="no token")
    with aaren.Client(free_address(), token=leave) as client, told:
        by_threads(client, "exits")
