"""`tributary-train --metric filtered-mrr`: known figures of FB15k-237, and small
knowledge graphs that are learned."""

import os
import random
import unittest

from tests.e2e import folders, processes, training

FB15K = "tests/data/fb15k-237"
PEOPLE, CITIES = 36, 6


def train(graph, *flags, code=0, inputs="*:train,valid,test",
          metric="filtered-mrr", program=training.TRAINER):
    return training.links(graph, "--input", inputs, "--metric", metric, *flags,
                          program=program, code=code)


def baseline(graph, *flags, **options):
    return train(graph, "--baseline", "relation-frequency", *flags,
                 program=training.LINK_BASELINE, **options)


class Fb15k237Test(unittest.TestCase):
    def test_relation_frequency(self):
        """The figures of tests/data/fb15k-237/README.md, which another program
        measured."""
        with processes.temporary_folder() as folder:
            graph = folders.partition(FB15K, os.path.join(folder, "g"), 2,
                                      "random", "--relation-names", "numbers")
            result = baseline(graph)[-1]
        for key, figure in (("mrr", 0.2334), ("hits@1", 0.1700),
                            ("hits@3", 0.2500), ("hits@10", 0.3541)):
            self.assertEqual(round(result["test_filtered-" + key], 4), figure)
        self.assertEqual(round(result["test_filtered-mean-rank"], 1), 1394.9)


def write_triples(folder, num_nodes, splits):
    """`splits`: name -> (head, relation, tail)."""
    raw = os.path.join(folder, "raw", "")
    relations = {r for rows in splits.values() for _, r, _ in rows}
    for name, number in (("node", num_nodes),
                         ("relation", max(relations) + 1),
                         ("edge", len(splits["train"]))):
        folders.write_rows(f"{raw}num-{name}-list", [[number]])
    for name, rows in splits.items():
        folders.write_rows(raw + name, rows)
    return folder


class SmallTest(unittest.TestCase):
    """People live in a city (0), know people of their city (1) and work in the
    next one (2)."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        rng = random.Random(3)
        def city(person, shift=0):
            return PEOPLE + (person + shift) % CITIES
        lives = [(p, 0, city(p)) for p in range(PEOPLE)]
        works = [(p, 2, city(p, 1)) for p in range(PEOPLE)]
        knows = [(p, 1, q) for p in range(PEOPLE) for q in range(PEOPLE)
                 if p != q and city(p) == city(q)]
        splits = {"train": [], "valid": [], "test": []}
        for rows in (lives, works, knows):
            rng.shuffle(rows)
            held = len(rows) // 6
            splits["valid"] += rows[:held]
            splits["test"] += rows[held:2 * held]
            splits["train"] += rows[2 * held:]
        source = write_triples(os.path.join(cls.folder, "source"),
                               PEOPLE + CITIES, splits)
        cls.graph = folders.partition(source, os.path.join(cls.folder, "g"), 2,
                                      "random", "--add-reverse")

    def learned(self, *args):
        log = train(self.graph, "--decoder", "distmult", "--loss", "softmax",
                    "--hidden", 16, "--dropout", 0, "--lr", 0.02,
                    "--random-seed", 5, *args)
        result = log[-1]
        self.assertGreater(result["test_filtered-mrr"],
                           1.3 * baseline(self.graph)[-1]["test_filtered-mrr"],
                           log)
        self.assertLessEqual(result["test_filtered-hits@1"],
                             result["test_filtered-hits@10"])

    def test_distmult_alone(self):
        self.learned("--model", "embedding", "--epochs", 40, "--batch-size",
                     64)

    def test_rgcn(self):
        self.learned("--model", "rgcn", "--num-neighbors", "4,4", "--epochs",
                     25, "--batch-size", 64, "--num-bases", 2)

    def test_the_same_for_any_number_of_ranks(self):
        """The learning rate is too small to change a parameter."""
        for flags in (["--model", "embedding", "--decoder", "distmult"],
                      ["--model", "rgcn", "--num-neighbors", "3", "--decoder",
                       "dot"],
                      ["--model", "sage", "--num-neighbors", "2,2",
                       "--decoder", "mlp"]):
            results = [train(self.graph, "--batch-size", 16, "--hidden", 8,
                             "--dropout", 0, "--lr", 1e-12, "--epochs", 1,
                             "--nproc", world, *flags)[-1]
                       for world in (1, 2, 3)]
            for result in results:
                del result["seconds"]
            with self.subTest(flags):
                self.assertEqual(results[0], results[1])
                self.assertEqual(results[0], results[2])

    def test_a_pattern_and_a_split_less(self):
        one = baseline(self.graph, inputs="entity,*,entity:train,,test")[-1]
        self.assertIsNone(one["valid_filtered-mrr"])
        self.assertGreater(one["test_filtered-mrr"], 0)

    def refused(self, code, words, *args, **options):
        text = train(self.graph, *args, code=code, **options)
        for word in words:
            self.assertIn(word, text)

    def test_wrong_options_are_named(self):
        self.refused(78, ["a,*,entity", "entity,r0,entity"],
                     inputs="a,*,entity:train")
        self.refused(78, ["'dev'", "entity,r0,entity"], inputs="*:dev")
        self.refused(78, ["'dev'"], inputs="*:train,dev")
        self.refused(2, ["--loss softmax"], "--neg-sampling", "none")
        self.refused(2, ["embedding"], "--model", "embedding",
                     "--num-neighbors", "0,0")

    def test_wrong_options_of_the_baseline_are_named(self):
        for words, flags, options in (
                (["--metric ap", "filtered-mrr"], [], {"metric": "ap"}),
                (["--edgebank-window"], ["--edgebank-window", 3], {}),
                (["--nproc"], ["--nproc", 2], {}),
                (["--save-model"], ["--save-model", "m"], {})):
            text = baseline(self.graph, *flags, code=2, **options)
            for word in words:
                self.assertIn(word, text)
        self.assertIn("--baseline",
                      train(self.graph, "--baseline", "relation-frequency",
                            code=2))
        self.assertIn("edgebank and relation-frequency",
                      train(self.graph, "--baseline", "adamic-adar", code=2,
                            program=training.LINK_BASELINE))


if __name__ == "__main__":
    unittest.main()
