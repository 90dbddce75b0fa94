"""What `tributary partition` tells a person on stderr."""

import os
import unittest

from tests.e2e import folders, processes


class PartitionOutputTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def test_types_without_features_are_named(self):
        for source, note in ((folders.CORA, ""),
                             (folders.AIFB, "no node has features")):
            with self.subTest(source):
                done = processes.run(
                    "partition", "--input", source, "--num-parts", "2",
                    "--out", os.path.join(self.folder,
                                          os.path.basename(source)))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(
                    done.stderr,
                    note and f"tributary partition: note: {note}\n")


if __name__ == "__main__":
    unittest.main()
