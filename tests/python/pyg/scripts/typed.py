"""Trains GraphSAGE that is made for each type, on AIFB with PyG's loaders, as PyG's examples train
it on OGB-MAG: `to_hetero`, parameters that a first batch gives their sizes, and a learned row
for each node.

    torchrun --nproc-per-node 2 typed.py tests/data/aifb
"""

import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import GraphSAGE, to_hetero

from tests.python.pyg.scripts import datasets

CLASSES, HIDDEN = 4, 16


class Classifier(torch.nn.Module):
    def __init__(self, data):
        super().__init__()
        self.rows = torch.nn.ModuleDict({node_type: torch.nn.Embedding(
            data[node_type].num_nodes, HIDDEN) for node_type in data.node_types})
        for rows in self.rows.values():
            torch.nn.init.xavier_uniform_(rows.weight)
        self.layers = to_hetero(GraphSAGE((-1, -1), HIDDEN, 2, CLASSES), data.metadata())

    def forward(self, batch):
        x_dict = {node_type: rows(batch[node_type].n_id) for node_type, rows in self.rows.items()}
        out = self.layers(x_dict, batch.edge_index_dict)["person"]
        return out[:batch["person"].batch_size]


@torch.no_grad()
def init_params(model, loader):
    model(next(iter(loader)))


def train(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        person = batch["person"]
        F.cross_entropy(model(batch), person.y[:person.batch_size]).backward()
        optimizer.step()


@torch.no_grad()
def test(model, loader):
    counts = torch.zeros(2)
    for batch in loader:
        person = batch["person"]
        right = model(batch).argmax(1) == person.y[:person.batch_size]
        counts += torch.tensor([right.sum(), len(right)])
    dist.all_reduce(counts)
    return float(counts[0] / counts[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    data = datasets.aifb(args.folder)

    def inputs(mask):
        return ("person", data["person"][mask].nonzero().view(-1)[rank::world_size])

    kwargs = {"num_neighbors": [-1, -1], "batch_size": 28}
    train_loader = NeighborLoader(data, input_nodes=inputs("train_mask"), shuffle=True, **kwargs)
    val_loader = NeighborLoader(data, input_nodes=inputs("val_mask"), **kwargs)
    test_loader = NeighborLoader(data, input_nodes=inputs("test_mask"), **kwargs)

    torch.manual_seed(1)
    model = Classifier(data)
    init_params(model, train_loader)
    parallel = DistributedDataParallel(model, find_unused_parameters=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    best = (0.0, 0.0, 0)
    for epoch in range(args.epochs):
        train(parallel, train_loader, optimizer)
        val_acc = test(model, val_loader)
        if val_acc > best[0]:
            best = (val_acc, test(model, test_loader), epoch)
    if rank == 0:
        print(f"test {best[1]:.4f} valid {best[0]:.4f} best epoch {best[2]}")
    # Else it would hold the group's last reference, and a thread of the group could wait for
    # Python's lock, which is held while that thread is joined (PyTorch 2.11).
    del parallel
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
