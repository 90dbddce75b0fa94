"""The blocks of docs/python.md on training, pasted."""

import pathlib
import re
import unittest

from tests.e2e import processes
from tests.e2e.pages import page
from tests.python.pyg import train_test

PAGE = "docs/python.md"


class PageTest(unittest.TestCase):
    def test_its_blocks_train(self):
        folder = self.enterContext(processes.temporary_folder())
        shells = page.Shells(folder)
        for name in ("examples", "tests"):
            pathlib.Path(folder, name).symlink_to(pathlib.Path(name).absolute())
        shells.paste(page.block(PAGE, "tributary partition --input tests/data/cora"))
        output = shells.paste(page.block(PAGE, "python3 examples/"))
        self.assertEqual(len(train_test.LINE.findall(output)), 2, output)
        program = page.block(PAGE, "import torch\n")
        pathlib.Path(folder, "train.py").write_text(program, encoding="utf-8")
        losses = re.findall(r"^epoch \d+ loss (\S+)$", shells.paste("python3 train.py"), re.M)
        self.assertEqual(len(losses), 10)
        self.assertLess(float(losses[-1]), 0.5 * float(losses[0]))

    def test_the_stores_of_pyg(self):
        folder = self.enterContext(processes.temporary_folder())
        shells = page.Shells(folder)
        pathlib.Path(folder, "tests").symlink_to(pathlib.Path("tests").absolute())
        shells.paste(page.block(PAGE, "tributary partition --input tests/data/cora"))
        program = page.block(PAGE, "from torch import tensor")
        pathlib.Path(folder, "stores.py").write_text(program, encoding="utf-8")
        self.assertEqual(shells.paste("python3 stores.py"), "")


if __name__ == "__main__":
    unittest.main()
