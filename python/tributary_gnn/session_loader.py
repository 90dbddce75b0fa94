"""What the loaders with PyG's arguments have in common."""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable, ClassVar, Iterator, Mapping

from . import _arguments, _session, errors, formats
from ._arrays import ArrayFiles, as_array
from ._epoch import Epoch
from ._opening import open_source
from ._ranks import place
from .batch import Batch
from .graph_types import GraphTypes
from .loader import Loader
from .source import Source

_STATE_VERSION = 1
# What the library says of a typed graph to a session that names no type.
_NAME_A_TYPE = re.compile(r"has \d+ (node|edge) types; name")


class SessionLoader:
    """Iterates over the batches of a session, epoch by epoch: the base of the loaders with
    PyG's arguments.

    Each `iter` begins the next epoch, and ends the iterator before it; the first epoch is 0.
    A batch is a pure function of the graph, the options, the epoch and its index.

    A subclass names its keywords in `vocabulary`, makes a session of its arguments in
    `_session`, and calls `__init__` with all of them. Every loader has these:

    Args:
      data: the folder of a partitioned graph, the servers (`file:PATH`, `HOST:PORT,...`,
        `dns:///NAME:PORT`), a `Fleet`, or an open `Source`, which is left open. Or
        `graph=FOLDER`, `servers=LIST`.
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
        loaders; "torch": tensors by name; "numpy": arrays by name. By default the first of
        them whose packages are installed.
      zero_copy: arrays and tensors are views of the receive ring for reading only, and hold
        their batch there until the last of them is gone. By default they are copies.
      pin_memory: tensors are in page-locked memory; with zero_copy or to_device the receive
        ring is.
      to_device: the device that tensors are copied to: "cuda", "cuda:N"; by default "cpu".
      on_wait: see `Source`.
      options: other options of the session (docs/sampling/sessions.md: random_seed,
        collect, feature_dtype, ...), of the source (docs/modes.md: mode, buffer_size,
        rpc_timeout, tls_ca, ...), and arguments of PyTorch's DataLoader. docs/python.md
        says what each of the latter does here.

    Raises:
      TypeError: an argument that is not there, or has no counterpart; it names what has.
      ValueError (InvalidArgument): a wrong value, or options that do not go together.
      KeyError (NotFound): no such graph or split.

    `batch_size` and `drop_last` are attributes, too.
    """

    vocabulary: ClassVar[_arguments.Vocabulary]
    # The argument that has the inputs.
    inputs_argument: ClassVar[str] = "input_nodes"
    # What takes the loader's place in a typed graph, where it has no meaning.
    instead_of_types: ClassVar[str | None] = None

    def __init__(self, arguments: Mapping[str, Any]):
        """Opens it with the arguments of the subclass's signature, where "options" has the
        others by name."""
        given = {name: value for name, value in arguments.items()
                 if name not in ("self", "options", "__class__")}
        self.vocabulary.check_names(arguments["options"],
                                    inspect.signature(type(self)).parameters)
        given.update(arguments["options"])
        self.vocabulary.check_effects(given)
        _arguments.apply_sampler(given)
        _arguments.apply_generator(given)
        self._format = formats.choose(given["format"])
        _arguments.apply_pin_memory(given, self._format)
        self._placement = formats.Placement(given["zero_copy"], given["pin_tensors"],
                                            given["to_device"])
        formats.check(self._format, self._placement)
        self._prepare(given)
        self._place = place(given["rank"], given["world_size"])
        self._warn_of_lists(given)
        self._transform: Callable[[Any], Any] | None = given["transform"]
        self._owns_source = not isinstance(given["data"], Source)
        self.source = open_source(type(self).__name__, given["data"],
                                  _arguments.worker_options(given), given["on_wait"], self._place)
        self._loader = self._open_loader(given)
        self.batch_size = int(given["batch_size"])
        self.drop_last = bool(given.get("drop_last"))
        self.graph_types = GraphTypes(self._loader.schema())
        self._check_types()
        self._convert = self._converter(self._request(given))
        self._next_epoch = 0
        self._epoch_was_set = False
        self._begun: Epoch | None = None  # what the next iter() returns
        self._current: Epoch | None = None

    # ---- What subclasses say -----------------------------------------------------------

    def _prepare(self, arguments: dict[str, Any]) -> None:
        """Changes the arguments before the source is opened."""

    def _are_listed(self, arguments: Mapping[str, Any]) -> bool:
        """Returns whether the inputs are listed, and not named."""
        return _session.is_list(arguments[self.inputs_argument])

    def _session(self, arguments: Mapping[str, Any], files: ArrayFiles) -> dict[str, Any]:
        """Returns the session. Options that nobody gave are left out."""
        raise NotImplementedError

    def _open_session(self, session: dict[str, Any], arguments: Mapping[str, Any]) -> Loader:
        """Opens the loader of the session."""
        return Loader(self.source, session, rank=self._place.rank,
                      world=self._place.world_size)

    def _column_names(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        """Returns what the user calls columns, by their own names."""
        return {}

    def _converter(self, request: formats.Request) -> formats.Converter:
        """Returns what makes the user's object of a batch."""
        return formats.converter(self._format, request)

    # ---- Opening -----------------------------------------------------------------------

    def _warn_of_lists(self, arguments: Mapping[str, Any]) -> None:
        where = self._place
        if where.found and where.world_size > 1 and self._are_listed(arguments):
            _arguments.warn_once("ranks", (
                f"the batches of these {self.inputs_argument} are shared by {where.world_size} "
                "ranks, so all of them must give the same list; for a list of this rank's own "
                "say rank=0, world_size=1"))

    def _open_loader(self, arguments: Mapping[str, Any]) -> Loader:
        with ArrayFiles() as files:
            session = self._session(arguments, files)
            try:
                return self._open_session(session, arguments)
            except errors.Error as error:
                if self.instead_of_types is not None and _NAME_A_TYPE.search(str(error)):
                    raise self._refuse_types() from None
                raise files.explain(error) from None

    def _check_types(self) -> None:
        if self.instead_of_types is not None and self.graph_types.heterogeneous:
            raise self._refuse_types()

    def _refuse_types(self) -> TypeError:
        return TypeError(f"{type(self).__name__} of a typed graph; allowed: a graph of one node "
                         "type and one edge type, as PyG's takes; of a typed graph there is "
                         f"{self.instead_of_types}")

    def _request(self, arguments: Mapping[str, Any]) -> formats.Request:
        given = arguments.get("input_id")
        return formats.Request(
            types=self.graph_types, schema=self._loader.schema(),
            input_id=None if given is None else as_array("input_id", given),
            names=self._column_names(arguments), placement=self._placement)

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

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} batches, batch_size={self.batch_size})"

    @property
    def dataset(self) -> range:
        """The places of this rank's inputs in an epoch, as many as it gets: what PyG's loaders
        call so, for bars of progress."""
        sizes, (rank, world_size) = self._loader.sizes(), self._place[:2]
        last = sizes.num_inputs % self.batch_size
        inputs = len(self) * self.batch_size
        if last and not self.drop_last and (sizes.num_batches - 1) % world_size == rank:
            inputs -= self.batch_size - last
        return range(inputs)

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
        return self._iterate(Epoch(self._loader, epoch, *self._place[:2], self._deliver))

    def _iterate(self, epoch: Epoch) -> Epoch:
        """Makes it the only iterator that goes on, and the next epoch the one after it."""
        if self._current is not None:
            self._current.end()
        self._next_epoch = epoch.epoch + 1
        self._epoch_was_set = False
        self._current = epoch
        return epoch

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
                "cursor": self._cursor(current)}

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
                             f"of a {type(self).__name__} returned, of version {_STATE_VERSION}")
        resumed = self._resume(state_dict["cursor"])
        self._begun = resumed
        if state_dict["finished"]:
            resumed.finished = True
            self._begun = None

    def _cursor(self, current: Epoch) -> dict[str, Any]:
        """Returns how far the batches that `current` has given go, with its "epoch"."""
        return self._loader.cursor(current.consumed)

    def _resume(self, cursor: Mapping[str, Any]) -> Epoch:
        """Iterates over what is left of the cursor's epoch."""
        self._loader.resume(cursor)
        return self._go_on(cursor["epoch"])

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

    def __enter__(self) -> SessionLoader:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()
