"""The bundled model, zero-shot and streamed through the server, against the naive forecasts a user already has.

The full data sets are not part of this project: name a folder with ETTh1.csv, ETTm1.csv, ETTm2.csv and weather.csv (plain or .gz,
any depth) in AAREN_DATA. Without it only the sample under tests/data is used.
"""

import glob
import gzip
import json
import os
import shutil
import unittest

from programs import SAMPLES, ServerTest, aaren


class QualityTest(ServerTest):
    def evaluate(self, *arguments):
        result = aaren("evaluate", f"--target={self.server.target}", *arguments, "--json", timeout=900)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout.splitlines()[-1])

    def data(self, name):
        folder = os.environ.get("AAREN_DATA")
        if not folder:
            self.skipTest("AAREN_DATA is not set: the full data sets are not part of this project")
        found = glob.glob(os.path.join(folder, "**", name + "*"), recursive=True)
        self.assertTrue(found, f"no {name} under {folder}")
        if not found[0].endswith(".gz"):
            return found[0]
        with gzip.open(found[0]) as packed, open(self.path(name), "wb") as plain:
            shutil.copyfileobj(packed, plain)
        return self.path(name)

    def beats_naive(self, csv, season, *flags):
        mean = self.evaluate(f"--csv={csv}", "--horizon=24", f"--season={season}", "--stride=61", *flags)
        self.assertLess(mean["mase"], mean["last_value"]["mase"])
        self.assertLess(mean["mase"], mean["seasonal_naive"]["mase"])

    def test_beats_naive_forecasts_on_the_sample(self):
        self.beats_naive(os.path.join(SAMPLES, "weather.csv"), 144)

    def test_beats_naive_forecasts_on_etth1(self):
        self.beats_naive(self.data("ETTh1.csv"), 24)

    def test_beats_naive_forecasts_on_ettm1(self):
        self.beats_naive(self.data("ETTm1.csv"), 96)

    def test_beats_naive_forecasts_on_ettm2(self):
        self.beats_naive(self.data("ETTm2.csv"), 96)

    def test_beats_naive_forecasts_on_weather(self):
        self.beats_naive(self.data("weather.csv"), 144, "--missing=-9999")

    def test_seasonal_naive_gives_the_published_numbers(self):
        files = [f"--csv={self.data(name)}" for name in ("ETTm1.csv", "ETTm2.csv")]
        mean = self.evaluate(*files, "--horizon=24", "--season=96", "--start=-96", "--windows=1")
        self.assertAlmostEqual(mean["seasonal_naive"]["mase"], 1.169, delta=0.0005)
        self.assertAlmostEqual(mean["seasonal_naive"]["wql"], 0.1413, delta=0.00005)


if __name__ == "__main__":
    unittest.main()
