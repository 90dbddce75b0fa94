"""/metrics for who may read it, /healthz for everybody."""

import contextlib
import http.client
import os
import signal
import socket
import ssl
import time
import unittest

from tests.e2e import folders, frozen, processes
from tests.e2e.tls import certificates

PAGE = processes.DEADLINE


def get(connection, path):
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


def plain(address, path):
    return get(http.client.HTTPConnection(address, timeout=PAGE), path)


def encrypted(address, path, folder, name):
    """As Prometheus does with server_name: tributary-sampler."""
    context = ssl.create_default_context(
        cafile=os.path.join(folder, "ca.pem"))
    if name is not None:
        context.load_cert_chain(os.path.join(folder, name + ".pem"),
                                os.path.join(folder, name + ".key"))
    connection = http.client.HTTPConnection(address, timeout=PAGE)
    connection.connect()
    connection.sock = context.wrap_socket(
        connection.sock, server_hostname="tributary-sampler")
    return get(connection, path)


class HttpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA, os.path.join(folder, "g"))
        cls.certs = os.path.join(folder, "certs")
        certificates.make(cls.certs, "cora")

    def server(self):
        return processes.Server(
            self.graph, *certificates.flags(self.certs, "sampler"), "--http",
            "127.0.0.1:0", "--health", "127.0.0.1:0", "--drain-timeout", "5")

    def test_who_may_read_metrics(self):
        with self.server() as server:
            for name in ("operator", "sampler"):
                status, text = encrypted(server.http, "/metrics", self.certs,
                                         name)
                self.assertEqual(status, 200)
                self.assertIn("tributary_memory_budget_bytes ", text)
            status, text = encrypted(server.http, "/metrics", self.certs,
                                     "trainer-cora")
            self.assertEqual(status, 403)
            self.assertIn("trainer/cora", text)
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                encrypted(server.http, "/metrics", self.certs, None)
            status, text = plain(server.http, "/metrics")
            self.assertEqual(status, 400)
            self.assertIn("TLS", text)
            for reason in ("wrong_role", "no_certificate", "not_tls"):
                processes.until(
                    lambda reason=reason: 'tributary_refused_connections_total'
                    f'{{reason="{reason}"}} 1\n' in encrypted(
                        server.http, "/metrics", self.certs, "operator")[1])

    def test_silent_clients_of_the_same_host_delay_no_probe(self):
        with self.server() as server, contextlib.ExitStack() as silent:
            for address in (server.health, server.http):
                host, port = address.rsplit(":", 1)
                for _ in range(250):
                    silent.enter_context(
                        socket.create_connection((host, int(port))))
            begin = time.monotonic()
            self.assertEqual(plain(server.health, "/healthz"), (200, "ok\n"))
            self.assertEqual(
                encrypted(server.http, "/healthz", self.certs, "operator"),
                (200, "ok\n"))
            self.assertLess(time.monotonic() - begin, 2)

    def test_everybody_may_ask_for_health_alone(self):
        with self.server() as server:
            self.assertEqual(plain(server.health, "/healthz"), (200, "ok\n"))
            self.assertEqual(plain(server.health, "/metrics")[0], 404)

    def test_health_while_draining(self):
        with self.server() as server, \
                frozen.StoppedClients(server) as stopped, processes.Process(
                    "sample", "--servers", stopped.address,
                    *certificates.flags(self.certs, "trainer-cora"),
                    "--input-nodes", frozen.MANY_INPUTS, "--batch-size", "128",
                    "--num-neighbors", "10,5"):
            # Its batches hold the server.
            processes.until(
                lambda: stopped.stopped() and frozen.active(encrypted(
                    server.http, "/metrics", self.certs, "operator")[1]) > 0)
            server.send(signal.SIGTERM)
            processes.until(
                lambda: not server.running() or
                plain(server.health, "/healthz") == (503, "draining\n"))
            self.assertTrue(server.running())
            self.assertEqual(server.wait(), 0)


if __name__ == "__main__":
    unittest.main()
