"""torch and torch_geometric work in tests as they do when installed."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import torch
from torch_geometric.nn import SAGEConv

DEADLINE = 120


class TorchPythonTest(unittest.TestCase):
    def test_gradient_is_the_derivative(self):
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        x.pow(3).sum().backward()
        self.assertEqual(x.grad.tolist(), [3.0, 12.0, 27.0])

    def test_numpy_shares_memory(self):
        x = torch.zeros(3)
        x.numpy()[1] = 5
        self.assertEqual(x.tolist(), [0.0, 5.0, 0.0])

    def test_there_is_no_gpu(self):
        self.assertFalse(torch.cuda.is_available())

    def test_graphsage_layer_takes_a_step(self):
        # 1 and 2 send to 0: mean of their features, by hand.
        x = torch.tensor([[1.0], [2.0], [4.0]])
        edge_index = torch.tensor([[1, 2], [0, 0]])
        layer = SAGEConv(1, 1, bias=False)
        with torch.no_grad():
            layer.lin_l.weight.fill_(10.0)
            layer.lin_r.weight.fill_(1.0)
        out = layer(x, edge_index)
        self.assertEqual(out.flatten().tolist(), [31.0, 2.0, 4.0])
        out[0].backward()
        torch.optim.SGD(layer.parameters(), lr=1.0).step()
        self.assertEqual(layer.lin_l.weight.item(), 7.0)
        self.assertEqual(layer.lin_r.weight.item(), 0.0)

    def test_two_ranks_train_with_gloo(self):
        folder = pathlib.Path(os.environ["TEST_TMPDIR"])
        subprocess.run(
            [sys.executable, "-B", "-m", "torch.distributed.run", "--standalone",
             "--nproc-per-node", "2", "-m", "tests.torch_python.two_ranks",
             str(folder)],
            check=True, timeout=DEADLINE)
        ranks = [json.loads((folder / f"{rank}.json").read_text()) for rank in (0, 1)]
        self.assertEqual(ranks[0]["parameters"], ranks[1]["parameters"])
        self.assertEqual([rank["total"] for rank in ranks], [3.0, 3.0])


if __name__ == "__main__":
    unittest.main()
