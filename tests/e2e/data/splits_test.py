"""Each name of a split that `inspect` prints names that split in `sample`."""

import os
import unittest

from tests.e2e import folders, processes, sampling

# Ids that no two splits share, so that a batch says which split it is of.
NODES = {"0/train": [0], "0/valid": [1], "12/train": [2, 3], "-3/test": [4],
         "named/train": [5]}
EDGES = {"7/train": [(1, 0), (2, 0)], "7e/valid": [(4, 3)]}


def write_splits(folder):
    for name, ids in NODES.items():
        folders.write_rows(os.path.join(folder, "split", name),
                           [[v] for v in ids])
    for name, pairs in EDGES.items():
        folders.write_rows(os.path.join(folder, "split", name), pairs)


def printed_names(graph):
    """Splits by type, as `inspect` prints them."""
    names = {}
    for line in processes.run_ok("inspect", graph).splitlines():
        words = line.split()
        if words[:1] == ["split"]:
            names.setdefault(words[3].rstrip(":"), set()).add(words[1])
    return names


class SplitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = processes.temporary_folder()
        cls.addClassCleanup(cls.folder.cleanup)
        ogb = os.path.join(cls.folder.name, "ogb")
        folders.write_ogb(ogb, 7, folders.SEVEN_ROWS)
        write_splits(ogb)
        cls.graph = folders.partition(ogb,
                                      os.path.join(cls.folder.name, "g"), 2)

    def nodes(self, inputs):
        # --input-nodes=..., for a name may begin with a dash.
        return sampling.lines(self.graph, inputs=None, fanouts="2",
                              flags=(f"--input-nodes={inputs}",))

    def links(self, inputs):
        return sampling.lines(
            self.graph, inputs=None, fanouts="2",
            flags=("--kind", "link", "--input-edges", inputs))

    def test_inspect_prints_them(self):
        self.assertEqual(printed_names(self.graph), {
            "node": set(NODES), "node,to,node": set(EDGES)})

    def test_nodes(self):
        for name in sorted(printed_names(self.graph)["node"]):
            with self.subTest(name):
                found = self.nodes(name)
                self.assertEqual(len(found), 1)
                self.assertEqual(self.nodes("node:" + name), found)
                self.assertEqual(
                    self.nodes(",".join(map(str, NODES[name]))), found)

    def test_edges(self):
        found = {}
        for name in sorted(printed_names(self.graph)["node,to,node"]):
            with self.subTest(name):
                found[name] = self.links(name)
                self.assertEqual(len(found[name]), 1)
                self.assertEqual(self.links("node,to,node:" + name),
                                 found[name])
        self.assertNotEqual(*found.values())

    def test_a_number_without_a_slash_is_an_id(self):
        self.assertEqual(self.nodes("0"), self.nodes("0/train"))
        self.assertNotEqual(self.nodes("12/train"), self.nodes("1"))

    def test_a_split_that_is_not_there(self):
        done = processes.run(*sampling.arguments(self.graph, inputs="5/train"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no split '5/train'", done.stderr)
        self.assertIn("12/train", done.stderr)


if __name__ == "__main__":
    unittest.main()
