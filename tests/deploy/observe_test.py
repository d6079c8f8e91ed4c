"""Dashboards, rules and alerts against a real server under load, through a real Prometheus."""

import hashlib
import os
import re
import subprocess
import tempfile
import time
import unittest
import urllib.request

import dashboards
import draw
import prometheus
from oracle_run import OracleRun
from programs import BIN, Server

INTERVAL = "20s"  # many scrapes, and short enough for the load below
ROWS = 20 * 8192  # fewer than the load's sessions: some are demoted all the time
PATIENCE = 120    # seconds; a server with a sanitizer answers slowly

# Metrics of ours and of the process, with the labels that are asked for. Recordings have colons in their names.
SELECTOR = re.compile(r"\b((?:[a-z_]+:)?(?:aaren|process)_[a-z_]+(?::\w+)?|up)\b(\{[^}]*\})?")


class DashboardFilesTest(unittest.TestCase):
    def test_are_what_the_program_writes(self):
        self.assertEqual(dashboards.stale(), [])

    def test_every_metric_is_of_the_chosen_release(self):
        for dashboard in dashboards.DASHBOARDS:
            for panel in dashboard.panels:
                for expr in panel.expressions().values():
                    for metric, labels in SELECTOR.findall(expr):
                        with self.subTest(f"{dashboard.name}: {panel.title}: {metric}"):
                            self.assertIn('job=~"$job",namespace=~"$namespace",service=~"$service",', labels)


class ObserveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        prometheus.require("prometheus")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        admin = os.path.join(folder.name, "admin")
        cls.server = Server("--store=rocksdb", f"--data_dir={folder.name}/store", f"--max_resident_bytes={ROWS}",
                            f"--admin_address=unix:{admin}")
        cls.addClassCleanup(cls.server.close)
        tenants = cls.start_server_with_tenants(folder.name)
        cls.addresses = [cls.server.metrics_address, tenants.metrics_address]
        cls.prometheus = prometheus.Prometheus(*cls.addresses)
        cls.addClassCleanup(cls.prometheus.close)
        oracle = OracleRun(cls.server.target, sessions=60, rate=300)
        cls.addClassCleanup(oracle.close)
        # One row at a time, each saved before it is answered.
        cls.stream(cls.server, "--durability=every_token", "--session=watched")
        subprocess.run([os.path.join(BIN, "aaren"), "debug", "watch", "default", "watched", f"--target=unix:{admin}"],
                       check=True, stdout=subprocess.DEVNULL)
        cls.wait_for_answers()

    @classmethod
    def start_server_with_tenants(cls, folder):
        """One caller streams. The messages are traced, though no collector takes the spans."""
        callers, token = os.path.join(folder, "callers"), os.path.join(folder, "token")
        with open(token, "w") as file:
            file.write("secret")
        with open(callers, "w") as file:
            file.write(f"acme stream sha256:{hashlib.sha256(b'secret').hexdigest()}\nacme limits sessions=100 stored_bytes=1000000000\n")
        server = Server(f"--callers={callers}", "--trace_endpoint=127.0.0.1:1", "--trace_sampling=1")
        cls.addClassCleanup(server.close)
        cls.stream(server, f"--token_file={token}")
        return server

    @classmethod
    def stream(cls, server, *flags):
        client = subprocess.Popen([os.path.join(BIN, "aaren"), "stream", f"--target={server.target}", "--source=system",
                                   "--interval=200ms", "--json", *flags],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        cls.addClassCleanup(lambda: (client.kill(), client.wait()))

    @classmethod
    def panels(cls):
        for dashboard in dashboards.DASHBOARDS:
            for panel in dashboard.panels:
                for legend, expr in panel.answerable(INTERVAL).items():
                    yield f"{dashboard.name}: {panel.title}: {legend}", expr

    @classmethod
    def wait_for_answers(cls):
        """Until all panels and recordings have one, or it has become clear that some never will."""
        deadline = time.monotonic() + PATIENCE
        wanted = [expr for _, expr in cls.panels()] + [rule["name"] for rule in cls.prometheus.rules()
                                                       if rule["type"] == "recording"]
        while wanted and time.monotonic() < deadline:
            wanted = [expr for expr in wanted if not cls.prometheus.query(expr)]
            time.sleep(0.5)

    def expressions(self):
        yield from self.panels()
        for rule in self.prometheus.rules():
            yield rule["name"], rule["query"]

    def test_promtool_finds_nothing_wrong_with_the_metrics_of_either_server(self):
        for address in self.addresses:
            with self.subTest(address), urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as reply:
                check = subprocess.run([prometheus.require("promtool"), "check", "metrics"], input=reply.read(),
                                       capture_output=True)
                self.assertEqual((check.returncode, check.stderr), (0, b""))

    def test_every_panel_has_an_answer(self):
        for name, expr in self.panels():
            with self.subTest(name):
                self.assertTrue(self.prometheus.query(expr), expr)

    def test_every_recording_has_a_value(self):
        for rule in self.prometheus.rules():
            if rule["type"] == "recording":
                with self.subTest(rule["name"]):
                    self.assertTrue(self.prometheus.query(rule["name"]))

    def test_every_rule_and_alert_is_evaluated_without_an_error(self):
        rules = self.prometheus.rules()
        self.assertGreater(len(rules), 20)
        for rule in rules:
            with self.subTest(rule["name"]):
                self.assertEqual(rule["health"], "ok", rule.get("lastError"))
                self.prometheus.query(rule["query"])

    def test_every_metric_and_label_that_is_asked_for_is_there(self):
        # Counters are there before anything has happened, so also those that an alert waits for.
        for name, expr in self.expressions():
            for metric, labels in SELECTOR.findall(expr):
                with self.subTest(f"{name}: {metric}{labels}"):
                    self.assertTrue(self.prometheus.query(f"count({metric}{labels})"))

    def test_every_label_that_is_grouped_by_is_there(self):
        for name, expr in self.panels():
            for label in re.findall(r"\bby \((?:le, )?(\w+)\)", expr):
                metric = SELECTOR.search(expr[expr.index("by ("):])
                with self.subTest(f"{name}: {label}"):
                    self.assertTrue(self.prometheus.query(f'count({metric[1]}{{{label}!=""}})'))

    def test_the_dashboards_can_be_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in draw.draw(self.prometheus.address, folder, minutes=1, interval=INTERVAL):
                with open(path, "rb") as picture:
                    self.assertEqual(picture.read(8), b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
