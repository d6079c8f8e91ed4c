"""A real Envoy with the chart's configuration takes up certificates and authorities that Kubernetes renews."""

import os
import shutil
import socket
import ssl
import tempfile
import threading
import time
import unittest

import chart
from chart import Objects
from peers import envoy, http2, tls

OWN_STORES = ["replicas=2", "envoy.enabled=true"]  # without health checks: Envoy is ready before any server is
SECONDS = 20


class Mount:
    """A Secret as Kubernetes mounts one: each file is a link by way of ..data, and a renewal is one rename of ..data."""

    def __init__(self, folder):
        self.folder = folder
        os.mkdir(folder)

    def publish(self, files):
        content = tempfile.mkdtemp(prefix="..", dir=self.folder)
        for name, path in files.items():
            shutil.copy(path, os.path.join(content, name))
            if not os.path.islink(os.path.join(self.folder, name)):
                os.symlink(os.path.join("..data", name), os.path.join(self.folder, name))
        new = os.path.join(self.folder, "..data_tmp")
        os.symlink(os.path.basename(content), new)
        os.rename(new, os.path.join(self.folder, "..data"))


class Server(threading.Thread):
    """Shakes hands by TLS, and says nothing more."""

    def __init__(self, identity):
        super().__init__(daemon=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*identity)
        self.context.set_alpn_protocols(["h2"])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.target = f"localhost:{self.listener.getsockname()[1]}"
        self.trusted = False  # by a client, once

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            try:
                with self.context.wrap_socket(connection, server_side=True):
                    self.trusted = True
            except OSError:
                connection.close()


class EnvoyRenewalTest(unittest.TestCase):
    def setUp(self):
        chart.program("envoy")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.old, self.new = (self.identity(name) for name in ("old", "new"))
        self.tls, self.upstream = (Mount(os.path.join(self.folder, name)) for name in ("tls", "upstream"))

    def identity(self, name):
        """A certificate that is its own authority, and the key."""
        os.mkdir(os.path.join(self.folder, name))
        return tls.make_certificate(os.path.join(self.folder, name))

    def publish(self, certificate, authority=None):
        """What Envoy shows to clients, and who signs certificates of clients."""
        files = {"ca.crt": authority[0]} if authority else {}
        self.tls.publish({"tls.crt": certificate[0], "tls.key": certificate[1], **files})

    def start(self, *values, servers=("localhost:1",)):
        edge = envoy.Envoy(servers, text=Objects([*OWN_STORES, *values]).write_envoy(self.folder))
        self.addCleanup(edge.close)
        return edge

    def wait_for(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_a_renewed_certificate_is_shown(self):
        self.publish(certificate=self.old)
        edge = self.start("envoy.tls.secretName=front")
        self.assertEqual(shown(edge), content(self.old))
        self.publish(certificate=self.new)
        self.wait_for(lambda: shown(edge) == content(self.new))

    def test_a_renewal_that_is_no_certificate_changes_nothing(self):
        self.publish(certificate=self.old)
        edge = self.start("envoy.tls.secretName=front")
        self.publish(certificate=[__file__, __file__])
        self.wait_for(lambda: edge.stat('envoy_sds_key_rotation_failed{envoy_xds_resource_name="certificate"}') > 0)
        self.assertEqual(shown(edge), content(self.old))

    def test_a_client_of_a_withdrawn_authority_is_refused(self):
        self.publish(certificate=self.old, authority=self.old)
        edge = self.start("envoy.tls.secretName=front", "envoy.tls.clientCa=true")
        self.assertEqual([welcomes(edge, client) for client in (self.old, self.new)], [True, False])
        self.publish(certificate=self.old, authority=self.new)
        self.wait_for(lambda: not welcomes(edge, self.old))
        self.assertTrue(welcomes(edge, self.new))

    def test_a_server_of_a_renewed_authority_is_trusted(self):
        self.upstream.publish({"ca.crt": self.old[0]})
        server = Server(self.new)
        server.start()
        edge = self.start("tls.secretName=servers", servers=[server.target])
        call(edge)
        self.assertFalse(server.trusted)
        self.upstream.publish({"ca.crt": self.new[0]})
        self.wait_for(lambda: call(edge) and server.trusted)


def content(identity):
    with open(identity[0], encoding="utf-8") as file:
        return ssl.PEM_cert_to_DER_cert(file.read())


def shown(edge):
    with tls.idle(edge.address) as connection:
        return connection.getpeercert(binary_form=True)


def welcomes(edge, client):
    """True if Envoy goes on after the handshake with the client's certificate."""
    try:
        with tls.idle(edge.address, identity=client) as connection:
            return len(connection.recv(1)) > 0
    except OSError:
        return False


def call(edge):
    """Has Envoy connect to a server. The status of the call."""
    with http2.idle(edge.address) as connection:
        fields = http2.call_fields(b"/grpc.health.v1.Health/Check")
        connection.sendall(http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, 1, fields))
        return http2.status(connection)


if __name__ == "__main__":
    unittest.main()
