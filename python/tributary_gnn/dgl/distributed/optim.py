"""`dgl.distributed.optim`: optimizers of embeddings, whose steps servers make."""

from __future__ import annotations

from ...dist_embedding import SparseAdagrad, SparseAdam

__all__ = ["SparseAdagrad", "SparseAdam"]
