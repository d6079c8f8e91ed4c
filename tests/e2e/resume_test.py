"""Whatever dies in the middle of a stream, the output file ends with the very bytes of an uninterrupted run."""

import os
import random
import time
import unittest

from cutting_proxy import CuttingProxy
from programs import ServerTest, aaren, fewer, start_aaren, write_series

ROWS = fewer(6000)


class ResumeTest(ServerTest):
    def setUp(self):
        super().setUp()
        write_series(self.path("in.csv"), ROWS)
        self.command = ["stream", f"--target={self.server.target}", f"--csv={self.path('in.csv')}", "--horizon=3", "--json"]
        whole = aaren(*self.command, "--session=whole", f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.whole = self.read("whole.jsonl")
        self.assertEqual(self.whole.count(b"\n"), 2 * ROWS)

    def wait_for_bytes(self, name, size, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if os.path.exists(self.path(name)) and os.path.getsize(self.path(name)) >= size:
                return
            time.sleep(0.001)

    def test_client_killed_again_and_again_ends_with_the_same_bytes(self):
        command = [*self.command, "--session=killed", f"--output={self.path('killed.jsonl')}"]
        kills = 0
        for part in range(1, 8):
            process = start_aaren(*command)
            self.wait_for_bytes("killed.jsonl", len(self.whole) * part // 8, process)
            if process.poll() is None:
                process.kill()
                kills += 1
            process.communicate()
        self.assertGreater(kills, 0)
        last = aaren(*command)
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(self.read("killed.jsonl"), self.whole)

    def test_torn_last_line_is_dropped_and_written_again(self):
        with open(self.path("torn.jsonl"), "wb") as file:
            file.write(self.whole[: len(self.whole) // 3])
        last = aaren(*self.command, "--session=torn", f"--output={self.path('torn.jsonl')}")
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(self.read("torn.jsonl"), self.whole)

    def test_connection_cut_at_a_hundred_instants_ends_with_the_same_bytes(self):
        proxy = CuttingProxy(self.server.target)
        self.addCleanup(proxy.close)
        random_source = random.Random(7)
        command = [*self.command, "--session=cut", f"--output={self.path('cut.jsonl')}"]
        command[1] = f"--target={proxy.address}"
        cuts = 0
        process = start_aaren(*command)
        while process.poll() is None and cuts < 100:
            time.sleep(random_source.uniform(0.0, 0.03))
            cuts += 1 if proxy.cut() else 0
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(cuts, 3)
        self.assertEqual(self.read("cut.jsonl"), self.whole)

    def test_server_killed_and_back_empty_names_the_loss_and_repeats_nothing(self):
        command = [*self.command, "--session=lost", f"--output={self.path('lost.jsonl')}"]
        process = start_aaren(*command)
        self.wait_for_bytes("lost.jsonl", len(self.whole) // 4, process)
        self.server.kill()
        self.start_server(listen=self.server.target)
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.read("lost.jsonl"), self.whole)
        self.assertIn("lost", errors)


if __name__ == "__main__":
    unittest.main()
