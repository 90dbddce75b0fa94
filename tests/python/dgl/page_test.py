"""The blocks in Python of docs/migrating-from-dgl.md, pasted."""

import os
import pathlib
import random
import re
import unittest

from tests.e2e import processes
from tests.e2e.pages import page

PAGE = "docs/migrating-from-dgl.md"
LOSS = re.compile(r"epoch (\d) loss (\S+)$", re.M)


class PageTest(unittest.TestCase):
    def setUp(self):
        self.shells = page.Shells(self.enterContext(processes.temporary_folder()))
        for name in ("examples", "tests"):
            os.symlink(os.path.abspath(name), self.shells.path(name))

    def save(self, name, begin):
        pathlib.Path(self.shells.path(name)).write_text(page.block(PAGE, begin), "utf-8")

    def expect_learning(self, output, ranks=1):
        losses = [float(loss) for epoch, loss in LOSS.findall(output)]
        self.assertEqual(len(losses), 10 * ranks, output)
        self.assertLess(sum(losses[-ranks:]), 0.5 * sum(losses[:ranks]), output)

    def test_scripts_whose_import_was_changed(self):
        self.shells.paste(page.block(PAGE, "tributary partition --input tests/data/cora"))
        self.save("sage.py", "import os\n")
        self.expect_learning(self.shells.paste(page.block(PAGE, "python3 sage.py")))
        launch = page.block(PAGE, "printf '%s\\n' 127.0.0.1")
        # A network that no other test uses; ports stay as they are.
        network = "127.%d.%d" % tuple(random.randbytes(2))
        launch = launch.replace("127.0.0", network)
        output = self.shells.paste(page.with_free_master_port(launch))
        self.expect_learning(output, ranks=2)
        self.assertIn(f"{network}.2 trainer 1: epoch 9", output)

        self.save("rows.py", "import torch\n\nimport tributary_gnn")
        self.assertRegex(self.shells.paste("python3 rows.py"), r"rows read \d{3}")
        self.save("edges.py", "import torch\nimport torch.nn.functional")
        output = self.shells.paste("python3 edges.py")
        [(accuracy, majority)] = re.findall(
            r"^accuracy (\S+) most frequent class (\S+)$", output, re.M)
        self.assertGreater(float(accuracy), float(majority) + 0.01, output)
        output = self.shells.paste(page.block(PAGE, "tributary partition --input tests/data/aifb"))
        self.assertRegex(output, r"test \S+ valid \S+ best epoch \d\n")


if __name__ == "__main__":
    unittest.main()
