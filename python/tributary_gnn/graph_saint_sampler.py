"""PyG's GraphSAINTRandomWalkSampler over Tributary's batches."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, Callable, Iterator, Mapping

import numpy

from . import _arguments, _draws, _session, errors, formats
from ._arrays import ArrayFiles
from ._epoch import Epoch
from ._json import to_json
from ._saint_norms import SaintCounts, SaintNorms
from .batch import Batch
from .loader import Loader
from .session_loader import SessionLoader
from .source import WaitObserver

# Of the session of induced subgraphs; those of the walks are drawn by it.
_INDUCED_OPTIONS = ("collect", "feature_dtype", "collect_degrees", "max_scanned_edges")
# Columns that are about the walks' places in the session, not about the subgraph.
_DROPPED = ("input_id", "seed_index", "num_sampled_nodes", "batch_size")


class GraphSAINTRandomWalkSampler(SessionLoader):
    """Iterates over subgraphs induced by random walks, with the arguments of PyG's
    GraphSAINTRandomWalkSampler:

        loader = GraphSAINTRandomWalkSampler(servers="file:servers.txt", batch_size=6000,
                                             walk_length=2, num_steps=5, sample_coverage=100)
        for batch in loader:
            out = model(batch.x, batch.edge_index, batch.edge_norm * batch.edge_attr)

    A batch is a step: the nodes of `batch_size` walks, each once and ascending by id, and all
    edges between them. The walks go against the direction of edges (docs/sampling/walks.md).
    When an epoch begins, the walks of this rank's steps are drawn first, from nodes that
    random_seed and the epoch choose; then workers or servers make the subgraphs.

    Args:
      batch_size: walks of a step. A step may have up to 65,536 nodes.
      walk_length: steps of a walk.
      num_steps: batches of an epoch, which ranks share.
      sample_coverage: how often each node is to be sampled, on average, before the first
        epoch, to count for `node_norm` and `edge_norm`, which batches then have. 0: neither.
        Counts take 16 bytes for each node and edge of the graph, in each rank, which all
        count the same.
      save_dir: a folder for the counts, to be found there again.
      log: has no effect: nothing is printed.
      others: see `SessionLoader`, as for what is raised.
    """

    vocabulary = _arguments.Vocabulary(
        "GraphSAINTRandomWalkSampler", "walk",
        ("restart_prob", "restart_ends", "p", "q", "max_scanned_edges"),
        refused={**{name: "num_steps and random_seed: steps begin at nodes drawn from the whole "
                          "graph" for name in (
                              "input_nodes", "input_id", "input_weight", "sampler")},
                 "metapath": "tributary_gnn.Loader, whose session of kind walk has metapath",
                 "walks_per_node": "batch_size=",
                 "omit_edge_ids": "NeighborLoader(subgraph_type='induced'), which has it: "
                                  "edge_norm goes by the ids of edges"},
        notes={"shuffle": ((True, False, None), "steps are drawn at random in any case"),
               "drop_last": ((False, None), "all steps have batch_size walks"),
               "log": ((True, False, None), "nothing is printed")})
    instead_of_types = ("NeighborLoader(subgraph_type='induced'), or tributary_gnn.Loader with a "
                        "session of kind walk")

    def __init__(self, data: Any = None, batch_size: int | None = None,
                 walk_length: int | None = None, num_steps: int = 1, sample_coverage: int = 0,
                 save_dir: Any = None, log: bool = True, *,
                 transform: Callable[[Any], Any] | None = None, rank: int | None = None,
                 world_size: int | None = None, format: str | None = None,
                 zero_copy: bool = False, pin_memory: bool = False, to_device: Any = None,
                 on_wait: WaitObserver | None = None, **options: Any):
        if batch_size is None or walk_length is None:
            raise TypeError("batch_size and walk_length are required: the walks of a step, and "
                            "the steps of a walk")
        if num_steps < 1 or sample_coverage < 0:
            raise ValueError(f"num_steps is {num_steps}, and sample_coverage {sample_coverage}; "
                             "allowed: from 1, and from 0")
        self._num_steps = num_steps
        self._walks: dict[str, Any] = {}
        self._induced: dict[str, Any] = {}
        self._norms: SaintNorms | None = None
        self._first_step = 0  # of the current epoch, for all ranks
        self._walking: Loader | None = None  # while a step's nodes are found
        self._cancelled = False
        super().__init__(locals())
        if sample_coverage > 0:
            self._norms = self._counted(sample_coverage, save_dir).norms()

    # ---- Opening -----------------------------------------------------------------------

    def _are_listed(self, arguments: Mapping[str, Any]) -> bool:
        return False

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        """Returns a session of walks from one node: it checks the options, and shows the
        graph's schema, until the first epoch begins."""
        given = {**arguments, "shuffle": False, "drop_last": False}
        session = _session.made(self.vocabulary, given, files, {
            "walk_length": arguments["walk_length"]})
        self._induced = {name: session.pop(name) for name in _INDUCED_OPTIONS if name in session}
        self._induced.update(kind="node", num_neighbors=[0], subgraph_type="induced",
                             shuffle="none")
        self._walks = {**session, "collect": "none"}
        return {**self._walks, "input_nodes": [0]}

    def _converter(self, request: formats.Request) -> formats.Converter:
        convert = super()._converter(_without(request, _DROPPED))
        make = formats.array_maker(self._format, request)

        def convert_step(batch: Batch) -> Any:
            given = convert(batch)
            added = {} if self._norms is None else self._norms.of(batch)
            if self._format == "pyg":
                given.num_nodes = batch["n_id"].shape[0]
            else:
                given.index = self._step(batch.index)
            for name, array in added.items():
                _attach(given, name, make(array))
            return given

        return convert_step

    # ---- Epochs ------------------------------------------------------------------------

    def __len__(self) -> int:
        """Returns the number of batches of this rank in a whole epoch."""
        return len(range(self._place.rank, self._num_steps, self._place.world_size))

    @property
    def dataset(self) -> range:
        """The steps of this rank in an epoch, as in PyG."""
        return range(len(self))

    def _step(self, index: int) -> int:
        """Returns which step of the epoch the batch is that this rank's loader gives."""
        return self._first_step + self._place.rank + index * self._place.world_size

    def _begin(self, epoch: int) -> Epoch:
        return self._begin_at(epoch, 0)

    def _begin_at(self, epoch: int, first_step: int) -> Epoch:
        """Iterates over the steps of an epoch from `first_step` on."""
        subgraphs = self._open_steps(_draws.ROOTS, epoch, first_step, *self._place[:2])
        self._first_step = first_step
        if subgraphs is not None:
            self._loader.close()
            self._loader = subgraphs
            subgraphs.start_epoch(epoch)
        begun = Epoch(self._loader, epoch, 0, 1, self._deliver)
        begun.finished = subgraphs is None  # no step is left for this rank
        return self._iterate(begun)

    def _open_steps(self, purpose: int, epoch: int, first_step: int, rank: int, world: int,
                    **options: Any) -> Loader | None:
        """Returns a loader of the subgraphs of the epoch's steps that are a rank's; None if
        there are none."""
        steps = list(self._nodes_of_steps(purpose, epoch, first_step, rank, world))
        if not steps:
            return None
        most = max(map(len, steps))
        # A batch's inputs are a step's nodes; the first one fills up those that have less.
        padded = [numpy.pad(nodes, (0, most - len(nodes)), constant_values=nodes[0])
                  for nodes in steps]
        with ArrayFiles() as files:
            session = {**self._induced, **options, "batch_size": most,
                       "input_nodes": files.text("nodes", numpy.concatenate(padded))}
            try:
                return Loader(self.source, session)
            except errors.InvalidArgument as error:
                raise errors.InvalidArgument(
                    f"{files.explain(error)} (a step has {most} nodes: batch_size and "
                    "walk_length say how many)") from None

    def _nodes_of_steps(self, purpose: int, epoch: int, first_step: int, rank: int, world: int
                        ) -> Iterator[numpy.ndarray]:
        """Yields the nodes of a rank's steps, each once, ascending."""
        if first_step + rank >= self._num_steps:
            return
        with ArrayFiles() as files:
            roots = self._roots(purpose, epoch)
            session = {**self._walks, "input_nodes": files.text("roots", roots)}
            walks = Loader(self.source, session, rank=rank, world=world)
        with walks:
            self._walking = walks
            if self._cancelled:
                walks.cancel()
            walks.start_epoch(epoch)
            walks.limit(first_step, self._num_steps)
            while (batch := walks.next()) is not None:
                with batch:
                    nodes = numpy.unique(batch["walks"].numpy(copy=False))
                yield nodes[nodes >= 0]

    def _roots(self, purpose: int, epoch: int) -> numpy.ndarray:
        """Returns the nodes that the walks of all steps of an epoch begin at."""
        [nodes] = self._loader.schema()["node_types"]
        return _draws.uniform(int(self._walks.get("random_seed", 0)), purpose, epoch, 0,
                              nodes["num_nodes"], (self._num_steps * self._walks["batch_size"],))

    def cancel(self) -> None:
        """Ends the iteration that another thread waits in, and all later ones, by Cancelled."""
        self._cancelled = True
        super().cancel()
        if self._walking is not None:
            self._walking.cancel()

    def close(self) -> None:
        """Closes the loader, and the source if it was opened for this loader."""
        if self._walking is not None:
            self._walking.close()
        super().close()

    # ---- Norms -------------------------------------------------------------------------

    def _counted(self, coverage: int, save_dir: Any) -> SaintCounts:
        counts = SaintCounts(self._loader.schema(), self._identity())
        if save_dir is not None and counts.load(save_dir, coverage):
            return counts
        epoch = 0
        while not counts.cover(coverage):
            self._count(counts, epoch)
            epoch += 1
        if save_dir is not None:
            counts.save(save_dir, coverage)
        return counts

    def _count(self, counts: SaintCounts, epoch: int) -> None:
        subgraphs = self._open_steps(_draws.COVERAGE_ROOTS, epoch, 0, 0, 1, collect="none",
                                     feature_dtype=None, collect_degrees=False)
        assert subgraphs is not None
        with subgraphs:
            subgraphs.start_epoch(0)
            while (batch := subgraphs.next()) is not None:
                with batch:
                    counts.add(batch)

    # ---- Checkpoints -------------------------------------------------------------------

    def _identity(self) -> str:
        """Returns a digest of what decides on the batches: the graph, and all options."""
        known = [self._loader.schema()["content_digest"], self._walks, self._num_steps]
        return hashlib.sha256(to_json(known).encode()).hexdigest()

    def _cursor(self, current: Epoch) -> dict[str, Any]:
        step = self._first_step + current.consumed * self._place.world_size
        return {"epoch": current.epoch, "step": min(step, self._num_steps),
                "sampler": self._identity()}

    def _resume(self, cursor: Mapping[str, Any]) -> Epoch:
        if cursor.get("sampler") != self._identity():
            raise errors.FailedPrecondition(
                "the state is of another graph, or of other options of the walks; allowed: what "
                "state_dict() of a loader with the same ones returned")
        return self._begin_at(cursor["epoch"], cursor["step"])


def _without(request: formats.Request, columns: tuple[str, ...]) -> formats.Request:
    return dataclasses.replace(request, drop=columns)


def _attach(given: Any, name: str, value: Any) -> None:
    """Adds an attribute to a batch of any format."""
    if hasattr(given, "add"):
        given.add(name, value)
    else:
        setattr(given, name, value)
