"""Alerts of aaren stream: a value out of line is one, what is calm is not, and the stream says how many there were."""

import math
import random
import unittest

from programs import ServerTest, aaren, objects

ROWS = 2000
WARM = 500  # rows that a session gets to know its series by
OUTLIER = 1200


class AlertTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.write_calm_series("in.csv")

    def write_calm_series(self, name):
        """A season and Gaussian noise, the same every time; the outlier lies 20 deviations of the noise above."""
        source = random.Random(3)
        with open(self.path(name), "w") as file:
            file.write("date,load\n")
            for i in range(ROWS):
                value = 20 + 3 * math.sin(2 * math.pi * i / 24) + source.gauss(0, 0.5) + (10 if i == OUTLIER else 0)
                file.write(f"{1_700_000_000 + 3600 * i},{value:.4f}\n")

    def stream(self, *flags, expect=0):
        result = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('in.csv')}", "--horizon=1", "--json", *flags)
        self.assertEqual(result.returncode, expect, result.stderr)
        return result

    def test_planted_outlier_is_an_alert_and_few_others_are(self):
        rows = objects(self.stream("--alert=0.001").stdout)
        alerts = [row["seq"] for row in rows if row["alert"]]
        self.assertEqual(len(rows), ROWS)
        self.assertEqual([seq for seq in alerts if abs(seq - OUTLIER) <= 12], [OUTLIER])
        self.assertLessEqual(len([seq for seq in alerts if seq >= WARM]), 8)  # the outlier, and 1.5 by chance

    def test_alerts_are_the_surprises_outside_both_halves_of_the_rate(self):
        rows = objects(self.stream("--alert=0.1").stdout)
        self.assertIsNone(rows[0]["surprise"])
        for row in rows:
            surprise = row["surprise"]
            judged = surprise is not None and "learning" not in row
            self.assertEqual(row["alert"], judged and not 0.05 <= surprise <= 0.95, row)
        self.assertTrue(any(row["alert"] and row["surprise"] < 0.5 for row in rows))
        self.assertTrue(any(row["alert"] and row["surprise"] > 0.5 for row in rows))

    def test_summary_counts_what_was_printed(self):
        result = self.stream("--alert=0.01")
        rows = objects(result.stdout)
        alerts = sum(row["alert"] for row in rows)
        judged = sum(row["surprise"] is not None and "learning" not in row for row in rows)
        self.assertIn(f"aaren: alerts: {alerts} of {judged} values; the rate 0.01 makes {judged / 100:.1f} expected\n", result.stderr)

    def test_without_a_rate_nothing_is_said_of_alerts(self):
        result = self.stream()
        self.assertNotIn("alert", result.stdout + result.stderr)

    def test_alerts_only_prints_just_the_rows_with_one(self):
        whole = self.stream("--alert=0.01")
        only = self.stream("--alert=0.01", "--alerts_only")
        self.assertEqual(only.stdout.splitlines(), [line for line in whole.stdout.splitlines() if '"alert":true' in line])
        self.assertEqual(only.stderr, whole.stderr)

    def test_record_with_alerts_goes_on_where_it_was_torn(self):
        self.stream("--alert=0.01", "--session=whole", f"--output={self.path('whole.jsonl')}")
        whole = self.read("whole.jsonl")
        self.assertEqual(whole.count(b'"alert":'), ROWS)
        with open(self.path("torn.jsonl"), "wb") as file:
            file.write(whole[: len(whole) // 2])
        self.stream("--alert=0.01", "--session=torn", f"--output={self.path('torn.jsonl')}")
        self.assertEqual(self.read("torn.jsonl"), whole)

    def test_record_of_alerts_only_is_refused_and_left_alone(self):
        result = self.stream("--alert=0.01", "--alerts_only", f"--output={self.path('out.jsonl')}", expect=2)
        self.assertIn("--alerts_only", result.stderr)
        self.assertIn("out.jsonl", result.stderr)
        self.assertRaises(FileNotFoundError, self.read, "out.jsonl")


if __name__ == "__main__":
    unittest.main()
