"""Folders that are laid out as DGL and GLT write them, without these packages.

`Dgl` and `Glt` partition a graph by their own few lines, into files of those
layouts that the stand-ins for `dgl.data.utils` and `torch` below load. Import
this module before `tributary_export` runs.
"""

import dataclasses
import json
import pickle
import sys
import types

import numpy as np

PARTS = 3
HOMOGENEOUS = ("_N", "_N:_E:_N")


def dump(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        pickle.dump(value, file)


def load(path, **_):
    with open(path, "rb") as file:
        return pickle.load(file)


class DglGraph:
    """Stands in for a DGLGraph of one partition."""

    def __init__(self, ends, ndata, edata):
        self.ends, self.ndata, self.edata = ends, ndata, edata

    def edges(self):
        return self.ends


torch = types.ModuleType("torch")
torch.load = load
dgl = types.ModuleType("dgl")
dgl.data = types.ModuleType("dgl.data")
dgl.data.utils = types.ModuleType("dgl.data.utils")
dgl.data.utils.load_tensors = load
dgl.data.utils.load_graphs = lambda path: (load(path), {})
sys.modules.update({"torch": torch, "dgl": dgl, "dgl.data": dgl.data,
                    "dgl.data.utils": dgl.data.utils})


@dataclasses.dataclass
class Partitioned:
    """A graph and the partition of each node.

    Edge types are SOURCE:RELATION:DESTINATION. Arrays are by (type, name), a
    row for each node or edge by original id. A graph without types has those
    of HOMOGENEOUS.
    """

    ends: dict  # edge type -> [edges, 2]
    part: dict  # node type -> [nodes], of 0 to PARTS - 1
    node_data: dict
    edge_data: dict

    @property
    def homogeneous(self):
        return (*self.part, *self.ends) == HOMOGENEOUS


class Dgl:
    """Writes partitions with DGL's new ids: those of a partition and type are
    consecutive, and each partition also has nodes of others (halo)."""

    def __init__(self, graph, folder):
        self.graph, self.folder = graph, folder
        self.node_order, self.edge_order = {}, {}  # original ids by new ones
        node_map, edge_map = {}, {}
        self.new = {t: np.zeros(part.size, np.int64) for t, part in graph.part.items()}
        first = 0
        for p in range(PARTS):
            for t, part in graph.part.items():
                own = np.flatnonzero(part == p)[::-1]
                self.new[t][own] = first + np.arange(own.size)
                node_map.setdefault(t, []).append([first, first + own.size])
                self.node_order.setdefault(t, []).append(own)
                first += own.size
        self.num_nodes = first
        first, self.eids = 0, {}
        for p in range(PARTS):
            for name, ends in graph.ends.items():
                dst = name.split(":")[2]
                own = np.flatnonzero(graph.part[dst][ends[:, 1]] == p)[::-1]
                edge_map.setdefault(name, []).append([first, first + own.size])
                self.eids[name, p] = first + np.arange(own.size)
                self.edge_order.setdefault(name, []).append(own)
                first += own.size
        config = {"graph_name": "made", "num_parts": PARTS, "node_map": node_map,
                  "edge_map": edge_map,
                  "ntypes": {t: i for i, t in enumerate(graph.part)},
                  "etypes": {t: i for i, t in enumerate(graph.ends)}}
        for p in range(PARTS):
            config[f"part-{p}"] = {key: f"part{p}/{key}.dgl" for key in
                                   ["node_feats", "edge_feats", "part_graph"]}
            self.write_part(p)
        self.part_config = folder / "made.json"
        self.part_config.write_text(json.dumps(config))

    def write_part(self, p):
        nids = np.arange(self.num_nodes)[::-1]  # of all, in any order
        at = np.argsort(nids)
        ends, eids, inner = [], [], []
        for name, order in self.edge_order.items():
            src, _, dst = name.split(":")
            rows = self.graph.ends[name][order[p]]
            ends.append(np.stack([at[self.new[src][rows[:, 0]]],
                                  at[self.new[dst][rows[:, 1]]]]))
            eids.append(self.eids[name, p])
            inner.append(np.ones(len(rows), np.uint8))
        # An edge of another partition, which must not be taken twice.
        ends.append(np.array([[0], [0]]))
        eids.append(np.array([0]))
        inner.append(np.zeros(1, np.uint8))
        part = self.folder / f"part{p}"
        dump(part / "part_graph.dgl", [DglGraph(
            tuple(np.concatenate(ends, 1)), {"_ID": nids},
            {"_ID": np.concatenate(eids), "inner_edge": np.concatenate(inner)})])
        dump(part / "node_feats.dgl",
             {f"{t}/{name}": array[self.node_order[t][p]]
              for (t, name), array in self.graph.node_data.items()})
        dump(part / "edge_feats.dgl",
             {f"{t}/{name}": array[self.edge_order[t][p]]
              for (t, name), array in self.graph.edge_data.items()})

    def save_original_ids(self):
        """As dispatch_data.py does with --save-orig-nids and --save-orig-eids."""
        for p in range(PARTS):
            part = self.folder / f"part{p}"
            dump(part / "orig_nids.dgl", {t: o[p] for t, o in self.node_order.items()})
            dump(part / "orig_eids.dgl", {t: o[p] for t, o in self.edge_order.items()})

    def mapping(self):
        """Returns what partition_graph(return_mapping=True) does: of a graph
        without types two tensors, not dicts."""
        nodes = {t: np.concatenate(o) for t, o in self.node_order.items()}
        edges = {tuple(t.split(":")): np.concatenate(o) for t, o in self.edge_order.items()}
        if not self.graph.homogeneous:
            return nodes, edges
        return *nodes.values(), *edges.values()


class Glt:
    """Writes partitions as GLT's partitioners do, features in two pieces. Of
    the arrays they have `feat` of nodes and edges, and `weight` of edges."""

    def __init__(self, graph, folder):
        self.graph = graph
        meta = {"num_parts": PARTS, "data_cls": "homo"}
        if not graph.homogeneous:
            meta |= {"data_cls": "hetero", "node_types": list(graph.part),
                     "edge_types": [tuple(t.split(":")) for t in graph.ends]}
        dump(folder / "META", meta)
        for t, part in graph.part.items():
            dump(folder / ("node_pb.pt" if graph.homogeneous else f"node_pb/{t}.pt"), part)
        for p in range(PARTS):
            self.write_part(folder / f"part{p}", p)

    def type_folder(self, folder, type_name):
        if self.graph.homogeneous:
            return folder
        return folder / type_name.replace(":", "__")

    def write_part(self, folder, p):
        graph = self.graph
        for t, part in graph.part.items():
            self.write_features(folder / "node_feat", t, graph.node_data,
                                np.flatnonzero(part == p))
        for t, ends in graph.ends.items():
            src = t.split(":")[0]
            own = np.flatnonzero(graph.part[src][ends[:, 0]] == p)
            self.write_features(folder / "edge_feat", t, graph.edge_data, own)
            values = {"rows": ends[own, 0], "cols": ends[own, 1], "eids": own}
            if (t, "weight") in graph.edge_data:
                values["weights"] = graph.edge_data[t, "weight"][own]
            for what, value in values.items():
                dump(self.type_folder(folder / "graph", t) / f"{what}.pt", value)

    def write_features(self, folder, type_name, data, own):
        if (type_name, "feat") not in data:
            return
        feats = self.type_folder(folder, type_name)
        feats.mkdir(parents=True)
        for piece in (own[:2], own[2:]):
            for name, value in (("ids", piece), ("feats", data[type_name, "feat"][piece])):
                with open(feats / f"{name}.pkl", "ab") as file:
                    pickle.dump(value, file)
