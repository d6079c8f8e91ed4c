"""Sessions in a folder outlive the server: however it ends, they go on where they were."""

import json
import os
import signal
import subprocess
import time
import unittest

from peers import http2
from programs import BIN, SANITIZED, ServerTest, aaren, fewer, start_aaren, write_series

ROWS = fewer(6000)


class FolderTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.server.close()
        self.server = self.start_server(*self.store())
        write_series(self.path("in.csv"), ROWS)
        self.stream = ["stream", f"--target={self.server.target}", "--horizon=3", "--json"]

    def store(self):
        return "--store=rocksdb", f"--data_dir={self.path('data')}"

    def restart(self):
        self.server = self.start_server(*self.store(), listen=self.server.target)


class LeavingInAHurryTest(ServerTest):
    @unittest.skipIf(SANITIZED, "its time is not the program's")
    def test_server_with_more_tokens_than_it_can_answer_saves_its_sessions_and_exits_with_zero(self):
        server = self.start_server("--store=rocksdb", f"--data_dir={self.path('data')}", "--grace=4s", "--shards=1")
        for i in range(16):
            connection = http2.always_reading(server.target, f"s{i}", 15000)
            self.addCleanup(connection.close)
        time.sleep(0.5)
        self.assert_leaves(server)

    # gRPC closes no connection before it has written what it began to write.
    @unittest.skipIf(SANITIZED, "its time is not the program's")
    def test_client_that_takes_nothing_from_its_socket_does_not_keep_the_server(self):
        server = self.start_server("--grace=4s", "--shards=1")
        connection = http2.never_taking(server.target, "s", 15000)
        self.addCleanup(connection.close)
        self.wait_until_nothing_more_is_answered(server)
        self.assert_leaves(server)

    @unittest.skipIf(SANITIZED, "its time is not the program's")
    def test_client_that_takes_no_acknowledgement_does_not_keep_the_server(self):
        server = self.start_server("--grace=8s", "--shards=1")
        connection = http2.never_taking_acks(server.target)
        self.addCleanup(connection.close)
        self.assert_leaves(server)

    def assert_leaves(self, server):
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(20), 0, server.log())
        self.assertIn("shut down\n", server.log())

    def wait_until_nothing_more_is_answered(self, server):
        before, answered = -1, 0
        while answered == 0 or answered != before:
            time.sleep(0.3)
            before, answered = answered, server.metric("aaren_tokens_total")


class RestartTest(FolderTest):
    def test_server_killed_again_and_again_replays_nothing_from_the_start(self):
        run = [*self.stream, f"--csv={self.path('in.csv')}"]
        whole = aaren(*run, "--session=whole", f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        size = len(self.read("whole.jsonl"))
        process = start_aaren(*run, "--session=cut", f"--output={self.path('cut.jsonl')}")
        kills = 0
        for part in range(1, 6):
            deadline = time.monotonic() + 60
            cut = size * part // 6
            while time.monotonic() < deadline and process.poll() is None and self.written("cut.jsonl") < cut:
                time.sleep(0.001)
            if process.poll() is None:
                self.server.kill()
                self.restart()
                kills += 1
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(kills, 0)
        self.assertEqual(self.read("cut.jsonl"), self.read("whole.jsonl"))

    def written(self, name):
        return os.path.getsize(self.path(name)) if os.path.exists(self.path(name)) else 0

    def test_log_of_a_server_without_standard_error_goes_into_no_file_of_its_store(self):
        folder = self.path("closed")
        server = subprocess.Popen(
            [os.path.join(BIN, "aaren-server"), "--listen=127.0.0.1:0", "--metrics_listen=", "--device=cpu",
             "--store=rocksdb", f"--data_dir={folder}"],
            stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2))
        self.assertIn(b"ready", server.stdout.readline())
        server.terminate()
        self.assertEqual(server.wait(30), 0)
        server.stdout.close()
        for place, _, files in os.walk(folder):
            for name in files:
                with open(os.path.join(place, name), "rb") as file:
                    self.assertNotIn(b"shutting down", file.read(), name)

    def test_second_run_goes_on_where_the_first_ended(self):
        write_series(self.path("half.csv"), ROWS // 2)
        first = aaren(*self.stream, f"--csv={self.path('half.csv')}", "--session=s")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(self.server.stop(), 0)
        self.restart()
        second = aaren(*self.stream, f"--csv={self.path('in.csv')}", "--session=s")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn(f'session "s" goes on at row {ROWS // 2}', second.stderr)
        self.assertEqual(second.stdout.count("\n"), 2 * (ROWS - ROWS // 2))

    def test_sessions_that_nobody_has_open_are_listed_after_a_restart(self):
        self.assertEqual(aaren(*self.stream, f"--csv={self.path('in.csv')}", "--session=s").returncode, 0)
        self.assertEqual(self.server.stop(), 0)
        self.restart()
        listed = aaren("sessions", "list", f"--target={self.server.target}")
        self.assertIn(str(ROWS), listed.stdout)


class DurabilityTest(FolderTest):
    def test_nothing_that_was_forecast_is_sent_again_after_a_kill_with_every_token(self):
        run = [*self.stream, f"--csv={self.path('in.csv')}", "--durability=every_token"]
        whole = aaren(*run, "--session=whole", f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        size = len(self.read("whole.jsonl"))
        process = start_aaren(*run, "--session=cut", f"--output={self.path('cut.jsonl')}")
        for part in range(1, 6):
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None and self.written() < size * part // 6:
                time.sleep(0.001)
            self.assertIsNone(process.poll(), "it ended before it was interrupted")
            self.kill_and_check(process)
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.read("cut.jsonl"), self.read("whole.jsonl"))

    # The client stands still while the server is killed, so that what it has delivered is known.
    def kill_and_check(self, client):
        client.send_signal(signal.SIGSTOP)
        self.server.kill()
        self.restart()
        delivered = self.read("cut.jsonl").count(b"\n") // 2  # a line a series
        saved = aaren("sessions", "get", "cut", f"--target={self.server.target}", "--json")
        self.assertEqual(saved.returncode, 0, saved.stderr)
        self.assertGreaterEqual(json.loads(saved.stdout)["next_seq"], delivered)
        client.send_signal(signal.SIGCONT)

    def written(self):
        return os.path.getsize(self.path("cut.jsonl")) if os.path.exists(self.path("cut.jsonl")) else 0

    def test_a_session_without_durability_leaves_no_row(self):
        run = [*self.stream, f"--csv={self.path('in.csv')}", "--session=s", "--durability=none"]
        self.assertEqual(aaren(*run).returncode, 0)
        self.assertEqual(self.server.stop(), 0)
        self.restart()
        saved = json.loads(aaren("sessions", "get", "s", f"--target={self.server.target}", "--json").stdout)
        self.assertEqual((saved["next_seq"], saved["durable_seq"]), (0, 0))

    def test_a_store_that_ends_with_the_server_refuses_every_token(self):
        self.server.close()
        self.server = self.start_server(listen=self.server.target)
        run = aaren(*self.stream, f"--csv={self.path('in.csv')}", "--durability=every_token")
        self.assertEqual(run.returncode, 1)
        self.assertIn("what this server saves ends with it", run.stderr)

    def test_an_unknown_durability_is_named(self):
        run = aaren(*self.stream, f"--csv={self.path('in.csv')}", "--durability=often")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--durability=often", run.stderr)


@unittest.skipIf(os.geteuid() != 0, "only root may mount a small disk")
class FullDiskTest(FolderTest):
    def setUp(self):
        self.disk = f"/tmp/aaren_full_disk_{os.getpid()}"
        os.makedirs(self.disk, exist_ok=True)
        self.addCleanup(os.rmdir, self.disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", self.disk], capture_output=True).returncode:
            self.skipTest("this machine lets nobody mount a small disk")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        super().setUp()

    def store(self):
        return "--store=rocksdb", f"--data_dir={self.disk}/data", "--save_interval=50ms"

    def failed(self):
        return sum(float(line.split()[-1]) for line in self.server.metrics().splitlines()
                   if line.startswith('aaren_saves_total{outcome="failed"}'))

    def test_server_that_cannot_begin_says_why(self):
        self.server.close()
        self.fill()
        with self.assertRaisesRegex(RuntimeError, "data_dir: .*No space left on device"):
            self.start_server("--store=rocksdb", f"--data_dir={self.disk}/other")

    def test_forecasts_go_on_and_saves_begin_again_when_there_is_room(self):
        load = aaren("load", f"--target={self.server.target}", "--sessions=100",
                     f"--duration={30 if SANITIZED else 5}s")  # 16 MB of saves a second
        self.assertRegex(load.stdout + load.stderr, r"(\d+) sent, \1 answered")
        self.assertGreater(self.failed(), 0)
        self.assertIn("save failed", self.server.log())
        subprocess.run(["mount", "-o", "remount,size=200m", self.disk], check=True)
        self.wait_for_room()
        time.sleep(7)  # RocksDB itself looks for room every five seconds
        run = aaren(*self.stream, f"--csv={self.path('in.csv')}", "--session=late")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.server.stop(), 0)

    def test_what_cannot_be_saved_at_the_end_is_told(self):
        self.server.close()
        self.server = self.start_server(*self.store(), "--grace=4s")
        load = start_aaren("load", f"--target={self.server.target}", "--sessions=100", "--duration=60s")
        self.addCleanup(load.stderr.close)
        self.addCleanup(load.wait)
        self.addCleanup(load.kill)
        deadline = time.monotonic() + 60
        while self.failed() == 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(self.server.stop(), 1)
        self.assertIn("what is not saved is lost", self.server.log())

    def fill(self):
        try:
            with open(f"{self.disk}/filler", "wb", buffering=0) as file:
                while file.write(bytes(4096)) == 4096:
                    pass
        except OSError:
            pass  # full

    def wait_for_room(self):
        write_series(self.path("probe.csv"), 5)
        deadline = time.monotonic() + 60
        while aaren(*self.stream, f"--csv={self.path('probe.csv')}", "--session=probe").returncode:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)


if __name__ == "__main__":
    unittest.main()
