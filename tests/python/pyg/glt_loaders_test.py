"""GLT's loaders of tributary_gnn.glt: their batches beside the graph that they were drawn from,
and which rank gets which inputs."""

import os
import unittest

import torch
from torch_geometric.data import Data, HeteroData

import tributary_gnn as tg
from tests.e2e import processes
from tests.python.loading import noted
from tests.python.pyg import graphs
from tributary_gnn import glt
from tributary_gnn.glt.distributed import context

D = glt.distributed
OWN = torch.tensor([5, 17, 60, 33, 2])


def triples(*rows):
    return sorted(zip(*(row.tolist() for row in rows)))


class LoadersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.data, cls.typed_data = graphs.homogeneous(), graphs.heterogeneous()
        cls.data.weight[::2] = 0
        cls.data.train_mask = torch.arange(80) < 20
        cls.graph = cls.partition(cls.data, "graph", out_edges=True)
        cls.typed = cls.partition(cls.typed_data, "typed", add_reverse=True)

    @classmethod
    def partition(cls, data, name, **options):
        dataset = D.DistDataset()
        dataset.load(tg.partition(data, os.path.join(cls.folder, name), 2, **options), 0, "CPU")
        return dataset

    def setUp(self):
        self.addCleanup(context.set_context, D.DistRole.WORKER, None, (1, 0), 0)
        D.init_worker_group(1, 0)

    def batches(self, kind, *arguments, **options):
        loader = kind(*arguments, **options)
        self.addCleanup(loader.shutdown)
        return list(loader)

    def nodes(self, *hops, inputs=OWN, data=None, **options):
        [batch] = self.batches(D.DistNeighborLoader, data or self.graph, list(hops), inputs,
                               **{"batch_size": 5, **options})
        return batch

    # ---- Fields ------------------------------------------------------------------------

    def expect_fields(self, batch, direction):
        self.assertIs(type(batch), Data)
        self.assertEqual((batch.batch.tolist(), batch.batch_size), (OWN.tolist(), 5))
        self.assertTrue(torch.equal(batch.node[:5], OWN))
        self.assertTrue(torch.equal(batch.x, self.data.x[batch.node]))
        self.assertTrue(torch.equal(batch.y, self.data.y[batch.node]))
        self.assertTrue(torch.equal(batch.edge_attr, self.data.edge_attr[batch.edge]))
        ends = self.data.edge_index.flip(0) if direction == "out" else self.data.edge_index
        self.assertTrue(torch.equal(batch.node[batch.edge_index], ends[:, batch.edge]))
        # Of one hop all edges, and messages go to the inputs.
        all_edges = torch.isin(ends[1], OWN).nonzero().view(-1)
        self.assertEqual(sorted(batch.edge.tolist()), all_edges.tolist())
        self.assertTrue((batch.edge_index[1] < 5).all())
        self.assertEqual(batch.num_sampled_edges.tolist(), [len(all_edges)])
        self.assertEqual(int(batch.num_sampled_nodes.sum()), len(batch.node))
        self.assertEqual(batch.edge_index.dtype, torch.int64)

    def test_fields_in_both_directions(self):
        every = dict(with_edge=True, collect_features=True)
        self.expect_fields(self.nodes(-1, **every), "out")
        self.expect_fields(self.nodes(-1, edge_dir="in", **every), "in")

    def test_what_is_not_asked_for(self):
        batch = self.nodes(-1)
        self.assertNotIn("edge", batch)
        self.assertNotIn("e_id", batch)
        self.assertIn("e_id", self.nodes(-1, omit_edge_ids=False))
        self.assertNotIn("x", batch)
        self.assertNotIn("edge_attr", batch)
        self.assertTrue(torch.equal(batch.y, self.data.y[batch.node]))
        self.assertNotIn("edge_attr", self.nodes(-1, collect_features=True))

    def test_weights(self):
        batch = self.nodes(1, with_weight=True, with_edge=True)
        self.assertGreater(len(batch.edge), 0)
        self.assertTrue((self.data.weight[batch.edge] > 0).all())
        every = self.nodes(1, with_edge=True, inputs=torch.arange(80), batch_size=80)
        self.assertFalse((self.data.weight[every.edge] > 0).all())

    def test_other_options_and_transform(self):
        seen = []
        batch = self.nodes(2, random_seed=7, feature_dtype="float16", collect_features=True,
                           transform=lambda given: seen.append(given.node) or given)
        self.assertEqual(batch.x.dtype, torch.float16)
        self.assertTrue(torch.equal(seen[0], batch.node))
        other = self.nodes(2, random_seed=8)
        self.assertNotEqual(batch.node.tolist(), other.node.tolist())

    def test_a_typed_graph(self):
        hops = {graphs.WRITES: [-1], graphs.CITES: [-1]}
        for edge_dir, node_type in (("out", "author"), ("in", "paper")):
            [batch] = self.batches(D.DistNeighborLoader, self.typed, hops,
                                   (node_type, OWN[[0, 1, 3, 4]]), batch_size=4, with_edge=True,
                                   edge_dir=edge_dir)
            inputs = OWN[[0, 1, 3, 4]]
            self.assertIs(type(batch), HeteroData)
            self.assertEqual(batch[node_type].batch.tolist(), inputs.tolist())
            of_graph = self.typed_data[graphs.WRITES].edge_index
            src, _, dst = graphs.WRITES
            name = glt.reverse_edge_type(graphs.WRITES) if edge_dir == "out" else graphs.WRITES
            edges = batch[name]
            row, col = edges.edge_index.flip(0) if edge_dir == "out" else edges.edge_index
            end = of_graph[0 if edge_dir == "out" else 1]
            wanted = torch.isin(end, inputs).nonzero().view(-1)
            self.assertGreater(len(wanted), 0)
            # --add-reverse numbers an edge and its reverse alike.
            self.assertEqual(triples(batch[src].node[row], batch[dst].node[col]),
                             triples(*of_graph[:, wanted]))
            self.assertEqual(len(edges.edge), len(wanted))
            self.assertEqual(batch.num_sampled_edges[name].tolist(), [len(wanted)])
            self.assertEqual(batch.num_sampled_nodes[node_type].tolist()[0], 4)

    def test_subgraphs(self):
        [batch] = self.batches(D.DistSubGraphLoader, self.graph, OWN, batch_size=5,
                               with_edge=True)
        self.assertEqual(batch.node[batch.mapping].tolist(), OWN.tolist())
        src, dst = self.data.edge_index
        between = (torch.isin(src, OWN) & torch.isin(dst, OWN)).nonzero().view(-1)
        self.assertEqual(sorted(batch.edge.tolist()), between.tolist())
        self.assertTrue(torch.equal(batch.node[batch.edge_index],
                                    self.data.edge_index[:, batch.edge]))
        with noted() as notes:
            [wider] = self.batches(D.DistSubGraphLoader, self.graph, OWN, [-1], 5)
        self.assertRegex(notes[0], "edge_dir='out' of DistSubGraphLoader")
        self.assertGreater(len(wider.node), 5)

    # ---- Links -------------------------------------------------------------------------

    def test_links_are_turned_round(self):
        links = torch.tensor([[1, 2, 3], [4, 5, 6]])
        sampling = glt.sampler.NegativeSampling("binary", 2)
        [batch] = self.batches(D.DistLinkNeighborLoader, self.graph, [-1], 3, links,
                               neg_sampling=sampling)
        self.assertEqual(batch.node[batch.edge_label_index][:, :3].tolist(),
                         links.flip(0).tolist())
        self.assertEqual(batch.edge_label.tolist(), [1.0] * 3 + [0.0] * 6)
        [batch] = self.batches(D.DistLinkNeighborLoader, self.graph, [-1], 3, links,
                               neg_sampling="triplet")
        self.assertEqual(batch.node[batch.src_index].tolist(), [1, 2, 3])
        self.assertEqual(batch.node[batch.dst_pos_index].tolist(), [4, 5, 6])

    def test_typed_links(self):
        links = (graphs.WRITES, torch.tensor([[1, 2], [4, 4]]))
        hops = {graphs.WRITES: [2], graphs.CITES: [2]}
        for edge_dir in ("out", "in"):
            [batch] = self.batches(D.DistLinkNeighborLoader, self.typed, hops, 2, links,
                                   edge_dir=edge_dir)
            name = graphs.WRITES if edge_dir == "in" else glt.reverse_edge_type(graphs.WRITES)
            row, col = batch[name].edge_label_index
            if edge_dir == "out":
                row, col = col, row
            self.assertEqual(batch["author"].node[row].tolist(), [1, 2])
            self.assertEqual(batch["paper"].node[col].tolist(), [4, 4])

    # ---- Ranks -------------------------------------------------------------------------

    def inputs_of(self, rank, inputs, options=None, data=None):
        D.init_worker_group(2, rank)
        return sorted(torch.cat([batch.batch for batch in self.batches(
            D.DistNeighborLoader, data or self.graph, [1], inputs, 3, True,
            worker_options=options)]).tolist())

    def test_a_rank_has_all_of_its_own_inputs(self):
        for rank in (0, 1):
            self.assertEqual(self.inputs_of(rank, OWN), sorted(OWN.tolist()))
            mask = torch.zeros(80, dtype=torch.bool)
            mask[OWN] = True
            self.assertEqual(self.inputs_of(rank, mask), sorted(OWN.tolist()))

    def test_ranks_share_a_split(self):
        for inputs, wanted in ((glt.Split.train, range(20)), ("train", range(20)),
                               (None, range(80))):
            first, second = self.inputs_of(0, inputs), self.inputs_of(1, inputs)
            self.assertEqual(sorted(first + second), list(wanted))
            self.assertTrue(first and second)

    def test_links_of_ranks(self):
        def links_of(rank, links):
            D.init_worker_group(2, rank)
            return sum(batch.edge_label_index.shape[1] for batch in self.batches(
                D.DistLinkNeighborLoader, self.graph, [1], 7, links))

        listed = torch.tensor([[1, 2, 3], [4, 5, 6]])
        self.assertEqual([links_of(rank, listed) for rank in (0, 1)], [3, 3])
        self.assertEqual(sum(links_of(rank, None) for rank in (0, 1)), 400)

    def test_files_of_inputs(self):
        paths = [os.path.join(self.folder, f"partition{part}.pt") for part in (0, 1)]
        for path, ids in zip(paths, OWN.split(3)):
            torch.save(ids, path)
        self.assertEqual(self.inputs_of(0, paths), sorted(OWN.tolist()))
        self.assertEqual(self.inputs_of(1, paths[1]), sorted(OWN[3:].tolist()))
        torch.save({"train": OWN}, paths[0])
        with self.assertRaisesRegex(TypeError, "partition0.pt is .* allowed: numbers"):
            self.inputs_of(0, paths[0])

    # ---- Where batches are made --------------------------------------------------------

    def test_modes_make_the_same_batches(self):
        made = [[(batch.node.tolist(), batch.edge_index.tolist(), batch.x.tolist())
                 for batch in self.batches(
                     D.DistNeighborLoader, self.graph, [3, 2], OWN, 2, True,
                     collect_features=True, worker_options=options)]
                for options in (None, D.CollocatedDistSamplingWorkerOptions(num_rpc_threads=1),
                                D.MpDistSamplingWorkerOptions(
                                    num_workers=2, worker_concurrency=3, rpc_timeout=60,
                                    channel_size="16MB"))]
        self.assertEqual(len(made[0]), 3)
        self.assertEqual(made[0], made[1])
        self.assertEqual(made[0], made[2])

    def test_servers_make_them_and_clients_share_files(self):
        paths = [os.path.join(self.folder, f"own{part}.npy") for part in (0, 1)]
        for path, ids in zip(paths, OWN.split(3)):
            torch_to_npy(path, ids)
        with tg.serve(self.graph.graph_dir, num_servers=2) as fleet:
            given = []
            for rank in (0, 1):
                context.set_context(D.DistRole.CLIENT, None, (2, 2), rank, fleet.servers)
                options = D.RemoteDistSamplingWorkerOptions(
                    [0, 1], num_workers=1, rpc_timeout=60, buffer_size="32MB", worker_key="train")
                batches = self.batches(D.DistNeighborLoader, None, [2], paths, 2,
                                       worker_options=options)
                given += [node for batch in batches for node in batch.batch.tolist()]
                [batch] = self.batches(
                    D.DistNeighborLoader, None, [2], OWN, 5,
                    worker_options=D.RemoteDistSamplingWorkerOptions(rank))
                self.assertEqual(batch.batch.tolist(), OWN.tolist())
            self.assertEqual(sorted(given), sorted(OWN.tolist()))

    # ---- Refusals ----------------------------------------------------------------------

    def test_refusals(self):
        unsuited = self.partition(Data(edge_index=self.data.edge_index, num_nodes=80), "bare")
        for kind, text, options in (
                (ValueError, "out-edges|--out-edges", dict(data=unsuited)),
                (ValueError, "weighted", dict(data=unsuited, edge_dir="in", with_weight=True)),
                (ValueError, "edge_dir is 'both'; allowed: 'in', 'out'", dict(edge_dir="both")),
                (ValueError, "0 to 79", dict(inputs=torch.tensor([80]))),
                (TypeError, "did you mean batch_size", dict(batchsize=3)),
                (TypeError, "chooses format, rank; allowed: tributary_gnn.NeighborLoader",
                 dict(rank=0, format="numpy")),
                (TypeError, "is a str; allowed: Collocated", dict(worker_options="mp")),
                (ValueError, "after init_client",
                 dict(worker_options=D.RemoteDistSamplingWorkerOptions())),
                (ValueError, "num_workers is 0",
                 dict(worker_options=D.MpDistSamplingWorkerOptions(0))),
                (ValueError, "channel_size", dict(
                    worker_options=D.MpDistSamplingWorkerOptions(channel_size="1XB"))),
                (KeyError, "no split 'trian'", dict(inputs="trian")),
                (FileNotFoundError, "absent.pt", dict(inputs=["absent.pt"]))):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                self.nodes(2, **options)
        if not torch.cuda.is_available():
            with self.assertRaisesRegex(ValueError, "finds no CUDA device"):
                self.nodes(2, to_device=torch.device("cuda", 0))

    def test_the_device_count_of_servers(self):
        with noted() as notes:
            for _ in range(2):
                self.assertEqual(D.request_server(0, torch.cuda.device_count), 1)
        self.assertEqual(len(notes), 1)


def torch_to_npy(path, ids):
    import numpy
    numpy.save(path, ids.numpy())


if __name__ == "__main__":
    unittest.main()
