"""DGL's distributed names over Tributary: a script for `dgl.distributed` runs after its import
is changed (docs/migrating-from-dgl.md):

    import tributary_gnn.dgl as dgl

It needs torch, and not DGL: blocks are those of DGL where it is installed, else objects with
the fields that models in plain torch need.
"""

from __future__ import annotations

from . import dataloading, distributed, sampling
from ._draws import seed
from .blocks import EID, ETYPE, NID, NTYPE, Block, SampledGraph, to_block

__all__ = ["Block", "EID", "ETYPE", "NID", "NTYPE", "SampledGraph", "dataloading",
           "distributed", "sampling", "seed", "to_block"]
