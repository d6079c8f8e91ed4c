"""Whatever dies in the middle of a stream, the output file ends with the very bytes of an uninterrupted run."""

import os
import random
import time
import unittest

from peers.cutting_proxy import CuttingProxy
from programs import ServerTest, aaren, fewer, start_aaren, write_series

ROWS = fewer(6000)
WIDE_ROWS = 1500
COLUMNS = tuple(f"sensor{i}" for i in range(16))


class ResumeTest(ServerTest):
    def setUp(self):
        super().setUp()
        write_series(self.path("in.csv"), ROWS)
        self.command = ["stream", f"--target={self.server.target}", f"--csv={self.path('in.csv')}", "--horizon=3", "--json"]
        whole = aaren(*self.command, "--session=whole", f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.whole = self.read("whole.jsonl")
        self.assertEqual(self.whole.count(b"\n"), 2 * ROWS)

    def wait_for_bytes(self, name, size, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if os.path.exists(self.path(name)) and os.path.getsize(self.path(name)) >= size:
                return
            time.sleep(0.001)

    def test_client_killed_again_and_again_ends_with_the_same_bytes(self):
        command = [*self.command, "--session=killed", f"--output={self.path('killed.jsonl')}"]
        kills = 0
        for part in range(1, 8):
            process = start_aaren(*command)
            self.wait_for_bytes("killed.jsonl", len(self.whole) * part // 8, process)
            if process.poll() is None:
                process.kill()
                kills += 1
            process.communicate()
        self.assertGreater(kills, 0)
        last = aaren(*command)
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(self.read("killed.jsonl"), self.whole)

    def test_torn_last_line_is_dropped_and_written_again(self):
        with open(self.path("torn.jsonl"), "wb") as file:
            file.write(self.whole[: len(self.whole) // 3])
        last = aaren(*self.command, "--session=torn", f"--output={self.path('torn.jsonl')}")
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(self.read("torn.jsonl"), self.whole)

    def test_server_killed_and_back_empty_names_the_loss_and_repeats_nothing(self):
        command = [*self.command, "--session=lost", f"--output={self.path('lost.jsonl')}"]
        process = start_aaren(*command)
        self.wait_for_bytes("lost.jsonl", len(self.whole) // 4, process)
        self.server.kill()
        self.start_server(listen=self.server.target)
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.read("lost.jsonl"), self.whole)
        self.assertIn("lost", errors)

class HundredInstantsTest(ServerTest):
    """A hundred instants all over one run, at each of which something dies: mostly the connection, sometimes the client
    or the server. The proxy is so slow that the run cannot get away between two of them."""

    INSTANTS = 100
    CLIENT_KILLS = frozenset(range(7, INSTANTS, 11))
    SERVER_KILLS = frozenset((20, 45, 70))

    def setUp(self):
        super().setUp()
        write_series(self.path("in.csv"), WIDE_ROWS, COLUMNS)
        stream = ["stream", f"--csv={self.path('in.csv')}", "--horizon=3", "--json"]
        whole = aaren(*stream, f"--target={self.server.target}", "--session=whole", f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.whole = self.read("whole.jsonl")
        self.proxy = CuttingProxy(self.server.target, bytes_per_second=2e6)
        self.addCleanup(self.proxy.close)
        self.command = [*stream, f"--target={self.proxy.address}", "--session=broken",
                        f"--output={self.path('broken.jsonl')}"]
        self.deadline = time.monotonic() + 240
        self.start()

    def start(self):
        self.process = start_aaren(*self.command)
        self.addCleanup(self.process.stderr.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def wait_for(self, holds):
        """Until it holds or the client ends."""
        while not holds():
            if self.process.poll() is not None:
                return
            self.assertLess(time.monotonic(), self.deadline)
            time.sleep(0.0005)

    def written(self):
        try:
            return os.path.getsize(self.path("broken.jsonl"))
        except FileNotFoundError:
            return 0

    def strike(self, instant):
        if instant in self.CLIENT_KILLS:
            self.process.kill()
            self.process.communicate()
            self.start()
        elif instant in self.SERVER_KILLS:
            self.server.kill()
            self.server = self.start_server(listen=self.server.target)
        else:
            self.wait_for(self.proxy.cut)

    def test_what_dies_at_a_hundred_instants_leaves_the_bytes_of_an_uninterrupted_run(self):
        random_source = random.Random(7)
        places = sorted(random_source.uniform(0, 0.97) for _ in range(self.INSTANTS))
        for instant, place in enumerate(places):
            self.wait_for(lambda: self.written() >= place * len(self.whole))
            time.sleep(random_source.uniform(0.0, 0.01))  # anywhere in a message
            self.assertIsNone(self.process.poll(), f"it ended before instant {instant}: {self.process.returncode}")
            self.strike(instant)
        errors = self.process.communicate(timeout=120)[1]
        self.assertEqual(self.process.returncode, 0, errors)
        self.assertEqual(self.whole.count(b"\n"), len(COLUMNS) * WIDE_ROWS)
        self.assertEqual(self.read("broken.jsonl"), self.whole)


class UnevenTest(ServerTest):
    """A file as loggers write files: steps without a row, rows that come twice, rows that come late."""

    ROWS, GAPS, DOUBLED, LATE, KILLS = 3500, 1000, 170, 60, 25

    def setUp(self):
        super().setUp()
        write_series(self.path("even.csv"), self.ROWS)
        header, *rows = self.read("even.csv").decode().splitlines(keepends=True)
        chance = random.Random(11)
        first, *rows = rows
        places = sorted(chance.sample(range(len(rows)), len(rows) - self.GAPS))
        doubled, late = set(chance.sample(places, self.DOUBLED)), set(chance.sample(places, self.LATE))
        moved = [(place + (chance.randint(2, 50) if place in late else 0), rows[place]) for place in places]
        moved += [(place + chance.randint(1, 50), rows[place]) for place in doubled]
        with open(self.path("in.csv"), "w") as out:
            out.writelines([header, first, *(row for _, row in sorted(moved))])
        self.stream = ["stream", f"--csv={self.path('in.csv')}", "--horizon=3", "--json", "--step=1h"]

    def test_client_killed_behind_a_slow_proxy_that_cuts_ends_with_the_same_bytes(self):
        whole = aaren(*self.stream, f"--target={self.server.target}", "--session=whole",
                      f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertIn(f"{self.DOUBLED} rows joined", whole.stderr)
        proxy = CuttingProxy(self.server.target, bytes_per_second=2e6)
        self.addCleanup(proxy.close)
        command = [*self.stream, f"--target={proxy.address}", "--session=broken", f"--output={self.path('broken.jsonl')}"]
        size = os.path.getsize(self.path("whole.jsonl"))
        for kill in range(1, self.KILLS + 1):
            process = start_aaren(*command)
            self.wait_for_bytes(size * (kill - 0.5) / (self.KILLS + 1), process)
            proxy.cut()
            self.wait_for_bytes(size * kill / (self.KILLS + 1), process)
            self.assertIsNone(process.poll(), f"it ended before kill {kill}")
            process.kill()
            process.communicate()
        last = aaren(*command)
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assertEqual(self.read("broken.jsonl"), self.read("whole.jsonl"))

    def wait_for_bytes(self, size, process):
        deadline = time.monotonic() + 30
        path = self.path("broken.jsonl")
        while process.poll() is None and not (os.path.exists(path) and os.path.getsize(path) >= size):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)


if __name__ == "__main__":
    unittest.main()
