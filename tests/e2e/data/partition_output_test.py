"""What `tributary partition` tells a person on stderr."""

import gzip
import os
import pty
import re
import subprocess
import threading
import unittest

from tests.e2e import folders, processes


def run_on_terminal(*args):
    """Runs with a terminal for stderr; (exit status, what it showed)."""
    terminal, stderr = pty.openpty()
    shown = []

    def read():
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                return
            if not piece:
                return
            shown.append(piece)

    reader = threading.Thread(target=read)
    try:
        with subprocess.Popen(
                [processes.TRIBUTARY, *map(str, args)], stderr=stderr,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
            os.close(stderr)
            reader.start()
            try:
                status = run.wait(processes.DEADLINE)
            finally:
                run.kill()
        reader.join()
    finally:
        os.close(terminal)
    return status, b"".join(shown).decode()


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

    def test_a_terminal_shows_how_much_is_read(self):
        """However fast: each stage is shown once when it is complete."""
        lines = "".join(f"node-{i * 7 % 50000},node-{i * 13 % 50000}\n"
                        for i in range(200_000))
        path = os.path.join(self.folder, "edges.csv")
        with open(path, "w", encoding="utf-8") as f:
            f.write(lines)
        packed = path + ".gz"
        with gzip.open(packed, "wt") as f:
            f.write(lines)
        for source in (path, packed):
            with self.subTest(source):
                status, shown = run_on_terminal(
                    "partition", "--format", "edge-list", "--input", source,
                    "--num-parts", "2", "--out", source + ".graph")
                self.assertEqual(status, 0, shown)
                for stage in ("reads the input", "numbers the nodes"):
                    shares = [int(share) for share in re.findall(
                        rf"\r\x1b\[Ktributary partition: {stage} (\d+) % "
                        r"\[=* *\] \d+ s", shown)]
                    self.assertEqual(shares, sorted(shares), shown)
                    self.assertEqual(shares[-1:], [100], shown)
                # Notes have lines of their own.
                self.assertIn("\r\x1b[Ktributary partition: note: ", shown)
                self.assertIn("\r\ntributary partition: note: no node has "
                              "features\r\n\r\x1b[K", shown)

    def test_a_file_gets_no_bar(self):
        path = os.path.join(self.folder, "edges.csv")
        with open(path, "w", encoding="utf-8") as f:
            f.write("0,1\n1,0\n")
        done = processes.run("partition", "--format", "edge-list", "--input",
                             path, "--num-parts", "1", "--out", path + ".graph")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("%", done.stderr)


if __name__ == "__main__":
    unittest.main()
