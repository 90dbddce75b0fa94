"""The places of nodes and edges: DGL's partition book, by the ids of the stored graph."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import torch

from ... import errors, graph
from ..._ids import to_ids


class PartitionPolicy(NamedTuple):
    """Whose rows a tensor's are: "node:TYPE" or "edge:SRC,REL,DST"."""

    policy_str: str

    @property
    def type_name(self) -> str:
        """The type."""
        return self.policy_str.partition(":")[2]


class PartitionBook:
    """Answers by calls of the servers. Ids are those of the stored graph, everywhere; DGL's
    are renumbered by partitions, which `map_to_homo_nid` is not: it counts the types' ids one
    after the other."""

    def __init__(self, opened: graph.Graph, rank: int, world_size: int):
        self._graph = opened
        self._parts = opened.partitions()
        self._rank, self._world_size = rank, world_size
        self._first_node = list(itertools.accumulate(
            (opened.num_nodes(its) for its in opened.node_types), initial=0))
        self._first_edge = list(itertools.accumulate(
            (opened.num_edges(its) for its in opened.edge_types), initial=0))

    def num_partitions(self) -> int:
        """Returns the number of partitions."""
        return len(self._parts)

    @property
    def partid(self) -> int:
        """The first partition that is this rank's own: those p of P with floor(p * ranks / P)
        equal to the rank, or one that it shares."""
        count, ranks = len(self._parts), self._world_size
        if count < ranks:
            return self._rank * count // ranks
        return next(p for p in range(count) if p * ranks // count == self._rank)

    def metadata(self) -> list[dict[str, Any]]:
        """Returns of each partition its "machine_id", "num_nodes" and "num_edges" of all
        types, and the "owners" that are up."""
        return [{"machine_id": part["partition"], "num_nodes": sum(part["nodes"].values()),
                 "num_edges": sum(part["edges"].values()), "owners": part["owners"]}
                for part in self._parts]

    @property
    def ntypes(self) -> list[str]:
        """The node types."""
        return list(self._graph.node_types)

    @property
    def canonical_etypes(self) -> list[tuple[str, str, str]]:
        """The edge types."""
        return list(self._graph.edge_types)

    @property
    def etypes(self) -> list[str]:
        """The relations of the edge types."""
        return [its[1] for its in self._graph.edge_types]

    @property
    def is_homogeneous(self) -> bool:
        """Whether the graph is not typed."""
        return not self._graph.heterogeneous

    def nid2partid(self, nids: Any, ntype: str | None = None) -> torch.Tensor:
        """Returns the partition of each node, int64 [nids]."""
        return self._graph.node_partitions(nids, one_type(ntype))

    def eid2partid(self, eids: Any, etype: Any = None) -> torch.Tensor:
        """Returns the partition of each edge, int64 [eids]. Needs --edge-index."""
        return self._graph.edge_partitions(eids, one_type(etype))

    def partid2nids(self, partid: int, ntype: str | None = None) -> torch.Tensor:
        """Returns the nodes of a partition, int64, ascending."""
        return self._graph.partition_nodes(partid, one_type(ntype))

    def partid2eids(self, partid: int, etype: Any = None) -> torch.Tensor:
        """Returns the edges that end at a partition's nodes, int64, ascending."""
        return self._graph.partition_edges(partid, one_type(etype))

    def nid2localnid(self, *unused: Any, **unused_too: Any) -> torch.Tensor:
        """Refused: a trainer has no part of the graph in its memory."""
        raise errors.Unimplemented(
            "nid2localnid and eid2localeid: a trainer holds no partition, so nothing has a local "
            "id; allowed: the ids themselves, which every call takes")

    eid2localeid = nid2localnid

    def map_to_homo_nid(self, ids: Any, ntype: str) -> torch.Tensor:
        """Returns ids over all node types, one type after the other, int64 [ids]."""
        return _shifted(ids, self._first_node[self.ntypes.index(ntype)])

    def map_to_per_ntype(self, ids: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the number of each id's type in `ntypes`, and its id there."""
        return _typed(ids, self._first_node)

    def map_to_homo_eid(self, ids: Any, etype: Any) -> torch.Tensor:
        """Returns ids over all edge types, one type after the other, int64 [ids]."""
        names = [(its, its[1], ",".join(its)) for its in self.canonical_etypes]
        found = [number for number, its in enumerate(names) if etype in its]
        if len(found) != 1:
            raise ValueError(f"the edge type is {etype!r}; allowed: "
                             f"{', '.join(map(str, self.canonical_etypes))}")
        return _shifted(ids, self._first_edge[found[0]])

    def map_to_per_etype(self, ids: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the number of each id's type in `etypes`, and its id there."""
        return _typed(ids, self._first_edge)


def one_type(given: Any) -> Any:
    """Returns a type; DGL's names for the only one are None."""
    return None if given in ("_N", "_E", "_V", ("_N", "_E", "_N"), ("_V", "_E", "_V")) else given


def _shifted(ids: Any, first: int) -> torch.Tensor:
    return torch.as_tensor(ids, dtype=torch.int64) + first


def _typed(ids: Any, first: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    given = torch.from_numpy(to_ids(ids, first[-1]))
    if len(given) and not 0 <= int(given.min()) <= int(given.max()) < first[-1]:
        raise errors.OutOfRange(f"ids are {int(given.min())} to {int(given.max())}; allowed: 0 to "
                                f"{first[-1]} - 1")
    types = torch.searchsorted(torch.tensor(first[1:]), given, right=True)
    return types, given - torch.tensor(first)[types]
