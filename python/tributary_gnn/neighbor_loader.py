"""PyG's NeighborLoader over Tributary's batches."""

from __future__ import annotations

import inspect
import os
import re
from typing import Any, Callable, Iterator, Mapping

from . import _arguments, _session, errors, formats
from ._arrays import ArrayFiles, as_array
from ._epoch import Epoch
from ._ranks import Place, place
from .batch import Batch
from .graph_types import GraphTypes
from .loader import Loader
from .source import Source, WaitObserver

# Texts that name servers: file:PATH, dns:///NAME:PORT, unix:/PATH, HOST:PORT,...
_SERVERS = re.compile(r"(file|dns|unix):|.+:\d+$")
_STATE_VERSION = 1


def _open_source(data: Any, options: dict[str, Any], on_wait: WaitObserver | None,
                 where: Place) -> Source:
    """Opens the source that `data` or the options name."""
    data = getattr(data, "servers", data)  # of a Fleet
    if data is not None:
        if not isinstance(data, (str, os.PathLike)):
            raise TypeError(
                f"the graph is a {type(data).__name__}; allowed: the folder of a partitioned "
                "graph, addresses of servers, a Fleet or a Source. tributary_gnn.partition() "
                "and `tributary partition` make a folder of a graph")
        name = "servers" if _SERVERS.match(os.fspath(data)) else "graph"
        if name in options:
            raise TypeError(f"the graph is given twice, by {name}= too; allowed: once")
        options[name] = os.fspath(data)
    if not any(name in options for name in ("graph", "servers", "master_addr")):
        raise TypeError("no graph is given; allowed: NeighborLoader(FOLDER or SERVERS, ...), "
                        "graph=FOLDER, servers=LIST")
    _choose_mode(options, where)
    return Source(options, on_wait=on_wait)


def _choose_mode(options: dict[str, Any], where: Place) -> None:
    """As in PyTorch, num_workers above 0 are processes. Ranks prefer servers of their own."""
    remote = options.get("mode", "remote") == "remote" and "graph" not in options
    if "graph" in options and "mode" not in options and options.get("num_workers"):
        options["mode"] = "mp"
    if remote and where.world_size > 1 and not {"num_clients", "client_rank"} & set(options):
        options.update(num_clients=where.world_size, client_rank=where.rank)


class NeighborLoader:
    """Iterates over batches of sampled neighbourhoods, with the arguments of PyG's
    NeighborLoader:

        loader = NeighborLoader(servers="file:servers.txt", num_neighbors=[15, 10, 5],
                                input_nodes="train", batch_size=1024, shuffle=True)
        for batch in loader:
            ...

    Each `iter` begins the next epoch, and ends the iterator before it; the first epoch is 0.
    A batch is a pure function of the graph, the options, the epoch and its index.

    Args:
      data: the folder of a partitioned graph, the servers (`file:PATH`, `HOST:PORT,...`,
        `dns:///NAME:PORT`), a `Fleet`, or an open `Source`, which is left open. Or
        `graph=FOLDER`, `servers=LIST`.
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
      transform: called with each batch; its result is given in the batch's place.
      batch_size: inputs of a batch.
      shuffle: whether the order of the inputs is drawn anew for each epoch.
      drop_last: leave out the short batch at the end.
      input_id: a number for each input, which batches have as `input_id`; by default its
        place in the list of inputs.
      rank, world_size: which of the trainers that share the batches this is: all give the
        same inputs, and each takes every world_size-th batch. By default those of
        torch.distributed, else torchrun's RANK and WORLD_SIZE, else 0 of 1.
      format: "pyg": PyG's Data and HeteroData, with the stores and names of its own
        NeighborLoader; "torch": tensors by name; "numpy": arrays by name. By default the
        first of them whose packages are installed.
      zero_copy: arrays and tensors are views of the receive ring for reading only, and hold
        their batch there until the last of them is gone. By default they are copies.
      pin_memory: tensors are in page-locked memory; with zero_copy or to_device the receive
        ring is.
      to_device: the device that tensors are copied to: "cuda", "cuda:N"; by default "cpu".
      on_wait: see `Source`.
      options: other options of the session (docs/sampling/sessions.md: random_seed,
        collect, feature_dtype, draw, edge_predicate, ...), of the source (docs/modes.md:
        mode, buffer_size, rpc_timeout, tls_ca, ...), and arguments of PyTorch's DataLoader.
        docs/python.md says what each of the latter does here.

    Raises:
      TypeError: an argument that is not there, or has no counterpart; it names what has.
      ValueError (InvalidArgument): a wrong value, or options that do not go together.
      KeyError (NotFound): no such graph or split.
    """

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
        arguments = {name: value for name, value in locals().items()
                     if name not in ("self", "options", "__class__")}
        _arguments.check_names(options, inspect.signature(NeighborLoader).parameters)
        arguments.update(options)
        _arguments.check_effects(arguments)
        _arguments.apply_sampler(arguments)
        _arguments.apply_generator(arguments)

        format = formats.choose(format)
        _arguments.apply_pin_memory(arguments, format)
        if format == "pyg":
            _session.collect_as_pyg(arguments)
        self._place = place(rank, world_size)
        self._warn_of_lists(input_nodes)
        self._transform = transform
        self._owns_source = not isinstance(data, Source)
        self.source = self._source_of(data, arguments)
        self._loader = self._open_loader(arguments)
        self.graph_types = GraphTypes(self._loader.schema())
        self._convert = formats.converter(format, self._request(arguments))
        self._next_epoch = 0
        self._epoch_was_set = False
        self._begun: Epoch | None = None  # what the next iter() returns
        self._current: Epoch | None = None

    # ---- Opening -----------------------------------------------------------------------

    def _warn_of_lists(self, input_nodes: Any) -> None:
        where = self._place
        if where.found and where.world_size > 1 and _session.is_list(input_nodes):
            _arguments.warn_once("ranks", (
                f"the batches of these input_nodes are shared by {where.world_size} ranks, so "
                "all of them must give the same list; for a list of this rank's own say rank=0, "
                "world_size=1"))

    def _source_of(self, data: Any, arguments: dict[str, Any]) -> Source:
        options = _arguments.worker_options(arguments)
        if not isinstance(data, Source):
            return _open_source(data, options, arguments["on_wait"], self._place)
        given = sorted(options) + (["on_wait"] if arguments["on_wait"] is not None else [])
        if given:
            raise TypeError(f"{', '.join(given)}: options of the source, which is open; allowed: "
                            "tributary_gnn.Source(...) with them")
        return data

    def _open_loader(self, arguments: dict[str, Any]) -> Loader:
        with ArrayFiles() as files:
            session = _session.session(arguments, files)
            try:
                return self._open_timed(session, arguments)
            except errors.Error as error:
                raise files.explain(error) from None

    def _open_timed(self, session: dict[str, Any], arguments: dict[str, Any]) -> Loader:
        """Opens the loader with the times that time_attr stands for."""
        opened: list[Loader] = []
        refusals: list[errors.InvalidArgument] = []
        for time in _session.times(arguments):
            timed = _session.timed(session, time, arguments.get("collect_times", False))
            try:
                opened.append(Loader(self.source, timed, rank=self._place.rank,
                                     world=self._place.world_size))
            except errors.InvalidArgument as error:
                refusals.append(error)
        if not opened:
            raise refusals[0]
        if len(opened) > 1:
            for loader in opened:
                loader.close()
            raise ValueError(f"time_attr is {arguments['time_attr']!r}, and the graph has times "
                             "of nodes and of edges; allowed: 'node', 'edge'")
        return opened[0]

    def _request(self, arguments: dict[str, Any]) -> formats.Request:
        given = arguments["input_id"]
        return formats.Request(
            types=self.graph_types, schema=self._loader.schema(),
            input_id=None if given is None else as_array("input_id", given),
            names=_session.names(arguments), zero_copy=arguments["zero_copy"],
            pin_memory=arguments["pin_tensors"], to_device=arguments["to_device"])

    # ---- Iterating ---------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        """Begins the next epoch, or continues the one that load_state_dict() gave."""
        begun = self._begun or self._begin(self._next_epoch)
        self._begun = None
        return begun

    def __len__(self) -> int:
        """Returns the number of batches of this rank in a whole epoch."""
        batches = self._loader.sizes().num_batches
        return max(0, -(-(batches - self._place.rank) // self._place.world_size))

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch that the next `iter` begins; those after it count from there."""
        self._next_epoch = epoch
        self._epoch_was_set = True
        if self._begun is not None and self._begun.epoch == epoch:
            self._next_epoch = epoch + 1  # it was begun, or resumed
        else:
            self._begun = None

    def _begin(self, epoch: int) -> Epoch:
        self._loader.start_epoch(epoch)
        return self._go_on(epoch)

    def _go_on(self, epoch: int) -> Epoch:
        """Iterates over the epoch that the loader has just begun or resumed."""
        if self._current is not None:
            self._current.end()
        self._next_epoch = epoch + 1
        self._epoch_was_set = False
        self._current = Epoch(self._loader, epoch, *self._place[:2], self._deliver)
        return self._current

    def _deliver(self, batch: Batch) -> Any:
        given = self._convert(batch)
        return given if self._transform is None else self._transform(given)

    # ---- Checkpoints -------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Returns how far the batches that iterators have given go, for load_state_dict() of
        this or another process, of any rank. It is plain data, also for JSON. Without an
        iterator it is the beginning of the next epoch, which is begun by this."""
        current = self._current
        if current is None or (current.finished and self._epoch_was_set):
            current = self._begun = self._begin(self._next_epoch)
        return {"version": _STATE_VERSION, "finished": current.finished,
                "cursor": self._loader.cursor(current.consumed)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Makes the next iterator continue where state_dict() was called. The batch size and
        the number of ranks may have changed.

        Raises:
          ValueError: it is no such state.
          FailedPrecondition: it is of another graph, list of inputs, order or seed.
        """
        if not state_dict:
            return
        if state_dict.get("version") != _STATE_VERSION or not {"cursor", "finished"} <= set(
                state_dict):
            raise ValueError(f"the state is {dict(state_dict)!r:.200}; allowed: what state_dict() "
                             f"of a NeighborLoader returned, of version {_STATE_VERSION}")
        self._loader.resume(state_dict["cursor"])
        resumed = self._go_on(state_dict["cursor"]["epoch"])
        self._begun = resumed
        if state_dict["finished"]:
            resumed.finished = True
            self._begun = None

    # ---- The rest ----------------------------------------------------------------------

    def schema(self) -> dict[str, Any]:
        """Returns the graph's schema, graph.json (docs/graph-format.md)."""
        return self._loader.schema()

    def statistics(self) -> dict[str, Any]:
        """Returns the counters of `Loader.statistics`."""
        return self._loader.statistics()

    def cancel(self) -> None:
        """Ends the iteration that another thread waits in, and all later ones, by Cancelled."""
        self._loader.cancel()

    def close(self) -> None:
        """Closes the loader, and the source if it was opened for this loader."""
        self._loader.close()
        if self._owns_source:
            self.source.close()

    def __enter__(self) -> NeighborLoader:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()
