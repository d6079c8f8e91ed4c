"""deploy/setup on a machine that lacks the files of wheels.txt, and reaches no package index."""

import os
import subprocess
import tempfile
import unittest

SETUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "deploy", "setup")


class SetupTest(unittest.TestCase):
    def run_with(self, index):
        """Every package counts as installed, so nothing is."""
        with tempfile.TemporaryDirectory() as folder:
            for name, script in (("dpkg-query", "echo installed"), ("apt-get", "exit 1")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{script}\n")
                os.chmod(file.name, 0o755)
            environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "XDG_CACHE_HOME": folder,
                           "PIP_INDEX_URL": index, "no_proxy": "*"}
            return subprocess.run([SETUP, "--without-training"], env=environment, capture_output=True, text=True)

    def test_an_index_that_cannot_be_read_is_named_without_its_credentials(self):
        for credentials in ("user:token@", "token@", ""):
            with self.subTest(credentials=credentials):
                run = self.run_with(f"http://{credentials}127.0.0.1:1/simple")
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, r"its package index http://(\*\*\*@)?127\.0\.0\.1:1/simple/\S+/ cannot be read")
                self.assertNotIn("token", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
