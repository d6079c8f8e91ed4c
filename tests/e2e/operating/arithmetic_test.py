"""The setting `tier`: new sessions get it where the CPU is faster so, and each keeps the arithmetic that it began with."""

import unittest

from programs import ServerTest, aaren, objects, write_series

ROWS = 400
with open("/proc/cpuinfo", encoding="utf-8") as file:
    AMX = " amx_bf16" in file.read()


class ArithmeticTest(ServerTest):
    def setUp(self):
        super().setUp()
        write_series(self.path("all.csv"), ROWS, columns=("load",))
        with open(self.path("all.csv")) as whole, open(self.path("half.csv"), "w") as half:
            half.writelines(whole.readlines()[:ROWS // 2])
        self.serve("exact")

    def serve(self, tier):
        """The server stops, and comes back with its sessions."""
        self.server.stop()
        self.server.close()
        self.server = self.start_server("--store=rocksdb", f"--data_dir={self.path('data')}", f"--tier={tier}")

    def forecasts(self, session, file="all.csv"):
        run = aaren("stream", f"--target={self.server.target}", f"--csv={self.path(file)}", f"--session={session}", "--horizon=6",
                    "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return objects(run.stdout)

    def tier_of(self, session):
        run = aaren("sessions", "get", session, f"--target={self.server.target}", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return objects(run.stdout)[0]["tier"]

    def offered(self):
        models = objects(aaren("models", "list", f"--target={self.server.target}", "--json").stdout)
        return next(model["tier"] for model in models if model["kind"] == "forecaster")

    @unittest.skipUnless(AMX, "this CPU has no AMX")
    def test_new_sessions_are_fast_where_that_is_faster(self):
        self.serve("fast")
        self.assertEqual(self.offered(), "fast")
        fast = self.forecasts("new")
        self.assertEqual(self.tier_of("new"), "fast")
        self.assertIn(f'aaren_model_tokens_total{{model="aaren-univariate:1",tier="fast"}} {ROWS}', self.server.metrics())
        self.serve("exact")
        self.assertNotEqual(fast, self.forecasts("another"))

    @unittest.skipIf(AMX, "this CPU has AMX")
    def test_new_sessions_stay_exact_where_fast_would_be_slower(self):
        self.serve("fast")
        self.assertEqual(self.offered(), "exact")
        self.assertIn("this CPU has no AMX", self.server.log())

    def test_exact_session_goes_on_exactly_where_new_ones_are_fast(self):
        whole = self.forecasts("whole")
        half = self.forecasts("moved", "half.csv")
        self.serve("fast")
        self.assertEqual(half + self.forecasts("moved"), whole)
        self.assertEqual(self.tier_of("moved"), "exact")

    @unittest.skipUnless(AMX, "this CPU has no AMX, so none begins here")
    def test_fast_session_goes_on_fast_where_new_ones_are_exact(self):
        self.serve("fast")
        whole = self.forecasts("whole")
        half = self.forecasts("moved", "half.csv")
        self.serve("exact")
        self.assertEqual(half + self.forecasts("moved"), whole)
        self.assertEqual(self.tier_of("moved"), "fast")
        self.assertEqual(self.offered(), "exact")

    @unittest.skipUnless(AMX, "this CPU has no AMX, so none begins here")
    def test_migration_to_its_own_model_takes_a_session_to_the_tier_of_new_ones(self):
        self.serve("fast")
        half = self.forecasts("moved", "half.csv")
        self.serve("exact")
        moved = aaren("sessions", "migrate", "moved", "--model=aaren-univariate", f"--target={self.server.target}", "--json")
        self.assertEqual(moved.returncode, 0, moved.stderr)
        self.assertEqual(self.tier_of("moved"), "exact")
        rest = self.forecasts("moved")
        self.assertEqual(rest[0]["seq"], len(half))
        # It remembers all that it has learnt: its forecasts are those of an exact session but for the last digits.
        exact = self.forecasts("whole")[len(half):]
        for ours, theirs in zip(rest, exact, strict=True):
            for a, b in zip(ours["quantiles"]["0.5"], theirs["quantiles"]["0.5"], strict=True):
                self.assertAlmostEqual(a, b, delta=0.02)


if __name__ == "__main__":
    unittest.main()
