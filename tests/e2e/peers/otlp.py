"""A collector of traces: just enough of HTTP/2, gRPC and OTLP to be sent spans by aaren-server, and to misbehave.

Headers are not decoded, since there is one method only. Of OTLP's messages it reads what the tests ask for."""

import socket
import ssl
import struct
import threading
import time

from peers import http2

PING, GOAWAY = 6, 7
END_STREAM, ACK = 1, 1


def fields(data):
    """(number, value) of each field of a message: integers, and bytes of what has a length."""
    at = 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif kind == 2:
            size = varint()
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def all_of(data, number):
    return [value for field, value in fields(data) if field == number]


def first(data, number, default=b""):
    return next(iter(all_of(data, number)), default)


def attributes(entries):
    """Of KeyValue messages: strings and whole numbers."""
    out = {}
    for entry in entries:
        value = dict(fields(first(entry, 2)))
        out[first(entry, 1).decode()] = value[1].decode() if 1 in value else value.get(3, 0)
    return out


class Span:
    """One of opentelemetry.proto.trace.v1.Span."""

    def __init__(self, data):
        self.trace, self.id, self.parent = (first(data, number).hex() for number in (1, 2, 4))
        self.name = first(data, 5).decode()
        self.begin, self.end = first(data, 7, 0), first(data, 8, 0)
        self.attributes = attributes(all_of(data, 9))
        self.links = [(first(link, 1).hex(), first(link, 2).hex()) for link in all_of(data, 13)]
        self.error = first(first(data, 15), 2).decode()


class Collector:
    """Takes spans on a free port. One that is `silent` takes them and never says so. With `tls`, a certificate's file
    and its key's, it speaks TLS."""

    def __init__(self, silent=False, tls=None):
        self.silent = silent
        self.tls = None
        if tls is not None:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.set_alpn_protocols(["h2"])
            self.tls.load_cert_chain(*tls)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.changed = threading.Condition()
        self.spans = []
        self.resource = {}
        self.batches = 0
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        bodies = {}
        try:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as stream:
                stream.read(len(http2.PREFACE))
                connection.sendall(http2.frame(http2.SETTINGS, 0, 0))
                while head := stream.read(9):
                    size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                    number = int.from_bytes(head[5:], "big")
                    self.on_frame(connection, bodies, kind, flags, number, stream.read(size))
        except (OSError, ValueError):
            pass

    def on_frame(self, connection, bodies, kind, flags, number, payload):
        if kind in (http2.SETTINGS, PING) and not flags & ACK:
            connection.sendall(http2.frame(kind, ACK, 0, payload if kind == PING else b""))
        if kind != http2.DATA:
            return
        if payload:
            for window in (0, number):
                connection.sendall(http2.frame(http2.WINDOW_UPDATE, 0, window, struct.pack(">I", len(payload))))
        bodies[number] = bodies.get(number, b"") + payload
        if flags & END_STREAM:
            self.take(bodies.pop(number)[5:])
            if not self.silent:
                connection.sendall(self.answer(number))

    @staticmethod
    def answer(number):
        """An empty ExportTraceServiceResponse, and OK."""
        headers = b"\x88" + http2.header(b"content-type", b"application/grpc")
        return (http2.frame(http2.HEADERS, http2.END_HEADERS, number, headers) +
                http2.frame(http2.DATA, 0, number, b"\0" * 5) +
                http2.frame(http2.HEADERS, http2.END_HEADERS | END_STREAM, number, http2.header(b"grpc-status", b"0")))

    def take(self, request):
        with self.changed:
            self.batches += 1
            for of_resource in all_of(request, 1):
                self.resource = attributes(all_of(first(of_resource, 1), 1))
                for of_scope in all_of(of_resource, 2):
                    self.spans += [Span(span) for span in all_of(of_scope, 2)]
            self.changed.notify_all()

    def wait(self, enough, seconds=60):
        """Until `enough` of the spans is true; returns them."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while not enough(self.spans):
                if not self.changed.wait(deadline - time.monotonic()):
                    raise AssertionError(f"{len(self.spans)} spans, and not those that were waited for")
            return list(self.spans)

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # else it listens for as long as a thread waits in accept
        except OSError:
            pass
        self.listener.close()
        for connection in self.connections:
            connection.close()
