"""An honest job reads mutable rows of a server beside one abuse after the other.

The abuser takes a tenth of a core (TRIBUTARY_ABUSER_CORES), and only what nobody
else wants, so that what the honest job loses is what the server gives to it.
TRIBUTARY_ROWS_RATIO is the part of its rate that must be left (by default a
hundredth, so that a busy machine does not matter; before calls had turns there
was less). With TRIBUTARY_OVER_TCP both have their streams over TCP, else over
gRPC.
"""

import contextlib
import os
import statistics
import unittest

from tests.e2e import folders, processes
from tests.e2e.tls import certificates

CLIENT = os.path.join("tests", "abuse", "row_client")
RATIO = float(os.environ.get("TRIBUTARY_ROWS_RATIO", "0.01"))
TURNS = int(os.environ.get("TRIBUTARY_ROWS_TURNS", "1"))
ABUSER_CORES = os.environ.get("TRIBUTARY_ABUSER_CORES", "0.1")
CARRIER = ["--tcp"] if "TRIBUTARY_OVER_TCP" in os.environ else []
SECONDS = 1.5
ABUSES = ["copies", "wide-reads", "additions", "rounds", "exports", "lists",
          "long-opens", "wide-opens", "locates", "small-calls", "fetches",
          "conversions"]


class Client(processes.Process):
    """tests/abuse/row_client; told what to do by its stdin."""

    def __init__(self, server, graph, flags, *args, nice=0):
        reading, self._writing = os.pipe()
        # Process has no stdin to write to: the child takes the pipe's end.
        super().__init__("--server", server.address, "--graph", graph, *flags,
                         *CARRIER, *args, program=CLIENT,
                         preexec=lambda: (os.nice(nice), os.dup2(reading, 0)))
        os.close(reading)

    def __exit__(self, *unused):
        os.close(self._writing)
        super().__exit__(*unused)

    def reads_per_second(self):
        os.write(self._writing, b"%f\n" % SECONDS)
        return int(self.read_line()) / SECONDS


class RowsBesideAbuseTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.graph = folders.partition(folders.CORA,
                                       os.path.join(folder, "g"), 1)
        self.certs = os.path.join(folder, "certs")
        certificates.make(self.certs, "honest", "thief")

    def server(self):
        return processes.Server(
            self.graph, *certificates.flags(self.certs, "sampler"),
            "--threads", "4", "--tensor-memory", "256MiB")

    def client(self, server, job, *args, nice=0):
        return Client(server, self.graph,
                      certificates.flags(self.certs, f"trainer-{job}"),
                      "--job", job, *args, nice=nice)

    def measure(self, abuse):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(self.server())
            honest = stack.enter_context(self.client(server, "honest"))
            self.assertEqual(honest.read_line(), "ready", honest.stderr())
            honest.reads_per_second()  # warms it up
            alone = honest.reads_per_second()
            abuser = stack.enter_context(
                self.client(server, "thief", "--abuse", abuse,
                            "--cores", ABUSER_CORES, nice=19))
            self.assertEqual(abuser.read_line(), "ready", abuser.stderr())
            beside = honest.reads_per_second()
            self.assertTrue(abuser.running(), abuser.stderr())
        return alone, beside

    def test_an_honest_job_keeps_its_part(self):
        for abuse in ABUSES:
            with self.subTest(abuse):
                turns = [self.measure(abuse) for _ in range(TURNS)]
                ratio = statistics.median(b / a for a, b in turns)
                print(f"{abuse}: " + ", ".join(
                    f"{b:.0f} of {a:.0f} reads/s" for a, b in turns) +
                    f": {ratio:.2f}", flush=True)
                self.assertGreaterEqual(ratio, RATIO)


if __name__ == "__main__":
    unittest.main()
