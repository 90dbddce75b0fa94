"""Batches of links in PyG's format beside PyG's own LinkLoader: what it makes of the same
sampled nodes and edges must have the same stores, names, order, dtypes and values."""

import unittest

import torch
from torch_geometric.loader import LinkLoader
from torch_geometric.sampler import NegativeSampling
from torch_geometric.sampler.neighbor_sampler import edge_sample

import tributary_gnn as tg
from tests.e2e import processes
from tests.python.pyg import beside_pyg, graphs

LINKS = 50
# What batches have beside PyG's attributes.
OURS = {"num_exhausted"}
# Two supervision types: between two node types, and within one.
TYPES = {"Data": [None], "HeteroData": [graphs.WRITES, graphs.CITES]}


def links(kind, edge_type=None):
    """Node ids [2, LINKS], which repeat and need not be edges."""
    generator = torch.Generator().manual_seed(3)
    sources = graphs.AUTHORS if edge_type == graphs.WRITES else graphs.PAPERS
    return torch.stack([torch.randint(count // 2, (LINKS,), generator=generator)
                        for count in (sources, graphs.PAPERS)])


def of_type(edge_type, value):
    return value if edge_type is None else (edge_type, value)


class Negatives(NegativeSampling):
    """Gives PyG's sampler the negatives of a batch of ours, where it draws some."""

    def __init__(self, mode, amount, drawn):
        super().__init__(mode, amount)
        self.drawn = drawn

    def sample(self, num_samples, endpoint, num_nodes=None):
        drawn = self.drawn[endpoint]
        assert drawn.shape == (num_samples,), (drawn.shape, num_samples)
        return drawn


class Replay(beside_pyg.Replay):
    """Gives PyG's loader the nodes, edges and negatives of one batch of ours, by the function
    of PyG's sampler that makes all else of them. Index tensors are compared by the nodes
    that they stand for, and replaced by ours, for PyG numbers the inputs ascending."""

    def __init__(self, test, batch, edge_type):
        super().__init__(batch)
        self.test = test
        self.edge_type = edge_type
        self.seed = None

    def sample_from_edges(self, inputs, neg_sampling=None):
        disjoint = self.of("batch") is not None
        if neg_sampling is not None:
            neg_sampling = Negatives(neg_sampling.mode, neg_sampling.amount,
                                     self.negatives(neg_sampling, inputs, disjoint))
        num_nodes = graphs.PAPERS
        if self.typed:
            num_nodes = {"author": graphs.AUTHORS, "paper": graphs.PAPERS}
        output = edge_sample(inputs, self.sample, num_nodes, disjoint, None, neg_sampling)
        output.metadata = tuple(self.ours(number, value)
                                for number, value in enumerate(output.metadata))
        return output

    def sample(self, seed, seed_time):
        self.seed = seed
        return self.output(None)

    def store(self, name):
        """The batch's store with this attribute."""
        [store] = [store for store in self.batch.stores if name in store]
        return store

    def end(self, by_type, name, row):
        """What is there for the node type of an index tensor."""
        if not self.typed:
            return by_type
        sources = name == "src_index" if row is None else row == 0
        return by_type[self.edge_type[0 if sources else -1]]

    def nodes(self, name, row=None):
        """The ids that an index tensor of ours stands for."""
        local = self.store(name)[name]
        local = local if row is None else local[row]
        return self.end(self.batch, name, row).n_id[local]

    def negatives(self, neg_sampling, inputs, disjoint):
        if neg_sampling.is_triplet():
            drawn = self.nodes("dst_neg_index").reshape(len(inputs.row), -1)
            # Of a link one after the other; in disjoint batches link by link, in turn.
            return {"dst": (drawn.t() if disjoint else drawn).reshape(-1)}
        return {end: self.nodes("edge_label_index", row)[len(inputs.row):]
                for row, end in enumerate(("src", "dst"))}

    def ours(self, number, value):
        """In the place of PyG's metadata: number 0 is input_id."""
        triplet = any("src_index" in store for store in self.batch.stores)
        names = (["src_index", "dst_pos_index", "dst_neg_index"] if triplet
                 else ["edge_label_index"])
        if not 1 <= number <= len(names):
            return value
        name = names[number - 1]
        mine = self.store(name)[name]
        self.test.assertEqual((mine.dtype, mine.shape), (value.dtype, value.shape), name)
        for row in (0, 1) if name == "edge_label_index" else (None,):
            seed = self.end(self.seed, name, row)
            pygs = value if row is None else value[row]
            self.test.assertTrue(torch.equal(seed[pygs], self.nodes(name, row)), (name, row))
        return mine


class LinkNeighborLoaderTest(beside_pyg.BesidePyg, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graphs = {}
        for data in (graphs.homogeneous(), graphs.heterogeneous()):
            folder = processes.temporary_folder()
            cls.addClassCleanup(folder.cleanup)
            cls.graphs[type(data).__name__] = data, graphs.partition(data, folder.name)

    # PyG's batches have all columns, whatever is drawn by.
    ALL = {"collect": "x,y,edge_attr,time,weight"}

    def expect_pygs(self, kind, edge_type, pygs, **options):
        """`pygs` are arguments of both loaders, `options` of ours alone."""
        data, graph = self.graphs[kind]
        index = of_type(edge_type, links(kind, edge_type))
        with tg.LinkNeighborLoader(graph, options.pop("num_neighbors", [4, 3]), index,
                                   batch_size=20, **self.ALL, **pygs, **options) as loader:
            batches = list(loader)
        self.assertEqual(len(batches), 3)
        for batch in batches:
            replay = Replay(self, batch, edge_type)
            theirs = LinkLoader(data, replay, index, **pygs)
            self.expect_equal(theirs(replay.store("input_id").input_id), batch, OURS)
        return batches

    def each_type(self):
        for kind, types in TYPES.items():
            for edge_type in types:
                yield kind, edge_type

    def test_with_and_without_negatives(self):
        labels = torch.arange(LINKS) % 3
        for kind, edge_type in self.each_type():
            for pygs in (
                    {}, {"edge_label": labels}, {"edge_label": labels + 0.5},
                    {"neg_sampling": "binary"}, {"neg_sampling": "triplet"},
                    {"neg_sampling": NegativeSampling("binary", 0.3)},
                    {"neg_sampling": {"mode": "triplet", "amount": 2}},
                    {"neg_sampling": ("binary", 2)}, {"neg_sampling_ratio": 1.5},
                    {"neg_sampling": "binary", "edge_label": labels},
                    {"neg_sampling": "binary", "edge_label": labels + 1},
                    {"neg_sampling": "binary", "edge_label": labels.float()},
                    {"neg_sampling": "binary", "edge_label": labels > 0}):
                for options in ({}, {"disjoint": True}, {"shuffle": True}):
                    with self.subTest(kind, edge_type=edge_type, **pygs, **options):
                        self.expect_pygs(kind, edge_type, pygs, **options)

    def test_with_times(self):
        times = torch.arange(LINKS) * 10 + 300
        for kind, edge_type in self.each_type():
            for negatives in (None, "binary", "triplet", ("binary", 2), ("triplet", 2)):
                for options in ({}, {"on_exhausted": "accept", "shuffle": True}):
                    with self.subTest(kind, edge_type=edge_type, negatives=negatives, **options):
                        self.expect_pygs(
                            kind, edge_type,
                            {"edge_label_time": times, "neg_sampling": negatives},
                            time_attr="time", **options)

    def test_with_weights(self):
        for kind, edge_type in self.each_type():
            with self.subTest(kind, edge_type=edge_type):
                self.expect_pygs(kind, edge_type, {"neg_sampling": "binary"},
                                 weight_attr="weight")

    def test_links_of_a_type_that_is_not_sampled(self):
        self.expect_pygs("HeteroData", graphs.WRITES, {"neg_sampling": "binary"},
                         num_neighbors={graphs.CITES: [3, 2]})

    def test_all_edges_are_those_of_the_data(self):
        for kind, edge_type in self.each_type():
            data, graph = self.graphs[kind]
            edges = (data if edge_type is None else data[edge_type]).edge_index
            with tg.LinkNeighborLoader(graph, [2], edge_type, batch_size=1000) as loader:
                [batch] = loader
            replay = Replay(self, batch, edge_type)
            ends = torch.stack([replay.nodes("edge_label_index", row) for row in (0, 1)])
            self.assertTrue(torch.equal(ends, edges), edge_type)

    def test_columns_that_are_drawn_by_come_by_themselves(self):
        data, graph = self.graphs["Data"]
        with tg.LinkNeighborLoader(graph, [4], links("Data"), edge_label_time=900,
                                   time_attr="when") as loader:
            batch = next(iter(loader))
        self.assertTrue(torch.equal(batch["when"], data.time[batch.n_id]))
        self.assertEqual(batch.edge_label_time.tolist(), [900])


if __name__ == "__main__":
    unittest.main()
