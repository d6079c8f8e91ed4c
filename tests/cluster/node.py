"""A node: a containerd and a kubelet with folders, an address and a range of pods' addresses of their own.

Pods hang on the host by a cable each (CNI's ptp), so that all traffic between them is routed by the kernel.
"""

import json
import os
import subprocess

from control_plane import ADDRESS, DOMAIN
from parts import place_of, program, wait_until

CNI = {"type": "ptp", "ipMasq": False}


class Node:
    def __init__(self, number, control_plane):
        self.name = f"node-{number}"
        self.address = f"10.79.0.{number}"
        self.pods = f"10.77.{number}.0/24"
        self.control_plane = control_plane
        self.folder = control_plane.path(self.name)
        self.socket = os.path.join(self.folder, "containerd.sock")
        os.makedirs(os.path.join(self.folder, "cni"))
        self.start_containerd()
        self.start_kubelet()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(self.folder, name)

    def start_containerd(self):
        addresses = {"type": "host-local", "dataDir": os.path.join(self.folder, "addresses"),
                     "ranges": [[{"subnet": self.pods}]], "routes": [{"dst": "0.0.0.0/0"}]}
        self.write("cni/pods.conflist", json.dumps(
            {"cniVersion": "0.4.0", "name": "pods", "plugins": [{**CNI, "ipam": addresses}]}))
        config = self.write("containerd.toml", f"""version = 2
root = "{self.folder}/containerd"
state = "{self.folder}/containerd-state"
[grpc]
  address = "{self.socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/pause:1"
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "{os.path.dirname(program('ptp'))}"
  conf_dir = "{self.folder}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  BinaryName = "{program('runc')}"
""")
        path = os.pathsep.join([os.path.dirname(place_of("containerd")), os.environ["PATH"]])
        self.control_plane.programs.start(f"{self.name}-containerd", "containerd", f"--config={config}",
                                          env={**os.environ, "PATH": path})
        wait_until(lambda: self.ctr("version", check=False).returncode == 0, f"containerd of {self.name} answers", 30)

    def start_kubelet(self):
        config = self.write("kubelet.json", json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "address": self.address,
            "healthzPort": 0, "containerRuntimeEndpoint": f"unix://{self.socket}", "cgroupDriver": "cgroupfs",
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"}, "cgroupsPerQOS": False, "enforceNodeAllocatable": [],
            "failSwapOn": False, "oomScoreAdj": 0, "makeIPTablesUtilChains": False, "clusterDNS": [ADDRESS],
            "clusterDomain": DOMAIN, "resolvConf": self.control_plane.path("resolv.conf"), "maxPods": 32,
            "evictionHard": {"memory.available": "1Mi"}, "imageGCHighThresholdPercent": 100,
            # Each node's kubelet deletes what it takes for logs of pods that are gone.
            "podLogsDir": f"{self.folder}/pod-logs"}))
        self.control_plane.programs.start(
            f"{self.name}-kubelet", "kubelet", f"--config={config}", f"--kubeconfig={self.control_plane.kubeconfig}",
            f"--root-dir={self.folder}/kubelet", f"--cert-dir={self.folder}/certificates", f"--node-ip={self.address}",
            f"--hostname-override={self.name}")

    def ctr(self, *arguments, check=True):
        return subprocess.run([program("ctr"), f"--address={self.socket}", "--namespace=k8s.io", *arguments], check=check,
                              capture_output=True, text=True)

    def load(self, image):
        """Takes in the file of an image."""
        self.ctr("images", "import", image)
