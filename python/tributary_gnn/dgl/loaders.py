"""DGL's loaders of nodes, of edges, and of any list."""

from __future__ import annotations

import collections
import functools
import math
from typing import Any, Callable, Iterator, Mapping, Sequence

import torch

from .. import neighbor_loader
from .._ids import to_ids
from .._interrupt import Started
from .blocks import EdgesOfType, SampledGraph, make_block
from . import _draws, _process
from .samplers import (EdgePredictionSampler, NeighborSampler, Sampled,
                       as_edge_prediction_sampler, check_others, only_one)

# Of DGL's and PyTorch's processes.
_OF_PROCESSES = ("num_workers", "ddp_seed", "use_uva", "persistent_workers", "pin_memory",
                 "use_prefetch_thread", "use_alternate_streams", "queue_size", "prefetch_factor")


class DistDataLoader:
    """Iterates over what `collate_fn` makes of each `batch_size` items of a list, as DGL's:

        loader = DistDataLoader(train_nids, batch_size=1024, collate_fn=sampler.sample_blocks,
                                shuffle=True)

    Args:
      dataset: ids, or any sequence.
      batch_size: items of a batch.
      shuffle: whether the order is drawn anew for each epoch, by the seed of `dgl.seed`.
      collate_fn: called with the items of a batch, a tensor where the dataset is one of
        numbers. Sampling calls in it have keys of their own, so that equal seeds and items
        give equal batches.
      drop_last: leave out the short batch at the end.
      queue_size: how many batches are made ahead, each by a thread; by default `num_workers`
        of `initialize`. 0: each when it is asked for.
    """

    def __init__(self, dataset: Any, batch_size: int, shuffle: bool = False,
                 collate_fn: Callable[[Any], Any] | None = None, drop_last: bool = False,
                 queue_size: int | None = None):
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}; allowed: 1 or more")
        if collate_fn is None:
            raise TypeError("collate_fn is required: what makes a batch of its items")
        self._items = _sequence(dataset)
        self._collate = collate_fn
        self.batch_size, self.shuffle, self.drop_last = batch_size, bool(shuffle), drop_last
        self._ahead = _process.num_workers() if queue_size is None else queue_size
        self._epoch = 0

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        whole = len(self._items) / self.batch_size
        return math.floor(whole) if self.drop_last else math.ceil(whole)

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch that the next `iter` begins."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        """Begins the next epoch."""
        epoch, self._epoch = self._epoch, self._epoch + 1
        order = self._order(epoch)
        made = (functools.partial(self._make, epoch * len(self) + number,
                                  order[number * self.batch_size:][:self.batch_size])
                for number in range(len(self)))
        return _made_ahead(made, self._ahead)

    def _order(self, epoch: int) -> torch.Tensor:
        if not self.shuffle:
            return torch.arange(len(self._items))
        # Of its own: the training's draws do not depend on the loader's.
        generator = torch.Generator().manual_seed((_draws.random_seed() + epoch) % (1 << 63))
        return torch.randperm(len(self._items), generator=generator)

    def _make(self, batch: int, places: torch.Tensor) -> Any:
        if isinstance(self._items, torch.Tensor):
            items: Any = self._items[places]
        else:
            items = [self._items[place] for place in places.tolist()]
        with _draws.batch(batch):
            return self._collate(items)


def _made_ahead(calls: Iterator[Callable[[], Any]], ahead: int) -> Iterator[Any]:
    """Yields the results of the calls in their order; so many are made ahead by threads, which
    nobody waits for when the iterator is closed, or a signal's handler raises."""
    waiting: collections.deque[Started[Any]] = collections.deque()
    try:
        for call in calls:
            waiting.append(Started(call, lambda _: None))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for left in waiting:
            left.abandon()


class DistNodeDataLoader:
    """Iterates over (input_nodes, output_nodes, blocks) of batches of nodes, as DGL's. Servers
    sample all layers of a batch: it is one of `tributary_gnn.NeighborLoader`, with
    `expand="all"`.

    Args:
      g: a `DistGraph`.
      nids: this rank's own nodes, as `node_split` gives them; in a typed graph a mapping of
        one node type.
      graph_sampler: a `NeighborSampler` of DGL's form. One whose methods are the user's own is
        called for each batch, as DGL does.
      device: where the results are put.
      batch_size: 1 to 65536.
      shuffle, drop_last: as in `DistDataLoader`.
      num_workers, ...: no effect.
    """

    def __init__(self, g: Any, nids: Any, graph_sampler: Any, device: Any = None,
                 batch_size: int = 1, shuffle: bool = False, drop_last: bool = False,
                 **others: Any):
        check_others("DistNodeDataLoader", others, {"use_ddp": False}, _OF_PROCESSES)
        by_type = nids if isinstance(nids, Mapping) else {g.ntypes[0]: nids}
        if len(by_type) != 1:
            raise ValueError(f"nids are of {len(by_type)} node types; allowed: a mapping of one, "
                             "and a loader for each")
        [(self._ntype, given)] = by_type.items()
        ids = torch.from_numpy(to_ids(given, g.num_nodes(self._ntype)))
        self._graph = g
        self._device = getattr(graph_sampler, "device", None) if device is None else device
        self._loader: Any
        if isinstance(graph_sampler, NeighborSampler) and graph_sampler.is_plain:
            self._loader = self._of_servers(ids, graph_sampler, batch_size, shuffle, drop_last)
            self._deliver = self._sampled
        else:
            typed = g.heterogeneous
            self._loader = DistDataLoader(
                ids, batch_size, shuffle, lambda its: graph_sampler.sample_blocks(
                    g, {self._ntype: its} if typed else its), drop_last)
            self._deliver = lambda batch: batch

    def _of_servers(self, ids: torch.Tensor, sampler: NeighborSampler, batch_size: int,
                    shuffle: bool, drop_last: bool) -> Any:
        if sampler.edge_dir != "in":
            raise ValueError(f"edge_dir is {sampler.edge_dir!r}; allowed: 'in', as blocks lead to "
                             "the nodes that they are made for")
        g = self._graph
        return neighbor_loader.NeighborLoader(
            g.source, _fanouts(g, sampler.fanouts), (self._ntype, ids) if g.heterogeneous else ids,
            batch_size=batch_size, shuffle=bool(shuffle), drop_last=drop_last, expand="all",
            replace=sampler.replace, weight_attr=sampler.prob, edge_mask=sampler.mask,
            collect="none", format="torch", rank=0, world_size=1,
            random_seed=_draws.random_seed())

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        return len(self._loader)

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch that the next `iter` begins."""
        self._loader.set_epoch(epoch)

    def __iter__(self) -> Iterator[Sampled]:
        """Begins the next epoch."""
        return map(self._deliver, self._loader)

    def _sampled(self, batch: Any) -> Sampled:
        g = self._graph

        def named(column: str, its: Any) -> str:
            suffix = its if isinstance(its, str) else "__".join(its)
            return f"{column}/{suffix}" if g.heterogeneous else column

        new = {its: batch[named("num_sampled_nodes", its)].tolist() for its in g.ntypes}
        n_id = {its: batch[named("n_id", its)] for its in g.ntypes}
        edges = {its: (batch[named("edge_index", its)].long(), batch[named("e_id", its)],
                       batch[named("num_sampled_edges", its)].tolist())
                 for its in g.canonical_etypes}
        blocks: list[Any] = []
        known = {its: counts[0] for its, counts in new.items()}
        read = dict.fromkeys(edges, 0)
        for hop in range(len(next(iter(new.values()))) - 1):
            sources = {its: known[its] + counts[hop + 1] for its, counts in new.items()}
            of_hop = {}
            for its, (index, e_id, counts) in edges.items():
                part = slice(read[its], read[its] + counts[hop])
                read[its] = part.stop
                of_hop[its] = EdgesOfType(index[0, part], index[1, part], e_id[part])
            block = make_block(of_hop, {its: ids[:sources[its]] for its, ids in n_id.items()},
                               known)
            blocks.insert(0, block if self._device is None else block.to(self._device))
            known = sources
        output = n_id[self._ntype][:new[self._ntype][0]]
        return Sampled(only_one(n_id), output if not g.heterogeneous else {self._ntype: output},
                       blocks)


class DistEdgeDataLoader:
    """Iterates over batches of edges, as DGL's: (input_nodes, pair_graph, blocks), or with
    negatives (input_nodes, pair_graph, negative_pair_graph, blocks). A pair graph's edges are
    by their places among the last block's destinations.

    Args:
      g: a `DistGraph` that was partitioned with --edge-index.
      eids: this rank's own edges, as `edge_split` gives them; in a typed graph a mapping of one
        edge type.
      graph_sampler: what `as_edge_prediction_sampler` returns, or a `NeighborSampler`.
      others: as in `DistDataLoader`.
    """

    def __init__(self, g: Any, eids: Any, graph_sampler: Any, device: Any = None,
                 batch_size: int = 1, shuffle: bool = False, drop_last: bool = False,
                 exclude: str | None = None, reverse_etypes: Any = None,
                 negative_sampler: Any = None, reverse_eids: Any = None, **others: Any):
        check_others("DistEdgeDataLoader", others, {"use_ddp": False}, _OF_PROCESSES)
        if not isinstance(graph_sampler, EdgePredictionSampler):
            graph_sampler = as_edge_prediction_sampler(
                graph_sampler, exclude, reverse_eids, reverse_etypes, negative_sampler)
        elif any(its is not None for its in (
                exclude, reverse_eids, reverse_etypes, negative_sampler)):
            raise TypeError("exclude, reverse_eids, reverse_etypes and negative_sampler are said "
                            "twice; allowed: to as_edge_prediction_sampler, or here")
        self._graph, self._how, self._device = g, graph_sampler, device
        by_type = eids if isinstance(eids, Mapping) else {None: eids}
        if len(by_type) != 1:
            raise ValueError(f"eids are of {len(by_type)} edge types; allowed: a mapping of one, "
                             "and a loader for each")
        [(etype, given)] = by_type.items()
        self._etype = g.to_canonical_etype(etype)
        ids = torch.from_numpy(to_ids(given, g.num_edge_ids(self._etype)))
        self._reverse_eids = self._reverse_of_each()
        self._loader = DistDataLoader(ids, batch_size, shuffle, self._make, drop_last)

    def _reverse_of_each(self) -> torch.Tensor | None:
        """Returns reverse_eids of the loader's edge type, int64 [edge ids]."""
        given, count = self._how.reverse_eids, self._graph.num_edge_ids(self._etype)
        if isinstance(given, Mapping):
            given = {self._graph.to_canonical_etype(its): ids
                     for its, ids in given.items()}.get(self._etype, [])
        if given is None:
            return None
        reverse = torch.from_numpy(to_ids(given, count))
        if len(reverse) != count:
            raise ValueError(f"reverse_eids has {len(reverse)} ids of {self._etype}; allowed: the "
                             f"reverse of each of its {count} edge ids")
        return reverse

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        return len(self._loader)

    def set_epoch(self, epoch: int) -> None:
        """Chooses the epoch that the next `iter` begins."""
        self._loader.set_epoch(epoch)

    def __iter__(self) -> Iterator[Any]:
        """Begins the next epoch."""
        return iter(self._loader)

    def _make(self, ids: torch.Tensor) -> tuple[Any, ...]:
        g, etype, how = self._graph, self._etype, self._how
        src, dst = g.find_edges(ids, etype)
        pairs: list[tuple[Any, Any, Any]] = [(src, dst, ids)]
        if how.negatives is not None:
            negative_src, negative_dst = how.negatives.draw(g, etype, src)
            pairs.append((negative_src, negative_dst, None))
        nodes: dict[str, torch.Tensor] = {}
        for end in {etype[0], etype[2]}:
            ends = [part for its, part in ((etype[0], 0), (etype[2], 1)) if its == end]
            nodes[end] = torch.unique(torch.cat([pair[part] for pair in pairs for part in ends]))
        sampled = how.sampler.sample(g, nodes, self._excluded(ids))
        graphs = [self._pair_graph(nodes, *pair) for pair in pairs]
        return (sampled.input_nodes, *graphs, [
            block if self._device is None else block.to(self._device)
            for block in sampled.blocks])

    def _excluded(self, ids: torch.Tensor) -> Any:
        how = self._how
        if how.exclude is None:
            return None
        excluded = {self._etype: ids}
        if self._reverse_eids is not None:
            excluded[self._etype] = torch.cat([ids, self._reverse_eids[ids]]).unique()
        if how.exclude == "reverse_types":
            reverse = how.reverse_etypes.get(self._etype, how.reverse_etypes.get(self._etype[1]))
            excluded[self._graph.to_canonical_etype(reverse)] = ids
        return excluded

    def _pair_graph(self, nodes: Mapping[str, torch.Tensor], src: torch.Tensor,
                    dst: torch.Tensor, ids: torch.Tensor | None) -> SampledGraph:
        places = EdgesOfType(
            torch.searchsorted(nodes[self._etype[0]], src),
            torch.searchsorted(nodes[self._etype[2]], dst),
            torch.full((len(src),), -1) if ids is None else ids)
        graph = SampledGraph({self._etype: places}, {its: len(ids) for its, ids in nodes.items()})
        return graph if self._device is None else graph.to(self._device)


def _sequence(dataset: Any) -> Sequence[Any] | torch.Tensor:
    """Returns numbers as a tensor, and any other sequence as it is."""
    if isinstance(dataset, torch.Tensor) or hasattr(dataset, "__array__"):
        return torch.as_tensor(dataset)
    items = list(dataset)
    return torch.tensor(items) if items and all(isinstance(item, int) for item in items) else items


def _fanouts(g: Any, fanouts: Sequence[Any]) -> Any:
    """Returns num_neighbors: hops begin at the output nodes."""
    hops = list(reversed(fanouts))
    if not any(isinstance(fanout, Mapping) for fanout in hops):
        return {"default": hops} if g.heterogeneous else hops
    by_type = [{g.to_canonical_etype(its): count for its, count in fanout.items()}
               if isinstance(fanout, Mapping) else dict.fromkeys(g.canonical_etypes, fanout)
               for fanout in hops]
    return {its: [hop.get(its, 0) for hop in by_type] for its in g.canonical_etypes}
