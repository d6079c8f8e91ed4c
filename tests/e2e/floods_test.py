"""A flood of frames that ask for nothing is ended, and others are served within the memory."""

import subprocess
import time
import unittest

from peers import http2
import programs

MEMORY = 512 << 20
STREAMS = programs.fewer(200_000)
UNKNOWN = http2.frame(0x20, 0, 0)  # of a kind that HTTP/2 says to ignore


class FloodTest(programs.ServerTest):
    flags = (f"--memory={MEMORY}", "--shards=1")

    def test_streams_that_are_reset_at_once_end_their_connection(self):
        self.flood(b"")

    def test_frames_of_unknown_kinds_do_not_hide_it(self):
        self.flood(UNKNOWN)

    def flood(self, between):
        connection = http2.idle(self.server.target)
        self.addCleanup(connection.close)
        sent = 1
        with self.assertRaises(ConnectionError):
            while sent < 2 * STREAMS:
                sent = http2.reset_streams(connection, sent, 200, between)
        if not programs.SANITIZED:
            self.assertLess(self.server.resident_kb() << 10, MEMORY)
        time.sleep(1.5)  # its host is refused for a second
        reply = programs.aaren("models", "list", f"--target={self.server.target}")
        self.assertEqual(reply.returncode, 0, reply.stderr)
        self.assertGreaterEqual(self.server.metric('aaren_connections_total{outcome="ended"}'), 1)


class CallsTest(programs.ServerTest):
    memory = 256 << 20
    flags = (f"--memory={memory}", "--shards=1")

    def test_calls_of_a_service_beyond_all_limits_end_their_connections_and_cut_nobody_else(self):
        self.flood(b"/aaren.v1.Models/List")

    def test_calls_of_methods_that_do_not_exist_do_so_too(self):
        self.flood(b"/no.Such/Method")

    def flood(self, path):
        before = self.server.resident_kb() << 10
        load = programs.start_aaren("load", f"--target={self.server.target}", "--sessions=20", "--rate=200",
                                    "--duration=4s", "--json", stdout=subprocess.PIPE)
        self.assertGreater(http2.flood_calls(self.server.target, "127.0.0.2", path, 3), 0)
        if not programs.SANITIZED:
            self.assertLess((self.server.resident_kb() << 10) - before, self.memory)
        _, err = load.communicate(timeout=60)
        self.assertEqual(load.returncode, 0, err)
        # As a flood of frames, or since its calls come to nothing: whichever is seen first.
        self.assertRegex(self.server.log(), r"connection ended: .* peer=127\.0\.0\.2:")
        self.assertNotIn("peer=127.0.0.1:", self.server.log())


class HeadersTest(programs.ServerTest):
    memory = 64 << 20
    flags = (f"--memory={memory}", "--shards=1")

    # Each connection is within every limit: 256 streams, 30 KB each once parsed. All held would be 1.5 GB. How far it
    # goes beyond the README's bound, 9/8 of the memory and 32 MiB, is what comes between two looks of the server, which
    # a busy machine delays. It comes back to the bound, and never holds a third of all.
    @unittest.skipIf(programs.SANITIZED, "its memory is not the program's")
    def test_headers_of_many_streams_hold_no_more_than_the_memory(self):
        before = self.server.resident_kb() << 10
        most = before
        for _ in range(200):
            self.send_headers("127.0.0.1")
            most = max(most, self.server.resident_kb() << 10)
        for _ in range(60):  # what was sent is still being read
            time.sleep(0.05)
            most = max(most, self.server.resident_kb() << 10)
        self.assertLess(most - before, 512 << 20)
        end = time.monotonic() + 15
        while (held := (self.server.resident_kb() << 10) - before) > 9 * self.memory // 8 + (32 << 20):
            self.assertLess(time.monotonic(), end, f"{held} bytes are still held")
            time.sleep(0.1)
        # Its host is refused for a second, and nobody is admitted for ten at most while memory is short.
        end = time.monotonic() + 15
        while (reply := programs.aaren("models", "list", f"--target={self.server.target}")).returncode != 0:
            self.assertLess(time.monotonic(), end, reply.stderr)
            time.sleep(0.5)

    # gRPC keeps whatever comes in the frames of one call's headers, and no shard is late: each byte holds thirty.
    @unittest.skipIf(programs.SANITIZED, "its memory is not the program's")
    def test_headers_that_never_end_hold_next_to_nothing_and_cut_nobody_else(self):
        before = self.server.resident_kb() << 10
        self.assertGreater(http2.send_endless_headers(self.server.target, "127.0.0.2", 3), 0)
        self.assertLess((self.server.resident_kb() << 10) - before, 9 * self.memory // 8 + (32 << 20))
        self.assertIn("a flood of frames", self.server.log())
        self.assertNotIn("peer=127.0.0.1:", self.server.log())
        reply = programs.aaren("models", "list", f"--target={self.server.target}")
        self.assertEqual(reply.returncode, 0, reply.stderr)

    def send_headers(self, source):
        try:
            connection = http2.idle(self.server.target, source)
            self.addCleanup(connection.close)
            http2.open_streams(connection, 256, 220)
        except ConnectionError:
            time.sleep(0.2)

    # gRPC, short of memory, cuts whichever stream it comes across, so the neighbour may have to connect again.
    @unittest.skipIf(programs.SANITIZED, "its memory is not the program's")
    def test_a_neighbour_gets_every_forecast_while_another_host_floods(self):
        programs.write_series(self.path("rows.csv"), 300)
        rows = self.read("rows.csv").decode().splitlines(keepends=True)
        undisturbed = self.stream(rows, lambda: None)
        disturbed = self.stream(rows, lambda: self.send_headers("127.0.0.2"))
        self.assertEqual(disturbed, undisturbed)

    # The forecasts of rows that are sent one by one, with `between` before each.
    def stream(self, rows, between):
        with open(self.path("forecasts"), "w") as out:
            client = programs.start_aaren("stream", "--csv=-", f"--target={self.server.target}", stdin=subprocess.PIPE,
                                          stdout=out)
            for row in rows:
                between()
                client.stdin.write(row)
                client.stdin.flush()
            _, err = client.communicate(timeout=120)
        self.assertEqual(client.returncode, 0, err)
        return self.read("forecasts")


if __name__ == "__main__":
    unittest.main()
