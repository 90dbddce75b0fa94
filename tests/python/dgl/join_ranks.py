"""Ranks with other numbers of batches, under torch's Join.

    torch.distributed.run --nproc-per-node 2 -m tests.python.dgl.join_ranks SERVERS

Each rank r makes 2 + 3r steps that add 1 to row r, and prints the rows at the end.
"""

import sys

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

import tributary_gnn as tg


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    with tg.DistContext(sys.argv[1], timeout=60) as context:
        for number, order in enumerate((("sparse",), ("model", "sparse"))):
            rows = tg.DistEmbedding(context, f"rows {number}", 2, 1)
            joined = {"sparse": tg.SparseSGD([rows], lr=1),
                      "model": DistributedDataParallel(torch.nn.Linear(1, 1))}
            with Join([joined[name] for name in order]):
                for _ in range(2 + 3 * rank):
                    loss = -rows(torch.tensor([rank])).sum()
                    if "model" in order:
                        loss = loss + 0 * joined["model"](torch.ones(1, 1)).sum()
                    loss.backward()
                    joined["sparse"].step()
            context.barrier("read")
            # One write, which another rank's does not come into.
            sys.stdout.write(f"rank {rank} {' '.join(order)} "
                             f"{rows.weight.read().flatten().tolist()}\n")
            sys.stdout.flush()
            del joined
        context.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
