"""PyG's ShaDowKHopSampler over Tributary's batches."""

from __future__ import annotations

import operator
from typing import Any, Callable, Mapping

from . import _arguments, _session, formats
from ._arrays import ArrayFiles
from .session_loader import SessionLoader
from .source import WaitObserver


class ShaDowKHopSampler(SessionLoader):
    """Iterates over batches of small subgraphs, one around each input, with the arguments of
    PyG's ShaDowKHopSampler:

        loader = ShaDowKHopSampler(servers="file:servers.txt", depth=2, num_neighbors=10,
                                   node_idx="train", batch_size=256, shuffle=True)
        for batch in loader:
            out = model(batch.x, batch.edge_index)[batch.root_n_id]

    In format "pyg" batches are PyG's: `batch`, `ptr`, `root_n_id`, and `y` of the inputs
    alone. The other formats have what `NeighborLoader` gives with disjoint=True and
    subgraph_type="induced": nodes in the order of hops, `batch`, `seed_index` in the place of
    `root_n_id`, and labels of all nodes.

    Args:
      depth: hops.
      num_neighbors: neighbours that each hop draws for a node, -1 for all.
      node_idx: the inputs, as input_nodes of `NeighborLoader`.
      replace: draw with replacement.
      others: see `SessionLoader`, as for what is raised.
    """

    vocabulary = _arguments.Vocabulary(
        "ShaDowKHopSampler", "node",
        ("expand", "draw", "edge_dir", "max_scanned_edges"),
        refused={"input_nodes": "node_idx=",
                 **{name: "tributary_gnn.NeighborLoader, which has it" for name in (
                     "disjoint", "subgraph_type", "time_attr", "weight_attr", "input_time")}})
    inputs_argument = "node_idx"
    instead_of_types = "NeighborLoader(disjoint=True, subgraph_type='induced')"

    def __init__(self, data: Any = None, depth: int | None = None,
                 num_neighbors: int | None = None, node_idx: Any = None, replace: bool = False,
                 *, transform: Callable[[Any], Any] | None = None, batch_size: int = 1,
                 shuffle: bool | str = False, drop_last: bool = False, input_id: Any = None,
                 rank: int | None = None, world_size: int | None = None,
                 format: str | None = None, zero_copy: bool = False, pin_memory: bool = False,
                 to_device: Any = None, on_wait: WaitObserver | None = None, **options: Any):
        if depth is None or num_neighbors is None:
            raise TypeError("depth and num_neighbors are required: how many hops, and how many "
                            "neighbours each of them draws for a node")
        super().__init__(locals())

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        fanout = _whole("num_neighbors", arguments["num_neighbors"])
        return _session.made(self.vocabulary, arguments, files, {
            "input_nodes": _session.inputs(arguments["node_idx"], files),
            "num_neighbors": [fanout] * _whole("depth", arguments["depth"]),
            "replace": bool(arguments["replace"]),
            "disjoint": True,
            "subgraph_type": "induced",
        })

    def _converter(self, request: formats.Request) -> formats.Converter:
        convert = super()._converter(request)
        if self._format != "pyg":
            return convert
        from .formats.pyg_kinds import ego_subgraphs  # needs PyG

        return lambda batch: ego_subgraphs(convert(batch))


def _whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; allowed: a whole number, as in PyG; "
                        "NeighborLoader takes a list") from None
