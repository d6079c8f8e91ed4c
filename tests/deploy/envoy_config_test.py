"""What Envoy is told: a real Envoy takes it, streams keep to a server by its name, and nothing ends a stream."""

import os
import subprocess
import tempfile
import unittest

import chart
from chart import VALUES, Objects

COMPOSED = os.path.join(chart.ROOT, "deploy", "docker", "envoy.yaml")


def validate(path):
    return subprocess.run([chart.program("envoy"), "--mode", "validate", "--config-path", path, "--log-level", "warning"],
                          capture_output=True, text=True)


def cluster(config):
    return next(found for found in config["clusters"] if found["name"] == "servers")


def hosts(config):
    endpoints = cluster(config)["load_assignment"]["endpoints"][0]["lb_endpoints"]
    return [endpoint["endpoint"]["address"]["socket_address"]["address"] for endpoint in endpoints]


def route(config):
    manager = config["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    return manager["route_config"]["virtual_hosts"][0]["routes"][0]["route"]


class EnvoyConfigTest(unittest.TestCase):
    def test_a_real_envoy_takes_every_rendering(self):
        for name in ("shared behind Envoy", "own stores behind Envoy"):
            text = Objects(VALUES[name]).one("ConfigMap", "live-aaren-envoy")["data"]["envoy.yaml"]
            with self.subTest(values=name), tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(text)
                file.flush()
                run = validate(file.name)
                self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_real_envoy_takes_that_of_the_compose_file(self):
        run = validate(COMPOSED)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_compose_file_has_what_the_chart_renders(self):
        ours, theirs = chart.load(COMPOSED)["static_resources"], Objects(VALUES["shared behind Envoy"]).envoy()
        self.assertEqual(hosts(ours), ["server-0", "server-1"])
        for config in (ours, theirs):
            del cluster(config)["load_assignment"]
        self.assertEqual(ours, theirs)

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
        self.assertEqual(route(Objects(VALUES["shared behind Envoy"]).envoy())["timeout"], "0s")

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
    unittest.main()
