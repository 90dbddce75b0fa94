"""What compares batches with those that PyG's loaders make of the same sampled nodes and
edges."""

import torch
from torch_geometric.sampler import BaseSampler, HeteroSamplerOutput, SamplerOutput


class Replay(BaseSampler):
    """Gives PyG's loader the nodes and edges of one batch of ours."""

    def __init__(self, batch):
        self.batch = batch
        self.typed = hasattr(batch, "node_types")

    def sample_from_nodes(self, inputs):
        return self.output(metadata=(inputs.input_id, inputs.time))

    def sample_from_edges(self, *unused, **unused_too):
        raise AssertionError("inputs are nodes")

    def output(self, metadata):
        batch = self.batch
        row, col = ({key: edges[i] for key, edges in batch.edge_index_dict.items()}
                    if self.typed else batch.edge_index[i] for i in (0, 1))
        names = {"node": "n_id", "edge": "e_id"}
        fields = {field: self.of(names.get(field, field)) for field in (
            "node", "edge", "batch", "num_sampled_nodes", "num_sampled_edges")}
        kind = HeteroSamplerOutput if self.typed else SamplerOutput
        return kind(row=row, col=col, metadata=metadata, **fields)

    def of(self, name):
        if not self.typed:
            return getattr(self.batch, name, None)
        return self.batch.collect(name, allow_empty=True) or None


def dtype_of(value):
    return value.dtype if isinstance(value, torch.Tensor) else type(value)


class BesidePyg:
    """Assertions of a TestCase. `ours` are attributes that PyG's batches have not."""

    def expect_equal(self, expected, got, ours):
        self.assertEqual(type(got), type(expected))
        if hasattr(expected, "node_types"):
            self.assertEqual(got.metadata(), expected.metadata())
        self.assertEqual(len(got.stores), len(expected.stores))
        for mine, theirs in zip(got.stores, expected.stores):
            self.expect_equal_stores(theirs, mine, ours)

    def expect_equal_stores(self, theirs, mine, ours):
        self.assertEqual(mine._key, theirs._key)
        self.assertEqual([key for key in mine.keys() if key not in ours],
                         list(theirs.keys()), mine._key)
        for key, value in theirs.items():
            self.assertEqual(dtype_of(mine[key]), dtype_of(value), (mine._key, key))
            if isinstance(value, torch.Tensor):
                self.assertTrue(torch.equal(mine[key], value), (mine._key, key))
            else:
                self.assertEqual(mine[key], value, (mine._key, key))
