"""DistTensor and DistEmbedding with DGL's arguments."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import torch

from ... import dist_embedding, dist_tensor
from .. import _process
from .graph_partition_book import PartitionPolicy

# Functions whose values servers know.
_KNOWN = {"zeros": "zeros", "ones": "ones"}


class DistTensor(dist_tensor.DistTensor):
    """Rows on the servers, that all ranks read and write:

        tensor = DistTensor((g.num_nodes(), 10), torch.float32, name="test")
        tensor[[3, 4, 5]] = tensor[[1, 2, 3]]

    Args:
      shape: (rows,) or (rows, dim).
      dtype: of torch.
      name: by default one that all ranks number alike.
      init_func: None or torch.zeros, torch.ones, or what `tributary_gnn.DistTensor` takes as
        `initial`: servers run no function of a trainer.
      part_policy: of `DistGraph.get_node_partition_policy`: whose rows they are.
      persistent: no effect: each stays until the run ends, whatever refers to it.
      is_gdata, attach: no effect.

    A collective. For the rest see `tributary_gnn.DistTensor`.
    """

    def __init__(self, shape: Sequence[int], dtype: torch.dtype, name: str | None = None,
                 init_func: Any = None, part_policy: PartitionPolicy | None = None,
                 persistent: bool = False, is_gdata: bool = True, attach: bool = True):
        del is_gdata, attach, persistent
        super().__init__(_process.context(), name or _process.unnamed("tensor"), shape, dtype,
                         initial=initial_of(init_func), policy=policy_of(part_policy))
        self.part_policy = part_policy

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of rows, of torch."""
        return getattr(torch, super().dtype)


class DistEmbedding(dist_embedding.DistEmbedding):
    """Learned rows on the servers:

        emb = DistEmbedding(g.num_nodes("author"), 64, "author",
                            init_func={"kind": "uniform", "low": -1, "high": 1})
        sparse = dgl.distributed.SparseAdagrad([emb], lr=0.06)
        emb(nids)       # float32 [nids, 64]

    Arguments are those of `DistTensor`. The gradient of a row that a batch has looked up several
    times is divided by how often, and ranks' gradients are summed, times the optimizer's `scale`.
    DGL divides by the lookups of all ranks: 1 / ranks for a row that all have looked up, 1 for
    one that a single rank has. For the rest see `tributary_gnn.DistEmbedding`.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, name: str | None = None,
                 init_func: Any = None, part_policy: PartitionPolicy | None = None):
        super().__init__(_process.context(), name or _process.unnamed("embedding"),
                         num_embeddings, embedding_dim, initial=initial_of(init_func),
                         policy=policy_of(part_policy), average_duplicates=True)
        self.part_policy = part_policy


def policy_of(part_policy: PartitionPolicy | None) -> str | None:
    """Returns the text of a policy."""
    return None if part_policy is None else part_policy.policy_str


def initial_of(init_func: Any) -> str | Mapping[str, Any]:
    """Returns the option `initial` of a tensor.

    Raises:
      TypeError: a function that servers do not know.
    """
    if init_func is None:
        return "zeros"
    if isinstance(init_func, (str, Mapping)):
        return init_func
    known = _KNOWN.get(getattr(init_func, "__name__", ""))
    if known is not None and init_func is getattr(torch, known):
        return known
    raise TypeError(
        f"init_func is {init_func!r}: servers run no function of a trainer, as draws would depend "
        "on where rows lie; allowed: None, torch.zeros, torch.ones, {\"kind\": \"uniform\", "
        "\"low\": -1, \"high\": 1}, {\"kind\": \"normal\", \"mean\": 0, \"std\": 1}, {\"kind\": "
        "\"xavier_uniform\"}; or write other values: tensor[ids] = values")
