#!/usr/bin/env python3
"""Trains R-GCN of PyTorch Geometric to classify nodes of one type of a typed graph.

    python typed_graph.py aifb                         # threads of this process sample
    python typed_graph.py file:servers.txt             # a fleet of servers samples
    torchrun --nproc-per-node 2 typed_graph.py file:servers.txt

Each node has a learned row, as nodes of knowledge graphs have no features. The inputs' type
has the splits train, valid and test.
"""

import argparse

import ranks
import torch
import torch.nn.functional as F
from torch_geometric.nn import FastRGCNConv

from tributary_gnn import NeighborLoader


class Classifier(torch.nn.Module):
    """A row for each node, and two layers with a weight for each edge type."""

    def __init__(self, loader, options):
        super().__init__()
        node_types, relations = loader.graph_types.node_types, len(loader.graph_types.edge_types)
        counts = torch.tensor([node["num_nodes"] for node in loader.schema()["node_types"]])
        self.register_buffer("first_row", counts.cumsum(0) - counts)
        self.input_type = options.input_type
        self.input_number = node_types.index(options.input_type)
        self.rows = torch.nn.Embedding(int(counts.sum()), options.hidden)
        torch.nn.init.xavier_uniform_(self.rows.weight)
        self.hidden = FastRGCNConv(options.hidden, options.hidden, relations)
        self.out = FastRGCNConv(options.hidden, options.classes, relations)

    def forward(self, batch):
        """Returns the scores of the batch's inputs, [batch_size, classes]."""
        graph = batch.to_homogeneous(node_attrs=["n_id"], edge_attrs=[])
        x = self.rows(self.first_row[graph.node_type] + graph.n_id)
        x = self.hidden(x, graph.edge_index, graph.edge_type).relu()
        x = self.out(x, graph.edge_index, graph.edge_type)
        return x[graph.node_type == self.input_number][:batch[self.input_type].batch_size]

    def labels(self, batch):
        """Returns the classes of the batch's inputs, [batch_size]."""
        inputs = batch[self.input_type]
        return inputs.y[:inputs.batch_size]


def train_epoch(model, trained, loader, optimizer):
    """Takes a step for each batch of this rank."""
    with ranks.uneven_steps(trained, optimizer):
        for batch in loader:
            optimizer.zero_grad()
            F.cross_entropy(trained(batch), model.labels(batch)).backward()
            optimizer.step()


@torch.no_grad()
def accuracy(model, loader):
    """Returns the fraction of the split's inputs that are classified right, over all
    ranks."""
    right = [model(batch).argmax(dim=1) == model.labels(batch) for batch in loader]
    return float(ranks.gathered(torch.cat([torch.empty(0), *right])).mean())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="the folder of a partitioned graph, or servers")
    parser.add_argument("--input-type", default="person", help="aifb's inputs are persons")
    parser.add_argument("--classes", type=int, default=4, help="aifb has 4")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=70)
    parser.add_argument("--num-neighbors", type=int, nargs=2, default=[-1, -1])
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def train_model(options):
    """Prints the test accuracy at the epoch of the best validation accuracy."""
    train, valid, test = (
        NeighborLoader(options.graph, options.num_neighbors, (options.input_type, split),
                       batch_size=options.batch_size, shuffle=split == "train",
                       random_seed=options.seed) for split in ("train", "valid", "test"))
    model = Classifier(train, options)
    trained = ranks.parallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    best = (0.0, 0, 0.0)
    for epoch in range(options.epochs):
        train_epoch(model, trained, train, optimizer)
        validation = accuracy(model, valid)
        if validation > best[0]:
            best = (validation, epoch, accuracy(model, test))
    if ranks.is_first():
        print(f"test {best[2]:.4f} valid {best[0]:.4f} best epoch {best[1]}")


def main():
    options = arguments()
    with ranks.process_group():
        torch.manual_seed(options.seed)
        train_model(options)


if __name__ == "__main__":
    main()
