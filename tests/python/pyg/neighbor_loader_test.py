"""Batches in PyG's format beside PyG's own NodeLoader: what it makes of the same sampled
nodes and edges must have the same stores, names, order, dtypes and values."""

import unittest

import torch
import torch_geometric
from torch_geometric.loader import NodeLoader

from tests.e2e import processes
from tests.python.pyg import beside_pyg, graphs
from tributary_gnn.neighbor_loader import NeighborLoader

# What batches have beside PyG's attributes.
OURS = {"seed_index"}
# Of a disjoint batch, which PyG 2.8.1 samples by pyg-lib's neighbor_sample: read from
# torch_geometric/sampler/neighbor_sampler.py and loader/node_loader.py.
SAMPLED = {
    "edge_index": torch.int64, "n_id": torch.int64, "e_id": torch.int64, "batch": torch.int64,
    "num_sampled_nodes": list, "num_sampled_edges": list, "input_id": torch.int64,
    "seed_time": torch.int64, "batch_size": int,
}
INPUTS = torch.arange(3, 50)


class NeighborLoaderTest(beside_pyg.BesidePyg, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graphs = {}
        for data in (graphs.homogeneous(), graphs.heterogeneous()):
            folder = processes.temporary_folder()
            cls.addClassCleanup(folder.cleanup)
            cls.graphs[type(data).__name__] = data, graphs.partition(data, folder.name)

    def batches(self, kind, **options):
        """(PyG's data, batches of ours of three sizes)."""
        data, graph = self.graphs[kind]
        inputs = INPUTS if kind == "Data" else ("paper", INPUTS)
        with NeighborLoader(graph, options.pop("num_neighbors", [4, 3]), inputs,
                            batch_size=20, **options) as loader:
            return data, list(loader)

    def pygs(self, data, batch, input_time):
        inputs = INPUTS
        if not isinstance(data, torch_geometric.data.Data):
            inputs = ("paper", INPUTS)
        loader = NodeLoader(data, beside_pyg.Replay(batch), inputs, input_time)
        stores = [store for store in batch.stores if "input_id" in store]
        self.assertEqual(len(stores), 1)
        return loader(stores[0]["input_id"])

    # PyG's batches have all columns, whatever is drawn by.
    ALL = {"collect": "x,y,edge_attr,time,weight"}

    def expect_pygs(self, kind, input_time=None, **options):
        if input_time is not None:
            options["input_time"] = input_time
        data, batches = self.batches(kind, **options)
        self.assertEqual(len(batches), 3)
        for batch in batches:
            self.expect_equal(self.pygs(data, batch, input_time), batch, OURS)
        return batches

    def test_of_both_kinds_of_graphs(self):
        for kind in self.graphs:
            for options in ({}, {"disjoint": True}, {"replace": True},
                            {"subgraph_type": "induced"}, {"num_neighbors": [-1]}):
                with self.subTest(kind, **options):
                    self.expect_pygs(kind, **self.ALL, **options)

    def test_with_weights(self):
        """Columns are called as the user calls them."""
        for kind, (data, _) in self.graphs.items():
            with self.subTest(kind):
                self.expect_pygs(kind, weight_attr="weight", **self.ALL)

    def test_with_times(self):
        times = torch.arange(len(INPUTS)) * 10 + 300
        for kind in self.graphs:
            with self.subTest(kind):
                batches = self.expect_pygs(
                    kind, input_time=times, time_attr="time",
                    collect="x,y,edge_attr,time,weight,seed_time")
                self.expect_sampled(batches[0])

    def expect_sampled(self, batch):
        [store] = [store for store in batch.stores if "input_id" in store]
        edges = batch if store._key is None else batch[graphs.CITES]
        of_edges = ("edge_index", "e_id", "num_sampled_edges")
        for name, dtype in SAMPLED.items():
            value = (edges if name in of_edges else store)[name]
            self.assertEqual(beside_pyg.dtype_of(value), dtype, name)

    def test_weights_and_times_come_by_themselves(self):
        """PyG's batches have them, by the names that the user gave."""
        _, graph = self.graphs["Data"]
        with NeighborLoader(graph, [4], INPUTS, weight_attr="w") as loader:
            self.assertEqual(next(iter(loader))["w"].dtype, torch.float32)
        with NeighborLoader(graph, [4], INPUTS, time_attr="when") as loader:
            batch = next(iter(loader))
        data = self.graphs["Data"][0]
        self.assertTrue(torch.equal(batch["when"], data.time[batch.n_id]))
        self.assertTrue(torch.equal(batch["seed_time"], data.time[INPUTS[:1]]))

    def test_types_that_are_not_sampled_are_empty(self):
        data, batches = self.batches("HeteroData", num_neighbors={graphs.CITES: [3, 2]})
        for batch in batches:
            self.assertEqual(batch.metadata(), data.metadata())
            author = batch["author"]
            self.assertEqual((list(author.keys()), author.x.shape, author.x.dtype),
                             (["x", "n_id", "num_sampled_nodes"], (0, 3), torch.float32))
            self.assertEqual(author.num_sampled_nodes, [0, 0, 0])
            writes = batch[graphs.WRITES]
            self.assertEqual(
                (list(writes.keys()), writes.edge_index.shape, writes.num_sampled_edges),
                (["edge_index", "e_id", "num_sampled_edges"], (2, 0), [0, 0]))

    def test_empty_features_have_the_converted_dtype(self):
        _, batches = self.batches("HeteroData", num_neighbors={graphs.CITES: [3, 2]},
                                  feature_dtype="bfloat16")
        self.assertEqual({key: x.dtype for key, x in batches[0].x_dict.items()},
                         {"author": torch.bfloat16, "paper": torch.bfloat16})

    def test_all_neighbours_are_those_of_the_graph(self):
        """Breadth-first search over the edges, by hand."""
        data, batches = self.batches("Data", num_neighbors=[-1, -1])
        source, destination = data.edge_index
        for batch in batches:
            reached = set(batch.n_id[:batch.batch_size].tolist())
            expected, frontier = set(), reached
            for _ in range(2):
                edges = [edge for edge in range(400)
                         if int(destination[edge]) in frontier]
                expected.update(edges)
                frontier = {int(source[edge]) for edge in edges} - reached
                reached = reached | frontier
            self.assertEqual(sorted(batch.e_id.tolist()), sorted(expected))
            self.assertEqual(set(batch.n_id.tolist()), reached)
            ends = batch.n_id[batch.edge_index]
            self.assertTrue(torch.equal(ends, data.edge_index[:, batch.e_id]))


if __name__ == "__main__":
    unittest.main()
