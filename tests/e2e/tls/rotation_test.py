"""Certificates and authorities are replaced while batches are being made."""

import os
import shutil
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.tls import certificates

NAMES = ("sampler", "operator", "trainer-cora")


class RotationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
        cls.old = os.path.join(folder, "old")
        cls.new = os.path.join(folder, "new")
        for certs in (cls.old, cls.new):
            certificates.make(certs, "cora")
        # Long enough that a pipe of a page holds back who writes its lines.
        cls.options = dict(inputs=",".join(map(str, range(600))),
                           batch_size=2, fanouts="4,4")
        cls.expected = sampling.lines(cls.graph, **cls.options)

    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.certs = os.path.join(folder, "certs")
        shutil.copytree(self.old, self.certs)

    def authorities(self, *sources):
        certificates.replace(
            os.path.join(self.certs, "ca.pem"),
            "".join(certificates.read(os.path.join(source, "ca.pem"))
                    for source in sources))

    def renew(self):
        for name in NAMES:
            for kind in ("key", "pem"):
                file = f"{name}.{kind}"
                certificates.replace(
                    os.path.join(self.certs, file),
                    certificates.read(os.path.join(self.new, file)))

    def flags(self, name, folder=None):
        return certificates.flags(folder or self.certs, name)

    def test_no_batch_is_lost(self):
        with processes.Fleet(self.graph, ("0", "1"),
                             *self.flags("sampler")) as fleet:
            fleet.doctor(flags=self.flags("operator"))
            where = ("servers", fleet.addresses())
            with processes.Process(
                    *sampling.arguments(
                        where, flags=self.flags("trainer-cora"),
                        **self.options), small_pipe=True) as client:
                lines = [client.read_line() for _ in range(10)]
                for step in (lambda: self.authorities(self.old, self.new),
                             self.renew, lambda: self.authorities(self.new)):
                    step()
                    # Peers, a new client and the one that runs go on.
                    fleet.doctor(flags=self.flags("operator"))
                    self.assertEqual(
                        sampling.lines(where, batches="0:3", flags=self.flags(
                            "trainer-cora"), **self.options),
                        self.expected[:3])
                    lines += [client.read_line() for _ in range(10)]
                lines += client.read_lines()
                self.assertEqual(client.wait(), 0, client.stderr())
            self.assertEqual(lines, self.expected)
            # The old authority's certificates are worth nothing any more.
            done = processes.run(
                "status", "--servers", fleet.addresses(),
                *certificates.flags(self.old, "operator",
                                    ca=os.path.join(self.certs, "ca.pem")))
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.count("does not trust"), 2,
                             done.stdout)


if __name__ == "__main__":
    unittest.main()
