"""The chart's settings are the server's: each is known to the schema, and what is rendered is read by the real server."""

import json
import os
import re
import subprocess
import tempfile
import unittest

import chart
from chart import SHARED, VALUES, Objects

# Made of values of the chart's own: no operator sets them by their names.
MADE = {"listen", "metrics_listen", "models", "store", "data_dir", "sync", "redis", "redis_password_file", "redis_prefix",
        "redis_timeout", "redis_sentinel", "redis_ca", "redis_cert", "redis_key",
        "advertise", "grace", "tls_cert", "tls_key", "tls_client_ca", "callers", "insecure",
        "jwks", "jwt_issuer", "jwt_audience", "admin_address", "trace_ca",
        "salvage"}  # a server with salvage serves nothing


def fields():
    """Of ServerConfig, the type of each."""
    with open(os.path.join(chart.ROOT, "server", "program", "config", "server_config.proto"), encoding="utf-8") as file:
        return {name: kind for kind, name in re.findall(r"^  optional (\w+) (\w+) = \d+ \[default", file.read(), re.MULTILINE)}


def schema():
    with open(os.path.join(chart.CHART, "values.schema.json"), encoding="utf-8") as file:
        return json.load(file)["properties"]


def read_by_server(text):
    """All settings as the server understood them."""
    with tempfile.NamedTemporaryFile("w", suffix=".textproto") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([chart.server_program(), f"--config={file.name}", "--print_config"], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"{run.stderr}\n{text}")
    return run.stdout


class SchemaTest(unittest.TestCase):
    def test_knows_each_setting_of_the_server(self):
        self.assertEqual(set(schema()["settings"]["properties"]) | MADE, set(fields()))

    def test_leaves_to_the_chart_what_it_makes(self):
        self.assertFalse(set(schema()["settings"]["properties"]) & MADE)

    def test_numbers_are_numbers_and_words_are_words(self):
        for name, rule in schema()["settings"]["properties"].items():
            integer = rule.get("type") == "integer" or rule.get("$ref") == "#/definitions/count"
            self.assertEqual(integer, fields()[name] in ("uint32", "uint64"), name)

    def test_describes_every_value(self):
        self.assertEqual(set(chart.load(os.path.join(chart.CHART, "values.yaml"))) | {"global", "tags", "enabled"}, set(schema()))


class SettingsTest(unittest.TestCase):
    def test_the_server_reads_every_rendering(self):
        for name, values in VALUES.items():
            with self.subTest(values=name):
                read_by_server(Objects(values).settings())

    def test_the_server_reads_each_setting_as_it_was_given(self):
        given = {"max_rows": 4194303, "message_bytes": 8388608, "save_interval": "250ms", "log_level": "warning",
                 "log_format": "text", "device": "cpu", "default_model": "mine:2", "shards": 3,
                 "trace_endpoint": "collector:4317", "trace_sampling": 0.01}
        read = read_by_server(Objects([f"settings.{name}={value}" for name, value in given.items()]).settings())
        for name, value in given.items():
            capital = name in ("log_level", "log_format", "device")
            quoted = f'"{value}"' if name in ("save_interval", "default_model", "trace_endpoint") else str(value).upper() if capital else value
            self.assertIn(f"{name}: {quoted}\n", read)

    def test_redis_comes_with_its_password(self):
        read = read_by_server(Objects(VALUES["shared"]).settings())
        self.assertIn("store: REDIS\n", read)
        self.assertIn('redis: "redis-0.redis:6379,redis-1.redis:6379"\n', read)
        self.assertIn('redis_password_file: "/etc/aaren/redis/password"\n', read)

    def test_redis_comes_with_its_sentinel_and_certificates(self):
        read = read_by_server(Objects(VALUES["shared by TLS and a Sentinel"]).settings())
        for setting in ('redis_sentinel: "fleet"', 'redis_ca: "/etc/aaren/redis-tls/ca.crt"',
                        'redis_cert: "/etc/aaren/redis-tls/tls.crt"', 'redis_key: "/etc/aaren/redis-tls/tls.key"'):
            self.assertIn(setting + "\n", read)

    def test_the_admin_address_is_the_pods_own(self):
        self.assertNotIn("admin_address", Objects([]).settings())
        for bind, own in (("0.0.0.0", "127.0.0.1"), ("[::]", "[::1]")):
            read = read_by_server(Objects(["adminPort=7862", f"bindAddress={bind}"]).settings())
            self.assertIn(f'admin_address: "{own}:7862"\n', read)

    def test_the_server_takes_what_the_chart_makes_of_an_operators_tenant(self):
        guarded = Objects([*VALUES["guarded"], "adminPort=7862", "settings.admin_tenant=ops"])
        self.assertIn('admin_tenant: "ops"\n', read_by_server(guarded.settings()))

    def test_plain_text_is_said_only_without_tls(self):
        self.assertIn("insecure: true", Objects(SHARED).settings())
        self.assertNotIn("insecure", Objects(VALUES["guarded"]).settings())

    def test_threads_follow_the_cores_that_are_granted(self):
        for cpu, shards in (("resources.limits.cpu=2500m", 3), ("resources.limits.cpu=4", 4), ("resources.requests.cpu=500m", 1)):
            self.assertIn(f"shards: {shards}\n", Objects([cpu]).settings() + "\n")

    def test_a_changed_setting_restarts_the_servers(self):
        marks = [Objects(values).one("StatefulSet")["spec"]["template"]["metadata"]["annotations"]["checksum/settings"]
                 for values in ([], ["settings.save_interval=1s"])]
        self.assertNotEqual(*marks)


if __name__ == "__main__":
    unittest.main()
