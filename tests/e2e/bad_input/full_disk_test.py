"""`tributary partition` of every format on a disk that is full or read-only.

On file systems of some KiB that only the program sees. What a full disk has
stopped goes on when there is room; nothing else is left.
"""

import os
import subprocess
import unittest

from tests.e2e import processes
from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.privileges import own_mounts, why_not

READ_ONLY = 1

FORMATS = {
    "ogb": (small.ogb_text, ()),
    "ogb typed": (small.ogb_typed, ()),
    "ogb npz": (small.ogb_binary, ()),
    "ogb typed npz": (small.ogb_typed_binary, ()),
    "triples": (small.triples, ()),
    "dgl csv": (small.dgl_csv, ("--format", "dgl-chunked")),
    "dgl numpy": (small.dgl_numpy, ("--format", "dgl-chunked")),
    "csv": (small.csv_tables, ("--format", "edge-list", "--features", "f*")),
    "tsv": (small.tsv_tables, ("--format", "edge-list", "--features", "f*")),
    "npy": (small.npy_folder, ("--format", "npy")),
    "typed npy": (small.typed_npy_folder, ("--format", "npy")),
    "npz": (lambda folder: small.npz_file(folder + ".npz"),
            ("--format", "npy")),
}

# Runs the command, tells what it has left, makes room, and runs it again.
SCRIPT = """
"$@"; echo "code $?"; find . -mindepth 1 -maxdepth 1
mount -o remount,size=16m . && "$@"; echo "code $?"
find . -mindepth 1 -maxdepth 1
"""


class FullDiskTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.disk = os.path.join(self.folder, "disk")
        os.mkdir(self.disk)

    def commands(self):
        """(name, command) to the disk, with its inputs elsewhere."""
        for name, (make, flags) in FORMATS.items():
            source = os.path.join(self.folder, name.replace(" ", "-"))
            make(source)
            source += ".npz" if name == "npz" else ""
            yield name, [os.path.abspath(processes.TRIBUTARY), "partition",
                         "--input", source, *flags, "--num-parts", "2",
                         "--name", "small", "--out"]

    def run_on(self, preexec, command):
        why = why_not(preexec, "a mount namespace")
        if why:
            self.skipTest(why)
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, preexec_fn=lambda: (preexec(), os.chdir(self.disk)))

    def test_a_full_disk(self):
        for size in ("20k", "60k"):
            mount = own_mounts("none", self.disk, b"tmpfs", 0,
                               b"size=" + size.encode())
            for name, command in self.commands():
                with self.subTest(name, size=size):
                    self.check(mount, command)

    def check(self, mount, command):
        done = self.run_on(mount, ["sh", "-c", SCRIPT, "sh", *command, "out"])
        errors = done.stderr.splitlines()
        lines = done.stdout.splitlines()
        print(done.stderr, done.stdout)

    def test_a_read_only_disk(self):
        mount = own_mounts("none", self.disk, b"tmpfs", READ_ONLY)
        for name, command in self.commands():
            with self.subTest(name):
                done = self.run_on(mount, [*command, "out"])
                self.assertEqual(done.returncode, 1)
                self.assertEqual(
                    done.stderr, "tributary partition: cannot create "
                    "out.partial: Read-only file system\n")
                done = self.run_on(mount, [
                    *command, os.path.join(self.folder, "out-" + name)
                    , "--work-folder", "work"])
                print(done.stderr)


if __name__ == "__main__":
    unittest.main()
