#!/usr/bin/env python3
"""Predicts a class, or a value, of each edge.

    python edge_tasks.py relations --task classification   # threads of this process sample
    torchrun --nproc-per-node 2 edge_tasks.py file:servers.txt --task regression

The graph has what is predicted as the edges' column edge_attr, and splits of rows of edges
(tributary partition --edge-index --add-reverse --edge-splits only). Hops leave out the edges of
their batch and, with --exclude reverse_id, their reverse, which would tell the model the answer.
Batches come without edge_attr: labels are looked up by the numbers of the links in their split.
"""

import argparse

import ranks
import torch
from torch_geometric.nn import GraphSAGE

from tributary_gnn import Graph, LinkNeighborLoader

SPLITS = ("train", "valid", "test")


class EdgeModel(torch.nn.Module):
    """Makes `outputs` numbers of each edge of a batch: of the rows of its ends, which are those
    that GraphSAGE makes of learned rows."""

    def __init__(self, num_nodes, hidden, layers, dropout, outputs):
        super().__init__()
        self.rows = torch.nn.Embedding(num_nodes, hidden)
        torch.nn.init.xavier_uniform_(self.rows.weight)
        self.layers = GraphSAGE(hidden, hidden, layers, dropout=dropout, norm="layer_norm",
                                norm_kwargs={"mode": "node"})
        self.predict = torch.nn.Sequential(
            torch.nn.Linear(2 * hidden, hidden), torch.nn.ReLU(), torch.nn.Dropout(dropout),
            torch.nn.Linear(hidden, outputs))

    def forward(self, batch):
        """Returns [edges, outputs]."""
        x = self.layers(self.rows(batch.n_id), batch.edge_index)
        source, destination = batch.edge_label_index
        return self.predict(torch.cat([x[source], x[destination]], 1))


class Classes:
    """The task whose labels are the classes 0, 1, ...; its figure is the accuracy."""

    def __init__(self, train_labels):
        self.outputs = int(train_labels.max()) + 1

    @staticmethod
    def loss(predicted, labels):
        return torch.nn.functional.cross_entropy(predicted, labels.long())

    @staticmethod
    def figure(predicted, labels):
        return float((predicted.argmax(1) == labels).float().mean())


class Values:
    """The task whose labels are numbers, which the model has in units of their deviation. Its
    figure is R^2, the part of the variance that is predicted: the mean label is at 0."""

    outputs = 1

    def __init__(self, train_labels):
        self.mean, self.deviation = train_labels.mean(), train_labels.std()

    def loss(self, predicted, labels):
        wanted = (labels - self.mean) / self.deviation
        return torch.nn.functional.mse_loss(predicted.squeeze(1), wanted)

    def figure(self, predicted, labels):
        error = predicted.squeeze(1) * self.deviation + self.mean - labels
        return float(1 - error.square().sum() / (labels - labels.mean()).square().sum())


TASKS = {"classification": Classes, "regression": Values}


def read_labels(options):
    """Returns the labels of each split, float32 [edges], in the split's order."""
    with Graph(options.graph, format="torch") as graph:
        [edge_type] = graph.edge_types
        return [graph.edge_data("edge_attr", graph.split(f"{options.scheme}/{name}",
                                                         edge_type).e_id).reshape(-1)
                for name in SPLITS]


def open_loaders(options):
    """Returns the loaders of train, valid and test."""
    return [LinkNeighborLoader(
        options.graph, options.num_neighbors, f"{options.scheme}/{name}",
        exclude=options.exclude, collect="none", batch_size=options.batch_size,
        shuffle=name == "train", random_seed=options.seed) for name in SPLITS]


def train_epoch(trained, task, loader, labels, optimizer):
    """Takes a step for each batch of this rank."""
    trained.train()
    with ranks.uneven_steps(trained, optimizer):
        for batch in loader:
            optimizer.zero_grad()
            task.loss(trained(batch), labels[batch.input_id]).backward()
            optimizer.step()


@torch.no_grad()
def evaluate(model, task, loader, labels):
    """Returns the task's figure over the edges of all ranks, with the same neighbours each
    time."""
    model.eval()
    loader.set_epoch(0)
    done = [(model(batch), batch.input_id) for batch in loader]
    none = torch.empty(0, task.outputs), torch.empty(0, dtype=torch.long)
    predicted, numbers = (ranks.gathered(torch.cat(parts)) for parts in zip(none, *done))
    return task.figure(predicted, labels[numbers])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="the folder of a partitioned graph, or servers")
    parser.add_argument("--task", choices=TASKS, required=True)
    parser.add_argument("--scheme", default="only", help="of the splits of edges")
    parser.add_argument("--exclude", choices=["none", "self", "reverse_id"],
                        default="reverse_id", help="edges that hops leave out")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=1024)
    parser.add_argument("--num-neighbors", type=int, nargs=2, default=[10, 5])
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def train_model(options):
    """Prints the test figure at the epoch of the best validation figure."""
    loaders, labels = open_loaders(options), read_labels(options)
    task = TASKS[options.task](labels[0])
    [nodes] = loaders[0].schema()["node_types"]
    model = EdgeModel(nodes["num_nodes"], options.hidden, len(options.num_neighbors),
                      options.dropout, task.outputs)
    trained = ranks.parallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    best = (float("-inf"), 0, 0.0)
    for epoch in range(options.epochs):
        train_epoch(trained, task, loaders[0], labels[0], optimizer)
        valid, test = (evaluate(model, task, loaders[k], labels[k]) for k in (1, 2))
        if valid > best[0]:
            best = (valid, epoch, test)
    if ranks.is_first():
        print(f"test {best[2]:.4f} valid {best[0]:.4f} best epoch {best[1]}")


def main():
    options = arguments()
    with ranks.process_group():
        torch.manual_seed(options.seed)
        train_model(options)


if __name__ == "__main__":
    main()
