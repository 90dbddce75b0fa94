"""A typed graph whose names hold characters that paths, escapes and flags have
a meaning for, in each format, and the same graph with plain names."""

import json
import os
import re

import numpy as np

# Ascending by bytes, as graphs number their types; by plain name.
NODES = {"n0": "..", "n1": "/a/b.c", "n2": "2fa", "n3": "paper",
         "n4": "paper.ranks", "n5": "urn:x:y=1", "n6": "é é_"}
COUNTS = {"n0": 5, "n1": 12, "n2": 4, "n3": 20, "n4": 9, "n5": 7, "n6": 6}
RELATIONS = {"r0": "#1 ?*\\'\"$(x)", "r1": "../..", "r2": "/film/actor./film/x",
             "r3": "_in", "r4": "http://x.org/?a=b&c=d", "r5": "r" * 255}
EDGES = [("n0", "r2", "n1"), ("n1", "r0", "n3"), ("n1", "r4", "n5"),
         ("n3", "r2", "n3"), ("n4", "r1", "n3"), ("n5", "r5", "n0"),
         ("n6", "r3", "n3"), ("n6", "r4", "n6")]
PLAIN = {name: name for name in (*NODES, *RELATIONS)}
NASTY = {**NODES, **RELATIONS}


def arrays():
    """The graph's arrays by plain type, an edge type a tuple."""
    rng = np.random.default_rng(5)
    made = {n: {"x": rng.random((c, 3), np.float32)} for n, c in COUNTS.items()}
    made["n3"]["train_mask"] = np.arange(20) % 3 == 0
    made["n5"]["train_mask"] = np.arange(7) % 2 == 0
    for src, rel, dst in EDGES:
        ends = [rng.integers(0, COUNTS[t], 40) for t in (src, dst)]
        made[src, rel, dst] = {"edge_index": np.stack(ends)}
    return made


def named(names):
    """The arrays by the types' names."""
    return {names[t] if isinstance(t, str) else tuple(names[n] for n in t): a
            for t, a in arrays().items()}


def folder_of(*names):
    """As in docs/data.md."""
    return "__".join(re.sub(r"[/.]|_$", lambda c: f",{ord(c[0]):02x}", name)
                     for name in names)


def write_npz(path, names):
    """With names as they are, unless an underscore makes them ambiguous."""
    members = {}
    for t, of in named(names).items():
        parts = [t] if isinstance(t, str) else t
        plain = not any(part.endswith("_") for part in parts)
        member = "__".join(parts) if plain else folder_of(*parts)
        members.update({f"{member}/{name}": array for name, array in of.items()})
    np.savez(path, **members)
    return path


def write_npy(folder, names):
    """Without the relation whose folder's name would be too long."""
    for t, of in named(names).items():
        path = os.path.join(folder, folder_of(*([t] if isinstance(t, str) else t)))
        os.makedirs(path)
        for name, array in of.items():
            np.save(os.path.join(path, name), array)
    return folder


def write_config(folder, names):
    """A config.json, and arrays with numbers for names."""
    os.makedirs(folder)
    config = {"nodes": {}, "edges": {}}
    for i, (t, of) in enumerate(named(names).items()):
        for name, array in of.items():
            np.save(os.path.join(folder, f"{i}-{name}"), array)
        if not isinstance(t, str):
            config["edges"][",".join(t)] = {"index": f"{i}-edge_index.npy"}
            continue
        config["nodes"][t] = {"features": f"{i}-x.npy"}
        if "train_mask" in of:
            config["nodes"][t]["splits"] = {"train": f"{i}-train_mask.npy"}
    path = os.path.join(folder, "config.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    return path


def write_chunks(folder, names):
    """DGL's layout, with names joined by colons."""
    os.makedirs(folder)
    made = named(names)
    types = [t for t in made if isinstance(t, str)]
    edges = [t for t in made if not isinstance(t, str)]
    said = {"graph_name": "nasty", "node_type": types,
            "num_nodes_per_type": [len(made[t]["x"]) for t in types],
            "edge_type": [":".join(t) for t in edges],
            "num_edges_per_type": [made[t]["edge_index"].shape[1] for t in edges],
            "edges": {}, "node_data": {}}
    for i, (t, of) in enumerate(made.items()):
        for name, array in of.items():
            file = f"{i}-{name}.npy"
            np.save(os.path.join(folder, file), array)
            chunk = {"format": {"name": "numpy"}, "data": [file]}
            if isinstance(t, str):
                name = "feat" if name == "x" else name
                said["node_data"].setdefault(t, {})[name] = chunk
            else:
                said["edges"][":".join(t)] = chunk
    with open(os.path.join(folder, "metadata.json"), "w", encoding="utf-8") as file:
        json.dump(said, file)
    return folder
