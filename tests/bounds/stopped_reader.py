"""A trainer that stops while credits are out, and goes on."""

import signal
import time

from tests.bounds import graphs, memory, trainers
from tests.e2e import processes, sampling

MIB = memory.MIB
MEMORY_BUDGET = 64 * MIB
BUFFER_SIZE = 24 * MIB
# Every hub below 13 MiB: twice what is left beside a stopped trainer's ring.
HUBS = [i for i, size in enumerate(graphs.SIZES) if size < 13 * MIB]
ROUNDS = 16
# Beyond any stop: what a process sleeps through counts as waiting.
RPC_TIMEOUT = 170
# A connection is pinged after 10 s of silence and given up 10 s later.
GIVEN_UP_AFTER = 20


class Cases:
    """Mixed into a TestCase; `stopped_for`: seconds at least."""

    stopped_for = 0

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = graphs.wide(folder, 1)
        cls.options = {
            **graphs.epoch_of("wide", "--buffer-size", BUFFER_SIZE),
            "inputs": ",".join(map(str, HUBS * ROUNDS))}
        cls.expected = sampling.lines(cls.graph, **cls.options)
        assert len(cls.expected) == len(HUBS) * ROUNDS

    def server(self):
        return processes.Server(self.graph, "--memory-budget", MEMORY_BUDGET,
                                "--http", "127.0.0.1:0",
                                environment=memory.NOTHING_KEPT)

    def await_true(self, what, deadline=processes.DEADLINE):
        end = time.monotonic() + deadline
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def pass_time_with_others(self, server):
        """Whole epochs by other trainers, one at least."""
        end = time.monotonic() + self.stopped_for
        while True:
            with trainers.Trainer(server.address, self.options) as other:
                self.assertEqual(other.read_lines(), self.expected)
            if time.monotonic() >= end:
                return

    def stop_and_go_on(self, stop, go_on):
        with self.server() as server, trainers.Trainer(
                server.address, self.options, RPC_TIMEOUT,
                small_pipe=True) as trainer:
            at_ready = memory.status(server.pid)["RssAnon"]
            lines = [trainer.read_line() for _ in range(5)]
            stop(server, trainer)
            with memory.Watch([server.pid, trainer.pid]) as watch:
                self.pass_time_with_others(server)
            self.assertLessEqual(watch.peak(server.pid),
                                 at_ready + MEMORY_BUDGET + memory.THE_REST)
            self.assertLessEqual(watch.peak(trainer.pid), BUFFER_SIZE +
                                 memory.PER_STREAM + memory.THE_REST)
            if self.stopped_for > 2 * GIVEN_UP_AFTER:
                self.await_true(lambda: self.nothing_is_held(server))
            go_on(server, trainer)
            lines += trainer.read_lines()
            self.assertEqual(trainer.wait(), 0, trainer.stderr())
            self.assertEqual(lines, self.expected)
            self.await_true(lambda: self.nothing_is_held(server))

    @staticmethod
    def nothing_is_held(server):
        return trainers.metric(server, "tributary_memory_used_bytes") == 0

    def test_a_user_that_asks_for_no_more(self):
        """Its process lives: what was asked for comes, into its ring."""

        def nothing_is_out(server, _):
            self.await_true(lambda: trainers.metric(
                server, "tributary_batches_active") == 0)

        self.stop_and_go_on(nothing_is_out, lambda *_: None)

    def test_a_frozen_process(self):
        """Batches are out: the server keeps them, and then gives them up."""

        def freeze(server, trainer):
            # Until it is caught with something under way.
            self.await_true(lambda: self.caught(server, trainer))

        def thaw(_, trainer):
            trainer.send(signal.SIGCONT)

        self.stop_and_go_on(freeze, thaw)

    def caught(self, server, trainer):
        trainer.send(signal.SIGSTOP)
        self.await_true(lambda: processes.state_of(trainer.pid) == "T")
        if trainers.metric(server, "tributary_batches_active") > 0:
            return True
        trainer.send(signal.SIGCONT)
        return False
