"""A trainer in Python and tributary-train, with the same parameters, session and order, have
the same losses, step by step."""

import json
import os
import struct
import unittest

import torch
import torch.nn.functional as F
from torch_geometric.nn import GraphSAGE

import tributary_gnn as tg
from tests.e2e import processes, training
from tests.python import graphs

STEPS = 20
BATCHES = 3  # of an epoch: 140 inputs in batches of 48
SEED, BATCH_SIZE, HIDDEN, FANOUTS = 3, 48, 16, [10, 10]
LR, WEIGHT_DECAY = 0.01, 0.0005
EPOCHS = -(-STEPS // BATCHES)
FLAGS = ("--model", "sage", "--row-normalize", "--hidden", HIDDEN, "--dropout", 0,
         "--num-neighbors", ",".join(map(str, FANOUTS)), "--batch-size", BATCH_SIZE,
         "--random-seed", SEED, "--num-classes", 7)


def numbers(checkpoint):
    """The sums of the running epoch, by name."""
    with open(os.path.join(checkpoint, "checkpoint.json"), encoding="utf-8") as file:
        sums = json.load(file)["epoch_sums"]
    return {name: struct.unpack(">d", bytes.fromhex(bits))[0] for name, bits in sums.items()}


class LossesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.fleet = cls.enterClassContext(tg.serve(graphs.cora(cls.folder), num_servers=2))

    def path(self, name):
        return os.path.join(self.folder, name)

    def first_parameters(self):
        """Those that tributary-train draws by the seed: it takes no step."""
        saved = self.path("first.safetensors")
        training.output("--servers", self.fleet.servers, *FLAGS, "--epochs", 0, "--predict",
                        "valid", "--out", self.path("predicted"), "--save-model", saved)
        return {name: torch.from_numpy(values)
                for name, values in training.parameters(saved).items()}

    def losses_of_tributary_train(self):
        """Read from a checkpoint of every step, which has the sum over the epoch's inputs."""
        folder = self.path("checkpoints")
        training.output("--servers", self.fleet.servers, *FLAGS, "--input", "train", "--lr", LR,
                        "--weight-decay", WEIGHT_DECAY, "--epochs", EPOCHS, "--checkpoint-dir",
                        folder, "--checkpoint-every", 1, "--checkpoint-keep", STEPS + BATCHES)
        losses, before = [], {}
        for step in range(STEPS):
            if step % BATCHES == 0:
                before = {"rank0/loss": 0, "rank0/inputs": 0}
            sums = numbers(os.path.join(folder, f"step-{step + 1:012}"))
            loss, inputs = (sums[name] - before[name] for name in before)
            losses.append(loss / inputs)
            before = {name: sums[name] for name in before}
        return losses

    def losses_in_python(self, parameters):
        model = GraphSAGE(1433, HIDDEN, len(FANOUTS), 7)
        model.load_state_dict(parameters)
        optimizer = torch.optim.Adam(model.parameters(), lr=LR, weight_decay=WEIGHT_DECAY)
        losses = []
        with tg.NeighborLoader(servers=self.fleet.servers, num_neighbors=FANOUTS,
                               input_nodes="train", batch_size=BATCH_SIZE, shuffle=True,
                               random_seed=SEED) as loader:
            for _ in range(EPOCHS):
                for batch in loader:
                    optimizer.zero_grad()
                    x = batch.x / batch.x.sum(dim=1, keepdim=True).clamp(min=1)
                    out = model(x, batch.edge_index)[:batch.batch_size]
                    loss = F.cross_entropy(out, batch.y[:batch.batch_size])
                    loss.backward()
                    optimizer.step()
                    losses.append(loss.item())
        return losses[:STEPS]

    def test_the_first_losses_agree(self):
        theirs = self.losses_of_tributary_train()
        ours = self.losses_in_python(self.first_parameters())
        difference = max(abs(a - b) / b for a, b in zip(ours, theirs, strict=True))
        print(f"{STEPS} losses, {theirs[0]:.6f} to {theirs[-1]:.6f}, "
              f"differ by {difference:.2g} at most")
        self.assertEqual(len(theirs), STEPS)
        self.assertLess(theirs[-1], 0.9 * theirs[0])  # it learns
        self.assertLess(difference, 1e-5)


if __name__ == "__main__":
    unittest.main()
