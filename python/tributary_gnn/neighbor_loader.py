"""PyG's NeighborLoader over Tributary's batches."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from . import _arguments, _session
from ._arrays import ArrayFiles
from .hop_loader import HopLoader
from .source import WaitObserver


class NeighborLoader(HopLoader):
    """Iterates over batches of sampled neighbourhoods, with the arguments of PyG's
    NeighborLoader:

        loader = NeighborLoader(servers="file:servers.txt", num_neighbors=[15, 10, 5],
                                input_nodes="train", batch_size=1024, shuffle=True)
        for batch in loader:
            ...

    Each `iter` begins the next epoch, and ends the iterator before it; the first epoch is 0.
    A batch is a pure function of the graph, the options, the epoch and its index.

    Args:
      num_neighbors: how many neighbours of a node each hop draws, -1 for all: a list, or
        lists by edge type, with "default" for the types that are not named (else 0).
      input_nodes: the name of a split ("train"), ids, a mask over all nodes, None for all
        nodes; in a typed graph ("paper", one of these), or "paper:train".
      input_time: a time for each input, or one for all; by default the nodes' own.
      replace: draw with replacement.
      subgraph_type: "directional", "bidirectional", "induced".
      disjoint: a tree of its own for each input.
      temporal_strategy: "uniform", "last".
      time_attr: neighbours are not later than the input. "node" or "edge" says whose times
        count; any other name stands for the column of times that the graph has.
      weight_attr: draw by the edges' weights: the graph has one column of them, so any name
        will do.
      others: see `SessionLoader`, as for what is raised.
    """

    vocabulary = _arguments.Vocabulary(
        "NeighborLoader", "node", (*_arguments.HOP_OPTIONS, "max_scanned_edges"))

    def __init__(self, data: Any = None, num_neighbors: Any = None, input_nodes: Any = None,
                 input_time: Any = None, replace: bool = False,
                 subgraph_type: Any = "directional", disjoint: bool = False,
                 temporal_strategy: str = "uniform", time_attr: str | None = None,
                 weight_attr: str | None = None, transform: Callable[[Any], Any] | None = None,
                 transform_sampler_output: Any = None, is_sorted: bool = False,
                 filter_per_worker: bool | None = None, neighbor_sampler: Any = None,
                 directed: bool = True, *, batch_size: int = 1, shuffle: bool | str = False,
                 drop_last: bool = False, input_id: Any = None, rank: int | None = None,
                 world_size: int | None = None, format: str | None = None,
                 zero_copy: bool = False, pin_memory: bool = False, to_device: Any = None,
                 on_wait: WaitObserver | None = None, **options: Any):
        super().__init__(locals())

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        _session.check_input_time("input_time", arguments)
        return _session.made(self.vocabulary, arguments, files, {
            **_session.hops(arguments),
            "input_nodes": _session.inputs(arguments["input_nodes"], files),
            "input_time": _session.array(arguments, "input_time", files),
            "subgraph_type": _session.subgraph_type(arguments),
        })
