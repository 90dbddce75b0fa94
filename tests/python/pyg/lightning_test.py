"""examples/python/lightning_trainer.py trains over two local servers to the accuracy of
./dev demo, in one process and with two ranks under torchrun."""

import os
import pathlib
import unittest
from unittest import mock

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs
from tests.python.pyg import train_test

EXAMPLE = "examples/python/lightning_trainer.py"
PACKAGES = pathlib.Path("external/lightning/path.txt")


class LightningTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packages = PACKAGES.read_text("utf-8")
        cls.enterClassContext(mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(
            (os.environ["PYTHONPATH"], packages))))
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.fleet = cls.enterClassContext(tg.serve(graphs.cora(folder), num_servers=2))

    def expect_the_demos_accuracy(self, run):
        output = run(EXAMPLE, self.fleet.servers)
        [reached] = train_test.LINE.findall(output)
        print(run.__name__, reached)
        self.assertGreater(float(reached), 0.78, output)

    def test_one_process(self):
        self.expect_the_demos_accuracy(train_test.run)

    def test_two_ranks(self):
        self.expect_the_demos_accuracy(train_test.torchrun)

    def test_shares_that_differ_are_refused(self):
        with self.assertRaisesRegex(AssertionError, r"the ranks have \[2, 1\] batches of an epoch"):
            train_test.torchrun(EXAMPLE, self.fleet.servers, "--batch-size", "48")


if __name__ == "__main__":
    unittest.main()
