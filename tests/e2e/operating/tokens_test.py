"""Whom an identity provider vouches for: its tokens are signed by openssl, and shown by the client."""

import base64
import json
import os
import subprocess
import time
import unittest

import programs


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, **options).stdout


class TokensTest(programs.ServerTest):
    def setUp(self):
        super().setUp()
        self.key = self.path("provider.pem")
        openssl("genrsa", "-out", self.key, "2048")
        modulus = openssl("rsa", "-in", self.key, "-noout", "-modulus").decode().strip().partition("=")[2]
        key = {"kty": "RSA", "kid": "1", "n": base64url(bytes.fromhex(modulus)), "e": "AQAB"}
        with open(self.path("keys.json"), "w") as file:
            json.dump({"keys": [key]}, file)
        programs.write_series(self.path("rows.csv"), 50)
        self.server = self.start_server(f"--jwks={self.path('keys.json')}", "--jwt_issuer=https://login.example",
                                        "--jwt_audience=aaren")

    def token(self, algorithm="RS256", **claims):
        claims = {"iss": "https://login.example", "aud": ["aaren"], "exp": time.time() + 600, "tenant": "acme",
                  "role": "stream", **claims}
        header = {"alg": algorithm, "kid": "1"}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        return text + "." + base64url(openssl("dgst", "-sha256", "-sign", self.key, input=text.encode()))

    def run_with(self, token, *arguments):
        with open(self.path("token"), "w") as file:
            file.write(token)
        return programs.aaren(*arguments, f"--target={self.server.target}", f"--token_file={self.path('token')}")

    def test_its_tokens_stream_and_see_their_tenants_sessions(self):
        reply = self.run_with(self.token(), "stream", f"--csv={self.path('rows.csv')}", "--columns=load", "--session=a")
        self.assertEqual(reply.returncode, 0, reply.stderr)
        self.assertEqual(len(reply.stdout.splitlines()), 50)
        self.assertEqual(self.run_with(self.token(), "sessions", "get", "a").returncode, 0)
        self.assertNotEqual(self.run_with(self.token(tenant="other"), "sessions", "get", "a").returncode, 0)

    def test_others_are_refused(self):
        altered = self.token().split(".")
        altered[1] = self.token(role="admin").split(".")[1]
        for token in ("banana", ".".join(altered), self.token(iss="https://evil.example"), self.token(aud="others"),
                      self.token(exp=time.time() - 60), self.token(tenant="a/b"), self.token(role="root"),
                      self.token("none"), self.token("HS256")):
            reply = self.run_with(token, "models", "list")
            self.assertNotEqual(reply.returncode, 0, token)
            self.assertIn("UNAUTHENTICATED", reply.stderr)
        self.assertEqual(programs.aaren("models", "list", f"--target={self.server.target}").returncode, 1)

    def test_keys_without_an_issuer_are_refused_at_the_start(self):
        server = os.path.join(programs.BIN, "aaren-server")
        reply = subprocess.run([server, f"--jwks={self.path('keys.json')}", "--listen=127.0.0.1:0"],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual(reply.returncode, 2)
        self.assertIn("jwks: give jwt_issuer and jwt_audience", reply.stderr)


if __name__ == "__main__":
    unittest.main()
