"""The batches of PyG's Node2Vec.loader() over Tributary's walks."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy

from . import _arguments, _draws, _session, formats
from ._arrays import ArrayFiles
from .batch import Batch
from .session_loader import SessionLoader
from .source import WaitObserver


class Node2VecLoader(SessionLoader):
    """Iterates over positive and negative walks, as `Node2Vec(...).loader(...)` of PyG does,
    with the arguments of both:

        loader = Node2VecLoader(servers="file:servers.txt", walk_length=20, context_size=10,
                                walks_per_node=10, batch_size=128, shuffle=True)
        for pos_rw, neg_rw in loader:
            loss = model.loss(pos_rw, neg_rw)

    Both are int64 node ids, [rows, context_size]: all windows of the walks, the first windows
    of all walks first. The positive walks are those of `walk` sessions
    (docs/sampling/walks.md), which go against the direction of edges; where a node has no
    neighbour a walk stays, as PyG's does. Negative walks begin at the same nodes, and go on
    with nodes drawn from the whole graph, by random_seed, epoch and index.

    Args:
      walk_length: nodes of a walk, as in PyG, so one step less.
      context_size: nodes of a window, up to walk_length.
      walks_per_node: positive walks from each input.
      p, q: 1 / p is the weight of going back, 1 / q that of going away.
      num_negative_samples: negative walks for each positive one.
      input_nodes: where walks begin, as in `NeighborLoader`; None: at all nodes, as in PyG.
      others: see `SessionLoader`, as for what is raised. Formats "pyg" and "torch" give
        tensors.
    """

    vocabulary = _arguments.Vocabulary(
        "Node2VecLoader", "walk", ("restart_prob", "restart_ends"),
        refused={"embedding_dim": "an argument of the model", "sparse": "an argument of the model",
                 "num_nodes": "the graph, which says how many there are",
                 "edge_index": "the graph as the first argument",
                 "metapath": "tributary_gnn.Loader, whose session of kind walk has metapath",
                 "input_id": "the first column of the walks, which has the inputs"},
        notes={"zero_copy": ((False, None), "PyG's order of the walks is made of a copy")},
        counterpart="PyG's Node2Vec.loader()")
    instead_of_types = ("tributary_gnn.Loader, with a session of kind walk and its metapath")

    def __init__(self, data: Any = None, walk_length: int | None = None,
                 context_size: int | None = None, walks_per_node: int = 1, p: float = 1.0,
                 q: float = 1.0, num_negative_samples: int = 1, *, input_nodes: Any = None,
                 transform: Callable[[Any], Any] | None = None, batch_size: int = 1,
                 shuffle: bool | str = False, drop_last: bool = False, rank: int | None = None,
                 world_size: int | None = None, format: str | None = None,
                 zero_copy: bool = False, pin_memory: bool = False, to_device: Any = None,
                 on_wait: WaitObserver | None = None, **options: Any):
        _check_windows(walk_length, context_size, num_negative_samples)
        self._context_size = context_size or 0  # it was checked
        self._negatives = num_negative_samples
        self._random_seed: Any = 0
        super().__init__(locals())

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        self._random_seed = arguments.get("random_seed") or 0
        return _session.made(self.vocabulary, arguments, files, {
            "input_nodes": _session.inputs(arguments["input_nodes"], files),
            "walk_length": arguments["walk_length"] - 1,
            "walks_per_node": arguments["walks_per_node"],
            "p": arguments["p"],
            "q": arguments["q"],
            "collect": "none",
        })

    def _converter(self, request: formats.Request) -> formats.Converter:
        make = formats.array_maker(self._format, request)
        [nodes] = request.schema["node_types"]

        def convert(batch: Batch) -> tuple[Any, Any]:
            walks = _stay_at_ends(batch["walks"].numpy())
            walks = _walk_by_walk(walks, inputs=batch["input_id"].shape[0])
            drawn = self._draw_negatives(walks, batch, nodes["num_nodes"])
            return make(self._windows(walks)), make(self._windows(drawn))

        return convert

    def _draw_negatives(self, walks: numpy.ndarray, batch: Batch, nodes: int) -> numpy.ndarray:
        """Returns walks from the same starts, as often as was asked for."""
        start = numpy.tile(walks[:, :1], (self._negatives, 1))
        rest = _draws.uniform(int(self._random_seed), _draws.NEGATIVE_WALKS, batch.epoch, batch.index,
                              nodes, (len(start), walks.shape[1] - 1))
        return numpy.concatenate([start, rest], axis=1)

    def _windows(self, walks: numpy.ndarray) -> numpy.ndarray:
        """Returns [windows x walks, context_size]: the first windows of all walks first."""
        windows = numpy.lib.stride_tricks.sliding_window_view(walks, self._context_size, axis=1)
        return windows.transpose(1, 0, 2).reshape(-1, self._context_size)


def _check_windows(walk_length: int | None, context_size: int | None, negatives: int) -> None:
    if walk_length is None or context_size is None:
        raise TypeError("walk_length and context_size are required: the nodes of a walk, and "
                        "of a window of it")
    if walk_length < 2:
        raise ValueError(f"walk_length is {walk_length}; allowed: from 2, the nodes of a walk")
    if not 1 <= context_size <= walk_length:
        raise ValueError(f"context_size is {context_size}; allowed: 1 to walk_length, "
                         f"{walk_length}")
    if negatives < 1:
        raise ValueError(f"num_negative_samples is {negatives}; allowed: from 1")


def _stay_at_ends(walks: numpy.ndarray) -> numpy.ndarray:
    """Returns the walks with their last node in the place of -1, which follows their ends."""
    last = (walks >= 0).sum(axis=1) - 1
    return numpy.where(walks >= 0, walks, walks[numpy.arange(len(walks)), last, None])


def _walk_by_walk(walks: numpy.ndarray, inputs: int) -> numpy.ndarray:
    """Returns the first walks of all inputs, then the second ones, ...: ours are input by
    input."""
    by_input = walks.reshape(inputs, -1, walks.shape[1])
    return by_input.transpose(1, 0, 2).reshape(walks.shape)
