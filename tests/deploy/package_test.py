"""deploy/package's files serve a forecast from a root that holds nothing but them and the packages that they ask for."""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import bare_root

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["AAREN_BUILD"]


def lacks():
    """Why this machine cannot pack, or cannot start what it packed."""
    if os.environ["AAREN_SANITIZE"]:
        return "programs under a sanitizer are not packed"
    if not all(os.path.exists(os.path.join(BUILD, "bin", program)) for program in ("aaren", "aaren-server")):
        return "the programs are not built"
    missing = [program for program in ("cpack", "dpkg-shlibdeps", "file") if not shutil.which(program)]
    if missing:
        return f"{', '.join(missing)}: missing; deploy/setup --with-packaging installs what packs"
    return bare_root.lacks()


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        why = lacks()
        if why:
            raise unittest.SkipTest(why)
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        packed = os.path.join(holder.name, "packed")
        subprocess.run(["cpack", "--config", os.path.join(BUILD, "packing.cmake"), "-B", packed], check=True, capture_output=True)
        (cls.package,), (cls.archive,) = (glob.glob(os.path.join(packed, name)) for name in ("*.deb", "*.tar.gz"))
        cls.root = bare_root.make(holder.name, cls.package)
        subprocess.run(["tar", "-x", "-z", "-C", os.path.join(cls.root, "opt"), "-f", cls.archive], check=True)
        shutil.copy(os.path.join(ROOT, "tests", "data", "weather.csv"), os.path.join(cls.root, "tmp"))

    def inside(self, *command):
        process = bare_root.inside(self.root, *command)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        return process

    def forecasts(self, programs):
        server = self.inside(f"{programs}/aaren-server", "--listen=127.0.0.1:0", "--metrics_listen=", "--store=memory")
        ready = server.stdout.readline()
        self.assertTrue(ready.startswith("ready listen="), ready or server.stderr.read())
        target = ready.split()[1].removeprefix("listen=")
        client = self.inside(f"{programs}/aaren", "stream", f"--target={target}", "--csv=/tmp/weather.csv", "--horizon=3", "--json")
        lines = [json.loads(client.stdout.readline()) for _ in range(50)]
        self.assertEqual(len(lines[-1]["quantiles"]["0.5"]), 3)
        client.terminate()
        server.terminate()
        self.assertEqual(server.wait(), 0, "the server stops in good order")

    def test_forecasts_where_the_package_is_installed(self):
        self.forecasts("/usr/bin")

    def test_forecasts_where_the_archive_is_unpacked(self):
        (folder,) = os.listdir(os.path.join(self.root, "opt"))
        self.forecasts(f"/opt/{folder}/bin")

    def test_asks_for_the_packages_of_the_libraries_that_are_loaded(self):
        depends = subprocess.run(["dpkg-deb", "-f", self.package, "Depends"], capture_output=True, text=True, check=True).stdout
        for name in ("libc6", "libgrpc++", "libprotobuf", "librocksdb", "libstdc++6"):
            self.assertIn(name, depends)

    def test_unit_is_one_that_systemd_takes(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is missing")
        unit = os.path.join(self.root, "usr", "lib", "systemd", "system", "aaren-server.service")
        with open(unit, encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            here = os.path.join(folder, os.path.basename(unit))
            with open(here, "w", encoding="utf-8") as file:
                file.write(text.replace("/usr/bin/aaren-server", os.path.join(self.root, "usr", "bin", "aaren-server")))
            run = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
