"""What all nodes share: etcd, the API server, the controllers, the scheduler, the services' addresses and their names.

All of it listens on one address of this network namespace, and asks for one token.
"""

import json
import os
import subprocess

from parts import program, wait_until

ADDRESS = "10.79.0.1"
API = f"https://{ADDRESS}:6443"
PODS = "10.77.0.0/16"
SERVICES = "10.78.0.0/24"
DOMAIN = "cluster.local"
TOKEN = "of-a-cluster-that-lives-for-a-test"


class ControlPlane:
    def __init__(self, programs):
        self.programs = programs
        self.folder = programs.folder
        self.kubeconfig = os.path.join(self.folder, "kubeconfig")
        self.certificates = os.path.join(self.folder, "certificates")
        self.start_api()
        self.start_controllers()
        self.start_network()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start_api(self):
        os.makedirs(self.path("etcd"), mode=0o700)
        self.programs.start("etcd", "etcd", f"--data-dir={self.path('etcd')}", f"--listen-client-urls=http://{ADDRESS}:2379",
                            f"--advertise-client-urls=http://{ADDRESS}:2379", f"--listen-peer-urls=http://{ADDRESS}:2380",
                            f"--initial-advertise-peer-urls=http://{ADDRESS}:2380",
                            f"--initial-cluster=default=http://{ADDRESS}:2380", "--unsafe-no-fsync")
        subprocess.run(["openssl", "genrsa", "-out", self.path("accounts.key"), "2048"], check=True, capture_output=True)
        self.programs.start(
            "kube-apiserver", "kube-apiserver", f"--etcd-servers=http://{ADDRESS}:2379", f"--bind-address={ADDRESS}",
            f"--advertise-address={ADDRESS}", f"--cert-dir={self.certificates}", f"--service-cluster-ip-range={SERVICES}",
            f"--token-auth-file={self.write('tokens', f'{TOKEN},admin,admin,system:masters')}", "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={self.path('accounts.key')}",
            f"--service-account-signing-key-file={self.path('accounts.key')}", "--kubelet-preferred-address-types=InternalIP")
        self.write_kubeconfig()
        wait_until(self.is_ready, "the API server is ready")

    # JSON is YAML.
    def write_kubeconfig(self):
        self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {
                "server": API, "certificate-authority": os.path.join(self.certificates, "apiserver.crt")}}],
            "users": [{"name": "admin", "user": {"token": TOKEN}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}]}))

    def is_ready(self):
        self.programs.assert_running()
        return self.kubectl("get", "--raw=/readyz", check=False).returncode == 0

    def start_controllers(self):
        self.programs.start("kube-controller-manager", "kube-controller-manager", f"--kubeconfig={self.kubeconfig}",
                            f"--service-account-private-key-file={self.path('accounts.key')}", "--leader-elect=false",
                            f"--root-ca-file={os.path.join(self.certificates, 'apiserver.crt')}")
        self.programs.start("kube-scheduler", "kube-scheduler", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false")

    # Answers go back the way they came, whatever route is shorter: so all requests are masqueraded.
    def start_network(self):
        self.programs.start("kube-proxy", "kube-proxy", f"--kubeconfig={self.kubeconfig}", "--proxy-mode=iptables",
                            f"--cluster-cidr={PODS}", "--hostname-override=node-1", "--masquerade-all",
                            "--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0s",
                            "--conntrack-tcp-timeout-close-wait=0s")
        corefile = f".:53 {{\n bind {ADDRESS}\n errors\n kubernetes {DOMAIN} {{\n  kubeconfig {self.kubeconfig}\n  ttl 1\n }}\n}}\n"
        self.programs.start("coredns", "coredns", f"-conf={self.write('Corefile', corefile)}")
        self.write("resolv.conf", f"nameserver {ADDRESS}\n")

    def kubectl(self, *arguments, check=True, **options):
        """Runs kubectl; its output is kept."""
        run = subprocess.run([program("kubectl"), f"--kubeconfig={self.kubeconfig}", *arguments], capture_output=True,
                             text=True, **options)
        if check and run.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {run.stderr}")
        return run
