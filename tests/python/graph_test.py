"""Graph: the stored graph by ids, against the files that it was made of."""

import gzip
import itertools
import os
import unittest
import unittest.mock

import numpy as np

import tributary_gnn as tg
from tests.e2e import folders, processes
from tests.python import graphs


def csv(path, dtype=np.int64):
    """The numbers of a .csv.gz."""
    with gzip.open(path + ".csv.gz", "rt") as file:
        return np.loadtxt(file, delimiter=",", dtype=dtype, ndmin=2)


def sorted_by_id(edges):
    """(source, destination, id) of each edge, by id."""
    return sorted(zip(*(array.tolist() for array in edges)), key=lambda edge: edge[2])


def touching(rows, end, nodes):
    """The edges of `rows`, [edges, 2], that have one of the nodes at this end."""
    return [(*row, e_id) for e_id, row in enumerate(rows.tolist()) if row[end] in nodes]


class GraphTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.made = itertools.count()

    def fresh(self, name):
        """The path of a folder that is not there."""
        return os.path.join(self.folder, f"{name}{next(self.made)}")

    def opened(self, graph, servers=2):
        """The graph, from the folder (0) or from so many servers."""
        if servers == 0:
            return self.enterContext(tg.Graph(graph))
        fleet = self.enterContext(processes.Fleet(graph, [f"{i}%{servers}"
                                                          for i in range(servers)]))
        fleet.doctor()
        return self.enterContext(tg.Graph(fleet.addresses()))


class HomogeneousTest(GraphTest):
    def made_up(self, parts, *flags):
        """60 nodes, 600 edges with every column; its source, and the graph."""
        source = os.path.join(self.folder, "columned_source")
        if not os.path.exists(source):
            graphs._columned_source(self.folder)
        graph = folders.partition(
            source, self.fresh("graph"), parts, "random", "--edge-weight", "weight",
            "--edge-time", "time", "--node-time", "node-time", "--edge-masks", "even",
            "--edge-index", *flags)
        return os.path.join(source, "raw", ""), graph

    def expect_values(self, graph, raw):
        rows = csv(raw + "edge")
        ids = np.array([59, 0, 7, 7, 31, 12])
        self.assertEqual((graph.num_nodes(), graph.num_edges()), (60, 600))
        x = csv(raw + "node-feat", np.float32)
        np.testing.assert_array_equal(graph.node_data("x"), x)
        np.testing.assert_array_equal(graph.node_data("x", ids), x[ids])
        np.testing.assert_array_equal(graph.node_data("time", ids),
                                      csv(raw + "node-time")[ids, 0])
        train = np.zeros(60, bool)
        train[csv(os.path.join(raw, "..", "split", "only", "train"))[:, 0]] = True
        np.testing.assert_array_equal(graph.node_data("train_mask"), train)
        np.testing.assert_array_equal(graph.split("train"), np.flatnonzero(train))

        edge_ids = [599, 0, 5, 5]
        for column, name, dtype in (("weight", "weight", np.float64), ("time", "time", np.int64),
                                    ("even", "even", bool)):
            stored = csv(raw + name, np.float64)[:, 0].astype(dtype)
            np.testing.assert_array_equal(graph.edge_data(column), stored, column)
            read = graph.edge_data(column, edge_ids)
            self.assertEqual(read.dtype, dtype)
            np.testing.assert_array_equal(read, stored[edge_ids], column)
        np.testing.assert_array_equal(np.stack(graph.find_edges(edge_ids), axis=1),
                                      rows[edge_ids])

        np.testing.assert_array_equal(graph.in_degrees(), np.bincount(rows[:, 1], minlength=60))
        np.testing.assert_array_equal(graph.out_degrees(ids),
                                      np.bincount(rows[:, 0], minlength=60)[ids])
        self.assertEqual(sorted_by_id(graph.in_edges(ids)), touching(rows, 1, ids))
        self.assertEqual(sorted_by_id(graph.out_edges(ids)), touching(rows, 0, ids))
        edges = graph.edges()
        np.testing.assert_array_equal(np.stack(edges[:2], axis=1), rows)
        np.testing.assert_array_equal(edges.e_id, np.arange(600))

    def test_values_are_those_of_the_files(self):
        for parts, servers in ((1, 0), (2, 0), (2, 2)):
            with self.subTest(parts=parts, servers=servers):
                raw, folder = self.made_up(parts, "--degrees", "--out-edges")
                graph = self.opened(folder, servers)
                self.expect_values(graph, raw)

    def test_what_there_is(self):
        _, folder = self.made_up(2, "--out-edges")
        graph = self.opened(folder, 0)
        self.assertEqual((graph.node_types, graph.edge_types, graph.heterogeneous),
                         (("node",), (("node", "to", "node"),), False))
        self.assertEqual(graph.columns(), {
            "x": ("float32", 4), "time": ("int64", 0), "only/train_mask": ("bool", 0)})
        self.assertEqual(graph.columns(("node", "to", "node")), {
            "weight": ("float64", 0), "time": ("int64", 0), "even": ("bool", 0),
            "id": ("int64", 0)})
        self.assertEqual(graph.schema()["num_partitions"], 2)
        self.assertEqual(repr(graph), "Graph('columned_source', num_nodes=60, num_edges=600)")

    def test_ids_in_every_form(self):
        _, folder = self.made_up(2)
        graph = self.opened(folder, 0)
        x = graph.node_data("x")
        mask = np.arange(60) % 7 == 0
        for ids in (mask, mask.tolist(), np.flatnonzero(mask).astype(np.uint8), range(0, 60, 7),
                    list(range(0, 60, 7)), np.arange(60)[::7]):
            np.testing.assert_array_equal(graph.node_data("x", ids), x[::7])
        for none in ([], np.zeros(60, bool)):
            read = graph.node_data("x", none)
            self.assertEqual((read.shape, read.dtype), ((0, 4), np.float32))
            self.assertEqual(len(graph.in_edges(none).e_id), 0)
        x[0] = 0  # it is the caller's own

    def test_names_of_dgl(self):
        _, folder = self.made_up(1)
        graph = self.opened(folder, 0)
        np.testing.assert_array_equal(graph.node_data("feat", [4]), graph.node_data("x", [4]))
        np.testing.assert_array_equal(graph.edge_data("w", [4], "to"),
                                      graph.edge_data("weight", [4]))

    def test_edges_are_read_in_parts(self):
        raw, folder = self.made_up(2)
        graph = self.opened(folder, 2)
        rows = csv(raw + "edge")
        for most in (1, 7, 600):
            with unittest.mock.patch.object(tg.graph, "_EDGES_OF_A_CALL", most):
                self.assertEqual(sorted_by_id(graph.edges()), touching(rows, 0, range(60)))

    def test_dropped_edges(self):
        rows = [(0, 1), (0, 1), (2, 1), (1, 0), (2, 1)]
        source = folders.write_ogb(os.path.join(self.folder, "twice"), 3, rows,
                                   e=[[n, -n] for n in range(5)])
        graph = self.opened(folders.partition(source, os.path.join(self.folder, "once"), 1,
                                              "random", "--dedupe", "--edge-index"), 0)
        self.assertEqual(sorted_by_id(graph.edges()), [(0, 1, 0), (2, 1, 2), (1, 0, 3)])
        np.testing.assert_array_equal(graph.edge_data("edge_attr"), [[0, 0], [2, -2], [3, -3]])
        with self.assertRaisesRegex(tg.NotFound, "no edge 1; it was dropped"):
            graph.find_edges([1])

    def test_features_in_lower_precision(self):
        numbers = [[1.5, -2], [0.25, 127]]
        source = folders.write_ogb(os.path.join(self.folder, "half"), 2, [(0, 1)], x=numbers)
        for stored, dtype in (("float16", np.float16), ("bfloat16", np.float32),
                              ("int8", np.float32)):
            with self.subTest(stored):
                graph = self.opened(folders.partition(
                    source, os.path.join(self.folder, stored), 1, "random", "--feature-dtype",
                    stored), 0)
                read = graph.node_data("x")
                self.assertEqual(read.dtype, dtype)
                np.testing.assert_allclose(read, numbers, atol=1 if stored == "int8" else 0)

    def test_errors(self):
        _, folder = self.made_up(2)
        graph = self.opened(folder, 2)
        for call, kind, text in (
                (lambda: graph.node_data("z"), KeyError,
                 "node has no column 'z'; there are: only/train_mask time x"),
                (lambda: graph.edge_data("edge_attr", [0]), KeyError, "has no column 'edge_attr'"),
                (lambda: graph.node_data("x", [3, 60]), IndexError, "no node 60 of type node"),
                (lambda: graph.node_data("x", [-1]), IndexError, "no node -1"),
                (lambda: graph.in_degrees([60]), IndexError, "no node 60"),
                (lambda: graph.in_edges([60]), ValueError, "60"),
                (lambda: graph.find_edges([600]), IndexError, "no edge 600"),
                (lambda: graph.node_data("x", [1.0]), TypeError, "whole numbers"),
                (lambda: graph.node_data("x", 3), ValueError, "of one dimension"),
                (lambda: graph.node_data("x", np.array([2**63], np.uint64)), ValueError,
                 "9223372036854775808"),
                (lambda: graph.node_data("x", [True]), ValueError, "a mask of all 60"),
                (lambda: graph.node_data("x", [0], "paper"), ValueError, "allowed: 'node'"),
                (lambda: graph.num_edges(("a", "b", "c")), ValueError,
                 "allowed: ('node', 'to', 'node')"),
                (lambda: graph.split("half"), KeyError, "only/train"),
                (lambda: graph.out_edges([0]), tg.Error, "--out-edges"),
                (lambda: graph.out_degrees([0]), tg.FailedPrecondition, "--degrees")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        plain = self.opened(graphs.edge_timed(self.folder), 0)
        for call in (lambda: plain.find_edges([0]), lambda: plain.edge_data("time", [0])):
            with self.assertRaisesRegex(tg.FailedPrecondition, "--edge-index"):
                call()
        with self.assertRaisesRegex(tg.FailedPrecondition, "the graph is closed"):
            plain.close()
            plain.in_degrees([0])

    def test_openings(self):
        _, folder = self.made_up(2)
        with tg.serve(folder) as fleet, tg.Source(graph=folder) as source:
            for opened in (tg.Graph(fleet), tg.Graph(servers=fleet.servers), tg.Graph(source),
                           tg.Graph(graph=folder), tg.Graph(folder, mode="mp")):
                with opened as graph:
                    self.assertEqual(graph.in_degrees().sum(), 600)
            self.assertFalse(source.closed)
            with self.assertRaisesRegex(TypeError, "rpc_timeout: options of the source"):
                tg.Graph(source, rpc_timeout=3)
        for call, kind, text in (
                (lambda: tg.Graph(), TypeError, "Graph(FOLDER or SERVERS, ...)"),
                (lambda: tg.Graph(folder, format="pyg"), ValueError, "allowed: 'numpy', 'torch'"),
                (lambda: tg.Graph(folder, timeout=0.05), ValueError, "timeout"),
                (lambda: tg.Graph(folder, tls_caa="x"), ValueError, "tls_caa"),
                (lambda: tg.Graph(folder + "x"), tg.Error, folder + "x")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        [port] = processes.held_ports(1)
        with self.assertRaisesRegex(ConnectionError, "no server answered"):
            tg.Graph(f"127.0.0.1:{port}", timeout=0.5)


class TypedTest(GraphTest):
    def made_up(self, parts):
        """Papers with features and labels, authors without; its source, and the graph."""
        self.written = np.array([[0, 1], [3, 0], [3, 2], [1, 1], [2, 4], [3, 4], [3, 4]])
        self.cited = np.array([[1, 0], [2, 0], [4, 3]])
        nodes = {"paper": (5, [[i, i / 2] for i in range(5)], [[i % 3] for i in range(5)]),
                 "author": (4, None, None)}
        source = folders.write_hetero(
            self.fresh("typed"), nodes,
            {("author", "writes", "paper"): (self.written.tolist(), None),
             ("paper", "cites", "paper"): (self.cited.tolist(), [[0.5], [1.5], [-2]])},
            {"paper": {"train": [4, 1]}})
        return folders.partition(source, self.fresh("graph"), parts, "random", "--add-reverse",
                                 "--edge-index")

    def expect_values(self, graph):
        self.assertEqual(graph.node_types, ("author", "paper"))
        writes, reverse = ("author", "writes", "paper"), ("paper", "rev_writes", "author")
        self.assertIn(reverse, graph.edge_types)
        self.assertEqual((graph.num_nodes(), graph.num_nodes("author"), graph.num_edges()),
                         (9, 4, 20))
        self.assertEqual((graph.num_edges(writes), graph.num_edges("paper,cites,paper")), (7, 3))
        np.testing.assert_array_equal(graph.node_data("x", [4, 0], "paper"), [[4, 2], [0, 0]])
        np.testing.assert_array_equal(graph.node_data("y", None, "paper"), [0, 1, 2, 0, 1])
        np.testing.assert_array_equal(graph.edge_data("edge_attr", [2, 0], "cites"),
                                      [[-2], [0.5]])
        np.testing.assert_array_equal(graph.in_degrees(None, writes), [1, 2, 1, 0, 3])
        np.testing.assert_array_equal(graph.out_degrees(None, writes), [1, 1, 1, 4])
        np.testing.assert_array_equal(graph.in_degrees([3], reverse), [4])
        self.assertEqual(sorted_by_id(graph.in_edges([4, 0], "writes")),
                         touching(self.written, 1, (4, 0)))
        self.assertEqual(sorted_by_id(graph.out_edges([3], writes)),
                         touching(self.written, 0, (3,)))
        src, dst = graph.find_edges([1, 0], reverse)
        np.testing.assert_array_equal(np.stack([dst, src], axis=1), self.written[[1, 0]])
        np.testing.assert_array_equal(np.stack(graph.edges("cites")[:2], axis=1), self.cited)
        np.testing.assert_array_equal(np.sort(graph.split("train", "paper")), [1, 4])

    def test_values_are_those_of_the_files(self):
        for parts, servers in ((1, 0), (2, 0), (2, 2)):
            with self.subTest(parts=parts, servers=servers):
                graph = self.opened(self.made_up(parts), servers)
                self.expect_values(graph)
                for call in (lambda: graph.node_data("x"), lambda: graph.in_degrees([0]),
                             lambda: graph.in_degrees([0], ("paper", "writes", "paper"))):
                    with self.assertRaisesRegex(ValueError, "allowed: "):
                        call()
                with self.assertRaisesRegex(tg.NotFound, "author has no column 'x'"):
                    graph.node_data("x", [0], "author")
                with self.assertRaisesRegex(tg.OutOfRange, "no node 4 of type author"):
                    graph.out_degrees([4], "writes")

    def test_splits_of_edges(self):
        rows = [(0, 1), (1, 2), (2, 0)]
        source = folders.write_ogb(os.path.join(self.folder, "linked"), 3, rows,
                                   splits={"train": [(0, 1), (1, 2)]})
        graph = self.opened(folders.partition(source, os.path.join(self.folder, "links"), 1,
                                              "random"), 0)
        self.assertEqual(sorted_by_id(graph.split("train", "node,to,node")),
                         [(0, 1, 0), (1, 2, 1)])


if __name__ == "__main__":
    unittest.main()
