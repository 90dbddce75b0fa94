"""Names of options: those of sources (docs/modes.md) and of sessions
(docs/sampling/sessions.md). tests/python compares them with these pages."""

from __future__ import annotations

import difflib
from typing import Any, Collection, Mapping

WORKER_OPTIONS = frozenset({
    "mode", "graph", "servers", "master_addr", "master_port", "server_rank",
    "num_clients", "client_rank", "max_servers", "num_workers", "num_threads",
    "feature_memory", "worker_devices", "worker_concurrency", "num_rpc_threads",
    "rpc_timeout", "channel_size", "buffer_size", "prefetch_size", "pin_memory",
    "worker_key", "tls_ca", "tls_cert", "tls_key", "graph_name", "huge_pages",
    "numa_node", "worker_program",
})
SESSION_OPTIONS = frozenset({
    "kind", "input_nodes", "batch_size", "shuffle", "drop_last", "input_weight",
    "random_seed", "collect", "feature_dtype", "collect_degrees", "num_neighbors",
    "replace", "expand", "draw", "layer_dependency", "time", "temporal_strategy",
    "strict", "input_time", "disjoint", "edge_mask", "edge_predicate", "edge_dir",
    "subgraph_type", "max_scanned_edges", "input_edges", "neg_sampling",
    "neg_amount", "neg_degree_power", "neg_destination", "neg_strict",
    "on_exhausted", "exclude", "enclosing", "walk_length", "walks_per_node",
    "metapath", "restart_prob", "restart_ends", "p", "q", "top_k", "alpha",
    "epsilon", "edge_type", "nodes_per_layer", "importance",
})


def refuse_unknown(whose: str, given: Mapping[str, Any],
                   allowed: Collection[str]) -> None:
    """Raises TypeError for a name that is not allowed, with the nearest one."""
    for name in given:
        if name in allowed:
            continue
        near = difflib.get_close_matches(name, allowed, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise TypeError(f"{whose} has no argument {name!r}{hint} Allowed: "
                        f"{', '.join(sorted(allowed))}")
