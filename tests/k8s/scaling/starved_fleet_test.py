"""Servers held to a rate, trainers of a known demand, and the formula between.

Takes two minutes: the ratios are those of the last minute.
"""

import contextlib
import math
import os
import re
import time
import unittest
import urllib.request

from tests.e2e import folders, processes
from tests.k8s.scaling import formula

# Servers: between 3 and 4 times BUSY_TARGET, in the middle, so that a wait which
# other work on the machine makes longer asks for no fifth.
DEMAND = 2.8
TRAINERS = 2
# A second, of one server: so few that a process which gets its core late, beside
# other work on the machine, is late by little of a batch's time.
SERVER_BATCHES = 2.0
SAMPLING = ["--input-nodes", "*", "--batch-size", 1, "--num-neighbors", "5,5",
            "--random-seed", 7]
JOB = 'job="train"'
MINUTE = 60
DEADLINE = 3 * MINUTE
# A rate and a step of 0.36 s are kept by the clock, and everything beside them
# takes time of the same two cores.
SOME = 0.08


def metrics(server):
    with urllib.request.urlopen(f"http://{server.http}/metrics",
                                timeout=30) as reply:
        return reply.read().decode()


def values(name, text):
    """The values of a metric by the text of its labels."""
    found = re.findall(rf"^{name}{{(.*)}} ([0-9.e+-]+)$", text, re.M)
    return {labels: float(value) for labels, value in found}


class Fleet:
    """Servers of one rate, which are listed in a file."""

    def __init__(self, stack, graph, folder, rate):
        self._stack = stack
        self._graph = graph
        self._rate = rate
        self.list = os.path.join(folder, "servers.txt")
        self.servers = []

    def grow(self, size):
        while len(self.servers) < size:
            self.servers.append(self._stack.enter_context(processes.Server(
                self._graph, "--threads", 1, "--max-rate", self._rate,
                "--http", "127.0.0.1:0")))
        with open(self.list + ".new", "w", encoding="utf-8") as file:
            file.writelines(s.address + "\n" for s in self.servers)
        os.rename(self.list + ".new", self.list)

    def read(self):
        """The busy shares of all servers, and the wait of each job."""
        texts = [metrics(server) for server in self.servers]
        busy = [values("tributary_busy_ratio", text)['partitions="all"']
                for text in texts]
        waits = {}
        for text in texts:
            for labels, wait in values("tributary_trainer_wait_ratio",
                                       text).items():
                waits[labels] = max(wait, waits.get(labels, 0))
        return busy, waits

    def wanted(self):
        busy, waits = self.read()
        return formula.servers_wanted(busy, waits.values())

    def watch(self, until):
        """What the formula asks for, every 2 s, until until(busy, waits)."""
        began = time.monotonic()
        asked = []
        while time.monotonic() < began + DEADLINE:
            busy, waits = self.read()
            asked.append(formula.servers_wanted(busy, waits.values()))
            print(f"{time.monotonic() - began:5.1f} s: "
                  f"busy {' '.join(f'{b:.2f}' for b in busy)}, "
                  f"wait {max(waits.values(), default=0):.2f}, "
                  f"wanted {asked[-1]:.2f}", flush=True)
            if until(busy, waits):
                return asked
            time.sleep(2)
        raise AssertionError(f"not within {DEADLINE} s")


class StarvedFleetTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = stack.enter_context(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "g"))
        rate = int(SERVER_BATCHES * self.bytes_of_a_batch(graph))
        self.fleet = Fleet(stack, graph, folder, rate)
        self.stack = stack

    @staticmethod
    def bytes_of_a_batch(graph):
        """The mean of an epoch."""
        said = processes.run_ok("sample", "--graph", graph, *SAMPLING,
                                "--batches", "0:2708").splitlines()
        return sum(int(line.split()[6]) for line in said) / len(said)

    def start_trainers(self):
        step = TRAINERS / (DEMAND * SERVER_BATCHES)
        return [self.stack.enter_context(processes.Process(
            "bench", "stream", "--servers", f"file:{self.fleet.list}",
            "--worker-key", "train", *SAMPLING, "--seconds", 3000,
            "--step-time", step)) for _ in range(TRAINERS)]

    def test_the_formula_asks_for_as_many_as_end_the_starvation(self):
        fleet = self.fleet
        fleet.grow(1)
        self.assertEqual(fleet.read()[1], {})
        trainers = self.start_trainers()
        right = math.ceil(DEMAND / formula.BUSY_TARGET)
        # A server is not busy before it is asked: the first minute fills up.
        early = fleet.watch(lambda busy, waits: busy[0] > 0.97 and abs(
            waits.get(JOB, 0) - (1 - 1 / DEMAND)) < SOME / 2)
        busy, waits = fleet.read()
        self.assertGreater(busy[0], 0.97)
        self.assertEqual(list(waits), [JOB])
        self.assertAlmostEqual(waits[JOB], 1 - 1 / DEMAND,
                               delta=SOME)
        self.assertEqual(math.ceil(fleet.wanted()), right, (busy, waits))
        status = processes.run_ok("status", "--servers",
                                  fleet.servers[0].address)
        self.assertRegex(status, r" busy=(1\.00|0\.9\d) wait=0\.[67]\d transport=tcp,grpc$")

        fleet.grow(right)
        # Of the minute that begins here, servers that are new have been idle before.
        late = fleet.watch(lambda busy, waits: waits[JOB] < 0.08 and abs(
            sum(busy) - DEMAND) < right * SOME / 2)
        busy, waits = fleet.read()
        self.assertLess(waits[JOB], 0.1, (busy, waits))
        # Trainers that ask for so little divide it as they like.
        self.assertAlmostEqual(sum(busy), DEMAND, delta=right * SOME)
        self.assertLess(max(busy), 0.97)
        self.assertEqual(math.ceil(fleet.wanted()), right, (busy, waits))
        # It never asked for more, not even while the minute went by in which
        # both sizes had a part.
        self.assertLessEqual(max(early + late), right * (1 + SOME))

        for trainer in trainers:
            trainer.kill()
        processes.until(lambda: fleet.read()[1] == {})


if __name__ == "__main__":
    unittest.main()
