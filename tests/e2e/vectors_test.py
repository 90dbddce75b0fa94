"""`tributary sample` prints the lines that docs/sampling.md states."""

import os
import unittest

from tests.e2e import folders, processes, sampling


class SevenNodesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        source = folders.write_ogb(os.path.join(cls.folder, "seven"), 7,
                                   folders.SEVEN_ROWS)
        cls.graph = folders.partition(source, os.path.join(cls.folder, "g2"),
                                      2)

    def lines(self, inputs, fanouts, batch_size, *flags):
        return sampling.lines(self.graph, inputs=inputs, fanouts=fanouts,
                              batch_size=batch_size, seed=7, epoch=0,
                              flags=flags)

    def test_two_batches(self):
        self.assertEqual(self.lines("0,3,1,6", "2,2", 3), [
            "0 0 40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e80"
            "4e68 3 5 6 220",
            "0 1 1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f3992"
            "8803 1 5 5 180"])

    def test_duplicate_inputs(self):
        self.assertEqual(
            self.lines("0,3,0,6", "2,2", 4, "--shuffle", "none"),
            ["0 0 4c92935fb4b51c0f6b7b1cf6f02364030ac40c8e8844d0e2d223a61f78f"
             "48e8f 4 6 7 256"])

    def test_all_neighbours(self):
        lines = self.lines("0,3,1,6", "-1,-1", 3, "--shuffle", "none")
        self.assertEqual(
            lines[0].split()[2],
            "3afd91386264c5d59d83bb6be9cda114802361346cabc0cefb0bebdf76722bfd")


class CoraTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "one"), 1)
        cls.reversed = folders.partition(
            folders.CORA, os.path.join(folder, "reversed"), 3, "metis",
            "--add-reverse")

    def digest(self, *flags, graph=None, seed=11):
        lines = sampling.lines(graph or self.graph, seed=seed, batches="0:1",
                               flags=flags)
        self.assertEqual(len(lines), 1)
        return lines[0].split()[2]

    def test_epoch(self):
        lines = sampling.lines(self.graph)
        self.assertEqual(
            lines[0],
            "2 0 2d0b78ca2d02ebbdfe2707e65fd722d693293b71573be5b34ff71180be63"
            "7fbc 32 357 566 2061524")
        self.assertEqual(
            lines[1].split()[2:6],
            ["09712e27fefdbc5b6266cdfedb6daef1f3079fbb4c00456c5e5903a3add4964"
             "d", "32", "405", "665"])
        self.assertEqual(
            lines[4].split()[2:4],
            ["0e205d67f26749beb2383e280ea104af09db914687702137b9011d581d07a1c"
             "9", "12"])
        # Batches past the end are left out.
        self.assertEqual([line.split()[:2] for line in lines],
                         [["2", str(g)] for g in range(5)])

    def test_a_range_is_the_same_batches(self):
        self.assertEqual(sampling.lines(self.graph, batches="1:3"),
                         sampling.lines(self.graph)[1:3])

    def test_largest_seed(self):
        self.assertEqual(
            self.digest(seed=2**64 - 1),
            "5778b6dbe4b6046039bc618f97ef681ee0a815bfc1c010e56e52317d1b4bdfb5")

    def test_add_reverse(self):
        self.assertEqual(
            self.digest(graph=self.reversed),
            "5fb683ff17ed8a903f890e97f0c512b6401940c21ee612082def12275ae8d5eb")

    def test_replace(self):
        self.assertEqual(
            self.digest("--replace"),
            "1f3077e67d6e25bd6104e3da5e0f383de298122034d6154cc472496d656e363b")

    def test_expand_all(self):
        self.assertEqual(
            self.digest("--expand", "all"),
            "1de508182e1a99b33ff412beb50a3bd1a449160e01349203818227c11cab7f94")


if __name__ == "__main__":
    unittest.main()
