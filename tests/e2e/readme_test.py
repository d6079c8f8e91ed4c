"""The pages show the program's own output, whose bits are the same everywhere, and name every setting and metric."""

import os
import re
import subprocess
import unittest

from programs import BIN, SAMPLES, ServerTest, aaren

ROOT = os.path.dirname(os.path.dirname(SAMPLES))


class ReadmeTest(ServerTest):
    def page(self, *path):
        with open(os.path.join(ROOT, *path)) as file:
            return file.read()

    def stream(self, *flags):
        result = aaren("stream", f"--target={self.server.target}", f"--csv={os.path.join(SAMPLES, 'weather.csv')}",
                       "--columns=temperature_degC", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines()

    def test_its_forecast_is_the_last_one_of_the_sample(self):
        line = self.stream("--horizon=3")[-1]
        shown = re.search(r'^ *({"seq":4328.*)\n *(.*), … (.*)$', self.page("README.md"), re.MULTILINE)
        self.assertTrue(line.startswith(shown[1] + shown[2]), line)
        self.assertTrue(line.endswith(shown[3]), line)

    def test_its_number_of_alerts_is_that_of_the_sample(self):
        rows = self.stream("--horizon=1", "--alert=0.01", "--alerts_only")
        self.assertIn(f"It prints {len(rows)} rows", self.page("client", "cli", "README.md"))

    def test_the_page_of_settings_names_every_setting(self):
        printed = subprocess.check_output([os.path.join(BIN, "aaren-server"), "--print_config"], text=True)
        settings = set(re.findall(r"^(\w+): ", printed, re.MULTILINE))
        self.assertEqual(settings - set(re.findall(r"`(\w+)`", self.page("server", "SETTINGS.md"))), set())

    def test_the_page_of_metrics_names_every_metric(self):
        metrics = set(re.findall(r"^# TYPE (aaren_\w+) ", self.server.metrics(), re.MULTILINE))
        self.assertEqual(metrics - set(re.findall(r"aaren_\w+", self.page("server", "METRICS.md"))), set())


if __name__ == "__main__":
    unittest.main()
