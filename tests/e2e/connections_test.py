"""Thousands of connections that do nothing good leave the server within its memory and others served."""

import resource
import time
import unittest

from peers import http2
import programs

IDLE, NEVER_READING, HALF_OPEN = (programs.fewer(count) for count in (10_000, 1_000, 1_000))
MEMORY = 1 << 30
# What the silent streams sent comes first; a sanitizer takes long for it.
DURATION = "20s" if programs.SANITIZED else "3s"


class ConnectionsTest(programs.ServerTest):
    flags = (f"--memory={MEMORY}", "--hello_timeout=60s")

    def setUp(self):
        wanted = IDLE + NEVER_READING + HALF_OPEN + 500
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < wanted:
            self.skipTest(f"{wanted} open files are needed, {hard} are allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        super().setUp()
        self.connections = []
        self.addCleanup(lambda: [connection.close() for connection in self.connections])

    def tokens_per_second(self):
        reply = programs.aaren("load", f"--target={self.server.target}", "--sessions=16", "--streams=2", "--window=4",
                               f"--duration={DURATION}", "--json")
        self.assertEqual(reply.returncode, 0, reply.stderr)
        figures = programs.objects(reply.stdout)[-1]
        self.assertEqual(figures["errors"], 0)
        return figures["tokens_per_second"]

    def test_all_at_once_are_held_within_the_memory_and_others_go_on(self):
        self.tokens_per_second()
        before = self.server.resident_kb()
        self.connections += [http2.idle(self.server.target) for _ in range(IDLE)]
        self.connections += [http2.connect(self.server.target) for _ in range(HALF_OPEN)]
        self.connections += [http2.never_reading(self.server.target, f"silent-{i}", 400) for i in range(NEVER_READING)]
        beside = self.tokens_per_second()
        kilobytes = self.server.resident_kb()
        held = self.server.metric("aaren_held_bytes")
        open_now = self.server.metric("aaren_connections")
        print(f"{before} kB before, {kilobytes} kB with {len(self.connections)} connections, {held:.0f} bytes counted; "
              f"{beside:.0f} tokens/s beside them")
        if not programs.SANITIZED:
            self.assertLess(kilobytes << 10, MEMORY)
        self.assertGreaterEqual(open_now, len(self.connections))
        self.assertGreater(held, 0)
        self.assertGreater(beside, 0)


class LimitTest(programs.ServerTest):
    def wait_for(self, metric, value):
        deadline = time.monotonic() + 20
        while self.server.metric(metric) < value and time.monotonic() < deadline:
            time.sleep(0.05)


class HelloTest(programs.ServerTest):
    flags = ("--hello_timeout=1s",)

    def test_a_connection_that_says_nothing_is_closed(self):
        connection = http2.connect(self.server.target)
        connection.settimeout(20)
        while connection.recv(4096):  # the server's own settings, then its end
            pass
        connection.close()


class UnreadTest(LimitTest):
    flags = ("--unread_timeout=1s",)

    def test_a_stream_that_is_not_read_is_cut_off(self):
        connection = http2.never_reading(self.server.target, "silent", 400)
        self.wait_for("aaren_streams_ended_total", 1)
        self.assertEqual(self.server.metric("aaren_streams_ended_total"), 1)
        connection.close()


class StreamsTest(LimitTest):
    flags = ("--max_streams=2", "--shards=1")

    def test_one_too_many_is_refused_and_counted(self):
        held = [http2.never_reading(self.server.target, f"held-{i}", 1) for i in range(3)]
        self.wait_for("aaren_streams_ended_total", 1)
        self.assertEqual(self.server.metric("aaren_streams_ended_total"), 1)
        self.assertEqual(self.server.metric("aaren_streams"), 2)
        for connection in held:
            connection.close()


class MemoryTest(programs.ServerTest):
    flags = (f"--memory={32 << 20}", "--shards=1")

    def test_sessions_beyond_it_are_refused_and_those_before_go_on(self):
        reply = programs.aaren("load", f"--target={self.server.target}", "--sessions=20000", "--streams=1",
                               "--duration=2s", "--json")
        self.assertIn("memory", reply.stderr + reply.stdout)
        self.assertLess(self.server.metric("aaren_held_bytes"), 32 << 20)
        if not programs.SANITIZED:
            self.assertLess(self.server.resident_kb(), 120 << 10)


if __name__ == "__main__":
    unittest.main()
