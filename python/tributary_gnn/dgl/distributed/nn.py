"""`dgl.distributed.nn`."""

from __future__ import annotations

from .rows import DistEmbedding

NodeEmbedding = DistEmbedding

__all__ = ["NodeEmbedding"]
