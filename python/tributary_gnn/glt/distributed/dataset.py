"""The graph of a script: a folder that `tributary partition` has written."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Mapping

from ... import _arguments, errors
from ...graph_types import EdgeType, GraphTypes, NodeType

_ON_CPUS = "batches are sampled by CPUs, from files of the graph that are mapped"
_STORED = "the graph's labels are stored with it (`tributary partition`)"

# Arguments of load(): (value that says nothing, why others have no effect).
_NOTES: Mapping[str, tuple[Any, str]] = {
    "graph_mode": ("CPU", _ON_CPUS),
    "input_layout": ("COO", "the stored graph has its own layout"),
    "graph_caching": (False, "workers map the whole graph; a server holds its partition, or "
                             "those of partitions= of init_server"),
    "device_group_list": (None, _ON_CPUS),
    "device": (None, _ON_CPUS),
    "whole_node_label_file": (None, _STORED),
}
_MODES = ("CPU", "ZERO_COPY", "CUDA")

# Attributes of GLT's: what takes their place.
_INSTEAD = {
    **dict.fromkeys(("graph", "node_features", "edge_features", "node_labels", "node_pb",
                     "edge_pb", "node_feat_pb", "edge_feat_pb", "get_graph", "get_node_feature",
                     "get_edge_feature", "get_node_label"),
                    "tributary_gnn.Graph(dataset.graph_dir), which reads by ids"),
    **dict.fromkeys(("random_node_split", "train_idx", "val_idx", "test_idx",
                     "init_node_split"),
                    "splits of the stored graph, as input_nodes='train' or Split.train"),
    **dict.fromkeys(("load_vineyard", "init_graph", "init_node_features", "init_edge_features",
                     "init_node_labels"),
                    "tributary_gnn.partition(), which writes a graph that load() takes"),
}


class DistDataset:
    """The folder of a partitioned graph, and which partition a server holds:

        dataset = DistDataset()
        dataset.load(root_dir="products", partition_idx=0)

    Loading reads the graph's description alone. The whole folder must be visible to
    each machine that samples: workers map all of it, a server its partition. It can be passed
    to processes that are started with it.

    Args:
      num_partitions, partition_idx, edge_dir, graph_caching: attributes, which load() sets but
        for edge_dir.
      others: GLT's tensors of a partition, which are not taken.

    Raises:
      TypeError: tensors are given; it names what takes them.
    """

    def __init__(self, num_partitions: int = 1, partition_idx: int = 0,
                 graph_partition: Any = None, node_feature_partition: Any = None,
                 edge_feature_partition: Any = None, whole_node_labels: Any = None,
                 node_pb: Any = None, edge_pb: Any = None, node_feat_pb: Any = None,
                 edge_feat_pb: Any = None, edge_dir: str = "out", graph_caching: bool = False,
                 node_split: Any = None, id_filter: Any = None, id_select: Any = None):
        tensors = {
            "graph_partition": graph_partition, "node_feature_partition": node_feature_partition,
            "edge_feature_partition": edge_feature_partition, "node_pb": node_pb,
            "whole_node_labels": whole_node_labels, "edge_pb": edge_pb, "node_split": node_split,
            "node_feat_pb": node_feat_pb, "edge_feat_pb": edge_feat_pb, "id_filter": id_filter,
            "id_select": id_select}
        given = [name for name, value in tensors.items() if value is not None]
        if given:
            raise TypeError(f"DistDataset takes no {', '.join(given)}; instead: "
                            "tributary_gnn.partition(arrays, FOLDER), then load(FOLDER, ...)")
        self.num_partitions = num_partitions
        self.partition_idx = partition_idx
        self.edge_dir = edge_dir
        self.graph_caching = graph_caching
        self.graph_dir: str | None = None
        self._types: GraphTypes | None = None

    def load(self, root_dir: str | os.PathLike | None = None, partition_idx: int = 0,
             graph_mode: str = "ZERO_COPY", input_layout: str = "COO",
             feature_with_gpu: bool = True, graph_caching: bool = False,
             device_group_list: Any = None, whole_node_label_file: Any = None,
             device: Any = None, *, graph_dir: str | os.PathLike | None = None) -> None:
        """Names the folder of the graph, and the partition that a server of it holds.

        Args:
          root_dir, graph_dir: the folder that `tributary partition` has written.
          partition_idx: 0 to the number of partitions - 1.
          graph_mode, feature_with_gpu, device_group_list, device: no effect, as batches are
            sampled by CPUs; "ZERO_COPY" and "CUDA" are noted once.
          input_layout, graph_caching: no effect.
          whole_node_label_file: no effect: labels are stored with the graph.

        Raises:
          NotFound (a KeyError): there is no such graph.
          ValueError: no such partition or mode, or labels are named and the graph has none.
        """
        folder = root_dir if graph_dir is None else graph_dir
        if folder is None or (root_dir is not None and graph_dir is not None):
            raise TypeError("load() names the graph's folder once; allowed: root_dir=, or "
                            "graph_dir= in its place")
        if graph_mode not in _MODES:
            raise ValueError(f"graph_mode is {graph_mode!r}; allowed: "
                             f"{', '.join(map(repr, _MODES))}")
        schema = _schema(folder)
        if not 0 <= partition_idx < schema["num_partitions"]:
            raise ValueError(f"partition_idx is {partition_idx}; allowed: 0 to "
                             f"{schema['num_partitions'] - 1}, the partitions of {folder}")
        labelled = any(its["y"] is not None for its in schema["node_types"])
        if whole_node_label_file is not None and not labelled:
            raise ValueError(f"whole_node_label_file is given, and the graph {folder} has no "
                             "labels; allowed: labels that `tributary partition` stores with it")
        given = {"graph_mode": graph_mode, "input_layout": input_layout, "device": device,
                 "graph_caching": graph_caching, "device_group_list": device_group_list,
                 "whole_node_label_file": whole_node_label_file}
        for name, value in given.items():
            silent, why = _NOTES[name]
            if value != silent:
                _arguments.warn_once(f"glt.load.{name}", f"{name}={value!r} has no effect: {why}")
        self.graph_dir = os.path.abspath(folder)
        self.num_partitions = schema["num_partitions"]
        self.partition_idx = partition_idx
        self.graph_caching = graph_caching
        self._types = GraphTypes(schema)

    def get_node_types(self) -> list[NodeType] | None:
        """Returns the node types; None of a graph without types."""
        return list(self._types.node_types) if self._is_typed() and self._types else None

    def get_edge_types(self) -> list[EdgeType] | None:
        """Returns the edge types; None of a graph without types."""
        return list(self._types.edge_types) if self._is_typed() and self._types else None

    def _is_typed(self) -> bool:
        return self._types is not None and self._types.heterogeneous

    def __getattr__(self, name: str) -> Any:
        if name in _INSTEAD:
            raise AttributeError(f"DistDataset has no {name!r}; instead: {_INSTEAD[name]}")
        raise AttributeError(f"DistDataset has no attribute {name!r}")


def _schema(folder: str | os.PathLike) -> dict[str, Any]:
    """Returns graph.json of a folder."""
    path = pathlib.Path(folder, "graph.json")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    theirs = pathlib.Path(folder, "META").exists()
    raise errors.NotFound(
        f"{os.fspath(folder)} is {'a partition that GLT has written' if theirs else 'no graph'}; "
        "allowed: a folder that `tributary partition` has written"
        + (", which takes GLT's by tributary_export.py (docs/migrating-from-glt.md)"
           if theirs else ""))
