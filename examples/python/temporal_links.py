#!/usr/bin/env python3
"""Predicts links of a temporal graph, each from what was there before it.

    python temporal_links.py messages tests/data/collegemsg/raw
    torchrun --nproc-per-node 2 temporal_links.py file:servers.txt tests/data/collegemsg/raw

The graph is a folder or a fleet of servers; the folder `raw` has its edges in the order of
their ids and their times (edge.csv.gz, edge-time.csv.gz). The first 70 % by time are trained
on, the next 15 % are valid, the last are test. Each link is sampled at its own time, from
strictly earlier edges, and has one negative: its source with a destination at random.
"""

import argparse
import os

import link_model
import numpy
import ranks
import torch

from tributary_gnn import LinkNeighborLoader


def splits(raw):
    """Yields links, int64 [2, links], and their times, [links], of train, valid and test."""
    edges, times = (numpy.loadtxt(os.path.join(raw, name), dtype=numpy.int64, delimiter=",")
                    for name in ("edge.csv.gz", "edge-time.csv.gz"))
    first, second = numpy.quantile(times, [0.70, 0.85])
    for chosen in (times <= first, (times > first) & (times <= second), times > second):
        yield edges[chosen].T, times[chosen]


def open_loaders(options):
    """Returns the loaders of train, valid and test."""
    return [LinkNeighborLoader(
        options.graph, options.num_neighbors, links, edge_label_time=times, time_attr="edge",
        temporal_strategy="last", strict=True, neg_sampling=dict(mode="triplet", amount=1),
        batch_size=options.batch_size, shuffle=name == "train", random_seed=options.seed)
        for name, (links, times) in zip(("train", "valid", "test"), splits(options.raw))]


def train_epoch(trained, loader, optimizer):
    """Takes a step for each batch of this rank."""
    trained.train()
    with ranks.uneven_steps(trained, optimizer):
        for batch in loader:
            optimizer.zero_grad()
            link_model.loss(*trained(batch)).backward()
            optimizer.step()


@torch.no_grad()
def precision(model, loader):
    """Returns the average precision over all ranks, with the same negatives each time."""
    model.eval()
    loader.set_epoch(0)
    scores = [torch.stack(model(batch), 1) for batch in loader]
    return link_model.average_precision(*ranks.gathered(torch.cat(scores)).T)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="the folder of a partitioned graph, or servers")
    parser.add_argument("raw", help="the folder of edge.csv.gz and edge-time.csv.gz")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--num-neighbors", type=int, nargs=2, default=[3, 1])
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def train_model(options):
    """Prints the test precision at the epoch of the best validation precision."""
    train, valid, test = open_loaders(options)
    [nodes] = train.schema()["node_types"]
    model = link_model.LinkModel(nodes["num_nodes"], options.hidden,
                                 len(options.num_neighbors), options.dropout)
    trained = ranks.parallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    best = (0.0, 0, 0.0)
    for epoch in range(options.epochs):
        train_epoch(trained, train, optimizer)
        validation = precision(model, valid)
        if validation > best[0]:
            best = (validation, epoch, precision(model, test))
    if ranks.is_first():
        print(f"test {best[2]:.4f} valid {best[0]:.4f} best epoch {best[1]}")


def main():
    options = arguments()
    with ranks.process_group():
        torch.manual_seed(options.seed)
        train_model(options)


if __name__ == "__main__":
    main()
