"""tributary_gnn in one process with packages that have gRPC, protobuf or Abseil in them:
whichever is imported first, all of them work, and no symbol is shared."""

import os
import subprocess
import sys
import unittest

from tests.e2e import folders, processes, sampling
from tests.wheel import bindings, wheel

PROGRAM = "tests/wheel/beside.py"
SYSTEM = ("/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6",
          "/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib/x86_64-linux-gnu/libm.so.6")


def system_names():
    """The names that the C library and the unwinder define, whoever has a copy: the
    program that runs has those of variables such as stderr."""
    done = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", *SYSTEM],
                          text=True, capture_output=True, check=True,
                          timeout=wheel.DEADLINE)
    return {line.split("@")[0].split()[0] for line in done.stdout.splitlines() if line}


class BesideCase(unittest.TestCase):
    """Checks for one or several packages; `check_beside` is what tests call."""

    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.installed = wheel.Installation(cls.folder)
        cls.graph = folders.partition(folders.CORA, os.path.join(cls.folder, "cora4"), 4,
                                      "metis")
        # After the import and at the end, of the folder and of the server.
        cls.expected = [line.split()[2] for line in sampling.lines(cls.graph)] * 4

    def check_beside(self, *packages):
        with processes.Fleet(self.graph, ["0,1,2,3"]) as fleet:
            fleet.doctor()
            for order in ([*packages, "tributary_gnn"], ["tributary_gnn", *packages]):
                with self.subTest(order=order):
                    self.check_order(fleet, order)

    def check_order(self, fleet, order):
        done = self.installed.run(
            sys.executable, "-B", PROGRAM, self.graph, fleet.addresses(), *order,
            **bindings.environment(self.folder))
        self.assertEqual(done.stdout.split(), self.expected, done.stderr)
        crossings, within = bindings.crossing(self.folder,
                                              self.installed.site + "/tributary_gnn")
        self.assertGreater(within, 1000)
        allowed = system_names()
        wrong = {pair: sorted(names - allowed)[:5] for pair, names in crossings.items()
                 if not names <= allowed}
        self.assertFalse(wrong, wrong)
