"""Trains a linear model with gloo DDP; writes its parameters for each rank.

    torch.distributed.run --nproc-per-node 2 -m tests.torch_python.two_ranks FOLDER
"""

import json
import pathlib
import sys

import torch
import torch.distributed


def main():
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    torch.manual_seed(rank)  # DDP takes the parameters of rank 0
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (model(torch.rand(4, 3)) - 1).square().mean().backward()
        optimizer.step()
    values = [value.flatten().tolist() for value in model.parameters()]
    total = torch.tensor([rank + 1.0])
    torch.distributed.all_reduce(total)
    result = {"parameters": values, "total": total.item()}
    pathlib.Path(sys.argv[1], f"{rank}.json").write_text(json.dumps(result))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
