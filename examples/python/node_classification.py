#!/usr/bin/env python3
"""Trains GraphSAGE of PyTorch Geometric to classify nodes, on batches of Tributary.

    python node_classification.py cora4                    # threads of this process sample
    python node_classification.py file:servers.txt         # a fleet of servers samples
    torchrun --nproc-per-node 2 node_classification.py file:servers.txt

The graph has the splits train, valid and test. With torchrun each rank takes its share
of every epoch's batches, and DistributedDataParallel averages the gradients.
"""

import argparse
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.nn import GraphSAGE

from tributary_gnn import NeighborLoader


class Classifier(torch.nn.Module):
    """GraphSAGE over bags of words, whose rows are divided by their sums."""

    def __init__(self, features, classes, options):
        super().__init__()
        self.dropout = options.dropout
        self.layers = GraphSAGE(features, options.hidden, len(options.num_neighbors), classes,
                                dropout=options.dropout)

    def forward(self, batch):
        """Returns the scores of the batch's inputs, [batch_size, classes]."""
        x = batch.x / batch.x.sum(dim=1, keepdim=True).clamp(min=1)
        x = F.dropout(x, self.dropout, self.training)
        return self.layers(x, batch.edge_index)[:batch.batch_size]


def train_epoch(model, loader, optimizer):
    """Takes a step for each batch of this rank. Ranks may have a batch more than others:
    Join lets those that are done take part in the others' steps."""
    model.train()
    with Join([model]) if dist.is_initialized() else contextlib.nullcontext():
        for batch in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(batch), batch.y[:batch.batch_size]).backward()
            optimizer.step()
    if dist.is_initialized():
        copy_state(optimizer)


def copy_state(optimizer):
    """Copies rank 0's state, which no rank has more steps than; Join copies the model's."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            for value in optimizer.state[parameter].values():
                dist.broadcast(value, 0)


@torch.no_grad()
def accuracy(model, loader):
    """Returns the fraction of the split's inputs that are classified right, over all
    ranks."""
    model.eval()
    counts = torch.zeros(2)
    for batch in loader:
        right = model(batch).argmax(dim=1) == batch.y[:batch.batch_size]
        counts += torch.tensor([right.sum(), len(right)])
    if dist.is_initialized():
        dist.all_reduce(counts)
    return float(counts[0] / counts[1])


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="the folder of a partitioned graph, or servers")
    parser.add_argument("--classes", type=int, default=7, help="Cora has 7")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=48)
    parser.add_argument("--num-neighbors", type=int, nargs="+", default=[10, 10])
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.7)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=0.0005)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def open_loaders(options):
    """Returns the loaders of the three splits; validation and test see all neighbours."""
    everything = [-1] * len(options.num_neighbors)
    train = NeighborLoader(options.graph, options.num_neighbors, "train", shuffle=True,
                           batch_size=options.batch_size, random_seed=options.seed)
    valid, test = (NeighborLoader(options.graph, everything, split, batch_size=512)
                   for split in ("valid", "test"))
    return train, valid, test


def train_model(options, train, valid, test):
    """Prints the test accuracy at the epoch of the best validation accuracy; returns the
    model of the last epoch."""
    [nodes] = train.schema()["node_types"]
    model = Classifier(nodes["x"]["dim"], options.classes, options)
    trained = DistributedDataParallel(model) if dist.is_initialized() else model
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr,
                                 weight_decay=options.weight_decay)
    best = (0.0, 0, 0.0)
    for epoch in range(options.epochs):
        train_epoch(trained, train, optimizer)
        validation = accuracy(model, valid)
        if validation > best[0]:
            best = (validation, epoch, accuracy(model, test))
    if not dist.is_initialized() or dist.get_rank() == 0:
        print(f"test {best[2]:.4f} valid {best[0]:.4f} best epoch {best[1]}")
    return model


def main(words=None):
    """Trains as the command line says, or `words`; returns the model of the last epoch."""
    options = arguments(words)
    if "RANK" in os.environ:  # torchrun's
        dist.init_process_group("gloo")
    torch.manual_seed(options.seed)
    model = train_model(options, *open_loaders(options))
    if dist.is_initialized():
        dist.destroy_process_group()
    return model


if __name__ == "__main__":
    main()
