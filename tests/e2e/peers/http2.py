"""Just enough of HTTP/2 to be a bad client of a gRPC server: connections that do nothing, streams that never read,
and floods."""

import re
import socket
import struct
import threading
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
INITIAL_WINDOW, LARGEST_WINDOW = 4, (1 << 31) - 1
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def header(name, value):
    """A literal field without indexing (RFC 7541, 6.2.2)."""
    return b"\x00" + string(name) + string(value)


def string(text):
    """A string literal without Huffman's code (RFC 7541, 5.2)."""
    return (bytes((len(text),)) if len(text) < 127 else b"\x7f" + varint(len(text) - 127)) + text


def varint(number):
    out = b""
    while number > 127:
        out += bytes((number & 127 | 128,))
        number >>= 7
    return out + bytes((number,))


def field(number, payload):
    """A length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def number(field_number, value):
    return varint(field_number << 3) + varint(value)


def message(*items):
    """A ClientMessage in its gRPC frame. Each item is (its number in ClientItem, its content)."""
    body = b"".join(field(1, field(kind, content)) for kind, content in items)
    return b"\x00" + struct.pack(">I", len(body)) + body


STREAM = b"/aaren.v1.Streaming/Stream"
HELLO, OPEN, TOKENS = 1, 2, 3
MOST_TOKENS = 4096  # of an item


def connect(address, source="127.0.0.1"):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=30, source_address=(source, 0))


def send_endless_headers(address, source, seconds):
    """A call whose headers never end, on one connection after the other. How many were ended."""
    fields = frame(CONTINUATION, 0, 1, header(b"a", b"b") * 2000)
    ended = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with idle(address, source) as connection:
                connection.sendall(frame(HEADERS, 0, 1, header(b":method", b"POST")))
                while time.monotonic() < end:
                    connection.sendall(fields)
        except ConnectionError:
            ended += 1
            time.sleep(0.05)
    return ended


def trickle_headers(connection, bytes_a_second, seconds):
    """A call whose headers never end and come slowly. For how long its connection was there."""
    begin = time.monotonic()
    field = header(b"a", b"b" * (bytes_a_second // 10 - 4))
    try:
        connection.sendall(frame(HEADERS, 0, 1, header(b":method", b"POST")))
        while (lasted := time.monotonic() - begin) < seconds:
            connection.sendall(frame(CONTINUATION, 0, 1, field))
            time.sleep(0.1)
    except OSError:
        lasted = time.monotonic() - begin
    return lasted


def status(connection):
    """The status that Envoy or a server ends the only call of a connection with; None if the call is reset. Bytes."""
    connection.settimeout(10)
    received = b""
    while chunk := connection.recv(1 << 16):
        received += chunk
        while len(received) >= 9 and len(received) >= (end := 9 + int.from_bytes(received[:3], "big")):
            kind, flags, payload = received[3], received[4], received[9:end]
            received = received[end:]
            if kind == RESET:
                return None
            if kind == HEADERS and (found := STATUS.search(payload)):
                return found.group(1)
    return None


# "grpc-status" as Envoy writes it, in Huffman's code, and as gRPC does; then the number, which both write plain.
STATUS = re.compile(b"(?:" + re.escape(bytes.fromhex("889acac8b21234da8f")) + rb"|\x0bgrpc-status)[\x01\x02](\d+)")


def idle(address, source="127.0.0.1"):
    """A connection that has agreed on HTTP/2 and says nothing more."""
    connection = connect(address, source)
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return connection


def never_reading(address, session, tokens, source="127.0.0.1"):
    """A stream that opens a session, sends tokens and reads nothing, so that the server's window stays shut."""
    connection = idle(address, source)
    send_tokens(connection, session, tokens)
    return connection


def always_reading(address, session, tokens, delivered_seq=None):
    """The same, but for a client that takes all that comes."""
    connection = connect(address)
    open_windows(connection)
    threading.Thread(target=read_all, args=(connection,), daemon=True).start()
    send_tokens(connection, session, tokens, delivered_seq)
    return connection


def never_taking(address, session, tokens):
    """The same, but for one that takes nothing from its socket, though it lets all be sent."""
    connection = with_small_buffer(address)
    send_tokens(connection, session, tokens)
    return connection


def never_taking_acks(address, asking=frame(PING, 0, 0, bytes(8))):
    """A connection on which so much was acknowledged that no more acknowledgements can be sent."""
    connection = with_small_buffer(address)
    connection.settimeout(0.5)
    try:
        while True:
            connection.sendall(asking * 40)
            time.sleep(0.001)  # it would be a flood otherwise
    except TimeoutError:
        return connection


def with_small_buffer(address):
    host, port = address.rsplit(":", 1)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((host, int(port)))
    open_windows(connection)
    return connection


def open_windows(connection):
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, LARGEST_WINDOW)) +
                       frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", LARGEST_WINDOW - 65535)))


def read_all(connection):
    try:
        while connection.recv(1 << 20):
            pass
    except OSError:
        pass


def send_tokens(connection, session, tokens, delivered_seq=None):
    connection.sendall(frame(HEADERS, END_HEADERS, 1, call_fields(STREAM)))
    delivered = b"" if delivered_seq is None else number(5, delivered_seq)
    items = [(HELLO, number(1, 1)), (OPEN, field(2, session.encode()) + delivered)]
    for first in range(0, tokens, MOST_TOKENS):
        count = min(MOST_TOKENS, tokens - first)
        items.append((TOKENS, number(2, first) + field(3, struct.pack(f"<{count}f", *([1.0] * count)))))
    payload = message(*items)
    for begin in range(0, len(payload), 16384):
        connection.sendall(frame(DATA, 0, 1, payload[begin:begin + 16384]))


def call_fields(path, *more):
    """The headers of a gRPC call, and fields beside them."""
    fields = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"x"),
              (b"content-type", b"application/grpc"), (b"te", b"trailers"))
    return b"".join(header(*f) for f in fields + more)


def hold_calls(connection, path, count, request=None):
    """Begins calls whose requests never come; or come, where one is given, and whose replies find no window."""
    settings = b"" if request is None else struct.pack(">HI", INITIAL_WINDOW, 0)
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0, settings))
    data = b"" if request is None else b"\x00" + struct.pack(">I", len(request)) + request
    for stream in range(1, 1 + 2 * count, 2):
        out = frame(HEADERS, END_HEADERS, stream, call_fields(path))
        connection.sendall(out + (frame(DATA, END_STREAM, stream, data) if request is not None else b""))
    threading.Thread(target=read_all, args=(connection,), daemon=True).start()
    return connection


def flood_calls(address, source, path, seconds):
    """Small whole calls on one connection after the other, many more at once than the server allows, whose replies are
    read. How many connections were ended."""
    fields, empty = call_fields(path), b"\0\0\0\0\0"
    ended = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with connect(address, source) as connection:
                connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
                threading.Thread(target=read_all, args=(connection,), daemon=True).start()
                for first in range(1, 1 << 30, 200):
                    connection.sendall(b"".join(
                        frame(HEADERS, END_HEADERS, stream, fields) + frame(DATA, END_STREAM, stream, empty)
                        for stream in range(first, first + 200, 2)))
                    if time.monotonic() > end:
                        return ended
        except ConnectionError:
            ended += 1
            time.sleep(0.05)
    return ended


def reset_streams(connection, first, count, between=b"", path=STREAM):
    """Opens streams and resets each at once; a frame may follow each. Returns the number of the next stream."""
    headers = call_fields(path)
    out = b""
    for stream in range(first, first + 2 * count, 2):
        out += frame(HEADERS, END_HEADERS, stream, headers) + frame(RESET, 0, stream, b"\0\0\0\x08") + between
    connection.sendall(out)
    return first + 2 * count


def open_streams(connection, count, pairs):
    """Opens streams that are neither half-closed nor reset and say no Hello, with so many tiny fields each."""
    headers = call_fields(STREAM) + header(b"a", b"b") * pairs
    for stream in range(1, 1 + 2 * count, 2):
        connection.sendall(frame(HEADERS, END_HEADERS, stream, headers))
