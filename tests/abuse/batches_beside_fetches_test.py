"""An honest job of batches beside 100 loaders that fetch rows of the graph, as
trainers do that hold them (docs/trainer-cache.md).

The loaders are 100 streams of one process, of which each has one call under way.
It takes a part of a core (TRIBUTARY_ABUSER_CORES), and only what nobody else
wants, so that what the honest job loses is what the server gives to them.
TRIBUTARY_BATCHES_RATIO is the part of its rate that must be left (by default a
hundredth, so that a busy machine does not matter).
"""

import contextlib
import json
import os
import statistics
import unittest

from tests.abuse.rows_beside_abuse_test import ABUSER_CORES, CLIENT
from tests.e2e import folders, processes
from tests.e2e.tls import certificates

RATIO = float(os.environ.get("TRIBUTARY_BATCHES_RATIO", "0.01"))
TURNS = int(os.environ.get("TRIBUTARY_BATCHES_TURNS", "1"))
SECONDS = os.environ.get("TRIBUTARY_BATCHES_SECONDS", "2")
LOADERS = 100


class BatchesBesideFetchesTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.graph = folders.partition(folders.CORA,
                                       os.path.join(folder, "g"), 1)
        self.certs = os.path.join(folder, "certs")
        certificates.make(self.certs, "honest", "fetcher")

    def inputs_per_second(self, server):
        said = json.loads(processes.run_ok(
            "bench", "stream", "--json", "--servers", server.address,
            *certificates.flags(self.certs, "trainer-honest"), "--worker-key", "honest",
            "--input-nodes", "*", "--num-neighbors", "10,5", "--batch-size", "32",
            "--seconds", SECONDS))
        return said["inputs_per_second"]

    def measure(self):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(processes.Server(
                self.graph, *certificates.flags(self.certs, "sampler"),
                "--threads", "4"))
            self.inputs_per_second(server)  # warms it up
            alone = self.inputs_per_second(server)
            loaders = stack.enter_context(processes.Process(
                "--server", server.address, "--graph", self.graph,
                *certificates.flags(self.certs, "trainer-fetcher"),
                "--job", "fetcher", "--abuse", "fetches", "--streams", LOADERS,
                "--outstanding", 1, "--cores", ABUSER_CORES, program=CLIENT,
                preexec=lambda: os.nice(19)))
            self.assertEqual(loaders.read_line(), "ready", loaders.stderr())
            beside = self.inputs_per_second(server)
            self.assertTrue(loaders.running(), loaders.stderr())
        return alone, beside

    def test_an_honest_job_keeps_its_part(self):
        turns = [self.measure() for _ in range(TURNS)]
        ratio = statistics.median(b / a for a, b in turns)
        print(f"{LOADERS} loaders that fetch: " + ", ".join(
            f"{b:.0f} of {a:.0f} inputs/s" for a, b in turns) +
            f": {ratio:.2f}", flush=True)
        self.assertGreaterEqual(ratio, RATIO)


if __name__ == "__main__":
    unittest.main()
