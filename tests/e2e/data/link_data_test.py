"""Public graphs for link prediction: partitioned, served, sampled, the same
batches from one folder and from a fleet."""

import os
import unittest

from tests.e2e import folders, processes, sampling

DDI = "tests/data/ogbl-ddi"
FB15K = "tests/data/fb15k-237"
COLLEGEMSG = "tests/data/collegemsg"


class LinkDataTest(unittest.TestCase):
    def check(self, source, columns, links, *flags, fanouts="4,2"):
        """Returns the lines. `links`: a split, or TYPE:SPLIT."""
        def sample(where):
            return sampling.lines(
                where, inputs=None, fanouts=fanouts, batch_size=64,
                batches="0:3", flags=("--kind", "link", "--input-edges",
                                      links, *flags))
        with processes.temporary_folder() as folder:
            one, three = [folders.partition(
                source, os.path.join(folder, f"g{parts}"), parts, "random",
                *columns) for parts in (1, 3)]
            expected = sample(one)
            self.assertEqual(len({line.split()[2] for line in expected}), 3)
            with processes.Fleet(three, ["0", "1,2"]) as fleet:
                self.assertEqual(sample(("servers", fleet.addresses())),
                                 expected)
        return expected

    def test_ogbl_ddi(self):
        """Held-out pairs, which are no edges; strict negatives of a dense
        graph."""
        self.check(DDI, ["--add-reverse"], "valid", "--neg-sampling",
                   "binary", "--neg-strict", "--on-exhausted", "accept")

    def test_fb15k_237(self):
        """One relation of 237 and as many reverse ones, with its own links and
        their reverses left out of all hops."""
        self.check(FB15K, ["--add-reverse", "--relation-names", "numbers"],
                   "entity,r122,entity:train", "--neg-sampling", "triplet", "--neg-amount", 2, "--exclude",
                   "reverse_types", fanouts="1,1")

    def test_collegemsg(self):
        """Messages to come, by row, with what was said before them."""
        self.check(COLLEGEMSG, ["--edge-time", "edge-time", "--edge-splits",
                                "time"], "test", "--disjoint")


if __name__ == "__main__":
    unittest.main()
