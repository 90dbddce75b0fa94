"""The same batches in every mode; what becomes of workers and trainers that
die."""

import json
import os
import signal
import tempfile
import unittest

from tests.e2e import folders, processes, sampling

HAS_GPU = os.path.exists("/dev/nvidiactl")


class ModesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
        # Long enough that a pipe of a page holds back who writes its lines.
        cls.options = dict(inputs=",".join(map(str, range(600))),
                           batch_size=2, fanouts="4,4")
        cls.expected = sampling.lines(cls.graph, **cls.options)
        assert len(cls.expected) == 300

    def trainer(self, *flags):
        return processes.Process(
            *sampling.arguments(self.graph, flags=("--mode", "mp", *flags),
                                **self.options),
            small_pipe=True)

    def test_every_mode_makes_the_same_batches(self):
        for flags in (("--mode", "collocated"), ("--mode", "mp"),
                      ("--feature-memory", "paged"),
                      ("--mode", "mp", "--feature-memory", "paged"),
                      ("--mode", "mp", "--num-workers", 3, "--threads", 1)):
            with self.subTest(flags):
                self.assertEqual(
                    sampling.lines(self.graph, flags=flags, **self.options),
                    self.expected)
        with processes.Server(self.graph) as server:
            self.assertEqual(
                sampling.lines(("servers", server.address),
                               flags=("--mode", "remote"), **self.options),
                self.expected)

    def test_servers_of_this_machine_have_sockets_without_ports(self):
        with (tempfile.TemporaryDirectory(dir="/tmp") as folder,
              processes.Server(self.graph, listen=f"unix:{folder}/s")
              as server):
            self.assertEqual(server.address, f"unix:{folder}/s")
            self.assertEqual(
                sampling.lines(("servers", server.address), **self.options),
                self.expected)
            self.assertIn("ok", processes.run_ok("doctor", "--servers",
                                                 server.address))

    def test_options_come_from_a_file_too(self):
        with processes.temporary_folder() as folder:
            path = os.path.join(folder, "worker.json")
            for options in ({"mode": "collocated"},
                            {"mode": "collocated", "pin_memory": True},
                            {"mode": "mp", "num_workers": 2,
                             "channel_size": "32MB", "pin_memory": True}):
                with open(path, "w", encoding="ascii") as file:
                    json.dump({**options, "graph": self.graph}, file)
                done = processes.run(*sampling.arguments(
                    ("worker-options", path), **self.options))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.splitlines(), self.expected)
                self.assertEqual("pin_memory: " in done.stderr,
                                 "pin_memory" in options and not HAS_GPU,
                                 done.stderr)
            done = processes.run(*sampling.arguments(
                ("worker-options", path), flags=("--mode", "mp"),
                **self.options))
            self.assertEqual(done.returncode, 2)
            with open(path, "w", encoding="ascii") as file:
                json.dump({"mode": "mp", "buffer_size": 1}, file)
            done = processes.run(*sampling.arguments(
                ("worker-options", path), **self.options))
            self.assertEqual(done.returncode, 1)
            self.assertIn('there is no key "buffer_size"', done.stderr)

    def epoch_with(self, harm):
        """`harm` is told of the trainer and its workers when some batches are
        made, and gives the lines that it has read."""
        with self.trainer("--num-workers", 2) as trainer:
            lines = [trainer.read_line() for _ in range(20)]
            workers = processes.children_of(trainer)
            self.assertEqual(len(workers), 2)
            lines += harm(trainer, workers) or []
            lines += trainer.read_lines()
            self.assertEqual(trainer.wait(), 0, trainer.stderr())
        for pid in workers:
            processes.until(lambda pid=pid: processes.is_gone(pid))
        self.assertEqual(lines, self.expected)

    def test_a_killed_worker_changes_nothing(self):
        self.epoch_with(lambda _, pids: os.kill(pids[0], signal.SIGKILL))

    def test_all_workers_may_die(self):
        self.epoch_with(lambda _, pids: [processes.signal_to(
            pid, signal.SIGKILL) for pid in pids] and None)

    def test_a_frozen_worker_changes_nothing_and_is_ended(self):
        self.epoch_with(lambda _, pids: os.kill(pids[1], signal.SIGSTOP))

    def test_a_worker_that_thaws_changes_nothing(self):
        def freeze_a_while(trainer, workers):
            os.kill(workers[0], signal.SIGSTOP)
            # More than were on their way: the other worker makes them.
            lines = [trainer.read_line() for _ in range(120)]
            processes.signal_to(workers[0], signal.SIGCONT)
            return lines

        self.epoch_with(freeze_a_while)

    def test_workers_end_with_a_trainer_that_is_killed(self):
        with self.trainer("--num-workers", 2) as trainer:
            trainer.read_line()
            workers = processes.children_of(trainer)
            self.assertEqual(len(workers), 2)
            os.kill(workers[0], signal.SIGSTOP)  # it hears of nothing
            trainer.kill()
            for pid in workers:
                processes.until(lambda pid=pid: processes.is_gone(pid))

    def test_a_ctrl_c_ends_trainer_and_workers(self):
        with self.trainer("--num-workers", 2) as trainer:
            trainer.read_line()
            workers = processes.children_of(trainer)
            trainer.send(signal.SIGINT)
            self.assertEqual(trainer.wait(), 128 + signal.SIGINT)
            for pid in workers:
                processes.until(lambda pid=pid: processes.is_gone(pid))

    def test_what_workers_cannot_serve_is_said_by_the_trainer(self):
        done = processes.run(*sampling.arguments(
            "/nowhere", flags=("--mode", "mp"), **self.options))
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_modes_that_do_not_go_with_their_source(self):
        for flags in (("--mode", "remote"), ("--mode", "threads"),
                      ("--num-workers", 2),
                      ("--mode", "mp", "--num-workers", 65),
                      ("--feature-memory", "disk")):
            with self.subTest(flags):
                done = processes.run(*sampling.arguments(
                    self.graph, flags=flags, **self.options))
                self.assertEqual(done.returncode, 2)
                self.assertIn("allowed", done.stderr)


if __name__ == "__main__":
    unittest.main()
