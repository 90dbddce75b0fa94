"""Trains GraphSAGE on Cora with PyG's loaders, as PyG's examples train it on ogbn-products and,
with several ranks, on Reddit: a list of inputs for each rank, and inference layer by layer over
all nodes on the first rank.

    torchrun --nproc-per-node 2 nodes.py tests/data/cora
"""

import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import SAGEConv

from tests.python.pyg.scripts import datasets

CLASSES, HIDDEN, DROPOUT = 7, 64, 0.7


class SAGE(torch.nn.Module):
    def __init__(self, in_channels):
        super().__init__()
        self.convs = torch.nn.ModuleList(
            [SAGEConv(in_channels, HIDDEN), SAGEConv(HIDDEN, CLASSES)])

    def forward(self, x, edge_index):
        for layer, conv in enumerate(self.convs):
            x = conv(F.dropout(x, DROPOUT, self.training), edge_index)
            x = x.relu() if layer == 0 else x
        return x

    @torch.no_grad()
    def inference(self, x_all, loader):
        """Returns the scores of all nodes: each layer is computed for all of them in turn."""
        for layer, conv in enumerate(self.convs):
            rows = [conv(x_all[batch.n_id], batch.edge_index)[:batch.batch_size]
                    for batch in loader]
            x_all = torch.cat(rows).relu() if layer == 0 else torch.cat(rows)
        return x_all


def normalized(x):
    return x / x.sum(1, keepdim=True).clamp(min=1)


def train(model, loader, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        out = model(normalized(batch.x), batch.edge_index)[:batch.batch_size]
        F.cross_entropy(out, batch.y[:batch.batch_size]).backward()
        optimizer.step()


def test(model, data, loader):
    model.eval()
    right = model.inference(normalized(data.x), loader).argmax(1) == data.y
    return [float(right[mask].float().mean()) for mask in (data.val_mask, data.test_mask)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=40)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    data = datasets.cora(args.folder)
    train_idx = data.train_mask.nonzero().view(-1)
    train_idx = train_idx.split(len(train_idx) // world_size)[rank]
    train_loader = NeighborLoader(data, input_nodes=train_idx, num_neighbors=[10, 10],
                                  batch_size=35, shuffle=True, drop_last=True)
    subgraph_loader = NeighborLoader(data, input_nodes=None, num_neighbors=[-1], batch_size=1024)

    torch.manual_seed(1)
    model = SAGE(data.num_features)
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.0005)
    best = (0.0, 0.0, 0)
    for epoch in range(args.epochs):
        train(parallel, train_loader, optimizer)
        if rank == 0:
            best = max(best, (*test(model, data, subgraph_loader), epoch))
        dist.barrier()
    if rank == 0:
        print(f"test {best[1]:.4f} valid {best[0]:.4f} best epoch {best[2]}")
    # Else it would hold the group's last reference, and a thread of the group could wait for
    # Python's lock, which is held while that thread is joined (PyTorch 2.11).
    del parallel
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
