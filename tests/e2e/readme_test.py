"""The output that the READMEs show is what the program prints: its bits are the same everywhere."""

import os
import re
import unittest

from programs import SAMPLES, ServerTest, aaren

ROOT = os.path.dirname(os.path.dirname(SAMPLES))


class ReadmeTest(ServerTest):
    def readme(self, *folder):
        with open(os.path.join(ROOT, *folder, "README.md")) as file:
            return file.read()

    def stream(self, *flags):
        result = aaren("stream", f"--target={self.server.target}", f"--csv={os.path.join(SAMPLES, 'weather.csv')}",
                       "--columns=temperature_degC", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines()

    def test_its_forecast_is_the_last_one_of_the_sample(self):
        line = self.stream("--horizon=3")[-1]
        shown = re.search(r'^ *({"seq":4319.*)\n *(.*), … (.*)$', self.readme(), re.MULTILINE)
        self.assertTrue(line.startswith(shown[1] + shown[2]), line)
        self.assertTrue(line.endswith(shown[3]), line)

    def test_its_number_of_alerts_is_that_of_the_sample(self):
        rows = self.stream("--horizon=1", "--alert=0.01", "--alerts_only")
        self.assertIn(f"It prints {len(rows)} rows", self.readme("client", "cli"))


if __name__ == "__main__":
    unittest.main()
