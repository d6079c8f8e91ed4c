"""A real Prometheus on a free port, with the rules of deploy/prometheus/, that scrapes servers every second."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error

import draw

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RULES = os.path.join(ROOT, "deploy", "prometheus")


def find(program):
    """prometheus or promtool: in PATH, or where deploy/setup --with-prometheus puts it. None if it is nowhere."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    unpacked = os.path.join(cache, "aaren", "prometheus", "usr", "bin", program)
    return shutil.which(program) or (unpacked if os.path.exists(unpacked) else None)


def require(program):
    """Its path. The test is skipped where it is absent, and fails if tests/run --with=prometheus asked for it."""
    path = find(program)
    if path is None and "prometheus" in os.environ.get("AAREN_REQUIRE", "").split(","):
        raise AssertionError(f"{program} is absent, though --with=prometheus was given")
    if path is None:
        raise unittest.SkipTest(f"{program} is not installed; deploy/setup --with-prometheus installs it")
    return path


class Prometheus:
    """Its settings are the sample's, but for the target and the intervals."""

    def __init__(self, *targets):
        program = require("prometheus")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.folder = tempfile.TemporaryDirectory()
        self.errors = tempfile.TemporaryFile(mode="w+")
        with open(os.path.join(RULES, "prometheus.yml")) as sample:
            settings = sample.read().replace('"127.0.0.1:7861"', json.dumps(targets)[1:-1]).replace("15s", "1s")
        settings = settings.replace("- recording.yml", f"- {RULES}/recording.yml")
        settings = settings.replace("- alerts.yml", f"- {RULES}/alerts.yml")
        config = os.path.join(self.folder.name, "prometheus.yml")
        with open(config, "w") as file:
            file.write(settings)
        self.process = subprocess.Popen(
            [program, f"--config.file={config}", f"--storage.tsdb.path={self.folder.name}/data",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=self.errors)
        self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.query("vector(1)")
            except (OSError, ValueError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.errors.seek(0)
                    raise RuntimeError(f"prometheus does not answer: {self.errors.read()}") from None
                time.sleep(0.1)

    def query(self, expr):
        """The values that are numbers. ValueError if the expression is wrong."""
        values = [float(series["value"][1]) for series in draw.ask(self.address, "query", query=expr)["result"]]
        return [value for value in values if value == value]

    def names(self):
        return set(draw.ask(self.address, "label/__name__/values"))

    def rules(self):
        return [rule for group in draw.ask(self.address, "rules")["groups"] for rule in group["rules"]]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()
        self.folder.cleanup()
