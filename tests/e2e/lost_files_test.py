"""A server whose folder lacks what was written: refused by name, untouched, and three ways on."""

import os
import shutil
import subprocess
import time
import unittest

from programs import BIN, ServerTest, aaren, objects, start_aaren

SESSIONS = 100


class LostFilesTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.server.close()
        self.data = self.path("data")
        server = self.start("--memory=64MB")  # small buffers: several files
        self.addCleanup(server.close)
        load = start_aaren("load", f"--target={server.target}", f"--sessions={SESSIONS}", "--duration=60s")
        self.addCleanup(load.stderr.close)
        self.addCleanup(load.wait)
        time.sleep(3)
        load.kill()  # or the sessions would be deleted at its end
        self.assertEqual(server.stop(), 0)
        server = self.start()
        self.sessions = self.listed(server)
        self.assertEqual(len(self.sessions), SESSIONS)
        self.assertEqual(server.stop(), 0)
        self.manifest = self.find("MANIFEST-")[0]
        with open(self.manifest, "rb+") as file:
            file.truncate(os.path.getsize(self.manifest) - 20)

    def start(self, *flags):
        return self.start_server("--store=rocksdb", f"--data_dir={self.data}", *flags)

    def find(self, what):
        folder = os.path.join(self.data, "rocksdb")
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if what in name]

    def listed(self, server):
        run = aaren("sessions", "list", f"--target={server.target}", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return {session["session_id"]: session["next_seq"] for session in objects(run.stdout)}

    def files(self):
        found = {}
        for place, _, names in os.walk(self.data):
            for name in set(names) - {"owner"}:
                with open(os.path.join(place, name), "rb") as file:
                    found[os.path.join(place, name)] = file.read()
        return found

    def salvage(self, to):
        return subprocess.run(
            [os.path.join(BIN, "aaren-server"), "--store=rocksdb", f"--data_dir={self.data}", f"--salvage={to}"],
            capture_output=True, text=True, timeout=60)

    def test_manifest_short_of_20_bytes_is_refused_by_name_and_no_file_is_touched(self):
        before = self.files()
        with self.assertRaisesRegex(RuntimeError, os.path.basename(self.manifest) + r" has \d+ bytes, and \d+ were written"):
            self.start()
        self.assertEqual(self.files(), before)

    def test_salvage_of_a_short_manifest_copies_every_session_and_changes_nothing(self):
        before = self.files()
        run = self.salvage(self.path("saved"))
        self.assertIn(os.path.basename(self.manifest), run.stdout)
        self.assertIn(f"copied {len(self.sessions)} sessions", run.stdout)
        self.assertEqual(run.returncode, 1, "something was missing")
        self.assertEqual(self.files(), before)
        self.data = self.path("saved")
        self.assertEqual(self.listed(self.start()), self.sessions)

    def test_accepted_loss_of_a_short_manifest_loses_nothing_and_later_starts_need_no_flag(self):
        server = self.start("--accept_loss")
        self.assertEqual(self.listed(server), self.sessions)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.listed(self.start()), self.sessions)

    def test_salvage_without_rows_names_each_session_that_is_lost(self):
        for rows in self.find(".blob"):
            os.remove(rows)
        run = self.salvage(self.path("saved"))
        self.assertEqual(run.returncode, 1)
        self.data = self.path("saved")
        lost = set(self.sessions) - set(self.listed(self.start()))
        self.assertGreater(len(lost), 0)
        for session in lost:
            self.assertRegex(run.stdout, rf"session '[^']*{session}'")

    def test_salvage_overwrites_nothing(self):
        os.mkdir(self.path("saved"))
        with open(self.path("saved/file"), "w"):
            pass
        run = self.salvage(self.path("saved"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("is no empty folder", run.stderr)


@unittest.skipIf(os.geteuid() != 0, "only root may freeze a disk")
class HangingDiskTest(ServerTest):
    """Writes to a file system that is frozen wait, and nobody is told anything."""

    def setUp(self):
        super().setUp()
        self.server.close()
        self.disk = f"/tmp/aaren_hanging_disk_{os.getpid()}"
        os.makedirs(self.disk, exist_ok=True)
        self.addCleanup(os.rmdir, self.disk)
        image = self.path("image")
        with open(image, "wb") as file:
            file.truncate(300 << 20)
        if shutil.which("mkfs.ext4") is None or subprocess.run(["mkfs.ext4", "-q", image], capture_output=True).returncode:
            self.skipTest("no ext4 can be made here")
        if subprocess.run(["mount", "-o", "loop", image, self.disk], capture_output=True).returncode:
            self.skipTest("this machine lets nobody mount an image")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.server = self.start_server("--store=rocksdb", f"--data_dir={self.disk}/data", "--save_interval=100ms",
                                        "--store_grace=2s")

    def freeze(self):
        if subprocess.run(["fsfreeze", "-f", self.disk], capture_output=True).returncode:
            self.skipTest("this machine lets nobody freeze a file system")
        self.addCleanup(subprocess.run, ["fsfreeze", "-u", self.disk], capture_output=True)

    def wait_until_available_is(self, wanted, within):
        deadline = time.monotonic() + within
        while self.server.metric("aaren_store_available") != wanted:
            self.assertLess(time.monotonic(), deadline, self.server.log())
            time.sleep(0.1)

    def test_a_disk_whose_writes_hang_is_told_and_everything_goes_on_afterwards(self):
        load = ["load", f"--target={self.server.target}", "--sessions=50", "--duration=2s"]
        self.assertEqual(aaren(*load).returncode, 0)
        self.freeze()
        self.addCleanup(subprocess.run, ["fsfreeze", "-u", self.disk], capture_output=True)
        aaren(*load, timeout=60)
        self.wait_until_available_is(0, within=20)
        health = aaren("health", f"--target={self.server.target}", "--service=aaren.v1.Streaming")
        self.assertNotEqual(health.returncode, 0, health.stdout)
        subprocess.run(["fsfreeze", "-u", self.disk], check=True)
        self.wait_until_available_is(1, within=30)
        again = aaren(*load)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
