"""Sessions of a classifier: probabilities after every row, and the same bytes through kills."""

import array
import hashlib
import json
import math
import os
import random
import shutil
import time
import unittest

from programs import SAMPLES, ServerTest, aaren, fewer, objects, start_aaren

CHANNELS, CLASSES = 3, ("rest", "run", "walk")
ROWS = fewer(3000)
WIDTH, HIDDEN, HEADS, LAYERS = 128, 256, 8, 3


def shapes(steps):
    """The tensors of a classifier, by model/engine/classification/classifier_package.h."""
    tensors = {"embedding.window": [WIDTH, 3 * CHANNELS], "embedding.position": [steps, WIDTH], "norm.weight": [WIDTH],
               "norm.bias": [WIDTH], "head.weight": [steps, len(CLASSES), WIDTH], "head.bias": [len(CLASSES)]}
    for i in range(LAYERS):
        layer = f"layers.{i}."
        tensors[layer + "attention.score.weight"] = [HEADS, WIDTH]
        for name, rows, depth in (("attention.value", WIDTH, WIDTH), ("attention.output", WIDTH, WIDTH),
                                  ("mlp.up", HIDDEN, WIDTH), ("mlp.down", WIDTH, HIDDEN)):
            tensors[layer + name + ".weight"] = [rows, depth]
            tensors[layer + name + ".bias"] = [rows]
        for name in ("norm", "mlp.norm"):
            tensors[layer + name + ".weight"] = tensors[layer + name + ".bias"] = [WIDTH]
    return tensors


def write_package(folder, steps):
    """A classifier with random weights, the same for the same arguments."""
    draw = random.Random(5)
    header, data = {}, array.array("f")
    for name, shape in sorted(shapes(steps).items()):
        begin = 4 * len(data)
        reach = 0.02 if name.startswith("head") else 1.5 / math.sqrt(shape[-1] if len(shape) > 1 else 4)
        data.extend(draw.uniform(-reach, reach) for _ in range(math.prod(shape)))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, 4 * len(data)]}
    text = json.dumps(header).encode()
    weights = len(text).to_bytes(8, "little") + text + data.tobytes()
    manifest = {"format": 1, "kind": "classification", "name": "moves", "version": 1, "description": "random weights",
                "input_version": 1,
                "config": {"steps": steps, "classes": CLASSES, "means": [10.0, 20.0, 30.0], "deviations": [3.0, 3.0, 3.0]},
                "weights": {"file": "weights.safetensors", "sha256": hashlib.sha256(weights).hexdigest()},
                "training": {"early_threshold": "0.75"}}
    os.makedirs(folder)
    with open(os.path.join(folder, "weights.safetensors"), "wb") as file:
        file.write(weights)
    with open(os.path.join(folder, "model.json"), "w") as file:
        json.dump(manifest, file)


class ClassificationTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.server.close()
        write_package(self.path("models/moves"), ROWS)
        bundled = os.path.join(SAMPLES, "..", "..", "model", "bundled", "aaren-univariate")
        shutil.copytree(bundled, self.path("models/aaren-univariate"))
        self.server = self.start_server(*self.own_flags())
        self.rows = []
        with open(self.path("in.csv"), "w") as file:
            file.write("x,y,z\n")
            for i in range(ROWS):
                row = [10 * (c + 1) + 3 * math.sin(0.1 * i * (c + 1)) for c in range(CHANNELS)]
                self.rows.append(row)
                # A missing number here and there.
                file.write(",".join("" if (i + c) % 17 == 0 else f"{value:.3f}" for c, value in enumerate(row)) + "\n")

    def own_flags(self):
        return f"--models={self.path('models')}", "--store=rocksdb", f"--data_dir={self.path('data')}"

    def stream(self, *flags):
        return [*self.stream_unnamed(), "--model=moves", *flags]

    def stream_unnamed(self, *flags):
        return ["stream", f"--target={self.server.target}", f"--csv={self.path('in.csv')}", *flags]

    def serve_by_default(self, model):
        self.server.close()
        self.server = self.start_server(*self.own_flags(), f"--default_model={model}")

    def test_each_row_has_a_probability_of_each_class(self):
        result = aaren(*self.stream())
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = objects(result.stdout)
        self.assertEqual([line["seq"] for line in lines], list(range(ROWS)))
        for line in lines:
            self.assertEqual(tuple(line["probabilities"]), CLASSES)
            self.assertAlmostEqual(sum(line["probabilities"].values()), 1, places=5)
            self.assertEqual(line["probability"], max(line["probabilities"].values()))
            self.assertEqual(line["probability"], line["probabilities"][line["class"]])
        self.assertGreater(len({line["probability"] for line in lines}), ROWS // 2)

    def test_words_name_the_likeliest_class(self):
        objects_of = objects(aaren(*self.stream()).stdout)
        words = aaren(*self.stream("--text")).stdout.splitlines()
        self.assertEqual(len(words), ROWS)
        self.assertEqual([line.split()[2] for line in words], [line["class"] for line in objects_of])

    def test_another_number_of_columns_is_refused_by_name(self):
        result = aaren(*self.stream("--columns=x,y"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 channels; the model classifies series of 3 channels", result.stderr)

    def test_words_of_a_forecaster_are_refused(self):
        result = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('in.csv')}",
                       "--model=aaren-univariate", "--text")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--text", result.stderr)

    def test_a_classifier_that_is_the_servers_default_needs_no_name(self):
        named = aaren(*self.stream()).stdout
        self.serve_by_default("moves")
        unnamed = aaren(*self.stream_unnamed())
        self.assertEqual(unnamed.returncode, 0, unnamed.stderr)
        self.assertEqual(unnamed.stdout, named)

    def stream_half(self, session):
        """The lines of the first half of the rows."""
        with open(self.path("in.csv")) as file, open(self.path("half.csv"), "w") as half:
            half.writelines(file.readlines()[:ROWS // 2 + 1])
        begun = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('half.csv')}", f"--session={session}",
                      "--model=moves")
        self.assertEqual(begun.returncode, 0, begun.stderr)
        self.assertEqual(begun.stdout.count("\n"), ROWS // 2)
        return begun.stdout

    def test_a_kept_session_of_a_classifier_goes_on_without_its_name(self):
        begun = self.stream_half("kept")
        # The server's default is a forecaster.
        rest = aaren(*self.stream_unnamed("--session=kept"))
        self.assertEqual(rest.returncode, 0, rest.stderr)
        self.assertEqual(begun + rest.stdout, aaren(*self.stream()).stdout)

    def test_a_session_has_the_channels_of_its_model(self):
        self.assertEqual(aaren(*self.stream("--session=kept")).returncode, 0)
        target = f"--target={self.server.target}"
        open_here = json.loads(aaren("sessions", "get", "kept", target, "--json").stdout)
        self.assertEqual(aaren("sessions", "evict", "kept", target).returncode, 0)
        at_rest = json.loads(aaren("sessions", "get", "kept", target, "--json").stdout)
        self.assertEqual((open_here["channels"], at_rest["channels"]), (CHANNELS, CHANNELS))

    def test_an_evaluation_has_the_probabilities_of_a_stream(self):
        cases = 6
        with open(self.path("cases.ts"), "w") as file:
            file.write(f"@classLabel true {' '.join(CLASSES)}\n@data\n")
            for i in range(cases):
                part = self.rows[30 * i:30 * i + 20 + i]
                channels = (",".join(f"{row[c]:.3f}" for row in part) for c in range(CHANNELS))
                file.write(":".join((*channels, CLASSES[i % len(CLASSES)])) + "\n")
        result = aaren("evaluate", f"--target={self.server.target}", f"--ts={self.path('cases.ts')}", "--model=moves", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        score = json.loads(result.stdout)
        right = 0
        for i in range(cases):
            with open(self.path("case.csv"), "w") as file:
                file.write("x,y,z\n")
                for row in self.rows[30 * i:30 * i + 20 + i]:
                    file.write(",".join(f"{value:.3f}" for value in row) + "\n")
            lines = aaren("stream", f"--target={self.server.target}", f"--csv={self.path('case.csv')}", "--model=moves").stdout
            right += objects(lines)[-1]["class"] == CLASSES[i % len(CLASSES)]
        self.assertEqual(score["cases"], cases)
        self.assertAlmostEqual(score["accuracy"], right / cases, places=5)
        self.assertAlmostEqual(score["accuracy_by_share"][-1], score["accuracy"], places=5)
        self.assertEqual(score["threshold"], 0.75)

    def whole_record(self):
        whole = aaren(*self.stream("--session=whole", f"--output={self.path('whole.jsonl')}"))
        self.assertEqual(whole.returncode, 0, whole.stderr)
        return self.read("whole.jsonl")

    def begin_record(self):
        return start_aaren(*self.stream("--session=cut", f"--output={self.path('cut.jsonl')}"))

    def await_bytes(self, process, size):
        path = self.path("cut.jsonl")
        while process.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < size):
            time.sleep(0.001)
        return process.poll() is None

    def test_a_session_exported_and_imported_goes_on_with_the_same_bytes(self):
        begun = self.stream_half("half")
        target = f"--target={self.server.target}"
        exported = aaren("sessions", "export", "half", f"--output={self.path('half.session')}", target)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        imported = aaren("sessions", "import", "copy", f"--input={self.path('half.session')}", target)
        self.assertEqual(imported.returncode, 0, imported.stderr)
        rest = aaren(*self.stream_unnamed("--session=copy"))
        self.assertEqual(rest.returncode, 0, rest.stderr)
        self.assertEqual(begun + rest.stdout, aaren(*self.stream()).stdout)

    def test_a_server_killed_in_the_middle_leaves_the_same_record(self):
        whole = self.whole_record()
        process = self.begin_record()
        kills = 0
        for part in range(1, 4):
            if self.await_bytes(process, len(whole) * part // 4):
                self.server.kill()
                self.server = self.start_server(*self.own_flags(), listen=self.server.target)
                kills += 1
        errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreater(kills, 0)
        self.assertEqual(self.read("cut.jsonl"), whole)

    def test_a_client_killed_in_the_middle_goes_on_with_the_same_record(self):
        whole = self.whole_record()
        process = self.begin_record()
        self.await_bytes(process, len(whole) // 2)
        process.kill()
        process.communicate()
        again = self.begin_record()
        errors = again.communicate(timeout=120)[1]
        self.assertEqual(again.returncode, 0, errors)
        self.assertEqual(self.read("cut.jsonl"), whole)


if __name__ == "__main__":
    unittest.main()
