#!/usr/bin/env python3
"""Predicts links between nodes without features, as OGB's ogbl-ddi wants.

    python link_prediction.py ddi                      # threads of this process sample
    torchrun --nproc-per-node 2 link_prediction.py file:servers.txt

The graph has the splits of edges train, valid, valid_neg, test and test_neg (tributary
partition --add-reverse --edge-splits target). Hops leave out the links of their batch. The
negatives to train on are drawn, and are no edges; those of valid and test are OGB's, for what
is drawn there would hold links of the other split.
"""

import argparse

import link_model
import ranks
import torch

from tributary_gnn import LinkNeighborLoader


def open_loaders(options):
    """Returns the loaders of train, and of the links and negatives of valid and of test."""
    def loader(split, num_neighbors, batch_size, **others):
        return LinkNeighborLoader(
            options.graph, num_neighbors, f"{options.scheme}/{split}", exclude="reverse_id",
            batch_size=batch_size, random_seed=options.seed, **others)

    train = loader("train", options.num_neighbors, options.batch_size, neg_sampling="binary",
                   neg_strict=True, shuffle=True)
    return train, *([loader(split + suffix, options.eval_num_neighbors, options.eval_batch_size)
                     for suffix in ("", "_neg")] for split in ("valid", "test"))


def train_epoch(trained, loader, optimizer):
    """Takes a step for each batch of this rank."""
    trained.train()
    with ranks.uneven_steps(trained, optimizer):
        for batch in loader:
            optimizer.zero_grad()
            link_model.loss(*trained(batch)).backward()
            optimizer.step()


@torch.no_grad()
def scores(model, loader):
    """Returns the scores of a split's links, over all ranks, [links]."""
    model.eval()
    loader.set_epoch(0)  # the same neighbours each time
    return ranks.gathered(torch.cat([torch.empty(0), *(model(batch)[0] for batch in loader)]))


def hits(model, loaders, k):
    """Returns Hits@K of the loaders of links and of negatives."""
    return link_model.hits_at(k, *(scores(model, loader) for loader in loaders))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="the folder of a partitioned graph, or servers")
    parser.add_argument("--scheme", default="target", help="of the splits; ogbl-ddi's is target")
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--eval-batch-size", type=int, default=65536)
    parser.add_argument("--num-neighbors", type=int, nargs=2, default=[25, 1])
    parser.add_argument("--eval-num-neighbors", type=int, nargs=2, default=[-1, 1])
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def train_model(options):
    """Prints the test hits at the epoch of the best validation hits."""
    train, valid, test = open_loaders(options)
    [nodes] = train.schema()["node_types"]
    model = link_model.LinkModel(nodes["num_nodes"], options.hidden,
                                 len(options.num_neighbors), options.dropout)
    trained = ranks.parallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)
    best = (0.0, 0, 0.0)
    for epoch in range(options.epochs):
        train_epoch(trained, train, optimizer)
        schedule.step()
        validation = hits(model, valid, options.k)
        if validation > best[0]:
            best = (validation, epoch, hits(model, test, options.k))
    if ranks.is_first():
        print(f"test {best[2]:.4f} valid {best[0]:.4f} best epoch {best[1]}")


def main():
    options = arguments()
    with ranks.process_group():
        torch.manual_seed(options.seed)
        train_model(options)


if __name__ == "__main__":
    main()
