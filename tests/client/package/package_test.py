"""Installs the C++ client into an empty folder and uses it from outside: find_package, one header, one target."""

import os
import re
import subprocess
import tempfile
import unittest

from programs import Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
EXAMPLES = os.path.join(ROOT, "client", "examples")

# A program from outside has not what the tests' own have in front of Abseil's locks (tests/tsan/), so ThreadSanitizer
# sees races in it where there are none. Elsewhere nobody reads this.
OUTSIDE = dict(os.environ, TSAN_OPTIONS="report_bugs=0")


def run(*command, **options):
    """What a command printed; its words are shown where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = os.path.join(folder.name, "prefix")
        cls.build = os.path.join(folder.name, "build")
        run(os.environ["CMAKE"], "--install", os.environ["AAREN_BUILD"], "--prefix", cls.prefix)
        run(os.environ["CMAKE"], "-S", EXAMPLES, "-B", cls.build, f"-DCMAKE_PREFIX_PATH={cls.prefix}", cwd=folder.name)
        run(os.environ["CMAKE"], "--build", cls.build, cwd=folder.name)
        cls.program = os.path.join(cls.build, "forecast")

    def headers(self):
        for folder, _, names in os.walk(os.path.join(self.prefix, "include")):
            yield from (os.path.join(folder, name) for name in names)

    def test_program_forecasts_and_deletes_its_session(self):
        server = Server()
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.errors.close)
        self.addCleanup(server.kill)
        printed = run(self.program, server.target, env=OUTSIDE)
        self.assertRegex(printed, r"48 forecasts by [\w-]+:\d+; the next value is between -?[\d.]+ and -?[\d.]+\n")
        self.assertIn("example has 48 tokens\n", printed)
        self.assertEqual(server.metric("aaren_sessions"), 0)

    def test_program_says_that_nobody_listens(self):
        done = subprocess.run([self.program, "127.0.0.1:1"], stderr=subprocess.PIPE, text=True, check=False,
                              env=OUTSIDE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("UNAVAILABLE", done.stderr)

    def test_headers_show_neither_grpc_nor_protobuf(self):
        names = [os.path.relpath(path, self.prefix) for path in self.headers()]
        self.assertIn("include/aaren/client.h", names)
        for path in self.headers():
            code = re.sub(r"//[^\n]*", "", read(path))
            self.assertIsNone(re.search(r"grpc|google|protobuf|\.pb\.h|v1::", code), path)

    def test_every_header_stands_alone(self):
        for path in self.headers():
            name = os.path.relpath(path, os.path.join(self.prefix, "include"))
            run(os.environ["CXX"], "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
                os.path.join(self.prefix, "include"), "-x", "c++", "-", input=f"#include <{name}>\n#include <{name}>\n")

    def test_readme_shows_the_program_that_is_compiled(self):
        readme = read(ROOT, "client", "cpp", "README.md")
        self.assertIn(read(EXAMPLES, "forecast.cc"), readme)
        self.assertIn(read(EXAMPLES, "CMakeLists.txt"), readme)
