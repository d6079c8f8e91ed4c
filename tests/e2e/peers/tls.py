"""Just enough of TLS for a certificate, and for clients that do not care whose certificate a server shows."""

import os
import ssl
import subprocess

from . import http2


def make_certificate(folder):
    """Of localhost, by itself. The paths of certificate and key."""
    paths = [os.path.join(folder, name) for name in ("server.pem", "server.key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


def _context(identity=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    if identity:
        context.load_cert_chain(*identity)
    return context


def client_hello():
    """The first message of a handshake. Sending it again and again costs a client nothing."""
    out = ssl.MemoryBIO()
    handshake = _context().wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost")
    try:
        handshake.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def idle(address, source="127.0.0.1", identity=None):
    """As http2.idle. `identity` is the client's certificate and its key, of which make_certificate returns the paths."""
    connection = _context(identity).wrap_socket(http2.connect(address, source), server_hostname="localhost")
    try:
        connection.sendall(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0))
    except OSError:
        connection.close()
        raise
    return connection
