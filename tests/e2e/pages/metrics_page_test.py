"""docs/metrics.md beside what a live server exports, in both directions."""

import collections
import os
import re
import unittest
import urllib.request

from tests.e2e import folders, processes
from tests.e2e.pages import page

PAGE = "docs/metrics.md"
# Of a histogram's series, beside those of the family.
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def told(section):
    """(type, names of labels) by metric, as the section's table has them.

    A metric that the table has twice is an error.
    """
    found = {}
    for row in re.findall(r"^\| (`.+) \|$",
                          page.sections(PAGE)[section], re.M):
        names, kind, labels = row.split(" | ")[:3]
        for name in re.findall(r"`(\w+)`", names):
            if name in found:
                raise AssertionError(f"{name} has two rows")
            found[name] = (kind, frozenset(re.findall(r"`(\w+)`", labels)))
    return found


def exported(address):
    """(type, names of labels) by metric, of all series at /metrics."""
    with urllib.request.urlopen(f"http://{address}/metrics",
                                timeout=60) as got:
        text = got.read().decode()
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
    labels = collections.defaultdict(set)
    for name, given in re.findall(r"^(\w+)(?:{(.*)})? \S+$", text, re.M):
        family = name if name in kinds else SUFFIX.sub("", name)
        labels[family] |= set(re.findall(r'(\w+)="', given)) - {"le"}
    return {name: (kind, frozenset(labels[name]))
            for name, kind in kinds.items()}


def compare(test, section, address):
    """The table of the section with what is exported at the address."""
    found, table = exported(address), told(section)
    test.assertEqual(found.keys() - table.keys(), set(), "not on the page")
    test.assertEqual(table.keys() - found.keys(), set(), "not exported")
    test.assertEqual(found, table)


class MetricsPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "cora"))
        listed = os.path.join(folder, "graphs.txt")
        with open(listed, "w", encoding="utf-8") as file:
            file.write(graph + "\n")
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            file.write('{"jobs": {"*": ["*"]}}')
        self.server = self.enterContext(processes.Server(
            f"file:{listed}", "--http", "127.0.0.1:0", "--feature-memory",
            "paged", "--policy", policy))

    def test_the_table_is_what_a_server_exports(self):
        # A trainer that stays: its pipe is full, so it goes on waiting.
        with processes.Process(
                "sample", "--servers", self.server.address, "--input-nodes",
                "*", "--num-neighbors", "5", "--batch-size", "1",
                small_pipe=True) as sample:
            sample.read_line()
            processes.until(lambda: "tributary_trainer_wait_ratio" in
                            exported(self.server.http), processes.DEADLINE)
            compare(self, "Series of a server", self.server.http)


if __name__ == "__main__":
    unittest.main()
