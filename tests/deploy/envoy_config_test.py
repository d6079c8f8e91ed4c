"""The configuration of Envoy: a real Envoy takes each, streams keep to a server by name, and no time ends a stream.

    python3 envoy_config_test.py --write     renders deploy/docker/envoy.yaml anew, after a change of the chart
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import chart
from chart import VALUES, Objects

COMPOSED = os.path.join(chart.ROOT, "deploy", "docker", "envoy.yaml")
PAIR = ["replicas=2", *chart.REDIS, "envoy.enabled=true"]
HEAD = """\
# Envoy before the two servers of compose.yaml. helm renders this file from the chart, and nobody edits the file.
# After a change of deploy/helm: python3 tests/deploy/envoy_config_test.py --write
"""


def composed():
    """The chart's configuration for two servers, under their names in compose.yaml."""
    text = Objects(PAIR).one("ConfigMap", "live-aaren-envoy")["data"]["envoy.yaml"]
    return HEAD + re.sub(r"live-aaren-(\d)\.[\w.-]+", r"server-\1", text) + "\n"


def methods():
    """The path of every method of a server, but for the methods of the admin address."""
    paths = ["/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
             "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"]
    for name in glob.glob(os.path.join(chart.ROOT, "proto", "**", "*.proto"), recursive=True):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        package = re.search(r"^package (\S+);", text, re.M).group(1)
        for service, body in re.findall(r"^service (\w+) \{(.*?)^\}", text, re.M | re.S):
            if service != "Admin":
                paths += [f"/{package}.{service}/{method}" for method in re.findall(r"^  rpc (\w+)\(", body, re.M)]
    return paths


def manager(config):
    return config["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]


def routes(config, path):
    """The routes that take calls of a path."""
    found = manager(config)["route_config"]["virtual_hosts"][0]["routes"]
    return [route["route"] for route in found if re.fullmatch(route["match"]["safe_regex"]["regex"], path)]


def validate(path):
    return subprocess.run([chart.program("envoy"), "--mode", "validate", "--config-path", path, "--log-level", "warning"],
                          capture_output=True, text=True)


def cluster(config):
    return next(found for found in config["clusters"] if found["name"] == "servers")


def hosts(config):
    endpoints = cluster(config)["load_assignment"]["endpoints"][0]["lb_endpoints"]
    return [endpoint["endpoint"]["address"]["socket_address"]["address"] for endpoint in endpoints]


def route(config):
    return routes(config, "/aaren.v1.Streaming/Stream")[0]


class EnvoyConfigTest(unittest.TestCase):
    def test_a_real_envoy_takes_every_rendering(self):
        for name in ("shared behind Envoy", "own stores behind Envoy", "guarded behind Envoy"):
            with self.subTest(values=name), tempfile.TemporaryDirectory() as folder:
                Objects(VALUES[name]).write_envoy(folder)
                run = validate(f"{folder}/envoy.yaml")
                self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_real_envoy_takes_that_of_the_compose_file(self):
        run = validate(COMPOSED)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_compose_file_has_what_the_chart_renders(self):
        with open(COMPOSED, encoding="utf-8") as file:
            self.assertEqual(file.read(), composed())
        self.assertEqual(hosts(chart.load(COMPOSED)["static_resources"]), ["server-0", "server-1"])

    def test_every_method_has_a_route_and_nothing_else_has(self):
        config = Objects(VALUES["shared behind Envoy"]).envoy()
        self.assertGreater(len(methods()), 12)
        for path in methods():
            self.assertEqual(len(routes(config, path)), 1, path)
        for path in ("/no.Such/Method", "/aaren.v1.Streaming/Other", "/aaren.v1.Admin/GetSettings", "/"):
            self.assertEqual(routes(config, path), [], path)

    def test_operators_may_get_and_head_and_nothing_else(self):
        listeners = Objects(VALUES["shared behind Envoy"]).envoy()["listeners"]
        stats = next(found for found in listeners if found["name"] == "stats")["filter_chains"][0]["filters"][0]["typed_config"]
        matches = [route["match"] for route in stats["route_config"]["virtual_hosts"][0]["routes"]]
        self.assertEqual([match["path"] for match in matches], ["/ready", "/stats/prometheus"])
        for match in matches:
            method = match["headers"][0]["string_match"]["safe_regex"]["regex"]
            self.assertEqual([bool(re.fullmatch(method, name)) for name in ("GET", "HEAD", "POST")], [True, True, False])

    # gRPC counts a field's bytes and 32 more, and ends a connection beyond 8,192. Envoy adds five fields.
    def test_no_headers_that_pass_are_too_large_for_a_server(self):
        streams = manager(Objects(VALUES["shared behind Envoy"]).envoy())
        fields = streams["common_http_protocol_options"]["max_headers_count"] + 5
        self.assertLess(1024 * streams["max_request_headers_kb"] + 32 * fields + 300, 8192)

    def test_streams_keep_to_a_server_by_the_header_of_the_client(self):
        config = Objects(VALUES["shared behind Envoy"]).envoy()
        with open(os.path.join(chart.ROOT, "client", "cpp", "stream", "call.cc"), encoding="utf-8") as file:
            header = route(config)["hash_policy"][0]["header"]["header_name"]
            self.assertIn(f'AddMetadata("{header}"', file.read())
        self.assertEqual(cluster(config)["lb_policy"], "MAGLEV")

    def test_a_stream_that_a_leaving_server_refuses_is_asked_of_another(self):
        for name, retries in (("shared behind Envoy", "connect-failure,refused-stream,unavailable"),
                              ("own stores behind Envoy", "connect-failure,refused-stream")):
            policy = route(Objects(VALUES[name]).envoy())["retry_policy"]
            self.assertEqual((policy["retry_on"], "retry_host_predicate" in policy), (retries, "unavailable" in retries), name)

    def test_a_pod_that_comes_back_elsewhere_has_the_same_streams(self):
        for name in ("shared behind Envoy", "own stores behind Envoy"):
            hashing = cluster(Objects(VALUES[name]).envoy())["common_lb_config"]["consistent_hashing_lb_config"]
            self.assertEqual(hashing, {"use_hostname_for_hashing": True})

    def test_no_time_ends_a_stream(self):
        config = Objects(VALUES["shared behind Envoy"]).envoy()
        for path in ("/aaren.v1.Streaming/Stream", "/grpc.health.v1.Health/Watch"):
            times = [(route["timeout"], route["idle_timeout"]) for route in routes(config, path)]
            self.assertEqual(times, [("0s", "0s")])
        options = manager(config)["common_http_protocol_options"]
        ends = {"max_stream_duration", "max_connection_duration", "max_requests_per_connection"}
        self.assertFalse(ends & set(options))

    def test_a_silent_server_is_looked_at_as_often_as_a_busy_one(self):
        check = cluster(Objects(VALUES["shared behind Envoy"]).envoy())["health_checks"][0]
        self.assertEqual(check["no_traffic_interval"], check["interval"])
        self.assertEqual(check["grpc_health_check"], {"service_name": "aaren.v1.Streaming"})

    def test_names_are_those_that_servers_advertise(self):
        objects = Objects(VALUES["shared behind Envoy"])
        advertised = objects.server()["containers"][0]["args"][1]
        pods = [advertised.split("=")[1].replace("$(POD_NAME)", f"live-aaren-{i}") for i in range(3)]
        self.assertEqual([f"{host}:7860" for host in hosts(objects.envoy())], pods)

    def test_a_scaled_deployment_has_a_name_for_the_most_servers(self):
        config = Objects([*VALUES["scaled"], "envoy.enabled=true", "autoscaling.maxReplicas=5"]).envoy()
        self.assertEqual(len(hosts(config)), 5)

    def test_streams_wait_for_a_server_with_its_own_store(self):
        objects = Objects(VALUES["own stores behind Envoy"])
        self.assertNotIn("health_checks", cluster(objects.envoy()))
        services = {found["metadata"]["name"]: found["spec"] for found in objects.of("Service")}
        for i, host in enumerate(hosts(objects.envoy())):
            service = services[host.split(".")[0]]
            self.assertEqual(service["selector"]["statefulset.kubernetes.io/pod-name"], f"live-aaren-{i}")
            self.assertTrue(service["publishNotReadyAddresses"])
            self.assertNotEqual(service.get("clusterIP"), "None")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with open(COMPOSED, "w", encoding="utf-8") as file:
            file.write(composed())
    else:
        unittest.main()
