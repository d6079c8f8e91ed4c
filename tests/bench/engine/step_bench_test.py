"""The benches of the engine at a small size: every row that they claim is there, with numbers that can be."""

import json
import os
import statistics
import subprocess
import unittest

BENCH = os.path.join(os.environ["AAREN_BIN"], "aaren-bench")


class StepBenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        small = {**os.environ, "AAREN_BENCH_SESSIONS": "2", "AAREN_BENCH_SECONDS": "0.1"}
        run = subprocess.run([BENCH, "step", "--json"], env=small, capture_output=True, text=True, check=True)
        cls.rows = json.loads(run.stdout)["rows"]

    def of(self, batch):
        rows = [row for row in self.rows if row["batch"] == batch]
        self.assertGreater(len(rows), 0)
        return rows

    def test_every_shape_is_measured_with_the_same_instruction_sets(self):
        sets = {shape: set() for shape in (("bundled", 128), ("plain", 64), ("plain", 128), ("plain", 512))}
        for row in self.of(batch=2):
            sets[row["shape"], row["width"]].add(row["isa"])
        self.assertEqual(len(set(map(frozenset, sets.values()))), 1, sets)

    def test_no_forecast_is_faster_than_its_roof(self):
        # Other work on the machine may slow a roof down and no forecast beside it, but seldom most roofs of a kind.
        shares = {}
        for row in self.rows:
            self.assertGreater(row["roof_share"], 0, row)
            shares.setdefault(row["isa"], []).append(row["roof_share"])
        for isa, of_isa in shares.items():
            self.assertLess(statistics.median(of_isa), 1, isa)

    def test_one_token_is_held_against_the_time_to_read_the_weights(self):
        for row in self.of(batch=1):
            self.assertGreater(row["bandwidth_ratio"], 0, row)
        for row in self.of(batch=2):
            self.assertIsNone(row["bandwidth_ratio"], row)


class SilentBenchTest(unittest.TestCase):
    def test_each_kind_of_token_takes_time(self):
        small = {**os.environ, "AAREN_BENCH_SESSIONS": "2", "AAREN_BENCH_SECONDS": "0.1"}
        run = subprocess.run([BENCH, "silent", "--json"], env=small, capture_output=True, text=True, check=True)
        rows = json.loads(run.stdout)["rows"]
        self.assertEqual({row["kind"] for row in rows}, {"fold", "probe", "skipped", "history"})
        for row in rows:
            self.assertGreater(row["microseconds"], 0, row)


class DeviceBenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = subprocess.run([BENCH, "device", "--json"], capture_output=True, text=True, check=True)
        cls.rows = json.loads(run.stdout)["rows"]

    def test_each_kind_of_gpu_has_each_shape(self):
        shapes = {(row["shape"], row["width"]) for row in self.rows}
        self.assertEqual(shapes, {("bundled", 128), ("plain", 64), ("plain", 128), ("plain", 512)})
        for gpu in ("A100", "H100", "H200", "RTX 5090"):
            of = {(row["shape"], row["width"]) for row in self.rows if row["gpu"] == gpu}
            self.assertGreaterEqual(of, shapes - {("plain", 512)}, gpu)

    def test_multiply_adds_are_those_of_the_products_and_few_more(self):
        small = {**os.environ, "AAREN_BENCH_SESSIONS": "2", "AAREN_BENCH_SECONDS": "0.01"}
        run = subprocess.run([BENCH, "step", "--json"], env=small, capture_output=True, text=True, check=True)
        flop = {
            (row["shape"], row["width"]): row["flop_per_token"]
            for row in json.loads(run.stdout)["rows"]
            if row["tier"] == "exact"
        }
        for row in self.rows:
            products = flop[row["shape"], row["width"]] / 2 * row["tokens"]
            self.assertGreaterEqual(row["multiply_adds"], products, row)
            self.assertLess(row["multiply_adds"], 1.15 * products, row)

    def test_no_tile_is_faster_than_the_multipliers(self):
        for row in self.rows:
            self.assertLess(row["roof_share"], 1, row)
            self.assertGreaterEqual(row["tile_us"], max(v for k, v in row.items() if k.endswith("_us") and k != "tile_us"))

    def test_tells_the_registers_that_the_tests_allow(self):
        for row in self.rows:
            self.assertGreater(row["registers"], 0, row)


class NumericsBenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        small = {**os.environ, "AAREN_BENCH_TOKENS": "1000000"}
        run = subprocess.run([BENCH, "numerics", "--json"], env=small, capture_output=True, text=True, check=True)
        cls.rows = json.loads(run.stdout)["rows"]

    def errors(self, state):
        return [row["relative_error"] for row in self.rows if row["state"] == state]

    def test_the_state_that_serves_stays_exact(self):
        self.assertEqual(len(self.errors("served")), 6)
        self.assertLess(max(self.errors("served")), 1e-6)  # what the engine promises

    def test_floats_that_grow_do_not(self):
        self.assertGreater(max(self.errors("plain")), 1e-5)


if __name__ == "__main__":
    unittest.main()
