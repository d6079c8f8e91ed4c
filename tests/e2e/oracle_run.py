"""Runs aaren-oracle beside what a test does to the servers, the network or the oracle itself."""

import json
import os
import subprocess
import tempfile
import time
import unittest

from programs import BIN, SANITIZED, ServerTest

LONG = os.environ.get("AAREN_LONG", "") != ""  # tests/run --long
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                       "model", "bundled", "aaren-univariate")


def times(short, long):
    """How often a test does what it does."""
    return long if LONG else short


class OracleRun:
    """An oracle at `addresses`. With a journal it may be killed and started again, and goes on where it was."""

    def __init__(self, *addresses, sessions=40, rate=400, seed=1, streams=4, journal=None, patience=60):
        target = addresses[0] if len(addresses) == 1 else "ipv4:" + ",".join(addresses)
        if SANITIZED:
            rate /= 5
        self.command = [os.path.join(BIN, "aaren-oracle"), f"--target={target}", f"--package={PACKAGE}",
                        f"--sessions={sessions}", f"--rate={rate}", f"--seed={seed}", f"--streams={streams}",
                        f"--patience={patience}", *([f"--journal={journal}"] if journal else [])]
        self.journal = journal
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def delivered(self):
        """Forecasts in its journal."""
        return os.path.getsize(self.journal) // 8 if os.path.exists(self.journal) else 0

    def ended(self):
        return self.process.poll() is not None

    def account(self):
        self.errors.seek(0)
        return self.errors.read()

    def finish(self):
        """Lets it end; returns the exit status and its figures."""
        self.process.terminate()
        return self.wait()

    def wait(self):
        line = self.process.communicate(timeout=180)[0]
        return self.process.returncode, json.loads(line) if line else {}

    def close(self):
        if not self.ended():
            self.kill()
        self.process.stdout.close()
        self.errors.close()


class OracleTest(ServerTest):
    """A test case whose oracles have to keep finding every promise kept."""

    def start_oracle(self, *addresses, **options):
        oracle = OracleRun(*addresses, **options)
        self.addCleanup(oracle.close)
        return oracle

    def assert_goes_on(self, oracle):
        if oracle.ended():
            self.fail(f"the oracle ended with {oracle.process.returncode}: {oracle.account()}")

    def wait_for_forecasts(self, oracle):
        """Until its journal has more than it has now."""
        before = oracle.delivered()
        deadline = time.monotonic() + 60
        while oracle.delivered() == before:
            self.assert_goes_on(oracle)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def assert_kept(self, oracle):
        """Every promise was kept. Returns the figures, and prints them."""
        status, figures = oracle.finish()
        self.assertEqual(status, 0, oracle.account())
        self.assertGreater(figures["forecasts"], 0)
        if oracle.journal:
            figures["forecasts_of_all_lives"] = oracle.delivered()
        print(f"{self.id().rsplit('.', 1)[-1]}: {json.dumps(figures)}", flush=True)
        return figures
