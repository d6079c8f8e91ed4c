"""Floods of a stranger, without an edge in front: others are served within the memory, and lose no connection."""

import itertools
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from peers import http2, tls
import programs

STRANGER = "127.0.0.2"
SECONDS = 3
CHECK = b"/grpc.health.v1.Health/Check"
LIST = b"/aaren.v1.Models/List"
NO_METHOD = b"/no.Such/Method"
MEGABYTES = 4 << 20
UNKNOWN_FIELD = b"\x78\x01"
OUTPUT_FIELD = b"\x42\x00"  # of Open, empty
OPEN_ITEM = 2


def call(path, stream, payload=b"", end=http2.END_STREAM):
    """The frames of a call with one message."""
    message = b"\0" + struct.pack(">I", len(payload)) + payload
    pieces = [message[begin:begin + 16384] for begin in range(0, len(message), 16384)]
    frames = [http2.frame(http2.DATA, 0, stream, piece) for piece in pieces[:-1]]
    frames.append(http2.frame(http2.DATA, end, stream, pieces[-1]))
    return http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(path)) + b"".join(frames)


def reset_call(stream):
    return (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(LIST)) +
            http2.frame(http2.RESET, 0, stream, b"\0\0\0\x08"))


def streams(of):
    """Pieces of a flood that has a stream for each `of(stream)`."""
    for first in itertools.count(3, 400):
        yield b"".join(of(stream) for stream in range(first, first + 400, 2))


def large_messages(body):
    """One stream after the other, each with a message of megabytes in one Open."""
    hello = (http2.HELLO, http2.number(1, 1))
    payload = http2.message(hello, (OPEN_ITEM, body))[5:]
    return (call(http2.STREAM, stream, payload, end=0) for stream in itertools.count(1, 2))


class FloodTest(programs.ServerTest):
    memory = 256 << 20
    flags = (f"--memory={memory}", "--shards=1")
    neighbour = ()

    def beside_a_neighbour(self, flood, bound=4):
        """A neighbour loses nothing meanwhile, and memory stays within its bound. Returns the server's log.

        How far memory goes beyond --memory in a flood of frames is what comes between two looks of the server."""
        load = programs.start_aaren("load", f"--target={self.server.target}", *self.neighbour, "--sessions=20",
                                    "--rate=200", f"--duration={SECONDS + 1}s", "--json", stdout=subprocess.PIPE)
        end = time.monotonic() + SECONDS
        most = 0
        thread = threading.Thread(target=flood, args=(end,))
        thread.start()
        while thread.is_alive():
            most = max(most, self.server.resident_kb() << 10)
            time.sleep(0.02)
        out, err = load.communicate(timeout=60)
        self.assertEqual(load.returncode, 0, err)
        self.assertEqual(programs.objects(out)[-1]["errors"], 0)
        log = self.server.log()
        self.assertNotIn("peer=127.0.0.1:", log)
        if not programs.SANITIZED:
            self.assertLess(most, bound * self.memory)
        return log

    def connect(self):
        connection = http2.connect(self.server.target, STRANGER)
        http2.open_windows(connection)
        threading.Thread(target=http2.read_all, args=(connection,), daemon=True).start()
        return connection

    def flood(self, pieces, bound=4):
        def send(end):
            pieces_left = iter(pieces())
            while time.monotonic() < end:
                try:
                    with self.connect() as connection:
                        while time.monotonic() < end:
                            connection.sendall(next(pieces_left))
                except OSError:
                    time.sleep(0.01)

        return self.beside_a_neighbour(send, bound)

    def test_streams_that_are_reset_at_once(self):
        self.flood(lambda: streams(reset_call))

    # More at once than HTTP/2 allows, and gRPC keeps them all.
    def test_calls_without_end(self):
        log = self.flood(lambda: streams(lambda stream: call(LIST, stream)), bound=2)
        self.assertIn("connection ended", log)

    # gRPC keeps each of the fields.
    def test_headers_that_never_end(self):
        begin = http2.frame(http2.HEADERS, 0, 1, http2.header(b":method", b"POST"))
        more = http2.frame(http2.CONTINUATION, 0, 1, http2.header(b"a", b"b") * 2000)

        def send(end):
            while time.monotonic() < end:
                try:
                    with self.connect() as connection:
                        connection.sendall(begin)
                        while time.monotonic() < end:
                            connection.sendall(more)
                except OSError:
                    time.sleep(0.01)

        self.assertIn("connection ended", self.beside_a_neighbour(send, bound=2))

    def test_calls_of_methods_that_do_not_exist(self):
        self.flood(lambda: streams(lambda stream: call(NO_METHOD, stream)))

    # As fast as the report that brought this test had them, and within every limit of HTTP/2.
    def test_two_thousand_calls_a_second_of_a_method_that_does_not_exist_end_nothing(self):
        def slowly():
            for stream in itertools.count(1, 80):
                yield b"".join(call(NO_METHOD, s) for s in range(stream, stream + 80, 2))
                time.sleep(40 / 2050)

        self.assertNotIn("connection ended", self.flood(slowly))

    def test_messages_that_are_never_whole(self):
        def parts():
            for stream in itertools.count(1, 2):
                yield (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(http2.STREAM)) +
                       http2.frame(http2.DATA, 0, stream, b"\0" + struct.pack(">I", MEGABYTES)) +
                       b"".join(http2.frame(http2.DATA, 0, stream, bytes(16384)) for _ in range(3)))

        self.flood(parts)

    def test_frames_of_unknown_kinds(self):
        self.flood(lambda: itertools.repeat(http2.frame(0x20, 0, 0) * 500))

    def test_probes_of_megabytes_of_unknown_fields(self):
        payload = UNKNOWN_FIELD * (MEGABYTES // 2 - 8)
        self.flood(lambda: (call(CHECK, stream, payload) for stream in itertools.count(1, 2)), bound=1.2)

    def test_messages_of_megabytes_of_unknown_fields(self):
        self.flood(lambda: large_messages(UNKNOWN_FIELD * (MEGABYTES // 2 - 100)), bound=1.2)

    def test_messages_of_megabytes_of_one_field_that_repeats(self):
        self.flood(lambda: large_messages(OUTPUT_FIELD * (MEGABYTES // 2 - 100)), bound=1.2)


class TlsFloodTest(FloodTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate, key = tls.make_certificate(folder.name)
        self.flags = (*FloodTest.flags, f"--tls_cert={certificate}", f"--tls_key={key}")
        self.neighbour = (f"--tls_ca={certificate}",)
        super().setUp()

    def connect(self):
        return tls.idle(self.server.target, STRANGER)

    # Each would cost the server a signature, if it came to that.
    def test_the_same_hello_again_and_again(self):
        hello = tls.client_hello()

        def flood(end):
            while time.monotonic() < end:
                with http2.connect(self.server.target, STRANGER) as connection:
                    connection.sendall(hello)

        self.beside_a_neighbour(flood)

    def test_hellos_that_never_end(self):
        hello = tls.client_hello()
        for i in range(500):
            connection = http2.connect(self.server.target, STRANGER)
            self.addCleanup(connection.close)
            connection.sendall(hello[:i % len(hello)])
        self.beside_a_neighbour(lambda end: None)


if __name__ == "__main__":
    unittest.main()
