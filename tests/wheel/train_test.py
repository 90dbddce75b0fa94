"""From the installed wheel to a trained model: the program of docs/python.md, with torch
and PyTorch Geometric, on a graph that the wheel's own command has partitioned."""

import os
import re
import sys
import unittest

from tests.e2e import folders, processes
from tests.e2e.pages import page
from tests.wheel import wheel


class TrainTest(unittest.TestCase):
    def test_the_pages_program(self):
        folder = self.enterContext(processes.temporary_folder())
        installed = wheel.Installation(folder)
        installed.run("tributary", "partition", "--input", os.path.abspath(folders.CORA),
                      "--format", "ogb", "--out", "cora4", "--num-parts", "4", folder=folder)
        done = installed.run(sys.executable, "-c", page.block("docs/python.md", "import torch"),
                             folder=folder)
        losses = [float(loss) for loss in re.findall(r"loss (\S+)", done.stdout)]
        self.assertEqual(len(losses), 10)
        self.assertLess(losses[-1], losses[0] / 2)


if __name__ == "__main__":
    unittest.main()
