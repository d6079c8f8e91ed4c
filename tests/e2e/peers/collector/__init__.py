"""A real OpenTelemetry Collector on a free port, and the spans that it prints."""

import os
import re
import shutil
import socket
import subprocess
import time

from .. import parts

CONFIG = """\
receivers: {otlp: {protocols: {grpc: {endpoint: "%s"}}}}
exporters: {debug: {verbosity: detailed}}
service:
  pipelines: {traces: {receivers: [otlp], exporters: [debug]}}
  telemetry: {metrics: {level: none}}
"""


def find():
    """The program: AAREN_COLLECTOR, in PATH, or where deploy/setup --with-collector puts it."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    built = os.path.join(cache, "aaren", "collector-0.149.0", "bin", "otelcol")
    found = os.environ.get("AAREN_COLLECTOR") or shutil.which("otelcol") or (built if os.path.exists(built) else None)
    return parts.require(found, "otelcol", "collector")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RealCollector:
    def __init__(self, folder):
        program = find()
        self.address = f"127.0.0.1:{free_port()}"
        config, self.log = os.path.join(folder, "collector.yaml"), os.path.join(folder, "collector.log")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG % self.address)
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([program, f"--config={config}"], stdout=log, stderr=log)
        self.wait("Everything is ready")

    def text(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def wait(self, word, seconds=30):
        deadline = time.monotonic() + seconds
        while word not in self.text():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"the collector did not say {word!r}:\n{self.text()[-2000:]}")
            time.sleep(0.05)

    def spans(self):
        """Of each span its lines 'NAME : TEXT' as a dictionary, and those of its attributes, '-> NAME: TEXT'."""
        spans = []
        for block in re.split(r"^Span #\d+$", self.text(), flags=re.MULTILINE)[1:]:
            fields = dict(re.findall(r"^    ([A-Z][\w ]*?) *: (.*)$", block, flags=re.MULTILINE))
            fields.update(re.findall(r"^     -> ([\w.]+): \w+\((.*)\)$", block, flags=re.MULTILINE))
            spans.append(fields)
        return spans

    def close(self):
        self.process.terminate()
        self.process.wait()
