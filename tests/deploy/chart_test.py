"""What the chart installs: pods that may do little, probes, time to leave, and names at which servers are found."""

import os
import re
import subprocess
import tempfile
import unittest

import chart
from chart import SHARED, VALUES, Objects

VERSIONS = ["1.30.0", "1.31.0", "1.32.0", "1.33.0", "1.34.0"]
FOREIGN = "ServiceMonitor,PrometheusRule"  # of the Prometheus operator; Kubernetes has no schema of them


def schemas():
    found = chart.glob.glob(os.path.join(chart.CACHE, chart.SCHEMAS))
    return found[-1] if found else chart.require("Kubernetes' schemas")


class KubernetesTest(unittest.TestCase):
    def test_helm_finds_nothing_to_say(self):
        run = chart.helm("lint", "--strict", chart.CHART)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_every_version_knows_every_field(self):
        location = schemas() + "/{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json"
        everything = "\n---\n".join(chart.rendered(values) for values in VALUES.values())
        for version in VERSIONS:
            with self.subTest(version=version):
                run = subprocess.run([chart.program("kubeconform"), "-strict", "-skip", FOREIGN, "-schema-location", location,
                                      "-kubernetes-version", version], input=everything, capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_an_older_kubernetes_is_refused(self):
        run = chart.helm("template", "live", chart.CHART, "--kube-version", "1.29.0")
        self.assertIn("kubeVersion: >=1.30.0", run.stderr)


class LeavingTest(unittest.TestCase):
    def test_kubernetes_waits_longer_than_the_server_needs(self):
        for grace, delay in ((1, 0), (20, 5), (300, 30)):
            with self.subTest(grace=grace, delay=delay):
                objects = Objects([f"graceSeconds={grace}", f"preStopSeconds={delay}"])
                self.assertIn(f'grace: "{grace}s"\n', objects.settings())
                self.assertGreater(objects.server()["terminationGracePeriodSeconds"], grace + delay)

    def test_sigterm_comes_once_balancers_have_heard(self):
        self.assertEqual(Objects([]).server()["containers"][0]["lifecycle"], {"preStop": {"sleep": {"seconds": 5}}})

    def test_a_drain_takes_one_server_at_a_time(self):
        objects = Objects(VALUES["shared behind Envoy"])
        budgets = [found["spec"] for found in objects.of("PodDisruptionBudget")]
        self.assertEqual([budget["maxUnavailable"] for budget in budgets], [1, 1])
        for kind, pod in objects.pods():
            chosen = [selects for selects in budgets
                      if chart.selects(selects["selector"]["matchLabels"], pod["metadata"]["labels"])]
            self.assertEqual(len(chosen), 0 if kind == "Pod" else 1, kind)

    def test_a_drain_takes_no_server_while_the_store_is_away(self):
        budgets = {found["metadata"]["name"]: found["spec"]["unhealthyPodEvictionPolicy"]
                   for found in Objects(VALUES["shared behind Envoy"]).of("PodDisruptionBudget")}
        self.assertEqual(budgets, {"live-aaren-server": "IfHealthyBudget", "live-aaren-envoy": "AlwaysAllow"})


class ProbeTest(unittest.TestCase):
    def probes(self, values):
        container = Objects(values).server()["containers"][0]
        return [container[name] for name in ("startupProbe", "readinessProbe", "livenessProbe")]

    def test_readiness_is_that_of_streams_and_liveness_that_of_the_process(self):
        services = [probe["grpc"] for probe in self.probes([])]
        self.assertEqual(services, [{"port": 7860, "service": ""}, {"port": 7860, "service": "aaren.v1.Streaming"},
                                    {"port": 7860, "service": ""}])

    def test_with_tls_no_probe_speaks_grpc(self):
        for probe in self.probes(["tls.secretName=tls"]):
            self.assertEqual(probe["tcpSocket"], {"port": "grpc"})
            self.assertNotIn("grpc", probe)


class ConfinementTest(unittest.TestCase):
    def test_no_container_may_do_more_than_it_must(self):
        for name, values in VALUES.items():
            for kind, pod in Objects(values).pods():
                with self.subTest(values=name, kind=kind):
                    security = pod["spec"]["securityContext"]
                    self.assertTrue(security["runAsNonRoot"])
                    self.assertEqual(security["seccompProfile"], {"type": "RuntimeDefault"})
                    self.assertFalse(pod["spec"]["automountServiceAccountToken"])
                    for container in pod["spec"]["containers"]:
                        self.assertEqual(container["securityContext"], {
                            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]}})
                        self.assertIn("memory", container["resources"]["limits"])

    def test_every_mount_has_its_volume(self):
        for name, values in VALUES.items():
            objects = Objects(values)
            claims = {claim["metadata"]["name"] for claim in objects.one("StatefulSet")["spec"].get("volumeClaimTemplates", [])}
            for kind, pod in objects.pods():
                with self.subTest(values=name, kind=kind):
                    mounted = {mount["name"] for mount in pod["spec"]["containers"][0]["volumeMounts"]}
                    volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
                    self.assertEqual(mounted, volumes | (claims if kind == "StatefulSet" else set()))

    def test_an_envoy_without_one_of_its_files_does_not_start(self):
        for client_ca in (False, True):
            objects = Objects(["envoy.enabled=true", "envoy.tls.secretName=front", f"envoy.tls.clientCa={str(client_ca).lower()}"])
            pod = objects.one("Deployment")["spec"]["template"]["spec"]
            secret = next(volume["secret"] for volume in pod["volumes"] if volume["name"] == "tls")
            read = set(re.findall(r"/etc/envoy/tls/([\w.]+)", str(objects.one("ConfigMap", "live-aaren-envoy")["data"])))
            self.assertEqual({item["key"] for item in secret["items"]}, read)
            self.assertEqual("ca.crt" in read, client_ca)

    def test_behind_envoy_nobody_else_reaches_a_server(self):
        objects = Objects(VALUES["shared behind Envoy"])
        ingress = objects.one("NetworkPolicy", "live-aaren-server")["spec"]["ingress"]
        streams = [rule for rule in ingress if rule["ports"] == [{"port": "grpc"}]]
        sources = [source["podSelector"]["matchLabels"]["app.kubernetes.io/component"] for source in streams[0]["from"]]
        self.assertEqual((len(streams), sources), (1, ["envoy"]))

    def test_the_test_gets_in_where_clients_are_named(self):
        ingress = Objects(VALUES["shared behind Envoy"]).one("NetworkPolicy", "live-aaren-envoy")["spec"]["ingress"]
        labels = Objects([]).one("Pod")["metadata"]["labels"]
        self.assertTrue(any(chart.selects(source["podSelector"]["matchLabels"], labels)
                            for source in ingress[0]["from"] if "podSelector" in source))

    def test_a_server_reaches_sentinels_and_the_redis_they_name(self):
        egress = Objects(VALUES["shared by TLS and a Sentinel"]).one("NetworkPolicy")["spec"]["egress"]
        self.assertIn({"ports": [{"port": 6380, "protocol": "TCP"}, {"port": 6379, "protocol": "TCP"}]}, egress)

    # A policy asks for the port of DNS's pods, not of the Service: 5353 on OpenShift. `helm template` sees no cluster.
    def test_names_are_asked_for_at_the_ports_of_every_cluster(self):
        values = [part for value in VALUES["shared behind Envoy"] for part in ("--set", value)]
        for versions in ([], ["--api-versions", "security.openshift.io/v1"]):
            run = chart.helm("template", "live", chart.CHART, "--show-only", "templates/networkpolicies.yaml", *values, *versions)
            policies = [found for found in chart.yaml.safe_load_all(run.stdout) if found]
            self.assertEqual(len(policies), 2, run.stderr)
            for policy in policies:
                names = [(port["port"], port["protocol"]) for port in policy["spec"]["egress"][0]["ports"]]
                self.assertEqual(names, [(53, "UDP"), (53, "TCP"), (5353, "UDP"), (5353, "TCP")])

    def test_a_server_with_files_calls_nobody(self):
        self.assertEqual(Objects([]).one("NetworkPolicy")["spec"]["egress"], [])

    def test_a_server_that_is_traced_reaches_its_collector(self):
        egress = Objects(VALUES["traced"]).one("NetworkPolicy", "live-aaren-server")["spec"]["egress"]
        self.assertIn({"ports": [{"port": 4317, "protocol": "TCP"}], "to": [{"podSelector": {"matchLabels": {"app": "otel"}}}]},
                      egress)

    def test_passwords_come_from_secrets_alone(self):
        objects = Objects(VALUES["shared"])
        secrets = [volume["secret"]["secretName"] for volume in objects.server()["volumes"] if "secret" in volume]
        self.assertEqual((secrets, objects.of("Secret")), (["redis-password"], []))


class ScalingTest(unittest.TestCase):
    def test_an_autoscaler_owns_the_number_of_servers(self):
        self.assertNotIn("replicas", Objects(VALUES["scaled"]).one("StatefulSet")["spec"])

    def test_it_goes_by_the_cpu_alone_unless_told(self):
        metrics = Objects([*chart.REDIS, "autoscaling.enabled=true"]).one("HorizontalPodAutoscaler")["spec"]["metrics"]
        self.assertEqual([metric["type"] for metric in metrics], ["Resource"])

    def test_it_can_go_by_tokens_and_sessions(self):
        metrics = Objects(VALUES["scaled"]).one("HorizontalPodAutoscaler")["spec"]["metrics"]
        names = [metric["pods"]["metric"]["name"] for metric in metrics[1:]]
        self.assertEqual(names, ["aaren_tokens_per_second", "aaren_sessions"])

    def test_servers_that_share_a_redis_have_no_volumes(self):
        self.assertNotIn("volumeClaimTemplates", Objects(SHARED).one("StatefulSet")["spec"])

    def test_a_gpu_takes_the_image_that_has_a_library_for_it(self):
        plain, cuda = (Objects([f"gpu.count={count}"]).server()["containers"][0]["image"] for count in (0, 1))
        self.assertEqual(cuda, f"{plain}-cuda")

    def test_a_named_image_is_taken_with_a_gpu_too(self):
        image = Objects(["gpu.count=1", "image.tag=mine"]).server()["containers"][0]["image"]
        self.assertEqual(image, "aaren-server:mine")

    def test_a_gpu_is_a_limit_beside_the_others(self):
        limits = Objects(["gpu.count=2"]).server()["containers"][0]["resources"]["limits"]
        self.assertEqual(limits, {"nvidia.com/gpu": 2, "memory": "4Gi"})


class NamesTest(unittest.TestCase):
    def test_a_server_tells_the_name_that_the_headless_service_gives_it(self):
        objects = Objects(SHARED)
        headless = objects.one("StatefulSet")["spec"]["serviceName"]
        self.assertEqual(objects.one("Service", headless)["spec"]["clusterIP"], "None")
        self.assertIn(f"--advertise=$(POD_NAME).{headless}.streams.svc.cluster.local:7860",
                      objects.server()["containers"][0]["args"])

    def test_every_service_has_pods(self):
        for name, values in VALUES.items():
            objects = Objects(values)
            labels = [pod["metadata"]["labels"] for _, pod in objects.pods()]
            for service in objects.of("Service"):
                selector = {key: value for key, value in service["spec"]["selector"].items()
                            if key != "statefulset.kubernetes.io/pod-name"}
                with self.subTest(values=name, service=service["metadata"]["name"]):
                    self.assertEqual(sum(chart.selects(selector, each) for each in labels), 1)

    def test_clients_come_to_envoy_where_there_is_one(self):
        selector = Objects(VALUES["shared behind Envoy"]).one("Service", "live-aaren")["spec"]["selector"]
        self.assertEqual(selector["app.kubernetes.io/component"], "envoy")


class MonitoringTest(unittest.TestCase):
    def chart_with(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copy = os.path.join(folder.name, "aaren")
        chart.shutil.copytree(chart.CHART, copy)
        for path, content in files.items():
            with open(os.path.join(copy, "files", path), "w", encoding="utf-8") as file:
                file.write(content)
        return copy

    def test_is_off_by_default(self):
        kinds = {found["kind"] for found in Objects([]).all}
        self.assertFalse(kinds & {"ServiceMonitor", "PrometheusRule"})
        self.assertEqual(len(Objects([]).of("ConfigMap")), 1)

    def test_scrapes_the_port_of_metrics(self):
        objects = Objects(["monitoring.serviceMonitor.enabled=true"])
        monitor = objects.one("ServiceMonitor")["spec"]
        services = [found for found in objects.of("Service")
                    if chart.selects(monitor["selector"]["matchLabels"], found["metadata"]["labels"])]
        self.assertEqual([found["metadata"]["name"] for found in services], ["live-aaren-headless"])
        self.assertIn(monitor["endpoints"][0]["port"], [port["name"] for port in services[0]["spec"]["ports"]])

    def test_its_job_has_the_name_that_alerts_ask_for(self):
        endpoint = Objects(["monitoring.serviceMonitor.enabled=true"]).one("ServiceMonitor")["spec"]["endpoints"][0]
        self.assertEqual(endpoint["relabelings"], [{"targetLabel": "job", "replacement": "aaren"}])

    def test_installs_all_rules_and_dashboards_of_the_project(self):
        objects = Objects(["monitoring.rules.enabled=true", "monitoring.dashboards.enabled=true"])
        rules = {group["name"] for found in objects.of("PrometheusRule") for group in found["spec"]["groups"]}
        self.assertEqual(rules, {group["name"] for path in chart.glob.glob(f"{chart.ROOT}/deploy/prometheus/*.yml")
                                 for group in chart.load(path).get("groups", [])})
        boards = {name for found in objects.of("ConfigMap") for name in found["data"] if name.endswith(".json")}
        self.assertEqual(boards, {os.path.basename(path) for path in chart.glob.glob(f"{chart.ROOT}/deploy/grafana/*.json")})

    def test_rules_keep_their_braces(self):
        rule = '{alert: Away, expr: up == 0, annotations: {summary: "{{ $labels.pod }} is away"}}'
        copy = self.chart_with({"rules/some_alerts.yml": f"groups:\n  - name: store\n    rules: [{rule}]\n"})
        found = Objects(["monitoring.rules.enabled=true"], copy).one("PrometheusRule", "live-aaren-some-alerts")
        summary = found["spec"]["groups"][0]["rules"][0]["annotations"]["summary"]
        self.assertEqual(summary, "{{ $labels.pod }} is away")

    def test_a_dashboard_is_a_file_that_grafana_finds(self):
        copy = self.chart_with({"dashboards/streams.json": '{"title": "{{shard}}"}\n'})
        found = Objects(["monitoring.dashboards.enabled=true"], copy).one("ConfigMap", "live-aaren-streams")
        self.assertEqual(found["data"], {"streams.json": '{"title": "{{shard}}"}\n'})
        self.assertEqual(found["metadata"]["labels"]["grafana_dashboard"], "1")


class InstalledTestTest(unittest.TestCase):
    def run_against(self, address):
        command = Objects([]).one("Pod")["spec"]["containers"][0]["command"]
        environment = {**os.environ, "PATH": os.environ["AAREN_BIN"] + os.pathsep + os.environ["PATH"]}
        with tempfile.TemporaryDirectory() as folder:
            command = [re.sub("/tmp/", f"{folder}/", part) for part in command]
            return subprocess.run([*command, f"--target={address}", "--connect_timeout=1s"], env=environment,
                                  capture_output=True, text=True)

    def test_passes_where_forecasts_come(self):
        server = subprocess.Popen([chart.server_program(), "--listen=127.0.0.1:0", "--metrics_listen=", "--store=memory",
                                   "--shards=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.addCleanup(server.stdout.close)
        run = self.run_against(re.search(r"listen=(\S+)", server.stdout.readline()).group(1))
        self.assertEqual((run.returncode, run.stdout), (0, "20 rows, 20 forecasts\n"), run.stderr)

    def test_fails_where_none_come(self):
        chart.server_program()
        self.assertNotEqual(self.run_against("127.0.0.1:1").returncode, 0)


if __name__ == "__main__":
    unittest.main()
