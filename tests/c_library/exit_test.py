"""Processes that end while threads of libtributary.so run: their exit codes,
what they print, and what they leave behind."""

import json
import os
import subprocess
import unittest

from tests.e2e import processes

CLIENT = "tests/c_library/exit_client"
LIBRARY = "trainer_client/c/libtributary.so"
WAYS = ("return", "thread", "handler")
RUNS = int(os.environ.get("TRIBUTARY_EXIT_RUNS", "3"))  # of each way
EXIT_CODE = 7
SESSION = json.dumps({"input_nodes": "*", "num_neighbors": [4, 3], "batch_size": 32,
                      "random_seed": 11})


def undefined_symbols():
    """Names that the library takes from others, without versions."""
    done = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], text=True,
                          capture_output=True, timeout=60, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


def run_once(way, options):
    """(exit code, stderr, process ids of its workers) of a client that has ended."""
    with subprocess.Popen([CLIENT, way, json.dumps(options), SESSION], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as client:
        try:
            opened = client.stdout.readline()
            workers = processes.children_of(client)
            _, stderr = client.communicate("end\n" if opened else None,
                                           timeout=processes.DEADLINE)
        finally:
            client.kill()
    return client.returncode, stderr, workers


class ExitTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = os.path.join(self.folder, "cora2")
        processes.run_ok("partition", "--input", "tests/data/cora", "--format", "ogb",
                         "--out", self.graph, "--num-parts", "2", "--method", "metis")

    def check_every_way(self, options, num_workers=0):
        """Each run ends with its own code and says nothing."""
        for way in WAYS:
            with self.subTest(mode=options["mode"], way=way):
                failures = []
                for _ in range(RUNS):
                    code, stderr, workers = run_once(way, options)
                    if (code, stderr) != (EXIT_CODE, ""):
                        failures.append(f"exit {code}\n{stderr}")
                    self.assertEqual(len(workers), num_workers)
                    processes.until(lambda: all(map(processes.is_gone, workers)))
                self.assertEqual(failures, [], f"{len(failures)} of {RUNS} runs")

    def test_no_destructor_of_the_library_runs_at_exit(self):
        registers = {"__cxa_atexit", "atexit", "__cxa_at_quick_exit", "on_exit"}
        self.assertEqual(undefined_symbols() & registers, set())

    def test_collocated(self):
        self.check_every_way({"mode": "collocated", "graph": self.graph,
                              "num_threads": 2, "channel_size": "16MiB"})

    def test_mp(self):
        segments = set(os.listdir("/dev/shm"))
        self.check_every_way({"mode": "mp", "graph": self.graph, "num_workers": 2,
                              "channel_size": "16MiB",
                              "worker_program": os.path.abspath(processes.TRIBUTARY)},
                             num_workers=2)
        self.assertEqual(set(os.listdir("/dev/shm")) - segments, set())
        self.assertEqual(os.listdir(self.folder), ["cora2"])

    def test_remote(self):
        with processes.Fleet(self.graph, ["0", "1"]) as fleet:
            fleet.doctor()
            self.check_every_way({"mode": "remote", "servers": fleet.addresses(),
                                  "buffer_size": "16MiB"})


if __name__ == "__main__":
    unittest.main()
