"""Loaders of neighbours that each layer draws for all nodes at once."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from . import _arguments, _session
from ._arrays import ArrayFiles
from .session_loader import SessionLoader
from .source import WaitObserver


class LayerWiseLoader(SessionLoader):
    """Iterates over batches whose layers each draw nodes jointly for all nodes that are found
    so far: LADIES and FastGCN (docs/sampling/layers.md):

        loader = LayerWiseLoader(servers="file:servers.txt", nodes_per_layer=[512, 512],
                                 input_nodes="train", batch_size=512, shuffle=True)
        for batch in loader:
            out = model(batch.x, batch.edge_index, batch.edge_weight)[:batch.batch_size]

    Batches have what those of `NeighborLoader` have, and `edge_weight`, by which the weighted
    mean of a node's sampled neighbours estimates the mean of all.

    Args:
      nodes_per_layer: how many nodes each layer draws, the layer next to the inputs first.
      input_nodes: as in `NeighborLoader`.
      importance: "ladies", "uniform", "fastgcn": by what nodes are drawn.
      edge_type: the edge type that layers follow, in a typed graph: ("paper", "cites",
        "paper").
      others: see `SessionLoader`, as for what is raised.
    """

    vocabulary = _arguments.Vocabulary(
        "LayerWiseLoader", "layerwise", refused={"num_neighbors": "nodes_per_layer="},
        counterpart="tributary_gnn's {}")

    def __init__(self, data: Any = None, nodes_per_layer: Any = None, input_nodes: Any = None,
                 importance: str = "ladies", edge_type: Any = None, *,
                 transform: Callable[[Any], Any] | None = None, batch_size: int = 1,
                 shuffle: bool | str = False, drop_last: bool = False, input_id: Any = None,
                 rank: int | None = None, world_size: int | None = None,
                 format: str | None = None, zero_copy: bool = False, pin_memory: bool = False,
                 to_device: Any = None, on_wait: WaitObserver | None = None, **options: Any):
        if nodes_per_layer is None:
            raise TypeError("nodes_per_layer is required: a number for each layer, as [512, 256]")
        super().__init__(locals())

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        layers = arguments["nodes_per_layer"]
        return _session.made(self.vocabulary, arguments, files, {
            "input_nodes": _session.inputs(arguments["input_nodes"], files),
            "nodes_per_layer": layers if isinstance(layers, str) else list(layers),
            "importance": arguments["importance"],
            "edge_type": _session.edge_type(arguments),
        })
