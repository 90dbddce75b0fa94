"""./dev bench python, on a small graph."""

import re
import subprocess
import unittest

from benchmarks.python import way

BENCH = "benchmarks/python/run.sh"
# 4096 nodes, so 4 batches of an epoch.
SMALL = ("--scale", "12", "--edges", "20000", "--buffer-size", "64MB", "--rounds", "1")
ROW = re.compile(r"^\| (\S.*?) \| (\S+) \(.*\) \| (\S+) \(.*\) \| (\S*) ?\|$", re.M)
DEADLINE = 600  # seconds, of which it takes 15 on a machine that does nothing else


def run(*flags):
    """The finished process."""
    return subprocess.run([BENCH, *SMALL, *flags], text=True, capture_output=True, check=False,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL)


class BenchTest(unittest.TestCase):
    def test_each_mode_has_a_row_for_each_way(self):
        done = run("--batches", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, *modes = done.stdout.split("mode ")
        self.assertEqual([mode.split(":")[0] for mode in modes], ["mp", "remote"])
        for mode in modes:
            rows = ROW.findall(mode)
            self.assertEqual([name for name, *_ in rows], ["C++", *way.NAMES], mode)
            for name, rate, ratio, cpu in rows:
                self.assertGreater(float(rate), 0, name)
                self.assertGreater(float(ratio), 0, name)
                self.assertEqual(cpu == "", name == "C++", mode)

    def test_more_batches_than_an_epoch_has_are_refused(self):
        done = run("--batches", "5", "--modes", "mp", "--ways", "numpy")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("an epoch has 4 batches, 6 are wanted; allowed: fewer --batches",
                      done.stderr)
        self.assertNotIn("mode mp", done.stdout)

    def test_an_unknown_way_is_refused(self):
        done = run("--ways", "numpy,numpi")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"'numpi'; allowed: {', '.join(way.NAMES)}", done.stderr)


if __name__ == "__main__":
    unittest.main()
