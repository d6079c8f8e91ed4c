"""Sessions outlive streams: saved, moved, copied and gone on with, from the command line."""

import os
import subprocess
import time
import unittest

from peers import http2
from programs import BIN, ServerTest, aaren, objects, start_aaren, write_series

ROWS = 400


class SessionsTest(ServerTest):
    def setUp(self):
        super().setUp()
        write_series(self.path("all.csv"), ROWS)
        with open(self.path("all.csv")) as file:
            lines = file.readlines()
        with open(self.path("first_half.csv"), "w") as file:
            file.writelines(lines[: 1 + ROWS // 2])

    def stream(self, session, csv, server=None, **files):
        output = [f"--output={self.path(files['output'])}"] if files else []
        result = aaren("stream", f"--target={(server or self.server).target}", f"--csv={self.path(csv)}", f"--session={session}",
                       "--horizon=6", "--json", *output)
        self.assertEqual(result.returncode, 0, result.stderr)
        return objects(result.stdout)

    def sessions(self, *arguments, server=None):
        result = aaren("sessions", *arguments, f"--target={(server or self.server).target}", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_session_goes_on_where_its_last_stream_ended(self):
        whole = self.stream("whole", "all.csv")
        first = self.stream("parts", "first_half.csv")
        rest = self.stream("parts", "all.csv")
        self.assertEqual(first + rest, whole)

    def test_exported_session_goes_on_bit_for_bit_on_another_server(self):
        whole = self.stream("whole", "all.csv")
        self.stream("moving", "first_half.csv")
        self.sessions("export", "moving", f"--output={self.path('snapshot')}")
        other = self.start_server()
        self.sessions("import", "moved", f"--input={self.path('snapshot')}", server=other)
        self.assertEqual(self.stream("moved", "all.csv", server=other), whole[ROWS:])

    def test_moved_session_goes_on_there_and_is_gone_here(self):
        whole = self.stream("whole", "all.csv")
        self.stream("moving", "first_half.csv")
        other = self.start_server()
        moved = objects(self.sessions("move", "moving", f"--to={other.target}"))[0]
        self.assertEqual(moved["next_seq"], ROWS // 2)
        self.assertIn("NOT_FOUND", aaren("sessions", "get", "moving", f"--target={self.server.target}").stderr)
        self.assertEqual(self.stream("moving", "all.csv", server=other), whole[ROWS:])

    def test_session_that_nobody_named_ends_after_its_killed_client(self):
        server = self.start_server("--unnamed_ttl=3s")
        self.stream("named", "first_half.csv", server=server)
        clients = [start_aaren("stream", f"--target={server.target}", "--source=system", "--interval=100ms", "--json")
                   for _ in range(2)]
        deadline = time.monotonic() + 60
        drawn = []
        while len(drawn) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
            drawn = [each for each in objects(self.sessions("list", server=server)) if each["session_id"].startswith("stream-")]
        clients[0].kill()
        clients[0].communicate()
        left = drawn
        while len(left) > 1 and time.monotonic() < deadline:
            time.sleep(0.2)
            left = [each for each in objects(self.sessions("list", server=server)) if each["session_id"] != "named"]
        self.assertEqual((len(drawn), len(left)), (2, 1))
        self.assertTrue(left[0]["attached"])  # the other client still streams
        clients[1].kill()
        clients[1].communicate()
        self.assertIn('"named"', self.sessions("list", server=server))

    def test_session_is_not_moved_onto_another(self):
        other = self.start_server()
        self.stream("taken", "first_half.csv", server=other)
        self.stream("taken", "all.csv")
        result = aaren("sessions", "move", "taken", f"--target={self.server.target}", f"--to={other.target}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("ALREADY_EXISTS", result.stderr)
        self.assertEqual(objects(self.sessions("get", "taken"))[0]["next_seq"], ROWS)
        self.assertEqual(objects(self.sessions("get", "taken", server=other))[0]["next_seq"], ROWS // 2)

    def wait_for(self, session, what):
        deadline = time.monotonic() + 60
        while True:
            run = aaren("sessions", "get", session, f"--target={self.server.target}", "--json")
            if run.returncode == 0 and what(objects(run.stdout)[0]):
                return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_session_whose_client_lacks_forecasts_is_not_moved_away_from_them(self):
        client = http2.always_reading(self.server.target, "behind", 100, delivered_seq=0)
        self.wait_for("behind", lambda session: session["next_seq"] == 100)
        client.close()
        self.wait_for("behind", lambda session: not session["attached"])
        other = self.start_server()
        result = aaren("sessions", "move", "behind", f"--target={self.server.target}", f"--to={other.target}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has not had the forecasts of rows 0 .. 99", result.stderr)
        self.assertEqual(objects(self.sessions("get", "behind"))[0]["next_seq"], 100)

    def test_session_whose_client_has_all_its_forecasts_for_good_is_moved(self):
        self.stream("done", "first_half.csv", output="done.jsonl")
        other = self.start_server()
        self.assertEqual(objects(self.sessions("move", "done", f"--to={other.target}"))[0]["next_seq"], ROWS // 2)

    def test_fork_goes_on_like_its_origin_and_leaves_it_alone(self):
        whole = self.stream("whole", "all.csv")
        self.stream("origin", "first_half.csv")
        self.sessions("fork", "origin", "copy")
        self.assertEqual(self.stream("copy", "all.csv"), whole[ROWS:])
        self.assertEqual(objects(self.sessions("get", "origin"))[0]["next_seq"], ROWS // 2)

    def test_snapshot_is_a_few_kilobytes(self):
        self.stream("small", "all.csv")
        self.sessions("export", "small", f"--output={self.path('snapshot')}")
        self.assertLess(len(self.read("snapshot")), 2 * 8192 + 1024)  # two channels

    def test_snapshot_goes_through_a_link_and_into_a_device(self):
        self.stream("small", "all.csv")
        os.symlink(self.path("snapshot"), self.path("link"))
        open(self.path("snapshot"), "w").close()
        self.sessions("export", "small", f"--output={self.path('link')}")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertGreater(os.path.getsize(self.path("snapshot")), 0)
        full = aaren("sessions", "export", "small", f"--target={self.server.target}", "--output=/dev/full")
        self.assertEqual(full.returncode, 1)
        self.assertIn("cannot write /dev/full", full.stderr)
        self.assertTrue(os.path.exists("/dev/full") and not os.path.isfile("/dev/full"))

    def test_list_that_nobody_gets_is_a_failure(self):
        self.stream("a", "first_half.csv")
        with open("/dev/full", "w") as full:
            result = subprocess.run([os.path.join(BIN, "aaren"), "sessions", "list", f"--target={self.server.target}"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write to standard output: No space left on device", result.stderr)

    def test_deleted_session_is_gone(self):
        self.stream("gone", "first_half.csv")
        self.sessions("delete", "gone")
        result = aaren("sessions", "get", "gone", f"--target={self.server.target}")
        self.assertIn("NOT_FOUND", result.stderr)

    def test_list_shows_every_session(self):
        for name in ("a", "b", "c"):
            self.stream(name, "first_half.csv")
        text = self.sessions("list")
        for name in ("a", "b", "c"):
            self.assertIn(f'"{name}"', text)

    def test_models_lists_the_bundled_one(self):
        result = aaren("models", "list", f"--target={self.server.target}", "--json")
        self.assertIn("aaren-univariate", result.stdout)
        self.assertIn("aaren-events", result.stdout)

    def test_metrics_count_every_token(self):
        self.stream("counted", "all.csv")
        self.assertEqual(self.server.metric("aaren_tokens_total"), ROWS)


if __name__ == "__main__":
    unittest.main()
