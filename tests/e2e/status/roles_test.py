"""Who is shown what of a fleet with certificates."""

import http.client
import os
import ssl
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.status import tables
from tests.e2e.tls import certificates


class RolesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "g"), 2)
        cls.certs = os.path.join(folder, "certs")
        certificates.make(cls.certs, "cora", "rival")
        cls.fleet = cls.enterClassContext(processes.Fleet(
            graph, ("0", "1"), "--http", "127.0.0.1:0",
            *certificates.flags(cls.certs, "sampler")))
        cls.fleet.doctor(flags=certificates.flags(cls.certs, "operator"))
        for job in "cora", "rival":
            processes.run_ok(*sampling.arguments(
                ("servers", cls.fleet.addresses()), batches="0:4",
                flags=certificates.flags(cls.certs, f"trainer-{job}")))

    def get(self, name, path="/"):
        """Status, headers and text of a path, asked with a certificate."""
        context = ssl.create_default_context(
            cafile=os.path.join(self.certs, "ca.pem"))
        context.load_cert_chain(os.path.join(self.certs, name + ".pem"),
                                os.path.join(self.certs, name + ".key"))
        address = self.fleet.servers[0].http
        connection = http.client.HTTPConnection(address, timeout=30)
        connection.connect()
        connection.sock = context.wrap_socket(
            connection.sock, server_hostname="tributary-sampler")
        try:
            connection.request("GET", path)
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read().decode()
        finally:
            connection.close()

    def jobs(self, name):
        page = tables.Page(self.get(name)[2])
        return {row["Job"] for row in page.tables["jobs"]}, page

    def test_operators_and_samplers_see_all(self):
        for name in "operator", "sampler":
            processes.until(
                lambda name=name: self.jobs(name)[0] == {"cora", "rival"} and
                all(row["Busy"] != "-"
                    for row in self.jobs(name)[1].tables["servers"]))
            self.assertEqual(len(self.jobs(name)[1].tables["servers"]), 2)

    def test_a_trainer_sees_its_job_alone(self):
        status, headers, text = self.get("trainer-cora")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["Cache-Control"], "no-store")
        self.assertNotIn("rival", text)
        jobs, page = self.jobs("trainer-cora")
        self.assertEqual(jobs, {"cora"})
        self.assertNotIn("servers", page.tables)
        self.assertEqual(self.get("trainer-cora", "/metrics")[0], 403)

    def test_the_command_goes_by_role_too(self):
        def report(name):
            return processes.run_ok(
                "status", "--servers", self.fleet.addresses(), "--watch",
                "--count", 1, *certificates.flags(self.certs, name))
        self.assertRegex(report("operator"), "(?m)^rival ")
        self.assertRegex(report("operator"), "(?m)^cora ")
        self.assertRegex(report("trainer-cora"), "(?m)^cora ")
        self.assertNotRegex(report("trainer-cora"), "(?m)^rival ")


if __name__ == "__main__":
    unittest.main()
