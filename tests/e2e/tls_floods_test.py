"""Floods that TLS hides: of handshakes, and of frames that nobody sees but gRPC. Others are served meanwhile."""

import subprocess
import tempfile
import time
import unittest

from peers import http2, tls
import programs

STRANGER = "127.0.0.2"
SECONDS = 3


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
        self.flood(http2.frame(6, 0, 0, bytes(8)) * 500)

    def test_frames_of_unknown_kinds_end_their_connection(self):
        self.flood(http2.frame(0x20, 0, 0) * 500)

    def test_settings_end_their_connection(self):
        self.flood(http2.frame(http2.SETTINGS, 0, 0) * 500)

    def flood(self, frames):
        def flood():
            end = time.monotonic() + 10 * SECONDS
            with tls.idle(self.server.target, STRANGER) as connection:
                try:
                    while time.monotonic() < end:
                        connection.sendall(frames)
                except OSError:
                    return True
            return False

        self.assertTrue(self.beside_a_neighbour(flood))
        self.assertIn("a flood of frames", self.server.log())


if __name__ == "__main__":
    unittest.main()
