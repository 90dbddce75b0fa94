"""tributary-train --sparse-embedding: rows on servers, by real processes."""

import contextlib
import json
import os
import random
import re
import signal
import struct
import unittest

from tests.e2e import folders, made_up_graphs, processes
from tests.e2e.train import train_chaos

TRAINER = "trainer_client/torch/tributary-train"
EPOCHS = 3
STEPS = 15  # of an epoch: 60 papers, 2 ranks, 2 inputs each
FEATURELESS = ("author", "field_of_study", "institution")
DRAINED = 75  # the exit code of a run that ended for a draining server


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tensors_of(path):
    """name -> (shape, bytes) of a safetensors file."""
    data = read(path)
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    body = data[8 + size:]
    return {name: (tuple(entry["shape"]), body[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def rows_of(tensor):
    shape, data = tensor
    return [data[i * shape[1] * 4:(i + 1) * shape[1] * 4]
            for i in range(shape[0])]


class SparseEmbeddingTrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        source = os.path.join(cls.folder, "mag")
        made_up_graphs.write_mag(source, random.Random(5))
        cls.graph = folders.partition(source, source + "2", 2, "random",
                                      "--add-reverse")
        cls.graph_of_4 = folders.partition(source, source + "4", 4, "random",
                                           "--add-reverse")

    def path(self, name):
        return os.path.join(self.folder, f"{self.id().split('.')[-1]}-{name}")

    def servers(self, count, graph=None, stack=None):
        """Each holds all partitions."""
        stack = stack or self.enterContext(contextlib.ExitStack())
        return [stack.enter_context(processes.Server(graph or self.graph))
                for _ in range(count)]

    def start(self, name, source, *flags, world=2, epochs=EPOCHS, lr=0.06,
              timeout=60, batch=None):
        if isinstance(source, list):
            source = ("--servers", ",".join(s.address for s in source))
        return self.enterContext(processes.Process(
            *source, "--nproc", world, "--model", "rgcn", "--input",
            "paper:train,valid,test", "--num-neighbors", "3,3", "--hidden", 8,
            "--batch-size", batch or 4 // world, "--epochs", epochs, "--num-classes",
            349, "--dropout", 0.3, "--random-seed", 7, "--lr-schedule",
            "cosine", "--lr-unit", "step", "--lr-t-max", 60, "--rpc-timeout",
            timeout, "--device", "cpu", "--no-progress", "--sparse-embedding",
            "--node-feats", "--sparse-lr", lr, "--log", self.path(name),
            "--save-model", self.path(name + ".model"), *flags,
            program=TRAINER, environment={"OMP_NUM_THREADS": "1"}))

    def finish(self, process):
        lines = process.read_lines()
        self.assertEqual(process.wait(), 0, process.stderr())
        self.assertIn("result test_accuracy=", lines[-1])

    def result(self, name, since=0):
        """All that a run has computed: its epochs and its model's bytes."""
        epochs = [line for line in epochs_in(self.path(name))
                  if line["epoch"] > since]
        return epochs, read(self.path(name + ".model"))

    def run_to_end(self, name, source, *flags, **options):
        self.finish(self.start(name, source, *flags, **options))
        return self.result(name)

    # Two ranks: a sum of two is the same in either order, and a half is exact.
    def test_servers_partitions_and_ranks_change_no_bit(self):
        expected = self.run_to_end("one", self.servers(1))
        self.assertEqual(len(expected[0]), EPOCHS)
        for name, count, graph in (("two", 2, None), ("three", 3, None),
                                   ("four", 2, self.graph_of_4)):
            with contextlib.ExitStack() as stack:
                servers = self.servers(count, graph, stack)
                self.assertEqual(self.run_to_end(name, servers), expected,
                                 name)
        # The rows of both sides of the store: this process is the server.
        alone = self.run_to_end("alone", self.servers(2), world=1)
        self.assertEqual(
            self.run_to_end("inside", ("--graph", self.graph), world=1), alone)

    def test_accumulated_batches_step_as_those_of_ranks(self):
        servers = self.servers(2)
        _, of_ranks = self.run_to_end("ranks", servers)
        self.finish(self.start("alone", servers, "--accumulate", 2, world=1,
                               batch=2))
        self.assertEqual(read(self.path("alone.model")), of_ranks)

    def test_every_featureless_type_learns(self):
        self.run_to_end("still", self.servers(2), lr=1e-12, epochs=1)
        self.run_to_end("moves", self.servers(2), epochs=1)
        before = tensors_of(self.path("still.model"))
        after = tensors_of(self.path("moves.model"))
        self.assertEqual(
            {name for name in after if name.startswith("embedding.")},
            {f"embedding.{kind}.weight" for kind in FEATURELESS})
        for kind in FEATURELESS:
            rows = [[struct.unpack("<8f", row)
                     for row in rows_of(tensors[f"embedding.{kind}.weight"])]
                    for tensors in (before, after)]
            moved = sum(max(abs(x - y) for x, y in zip(a, b)) > 1e-3
                        for a, b in zip(*rows))
            self.assertGreater(moved, len(rows[0]) // 4, kind)

    def test_without_node_feats_all_types_have_rows(self):
        servers = self.servers(1)
        process = self.enterContext(processes.Process(
            "--servers", servers[0].address, "--model", "rgcn", "--input",
            "paper:train,valid,test", "--num-neighbors", "3,3", "--hidden", 8,
            "--epochs", 1, "--batch-size", 20, "--device", "cpu",
            "--no-progress", "--sparse-embedding", "--sparse-optimizer",
            "adagrad", "--save-model", self.path("model"), program=TRAINER))
        self.finish(process)
        tensors = tensors_of(self.path("model"))
        self.assertEqual(tensors["embedding.paper.weight"][0], (120, 8))
        self.assertFalse([n for n in tensors if n.startswith("input.")])

    def checkpoint_flags(self, name, every=4):
        return ("--checkpoint-dir", self.path(name + ".checkpoints"),
                "--checkpoint-every", every)

    def newest(self, name, process):
        self.assertTrue(process.running(), process.stderr())
        return train_chaos.newest_checkpoint(
            self.path(name + ".checkpoints"))

    def kill_after(self, name, process, step):
        train_chaos.until(lambda: self.newest(name, process) >= step, step)
        ranks = processes.children_of(process)
        process.kill()
        processes.until(lambda: all(map(processes.is_gone, ranks)))

    def test_resumes_bit_equal_on_another_fleet(self):
        expected = self.run_to_end("whole", self.servers(2))
        flags = self.checkpoint_flags("run")
        self.kill_after("run", self.start("run", self.servers(2), *flags),
                        2 * STEPS + 2)  # after two validations
        os.remove(self.path("run"))
        folder = self.path("run.checkpoints")
        names = os.listdir(os.path.join(folder, max(
            n for n in os.listdir(folder) if re.fullmatch(r"step-\d+", n))))
        self.assertIn("tensors.json", names)
        process = self.start("run", self.servers(3, self.graph_of_4), *flags,
                             "--resume", folder)
        self.finish(process)
        since = 2
        self.assertEqual(self.result("run"),
                         ([e for e in expected[0] if e["epoch"] > since],
                          expected[1]))

    def test_resume_needs_the_same_kind_of_run(self):
        flags = self.checkpoint_flags("run", 5)
        self.run_to_end("run", ("--graph", self.graph), *flags, epochs=1,
                        world=1)
        process = self.enterContext(processes.Process(
            "--graph", self.graph, "--model", "rgcn", "--input",
            "paper:train,valid", "--num-neighbors", "3,3", "--hidden", 8,
            "--batch-size", 4, "--epochs", 3, "--no-progress", "--device",
            "cpu", "--resume", self.path("run.checkpoints"), program=TRAINER))
        self.assertEqual(process.wait(), 78)
        self.assertIn("has rows of servers (--sparse-embedding)",
                      process.stderr())

    def test_a_dead_server_is_named_and_the_run_goes_on(self):
        expected = self.run_to_end("whole", self.servers(2))
        servers = self.servers(2)
        process = self.start("run", servers, *self.checkpoint_flags("run"),
                             "--max-restarts", 1, timeout=10)
        train_chaos.until(lambda: self.newest("run", process) >= STEPS, "step")
        servers[1].kill()
        self.finish(process)
        self.assertIn(servers[1].address, process.stderr())
        self.assertIn("restart 1 of at most 1", process.stderr())
        self.assertEqual(
            unique_epochs(epochs_in(self.path("run"))), expected[0])
        self.assertEqual(self.result("run")[1], expected[1])

    def test_a_draining_server_costs_no_restart(self):
        expected = self.run_to_end("whole", self.servers(2))
        servers = self.servers(2)
        process = self.start("run", servers, *self.checkpoint_flags("run", 1000),
                             "--max-restarts", 1)
        self.assertIn("epoch 1/", process.read_line())
        servers[0].send(signal.SIGTERM)
        self.finish(process)
        self.assertIn("counts as no restart", process.stderr())
        self.assertNotIn("restart 1 of", process.stderr())
        self.assertEqual(
            unique_epochs(epochs_in(self.path("run"))), expected[0])
        self.assertEqual(self.result("run")[1], expected[1])

    def test_a_draining_server_ends_a_run_without_a_launcher(self):
        servers = self.servers(2)  # the other one goes on with batches
        process = self.start("run", servers, *self.checkpoint_flags("run", 1000),
                             world=1, epochs=200)
        self.assertIn("epoch 1/", process.read_line())
        servers[1].send(signal.SIGTERM)
        process.read_lines()
        self.assertEqual(process.wait(), DRAINED, process.stderr())
        self.assertIn("--resume", process.stderr())
        self.assertGreater(train_chaos.newest_checkpoint(
            self.path("run.checkpoints")), 0)

    def predict(self, name, source, *flags):
        process = self.enterContext(processes.Process(
            *source, "--model", "rgcn", "--input", "paper:train,valid,test",
            "--num-neighbors", "3,3", "--hidden", 8, "--batch-size", 4,
            "--num-classes", 349, "--dropout", 0.3, "--device", "cpu",
            "--no-progress", "--predict", "paper:*", "--out", self.path(name),
            *flags, program=TRAINER, environment={"OMP_NUM_THREADS": "1"}))
        process.read_lines()
        self.assertEqual(process.wait(), 0, process.stderr())
        return read(os.path.join(self.path(name), "predictions.npy"))

    def test_a_saved_model_predicts_with_and_without_rows_on_servers(self):
        self.run_to_end("run", self.servers(2), epochs=1)
        load = ("--load-model", self.path("run.model"))
        dense = self.predict("dense", ("--graph", self.graph), *load)
        servers = self.servers(2)
        fleet = ("--servers", ",".join(s.address for s in servers))
        sparse = self.predict("sparse", fleet, *load, "--sparse-embedding",
                              "--node-feats")
        self.assertEqual(dense, sparse)
        other = self.predict("other", fleet, "--epochs", 0,
                             "--sparse-embedding", "--node-feats")
        self.assertNotEqual(dense, other)


def epochs_in(path):
    """The epochs of a --log, without what depends on time."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [train_chaos.without_times(line) for line in lines
            if line["event"] == "epoch"]


def unique_epochs(lines):
    """A restarted run reports an epoch again that it has taken again."""
    return [lines[i] for i in range(len(lines))
            if all(lines[i]["epoch"] != later["epoch"]
                   for later in lines[i + 1:])]


if __name__ == "__main__":
    unittest.main()
