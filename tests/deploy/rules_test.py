"""deploy/prometheus/: promtool finds nothing wrong, and alerts_test.yml has every alert fire and resolve."""

import os
import re
import subprocess
import unittest

import prometheus

HERE = os.path.dirname(os.path.abspath(__file__))


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


class RulesTest(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run([prometheus.require("promtool"), *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("duplicate", done.stdout)

    def test_promtool_accepts_the_sample_and_the_rules_it_names(self):
        self.promtool("check", "config", os.path.join(prometheus.RULES, "prometheus.yml"))

    def test_alerts_fire_and_resolve(self):
        self.promtool("test", "rules", os.path.join(HERE, "alerts_test.yml"))

    def test_every_alert_is_among_those_that_fire_and_resolve(self):
        cases = read(HERE, "alerts_test.yml").split("\n  - interval:")
        for alert in re.findall(r"- alert: (\w+)", read(prometheus.RULES, "alerts.yml")):
            with self.subTest(alert):
                own = [case for case in cases if re.search(rf'\b{alert}\b', case.split("_test:", 1)[-1])]
                self.assertTrue(own)
                fires = re.search(r"(exp_alerts|exp_samples):(?! \[\])", own[0])
                self.assertTrue(fires and re.search(r"exp_(alerts|samples): \[\]", own[0][fires.end():]))

    def test_no_sum_mixes_releases(self):
        for name in ("recording.yml", "alerts.yml"):
            for labels in re.findall(r"\bby \(([^)]*)\)", read(prometheus.RULES, name)):
                with self.subTest(file=name, labels=labels):
                    self.assertLessEqual({"job", "namespace", "service"}, set(labels.split(", ")))

    def test_every_alert_has_a_severity_a_summary_and_a_runbook(self):
        for alert in read(prometheus.RULES, "alerts.yml").split("- alert: ")[1:]:
            with self.subTest(alert.splitlines()[0]):
                self.assertRegex(alert, r"severity: (page|ticket)}")
                self.assertRegex(alert, r"summary: (>-\s+|\")\S")
                self.assertRegex(alert, r"runbook: (>-\s+|\")\S")


if __name__ == "__main__":
    unittest.main()
