"""From a bare system and the wheel to first batches: a root with Python, NumPy and pip of
Debian, without a network, and without anything that Tributary is built with."""

import os
import shutil
import subprocess
import sys
import time
import unittest

from tests.e2e import folders, processes
from tests.e2e.pages import page
from tests.wheel import debian_root, wheel

PAGE = "docs/python.md"


@unittest.skipUnless(os.geteuid() == 0, "chroot needs root")
class RootTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.root = os.path.join(folder, "root")
        debian_root.make(self.root, ["dash", "python3", "python3-numpy", "python3-pip"])
        self.folder = os.path.join(self.root, "trainer")
        for name in ("proc", "tmp", "trainer"):
            os.makedirs(os.path.join(self.root, name), exist_ok=True)

    def run_inside(self, line):
        """What a line of shell prints, in /trainer of the root; the log has its time."""
        started = time.monotonic()
        done = subprocess.run(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
             "--mount-proc", f"--root={self.root}", "--wd=/trainer", "--", "sh", "-c", line],
            env={"PATH": "/trainer/venv/bin:/usr/bin", "PIP_NO_INDEX": "1"},
            executable="/usr/bin/unshare", text=True, capture_output=True,
            timeout=wheel.DEADLINE, stdin=subprocess.DEVNULL)
        print(f"$ {line}\n{done.stdout}{done.stderr}"
              f"[{time.monotonic() - started:.1f} s]", file=sys.stderr)
        self.assertEqual(done.returncode, 0)
        return done.stdout

    def write_program(self, text):
        with open(os.path.join(self.folder, "first_batches.py"), "w", encoding="utf-8") as out:
            out.write(text)

    def test_the_pages_way_to_first_batches(self):
        names = {name for _, _, names in os.walk(self.root) for name in names}
        for absent in ("gcc", "bazel", "cmake", "tributary", "libprotobuf.so.32",
                       "libgrpc.so.29", "Python.h"):
            self.assertNotIn(absent, names)
        os.makedirs(os.path.join(self.folder, "dist"))
        wheel.named_copy(os.path.join(self.folder, "dist"))
        shutil.copytree(folders.CORA, os.path.join(self.folder, folders.CORA))
        program = page.block(PAGE, 'import tributary_gnn as tg\n\nloader = tg.NeighborLoader("')
        self.write_program(program)
        self.run_inside("python3 -m venv --system-site-packages --without-pip venv")
        (install,) = page.block(PAGE, "./dev wheel\n").splitlines()[1:]
        self.run_inside(install)
        self.run_inside(page.block(PAGE, "tributary partition --input tests/data/cora"))
        printed = self.run_inside("python3 first_batches.py")
        self.assertRegex(printed, r"^0 (\d+) \(\1, 1433\) \(2, \d+\) 32\n")
        self.assertEqual(len(printed.splitlines()), 10)
        self.write_program(program.replace('"cora4"', '"cora4", num_workers=2'))
        self.assertEqual(self.run_inside("python3 first_batches.py"), printed)


if __name__ == "__main__":
    unittest.main()
