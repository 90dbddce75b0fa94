"""Blocks of the pages about graphs, pasted into shells: partitioning, hot caches,
the format, servers and certificates."""

import os
import random
import re
import shutil
import tempfile
import unittest

import numpy as np

from tests.e2e import made_up_graphs, processes
from tests.e2e.pages import page

PARTITIONING, HOT = "docs/partitioning.md", "docs/hot-cache.md"
FORMAT, MODES = "docs/graph-format.md", "docs/modes.md"
CERTS = """#!/bin/bash
set -eu
[ "$1" = certs ]
. {root}/tools/certs.sh
shift
make_certs "$@"
"""


class GraphPagesTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        os.makedirs(self.shells.path("tests/data"))
        for name in ("cora", "aifb"):
            os.symlink(os.path.abspath(f"tests/data/{name}"),
                       self.shells.path("tests/data", name))

    def path(self, *parts):
        return self.shells.path(*parts)

    def test_partitioning(self):
        out = self.shells.paste(page.block(
            PARTITIONING, "tributary partition --input tests/data/cora --out cora4 "))
        self.assertEqual(re.findall(r"^wrote (\S+) .*partitions=4", out, re.M),
                         ["cora4", "cora4m", "aifb4"])

    def test_an_assignment_of_ones_own(self):
        script = page.block(PARTITIONING, "import numpy")
        names = {"partition_of_each_node": np.arange(2708) % 3}
        exec(script.replace("parts.npy", self.path("parts.npy")), names)  # pylint: disable=exec-used
        [command] = re.findall("^    (.*--assignment parts.npy)$",
                               page.text_of(PARTITIONING), re.M)
        self.assertIn("wrote cora3 ", self.shells.paste(command))
        placed = np.load(self.path("cora3/node_map/node.npy"))
        np.testing.assert_array_equal(placed, np.arange(2708) % 3)

    def test_hot_caches(self):
        made_up_graphs.write_products(self.path("ogbn_products"), random.Random(5))
        apart, together = (
            page.block(HOT, "tributary partition --input ogbn_products" + rest)
            for rest in (" --format ogb --add-reverse --num-parts 4 --method metis --out products\n",
                         " --format ogb --add-reverse --num-parts 4 --method metis --out products \\"))
        apart, server = re.split("(?=^tributary serve )", apart, flags=re.M)
        self.assertIn(" ...\n", server)  # runs until it is stopped
        tables = [re.findall("^(partition .*|[0-9.]+ +[0-9].*)$", self.shells.paste(
            "rm -rf products\n" + text), re.M) for text in (apart, together)]
        self.assertGreater(len(tables[0]), 4)
        self.assertEqual(*tables)
        self.assertIn("wrote products/hot-lists/sampled\n", self.shells.paste(
            page.block(HOT, "tributary cache --graph products")))

    def test_what_a_hot_cache_prints(self):
        for begin in ("--out cora4", "--out cora1"):
            example = page.block(
                HOT, "$ tributary partition --input tests/data/cora " + begin)
            commands = re.findall(r"^\$ (.*)", example, re.M)
            said = self.shells.paste("\n".join(commands))
            for line in example.splitlines():
                if not line.startswith("$") and line != "...":
                    self.assertIn(line + "\n", said)

    def test_a_trainer_cache(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as sockets:  # of short names
            text = page.block("docs/trainer-cache.md", "tributary partition")
            said = self.shells.paste(text.replace("/tmp/", sockets + "/"))
        self.assertIn("rows covered", said)
        self.assertEqual(len(re.findall(r"^0 \d+ [0-9a-f]{64} ", said, re.M)), 5)

    def test_what_carries_the_streams(self):
        said = self.shells.paste(page.with_free_ports(
            page.block(MODES, "tributary partition --input tests/data/cora --out fleet")))
        self.assertRegex(said, r"(?m)^\S+ ready .* transport=tcp,grpc$")
        self.assertRegex(said, r"(?m)^ok +transport: TCP and gRPC$")
        self.assertEqual(len(re.findall(r"^0 \d+ [0-9a-f]{64} ", said, re.M)), 3)

    def test_arrays_in_python(self):
        self.shells.paste(
            "mkdir t\nprintf '%s\\n' src,dst a,b b,c c,a d,a e,a f,a g,a h,a > t/edges.csv\n"
            "printf '%s\\n' id,v a,1 b,2 c,3 d,4 e,5 f,6 g,7 h,8 > t/nodes.csv\n"
            "tributary partition --format edge-list --input t --features v"
            " --feature-dtype int8 --num-parts 1 --out g\n")
        names = {"np": np}
        at = self.path("g")
        os.rename(at + "/ids/node.offsets.npy", at + "/ids/user.offsets.npy")
        os.rename(at + "/ids/node.bytes.npy", at + "/ids/user.bytes.npy")
        for begin in ("a = np.load(", "offsets, text = "):
            exec(page.block(FORMAT, begin).replace("g/", at + "/"), names)  # pylint: disable=exec-used
        self.assertEqual(sorted(np.round(names["x"][:, 0])), list(range(1, 9)))
        self.assertEqual(names["name"], "h")

    def test_ldg_in_python(self):
        names = {}
        exec(page.block(FORMAT, "def ldg("), names)  # pylint: disable=exec-used
        text = re.sub(r"\s+", " ", page.text_of(FORMAT))
        edges, results = re.search(
            r"For 12 nodes, the edges ([0-9> ]+) and P = 3 it returns ([^.]+)\.", text).groups()
        edges = [tuple(map(int, pair.split(">"))) for pair in edges.split()]
        plain, loose = results.split(", and with 1500 thousandths ")
        for permille, wanted in ((1050, plain), (1500, loose)):
            self.assertEqual(names["ldg"](12, edges, 3, permille),
                             list(map(int, wanted.split())))

    def test_certificates(self):
        self.shells.paste("tributary partition --input tests/data/cora --out cora4"
                          " --num-parts 4")
        with open(self.path("dev"), "w", encoding="utf-8") as file:
            file.write(CERTS.format(root=os.getcwd()))
        os.chmod(self.path("dev"), 0o755)
        text = page.block(MODES, "./dev certs")
        train = re.search("^tributary-train .*", text, re.M)[0]
        out = self.shells.paste(page.with_free_ports(
            text.replace(train, train + " --epochs 1 --no-progress")
            + page.block(MODES, "curl ")))
        self.assertIn("result test_accuracy=", out)
        self.assertIn("\ntributary_busy_ratio{", out)

    def test_several_graphs(self):
        self.shells.paste("".join(
            f"tributary partition --input tests/data/cora --num-parts 2 --name {name}"
            f" --out {folder}.graph\n"
            for name, folder in (("daily", "monday"), ("papers", "papers"))))
        out = self.shells.paste(page.with_free_ports(page.block(
            MODES, "tributary serve --graph monday.graph")))
        self.assertRegex(out, r"(?m)^0 0 [0-9a-f]{64} ")

    def test_the_signal_of_the_autoscaler(self):
        self.shells.paste("tributary partition --input tests/data/cora --out g --num-parts 2")
        text = page.block("docs/scaling.md", "tributary serve --graph g")
        self.assertIn("--seconds 120", text)
        out = self.shells.paste(page.with_free_ports(
            text.replace("--seconds 120", "--seconds 2")))
        self.assertIn("tributary_busy_ratio{", out)

    def test_over_mpi(self):
        self.assertTrue(shutil.which("mpirun"), "Debian's openmpi-bin has it")
        rng = np.random.default_rng(5)
        np.save(self.path("edge_index.npy"), rng.integers(0, 300, (2, 900)))
        self.shells.link_program("cli/mpi/tributary-partition-mpi")
        self.write_files_of_dgl(rng)
        text = page.block(PARTITIONING, "mpirun ")
        self.assertIn("2449029", text)
        out = self.shells.paste(self.mpi(text.replace("2449029", "300")))
        self.assertEqual(re.findall(r"^wrote (\S+)", out, re.M), ["products.npy", "mag.parts"])

    def test_parmetis_step_and_the_same_again(self):
        self.shells.link_program("cli/mpi/tributary-partition-mpi")
        self.write_files_of_dgl(np.random.default_rng(5))
        text = self.mpi(page.block("docs/migrating-from-dgl.md", "mpirun "))
        self.assertIn("wrote mag.parts ", self.shells.paste(text))
        again = self.shells.start(text)
        self.assertEqual(again.wait(page.DEADLINE), 1, again.output())
        self.assertIn("mag.parts exists; remove it or name one that does not",
                      again.output())

    def mpi(self, text):
        """With folders and shared memory of its own, beside other tests."""
        sessions = self.path("s")
        os.makedirs(sessions, exist_ok=True)
        return (f"export TMPDIR={sessions} OMPI_MCA_btl_vader_backing_directory={sessions}"
                f" OMPI_MCA_oob_tcp_if_include=lo HOME={sessions}\n" + text)

    def write_files_of_dgl(self, rng):
        """mag_*.txt as write_mag.py has them, of two types with one weight each."""
        lines = [f"{kind} 1 {i}\n" for kind in (0, 1) for i in range(150)]
        edges = [f"{a} {b} {i} 0\n" for i, (a, b) in enumerate(rng.integers(0, 300, (900, 2)))]
        texts = {"nodes.txt": "".join(lines), "edges.txt": "".join(edges),
                 "stats.txt": "300 900 1\n"}
        for name, text in texts.items():
            with open(self.path("mag_" + name), "w", encoding="utf-8") as file:
                file.write(text)
        with open(self.path("mag.json"), "w", encoding="utf-8") as file:
            file.write('{"nid": {"paper": [0, 150], "author": [150, 300]}, "eid": {}}')


if __name__ == "__main__":
    unittest.main()
