"""Renders deploy/helm/aaren by the real helm, and finds the programs that judge what comes of it.

Each is in PATH, or where deploy/setup --with-kubernetes-tools puts it. A test that lacks one is skipped and says so,
or fails where AAREN_REQUIRE names the part, as `tests/run --with=kubernetes-tools,envoy` does.
"""

import functools
import glob
import os
import shutil
import subprocess
import unittest

try:
    import yaml
except ImportError:  # of Debian's python3-yaml
    yaml = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHART = os.path.join(ROOT, "deploy", "helm", "aaren")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "aaren")
PLACES = {"helm": "helm-*/helm/helm", "kubeconform": "kubeconform-*/bin/kubeconform",
          "hadolint": "hadolint-*/*.data/scripts/hadolint", "envoy": "envoy-*/envoy/_bin/envoy"}
SCHEMAS = "kubernetes-schemas-*/kubernetes_validate/kubernetes-json-schema"

# What operators set, as values of --set. Each is a deployment that is right.
REDIS = ["store.kind=redis", "redis.addresses={redis-0.redis:6379,redis-1.redis:6379}"]
SHARED = ["replicas=3", *REDIS]
VALUES = {
    "one server": [],
    "one server in memory": ["store.kind=memory"],
    "one server without a volume": ["persistence.enabled=false", "networkPolicy.enabled=false"],
    "shared": [*SHARED, "redis.passwordSecret.name=redis-password", "networkPolicy.redis[0].podSelector.matchLabels.app=redis"],
    "shared by TLS and a Sentinel": [*SHARED, "redis.sentinel=fleet", "redis.tls.secretName=redis-tls", "redis.tls.clientCert=true",
                                     "redis.port=6380"],
    "shared behind Envoy": [*SHARED, "envoy.enabled=true", "networkPolicy.clients[0].namespaceSelector.matchLabels.team=a"],
    "own stores behind Envoy": ["replicas=3", "envoy.enabled=true"],
    "scaled": [*REDIS, "autoscaling.enabled=true", "autoscaling.tokens.enabled=true", "autoscaling.sessions.enabled=true"],
    "guarded": [*SHARED, "tls.secretName=tls", "tls.clientCa=true", "callers.secretName=callers",
                "jwt.configMapName=keys", "jwt.issuer=https://login.example", "jwt.audience=aaren"],
    "guarded behind Envoy": [*SHARED, "tls.secretName=tls", "callers.secretName=callers", "envoy.enabled=true",
                             "envoy.tls.secretName=front", "envoy.tls.clientCa=true", "test.secretName=token",
                             "test.flags={--token_file=/etc/aaren/test/token}"],
    "traced": ["settings.trace_endpoint=collector.tracing:4317", "settings.trace_sampling=0.01",
               "networkPolicy.traces[0].podSelector.matchLabels.app=otel", "traceCa.configMapName=authorities"],
    "with much else": ["gpu.count=1", "models.volume.persistentVolumeClaim.claimName=models", "bindAddress=[::]",
                       "settings.max_rows=4194304", "settings.message_bytes=8388608", "settings.session_ttl=24h",
                       "settings.log_level=debug", "monitoring.serviceMonitor.enabled=true", "graceSeconds=120",
                       "store.sync=power", "resources.limits.cpu=2500m"],
}


def require(lacking, part="kubernetes-tools"):
    """Skips the test that lacks something, or fails it where that was to be installed."""
    required = part in os.environ.get("AAREN_REQUIRE", "").split(",")
    raise (AssertionError if required else unittest.SkipTest)(f"{lacking} is missing: deploy/setup --with-{part} installs it")


def program(name):
    unpacked = sorted(glob.glob(os.path.join(CACHE, PLACES[name])))
    return shutil.which(name) or (unpacked[-1] if unpacked else require(name, "envoy" if name == "envoy" else "kubernetes-tools"))


def server_program():
    path = os.path.join(os.environ.get("AAREN_BIN", ""), "aaren-server")
    if not os.path.exists(path):
        raise unittest.SkipTest("aaren-server is not built")
    return path


def helm(*arguments):
    return subprocess.run([program("helm"), *arguments], capture_output=True, text=True)


def template(values, chart=CHART):
    sets = [part for value in values for part in ("--set", value)]
    return helm("template", "live", chart, "--namespace", "streams", *sets)


@functools.lru_cache
def text_of(values, chart):
    run = template(values, chart)
    if run.returncode != 0:
        raise AssertionError(f"{values}: {run.stderr}")
    return run.stdout


def rendered(values, chart=CHART):
    """The text of all objects."""
    return text_of(tuple(values), chart)


def load(path):
    if yaml is None:
        require("python3-yaml")
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


class Objects:
    """The objects of a deployment, found by kind and name."""

    def __init__(self, values, chart=CHART):
        if yaml is None:
            require("python3-yaml")
        self.all = [found for found in yaml.safe_load_all(rendered(values, chart)) if found]

    def of(self, kind):
        return [found for found in self.all if found["kind"] == kind]

    def one(self, kind, name=None):
        fitting = [found for found in self.of(kind) if name in (None, found["metadata"]["name"])]
        if len(fitting) != 1:
            raise AssertionError(f"{len(fitting)} of {kind} {name or ''}")
        return fitting[0]

    def pods(self):
        """Each pod's labels and specification, by the kind that makes it."""
        templates = [(found["kind"], found["spec"]["template"]) for found in self.of("StatefulSet") + self.of("Deployment")]
        return templates + [("Pod", found) for found in self.of("Pod")]

    def server(self):
        return self.one("StatefulSet")["spec"]["template"]["spec"]

    def settings(self):
        return self.one("ConfigMap", "live-aaren")["data"]["server.textproto"]

    def write_envoy(self, folder):
        """The files of Envoy's ConfigMap into a folder that has what is in /etc/envoy elsewhere. The text of envoy.yaml."""
        files = {}
        for name, text in self.one("ConfigMap", "live-aaren-envoy")["data"].items():
            files[name] = text.replace("/etc/envoy/config", folder).replace("/etc/envoy", folder)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(files[name])
        return files["envoy.yaml"]

    def envoy(self):
        return yaml.safe_load(self.one("ConfigMap", "live-aaren-envoy")["data"]["envoy.yaml"])["static_resources"]


def selects(selector, labels):
    return all(labels.get(name) == value for name, value in selector.items())
