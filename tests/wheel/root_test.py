"""From a bare system and the wheel to first batches: a root with Python, NumPy and pip of
Debian, without a network, and without anything that Tributary is built with."""

import os
import subprocess
import sys
import time
import unittest

from tests.e2e import processes
from tests.wheel import debian_root, wheel

FIRST_BATCHES = """
import sys
from tributary_gnn import NeighborLoader
loader = NeighborLoader("graph", mode=sys.argv[1], num_neighbors=[10, 5], input_nodes="*",
                        batch_size=1024)
for batch in loader:
    print(batch.index, batch.x.shape, batch.edge_index.shape)
"""


@unittest.skipUnless(os.geteuid() == 0, "chroot needs root")
class RootTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.root = os.path.join(folder, "root")
        debian_root.make(self.root, ["python3", "python3-numpy", "python3-pip"])
        self.home = os.path.join(self.root, "home")
        os.makedirs(os.path.join(self.root, "proc"), exist_ok=True)
        os.makedirs(os.path.join(self.root, "tmp"), exist_ok=True)
        os.makedirs(self.home, exist_ok=True)

    def run_inside(self, *command):
        """What the command prints, in /home of the root; the transcript has its time."""
        started = time.monotonic()
        done = subprocess.run(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
             "--mount-proc", f"--root={self.root}", "--wd=/home", "--", *command],
            env={"PATH": "/home/venv/bin:/usr/bin"}, executable="/usr/bin/unshare",
            text=True, capture_output=True, timeout=wheel.DEADLINE,
            stdin=subprocess.DEVNULL)
        print(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}"
              f"[{time.monotonic() - started:.1f} s]", file=sys.stderr)
        self.assertEqual(done.returncode, 0)
        return done.stdout

    def test_first_batches(self):
        names = {name for _, _, names in os.walk(self.root) for name in names}
        for absent in ("gcc", "bazel", "cmake", "tributary", "libprotobuf.so.32",
                       "libgrpc.so.29", "Python.h"):
            self.assertNotIn(absent, names)
        file = os.path.basename(wheel.named_copy(self.home))
        self.run_inside("python3", "-m", "venv", "--system-site-packages",
                        "--without-pip", "venv")
        self.run_inside("python3", "-m", "pip", "--python", "venv/bin/python", "install",
                        "--no-index", file)
        self.run_inside("tributary", "generate", "rmat", "--scale", "14", "--edges",
                        "200000", "--feat-dim", "16", "--random-seed", "1", "--out", "graph")
        with open(os.path.join(self.home, "first_batches.py"), "w", encoding="utf-8") as out:
            out.write(FIRST_BATCHES)
        printed = [self.run_inside("python", "first_batches.py", mode)
                   for mode in ("collocated", "mp")]
        self.assertEqual(len(printed[0].splitlines()), 16)
        self.assertEqual(printed[0], printed[1])


if __name__ == "__main__":
    unittest.main()
