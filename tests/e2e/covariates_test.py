"""What a session is told beside its series: covariates through kills, rows to come, and what covariates bring."""

import math
import os
import random
import tempfile
import time
import unittest
from datetime import datetime, timedelta

from peers.cutting_proxy import CuttingProxy
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
            hour = datetime(2024, 1, 1) + timedelta(hours=i)
            out.write(f"{hour}Z,{f'{load:.2f}' if i < rows else ''},{price:.3f},{temperature:.3f}\n")


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


class UnevenCovariatesTest(ServerTest):
    """A logger's file with covariates, forecast beyond the model's horizon: steps without a row, cells without a number,
    rows that come twice, rows that come late, and rows to come."""

    ROWS, GAPS, EMPTY, DOUBLED, LATE, STRIKES = 2500, 400, 300, 120, 60, 24

    def setUp(self):
        data = tempfile.TemporaryDirectory()
        self.addCleanup(data.cleanup)
        self.flags = "--store=rocksdb", f"--data_dir={data.name}/data", "--save_interval=100ms"
        super().setUp()
        write_driven(self.path("even.csv"), self.ROWS, to_come=60)
        header, first, *rows = self.read("even.csv").decode().splitlines(keepends=True)
        rows, last = rows[:-61], rows[-61:]  # the last with a value, and the rows to come
        chance = random.Random(12)
        for place in chance.sample(range(len(rows)), self.EMPTY):
            cells = rows[place].rstrip("\n").split(",")
            cells[chance.randrange(1, 4)] = ""
            rows[place] = ",".join(cells) + "\n"
        places = chance.sample(range(len(rows)), len(rows) - self.GAPS)
        doubled, late = places[:self.DOUBLED], set(places[-self.LATE:])
        moved = [(place + (chance.randint(2, 50) if place in late else 0), rows[place]) for place in places]
        moved += [(place + chance.randint(1, 50), rows[place]) for place in doubled]
        with open(self.path("in.csv"), "w") as out:
            out.writelines([header, first, *(row for _, row in sorted(moved)), *last])
        self.stream = ["stream", f"--csv={self.path('in.csv')}", "--step=1h", "--past=price", "--future=temperature",
                       "--horizon=60", "--quantiles=0.005,0.5,0.995", "--json"]

    def start(self):
        self.process = start_aaren(*self.stream, f"--target={self.proxy.address}", "--session=broken",
                                   f"--output={self.path('broken')}")
        self.addCleanup(self.process.stderr.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def wait_for_bytes(self, size):
        deadline = time.monotonic() + 60
        while not (os.path.exists(self.path("broken")) and os.path.getsize(self.path("broken")) >= size):
            self.assertIsNone(self.process.poll(), "it ended before the last strike")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def strike(self, number):
        if number % 3 == 0:
            self.proxy.cut()
            return
        if number % 3 == 1:
            self.server.kill()
            self.server = self.start_server(*self.flags, listen=self.server.target)
        if number % 6 != 1:
            self.process.kill()
            self.process.communicate()
            self.start()

    def test_cuts_and_kills_of_client_and_server_leave_the_bytes_of_an_undisturbed_run(self):
        whole = aaren(*self.stream, f"--target={self.server.target}", "--session=whole",
                      f"--output={self.path('whole')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertIn("60 rows at the end without a value", whole.stderr)
        self.assertIn(f"{self.DOUBLED} rows joined", whole.stderr)
        self.assertEqual(self.read("whole").count(b"\n"), self.ROWS)
        self.proxy = CuttingProxy(self.server.target, bytes_per_second=2e6)
        self.addCleanup(self.proxy.close)
        self.start()
        for number in range(self.STRIKES):
            self.wait_for_bytes(len(self.read("whole")) * (number + 0.5) // (self.STRIKES + 1))
            self.strike(number)
        errors = self.process.communicate(timeout=120)[1]
        self.assertEqual(self.process.returncode, 0, errors)
        self.assertEqual(self.read("broken"), self.read("whole"))


if __name__ == "__main__":
    unittest.main()
