"""The inputs of a loader, and whether they are one process's own or shared by all of its role."""

from __future__ import annotations

import os
from typing import Any, Iterator, NamedTuple

import numpy

from ..._arrays import as_array
from ..typing import Split
from .context import DistContext
from .options import RemoteDistSamplingWorkerOptions


class Inputs(NamedTuple):
    """`given` is what tributary_gnn's loaders take; `shared`, whether all processes of the role
    give the same and share its batches. Otherwise it is this process's own."""

    given: Any
    shared: bool


def of_nodes(input_nodes: Any, options: Any, context: DistContext | None) -> Inputs:
    """Returns the inputs of GLT's `input_nodes`: ids, a mask, a Split or its name, None for all
    nodes, files of ids (.pt, .npy), or (type, one of these).

    Raises:
      ValueError: it is not known which clients share files.
    """
    if isinstance(input_nodes, tuple) and len(input_nodes) == 2 and isinstance(
            input_nodes[0], str):
        made = of_nodes(input_nodes[1], options, context)
        return Inputs((input_nodes[0], made.given), made.shared)
    if isinstance(input_nodes, Split):
        return Inputs(input_nodes.value, True)
    paths = list(_paths(input_nodes))
    if paths:
        ids = numpy.concatenate([_read(path) for path in paths])
        return Inputs(ids, _share_files(options, context))
    return Inputs(input_nodes, input_nodes is None or isinstance(input_nodes, str))


def _paths(given: Any) -> Iterator[str]:
    """The files that are named, alone or in a list."""
    for each in [given] if isinstance(given, (str, os.PathLike)) else (
            given if isinstance(given, (list, tuple)) else ()):
        if isinstance(each, os.PathLike) or (isinstance(each, str) and each.endswith(
                (".pt", ".npy"))):
            yield os.fspath(each)


def _read(path: str) -> numpy.ndarray:
    if path.endswith(".npy"):
        return as_array(path, numpy.load(path))
    import torch  # pylint: disable=import-outside-toplevel
    return as_array(path, torch.load(path, weights_only=True))


def _share_files(options: Any, context: DistContext | None) -> bool:
    """Whether the clients share what the files name: in GLT those do that name one server. A
    client that names all servers shares with all clients."""
    if not isinstance(options, RemoteDistSamplingWorkerOptions) or context is None:
        return False
    if set(options.ranks(context)) == set(range(context.num_servers())):
        return True
    if context.num_clients() <= context.num_servers():
        return False
    raise ValueError(
        f"input_nodes are files and server_rank names some of {context.num_servers()} servers, so "
        "that it is not known which clients share them; allowed: server_rank= all servers, "
        "Split.train, or a tensor of this client's own nodes")
