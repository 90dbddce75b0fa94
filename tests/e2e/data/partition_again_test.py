"""`partition` as a Job runs it: again after it was killed, or after it was done."""

import os
import signal
import time
import unittest

from tests.e2e import folders, processes


class PartitionAgainTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.out = os.path.join(self.folder, "graph")
        self.flags = ["partition", "--input", folders.CORA, "--format", "ogb",
                      "--out", self.out, "--num-parts", "2"]

    def files(self):
        return {path: os.stat(os.path.join(root, path)).st_mtime_ns
                for root, _, names in os.walk(self.out) for path in names}

    def test_what_is_there_is_kept(self):
        first = processes.run_ok(*self.flags, "--keep-existing")
        before = self.files()
        again = processes.run(*self.flags, "--keep-existing")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, first)
        self.assertIn("was there already", again.stderr)
        self.assertEqual(self.files(), before)

    def test_another_graph_is_not_kept(self):
        processes.run_ok(*self.flags)
        for more in ((), ("--keep-existing", "--add-reverse"),
                     ("--keep-existing", "--name", "other")):
            with self.subTest(flags=more):
                done = processes.run(*self.flags, *more)
                self.assertEqual(done.returncode, 1)
                self.assertIn("ALREADY_EXISTS: --out", done.stderr)

    def test_a_folder_that_is_no_graph_is_not_kept(self):
        os.mkdir(self.out)
        done = processes.run(*self.flags, "--keep-existing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("graph.json", done.stderr)

    def test_what_a_killed_run_has_left_is_removed_by_the_next(self):
        left = []
        graph = ["generate", "rmat", "--scale", "17", "--edges", "2000000",
                 "--feat-dim", "64", "--out", self.out]
        with processes.Process(*graph) as running:
            def writes():
                left[:] = [n for n in os.listdir(self.folder) if ".tmp-" in n]
                return left or not running.running()
            processes.until(writes)
            running.send(signal.SIGKILL)
            running.wait()
        self.assertEqual(len(left), 1)
        self.assertFalse(os.path.exists(self.out))
        # As after a minute; a younger folder may be another process's.
        path = os.path.join(self.folder, left[0])
        os.utime(path, (time.time() - 60,) * 2)
        processes.run_ok(*self.flags)
        self.assertEqual(os.listdir(self.folder), ["graph"])
        processes.run_ok("verify", self.out)


if __name__ == "__main__":
    unittest.main()
