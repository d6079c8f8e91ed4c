"""Options that no message of the protocol holds are refused by name, and a session that cannot be told ends alone."""

import pytest

import aaren
from aaren import errors
from aaren.client import EventOutput, SessionOptions
from aaren.client.state import SessionState
from in_time import by_asyncio, by_threads, in_time

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("name", "value"),
    [("channels", -1), ("channels", 2**32), ("channels", 1.5), ("channels", "2"), ("delivered_seq", -1),
     ("delivered_seq", 2**64), ("incarnation", -1), ("incarnation", 2**64), ("every", 0), ("every", 2**32),
     ("every", NAN), ("window", 0), ("window", NAN), ("retain", -1), ("past", 0.5), ("future", 0.5), ("model", 7),
     ("open_timeout", NAN), ("open_timeout", -1)],
)  # fmt: skip
def test_session_options_that_cannot_be_are_named(name, value):
    with pytest.raises(errors.InvalidArgument, match=name):
        SessionOptions("x", **{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("marks", -1), ("marks", 65), ("marks", 1.5), ("unit", NAN), ("unit", INF), ("unit", -1), ("unit", 1e10),
     ("resolution", NAN), ("resolution", -1), ("overdue", NAN), ("overdue", 0.4), ("overdue", 1), ("spans", [NAN]),
     ("spans", [0]), ("spans", [2, 1]), ("spans", [1, NAN, 2]), ("spans", ["1"]), ("spans", range(1, 66))],
)  # fmt: skip
def test_event_options_that_cannot_be_are_named(name, value):
    with pytest.raises(errors.InvalidArgument, match=name):
        EventOutput(**{name: value})


def test_greatest_options_fit_their_messages(server):
    with aaren.Client(server.target) as client:
        options = {"every": 2**32 - 1, "window": 2**40, "retain": 2**40, "open_timeout": INF}
        assert client.session("great", **options).seq == 0
        scale = {"unit": 9e9, "resolution": 9e9, "marks": 64, "overdue": 0.999, "spans": range(1, 65)}
        assert client.events("great-events", **scale).seq == 0


@pytest.mark.parametrize("update", [by_threads, by_asyncio])
def test_session_that_no_message_holds_ends_alone(server, monkeypatch, update):
    fill_open = SessionState._fill_open

    def fill(self, item):
        if self.options.id == "odd":
            item.channels = -1
        fill_open(self, item)

    with aaren.Client(server.target) as client:
        beside = client.session(f"beside-{update.__name__}")
        monkeypatch.setattr(SessionState, "_fill_open", fill)
        with pytest.raises(errors.InvalidArgument, match='session "odd": no message holds it'):
            update(client, "odd")
        assert beside.update(1.0).seq == 0
        assert update(client, f"even-{update.__name__}").seq == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("streams", 0), ("streams", 1.5), ("max_message_bytes", 2**31), ("timeout", NAN), ("connect_timeout", NAN),
     ("reconnect_timeout", -1), ("welcome_timeout", "1"), ("keepalive", NAN), ("keepalive", -1), ("name", 7),
     ("name", "\ud800"), ("name", "n" * 129), ("backoff", (1, 0.5)), ("backoff", (0.1, INF)), ("backoff", (NAN, 1))],
)  # fmt: skip
def test_client_options_that_cannot_be_are_named(name, value):
    with pytest.raises(errors.InvalidArgument, match=name):
        aaren.Client("localhost:1", **{name: value})


@pytest.mark.parametrize("update", [by_threads, by_asyncio])
def test_endless_timeouts_wait_as_long_as_it_takes(server, update):
    endless = {"timeout": INF, "connect_timeout": INF, "reconnect_timeout": INF, "welcome_timeout": INF}
    with aaren.Client(server.target, **endless) as client:
        assert update(client, f"endless-{update.__name__}").seq == 0
        assert in_time(client.models)
