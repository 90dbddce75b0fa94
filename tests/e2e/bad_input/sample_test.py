"""`tributary sample`: wrong words on the command line."""

import os
import unittest

import numpy as np

from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options

SAMPLE = {"--graph": "{graph}", "--input-nodes": "train", "--num-neighbors":
          "2,2", "--batch-size": "2", "--random-seed": "1", "--epoch": "0",
          "--batches": "0:1"}
WALK = {"kind": "walk", "num_neighbors": None}
PPR = {"kind": "ppr", "num_neighbors": None}
LAYERS = {"kind": "layerwise", "num_neighbors": None}
FLEET = {"graph": None, "rpc_timeout": "0.3"}


def sample(name, words, code=USAGE, more=(), **changes):
    return Case(name, ("sample", *options(SAMPLE, **changes), *more),
                tuple(words), code)


CASES = [
    # Where the batches come from.
    sample("neither graph nor servers", ["--graph", "--servers"], graph=None),
    sample("both", ["both --graph and --servers"], servers="127.0.0.1:1"),
    sample("empty graph", ["neither --graph nor --servers"], graph=""),
    sample("no such graph", ["/no/such/graph", "No such file"], FAILURE,
           graph="/no/such/graph"),
    sample("a folder that is no graph", ["graph.json"], FAILURE,
           graph="{source}"),
    sample("a file for a graph", ["text.npy/graph.json", "Not a directory"],
           FAILURE, graph="{text}"),
    sample("server without port", ["nowhere", "HOST:PORT"], **FLEET,
           servers="nowhere"),
    sample("server twice", ["127.0.0.1:1", "twice"], **FLEET,
           servers="127.0.0.1:1,127.0.0.1:1"),
    sample("port 65536", ["a:65536", "1..65535"], **FLEET, servers="a:65536"),
    sample("a graph's version in words", ["--graph-name", "NAME@VERSION"],
           **FLEET, servers="127.0.0.1:1", graph_name="cora@tuesday"),
    sample("a graph's name that is no UTF-8", ["graph_name", "UTF-8"],
           **FLEET, servers="127.0.0.1:1", graph_name="\udcff"),
    sample("a graph's name beside a folder", ["--graph-name with --graph"],
           graph_name="cora"),
    sample("port 0", ["a:0", "1..65535"], **FLEET, servers="a:0"),
    sample("port 2 to the 64", ["1..65535"], **FLEET,
           servers="a:18446744073709551617"),
    sample("host with a blank", ["a b:1", "no host"], **FLEET,
           servers="a b:1"),
    sample("dns with two slashes", ["three slashes"], **FLEET,
           servers="dns://a:1"),
    sample("file without a path", ["file:", "no path"], **FLEET,
           servers="file:"),
    # What is sampled.
    sample("no inputs option", ["--input-nodes"], input_nodes=None),
    sample("empty inputs", ["--input-nodes", "allowed"], input_nodes=""),
    sample("inputs of an empty path", ["--input-nodes", "@FILE.npy"],
           input_nodes="@"),
    sample("no such split", ["tarin", "train"], FAILURE, input_nodes="tarin"),
    sample("no such scheme", ["other/train", "train"], FAILURE,
           input_nodes="other/train"),
    sample("weights that are no file", ["--input-weight", "0.5,1", "@FILE"],
           input_weight="0.5,1"),
    sample("weights without shuffling", ["--input-weight", "--shuffle none"],
           input_weight="@w.npy", shuffle="none"),
    sample("a word among ids", ["--input-nodes", "1,x"], input_nodes="1,x"),
    sample("a fraction among ids", ["--input-nodes", "1,0.5"],
           input_nodes="1,0.5"),
    sample("nan is no id", ["nan", "train"], FAILURE, input_nodes="nan"),
    sample("a negative id", ["--input-nodes", "-1"], input_nodes="-1"),
    sample("an empty id", ["--input-nodes", "1,,2"], input_nodes="1,,2"),
    sample("id 2 to the 63", ["9223372036854775808"],
           input_nodes="9223372036854775808"),
    sample("id past the last", ["3", "0", "2"], FAILURE, input_nodes="0,3"),
    sample("a type that is not", ["person", "node"], FAILURE,
           input_nodes="person:0"),
    sample("an empty type", ["--input-nodes", "allowed"],
           input_nodes=":train"),
    sample("no such id file", ["/no/ids.npy"], FAILURE,
           input_nodes="@/no/ids.npy"),
    sample("fanout below -1", ["--num-neighbors", "2,-2", "the default has -2"],
           num_neighbors="2,-2"),
    sample("an empty fanout", ["--num-neighbors", "allowed"],
           num_neighbors="2,"),
    sample("no fanouts", ["--num-neighbors"], num_neighbors=""),
    sample("nan fanout", ["--num-neighbors", "nan"], num_neighbors="nan"),
    sample("fanout 2 to the 63", ["--num-neighbors", "9223372036854775808"],
           num_neighbors="9223372036854775808"),
    sample("fanout beyond the limit", ["2147483647", "--num-neighbors"],
           num_neighbors="2147483647"),
    sample("a hundred hops", ["hops"],
           num_neighbors=",".join("1" * 100)),
    sample("no such edge type", ["a,b,c", "node,to,node"], FAILURE,
           num_neighbors="2;a,b,c=1"),
    sample("an edge type twice", ["node,to,node"],
           num_neighbors="2;node,to,node=1;node,to,node=1"),
    sample("hops that differ", ["--num-neighbors", "1 hops, others 2"],
           num_neighbors="2,2;node,to,node=1"),
    sample("batch of none", ["--batch-size", "1 to"], batch_size="0"),
    sample("batch below none", ["--batch-size", "-5"], batch_size="-5"),
    sample("batch 2 to the 64", ["--batch-size", "18446744073709551616"],
           batch_size="18446744073709551616"),
    sample("batch in hex", ["--batch-size", "0x10"], batch_size="0x10"),
    sample("seed 2 to the 64", ["--random-seed", "18446744073709551615"],
           random_seed="18446744073709551616"),
    sample("negative seed", ["--random-seed", "-1"], random_seed="-1"),
    sample("seed with a blank", ["--random-seed", " 1"], random_seed=" 1"),
    sample("half an epoch", ["--epoch", "1.5"], epoch="1.5"),
    sample("epoch 1e400", ["--epoch", "1e400"], epoch="1e400"),
    sample("one batch number", ["--batches", "FROM:TO"], batches="3"),
    sample("an empty range", ["--batches", "2:2"], batches="2:2"),
    sample("a range backwards", ["--batches", "3:2"], batches="3:2"),
    sample("three ends of a range", ["--batches", "1:2:3"], batches="1:2:3"),
    sample("a range past the end", ["5:9", "2 batches", "FROM below 2"],
           FAILURE, batches="5:9"),
    sample("an order that is not", ["--shuffle", "none, global"],
           shuffle="yes"),
    sample("a precision that is not",
           ["--feature-dtype", '"half"', "stored, float16, bfloat16, int8"],
           feature_dtype="half"),
    sample("no precision", ["--feature-dtype", "stored, float16, bfloat16, int8"],
           feature_dtype=""),
    sample("a precision that features have", ["--feature-dtype", "float32"],
           feature_dtype="float32"),
    sample("an expansion that is not", ["--expand", "new, all"],
           expand="some"),
    sample("a kind that is not",
           ["--kind", "wlak", "node, walk, ppr, layerwise, link"],
           kind="wlak"),
    sample("walks without a length", ["--walk-length is required"],
           kind="walk", num_neighbors=None),
    sample("a walk of no step", ["--walk-length", "1 to 65535"], **WALK,
           walk_length="0"),
    sample("a walk of 2 to the 32", ["--walk-length", "1 to 65535"], **WALK,
           walk_length="4294967296"),
    sample("no walks", ["--walks-per-node", "1 to 65536"], **WALK,
           walk_length="4", walks_per_node="0"),
    sample("too many nodes on walks", ["batch_size", "2147483647"], FAILURE,
           **WALK, walk_length="65535", walks_per_node="65536"),
    sample("a restart above 1", ["--restart-prob", "0 to 1"], **WALK,
           walk_length="4", restart_prob="1.5"),
    sample("a restart that is none", ["--restart-prob", "nan", "0 to 1"],
           **WALK, walk_length="4", restart_prob="nan"),
    sample("no restart to end at", ["--restart-ends", "--restart-prob"],
           more=["--restart-ends"], **WALK, walk_length="4"),
    sample("p of nothing", ["--p", "0.01 to 100"], **WALK, walk_length="4",
           p="0"),
    sample("infinite q", ["--q", "inf", "0.01 to 100"], **WALK,
           walk_length="4", q="inf"),
    sample("a metapath of words", ["--metapath", "src,rel,dst"], **WALK,
           walk_length="4", metapath="to"),
    sample("a metapath that is not", ["metapath", "a,b,c", "node,to,node"],
           FAILURE, **WALK, walk_length="4", metapath="a,b,c"),
    sample("fanouts of a walk", ["--num-neighbors", "--kind node"],
           kind="walk", walk_length="4"),
    sample("a walk's option of nodes", ["--q", "--kind walk"], q="2"),
    sample("PPR of how many", ["--top-k is required"], **PPR),
    sample("PPR of none", ["--top-k", "1 to 65536"], **PPR, top_k="0"),
    sample("PPR of too many", ["batch_size", "2147483647"], FAILURE, **PPR,
           top_k="65536", batch_size="65536"),
    sample("a walk that hardly ends", ["--alpha", "0.01 to 1"], **PPR,
           top_k="4", alpha="0"),
    sample("alpha above 1", ["--alpha", "1.5", "0.01 to 1"], **PPR,
           top_k="4", alpha="1.5"),
    sample("alpha that is none", ["--alpha", "nan"], **PPR, top_k="4",
           alpha="nan"),
    sample("no epsilon", ["--epsilon", "3.97364e-07 to 1"], **PPR, top_k="4",
           epsilon="0"),
    sample("an infinite epsilon", ["--epsilon", "inf"], **PPR, top_k="4",
           epsilon="inf"),
    sample("PPR along what is not", ["edge_type", "a,b,c", "node,to,node"],
           FAILURE, **PPR, top_k="4", edge_type="a,b,c"),
    sample("fanouts of PPR", ["--num-neighbors", "--kind node"], kind="ppr",
           top_k="4"),
    sample("PPR's option of walks", ["--top-k", "--kind ppr"], **WALK,
           walk_length="4", top_k="4"),
    sample("PPR in time", ["--time goes with --kind node"], **PPR, top_k="4",
           time="edge"),
    sample("layers of how many", ["--nodes-per-layer is required"], **LAYERS),
    sample("a layer of none", ["--nodes-per-layer", "1 to 65536"], **LAYERS,
           nodes_per_layer="4,0"),
    sample("a layer of all", ["--nodes-per-layer", "-1"], **LAYERS,
           nodes_per_layer="-1"),
    sample("a hundred layers", ["nodes_per_layer", "1 to 32"], FAILURE,
           **LAYERS, nodes_per_layer=",".join("1" * 100)),
    sample("FastGCN without degrees", ["fastgcn", "node,to,node", "--degrees"],
           FAILURE, **LAYERS, nodes_per_layer="4", importance="fastgcn"),
    sample("an importance that is not", ["--importance", "laides", "ladies"],
           **LAYERS, nodes_per_layer="4", importance="laides"),
    sample("layers along what is not", ["edge_type", "a,b,c", "node,to,node"],
           FAILURE, **LAYERS, nodes_per_layer="4", edge_type="a,b,c"),
    sample("layers with replacement", ["--replace", "--kind node"],
           more=["--replace"], **LAYERS, nodes_per_layer="4"),
    sample("layers of walks", ["--nodes-per-layer", "--kind layerwise"],
           **WALK, walk_length="4", nodes_per_layer="4"),
    sample("an edge type of neighbours", ["--edge-type", "--kind ppr"],
           edge_type="node,to,node"),
    # With what.
    sample("no threads", ["--threads", "1 to 64"], threads="0"),
    sample("65 threads", ["--threads", "1 to 64"], threads="65"),
    sample("no time", ["--rpc-timeout", "0.1 to"], rpc_timeout="0"),
    sample("nan time", ["--rpc-timeout", "nan"], rpc_timeout="nan"),
    sample("infinite time", ["--rpc-timeout", "inf"], rpc_timeout="inf"),
    sample("time 1e400", ["--rpc-timeout", "1e400"], rpc_timeout="1e400"),
    sample("a word for a size", ["--buffer-size", "huge"],
           buffer_size="huge"),
    sample("nan for a size", ["--buffer-size", "nan"], buffer_size="nan"),
    sample("a size below none", ["--buffer-size", "-1GB"],
           buffer_size="-1GB"),
    sample("a size of 1e400", ["--buffer-size", "1e400"],
           buffer_size="1e400"),
    sample("a ring too small", ["buffer_size", "128"], buffer_size="128"),
    # The command line itself.
    sample("a mistyped option", ["--bacth", "--batch-size"], bacth="3"),
    sample("an option twice", ["--epoch"], more=("--epoch", "1")),
    sample("an option without value", ["--out"], more=("--out",)),
    sample("a word too many", ["surplus"], more=("surplus",)),
    sample("a flag with a value", ["--replace"], more=("--replace=maybe",)),
    # Names that would confuse a terminal.
    sample("escape sequence", ["argument 3", "\\x1b[2J", "control"],
           graph="\x1b[2J"),
    sample("a line break", ["argument 5", "tr\\nain", "control"],
           input_nodes="tr\nain"),
    sample("no UTF-8 in a path", ["/no/\\xff\\xfe", "No such file"], FAILURE,
           graph="/no/\udcff\udcfe"),
    sample("no UTF-8 in a split", ["\\xc3(", "UTF-8"], FAILURE,
           input_nodes="\udcc3("),
    sample("C1 control in a path", ["/no/\\xc2\\x9b"], FAILURE,
           graph="/no/\x9b"),
    sample("a very long path", ["name too long", "bytes left out"], FAILURE,
           graph="/" + "a" * 100000),
    sample("a very long list", ["--num-neighbors", "bytes left out"],
           num_neighbors="1," * 30000 + "x"),
    # Output.
    sample("output into a file", ["text.npy", "folder"], FAILURE,
           out="{text}"),
    sample("no output of a failed run", ["tarin"], FAILURE,
           input_nodes="tarin", out="{here}/out"),
    sample("no output of an empty range", ["5:9"], FAILURE, batches="5:9",
           out="{here}/out"),
]


class SampleTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        text = os.path.join(cls.folder, "text.npy")
        with open(text, "w", encoding="ascii") as f:
            f.write("0\n1\n")
        cls.paths = {"graph": cls.write_graph(), "text": text,
                     "source": os.path.join(cls.folder, "source")}

    def test_what_the_cases_change_works(self):
        lines = self.works("sample", *options(SAMPLE)).splitlines()
        self.assertEqual(len(lines), 1)

    def test_what_is_strange_but_right_works(self):
        np.save(os.path.join(self.folder, "ids.npy"), np.array([2, 0]))
        for changes in ({"input_nodes": "0,0,0", "batches": "0:9"},
                        {"num_neighbors": "0,0"}, {"num_neighbors": "-1,-1"},
                        {"random_seed": "18446744073709551615"},
                        {"epoch": "18446744073709551615"},
                        {"input_nodes": "node:train"},
                        {"input_nodes": "@{here}/ids.npy"}):
            with self.subTest(changes):
                self.assertTrue(self.works("sample",
                                           *options(SAMPLE, **changes)))


if __name__ == "__main__":
    unittest.main()
