"""Starts and stops the programs under test. The folder that holds them comes from AAREN_BIN."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

BIN = os.environ["AAREN_BIN"]
SANITIZED = os.environ.get("AAREN_SANITIZE", "") != ""  # then the programs take five times as long, and more memory
SAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")


def free_address():
    """Of a port that no connection of another program is given while the server is away: below the ephemeral ones."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return f"127.0.0.1:{port}"
            except OSError:
                continue


CRASHES = [-crash for crash in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)]


class Server:
    """A running aaren-server on free ports. `listen` fixes the port, for a server that comes back."""

    def __init__(self, *flags, listen=""):
        command = [os.path.join(BIN, "aaren-server"), f"--listen={listen or free_address()}", "--metrics_listen=127.0.0.1:0",
                   "--device=cpu", "--store=memory", *flags]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"ready listen=(\S+) metrics=(\S+)(?: admin=(\S+))?\n", line)
        if not match:
            self.process.wait(10)
            self.process.stdout.close()
            log = self.log()
            self.errors.close()
            raise RuntimeError(f"no ready line: {line!r} {log}")
        self.target, self.metrics_address, self.admin = match.groups()

    def log(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def metrics(self):
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics", timeout=10) as reply:
            return reply.read().decode()

    def metric(self, name):
        """The sum of a metric over all its labels."""
        total = 0.0
        for line in self.metrics().splitlines():
            if re.match(re.escape(name) + r"[ {]", line):
                total += float(line.split()[-1])
        return total

    def resident_kb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it the polite way; returns the exit status."""
        self.process.terminate()
        return self.process.wait(30)

    def close(self):
        status = self.process.poll()
        if status is None:
            self.kill()
        self.process.stdout.close()
        log = self.log() if status in CRASHES else ""
        self.errors.close()
        if status in CRASHES:
            raise AssertionError(f"the server has crashed with signal {-status}\n{log}")


class Redis:
    """A real redis-server on a free port, with its data in `folder`."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.folder = folder
        self.start()

    @staticmethod
    def installed():
        return shutil.which("redis-server") is not None

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save", "",
             "--appendonly", "yes", "--appendfsync", "always"], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self.command("PING").startswith("+PONG"):
            if time.monotonic() > deadline:
                raise RuntimeError("redis-server does not answer")
            time.sleep(0.01)

    def command(self, line):
        """The first bytes of its answer; empty if there is none."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(line.encode() + b"\r\n")
                return connection.recv(4096).decode(errors="replace")
        except OSError:
            return ""

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def delete_data(self):
        shutil.rmtree(os.path.join(self.folder, "appendonlydir"), ignore_errors=True)

    def close(self):
        if self.process.poll() is None:
            self.kill()


def fewer(count):
    """`count`, or a part of it if a sanitizer makes each take so long."""
    return count // 5 if SANITIZED else count


def aaren(*arguments, timeout=120, **options):
    """Runs the client to its end."""
    return subprocess.run([os.path.join(BIN, "aaren"), *arguments], capture_output=True, text=True, timeout=timeout,
                          stdin=options.pop("stdin", subprocess.DEVNULL), **options)


def start_aaren(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
    return subprocess.Popen([os.path.join(BIN, "aaren"), *arguments], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                            text=True)


def objects(text):
    """One JSON object a line."""
    return [json.loads(line) for line in text.splitlines()]


def write_series(path, rows, columns=("load", "temperature"), header=True):
    """A CSV of hourly seasonal series, the same for the same arguments."""
    import math
    from datetime import datetime, timedelta
    start = datetime(2024, 1, 1)
    with open(path, "w") as out:
        if header:
            out.write(",".join(("date", *columns)) + "\n")
        for i in range(rows):
            time = f"{start + timedelta(hours=i)}"
            values = [f"{10 * (c + 1) + 3 * math.sin(6.283185 * i / 24) + 0.5 * math.sin(i * i * 0.37 + c):.3f}"
                      for c in range(len(columns))]
            out.write(",".join((time, *values)) + "\n")


class ServerTest(unittest.TestCase):
    """A test case with a server of its own and an empty folder."""

    flags = ()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.server = self.start_server(*self.flags)

    def start_server(self, *flags, **options):
        server = Server(*flags, **options)
        self.addCleanup(server.close)
        return server

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()
