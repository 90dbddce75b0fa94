"""docs/status.md: its block, and its table of troubles beside the code's."""

import os
import re
import subprocess
import unittest

from tests.e2e import processes
from tests.e2e.pages import page

PAGE = "docs/status.md"
PAGES = "tests/e2e/status/pages"


def told():
    """(severity, advice) by code, as the page's table has them."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    rows = re.findall(r"^\| `(\w+)` \| (error|warning|note) \| .* \| (.*) \|$",
                      text, re.M)
    found = {code: (severity, advice) for code, severity, advice in rows}
    assert len(found) == len(rows), "a code has two rows"
    return found


def made():
    done = subprocess.run([PAGES, "advice"], check=True, capture_output=True,
                          text=True, timeout=60)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {code: (severity, advice) for code, severity, advice in rows}


class StatusMdTest(unittest.TestCase):
    def test_the_page_has_every_trouble_with_its_advice(self):
        table, code = told(), made()
        self.assertEqual(table.keys() ^ code.keys(), set())
        self.assertGreater(len(code), 10)
        for name, (severity, advice) in code.items():
            self.assertEqual(table[name][0], severity, name)
            # The page has links in the place of the names of pages.
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", table[name][1])
            self.assertEqual(plain.replace("`", ""), advice.replace("`", ""))

    def test_the_block(self):
        shells = page.Shells(self.enterContext(processes.temporary_folder()))
        os.makedirs(shells.path("tests/data"))
        os.symlink(os.path.abspath("tests/data/cora"),
                   shells.path("tests/data/cora"))
        out = shells.paste(page.with_free_ports(
            page.block(PAGE, "tributary partition")))
        self.assertIn('<p id="summary">2 servers, 2 partitions, ', out)
        reports = re.findall(r"(?m)^2 servers, 2 partitions, 1 job", out)
        self.assertEqual(len(reports), 2, out)
        self.assertRegex(out, r"(?m)^alpha +[\d.]+ ")


if __name__ == "__main__":
    unittest.main()
