"""GLT's loaders, of tributary_gnn's."""

from __future__ import annotations

import importlib
import inspect
import sys
import weakref
from typing import Any, Mapping, NamedTuple

from ... import _arguments
from ..._ranks import place
from ...link_neighbor_loader import LinkNeighborLoader
from ...neighbor_loader import NeighborLoader
from ...session_loader import SessionLoader
from ...source import OPTION_NAMES, Source
from . import _inputs
from .context import get_context
from .options import CollocatedDistSamplingWorkerOptions

_DIRECTIONS = ("in", "out")
# Arguments of tributary_gnn's loaders that have one value here.
_CHOSEN = ("format", "rank", "subgraph_type", "world_size")

# Those of this process that are open.
opened: weakref.WeakSet[SessionLoader] = weakref.WeakSet()


class _Opening(NamedTuple):
    """What the arguments that GLT's loaders share become: the open source, and keywords of the
    loader."""

    source: Source
    keywords: dict[str, Any]


def _open(kind: type[SessionLoader], arguments: Mapping[str, Any], shared: bool,
          mapping: bool = False) -> _Opening:
    """Opens the source.

    Raises:
      ValueError: a direction or options that are refused; it names those that are allowed.
    """
    edge_dir = arguments["edge_dir"]
    if edge_dir not in _DIRECTIONS:
        raise ValueError(f"edge_dir is {edge_dir!r}; allowed: 'in', 'out'")
    others = dict(arguments["others"])
    _check_names(kind, others)  # before anything is opened
    options = _worker_options(kind, arguments["worker_options"])
    source_options = {name: others.pop(name) for name in OPTION_NAMES if name in others}
    source_options = {**options.source_options(arguments["data"], get_context()),
                      **source_options}
    with_edge, columns = bool(arguments["with_edge"]), ["y"]
    if arguments["collect_features"]:
        columns = ["x", "y"] + ["edge_attr"] * with_edge
    rank, world_size = _place() if shared else (0, 1)
    batches = importlib.import_module("._batches", __package__)  # needs PyG, the rest does not
    keywords = {
        "collect": ",".join(columns), "draw": "weighted" if arguments["with_weight"] else None,
        "edge_dir": None if mapping else edge_dir, "format": "pyg",
        # Without hops a typed graph's subgraphs may have no edges to leave ids out of.
        "omit_edge_ids": None if with_edge or arguments["num_neighbors"] is None else True,
        "random_seed": arguments["random_seed"], "to_device": _device(arguments["to_device"]),
        **others, "rank": rank, "world_size": world_size,
        "transform": batches.Fields(edge_dir == "out" and not mapping, with_edge, mapping,
                                    others.get("transform")),
        **{name: arguments[name] for name in ("batch_size", "shuffle", "drop_last")}}
    return _Opening(Source(source_options, on_wait=keywords.pop("on_wait", None)), keywords)


def _check_names(kind: type[SessionLoader], others: Mapping[str, Any]) -> None:
    """Raises TypeError for keywords that neither loader has, or that GLT's chooses."""
    chosen = sorted(set(_CHOSEN) & set(others))
    if chosen:
        raise TypeError(f"{kind.__name__} chooses {', '.join(chosen)}; allowed: "
                        f"tributary_gnn.{kind.__bases__[-1].__name__} with them")
    taken = inspect.signature(kind.__bases__[-1]).parameters
    kind.vocabulary.check_names([name for name in others if name not in taken],
                                inspect.signature(kind).parameters)


def _worker_options(kind: type, given: Any) -> Any:
    options = CollocatedDistSamplingWorkerOptions() if given is None else given
    if not hasattr(options, "source_options"):
        raise TypeError(f"worker_options of {kind.__name__} is a {type(options).__name__}; "
                        "allowed: Collocated-, Mp- or RemoteDistSamplingWorkerOptions")
    return options


def _place() -> tuple[int, int]:
    """Which of the processes that share the batches this is."""
    context = get_context()
    return (context.rank, context.world_size) if context else place(None, None)[:2]


def _device(given: Any) -> Any:
    """None is the current GPU where there is one, as in GLT."""
    torch = sys.modules.get("torch")
    if given is None and torch is not None and torch.cuda.is_available():
        return f"cuda:{torch.cuda.current_device()}"
    return given


class _Distributed(SessionLoader):
    """What the three loaders add to tributary_gnn's."""

    def _own(self, source: Source) -> None:
        """Closes the source with the loader."""
        self._owns_source = source is self.source
        opened.add(self)

    def shutdown(self) -> None:
        """Closes the loader."""
        self.close()


def _vocabulary(kind: type[SessionLoader], name: str) -> _arguments.Vocabulary:
    return kind.vocabulary._replace(loader=name, counterpart="GLT's {}")


class DistNeighborLoader(_Distributed, NeighborLoader):
    """Iterates over batches of sampled neighbourhoods, with the arguments of GLT's
    DistNeighborLoader, as PyG's Data or HeteroData:

        loader = DistNeighborLoader(dataset, [15, 10, 5], train_idx, batch_size=512,
                                    shuffle=True, collect_features=True,
                                    worker_options=MpDistSamplingWorkerOptions(num_workers=2))
        for batch in loader:
            ...

    Batches have the fields of `tributary_gnn.NeighborLoader`, and GLT's: `node` (n_id), `edge`
    (e_id, with with_edge), `batch` (the ids of the inputs), and tensors as
    num_sampled_nodes and num_sampled_edges. Each `iter` begins the next epoch.

    Args:
      data: a DistDataset after load(), or the graph's folder; None with servers.
      num_neighbors: neighbours of each hop, -1 for all: a list, or lists by edge type.
      input_nodes: this process's own inputs, of which it gets all batches: ids [n] or a mask.
        Or what all processes of its role share, who give the same: Split.train or the name of
        a split, None for all nodes, and with servers files of ids (.pt, .npy; this process
        reads them), if server_rank names all servers. In a typed graph (type, one of these).
      batch_size: inputs of a batch.
      shuffle, drop_last: as in PyTorch.
      with_edge: batches have the ids of edges, and with collect_features their features.
        Without it ids are not sent either (omit_edge_ids).
      with_weight: neighbours are drawn by the edges' weights, of a graph with such.
      edge_dir: "out" draws among the edges that begin at a node, of a graph partitioned with
        --out-edges or, with types, --add-reverse; "in" among those that end there. Messages
        go to the inputs in both: edges that "out" has drawn are turned round, in typed
        graphs under the name of the reverse type (`reverse_edge_type`).
      collect_features: batches have features. Labels come in any case.
      to_device: None: the current GPU, or the CPU where there is none.
      random_seed: None: 0. Batches are a function of it, the epoch and their index.
      worker_options: where batches are made; None: in this process.
      others: other options of `tributary_gnn.NeighborLoader` by keyword: transform, collect,
        feature_dtype, ..., and of docs/modes.md: tls_ca, trainer_cache, ...

    Raises: what `tributary_gnn.NeighborLoader` raises.
    """

    vocabulary = _vocabulary(NeighborLoader, "DistNeighborLoader")

    def __init__(self, data: Any, num_neighbors: Any, input_nodes: Any, batch_size: int = 1,
                 shuffle: bool = False, drop_last: bool = False, with_edge: bool = False,
                 with_weight: bool = False, edge_dir: str = "out",
                 collect_features: bool = False, to_device: Any = None,
                 random_seed: int | None = None, worker_options: Any = None, **others: Any):
        inputs = _inputs.of_nodes(input_nodes, worker_options, get_context())
        source, keywords = _open(DistNeighborLoader, locals(), inputs.shared)
        super().__init__(source, num_neighbors, inputs.given, **keywords)
        self._own(source)


class DistLinkNeighborLoader(_Distributed, LinkNeighborLoader):
    """Iterates over batches of links, their negatives and the neighbourhoods of both, with the
    arguments of GLT's DistLinkNeighborLoader.

    `edge_label_index` of a batch is [destination, source], as GLT's is; in a typed graph with
    edge_dir="in" [source, destination].

    Args:
      edge_label_index: this process's own links: node ids [2, links], of a typed graph
        (edge type, ids). Or what all processes of its role share: None for all edges, an edge
        type for all of it, the name of a split of edges.
      edge_label: a number for each link that is listed.
      neg_sampling: NegativeSampling of tributary_gnn.glt.sampler or of PyG, "binary",
        "triplet".
      others: as in DistNeighborLoader, and those of `tributary_gnn.LinkNeighborLoader`.

    Raises: what `tributary_gnn.LinkNeighborLoader` raises.
    """

    vocabulary = _vocabulary(LinkNeighborLoader, "DistLinkNeighborLoader")

    def __init__(self, data: Any, num_neighbors: Any, batch_size: int = 1,
                 edge_label_index: Any = None, edge_label: Any = None, neg_sampling: Any = None,
                 shuffle: bool = False, drop_last: bool = False, with_edge: bool = False,
                 with_weight: bool = False, edge_dir: str = "out",
                 collect_features: bool = False, to_device: Any = None,
                 random_seed: int | None = None, worker_options: Any = None, **others: Any):
        listed = self._are_listed({"edge_label_index": edge_label_index})
        source, keywords = _open(DistLinkNeighborLoader, locals(), not listed)
        super().__init__(source, num_neighbors, edge_label_index, edge_label,
                         neg_sampling=neg_sampling, **keywords)
        self._own(source)


class DistSubGraphLoader(_Distributed, NeighborLoader):
    """Iterates over the subgraphs that the inputs and their sampled neighbours induce, with
    the arguments of GLT's DistSubGraphLoader.

    `mapping` of a batch is the place of each input among its nodes, and edge_index is
    [source, destination] of the graph's edges.

    Args:
      num_neighbors: None: the inputs alone.
      edge_dir: hops draw among the edges that end at a node in any case; "out" with hops is
        noted once, as it makes a difference in directed graphs.
      others: as in DistNeighborLoader.

    Raises: what `tributary_gnn.NeighborLoader` raises.
    """

    vocabulary = _vocabulary(NeighborLoader, "DistSubGraphLoader")

    def __init__(self, data: Any, input_nodes: Any, num_neighbors: Any = None,
                 batch_size: int = 1, shuffle: bool = False, drop_last: bool = False,
                 with_edge: bool = False, with_weight: bool = False, edge_dir: str = "out",
                 collect_features: bool = False, to_device: Any = None,
                 random_seed: int | None = None, worker_options: Any = None, **others: Any):
        if num_neighbors is not None and edge_dir == "out":
            _arguments.warn_once("glt.subgraph", (
                "edge_dir='out' of DistSubGraphLoader has no effect: hops draw among the edges "
                "that end at a node, which are the same where each edge has its reverse"))
        inputs = _inputs.of_nodes(input_nodes, worker_options, get_context())
        source, keywords = _open(DistSubGraphLoader, locals(), inputs.shared, mapping=True)
        super().__init__(source, [0] if num_neighbors is None else num_neighbors, inputs.given,
                         subgraph_type="induced", **keywords)
        self._own(source)
