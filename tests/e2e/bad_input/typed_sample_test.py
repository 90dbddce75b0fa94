"""`tributary sample`: words that do not fit a typed graph."""

import os
import unittest

from tests.e2e import folders
from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options

SAMPLE = {"--graph": "{graph}", "--input-nodes": "paper:train",
          "--num-neighbors": "2,2;author,writes,paper=1,0", "--batch-size":
          "2", "--random-seed": "1", "--epoch": "0", "--batches": "0:1"}
RELATIONS = "author,writes,paper paper,cites,paper"


def sample(name, words, code=FAILURE, **changes):
    return Case(name, ("sample", *options(SAMPLE, **changes)), tuple(words),
                code)


CASES = [
    # Inputs.
    sample("a split of no type", ["3 node types", "author, ghost, paper"],
           input_nodes="train"),
    sample("ids of no type", ["3 node types", "author, ghost, paper"],
           input_nodes="0,1"),
    sample("a type that is not", ["'papre'", "author, ghost, paper"],
           input_nodes="papre:train"),
    sample("ids of a type that is not", ["'papre'", "author, ghost, paper"],
           input_nodes="papre:0"),
    sample("a type in capitals", ["'Paper'", "author, ghost, paper"],
           input_nodes="Paper:train"),
    sample("a split that is not", ["'tarin' of node type paper", "only/train"],
           input_nodes="paper:tarin"),
    sample("a type without splits", ["node type author", "it has none"],
           input_nodes="author:train"),
    sample("an id of another type", ["is 2", "0 to 1", "author"],
           input_nodes="author:2"),
    sample("an id of a type without nodes", ["is 0", "ghost has no nodes"],
           input_nodes="ghost:0"),
    sample("no split after the type", ["--input-nodes", "allowed"], USAGE,
           input_nodes="paper:"),
    sample("no file of ids", ["/no/ids.npy"], input_nodes="paper:@/no/ids.npy"),
    # Fanouts.
    sample("a relation that is not", ["'author,wrote,paper'", RELATIONS],
           num_neighbors="2,2;author,wrote,paper=1,1"),
    sample("a relation turned round", ["'paper,writes,author'", RELATIONS],
           num_neighbors="2,2;paper,writes,author=1,1"),
    sample("a relation by its name alone", ["'writes'", RELATIONS],
           num_neighbors="2,2;writes=1,1"),
    sample("a relation as its folder is called", ["allowed", RELATIONS],
           num_neighbors="2,2;author___writes___paper=1,1"),
    sample("a relation without fanouts", ["names no edge type"], USAGE,
           num_neighbors="2,2;author,writes,paper"),
    sample("a default that is no number", ["--num-neighbors", "'paper'"],
           USAGE, num_neighbors="paper,2"),
    sample("a relation's fanout below -1", ["--num-neighbors", "-2"], USAGE,
           num_neighbors="2,2;author,writes,paper=1,-2"),
    sample("hops that differ", ["author,writes,paper has 1 hops, others 2"],
           USAGE, num_neighbors="2,2;author,writes,paper=1"),
    sample("hops that differ without a default",
           ["paper,cites,paper has 1 hops, others 2"], USAGE,
           num_neighbors="author,writes,paper=1,1;paper,cites,paper=1"),
    # What a server alone can see.
    sample("a metapath that does not return", ["walk.step_types", "back at a paper"],
           kind="walk", walk_length="4", metapath="author,writes,paper",
           num_neighbors=None),
]


class TypedSampleTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = folders.write_hetero(
            os.path.join(cls.folder, "source"),
            {"author": (2, [[1, 2], [3, 4]], None),
             "paper": (3, None, [[0], [1], [-1]]),
             "ghost": (0, None, None)},
            {("author", "writes", "paper"): ([(0, 1), (1, 2), (1, 0)], None),
             ("paper", "cites", "paper"): ([(0, 1), (2, 2)], None)},
            {"paper": {"train": [0, 2]}})
        cls.paths = {"graph": folders.partition(
            source, os.path.join(cls.folder, "graph"), 2)}

    def test_what_the_cases_change_works(self):
        for changes in ({}, {"input_nodes": "paper:only/train"},
                        {"input_nodes": "author:1,0,1"},
                        {"num_neighbors": "paper,cites,paper=1,1"},
                        {"num_neighbors": "0,0"}):
            with self.subTest(changes):
                lines = self.works("sample", *options(SAMPLE, **changes))
                self.assertEqual(len(lines.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
