"""The oracle against every vector that docs/sampling.md states."""

import unittest

import numpy as np

from tests.oracle import digest, draws, graph, order, philox
from tests.oracle.link_batch import Links, weight
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec
from tests.oracle.walk_batch import Walk


class PhiloxTest(unittest.TestCase):
    # Random123's known answers.
    def test_zeros(self):
        self.assertEqual(
            philox.philox((0, 0, 0, 0), (0, 0)),
            (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8))

    def test_ones(self):
        ones = 0xFFFFFFFF
        self.assertEqual(
            philox.philox((ones,) * 4, (ones,) * 2),
            (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD))

    def test_pi(self):
        self.assertEqual(
            philox.philox((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
                          (0xA4093822, 0x299F31D0)),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))


class KeyTest(unittest.TestCase):
    def test_neighbours(self):
        key = philox.make_key(11, 2, 0, philox.NEIGHBOURS, 0, "node,to,node")
        self.assertEqual(key, (0xA9034AAF, 0x0C819C21))

    def test_order(self):
        key = philox.make_key(11, 2, 0, philox.ORDER, 0, "")
        self.assertEqual(key, (0xDE32BE1D, 0x3445CDDE))


class OrderTest(unittest.TestCase):
    def test_fisher_yates(self):
        o = order.EpochOrder(10, seed=11, epoch=2)
        self.assertEqual([o[i] for i in range(10)],
                         [9, 6, 3, 2, 0, 5, 4, 7, 1, 8])

    def test_feistel(self):
        o = order.WeightedOrder([1, 2, 0, 3, 4], seed=11, epoch=2)
        self.assertEqual([o[i] for i in range(10)],
                         [1, 3, 3, 3, 3, 1, 0, 3, 3, 4])
        o = order.EpochOrder((1 << 20) + 7, seed=11, epoch=2)
        self.assertEqual([o[i] for i in range(4)],
                         [367551, 526582, 578085, 530621])

    def test_feistel_is_a_permutation(self):
        key = (1, 2)
        for n in (1, 2, 3, 5, 17, 64, 100):
            self.assertEqual(
                sorted(order.feistel(key, n, i) for i in range(n)),
                list(range(n)))


class DrawTest(unittest.TestCase):
    def setUp(self):
        self.stream = philox.Stream(
            philox.make_key(11, 2, 0, philox.NEIGHBOURS, 0, "node,to,node"),
            5)

    def test_narrow(self):
        self.assertEqual(draws.uniform(self.stream, 20, 6),
                         [1, 3, 4, 5, 8, 17])

    def test_wide(self):
        self.assertEqual(draws.uniform(self.stream, 100000, 4),
                         [19756, 28067, 40383, 42796])

    def test_replace(self):
        self.assertEqual(draws.uniform(self.stream, 3, 6, replace=True),
                         [0, 0, 0, 0, 1, 1])

    def test_no_draw(self):
        self.assertEqual(draws.uniform(self.stream, 3, 3), [0, 1, 2])
        self.assertEqual(draws.uniform(self.stream, 3, -1), [0, 1, 2])
        self.assertEqual(draws.uniform(self.stream, 3, -1, True), [0, 1, 2])
        self.assertEqual(draws.uniform(self.stream, 3, 0), [])
        self.assertEqual(draws.uniform(self.stream, 0, 5, True), [])
        with self.assertRaises(ValueError):
            draws.uniform(self.stream, 3, -2)

    def test_weighted(self):
        w = draws.integer_weights([1.0, 2.0, 0.0, 3.0, 4.0])
        self.assertEqual(
            w, [1073741824, 2147483648, 0, 3221225471, 4294967295])
        self.assertEqual(draws.weighted(self.stream, w, 2), [1, 3])
        self.assertEqual(draws.weighted(self.stream, w, 6, True),
                         [1, 1, 3, 3, 3, 4])


class SevenNodesTest(unittest.TestCase):
    def loader(self, inputs, fanouts, batch_size, shuffle=True):
        return Loader(graph.homogeneous(7, graph.SEVEN_ROWS), inputs,
                      Spec(fanouts, seed=7), batch_size, shuffle)

    def check(self, tensors, name, expected):
        self.assertEqual(tensors[name].tolist(), expected, name)

    def test_batch_0(self):
        b = self.loader([0, 3, 1, 6], [2, 2], 3).batch(0, 0)
        self.check(b, "n_id", [3, 6, 1, 0, 2])
        self.check(b, "e_id", [10, 11, 5, 6, 1, 2])
        self.check(b, "edge_index", [[3, 2, 3, 0, 4, 0], [0, 0, 2, 2, 3, 3]])
        self.check(b, "input_id", [1, 3, 2])
        self.check(b, "num_sampled_nodes", [3, 1, 1])
        self.check(b, "num_sampled_edges", [4, 2])
        self.assertEqual(digest.payload_bytes(b), 220)
        self.assertEqual(
            digest.digest(b),
            "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68")

    def test_batch_1(self):
        b = self.loader([0, 3, 1, 6], [2, 2], 3).batch(0, 1)
        self.check(b, "n_id", [0, 1, 2, 3, 5])
        self.check(b, "e_id", [0, 1, 5, 6, 7])
        self.assertEqual(digest.payload_bytes(b), 180)
        self.assertEqual(
            digest.digest(b),
            "1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f39928803")

    def test_duplicate_inputs(self):
        b = self.loader([0, 3, 0, 6], [2, 2], 4, shuffle=False).batch(0, 0)
        self.check(b, "n_id", [0, 3, 6, 2, 1, 5])
        self.check(b, "seed_index", [0, 1, 0, 2])
        self.check(b, "batch_size", [3])
        self.assertEqual(digest.payload_bytes(b), 256)
        self.assertEqual(
            digest.digest(b),
            "4c92935fb4b51c0f6b7b1cf6f02364030ac40c8e8844d0e2d223a61f78f48e8f")

    def test_all_neighbours(self):
        b = self.loader([0, 3, 1, 6], [-1, -1], 3, shuffle=False).batch(0, 0)
        self.assertEqual(
            digest.digest(b),
            "3afd91386264c5d59d83bb6be9cda114802361346cabc0cefb0bebdf76722bfd")


class WalkTest(unittest.TestCase):
    """On the seven nodes; those of Cora and aifb are vectors_test's of e2e."""

    def batch(self, **options):
        loader = Loader(graph.homogeneous(7, graph.SEVEN_ROWS), [0, 3, 1, 6],
                        Walk(seed=7, walks_per_node=2, **options), 3)
        return loader.batch(0, 0)

    def test_uniform(self):
        b = self.batch(length=4)
        self.assertEqual(b["walks"].tolist(), [
            [3, 4, -1, -1, -1], [3, 0, 3, 0, 4], [6, -1, -1, -1, -1],
            [6, -1, -1, -1, -1], [1, 0, 3, 1, 3], [1, 3, 4, -1, -1]])
        self.assertEqual(b["n_id"].tolist(), [3, 6, 1, 4, 0])
        self.assertEqual(
            digest.digest(b),
            "13961336ac2d73a6385cd2c11da9d15bf4e447702782d5cecbb515e7bf07d42c")

    def test_restart(self):
        self.assertEqual(
            digest.digest(self.batch(length=4, restart_prob=0.25)),
            "e1f49648c434680567d460277c462f3da1b90e3300efd2eb36f8de7f2aee6081")
        self.assertEqual(
            digest.digest(self.batch(length=4, restart_prob=0.25,
                                     restart_ends=True)),
            "2e6960e8a0f3ec7e4572bdf94cf7e754950ec2ed0a6dc180be4b77393e70648e")

    def test_second_order(self):
        self.assertEqual(
            digest.digest(self.batch(length=6, p=4.0, q=0.5)),
            "1be2649cb1896d4b93e2efe55c04898b6c7a558f5f97f505573547018a4aa75d")


class LinkTest(unittest.TestCase):
    """On the seven nodes."""

    LINKS = [(1, 0), (5, 5), (6, 2), (0, 3)]

    def batch(self, links=LINKS, disjoint=False, **options):
        spec = Links(Spec([2, 2], seed=7, disjoint=disjoint), **options)
        return Loader(graph.homogeneous(7, graph.SEVEN_ROWS), links, spec,
                      3).batch(0, 0)

    def check(self, made, expected, **tensors):
        for name, values in tensors.items():
            self.assertEqual(made[name].tolist(), values, name)
        self.assertEqual(digest.digest(made), expected)

    def test_no_negatives(self):
        self.check(
            self.batch(),
            "bfc1b3de47ccd76fd978598adbcceedc9426897b2ed6852718e04ee7ff5cabf3",
            n_id=[5, 0, 6, 3, 2, 4], input_id=[1, 3, 2],
            edge_label_index=[[0, 1, 2], [0, 3, 4]])

    def test_binary(self):
        self.check(
            self.batch(negatives="binary"),
            "74f40eaa03347ef53415555e6309598a98fff523015648ea2326121d59e21db6",
            n_id=[5, 0, 6, 3, 2, 1, 4],
            edge_label_index=[[0, 1, 2, 5, 3, 0], [0, 3, 4, 2, 1, 0]],
            edge_label=[1, 1, 1, 0, 0, 0])

    def test_labels(self):
        links = [(u, v, k) for k, (u, v) in enumerate(self.LINKS, 1)]
        self.check(
            self.batch(links, negatives="binary", amount=0.5),
            "1e8fd54aa24197b2376d714f9be1aabda53733397242fe1dfef7312f100d0258",
            edge_label=[2, 4, 3, 0, 0])

    def test_triplet(self):
        self.check(
            self.batch(negatives="triplet"),
            "e639800e3e2d53d88ca8503ea0d017839971d463f5ed1fcef9fdcdd35465cbc5",
            src_index=[0, 1, 2], dst_pos_index=[0, 3, 4],
            dst_neg_index=[2, 1, 0])

    def test_disjoint(self):
        self.check(
            self.batch(disjoint=True, negatives="triplet", amount=2),
            "c5d4ba1a86f1242116f557bd8ff36e7801dac6f9df479316cbcdc27633ae8322",
            dst_neg_index=[[5, 6], [7, 8], [9, 9]],
            batch=[0, 1, 2, 1, 2, 0, 0, 1, 1, 2, 1, 1, 2, 0, 0])

    def test_destination(self):
        self.check(
            self.batch(negatives="destination", amount=2),
            "04165a6761926d3df8c51c677656cb9efc98171e752f7321d902e8fd6baf0657")

    def test_by_degree(self):
        self.assertEqual([weight(d, 0.75) for d in (0, 1, 2, 3, 5, 1000)],
                         [0, 65536, 110218, 149390, 219133, 11654132])
        self.assertEqual(weight(10, 0.3), 130762)
        self.check(
            self.batch(negatives="binary", amount=2, degree_power=1),
            "86d2ffd39f6fb4edc9264587909de42dbcb87f2831e4eb78788a078f6b385481",
            edge_label_index=[[0, 1, 2, 3, 1, 3, 3, 1, 3],
                              [0, 3, 4, 3, 3, 1, 3, 1, 5]])
        self.check(
            self.batch(negatives="triplet", amount=2, degree_power=0.75),
            "0967250a752899267a5e021ce46905d6b6e2bb959b4e9ce988747c3b588a32c2",
            dst_neg_index=[[0, 3], [1, 0], [1, 5]])
        self.check(
            self.batch(negatives="triplet", amount=2, degree_power=0.75,
                       strict=True),
            "1e4260b5ee069b23692642987e555dcf5719f466be7c03ddd337eec7ed46c38a",
            dst_neg_index=[[1, 3], [1, 0], [1, 5]])

    def test_own(self):
        own = [[6, 0], [1, 1], [4, 0], [2, 5]]
        self.check(
            self.batch(negatives="triplet", amount=2, own=own),
            "7c5ac2f240ae2cc5af2caad43122ad5ee94cecd0e74db41f629345e5b00e1abe",
            n_id=[5, 0, 6, 3, 2, 1, 4],
            dst_neg_index=[[5, 5], [4, 0], [6, 1]])
        self.check(
            self.batch(negatives="destination", amount=2, own=own),
            "0bd110d3dcc8f2ce9860dadbb0d5097b35106e31adf06670d53debb471919ba3",
            edge_label_index=[[0, 1, 2, 0, 0, 1, 1, 2, 2],
                              [0, 3, 4, 5, 5, 4, 0, 6, 1]])

    def test_strict(self):
        self.check(
            self.batch(negatives="binary", strict=True),
            "4c066692fd9c4f7d273cf9fb956e82ed0b224971566da0b0cb77b4375909f865",
            edge_label_index=[[0, 1, 2, 5, 0, 5], [0, 3, 4, 2, 1, 5]])
        self.check(
            self.batch(negatives="binary", strict=True, accept=True),
            "5e93cd5c2c725bdd41aad8a48fcf326611ba6cf7ee171d925f00442bb4cad902",
            num_exhausted=[0])
        self.check(
            self.batch(negatives="triplet", amount=2, strict=True),
            "bd585f209cb85219e76c9209919778459b84c762d1913eac0f46ce8ae9dc9548",
            dst_neg_index=[[2, 1], [0, 4], [5, 5]])


class TotalOverEdgeTypesTest(unittest.TestCase):
    def batch(self, fanouts, inputs=(0, 3, 2, 1), **options):
        spec = Spec(list(fanouts), 7, "a", draw="across_types", **options)
        return Loader(graph.small_typed(), list(inputs), spec, 4,
                      shuffle=False).batch(0, 0)

    def check(self, made, expected, payload_bytes=None, **edges):
        for t, ids in edges.items():
            self.assertEqual(made["e_id/" + t].tolist(), ids, t)
        self.assertEqual(digest.digest(made), expected)
        if payload_bytes is not None:
            self.assertEqual(digest.payload_bytes(made), payload_bytes)

    def test_drawn_once(self):
        self.check(
            self.batch([1, 1]),
            "32c34b11563090114667491c245e002901fec6b33f3c633e87b1665cdea98fd2",
            320, a__t__a=[2], b__s__a=[4, 2, 1], a__r__b=[1, 4, 2])

    def test_replace(self):
        self.check(
            self.batch([2, 1], replace=True),
            "48135e7c991f4a7796dd325678aac335f93b12516833a34945ccbcf4132c17fa",
            384, a__t__a=[2, 0], b__s__a=[0, 4, 3, 2, 2, 1])

    def test_expand_all(self):
        self.check(
            self.batch([1, 2], expand_all=True),
            "c62b5aa1df09a9969688c8b67ac9833cdab144ce2999465b642f0a702e127f23")

    def test_disjoint(self):
        made = self.batch([1, 1], (0, 3, 0, 1), disjoint=True)
        self.check(
            made,
            "c9cbdb3d5db9313ab02e887ffabe81fd4e4ba0384180389b1587f953c53dd626",
            456)
        self.assertEqual(made["batch/b"].tolist(), [1, 2, 3])

    def test_all_neighbours(self):
        each = Loader(graph.small_typed(), [0, 3, 2, 1], Spec([-1], 7, "a"),
                      4, shuffle=False).batch(0, 0)
        self.assertEqual(digest.digest(self.batch([-1])), digest.digest(each))

    def test_one_edge_type_is_uniform(self):
        g = graph.homogeneous(7, graph.SEVEN_ROWS)
        spec = Spec([2, 2], seed=7, draw="across_types")
        self.assertEqual(
            digest.digest(Loader(g, [0, 3, 1, 6], spec, 3).batch(0, 0)),
            "40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68")


class SevenNodesWithColumnsTest(unittest.TestCase):
    """Weights, times, trees, LABOR."""

    def digest(self, inputs, times=None, batch_size=4, shuffle=False,
               **options):
        g = graph.homogeneous(7, graph.SEVEN_ROWS)
        g.node_types[graph.NODE].time = [3, 0, 5, 1, 4, 2, 6]
        edges = g.edge_types[graph.EDGE]
        edges.weight = [1., 2., 0., 3., 4., 1., 5., 2., 0., 1., 3., 2.]
        edges.time = [5, 1, 4, 2, 3, 9, 0, 7, 7, 6, 8, 2]
        train = [1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1]
        edges.masks = {"train": train, "test": [1 - v for v in train]}
        loader = Loader(g, inputs, Spec([2, 2], seed=7, **options),
                        batch_size, shuffle, times)
        return digest.digest(loader.batch(0, 0))

    def test_weighted(self):
        self.assertEqual(
            self.digest([0, 3, 1, 6], None, 3, True, draw="weighted"),
            "f7d04c9d37d6ba070c2289420d3c9f2c9015a318fc962b504a42e46ad54b6568")
        self.assertEqual(
            self.digest([0, 3, 1, 6], None, 3, True, draw="weighted",
                        replace=True),
            "30d627335d4675ac1921f327ae3be4b9aa75ffc77b72de2ed071d4b36baa353f")

    def test_disjoint(self):
        self.assertEqual(
            self.digest([0, 3, 0, 6], disjoint=True),
            "fd0bf2ebdd26ed709e20425db48432f73672ba9f75a864fe3ad78a0c6f003d05")
        self.assertEqual(
            self.digest([0, 3, 0, 6], disjoint=True, draw="weighted"),
            "e97d3effd7b2b50b241d3c85ec77c8db83b97ae1e2034c86efc1ea8b4d9d844e")

    def test_times(self):
        self.assertEqual(
            self.digest([0, 3, 0, 6], [9, 6, 4, 9], time="edge"),
            "155e76d0a0ce715cde7e6625ee26c3285dbc4b71c101922da9819f74cb221ed9")
        self.assertEqual(
            self.digest([0, 3, 0, 6], [9, 8, 5, 9], time="edge", last=True,
                        strict=True),
            "0ab16e9c7ecc7fadc6bf11fdc864d0bf659507ad0b6f11d4d8a1e6ceb505175f")
        self.assertEqual(
            self.digest([0, 3, 0, 6], time="node"),
            "7d01fb71eb97ca989001935f5e9ea624640c4defec7219b6965b6712d85bc90a")

    def test_negatives_in_time(self):
        def links(expected, times, **options):
            g = graph.homogeneous(7, graph.SEVEN_ROWS)
            g.node_types[graph.NODE].time = [3, 0, 5, 1, 4, 2, 6]
            strict = options.pop("before", False)
            spec = Links(Spec([2, 2], seed=7, time="node", strict=strict),
                         **options)
            made = Loader(g, LinkTest.LINKS, spec, 4, False, times).batch(0, 0)
            self.assertEqual(digest.digest(made), expected)
            return made
        made = links(
            "cdaff7c3847f8c048197abc57d7a4efcae132b3f691733fcdacbdb4909af3f24",
            [4, 2, 0, 3], negatives="triplet", amount=2)
        # Nodes 1 0, 5 3, 1 1, 1 3.
        self.assertEqual(made["n_id"].tolist(),
                         [1, 5, 6, 0, 0, 2, 3, 3, 1, 1, 3, 1])
        self.assertEqual(made["dst_neg_index"].tolist(),
                         [[0, 4], [1, 7], [8, 8], [9, 6]])
        made = links(
            "456b8f79a8b4ca7b01efd5d8cf549420a22888c6db3d2145fa2e83f6d1deddc1",
            [4, 2, 0, 3], before=True, negatives="binary", accept=True)
        self.assertEqual(made["num_exhausted"].tolist(), [1])
        made = links(
            "5d4a63cea04e4d410861ce6497dbf0e08056a27525447b2fc4dd389e65ef74c9",
            [4, 2, 0, 3], negatives="destination", strict=True)
        self.assertEqual(made["edge_label_index"].tolist(),
                         [[0, 1, 2, 3, 0, 1, 2, 3], [4, 1, 5, 6, 0, 7, 8, 9]])
        with self.assertRaisesRegex(ValueError, "negative 1"):
            links("", [4, -1, 0, 3], negatives="triplet")

    def test_predicates(self):
        heavy = [("edge_weight", ">", 1)]
        self.assertEqual(
            self.digest([0, 3, 0, 6], predicates={None: heavy}),
            "d754349a6ccc3d327fc6029abe290803170547ef3b83673032b2e3f48dc1659e")
        self.assertEqual(
            self.digest([0, 3, 0, 6], draw="weighted", replace=True,
                        predicates={None: [("edge_time", "!=", 2),
                                           ("edge_weight", "<", 4)]}),
            "e5ff323754aabea0cea24f58909a35465d71bf850af3752a46eb883217a5129f")
        self.assertEqual(
            self.digest([0, 3, 0, 6], [9, 6, 4, 9], time="edge",
                        predicates={None: heavy}),
            "354b9807f9ee89f9a585f12f49089298ada63dd3145c81e24c9cade0e7435936")
        self.assertEqual(
            self.digest([0, 3, 1, 6], draw="labor", expand_all=True,
                        predicates={graph.EDGE: heavy}),
            "d9480b62655199aa1ab693c823c5dc5a998a75ed5adce473149f0139697f0cbf")

    def test_masks(self):
        self.assertEqual(
            self.digest([0, 3, 0, 6], edge_mask="train"),
            "9dc5ca801bc3bbe6ab6786532349939d7d5b6721979af4dee7ab176b5df408fd")
        self.assertEqual(
            self.digest([0, 3, 0, 6], draw="weighted", replace=True,
                        predicates={None: [("edge_mask[test]", "==", 0),
                                           ("edge_weight", "<", 5)]}),
            "2910fbc4f5cc3952aca7381686fc5fc48d4ce352e4a5fbe327ea0c98da73f674")
        self.assertEqual(
            self.digest([0, 3, 0, 6], [9, 6, 4, 9], time="edge",
                        edge_mask="train"),
            "56c5426dc3bf03e1f918fae1ff2f95997409c5c0dcbecf3648ba4c5bcdddd239")
        self.assertEqual(
            self.digest([0, 3, 1, 6], draw="labor", expand_all=True,
                        edge_mask="train"),
            "2b74254bdac6445ce247307f87e56dad2fde37896dea5b60b710b7a12c335d11")
        self.assertEqual(
            self.digest([0, 3, 0, 6], edge_mask="train",
                        predicates={graph.EDGE: [("edge_time", "<", 8)]}),
            "cb8384d3801bf3c63a0f2883b19c44799fa23809111a79bda3fdc3045f67412f")

    def test_labor(self):
        self.assertEqual(
            self.digest([0, 3, 1, 6], draw="labor", expand_all=True),
            "9462dcfb85aaddfa792c707a9a076a9a3c133c15bce1ec1c8a1b944519e086d8")
        self.assertEqual(
            self.digest([0, 3, 1, 6], draw="labor", expand_all=True,
                        layer_dependency=True),
            "ccf0367be5f81941d8646162d269794ea95b75aae1c3955bd8dabfbb484a3a08")


class LinkTypesTest(unittest.TestCase):
    """Links of several edge types, on the small typed graph."""

    def batch(self, index=0, labelled=False, shuffle=True, fanouts=(2, 2),
              disjoint=False, **options):
        rows = graph.SMALL_LINKS
        links = [link for t in sorted(rows) for link in rows[t]]
        if labelled:
            links = [(*link, k) for k, link in enumerate(links, 1)]
        spec = Links(Spec(list(fanouts), seed=7, disjoint=disjoint),
                     types={t: len(rows[t]) for t in rows}, **options)
        return Loader(graph.small_typed(), links, spec, 4,
                      shuffle).batch(0, index)

    def check(self, made, expected, **tensors):
        for name, values in tensors.items():
            self.assertEqual(made[name.replace("__of_", "/")].tolist(), values,
                             name)
        self.assertEqual(digest.digest(made), expected)

    def test_no_negatives(self):
        self.check(
            self.batch(),
            "bd5db9f514fec049bbb3f642760aafb432a383242c82c9b2800d07bc5df2b660",
            n_id__of_a=[0, 1, 3, 2], n_id__of_b=[0, 1, 2],
            input_id__of_a__r__b=[0, 2], input_id__of_a__t__a=[1],
            edge_label_index__of_a__r__b=[[0, 1], [0, 1]],
            edge_label_index__of_a__t__a=[[0], [2]],
            edge_label_index__of_b__s__a=[[1], [1]])
        self.check(
            self.batch(1),
            "bad74b17c374d3cda722d6a918627b0408baf1fb14a3e68b932552906a5093d0",
            n_id__of_a=[3, 2, 0, 1], input_id__of_b__s__a=[],
            edge_label_index__of_b__s__a=[[], []])

    def test_labels(self):
        self.check(
            self.batch(labelled=True, negatives="binary", amount=0.5),
            "c29d7b3f6db975fd2175e7b4780998fe899332b95fcf05bfaf0b78d30f2d0938",
            edge_label__of_a__r__b=[1, 3, 0], edge_label__of_a__t__a=[5, 0],
            edge_label__of_b__s__a=[6, 0])

    def test_trees(self):
        self.check(
            self.batch(negatives="triplet", amount=2, disjoint=True),
            "fabaf033c59833405c001865bd7b76d687095c1306c35af0b684738ade441819",
            dst_neg_index__of_a__t__a=[[4, 5]],
            batch__of_b=[0, 1, 1, 3, 2, 2, 2, 3, 0, 1, 3, 0])

    def test_strict(self):
        self.check(
            self.batch(negatives="destination", strict=True, accept=True),
            "2048a05e9ec5e0d90b6a81fd408d7cfb142e97a03e360abfe42614e4d37ccc3e",
            num_exhausted__of_b__s__a=[0])

    def test_own(self):
        own = [[1, 2], [0, 1], [2, 0], [1, 3], [2, 2], [0, 3]]
        self.check(
            self.batch(shuffle=False, fanouts=[-1], negatives="triplet",
                       own=own),
            "c7aadcbb6f67fbde372be9edf372ec0a8c910489c686f06e4d7246be1dd80394",
            dst_neg_index__of_a__r__b=[[2, 1], [0, 2], [1, 0]],
            src_index__of_a__t__a=[3], dst_neg_index__of_a__t__a=[[2, 1]],
            dst_neg_index__of_b__s__a=[])


class SubgraphTest(unittest.TestCase):
    """On the seven nodes, on Cora and on aifb."""

    def batch(self, inputs, fanouts, batch_size, shuffle=False, **options):
        return Loader(graph.homogeneous(7, graph.SEVEN_ROWS), inputs,
                      Spec(fanouts, seed=7, **options), batch_size,
                      shuffle).batch(0, 0)

    def test_induced(self):
        b = self.batch([0, 3, 1, 6], [2, 2], 3, True, subgraph="induced")
        self.assertEqual(b["e_id"].tolist(), [10, 11, 5, 6, 0, 1, 4, 2])
        self.assertEqual(b["edge_index"].tolist(),
                         [[3, 2, 3, 0, 2, 4, 4, 0], [0, 0, 2, 2, 3, 3, 3, 3]])
        self.assertNotIn("num_sampled_edges", b)
        self.assertEqual(
            digest.digest(b),
            "88d8e17c4908085320eebdb8680088bb946caa13aa988962a5e9824f1ed335a4")

    def test_induced_in_each_tree(self):
        b = self.batch([0, 3, 0, 6], [1, 1], 4, subgraph="induced",
                       disjoint=True)
        self.assertEqual(b["e_id"].tolist(),
                         [3, 10, 0, 2, 1, 4, 2, 10, 11, 5, 6])
        self.assertEqual(
            digest.digest(b),
            "3b3dc53f83f5591de79d1eba9bbee8db7f72a2a844240f2c06455159668b26ca")

    def test_bidirectional(self):
        b = self.batch([0, 3, 1, 6], [2, 2], 3, True, subgraph="bidirectional")
        self.assertEqual(b["e_id"].tolist(), [11, 10, 6, 5, 2, 5, 1, 1])
        self.assertEqual(
            digest.digest(b),
            "562e255bd178de6ea3fa8b0b9f8d569606aa27c988e827dc256261fbc6da1f11")

    def test_k_hops_are_numpys(self):
        """All within k hops, by boolean matrices."""
        g = graph.read_ogb("tests/data/cora")
        n = g.node_types[graph.NODE].count
        edges = np.array(g.edge_types[graph.EDGE].edges)
        for hops in (1, 2, 3):
            for root in (0, 7, 1000, 2707):
                b = Loader(g, [root], Spec([-1] * hops, seed=1,
                                           subgraph="induced"), 1).batch(0, 0)
                near = np.zeros(n, bool)
                near[root] = True
                for _ in range(hops):
                    near[edges[near[edges[:, 1]], 0]] = True
                inside = near[edges[:, 0]] & near[edges[:, 1]]
                self.assertEqual(sorted(b["n_id"]), list(np.nonzero(near)[0]))
                self.assertEqual(sorted(b["e_id"]), sorted(edges[inside, 2]))
                ends = b["n_id"][b["edge_index"]]
                self.assertEqual(
                    sorted(map(tuple, np.vstack([ends, b["e_id"]]).T)),
                    sorted(map(tuple, edges[inside])))

    def test_cora_and_aifb(self):
        cora = graph.read_ogb("tests/data/cora", True)
        aifb = graph.read_ogb("tests/data/aifb", True)
        train, persons = (cora.split(graph.NODE, "train"),
                          aifb.split("person", "train"))
        for subgraph, expected in {
            "bidirectional": [
                "2 0 498853bae074197077eb8d8b37dac369440219c47196fa137f4815bb"
                "de7decf3 32 335 774 1938380",
                "2 0 291953582ada9bf969b300ecd6c99070050259c220211c8027d5be37"
                "3d7fee94 32 487 1092 2821060",
                "1 0 0a9bed333831cc352cd3bd94cfe9c9aaed60c07290ce964ca796416c"
                "428e3acf 16 922 4562 81688"],
            "induced": [
                "2 0 c0776ecbf014300b26dbffd40bd4f4bb4fd7cf928ba04e2845b40614"
                "8d0ee786 32 335 2128 1960044",
                "2 0 f213c67b05f06f86f4a19b7b6b5fd841cf34d72b42549996e1a6b768"
                "b2746c46 32 487 2712 2846980",
                "1 0 1cbd307dac2a603fb56b4cb9bcb366743c9898f8d5fc8ad3d1230499"
                "9b8d9a48 16 922 11264 188920"]}.items():
            lines = [
                Loader(cora, train, Spec([10, 5], 11, subgraph=subgraph),
                       32).line(2, 0),
                Loader(cora, train, Spec([10, 10], 11, subgraph=subgraph,
                                         disjoint=True), 32).line(2, 0),
                Loader(aifb, persons, Spec([4, 3], 11, "person",
                                           subgraph=subgraph), 16).line(1, 0)]
            self.assertEqual(lines, expected)


class CoraTest(unittest.TestCase):
    FOLDER = "tests/data/cora"
    graphs = {}

    def line(self, index, seed=11, add_reverse=False, **options):
        if add_reverse not in self.graphs:
            self.graphs[add_reverse] = graph.read_ogb(self.FOLDER,
                                                      add_reverse)
        g = self.graphs[add_reverse]
        spec = Spec([10, 5], seed=seed, **options)
        return Loader(g, g.split(graph.NODE, "train"), spec, 32).line(2, index)

    def digest(self, *args, **options):
        return self.line(*args, **options).split()[2]

    def test_batch_0(self):
        self.assertEqual(
            self.line(0),
            "2 0 2d0b78ca2d02ebbdfe2707e65fd722d693293b71573be5b34ff71180be63"
            "7fbc 32 357 566 2061524")

    def test_batch_1(self):
        words = self.line(1).split()
        self.assertEqual(
            words[2],
            "09712e27fefdbc5b6266cdfedb6daef1f3079fbb4c00456c5e5903a3add4964d")
        self.assertEqual(words[4:6], ["405", "665"])

    def test_last_batch_is_short(self):
        words = self.line(4).split()
        self.assertEqual(
            words[2],
            "0e205d67f26749beb2383e280ea104af09db914687702137b9011d581d07a1c9")
        self.assertEqual(words[3], "12")

    def test_largest_seed(self):
        self.assertEqual(
            self.digest(0, seed=2**64 - 1),
            "5778b6dbe4b6046039bc618f97ef681ee0a815bfc1c010e56e52317d1b4bdfb5")

    def test_add_reverse(self):
        self.assertEqual(
            self.digest(0, add_reverse=True),
            "5fb683ff17ed8a903f890e97f0c512b6401940c21ee612082def12275ae8d5eb")

    def test_replace(self):
        self.assertEqual(
            self.digest(0, replace=True),
            "1f3077e67d6e25bd6104e3da5e0f383de298122034d6154cc472496d656e363b")

    def test_expand_all(self):
        self.assertEqual(
            self.digest(0, expand_all=True),
            "1de508182e1a99b33ff412beb50a3bd1a449160e01349203818227c11cab7f94")


class AifbTest(unittest.TestCase):
    """Heterogeneous: 9 node types, 65 edge types."""

    FOLDER = "tests/data/aifb"

    def line(self, fanouts, by_type, add_reverse=False):
        g = graph.read_ogb(self.FOLDER, add_reverse)
        spec = Spec(fanouts, 11, "person", by_type)
        return Loader(g, g.split("person", "train"), spec, 16).line(1, 0)

    def test_add_reverse(self):
        self.assertEqual(
            self.line([4, 3], {}, add_reverse=True),
            "1 0 e18d94784b763b85c2268c417cdbfce7f44b310ae3f9739687b83761989b"
            "94e5 16 922 2489 50600")

    def test_a_fanout_by_type(self):
        self.assertEqual(
            self.line([4, 3], {("publication", "author", "person"): [2, 0]}),
            "1 0 f0f63446f7b41f501e3d1b9c5a46d66db6280c8870dfdacb4c55c56681f2"
            "828a 16 333 554 13424")

    def test_one_planned_type(self):
        words = self.line(
            [0, 0], {("publication", "author", "person"): [2, 0]}).split()
        self.assertEqual(
            words[2],
            "03b2d80884b25ce43dce5a1bb15721f7a1a51e2d3be7494b40c9a4b2e6364507")
        self.assertEqual(words[4:6], ["36", "20"])


class NumberTest(unittest.TestCase):
    def test_decimal_text_is_rounded_once(self):
        # 1 + 2^-24 + 2^-60: through float64 it would tie and go down.
        self.assertEqual(
            graph.float32_of("1.00000005960464477625792"),
            np.float32(1 + 2**-23))
        self.assertEqual(graph.float32_of("1.000000059604644775390625"),
                         np.float32(1))

    def test_nan_and_zero(self):
        bits = lambda text: int(graph.float32_of(text).view(np.uint32))
        self.assertEqual(bits("nan"), 0x7FC00000)
        self.assertEqual(bits("-0"), 0x80000000)

    def test_labels(self):
        self.assertEqual(graph.labels([["3"], ["-1"]]).dtype, np.int64)
        self.assertEqual(graph.labels([["3.0"], ["2"]]).tolist(), [3, 2])
        self.assertEqual(graph.labels([["3.5", "1"]]).dtype, np.float32)
        self.assertEqual(graph.labels([["3", "1"]]).shape, (1, 2))


if __name__ == "__main__":
    unittest.main()
