"""A real Envoy with the configuration that deploy/docker ships, or that the chart renders, before servers on ports of
this machine.

AAREN_ENVOY_CONFIG names another configuration, to compare an older one.
"""

import itertools
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

from . import parts

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CONFIG = os.environ.get("AAREN_ENVOY_CONFIG") or os.path.join(ROOT, "deploy", "docker", "envoy.yaml")


def find():
    """The program: AAREN_ENVOY, in PATH, or where deploy/setup --with-envoy puts it. None if it is nowhere."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    unpacked = os.path.join(cache, "aaren", "envoy-1.40.0", "envoy", "_bin", "envoy")
    return os.environ.get("AAREN_ENVOY") or shutil.which("envoy") or (unpacked if os.path.exists(unpacked) else None)


def require():
    """The program. A test without Envoy is skipped, or fails where Envoy was to be installed."""
    return parts.require(find(), "Envoy", "envoy")


def free_ports(count):
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def delivered():
    with open(CONFIG, encoding="utf-8") as file:
        return file.read()


def configuration(text, streams, stats, admin, servers):
    """The text with ports of this machine, and servers' addresses in place of the names in compose.yaml or the cluster."""
    addresses = itertools.cycle(server.rsplit(":", 1) for server in servers)
    text = re.sub(r"address: [a-z-]+-\d[\w.-]*, port_value: 7860",
                  lambda _: "address: {}, port_value: {}".format(*next(addresses)), text)
    for port, ours in ((7860, streams), (9902, stats)):
        text = text.replace(f'"0.0.0.0", port_value: {port}', f"127.0.0.1, port_value: {ours}")
    return text.replace("port_value: 9901", f"port_value: {admin}")


class Envoy:
    """`changes` are pairs: a text of the configuration, and the text in its place."""

    def __init__(self, servers, *changes, text=None):
        streams, self.stats_port, admin = free_ports(3)
        self.address = f"127.0.0.1:{streams}"
        text = configuration(text or delivered(), streams, self.stats_port, admin, servers)
        for before, after in changes:
            assert before in text, before
            text = text.replace(before, after)
        self.config = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        self.config.write(text)
        self.config.flush()
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [require(), "--config-path", self.config.name, "--use-dynamic-base-id", "--concurrency", "1",
             "--log-level", "warning"], stdout=self.errors, stderr=self.errors)
        self.wait_until_it_is_ready()

    def wait_until_it_is_ready(self):
        deadline = time.monotonic() + 30
        while not self.healthy_servers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"envoy is not ready: {self.log()}")
            time.sleep(0.02)

    def healthy_servers(self):
        try:
            return self.stat('envoy_cluster_membership_healthy{envoy_cluster_name="servers"}')
        except OSError:
            return 0

    def stat(self, name):
        """The value of a metric; 0 if Envoy has no metric of the name."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.stats_port}/stats/prometheus", timeout=10) as reply:
            for line in reply.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[-1])
        return 0

    def log(self):
        self.errors.seek(0)
        return self.errors.read()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.config.close()
        self.errors.close()
