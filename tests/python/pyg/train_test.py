"""examples/python/node_classification.py trains PyG's GraphSAGE over a local server to the
accuracy of ./dev demo, in one process and with two ranks under torchrun."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs

EXAMPLE = "examples/python/node_classification.py"
# ./dev demo wants a mean of 0.78; this example's seeds 1 to 3 reach 0.817 to 0.831.
WANTED = 0.80
EPOCHS = 40
DEADLINE = 240
LINE = re.compile(r"^test (\S+) valid \S+ best epoch \d+$", re.M)


def run(*words, deadline=DEADLINE):
    """Returns what it prints; a program that fails, or is late, is an error."""
    with subprocess.Popen([sys.executable, "-B", *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as program:
        try:
            output, errors = program.communicate(timeout=deadline)
            ended = f"exit {program.returncode}"
        except subprocess.TimeoutExpired:
            program.terminate()  # torchrun ends its ranks, which are in sessions of their own
            output, errors = program.communicate()
            ended = f"not done after {deadline} s"
    if ended != "exit 0":
        raise AssertionError(f"{words}: {ended}\n{output}{errors}")
    return output


def torchrun(*words, deadline=DEADLINE):
    return run("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *words,
               deadline=deadline)


class TrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.fleet = cls.enterClassContext(tg.serve(graphs.cora(cls.folder)))

    def test_one_process_reaches_the_demos_accuracy(self):
        output = run(EXAMPLE, self.fleet.servers)
        [accuracy] = LINE.findall(output)
        self.assertGreater(float(accuracy), WANTED, output)

    def test_two_ranks_reach_the_demos_accuracy(self):
        output = torchrun("-m", "tests.python.pyg.two_ranks", self.folder,
                          self.fleet.servers)
        [accuracy] = LINE.findall(output)
        self.assertGreater(float(accuracy), WANTED, output)
        ranks = [json.loads(pathlib.Path(self.folder, f"{rank}.json").read_text("utf-8"))
                 for rank in (0, 1)]
        for what in ("model", "optimizer"):
            self.assertEqual(ranks[0][what], ranks[1][what], what)
        for epoch in range(EPOCHS):
            self.expect_shares(*(rank["epochs"][epoch] for rank in ranks))

    def expect_shares(self, first, second):
        """The ranks have each of 140 inputs once between them, in batches of 48."""
        self.assertEqual((len(first), len(second)), (2, 1))
        self.assertEqual(sorted(sum(first + second, [])), list(range(140)))


if __name__ == "__main__":
    unittest.main()
