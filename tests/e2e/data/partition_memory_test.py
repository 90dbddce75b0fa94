"""`tributary partition --memory` holds no more than it is given.

The inputs are several times larger than the memory: a table of edges as text,
whose ids are long words that do not fit at once, and one of Parquet, which
another process reads. Each is one file that a config lists several times.
"""

import json
import os
import subprocess
import sys
import unittest

import numpy as np

from tests.e2e import processes

MIB = 1 << 20
MEMORY = 256 * MIB  # the least that is allowed
ROWS = 1_000_000  # of a file
DIGITS = 8
PREFIX = b"https://example.org/" + b"people/" * 10
NPY_TO_PARQUET = "cli/parquet/testing/npy_to_parquet"

# Prints the largest resident set, in KiB, of a command or of a process that it
# has waited for. A process of its own, since a program begins with the peak of
# the process that has started it.
MEASURE = """
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def write_text(path, ids):
    """Edges between words of 98 bytes."""
    word = PREFIX + b"0" * DIGITS
    row = np.frombuffer(word + b"," + word + b"\n", np.uint8)
    digits = ids[:, :, None] // 10 ** np.arange(DIGITS)[::-1] % 10 + ord("0")
    with open(path, "wb") as f:
        for piece in np.array_split(digits, 8):
            lines = np.tile(row, (len(piece), 1))
            for end in (0, 1):
                at = len(PREFIX) + end * (len(word) + 1)
                lines[:, at:at + DIGITS] = piece[:, end]
            f.write(lines.tobytes())


def write_parquet(path, ids, width):
    """Edges with `width` features in a row group."""
    columns = {"src": ids[:, 0], "dst": ids[:, 1],
               "x": np.random.default_rng(3).random((len(ids), width),
                                                    np.float32)}
    words = []
    for name, array in columns.items():
        np.save(f"{path}.{name}.npy", array)
        words.append(f"{name}={path}.{name}.npy")
    subprocess.run([NPY_TO_PARQUET, path, str(len(ids)), *words], check=True,
                   timeout=processes.DEADLINE)
    for name in columns:
        os.remove(f"{path}.{name}.npy")


class PartitionMemoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.ids = np.random.default_rng(2).integers(0, 8 * ROWS, (ROWS, 2))

    def partition(self, file, times, **keys):
        """Partitions a table of the file, so many times."""
        size = times * os.path.getsize(os.path.join(self.folder, file))
        self.assertGreater(size, 2.5 * MEMORY)
        config = os.path.join(self.folder, "graph.json")
        with open(config, "w", encoding="utf-8") as f:
            json.dump({"edges": {"node,to,node": {"table": [file] * times,
                                                  **keys}}}, f)
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, processes.TRIBUTARY, "partition",
             "--format", "edge-list", "--config", config, "--out",
             os.path.join(self.folder, "out"), "--num-parts", "4", "--memory",
             f"{MEMORY // MIB}MiB", "--threads", "2"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=3 * processes.DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        peak = int(done.stdout.split()[-1]) << 10
        print(f"{file}: {size // MIB} MiB read, at most {peak // MIB} MiB held",
              flush=True)
        self.assertLess(peak, MEMORY)
        done = processes.run_ok("inspect", os.path.join(self.folder, "out"))
        self.assertIn(f"{times * ROWS}", done)

    def test_text_with_words_for_ids(self):
        write_text(os.path.join(self.folder, "edges.csv"), self.ids)
        self.partition("edges.csv", 4)

    def test_parquet(self):
        write_parquet(os.path.join(self.folder, "edges.parquet"), self.ids, 32)
        self.partition("edges.parquet", 5, src="src", dst="dst",
                       features=["x*"])


if __name__ == "__main__":
    unittest.main()
