"""Servers that end with their trainers."""

import os
import subprocess
import unittest

from tests.e2e import folders, processes

TRAIN = "trainer_client/torch/tributary-train"


class FarewellTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)

    def train(self, fleet):
        """Of two ranks; what it says on stderr."""
        done = subprocess.run(
            [TRAIN, "--servers", fleet.addresses(), "--nproc", "2",
             "--input", "train", "--epochs", "1", "--num-neighbors", "2,2",
             "--batch-size", "32", "--device", "cpu"],
            capture_output=True, timeout=processes.DEADLINE, text=True,
            check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_servers_end_once_all_ranks_are_done(self):
        with processes.Fleet(self.graph, ("0", "1"),
                             "--num-clients", "2") as fleet:
            self.assertEqual(self.train(fleet), "")
            for server in fleet.servers:
                self.assertEqual(server.wait(), 0)
                self.assertIn("all trainers are done", server.stderr())

    def test_servers_that_wait_for_nobody_serve_on(self):
        with processes.Fleet(self.graph, ("0", "1")) as fleet:
            self.assertEqual(self.train(fleet), "")
            self.assertIn("ok", fleet.doctor())

    def test_servers_that_wait_for_others_say_so_and_serve_on(self):
        with processes.Fleet(self.graph, ("0", "1"),
                             "--num-clients", "3") as fleet:
            self.assertIn("--num-clients 3", self.train(fleet))
            self.assertIn("ok", fleet.doctor())


if __name__ == "__main__":
    unittest.main()
