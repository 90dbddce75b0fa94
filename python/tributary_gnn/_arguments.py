"""What the arguments of PyG's loaders and PyTorch's DataLoader mean here: each works, or a
warning says once why it has no effect, or an error says what takes its place.
"""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from types import FrameType
from typing import Any, Iterable, Mapping, NamedTuple

from .source import OPTION_NAMES as WORKER_OPTIONS

# Options of sessions of every kind (docs/sampling/sessions.md) that PyG has not.
COMMON_OPTIONS = ("input_weight", "random_seed", "collect", "feature_dtype", "collect_degrees",
                  "omit_edge_ids")
# Those of how neighbours are sampled, of sessions of kind `node` and `link`.
HOP_OPTIONS = ("expand", "draw", "layer_dependency", "time", "strict", "edge_mask",
               "edge_predicate", "edge_dir")

# name: (values that say nothing, why others have no effect).
NOTES: dict[str, tuple[tuple[Any, ...], str]] = {
    "is_sorted": ((False, None), "a partitioned graph is always sorted"),
    "filter_per_worker": (
        (None,), "features are gathered where batches are made, in every mode"),
    "persistent_workers": (
        (False, None), "workers live as long as the source, over all epochs"),
    "pin_memory_device": (
        ("", None), "pin_memory page-locks the receive ring for the GPU that the process uses"),
    "worker_init_fn": (
        (None,), "workers run no Python; draws depend on random_seed alone"),
    "multiprocessing_context": (
        (None,), "workers are programs of their own, not forks of this process"),
    "in_order": ((True, None), "batches always come in order"),
    "snapshot_every_n_steps": (
        (1, None), "state_dict() is exact at each step, and costs no snapshot"),
}

# name: what takes the place of a value other than None, in any loader.
REFUSED = {
    "batch_sampler": "batch_size and drop_last, with the list of inputs, shuffle and "
                     "input_weight",
    "collate_fn": "transform=, which gets each batch",
    "dataset": "the list of inputs, as input_nodes= or edge_label_index=",
    "neighbor_sampler": "num_neighbors= and the other options: batches are sampled by servers "
                        "or workers, which run no Python",
    "transform_sampler_output": "transform=, which gets the batch with its features",
    "custom_cls": "transform=, which may return an object of any class",
    "kind": "tributary_gnn.Loader, whose session may be of any kind",
}

# Arguments of PyTorch's DataLoader that become options of the source, or of the session.
DATALOADER = ("num_workers", "prefetch_factor", "timeout", "generator", "sampler")

_COMMON = (*COMMON_OPTIONS, *WORKER_OPTIONS, *NOTES, *REFUSED, *DATALOADER)
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

_warned: set[str] = set()


class Vocabulary(NamedTuple):
    """The keywords of a loader beside those of its signature and of all loaders.

    loader: the name of its class.
    kind: the kind of its sessions.
    options: options of sessions of that kind that are passed on.
    refused: name: what takes the place of a value other than None.
    notes: name: (values that say nothing, why others have no effect).
    counterpart: whose arguments the signature has.
    """

    loader: str
    kind: str
    options: tuple[str, ...] = ()
    refused: Mapping[str, str] = {}
    notes: Mapping[str, tuple[tuple[Any, ...], str]] = {}
    counterpart: str = "PyG's {}"

    @property
    def passed_on(self) -> tuple[str, ...]:
        """The options of the session that are keywords."""
        return (*COMMON_OPTIONS, *self.options)

    def check_names(self, names: Iterable[str], signature: Iterable[str]) -> None:
        """Raises TypeError for a name that no argument has."""
        keywords = (*_COMMON, *self.options, *self.refused, *self.notes)
        for name in names:
            if name in keywords:
                continue
            near = difflib.get_close_matches(name, [*signature, *keywords], n=1)
            meant = f"did you mean {near[0]}?" if near else (
                f"allowed: the arguments of {self.counterpart.format(self.loader)} and PyTorch's "
                f"DataLoader, the options of docs/modes.md and of sessions of kind {self.kind}")
            raise TypeError(f"{self.loader} has no argument {name!r}; {meant}")

    def check_effects(self, arguments: dict[str, Any]) -> None:
        """Refuses what has another form here, and warns of what has no effect."""
        for name, instead in {**REFUSED, **self.refused}.items():
            if arguments.get(name) is not None:
                raise TypeError(f"{name} is not taken; instead: {instead}")
        for name, (silent, why) in {**NOTES, **self.notes}.items():
            if name in arguments and not any(arguments[name] is value or (
                    arguments[name] == value) for value in silent):
                warn_once(name, f"{name}={arguments[name]!r} has no effect: {why}")


def warn(text: str) -> None:
    """Warns at the line outside of this package that has called it."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def warn_once(key: str, text: str) -> None:
    """Warns the first time that this process comes here with `key`."""
    if key not in _warned:
        _warned.add(key)
        warn(text)


def worker_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of the source, with those that DataLoader's arguments become."""
    options = {name: arguments[name] for name in WORKER_OPTIONS
               if arguments.get(name) is not None}
    if options.get("num_workers") == 0 and options.get("mode") != "mp":
        del options["num_workers"]
    if options.get("pin_memory") is False:
        del options["pin_memory"]
    factor = arguments.get("prefetch_factor")
    if factor is not None and "prefetch_size" not in options:
        options["prefetch_size"] = factor * max(1, arguments.get("num_workers") or 1)
    timeout = arguments.get("timeout")
    if timeout and "rpc_timeout" not in options:
        options["rpc_timeout"] = timeout
    return options


def shuffle_of(arguments: Mapping[str, Any]) -> str:
    """Returns the option `shuffle` of the session: PyTorch's are true and false."""
    shuffle = arguments.get("shuffle")
    if isinstance(shuffle, str):
        return shuffle
    return "global" if shuffle else "none"


def apply_pin_memory(arguments: dict[str, Any], format: str) -> None:
    """Replaces `pin_memory` by `pin_tensors` where torch can page-lock what the user gets.
    What is copied from the ring is not; there, and for views of the ring, the ring is."""
    arguments["pin_tensors"] = bool(arguments["pin_memory"]) and format != "numpy"
    copied = arguments["zero_copy"] or arguments["to_device"] not in (None, "cpu")
    if arguments["pin_tensors"] and not copied:
        arguments["pin_memory"] = False


def apply_sampler(arguments: dict[str, Any]) -> None:
    """Replaces PyTorch's `sampler` by options of the session, where they say the same.

    Raises:
      TypeError: another sampler.
    """
    sampler = arguments.pop("sampler", None)
    if sampler is None:
        return
    name = type(sampler).__name__
    if arguments.get("shuffle"):
        raise TypeError("sampler and shuffle exclude each other, as in PyTorch")
    if name == "SequentialSampler":
        arguments["shuffle"] = False
    elif name == "RandomSampler" and not getattr(sampler, "replacement", False):
        arguments["shuffle"] = True
    elif hasattr(sampler, "weights") and getattr(sampler, "replacement", False):
        _apply_weights(arguments, sampler)
    else:
        raise TypeError(
            f"sampler={name} is not taken; instead: the inputs in the order wanted, shuffle=, "
            "input_weight= (a weight for each input), and rank= and world_size= in place of "
            "DistributedSampler")


def _apply_weights(arguments: dict[str, Any], sampler: Any) -> None:
    """Weighted samplers: an epoch draws as many inputs as there are."""
    weights = sampler.weights
    if len(weights) != sampler.num_samples:
        raise TypeError(f"sampler draws {sampler.num_samples} of {len(weights)} inputs; allowed: "
                        "as many as there are")
    if arguments.get("input_weight") is not None:
        raise TypeError("sampler and input_weight say the same; allowed: one of them")
    arguments["input_weight"] = weights
    arguments["shuffle"] = True


def apply_generator(arguments: dict[str, Any]) -> None:
    """Replaces PyTorch's `generator` by its seed.

    Raises:
      TypeError: it has none.
    """
    generator = arguments.pop("generator", None)
    if generator is None:
        return
    if not hasattr(generator, "initial_seed"):
        raise TypeError(f"generator is a {type(generator).__name__}; allowed: a torch.Generator, "
                        "whose initial_seed() is taken, or random_seed=")
    if arguments.get("random_seed") is None:
        arguments["random_seed"] = generator.initial_seed()
