"""`tributary-train` on servers that it reaches by mTLS."""

import os
import time
import unittest

from tests.e2e import folders, processes, training
from tests.e2e.tls import certificates

FLAGS = ("--input", "train", "--epochs", "1", "--num-neighbors", "2,2",
         "--batch-size", "32")
PERMANENT = 78


class TrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(cls.folder, "g"), 2)
        cls.certs = os.path.join(cls.folder, "certs")
        certificates.make(cls.certs, "cora", "other")

    def flags(self, name):
        return certificates.flags(self.certs, name)

    def fleet(self, *args):
        return processes.Fleet(self.graph, ("0", "1"), *self.flags("sampler"),
                               *args)

    def epoch(self, name, *flags):
        log = os.path.join(self.folder, name)
        training.output(*flags, *FLAGS, "--log", log)
        return [{k: v for k, v in event.items() if "loss" in k}
                for event in training.events(log, "epoch")]

    def test_an_epoch_is_the_plain_one(self):
        plain = self.epoch("plain", "--graph", self.graph, "--nproc", 2)
        self.assertTrue(plain and plain[0])
        with self.fleet() as fleet:
            self.assertEqual(
                self.epoch("tls", "--servers", fleet.addresses(), "--nproc",
                           2, *self.flags("trainer-cora")), plain)

    def test_rows_on_servers(self):
        with self.fleet() as fleet:
            training.output("--servers", fleet.addresses(), *FLAGS,
                            "--sparse-embedding",
                            *self.flags("trainer-cora"))
            said = processes.run_ok("tensors", "list", "--servers",
                                    fleet.addresses(),
                                    *self.flags("operator"))
            self.assertIn("memory=", said)

    def test_an_options_file_takes_the_files_of_the_flags(self):
        options = os.path.join(self.folder, "options.json")
        with self.fleet() as fleet:
            with open(options, "w", encoding="ascii") as file:
                file.write('{"mode": "remote", "servers": "%s"}' %
                           fleet.addresses())
            training.output("--worker-options", options, *FLAGS,
                            *self.flags("trainer-cora"))

    def test_what_never_succeeds_ends_soon(self):
        with self.fleet() as fleet:
            for words, flags in (
                    (["PERMISSION_DENIED", "other", "cora"],
                     [*self.flags("trainer-cora"), "--worker-key", "other"]),
                    (["PERMISSION_DENIED", "sampler"],
                     self.flags("sampler"))):
                with self.subTest(words):
                    began = time.monotonic()
                    said = training.output("--servers", fleet.addresses(),
                                           *FLAGS, *flags, code=PERMANENT)
                    self.assertLess(time.monotonic() - began, 60)
                    for word in words:
                        self.assertIn(word, said)
                    self.assertEqual(said.count("\n"), 1, said)

    def test_farewells_of_another_job_end_nothing(self):
        with self.fleet("--num-clients", "2") as fleet:
            for job, ranks in (("other", 1), ("cora", 1), ("cora", 2)):
                for server in fleet.servers:
                    self.assertTrue(server.running())
                training.output("--servers", fleet.addresses(), *FLAGS,
                                "--nproc", ranks,
                                *self.flags(f"trainer-{job}"))
            for server in fleet.servers:
                self.assertEqual(server.wait(), 0, server.stderr())

    def test_some_files_alone(self):
        said = training.output("--servers", "127.0.0.1:1", "--tls-key", "k",
                               *FLAGS, code=2)
        self.assertIn("--tls-ca and --tls-cert missing", said)

    def test_servers_end_once_their_trainers_are_done(self):
        with self.fleet("--num-clients", "1") as fleet:
            training.output("--servers", fleet.addresses(), *FLAGS,
                            *self.flags("trainer-cora"))
            for server in fleet.servers:
                self.assertEqual(server.wait(), 0, server.stderr())


if __name__ == "__main__":
    unittest.main()
