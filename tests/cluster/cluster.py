"""A Kubernetes of two nodes on this machine, with the images loaded, and what an operator does to it.

It lives in the namespaces that `inside` makes, so its addresses are the same everywhere.
"""

import json
import os
import subprocess

from control_plane import ADDRESS, SERVICES, ControlPlane
from node import Node
from parts import ROOT, Programs, program, wait_until

CHART = os.path.join(ROOT, "deploy", "helm", "aaren")
# Two cores have to be enough for all pods.
SMALL = ["resources.requests.cpu=100m", "resources.requests.memory=128Mi", "resources.limits.memory=512Mi",
         "envoy.resources.requests.cpu=50m", "envoy.resources.requests.memory=32Mi", "settings.shards=1"]


class Cluster:
    def __init__(self, folder, images):
        for number in (1, 2):
            subprocess.run(["ip", "address", "add", f"10.79.0.{number}/32", "dev", "lo"], check=True)
        # So that programs outside of pods have a way to services, until kube-proxy has changed where it leads.
        subprocess.run(["ip", "route", "add", SERVICES, "dev", "lo", "src", ADDRESS], check=True)
        with open("/proc/sys/net/ipv4/ip_forward", "w", encoding="ascii") as file:
            file.write("1")
        self.programs = Programs(folder)
        self.control_plane = ControlPlane(self.programs)
        self.nodes = [Node(number, self.control_plane) for number in (1, 2)]
        for node in self.nodes:
            for image in images:
                node.load(image)
        wait_until(self.has_nodes, "both nodes are ready")

    def has_nodes(self):
        self.programs.assert_running()
        return self.kubectl("get", "nodes", "--no-headers").count(" Ready ") == len(self.nodes)

    def kubectl(self, *arguments, **options):
        return self.control_plane.kubectl(*arguments, **options).stdout

    def apply(self, *objects):
        self.kubectl("apply", "--filename=-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def helm(self, *arguments):
        run = subprocess.run([program("helm"), f"--kubeconfig={self.control_plane.kubeconfig}", *arguments],
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise AssertionError(f"helm {' '.join(arguments)}: {run.stdout}{run.stderr}\n{self.troubles()}")
        return run.stdout

    def install(self, release, *values):
        """Installs the chart, or upgrades it, and waits until all is ready."""
        sets = [part for value in (*SMALL, *values) for part in ("--set", value)]
        return self.helm("upgrade", "--install", release, CHART, "--wait", "--timeout=180s", *sets)

    def pods(self, release, component):
        """Pods that are there, with their nodes, by name."""
        found = json.loads(self.kubectl("get", "pods", "--output=json",
                                        f"--selector=app.kubernetes.io/instance={release},app.kubernetes.io/component={component}"))
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in found["items"]}

    def address_of(self, service):
        return self.kubectl("get", "service", service, "--output=jsonpath={.spec.clusterIP}:{.spec.ports[0].port}")

    def wait_for(self, kind_and_name):
        """Until a StatefulSet or a Deployment is what it is to be."""
        self.kubectl("rollout", "status", kind_and_name, "--timeout=180s")

    def troubles(self):
        """What the cluster says of pods that are not ready."""
        return self.kubectl("get", "pods", "--output=wide") + self.kubectl("get", "events", "--sort-by=.lastTimestamp")[-4000:]

    def close(self):
        self.programs.close()
