"""From mpirun to a batch: tributary-partition-mpi, partition --assignment,
verify, dispatch, serve and sample, each on what the step before has written."""

import gzip
import math
import os
import shlex
import unittest

import numpy as np

from tests.e2e import processes, sampling
from tests.mpi import mpirun

CORA = "tests/data/cora"
NODES = 2708
PARTS = 4
IMBALANCE = 1.04


class MpiChainTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def path(self, name):
        return os.path.join(self.folder, name)

    def partition(self, name, *flags):
        processes.run_ok("partition", "--input", CORA, "--format", "ogb",
                         "--out", self.path(name), *flags)
        processes.run_ok("verify", self.path(name))
        return self.path(name)

    def assign(self):
        """The partition of each node, by four processes of a list of hosts."""
        said = mpirun.figures(mpirun.run_ok(
            4, "--input", CORA, "--format", "ogb", "--num-parts", PARTS,
            "--imbalance", IMBALANCE, "--out", self.path("cora.npy"),
            hosts="localhost slots=4\n"))
        return np.load(self.path("cora.npy")), said

    def dispatch(self, graph, hosts):
        """Copies to folders that stand in for machines, and returns these."""
        program = shlex.quote(os.path.abspath(processes.TRIBUTARY))
        at = shlex.quote(self.path("hosts")) + "/{partitions}/{to}"
        with open(self.path("hosts.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"host{i} {held}\n" for i, held in enumerate(hosts))
        said = processes.run_ok(
            "dispatch", "--graph", graph, "--hosts", self.path("hosts.txt"),
            "--to", "cora", "--copy-command",
            f"mkdir -p {at} && cp -r {{folder}}/. {at}/", "--verify-command",
            f"{program} verify {at} --partitions {{partitions}}"
            " --layout-digest {digest}")
        self.assertEqual(said.count("sent host"), len(hosts), said)
        return [os.path.join(self.path("hosts"), held, "cora")
                for held in hosts]

    def check_assignment(self, placed, said):
        """Each node in one part, none too heavy, the figures recounted."""
        self.assertEqual((placed.shape, placed.dtype), ((NODES,), np.uint16))
        sizes = np.bincount(placed, minlength=PARTS)
        self.assertEqual((len(sizes), sizes.sum()), (PARTS, NODES))
        self.assertLessEqual(sizes.max(), math.ceil(IMBALANCE * NODES / PARTS))
        self.assertGreater(sizes.min(), 0)
        with gzip.open(os.path.join(CORA, "raw", "edge.csv.gz"), "rt") as file:
            ends = np.loadtxt(file, dtype=np.int64, delimiter=",")
        pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1),
                          axis=0)
        self.assertEqual(said["edges"], len(pairs))
        self.assertEqual(said["cut"],
                         (placed[pairs[:, 0]] != placed[pairs[:, 1]]).sum())
        # docs/partitioning.md: random cuts three quarters, metis 337.
        self.assertLess(said["cut"], 0.1 * len(pairs))

    def test_batches_of_an_assignment_over_mpi_are_those_of_any_other(self):
        placed, said = self.assign()
        self.check_assignment(placed, said)
        graph = self.partition("cora4", "--num-parts", PARTS, "--assignment",
                               self.path("cora.npy"))
        np.testing.assert_array_equal(
            np.load(os.path.join(graph, "node_map", "node.npy")), placed)
        for partition in range(PARTS):
            stored = np.load(os.path.join(
                graph, f"part-{partition}", "nodes", "node", "orig_id.npy"))
            np.testing.assert_array_equal(np.sort(stored),
                                          np.flatnonzero(placed == partition))
        held = ["0,3", "1,2"]
        expected = sampling.lines(
            self.partition("whole", "--num-parts", 1, "--method", "random"))
        folders = self.dispatch(graph, held)
        with processes.Fleet(None, held, folders=folders) as fleet:
            fleet.doctor()
            got = sampling.lines(("servers", fleet.addresses()))
        self.assertEqual(len(expected), math.ceil(140 / 32))  # batches of 32
        self.assertEqual(got, expected)


if __name__ == "__main__":
    unittest.main()
