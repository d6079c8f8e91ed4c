"""Servers that leave politely, one after the other: their sessions go on at the next one, and no token fails."""

import tempfile
import time
import unittest

from peers import envoy
from oracle_run import OracleTest, times
from programs import Redis, aaren


@unittest.skipUnless(Redis.installed(), "redis-server is not installed")
class LeavingTest(OracleTest):
    def setUp(self):
        self.data = tempfile.TemporaryDirectory()
        self.addCleanup(self.data.cleanup)
        self.redis = Redis(self.data.name)
        self.addCleanup(self.redis.close)
        self.flags = "--store=redis", f"--redis={self.redis.address}"
        super().setUp()
        self.servers = [self.server, self.start_server(*self.flags)]

    def addresses(self):
        return [server.target for server in self.servers]

    def leave(self, which, oracle, away=0):
        """SIGTERM to one of the two, which then comes back at its address, after so many seconds."""
        server = self.servers[which]
        self.assertEqual(server.stop(), 0, server.log())
        time.sleep(away)
        self.assert_goes_on(oracle)
        self.servers[which] = self.start_server(*self.flags, listen=server.target)

    def wait_for_sessions(self, server, oracle):
        deadline = time.monotonic() + 60
        while server.metric('aaren_sessions{state="attached"}') == 0:
            self.assertLess(time.monotonic(), deadline)
            self.assert_goes_on(oracle)
            time.sleep(0.02)

    def test_servers_that_leave_in_turn_lose_and_repeat_nothing(self):
        turns = times(short=20, long=200)
        oracle = self.start_oracle(*self.addresses())
        for turn in range(turns):
            self.wait_for_sessions(self.servers[turn % 2], oracle)
            time.sleep(0.1)  # for some tokens
            self.leave(turn % 2, oracle)
        figures = self.assert_kept(oracle)
        self.assertGreaterEqual(figures["reopened"], turns * 40)

    def test_rolling_restart_behind_envoy_fails_no_token(self):
        proxy = envoy.Envoy(self.addresses())
        self.addCleanup(proxy.close)
        oracle = self.start_oracle(proxy.address, streams=8)
        for turn in range(times(short=4, long=50)):
            self.wait_for_sessions(self.servers[turn % 2], oracle)
            time.sleep(0.1)
            self.leave(turn % 2, oracle, away=1)  # streams return to one that is back before Envoy has noticed
        self.assertGreater(self.assert_kept(oracle)["reopened"], 0)


class EvictTest(OracleTest):
    """An operator has sessions leave a server's memory while they are streamed."""

    def setUp(self):
        self.data = tempfile.TemporaryDirectory()
        self.addCleanup(self.data.cleanup)
        self.flags = "--store=rocksdb", f"--data_dir={self.data.name}/data"
        super().setUp()

    def test_evicted_sessions_go_on_where_they_were(self):
        oracle = self.start_oracle(self.server.target, sessions=10, rate=200)
        while self.server.metric('aaren_sessions{state="attached"}') < 10:
            self.assert_goes_on(oracle)
        evictions = times(short=20, long=200)
        for i in range(evictions):
            run = aaren("sessions", "evict", f"oracle-1-{i % 10}", f"--target={self.server.target}")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assert_goes_on(oracle)
        self.assertEqual(self.server.metric('aaren_session_events_total{event="evicted"}'), evictions)
        self.assertGreaterEqual(self.assert_kept(oracle)["reopened"], evictions)


if __name__ == "__main__":
    unittest.main()
