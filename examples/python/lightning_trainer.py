#!/usr/bin/env python3
"""Trains GraphSAGE of PyTorch Geometric with PyTorch Lightning.

    python lightning_trainer.py cora4                    # threads of this process sample
    python lightning_trainer.py file:servers.txt         # a fleet of servers samples
    torchrun --nproc-per-node 2 lightning_trainer.py file:servers.txt

Lightning takes the loaders as they are. It has no Join, so every rank must have as many
batches of an epoch: 140 inputs of Cora in batches of 35 are two for each of two ranks. The
ranks need at least one batch each of the other splits.
"""

import argparse
import os
import tempfile

import pytorch_lightning as lightning
import torch
import torch.nn.functional as F
from pytorch_lightning.callbacks import ModelCheckpoint
from torch_geometric.nn import GraphSAGE
from torchmetrics.classification import MulticlassAccuracy

from tributary_gnn import NeighborLoader


class Classifier(lightning.LightningModule):
    """GraphSAGE over bags of words, whose rows are divided by their sums."""

    def __init__(self, features, options):
        super().__init__()
        self.options = options
        self.layers = GraphSAGE(features, options.hidden, len(options.num_neighbors),
                                options.classes, dropout=options.dropout)
        self.valid = MulticlassAccuracy(options.classes, average="micro")
        self.test = MulticlassAccuracy(options.classes, average="micro")

    def forward(self, batch):
        """Returns the scores of the batch's inputs, [batch_size, classes]."""
        x = batch.x / batch.x.sum(dim=1, keepdim=True).clamp(min=1)
        x = F.dropout(x, self.options.dropout, self.training)
        return self.layers(x, batch.edge_index)[:batch.batch_size]

    def on_train_start(self):
        """Refuses shares that differ: the longer ones would wait for the others."""
        shares = self.all_gather(torch.tensor(len(self.trainer.train_dataloader))).flatten()
        if shares.min() != shares.max():
            raise ValueError(f"the ranks have {shares.tolist()} batches of an epoch; allowed: a "
                             "--batch-size with as many for each")

    def training_step(self, batch, _):
        return F.cross_entropy(self(batch), batch.y[:batch.batch_size])

    def validation_step(self, batch, _):
        self.valid.update(self(batch), batch.y[:batch.batch_size])
        self.log("valid", self.valid, batch_size=batch.batch_size)

    def test_step(self, batch, _):
        self.test.update(self(batch), batch.y[:batch.batch_size])
        self.log("test", self.test, batch_size=batch.batch_size)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.options.lr,
                                weight_decay=self.options.weight_decay)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", help="the folder of a partitioned graph, or servers")
    parser.add_argument("--classes", type=int, default=7, help="Cora has 7")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=35)
    parser.add_argument("--num-neighbors", type=int, nargs="+", default=[10, 10])
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.7)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=0.0005)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def open_loaders(options):
    """Returns the loaders of the three splits; validation and test see all neighbours."""
    everything = [-1] * len(options.num_neighbors)
    train = NeighborLoader(options.graph, options.num_neighbors, "train", shuffle=True,
                           batch_size=options.batch_size, random_seed=options.seed)
    return train, *(NeighborLoader(options.graph, everything, split, batch_size=250)
                    for split in ("valid", "test"))


def trainer(options, folder):
    """Returns Lightning's trainer, which keeps the epoch of the best validation accuracy."""
    ranks = int(os.environ.get("WORLD_SIZE", "1"))  # torchrun's
    return lightning.Trainer(
        max_epochs=options.epochs, accelerator="cpu", devices=ranks, logger=False,
        strategy="ddp" if ranks > 1 else "auto", enable_progress_bar=False,
        callbacks=[ModelCheckpoint(folder, monitor="valid", mode="max")])


def main():
    options = arguments()
    lightning.seed_everything(options.seed)
    train, valid, test = open_loaders(options)
    [nodes] = train.schema()["node_types"]
    with tempfile.TemporaryDirectory() as folder:
        fitted = trainer(options, folder)
        best = fitted.checkpoint_callback
        fitted.fit(Classifier(nodes["x"]["dim"], options), train, valid)
        [result] = fitted.test(dataloaders=test, ckpt_path="best", verbose=False)
        if fitted.is_global_zero:
            epoch = torch.load(best.best_model_path, weights_only=False)["epoch"]
            print(f"test {result['test']:.4f} valid {float(best.best_model_score):.4f} "
                  f"best epoch {epoch}")


if __name__ == "__main__":
    main()
