"""Options of sessions of kind `link`, made of the arguments of PyG's LinkNeighborLoader."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Mapping, NamedTuple

import numpy

from ._arrays import ArrayFiles, as_array, to_numpy
from ._session import edge_type_text, is_edge_type

# Returns the ends of each edge of the type "src,rel,dst", or of the graph's only type for "":
# int64 [edges, 2], by edge id.
AllEdges = Callable[[str], numpy.ndarray]

_NAME = "edge_label_index"
_ALLOWED_LINKS = (
    "the name of a split of edges, an array [2, links] of node ids, None for all edges; in a "
    "typed graph (('user', 'buys', 'item'), one of these)")


class Links(NamedTuple):
    """PyG's edge_label_index: `edge_type` is "src,rel,dst", or "" where it is not given.
    `links` is a split's name, an array [links, 2], or None for all edges."""

    edge_type: str
    links: str | numpy.ndarray | None

    @property
    def listed(self) -> bool:
        """Whether the links are an array."""
        return isinstance(self.links, numpy.ndarray)


def parse(edge_label_index: Any) -> Links:
    """Returns the argument in parts.

    Raises:
      TypeError, ValueError: it is something else.
    """
    if isinstance(edge_label_index, tuple) and is_edge_type(edge_label_index):
        return Links(edge_type_text(_NAME, edge_label_index), None)
    if isinstance(edge_label_index, tuple) and len(edge_label_index) == 2 and (
            isinstance(edge_label_index[0], str) or is_edge_type(edge_label_index[0])):
        return Links(edge_type_text(_NAME, edge_label_index[0]), _links(edge_label_index[1]))
    return Links("", _links(edge_label_index))


def _links(value: Any) -> str | numpy.ndarray | None:
    if value is None or isinstance(value, str):
        return value
    rows = [to_numpy(row) for row in value] if isinstance(value, (list, tuple)) else value
    array = to_numpy(rows)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise TypeError(f"{_NAME} is {value!r:.100}; allowed: {_ALLOWED_LINKS}")
    if array.ndim != 2 or array.shape[0] != 2 or array.shape[1] == 0:
        raise ValueError(f"{_NAME} has the shape {list(array.shape)}; allowed: "
                         f"{_ALLOWED_LINKS}")
    return array.T.astype(numpy.int64)


def input_edges(links: Links, labels: Any, files: ArrayFiles, all_edges: AllEdges) -> str:
    """Returns the text of the option of that name."""
    prefix = links.edge_type + ":" if links.edge_type else ""
    if isinstance(links.links, str):
        if labels is not None:
            raise ValueError(f"edge_label with the split {links.links!r}; allowed: with links "
                             "that are listed, as an array [2, links]")
        return prefix + links.links
    pairs = all_edges(links.edge_type) if links.links is None else links.links
    return prefix + files.array_text(_NAME, _with_labels(pairs, labels))


def _with_labels(pairs: numpy.ndarray, labels: Any) -> numpy.ndarray:
    """Returns rows of source, destination and label, if any: of whole labels as int64, of
    others as float64."""
    if labels is None:
        return pairs
    array = to_numpy(labels)
    if array.dtype.kind not in "biuf" or array.shape != (len(pairs),):
        raise ValueError(f"edge_label is of {array.dtype} and has the shape {list(array.shape)}; "
                         f"allowed: a number for each of {len(pairs)} links")
    dtype = numpy.float64 if array.dtype.kind == "f" else numpy.int64
    return numpy.column_stack([pairs, array]).astype(dtype)


def times(links: Links, edge_label_time: Any, files: ArrayFiles) -> Any:
    """Returns the text of the option `input_time`: a time for each link, or one for all."""
    if edge_label_time is None or isinstance(edge_label_time, (str, numbers.Integral)):
        return edge_label_time
    array = as_array("edge_label_time", edge_label_time)
    listed = links.links
    if isinstance(listed, numpy.ndarray) and len(array) != len(listed):
        raise ValueError(f"edge_label_time has {len(array)} times; allowed: a time for each of "
                         f"{len(listed)} links, or one for all")
    return files.text("edge_label_time", array)


# ---- Negatives -------------------------------------------------------------------------


class _Negatives(NamedTuple):
    """PyG's NegativeSampling."""

    mode: Any
    amount: Any = None
    src_weight: Any = None
    dst_weight: Any = None


def negatives(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options `neg_sampling` and `neg_amount`."""
    given, ratio = arguments["neg_sampling"], arguments["neg_sampling_ratio"]
    if ratio:  # as in PyG, 0 says nothing
        if given is not None:
            raise ValueError("neg_sampling and neg_sampling_ratio say the same; allowed: one of "
                             "them")
        given = ("binary", ratio)
    if given is None:
        return {"neg_sampling": None, "neg_amount": arguments.get("neg_amount")}
    wanted = _negatives(given)
    if wanted.src_weight is not None or wanted.dst_weight is not None:
        raise TypeError("neg_sampling has weights, which are not taken; instead: "
                        "neg_degree_power=, which draws negatives by their degrees")
    amount = arguments.get("neg_amount")
    if amount is not None and wanted.amount is not None:
        raise ValueError("neg_amount and the amount of neg_sampling say the same; allowed: one "
                         "of them")
    return {"neg_sampling": getattr(wanted.mode, "value", wanted.mode),
            "neg_amount": wanted.amount if amount is None else amount}


def _negatives(given: Any) -> _Negatives:
    """A NegativeSampling, or what PyG makes one of: a mapping, a tuple, a text."""
    try:
        if isinstance(given, Mapping):
            return _Negatives(**given)
        if isinstance(given, tuple):
            return _Negatives(*given)
    except TypeError:
        raise TypeError(f"neg_sampling is {given!r:.100}; allowed: mode and amount, as "
                        "dict(mode='binary', amount=0.5)") from None
    if isinstance(given, str):
        return _Negatives(given)
    if not hasattr(given, "mode"):
        raise TypeError(f"neg_sampling is {given!r:.100}; allowed: PyG's NegativeSampling, "
                        "dict(mode='binary', amount=0.5), 'binary', 'triplet', 'destination'")
    return _Negatives(given.mode, given.amount, given.src_weight, given.dst_weight)


def own_negatives(given: Any, files: ArrayFiles) -> str | None:
    """Returns the text of the option `neg_destination`, of an array [links, each] of
    destinations, or a text."""
    if given is None or isinstance(given, str):
        return given
    array = to_numpy(given)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise ValueError(f"neg_destination is of {array.dtype} and has the shape "
                         f"{list(array.shape)}; allowed: node ids, [links, negatives of each]")
    return files.array_text("neg_destination", array)
