"""Whatever is killed, and whenever: the oracle gets each forecast once, in order, with the bits of an undisturbed run."""

import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

from peers.cutting_proxy import CuttingProxy
from oracle_run import OracleTest, times
from programs import BIN, Redis, Server, aaren

KILLS = times(short=20, long=1000)
OTHERS = times(short=8, long=100)


class KillsTest(OracleTest):
    """Kills come after a random while; one in ten meets a server that is still beginning."""

    def setUp(self):
        super().setUp()
        self.chance = random.Random(7)

    def wait(self, most=0.5):
        time.sleep(self.chance.uniform(0.01, most))

    def kill_while_it_begins(self, flags, listen):
        process = subprocess.Popen(
            [os.path.join(BIN, "aaren-server"), f"--listen={listen}", "--metrics_listen=", "--device=cpu", *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait(0.1)
        process.kill()
        process.wait()

    def start_again(self, server):
        """Kills the server; another takes its address."""
        server.close()
        if self.chance.random() < 0.1:
            self.kill_while_it_begins(self.flags, server.target)
        again = Server(*self.flags, listen=server.target)
        self.addCleanup(again.close)
        return again


class RocksDbKillsTest(KillsTest):
    def setUp(self):
        self.data = tempfile.TemporaryDirectory()
        self.addCleanup(self.data.cleanup)
        self.flags = "--store=rocksdb", f"--data_dir={self.data.name}/data", "--save_interval=100ms"
        super().setUp()

    def test_server_killed_at_random_instants_costs_no_forecast(self):
        oracle = self.start_oracle(self.server.target)
        for _ in range(KILLS):
            self.wait()
            self.assert_goes_on(oracle)
            self.server = self.start_again(self.server)
        self.assertGreater(self.assert_kept(oracle)["reopened"], 0)

    def test_client_killed_at_random_instants_goes_on_from_its_journal(self):
        oracle = self.start_oracle(self.server.target, journal=self.path("journal"))
        for life in range(OTHERS):
            if life % 4 == 0:  # the others may end before they begin
                self.wait_for_forecasts(oracle)
            self.wait()
            self.assert_goes_on(oracle)
            oracle.kill()
            oracle.start()
        self.wait_for_forecasts(oracle)
        self.assert_kept(oracle)

    def test_client_and_server_killed_together_cost_no_forecast(self):
        oracle = self.start_oracle(self.server.target, journal=self.path("journal"))
        for life in range(OTHERS):
            if life % 4 == 0:  # the others may end before they begin
                self.wait_for_forecasts(oracle)
            self.wait()
            self.assert_goes_on(oracle)
            oracle.kill()
            self.server = self.start_again(self.server)
            oracle.start()
        self.wait_for_forecasts(oracle)
        self.assert_kept(oracle)

    def test_flipped_bit_of_a_stored_row_is_named_and_no_other_session_suffers(self):
        oracle = self.start_oracle(self.server.target, sessions=20)
        time.sleep(1)
        self.assert_kept(oracle)
        for _ in range(2):  # a start writes into files what RocksDB's log has
            self.assertEqual(self.server.stop(), 0)
            self.server = self.start_server(*self.flags)
        refused = []
        for eighth in (4, 2, 6, 1, 3, 5, 7):  # rows that a later save has taken the place of harm nobody
            self.assertEqual(self.server.stop(), 0)
            self.flip_a_bit_of_the_rows(eighth)
            self.server = self.start_server(*self.flags)
            refused = [i for i in range(20) if not self.can_export(f"oracle-1-{i}")]
            if refused:
                break
        self.assertEqual(len(refused), 1)

    def flip_a_bit_of_the_rows(self, eighth):
        """So many eighths into the largest of the files that hold nothing but rows."""
        folder = os.path.join(self.data.name, "data", "rocksdb")
        path = max((os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".blob")),
                   key=os.path.getsize)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) * eighth // 8)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 4]))

    def can_export(self, session):
        run = aaren("sessions", "export", session, f"--output={self.path('row')}", f"--target={self.server.target}")
        if run.returncode != 0:
            self.assertIn("DATA_LOSS", run.stderr)
            self.assertIn(session, run.stderr)
        return run.returncode == 0


@unittest.skipUnless(Redis.installed(), "redis-server is not installed")
class RedisKillsTest(KillsTest):
    def setUp(self):
        self.data = tempfile.TemporaryDirectory()
        self.addCleanup(self.data.cleanup)
        self.redis = Redis(self.data.name)  # appendfsync always
        self.addCleanup(self.redis.close)
        self.flags = "--store=redis", f"--redis={self.redis.address}", "--redis_timeout=500ms", "--save_interval=100ms"
        super().setUp()
        self.servers = [self.server, self.start_server(*self.flags)]

    def addresses(self):
        return [server.target for server in self.servers]

    def strike(self):
        which = self.chance.randrange(2)
        self.servers[which] = self.start_again(self.servers[which])

    def test_either_of_two_servers_killed_costs_no_forecast(self):
        oracle = self.start_oracle(*self.addresses())
        for _ in range(KILLS):
            self.wait()
            self.assert_goes_on(oracle)
            self.strike()
        self.assertGreater(self.assert_kept(oracle)["reopened"], 0)

    def test_redis_killed_and_back_costs_no_forecast(self):
        oracle = self.start_oracle(*self.addresses())
        for _ in range(OTHERS):
            self.wait()
            self.assert_goes_on(oracle)
            self.redis.kill()
            if self.chance.random() < 0.5:
                self.strike_without_waiting()
            self.redis.start()
            self.servers = [self.alive(server) for server in self.servers]
        self.assert_kept(oracle)

    def strike_without_waiting(self):
        """Kills a server that will come back once there is a Redis."""
        self.servers[self.chance.randrange(2)].kill()

    def alive(self, server):
        return server if server.process.poll() is None else self.start_again(server)

    def test_server_that_sleeps_through_the_takeover_wakes_up_fenced(self):
        proxy = CuttingProxy(self.servers[0].target)
        self.addCleanup(proxy.close)
        oracle = self.start_oracle(proxy.address)
        for _ in range(times(short=3, long=50)):
            self.wait(1)
            self.assert_goes_on(oracle)
            sleeper, other = self.servers
            sleeper.process.send_signal(signal.SIGSTOP)
            proxy.lead_to(other.target)
            proxy.cut()
            self.wait(2)
            sleeper.process.send_signal(signal.SIGCONT)
            self.wait(0.5)
            self.servers.reverse()
        self.assert_kept(oracle)
        fenced = [server.metric('aaren_session_events_total{event="fenced"}') for server in self.servers]
        self.assertGreater(sum(fenced), 0)


@unittest.skipIf(os.geteuid() != 0, "only root may mount a small disk")
class DiskTest(KillsTest):
    """A disk that is full, or read-only, while sessions are streamed; then the server is killed."""

    def setUp(self):
        self.disk = f"/tmp/aaren_oracle_disk_{os.getpid()}"
        os.makedirs(self.disk, exist_ok=True)
        self.addCleanup(os.rmdir, self.disk)
        mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", self.disk]
        if subprocess.run(mount, capture_output=True).returncode:
            self.skipTest("this machine lets nobody mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.flags = "--store=rocksdb", f"--data_dir={self.disk}/data", "--save_interval=50ms"
        super().setUp()

    def wait_until_saves_fail(self, oracle):
        deadline = time.monotonic() + 60
        while "save failed" not in self.server.log():
            self.assertLess(time.monotonic(), deadline)
            self.assert_goes_on(oracle)
            time.sleep(0.05)

    def kill_again_and_again(self, oracle):
        for _ in range(times(short=2, long=20)):
            self.wait()
            self.assert_goes_on(oracle)
            self.server = self.start_again(self.server)

    def test_full_disk_costs_no_forecast(self):
        oracle = self.start_oracle(self.server.target, sessions=100, rate=1000)
        self.wait_until_saves_fail(oracle)
        self.wait(1)
        subprocess.run(["mount", "-o", "remount,size=400m", self.disk], check=True)
        self.kill_again_and_again(oracle)
        self.assert_kept(oracle)

    def test_disk_that_is_read_only_for_a_while_costs_no_forecast(self):
        subprocess.run(["mount", "-o", "remount,size=400m", self.disk], check=True)
        oracle = self.start_oracle(self.server.target)
        self.wait(1)
        self.server.kill()
        subprocess.run(["mount", "-o", "remount,ro", self.disk], check=True)
        with self.assertRaisesRegex(RuntimeError, "data_dir: .*Read-only file system"):
            Server(*self.flags, listen=self.server.target)
        subprocess.run(["mount", "-o", "remount,rw", self.disk], check=True)
        self.kill_again_and_again(oracle)
        self.assert_kept(oracle)


if __name__ == "__main__":
    unittest.main()
