"""`tributary sample`: weights, times, trees, LABOR and totals that cannot be."""

import os
import unittest

import numpy as np

from tests.e2e import folders
from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options
from tests.e2e.bad_input.sample_test import SAMPLE


def draw(name, words, code=USAGE, more=(), **changes):
    return Case(name, ("sample", *options(SAMPLE, **changes), *more),
                tuple(words), code)


TIMED = {"time": "edge", "input_time": "5"}

CASES = [
    # Words that are none.
    draw("a rule that is not",
         ["--draw", "uniform, weighted, labor, across_types"], draw="biased"),
    draw("an empty rule", ["--draw", "uniform, weighted, labor"], draw=""),
    draw("a time that is not", ["--time", "none, edge, node"], time="now"),
    draw("a strategy that is not", ["--temporal-strategy", "uniform, last"],
         temporal_strategy="first", **TIMED),
    draw("a word for an input's time", ["--input-time", "own", "@FILE.npy"],
         time="edge", input_time="now"),
    draw("half a second", ["--input-time", "1.5"], time="edge",
         input_time="1.5"),
    draw("nan is no time", ["--input-time", "nan"], time="edge",
         input_time="nan"),
    draw("an empty time in a list", ["--input-time"], time="edge",
         input_time="1,,2"),
    draw("time 2 to the 63", ["9223372036854775808"], time="edge",
         input_time="9223372036854775808"),
    draw("a file of no name", ["--input-time"], time="edge", input_time="@"),
    draw("a disjoint with a value", ["--disjoint"],
         more=("--disjoint=maybe",)),
    draw("a strict with a value", ["--strict"], more=("--strict=maybe",)),
    draw("a layer dependency with a value", ["--layer-dependency"],
         more=("--layer-dependency=some",)),
    draw("a direction that is not", ["--edge-dir", "in, out, both"],
         edge_dir="back"),
    draw("out-edges that are not stored",
         ["edge_dir: out", "node,to,node", "--out-edges"], FAILURE,
         edge_dir="out"),
    draw("both, of which one is not stored",
         ["edge_dir: both", "node,to,node", "--out-edges"], FAILURE,
         edge_dir="both"),
    draw("walks with a direction", ["--edge-dir", "--kind node, link"],
         edge_dir="out", kind="walk", num_neighbors=None),
    draw("induced edges with a direction",
         ["--subgraph-type", "with edge_dir out or both"], edge_dir="out",
         subgraph_type="induced"),
    # What does not go together.
    draw("strict without a time", ["strict", "with time edge or node"],
         more=("--strict",)),
    draw("last without a time", ["--temporal-strategy", "with time"],
         temporal_strategy="last"),
    draw("an input's time without a time", ["--input-time", "with time"],
         input_time="own"),
    draw("weights and times", ["weighted with a time"], draw="weighted",
         **TIMED),
    draw("labor and times", ["labor with a time"], draw="labor", **TIMED),
    draw("labor and trees", ["labor with disjoint"], draw="labor",
         more=("--disjoint",)),
    draw("labor with replacement", ["labor with replacement"], draw="labor",
         more=("--replace",)),
    draw("a total and times", ["across_types with a time", "draw uniform"],
         draw="across_types", **TIMED),
    draw("a total and out-edges",
         ["across_types with edge_dir out or both", "edge_dir in"],
         draw="across_types", edge_dir="out"),
    draw("a total and a mask", ["across_types with edge_mask 'train'"],
         draw="across_types", edge_mask="train"),
    draw("a total and a predicate", ["across_types with edge_predicate"],
         draw="across_types", edge_predicate="self_loop == 0"),
    draw("last with replacement", ["last with replacement"],
         temporal_strategy="last", more=("--replace",), **TIMED),
    draw("layers that depend without labor", ["--layer-dependency", "labor"],
         more=("--layer-dependency",)),
    # What the graph does not have.
    draw("weights that are not there", ["weighted", "weights",
                                        "node,to,node"], FAILURE,
         draw="weighted"),
    draw("edge times that are not there", ["time: edge", "edge times",
                                           "node,to,node"], FAILURE, **TIMED),
    draw("node times that are not there", ["time: node", "node times",
                                           "node,to,node"], FAILURE,
         time="node", input_time="5"),
    draw("inputs without times", ["input_time: own", "node", "have no times"],
         FAILURE, time="edge"),
    draw("neighbours without ids", ["labor", "node,to,node",
                                    "neighbours' original ids"], FAILURE,
         draw="labor"),
    # Predicates.
    draw("an empty predicate", ["--edge-predicate: ''", "edge_attr[I]"],
         edge_predicate=""),
    draw("a column that is none", ["'edge_size > 1'", "edge_mask[NAME] or self_loop"],
         edge_predicate="edge_size > 1"),
    draw("attributes of no number", ["'edge_attr > 1'", "edge_attr[I]"],
         edge_predicate="edge_attr > 1"),
    draw("a comparison that is none", ["'edge_time = 1'", "== != >="],
         edge_predicate="edge_time = 1"),
    draw("a predicate of nan", ["'edge_weight < nan'", "a number"],
         edge_predicate="edge_weight < nan"),
    draw("or is no word of predicates", ["edge_time < 1 or edge_time > 9"],
         edge_predicate="edge_time < 1 or edge_time > 9"),
    draw("two defaults", ["'edge_time > -1' is a second default"],
         edge_predicate="edge_time < 1; edge_time > -1"),
    draw("a type of two predicates", ["node,to,node is named twice"],
         edge_predicate="node,to,node:edge_time<1;node,to,node:edge_time>0"),
    draw("attributes that are not there", [
        "'edge_attr[0] > 1'", "node,to,node", "allowed: self_loop"], FAILURE,
         edge_predicate="edge_attr[0] > 1"),
    draw("times that are not there", [
        "'edge_time < 1'", "has no such column"], FAILURE,
         edge_predicate="edge_time < 1"),
    draw("a predicate of no type", [
        "edge type 'a,b,c' is not sampled; allowed: node,to,node"], FAILURE,
         edge_predicate="a,b,c:edge_time < 1"),
    draw("a predicate of walks", ["--edge-predicate goes with --kind node"],
         kind="walk", walk_length="3", num_neighbors=None,
         edge_predicate="edge_time < 1"),
    # Masks.
    draw("a mask of no name", ["--edge-mask", "the name of a mask"],
         edge_mask=""),
    draw("a mask that is not stored", [
        "edge_mask: 'train'", "node,to,node", "partitioned with masks"],
         FAILURE, edge_mask="train"),
    draw("a mistyped mask", [
        "edge_mask: 'trian'", "sampled: node,to,node", "allowed: late, train"],
         FAILURE, edge_mask="trian", graph="{masked}"),
    draw("a mask that is no UTF-8", ["draws.edge_mask", "\\xff", "UTF-8"],
         FAILURE, edge_mask="\udcff", graph="{masked}"),
    draw("a predicate's mask that is no UTF-8",
         ["draws.edge_predicates", "\\xff", "UTF-8"], FAILURE,
         edge_predicate="edge_mask[\udcff] == 1", graph="{masked}"),
    draw("a predicate of a mistyped mask", [
        "'edge_mask[trian] == 1'", "has no such column",
        "edge_mask[late], edge_mask[train]"], FAILURE,
         edge_predicate="edge_mask[trian] == 1", graph="{masked}"),
    draw("a mask without brackets", ["'train == 1'", "edge_mask[NAME]"],
         edge_predicate="train == 1", graph="{masked}"),
    draw("a mask without a comparison", ["'edge_mask[train]'", "== != >="],
         edge_predicate="edge_mask[train]", graph="{masked}"),
    draw("half a mask", ["'edge_mask[train] > 0.5'", "a whole number"],
         FAILURE, edge_predicate="edge_mask[train] > 0.5", graph="{masked}"),
    draw("a mask and induced edges",
         ["--subgraph-type: induced with edge_mask 'train'"],
         edge_mask="train", subgraph_type="induced", graph="{masked}"),
    draw("a mask of walks", ["--edge-mask goes with --kind node"],
         kind="walk", walk_length="3", num_neighbors=None,
         edge_mask="train"),
    # Lists of times.
    draw("times for other inputs", ["input_time", "3 times", "2, one for"],
         FAILURE, time="edge", input_time="1,2,3", input_nodes="0,1"),
    draw("no such time file", ["/no/times.npy"], FAILURE, time="edge",
         input_time="@/no/times.npy"),
    draw("a text for a time file", ["text.npy"], FAILURE, time="edge",
         input_time="@{text}"),
    draw("a time file of fractions", ["half.npy", "whole numbers"], FAILURE,
         time="edge", input_time="@{half}"),
    draw("a time file of none", ["input_time", "0 times"], FAILURE,
         time="edge", input_time="@{none}"),
    draw("a batch too large for times", ["batch_size: 32769", "32768"],
         FAILURE, batch_size="32769", **TIMED),
]


class DrawOptionsTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.paths = {"graph": cls.write_graph()}
        source = cls.write_source(
            os.path.join(cls.folder, "masked-source"),
            files={"train": [1, 0, 1], "late": [0, 0, 1]})
        cls.paths["masked"] = folders.partition(
            source, os.path.join(cls.folder, "masked"), 2, "random",
            "--edge-masks", "train,late")
        for name, values in (("half", [0.5, 1.5]), ("none", [])):
            cls.paths[name] = os.path.join(cls.folder, name + ".npy")
            np.save(cls.paths[name], np.array(
                values, np.int64 if name == "none" else np.float64))
        cls.paths["text"] = os.path.join(cls.folder, "text.npy")
        with open(cls.paths["text"], "w", encoding="ascii") as f:
            f.write("0\n1\n")

    def test_what_the_cases_change_works(self):
        for more in ((), ("--disjoint",), ("--draw", "across_types")):
            lines = self.works("sample", *options(SAMPLE), *more).splitlines()
            self.assertEqual(len(lines), 1)
        for more in (("--edge-mask", "late"),
                     ("--edge-predicate", "edge_mask[train] == 0")):
            lines = self.works("sample", *options(SAMPLE, graph="{masked}"),
                               *more).splitlines()
            self.assertEqual(len(lines), 1)


if __name__ == "__main__":
    unittest.main()
