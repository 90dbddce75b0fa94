"""Wrong words on the command line, of every command but `sample`."""

import json
import os
import unittest

from tests.e2e import folders
from tests.e2e.bad_input.cases import FAILURE, USAGE, Case, Table, options

PARTITION = {"--input": "{source}", "--format": "ogb", "--out": "{here}/out",
             "--num-parts": "2", "--method": "random"}
GENERATE = {"--scale": "4", "--edges": "30", "--out": "{here}/out"}
SERVE = {"--graph": "{graph}", "--listen": "127.0.0.1:0"}
BENCH = {"--graph": "{graph}", "--input-nodes": "0,1,2",
         "--num-neighbors": "2", "--batch-size": "1"}


def row(command, base, title, words, code=USAGE, more=(), **changes):
    command = tuple(command.split())
    return Case(" ".join((*command, title)),
                (*command, *more, *options(base, **changes)), tuple(words),
                code)


def partition(title, words, code=USAGE, **changes):
    return row("partition", PARTITION, title, words, code, **changes)


def generate(name, words, code=USAGE, model="rmat", **changes):
    return row("generate", GENERATE, name, words, code, (model,), **changes)


def serve(name, words, code=USAGE, **changes):
    return row("serve", SERVE, name, words, code, **changes)


def bench(name, words, code=USAGE, kind="gather", **changes):
    return row("bench " + kind, BENCH, name, words, code, **changes)


def words(name, args, said, code=USAGE, report=None):
    return Case(name, tuple(args), tuple(said), code, report=report)


CASES = [
    # No command, or none of ours.
    words("no command", [], ["commands: partition", "--help"]),
    words("a mistyped command", ["smaple"], ["smaple", "sample"]),
    words("an empty command", [""], ['""', "commands"]),
    words("a command with escapes", ["sm\x1b[2J"], ["\\x1b[2J"]),
    words("a command that is no UTF-8", ["\udcff"], ["\\xff", "commands"]),
    words("an option for a command", ["--sample"],
          ["subcommand is required", "commands"]),
    words("bench without its kind", ["bench"],
          ["commands: sample, gather, stream"]),
    words("bench of another kind", ["bench", "gpu"],
          ["gpu", "sample, gather, stream"]),
    # partition
    partition("no input", ["--input"], input=None),
    partition("no output", ["--out"], out=None),
    partition("empty output", ["--out", "allowed"], out=""),
    partition("no parts", ["--num-parts", "1 to 65536"], num_parts="0"),
    partition("parts below none", ["--num-parts", "-2"], num_parts="-2"),
    partition("too many parts", ["--num-parts", "65537", "65536"],
              num_parts="65537"),
    partition("parts in words", ["--num-parts", "two"], num_parts="two"),
    partition("parts of 2 to the 64", ["--num-parts"],
              num_parts="18446744073709551616"),
    partition("a method that is not", ["--method", "best", "metis"],
              method="best"),
    partition("a format that is not", ["--format", "csv", "ogb"],
              format="csv"),
    partition("flags of tables for a format that has none",
              ["--format ogb with --num-nodes 9; allowed: --format edge-list"],
              FAILURE, num_nodes="9"),
    partition("relations without names", ["--relation-names", "numbers"],
              relation_names="none"),
    partition("a seed below none", ["--random-seed", "-1"],
              random_seed="-1"),
    partition("no such input", ["/no/where"], FAILURE, input="/no/where"),
    partition("a file for input", ["text"], FAILURE, input="{text}"),
    partition("output that exists", ["exists", "remove it"], FAILURE,
              out="{graph}"),
    partition("output over a file", ["exists"], FAILURE, out="{text}"),
    partition("output below a file", ["text/out", "Not a directory"],
              FAILURE, out="{text}/out"),
    partition("output in /proc", ["/proc/out"], FAILURE, out="/proc/out"),
    partition("a name that is no UTF-8", ["\\xff", "--name"], FAILURE,
              name="a\udcff"),
    partition("masks of no name", ["--edge-masks", "name of a file"], FAILURE,
              edge_masks=""),
    partition("a mask that is not there",
              ["raw/m.csv.gz", "--edge-masks names"], FAILURE,
              edge_masks="m"),
    partition("a mask of a name that conditions cannot say",
              ["--edge-masks: 'a=b'", "name of a mask"], FAILURE,
              edge_masks="a=b"),
    partition("a mask twice", ["--edge-masks", "'m' is named twice"], FAILURE,
              edge_masks="m,m"),
    partition("a mask in a folder", ["--edge-masks", "../m"], FAILURE,
              edge_masks="../m"),
    row("partition", PARTITION, "input twice", ["--input"],
        more=("--input", "x")),
    # generate
    generate("another model", ["erdos", "rmat"], model="erdos"),
    generate("scale 0", ["--scale", "1 to 32"], scale="0"),
    generate("scale 33", ["--scale", "1 to 32"], scale="33"),
    generate("scale nan", ["--scale", "nan"], scale="nan"),
    generate("no scale", ["--scale"], scale=None),
    generate("edges below none", ["--edges", "-1"], edges="-1"),
    generate("edges of 2 to the 41", ["--edges", "1099511627776"],
             edges="2199023255552"),
    generate("more edges than memory", ["memory", "smaller"], FAILURE,
             edges="1099511627776"),
    generate("features beyond the limit", ["--feat-dim", "65536"],
             feat_dim="65537"),
    generate("no classes", ["--classes", "1 to"], classes="0"),
    generate("weights with a value", ["--edge-weights"], edge_weights="0.5"),
    generate("a mask of a name that conditions cannot say",
             ["--edge-masks: 'a[0]'", "name of a mask"], FAILURE,
             edge_masks="a[0]"),
    generate("65 masks", ["--edge-masks", "65", "64"], FAILURE,
             edge_masks=",".join(f"m{i}" for i in range(65))),
    generate("output that exists", ["exists"], FAILURE, out="{graph}"),
    generate("no output", ["--out", "--chunks"], out=None),
    generate("two outputs", ["--chunks", "--out"], chunks="{here}/chunks"),
    generate("chunks that exist", ["/graph exists", "remove it"], FAILURE, out=None,
             chunks="{graph}"),
    generate("chunks without rows", ["--chunk-rows", "1 to"], out=None,
             chunks="{here}/chunks", chunk_rows="0"),
    row("generate", GENERATE, "chunks with a graph's flags",
        ["--chunks", "--degrees"], USAGE, ("rmat", "--degrees"), out=None,
        chunks="{here}/chunks"),
    generate("features of another type", ["--feat-dtype", "float16"],
             feat_dtype="int8"),
    # verify, inspect
    words("verify nothing", ["verify"], ["graph"]),
    words("verify an empty name", ["verify", ""], ["graph.json"], FAILURE),
    words("verify what is not", ["verify", "/no/graph"], ["/no/graph"],
          FAILURE),
    words("verify two graphs", ["verify", "{graph}", "{graph}"],
          ["not expected"]),
    words("verify against what is not",
          ["verify", "{graph}", "--against", "/no/input"], ["/no/input"],
          FAILURE),
    words("verify against another graph",
          ["verify", "{graph}", "--against", "{other}"],
          ["nodes of node: 3 in the graph, 4 in the input"], FAILURE),
    words("verify with a reverse that is not",
          ["verify", "{graph}", "--against", "{source}", "--add-reverse"],
          ["the graph is not what the input says"], FAILURE),
    words("inspect nothing", ["inspect"], ["graph"]),
    words("inspect what is not", ["inspect", "/no/graph", "--json"],
          ["/no/graph"], FAILURE),
    # serve
    serve("no graph", ["--graph"], graph=None),
    serve("no address", ["--listen"], listen=None),
    serve("an address without port", ["--listen", "HOST:PORT"],
          listen="127.0.0.1"),
    serve("port 65536", ["--listen", "0..65535"], listen="127.0.0.1:65536"),
    serve("a port below none", ["--listen", "0..65535"],
          listen="127.0.0.1:-1"),
    serve("an address of another machine", ["192.0.2.1", "cannot listen"],
          FAILURE, listen="192.0.2.1:0", more=("--insecure",)),
    serve("a host that is not", ["no.such.invalid"], FAILURE,
          listen="no.such.invalid:0", more=("--insecure",)),
    serve("plaintext for all", ["0.0.0.0", "--insecure"], FAILURE,
          listen="0.0.0.0:0"),
    serve("metrics at an address of another machine",
          ["cannot serve HTTP on 192.0.2.1:0"], FAILURE, http="192.0.2.1:0"),
    serve("metrics without port", ["--http", "HOST:PORT"], http="x"),
    serve("a partition that is not", ["no partition 2", "0 to 1"], FAILURE,
          partitions="2"),
    serve("partitions in words", ["--partitions", "x"], partitions="0,x"),
    serve("a partition below none", ["--partitions", "-1"],
          partitions="-1"),
    serve("a partition of 2 to the 32", ["--partitions", "4294967295"],
          partitions="4294967296"),
    serve("peers without ports", ["--peers", "a", "HOST:PORT"], peers="a"),
    serve("too many threads", ["--threads", "0 to 1024"], threads="1025"),
    serve("no memory", ["--memory-budget"], FAILURE, memory_budget="0"),
    serve("memory in words", ["--memory-budget", "lots"],
          memory_budget="lots"),
    serve("tensor memory in words", ["--tensor-memory", "lots"],
          tensor_memory="lots"),
    serve("a time that is nan", ["--drain-timeout", "nan"],
          drain_timeout="nan"),
    serve("a time below none", ["--drain-timeout", "-1"],
          drain_timeout="-1"),
    serve("a log level that is not", ["--log-level", "loud", "debug"],
          log_level="loud"),
    # status, doctor
    words("status of nobody", ["status"], ["--servers"]),
    words("status of an empty list", ["status", "--servers", ""],
          ["--servers", "HOST:PORT"]),
    words("status in no time",
          ["status", "--servers", "127.0.0.1:1", "--timeout", "0"],
          ["--timeout", "0.001"]),
    words("status in nan seconds",
          ["status", "--servers", "127.0.0.1:1", "--timeout", "nan"],
          ["--timeout", "nan"]),
    words("doctor of nothing", ["doctor"], ["neither --servers nor"]),
    words("doctor of both",
          ["doctor", "--servers", "127.0.0.1:1", "--graph", "{graph}"],
          ["both --servers and --graph"]),
    words("doctor of what is not", ["doctor", "--graph", "/no/graph"],
          ["1 of 1 checks failed"], FAILURE, report=["fail", "/no/graph"]),
    # bench
    bench("seconds in words", ["--seconds", "x"], seconds="x"),
    bench("nan seconds", ["--seconds", "nan"], seconds="nan"),
    bench("no seconds", ["--seconds", "0.001"], seconds="0"),
    bench("scale 33", ["--scale", "1 to 32"], graph=None, scale="33"),
    bench("no such graph", ["/no/graph"], FAILURE, graph="/no/graph"),
    bench("servers in one process", ["--servers"], servers="127.0.0.1:1"),
    words("bench a stream of a graph", ["bench", "stream", "--graph", "g"],
          ["--graph", "--servers"]),
    words("bench a stream of no servers", ["bench", "stream", "--servers", ""],
          ["neither --graph nor --servers"]),
    words("bench a stream's batches of no servers",
          ["bench", "stream", "--batch-size", "1"],
          ["--batch-size requires --servers"]),
    words("bench steps of no servers",
          ["bench", "stream", "--step-time", "1"], ["--servers"]),
    words("bench steps of hours",
          ["bench", "stream", "--servers", "127.0.0.1:1", "--step-time", "999"],
          ["--step-time", "999"]),
    words("bench 17 streams", ["bench", "stream", "--streams", "17"],
          ["--streams", "1 to 16"]),
    bench("one batch", ["fewer than two batches"], FAILURE,
          input_nodes="0"),
    bench("a range past the end", ["[9, 10)", "[0, 3)"], FAILURE, kind="sample",
          batches="9:10"),
    bench("no such split", ["tarin", "train"], FAILURE,
          input_nodes="tarin"),
    bench("a made-up graph's split", ["tarin", "train"], FAILURE, graph=None,
          scale="4", edges="30", input_nodes="tarin"),
]


class CommandsTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        text = os.path.join(cls.folder, "text")
        with open(text, "w", encoding="ascii") as f:
            f.write("0\n")
        other = os.path.join(cls.folder, "other")
        folders.write_ogb(other, 4, [(0, 1)])
        cls.paths = {"graph": cls.write_graph(), "text": text,
                     "other": other,
                     "source": os.path.join(cls.folder, "source")}

    def test_what_the_cases_change_works(self):
        self.works("partition", *options(PARTITION, out="{here}/p"))
        self.works("generate", "rmat", *options(GENERATE, out="{here}/g"))
        self.works("verify", "{graph}", "--against", "{source}")
        self.assertIn("ratio", json.loads(
            self.works("bench", "gather", *options(BENCH), "--json")))
        self.works("bench", "stream", "--seconds", "0.1")
        self.works("doctor", "--graph", "{graph}")
        self.works("--help")
        self.assertRegex(self.works("--version"),
                         r"\Atributary \d+\.\d+\.\d+ semantics \d+\n\Z")


if __name__ == "__main__":
    unittest.main()
