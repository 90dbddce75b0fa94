"""Programs that the system gives little (ulimit): words and an exit code, or
they do what they should; never a signal, and never silence."""

import os
import resource
import subprocess
import unittest

from tests.e2e import folders, processes, sampling

KIB = 1024
# From too little for anything to enough for all, so that whatever comes first
# fails at one of them.
SPACES = range(60_000, 1_300_000, 120_000)  # KiB
DESCRIPTORS = range(7, 90, 6)
SOON = 60  # seconds; nothing waits


def limit(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


class LimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(cls.folder, "g"), 2)
        cls.expected = sampling.lines(cls.graph, batches="0:2")

    def limits(self):
        for kib in SPACES:
            yield "v", kib, limit(resource.RLIMIT_AS, kib * KIB)
        for number in DESCRIPTORS:
            yield "n", number, limit(resource.RLIMIT_NOFILE, number)

    def says_why(self, code, error, limited):
        """Whether it was refused something, and said so."""
        self.assertIn(code, (0, 1), (limited, error))
        if code == 0:
            return False
        self.assertRegex(error, "RESOURCE_EXHAUSTED|Too many open files|"
                         "error while loading shared libraries", limited)
        return True

    def ends_or_says_why(self, *args, outcome=lambda done: None):
        """Returns under how many limits it said why."""
        said = 0
        for name, amount, set_limit in self.limits():
            done = subprocess.run(
                [processes.TRIBUTARY, *map(str, args)], capture_output=True,
                text=True, timeout=SOON, preexec_fn=set_limit, check=False)
            if done.returncode == 127:  # the loader finds no room for libraries
                continue
            if self.says_why(done.returncode, done.stderr, (name, amount)):
                said += 1
            else:
                outcome(done)
        return said

    def test_serve(self):
        said = served = 0
        for name, amount, set_limit in self.limits():
            with processes.Process(
                    "serve", "--graph", self.graph, "--listen", "127.0.0.1:0",
                    "--http", "127.0.0.1:0", "--health", "127.0.0.1:0",
                    preexec=set_limit) as server:
                line = server.read_line(SOON)
                if line is None:
                    code = server.wait(SOON)
                    if code != 127:
                        said += self.says_why(code, server.stderr(),
                                              (name, amount))
                    continue
                address = line.split("listen=")[1].split()[0]
                self.assertEqual(
                    sampling.lines(("servers", address), batches="0:2"),
                    self.expected, (name, amount))
                served += 1
        self.assertGreater(said, 4)
        self.assertGreater(served, 4)

    def test_clients(self):
        with processes.Server(self.graph) as server:
            samples = sampling.arguments(("servers", server.address),
                                         batches="0:2")
            said = self.ends_or_says_why(
                *samples, outcome=lambda done: self.assertEqual(
                    done.stdout.splitlines(), self.expected))
            self.assertGreater(said, 4)
            said = self.ends_or_says_why("status", "--servers", server.address)
            self.assertGreater(said, 4)

    def test_a_folder(self):
        def is_right(done):
            self.assertEqual(done.stdout.splitlines(), self.expected)
        self.ends_or_says_why(*sampling.arguments(self.graph, batches="0:2"),
                              outcome=is_right)

    def test_partition(self):
        for name, amount, set_limit in self.limits():
            out = os.path.join(self.folder, f"{name}{amount}")
            done = subprocess.run(
                [processes.TRIBUTARY, "partition", "--input", folders.CORA,
                 "--format", "ogb", "--out", out, "--num-parts", "2"],
                capture_output=True, text=True, timeout=SOON,
                preexec_fn=set_limit, check=False)
            if done.returncode != 127:
                self.says_why(done.returncode, done.stderr, (name, amount))


if __name__ == "__main__":
    unittest.main()
