"""Each block of the pages is run by a test, or inventory.py says why it is not."""

import os
import re
import unittest

from tests.e2e.pages import inventory, page
from tools import page_blocks

REASONS = (inventory.BAZEL, inventory.FIGURES, inventory.TEMPLATE, inventory.TEXT,
           inventory.CPP, inventory.TORCH)


def pages():
    folders = (".", "docs", "docs/sampling", "examples", "examples/baselines",
               "examples/own_model", "k8s")
    return sorted(os.path.normpath(os.path.join(folder, name)) for folder in folders
                  for name in os.listdir(folder) if name.endswith(".md"))


class BlocksTest(unittest.TestCase):
    def test_every_block_is_listed(self):
        listed = dict(inventory.BLOCKS)
        for path in pages():
            begins = [begin for begin, _ in listed.pop(path, [])]
            found = list(page_blocks.blocks(page.text_of(path)))
            with self.subTest(path):
                for begin, block in zip(begins, found):
                    self.assertTrue(block.text().startswith(begin),
                                    f"{path}:{block.line}: not {begin!r}")
                self.assertEqual(
                    len(begins), len(found),
                    [f"{path}:{block.line}: {block.lines[0]}" for block in found[len(begins):]])
        self.assertEqual(listed, {}, "pages that are not there")

    def test_what_is_said_of_templates_is_true(self):
        for path, blocks in inventory.BLOCKS.items():
            found = page_blocks.blocks(page.text_of(path))
            for (begin, where), block in zip(blocks, found):
                if where.startswith(inventory.TEMPLATE):
                    with self.subTest(path=path, begin=begin):
                        self.assertRegex(block.text(), page_blocks.PLACEHOLDER.pattern
                                         + r"|\[[A-Z-]|\$R\b")

    def test_each_has_a_test_or_a_reason(self):
        for path, blocks in inventory.BLOCKS.items():
            for begin, where in blocks:
                with self.subTest(path=path, begin=begin):
                    is_test = re.fullmatch(r"tests/[\w/]+_test\.py", where)
                    self.assertTrue(is_test or len(where) > 10, where)


if __name__ == "__main__":
    unittest.main()
