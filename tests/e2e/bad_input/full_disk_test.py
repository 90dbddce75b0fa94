"""`tributary partition` of every format on a disk that is full or read-only.

On file systems of some KiB that only the program sees. What a full disk has
stopped goes on when there is room; nothing else is left.
"""

import gzip
import os
import re
import subprocess
import unittest

import numpy as np

from tests.e2e import processes
from tests.e2e.bad_input import small_inputs as small
from tests.e2e.bad_input.privileges import own_mounts, why_not

TABLES = ("--format", "edge-list", "--features", "f*", "--labels", "club",
          "--edge-weight", "w")
FORMATS = {
    "ogb": (small.ogb_text, ()),
    "ogb typed": (small.ogb_typed, ()),
    "ogb npz": (small.ogb_binary, ("--edge-weight", "w")),
    "ogb typed npz": (small.ogb_typed_binary, ()),
    "triples": (small.triples, ()),
    "dgl csv": (small.dgl_csv, ("--format", "dgl-chunked")),
    "dgl numpy": (small.dgl_numpy, ("--format", "dgl-chunked")),
    "csv": (small.csv_tables, TABLES),
    "tsv": (small.tsv_tables, TABLES),
    "npy": (small.npy_folder, ("--format", "npy")),
    "typed npy": (small.typed_npy_folder, ("--format", "npy")),
    "npz": (small.npz_file, ("--format", "npy")),
}

# Runs the command, tells what it has left, makes room, and runs it again.
SCRIPT = """
"$@"; echo "code $?"; ls -A
mount -o remount,size=16m . || exit 9
"$@"; echo "code $?"; ls -A
"""
KEPT = ("out.partial is kept: the same command goes on from there; remove it "
        "to free its space\n")
CONTINUES = ("tributary partition: note: goes on with what an earlier run has "
             "left in out.partial\n")
READ_ONLY = 1  # MS_RDONLY


class FullDiskTest(unittest.TestCase):
    FORMATS = FORMATS
    STAGES = {"columns", "plan", "write"}  # that a full disk stops

    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.disk = os.path.join(self.folder, "disk")
        os.mkdir(self.disk)

    def commands(self):
        """(name, command) of each format, with its input elsewhere."""
        for name, (make, flags) in self.FORMATS.items():
            source = os.path.join(self.folder, name.replace(" ", "-"))
            source += ".npz" if name == "npz" else ""
            make(source)
            yield name, [os.path.abspath(processes.TRIBUTARY), "partition",
                         "--input", source, *flags, "--num-parts", "2",
                         "--name", "small", "--out"]

    def run_on(self, mount, command):
        if why := why_not(mount, "a mount namespace"):
            self.skipTest(why)
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, preexec_fn=lambda: (mount(), os.chdir(self.disk)))

    def test_a_full_disk(self):
        """Full while the input is read, nodes are placed, or arrays are
        written, whichever comes first for a format."""
        stages = set()
        for name, command in self.commands():
            right = processes.run_ok(*command[1:],
                                     os.path.join(self.folder, name + ".graph"))
            for kib in (20, 40, 60):
                mount = own_mounts("none", self.disk, b"tmpfs", 0,
                                   b"size=%dk" % kib)
                with self.subTest(name, kib=kib):
                    done = self.run_on(mount, ["sh", "-c", SCRIPT, "sh",
                                               *command, "out"])
                    stages.add(self.check(done, right.split(".graph ", 1)[1]))
        self.assertEqual(stages, self.STAGES)

    def check(self, done, right):
        """`right`: what is printed of the graph. Returns the stage that had
        filled the disk."""
        first, then = small.without_notes(done.stderr).split(KEPT)
        wrong = re.fullmatch(
            r"tributary partition: RESOURCE_EXHAUSTED: cannot write "
            r"out\.partial/(\w+)/\S+: No space left on device\n", first)
        self.assertTrue(wrong, first)
        self.assertEqual(then, CONTINUES)
        self.assertEqual(done.stdout, "code 1\nout.partial\n"
                         f"wrote out {right}code 0\nout\n")
        return wrong[1]

    def test_too_little_room_for_the_columns(self):
        """Refused before anything is parsed; nothing remains."""
        numbers = np.arange(200_000)
        lines = small.rows(np.column_stack([numbers * 7 % 50_000,
                                            numbers * 13 % 50_000]))
        ogb = os.path.join(self.folder, "ogb")
        small.write(ogb + "/raw/num-node-list.csv", "50000\n")
        small.write(ogb + "/raw/num-edge-list.csv", "200000\n")
        small.write(ogb + "/raw/edge.csv", lines)
        table = os.path.join(self.folder, "edges.csv")
        small.write(table, lines)
        packed = table + ".gz"
        with gzip.open(packed, "wt") as f:
            f.write(lines)
        chunks = os.path.join(self.folder, "chunks")
        small.dgl_csv(chunks)
        for name, rows in (("feat-0", 2), ("feat-1", 1)):
            small.write(f"{chunks}/{name}.csv",
                        rows * ("0.5," * 59_999 + "1\n"))
        npz = os.path.join(self.folder, "npz")
        os.makedirs(npz + "/raw")
        np.savez_compressed(
            npz + "/raw/data.npz", num_nodes_list=np.array([50_000]),
            num_edges_list=np.array([200_000]),
            edge_index=np.stack([numbers * 7 % 50_000, numbers * 13 % 50_000]))
        # What is certain of each: two ids of 8 bytes an edge where the number
        # of edges is known, else a third of the text, and of gzip twice that.
        at_least = {
            (ogb,): 200_000 * 16,
            (table, "--format", "edge-list"): len(lines) // 3,
            (packed, "--format", "edge-list"):
                2 * (os.path.getsize(packed) - 512) // 3,
            (chunks, "--format", "dgl-chunked"): 3 * 60_000 * 4,
            (npz,): 200_000 * 16,
        }
        for (source, *flags), needed in at_least.items():
            with self.subTest(source):
                mount = own_mounts("none", self.disk, b"tmpfs", 0, b"size=500k")
                done = self.run_on(mount, [
                    "sh", "-c", SCRIPT, "sh",
                    os.path.abspath(processes.TRIBUTARY), "partition",
                    "--input", source, *flags, "--num-parts", "2", "--out",
                    "out"])
                refused = re.match(
                    r"tributary partition: RESOURCE_EXHAUSTED: "
                    r"out\.partial/columns has (\d+) bytes free; the parsed "
                    r"columns of the input need at least (\d+)\n"
                    r"allowed: --out, with --work-folder if it is given, on a "
                    r"larger disk\n", done.stderr)
                self.assertTrue(refused, done.stderr)
                self.assertLessEqual(int(refused[1]), 500 << 10)
                self.assertAlmostEqual(int(refused[2]), needed,
                                       delta=needed / 100)
                self.assertRegex(done.stdout,
                                 r"^code 1\nwrote out [^\n]*\ncode 0\nout\n$")

    def test_a_read_only_disk(self):
        mount = own_mounts("none", self.disk, b"tmpfs", READ_ONLY)
        for name, command in self.commands():
            with self.subTest(name):
                done = self.run_on(mount, [*command, "out"])
                self.assertEqual(done.returncode, 1)
                self.assertEqual(
                    done.stderr, "tributary partition: PERMISSION_DENIED: "
                    "cannot create out.partial: Read-only file system\n")
                self.assertEqual(os.listdir(self.disk), [])

    def test_a_work_folder_on_another_disk(self):
        """Refused before the work, which could not be renamed to --out."""
        name, command = next(self.commands())
        work = os.path.join(self.folder, "work")
        done = self.run_on(own_mounts("none", self.disk, b"tmpfs", 0),
                           [*command, "out", "--work-folder", work])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr, "tributary partition: INVALID_ARGUMENT: --work-folder "
            f"{work} is on another disk than --out out; allowed: a folder on "
            "the disk of --out\n")
        self.assertFalse(os.path.exists(work))


if __name__ == "__main__":
    unittest.main()
