"""PyG's LinkNeighborLoader over Tributary's batches."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy

from . import _arguments, _links, _session
from ._arrays import ArrayFiles
from .graph import Graph
from .hop_loader import HopLoader
from .source import WaitObserver


class LinkNeighborLoader(HopLoader):
    """Iterates over batches of links, their negatives and the neighbourhoods of both, with
    the arguments of PyG's LinkNeighborLoader:

        loader = LinkNeighborLoader(servers="file:servers.txt", num_neighbors=[10, 5],
                                    edge_label_index="train", neg_sampling="binary",
                                    batch_size=512, shuffle=True)
        for batch in loader:
            ...

    As in PyG, hops may sample the links that a batch is made for; `exclude=` leaves them
    out. A split is what `partition --edge-splits` made of rows of edges.

    Args:
      num_neighbors: as in `NeighborLoader`.
      edge_label_index: the links, which need not be edges: the name of a split of edges,
        node ids [2, links], None for all edges; in a typed graph (("user", "buys", "item"),
        one of these), or the edge type alone for all its edges. For all edges of the graph
        their ids are read when the loader is opened, by every rank.
      edge_label: [links], whole numbers or floats (float32). As in PyG, labels that begin
        with 0 grow by 1 if there are negatives, whose label is 0. Not for splits.
      edge_label_time: a time for each link, or one for all; with time_attr.
      replace, temporal_strategy, weight_attr: as in `NeighborLoader`.
      subgraph_type: "directional".
      disjoint: a tree of its own for each link with its negatives.
      neg_sampling: PyG's NegativeSampling, a mapping of its arguments, its mode as a text:
        "binary" (both ends are drawn), "triplet" (destinations for each source); or
        "destination", as DGL: those of triplet, as pairs.
      neg_sampling_ratio: the amount of "binary".
      time_attr: neighbours are not later than the link; as in `NeighborLoader`.
      input_id: a number for each link.
      options: among them those of sessions of links: exclude, enclosing, neg_strict,
        on_exhausted, neg_degree_power, and neg_destination, your own negatives: node ids
        [links, negatives of each].
      others: see `SessionLoader`, as for what is raised.
    """

    vocabulary = _arguments.Vocabulary(
        "LinkNeighborLoader", "link",
        (*_arguments.HOP_OPTIONS, "neg_amount", "neg_degree_power", "neg_destination",
         "neg_strict", "on_exhausted", "exclude", "enclosing"),
        refused={"input_nodes": "edge_label_index=", "input_edges": "edge_label_index=",
                 "input_time": "edge_label_time=",
                 "max_scanned_edges": "enclosing=True, which has no such limit"})
    inputs_argument = "edge_label_index"
    collects_seed_time = False

    def __init__(self, data: Any = None, num_neighbors: Any = None,
                 edge_label_index: Any = None, edge_label: Any = None,
                 edge_label_time: Any = None, replace: bool = False,
                 subgraph_type: Any = "directional", disjoint: bool = False,
                 temporal_strategy: str = "uniform", neg_sampling: Any = None,
                 neg_sampling_ratio: float | None = None, time_attr: str | None = None,
                 weight_attr: str | None = None, transform: Callable[[Any], Any] | None = None,
                 transform_sampler_output: Any = None, is_sorted: bool = False,
                 filter_per_worker: bool | None = None, neighbor_sampler: Any = None,
                 directed: bool = True, *, batch_size: int = 1, shuffle: bool | str = False,
                 drop_last: bool = False, input_id: Any = None, rank: int | None = None,
                 world_size: int | None = None, format: str | None = None,
                 zero_copy: bool = False, pin_memory: bool = False, to_device: Any = None,
                 on_wait: WaitObserver | None = None, **options: Any):
        super().__init__(locals())

    def _are_listed(self, arguments: Mapping[str, Any]) -> bool:
        return _links.parse(arguments["edge_label_index"]).listed

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        _check_times(arguments)
        _check_subgraph(arguments)
        links = _links.parse(arguments["edge_label_index"])
        return _session.made(self.vocabulary, arguments, files, {
            **_session.hops(arguments),
            **_links.negatives(arguments),
            "input_edges": _links.input_edges(
                links, arguments["edge_label"], files,
                self._all_edges),
            "input_time": _links.times(links, arguments["edge_label_time"], files),
            "neg_destination": _links.own_negatives(arguments.get("neg_destination"), files),
        })

    def _all_edges(self, edge_type: str) -> numpy.ndarray:
        with Graph(self.source) as graph:
            if not edge_type and len(graph.edge_types) != 1:
                raise ValueError("all edges of a graph of several types; allowed: those of one "
                                 "edge type, as (('user', 'buys', 'item'), None)")
            edges = graph.edges(edge_type or None)
        return numpy.column_stack([edges.src, edges.dst])


def _check_times(arguments: Mapping[str, Any]) -> None:
    """Links have no times of their own, so that both arguments are needed, as in PyG."""
    _session.check_input_time("edge_label_time", arguments)
    if arguments["edge_label_time"] is None and _session.times(arguments) not in (
            [None], ["none"]):
        raise ValueError("time_attr without edge_label_time; allowed: both, with a time for "
                         "each link, or one for all")


def _check_subgraph(arguments: Mapping[str, Any]) -> None:
    subgraph_type = _session.subgraph_type(arguments)
    if subgraph_type != "directional":
        raise TypeError(f"subgraph_type={subgraph_type!r} is not taken for links; instead: "
                        "'directional', or enclosing=True, all edges between the nodes around "
                        "each link but the link itself")
