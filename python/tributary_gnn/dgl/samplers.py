"""DGL's samplers, which loaders take."""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Sequence

import torch

from . import negative_sampler
from .blocks import SampledGraph, to_block

_OutputNodes = Any  # ids, or a mapping of them by node type


class Sampled(NamedTuple):
    """What samplers give of their output nodes: the ids that the first block reads, the output
    nodes, and a block for each layer, the outermost first."""

    input_nodes: Any
    output_nodes: Any
    blocks: list[Any]


class NeighborSampler:
    """Samples a fanout of neighbours for each layer. As DGL's, which the loaders take:

        sampler = NeighborSampler([10, 25])
        loader = DistNodeDataLoader(g, train_nids, sampler, batch_size=1024)

    or as that of DGL's example, whose `sample_blocks` is the `collate_fn` of a
    `DistDataLoader`:

        sampler = NeighborSampler(g, [10, 25], dgl.distributed.sample_neighbors, device)

    Args:
      fanouts: of each layer, the first of the layer that is farthest from the output nodes: a
        number of edges of each type, -1 for all, or a mapping by edge type.
      edge_dir: "in" or "out".
      prob: "weight": by the stored weights.
      mask: the name of a mask of edges; only its edges count.
      replace: with replacement.
      device: where blocks are put.
      prefetch_node_feats, prefetch_labels, prefetch_edge_feats, fused: no effect.
    """

    def __init__(self, *arguments: Any, edge_dir: str = "in", prob: str | None = None,
                 mask: str | None = None, replace: bool = False, output_device: Any = None,
                 **others: Any):
        check_others("NeighborSampler", others, {}, (
            "prefetch_node_feats", "prefetch_labels", "prefetch_edge_feats", "fused"))
        self._graph: Any = None
        self._sample_neighbors: Callable[..., SampledGraph] | None = None
        device: Any = output_device
        if len(arguments) == 1:
            fanouts = arguments[0]
        elif len(arguments) in (3, 4):
            self._graph, fanouts, self._sample_neighbors = arguments[:3]
            device = arguments[3] if len(arguments) == 4 else output_device
        else:
            raise TypeError(f"NeighborSampler takes (fanouts) or (g, fanouts, sample_neighbors, "
                            f"device), not {len(arguments)} arguments")
        self.fanouts: list[Any] = list(fanouts)
        self.edge_dir, self.prob, self.mask, self.replace = edge_dir, prob, mask, replace
        self.device = device

    def sample_blocks(self, *arguments: Any, exclude_eids: Any = None) -> Any:
        """sample_blocks(seeds) returns the blocks of these nodes, where the sampler was made
        with a graph; sample_blocks(g, seeds) returns DGL's (input_nodes, output_nodes,
        blocks)."""
        if len(arguments) == 1 and self._graph is not None:
            return self.sample(self._graph, arguments[0], exclude_eids).blocks
        g, seeds = arguments[:2]
        return self.sample(g, seeds, exclude_eids)

    def sample(self, g: Any, seed_nodes: _OutputNodes, exclude_eids: Any = None) -> Sampled:
        """Returns the blocks of these nodes, ids or a mapping of them by node type."""
        output = seeds = to_tensors(seed_nodes)
        sample = self._sample_neighbors or type(g).sample_neighbors
        masked = {} if self.mask is None else {"edge_mask": self.mask}
        blocks: list[Any] = []
        for fanout in reversed(self.fanouts):
            frontier = sample(g, seeds, fanout, edge_dir=self.edge_dir, prob=self.prob,
                              replace=self.replace, exclude_edges=exclude_eids, **masked)
            block = to_block(frontier, seeds)
            blocks.insert(0, block if self.device is None else block.to(self.device))
            seeds = {its: block.srcnodes[its].data["_ID"] for its in block.srctypes}
        return Sampled(only_one(seeds), output, blocks)

    @property
    def is_plain(self) -> bool:
        """Whether servers may sample all layers at once: nothing of it is the user's own."""
        return (self._sample_neighbors is None and type(self).sample is NeighborSampler.sample
                and type(self).sample_blocks is NeighborSampler.sample_blocks)


MultiLayerNeighborSampler = NeighborSampler


class MultiLayerFullNeighborSampler(NeighborSampler):
    """Takes all neighbours in each of `num_layers` layers."""

    def __init__(self, num_layers: int, **options: Any):
        super().__init__([-1] * num_layers, **options)


class EdgePredictionSampler(NamedTuple):
    """What `as_edge_prediction_sampler` makes."""

    sampler: NeighborSampler
    exclude: Any
    reverse_eids: Any
    reverse_etypes: Mapping[Any, Any]
    negatives: negative_sampler.Uniform | None


def as_edge_prediction_sampler(sampler: NeighborSampler, exclude: str | None = None,
                               reverse_eids: Any = None, reverse_etypes: Any = None,
                               negative_sampler: Any = None) -> EdgePredictionSampler:
    """Returns what `DistEdgeDataLoader` takes.

    Args:
      exclude: None, "self": blocks have none of the batch's edges, "reverse_id": nor those
        that `reverse_eids` has in their places, the reverse of each edge by edge id, in a typed
        graph by edge type, or "reverse_types": nor those of `reverse_etypes`, which have the
        same ids.
      negative_sampler: `negative_sampler.Uniform(k)` adds pairs that may be no edges.
    """
    if negative_sampler is not None and not hasattr(negative_sampler, "draw"):
        raise TypeError(f"negative_sampler is a {type(negative_sampler).__name__}; allowed: "
                        "negative_sampler.Uniform(k) of this package, or an object with its draw()")
    if exclude not in (None, "self", "reverse_id", "reverse_types") or (
            (exclude == "reverse_id") != (reverse_eids is not None)):
        given = "no " if reverse_eids is None else ""
        raise ValueError(f"exclude is {exclude!r} with {given}reverse_eids; allowed: None, 'self', "
                         "'reverse_id' with reverse_eids=, 'reverse_types' with reverse_etypes=")
    return EdgePredictionSampler(sampler, exclude, reverse_eids, reverse_etypes or {},
                                 negative_sampler)


def to_tensors(ids: Any) -> Any:
    """Returns ids as tensors, int64 [ids], or the mapping of them by type."""
    if isinstance(ids, Mapping):
        return {its: torch.as_tensor(of_type, dtype=torch.int64) for its, of_type in ids.items()}
    return torch.as_tensor(ids, dtype=torch.int64)


def only_one(by_type: Mapping[str, torch.Tensor]) -> Any:
    """Returns the ids of the only type, or the mapping of several."""
    return by_type if len(by_type) > 1 else next(iter(by_type.values()))


def check_others(what: str, given: Mapping[str, Any], only: Mapping[str, Any],
                  without_effect: Sequence[str]) -> None:
    """Refuses arguments that are neither without effect, nor have the only value that there is."""
    for name, value in given.items():
        if name in only and value == only[name]:
            continue
        if name in only:
            raise TypeError(f"{what}: {name} is {value!r}; allowed: {only[name]!r}, as each rank "
                            "gives its own share")
        if name not in without_effect:
            raise TypeError(f"{what} has no argument {name!r}")
