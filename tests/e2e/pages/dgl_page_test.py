"""The blocks of docs/migrating-from-dgl.md, pasted into a shell."""

import random
import re
import unittest

from tests.e2e import made_up_graphs, processes
from tests.e2e.pages import page

PAGE = "docs/migrating-from-dgl.md"

class DglPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        self.sections = page.sections(PAGE)
        made_up_graphs.write_mag(self.shells.path("ogbn_mag"),
                                 random.Random(5))

    def test_the_steps_run_as_they_stand(self):
        text = "".join(page.commands(self.sections[heading])
                       for heading in self.sections
                       if re.match("Step [123]", heading))
        # A network that no other test uses; ports stay as they are.
        network = "127.%d.%d" % tuple(random.randbytes(2))
        self.assertIn("172.31.0.1", text)
        out = self.shells.paste(page.with_free_master_port(
            text.replace("172.31.0", network)))
        self.assertIn(f"{network}.1 trainer 0: result test_accuracy=", out)
        self.assertIn("epoch 3/3", out)
        for part in range(4):
            self.assertIn(f"{network}.{part + 1} server {part}: ready "
                          f"listen={network}.{part + 1}:30050 partitions={part}",
                          out)

    def test_standalone_mode_runs(self):
        partition = next(
            line for line in page.commands(
                self.sections["Step 2: partition the graph"]).split("\n")
            if line.startswith("tributary partition"))
        out = self.shells.paste(
            partition + "\n" + page.commands(self.sections["Standalone mode"]))
        self.assertIn("result test_accuracy=", out)


if __name__ == "__main__":
    unittest.main()
