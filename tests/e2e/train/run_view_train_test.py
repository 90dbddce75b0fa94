"""What a user of `tributary-train` sees of a run: the time of a step, the batch
that made a loss that is not finite, the plan, mixed precision, and logs as JSON."""

import json
import os
import re
import shlex
import unittest

from tests.e2e import folders, processes, training

train = training.run
PHASES = ["wait", "copy", "forward", "backward", "reduce", "optimizer"]


def events(path):
    return training.events(path, "epoch")


class RunViewTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.cora = folders.partition(
            folders.CORA, os.path.join(cls.folder, "cora"), 2, "random",
            "--degrees")

    def path(self, name):
        return os.path.join(self.folder, name)

    def cora_run(self, *flags, epochs=3, where=None):
        done = train(*(where or ("--graph", self.cora)), "--num-neighbors",
                     "5,5", "--batch-size", "20", "--hidden", "16", "--epochs",
                     epochs, "--random-seed", "2", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class StepTimeTest(RunViewTest):
    def test_phases_of_one_and_of_two_ranks(self):
        for ranks in (1, 2):
            log = self.path(f"step{ranks}.jsonl")
            out = self.cora_run("--nproc", ranks, "--log", log, "--tensorboard",
                                self.path("charts"))
            lines = [line for line in out.splitlines() if "step " in line]
            self.assertEqual(len(lines), 3)
            for line, epoch in zip(lines, events(log)):
                self.assertRegex(line, r"^  step \d+\.\d ms: wait \d+%  copy ")
                shares = re.findall(r"(\w+) (\d+)%", line)
                self.assertEqual([name for name, _ in shares], PHASES)
                self.assertAlmostEqual(sum(int(s) for _, s in shares), 100,
                                       delta=3)
                seconds = epoch["step_seconds"]
                self.assertEqual(list(seconds), PHASES)
                self.assertGreater(seconds["backward"], 0)
                rounds = 7 if ranks == 1 else 4  # of 140 inputs
                self.assertLessEqual(sum(seconds.values()) * rounds,
                                     epoch["seconds"] * 1.01)


class JsonLogTest(RunViewTest):
    FLAGS = ("--num-neighbors", "5", "--batch-size", 20, "--epochs", 1,
             "--log-format", "json", "--log-level")

    def test_a_worker_has_the_trainers_flags(self):
        done = train("--graph", self.cora, "--mode", "mp", "--num-workers", 1,
                     "--worker-program", os.path.abspath(processes.TRIBUTARY),
                     *self.FLAGS, "debug")
        self.assertEqual(done.returncode, 0, done.stderr)
        sent = [event for event in map(json.loads, done.stderr.splitlines())
                if event["message"] == "batch sent"]
        # The training's 7 batches, beside those of its evaluation.
        self.assertGreaterEqual(len(sent), 7)
        self.assertEqual({event["job"] for event in sent}, {"default"})
        self.assertLessEqual(set(range(7)), {event["index"] for event in sent})

    def test_why_ranks_end_is_json(self):
        done = train("--graph", self.cora, "--nproc", 2, "--save-model",
                     "/no/where/model", *self.FLAGS, "off")
        self.assertNotEqual(done.returncode, 0)
        events = list(map(json.loads, done.stderr.splitlines()))
        # A rank that lost the other one may say so, too.
        [event] = [event for event in events if "/no/where" in event["message"]]
        self.assertEqual(event["program"], "tributary-train")
        self.assertEqual(event["level"], "error")

    def test_a_wrong_format_is_refused_with_what_is_allowed(self):
        done = train("--graph", self.cora, "--num-neighbors", "5",
                     "--log-format", "xml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--log-format: log format 'xml' is none of text, json",
                      done.stderr)


class NotFiniteTest(RunViewTest):
    """A graph without edges, in which one training node has features so large
    that the sum of a row overflows."""

    def graph(self, name):
        n, bad = 60, 33
        x = [[1.0 if v != bad else 3e38] * 4 for v in range(n)]
        y = [[v % 3] for v in range(n)]
        return folders.partition(
            folders.write_ogb(self.path(name + "_source"), n, [(0, 1)], x, y,
                              {"train": list(range(n))}),
            self.path(name))

    def failing(self, graph, *flags):
        done = train("--graph", graph, "--input", "train", "--num-neighbors",
                     "2,2", "--batch-size", "7", "--hidden", "8", "--epochs",
                     "3", "--random-seed", "5", *flags)
        self.assertEqual(done.returncode, 78, done.stderr)
        return done

    def check_command(self, stderr, rank_and_world):
        """Runs the command of the message; its epoch, index and inputs."""
        found = re.search(
            r"the loss is -?(?:nan|inf) with batch (\d+) of epoch (\d+) on "
            r"rank (\d) of (\d)", stderr)
        self.assertIsNotNone(found, stderr)
        index, epoch, *rank = found.groups()
        if rank_and_world is not None:
            self.assertEqual(tuple(map(int, rank)), rank_and_world)
        command = re.search(r"tributary sample .*", stderr).group(0)
        words = shlex.split(command)
        out = self.path("again")
        lines = processes.run_ok(*words[1:], "--out", out).splitlines()
        self.assertEqual(len(lines), 1)
        line = lines[0].split()
        self.assertEqual(line[:2], [str(int(epoch) - 1), index])
        self.assertEqual(line[3], "4" if index == "8" else "7")
        # 3e38 as a float32, which no other node has.
        with open(os.path.join(out, f"batch-{line[0]}-{line[1]}.npz"),
                  "rb") as file:
            self.assertIn(bytes.fromhex("e6b1617f"), file.read())
        return int(epoch), int(index)

    def test_the_message_has_a_command_that_makes_the_batch(self):
        graph = self.graph("bad one")  # the command must quote it
        done = self.failing(graph)
        self.check_command(done.stderr, (0, 1))
        # The other order, with other draws.
        done = self.failing(graph, "--shuffle", "none", "--expand", "all",
                            "--replace", "--feature-dtype", "bfloat16")
        self.assertIn("batch 4 of epoch 1", done.stderr)  # of input 33

    def test_the_rank_is_named(self):
        done = self.failing(self.graph("ranks"), "--nproc", "2")
        _, index = self.check_command(done.stderr, None)
        self.assertIn(f"on rank {index % 2} of 2", done.stderr)

    def test_the_last_checkpoint_stays_usable(self):
        graph, checkpoints = self.graph("resumed"), self.path("checkpoints")
        first = self.failing(graph, "--checkpoint-dir", checkpoints,
                             "--checkpoint-every", "1", "--shuffle", "none")
        again = self.failing(graph, "--resume", checkpoints, "--shuffle",
                             "none")
        self.assertRegex(again.stdout, r"resumed from \S+ after step 4")
        self.assertEqual(self.check_line(first.stderr),
                         self.check_line(again.stderr))

    def check_line(self, stderr):
        return re.search(r"the loss is .*", stderr).group(0)


class PlanTest(RunViewTest):
    def plan(self, *flags, where=None):
        out = self.cora_run("--dry-run", *flags, where=where)
        self.assertIn("nothing is trained", out)
        self.assertNotIn("epoch 1/", out)
        self.assertNotIn("result", out)
        return out

    def test_a_graph(self):
        before = sorted(os.listdir(self.folder))
        out = self.plan("--nproc", "2", "--log", self.path("no.jsonl"),
                        "--checkpoint-dir", self.path("no"),
                        "--checkpoint-every", "5", "--save-model",
                        self.path("no.st"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertRegex(out, r"nodes +node 2708\n +edges +node,to,node 10556")
        self.assertRegex(out, r"ranks +2, each with batches of 20 inputs")
        self.assertRegex(out, r"train +140 inputs, 7 batches, 4 rounds a pass")
        self.assertRegex(out, r"valid +500 inputs, 25 batches, 13 rounds")
        self.assertRegex(out, r"test +1000 inputs, 50 batches, 25 rounds")
        self.assertRegex(out, r"steps +3 epochs of 4 rounds: 12")
        # SAGE: two matrices 1433 x 16 and a bias, two 16 x 7 and a bias.
        parameters = 2 * 1433 * 16 + 16 + 2 * 16 * 7 + 7
        self.assertRegex(out, f"model +sage, {parameters} parameters, ")
        self.assertRegex(out, r"receive +3 loaders of 268\.4 MB")

    def test_a_fleet_has_the_same_plan(self):
        with processes.Fleet(self.cora, ["0", "1"]) as fleet:
            fleet.doctor()
            where = ("--servers", fleet.addresses())
            self.assertEqual(self.plan(where=where), self.plan())

    def test_bytes_are_those_of_the_run(self):
        batch = float(re.search(r"batch 0 as sampled: .* ([\d.]+) MB; a pass",
                                self.plan()).group(1))
        log = self.path("bytes.jsonl")
        self.cora_run("--log", log)
        mean = events(log)[0]["bytes"] / 7 / 1e6
        self.assertAlmostEqual(batch, mean, delta=0.4 * mean)

    def test_errors_are_those_of_a_run(self):
        done = train("--graph", self.path("missing"), "--dry-run")
        self.assertEqual(done.returncode, 78)
        self.assertIn("missing", done.stderr)


class MixedPrecisionTest(RunViewTest):
    def losses(self, name, *flags, epochs=4):
        log = self.path(name + ".jsonl")
        self.cora_run("--log", log, "--dropout", "0.3", *flags, epochs=epochs)
        return [epoch["loss"] for epoch in events(log)]

    def test_losses_are_near_those_of_float32(self):
        for model in ("sage", "gcn", "gat", "rgcn"):
            with self.subTest(model):
                exact = self.losses("exact", "--model", model)
                mixed = self.losses("mixed", "--model", model, "--amp", "bf16")
                self.assertNotEqual(exact, mixed)
                for a, b in zip(exact, mixed):
                    self.assertAlmostEqual(a, b, delta=0.03)

    def test_a_resumed_run_is_equal_to_the_bit(self):
        flags = ("--amp", "bf16", "--model", "gat")
        whole = self.losses("whole", *flags)
        folder = self.path("amp_run")
        self.losses("first", *flags, "--checkpoint-dir", folder,
                    "--checkpoint-every", 5, epochs=2)
        part = self.losses("part", *flags, "--resume", folder)
        self.assertEqual(part, whole[-len(part):])
        self.assertGreaterEqual(len(part), 2)

    def test_other_types_are_refused(self):
        for name in ("fp16", "float16"):
            done = train("--graph", self.cora, "--amp", name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'amp is "{name}", allowed are none and bf16',
                          done.stderr)


if __name__ == "__main__":
    unittest.main()
