"""Batches in PyG's format beside those of PyG's own NeighborLoader, which samples by torch-sparse's
operators: stores, names, order, dtypes and shapes, and with all neighbours the same edges."""

import unittest
import unittest.mock

import torch
import torch_geometric.typing
from torch_geometric.loader import NeighborLoader

import tributary_gnn as tg
from tests.e2e import processes
from tests.python.pyg import beside_pyg, graphs

OPERATORS = "third_party/torch_sparse/neighbor_sample.so"
# PyG counts what each hop sampled with pyg-lib alone.
OURS = {"seed_index", "num_sampled_nodes", "num_sampled_edges"}
INPUTS = torch.arange(3, 50)
# PyG's batches have all columns.
ALL = {"collect": "x,y,edge_attr,time,weight"}


def columns(batch):
    """Each tensor by its store and name."""
    return {(store._key, name): value for store in batch.stores
            for name, value in store.items() if isinstance(value, torch.Tensor)}


def edges(batch):
    """By edge type, rows of the ids of both ends and of the edge, ascending."""
    if not hasattr(batch, "edge_types"):
        ends, ids = batch.n_id[batch.edge_index], batch.e_id
        return {None: sorted(zip(*ends.tolist(), ids.tolist()))}
    return {(src, rel, dst): sorted(zip(
        batch[src].n_id[store.edge_index[0]].tolist(),
        batch[dst].n_id[store.edge_index[1]].tolist(), store.e_id.tolist()))
            for (src, rel, dst), store in zip(batch.edge_types, batch.edge_stores)}


class TorchSparseTest(beside_pyg.BesidePyg, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.ops.load_library(OPERATORS)
        cls.enterClassContext(unittest.mock.patch.multiple(
            torch_geometric.typing, WITH_TORCH_SPARSE=True, WITH_PYG_LIB=False))
        cls.graphs = []
        for data in (graphs.homogeneous(), graphs.heterogeneous()):
            folder = cls.enterClassContext(processes.temporary_folder())
            cls.graphs.append((data, graphs.partition(data, folder)))

    def pairs(self, num_neighbors):
        """Yields (PyG's batch, ours) of the same inputs, for both kinds of graphs."""
        for data, graph in self.graphs:
            typed = hasattr(data, "node_types")
            options = {"num_neighbors": num_neighbors, "batch_size": 20,
                       "input_nodes": ("paper", INPUTS) if typed else INPUTS}
            with tg.NeighborLoader(graph, **options, **ALL) as loader:
                yield from zip(NeighborLoader(data, **options), loader, strict=True)

    def expect_the_same_form(self, theirs, mine):
        self.assertEqual(type(mine), type(theirs))
        for store, other in zip(mine.stores, theirs.stores, strict=True):
            self.assertEqual(store._key, other._key)
            self.assertEqual([name for name in store.keys() if name not in OURS],
                             list(other.keys()), store._key)
            for name, value in other.items():
                self.assertEqual(beside_pyg.dtype_of(store[name]), beside_pyg.dtype_of(value),
                                 (store._key, name))
                if name == "input_id" or not isinstance(value, torch.Tensor):
                    self.assertEqual(str(store[name]), str(value), (store._key, name))

    def expect_their_rows(self, batch, data):
        """Each column is that of the ids beside it."""
        for store, whole in zip(batch.stores, data.stores, strict=True):
            for name in whole.keys():
                if name == "edge_index":
                    continue
                of_edges = name in ("edge_attr", "weight")
                ids = store["e_id" if of_edges else "n_id"]
                self.assertTrue(torch.equal(store[name], whole[name][ids]), (store._key, name))

    def test_all_neighbours_are_the_same_edges(self):
        for theirs, mine in self.pairs([-1, -1]):
            self.expect_the_same_form(theirs, mine)
            self.assertEqual(edges(mine), edges(theirs))
            got, expected = columns(mine), columns(theirs)
            for key, value in expected.items():
                self.assertEqual(got[key].shape, value.shape, key)
            data = self.graphs[hasattr(mine, "node_types")][0]
            for batch in (theirs, mine):
                self.expect_their_rows(batch, data)

    def test_drawn_neighbours_have_the_same_form(self):
        """An input gets as many edges of each type, which ones is each loader's draw."""
        for theirs, mine in self.pairs([3]):
            self.expect_the_same_form(theirs, mine)
            counts = [{its: sorted(dst for _, dst, _ in rows) for its, rows in edges(batch).items()}
                      for batch in (theirs, mine)]
            self.assertEqual(*counts)
            for key, value in columns(theirs).items():
                self.assertEqual(columns(mine)[key].shape[1:], value.shape[1:], key)


if __name__ == "__main__":
    unittest.main()
