"""libtributary.so from outside: what it exports, Python's ctypes, the page's
program, and a wait for a server that does nothing."""

import ctypes
import os
import re
import signal
import subprocess
import unittest

from tests.e2e import processes
from tests.e2e.pages import page

LIBRARY = "trainer_client/c/libtributary.so"
HEADER = "trainer_client/c/tributary.h"
CLIENT = "tests/c_library/c_client"
GRAPH_CLIENT = "tests/c_library/graph_client"
PAGE = "docs/c-library.md"


def dynamic_symbols():
    """(type, name) of each symbol that the library defines for others."""
    done = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], text=True,
                          capture_output=True, timeout=60, check=True)
    return [tuple(line.split()[1:]) for line in done.stdout.splitlines()]


def open_library():
    library = ctypes.CDLL(os.path.abspath(LIBRARY), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    library.tributary_last_error.restype = ctypes.c_char_p
    return library


class LibraryTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def partition(self):
        graph = os.path.join(self.folder, "cora4")
        processes.run_ok("partition", "--input", "tests/data/cora", "--format", "ogb",
                         "--out", graph, "--num-parts", "4", "--method", "metis")
        return graph

    def test_exports_the_functions_of_the_header_alone(self):
        with open(HEADER, encoding="utf-8") as file:
            code = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared = set(re.findall(r"\b(tributary_\w+)\(", code))
        self.assertGreater(len(declared), 20)
        exported = set(dynamic_symbols())
        others = exported - {("T", name) for name in declared}
        self.assertEqual(sorted(others)[:10], [], f"{len(others)} in all")
        self.assertEqual({name for _, name in exported}, declared)

    def test_python_opens_it_for_itself_alone(self):
        library = open_library()
        self.assertEqual(library.tributary_abi_version(), 3)
        source = ctypes.c_void_p()
        code = library.tributary_source_open(b'{"mode": "fast"}', None, None,
                                             ctypes.byref(source))
        self.assertEqual(code, 3)
        self.assertEqual(library.tributary_last_error(),
                         b'mode is "fast"; allowed: "collocated", "mp", "remote"')
        with self.assertRaises(AttributeError):
            getattr(ctypes.CDLL(None), "tributary_abi_version")

    def test_the_pages_program_is_compiled_and_runs(self):
        self.partition()
        shells = page.Shells(self.folder)
        with open(shells.path("batches.c"), "w", encoding="utf-8") as file:
            file.write(page.block(PAGE, "#include <stdio.h>"))
        for path in (HEADER, "bazel-bin/" + LIBRARY):
            os.makedirs(os.path.dirname(shells.path(path)))
            os.symlink(os.path.abspath(path.removeprefix("bazel-bin/")), shells.path(path))
        output = shells.paste(page.block(PAGE, "gcc "))
        batches = re.findall(r"^batch (\d): \d+ nodes of 1433 float32$", output, re.M)
        self.assertEqual(batches, ["0", "1", "2", "3", "4"], output)
        output = shells.paste("export LD_LIBRARY_PATH=bazel-bin/trainer_client/c\n"
                              "! ./batches '{\"mode\": 1}' '{}'\n")
        self.assertEqual(output, "mode is 1; allowed: a text\n")

    def test_cancel_ends_a_wait(self):
        with processes.Fleet(self.partition(), ["0,1,2,3"]) as fleet:
            fleet.doctor()
            client = self.enterContext(subprocess.Popen(
                [CLIENT, "cancel", fleet.addresses()], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            self.addCleanup(client.kill)
            self.assertEqual(client.stdout.readline(), "opened\n")
            fleet.servers[0].send(signal.SIGSTOP)
            client.stdin.write("go on\n")
            client.stdin.flush()
            self.assertEqual(client.stdout.readline(), "cancelled\n")
            fleet.servers[0].send(signal.SIGCONT)
            client.stdin.write("end\n")
            client.stdin.flush()
            self.assertEqual(client.wait(processes.DEADLINE), 0)

    def test_a_deadline_and_a_cancel_end_reads_of_the_graph(self):
        with processes.Fleet(self.partition(), ["0,1,2,3"]) as fleet:
            fleet.doctor()
            client = self.enterContext(subprocess.Popen(
                [GRAPH_CLIENT, "ends", fleet.addresses()], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            self.addCleanup(client.kill)
            self.assertEqual(client.stdout.readline(), "opened\n")
            fleet.servers[0].send(signal.SIGSTOP)
            client.stdin.write("go on\n")
            client.stdin.flush()
            self.assertEqual(client.stdout.readline(), "ended\n")
            fleet.servers[0].send(signal.SIGCONT)
            client.stdin.write("end\n")
            client.stdin.flush()
            self.assertEqual(client.wait(processes.DEADLINE), 0)


if __name__ == "__main__":
    unittest.main()
