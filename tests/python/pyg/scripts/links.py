"""Trains GraphSAGE to predict links with PyG's loaders, in the way of PyG's examples and with the
measure of OGB's on ogbl-ddi: batches of links with as many negatives, and Hits@20 of the rows of
all nodes on the first rank.

    torchrun --nproc-per-node 2 links.py FOLDER
"""

import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.loader import LinkNeighborLoader, NeighborLoader
from torch_geometric.nn import GraphSAGE

from tests.python.pyg.scripts import datasets

HIDDEN, DROPOUT, BATCH_SIZE = 64, 0.3, 512


class LinkPredictor(torch.nn.Module):
    def __init__(self, num_nodes):
        super().__init__()
        self.rows = torch.nn.Embedding(num_nodes, HIDDEN)
        torch.nn.init.xavier_uniform_(self.rows.weight)
        self.layers = GraphSAGE(HIDDEN, HIDDEN, 2, dropout=DROPOUT, norm="layer_norm",
                                norm_kwargs={"mode": "node"})
        self.hidden = torch.nn.Linear(HIDDEN, HIDDEN)
        self.out = torch.nn.Linear(HIDDEN, 1)

    def encode(self, batch):
        return self.layers(self.rows(batch.n_id), batch.edge_index)

    def decode(self, x, links):
        x = self.hidden(x[links[0]] * x[links[1]]).relu()
        return self.out(F.dropout(x, DROPOUT, self.training)).view(-1)

    def forward(self, batch):
        return self.decode(self.encode(batch), batch.edge_label_index)


def train(model, loader, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        F.binary_cross_entropy_with_logits(model(batch), batch.edge_label).backward()
        optimizer.step()


@torch.no_grad()
def test(model, loader, links):
    """Returns Hits@20 of valid and of test."""
    model.eval()
    [batch] = loader
    x = model.encode(batch)[batch.n_id.argsort()]
    scores = {name: model.decode(x, links[name]) for name in links if name != "train"}
    return [float((scores[name] > scores[f"{name}_neg"].topk(20).values[-1]).float().mean())
            for name in ("valid", "test")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=12)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    data, links = datasets.links(args.folder)
    train_links = links["train"][:, rank::world_size]
    train_loader = LinkNeighborLoader(data, edge_label_index=train_links, num_neighbors=[10, 1],
                                      neg_sampling="binary", batch_size=BATCH_SIZE, shuffle=True)
    all_loader = NeighborLoader(data, input_nodes=None, num_neighbors=[-1, 1],
                                batch_size=data.num_nodes)

    torch.manual_seed(1)
    model = LinkPredictor(data.num_nodes)
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    best = (0.0, 0.0, 0)
    for epoch in range(args.epochs):
        train(parallel, train_loader, optimizer)
        schedule.step()
        if rank == 0:
            best = max(best, (*test(model, all_loader, links), epoch))
        dist.barrier()
    if rank == 0:
        print(f"test {best[1]:.4f} valid {best[0]:.4f} best epoch {best[2]}")
    # Else it would hold the group's last reference, and a thread of the group could wait for
    # Python's lock, which is held while that thread is joined (PyTorch 2.11).
    del parallel
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
