"""Batches of up to 40 MiB through budgets of 64 and 32 MiB."""

import contextlib
import re
import signal
import unittest

from tests.bounds import graphs, memory, trainers
from tests.e2e import processes, sampling

MIB = memory.MIB
MEMORY_BUDGET = 64 * MIB
BUFFER_SIZE = 32 * MIB
LEAF_BUDGET = 16 * MIB  # a quarter of it


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
            with trainers.Trainer(fleet.addresses(), options) as trainer, \
                    memory.Watch([trainer.pid, *at_ready]) as watch:
                lines = trainer.read_lines()
                self.assertEqual(trainer.wait(), 0, trainer.stderr())
            self.within_budgets(at_ready, watch, memory_budget)
            self.assertLessEqual(
                watch.peak(trainer.pid),
                buffer_size + len(held) * memory.PER_STREAM + memory.THE_REST)
        return lines

    def within_budgets(self, at_ready, watch, memory_budget):
        most = memory_budget + memory.THE_REST
        if len(at_ready) > 1:  # a stream to the peer and one from it
            most += LEAF_BUDGET + 2 * memory.PER_STREAM
        for pid, before in at_ready.items():
            self.assertLessEqual(watch.peak(pid), before + most)

    def check(self, name, lines, option, limit, factor):
        """Each index once: its batch, or why `option` forbids it."""
        self.assertEqual(len(lines), graphs.INPUTS)
        for nth, (line, expected) in enumerate(
                zip(lines, self.expected[name])):
            size = int(expected.split()[-1])
            if size * factor < limit - MIB // 4:  # room for names and padding
                self.assertEqual(line, expected)
                continue
            self.assertRegex(line, rf"^error {nth} INVALID_ARGUMENT: "
                             rf".*batch {nth} of epoch 0")
            self.assertIn(option, line)
            wanted = max(map(int, re.findall(r"\d{7,}", line)))
            self.assertGreater(wanted, limit)  # what to raise it to

    def test_a_ring_smaller_than_some_batches(self):
        for name in self.graphs:
            for held in (["all"], ["0", "1"]):
                with self.subTest(graph=name, held=held):
                    lines = self.epoch(name, held, MEMORY_BUDGET, BUFFER_SIZE)
                    self.check(name, lines, "buffer_size", BUFFER_SIZE, 1)

    def test_frozen_trainers_together(self):
        """Four ask for 30 MiB each and take nothing: the server makes no more
        of it than it may hold, and the rest once they go on."""
        options = {**graphs.epoch_of("narrow", "--buffer-size", 48 * MIB),
                   "inputs": ",".join([str(graphs.SIZES.index(6 * MIB))] * 10)}
        expected = sampling.lines(self.graphs["narrow"], **options)
        with contextlib.ExitStack() as running:
            server = running.enter_context(processes.Server(
                self.graphs["narrow"], "--memory-budget", MEMORY_BUDGET,
                "--http", "127.0.0.1:0", environment=memory.NOTHING_KEPT))
            before = memory.status(server.pid)["RssAnon"]
            watch = running.enter_context(memory.Watch([server.pid]))
            frozen = [running.enter_context(
                trainers.Trainer(server.address, options)) for _ in range(4)]
            lines = []
            for trainer in frozen:
                lines.append([trainer.read_line()])
                trainer.send(signal.SIGSTOP)
            trainers.await_rest(server)
            self.assertGreater(
                trainers.metric(server, "tributary_memory_used_bytes"), 0)
            for trainer, read in zip(frozen, lines):
                trainer.send(signal.SIGCONT)
                self.assertEqual(read + trainer.read_lines(), expected)
                self.assertEqual(trainer.wait(), 0, trainer.stderr())
            self.assertLessEqual(watch.peak(server.pid),
                                 before + MEMORY_BUDGET + memory.THE_REST)

    def test_a_server_too_small_for_some_batches(self):
        for name, held in (("narrow", ["all"]), ("wide", ["0", "1"])):
            with self.subTest(graph=name, held=held):
                lines = self.epoch(name, held, MEMORY_BUDGET, 96 * MIB)
                self.check(name, lines, "--memory-budget", MEMORY_BUDGET, 2)


if __name__ == "__main__":
    unittest.main()
