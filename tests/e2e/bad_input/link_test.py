"""`tributary sample --kind link`: wrong options, wrong files of links."""

import unittest

from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options

SAMPLE = {"--graph": "{graph}", "--kind": "link", "--input-edges":
          "@{here}/links", "--num-neighbors": "2,2", "--batch-size": "2",
          "--random-seed": "1", "--epoch": "0", "--batches": "0:1"}
BINARY = {"neg_sampling": "binary"}


def write(here, text):
    for name, rows in (("links", text), ("one", "1,2\n"),
                       ("two", "0,1\n1,2\n")):
        with open(f"{here}/{name}", "w", encoding="utf-8") as f:
            f.write(rows)


def links(name, words, code=USAGE, text="0,1\n2,0\n", more=(), **changes):
    return Case(name, ("sample", *options(SAMPLE, **changes), *more),
                tuple(words), code, spoil=lambda here: write(here, text))


CASES = [
    links("no links", ["--input-edges", "@FILE"], input_edges=None),
    links("a list for a file", ["--input-edges", "0,1", "@FILE"],
          input_edges="0,1"),
    links("an empty path", ["--input-edges", "@FILE"], input_edges="@"),
    links("nodes, too", ["--input-nodes", "not with link"],
          input_nodes="train"),
    links("links of nodes", ["--input-edges", "--kind link"], kind="node",
          input_nodes="train"),
    links("negatives of nodes", ["--neg-sampling", "--kind link"],
          kind="node", input_nodes="train", input_edges=None, **BINARY),
    links("an amount of walks", ["--neg-amount", "--kind link"], kind="walk",
          walk_length="3", num_neighbors=None, input_nodes="train",
          input_edges=None, neg_amount="2"),
    links("subgraphs of nodes", ["--enclosing", "--kind link"], kind="node",
          input_nodes="train", input_edges=None, more=("--enclosing",)),
    links("subgraphs of negatives", ["enclosing: with negatives",
                                     "neg_sampling none"], FAILURE,
          more=("--enclosing",), **BINARY),
    links("subgraphs that exclude", ["enclosing: with exclude"],
          FAILURE, exclude="pair", more=("--enclosing",)),
    links("subgraphs in time", ["induced with a time"], time="edge",
          input_time="5", more=("--enclosing",)),
    links("no fanouts", ["--num-neighbors is required"], num_neighbors=None),
    links("a mode that is not", ["--neg-sampling", "tripple", "triplet"],
          neg_sampling="tripple"),
    links("an amount of nothing", ["--neg-amount", "--neg-sampling"],
          neg_amount="2"),
    links("an amount of words", ["--neg-amount", "many", "above 0"], **BINARY,
          neg_amount="many"),
    links("no negatives", ["neg_sampling.amount", "above 0"], FAILURE,
          **BINARY, neg_amount="0"),
    links("fewer than none", ["neg_sampling.amount", "above 0"], FAILURE,
          **BINARY, neg_amount="-1"),
    links("an amount that is none", ["--neg-amount", "nan", "above 0"],
          USAGE, **BINARY, neg_amount="nan"),
    links("endless", ["--neg-amount", "inf", "above 0"], USAGE, **BINARY,
          neg_amount="inf"),
    links("too many in all", ["batch_size", "4194304 links and negatives"],
          FAILURE, **BINARY, neg_amount="4194304"),
    links("half a triplet", ["neg_sampling.amount", "0.5", "whole"], FAILURE,
          neg_sampling="triplet", neg_amount="0.5"),
    links("half a destination", ["neg_sampling.amount", "1.5", "whole"],
          FAILURE, neg_sampling="destination", neg_amount="1.5"),
    links("labels of triplets", ["edge_label", "triplets"], FAILURE,
          text="0,1,4\n", neg_sampling="triplet"),
    links("strict for none", ["neg_sampling.strict", "without negatives"],
          FAILURE, more=["--neg-strict"]),
    links("accept without strict", ["neg_sampling.on_exhausted", "strict"],
          FAILURE, **BINARY, on_exhausted="accept"),
    links("on what", ["--on-exhausted", "retry", "error, accept"], **BINARY,
          more=["--neg-strict"], on_exhausted="retry"),
    links("strict nodes", ["--neg-strict", "--kind link"], kind="node",
          input_nodes="train", input_edges=None, more=["--neg-strict"]),
    links("negatives that are no file", ["--neg-destination", "@FILE"],
          neg_sampling="triplet", neg_destination="0,1"),
    links("how many, twice", ["--neg-amount", "--neg-destination"],
          neg_sampling="triplet", neg_amount="1",
          neg_destination="@{here}/links"),
    links("own negatives of nodes", ["--neg-destination", "--kind link"],
          kind="node", input_nodes="train", input_edges=None,
          neg_destination="@{here}/links"),
    links("own negatives for none", ["neg_destination", "mode none",
                                     "triplet or destination"], FAILURE,
          neg_destination="@{here}/links"),
    links("own sources", ["neg_destination", "mode binary"], FAILURE,
          **BINARY, neg_destination="@{here}/links"),
    links("own and strict", ["neg_sampling.strict", "neg_destination"],
          FAILURE, neg_sampling="triplet", more=["--neg-strict"],
          neg_destination="@{here}/links"),
    links("negatives of a link less", ["neg_destination", "2 ids", "4, 2"],
          FAILURE, neg_sampling="triplet",
          neg_destination="@{here}/one"),
    links("negatives, ragged", ["links: line 2: 2 ids", "line 1 has 3"],
          FAILURE, text="0,1,1\n1,2\n", neg_sampling="triplet",
          input_edges="@{here}/one", neg_destination="@{here}/links"),
    links("a negative that is not", ["neg_destination[1][0]", "3", "0 to 2"],
          FAILURE, text="0,1\n3,0\n", neg_sampling="triplet",
          input_edges="@{here}/two", neg_destination="@{here}/links"),
    links("no file of negatives", ["nothing", "No such file"], FAILURE,
          neg_sampling="triplet", neg_destination="@{here}/nothing"),
    links("a power of words", ["--neg-degree-power", "most", "up to 1"],
          **BINARY, neg_degree_power="most"),
    links("a power of nothing", ["--neg-degree-power", "above 0"], **BINARY,
          neg_degree_power="0"),
    links("a power above 1", ["degree_power", "1.5", "above 0, up to 1"],
          FAILURE, **BINARY, neg_degree_power="1.5"),
    links("a power below 0", ["degree-power", "-0.75", "above 0, up to 1"],
          USAGE, **BINARY, neg_degree_power="-0.75"),
    links("a power that is none", ["degree-power", "nan", "above 0, up to 1"],
          USAGE, **BINARY, neg_degree_power="nan"),
    links("less than a step", ["degree_power", "1e-06", "steps of 2^-16"],
          FAILURE, **BINARY, neg_degree_power="0.000001"),
    links("a power for none", ["degree_power", "without negatives"], FAILURE,
          neg_degree_power="0.75"),
    links("a power of nodes", ["--neg-degree-power", "--kind link"],
          kind="node", input_nodes="train", input_edges=None,
          neg_degree_power="0.75"),
    links("no degrees", ["stores no degrees of node,to,node", "--degrees"],
          FAILURE, **BINARY, neg_degree_power="0.75"),
    links("own ones by degree", ["degree_power", "neg_destination"], FAILURE,
          neg_sampling="triplet", neg_degree_power="0.75",
          neg_destination="@{here}/links"),
    links("exclude what", ["--exclude", "all", "reverse_types, pair"],
          exclude="all"),
    links("exclude by ids that are not", ["exclude", "edge id", "pair"],
          FAILURE, exclude="self"),
    links("exclude for nodes", ["--exclude", "--kind link"], kind="node",
          input_nodes="train", input_edges=None, exclude="pair"),
    links("no such split", ["tarin"], FAILURE, input_edges="tarin"),
    links("a split of nodes", ["train"], FAILURE, input_edges="train"),
    links("a time for none", ["--time", "--input-time"], time="edge"),
    links("an edge type that is not", ["a,b,c", "node,to,node"], FAILURE,
          input_edges="a,b,c:@{here}/links"),
    links("no file", ["nothing", "No such file"], FAILURE,
          input_edges="@{here}/nothing"),
    links("an empty file", ["links: line 0", "source,destination"], FAILURE,
          text=""),
    links("one column", ["links: line 2: 1 columns"], FAILURE, text="0,1\n2\n"),
    links("a header", ["links: line 1", "src,dst"], FAILURE,
          text="src,dst\n0,1\n"),
    links("a fraction", ["links: line 1", "0.5"], FAILURE, text="0.5,1\n"),
    links("a label that is none", ["links: line 2", "nan", "label"], FAILURE,
          text="0,1,1\n1,2,nan\n"),
    links("a source that is not", ["source[1]", "3", "0 to 2"], FAILURE,
          text="0,1\n3,1\n"),
    links("a negative destination", ["destination[0]", "-1", "0 to 2"],
          FAILURE, text="0,-1\n"),
    Case("bench", ("bench", "sample", "--kind", "link"), ("--input-edges",),
         USAGE),
]


class LinkTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.paths = {"graph": cls.write_graph()}

    def test_what_the_cases_change_works(self):
        write(self.folder, "0,1\n2,0\n")
        changes = {"input_edges": f"@{self.folder}/links"}
        self.assertEqual(len(self.works(
            "sample", *options(SAMPLE, **changes)).splitlines()), 1)
        for more in ({"neg_sampling": "binary", "neg_amount": "0.1"},
                     {"neg_sampling": "triplet", "neg_amount": "3"},
                     {"neg_sampling": "triplet", "on_exhausted": "error"},
                     {"exclude": "pair"},
                     {"neg_sampling": "triplet",
                      "neg_destination": f"@{self.folder}/links"},
                     {"input_edges": f"node,to,node:@{self.folder}/links"}):
            with self.subTest(more):
                self.assertTrue(self.works(
                    "sample", *options(SAMPLE, **(changes | more))))


if __name__ == "__main__":
    unittest.main()
