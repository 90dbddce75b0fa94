"""Graphs and groups that tests of tributary_gnn.dgl use."""

import contextlib
import os
from unittest import mock

import torch

import tributary_gnn as tg
import tributary_gnn.dgl as dgl
from tests.e2e import folders


def cora(folder, parts=2):
    """Cora with all that look-ups need."""
    return folders.partition(folders.CORA, os.path.join(folder, f"cora{parts}"), parts, "metis",
                             "--edge-index", "--degrees", "--out-edges", "--name", "cora")


def typed(folder, parts=2):
    """40 authors without features, 60 papers, 300 edges of two types and their reverse."""
    generator = torch.Generator().manual_seed(3)
    draw = lambda most, count: torch.randint(most, (count,), generator=generator)
    data = {
        "author": {"num_nodes": 40},
        "paper": {"x": torch.rand(60, 5, generator=generator), "y": draw(4, 60),
                  "train_mask": torch.arange(60) % 2 == 0,
                  "val_mask": torch.arange(60) % 4 == 1,
                  "test_mask": torch.arange(60) % 4 == 3},
        ("author", "writes", "paper"): {"edge_index": torch.stack([draw(40, 200), draw(60, 200)])},
        ("paper", "cites", "paper"): {"edge_index": torch.stack([draw(60, 100), draw(60, 100)])},
    }
    return str(tg.partition(data, os.path.join(folder, f"typed{parts}"), parts,
                            edge_index=True, add_reverse=True))


@contextlib.contextmanager
def opened(graph, servers=0, **environment):
    """The DistGraph of this process: of the folder, or of so many servers."""
    with contextlib.ExitStack() as stack:
        if servers:
            fleet = stack.enter_context(tg.serve(graph, num_servers=servers))
            environment = {"TRIBUTARY_SERVERS": fleet.servers, **environment}
        stack.enter_context(mock.patch.dict(os.environ, environment))
        dgl.seed(5)
        dgl.distributed.initialize("ip_config.txt")
        stack.callback(dgl.distributed.exit_client)
        yield dgl.distributed.DistGraph("", part_config=graph)
