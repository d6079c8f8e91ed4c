"""The chart as other charts have it: a dependency, once or twice, with global values, under other people's policies."""

import json
import os
import subprocess
import tempfile
import unittest

import chart
from chart import yaml

CHOSEN = ("runAsUser", "runAsGroup", "fsGroup")  # by OpenShift's profile "restricted", from a range of each project


class Umbrella:
    """A chart with this one as a dependency, under each of the names."""

    def __init__(self, case, *names, condition=True):
        if yaml is None:
            chart.require("python3-yaml")
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "plant")
        chart.shutil.copytree(chart.CHART, os.path.join(self.path, "charts", "aaren"))
        version = chart.load(os.path.join(chart.CHART, "Chart.yaml"))["version"]
        self.write("Chart.yaml", {"apiVersion": "v2", "name": "plant", "version": "1.0.0", "dependencies": [
            {"name": "aaren", "version": version, **({} if name == "aaren" else {"alias": name}),
             **({"condition": f"{name}.enabled", "tags": ["forecasts"]} if condition else {})} for name in names]})
        self.write("values.yaml", {})
        os.makedirs(os.path.join(self.path, "templates"))

    def write(self, name, content):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            json.dump(content, file)

    def run(self, values, release="live", command=("template",)):
        self.write("values.yaml", values)
        named = (release,) if command == ("template",) else ()
        return chart.helm(*command, *named, self.path)

    def objects(self, values, release="live"):
        run = self.run(values, release)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        return [found for found in yaml.safe_load_all(run.stdout) if found]


def pods(objects):
    return [found["spec"]["template"]["spec"] if "template" in found["spec"] else found["spec"]
            for found in objects if found["kind"] in ("StatefulSet", "Deployment", "Pod")]


def names(objects):
    return [(found["kind"], found["metadata"]["name"]) for found in objects]


class DependencyTest(unittest.TestCase):
    def test_helm_finds_nothing_to_say(self):
        run = Umbrella(self, "aaren", "eu").run({"aaren": {"enabled": True}, "eu": {"replicas": 1}}, command=("lint", "--with-subcharts"))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_condition_leaves_it_out(self):
        umbrella = Umbrella(self, "aaren")
        self.assertEqual(umbrella.objects({"aaren": {"enabled": False}}), [])
        self.assertIn(("StatefulSet", "live-aaren"), names(umbrella.objects({"aaren": {"enabled": True}})))
        self.assertIn(("StatefulSet", "live-aaren"), names(umbrella.objects({})))

    def test_a_tag_leaves_it_out(self):
        self.assertEqual(Umbrella(self, "aaren").objects({"tags": {"forecasts": False}}), [])

    def test_false_without_a_condition_is_refused_by_name(self):
        self.assertIn("condition: aaren.enabled", Umbrella(self, "aaren", condition=False).run({"aaren": {"enabled": False}}).stderr)

    def test_global_values_of_others_are_no_error(self):
        Umbrella(self, "aaren").objects({"global": {"domain": "example.org", "redis": {"password": "x"}}})

    def test_two_instances_share_no_name(self):
        umbrella = Umbrella(self, "aaren", "eu", "us")
        for release in ("live", "eu-us-aaren", "a-release-whose-name-is-very-long-and-ends-late"):
            with self.subTest(release=release):
                found = names(umbrella.objects({name: {"envoy": {"enabled": True}} for name in ("aaren", "eu", "us")}, release))
                self.assertEqual(len(found), len(set(found)))
                self.assertLess(max(len(name) for _, name in found), 64)

    def test_two_instances_select_their_own_pods(self):
        objects = Umbrella(self, "eu", "us").objects({})
        labels = [found["spec"]["template"]["metadata"]["labels"] for found in objects if found["kind"] == "StatefulSet"]
        for service in (found for found in objects if found["kind"] == "Service"):
            self.assertEqual(sum(chart.selects(service["spec"]["selector"], each) for each in labels), 1)

    def test_overridden_names_hold(self):
        found = names(Umbrella(self, "aaren").objects({"aaren": {"fullnameOverride": "forecasts"}}))
        self.assertIn(("StatefulSet", "forecasts"), found)
        self.assertIn(("StatefulSet", "live-streams"), names(Umbrella(self, "aaren").objects({"aaren": {"nameOverride": "streams"}})))


class GlobalTest(unittest.TestCase):
    def test_images_come_from_the_registry_of_all(self):
        objects = Umbrella(self, "aaren").objects({
            "global": {"imageRegistry": "mirror.example:5000"},
            "aaren": {"envoy": {"enabled": True}, "test": {"image": {"repository": "ghcr.io/us/aaren-client"}}}})
        images = {container["image"] for pod in pods(objects) for container in pod["containers"]}
        self.assertEqual(images, {"mirror.example:5000/aaren-server:0.1.0", "ghcr.io/us/aaren-client:0.1.0",
                                  "mirror.example:5000/envoyproxy/envoy:distroless-v1.40.0"})

    def test_pull_secrets_are_those_of_all_and_its_own(self):
        objects = Umbrella(self, "aaren").objects({"global": {"imagePullSecrets": ["all", {"name": "mirror"}]},
                                                   "aaren": {"imagePullSecrets": [{"name": "own"}]}})
        for pod in pods(objects):
            self.assertEqual(pod["imagePullSecrets"], [{"name": "all"}, {"name": "mirror"}, {"name": "own"}])

    def test_volumes_have_the_class_of_all(self):
        for own, given in (("", "fast"), ("slow", "slow"), ("-", "")):
            objects = Umbrella(self, "aaren").objects({"global": {"storageClass": "fast"},
                                                       "aaren": {"persistence": {"storageClassName": own}}})
            sets = [found for found in objects if found["kind"] == "StatefulSet"]
            self.assertEqual(sets[0]["spec"]["volumeClaimTemplates"][0]["spec"]["storageClassName"], given)


class PolicyTest(unittest.TestCase):
    def assert_restricted(self, objects):
        """As OpenShift's admission for "restricted-v2" looks at them: nobody names a user, the rest is as tight."""
        for pod in pods(objects):
            self.assertEqual(set(pod["securityContext"]), {"runAsNonRoot", "fsGroupChangePolicy", "seccompProfile"})
            for container in pod["containers"]:
                self.assertNotIn("runAsUser", container["securityContext"])
                self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
                self.assertFalse(container["securityContext"]["allowPrivilegeEscalation"])

    def test_openshift_chooses_the_user(self):
        run = chart.helm("template", "live", chart.CHART, "--set", "envoy.enabled=true", "--api-versions", "security.openshift.io/v1")
        self.assert_restricted([found for found in yaml.safe_load_all(run.stdout) if found])

    def test_openshift_is_told_another_user_by_name(self):
        run = chart.helm("template", "live", chart.CHART, "--set", "podSecurityContext.fsGroup=7", "--api-versions",
                         "security.openshift.io/v1")
        self.assertEqual(pods(found for found in yaml.safe_load_all(run.stdout) if found)[0]["securityContext"]["fsGroup"], 7)

    def test_an_operator_may_leave_the_user_out(self):
        run = chart.template([f"podSecurityContext.{name}=null" for name in CHOSEN])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assert_restricted([found for found in yaml.safe_load_all(run.stdout) if found])

    def test_an_umbrella_may_leave_the_user_out(self):
        values = {"envoy": {"enabled": True}, "podSecurityContext": {name: "" for name in CHOSEN}}
        self.assert_restricted(Umbrella(self, "aaren").objects({"aaren": values}))

    def test_an_operator_may_name_another_user(self):
        values = {"securityContext": {"readOnlyRootFilesystem": False}, "podSecurityContext": {"runAsUser": 1000}}
        pod = pods(Umbrella(self, "aaren").objects({"aaren": values}))[0]
        self.assertEqual((pod["securityContext"]["runAsUser"], pod["securityContext"]["fsGroup"]), (1000, 65532))
        self.assertFalse(pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"])


# All that operators add, in one release.
ADDED = {
    "image": {"digest": "sha256:" + 64 * "0"}, "commonLabels": {"team": "grid"}, "commonAnnotations": {"owner": "us"},
    "podLabels": {"role": "a"}, "podAnnotations": {"prometheus.io/scrape": "true"},
    "extraArgs": ["--log_level=debug"], "extraEnv": [{"name": "TZ", "value": "UTC"}],
    "extraEnvFrom": [{"secretRef": {"name": "proxies"}}], "extraVolumes": [{"name": "more", "emptyDir": {}}],
    "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}],
    "extraContainers": [{"name": "beside", "image": "x"}], "initContainers": [{"name": "before", "image": "x"}],
    "runtimeClassName": "nvidia", "priorityClassName": "high", "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "gpu", "operator": "Exists"}], "affinity": {"nodeAffinity": {}},
    "dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"]}, "updateStrategy": {"type": "OnDelete"},
    "persistence": {"existingClaim": "mine"}, "networkPolicy": {"egress": [{"ports": [{"port": 6380}]}]},
    "service": {"type": "LoadBalancer", "nodePort": 30000, "labels": {"a": "b"}, "loadBalancerClass": "inner",
                "loadBalancerSourceRanges": ["10.0.0.0/8"]},
    "monitoring": {"labels": {"team": "prom"}, "rules": {"enabled": True}, "dashboards": {"enabled": True, "labels": {"team": "x"}}},
}


class AddedTest(unittest.TestCase):
    def setUp(self):
        self.objects = Umbrella(self, "aaren").objects({"aaren": ADDED})
        self.set = [found for found in self.objects if found["kind"] == "StatefulSet"][0]
        self.pod = self.set["spec"]["template"]["spec"]
        self.server = self.pod["containers"][0]

    def test_every_kubernetes_knows_it(self):
        import chart_test
        location = chart_test.schemas() + "/{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json"
        run = subprocess.run([chart.program("kubeconform"), "-strict", "-skip", chart_test.FOREIGN, "-schema-location", location,
                              "-kubernetes-version", chart_test.VERSIONS[0]], input=yaml.safe_dump_all(self.objects),
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_every_object_has_the_labels_of_all(self):
        for found in self.objects:
            own = "prom" if found["kind"] == "PrometheusRule" else "x" if "-aaren-" in found["metadata"]["name"] and found["kind"] == "ConfigMap" else "grid"
            self.assertEqual(found["metadata"]["labels"]["team"], own, found["metadata"]["name"])
            self.assertEqual(found["metadata"]["annotations"]["owner"], "us")
        labels = self.set["spec"]["template"]["metadata"]["labels"]
        self.assertEqual((labels["team"], labels["role"]), ("grid", "a"))

    def test_selectors_have_none_of_them(self):
        self.assertEqual(set(self.set["spec"]["selector"]["matchLabels"]),
                         {f"app.kubernetes.io/{name}" for name in ("name", "instance", "component")})

    def test_the_server_has_what_was_added(self):
        self.assertEqual(self.server["image"], "aaren-server@sha256:" + 64 * "0")
        self.assertEqual(self.server["args"][-1], "--log_level=debug")
        self.assertEqual([each["name"] for each in self.server["env"]], ["POD_NAME", "TZ"])
        self.assertEqual(self.server["envFrom"], ADDED["extraEnvFrom"])
        self.assertIn({"name": "more", "mountPath": "/more"}, self.server["volumeMounts"])
        self.assertEqual(self.pod["containers"][1], {"name": "beside", "image": "x"})
        for name in ("initContainers", "runtimeClassName", "affinity"):
            self.assertEqual(self.pod[name], ADDED[name])
        self.assertEqual(self.set["spec"]["updateStrategy"], {"type": "OnDelete"})

    def test_every_pod_goes_where_it_may(self):
        for pod in pods(self.objects):
            for name in ("priorityClassName", "nodeSelector", "tolerations", "dnsPolicy", "dnsConfig"):
                self.assertEqual(pod[name], ADDED[name])

    def test_its_claim_is_the_one_that_exists(self):
        self.assertNotIn("volumeClaimTemplates", self.set["spec"])
        self.assertIn({"name": "data", "persistentVolumeClaim": {"claimName": "mine"}}, self.pod["volumes"])

    def test_sidecars_reach_what_is_named(self):
        policy = [found for found in self.objects if found["kind"] == "NetworkPolicy"][0]
        self.assertIn({"ports": [{"port": 6380}]}, policy["spec"]["egress"])

    def test_the_service_is_the_balancer_that_was_asked_for(self):
        service = [found for found in self.objects if found["metadata"]["name"] == "live-aaren" and found["kind"] == "Service"][0]
        self.assertEqual(service["spec"]["ports"][0]["nodePort"], 30000)
        self.assertEqual(service["spec"]["loadBalancerSourceRanges"], ["10.0.0.0/8"])
        self.assertEqual(service["metadata"]["labels"]["a"], "b")

    def test_further_objects_know_the_release(self):
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "{{ .Release.Name }}-x"}}
        self.assertIn(("Secret", "live-x"), names(Umbrella(self, "aaren").objects({"aaren": {"extraObjects": [secret]}})))

    def test_nothing_is_as_good_as_empty(self):
        nothing = {name: None for name in ("nodeSelector", "tolerations", "affinity", "podLabels", "extraEnv", "topologySpread",
                                           "imagePullSecrets", "commonLabels", "securityContext", "podAnnotations")}
        Umbrella(self, "aaren").objects({"aaren": nothing})


if __name__ == "__main__":
    unittest.main()
