"""The stored columns that a batch holds, of those that the graph has."""

import numpy as np

OPTIONAL = ("x", "y", "edge_attr")


def chosen(graph, tensors, collect, seed_times=None):
    """The tensors with the columns `collect` of their nodes and edges alone;
    `seed_times`: of the inputs, by position."""
    out = {name: a for name, a in tensors.items()
           if (column := name.split("/")[0]) not in OPTIONAL
           or column in collect}
    suffix = lambda t: "/" + t if graph.hetero else ""
    for t, stored in graph.node_types.items():
        nodes = tensors.get("n_id" + suffix(t))
        if "time" in collect and stored.time is not None and nodes is not None:
            out["time" + suffix(t)] = np.array(
                [stored.time[v] for v in nodes.tolist()], np.int64)
    for t, stored in graph.edge_types.items():
        edges = tensors.get("e_id" + suffix("__".join(t)))
        if ("weight" in collect and stored.weight is not None
                and edges is not None):
            out["weight" + suffix("__".join(t))] = np.array(
                [stored.weight[e] for e in edges.tolist()], np.float32)
    if "seed_time" in collect:
        [inputs] = [name for name in tensors if name.startswith("seed_index")]
        out[inputs.replace("seed_index", "seed_time")] = np.array(
            seed_times, np.int64)
    return out
