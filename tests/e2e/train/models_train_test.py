"""`tributary-train` with each model, on typed graphs, with checkpoints, and a
model of a user's own."""

import os
import re
import signal
import unittest

from tests.e2e import folders, processes, training

train = training.run


def without_rates(line):
    """Number, loss and metrics of an epoch's line."""
    parts = line.split("  ")
    rate, = (at for at, part in enumerate(parts) if part.endswith(" inputs/s"))
    return parts[:rate]


def epochs(done):
    """Each epoch's number, loss and metrics; the result without its time."""
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    lines = done.stdout.splitlines()
    of_epochs = [without_rates(line) for line in lines if line.startswith("epoch ")]
    result = re.sub(" seconds=.*", "", lines[-1])
    return of_epochs, result


class ModelsTrainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.aifb = folders.partition(
            folders.AIFB, os.path.join(cls.folder, "aifb"), 2, "random",
            "--add-reverse")
        cls.cora = folders.partition(
            folders.CORA, os.path.join(cls.folder, "cora"), 2, "random",
            "--degrees")

    def typed(self, model, where, *flags):
        return train(*where, "--model", model, "--input",
                     "person:train,valid,test", "--num-neighbors", "8,8",
                     "--batch-size", "32", "--hidden", "16", "--dropout",
                     "0.2", "--epochs", "6", "--random-seed", "1", *flags)

    def test_typed_graphs_train_with_each_model(self):
        for model, flags in (("rgcn", ("--num-bases", "10", "--layer-norm")),
                             ("sage", ()), ("gat", ("--heads", "2")),
                             ("gcn", ("--norm", "right"))):
            with self.subTest(model):
                lines, result = epochs(self.typed(
                    model, ("--graph", self.aifb), *flags))
                self.assertEqual(len(lines), 6)
                losses = [float(line[1].split()[1]) for line in lines]
                self.assertLess(losses[-1], 0.8 * losses[0])
                self.assertIn("test_accuracy=", result)

    def test_a_fleet_and_ranks_train_the_same(self):
        with processes.Fleet(self.aifb, ["0", "1"]) as fleet:
            fleet.doctor()
            remote = ("--servers", fleet.addresses())
            self.assertEqual(
                epochs(self.typed("rgcn", remote, "--nproc", "2")),
                epochs(self.typed("rgcn", ("--graph", self.aifb), "--nproc",
                                  "2")))

    def cora_run(self, *flags, program=training.TRAINER, num_epochs=6):
        return train("--graph", self.cora, "--num-neighbors", "5,5",
                     "--batch-size", "20", "--hidden", "16", "--epochs",
                     num_epochs, "--random-seed", "2", *flags, program=program)

    def test_gcn_needs_degrees(self):
        lines, result = epochs(self.cora_run("--model", "gcn"))
        self.assertEqual(len(lines), 6)
        plain = folders.partition(
            folders.CORA, os.path.join(self.folder, "plain"), 1, "random")
        done = train("--graph", plain, "--model", "gcn")
        self.assertEqual(done.returncode, 78)
        self.assertIn("--degrees", done.stderr)

    def test_a_split_of_one_class_is_named_and_costs_no_model(self):
        nodes = range(60)
        source = folders.write_ogb(
            os.path.join(self.folder, "two"), 60,
            [(v * 7 % 60, v) for v in nodes], [[v % 2, 1] for v in nodes],
            [[v % 2] for v in nodes],
            {"train": nodes[:20], "valid": nodes[20:40:2], "test": nodes[40:]})
        graph = folders.partition(source, source + ".graph")
        saved = os.path.join(self.folder, "two.safetensors")
        done = train("--graph", graph, "--input", "train,only/valid,test",
                     "--metric", "rocauc", "--num-neighbors", "2,2",
                     "--epochs", 2, "--nproc", 2, "--save-model", saved)
        lines, result = epochs(done)
        self.assertEqual(len(lines), 2)
        self.assertRegex(result, r"^result test_rocauc=\S+ best_epoch=2")
        self.assertTrue(os.path.exists(saved))
        self.assertEqual(done.stderr.count(
            "rocauc is not defined on the split only/valid: no task has rows "
            "labelled 0 and rows labelled 1"), 1, done.stderr)

    def test_a_users_own_model(self):
        lines, result = epochs(self.cora_run("--row-normalize",
                                             program=training.OWN_MODEL))
        self.assertEqual(len(lines), 6)
        self.assertIn("test_accuracy=", result)
        done = self.typed_own()
        self.assertEqual(done.returncode, 78)
        self.assertIn("own_model needs a graph of one node type", done.stderr)

    def typed_own(self):
        return train("--graph", self.aifb, "--input", "person:train",
                     "--num-neighbors", "2,2", program=training.OWN_MODEL)

    def test_a_killed_run_goes_on_to_the_same_end(self):
        checkpoints = os.path.join(self.folder, "checkpoints")
        model = os.path.join(self.folder, "model.safetensors")
        flags = ("--model", "gat", "--nproc", "2")
        whole, result = epochs(self.cora_run(*flags, "--save-model", model))
        with open(model, "rb") as file:
            parameters = file.read()
        command = [training.TRAINER, "--graph", self.cora, "--num-neighbors", "5,5",
                   "--batch-size", "20", "--hidden", "16", "--epochs", "6",
                   "--random-seed", "2", *flags, "--device", "cpu",
                   "--checkpoint-dir", checkpoints, "--checkpoint-every", "3"]
        with processes.Process(*command[1:], program=training.TRAINER,
                               environment={"OMP_NUM_THREADS": "1"}) as run:
            while not run.read_line().startswith("epoch 3/"):
                pass
            run.kill()
        with processes.temporary_folder():
            resumed = self.cora_run(*flags, "--resume", checkpoints,
                                    "--save-model", model)
        after, result_after = epochs(resumed)
        self.assertRegex(resumed.stdout, r"^resumed from \S+ after step \d+")
        self.assertLess(len(after), 6)
        self.assertEqual(after, whole[-len(after):])
        self.assertEqual(result_after, result)
        with open(model, "rb") as file:
            self.assertEqual(file.read(), parameters)

    def test_ranks_start_again_from_the_checkpoint(self):
        flags = ("--model", "sage", "--nproc", "2")
        whole, result = epochs(self.cora_run(*flags, num_epochs=40))
        command = ("--graph", self.cora, "--num-neighbors", "5,5",
                   "--batch-size", "20", "--hidden", "16", "--random-seed",
                   "2", *flags, "--epochs", "40", "--device", "cpu",
                   "--max-restarts", "1",
                   "--checkpoint-dir", os.path.join(self.folder, "restart"),
                   "--checkpoint-every", "3")
        with processes.Process(*command, program=training.TRAINER,
                               environment={"OMP_NUM_THREADS": "1"}) as run:
            while not run.read_line().startswith("epoch 5/"):
                pass
            os.kill(processes.children_of(run)[1], signal.SIGKILL)
            lines = run.read_lines()
            self.assertEqual(run.wait(), 0, run.stderr())
            self.assertIn("attempt 0 failed: rank 1", run.stderr())
        resumed = [i for i, line in enumerate(lines)
                   if line.startswith("resumed from ")]
        self.assertEqual(len(resumed), 1, lines)
        after = [without_rates(line) for line in lines[resumed[0] + 1:]
                 if line.startswith("epoch ")]
        self.assertLess(len(after), 40)
        self.assertEqual(after, whole[-len(after):])
        self.assertEqual(re.sub(" seconds=.*", "", lines[-1]), result)


if __name__ == "__main__":
    unittest.main()
