"""`tributary-train --task link`: links of communities are learned, and metrics
are the same for any number of ranks."""

import os
import random
import re
import unittest

from tests.e2e import folders, processes, training

train = training.links
SIZE, GROUPS = 15, 4


def pairs(rng, share):
    """Pairs within groups, all of them, and as many between groups."""
    n = SIZE * GROUPS
    within = [(u, v) for u in range(n) for v in range(u)
              if u // SIZE == v // SIZE and rng.random() < share]
    between = [(u, v) for u in range(n) for v in range(u)
               if u // SIZE != v // SIZE]
    rng.shuffle(within)
    return within, rng.sample(between, len(within))


class OneTypeTest(unittest.TestCase):
    """Nodes without features, in groups."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        within, between = pairs(random.Random(4), 1)
        held = len(within) // 6
        splits = {"valid": within[:held], "test": within[held:2 * held],
                  "train": within[2 * held:]}
        cls.plain = cls.partition("plain", splits)
        # With negatives of the splits' own.
        cls.given = cls.partition("given", dict(
            splits, valid_neg=between[:held], test_neg=between[-held:]))

    @classmethod
    def partition(cls, name, splits):
        source = folders.write_ogb(
            os.path.join(cls.folder, name + ".ogb"), SIZE * GROUPS,
            splits["train"], splits=splits)
        return folders.partition(source, os.path.join(cls.folder, name), 2,
                                 "random", "--add-reverse")

    def learned(self, graph, metric, least, loss_falls_to, *args):
        log = train(graph, "--metric", metric, "--num-neighbors", "10,10",
                    "--batch-size", 64, "--hidden", 16, "--dropout", 0,
                    "--random-seed", 3, "--epochs", 25, *args)
        epochs = [e for e in log if e["event"] == "epoch"]
        self.assertLess(epochs[-1]["loss"],
                        loss_falls_to * epochs[0]["loss"])
        self.assertGreater(log[-1]["test_" + metric], least, log[-1])

    def test_dot_and_binary(self):
        self.learned(self.given, "rocauc", 0.9, 0.9, "--neg-amount", 2)

    def test_mlp_and_given_negatives(self):
        self.learned(self.given, "ap", 0.9, 0.7, "--decoder", "mlp")

    def test_distmult_and_triplets(self):
        self.learned(self.plain, "mrr", 0.5, 0.7, "--decoder", "distmult",
                     "--neg-sampling", "triplet", "--neg-amount", 5)

    def test_metrics_are_the_same_for_any_number_of_ranks(self):
        """The learning rate is too small to change a parameter. With 3 ranks
        one has no batch of valid and test."""
        for graph, metric, flags in (
                (self.plain, "ap", ["--neg-amount", 1.5]),
                (self.plain, "hits@20", []),
                (self.plain, "mrr", ["--neg-sampling", "triplet",
                                     "--neg-amount", 3]),
                (self.given, "hits@20", []),
                (self.given, "rocauc", ["--decoder", "mlp"])):
            results = [train(graph, "--metric", metric, "--num-neighbors",
                             "4,4", "--batch-size", 40, "--hidden", 8,
                             "--dropout", 0, "--lr", 1e-12, "--epochs", 1,
                             "--nproc", world, *flags)[-1]
                       for world in (1, 2, 3)]
            for result in results:
                del result["seconds"]
            with self.subTest(metric=metric, flags=flags):
                self.assertEqual(results[0], results[1])
                self.assertEqual(results[0], results[2])
                self.assertIsNotNone(results[0]["test_" + metric])

    def test_wrong_options_are_named(self):
        for args, text in (
                (["--metric", "accuracy"], "does not measure links"),
                (["--metric", "hits@0"], "hits@K"),
                (["--input", "a,b:train"], "--task link"),
                (["--neg-sampling", "triplet", "--neg-amount", 1.5],
                 "whole")):
            self.assertIn(text, train(self.plain, *args, code=2))
        self.assertIn("no split 'dev'", train(self.plain, "--input", "dev", code=78))


class ExhaustedTest(unittest.TestCase):
    """Graphs in which strict negatives run out: all pairs are edges, self
    loops included, or all that begin at one node."""

    NODES, TRAIN, VALID, TEST = 6, 20, 9, 7
    AMOUNT = 2

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        links = [(u, v) for u in range(cls.NODES) for v in range(cls.NODES)]
        random.Random(6).shuffle(links)
        held = cls.TRAIN + cls.VALID
        cls.complete = cls.partition("complete", links, {
            "train": links[:cls.TRAIN], "valid": links[cls.TRAIN:held],
            "test": links[held:]})
        hub = [(0, v) for v in range(cls.NODES)]
        ring = [(v, v % (cls.NODES - 1) + 1) for v in range(1, cls.NODES)]
        cls.hub = cls.partition("hub", hub + ring,
                                {"train": hub[:4] + ring})

    @classmethod
    def partition(cls, name, links, splits):
        source = folders.write_ogb(os.path.join(cls.folder, name + ".ogb"),
                                   cls.NODES, links, splits=splits)
        return folders.partition(source, os.path.join(cls.folder, name), 2)

    def flags(self, *more):
        """Batches of 6 links: of two ranks one trains on 12, one on 8."""
        return ("--num-neighbors", "2,2", "--batch-size", 6, "--hidden", 4,
                "--epochs", 2, "--neg-strict", "--neg-amount", self.AMOUNT,
                *more)

    def counted(self, graph, *more):
        """The counts in the output, by pass, and in the log, by epoch."""
        with processes.temporary_folder() as folder:
            log = os.path.join(folder, "log")
            text = training.output("--graph", graph, "--task", "link", "--log",
                                   log, *self.flags(*more))
            epochs = training.events(log, "epoch")
        printed = re.findall(
            r"^  (\d+) negatives of the (\w+) pass may be edges or too new: "
            r"none of 64 candidates was allowed \(--on-exhausted accept\)$",
            text, re.M)
        return ([(split, int(count)) for count, split in printed],
                [(e.get("exhausted_negatives"),
                  e.get("exhausted_negatives_in_valid")) for e in epochs])

    def test_all_negatives_of_all_ranks_are_counted(self):
        """links x amount in each epoch, of training and of evaluation; with
        --neg-strict alone, too, and for any number of ranks."""
        train, valid, test = (self.AMOUNT * links for links in
                              (self.TRAIN, self.VALID, self.TEST))
        epoch = [("training", train), ("validation", valid)]
        expected = ([*epoch, *epoch, ("test", test)], [(train, valid)] * 2)
        for more in ((), ("--nproc", 2), ("--on-exhausted", "accept"),
                     ("--neg-sampling", "triplet", "--metric", "mrr",
                      "--nproc", 2)):
            with self.subTest(more):
                self.assertEqual(self.counted(self.complete, *more), expected)

    def test_a_node_that_is_linked_to_all_others(self):
        """Its four links have no negative, the others have."""
        count = 4 * self.AMOUNT
        self.assertEqual(
            self.counted(self.hub, "--input", "train", "--neg-sampling",
                         "triplet", "--metric", "mrr", "--nproc", 2),
            ([("training", count)] * 2, [(count, 0)] * 2))

    def test_negatives_that_are_found_are_not_counted(self):
        """Without --neg-strict any pair is one."""
        with processes.temporary_folder() as folder:
            log = os.path.join(folder, "log")
            text = training.output(
                "--graph", self.complete, "--task", "link", "--log", log,
                "--epochs", 1, "--batch-size", 6, "--hidden", 4)
            self.assertNotIn("may be edges", text)
            self.assertNotIn("exhausted_negatives",
                             training.events(log, "epoch")[0])

    def test_error_names_the_option(self):
        for ranks in (1, 2):
            done = training.run(
                "--graph", self.complete, "--task", "link", "--nproc", ranks,
                *self.flags("--on-exhausted", "error"))
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn("each of its 64 candidates is an edge; allowed: "
                          "--on-exhausted accept", done.stderr)
            self.assertNotIn("loss", done.stdout)


class TwoTypesTest(unittest.TestCase):
    """Users like items of their own group and know users of the next one: each
    type of links needs a decoder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(5)
        n = SIZE * GROUPS
        likes = [(u, i) for u in range(n) for i in range(n)
                 if u // SIZE == i // SIZE]
        knows = [(u, v) for u in range(n) for v in range(n)
                 if (u // SIZE + 1) % GROUPS == v // SIZE]
        splits = {}
        relations = {}
        for (src, rel, dst), rows in ((("user", "likes", "item"), likes),
                                      (("user", "knows", "user"), knows)):
            rng.shuffle(rows)
            held = len(rows) // 6
            splits[f"{src}___{rel}___{dst}"] = {
                "valid": rows[:held], "test": rows[held:2 * held],
                "train": rows[2 * held:]}
            relations[src, rel, dst] = (rows[2 * held:], None)
        source = folders.write_hetero(
            os.path.join(cls.folder, "source"),
            {"user": (n, None, None), "item": (n, None, None)}, relations,
            splits)
        cls.graph = folders.partition(source, os.path.join(cls.folder, "g"), 2,
                                      "random", "--add-reverse")

    def test_both_types_are_learned_in_one_session(self):
        log = train(
            self.graph, "--input", "user,likes,item:train,valid,test;"
            "user,knows,user:train,valid,test", "--metric", "rocauc",
            "--decoder", "distmult", "--num-neighbors", "5,5", "--batch-size",
            128, "--hidden", 16, "--dropout", 0, "--epochs", 15, "--nproc", 2,
            "--random-seed", 1)
        self.assertGreater(log[-1]["test_rocauc"], 0.8, log[-1])


if __name__ == "__main__":
    unittest.main()
