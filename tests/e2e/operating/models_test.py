"""Models that come, go and break while the server serves: running sessions never notice."""

import json
import os
import shutil
import subprocess
import time

from programs import BIN, ServerTest, aaren, objects, write_series

ROWS = 300
BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "model", "bundled", "aaren-univariate")
NAME = "aaren-univariate"


class Stream:
    """A client to which rows are given a part at a time."""

    def __init__(self, server, session, rows):
        self.process = subprocess.Popen(
            [os.path.join(BIN, "aaren"), "stream", f"--target={server.target}", "--csv=-", f"--session={session}", "--horizon=6",
             "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.header, *self.rows = rows
        self.process.stdin.write(self.header)

    def send(self, count):
        """So many rows, and the forecasts of them."""
        for row in self.rows[:count]:
            self.process.stdin.write(row)
        del self.rows[:count]
        self.process.stdin.flush()
        return [json.loads(self.process.stdout.readline()) for _ in range(count)]

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class ModelsTest(ServerTest):
    def setUp(self):
        super().setUp()
        write_series(self.path("all.csv"), ROWS, columns=("load",))
        with open(self.path("all.csv")) as file:
            self.rows = file.readlines()
        os.mkdir(self.path("models"))
        self.package(1)
        self.live = self.start_server(f"--models={self.path('models')}", "--models_period=50ms")

    def package(self, version, folder=None):
        """The bundled weights as another version."""
        folder = folder or self.path(f"models/v{version}")
        shutil.copytree(BUNDLED, folder)
        with open(os.path.join(folder, "model.json")) as file:
            model = json.load(file)
        model["version"] = version
        with open(os.path.join(folder, "model.json"), "w") as file:
            json.dump(model, file)

    def labels(self, text):
        with open(self.path("models/.labels"), "w") as file:
            file.write(text)
        os.rename(self.path("models/.labels"), self.path("models/labels"))

    def client(self, session):
        stream = Stream(self.live, session, self.rows)
        self.addCleanup(stream.close)
        return stream

    def expected(self):
        """What a server whose models never change answers."""
        result = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('all.csv')}", "--session=still",
                       "--horizon=6", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return objects(result.stdout)

    def models(self):
        result = aaren("models", "list", f"--target={self.live.target}", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return {f"{model['name']}:{model['version']}": model for model in objects(result.stdout)}

    def eventually(self, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, self.live.log())
            time.sleep(0.02)

    def model_of(self, session, model):
        """That a new session gets which is opened so."""
        result = aaren("stream", f"--target={self.live.target}", f"--csv={self.path('all.csv')}", f"--session={session}",
                       f"--model={model}", "--horizon=6", "--json")
        if result.returncode != 0:
            return result.stderr
        got = aaren("sessions", "get", session, f"--target={self.live.target}", "--json")
        return objects(got.stdout)[0]["model"]

    def test_running_session_keeps_its_bits_while_packages_come_break_and_go(self):
        stream = self.client("running")
        answers = stream.send(60)
        self.package(2)
        self.eventually(lambda: f"{NAME}:2" in self.models())
        answers += stream.send(60)
        os.mkdir(self.path("models/broken"))
        shutil.copy(os.path.join(BUNDLED, "model.json"), self.path("models/broken"))
        self.eventually(lambda: self.live.metric("aaren_model_load_failures_total") > 0)
        answers += stream.send(60)
        shutil.rmtree(self.path("models/v1"))
        self.eventually(lambda: self.models()[f"{NAME}:1"]["state"] == "retiring")
        answers += stream.send(ROWS - 180)
        self.assertEqual(answers, self.expected())

    def test_package_that_appears_serves_new_sessions(self):
        self.package(2)
        self.eventually(lambda: f"{NAME}:2" in self.models())
        self.assertEqual(self.model_of("new", NAME), f"{NAME}:2")

    def test_broken_package_is_named_and_the_others_serve_on(self):
        self.package(2, self.path("half"))
        with open(self.path("half/weights.safetensors"), "r+b") as file:
            file.truncate(1000)
        os.rename(self.path("half"), self.path("models/half"))
        self.eventually(lambda: "model refused" in self.live.log())
        text = aaren("models", "list", f"--target={self.live.target}").stdout
        self.assertIn("half", text)
        self.assertIn("weights.safetensors", text)
        self.assertEqual(self.model_of("new", NAME), f"{NAME}:1")

    def test_removed_model_is_unloaded_with_its_last_session(self):
        self.package(2)
        self.eventually(lambda: f"{NAME}:2" in self.models())
        stream = self.client("last")
        stream.send(10)
        shutil.rmtree(self.path("models/v1"))
        self.eventually(lambda: self.models()[f"{NAME}:1"]["state"] == "retiring")
        self.assertEqual(self.models()[f"{NAME}:1"]["sessions"], 1)
        self.assertIn("NOT_FOUND", self.model_of("late", f"{NAME}:1"))
        stream.close()
        self.assertEqual(aaren("sessions", "delete", "last", f"--target={self.live.target}").returncode, 0)
        self.eventually(lambda: f"{NAME}:1" not in self.models())
        self.assertNotIn(f'{NAME}:1"', self.live.metrics())

    def test_session_goes_on_with_another_version_where_it_was(self):
        self.package(2)
        self.eventually(lambda: f"{NAME}:2" in self.models())
        stream = self.client("moving")
        answers = stream.send(40)
        refused = aaren("sessions", "migrate", "moving", f"--model={NAME}:2", f"--target={self.live.target}")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("a stream has the session open", refused.stderr)
        stream.close()
        moved = aaren("sessions", "migrate", "moving", f"--model={NAME}:2", f"--target={self.live.target}", "--json")
        self.assertEqual(moved.returncode, 0, moved.stderr)
        info = objects(moved.stdout)[0]
        self.assertEqual((info["model"], info["next_seq"]), (f"{NAME}:2", 40))
        rest = aaren("stream", f"--target={self.live.target}", f"--csv={self.path('all.csv')}", "--session=moving", "--horizon=6",
                     "--json")
        self.assertEqual(rest.returncode, 0, rest.stderr)
        self.assertEqual(answers + objects(rest.stdout), self.expected())  # its weights are the same

    def test_label_names_the_version_that_it_has_now(self):
        self.package(2)
        self.labels(f"{NAME}@stable 1\n")
        self.eventually(lambda: f"{NAME}:2" in self.models() and "model label" in self.live.log())
        self.assertEqual(self.model_of("before", f"{NAME}@stable"), f"{NAME}:1")
        self.labels(f"{NAME}@stable 2\n")
        self.eventually(lambda: self.models()[f"{NAME}:2"].get("labels") == ["stable"])
        self.assertEqual(self.model_of("after", f"{NAME}@stable"), f"{NAME}:2")
        self.assertEqual(self.model_of("before", f"{NAME}@stable"), f"{NAME}:1")

    def test_canary_gets_all_new_sessions_of_the_bare_name_at_its_share(self):
        self.package(2)
        self.labels(f"{NAME}@stable 1\n{NAME}@canary 2 100%\n")
        self.eventually(lambda: self.models().get(f"{NAME}:2", {}).get("labels") == ["canary"])
        self.assertEqual(self.model_of("bare", NAME), f"{NAME}:2")
        self.assertEqual(self.model_of("named", f"{NAME}:1"), f"{NAME}:1")
        self.assertGreater(self.live.metric("aaren_model_tokens_total"), 0)
