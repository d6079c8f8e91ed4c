"""Two servers share their sessions by a Redis: whichever dies, and whatever happens to the Redis, forecasts go on with the
bytes of an undisturbed run."""

import os
import signal
import subprocess
import tempfile
import time
import unittest

from peers import envoy
from peers.cutting_proxy import CuttingProxy
from programs import Redis, ServerTest, aaren, fewer, start_aaren, write_series

ROWS = fewer(6000)


@unittest.skipUnless(Redis.installed(), "redis-server is not installed")
class RedisTest(ServerTest):
    def setUp(self):
        data = tempfile.TemporaryDirectory()
        self.addCleanup(data.cleanup)
        self.redis = Redis(data.name)
        self.addCleanup(self.redis.close)
        self.flags = "--store=redis", f"--redis={self.redis.address}", "--redis_timeout=500ms", "--save_interval=50ms"
        super().setUp()
        self.other = self.start_server(*self.flags)
        write_series(self.path("in.csv"), ROWS)
        self.stream = ["stream", f"--csv={self.path('in.csv')}", "--horizon=3", "--json"]
        whole = aaren(*self.stream, f"--target={self.server.target}", "--session=whole",
                      f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.whole = self.read("whole.jsonl")
        self.proxy = CuttingProxy(self.server.target, bytes_per_second=3e6)
        self.addCleanup(self.proxy.close)

    def start(self):
        process = start_aaren(*self.stream, f"--target={self.proxy.address}", "--session=cut",
                              f"--output={self.path('cut.jsonl')}")
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, part, process):
        """Until so much of the output is written."""
        deadline = time.monotonic() + 60
        while self.written() < part * len(self.whole):
            self.assertIsNone(process.poll(), "it ended before it was disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def written(self):
        return os.path.getsize(self.path("cut.jsonl")) if os.path.exists(self.path("cut.jsonl")) else 0

    def assert_same_bytes(self, process):
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.read("cut.jsonl"), self.whole)
        return errors

    def test_session_goes_on_at_the_other_server_when_one_is_killed(self):
        process = self.start()
        for part in range(1, 5):
            self.wait_for(part / 6, process)
            self.proxy.lead_to(self.other.target)
            self.server.kill()
            self.server, self.other = self.other, self.start_server(*self.flags)
        errors = self.assert_same_bytes(process)
        self.assertNotIn("lost", errors)

    def test_session_goes_back_and_forth_between_servers_that_live(self):
        process = self.start()
        for part in range(1, 9):
            self.wait_for(part / 10, process)
            self.server, self.other = self.other, self.server
            self.proxy.lead_to(self.server.target)
            self.proxy.cut()
        self.assert_same_bytes(process)

    def test_redis_that_is_killed_or_hangs_costs_no_forecast(self):
        process = self.start()
        self.wait_for(1 / 6, process)
        self.redis.kill()
        time.sleep(0.3)
        self.redis.start()
        self.wait_for(2 / 6, process)
        self.redis.signal(signal.SIGSTOP)
        time.sleep(1)
        self.redis.signal(signal.SIGCONT)
        self.wait_for(3 / 6, process)
        self.proxy.lead_to(self.other.target)
        self.server.kill()
        self.assert_same_bytes(process)

    def test_stream_waits_for_a_redis_that_is_away_and_goes_on_by_itself(self):
        server = self.start_server(*self.flags, "--in_flight_tokens=500", "--undurable_tokens=500",
                                   "--store_grace=200ms")
        self.proxy.lead_to(server.target)
        process = self.start()
        self.wait_for(1 / 6, process)
        self.redis.signal(signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while server.metric("aaren_sessions_stalled") == 0 or server.metric("aaren_store_available") == 1:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        # What was answered before still comes; then nothing does, though the source has more.
        written = -1
        while written != (written := self.written()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(1)
        self.assertIsNone(process.poll())
        self.redis.signal(signal.SIGCONT)
        self.assertNotIn("refused", self.assert_same_bytes(process))
        self.assertEqual(server.metric("aaren_store_available"), 1)
        self.assertGreater(server.metric("aaren_saves_retried_total"), 0)

    def test_redis_that_comes_back_empty_is_named_and_the_session_begins_anew(self):
        process = self.start()
        self.wait_for(1 / 4, process)
        process.send_signal(signal.SIGSTOP)  # the stream must not end before the Redis does
        self.redis.kill()
        self.redis.delete_data()
        self.redis.start()
        process.send_signal(signal.SIGCONT)
        self.assertIn("session 'cut' was deleted", process.communicate(timeout=120)[1])
        self.assertIn("redis has lost its data", self.server.log())
        self.assert_same_bytes(self.start())

    def test_session_need_not_be_moved_to_a_server_of_the_same_store(self):
        run = aaren("sessions", "move", "whole", f"--target={self.server.target}", f"--to={self.other.target}")
        self.assertEqual(run.returncode, 1)
        self.assertIn("the two servers share their store", run.stderr)

    def test_full_redis_is_named_in_the_log_with_a_way_out_and_sessions_wait_for_room(self):
        self.redis.command("CONFIG SET maxmemory 1mb")
        process = start_aaren(*self.stream, f"--target={self.server.target}", "--session=new",
                              f"--output={self.path('cut.jsonl')}")
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for_log("the store is full")
        for word in ("OOM", "maxmemory", "session_ttl"):
            self.assertIn(word, self.server.log())
        self.redis.command("CONFIG SET maxmemory 0")
        self.assert_same_bytes(process)
        self.assertEqual(self.server.log().count("the store is full"), 1)

    def wait_for_log(self, words):
        deadline = time.monotonic() + 60
        while words not in self.server.log():
            self.assertLess(time.monotonic(), deadline, self.server.log())
            time.sleep(0.05)

    def test_server_that_finds_no_redis_says_why(self):
        self.redis.command("CONFIG SET requirepass secret")
        with self.assertRaisesRegex(RuntimeError, f"redis: {self.redis.address}: NOAUTH"):
            self.start_server(*self.flags)


@unittest.skipUnless(Redis.installed(), "redis-server is not installed")
class UnnamedTest(ServerTest):
    """Sessions that nobody named live as long as their streams, though these are silent for longer than such a session
    lives alone, and though another server looks at the same Redis. Behind Envoy where it is installed."""

    CLIENTS, SILENCE, ROWS = 6, 9, 12

    def setUp(self):
        data = tempfile.TemporaryDirectory()
        self.addCleanup(data.cleanup)
        redis = Redis(data.name)
        self.addCleanup(redis.close)
        self.flags = "--store=redis", f"--redis={redis.address}", "--unnamed_ttl=2s", "--save_interval=50ms"
        super().setUp()
        self.targets = [self.server.target, self.start_server(*self.flags).target]
        if envoy.find():
            edge = envoy.Envoy(self.targets)
            self.addCleanup(edge.close)
            self.targets = [edge.address]

    def start(self, number):
        with open(self.path(f"{number}.jsonl"), "wb") as out:  # with --output the session would have a name
            client = start_aaren("stream", "--csv=-", "--horizon=3", "--json",
                                 f"--target={self.targets[number % len(self.targets)]}", stdin=subprocess.PIPE, stdout=out)
        self.addCleanup(client.stderr.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        return client

    def test_streams_that_are_silent_for_longer_than_their_sessions_live_alone_go_on(self):
        write_series(self.path("in.csv"), self.ROWS)
        header, *rows = self.read("in.csv").decode().splitlines(keepends=True)
        clients = [self.start(number) for number in range(self.CLIENTS)]
        third = self.ROWS // 3
        for part in range(3):
            if part:
                time.sleep(self.SILENCE)
                listed = aaren("sessions", "list", f"--target={self.targets[0]}").stdout
                self.assertEqual(listed.count("stream-"), self.CLIENTS, listed)
            for client in clients:
                client.stdin.writelines([*([header] if part == 0 else []), *rows[part * third:(part + 1) * third]])
                client.stdin.flush()
        for number, client in enumerate(clients):
            errors = client.communicate(timeout=30)[1]
            self.assertEqual(client.returncode, 0, errors)
            self.assertNotIn("lost", errors)
            self.assertEqual(self.read(f"{number}.jsonl").count(b"\n"), 2 * self.ROWS)


if __name__ == "__main__":
    unittest.main()
