"""ShaDowKHopSampler, GraphSAINTRandomWalkSampler, Node2VecLoader, PPRLoader and
LayerWiseLoader in PyG's format: names, dtypes and order as PyG 2.8.1's sources have them
(loader/shadow.py, loader/graph_saint.py, nn/models/node2vec.py; PyG's own need torch-sparse
or pyg-lib), and values by PyG's own functions over the whole graph."""

import types
import unittest

import torch
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.nn import GCNConv, GraphSAGE, Node2Vec
from torch_geometric.utils import k_hop_subgraph, subgraph

import tributary_gnn as tg
from tests.e2e import processes
from tests.python.pyg import graphs

INPUTS = torch.tensor([5, 17, 5, 60, 33])
HOPS = 2


class KindsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.data = graphs.homogeneous()
        cls.graph = graphs.partition(cls.data, folder.name)
        typed = processes.temporary_folder()
        cls.addClassCleanup(typed.cleanup)
        cls.typed = graphs.partition(graphs.heterogeneous(), typed.name)

    def open(self, loader, *arguments, data=None, **options):
        return self.enterContext(loader(data or self.graph, *arguments, **options))

    def expect_columns_of_the_graph(self, batch):
        self.assertTrue(torch.equal(batch.x, self.data.x[batch.n_id]))
        self.assertTrue(torch.equal(batch.edge_attr, self.data.edge_attr[batch.e_id]))
        self.assertTrue(torch.equal(batch.n_id[batch.edge_index],
                                    self.data.edge_index[:, batch.e_id]))

    # ---- ShaDow ------------------------------------------------------------------------

    def shadow(self, **options):
        [batch] = self.open(tg.ShaDowKHopSampler, HOPS, -1, INPUTS, batch_size=5, **options)
        return batch

    def test_shadow_has_pygs_attributes(self):
        batch = self.shadow(collect="x,y,edge_attr,time,weight")
        self.assertIsInstance(batch, Batch)
        self.assertIsInstance(batch, Data)
        self.assertEqual(list(batch.stores[0].keys()), [
            "batch", "ptr", "root_n_id", "edge_index",  # then the graph's, then ours
            "x", "edge_attr", "y", "time", "weight", "n_id", "e_id", "input_id"])
        for name in ("batch", "ptr", "root_n_id", "edge_index"):
            self.assertEqual(batch[name].dtype, torch.int64, name)
        self.assertEqual(batch.num_graphs, len(INPUTS))
        self.assertEqual(batch.batch.tolist(), sorted(batch.batch.tolist()))
        self.assertEqual(batch.ptr.diff().tolist(), batch.batch.bincount().tolist())
        self.assertTrue(torch.equal(batch.n_id[batch.root_n_id], INPUTS))
        self.assertTrue(torch.equal(batch.batch[batch.root_n_id], torch.arange(len(INPUTS))))
        self.assertTrue(torch.equal(batch.y, self.data.y[INPUTS]))
        self.assertTrue(torch.equal(batch.time, self.data.time[batch.n_id]))
        self.assertTrue(torch.equal(batch.weight, self.data.weight[batch.e_id]))
        self.expect_columns_of_the_graph(batch)
        ends = list(zip(*batch.edge_index.tolist()))
        self.assertEqual(ends, sorted(ends))

    def test_shadows_subgraphs_are_pygs_with_all_neighbours(self):
        batch = self.shadow()
        for tree, root in enumerate(INPUTS.tolist()):
            nodes, _, _, edges = k_hop_subgraph(root, HOPS, self.data.edge_index,
                                                directed=False)
            within = batch.batch == tree
            self.assertEqual(sorted(batch.n_id[within].tolist()), nodes.tolist())
            of_tree = within[batch.edge_index[0]]
            self.assertTrue(torch.equal(of_tree, within[batch.edge_index[1]]))
            self.assertEqual(sorted(batch.e_id[of_tree].tolist()),
                             edges.nonzero().flatten().tolist())

    def test_a_model_on_shadows_batch_gives_the_whole_graphs_output(self):
        batch = self.shadow()
        model = GraphSAGE(5, 8, HOPS, 4)
        whole = model(self.data.x, self.data.edge_index)[INPUTS]
        out = model(batch.x, batch.edge_index)[batch.root_n_id]
        torch.testing.assert_close(out, whole, rtol=1e-5, atol=1e-5)

    def test_shadow_names_inputs(self):
        batch = self.shadow(input_id=INPUTS * 10)
        self.assertTrue(torch.equal(batch.input_id, INPUTS * 10))

    # ---- GraphSAINT --------------------------------------------------------------------

    def test_saint_has_pygs_attributes(self):
        """`num_nodes`, the graph's, and the norms; `n_id` and `e_id` are ours."""
        loader = self.open(tg.GraphSAINTRandomWalkSampler, 6, 2, 3, sample_coverage=5)
        self.assertEqual(len(loader), 3)
        for batch in loader:
            self.assertEqual(set(batch.keys()), {
                "num_nodes", "x", "edge_index", "edge_attr", "y", "node_norm", "edge_norm",
                "n_id", "e_id"})
            self.expect_columns_of_the_graph(batch)
            self.assertTrue(torch.equal(batch.y, self.data.y[batch.n_id]))
            self.assertEqual(batch.num_nodes, len(batch.n_id))
            self.assertEqual((batch.node_norm.dtype, batch.node_norm.shape),
                             (torch.float32, batch.n_id.shape))
            self.assertEqual((batch.edge_norm.dtype, batch.edge_norm.shape),
                             (torch.float32, batch.e_id.shape))
            _, edges = subgraph(batch.n_id, self.data.edge_index, torch.arange(400))
            self.assertEqual(sorted(batch.e_id.tolist()), edges.tolist())
            GCNConv(5, 4)(batch.x, batch.edge_index, batch.edge_norm)

    def test_saint_without_coverage_has_no_norms(self):
        batch = next(iter(self.open(tg.GraphSAINTRandomWalkSampler, 6, 2)))
        self.assertNotIn("node_norm", batch)

    # ---- Node2Vec ----------------------------------------------------------------------

    def test_node2vec_gives_what_pygs_model_takes(self):
        loader = self.open(tg.Node2VecLoader, 6, 4, 2, num_negative_samples=3, batch_size=16,
                           shuffle=True)
        model = types.SimpleNamespace(embedding=torch.nn.Embedding(graphs.PAPERS, 8),
                                      embedding_dim=8, EPS=1e-15)
        for positive, negative in loader:
            self.assertEqual((positive.dtype, negative.dtype), (torch.int64, torch.int64))
            self.assertEqual(positive.shape, (16 * 2 * 3, 4))
            self.assertEqual(negative.shape, (3 * 16 * 2 * 3, 4))
            loss = Node2Vec.loss(model, positive, negative)
            loss.backward()
            self.assertGreater(loss.item(), 0)
        edges = set(zip(*self.data.edge_index.tolist()))
        for row in positive.tolist():
            for here, there in zip(row, row[1:]):
                self.assertTrue((there, here) in edges or there == here)

    # ---- PPR and layers ----------------------------------------------------------------

    def test_scores_are_a_weighted_graph(self):
        for options in ({}, {"data": self.typed, "edge_type": graphs.CITES}):
            inputs = ("paper", INPUTS) if options else INPUTS
            [batch] = self.open(tg.PPRLoader, 6, inputs, batch_size=5, **options)
            typed = isinstance(batch, HeteroData)
            self.assertEqual(typed, bool(options))
            nodes, edges = (batch["paper"], batch[graphs.CITES]) if typed else (batch, batch)
            self.assertEqual(nodes.batch_size, 4)  # of INPUTS one occurs twice
            expected = {}
            for row, root in enumerate(INPUTS.tolist()):
                for node, weight in zip(batch.ppr_id[row].tolist(),
                                        batch.ppr_weight[row].tolist()):
                    if node >= 0:
                        expected[node, root] = weight
            ends = nodes.n_id[edges.edge_index].t().tolist()
            self.assertEqual(len(ends), len(expected))
            self.assertEqual({tuple(pair): weight for pair, weight in zip(
                ends, edges.edge_weight.tolist())}, expected)
            self.assertEqual(edges.edge_index.dtype, torch.int64)
            self.assertLess(int(edges.edge_index[1].max()), nodes.batch_size)
        width = batch["paper"].x.shape[1]
        GCNConv(width, 4, add_self_loops=False)(
            batch["paper"].x, batch[graphs.CITES].edge_index, batch[graphs.CITES].edge_weight)

    def test_layers_are_weighted(self):
        [batch] = self.open(tg.LayerWiseLoader, [20, 20], INPUTS, batch_size=5)
        self.expect_columns_of_the_graph(batch)
        self.assertEqual(batch.edge_weight.dtype, torch.float32)
        begin = 0
        for edges in batch.num_sampled_edges:
            layer = slice(begin, begin + edges)
            sums = torch.zeros(batch.x.shape[0]).index_add(
                0, batch.edge_index[1, layer], batch.edge_weight[layer])
            reached = sums[sums > 0]
            torch.testing.assert_close(reached, torch.ones_like(reached))
            begin += edges
        self.assertEqual(begin, len(batch.e_id))
        GCNConv(5, 4)(batch.x, batch.edge_index, batch.edge_weight)


if __name__ == "__main__":
    unittest.main()
