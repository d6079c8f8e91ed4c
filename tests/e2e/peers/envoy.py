"""A real Envoy on a free port before several servers: the sessions of one stream keep to one of them."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time


def find():
    """The program: AAREN_ENVOY, in PATH, or where deploy/setup --with-envoy puts it. None if it is nowhere."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    unpacked = os.path.join(cache, "aaren", "envoy-1.40.0", "envoy", "_bin", "envoy")
    return os.environ.get("AAREN_ENVOY") or shutil.which("envoy") or (unpacked if os.path.exists(unpacked) else None)


def endpoint(address):
    host, port = address.rsplit(":", 1)
    return {"endpoint": {"address": {"socket_address": {"address": host, "port_value": int(port)}}}}


def http2():
    return {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        "explicit_http_config": {"http2_protocol_options": {}}}}


def cluster(servers):
    """Maglev over servers that their health service calls SERVING. no_traffic_interval is 60 s unless it is set."""
    return {"name": "aaren", "type": "STATIC", "lb_policy": "MAGLEV", "typed_extension_protocol_options": http2(),
            "common_lb_config": {"healthy_panic_threshold": {"value": 0}},
            "health_checks": [{"timeout": "1s", "interval": "0.1s", "no_traffic_interval": "0.1s",
                               "unhealthy_threshold": 1, "healthy_threshold": 1, "grpc_health_check": {}}],
            "load_assignment": {"cluster_name": "aaren",
                                "endpoints": [{"lb_endpoints": [endpoint(server) for server in servers]}]}}


def listener(port):
    route = {"cluster": "aaren", "timeout": "0s", "hash_policy": [{"header": {"header_name": "aaren-stream"}}],
             "retry_policy": {"retry_on": "connect-failure,refused-stream", "num_retries": 3}}
    hosts = [{"name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": route}]}]
    manager = {"@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3."
                        "HttpConnectionManager",
               "stat_prefix": "aaren", "codec_type": "HTTP2", "stream_idle_timeout": "0s",
               "route_config": {"name": "aaren", "virtual_hosts": hosts},
               "http_filters": [{"name": "envoy.filters.http.router", "typed_config": {
                   "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}
    return {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
            "filter_chains": [{"filters": [{"name": "envoy.filters.network.http_connection_manager",
                                            "typed_config": manager}]}]}


class Envoy:
    def __init__(self, servers):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        self.config = tempfile.NamedTemporaryFile("w", suffix=".json")
        json.dump({"static_resources": {"listeners": [listener(port)], "clusters": [cluster(servers)]}}, self.config)
        self.config.flush()
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [find(), "--config-path", self.config.name, "--use-dynamic-base-id", "--concurrency", "1",
             "--log-level", "warning"], stdout=self.errors, stderr=self.errors)
        self.wait_until_it_listens()

    def wait_until_it_listens(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", int(self.address.rsplit(":", 1)[1])), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"envoy does not listen: {self.log()}")
                time.sleep(0.02)

    def log(self):
        self.errors.seek(0)
        return self.errors.read()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.config.close()
        self.errors.close()
