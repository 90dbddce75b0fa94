"""docs/trace.md: its block, and the words that it says a trace can have."""

import json
import os
import re
import unittest

from tests.e2e import processes
from tests.e2e.pages import page

TRACE = "docs/trace.md"


class TracePageTest(unittest.TestCase):
    def test_the_block(self):
        folder = self.enterContext(processes.temporary_folder())
        shells = page.Shells(folder)
        os.makedirs(shells.path("tests/data"))
        os.symlink(os.path.abspath("tests/data/cora"), shells.path("tests/data/cora"))
        out = shells.paste(page.with_free_ports(page.block(TRACE, "tributary partition")))
        traced = re.findall(r"^batch 0/(\d) of job mine: ", out, re.M)
        self.assertEqual(traced, ["0", "1", "2"], out)
        asked = re.findall(r"^127.0.0.1:\d+: batch 0/2 of job mine, ", out, re.M)
        self.assertGreaterEqual(len(asked), 1, out)
        self.assertEqual(len(re.findall(r"^Most of it: ", out, re.M)), 3 + len(asked), out)
        with open(shells.path("trace.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(len(lines), 3)
        said = set(re.findall(r"`(\w+)`", re.search(
            r"`tributary.bottleneck` \(a word: (.+?)\)", page.text_of(TRACE), re.S)[1]))
        for line in lines:
            root = line["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
            attributes = {a["key"]: a["value"] for a in root["attributes"]}
            self.assertIn(attributes["tributary.bottleneck"]["stringValue"], said)
            self.assertIn(attributes["tributary.explanation"]["stringValue"] + "\n", out)


if __name__ == "__main__":
    unittest.main()
