"""Traces of aaren-server at a collector: what they tell of each message, and what a collector that fails costs."""

import re
import subprocess
import tempfile
import time
import unittest

from peers import collector, http2, otlp
from programs import ServerTest, aaren, objects, write_series

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def by_trace(spans):
    traces = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    return traces


def messages(spans):
    return [span for span in spans if span.name == "message"]


class CollectorTest(ServerTest):
    """A server all of whose messages are traced, and its collector."""

    silent = False

    def setUp(self):
        self.collector = otlp.Collector(self.silent)
        self.addCleanup(self.collector.close)
        self.flags = (f"--trace_endpoint={self.collector.address}", "--trace_sampling=1", "--save_interval=10ms")
        super().setUp()
        write_series(self.path("rows.csv"), 1000)

    def stream(self, *flags):
        run = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('rows.csv')}", "--session=a", *flags)
        self.assertEqual(run.returncode, 0, run.stderr)
        return objects(run.stdout)

    def traced_tokens(self, spans):
        return sum(span.attributes["aaren.tokens"] for span in messages(spans))


class TracesTest(CollectorTest):
    def setUp(self):
        super().setUp()
        self.stream("--columns=load", f"--metadata=traceparent:{PARENT}")
        self.spans = self.collector.wait(self.complete)

    def complete(self, spans):
        """A trace ends with the write, which may come in the batch behind that of its message."""
        names = [span.name for span in spans]
        return (self.traced_tokens(spans) >= 1000 and names.count("write") >= names.count("message") and "store" in names)

    def test_every_message_has_a_span_for_each_part_of_its_life(self):
        for trace in by_trace(self.spans).values():
            names = {span.name for span in trace}
            self.assertLessEqual({"message", "read", "queue", "step", "write"}, names)
            self.assertLessEqual(names, {"message", "read", "queue", "step", "write", "store"})
            self.assertEqual(len(messages(trace)), 1)

    def test_every_token_is_in_one_message_and_one_step(self):
        self.assertEqual(self.traced_tokens(self.spans), 1000)
        steps = [span for span in self.spans if span.name == "step"]
        self.assertEqual(sum(span.attributes["aaren.tokens"] for span in steps), 1000)
        for step in steps:
            self.assertGreaterEqual(step.attributes["aaren.batch_tokens"], step.attributes["aaren.tokens"])
            self.assertEqual(step.attributes["aaren.model"], "aaren-univariate:1")

    def test_children_lie_within_their_message_one_after_another(self):
        for trace in by_trace(self.spans).values():
            root, = messages(trace)
            self.assertEqual(root.parent, "")
            parts = [span for span in trace if span.name in ("read", "queue", "step", "write")]
            for before, after in zip(parts, parts[1:]):
                self.assertLessEqual(before.end, after.begin)
            for part in parts:
                self.assertEqual(part.parent, root.id)
                self.assertLessEqual(part.begin, part.end)
                self.assertTrue(root.begin <= part.begin and part.end <= root.end, part.name)

    def test_times_are_those_of_the_wall_clock(self):
        for span in self.spans:
            self.assertLess(abs(span.begin - time.time_ns()), 300e9)

    def test_a_save_belongs_to_a_message_and_links_others(self):
        roots = {(span.trace, span.id) for span in messages(self.spans)}
        for store in (span for span in self.spans if span.name == "store"):
            self.assertIn((store.trace, store.parent), roots)
            self.assertLessEqual(set(store.links), roots)

    def test_every_message_links_the_clients_trace(self):
        for root in messages(self.spans):
            self.assertEqual(root.links, [tuple(PARENT.split("-")[1:3])])

    def test_says_which_server_it_was(self):
        self.assertEqual(self.collector.resource["service.name"], "aaren-server")
        port = self.server.target.rsplit(":", 1)[1]
        self.assertTrue(self.collector.resource["service.instance.id"].endswith(f":{port}"))
        self.assertIn("service.version", self.collector.resource)

    def test_no_span_tells_a_value_or_the_id_of_a_session(self):
        for span in self.spans:
            self.assertLessEqual(set(span.attributes), {
                "rpc.system", "rpc.service", "rpc.method", "aaren.shard", "aaren.message_bytes", "aaren.items",
                "aaren.sessions", "aaren.tokens", "aaren.steps", "aaren.tenant", "aaren.model", "aaren.batch_tokens",
                "aaren.seq"})


class ShutdownTest(CollectorTest):
    def test_a_server_that_leaves_sends_what_it_has(self):
        self.stream()
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(self.traced_tokens(self.collector.wait(lambda spans: self.traced_tokens(spans) >= 1000)), 1000)


class PoolTest(CollectorTest):
    """One shard traces 256 messages at once."""

    def setUp(self):
        super().setUp()
        self.server = self.start_server(*self.flags, "--shards=1")

    def test_streams_that_vanish_leave_room_for_others(self):
        gone = [http2.never_reading(self.server.target, f"s{i}", 4096) for i in range(300)]
        self.until(lambda: self.server.metric("aaren_messages_total") >= 300 and self.outcome("skipped") > 0)
        for connection in gone:
            connection.close()
        self.until(lambda: self.server.metric("aaren_streams") == 0)
        skipped = self.outcome("skipped")
        self.stream()
        self.assertEqual(self.outcome("skipped"), skipped)

    def outcome(self, name):
        return int(re.search(f'aaren_traces_total{{outcome="{name}"}} (\\d+)', self.server.metrics()).group(1))

    def until(self, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)


class SilentCollectorTest(CollectorTest):
    silent = True

    def test_clients_do_not_notice_and_the_server_leaves_in_time(self):
        self.assertEqual(len(self.stream()), 2000)
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 20)  # the grace period

    def test_what_it_does_not_take_is_counted_in_the_end(self):
        self.stream()
        deadline = time.monotonic() + 60
        while self.server.metric('aaren_trace_spans_total{outcome="dropped"}') == 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertIn('aaren_trace_spans_total{outcome="sent"} 0\n', self.server.metrics())
        self.assertNotIn('aaren_trace_spans_total{outcome="dropped"} 0\n', self.server.metrics())


class AbsentCollectorTest(CollectorTest):
    def setUp(self):
        super().setUp()
        self.collector.close()

    def test_clients_do_not_notice_and_the_log_says_so_once(self):
        self.assertEqual(len(self.stream()), 2000)
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(self.server.log().count("the collector does not take them"), 1)


class RealCollectorTest(ServerTest):
    """The OpenTelemetry project's own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.collector = collector.RealCollector(folder.name)
        self.addCleanup(self.collector.close)
        self.flags = (f"--trace_endpoint={self.collector.address}", "--trace_sampling=1", "--save_interval=10ms")
        super().setUp()

    def test_has_every_span_as_it_was_sent(self):
        write_series(self.path("rows.csv"), 1000)
        run = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('rows.csv')}", "--columns=load")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.server.stop()  # it sends what it has
        self.collector.wait(": write\n")
        spans = self.collector.spans()
        self.assertEqual({span["Name"] for span in spans}, {"message", "read", "queue", "step", "write", "store"})
        self.assertEqual(sum(int(span["aaren.tokens"]) for span in messages_of(spans)), 1000)
        parents = {span["ID"] for span in messages_of(spans)}
        self.assertTrue(all(span["Parent ID"] in parents for span in spans if span["Name"] != "message"), spans)
        self.assertIn("-> service.name: Str(aaren-server)", self.collector.text())


def messages_of(spans):
    return [span for span in spans if span["Name"] == "message"]


class TlsTest(ServerTest):
    """Collectors that show a certificate for 127.0.0.1, signed by its own key."""

    def setUp(self):
        super().setUp()
        for name in ("ours", "others"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                            "-days", "2", "-subj", "/CN=collector", "-addext", "subjectAltName=IP:127.0.0.1",
                            "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.pem")],
                           check=True, capture_output=True)
        self.collector = otlp.Collector(tls=(self.path("ours.pem"), self.path("ours.key")))
        self.addCleanup(self.collector.close)
        write_series(self.path("rows.csv"), 20)

    def traced(self, authority):
        """The server's log, after it has sent its spans to whom the authority vouches for."""
        server = self.start_server(f"--trace_endpoint={self.collector.address}", "--trace_sampling=1",
                                   f"--trace_ca={self.path(authority)}")
        run = aaren("stream", f"--target={server.target}", f"--csv={self.path('rows.csv')}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(server.stop(), 0)
        return server.log()

    def test_a_collector_whose_certificate_is_trusted_gets_the_spans(self):
        self.traced("ours.pem")
        self.assertTrue(messages(self.collector.wait(messages)))

    def test_any_other_gets_nothing(self):
        self.assertIn("the collector does not take them", self.traced("others.pem"))
        self.assertEqual(self.collector.spans, [])


if __name__ == "__main__":
    unittest.main()
