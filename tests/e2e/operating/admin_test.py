"""What an operator asks a running server by `aaren debug`, of real programs."""

import os
import time
import unittest
import urllib.request

from peers import http2
import programs
from programs import aaren, objects

# By sha256sum: "stream-token", "admin-token", "other-token".
CALLERS = """
ops stream sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b
ops admin sha256:10a4c7c9fc5206d6f36dc6944a81bb6f4a3cb0e25014ae3b12e6c3e52712292a
other admin sha256:6c67163bbed989f232b31acc4f04df54b31285bfc01bd022c735b71e041a4754
"""


class AdminTest(programs.ServerTest):
    flags = ("--admin_address=127.0.0.1:0", "--shards=2", "--grace=8s")

    def debug(self, *arguments, server=None):
        return aaren("debug", *arguments, f"--target={(server or self.server).admin}")

    def asked(self, *arguments):
        """What is told, an object a line."""
        reply = self.debug(*arguments, "--json")
        self.assertEqual(reply.returncode, 0, reply.stderr)
        return objects(reply.stdout)

    def start_stream(self, session="", rows=10):
        """One that has sent so many rows and waits for more; returns it once they are answered."""
        stream = programs.start_aaren("stream", "--csv=-", f"--target={self.server.target}", f"--session={session}",
                                      stdin=programs.subprocess.PIPE)
        for end in (stream.stderr.close, stream.stdin.close, stream.wait, stream.kill):
            self.addCleanup(end)
        stream.stdin.write("date,load\n" + "".join(f"2024-01-01 {hour:02d}:00:00,{hour}\n" for hour in range(rows)))
        stream.stdin.flush()
        return stream

    def start_profile(self):
        profile = programs.start_aaren("debug", "profile", "--seconds=30", f"--target={self.server.admin}")
        for end in (profile.stderr.close, profile.wait, profile.kill):
            self.addCleanup(end)
        return profile

    def until(self, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_settings_are_those_that_were_given_and_secrets_are_masked(self):
        server = self.start_server("--admin_address=127.0.0.1:0", "--redis=me:secret@host:1", "--save_interval=250ms")
        reply = self.debug("settings", "--json", server=server)
        settings = {line["name"]: line for line in objects(reply.stdout)}
        self.assertEqual(settings["save_interval"]["value"], "250ms")
        self.assertFalse(settings["save_interval"]["is_default"])
        self.assertTrue(settings["grace"]["is_default"])
        self.assertEqual(settings["redis"]["value"], "***@host:1")
        self.assertNotIn("secret@", reply.stdout + self.debug("settings", server=server).stdout)
        self.assertIn("* save_interval            250ms\n", self.debug("settings", server=server).stdout)

    def test_a_stream_is_seen_while_it_runs(self):
        self.assertEqual(self.asked("streams"), [])
        stream = self.start_stream("a")
        self.until(lambda: [line["sessions"] for line in self.asked("streams")] == [1])
        line = self.asked("streams")[0]
        self.assertEqual((line["tenant"], line["role"], line["reading"]), ("default", "admin", True))
        self.assertRegex(line["peer"], r"127\.0\.0\.1:\d+")
        self.assertIn(line["peer"], self.debug("streams").stdout)
        stream.kill()
        self.until(lambda: self.asked("streams") == [])

    def watched_metrics(self):
        """What the metrics tell of watched sessions: the text of their series."""
        with urllib.request.urlopen(f"http://{self.server.metrics_address}/metrics", timeout=60) as reply:
            return "".join(line.decode() for line in reply if line.startswith(b"aaren_watched"))

    def test_the_metrics_tell_of_a_session_while_it_is_watched(self):
        self.start_stream("a")
        self.start_stream("b")
        self.until(lambda: [line["next_seq"] for line in self.asked("sessions", "default")] == [10, 10])
        self.assertEqual(self.watched_metrics(), "")
        watched = self.asked("watch", "default", "a", "--for=90m")
        self.assertEqual([(line["session_id"], line["tokens"]) for line in watched], [("a", 0)])
        self.assertLessEqual(watched[0]["left_ms"], 90 * 60 * 1000)
        stream = self.start_stream("c", rows=12)
        self.asked("watch", "default", "c")
        stream.stdin.write("2024-01-02 01:00:00,5\n2024-01-02 02:00:00,6\n")
        stream.stdin.flush()
        self.until(lambda: 'aaren_watched_value{tenant="default",session="c",channel="0"} 6\n' in self.watched_metrics())
        self.assertIn('aaren_watched_forecast{tenant="default",session="c",channel="0",level="middle"} ',
                      self.watched_metrics())
        self.assertIn('aaren_watched_tokens_total{tenant="default",session="a"} 0\n', self.watched_metrics())
        self.assertNotIn('session="b"', self.watched_metrics())
        self.asked("unwatch", "default", "c")
        self.assertNotIn('session="c"', self.watched_metrics())

    def test_a_session_is_not_watched_for_longer_than_a_day(self):
        reply = self.debug("watch", "default", "a", "--for=25h")
        self.assertEqual(reply.returncode, 2)
        self.assertIn("--for=25h is not within 1s .. 24h", reply.stderr)

    def test_a_tenants_sessions_are_listed(self):
        self.start_stream("a", rows=7)
        self.until(lambda: [line["next_seq"] for line in self.asked("sessions", "default")] == [7])
        line = self.asked("sessions", "default")[0]
        self.assertEqual((line["session_id"], line["state"], line["state_bytes"]), ("a", "attached", 8192))
        self.assertIn("a ", self.debug("sessions", "default").stdout)
        self.assertEqual(self.asked("sessions", "other"), [])

    def test_shards_add_up_to_what_there_is(self):
        for session in "abc":
            self.start_stream(session)
        self.until(lambda: sum(line["sessions_attached"] for line in self.asked("shards")) == 3)
        shards = self.asked("shards")
        self.assertEqual([line["shard"] for line in shards], [0, 1])
        self.assertEqual(sum(rows["used"] for line in shards for rows in line["rows"]), 3)
        self.assertIn("aaren-univariate:1", self.debug("shards").stdout)

    @unittest.skipIf(os.environ.get("AAREN_SANITIZE") == "thread", "the sanitizer hands signals on when a thread is elsewhere")
    def test_a_profile_names_what_the_server_computes(self):
        load = programs.start_aaren("load", f"--target={self.server.target}", "--sessions=50", "--duration=60s")
        for end in (load.stderr.close, load.wait, load.kill):
            self.addCleanup(end)
        self.until(lambda: sum(line["slice_tokens"] for line in self.asked("shards")) > 0)
        folded = self.debug("profile", "--seconds=2", "--folded")
        self.assertEqual(folded.returncode, 0, folded.stderr)
        self.assertRegex(folded.stdout, r"(?m)^shard-\d;.*aaren::rpc::ShardLoop::Run.*aaren::engine::.* \d+$")
        self.assertIn("aaren::engine::", self.debug("profile", "--seconds=1").stdout)

    def test_the_public_address_is_none_of_this(self):
        reply = aaren("debug", "shards", f"--target={self.server.target}")
        self.assertEqual(reply.returncode, 1)
        self.assertIn(f"{self.server.target} is no admin address", reply.stderr)

    def test_a_server_without_an_admin_address_says_none(self):
        self.assertIsNone(self.start_server().admin)

    def test_bad_questions_are_named(self):
        self.assertIn("--seconds=31 is not within 1 .. 30", self.debug("profile", "--seconds=31").stderr)
        self.assertIn("'a/b' cannot be a tenant's name", self.debug("sessions", "a/b").stderr)
        self.assertEqual(self.debug("sessions").returncode, 2)
        nobody = aaren("debug", "shards", "--target=127.0.0.1:1", "--timeout=5s")
        self.assertIn("debug shards at 127.0.0.1:1", nobody.stderr)

    def test_an_operator_sees_all_tenants_and_nobody_else_does(self):
        with open(self.path("callers"), "w") as file:
            file.write(CALLERS)
        self.server = self.start_server("--admin_address=127.0.0.1:0", f"--callers={self.path('callers')}", "--admin_tenant=ops")
        programs.write_series(self.path("rows.csv"), 5, columns=("load",))

        def run(token, *arguments, target=self.server.admin):
            with open(self.path("token"), "w") as file:
                file.write(token)
            return aaren(*arguments, f"--target={target}", f"--token_file={self.path('token')}")

        streamed = run("other-token", "stream", f"--csv={self.path('rows.csv')}", "--session=theirs", target=self.server.target)
        self.assertEqual(streamed.returncode, 0, streamed.stderr)
        seen = run("admin-token", "debug", "sessions", "other", "--json")
        self.assertEqual([line["session_id"] for line in objects(seen.stdout)], ["theirs"])
        self.assertEqual(run("admin-token", "debug", "sessions", "ops", "--json").stdout, "")
        for token, said in (("stream-token", "needs the role admin"), ("other-token", "for admins of the tenant ops"),
                            ("banana", "UNAUTHENTICATED")):
            self.assertIn(said, run(token, "debug", "shards").stderr)

    def test_a_unix_socket_serves_as_well(self):
        self.server = self.start_server(f"--admin_address=unix:{self.path('admin')}")
        self.assertGreater(len(self.asked("shards")), 0)

    def test_a_server_that_is_asked_leaves_in_good_order(self):
        profile = self.start_profile()
        while "another profile" not in self.debug("profile", "--seconds=1").stderr:
            if profile.poll() is not None:  # it came while that one was taken
                profile = self.start_profile()
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(profile.wait(30), 1)
        self.assertIn("shutting down", profile.stderr.read())

    def test_an_operator_and_a_client_who_take_nothing_do_not_keep_the_server_from_saving(self):
        connection = http2.never_taking_acks(self.server.admin, asking=http2.frame(http2.SETTINGS, 0, 0))
        self.addCleanup(connection.close)
        client = http2.never_taking(self.server.target, "s", 15000)
        self.addCleanup(client.close)
        self.until(lambda: self.server.metric("aaren_tokens_total") > 0)
        self.assertEqual(self.server.stop(), 0, self.server.log())
        self.assertIn("shut down\n", self.server.log())


if __name__ == "__main__":
    unittest.main()
