"""Loaders of the nodes of the largest personalised PageRank."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from . import _arguments, _session, formats
from ._arrays import ArrayFiles
from .session_loader import SessionLoader
from .source import WaitObserver


class PPRLoader(SessionLoader):
    """Iterates over batches of inputs, each with the `top_k` nodes of the largest personalised
    PageRank, as PPRGo and IBMB take them (docs/sampling/ppr.md):

        loader = PPRLoader(servers="file:servers.txt", top_k=32, input_nodes="train",
                           batch_size=512, shuffle=True)
        for batch in loader:
            ...

    As PyG's transform GDC makes a graph of these scores, so a batch in format "pyg" is one:
    `edge_index` leads from each of the nodes to its input, and `edge_weight` is its score; the
    inputs are the first batch_size nodes. All formats have `ppr_id`, `ppr_index` and
    `ppr_weight`, [inputs, top_k].

    Args:
      top_k: nodes for each input.
      input_nodes: as in `NeighborLoader`.
      alpha: the probability that a walk ends at a step; GDC's alpha.
      epsilon: a node is pushed while its residual exceeds this times its degree; GDC's eps.
      edge_type: the edge type that walks follow, in a typed graph: ("paper", "cites", "paper").
      others: see `SessionLoader`, as for what is raised.
    """

    vocabulary = _arguments.Vocabulary(
        "PPRLoader", "ppr", refused={"k": "top_k=", "topk": "top_k=", "eps": "epsilon="},
        counterpart="tributary_gnn's {}")

    def __init__(self, data: Any = None, top_k: int | None = None, input_nodes: Any = None,
                 alpha: float = 0.15, epsilon: float = 1e-4, edge_type: Any = None, *,
                 transform: Callable[[Any], Any] | None = None, batch_size: int = 1,
                 shuffle: bool | str = False, drop_last: bool = False, input_id: Any = None,
                 rank: int | None = None, world_size: int | None = None,
                 format: str | None = None, zero_copy: bool = False, pin_memory: bool = False,
                 to_device: Any = None, on_wait: WaitObserver | None = None, **options: Any):
        if top_k is None:
            raise TypeError("top_k is required: how many nodes each input has")
        self._edge_type: Any = None
        super().__init__(locals())

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        edge_type = _session.edge_type(arguments)
        self._edge_type = None if edge_type is None else tuple(edge_type.split(","))
        return _session.made(self.vocabulary, arguments, files, {
            "input_nodes": _session.inputs(arguments["input_nodes"], files),
            "edge_type": edge_type,
            **{name: arguments[name] for name in ("top_k", "alpha", "epsilon")},
        })

    def _converter(self, request: formats.Request) -> formats.Converter:
        convert = super()._converter(request)
        if self._format != "pyg":
            return convert
        from .formats.pyg_kinds import graph_of_scores  # needs PyG

        edge_type = self._edge_type if self.graph_types.heterogeneous else None
        return lambda batch: graph_of_scores(convert(batch), edge_type)
