"""The chart on a real Kubernetes: whatever is done to its pods, no forecast is lost, repeated or different."""

import glob
import json
import os
import socket
import subprocess
import time
import unittest

from cluster import Cluster
from control_plane import ADDRESS
from oracle_run import OracleRun
from parts import require_all, wait_until
from programs import BIN

USER = 65532  # of the image


def listens(host, port):
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require_all()
        cls.folder = os.environ["AAREN_CLUSTER"]
        cls.cluster = Cluster(cls.folder, glob.glob(os.path.join(cls.folder, "images", "*.tar")))
        cls.addClassCleanup(cls.cluster.close)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start_redis(self):
        os.makedirs(self.path("redis"))
        self.cluster.programs.start("redis", "redis-server", "--bind", ADDRESS, "--protected-mode", "no", "--dir",
                                    self.path("redis"), "--appendonly", "yes")
        wait_until(lambda: listens(ADDRESS, 6379), "Redis listens", 10)

    def start_oracle(self, address):
        """Its journal makes it one oracle with the same sessions, however often it starts."""
        oracle = OracleRun(address, sessions=40, rate=200, journal=self.path("journal"))
        self.addCleanup(oracle.close)
        return oracle

    def wait_for_forecasts(self, oracle, what):
        before, deadline = oracle.delivered(), time.monotonic() + 60
        while oracle.delivered() <= before:
            self.assertFalse(oracle.ended(), f"{what}: {oracle.account()}\n{self.cluster.troubles()}")
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)

    def keeps_all(self, what, act):
        """Acts while the oracle's sessions stream: no forecast is missing, comes twice or differs."""
        oracle = self.start_oracle(self.cluster.address_of("live-aaren"))
        self.wait_for_forecasts(oracle, what)
        act()
        time.sleep(5)
        self.wait_for_forecasts(oracle, what)
        status, figures = oracle.finish()
        self.assertEqual(status, 0, f"{what}: {oracle.account()}\n{self.cluster.troubles()}")
        print(f"{what}: {json.dumps(figures)}", flush=True)

    def test_fleet_loses_nothing_when_pods_are_killed_rolled_scaled_and_drained(self):
        self.start_redis()
        fleet = ("store.kind=redis", f"redis.addresses={{{ADDRESS}:6379}}", "envoy.enabled=true")
        self.cluster.install("live", *fleet, "replicas=2")
        self.assertIn("Succeeded", self.cluster.helm("test", "live"))
        servers = "statefulset/live-aaren"

        def kill_a_server():
            self.cluster.kubectl("delete", "pod", "live-aaren-0", "--grace-period=0", "--force")
            self.cluster.wait_for(servers)

        def roll_out(what):
            self.cluster.kubectl("rollout", "restart", what)
            self.cluster.wait_for(what)

        def scale(replicas):
            self.cluster.install("live", *fleet, f"replicas={replicas}")
            wait_until(lambda: len(self.cluster.pods("live", "server")) == replicas, f"{replicas} pods")

        def drain():
            self.cluster.kubectl("drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s")
            self.cluster.wait_for(servers)
            self.assertEqual(set(self.cluster.pods("live", "server").values()), {"node-1"})
            self.cluster.kubectl("uncordon", "node-2")

        self.keeps_all("nothing happens", lambda: None)
        self.keeps_all("a server is killed", kill_a_server)
        self.keeps_all("the servers are rolled out", lambda: roll_out(servers))
        self.keeps_all("Envoy is rolled out", lambda: roll_out("deployment/live-aaren-envoy"))
        self.keeps_all("from 2 to 3 servers", lambda: scale(3))
        self.keeps_all("from 3 to 2 servers", lambda: scale(2))
        self.keeps_all("a node is drained", drain)
        self.cluster.helm("uninstall", "live", "--wait")

    def test_one_server_keeps_its_sessions_on_its_volume(self):
        self.make_volume()
        self.cluster.install("solo")
        self.assertIn("Succeeded", self.cluster.helm("test", "solo"))
        self.assertEqual(self.forecasts("solo-aaren", 30), 30)
        self.cluster.kubectl("delete", "pod", "solo-aaren-0")
        self.cluster.wait_for("statefulset/solo-aaren")
        self.assertEqual(self.forecasts("solo-aaren", 50), 20)
        self.cluster.helm("uninstall", "solo", "--wait")

    def test_image_with_cuda_says_why_it_serves_on_the_cpu(self):
        self.cluster.install("gpu", "image.tag=0.1.0-cuda", "store.kind=memory")
        self.assertIn("Succeeded", self.cluster.helm("test", "gpu"))
        self.assertIn("no GPU that the kernel can run on", self.cluster.kubectl("logs", "gpu-aaren-0"))
        materials = json.loads(self.cluster.kubectl("exec", "gpu-aaren-0", "--", "cat", "/usr/local/share/aaren/sbom.spdx.json"))
        self.assertIn("./usr/local/lib/libaaren_engine_cuda.so", [file["fileName"] for file in materials["files"]])
        self.assertIn("libgrpc++1.51", [package["name"] for package in materials["packages"]])
        self.cluster.helm("uninstall", "gpu", "--wait")

    # The kind of volume that a cluster makes by itself needs a cloud, or more programs.
    def make_volume(self):
        os.makedirs(self.path("volume"))
        os.chown(self.path("volume"), USER, USER)
        node = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-1"]}]}
        self.cluster.apply({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "volume"},
            "spec": {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOncePod"],
                     "local": {"path": self.path("volume")}, "nodeAffinity": {"required": {"nodeSelectorTerms": [node]}}}})

    def forecasts(self, service, rows):
        """How many rows of a series are forecast: those that its session has not seen yet."""
        series = "value\n" + "".join(f"{i % 7}\n" for i in range(rows))
        run = subprocess.run([os.path.join(BIN, "aaren"), "stream", f"--target={self.cluster.address_of(service)}", "--csv=-",
                              "--session=kept", "--json", "--horizon=3"], capture_output=True, text=True, timeout=120, input=series)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout.count('"quantiles":')


if __name__ == "__main__":
    unittest.main()
