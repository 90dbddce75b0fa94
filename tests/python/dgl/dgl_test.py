"""tributary_gnn.dgl in one process: the properties of DGL's own distributed tests."""

import os
import types
import unittest
from unittest import mock

import numpy as np
import torch

import tributary_gnn as tg
import tributary_gnn.dgl as dgl
from tests.e2e import folders, processes
from tests.python.dgl import worlds
from tributary_gnn.dgl import dataloading

F32 = torch.float32


def edges_of(block, etype=None):
    """The edges of a block or graph by ids: (source, destination, edge)."""
    src, dst = block.edges(etype=etype)
    its = block.to_canonical_etype(etype)
    if hasattr(block, "srcnodes"):
        src = block.srcnodes[its[0]].data[dgl.NID][src]
        dst = block.dstnodes[its[2]].data[dgl.NID][dst]
    return list(zip(src.tolist(), dst.tolist(), block.edges[etype].data[dgl.EID].tolist()))


class DglTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def cora(self, servers=0):
        return self.enterContext(worlds.opened(worlds.cora(self.folder), servers))

    def typed(self, servers=0):
        return self.enterContext(worlds.opened(worlds.typed(self.folder), servers))


class GraphTest(DglTest):
    def test_data_are_those_of_the_files(self):
        for servers in (0, 2):
            with self.subTest(servers=servers), \
                    worlds.opened(worlds.cora(self.enterContext(processes.temporary_folder())),
                                  servers) as g, tg.Graph(g.source, format="torch") as stored:
                self.assertEqual((g.num_nodes(), g.number_of_edges()), (2708, 10556))
                ids = torch.tensor([2707, 0, 0, 31])
                for name, column in (("feat", "x"), ("x", "x"), ("label", "y"),
                                     ("features", "x"), ("labels", "y")):
                    self.assertTrue(torch.equal(g.ndata[name][ids], stored.node_data(column, ids)))
                self.assertEqual(g.ndata["feat"].shape, (2708, 1433))
                self.assertEqual(g.ndata["feat"].dtype, F32)
                mask = g.ndata["train_mask"][0:2708]
                self.assertEqual(torch.nonzero(mask).flatten().tolist(),
                                 sorted(stored.split("train").tolist()))
                self.assertTrue(torch.equal(g.ndata["val_mask"].read(),
                                            g.ndata["valid_mask"].read()))
                self.assertEqual(g.ndata["train_mask"][0].tolist(), [bool(mask[0])])
                src, dst = g.find_edges(ids)
                self.assertTrue(torch.equal(torch.stack([src, dst]),
                                            torch.stack(stored.find_edges(ids))))
                self.assertEqual(int(g.in_degrees(5)), int((g.in_subgraph([5]).num_edges())))
                self.assertEqual(int(g.out_degrees().sum()), 10556)
                self.assertIn("feat", g.ndata)
                self.assertNotIn("time", g.ndata)

    def test_assigned_tensors(self):
        g = self.cora()
        tensor = dgl.distributed.DistTensor((g.num_nodes(), 10), F32, name="test")
        g.ndata["feat"] = tensor
        g.ndata["feat"][[3, 4, 5]] = torch.ones(3, 10)
        self.assertEqual(float(tensor[[4, 6]].sum()), 10)
        self.assertEqual((tensor.dtype, g.ndata["feat"].dtype), (F32, F32))
        del g.ndata["feat"]
        self.assertEqual(g.ndata["feat"].shape, (2708, 1433))
        with self.assertRaisesRegex(tg.FailedPrecondition, "read-only"):
            g.ndata["feat"][[0]] = 0
        with self.assertRaisesRegex(ValueError, "2708"):
            g.ndata["short"] = dgl.distributed.DistTensor((5,), F32)
        with self.assertRaisesRegex(TypeError, "a DistTensor"):
            g.ndata["no"] = torch.zeros(2708)

    def test_typed(self):
        for servers in (0, 2):
            with self.subTest(servers=servers), \
                    worlds.opened(worlds.typed(self.enterContext(processes.temporary_folder())),
                                  servers) as g:
                self.assertEqual((g.ntypes, g.num_nodes("author")), (["author", "paper"], 40))
                self.assertEqual(g.to_canonical_etype("writes"), ("author", "writes", "paper"))
                self.assertEqual(g.nodes["paper"].data["feat"].shape, (60, 5))
                self.assertEqual(g.get_etype_id("writes"), g.etypes.index("writes"))
                book = g.get_partition_book()
                for part in range(book.num_partitions()):
                    nodes = book.partid2nids(part, "author")
                    self.assertTrue(bool((book.nid2partid(nodes, "author") == part).all()))
                homogeneous = book.map_to_homo_nid(torch.arange(60), "paper")
                types_, ids = book.map_to_per_ntype(homogeneous)
                self.assertEqual(set(types_.tolist()), {1})
                self.assertTrue(torch.equal(ids, torch.arange(60)))
                self.assertEqual(sum(part["num_nodes"] for part in book.metadata()), 100)
                edges = book.partid2eids(0, "writes")
                self.assertTrue(bool((book.eid2partid(edges, "writes") == 0).all()))
                relation, ids = book.map_to_per_etype(book.map_to_homo_eid([0, 199], "writes"))
                self.assertEqual((set(relation.tolist()), ids.tolist()),
                                 ({g.get_etype_id("writes")}, [0, 199]))
                found = g.edge_subgraph({"writes": [7, 3]})
                self.assertEqual([part.tolist() for part in found.edges(etype="writes")],
                                 [part.tolist() for part in g.find_edges([7, 3], "writes")])
                self.assertEqual(g.get_edge_partition_policy("writes").policy_str,
                                 "edge:author,writes,paper")
                self.assertEqual((g.rank(), g.barrier()), (0, None))
                policy = g.get_node_partition_policy("author")
                rows = dgl.distributed.DistTensor((40, 2), F32, part_policy=policy)
                self.assertEqual(float(rows.read().sum()), 0)

    def test_shares(self):
        g = self.cora()
        train = torch.nonzero(g.ndata["train_mask"].read()).flatten()
        share = dgl.distributed.node_split(g.ndata["train_mask"], g.get_partition_book())
        self.assertEqual(sorted(share.tolist()), train.tolist())
        with mock.patch.object(g._context, "world_size", 2):
            halves = [dgl.distributed.node_split(g.ndata["train_mask"], rank=rank)
                      for rank in (0, 1)]
        self.assertEqual(sorted(torch.cat(halves).tolist()), train.tolist())
        self.assertEqual([len(half) for half in halves], [70, 70])
        even = dgl.distributed.edge_split(torch.arange(10556) % 2 == 0)
        self.assertEqual(even.tolist(), list(range(0, 10556, 2)))

    def test_misuse_says_what_to_do(self):
        g = self.cora()
        for call, kind, text in (
                (lambda: dgl.distributed.initialize(), tg.FailedPrecondition, "exit_client"),
                (lambda: dgl.distributed.DistGraph("cora"), tg.FailedPrecondition, "already"),
                (lambda: dgl.distributed.DistTensor((5,), F32, init_func=lambda s, d: 0), TypeError,
                 "xavier_uniform"),
                (lambda: dgl.distributed.DistEmbedding(5, 2, init_func=torch.rand), TypeError,
                 "servers run no function"),
                (lambda: g.ndata["weather"], KeyError, "train_mask"),
                (lambda: g.local_partition, NotImplementedError, "partid2nids"),
                (lambda: g.get_partition_book().nid2localnid([0], 0), NotImplementedError, "ids"),
                (lambda: dgl.distributed.node_split(g.ndata["train_mask"], node_trainer_ids=1),
                 TypeError, "None"),
                (lambda: dataloading.NeighborSampler([5], fanout=3), TypeError, "fanout"),
                (lambda: dgl.distributed.sample_neighbors(g, [1], [2, 2]), ValueError, "of 1 edge"),
                (lambda: dgl.distributed.sample_neighbors(g, [1], 2, replcae=True), TypeError,
                 "replcae"),
                (lambda: dgl.distributed.node_split((torch.arange(2708) % 2)), ValueError,
                 "a mask of bool"),
                (lambda: dgl.distributed.DistNodeDataLoader(
                    g, [1], dataloading.NeighborSampler([2], edge_dir="out")), ValueError, "'in'"),
                (lambda: dgl.distributed.DistNodeDataLoader(
                    g, [1.5], dataloading.NeighborSampler([2])), TypeError, "whole numbers"),
                (lambda: dgl.distributed.DistNodeDataLoader(
                    g, [1], dataloading.NeighborSampler([2]), use_ddp=True), TypeError, "use_ddp"),
                (lambda: dataloading.as_edge_prediction_sampler(
                    dataloading.NeighborSampler([2]), negative_sampler=5), TypeError, "Uniform"),
                (lambda: dgl.distributed.DistEdgeDataLoader(
                    g, [1], dataloading.as_edge_prediction_sampler(
                        dataloading.NeighborSampler([2])), exclude="self"), TypeError, "twice"),
                (lambda: dataloading.as_edge_prediction_sampler(
                    dataloading.NeighborSampler([2]), exclude="reverse_id"), ValueError,
                 "with no reverse_eids; allowed: None, 'self', 'reverse_id' with"),
                (lambda: dataloading.as_edge_prediction_sampler(
                    dataloading.NeighborSampler([2]), "self", [1, 0]), ValueError,
                 "'self' with reverse_eids"),
                (lambda: dgl.distributed.DistEdgeDataLoader(
                    g, [1], dataloading.as_edge_prediction_sampler(
                        dataloading.NeighborSampler([2]), "reverse_id", [1, 0])), ValueError,
                 "allowed: the reverse of each of its 10556 edge ids"),
                (lambda: dgl.distributed.initialize("ip", 1000, "socket"), tg.FailedPrecondition,
                 "before"),
                (lambda: dgl.distributed.DistDataLoader([1], 0, collate_fn=list), ValueError, "1 or"),
                (lambda: dgl.distributed.DistDataLoader([1], 1), TypeError, "collate_fn")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        dgl.distributed.exit_client()
        with self.assertRaisesRegex(tg.FailedPrecondition, "initialize"):
            dgl.distributed.DistGraph("cora")
        with mock.patch.dict(os.environ, {"DGL_DIST_MODE": "distributed"}):
            with self.assertRaisesRegex(TypeError, "ip_config"):
                dgl.distributed.initialize()
        with self.assertRaisesRegex(TypeError, "by keyword"):
            dgl.distributed.initialize("ip_config.txt", 1000, "socket")
        dgl.distributed.initialize()
        with self.assertRaisesRegex(TypeError, "part_config"):
            dgl.distributed.DistGraph("cora")

    def test_configs_name_the_folder(self):
        folder = worlds.cora(self.folder)
        for config in (folder, os.path.join(folder, "graph.json"), folder + ".json"):
            dgl.distributed.initialize()
            try:
                self.assertEqual(dgl.distributed.DistGraph("cora", config).num_nodes(), 2708)
            finally:
                dgl.distributed.exit_client()


class SamplingTest(DglTest):
    def expect_block(self, block, seeds, fanout, g):
        """Its destinations are the seeds, and its edges those of the graph."""
        self.assertEqual(block.dstdata[dgl.NID].tolist(), seeds.tolist())
        self.assertEqual(block.srcdata[dgl.NID][:len(seeds)].tolist(), seeds.tolist())
        self.assertEqual(len(set(block.srcdata[dgl.NID].tolist())), block.num_src_nodes())
        degrees = g.in_degrees(seeds)
        expected = degrees if fanout == -1 else degrees.clamp(max=fanout)
        self.assertEqual(block.in_degrees().tolist(), expected.tolist())
        for src, dst, edge in edges_of(block):
            self.assertEqual(tuple(int(end) for end in g.find_edges([edge])), (src, dst))

    def test_frontiers_and_blocks(self):
        g = self.cora()
        seeds = torch.tensor([2000, 3, 77])
        frontier = dgl.distributed.sample_neighbors(g, seeds, 4)
        self.assertEqual(frontier.num_nodes(), 2708)
        self.assertTrue(set(frontier.edges()[1].tolist()) <= set(seeds.tolist()))
        self.expect_block(dgl.to_block(frontier, seeds), seeds, 4, g)
        free = dgl.to_block(frontier)
        self.assertEqual(free.dstdata[dgl.NID].tolist(), sorted(seeds.tolist()))
        with self.assertRaisesRegex(ValueError, "none of dst_nodes"):
            dgl.to_block(frontier, seeds[:2])
        with self.assertRaisesRegex(ValueError, "twice"):
            dgl.to_block(frontier, torch.tensor([2000, 3, 77, 3]))
        drawn = dgl.distributed.sample_neighbors(g, [5], 50, replace=True)
        self.assertEqual(drawn.num_edges(), 50)

    def test_sources_follow_in_the_order_of_the_edges(self):
        edges = dgl.blocks.EdgesOfType(*(torch.tensor(part) for part in (
            [9, 4, 9, 2, 7], [2, 2, 5, 5, 5], [0, 1, 2, 3, 4])))
        frontier = dgl.SampledGraph({("node", "to", "node"): edges}, {"node": 10})
        block = dgl.to_block(frontier, [5, 2])
        self.assertEqual(block.srcdata[dgl.NID].tolist(), [5, 2, 9, 4, 7])
        self.assertEqual([part.tolist() for part in block.edges()],
                         [[2, 3, 2, 1, 4], [1, 1, 0, 0, 0]])

    def test_equal_seeds_give_equal_draws(self):
        g = self.cora()
        seeds = torch.arange(100)
        drawn = []
        for seed in (1, 1, 2):
            dgl.seed(seed)
            drawn.append([edges_of(dgl.distributed.sample_neighbors(g, seeds, 2))
                          for _ in range(2)])
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertNotEqual(drawn[0][0], drawn[0][1])

    def test_the_samplers_of_examples(self):
        g = self.cora(servers=2)
        sampler = dataloading.NeighborSampler(g, [3, -1], dgl.distributed.sample_neighbors,
                                              torch.device("cpu"))
        seeds = torch.tensor([12, 2500, 4])
        outer, inner = sampler.sample_blocks(seeds)
        self.expect_block(inner, seeds, -1, g)
        self.expect_block(outer, inner.srcdata[dgl.NID], 3, g)
        full = dataloading.MultiLayerFullNeighborSampler(1)
        input_nodes, output_nodes, [block] = full.sample_blocks(g, seeds)
        self.expect_block(block, seeds, -1, g)
        self.assertEqual(input_nodes.tolist(), block.srcdata[dgl.NID].tolist())
        self.assertEqual(output_nodes.tolist(), seeds.tolist())

    def test_loaders_of_nodes(self):
        g = self.cora(servers=2)
        nids = dgl.distributed.node_split(g.ndata["train_mask"])
        loader = dgl.distributed.DistNodeDataLoader(
            g, nids, dgl.dataloading.NeighborSampler([2, 4]), batch_size=48, shuffle=True)
        self.assertEqual(len(loader), 3)
        orders = []
        for _ in range(2):
            seen = []
            for input_nodes, seeds, (outer, inner) in loader:
                self.expect_block(inner, seeds, 4, g)
                self.expect_block(outer, inner.srcdata[dgl.NID], 2, g)
                self.assertEqual(input_nodes.tolist(), outer.srcdata[dgl.NID].tolist())
                seen += seeds.tolist()
            self.assertEqual(sorted(seen), sorted(nids.tolist()))
            orders.append(seen)
        self.assertNotEqual(orders[0], orders[1])

    def test_samplers_of_ones_own_are_called(self):
        g = self.cora()
        seen = []

        class Own(dataloading.NeighborSampler):
            def sample(self, g, seed_nodes, exclude_eids=None):
                seen.append(seed_nodes.tolist())
                return super().sample(g, seed_nodes, exclude_eids)
        loader = dgl.distributed.DistNodeDataLoader(g, torch.arange(7), Own([2]), batch_size=4)
        for input_nodes, seeds, [block] in loader:
            self.expect_block(block, seeds, 2, g)
            self.assertEqual(input_nodes.tolist(), block.srcdata[dgl.NID].tolist())
        self.assertEqual(seen, [[0, 1, 2, 3], [4, 5, 6]])
        mask = torch.zeros(2708, dtype=torch.bool)
        mask[[5, 9]] = True
        loader = dgl.distributed.DistNodeDataLoader(g, mask, dataloading.NeighborSampler([2]))
        self.assertEqual([seeds.tolist() for _, seeds, _ in loader], [[5], [9]])

    def test_ranks_with_equal_seeds_draw_otherwise(self):
        g = self.cora()
        drawn = []
        for rank in ("0", "1", "0"):
            with mock.patch.dict(os.environ, RANK=rank, WORLD_SIZE="2"):
                dgl.seed(1)
                drawn.append(edges_of(dgl.distributed.sample_neighbors(g, torch.arange(50), 2)))
        self.assertEqual(drawn[0], drawn[2])
        self.assertNotEqual(drawn[0], drawn[1])

    def test_loaders_of_typed_nodes(self):
        g = self.typed(servers=2)
        nids = dgl.distributed.node_split(g.nodes["paper"].data["train_mask"], ntype="paper")
        writes = ("author", "writes", "paper")
        loader = dgl.distributed.DistNodeDataLoader(
            g, {"paper": nids}, dgl.dataloading.MultiLayerNeighborSampler(
                [{writes: 2, "cites": 1}, 3]), batch_size=8)
        seen = []
        for input_nodes, seeds, (outer, inner) in loader:
            seen += seeds["paper"].tolist()
            self.assertEqual(inner.dstnodes["paper"].data[dgl.NID].tolist(),
                             seeds["paper"].tolist())
            self.assertEqual(inner.num_dst_nodes("author"), 0)
            for block, fanouts in ((inner, dict.fromkeys(g.canonical_etypes, 3)),
                                   (outer, {writes: 2, ("paper", "cites", "paper"): 1})):
                for etype in g.canonical_etypes:
                    found = edges_of(block, etype)
                    ends = block.dstnodes[etype[2]].data[dgl.NID]
                    expected = g.in_degrees(ends, etype).clamp(max=fanouts.get(etype, 0))
                    self.assertEqual(block.in_degrees(etype).tolist(), expected.tolist())
                    src, dst = g.find_edges([edge for _, _, edge in found], etype)
                    self.assertEqual([edge[:2] for edge in found],
                                     list(zip(src.tolist(), dst.tolist())))
            self.assertEqual(input_nodes["author"].tolist(),
                             outer.srcnodes["author"].data[dgl.NID].tolist())
        self.assertEqual(sorted(seen), list(range(0, 60, 2)))

    def test_loaders_of_edges_leave_out_what_they_predict(self):
        g = self.typed()
        cites, reverse = ("paper", "cites", "paper"), ("paper", "rev_cites", "paper")
        self.assertIn(reverse, g.canonical_etypes)
        eids = dgl.distributed.edge_split(torch.ones(100, dtype=torch.bool), etype="cites")
        sampler = dgl.dataloading.as_edge_prediction_sampler(
            dgl.dataloading.NeighborSampler([-1]), exclude="reverse_types",
            reverse_etypes={"cites": "rev_cites"},
            negative_sampler=dgl.dataloading.negative_sampler.Uniform(2))
        loader = dgl.distributed.DistEdgeDataLoader(g, {"cites": eids}, sampler, batch_size=30)
        self.assertEqual(len(loader), 4)
        seen = []
        for input_nodes, pairs, negatives, [block] in loader:
            ids = pairs.edges[cites].data[dgl.EID]
            seen += ids.tolist()
            nodes = block.dstnodes["paper"].data[dgl.NID]
            src, dst = pairs.edges()
            self.assertTrue(torch.equal(torch.stack(g.find_edges(ids, cites)),
                                        torch.stack([nodes[src], nodes[dst]])))
            self.assertEqual(negatives.num_edges(), 2 * len(ids))
            self.assertEqual(nodes[negatives.edges()[0]].tolist(),
                             nodes[src].repeat_interleave(2).tolist())
            every = set(range(100))
            for etype in (cites, reverse):
                found = {edge for _, _, edge in edges_of(block, etype)}
                self.assertFalse(found & set(ids.tolist()))
                ends = {edge for edge in every - set(ids.tolist())
                        if int(g.find_edges([edge], etype)[1]) in nodes.tolist()}
                self.assertEqual(found, ends)
            self.assertIn("paper", input_nodes)
        self.assertEqual(sorted(seen), list(range(100)))

    def test_loaders_of_edges_leave_out_the_reverse_by_its_id(self):
        g = self.cora(servers=2)
        ends = list(zip(*(part.tolist() for part in g.find_edges(torch.arange(10556)))))
        by_ends = {pair: edge for edge, pair in enumerate(ends)}
        reverse = [by_ends[dst, src] for src, dst in ends]
        for given in (reverse, {"to": torch.tensor(reverse)}):
            loader = dgl.distributed.DistEdgeDataLoader(
                g, torch.arange(0, 10556, 100), dgl.dataloading.as_edge_prediction_sampler(
                    dgl.dataloading.NeighborSampler([-1]), "reverse_id", given), batch_size=60)
            for _, pairs, [block] in loader:
                ids = set(pairs.edata[dgl.EID].tolist())
                left_out = ids | {reverse[edge] for edge in ids}
                nodes = set(block.dstdata[dgl.NID].tolist())
                self.assertEqual(
                    sorted(edge for _, _, edge in edges_of(block)),
                    [edge for edge, (_, dst) in enumerate(ends)
                     if dst in nodes and edge not in left_out])

    def test_batches_are_made_ahead_in_order(self):
        g = self.cora()
        made = []
        for ahead in (0, 3):
            dgl.seed(9)
            loader = dgl.distributed.DistDataLoader(
                np.arange(50), 8, shuffle=True, queue_size=ahead,
                collate_fn=lambda ids: (ids, dgl.distributed.sample_neighbors(g, ids, 3)))
            made.append([(ids.tolist(), edges_of(graph)) for _ in range(2)
                         for ids, graph in loader])
        self.assertEqual(made[0], made[1])
        self.assertEqual(len(made[0]), 14)
        self.assertEqual(sorted(sum((ids for ids, _ in made[0][:7]), [])), list(range(50)))
        failing = dgl.distributed.DistDataLoader(list("abc"), 2, drop_last=True, queue_size=2,
                                                 collate_fn=lambda items: 1 // (len(items) - 2))
        with self.assertRaises(ZeroDivisionError):
            list(failing)

    def test_blocks_are_those_of_dgl_where_it_is(self):
        created = []

        def create_block(ends, num_src_nodes, num_dst_nodes):
            frames = {its: types.SimpleNamespace(data={}) for its in (*num_src_nodes, *ends)}
            created.append((ends, num_src_nodes, num_dst_nodes))
            return types.SimpleNamespace(srcnodes=frames, dstnodes=dict(frames), edges=frames)

        module = types.SimpleNamespace(create_block=create_block, NID="_ID", EID="_ID")
        edges = dgl.blocks.EdgesOfType(torch.tensor([4]), torch.tensor([2]), torch.tensor([7]))
        frontier = dgl.SampledGraph({("node", "to", "node"): edges}, {"node": 10})
        dgl.blocks.installed_dgl.cache_clear()
        self.addCleanup(dgl.blocks.installed_dgl.cache_clear)
        with mock.patch.dict("sys.modules", dgl=module):
            block = dgl.to_block(frontier, [2])
        [(ends, sources, destinations)] = created
        self.assertEqual((sources, destinations), ({"node": 2}, {"node": 1}))
        self.assertEqual([end.tolist() for end in ends["node", "to", "node"]], [[1], [0]])
        self.assertEqual(block.edges["node", "to", "node"].data["_ID"].tolist(), [7])


class GuideTest(DglTest):
    """The calls of DGL's guide to its distributed interface, in its order."""

    def test_a_process_of_its_own(self):
        graph = worlds.cora(self.folder, parts=1)
        dgl.distributed.initialize("ip_config.txt", num_workers=4)
        self.addCleanup(dgl.distributed.exit_client)
        g = dgl.distributed.DistGraph("cora", part_config=graph + ".json")
        self.assertEqual(g.number_of_nodes(), 2708)
        self.assertEqual(g.ndata["train_mask"][0].tolist(), [True])
        g.ndata["feat"] = dgl.distributed.DistTensor((g.number_of_nodes(), 10), F32, name="test")
        data = g.ndata["feat"][[1, 2, 3]] + 1
        g.ndata["feat"][[3, 4, 5]] = data
        self.assertEqual(float(g.ndata["feat"][[2, 5]].sum()), 10)

        def initializer(shape, dtype):
            return torch.zeros(shape, dtype=dtype).uniform_(-1, 1)
        with self.assertRaisesRegex(TypeError, '"kind": "uniform", "low": -1, "high": 1'):
            dgl.distributed.DistEmbedding(g.number_of_nodes(), 10, init_func=initializer)
        emb = dgl.distributed.DistEmbedding(g.number_of_nodes(), 10, init_func={
            "kind": "uniform", "low": -1, "high": 1})
        model = torch.nn.Linear(10, 1)
        sparse_optimizer = dgl.distributed.SparseAdagrad([emb], lr=0.1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        nids = torch.arange(50)
        losses = []
        for _ in range(3):
            loss = model(emb(nids)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sparse_optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[2], losses[0])

        def sample_blocks(seeds):
            seeds, blocks = torch.LongTensor(np.asarray(seeds)), []
            for fanout in (10, 25):
                frontier = dgl.distributed.sample_neighbors(g, seeds, fanout, replace=True)
                block = dgl.to_block(frontier, seeds)
                seeds = block.srcdata[dgl.NID]
                blocks.insert(0, block)
            return blocks
        train_nids = dgl.distributed.node_split(g.ndata["train_mask"])
        batches = list(dgl.distributed.DistDataLoader(
            dataset=train_nids, batch_size=64, collate_fn=sample_blocks, shuffle=True))
        self.assertEqual([batch[-1].num_dst_nodes() for batch in batches], [64, 64, 12])
        self.assertEqual(set(batches[0][-1].in_degrees().tolist()), {10})

        sampler = dgl.sampling.MultiLayerNeighborSampler([10, 25])
        loader = dgl.sampling.NodeDataLoader(g, train_nids, sampler, batch_size=64, shuffle=True)
        self.assertEqual(sorted(torch.cat([seeds for _, seeds, _ in loader]).tolist()),
                         train_nids.tolist())


class EmbeddingTest(DglTest):
    def test_lookups_are_those_of_torch(self):
        g = self.cora()
        for average in (False, True):
            with self.subTest(average=average):
                embedding = tg.DistEmbedding(
                    g._context, f"rows {average}", 50, 4, average_duplicates=average,
                    initial={"kind": "normal", "mean": 0, "std": 1})
                table = torch.nn.Embedding.from_pretrained(embedding.weight.read(), freeze=False)
                for ids in (torch.tensor([7, 3, 7]), torch.tensor([1, 3])):
                    weights = torch.rand(len(ids), 4)
                    self.assertTrue(torch.equal(embedding(ids), table(ids)))
                    (embedding(ids) * weights).sum().backward()
                    (table(ids) * weights).sum().backward()
                with torch.no_grad():
                    embedding(torch.tensor([9]))
                gradients = embedding.take_gradients()
                self.assertEqual(gradients.rows.tolist(), [1, 3, 7])
                counts = torch.tensor([[1.0], [2], [2]]) if average else torch.ones(3, 1)
                torch.testing.assert_close(gradients.values, table.weight.grad[[1, 3, 7]] / counts)
                self.assertIsNone(embedding.take_gradients())
                with self.assertRaises(IndexError):
                    embedding(torch.tensor([50]))

    def test_zero_grad_may_come_between_lookup_and_backward(self):
        g = self.cora()
        embedding = tg.DistEmbedding(g._context, "zeroed", 10, 1)
        sparse = tg.SparseSGD([embedding], lr=1)
        for ids, expected in (([1], [-1, 0, 0]), ([2], [-1, -1, 0])):
            embedding(torch.tensor([9])).sum().backward()  # is forgotten
            loss = embedding(torch.tensor(ids)).sum()
            sparse.zero_grad()
            loss.backward()
            sparse.step()
            self.assertEqual(embedding.weight[[1, 2, 9]].flatten().tolist(), expected)

    def test_optimizers_are_those_of_torch(self):
        g = self.cora()
        ids = [torch.tensor([0, 4, 9]), torch.tensor([4, 5]), torch.tensor([0, 4])]
        for name, made, reference in (
                ("sgd", lambda its: tg.SparseSGD(its, lr=0.3),
                 lambda its: torch.optim.SGD(its, lr=0.3)),
                ("adagrad", lambda its: dgl.distributed.SparseAdagrad(its, lr=0.3),
                 lambda its: torch.optim.Adagrad(its, lr=0.3)),
                ("adam", lambda its: dgl.distributed.optim.SparseAdam(its, lr=0.3),
                 lambda its: torch.optim.Adam(its, lr=0.3))):
            with self.subTest(name):
                embedding = tg.DistEmbedding(g._context, name, 10, 3, initial={
                    "kind": "uniform", "low": -1, "high": 1})
                table = torch.nn.Embedding.from_pretrained(
                    embedding.weight.read(), freeze=False)
                sparse, dense = made([embedding]), reference(table.parameters())
                # Adam here counts the steps of each row: all rows in each step.
                for batch in [torch.arange(10)] * 3 if name == "adam" else ids:
                    for rows, optimizer in ((embedding, sparse), (table, dense)):
                        optimizer.zero_grad()
                        (rows(batch) ** 3).sum().backward()
                        optimizer.step()
                torch.testing.assert_close(embedding.weight.read(), table.weight.data)

    def test_state_is_saved_and_loaded(self):
        graph, path = worlds.cora(self.folder), os.path.join(self.folder, "saved")

        def learned():
            embedding = dgl.distributed.DistEmbedding(10, 2, "kept", {
                "kind": "uniform", "low": -1, "high": 1})
            return embedding, dgl.distributed.SparseAdam([embedding], lr=0.1)

        def step(embedding, sparse, ids):
            (embedding(torch.tensor(ids)) ** 2).sum().backward()
            sparse.step()

        with worlds.opened(graph):
            embedding, sparse = learned()
            step(embedding, sparse, [1, 2])
            sparse.save(path)
            step(embedding, sparse, [2, 3])
            once = embedding.weight.read()
            with self.assertRaisesRegex(tg.FailedPrecondition, "a snapshot comes first"):
                sparse.load(path)
        with worlds.opened(graph):
            embedding, sparse = learned()
            sparse.load(path)
            step(embedding, sparse, [2, 3])
            self.assertTrue(torch.equal(embedding.weight.read(), once))
            embedding(torch.tensor([1])).sum().mul(float("nan")).backward()
            whole = dgl.distributed.DistEmbedding(10, 2, "whole")
            both = dgl.distributed.SparseAdam([whole, embedding])
            whole(torch.tensor([4])).sum().backward()
            with self.assertRaisesRegex(IndexError, "row 1 of kept"):
                both.step()
            both.step()  # nothing was pushed
            self.assertEqual(float(whole.weight.read().abs().sum()), 0)
            with self.assertRaisesRegex(ValueError, "of one context"):
                tg.SparseSGD([])


if __name__ == "__main__":
    unittest.main()
