"""Strangers attack the Envoy that deploy/ ships, and no stream of another client breaks."""

import functools
import itertools
import json
import subprocess
import tempfile
import threading
import time
import unittest

from peers import envoy, http2, tls
import programs

CLIENTS = 20  # with a connection and a stream each
SECONDS = 3
CHECK = b"/grpc.health.v1.Health/Check"
WATCH = b"/grpc.health.v1.Health/Watch"
LIST = b"/aaren.v1.Models/List"
NO_METHOD = b"/no.Such/Method"
OK, INVALID_ARGUMENT, UNIMPLEMENTED = b"0", b"3", b"12"
NOT_BASE64 = (b"!!!", b"A", b"AB", b"AAB", b"AAAAA", b"AA,AA", b"A A", b"_-_-", b"AA==AA==", b"\xff")
BASE64 = (b"", b"AA", b"AA==", b"AAA", b"AAA=", b"AAAA", b"+/+/", b"A" * 400)
LIMITED = 'envoy_http_local_rate_limit_rate_limited{envoy_local_http_ratelimit_prefix="calls"}'
EMPTY = bytes(5)  # a message of no bytes


def call(stream, path, *fields, trailers=None):
    begin = http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(path, *fields))
    if trailers is None:
        return begin + http2.frame(http2.DATA, http2.END_STREAM, stream, EMPTY)
    end = b"".join(http2.header(*field) for field in trailers)
    return (begin + http2.frame(http2.DATA, 0, stream, EMPTY) +
            http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream, end))


class Attacked(programs.ServerTest):
    """A server behind Envoy."""

    flags = ("--shards=1", "--memory=1GiB")
    changes = ()     # of Envoy's configuration
    connection = ()  # flags of the clients

    def setUp(self):
        envoy.require()
        super().setUp()
        self.edge = self.start_envoy(*self.changes)

    def start_envoy(self, *changes):
        edge = envoy.Envoy([self.server.target], *changes)
        self.addCleanup(edge.close)
        return edge

    def ask(self, *arguments, **options):
        """The status of a call on a new connection; None if the call was reset."""
        with http2.idle(self.edge.address) as connection:
            connection.sendall(call(1, *arguments, **options))
            return http2.status(connection)

    def attack(self, what):
        """Calls `what` beside clients whose streams must not break. Prints the clients' figures."""
        load = programs.start_aaren("load", f"--target={self.edge.address}", f"--sessions={CLIENTS}",
                                    f"--streams={CLIENTS}", "--rate=400", f"--duration={SECONDS + 2}s", "--json",
                                    *self.connection, stdout=subprocess.PIPE)
        self.addCleanup(load.kill)
        while self.server.metric("aaren_streams") < CLIENTS and load.poll() is None:
            time.sleep(0.05)
        result = what()
        out, err = load.communicate(timeout=120)
        self.assertNotEqual(out, "", err)
        figures = programs.objects(out)[-1]
        print("{}: {:.0f} tokens/s, p50 {:.1f} ms, p99 {:.1f} ms, {}".format(
            self.id().split(".")[-1], figures["tokens_per_second"], figures["latency_us"]["p50"] / 1000,
            figures["latency_us"]["p99"] / 1000, result), flush=True)
        self.assertEqual(load.returncode, 0, err)
        return result


class EdgeTest(Attacked):
    def flood(self, pieces):
        """Sends what `pieces` yields, on one connection after the other. Returns how many connections were ended."""
        ended = 0
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                with http2.connect(self.edge.address) as connection:
                    connection.sendall(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0))
                    threading.Thread(target=http2.read_all, args=(connection,), daemon=True).start()
                    for piece in pieces():
                        connection.sendall(piece)
                        if time.monotonic() > end:
                            break
            except OSError:
                ended += 1
                time.sleep(0.01)
        return ended

    def test_no_stranger(self):
        self.attack(lambda: time.sleep(SECONDS))

    def test_a_silent_stream_is_not_ended(self):
        edge = self.start_envoy((" stream_idle_timeout: 120s", " stream_idle_timeout: 1s"),
                                (" idle_timeout: 60s", " idle_timeout: 1s"))
        programs.write_series(self.path("rows.csv"), 6)
        client = programs.start_aaren("stream", "--csv=-", f"--target={edge.address}", stdin=subprocess.PIPE)
        self.addCleanup(client.kill)
        for rows in self.read("rows.csv").decode().splitlines(keepends=True)[:4], ["2024-01-01 03:00:00,1,1\n"]:
            client.stdin.writelines(rows)
            client.stdin.flush()
            time.sleep(4)
        _, err = client.communicate(timeout=60)
        self.assertEqual((client.returncode, self.server.metric("aaren_streams_opened_total")), (0, 1), err)

    # Headers

    def test_a_header_that_is_no_base64_ends_its_own_call_alone(self):
        def calls():
            return {self.ask(path, (name, value)) for value in NOT_BASE64 for name in (b"x-bin", b"grpc-trace-bin")
                    for path in (CHECK, http2.STREAM)}

        self.assertEqual(self.attack(calls), {INVALID_ARGUMENT})

    def test_a_header_that_is_base64_passes(self):
        self.assertEqual({self.ask(CHECK, (b"x-bin", value)) for value in BASE64}, {OK})

    def test_a_trailer_does_not_reach_the_server(self):
        trailers = [(b"x-bin", b"!!!"), (b"x", b"y")]
        self.assertEqual(self.attack(lambda: {self.ask(CHECK, trailers=trailers) for _ in range(20)}), {OK})

    def test_headers_that_end_a_connection_with_a_server_end_their_own_call_alone(self):
        large, many = [(b"x", b"a" * 9000)], [(b"x%d" % i, b"a") for i in range(200)]

        def calls():
            return {self.ask(CHECK, *fields) for fields in (large, many) for _ in range(10)}

        self.assertEqual(self.attack(calls), {None})

    def test_headers_of_five_kilobytes_pass(self):
        self.assertEqual(self.ask(CHECK, (b"authorization", b"Bearer " + b"a" * 5000)), OK)

    def test_headers_that_never_end_break_no_stream(self):
        self.attack(lambda: http2.send_endless_headers(self.edge.address, "127.0.0.1", SECONDS))

    def test_headers_that_come_slowly_do_not_last(self):
        edge = self.start_envoy(("headers_timeout: 10s", "headers_timeout: 1s"),
                                (" idle_timeout: 60s", " idle_timeout: 1s"))
        for pace in (100, 3800):
            with self.subTest(bytes_a_second=pace), http2.idle(edge.address) as connection:
                self.assertLess(http2.trickle_headers(connection, pace, 30), 15)

    # Calls

    def test_methods_that_do_not_exist_do_not_reach_the_server(self):
        self.assertEqual(self.ask(NO_METHOD), UNIMPLEMENTED)
        self.attack(lambda: self.flood(lambda: calls_without_end(NO_METHOD)))
        sent = 'envoy_cluster_upstream_rq_total{envoy_cluster_name="servers"}'
        self.assertEqual(self.edge.stat(sent), CLIENTS)

    def test_calls_that_exist_break_no_stream(self):
        self.attack(lambda: self.flood(lambda: calls_without_end(LIST)))

    def test_calls_on_fifty_connections_break_no_stream(self):
        def floods():
            unknown = functools.partial(calls_without_end, NO_METHOD)
            floods = [threading.Thread(target=self.flood, args=(unknown,)) for _ in range(50)]
            for flood in floods:
                flood.start()
            for flood in floods:
                flood.join()

        self.attack(floods)

    def test_calls_beyond_those_of_a_second_do_not_reach_the_server(self):
        self.edge = self.start_envoy(("max_tokens: 1000, tokens_per_fill: 100", "max_tokens: 10, tokens_per_fill: 1"))
        self.attack(lambda: self.flood(lambda: calls_without_end(LIST)))
        self.assertGreater(self.edge.stat(LIMITED), 0)

    def test_streams_that_are_reset_at_once_end_their_connection(self):
        def streams():
            for first in itertools.count(1, 200):
                yield b"".join(reset(stream) for stream in range(first, first + 200, 2))

        self.assertGreater(self.attack(lambda: self.flood(streams)), 0)

    # Frames and connections

    def test_frames_that_ask_for_nothing_break_no_stream(self):
        for name, frame in (("pings", http2.frame(http2.PING, 0, 0, bytes(8))), ("unknown", http2.frame(0x20, 0, 0)),
                            ("settings", http2.frame(http2.SETTINGS, 0, 0))):
            with self.subTest(frames=name):
                self.attack(lambda: self.flood(lambda: itertools.repeat(frame * 500)))

    def test_connections_that_come_and_go_break_no_stream(self):
        def connections():
            answered = 0
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                answered += answers(self.edge)
            return answered

        self.assertGreater(self.attack(connections), 0)

    def test_a_full_envoy_closes_newcomers_until_somebody_leaves(self):
        edge = self.start_envoy(("downstream_connections: 5000", "downstream_connections: 10"))
        others = [http2.idle(edge.address) for _ in range(10)]
        for other in others:
            self.addCleanup(other.close)
        self.assertFalse(answers(edge))
        self.assertGreater(edge.healthy_servers(), 0)  # Envoy still answers Prometheus
        others[0].close()
        self.wait_for(lambda: answers(edge))

    def test_an_envoy_without_memory_keeps_its_streams(self):
        self.edge = self.start_envoy(("max_heap_size_bytes: 805306368", f"max_heap_size_bytes: {32 << 20}"))

        def connections():
            for _ in range(500):
                other = http2.connect(self.edge.address)
                self.addCleanup(other.close)
                send(other, http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0) + call(1, WATCH))
            return self.wait_for(lambda: not answers(self.edge))

        self.attack(connections)

    def wait_for(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)


class TlsEdgeTest(Attacked):
    """An Envoy that speaks TLS, and wants a certificate of each client. One certificate is everybody's here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate, key = tls.make_certificate(folder.name)
        self.connection = (f"--tls_ca={certificate}", f"--tls_cert={certificate}", f"--tls_key={key}")
        common = {"alpn_protocols": ["h2"], "validation_context": {"trusted_ca": {"filename": certificate}},
                  "tls_certificates": [{"certificate_chain": {"filename": certificate},
                                        "private_key": {"filename": key}}]}
        socket = {"name": "envoy.transport_sockets.tls", "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
            "require_client_certificate": True, "common_tls_context": common}}
        timeout = "transport_socket_connect_timeout: "
        self.changes = ((f"{timeout}10s", f"transport_socket: {json.dumps(socket)}\n          {timeout}1s"),)
        super().setUp()

    def test_a_stranger_ends_at_the_handshake(self):
        def call_without_certificate():
            with self.assertRaises(OSError), tls.idle(self.edge.address) as connection:
                connection.sendall(call(1, CHECK))
                http2.status(connection)

        self.attack(call_without_certificate)

    def test_hellos_without_end_break_no_stream(self):
        hello, kept = tls.client_hello(), []
        self.addCleanup(lambda: [connection.close() for connection in kept])

        def hellos():
            sent = 0
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                kept.append(http2.connect(self.edge.address))
                send(kept[-1], hello)
                sent += 1
                if len(kept) > 500:
                    kept.pop(1).close()
            return sent

        self.assertGreater(self.attack(hellos), 100)
        kept[0].settimeout(10)
        while kept[0].recv(1 << 16):
            pass  # the server's hello, and then the end


def answers(edge):
    """True if a newcomer gets an answer about the health."""
    try:
        with http2.idle(edge.address) as connection:
            connection.sendall(call(1, CHECK))
            return http2.status(connection) == OK
    except OSError:
        return False


def send(connection, what):
    try:
        connection.sendall(what)
    except OSError:
        pass  # Envoy has closed the connection


def reset(stream):
    return (http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.call_fields(http2.STREAM)) +
            http2.frame(http2.RESET, 0, stream, b"\0\0\0\x08"))


def calls_without_end(path):
    for first in itertools.count(1, 200):
        yield b"".join(call(stream, path) for stream in range(first, first + 200, 2))


if __name__ == "__main__":
    unittest.main()
