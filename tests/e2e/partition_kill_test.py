"""`partition` killed at random moments: the same command goes on, and the graph
is that of a run that nobody killed, to the byte."""

import hashlib
import os
import random
import shutil
import signal
import threading
import time
import unittest

from tests.e2e import folders, processes

KILLS = 20
SEED = 7


def digest(folder):
    sum_of_all = hashlib.sha256()
    for root, names, files in sorted(os.walk(folder)):
        names.sort()
        for name in sorted(files):
            path = os.path.join(root, name)
            sum_of_all.update(os.path.relpath(path, folder).encode() + b"\0")
            with open(path, "rb") as file:
                sum_of_all.update(file.read())
    return sum_of_all.hexdigest()


class PartitionKillTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.source = os.path.join(self.folder, "source")
        folders.random_ogb(self.source, random.Random(1), 20_000, 60_000, True)

    def command(self, out):
        return ["partition", "--input", self.source, "--out", out,
                "--num-parts", "3", "--method", "ldg", "--degrees",
                "--edge-index", "--memory", "512MiB", "--threads", "2"]

    def test_the_same_command_goes_on(self):
        whole = os.path.join(self.folder, "whole")
        begin = time.monotonic()
        processes.run_ok(*self.command(whole))
        took = time.monotonic() - begin
        expected = digest(whole)
        rng = random.Random(SEED)
        out = os.path.join(self.folder, "graph")
        killed = continued = 0
        while killed < KILLS:
            with processes.Process(*self.command(out)) as running:
                # A kill at any moment is right: this one is only likely to
                # come before the end.
                timer = threading.Timer(rng.uniform(0.1, 1) * took,
                                        running.send, [signal.SIGKILL])
                timer.start()
                code = running.wait()
                timer.cancel()
                timer.join()
            if code == -signal.SIGKILL:
                killed += 1
                if os.path.exists(out):  # at its very end
                    self.assertEqual(digest(out), expected)
                    shutil.rmtree(out)
                continue
            self.assertEqual(code, 0)
            self.assertEqual(digest(out), expected)
            shutil.rmtree(out)
        if os.path.exists(out + ".partial"):
            done = processes.run(*self.command(out))
            self.assertEqual(done.returncode, 0, done.stderr)
            continued += "goes on with" in done.stderr
            self.assertEqual(digest(out), expected)
            self.assertEqual(continued, 1)
        self.assertFalse(os.path.exists(out + ".partial"))

    def test_other_flags_begin_anew(self):
        out = os.path.join(self.folder, "graph")
        with processes.Process(*self.command(out)) as running:
            processes.until(lambda: os.path.exists(out + ".partial") or
                            not running.running())
            running.send(signal.SIGKILL)
            running.wait()
        self.assertFalse(os.path.exists(out))
        other = [*self.command(out), "--add-reverse"]
        done = processes.run(*other)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("goes on with", done.stderr)
        processes.run_ok("verify", out, "--against", self.source,
                         "--add-reverse")


if __name__ == "__main__":
    unittest.main()
