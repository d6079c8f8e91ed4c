"""`aaren-bench server` and `state` at a small size: every row that they claim is there, with numbers that can be."""

import json
import os
import subprocess
import unittest

BENCH = os.path.join(os.environ["AAREN_BIN"], "aaren-bench")


def rows_of(bench, **size):
    run = subprocess.run([BENCH, bench, "--json"], env={**os.environ, **size}, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["rows"]


class ServerBenchTest(unittest.TestCase):
    def test_the_server_is_held_against_its_model_and_its_messages(self):
        rows = rows_of("server", AAREN_BENCH_SECONDS="0.1")
        self.assertEqual([(row["points_per_message"], row["shards"]) for row in rows],
                         [(points, shards) for points in (1, 8, 64) for shards in (1, 2)])
        for row in rows:
            self.assertGreater(row["ratio"] if row["shards"] == 1 else row["scaling"], 0, row)


class StateBenchTest(unittest.TestCase):
    def test_random_sessions_and_an_idle_one_are_measured(self):
        random, plain, idle = rows_of("state", AAREN_BENCH_SESSIONS="2000", AAREN_BENCH_SECONDS="0.1")
        for row in (random, plain):
            self.assertEqual(row["sessions"], 2000)
            self.assertGreater(row["random_over_hot"], 0, row)
            self.assertGreater(row["copy_gigabytes_per_second"], 0, row)
        self.assertGreaterEqual(idle["bytes_per_session_over_row"], 0.9)  # each row was written once


if __name__ == "__main__":
    unittest.main()
