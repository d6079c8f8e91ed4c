"""Clients that hold every call that the server has places for keep others out for a second at most."""

import time
import unittest

from peers import http2
import programs

HOLDER = "127.0.0.2"
CONNECTIONS, CALLS = 20, 60  # a connection may have half of what others leave, so some connections have all

IMPORT = b"/aaren.v1.Sessions/Import"
LIST = b"/aaren.v1.Models/List"
CHECK, WATCH = b"/grpc.health.v1.Health/Check", b"/grpc.health.v1.Health/Watch"


class HeldCallsTest(programs.ServerTest):
    flags = ("--shards=1", "--max_unary_calls=32")

    def hold(self, path, request=None, source=HOLDER):
        for _ in range(CONNECTIONS):
            connection = http2.connect(self.server.target, source)
            self.addCleanup(connection.close)
            http2.hold_calls(connection, path, CALLS, request)
        time.sleep(1.5)  # a call that waits for its client gives way after a second

    def assert_others_are_served(self):
        for command in (("health",), ("models", "list")):
            reply = programs.aaren(*command, f"--target={self.server.target}")
            self.assertEqual(reply.returncode, 0, reply.stderr)

    def test_requests_that_never_come(self):
        self.hold(IMPORT)
        self.assert_others_are_served()

    def test_checks_that_never_come(self):
        self.hold(CHECK)
        self.assert_others_are_served()

    def test_replies_that_are_not_taken(self):
        self.hold(LIST, b"")
        self.assert_others_are_served()

    def test_checks_that_are_not_taken(self):
        self.hold(CHECK, b"")
        self.assert_others_are_served()

    # All at once on one connection.
    def assert_watches_are_served(self, count):
        with http2.connect(self.server.target) as connection:
            connection.settimeout(20)
            connection.sendall(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0))
            for stream in range(1, 2 * count, 2):
                connection.sendall(http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(WATCH)) +
                                   http2.frame(http2.DATA, http2.END_STREAM, stream, b"\0\0\0\0\0"))
            serving = b"\0\0\0\0\x02\x08\x01"
            received = b""
            while received.count(serving) < count:
                self.assertNotIn(b"too many", received)
                more = connection.recv(4096)
                self.assertTrue(more, received)
                received += more

    def test_watches_whose_news_is_not_taken(self):
        self.hold(WATCH, b"")
        self.assert_watches_are_served(1)


class LateRequestTest(programs.ServerTest):
    flags = ("--shards=1", "--unread_timeout=1s")

    def test_a_call_whose_request_does_not_come_is_ended(self):
        for path in (IMPORT, CHECK, WATCH):
            with http2.connect(self.server.target) as connection:
                connection.settimeout(20)
                connection.sendall(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0) + http2.frame(
                    http2.HEADERS, http2.END_HEADERS, 1, http2.call_fields(path)))
                reset = http2.frame(http2.RESET, 0, 1)[3:]  # whatever its reason
                received = b""
                while reset not in received:
                    more = connection.recv(4096)
                    self.assertTrue(more, path)
                    received += more
        reply = programs.aaren("health", f"--target={self.server.target}")
        self.assertEqual(reply.returncode, 0, reply.stderr)


class LeavingTest(programs.ServerTest):
    flags = ("--shards=24", "--grace=2s")

    # Each shard waits for them a little.
    def test_many_shards_leave_in_time_beside_clients_that_say_nothing(self):
        for _ in range(24):
            connection = http2.idle(self.server.target)
            self.addCleanup(connection.close)
        time.sleep(0.5)
        self.assertEqual(self.server.stop(), 0, self.server.log())


if __name__ == "__main__":
    unittest.main()
