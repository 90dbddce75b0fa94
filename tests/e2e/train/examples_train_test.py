"""The short ones of examples/train.sh, with one seed: the script fails below
the figure that it wants. `./dev test --deep` runs all of them with all seeds."""

import os
import subprocess
import unittest

from tests.e2e import processes

TRAINER = "trainer_client/torch/tributary-train"
DEADLINE = 280  # seconds, on a machine that does other things too


def train(*names, seeds="1"):
    return subprocess.run(
        ["bash", "examples/train.sh", *names], text=True, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=DEADLINE, check=False,
        env={**os.environ, "SEEDS": seeds, "OMP_NUM_THREADS": "1",
             "TMPDIR": os.environ["TEST_TMPDIR"],
             "TRIBUTARY": os.path.abspath(processes.TRIBUTARY),
             "TRIBUTARY_TRAIN": os.path.abspath(TRAINER)})


class ExamplesTrainTest(unittest.TestCase):
    def test_short_examples_reach_their_figures(self):
        done = train("cora-sage", "citeseer-gcn")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("cora-sage", "citeseer-gcn"):
            self.assertRegex(done.stdout, f"(?m)^{name}: mean test accuracy 0")

    def test_without_names_they_are_listed(self):
        done = train()
        self.assertEqual(done.returncode, 2)
        self.assertIn("cora-sage", done.stdout)

    def test_an_unknown_name_is_refused(self):
        done = train("cora-mlp")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no example cora-mlp", done.stderr)


if __name__ == "__main__":
    unittest.main()
