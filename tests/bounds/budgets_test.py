"""Batches of up to 40 MiB through budgets of 64 and 32 MiB."""

import re
import unittest

from tests.bounds import graphs, memory
from tests.e2e import processes, sampling

MIB = memory.MIB
TRAINER = "tests/bounds/bounds_trainer"
MEMORY_BUDGET = 64 * MIB
BUFFER_SIZE = 32 * MIB

# docs/testing.md, "Bounds", says what these stand for.
LEAF_BUDGET = 16 * MIB  # a quarter of MEMORY_BUDGET
PER_STREAM = 8 * MIB
THE_REST = 8 * MIB


class Trainer(processes.Process):
    """Reads an epoch; what it cannot have is a line too."""

    def __init__(self, servers, options, **process):
        arguments = sampling.arguments(("servers", servers), **options)[1:]
        super().__init__(*arguments, "--rpc-timeout", 50, program=TRAINER,
                         environment=memory.NOTHING_KEPT, **process)


class BudgetsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graphs = {"wide": graphs.wide(folder, 2),
                      "narrow": graphs.narrow(folder, 2)}
        cls.expected = {
            name: sampling.lines(
                graph, **graphs.epoch_of(name, "--buffer-size", "256MB"))
            for name, graph in cls.graphs.items()}

    def epoch(self, name, held, memory_budget, buffer_size):
        """The lines of an epoch, and each process's most memory."""
        options = graphs.epoch_of(name, "--buffer-size", buffer_size)
        with processes.Fleet(self.graphs[name], held, "--memory-budget",
                             memory_budget, environment=memory.NOTHING_KEPT
                             ) as fleet:
            at_ready = {s.pid: memory.status(s.pid)["RssAnon"]
                        for s in fleet.servers}
            with Trainer(fleet.addresses(), options) as trainer, \
                    memory.Watch([trainer.pid, *at_ready]) as watch:
                lines = trainer.read_lines()
                self.assertEqual(trainer.wait(), 0, trainer.stderr())
            self.within_budgets(at_ready, watch, memory_budget)
            self.assertLessEqual(
                watch.peak(trainer.pid),
                buffer_size + len(held) * PER_STREAM + THE_REST)
        return lines

    def within_budgets(self, at_ready, watch, memory_budget):
        streams = 1  # the trainer's
        most = memory_budget + THE_REST
        if len(at_ready) > 1:
            streams += 2  # to the peer and from it
            most += LEAF_BUDGET
        for pid, before in at_ready.items():
            self.assertLessEqual(watch.peak(pid),
                                 before + most + streams * PER_STREAM)

    def check(self, name, lines, option, limit, factor):
        """Each index once: its batch, or why `option` forbids it."""
        self.assertEqual(len(lines), graphs.INPUTS)
        for nth, (line, expected) in enumerate(
                zip(lines, self.expected[name])):
            size = int(expected.split()[-1])
            if size * factor < limit - MIB // 4:  # room for names and padding
                self.assertEqual(line, expected)
                continue
            self.assertRegex(
                line, rf"^error {nth} INVALID_ARGUMENT: .*batch {nth} of epoch 0")
            self.assertIn(option, line)
            wanted = max(map(int, re.findall(r"\d{7,}", line)))
            self.assertGreater(wanted, limit)  # what to raise it to

    def test_a_ring_smaller_than_some_batches(self):
        for name in self.graphs:
            for held in (["all"], ["0", "1"]):
                with self.subTest(graph=name, held=held):
                    lines = self.epoch(name, held, MEMORY_BUDGET, BUFFER_SIZE)
                    self.check(name, lines, "buffer_size", BUFFER_SIZE, 1)

    def test_a_server_too_small_for_some_batches(self):
        for name, held in (("narrow", ["all"]), ("wide", ["0", "1"])):
            with self.subTest(graph=name, held=held):
                lines = self.epoch(name, held, MEMORY_BUDGET, 96 * MIB)
                self.check(name, lines, "--memory-budget", MEMORY_BUDGET, 2)


if __name__ == "__main__":
    unittest.main()
