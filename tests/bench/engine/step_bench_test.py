"""`aaren-bench step` with two sessions: every row that it claims is there, with numbers that can be."""

import json
import os
import subprocess
import unittest

BENCH = os.path.join(os.environ["AAREN_BIN"], "aaren-bench")


class StepBenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        small = {**os.environ, "AAREN_BENCH_SESSIONS": "2", "AAREN_BENCH_SECONDS": "0.1"}
        run = subprocess.run([BENCH, "step", "--json"], env=small, capture_output=True, text=True, check=True)
        cls.rows = json.loads(run.stdout)["rows"]

    def of(self, kind, batch=1):
        rows = [row for row in self.rows if row["kind"] == kind and row["batch"] == batch]
        self.assertGreater(len(rows), 0)
        return rows

    def test_every_shape_is_measured_with_the_same_instruction_sets(self):
        sets = {shape: set() for shape in ("bundled", "plain64", "plain128", "plain512")}
        for row in self.of("forecast", batch=2):
            sets[row["shape"]].add(row["isa"])
        self.assertEqual(len(set(map(frozenset, sets.values()))), 1, sets)

    def test_each_kind_of_token_takes_time(self):
        for kind in ("forecast", "fold", "probe", "skipped", "history"):
            for row in self.of(kind):
                self.assertGreater(row["microseconds"], 0, row)
                self.assertGreater(row["tokens_per_second"], 0, row)

    def test_no_forecast_is_faster_than_its_roof(self):
        for row in self.of("forecast") + self.of("forecast", batch=2):
            self.assertGreater(row["roof_share"], 0, row)
            self.assertLess(row["roof_share"], 1.2, row)

    def test_one_token_is_held_against_the_time_to_read_the_weights(self):
        for row in self.of("forecast"):
            self.assertGreater(row["bandwidth_ratio"], 0, row)
        for row in self.of("forecast", batch=2):
            self.assertIsNone(row["bandwidth_ratio"], row)


if __name__ == "__main__":
    unittest.main()
