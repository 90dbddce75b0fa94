"""`tributary-train --time`: links whose answer lies in their past are learned,
those whose answer lies in their future are not; EdgeBank's figures."""

import os
import random
import unittest

from tests.e2e import folders, processes, training

train = training.links

LATE = 10 ** 6


def edge_bank(graph, *flags, code=0):
    return train(graph, "--baseline", "edgebank", *flags,
                 program=training.LINK_BASELINE, code=code)


def timed(graph):
    return ("--time", "edge", "--strict", "--edge-time", graph + ".times")


def echoes(folder, nodes, links, shift, *flags, hub=False):
    """Partitions a graph of links between random pairs (`hub`: from different
    nodes to node 0), one at each time from 1 on, which nothing foretells. Each
    pair has one more edge, its echo, `shift` later. What sees an echo knows the
    answer. Returns the graph's folder; its file of times is beside it."""
    rng = random.Random(7)
    pairs = rng.sample([(u, v) for u in range(nodes)
                        for v in ([0] if hub else range(nodes)) if u != v],
                       links)
    times = [t + 1 for t in range(links)]
    times += [time + shift for time in times]
    at = os.path.join(folder, f"echoes.{nodes}.{shift}.{hub}{''.join(flags)}")
    source = folders.write_ogb(
        at + ".ogb", nodes, pairs * 2,
        x=[[round(rng.gauss(0, 1), 3) for _ in range(8)]
           for _ in range(nodes)],
        splits={"train": range(links * 6 // 10),
                "valid": range(links * 6 // 10, links * 7 // 10),
                "test": range(links * 7 // 10, links)},
        files={"edge_time": times})
    with open(at + ".times", "w", encoding="ascii") as f:
        f.write("".join(f"{time}\n" for time in times))
    return folders.partition(source, at, 2, "random", "--edge-time",
                             "edge_time", "--edge-splits", "only", *flags)


class EchoesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.before = echoes(cls.folder, 3000, 2500, -LATE)
        cls.after = echoes(cls.folder, 3000, 2500, LATE)

    def learned(self, graph, *args):
        return train(graph, "--num-neighbors=-1", "--batch-size", 100,
                     "--hidden", 64, "--dropout", 0, "--lr", 0.02,
                     "--neg-sampling", "triplet", "--neg-amount", 2,
                     "--random-seed", 3, "--epochs", 12, *args)[-1]["test_ap"]

    # The AP of scores at random is 1/3: each link has two negatives.

    def test_the_past_is_learned(self):
        self.assertGreater(self.learned(self.before, *timed(self.before)), 0.55)

    def test_the_future_is_not_seen(self):
        self.assertLess(self.learned(self.after, *timed(self.after)), 0.45)

    def test_a_model_that_sees_the_future_would_be_caught(self):
        self.assertGreater(self.learned(self.after), 0.55)

    def test_metrics_are_the_same_for_any_number_of_ranks(self):
        for flags in (["--neg-amount", 1.5],
                      ["--neg-sampling", "triplet", "--neg-amount", 2]):
            results = [train(self.before, "--num-neighbors", "4,4",
                             "--batch-size", 40, "--hidden", 8, "--dropout", 0,
                             "--lr", 1e-12, "--epochs", 1, "--nproc", world,
                             *timed(self.before), *flags)[-1]
                       for world in (1, 2)]
            for result in results:
                del result["seconds"]
            with self.subTest(flags=flags):
                self.assertEqual(results[0], results[1])
                self.assertIsNotNone(results[0]["test_ap"])


class EdgeBankTest(unittest.TestCase):
    """Figures that are known: among so many nodes no negative of these seeds
    has an edge."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())

    def measured(self, graph, *args):
        # Without --strict, which EdgeBank implies.
        flags = [flag for flag in timed(graph) if flag != "--strict"]
        result = edge_bank(graph, "--neg-sampling", "triplet", *flags,
                           *args)[-1]
        self.assertEqual(result["valid_ap"], result["test_ap"])
        return result["test_ap"]

    def test_pairs_with_an_earlier_edge(self):
        graph = echoes(self.folder, 3000, 60, -LATE)
        self.assertEqual(self.measured(graph), 1)
        # The echo is older than the link by LATE.
        self.assertEqual(self.measured(graph, "--edgebank-window", LATE), 1)
        self.assertEqual(self.measured(graph, "--edgebank-window", LATE - 1),
                         0.5)

    def test_pairs_with_a_later_edge_or_one_of_the_same_time(self):
        self.assertEqual(self.measured(echoes(self.folder, 3000, 60, LATE)),
                         0.5)
        self.assertEqual(self.measured(echoes(self.folder, 3000, 60, 0)), 0.5)

    def test_all_earlier_edges_are_remembered(self):
        """Node 0 has an earlier edge from the source of each link."""
        graph = echoes(self.folder, 3000, 60, -LATE, hub=True)
        self.assertEqual(self.measured(graph), 1)

    def test_wrong_options_are_named(self):
        graph = echoes(self.folder, 2000, 60, -LATE)
        for words, code, flags in (
                (["--time edge"], 2, []),
                (["--exclude"], 2, [*timed(graph), "--exclude", "self"]),
                (["--edgebank-window", "above 0"], 2,
                 [*timed(graph), "--edgebank-window", 0]),
                (["without a split", "TRAIN,VALID,TEST"], 1,
                 [*timed(graph), "--input", "train"])):
            text = edge_bank(graph, *flags, code=code)
            for word in words:
                self.assertIn(word, text)

    def test_reverses_of_add_reverse_are_no_edges(self):
        """The reverses of pairs are their echoes' rows: 2i + 1."""
        graph = echoes(self.folder, 3000, 60, -LATE, "--add-reverse")
        self.assertEqual(self.measured(graph), 1)
        self.assertEqual(self.measured(graph, "--edgebank-window", LATE - 1),
                         0.5)


if __name__ == "__main__":
    unittest.main()
