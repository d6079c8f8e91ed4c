"""Sessions of events: streamed, evaluated, and the same bytes through kills."""

import json
import os
import queue
import re
import subprocess
import threading
import time
import unittest

from programs import SAMPLES, ServerTest, aaren, fewer, start_aaren

EVENTS = fewer(4000)
WIKIPEDIA = [f"--events={os.path.join(SAMPLES, 'wikipedia.csv')}", "--time_unit=1s"]


class EventsTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.server.close()
        self.server = self.start_server(*self.store())

    def store(self):
        return "--store=rocksdb", f"--data_dir={self.path('data')}"

    def aaren(self, command, *flags):
        result = aaren(command, f"--target={self.server.target}", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def write_events(self):
        """Clusters of events, with a mark that follows from the place in the cluster, and equal times."""
        with open(self.path("in.csv"), "w") as file:
            file.write("time,mark\n")
            now = 1_700_000_000.0
            for i in range(EVENTS):
                now += (0 if i % 11 == 0 else 0.25) if i % 8 else 600 + i % 7
                file.write(f"{now},step {i % 8}\n")

    def test_each_event_has_a_forecast_of_the_next(self):
        lines = [json.loads(line) for line in self.aaren("stream", *WIKIPEDIA, "--marks=3").splitlines()]
        with open(os.path.join(SAMPLES, "wikipedia.csv")) as file:
            self.assertEqual(len(lines), len(file.readlines()) - 1)
        last = lines[-1]
        times = list(last["next_seconds"].values())
        self.assertEqual(times, sorted(times))
        self.assertTrue(0 <= last["within"]["1m"] <= last["within"]["1h"] <= last["within"]["1d"] <= 1, last)
        self.assertEqual(len(last["marks"]), 3)
        self.assertTrue(any(mark["mark"] and mark["mark"].startswith("user ") for mark in last["marks"]), last)

    def test_rows_for_a_model_of_events_are_refused_by_name(self):
        result = aaren("stream", f"--target={self.server.target}", f"--csv={os.path.join(SAMPLES, 'weather.csv')}",
                       "--model=aaren-events")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"--events=FILE streams events; the model aaren-events:\d+ is one of events")

    def whole_record(self):
        self.write_events()
        self.stream = ["stream", f"--target={self.server.target}", f"--events={self.path('in.csv')}"]
        whole = aaren(*self.stream, "--session=whole", f"--output={self.path('whole.jsonl')}")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        return self.read("whole.jsonl")

    def begin_record(self):
        return start_aaren(*self.stream, "--session=cut", f"--output={self.path('cut.jsonl')}")

    def await_bytes(self, process, size):
        path = self.path("cut.jsonl")
        while process.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < size):
            time.sleep(0.001)
        return process.poll() is None

    def test_a_server_killed_in_the_middle_leaves_the_same_record(self):
        whole = self.whole_record()
        process = self.begin_record()
        kills = 0
        for part in range(1, 4):
            if self.await_bytes(process, len(whole) * part // 4):
                self.server.kill()
                self.server = self.start_server(*self.store(), listen=self.server.target)
                kills += 1
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(kills, 0)
        self.assertEqual(self.read("cut.jsonl"), whole)

    def test_a_client_killed_in_the_middle_goes_on_with_the_same_record(self):
        whole = self.whole_record()
        process = self.begin_record()
        self.await_bytes(process, len(whole) // 2)
        process.kill()
        process.communicate()
        again = self.begin_record()
        errors = again.communicate(timeout=120)[1]
        self.assertEqual(again.returncode, 0, errors)
        self.assertEqual(self.read("cut.jsonl"), whole)

    def start_silence(self, gap=0.1, end=None):
        """A live stream of forty events, `gap` seconds apart until `end` or now, which then falls silent."""
        flags = [f"--target={self.server.target}", "--events=-", "--session=silent", "--overdue=0.9"]
        process = start_aaren("stream", *flags, f"--output={self.path('out.jsonl')}", stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.words = queue.Queue()
        reader = threading.Thread(target=lambda: [self.words.put(line) for line in process.stderr])
        self.addCleanup(reader.join)
        self.addCleanup(process.kill)
        reader.start()
        end = end or time.time()
        process.stdin.write("time,mark\n" + "".join(f"{end - gap * (39 - i):.3f},tick\n" for i in range(40)))
        process.stdin.flush()
        return process

    def overdue_events(self, wait):
        """The events that the words of the next `wait` seconds call overdue."""
        events, end = [], time.monotonic() + wait
        while (left := end - time.monotonic()) > 0:
            try:
                word = re.search(r"event (\d+) is overdue", self.words.get(timeout=left))
            except queue.Empty:
                break
            if word:
                events.append(int(word.group(1)))
        return events

    def await_overdue(self):
        """The event that the next such word names."""
        while True:
            word = re.search(r"event (\d+) is overdue", self.words.get(timeout=60))
            if word:
                return int(word.group(1))

    def test_a_silence_is_told_once(self):
        self.start_silence()
        self.assertEqual(self.await_overdue(), 40)
        self.assertEqual(self.overdue_events(2), [])

    def test_a_new_event_begins_a_new_silence(self):
        process = self.start_silence()
        self.assertEqual(self.await_overdue(), 40)
        process.stdin.write(f"{time.time():.3f},tick\n")
        process.stdin.flush()
        self.assertEqual(self.await_overdue(), 41)
        self.assertEqual(self.overdue_events(2), [])

    def test_an_event_in_time_takes_the_word_back(self):
        process = self.start_silence()
        self.assertEqual(self.await_overdue(), 40)
        now = time.time()
        process.stdin.write("".join(f"{now + 100 * i:.3f},tick\n" for i in range(20)))
        process.stdin.flush()
        # The session has learned of longer intervals, of which two seconds are no part.
        self.assertEqual(self.overdue_events(2), [])

    def test_a_silence_goes_on_behind_a_new_server(self):
        self.start_silence(gap=2)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("out.jsonl")) or self.read("out.jsonl").count(b"\n") < 40:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.server.kill()
        self.server = self.start_server(*self.store(), listen=self.server.target)
        self.assertEqual(self.await_overdue(), 40)
        self.assertEqual(self.overdue_events(4), [])

    def test_a_resumed_stream_is_told_of_its_silence(self):
        end = time.time()
        process = self.start_silence(end=end)
        self.assertEqual(self.await_overdue(), 40)
        process.kill()
        process.wait()
        again = self.start_silence(end=end)  # the same events, which the session has
        self.assertEqual(self.await_overdue(), 40)
        self.assertEqual(self.overdue_events(1), [])
        self.assertIsNone(again.poll())

    def test_an_evaluation_has_the_model_beside_the_rules(self):
        report = self.path("report.html")
        lines = [json.loads(line) for line in
                 self.aaren("evaluate", *WIKIPEDIA, "--resolution=1s", "--json", f"--report={report}").splitlines()]
        times = {line["method"]: line for line in lines if line["score"] == "time"}
        marks = {line["method"]: line for line in lines if line["score"] == "mark"}
        self.assertIn("Hawkes, refitted", times)
        self.assertLess(times["model"]["binned_nll"], min(line["binned_nll"] for name, line in times.items() if name != "model"))
        self.assertLess(marks["model"]["nll"], min(line["nll"] for name, line in marks.items() if name != "model"))
        self.assertIn(b"<h2>Surprises</h2>", self.read("report.html"))


if __name__ == "__main__":
    unittest.main()
