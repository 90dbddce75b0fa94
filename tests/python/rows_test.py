"""DistContext and DistTensor: rows on servers, written and read by several ranks; and the
calls of Graph that share nodes out and sample."""

import concurrent.futures
import os
import unittest

import numpy as np

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs


def together(world, work):
    """Runs work(rank) for each rank, in threads of their own; returns the results by rank."""
    with concurrent.futures.ThreadPoolExecutor(world) as ranks:
        return [future.result(timeout=60) for future in
                [ranks.submit(work, rank) for rank in range(world)]]


class RowsTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = graphs.columned(self.folder)

    def fleet(self):
        fleet = self.enterContext(processes.Fleet(self.graph, ["0%2", "1%2"]))
        fleet.doctor()
        return fleet.addresses()

    def alone(self, **options):
        return self.enterContext(tg.DistContext(graph=self.graph, **options))


class TensorTest(RowsTest):
    def test_rows_are_read_written_and_added_to(self):
        context = self.alone()
        rows = tg.DistTensor(context, "memory", (60, 3))
        self.assertEqual((rows.shape, rows.dtype, len(rows)), ((60, 3), "float32", 60))
        expected = np.zeros((60, 3), np.float32)
        values = np.random.default_rng(1).random((4, 3), np.float32)
        for ids, given in (([3, 0, 59, 7], values), (np.arange(60) % 2 == 0, 5),
                           ([1, 1], values[:2]), (slice(0, 4), np.float64([[1], [2], [3], [4]]))):
            rows[ids] = given
            expected[ids] = given
        np.testing.assert_array_equal(rows.read(), expected)
        rows.add([3, 3, 8], values[:3])
        np.add.at(expected, [3, 3, 8], values[:3])
        np.testing.assert_array_equal(rows[[8, 3, 8]], expected[[8, 3, 8]])
        np.testing.assert_array_equal(rows[3], expected[[3]])
        rows.prefetch([5, 6])
        np.testing.assert_array_equal(rows[[5, 6]], expected[[5, 6]])
        self.assertEqual(rows.read([]).shape, (0, 3))

    def test_dtypes(self):
        context = self.alone()
        for dtype in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32",
                      "float64", "bool"):
            with self.subTest(dtype):
                rows = tg.DistTensor(context, "of " + dtype, 60, np.dtype(dtype))
                ones = np.ones(2, dtype)
                rows[[4, 9]] = ones
                read = rows[[9, 3, 4]]
                self.assertEqual(read.dtype, np.dtype(dtype))
                np.testing.assert_array_equal(read, np.array([1, 0, 1], dtype))
        bits = tg.DistTensor(context, "bits", (60, 2), "bfloat16", initial="ones")
        np.testing.assert_array_equal(bits[[1]], np.float32([[1, 1]]))
        with self.assertRaisesRegex(TypeError, "torch tensor of bfloat16"):
            bits[[1]] = 2.0

    def test_first_values(self):
        context = self.alone()
        uniform = tg.DistTensor(context, "u", (60, 500), initial={
            "kind": "uniform", "low": -1, "high": 1, "random_seed": 3}).read()
        self.assertLess(abs(float(uniform.mean())), 0.02)
        self.assertTrue((abs(uniform) <= 1).all() and uniform.max() > 0.99)
        normal = tg.DistTensor(context, "n", (60, 500), initial={
            "kind": "normal", "mean": 2, "std": 0.5}).read()
        self.assertLess(abs(float(normal.mean()) - 2), 0.02)
        self.assertLess(abs(float(normal.std()) - 0.5), 0.02)
        xavier = tg.DistTensor(context, "x", (60, 500), initial={
            "kind": "xavier_uniform", "gain": 2}).read()
        self.assertLess(abs(float(abs(xavier).max()) - 2 * (6 / 560) ** 0.5), 0.01)

    def test_errors(self):
        context = self.alone()
        rows = tg.DistTensor(context, "memory", (60, 3))
        whole = tg.DistTensor(context, "numbers", 60, "int64", policy="node:node")
        small = tg.DistTensor(context, "small", 60, "uint8")
        small[[1, 2]] = [255, True]
        self.assertEqual(small[[2, 1]].tolist(), [1, 255])
        flags = tg.DistTensor(context, "flags", 60, "bool")
        flags[[1]] = 1
        self.assertEqual(flags[[0, 1]].tolist(), [False, True])
        for call, kind, text in (
                (lambda: rows[[60]], IndexError, "60"),
                (lambda: rows.set([-1], 0), IndexError, "-1"),
                (lambda: rows.set([1, 2], np.zeros((3, 3))), ValueError, "allowed: [2, 3]"),
                (lambda: whole.set([1], 1.5), TypeError, "float64, such as 1.5; allowed: int64"),
                (lambda: small.set([1], 256), TypeError, "such as 256; allowed: uint8"),
                (lambda: small.set([1], [-1]), TypeError, "such as -1"),
                (lambda: flags.set([1], 2), TypeError, "allowed: bool"),
                (lambda: rows["a"], ValueError, "ids are"),
                (lambda: tg.DistTensor(context, "memory", (60, 4)), tg.AlreadyExists, "memory"),
                (lambda: tg.DistTensor(context, "a", (59,), policy="node:node"), ValueError, "60"),
                (lambda: tg.DistTensor(context, "a", (60,), policy="node:paper"), ValueError,
                 "no such type"),
                (lambda: tg.DistTensor(context, "a", (60,), "complex64"), ValueError, "complex64"),
                (lambda: tg.DistTensor(context, "a", (6, 2, 2)), ValueError, "(num_rows, dim)"),
                (lambda: tg.DistTensor(context, "a", 6, initial=lambda shape: 0), TypeError,
                 "servers run no function"),
                (lambda: tg.DistTensor(context, "a", 6, initial={"kind": "uniform", "low": 0}),
                 ValueError, "high"),
                (lambda: tg.DistTensor(context, "a", 6, initial={"kind": "ones", "low": 0}),
                 ValueError, "low"),
                (lambda: rows.attach_optimizer("lion"), ValueError, '"adagrad"'),
                (lambda: whole.attach_optimizer("adam"), ValueError, "float32"),
                (lambda: tg.DistContext(graph=self.graph, rank=0, world_size=2), ValueError,
                 "remote"),
                (lambda: tg.DistContext(graph=self.graph, timeout=0), ValueError, "timeout"),
                (lambda: tg.DistContext(graph=self.graph, rank=1), TypeError, "go together")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        context.close()
        with self.assertRaisesRegex(tg.FailedPrecondition, "the tensor is closed"):
            rows.read([0])

    def test_ranks_see_each_other(self):
        servers = self.fleet()
        opened = together(3, lambda rank: tg.DistContext(servers, rank=rank, world_size=3,
                                                         timeout=30))
        for context in opened:
            self.enterContext(context)

        def work(rank):
            context = opened[rank]
            rows = tg.DistTensor(context, "shared", (60, 2))
            rows[np.arange(60) % 3 == rank] = rank
            context.barrier("written")
            read = rows.read()
            self.assertEqual(context.gather(f"rank {rank}"), ["rank 0", "rank 1", "rank 2"])
            return read

        for read in together(3, work):
            np.testing.assert_array_equal(read[:, 0], np.arange(60) % 3)
        together(3, lambda rank: opened[rank].finish())

    def test_a_missing_rank_is_named(self):
        servers = self.fleet()
        first, _ = together(2, lambda rank: self.enterContext(
            tg.DistContext(servers, rank=rank, world_size=2, timeout=2)))
        with self.assertRaisesRegex(tg.DeadlineExceeded, "1"):
            first.barrier("all")

    def test_a_run_of_one_rank_ends_with_its_context(self):
        """Else its memory would be kept for a minute."""
        fleet = self.enterContext(processes.Fleet(self.graph, ["all"], "--tensor-memory", "1MiB"))
        fleet.doctor()
        for job in "abc":
            with tg.DistContext(fleet.addresses(), worker_key=job) as context:
                rows = tg.DistTensor(context, "rows", (1000, 150))  # 0.6 MB
                rows[[1]] = 2
        with self.assertRaisesRegex(tg.FailedPrecondition, "the tensor is closed"):
            rows[[1]]

    def test_cancel_ends_waits(self):
        servers = self.fleet()
        first, _ = together(2, lambda rank: self.enterContext(
            tg.DistContext(servers, rank=rank, world_size=2)))
        with concurrent.futures.ThreadPoolExecutor(1) as other:
            waiting = other.submit(first.barrier, "never")
            with self.assertRaises(concurrent.futures.TimeoutError):
                waiting.result(timeout=0.5)
            first.cancel()
            with self.assertRaises(tg.Cancelled):
                waiting.result(timeout=10)

    def test_rows_are_saved_and_restored(self):
        folder = os.path.join(self.folder, "rows")
        with tg.DistContext(graph=self.graph) as context:
            rows = tg.DistTensor(context, "kept", (60, 2))
            rows[[1, 50]] = [[1, 2], [3, 4]]
            context.save(folder)
            with self.assertRaisesRegex(tg.AlreadyExists, folder):
                context.save(folder)
        servers = self.fleet()
        opened = together(2, lambda rank: self.enterContext(
            tg.DistContext(servers, rank=rank, world_size=2, timeout=30)))

        def work(rank):
            opened[rank].restore(folder)
            return tg.DistTensor(opened[rank], "kept", (60, 2))[[50, 2, 1]]

        for read in together(2, work):
            np.testing.assert_array_equal(read, [[3, 4], [0, 0], [1, 2]])
        with tg.DistContext(graph=self.graph) as context, self.assertRaises(tg.Error):
            context.restore(os.path.join(self.folder, "none"))

    def test_state_of_optimizers_goes_on_in_another_world(self):
        folder = os.path.join(self.folder, "state")
        step = tg._library.RawStep(0.1, 1e-8, 0.9, 0.999, 1)
        gradients = np.random.default_rng(2).standard_normal((3, 2, 2)).astype(np.float32)

        def learned(context):
            rows = tg.DistTensor(context, "learned", (60, 2), initial="ones")
            rows.attach_optimizer("adam")
            return rows

        with tg.DistContext(graph=self.graph) as context:
            rows = learned(context)
            for number in range(3):
                if number == 2:
                    context.save(folder)
                rows.push(0, np.array([3, 40]), gradients[number], step)
                context.close_round()
            expected = rows.read()
        servers = self.fleet()
        opened = together(2, lambda rank: self.enterContext(
            tg.DistContext(servers, rank=rank, world_size=2, timeout=30)))

        def work(rank):  # each rank pushes one of the rows
            opened[rank].restore(folder)
            rows = learned(opened[rank])
            rows.push(rank, np.array([[3], [40]][rank]), gradients[2][rank:rank + 1], step)
            opened[rank].close_round()
            return rows.read()

        for read in together(2, work):
            np.testing.assert_array_equal(read, expected)

    def test_rounds_step_each_row_once(self):
        servers = self.fleet()
        opened = together(2, lambda rank: self.enterContext(
            tg.DistContext(servers, rank=rank, world_size=2, timeout=30)))

        def work(rank):
            rows = tg.DistTensor(opened[rank], "learned", (60, 2))
            rows.attach_optimizer("sgd")
            step = tg._library.RawStep(0.5, 0, 0, 0, 1)
            if rank == 0:
                rows.push(0, np.array([3, 9]), np.ones((2, 2)), step)
            rows.push(1 + rank, np.array([9]), np.full((1, 2), 10), step)
            opened[rank].close_round()
            read = rows[[3, 9, 4]]
            with self.assertRaisesRegex(IndexError, "row 7"):
                rows.push(rank, np.array([7]), np.array([[1, np.nan]]), step)
            return read

        for read in together(2, work):
            np.testing.assert_array_equal(read, [[-0.5, -0.5], [-10.5, -10.5], [0, 0]])


class GraphCallsTest(RowsTest):
    def opened(self, servers):
        return self.enterContext(tg.Graph(self.fleet() if servers else self.graph))

    def test_sampling_is_that_of_a_loader(self):
        nodes = np.array([7, 3, 59, 0])
        for servers in (False, True):
            graph = self.opened(servers)
            edges = graph.sample_neighbors(nodes, 3, random_seed=5, index=0)["node", "to", "node"]
            with tg.NeighborLoader(self.graph, [3], nodes, batch_size=4, random_seed=5,
                                   format="numpy") as loader:
                batch = next(iter(loader))
            np.testing.assert_array_equal(edges.src, batch.n_id[batch.edge_index[0]])
            np.testing.assert_array_equal(edges.dst, batch.n_id[batch.edge_index[1]])
            np.testing.assert_array_equal(edges.e_id, batch.e_id)
            other = graph.sample_neighbors(nodes, 3, random_seed=6)["node", "to", "node"]
            self.assertNotEqual(edges.e_id.tolist(), other.e_id.tolist())
            every = graph.sample_neighbors([7, 7], -1)["node", "to", "node"]
            self.assertEqual(sorted(every.e_id), sorted(graph.in_edges([7]).e_id))

    def test_options_of_sampling(self):
        graph = self.opened(False)
        to = ("node", "to", "node")
        drawn = graph.sample_neighbors([1], {to: 40}, replace=True)[to]
        self.assertEqual(len(drawn.e_id), 40)
        out = graph.sample_neighbors([1], -1, edge_dir="out")[to]
        self.assertEqual(sorted(out.e_id), sorted(graph.out_edges([1]).e_id))
        even = graph.sample_neighbors([1, 2, 3], -1, edge_mask="even")[to]
        self.assertEqual(sorted(even.e_id), [e for e in sorted(graph.in_edges([1, 2, 3]).e_id)
                                             if e % 2])
        self.assertEqual(len(graph.sample_neighbors([1], {to: 0})[to].e_id), 0)
        self.assertLessEqual(len(graph.sample_neighbors([1], 2, prob="weight")[to].e_id), 2)
        for call, kind, text in (
                (lambda: graph.sample_neighbors([60], 1), (ValueError, IndexError), "60"),
                (lambda: graph.sample_neighbors([1], -2), ValueError, "whole numbers from -1"),
                (lambda: graph.sample_neighbors([1], 1, prob="time"), ValueError, "weight"),
                (lambda: graph.sample_neighbors([1], 1, edge_dir="up"), ValueError, "both"),
                (lambda: graph.sample_neighbors({"paper": [1]}, 1), ValueError, "'node'"),
                (lambda: graph.sample_neighbors([1], {"cites": 1}), ValueError, "edge type"),
                (lambda: graph.sample_neighbors([1], {"to": 1, "node,to,node": 2}), ValueError,
                 "name a type twice"),
                (lambda: graph.sample_neighbors([1], 2**64 - 1), ValueError, str(2**64 - 1)),
                (lambda: graph.sample_neighbors([1], 1, exclude_edges=[3]),
                 tg.FailedPrecondition, "--edge-index")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_shares_are_a_partition_of_the_split(self):
        train = list(range(0, 60, 2))
        for servers in (False, True):
            graph = self.opened(servers)
            for given in ("train", train, np.arange(60) % 2 == 0):
                shares = [graph.node_split(given, rank, 4) for rank in range(4)]
                self.assertEqual(sorted(np.concatenate(shares)), train)
                self.assertEqual({len(share) for share in shares}, {7, 8})
            own = [graph.node_split("train", rank, 2, force_even=False) for rank in range(2)]
            for rank, share in enumerate(own):
                self.assertEqual(set(graph.node_partitions(share)), {rank})
            self.assertEqual(sorted(np.concatenate(own)), train)
            self.assertEqual(len(graph.node_split([], 0, 2)), 0)
            edges = [graph.edge_split(np.arange(600), rank, 3, locality=False)
                     for rank in range(3)]
            np.testing.assert_array_equal(np.concatenate(edges), np.arange(600))
            with self.assertRaisesRegex(ValueError, "rank is 2"):
                graph.node_split("train", 2, 2)
            with self.assertRaisesRegex(KeyError, "only/train"):
                graph.node_split("half", 0, 2)

    def test_partitions(self):
        for servers in (False, True):
            graph = self.opened(servers)
            parts = graph.partitions()
            self.assertEqual([part["partition"] for part in parts], [0, 1])
            self.assertEqual(sum(part["edges"]["node,to,node"] for part in parts), 600)
            for part in parts:
                nodes = graph.partition_nodes(part["partition"])
                self.assertEqual(len(nodes), part["nodes"]["node"])
                self.assertEqual(set(graph.node_partitions(nodes)), {part["partition"]})
                np.testing.assert_array_equal(graph.partition_edges(part["partition"]),
                                              np.sort(graph.in_edges(nodes).e_id))
                self.assertEqual(len(part["owners"]), 1 if servers else len(part["owners"]))
            with self.assertRaises(IndexError):
                graph.partition_nodes(2)
            with self.assertRaisesRegex(tg.FailedPrecondition, "--edge-index"):
                graph.edge_partitions([0])


if __name__ == "__main__":
    unittest.main()
