"""A graph whose graph.json is longer than one message is served like any other."""

import json
import os
import unittest

from tests.e2e import folders, processes, sampling

RELATIONS = 600
ONE_MESSAGE = 512 << 10  # kMaxGraphTextInReply
TYPE = "paper," + "cites-0-" + "x" * 150 + ",paper"


def write_source(folder):
    """Many relations of long names between 40 papers, with a split each."""
    relations, splits = {}, {"paper": {"train": list(range(20))}}
    for r in range(RELATIONS):
        name = ("paper", f"cites-{r}-" + "x" * 150, "paper")
        pairs = [((7 * i + r) % 40, i) for i in range(40)]
        relations[name] = (pairs, None)
        splits["___".join(name)] = {
            "train": pairs[:2], "valid": pairs[2:3], "test": pairs[3:4]}
    return folders.write_hetero(
        folder, {"paper": (40, [[i] for i in range(40)], None)}, relations,
        splits)


def lines(where):
    return sampling.lines(where, inputs="paper:train", fanouts=TYPE + "=2,2",
                          batch_size=4)


class LongGraphJsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(
            write_source(os.path.join(cls.folder, "source")),
            os.path.join(cls.folder, "graph"), 2, "random")
        cls.alone = lines(cls.graph)

    def test_it_is_longer_than_a_message(self):
        with open(os.path.join(self.graph, "graph.json")) as file:
            said = json.load(file)
        said["files"] = []
        self.assertGreater(len(json.dumps(said, separators=(",", ":"))),
                           ONE_MESSAGE)

    def test_a_fleet_makes_the_batches_of_the_folder(self):
        self.assertEqual(len(self.alone), 5)
        with processes.Fleet(self.graph, ["0", "1"]) as fleet:
            self.assertEqual(lines(("servers", fleet.addresses())), self.alone)
            status = processes.run_ok("status", "--servers",
                                      fleet.addresses())
            self.assertEqual(len(status.splitlines()), 2)
            fleet.doctor()


if __name__ == "__main__":
    unittest.main()
