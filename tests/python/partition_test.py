"""tributary_gnn.partition: what loaders read of a partitioned graph is what the arrays
hold, and what is refused."""

import contextlib
import io
import logging
import os
import types
import unittest

import numpy as np

import tributary_gnn as tg
from tests.e2e import processes
from tributary_gnn import partitioning

N, E = 90, 600


def arrays(seed=1):
    """A homogeneous graph of N nodes and E edges."""
    rng = np.random.default_rng(seed)
    return {"edge_index": rng.integers(0, N, (2, E)),
            "edge_attr": rng.random((E, 2), np.float32),
            "x": rng.random((N, 3), np.float32),
            "y": rng.integers(0, 4, N),
            "train_mask": np.arange(N) % 3 == 0}


class Store:
    """What partition() uses of PyG's stores."""

    def __init__(self, columns, num_nodes=None):
        self._columns = columns
        if num_nodes is not None:
            self.num_nodes = num_nodes

    def to_dict(self):
        return dict(self._columns)


class PartitionTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def out(self, name):
        return os.path.join(self.folder, name)

    def whole(self, graph, **options):
        """The only batch: all nodes, and all their edges."""
        options = {"num_neighbors": [-1], "input_nodes": None, "batch_size": N,
                   "format": "numpy", **options}
        with tg.NeighborLoader(graph, **options) as loader:
            [batch] = list(loader)
            return batch

    def check(self, graph, data):
        batch = self.whole(graph)
        order = batch["n_id"]
        self.assertEqual(sorted(order.tolist()), list(range(N)))
        np.testing.assert_array_equal(batch["x"], data["x"][order])
        np.testing.assert_array_equal(batch["y"], data["y"][order])
        e_id = batch["e_id"]
        self.assertEqual(sorted(e_id.tolist()), list(range(E)))
        np.testing.assert_array_equal(order[batch["edge_index"]],
                                      data["edge_index"][:, e_id])
        np.testing.assert_array_equal(batch["edge_attr"], data["edge_attr"][e_id])
        self.assertEqual(
            sorted(self.whole(graph, input_nodes="train", num_neighbors=[0])["n_id"]),
            np.flatnonzero(data["train_mask"]).tolist())

    def test_arrays_by_name(self):
        data = arrays()
        graph = tg.partition(data, self.out("g.graph"), num_parts=3)
        self.check(graph, data)
        self.assertEqual(os.listdir(self.folder), ["g.graph"])

    def test_a_store_as_pygs_data(self):
        data = arrays()
        store = Store({**data, "name": "a text is no column"}, num_nodes=N)
        self.check(tg.partition(store, self.out("g"), method="metis", num_parts=2), data)

    def test_mapped_files_are_read_where_they_lie(self):
        data = arrays()
        mapped = {}
        for name, array in data.items():
            path = self.out(name + "-mine.npy")
            np.save(path, array)
            mapped[name] = np.load(path, mmap_mode="r")
            self.assertEqual(partitioning._whole_file(mapped[name]), path)
        self.assertIsNone(partitioning._whole_file(mapped["x"][1:]))
        self.assertIsNone(partitioning._whole_file(mapped["x"][::-1]))
        self.assertIsNone(partitioning._whole_file(mapped["edge_index"][:, ::2]))
        self.assertIsNone(partitioning._whole_file(np.asarray(mapped["x"])))
        self.check(tg.partition(mapped, self.out("g")), data)
        half = {"x": mapped["x"][::2], "num_nodes": 45,
                "edge_index": np.zeros((2, 1), np.int64)}
        batch = self.whole(tg.partition(half, self.out("h")), batch_size=45)
        np.testing.assert_array_equal(batch["x"], data["x"][::2][batch["n_id"]])

    def test_a_matrix_of_scipy(self):
        # [0, 2] 0.5 and [1, 0] 2.5
        csr = types.SimpleNamespace(indptr=np.array([0, 1, 2, 2]), indices=np.array([2, 0]),
                                    data=np.array([0.5, 2.5]), shape=(3, 3))
        csr.tocsr = lambda: csr
        graph = tg.partition({"adj": csr}, self.out("g"))
        batch = self.whole(graph, batch_size=3, collect="weight")
        ends = batch["n_id"][batch["edge_index"]].T.tolist()
        self.assertEqual(sorted(zip(ends, batch["weight"].tolist())),
                         [([0, 2], 0.5), ([1, 0], 2.5)])

    def test_typed_graphs(self):
        rng = np.random.default_rng(2)
        paper = {"x": rng.random((5, 2), np.float32), "time": np.arange(5) * 10}
        writes = {"edge_index": np.array([[0, 1, 1], [4, 2, 0]])}
        cites = {"edge_index": np.array([[0], [1]]), "time": np.array([7])}
        typed = {"author": {"num_nodes": 2}, "paper": paper,
                 ("author", "writes", "paper"): writes, ("paper", "to/x", "paper"): cites}
        stores = types.SimpleNamespace(node_types=["author", "paper"],
                                       edge_types=[t for t in typed if isinstance(t, tuple)])
        held = {name: Store(columns, columns.get("num_nodes") or len(columns.get("x", [])) or None)
                for name, columns in typed.items()}

        class Hetero:  # as PyG's HeteroData
            node_types, edge_types = stores.node_types, stores.edge_types

            def __getitem__(self, name):
                return held[name]

        for which, data in (("mapping", typed), ("HeteroData", Hetero())):
            with self.subTest(which):
                graph = tg.partition(data, self.out(which), num_parts=2)
                batch = self.whole(graph, input_nodes=("paper", None), batch_size=5,
                                   collect="x,time")
                order = batch["n_id/paper"]
                np.testing.assert_array_equal(batch["x/paper"], paper["x"][order])
                np.testing.assert_array_equal(batch["time/paper"], paper["time"][order])
                self.assertEqual(batch["e_id/author__writes__paper"].size, 3)
                self.assertEqual(batch["e_id/paper__to/x__paper"].size, 1)

    def test_times_are_of_what_has_as_many(self):
        data = arrays()
        of_nodes = tg.partition({**data, "time": np.arange(N)}, self.out("n"))
        of_edges = tg.partition({**data, "time": np.arange(E)}, self.out("e"))
        self.whole(of_nodes, time_attr="node")
        self.whole(of_edges, time_attr="edge", input_time=0)
        with self.assertRaisesRegex(ValueError, "2 values, as many as there are nodes and edges"):
            tg.partition({"edge_index": [[0, 1], [1, 0]], "num_nodes": 2, "time": [1, 2]},
                         self.out("b"))

    def test_a_folder_of_a_format(self):
        graph = tg.partition("tests/data/cora", self.out("cora"), num_parts=2, add_reverse=True)
        self.assertEqual(self.whole(graph, batch_size=3000)["n_id"].size, 2708)

    def test_refusals(self):
        data = arrays()
        out = self.out("g")
        for error, text, given in (
                (tg.InvalidArgument, "--method", {"method": "best"}),
                (tg.InvalidArgument, "--num-part", {"num_part": 2}),
                (TypeError, "without it for a dict", {"format": "npy"})):
            with self.subTest(given), self.assertRaisesRegex(error, text):
                tg.partition(data, out, **given)
        with self.assertRaisesRegex(TypeError, "x is of dtype <U1"):
            tg.partition({**data, "x": np.array(["a"])}, out)
        with self.assertRaisesRegex(TypeError, "a int is no graph"):
            tg.partition(3, out)
        with self.assertRaisesRegex(tg.Error, "edge_index"):
            tg.partition({**data, "edge_index": np.full((2, E), N)}, out)
        self.assertEqual(os.listdir(self.folder), [])
        os.mkdir(out)
        with self.assertRaisesRegex(tg.AlreadyExists, "exists; remove it"):
            tg.partition(data, out)

    def test_what_the_program_says_is_logged(self):
        said = io.StringIO()
        handler = logging.StreamHandler(said)
        logger = logging.getLogger("tributary_gnn.partition")
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        logger.setLevel(logging.WARNING)  # Python's default
        self.addCleanup(logger.setLevel, logging.NOTSET)
        with contextlib.redirect_stderr(io.StringIO()):
            tg.partition({**arrays(), "my_own": np.zeros(3)}, self.out("g"))
        self.assertIn("my_own.npy has no name of an array", said.getvalue())
        self.assertNotIn("wrote", said.getvalue())

    def test_weight_is_a_column_of_edges(self):
        weight = np.linspace(0.5, 1, E).astype("f4")
        tg.partition({**arrays(), "weight": weight}, self.out("g"), edge_index=True)
        with tg.Graph(self.out("g")) as graph:
            np.testing.assert_array_equal(graph.edge_data("weight", range(E)), weight)


class DglTest(unittest.TestCase):
    """Graphs of DGL, which stand-ins have the interface of."""

    class Graph:
        def __init__(self, nodes, edges):
            self.ntypes, self.canonical_etypes = list(nodes), list(edges)
            self._ends = {its: ends for its, (ends, _) in edges.items()}
            self._counts = {its: count for its, (count, _) in nodes.items()}
            view = lambda data: types.SimpleNamespace(data=data)
            self.nodes = {its: view(data) for its, (_, data) in nodes.items()}
            self.edges = {its: view(data) for its, (_, data) in edges.items()}

        def num_nodes(self, ntype):
            return self._counts[ntype]

        def all_edges(self, form, order, etype):
            assert (form, order) == ("uv", "eid")
            return tuple(np.array(part) for part in self._ends[etype])

    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.out = os.path.join(folder, "graph")

    def test_of_one_type(self):
        x = np.arange(8, dtype=np.float32).reshape(4, 2)
        ends, weights = ([0, 1, 3], [1, 2, 2]), np.array([0.5, 1, 2], np.float32)
        tg.partition(self.Graph(
            {"_N": (4, {"feat": x, "label": np.array([1, 0, 1, 0]), "_ID": np.arange(4),
                        "train_mask": np.array([True, False, True, False])})},
            {("_N", "_E", "_N"): (ends, {"w": weights, "_ID": np.arange(3)})}), self.out,
            edge_index=True)
        with tg.Graph(self.out) as graph:
            np.testing.assert_array_equal(graph.node_data("x"), x)
            np.testing.assert_array_equal(graph.node_data("y"), [1, 0, 1, 0])
            np.testing.assert_array_equal(graph.split("train"), [0, 2])
            np.testing.assert_array_equal(graph.find_edges(range(3)), ends)
            np.testing.assert_array_equal(graph.edge_data("weight"), weights)

    def test_of_several_types(self):
        tg.partition(self.Graph(
            {"author": (2, {}), "paper": (3, {"feat": np.ones((3, 2), np.float32)})},
            {("author", "writes", "paper"): (([0, 1], [2, 0]), {}),
             ("paper", "cites", "paper"): (([0, 1], [1, 2]), {
                 "feat": np.ones((2, 1), np.float32)})}), self.out, 2, edge_index=True)
        with tg.Graph(self.out) as graph:
            self.assertEqual((graph.node_types, graph.num_nodes("author")),
                             (("author", "paper"), 2))
            np.testing.assert_array_equal(graph.find_edges([0, 1], "writes"), ([0, 1], [2, 0]))
            np.testing.assert_array_equal(graph.edge_data("edge_attr", [1], "cites"), [[1]])


if __name__ == "__main__":
    unittest.main()
