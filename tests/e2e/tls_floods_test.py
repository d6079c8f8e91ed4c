"""Floods that TLS hides: of handshakes, and of frames that nobody sees but gRPC. Others are served meanwhile."""

import itertools
import subprocess
import tempfile
import time
import unittest

from peers import http2, tls
import programs

STRANGER = "127.0.0.2"
SECONDS = 3
UNKNOWN = http2.frame(0x20, 0, 0)
FIELDS = http2.call_fields(b"/aaren.v1.Models/List")


class TlsFloodsTest(programs.ServerTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate, key = tls.make_certificate(folder.name)
        self.flags = (f"--tls_cert={self.certificate}", f"--tls_key={key}", "--shards=1")
        super().setUp()

    def beside_a_neighbour(self, flood):
        """What `flood` returns. A neighbour loses nothing meanwhile, and its connection is not ended."""
        load = programs.start_aaren("load", f"--target={self.server.target}", f"--tls_ca={self.certificate}",
                                    "--sessions=20", "--rate=200", f"--duration={SECONDS + 1}s", "--json",
                                    stdout=subprocess.PIPE)
        result = flood()
        _, err = load.communicate(timeout=60)
        self.assertEqual(load.returncode, 0, err)
        self.assertNotIn("peer=127.0.0.1:", self.server.log())
        return result

    # Each would cost the server a signature, if it came to that.
    def test_the_same_hello_again_and_again_leaves_others_their_forecasts(self):
        hello = tls.client_hello()

        def flood():
            sent = 0
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                with http2.connect(self.server.target, STRANGER) as connection:
                    connection.sendall(hello)
                    sent += 1
            return sent

        self.assertGreater(self.beside_a_neighbour(flood), 0)

    def test_hellos_that_never_end_cost_nobody_his_forecasts(self):
        hello = tls.client_hello()
        connections = []
        for i in range(500):
            connections.append(http2.connect(self.server.target, STRANGER))
            self.addCleanup(connections[i].close)
            connections[i].sendall(hello[:i % len(hello)])
        self.beside_a_neighbour(lambda: None)

    def test_pings_end_their_connection(self):
        self.flood(itertools.repeat(http2.frame(6, 0, 0, bytes(8)) * 500))

    def test_frames_of_unknown_kinds_end_their_connection(self):
        self.flood(itertools.repeat(UNKNOWN * 500))

    def test_settings_end_their_connection(self):
        self.flood(itertools.repeat(http2.frame(http2.SETTINGS, 0, 0) * 500))

    # Of the next three gRPC has tens of thousands to do before it comes back.
    def test_another_thread_goes_on_beside_calls_without_end(self):
        self.flood(streams(call), reason="connection ended")
        self.assertGreater(self.server.metric("aaren_shard_reliefs_total"), 0)

    def test_another_thread_goes_on_beside_streams_that_are_reset(self):
        self.flood(streams(reset_call), reason="connection ended")
        self.assertGreater(self.server.metric("aaren_shard_reliefs_total"), 0)

    # A connection that has brought much may send much at once.
    def test_another_thread_goes_on_beside_calls_of_a_connection_that_has_brought_much(self):
        self.flood(itertools.chain([call(1)], much(), streams(call)), reason="connection ended")
        self.assertGreater(self.server.metric("aaren_shard_reliefs_total"), 0)

    def flood(self, pieces, reason="a flood of frames"):
        def flood():
            end = time.monotonic() + 10 * SECONDS
            with tls.idle(self.server.target, STRANGER) as connection:
                try:
                    for piece in pieces:
                        if time.monotonic() > end:
                            return False
                        connection.sendall(piece)
                except OSError:
                    return True

        self.assertTrue(self.beside_a_neighbour(flood))
        self.assertIn(reason, self.server.log())


def call(stream):
    return (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, FIELDS) +
            http2.frame(http2.DATA, http2.END_STREAM, stream, bytes(5)))


def reset_call(stream):
    return (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, FIELDS) +
            http2.frame(http2.RESET, 0, stream, b"\0\0\0\x08"))


def streams(of):
    for first in itertools.count(3, 400):
        yield b"".join(of(stream) for stream in range(first, first + 400, 2))


def much():
    for _ in range(100):
        yield http2.frame(0x20, 0, 0, bytes(16_000)) * 16
        time.sleep(0.002)


if __name__ == "__main__":
    unittest.main()
