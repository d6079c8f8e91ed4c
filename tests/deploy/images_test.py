"""The images hold what the programs load; what the compose file mounts is there."""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest

import chart

DOCKER = os.path.join(chart.ROOT, "deploy", "docker")


def compose():
    return chart.load(os.path.join(DOCKER, "compose.yaml"))["services"]


class DockerfileTest(unittest.TestCase):
    def test_hadolint_finds_nothing_to_say(self):
        run = subprocess.run([chart.program("hadolint"), os.path.join(DOCKER, "Dockerfile")], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_the_chart_starts_the_user_of_the_image(self):
        with open(os.path.join(DOCKER, "Dockerfile"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("USER 65532:65532\n"), 3)
        self.assertEqual(chart.Objects([]).server()["securityContext"]["runAsUser"], 65532)


class StageTest(unittest.TestCase):
    def test_packages_are_those_whose_libraries_are_loaded(self):
        if not chart.shutil.which("dpkg-query"):
            self.skipTest("this is not Debian")
        binaries = os.path.dirname(chart.server_program())
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.path.join(DOCKER, "stage"), binaries, os.path.join(chart.ROOT, "model", "bundled"), folder],
                           check=True)
            with open(os.path.join(folder, "server.packages"), encoding="utf-8") as file:
                packages = file.read().split()
            self.assertTrue(os.path.exists(os.path.join(folder, "share", "aaren", "models", "aaren-univariate", "model.json")))
        # Another architecture's package may be installed beside this one's.
        own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
        files = subprocess.run(["dpkg-query", "-L", *(f"{package}:{own}" for package in packages)], capture_output=True,
                               text=True, check=True).stdout
        owned = {os.path.basename(path) for path in files.split()}
        loaded = subprocess.run(["ldd", os.path.join(binaries, "aaren-server")], capture_output=True, text=True, check=True).stdout
        self.assertEqual({line.split()[0] for line in loaded.splitlines() if "=> /" in line} - owned, set())


class SbomTest(unittest.TestCase):
    """Of this machine, as if it were an image."""

    def setUp(self):
        if not chart.shutil.which("dpkg-query"):
            self.skipTest("this is not Debian")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "bin", "a program")
        os.makedirs(os.path.dirname(self.file))
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("content")
        run = subprocess.run([os.path.join(DOCKER, "sbom"), "aaren-server", "0.1.0", folder.name], check=True,
                             capture_output=True, text=True)
        self.document = json.loads(run.stdout)

    def test_lists_every_installed_package_with_its_version(self):
        lines = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n"], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        installed = {tuple(line.split()[1:]) for line in lines if line.startswith("installed ")}
        listed = {(package["name"], package["versionInfo"]) for package in self.document["packages"]}
        self.assertEqual(listed - installed, {("aaren-server", "0.1.0")})
        self.assertEqual(installed - listed, set())

    def test_has_the_sums_of_our_files(self):
        (file,) = self.document["files"]
        self.assertEqual(file["fileName"], f".{self.file}")
        self.assertEqual({one["algorithm"]: one["checksumValue"] for one in file["checksums"]},
                         {"SHA1": hashlib.sha1(b"content").hexdigest(), "SHA256": hashlib.sha256(b"content").hexdigest()})

    def test_everything_in_it_belongs_to_the_image(self):
        ids = [element["SPDXID"] for element in self.document["packages"] + self.document["files"]]
        related = [relation["relatedSpdxElement"] for relation in self.document["relationships"]]
        self.assertEqual(sorted(ids), sorted(related))
        self.assertEqual(len(ids), len(set(ids)))


class ComposeTest(unittest.TestCase):
    def test_mounts_what_is_there(self):
        for name, service in compose().items():
            for source in (volume.split(":")[0] for volume in service.get("volumes", [])):
                if source.startswith("."):
                    self.assertTrue(os.path.exists(os.path.join(DOCKER, source)), f"{name}: {source}")

    def test_prometheus_finds_its_rules(self):
        for path in chart.load(os.path.join(DOCKER, "prometheus.yaml"))["rule_files"]:
            self.assertTrue(os.path.exists(path.replace("/etc/prometheus/rules", f"{chart.ROOT}/deploy/prometheus")), path)

    def test_servers_know_all_their_flags(self):
        for name in ("server-0", "server-1"):
            subprocess.run([chart.server_program(), *compose()[name]["command"], "--print_config"], check=True,
                           stdout=subprocess.DEVNULL)

    def test_only_this_machine_reaches_it(self):
        for name, service in compose().items():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name}: {port}")


if __name__ == "__main__":
    unittest.main()
