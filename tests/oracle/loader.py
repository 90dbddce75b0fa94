"""Batches of an epoch by index, as `tributary sample` names them."""

from tests.oracle import (columns, degrees, digest, layerwise_batch, link_batch,
                          neighbour_batch, order,
                          ppr_batch, precision, walk_batch)


class Loader:
    def __init__(self, graph, inputs, spec, batch_size, shuffle=True,
                 times=None, weights=None, feature_dtype=None,
                 collect_degrees=False, collect=None, omit_edge_ids=False):
        self.graph = graph
        self.inputs = inputs
        self.spec = spec
        self.times = times  # one for each input; None: the nodes' own
        self.weights = weights  # one for each input, to draw them by
        self.feature_dtype = feature_dtype  # None: as stored
        self.collect_degrees = collect_degrees
        self.collect = collect  # names of columns; None: x, y, edge_attr
        self.omit_edge_ids = omit_edge_ids
        self.batch_size = batch_size
        self.shuffle = shuffle
        self._orders = {}

    def num_batches(self):
        return -(-len(self.inputs) // self.batch_size)

    def batch(self, epoch, index):
        tensors = self._stored(epoch, index)
        if self.collect is not None:
            tensors = columns.chosen(self.graph, tensors, self.collect,
                                     self._seed_times(epoch, index))
        if self.collect_degrees:
            tensors = degrees.added(self.graph, tensors)
        if self.omit_edge_ids:
            tensors = {name: a for name, a in tensors.items()
                       if name.split("/")[0] != "e_id"}
        if self.feature_dtype is None:
            return tensors
        return precision.lowered(tensors, self.feature_dtype)

    def _numbers(self, epoch, index):
        if epoch not in self._orders:
            self._orders[epoch] = self._order(epoch)
        first = index * self.batch_size
        return [self._orders[epoch][i] for i in range(
            first, min(first + self.batch_size, len(self.inputs)))]

    def _seed_times(self, epoch, index):
        return (None if self.times is None
                else [self.times[i] for i in self._numbers(epoch, index)])

    def _stored(self, epoch, index):
        numbers = self._numbers(epoch, index)
        batch = (self.graph, self.spec, epoch, index,
                 [self.inputs[i] for i in numbers], numbers)
        if isinstance(self.spec, walk_batch.Walk):
            return walk_batch.make(*batch)
        if isinstance(self.spec, layerwise_batch.Layerwise):
            return layerwise_batch.make(*batch)
        if isinstance(self.spec, ppr_batch.Ppr):
            return ppr_batch.make(*batch)
        times = self._seed_times(epoch, index)
        if isinstance(self.spec, link_batch.Links):
            return link_batch.make(*batch, times)
        return neighbour_batch.make(*batch, times)

    def _order(self, epoch):
        if self.weights is not None:
            return order.WeightedOrder(self.weights, self.spec.seed, epoch)
        return order.EpochOrder(len(self.inputs), self.spec.seed, epoch,
                                self.shuffle)

    def line(self, epoch, index):
        return digest.line(epoch, index, self.batch(epoch, index))
