"""docs/metrics.md beside what live ranks of `tributary-train` export, and refusals."""

import os
import re
import unittest
import urllib.request

from tests.e2e import folders, processes, training
from tests.e2e.pages import metrics_page_test

PHASES = ("wait", "copy", "forward", "backward", "reduce", "optimizer")


def value(address, series):
    """Of a series, by its name and labels as they stand there."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as got:
        text = got.read().decode()
    return float(re.search(rf"^{re.escape(series)} (\S+)$", text, re.M)[1])


class MetricsTrainerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(cls.folder, "cora"))

    def flags(self, http):
        return ("--graph", self.graph, "--num-neighbors", 5, "--hidden", 4,
                "--batch-size", 20, "--http", http)

    def test_each_rank_exports_what_the_page_says(self):
        with processes.Process(
                *self.flags("127.0.0.1:0"), "--nproc", 2, "--epochs", 100000,
                "--device", "cpu", "--no-progress", program=training.TRAINER,
                environment={"OMP_NUM_THREADS": "1"}) as trainer:
            def ranks():
                self.assertTrue(trainer.running(), trainer.stderr())
                return dict(re.findall(
                    r"^tributary-train: note: rank (\d) serves http://(\S+)/metrics$",
                    trainer.stderr(), re.M))

            processes.until(lambda: len(ranks()) == 2, processes.DEADLINE)
            self.assertEqual(set(ranks()), {"0", "1"})
            for address in ranks().values():
                self.follow(address)

    def follow(self, address):
        """The page's table of one rank, and its figures while it trains."""
        metrics_page_test.compare(self, "Series of a trainer", address)
        processes.until(lambda: value(address, "tributary_train_epoch") >= 3,
                        processes.DEADLINE)
        batches = value(address, "tributary_train_batches_total")
        # 4 rounds an epoch, of 20 inputs and at last 20 or none.
        self.assertGreaterEqual(batches, 7)
        self.assertLessEqual(value(address, "tributary_train_inputs_total"),
                             20 * value(address, "tributary_train_batches_total"))
        self.assertGreater(value(address, "tributary_train_batch_bytes_total"), 0)
        self.assertGreaterEqual(value(address, "tributary_train_step"), 8)
        for phase in PHASES:
            label = f'{{phase="{phase}"}}'
            self.assertGreaterEqual(
                value(address, f"tributary_train_step_seconds_count{label}"), 7)

    def test_a_port_that_is_taken_ends_the_run(self):
        [port] = processes.held_ports(1)
        with processes.Server(self.graph, "--http", f"127.0.0.1:{port}"):
            done = training.run(*self.flags(f"127.0.0.1:{port}"), "--epochs", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"127.0.0.1:{port}", done.stderr)

    def test_a_port_above_all_is_refused(self):
        done = training.run(*self.flags("127.0.0.1:65535"), "--nproc", 2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--http is 127.0.0.1:65535, so local rank 1 would listen at "
                      "port 65536; allowed: ports up to 65535, or port 0",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
