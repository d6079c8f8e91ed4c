"""What a session is told beside its series: covariates through kills, rows to come, and what they bring."""

import math
import os
import random
import time

from programs import ServerTest, aaren, fewer, objects, start_aaren

ROWS = fewer(3000)


def write_driven(path, rows, to_come=0):
    """A load that follows a temperature, known in advance, and a price, known with the row; then rows without a load."""
    chance = random.Random(11)
    temperature = 10.0
    with open(path, "w") as out:
        out.write("date,load,price,temperature\n")
        for i in range(rows + to_come):
            temperature += 0.2 * (10 - temperature) + chance.gauss(0, 3)
            price = 5 + chance.random()
            load = 100 + 4 * temperature + 6 * math.sin(i * 0.2618) + chance.gauss(0, 1)
            hour = f"2024-{1 + i // 672:02}-{1 + i // 24 % 28:02} {i % 24:02}:00"
            out.write(f"{hour},{f'{load:.2f}' if i < rows else ''},{price:.3f},{temperature:.3f}\n")


class CovariatesTest(ServerTest):
    def setUp(self):
        super().setUp()
        write_driven(self.path("in.csv"), ROWS, to_come=48)
        self.command = ["stream", f"--csv={self.path('in.csv')}", "--step=none", "--past=price", "--future=temperature",
                        "--horizon=6", "--json"]

    def stream(self, session):
        result = aaren(*self.command, f"--target={self.server.target}", f"--session={session}",
                       f"--output={self.path(session)}")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr

    def test_client_and_server_killed_in_the_middle_leave_the_same_bytes(self):
        said = self.stream("whole")
        self.assertIn("48 rows at the end without a value", said)
        whole = self.read("whole")
        self.assertEqual(whole.count(b"\n"), ROWS)
        for part in (1, 2, 3):
            process = start_aaren(*self.command, f"--target={self.server.target}", "--session=killed",
                                  f"--output={self.path('killed')}")
            deadline = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < deadline:
                killed = self.path("killed")
                if os.path.exists(killed) and os.path.getsize(killed) > len(whole) * part // 5:
                    break
                time.sleep(0.001)
            if part == 2:
                self.server.kill()
                self.server = self.start_server(listen=self.server.target)
            process.kill()
            process.communicate()
        self.stream("killed")
        self.assertEqual(self.read("killed"), whole)

    def test_covariates_bring_what_the_series_owes_them(self):
        result = aaren("evaluate", f"--target={self.server.target}", f"--csv={self.path('in.csv')}", "--step=none",
                       "--past=price", "--future=temperature", "--horizon=6", "--stride=29", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        mean = objects(result.stdout)[-1]
        self.assertLess(mean["mase"], 0.6 * mean["without_covariates"]["mase"])

    def test_session_without_covariates_is_another(self):
        self.stream("whole")
        result = aaren("stream", f"--csv={self.path('in.csv')}", "--columns=load", "--step=none", "--horizon=6", "--json",
                       f"--target={self.server.target}", "--session=whole")
        self.assertEqual(result.returncode, 1)
        self.assertIn("covariates", result.stderr)
