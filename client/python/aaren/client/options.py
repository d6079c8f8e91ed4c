"""What a session is opened with, and what a connection is made with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import grpc
import numpy as np

from aaren.client.proxy import is_direct
from aaren.errors import InvalidArgument, Unavailable
from aaren.tokens import Horizons, check_covariates, levels_of, steps_of

Metadata = Sequence[tuple[str, str]]
Mode = Literal["create_or_resume", "create", "resume"]
Durability = Literal["server_default", "none", "interval", "every_token"]

MODES: tuple[Mode, ...] = ("create_or_resume", "create", "resume")
DURABILITIES: tuple[Durability, ...] = ("server_default", "none", "interval", "every_token")


_MOST_UINT32 = 2**32 - 1
_MOST_INT32 = 2**31 - 1  # gRPC takes so many milliseconds for no pings at all
_MOST_SEQ = 1 << 62
_MOST_SPAN = 1e10  # seconds
_MOST_SCALE = 9e9  # seconds, of which 64 bits hold the nanoseconds


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    """InvalidArgument, naming the option, for a number that the protocol's messages do not hold."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise InvalidArgument(f"{name} = {value!r}; a whole number from {least} to {most} expected")


def _check_number(name: str, value: Any, least: float, most: float) -> None:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not least <= value <= most:  # NaN is neither
        raise InvalidArgument(f"{name} = {value!r}; a number from {least:g} to {most:g} expected")


def _check_spans(spans: Sequence[float]) -> None:
    if len(spans) > 64:
        raise InvalidArgument(f"{len(spans)} spans; 64 at most")
    for i, span in enumerate(spans):
        _check_number(f"spans[{i}]", span, 0, _MOST_SPAN)
        if span <= (spans[i - 1] if i else 0):
            raise InvalidArgument(f"spans {list(spans)}: seconds above 0 that ascend expected")


@dataclass(frozen=True)
class EventOutput:
    """What a session of events is opened with, beside SessionOptions.

    spans       seconds, ascending, 64 at most: the probability that an event comes within each
    marks       how many of the likeliest marks a forecast has, 64 at most
    overdue     `on_event` hears `overdue` once the next event is later than this quantile of its time, 0.5 .. 0.999
    unit        seconds between two events, roughly, so that the first has a forecast; 0: unknown
    resolution  seconds of which the times are whole multiples, which surprises allow for; 0: unknown
    """

    spans: Sequence[float] = ()
    marks: int = 0
    overdue: float = 0.0
    unit: float = 0.0
    resolution: float = 0.0

    def __post_init__(self) -> None:
        _check_spans(self.spans)
        _check_whole("marks", self.marks, 0, 64)
        if self.overdue != 0:
            _check_number("overdue", self.overdue, 0.5, 0.999)
        _check_number("unit", self.unit, 0, _MOST_SCALE)
        _check_number("resolution", self.resolution, 0, _MOST_SCALE)


@dataclass(frozen=True)
class SessionOptions:
    """Everything but the id has a default.

    delivered_seq  forecasts below it have reached the application for good, in an earlier life of it. The application
                   sends tokens from `seq` on, which may be lower, and gets their forecasts again, with the same bits.
                   Without it the session goes on where the server is
    manual         forecasts have reached the application for good when `Session.delivered(seq)` says so, not when the
                   application has taken them: for a program that writes them down and may be killed
    rewindable     the application can read its source again: where the server needs tokens that are kept no more, a
                   call raises OutOfRange, and the application goes on from `seq`. Else the session ends with DataLoss
    window         tokens without an answer, or forecasts not taken yet, at most; beyond it sending waits
    retain         tokens kept, at most, for a server that falls back behind what was delivered
    open_timeout   seconds that a session which was never open waits for room
    past, future   covariates of each token, known with it and known in advance: 8 at most, together. 0 and 0: none, or
                   those that the session has since it was made
    horizons       the steps of a forecast: a number, or steps that ascend; the model's without a word. A session that
                   is made with a step beyond the model's horizon has longer rows, and reaches up to 1,024 steps
    quantiles      the levels of a forecast, in 0.005 .. 0.995; the model's without a word
    profile        the session also forecasts the series less the average course of its season: better where a season
                   of up to 336 values repeats for weeks, for 2.4 times the time and 3.5 times the memory. False:
                   without, or as the session was made
    """

    id: str
    model: str = ""
    mode: Mode = "create_or_resume"
    channels: int = 0
    delivered_seq: int | None = None
    incarnation: int | None = None
    past: int = 0
    future: int = 0
    horizons: Horizons = ()
    quantiles: Sequence[float] = ()
    profile: bool = False
    every: int = 1
    durability: Durability = "server_default"
    manual: bool = False
    rewindable: bool = False
    window: int = 1024
    retain: int = 1 << 20
    open_timeout: float = 20.0
    events: EventOutput | None = None  # of a session of events

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps of a forecast; none: the model's."""
        return steps_of(self.horizons)

    def __post_init__(self) -> None:
        steps_of(self.horizons)
        levels_of(self.quantiles)
        check_covariates(self.past, self.future)
        for name, least, most in _WHOLE:
            if (value := getattr(self, name)) is not None:
                _check_whole(name, value, least, most)
        _check_number("open_timeout", self.open_timeout, 0, float("inf"))
        if not isinstance(self.model, str):
            raise InvalidArgument(f"model {self.model!r}: a name expected")
        if not re.fullmatch(r"[ -~]{1,128}", self.id):
            raise InvalidArgument(f"session id {self.id!r}: 1 to 128 bytes of printable ASCII")
        if self.mode not in MODES:
            raise InvalidArgument(f"mode {self.mode!r}: one of {', '.join(MODES)}")
        if self.durability not in DURABILITIES:
            raise InvalidArgument(f"durability {self.durability!r}: one of {', '.join(DURABILITIES)}")


# The options of a session that are whole numbers, with the least and the greatest.
_WHOLE = (
    ("channels", 0, _MOST_UINT32), ("delivered_seq", 0, _MOST_SEQ), ("incarnation", 0, 2**64 - 1), ("past", 0, 8),
    ("future", 0, 8), ("every", 1, _MOST_UINT32), ("window", 1, _MOST_SEQ), ("retain", 0, _MOST_SEQ),
)  # fmt: skip


@dataclass(frozen=True)
class ClientOptions:
    """How to reach a server.

    ca, cert, key  PEM files. `ca` signs the server's certificate; `cert` and `key` say who the client is. With tls=True
                   alone, the system's certificates are trusted
    token          a bearer token, or a function that gives one before each call
    metadata       headers of every call
    keepalive      seconds without a message until a ping asks whether the server is still there; inf: no pings
    """

    target: str
    tls: bool = False
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    server_name: str = ""
    token: str | Callable[[], str] | None = None
    metadata: Metadata = ()
    streams: int = 1
    name: str = "aaren-python"
    timeout: float = 30.0  # seconds, of a call about sessions or models
    connect_timeout: float = 20.0
    reconnect_timeout: float = float("inf")
    welcome_timeout: float = 20.0
    keepalive: float = 60.0
    max_message_bytes: int = 256 << 20
    backoff: tuple[float, float] = field(default=(0.05, 5.0))  # first and longest wait, seconds

    def __post_init__(self) -> None:
        _check_whole("streams", self.streams, 1, 256)
        _check_whole("max_message_bytes", self.max_message_bytes, -1, _MOST_INT32)
        for name in ("timeout", "connect_timeout", "reconnect_timeout", "welcome_timeout", "keepalive"):
            _check_number(name, getattr(self, name), 0, float("inf"))
        first, longest = self.backoff
        _check_number("backoff[1]", longest, 0, 1e6)
        _check_number("backoff[0]", first, 0, longest)
        if not isinstance(self.name, str) or not self.name.isprintable() or len(self.name.encode()) > 128:
            raise InvalidArgument(f"name {self.name!r}: a printable text of 128 bytes at most expected")
        if (self.cert is None) != (self.key is None):
            raise InvalidArgument("cert and key belong together")

    def arguments(self, serving: bool = False) -> list[tuple[str, Any]]:
        arguments: list[tuple[str, Any]] = [
            ("grpc.max_receive_message_length", self.max_message_bytes),
            ("grpc.max_send_message_length", -1),
            ("grpc.compression_enabled_algorithms_bitset", 1),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.keepalive_time_ms", int(min(self.keepalive * 1000, _MOST_INT32))),
        ]
        if is_direct(self.target):
            arguments.append(("grpc.enable_http_proxy", 0))
        if self.server_name:
            arguments.append(("grpc.ssl_target_name_override", self.server_name))
        if serving:  # only servers whose health service says SERVING
            arguments.append(("grpc.service_config", _SERVING_ONLY))
        return arguments

    def fresh_credentials(self) -> grpc.ChannelCredentials | None:
        """For another attempt. Unavailable for a wrong file, which somebody may be writing anew at this moment."""
        try:
            return self.credentials()
        except (OSError, InvalidArgument) as error:
            raise Unavailable(str(error)) from error

    def credentials(self) -> grpc.ChannelCredentials | None:
        if not (self.tls or self.ca or self.cert):
            return None
        return grpc.ssl_channel_credentials(_pem(self.ca), _pem(self.key), _pem(self.cert))

    def headers(self) -> list[tuple[str, str]]:
        headers = list(self.metadata)
        if self.token is not None:
            headers.append(("authorization", f"Bearer {self.token() if callable(self.token) else self.token}"))
        return headers

    def stream_of(self, session_id: str) -> int:
        """FNV-1a of the id: the same stream in every process and language."""
        state = 0xCBF29CE484222325
        for byte in session_id.encode():
            state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
        return state % 256 % self.streams


_SERVING_ONLY = '{"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": ""}}'


def _pem(path: str | None) -> bytes | None:
    """The content of a PEM file. gRPC itself would fail to connect, and not name the file."""
    if path is None:
        return None
    content = Path(path).read_bytes()
    if b"-----BEGIN" not in content:
        raise InvalidArgument(f"{path} holds no PEM certificate or key")
    return content
