"""The installed wheel: its commands, and batches without anything else of Tributary."""

import ast
import os
import sys
import unittest

from tests.e2e import folders, processes, sampling
from tests.wheel import wheel

OLDEST_PYTHON = (3, 9)
SESSION = {"input_nodes": "train", "num_neighbors": [10, 5], "batch_size": 32,
           "random_seed": 11}
# Prints the digests of epoch 2 of the graph argv[1] in the mode argv[2].
DIGESTS = f"""
import sys
import tributary_gnn as tg
with tg.Source(mode=sys.argv[2], graph=sys.argv[1], channel_size="64MB") as source:
    with tg.Loader(source, {SESSION}) as loader:
        loader.start_epoch(2)
        while (batch := loader.next()) is not None:
            print(batch.digest())
"""


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.installed = wheel.Installation(folder.name)
        cls.graph = folders.partition(folders.CORA, os.path.join(folder.name, "cora4"), 4,
                                      "metis")

    def test_batches_are_those_of_the_program(self):
        expected = [line.split()[2] for line in sampling.lines(self.graph)]
        self.assertEqual(len(expected), 5)
        for mode in ("collocated", "mp"):
            with self.subTest(mode=mode):
                done = self.installed.run(sys.executable, "-c", DIGESTS, self.graph, mode)
                self.assertEqual(done.stdout.split(), expected)
                self.assertEqual(done.stderr, "")

    def test_the_command_is_the_program(self):
        own = processes.run_ok("--version")
        self.assertEqual(self.installed.run("tributary", "--version").stdout, own)
        refused = self.installed.run("tributary", "serv", code=2)
        self.assertEqual(refused.stderr, processes.run("serv").stderr)

    def test_a_missing_program_is_named(self):
        done = self.installed.run("tributary", code=1, TRIBUTARY_PROGRAM="/no/such")
        self.assertEqual(done.stderr, "tributary: /no/such: No such file or directory; "
                         "allowed: the path of the program in $TRIBUTARY_PROGRAM\n")

    def test_the_trainer_says_where_it_is(self):
        done = self.installed.run("tributary-train", "--graph", "g", code=1)
        self.assertIn("./dev build", done.stderr)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_sources_are_in_the_grammar_of_the_oldest_python(self):
        package = os.path.join(self.installed.site, "tributary_gnn")
        sources = [os.path.join(parent, name) for parent, _, names in os.walk(package)
                   for name in names if name.endswith(".py")]
        self.assertGreater(len(sources), 10)
        for path in sources:
            with open(path, encoding="utf-8") as file:
                ast.parse(file.read(), path, feature_version=OLDEST_PYTHON)


if __name__ == "__main__":
    unittest.main()
