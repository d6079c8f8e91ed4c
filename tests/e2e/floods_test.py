"""Floods of a stranger, without an edge in front: others are served within the memory, and lose no connection."""

import concurrent.futures
import subprocess
import tempfile
import time
import unittest

from peers import floods, http2, tls
import programs

SECONDS = 3


class FloodTest(programs.ServerTest):
    memory = (1024 if programs.SANITIZED else 256) << 20
    flags = (f"--memory={memory}", "--shards=1")
    neighbour = ()

    def beside_a_neighbour(self, flood, bound=4, seconds=SECONDS):
        """A neighbour loses nothing meanwhile, and memory stays within its bound until the neighbour is done. Returns the
        server's log.

        How far memory goes beyond --memory in a flood of frames is what comes between two looks of the server."""
        load = programs.start_aaren("load", f"--target={self.server.target}", *self.neighbour, "--sessions=20",
                                    "--rate=200", f"--duration={seconds + 1}s", "--json", stdout=subprocess.PIPE)
        end = time.monotonic() + seconds
        most = 0
        with concurrent.futures.ThreadPoolExecutor() as strangers:
            flooding = strangers.submit(flood, end)
            while not flooding.done() or load.poll() is None and time.monotonic() < end + 60:
                most = max(most, self.server.resident_kb() << 10)
                time.sleep(0.02)
        flooding.result()
        out, err = load.communicate(timeout=1)
        self.assertEqual(load.returncode, 0, err)
        self.assertEqual(programs.objects(out)[-1]["errors"], 0)
        log = self.server.log()
        self.assertNotIn("peer=127.0.0.1:", log)
        if not programs.SANITIZED:
            self.assertLess(most, bound * self.memory)
        return log

    def connect(self):
        return floods.connect(self.server.target)

    def flood(self, kind, bound=4, seconds=SECONDS):
        return self.beside_a_neighbour(lambda end: floods.send(self.connect, floods.TABLE[kind], end), bound, seconds)

    def assert_ended(self, kind):
        """A busy machine makes a flood slow: a flood that is not noticed in its time gets more time."""
        logs = (self.flood(kind, bound=2, seconds=seconds) for seconds in (SECONDS, 4 * SECONDS, 12 * SECONDS))
        self.assertTrue(any(programs.SANITIZED or "connection ended" in log for log in logs))

    def test_streams_that_are_reset_at_once(self):
        self.flood("resets")

    def test_calls_without_end(self):
        self.assert_ended("calls")

    def test_headers_that_never_end(self):
        self.assert_ended("headers")

    def test_calls_of_methods_that_do_not_exist(self):
        self.flood("no-method")

    # Within every limit of HTTP/2: a proxy would send as much for its clients.
    def test_two_thousand_calls_a_second_of_a_method_that_does_not_exist_end_nothing(self):
        self.assertNotIn("connection ended", self.flood("slow-no-method"))

    def test_messages_that_are_never_whole(self):
        self.flood("never-whole")

    def test_frames_of_unknown_kinds(self):
        self.flood("unknown-frames")

    def test_probes_of_megabytes_of_unknown_fields(self):
        self.flood("probes", bound=1.2)

    def test_messages_of_megabytes_of_unknown_fields(self):
        self.flood("unknown-fields", bound=1.2)

    def test_messages_of_megabytes_of_one_field_that_repeats(self):
        self.flood("repeated-field", bound=1.2)


class TlsFloodTest(FloodTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate, key = tls.make_certificate(folder.name)
        self.flags = (*FloodTest.flags, f"--tls_cert={certificate}", f"--tls_key={key}")
        self.neighbour = (f"--tls_ca={certificate}",)
        super().setUp()

    def connect(self):
        return tls.idle(self.server.target, floods.STRANGER)

    # Each would cost the server a signature, if it came to that.
    def test_the_same_hello_again_and_again(self):
        hello, hellos = tls.client_hello(), []

        def flood(end):
            while time.monotonic() < end:
                with http2.connect(self.server.target, floods.STRANGER) as connection:
                    connection.sendall(hello)
                    hellos.append(hello)

        self.beside_a_neighbour(flood)
        self.assertGreater(len(hellos), programs.fewer(100))

    def test_hellos_that_never_end(self):
        hello = tls.client_hello()
        for i in range(500):
            connection = http2.connect(self.server.target, floods.STRANGER)
            self.addCleanup(connection.close)
            connection.sendall(hello[:i % len(hello)])
        self.beside_a_neighbour(lambda end: None)


if __name__ == "__main__":
    unittest.main()
