"""The block of docs/graph-in-object-storage.md, pasted into a shell beside a store."""

import os
import re
import unittest

from tests.e2e import processes
from tests.e2e.pages import page
from tests.fetch import store

PAGE = "docs/graph-in-object-storage.md"


class PageTest(unittest.TestCase):
    def test_the_block_runs(self):
        shells = page.Shells(self.enterContext(processes.temporary_folder()))
        shells.link_program("cli/fetch/tributary-fetch")
        os.makedirs(shells.path("data"))
        os.symlink(os.path.abspath("tests/data/cora"), shells.path("data/papers"))
        text = page.block(PAGE, "# Where there is neither")
        keys = re.findall(r"export (AWS_\w+)=\.\.\. (AWS_\w+)=\.\.\.", text)
        self.assertEqual(keys, [("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")])
        moto = self.enterContext(store.Store())
        endpoint = f"http://127.0.0.1:{moto.port}"
        self.assertIn("https://storage.example", text)
        out = shells.paste(
            text.replace("=...", "=test").replace("https://storage.example", endpoint)
            .replace(" /graphs/papers --partitions", " graphs/two --partitions")
            .replace(" /graphs/papers", " graphs/papers"))
        self.assertIn("wrote papers ", out)
        self.assertTrue(os.path.exists(shells.path("graphs/papers/part-3")))
        self.assertEqual([name for name in os.listdir(shells.path("graphs/two"))
                          if name.startswith("part-")], ["part-2"])


if __name__ == "__main__":
    unittest.main()
