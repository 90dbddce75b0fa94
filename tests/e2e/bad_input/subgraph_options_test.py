"""`tributary sample`: edges of a batch that cannot be."""

import unittest

from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options
from tests.e2e.bad_input.sample_test import SAMPLE, WALK


def subgraph(name, words, code=USAGE, more=(), **changes):
    return Case(name, ("sample", *options(SAMPLE, **changes), *more),
                tuple(words), code)


INDUCED = {"subgraph_type": "induced"}

CASES = [
    subgraph("a type that is not",
             ["--subgraph-type", "directional, bidirectional, induced"],
             subgraph_type="inducted"),
    subgraph("an empty type", ["--subgraph-type"], subgraph_type=""),
    subgraph("no edges to look at", ["--max-scanned-edges", "1 to 4294967295"],
             max_scanned_edges="0", **INDUCED),
    subgraph("2 to the 32 edges", ["--max-scanned-edges", "1 to 4294967295"],
             max_scanned_edges="4294967296", **INDUCED),
    subgraph("a fraction of edges", ["--max-scanned-edges"],
             max_scanned_edges="1e6", **INDUCED),
    subgraph("a limit on what is not looked at",
             ["--max-scanned-edges goes with --subgraph-type induced"],
             max_scanned_edges="5"),
    subgraph("labor", ["--subgraph-type", "draw labor", "directional"],
             draw="labor", **INDUCED),
    subgraph("labor, mirrored", ["--subgraph-type", "draw labor"], draw="labor",
             subgraph_type="bidirectional"),
    subgraph("a time", ["--subgraph-type: induced with a time", "bidirectional"],
             time="edge", input_time="5", **INDUCED),
    subgraph("walks", ["--subgraph-type goes with --kind node"],
             walk_length="3", **WALK, **INDUCED),
    subgraph("a batch that looks at too many",
             ["epoch 0", "max_scanned_edges, 1", "raise it"], FAILURE,
             max_scanned_edges="1", **INDUCED),
]


class SubgraphOptionsTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.paths = {"graph": cls.write_graph()}

    def test_what_the_cases_change_works(self):
        for kind in ("directional", "bidirectional", "induced"):
            lines = self.works("sample", *options(
                SAMPLE, subgraph_type=kind)).splitlines()
            self.assertEqual(len(lines), 1)


if __name__ == "__main__":
    unittest.main()
