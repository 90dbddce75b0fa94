"""Large blocks of a program that reads batches of servers are not faulted in each time."""

import os
import unittest
from unittest import mock

from tests.e2e import processes
from tests.python import graphs, scripts

PAGES = (24 << 20) // os.sysconf("SC_PAGE_SIZE")
# Prints the page faults of the second of two blocks of 24 MiB.
SCRIPT = """
import resource

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    bytearray(24 << 20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with tg.NeighborLoader(graph, **options) as loader:
    next(iter(loader))
    faults()
    print(faults())
"""


class MemoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.fleet = cls.enterClassContext(processes.Fleet(graphs.cora(folder), ["all"]))
        cls.fleet.doctor()

    def faults(self, **environment):
        with mock.patch.dict(os.environ, environment):
            done = scripts.run(SCRIPT, self.fleet.addresses())
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    def test_blocks_are_taken_again(self):
        self.assertLess(self.faults(), PAGES / 20)

    def test_settings_of_the_user_stay(self):
        for name in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
            self.assertGreater(self.faults(**{name: str(1 << 20)}), PAGES / 2)


if __name__ == "__main__":
    unittest.main()
