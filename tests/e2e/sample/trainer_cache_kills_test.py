"""Held rows while servers and trainers are killed, and where they do not pay."""

import contextlib
import os
import re
import unittest

import numpy as np

from tests.e2e import processes, sampling

ALL = "*"
# 2^17 nodes of 1 KiB: two pieces of 64 MiB, and more.
GRAPH = ("rmat", "--scale", 17, "--edges", 1_000_000, "--feat-dim", 256)
OPTIONS = {"inputs": ALL, "fanouts": "5,5", "batch_size": 64}
HOLD_ALL = ("--trainer-cache", "1")
LEFT_OUT = "tributary_batch_left_out_bytes_total"
DEADLINE = 300


def names_of_holders():
    """The sockets at which trainers of this network namespace meet."""
    with open("/proc/net/unix", encoding="utf-8") as sockets:
        return {name for name in re.findall(r"@(\S+)", sockets.read())
                if name.startswith("tributary")}


def holds_rows(process):
    maps = processes.read_proc(f"/proc/{process.pid}/maps") or ""
    return "memfd:tributary" in maps


class KillsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = os.path.join(cls.folder, "rmat")
        processes.run_ok("generate", *GRAPH, "--out", cls.graph, "--num-parts", 2,
                         deadline=DEADLINE)
        cls.expected = sampling.lines(cls.graph, **OPTIONS)

    def fleet(self):
        """Two servers of the whole graph."""
        return processes.Fleet(self.graph, ["0,1", "0,1"], "--http", "127.0.0.1:0")

    def sample(self, fleet, *flags):
        return processes.Process(*sampling.arguments(
            ("servers", fleet.addresses()), **OPTIONS, flags=(*HOLD_ALL, *flags)),
            small_pipe=True)

    def test_servers_that_are_killed_while_rows_come(self):
        with self.fleet() as fleet, self.sample(fleet) as trainer:
            made = []
            for kill, after in enumerate((10, 60, 120, 200, 300, 500)):
                while len(made) < after:
                    made.append(trainer.read_line(DEADLINE))
                victim = fleet.servers[kill % 2]
                victim.kill()
                victim.wait()
                fleet.restart(kill % 2)
            made += trainer.read_lines()
            self.assertEqual(trainer.wait(DEADLINE), 0, trainer.stderr())
            self.assertEqual([line.rstrip("\n") for line in made], self.expected)
            self.assertGreater(max(sampling.metric(server, LEFT_OUT)
                                   for server in fleet.servers), 0)

    def test_trainers_that_are_killed_while_they_fetch_for_others(self):
        before = names_of_holders()
        with self.fleet() as fleet, contextlib.ExitStack() as stack:
            others = [stack.enter_context(processes.Process(
                "bench", "stream", "--servers", fleet.addresses(), "--input-nodes", ALL,
                "--num-neighbors", "5,5", "--batch-size", 64, "--seconds", 600,
                *HOLD_ALL)) for _ in range(2)]
            processes.until(lambda: any(map(holds_rows, others)), DEADLINE)
            trainer = stack.enter_context(self.sample(fleet))
            trainer.read_line(DEADLINE)
            # One of them fetches for all three, and then the other one.
            for victim in others:
                victim.kill()
                victim.wait()
            made = trainer.read_lines()
            self.assertEqual(trainer.wait(DEADLINE), 0, trainer.stderr())
            self.assertEqual([line.rstrip("\n") for line in made], self.expected[1:])
        self.assertEqual(names_of_holders(), before)

    def test_a_hundred_openings_and_kills_leave_nothing(self):
        before = names_of_holders()
        with self.fleet() as fleet:
            for i in range(100):
                with self.sample(fleet) as trainer:
                    trainer.read_line(DEADLINE)
                    if i % 10 == 0:
                        processes.until(lambda p=trainer: holds_rows(p), DEADLINE)
                    trainer.kill()
                    trainer.wait()
            self.assertEqual(names_of_holders(), before)
            # A trainer that comes now finds servers as they were.
            self.assertEqual(
                sampling.lines(("servers", fleet.addresses()), **OPTIONS,
                               flags=HOLD_ALL), self.expected)
        self.assertEqual(names_of_holders(), before)


class WhereItDoesNotPayTest(unittest.TestCase):
    def test_the_forecast_says_so(self):
        """Nodes that are all alike: a tenth of them is a tenth of each batch."""
        random = np.random.default_rng(1)
        nodes, edges = 1 << 17, 2_000_000
        with processes.temporary_folder() as folder:
            raw = os.path.join(folder, "raw")
            os.mkdir(raw)
            np.save(os.path.join(raw, "edge_index.npy"),
                    random.integers(0, nodes, (2, edges)))
            np.save(os.path.join(raw, "x.npy"),
                    random.random((nodes, 64), dtype=np.float32))
            graph = os.path.join(folder, "uniform")
            processes.run_ok("partition", "--input", raw, "--format", "npy",
                             "--out", graph, deadline=DEADLINE)
            forecast = processes.run_ok(
                "cache", "--graph", graph, "--dry-run", "--input-nodes", ALL,
                "--num-neighbors", "10,5", "--batch-size", 256, deadline=DEADLINE)
            pays = {line.split()[0]: line.split()[-1]
                    for line in forecast.splitlines() if line[:2] == "0."}
            self.assertEqual(pays["0.1"], "no", forecast)
            # 0.2 saves a quarter of what compact edges leave, about.
            self.assertEqual(pays["0.5"], "yes", forecast)


if __name__ == "__main__":
    unittest.main()
