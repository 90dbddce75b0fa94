"""`tributary bench` measures what `sample` would make."""

import json
import os
import unittest

from tests.e2e import folders, processes, sampling


class BenchTest(unittest.TestCase):
    def test_folder_and_fleet(self):
        with processes.temporary_folder() as folder:
            graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
            expected = sampling.lines(graph)
            with processes.Server(graph) as server:
                for where in (["gather", "--graph", graph],
                              ["stream", "--servers", server.address]):
                    self.check(where, expected)

    def check(self, where, expected):
        said = json.loads(processes.run_ok(
            "bench", *where, "--input-nodes", "train", "--num-neighbors",
            "10,5", "--batch-size", 32, "--random-seed", 11, "--epoch", 2,
            "--json"))
        # The first batch is start-up.
        rest = [[int(word) for word in line.split()[3:]]
                for line in expected[1:]]
        self.assertEqual(said["batches"], len(rest))
        for name, column in (("inputs", 0), ("edges", 2), ("bytes", 3)):
            self.assertAlmostEqual(
                said[f"{name}_per_second"] * said["seconds"],
                sum(row[column] for row in rest), delta=0.5)


if __name__ == "__main__":
    unittest.main()
