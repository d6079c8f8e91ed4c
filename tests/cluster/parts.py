"""Finds the programs of a Kubernetes, where deploy/setup --with-kubernetes puts them, and starts them.

A test that lacks one is skipped and says so, or fails where AAREN_REQUIRE names the part, as
`tests/run --with=kubernetes` does. Among all tests it runs only if it is asked for so: it takes minutes and root's rights.
"""

import glob
import os
import shutil
import subprocess
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "aaren")
PLACES = ("kubernetes-*/bin", "kubernetes-*/usr/bin", "kubernetes-*/usr/sbin", "kubernetes-*/usr/lib/cni", "helm-*/helm",
          "envoy-*/envoy/_bin")
PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl", "coredns",
            "etcd", "containerd", "ctr", "runc", "ptp", "helm", "envoy", "buildah", "debootstrap", "redis-server", "nft",
            "iptables", "gcc")


def place_of(name):
    """Where a program is; None if it is nowhere."""
    unpacked = [path for place in PLACES for path in sorted(glob.glob(os.path.join(CACHE, place, name)))]
    return unpacked[-1] if unpacked else shutil.which(name)


def program(name):
    return place_of(name) or require(name)


def is_required():
    return "kubernetes" in os.environ.get("AAREN_REQUIRE", "").split(",")


def require(lacking):
    """Skips the test that lacks something, or fails it where that was to be installed."""
    raise (AssertionError if is_required() else unittest.SkipTest)(
        f"{lacking} is missing: deploy/setup --with-kubernetes installs it")


def require_all():
    """All programs, and the rights to use them."""
    if "AAREN_AMONG_ALL" in os.environ and not is_required():
        raise unittest.SkipTest("it runs with tests/run --with=kubernetes, or by tests/cluster/run")
    for name in PROGRAMS:
        program(name)
    if os.geteuid() != 0:
        require("root")


def wait_until(holds, what, seconds=120):
    """Asks twice a second until `holds()` is true; returns what it gave."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{seconds} seconds passed, and still not: {what}")
        time.sleep(0.5)
    return found


class Programs:
    """Programs that run until they are closed, each with its log in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.running = {}

    def start(self, name, *command, **options):
        with open(os.path.join(self.folder, f"{name}.log"), "ab") as log:
            self.running[name] = subprocess.Popen([program(command[0]), *command[1:]], stdin=subprocess.DEVNULL, stdout=log,
                                                  stderr=log, **options)

    def assert_running(self):
        for name, process in self.running.items():
            if process.poll() is not None:
                raise AssertionError(f"{name} ended with {process.returncode}: {self.log(name)[-3000:]}")

    def log(self, name):
        with open(os.path.join(self.folder, f"{name}.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def close(self):
        for process in reversed(self.running.values()):
            process.kill()
            process.wait()


if __name__ == "__main__":
    try:
        require_all()
    except (AssertionError, unittest.SkipTest):
        raise SystemExit(1) from None
