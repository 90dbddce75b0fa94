"""Loaders in a row that give torch tensors and PyG's objects leave nothing behind.

By default some; ./dev test --deep=loaders runs 200 openings.
"""

import os
import unittest

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs, leftovers

OPENINGS = int(os.environ.get("TRIBUTARY_TORCH_OPENINGS", "24"))
FORMATS = ({"format": "torch"}, {"format": "torch", "zero_copy": True}, {"format": "pyg"},
           {"format": "pyg", "zero_copy": True})


class SoakTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.cora(folder.name)

    def loader(self, **options):
        return tg.NeighborLoader(self.graph, [10, 5], "train", batch_size=32,
                                 channel_size="32MB", **options)

    def test_closed_loaders(self):
        for options in FORMATS:
            with self.subTest(**options):
                def use(options=options):
                    with self.loader(**options) as loader:
                        self.assertEqual(sum(batch.x.shape[1] for batch in loader), 5 * 1433)
                leftovers.expect_nothing_stays(self, use, OPENINGS // 6)

    def test_exceptions_in_the_body(self):
        for options in FORMATS[1:3]:
            with self.subTest(**options):
                def use(options=options):
                    try:
                        for batch in self.loader(**options):
                            raise RuntimeError(batch.x.sum())
                    except RuntimeError:
                        pass
                leftovers.expect_nothing_stays(self, use, OPENINGS // 6)


if __name__ == "__main__":
    unittest.main()
