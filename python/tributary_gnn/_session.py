"""Options of sessions, made of PyG's arguments."""

from __future__ import annotations

import numbers
from typing import Any, Mapping

from . import _arguments
from ._arrays import ArrayFiles

# Values of time_attr that say whose times count; other names are looked for in both.
_TIMES = {"edge": "edge", "edge_time": "edge", "node": "node", "node_time": "node"}


def fanouts(num_neighbors: Any) -> Any:
    """Returns num_neighbors as JSON has it: a list, or lists by edge type and `default`."""
    if num_neighbors is None:
        raise TypeError("num_neighbors is required: a number for each hop, as [15, 10, 5], or "
                        "such lists by edge type")
    default = None
    if hasattr(num_neighbors, "values") and hasattr(num_neighbors, "default"):
        num_neighbors, default = num_neighbors.values, num_neighbors.default  # PyG's
    if isinstance(num_neighbors, Mapping):
        by_type = {_fanout_key(key): _hops(value) for key, value in num_neighbors.items()}
        return by_type if default is None else {"default": _hops(default), **by_type}
    return num_neighbors if isinstance(num_neighbors, str) else _hops(num_neighbors)


def _hops(fanouts_of_hops: Any) -> list[Any]:
    try:
        return list(fanouts_of_hops)
    except TypeError:
        raise TypeError(f"num_neighbors has {fanouts_of_hops!r}; allowed: a list with a number "
                        "for each hop, as [15, 10, 5]") from None


def _fanout_key(key: Any) -> str:
    return key if key == "default" else edge_type_text("num_neighbors", key, ", or 'default'")


def edge_type_text(argument: str, edge_type: Any, more: str = "") -> str:
    """Returns ("a", "to", "b"), PyG's "a__to__b" or "a,to,b" as the latter.

    Raises:
      TypeError: it is something else; `argument` has it, where `more` is allowed, too.
    """
    if isinstance(edge_type, str):
        parts = edge_type.split("__")
        return ",".join(parts) if len(parts) == 3 else edge_type
    if is_edge_type(edge_type):
        return ",".join(edge_type)
    raise TypeError(f"{argument} has {edge_type!r}; allowed: an edge type, as ('paper', "
                    f"'cites', 'paper'){more}")


def is_edge_type(value: Any) -> bool:
    """Whether it is a tuple of three texts."""
    return isinstance(value, tuple) and len(value) == 3 and all(
        isinstance(part, str) for part in value)


def edge_type(arguments: Mapping[str, Any]) -> str | None:
    """Returns the option of that name."""
    given = arguments["edge_type"]
    return None if given is None else edge_type_text("edge_type", given)


def inputs(input_nodes: Any, files: ArrayFiles) -> str:
    """Returns the text of input_nodes: None, a text, ids, a mask, or (type, one of these)."""
    if _is_typed(input_nodes):
        return f"{input_nodes[0]}:{inputs(input_nodes[1], files)}"
    if input_nodes is None:
        return "*"
    return input_nodes if isinstance(input_nodes, str) else files.text("input_nodes", input_nodes)


def _is_typed(input_nodes: Any) -> bool:
    return isinstance(input_nodes, tuple) and len(input_nodes) == 2 and isinstance(
        input_nodes[0], str)


def is_list(input_nodes: Any) -> bool:
    """Whether the inputs are listed, and not named."""
    if _is_typed(input_nodes):
        return is_list(input_nodes[1])
    return input_nodes is not None and not isinstance(input_nodes, str)


def subgraph_type(arguments: Mapping[str, Any]) -> str:
    """Returns the option of that name."""
    if not arguments["directed"]:
        _arguments.warn("directed=False is deprecated in PyG; subgraph_type='induced' says the "
                        "same")
        return "induced"
    return getattr(arguments["subgraph_type"], "value", arguments["subgraph_type"])


def _draw(arguments: Mapping[str, Any]) -> str | None:
    """The graph has one column of weights, so that its name does not matter."""
    draw = arguments.get("draw")
    if arguments["weight_attr"] is None:
        return draw
    if draw not in (None, "weighted"):
        raise ValueError(f"weight_attr and draw={draw!r}; allowed: draw='weighted', or no "
                         "weight_attr")
    return "weighted"


def times(arguments: Mapping[str, Any]) -> list[str | None]:
    """Returns the values of the option `time` that time_attr may stand for."""
    time_attr, time = arguments["time_attr"], arguments.get("time")
    if time_attr is None:
        return [time]
    if time is not None:
        raise ValueError("time_attr and time say the same; allowed: one of them")
    return [_TIMES[time_attr]] if time_attr in _TIMES else ["node", "edge"]


def collect_as_pyg(arguments: dict[str, Any]) -> None:
    """PyG's batches have the columns of weights and times that they are drawn by. Those of
    times are chosen when it is known whose times they are."""
    if arguments.get("collect") is None and arguments["weight_attr"] is not None:
        arguments["collect"] = "x,y,edge_attr,weight"
    arguments["collect_times"] = arguments.get("collect") is None


def timed(session: Mapping[str, Any], time: str | None, collect: str | None
          ) -> dict[str, Any]:
    """Returns the session with the option `time`, and with the columns `collect`, if any."""
    if time is None or time == "none":
        return {**session}
    return {**session, "time": time, **({} if collect is None else {"collect": collect})}


def names(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Returns what the user calls the graph's columns of weights and of times."""
    given = {"weight": arguments["weight_attr"], "time": arguments["time_attr"]}
    return {column: name for column, name in given.items()
            if name is not None and name not in _TIMES}


def array(arguments: Mapping[str, Any], name: str, files: ArrayFiles) -> Any:
    """Returns the text of an option that is a list, a text or one number."""
    value = arguments.get(name)
    if value is None or isinstance(value, (str, numbers.Integral)):
        return value
    return files.text(name, value)


def check_input_time(name: str, arguments: Mapping[str, Any]) -> None:
    """Raises ValueError for times of inputs, in the argument `name`, without others that
    they are compared with."""
    if arguments[name] is not None and times(arguments) in ([None], ["none"]):
        raise ValueError(f"{name} without time_attr (or time='edge' or 'node'): nothing is "
                         "compared with it")


def hops(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of how neighbours are drawn, but for times."""
    return {
        "num_neighbors": fanouts(arguments["num_neighbors"]),
        "replace": bool(arguments["replace"]),
        "disjoint": bool(arguments["disjoint"]),
        "temporal_strategy": arguments["temporal_strategy"],
        "draw": _draw(arguments),
        "time": None,  # by timed()
    }


def made(vocabulary: _arguments.Vocabulary, arguments: Mapping[str, Any], files: ArrayFiles,
         options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a session of these options, of those that all kinds have, and of those that
    the loader passes on. Options that nobody gave are left out."""
    session = {
        **{name: arguments.get(name) for name in vocabulary.passed_on},
        "kind": vocabulary.kind,
        "input_weight": array(arguments, "input_weight", files),
        "batch_size": arguments["batch_size"],
        "shuffle": _arguments.shuffle_of(arguments),
        "drop_last": bool(arguments.get("drop_last")),
        **options,
    }
    return {name: value for name, value in session.items() if value is not None}
