"""Floods of a stranger: what one connection after the other sends, without an end.

Each kind is a generator of pieces of bytes. TABLE has them by name.
"""

import itertools
import socket
import struct
import threading
import time

from . import http2, tls

STRANGER = "127.0.0.2"
CHECK = b"/grpc.health.v1.Health/Check"
LIST = b"/aaren.v1.Models/List"
NO_METHOD = b"/no.Such/Method"
MEGABYTES = 4 << 20
UNKNOWN_FIELD = b"\x78\x01"
OUTPUT_FIELD = b"\x42\x00"  # of Open, empty
CANCEL = b"\0\0\0\x08"


def call(path, stream, payload=b"", end=http2.END_STREAM):
    """The frames of a call with one message."""
    message = b"\0" + struct.pack(">I", len(payload)) + payload
    pieces = [message[begin:begin + 16384] for begin in range(0, len(message), 16384)]
    frames = [http2.frame(http2.DATA, 0, stream, piece) for piece in pieces[:-1]]
    frames.append(http2.frame(http2.DATA, end, stream, pieces[-1]))
    return http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(path)) + b"".join(frames)


def reset_call(stream):
    return (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(LIST)) +
            http2.frame(http2.RESET, 0, stream, CANCEL))


def streams(of):
    """Two hundred streams a piece."""
    for first in itertools.count(3, 400):
        yield b"".join(of(stream) for stream in range(first, first + 400, 2))


def endless_headers():
    yield http2.frame(http2.HEADERS, 0, 1, http2.header(b":method", b"POST"))
    yield from itertools.repeat(http2.frame(http2.CONTINUATION, 0, 1, http2.header(b"a", b"b") * 2000))


def slow_headers():
    """A field of megabytes that never ends, at last a byte a packet, 380 packets a second."""
    begin = b"\x00" + http2.string(b"a") + b"\x7f" + http2.varint(2 * MEGABYTES)
    yield http2.frame(http2.HEADERS, 0, 1, http2.header(b":method", b"POST") + begin)
    for size in itertools.chain([16384] * 256, itertools.repeat(1)):
        yield http2.frame(http2.CONTINUATION, 0, 1, b"b" * size)
        time.sleep(1 / 380)


def slow_calls_of_no_method():
    """2,050 a second, within every limit of HTTP/2."""
    for stream in itertools.count(1, 80):
        yield b"".join(call(NO_METHOD, s) for s in range(stream, stream + 80, 2))
        time.sleep(40 / 2050)


def messages_never_whole():
    for stream in itertools.count(1, 2):
        yield (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(http2.STREAM)) +
               http2.frame(http2.DATA, 0, stream, b"\0" + struct.pack(">I", MEGABYTES)) +
               b"".join(http2.frame(http2.DATA, 0, stream, bytes(16384)) for _ in range(3)))


def large_probes():
    payload = UNKNOWN_FIELD * (MEGABYTES // 2 - 8)
    return (call(CHECK, stream, payload) for stream in itertools.count(1, 2))


def large_messages(field):
    """One stream after the other, each with megabytes of one field in one Open."""
    payload = http2.message((http2.HELLO, http2.number(1, 1)), (http2.OPEN, field * (MEGABYTES // 2 - 100)))[5:]
    return (call(http2.STREAM, stream, payload, end=0) for stream in itertools.count(1, 2))


TABLE = {
    "calls": lambda: streams(lambda stream: call(LIST, stream)),  # more at once than allowed, and gRPC keeps them all
    "no-method": lambda: streams(lambda stream: call(NO_METHOD, stream)),
    "slow-no-method": slow_calls_of_no_method,
    "resets": lambda: streams(reset_call),
    "headers": endless_headers,  # gRPC keeps each of the fields
    "slow-headers": slow_headers,
    "never-whole": messages_never_whole,
    "probes": large_probes,
    "unknown-fields": lambda: large_messages(UNKNOWN_FIELD),
    "repeated-field": lambda: large_messages(OUTPUT_FIELD),
    "unknown-frames": lambda: itertools.repeat(http2.frame(0x20, 0, 0) * 500),
    "pings": lambda: itertools.repeat(http2.frame(http2.PING, 0, 0, bytes(8)) * 500),
    "settings": lambda: itertools.repeat(http2.frame(http2.SETTINGS, 0, 0) * 500),
}


def connect(target):
    """A connection that takes all that the server sends."""
    connection = http2.connect(target, STRANGER)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    http2.open_windows(connection)
    threading.Thread(target=http2.read_all, args=(connection,), daemon=True).start()
    return connection


def connect_by_tls(target):
    """A connection that takes nothing."""
    connection = tls.idle(target, STRANGER)
    connection.settimeout(1)  # a server that waits for its answers to be read takes no more
    return connection


def send(connect_to, pieces, end):
    """Sends the pieces on one connection after the other, until the time `end`. How many connections were ended. A flood
    that never sends a piece is an error."""
    ended = sent = 0
    while time.monotonic() < end:
        try:
            with connect_to() as connection:
                for piece in pieces():
                    connection.sendall(piece)
                    sent += 1
                    if time.monotonic() > end:
                        break
        except OSError:
            ended += 1
            time.sleep(0.01)
    if not sent:
        raise RuntimeError(f"no piece was sent; {ended} connections were ended")
    return ended


def send_hellos(target, end):
    """The same ClientHello on one connection after the other. Each would cost the server a signature."""
    hello, kept = tls.client_hello(), []
    while time.monotonic() < end:
        try:
            kept.append(http2.connect(target, STRANGER))
            kept[-1].sendall(hello)
        except OSError:
            time.sleep(0.001)
        if len(kept) > 1000:
            kept.pop(0).close()


def send_from_many(target, end, connections=200, fields=220):
    """As many streams as a connection may have on each of many connections, with large headers, and no message."""
    kept = []
    while time.monotonic() < end:
        try:
            kept.append(connect(target))
            http2.open_streams(kept[-1], 256, fields)
        except OSError:
            time.sleep(0.01)
        if len(kept) > connections:
            kept.pop(0).close()


def send_untaken(target, end, connections=200):
    """Refused calls on many connections, whose statuses nobody takes."""
    kept = []
    while time.monotonic() < end:
        try:
            kept.append(http2.connect(target, STRANGER))
            kept[-1].settimeout(0.1)
            http2.open_windows(kept[-1])
            for piece in itertools.islice(streams(lambda stream: call(NO_METHOD, stream)), 20):
                kept[-1].sendall(piece)
        except OSError:
            time.sleep(0.01)
        if len(kept) > connections:
            kept.pop(0).close()
