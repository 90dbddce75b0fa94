"""PyG's models, trim_to_layer and explainers run on batches as they are."""

import unittest

import torch
from torch_geometric.explain import Explainer, GNNExplainer
from torch_geometric.nn import GATConv, GraphSAGE, HeteroConv, SAGEConv, to_hetero
from torch_geometric.utils import trim_to_layer

from tests.e2e import processes
from tests.python.pyg import graphs
from tributary_gnn.neighbor_loader import NeighborLoader

BATCH_SIZE, HOPS = 16, 2


class TwoLayers(torch.nn.Module):
    """Layers of a typed graph, with and without what later layers do not read."""

    def __init__(self, edge_types):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            HeteroConv({key: SAGEConv((-1, -1), 8) for key in edge_types})
            for _ in range(HOPS))

    def forward(self, batch, trim):
        x, edge_index = batch.x_dict, batch.edge_index_dict
        for number, layer in enumerate(self.layers):
            if trim:
                x, edge_index, _ = trim_to_layer(
                    number, batch.num_sampled_nodes_dict, batch.num_sampled_edges_dict,
                    x, edge_index)
            x = layer(x, edge_index)
        return x["paper"][:batch["paper"].batch_size]


class ModelsTest(unittest.TestCase):
    def batch(self, data, inputs, fanout, **options):
        folder = self.enterContext(processes.temporary_folder())
        graph = graphs.partition(data, folder)
        with NeighborLoader(graph, [fanout] * HOPS, inputs, batch_size=BATCH_SIZE,
                            **options) as loader:
            return next(iter(loader))

    def assert_close(self, got, expected):
        self.assertEqual(got.shape, expected.shape)
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)

    def test_all_neighbours_give_the_output_of_the_whole_graph(self):
        data = graphs.homogeneous()
        batch = self.batch(data, None, -1)
        model = GraphSAGE(5, 8, HOPS, 4)
        whole = model(data.x, data.edge_index)[batch.n_id[:BATCH_SIZE]]
        self.assert_close(model(batch.x, batch.edge_index)[:BATCH_SIZE], whole)

    def test_trimmed_layers_give_the_same_output(self):
        batch = self.batch(graphs.homogeneous(), None, 3)
        model = GraphSAGE(5, 8, HOPS, 4)
        trimmed = model(batch.x, batch.edge_index,
                        num_sampled_nodes_per_hop=batch.num_sampled_nodes,
                        num_sampled_edges_per_hop=batch.num_sampled_edges)
        self.assertLess(len(trimmed), batch.num_nodes)
        self.assert_close(trimmed[:BATCH_SIZE],
                          model(batch.x, batch.edge_index)[:BATCH_SIZE])

    def test_trimmed_layers_of_a_typed_graph_give_the_same_output(self):
        data = graphs.heterogeneous()
        batch = self.batch(data, ("paper", None), 3)
        model = TwoLayers(data.edge_types)
        self.assert_close(model(batch, trim=True), model(batch, trim=False))

    def test_to_hetero_gives_the_output_of_the_whole_graph(self):
        data = graphs.heterogeneous()
        batch = self.batch(data, ("paper", None), -1)
        model = to_hetero(GraphSAGE((-1, -1), 8, HOPS, 4), data.metadata())
        whole = model(data.x_dict, data.edge_index_dict)["paper"]
        out = model(batch.x_dict, batch.edge_index_dict)["paper"]
        self.assert_close(out[:BATCH_SIZE], whole[batch["paper"].n_id[:BATCH_SIZE]])

    def test_edge_attributes_go_with_their_edges(self):
        data = graphs.homogeneous()
        batch = self.batch(data, None, -1)
        layer = GATConv(5, 8, edge_dim=2)
        whole = layer(data.x, data.edge_index, data.edge_attr)
        out = layer(batch.x, batch.edge_index, batch.edge_attr)
        self.assert_close(out[:BATCH_SIZE], whole[batch.n_id[:BATCH_SIZE]])

    def test_an_explainer_explains_an_input(self):
        batch = self.batch(graphs.homogeneous(), None, 3)
        explainer = Explainer(
            GraphSAGE(5, 8, HOPS, 4), GNNExplainer(epochs=3), explanation_type="model",
            edge_mask_type="object", node_mask_type="attributes",
            model_config={"mode": "multiclass_classification", "task_level": "node",
                          "return_type": "raw"})
        explanation = explainer(batch.x, batch.edge_index, index=0)
        self.assertEqual(explanation.edge_mask.shape, (batch.num_edges,))
        self.assertEqual(explanation.node_mask.shape, batch.x.shape)


if __name__ == "__main__":
    unittest.main()
