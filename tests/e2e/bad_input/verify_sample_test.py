"""`verify --sample`: a graph beside its input, all of it or some partitions."""

import os
import shutil
import unittest

import numpy as np

from tests.e2e import folders, processes
from tests.e2e.bad_input import graph_edits as edit

# Node v has the features (v, 2v); edges lead from v to v + 1 and to v + 7.
NODES = 60
ROWS = [(v, (v + step) % NODES) for v in range(NODES) for step in (1, 7)]


class VerifySampleTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.source = folders.write_ogb(
            os.path.join(self.folder, "source"), NODES, ROWS,
            [[v, 2 * v] for v in range(NODES)],
            splits={"train": list(range(9))},
            files={"w": [1 + e / 2 for e in range(len(ROWS))]})
        self.graph = folders.partition(
            self.source, os.path.join(self.folder, "graph"), 3, "random",
            "--edge-weight", "w", "--hot-list", "off")

    def verify(self, *flags, sample=1000):
        done = processes.run("verify", self.graph, "--against", self.source,
                             "--edge-weight", "w", "--sample", sample, *flags)
        return done.returncode, done.stdout + done.stderr

    def test_what_was_written_passes(self):
        said = f"verified a sample of {self.graph}"
        against = f" against {self.source}\n"
        self.assertEqual(self.verify(), (0, said + against))
        self.assertEqual(self.verify(sample=1), (0, said + against))
        shutil.rmtree(self.graph + "/part-0")
        self.assertEqual(self.verify("--partitions", "1,2"),
                         (0, said + " partitions 1,2" + against))
        code, text = self.verify()
        self.assertEqual(code, 1)
        self.assertIn("part-0", text)

    def spoil(self, partition, name, index):
        """Changes a value, and all checksums with it; what it was of."""
        edit.reseal(self.graph, f"part-{partition}/{name}",
                    edit.element(index, 77))

    def test_a_feature_is_found_where_it_is(self):
        of = np.load(self.graph + "/part-1/nodes/node/orig_id.npy")[4]
        self.spoil(1, "nodes/node/x.npy", (4, 1))
        for partitions in ((), ("--partitions", "1"), ("--partitions", "0,1")):
            code, text = self.verify(*partitions)
            self.assertEqual(code, 1, text)
            self.assertIn(f"x of node of node {of} (", text)
        self.assertEqual(self.verify("--partitions", "0,2")[0], 0)

    def test_an_edge_is_found_where_it_leads_to(self):
        """Also one from a partition that is not there."""
        name = "edges/node__to__node"
        e = int(np.load(f"{self.graph}/part-2/{name}/edge_id.npy")[5])
        self.spoil(2, name + "/weight.npy", 5)
        shutil.rmtree(self.graph + "/part-1")
        code, text = self.verify("--partitions", "2")
        self.assertEqual(code, 1, text)
        self.assertIn("edge {} from {} to {}: weight".format(e, *ROWS[e]), text)
        self.assertEqual(self.verify("--partitions", "0"), (
            0, f"verified a sample of {self.graph} partitions 0 against "
            f"{self.source}\n"))

    def test_an_edge_of_another_source_is_found(self):
        name = "edges/node__to__node"
        indices = np.load(f"{self.graph}/part-2/{name}/indices.npy")
        edit.reseal(self.graph, f"part-2/{name}/indices.npy", edit.element(
            5, (int(indices[5]) + 1) % NODES))
        code, text = self.verify("--partitions", "2")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, "is not in the graph|in the graph, from ")

    def test_it_needs_an_input(self):
        for flags in ((), ("--partitions", "0")):
            done = processes.run("verify", self.graph, "--sample", 5, *flags)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--sample: a sample is compared with an input\n"
                          "allowed: with --against", done.stderr)
        code, text = self.verify(sample=0)
        self.assertEqual(code, 2)
        self.assertIn("--sample", text)


if __name__ == "__main__":
    unittest.main()
