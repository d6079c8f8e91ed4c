"""`aaren-bench store` at a small size: every row that it claims is there, with numbers that can be."""

import json
import os
import subprocess
import unittest

BENCH = os.path.join(os.environ["AAREN_BIN"], "aaren-bench")
SESSIONS = 200


class StoreBenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        small = {**os.environ, "AAREN_BENCH_SESSIONS": str(SESSIONS), "AAREN_BENCH_SECONDS": "0.7"}
        run = subprocess.run([BENCH, "store", "--json"], env=small, capture_output=True, text=True, check=True)
        cls.rows = {(row["store"], row["operation"]): row for row in json.loads(run.stdout)["rows"]}

    def row(self, operation, store="rocksdb"):
        row = self.rows[store, operation]
        self.assertEqual(row["sessions"], SESSIONS)
        self.assertGreater(row["per_second"], 0)
        return row

    def test_each_store_opens_saves_and_loads(self):
        for store in ("memory", "rocksdb"):
            for operation in ("acquire", "save", "load"):
                self.row(operation, store)

    def test_a_session_takes_at_least_its_row(self):
        self.assertGreater(self.row("save")["bytes_per_session"], 8192)

    def test_interval_is_held_against_none_of_the_same_run(self):
        interval = self.row("tokens, interval")
        self.assertEqual(interval["bare_per_second"], self.row("tokens, none")["per_second"])
        self.assertGreater(interval["p99_us"], 0)
        self.assertGreater(interval["ratio"], 0)

    def test_one_commit_covers_the_tokens_of_many_sessions(self):
        tokens, commits = self.row("tokens, every_token"), self.row("commits, every_token")
        self.assertGreater(tokens["per_second"], commits["per_second"])

    def test_what_a_leaving_server_saved_is_in_its_folder(self):
        leave = self.row("leave")
        self.assertGreater(leave["seconds"], 0)
        self.assertGreater(leave["bytes_per_session"], 8192)


if __name__ == "__main__":
    unittest.main()
