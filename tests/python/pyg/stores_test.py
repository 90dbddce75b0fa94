"""FeatureStore and GraphStore: PyG's own code over a graph that servers have."""

import os
import unittest

import numpy as np
import torch
from torch_geometric.data import HeteroData
from torch_geometric.data.graph_store import EdgeLayout
from torch_geometric.loader import NeighborLoader

import tributary_gnn as tg
from tests.e2e import processes
from tests.python.pyg import graphs, sampling_operators


class StoresTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def stores(self, data, **options):
        """The pair over two servers of the data's graph in two parts."""
        folder = os.path.join(self.folder, "graph")
        tg.partition(data, folder, num_parts=2, edge_index=True, **options)
        fleet = self.enterContext(tg.serve(folder, num_servers=2))
        graph = self.enterContext(tg.Graph(fleet))
        return tg.FeatureStore(graph), tg.GraphStore(graph)

    # ---- Without types -----------------------------------------------------------------

    def test_pygs_loader_gives_the_same_as_from_memory(self):
        data = graphs.homogeneous()
        stores = self.stores(data)
        self.enterContext(sampling_operators.in_place_of_torch_sparse())
        inputs = torch.tensor([3, 70, 3, 12, 55])
        options = {"num_neighbors": [-1, -1], "input_nodes": inputs, "batch_size": 2}
        expected = list(NeighborLoader(data, **options))
        batches = list(NeighborLoader(stores, **options))
        self.assertEqual(len(batches), len(expected))
        for batch, there in zip(batches, expected):
            for name in ("n_id", "e_id", "edge_index", "x", "y", "time", "input_id"):
                self.assertTrue(torch.equal(batch[name], there[name]), name)
                self.assertEqual(batch[name].dtype, there[name].dtype)
            self.assertEqual((batch.num_nodes, batch.batch_size),
                             (there.num_nodes, there.batch_size))

    def test_tensors_by_id(self):
        data = graphs.homogeneous()
        features, _ = self.stores(data)
        index = torch.tensor([79, 0, 0, 31])
        for name in ("x", "y", "time"):
            column = data[name]
            self.assertTrue(torch.equal(features.get_tensor(None, name, None), column))
            for given, rows in ((index, index), (slice(3, 9), slice(3, 9)),
                                (slice(None), slice(None)), (slice(-5, None, 2), slice(75, 80, 2)),
                                (torch.arange(80) % 3 == 0, slice(0, 80, 3)), (7, 7)):
                read = features[None, name, given]
                self.assertTrue(torch.equal(torch.as_tensor(read), column[rows]), (name, given))
                self.assertEqual(read.dtype, column.dtype)
            self.assertEqual(features.get_tensor_size(None, name), tuple(column.shape))
            self.assertEqual(features.get_tensor_size(None, name, index)[0], 4)
        self.assertIsNone(features.get_tensor_size(None, "z"))
        self.assertTrue(torch.equal(features.view(group_name=None).x[index], data.x[index]))
        edge_type = ("node", "to", "node")
        self.assertTrue(torch.equal(features[edge_type, "edge_attr", [399, 0]],
                                    data.edge_attr[[399, 0]]))
        self.assertTrue(torch.equal(features[edge_type, "id", slice(5, 8)], torch.arange(5, 8)))
        self.assertEqual(features.get_tensor_size(edge_type, "edge_attr"), (400, 2))
        self.assertEqual(
            [(attr.group_name, attr.attr_name) for attr in features.get_all_tensor_attrs()],
            [(None, "time"), (None, "x"), (None, "y")])

    def test_edges(self):
        data = graphs.homogeneous()
        _, edges = self.stores(data)
        [attr] = edges.get_all_edge_attrs()
        self.assertEqual((attr.edge_type, attr.layout, attr.size),
                         (None, EdgeLayout.COO, (80, 80)))
        self.assertTrue(torch.equal(torch.stack(edges[attr]), data.edge_index))
        self.assertTrue(torch.equal(torch.stack(edges.get_edge_index(None, "coo")),
                                    data.edge_index))
        row, colptr, perm = edges.csc()
        self.assertTrue(torch.equal(row, data.edge_index[0][perm]))
        self.assertTrue(torch.equal(torch.diff(colptr), torch.bincount(data.edge_index[1],
                                                                       minlength=80)))

    def test_masks_have_pygs_names(self):
        data = graphs.homogeneous()
        data.train_mask = torch.arange(80) % 4 == 1
        data.test_mask = torch.arange(80) % 4 == 2
        features, _ = self.stores(data)
        names = [attr.attr_name for attr in features.get_all_tensor_attrs()]
        self.assertIn("train_mask", names)
        self.assertTrue(torch.equal(features[None, "train_mask", None], data.train_mask))
        self.assertEqual(features.get_tensor_size(None, "test_mask"), (80,))

    # ---- With types --------------------------------------------------------------------

    def typed(self):
        data = graphs.heterogeneous()
        data["tag"].num_nodes = 6  # without a column
        data["tag", "of", "paper"].edge_index = torch.tensor([[0, 5, 5], [3, 3, 60]])
        return data

    def test_pygs_loader_over_a_typed_graph(self):
        data = self.typed()
        stores = self.stores(data)
        self.enterContext(sampling_operators.in_place_of_torch_sparse())
        options = {"num_neighbors": [-1, -1], "batch_size": 3,
                   "input_nodes": ("paper", torch.tensor([3, 70, 60, 12, 55]))}
        expected = list(NeighborLoader(data, **options))
        batches = list(NeighborLoader(stores, **options))
        self.assertEqual(len(batches), len(expected))
        for batch, there in zip(batches, expected):
            self.assertIsInstance(batch, HeteroData)
            for group in there.node_types:
                names = {"author": ("x", "time"), "paper": ("x", "y", "time"), "tag": ()}[group]
                for name in ("n_id", *names):
                    self.assertTrue(torch.equal(batch[group][name], there[group][name]),
                                    (group, name))
            for group in there.edge_types:
                for name in ("edge_index", "e_id"):
                    self.assertTrue(torch.equal(batch[group][name], there[group][name]),
                                    (group, name))

    def test_typed_tensors_and_edges(self):
        data = self.typed()
        features, edges = self.stores(data)
        self.assertTrue(torch.equal(features["author", "x", [49, 1]], data["author"].x[[49, 1]]))
        self.assertTrue(torch.equal(features[graphs.CITES, "edge_attr", None],
                                    data[graphs.CITES].edge_attr))
        self.assertEqual(features["tag", "n_id", None].tolist(), list(range(6)))
        with self.assertRaisesRegex(IndexError, "no such node of type tag"):
            features["tag", "n_id", [6]]
        self.assertEqual({(attr.edge_type, attr.size) for attr in edges.get_all_edge_attrs()}, {
            (graphs.WRITES, (50, 80)), (graphs.CITES, (80, 80)), (graphs.WRITTEN_BY, (80, 50)),
            (("tag", "of", "paper"), (6, 80))})
        for edge_type in data.edge_types:
            self.assertTrue(torch.equal(torch.stack(edges.get_edge_index(edge_type, "coo")),
                                        data[edge_type].edge_index), edge_type)

    # ---- Errors, formats and ends ------------------------------------------------------

    def test_errors(self):
        features, edges = self.stores(graphs.homogeneous())
        x = torch.zeros(80, 5)
        for call, kind, text in (
                (lambda: features.put_tensor(x, None, "x", None), NotImplementedError,
                 "'x' of a stored graph is read-only"),
                (lambda: features.remove_tensor(None, "x", None), NotImplementedError, "read-only"),
                (lambda: features.update_tensor(x, None, "x", None), NotImplementedError,
                 "read-only"),
                (lambda: edges.put_edge_index((x, x), None, "coo"), NotImplementedError,
                 "the edge index of a stored graph is read-only"),
                (lambda: edges.remove_edge_index(None, "coo"), NotImplementedError, "read-only"),
                (lambda: edges.get_edge_index(None, "csc"), ValueError, "allowed: 'coo'"),
                (lambda: edges.get_edge_index(None, "coo", True), ValueError, "is_sorted is True"),
                (lambda: edges.get_edge_index(("a", "b", "c"), "coo"), ValueError,
                 "('a', 'b', 'c')"),
                (lambda: features.get_tensor(None, "z", None), KeyError, "there are: time x y"),
                (lambda: features.get_tensor("paper", "x", None), ValueError, "'paper'"),
                (lambda: features.get_tensor(None, "x", torch.tensor([80])), IndexError, "node 80"),
                (lambda: features.get_tensor(None, "x", torch.tensor([0.5])), TypeError,
                 "whole numbers")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_opened_for_a_store(self):
        folder = os.path.join(self.folder, "graph")
        tg.partition(graphs.homogeneous(), folder)
        with tg.FeatureStore(folder) as features, tg.GraphStore(graph=folder) as edges:
            self.assertEqual(features[None, "x", [1]].shape, (1, 5))
            self.assertEqual(len(edges.get_edge_index(None, "coo")[0]), 400)
        self.assertTrue(features.graph.closed and edges.graph.closed)
        with self.assertRaisesRegex(tg.FailedPrecondition, "the graph is closed"):
            features[None, "x", [1]]
        with tg.Graph(folder) as graph:
            with tg.FeatureStore(graph):
                pass
            self.assertFalse(graph.closed)
            with self.assertRaisesRegex(TypeError, "timeout: options of the graph"):
                tg.FeatureStore(graph, timeout=3)

    def test_graph_in_torch(self):
        data = graphs.homogeneous()
        data.x = data.x.to(torch.bfloat16)
        folder = os.path.join(self.folder, "graph")
        tg.partition(graphs.homogeneous(), folder, feature_dtype="bfloat16")
        with tg.Graph(folder, format="torch") as graph:
            x = graph.node_data("x", torch.tensor([5, 2]))
            self.assertEqual(x.dtype, torch.bfloat16)
            self.assertTrue(torch.equal(x, data.x[[5, 2]]))
            self.assertIsInstance(graph.edges(), tg.Edges)
            self.assertTrue(torch.equal(torch.stack(graph.edges()[:2]), data.edge_index))
            self.assertIsInstance(graph.in_format("numpy").in_degrees(), np.ndarray)
        with tg.FeatureStore(tg.Graph(folder)) as features:
            self.assertTrue(torch.equal(features[None, "x", [5, 2]], data.x[[5, 2]]))


if __name__ == "__main__":
    unittest.main()
