"""`tributary sample` prints the lines that docs/sampling.md states."""

import os
import unittest

import numpy as np

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs
from tests.oracle import loader, neighbour_batch


class SevenNodesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        source = folders.write_ogb(os.path.join(cls.folder, "seven"), 7,
                                   folders.SEVEN_ROWS)
        cls.graph = folders.partition(source, os.path.join(cls.folder, "g2"),
                                      2, "random", "--degrees")

    def lines(self, inputs, fanouts, batch_size, *flags):
        return sampling.lines(self.graph, inputs=inputs, fanouts=fanouts,
                              batch_size=batch_size, seed=7, epoch=0,
                              flags=flags)

    def test_two_batches(self):
        self.assertEqual(self.lines("0,3,1,6", "2,2", 3), [
            "0 0 40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e80"
            "4e68 3 5 6 220",
            "0 1 1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f3992"
            "8803 1 5 5 180"])

    def test_degrees(self):
        self.assertEqual(
            self.lines("0,3,1,6", "2,2", 3, "--collect-degrees")[0],
            "0 0 b53fc23c811680b5e52436d163406dcb623f08b56e551fbad07b5b2b5da3"
            "9a93 3 5 6 300")

    def test_duplicate_inputs(self):
        self.assertEqual(
            self.lines("0,3,0,6", "2,2", 4, "--shuffle", "none"),
            ["0 0 4c92935fb4b51c0f6b7b1cf6f02364030ac40c8e8844d0e2d223a61f78f"
             "48e8f 4 6 7 256"])

    def test_all_neighbours(self):
        lines = self.lines("0,3,1,6", "-1,-1", 3, "--shuffle", "none")
        self.assertEqual(
            lines[0].split()[2],
            "3afd91386264c5d59d83bb6be9cda114802361346cabc0cefb0bebdf76722bfd")

    def test_subgraphs(self):
        for kind, line in (
                ("induced",
                 "0 0 88d8e17c4908085320eebdb8680088bb946caa13aa988962a5e9824f"
                 "1ed335a4 3 5 8 236"),
                ("bidirectional",
                 "0 0 562e255bd178de6ea3fa8b0b9f8d569606aa27c988e827dc256261fb"
                 "c6da1f11 3 5 8 236")):
            with self.subTest(kind):
                self.assertEqual(
                    self.lines("0,3,1,6", "2,2", 3, "--subgraph-type",
                               kind)[0], line)

    def test_walks(self):
        for flags, line in (
                (("--walk-length", 4),
                 "0 0 13961336ac2d73a6385cd2c11da9d15bf4e447702782d5cecbb515e7"
                 "bf07d42c 3 5 0 444"),
                (("--walk-length", 4, "--restart-prob", 0.25),
                 "0 0 e1f49648c434680567d460277c462f3da1b90e3300efd2eb36f8de7f"
                 "2aee6081 3 5 0 444"),
                (("--walk-length", 4, "--restart-prob", 0.25,
                  "--restart-ends"),
                 "0 0 2e6960e8a0f3ec7e4572bdf94cf7e754950ec2ed0a6dc180be4b7739"
                 "3e70648e 3 5 0 444"),
                (("--walk-length", 6, "--p", 4, "--q", 0.5),
                 "0 0 1be2649cb1896d4b93e2efe55c04898b6c7a558f5f97f50557354701"
                 "8a4aa75d 3 7 0 604")):
            with self.subTest(flags):
                made = self.lines("0,3,1,6", None, 3, "--kind", "walk",
                                  "--walks-per-node", 2, *flags)
                self.assertEqual(made[0], line)


    def test_links(self):
        links = ("1,0", "5,5", "6,2", "0,3")
        paths = {}
        for name, rows in (("plain", links),
                           ("labels", [f"{r},{k}" for k, r in
                                       enumerate(links)]),
                           ("own", ("6,0", "1,1", "4,0", "2,5"))):
            paths[name] = os.path.join(self.folder, name + ".csv")
            with open(paths[name], "w") as f:
                f.write("".join(row + "\n" for row in rows))
        for name, flags, line in (
                ("plain", (),
                 "0 0 bfc1b3de47ccd76fd978598adbcceedc9426897b2ed6852718e04ee7"
                 "ff5cabf3 3 6 6 232"),
                ("plain", ("--neg-sampling", "binary"),
                 "0 0 74f40eaa03347ef53415555e6309598a98fff523015648ea2326121d"
                 "59e21db6 3 7 8 320"),
                # Labels 0 to 3 become 1 to 4 beside negatives.
                ("labels", ("--neg-sampling", "binary", "--neg-amount", 0.5),
                 "0 0 1e8fd54aa24197b2376d714f9be1aabda53733397242fe1dfef7312f"
                 "100d0258 3 7 8 328"),
                ("plain", ("--neg-sampling", "triplet"),
                 "0 0 e639800e3e2d53d88ca8503ea0d017839971d463f5ed1fcef9fdcdd3"
                 "5465cbc5 3 6 6 244"),
                ("plain", ("--neg-sampling", "triplet", "--neg-amount", 2,
                           "--disjoint"),
                 "0 0 c5d4ba1a86f1242116f557bd8ff36e7801dac6f9df479316cbcdc276"
                 "33ae8322 3 15 14 576"),
                ("plain", ("--neg-sampling", "destination", "--neg-amount",
                           2),
                 "0 0 04165a6761926d3df8c51c677656cb9efc98171e752f7321d902e8fd"
                 "6baf0657 3 6 6 316"),
                ("plain", ("--neg-sampling", "binary", "--neg-amount", 2,
                           "--neg-degree-power", 1),
                 "0 0 86d2ffd39f6fb4edc9264587909de42dbcb87f2831e4eb78788a078f"
                 "6b385481 3 7 8 356"),
                ("plain", ("--neg-sampling", "triplet", "--neg-amount", 2,
                           "--neg-degree-power", 0.75),
                 "0 0 0967250a752899267a5e021ce46905d6b6e2bb959b4e9ce988747c3b"
                 "588a32c2 3 7 8 296"),
                ("plain", ("--neg-sampling", "triplet", "--neg-amount", 2,
                           "--neg-degree-power", 0.75, "--neg-strict"),
                 "0 0 1e4260b5ee069b23692642987e555dcf5719f466be7c03ddd337eec7"
                 "ed46c38a 3 7 8 296"),
                ("plain", ("--neg-sampling", "triplet", "--neg-destination",
                           "@" + paths["own"]),
                 "0 0 7c5ac2f240ae2cc5af2caad43122ad5ee94cecd0e74db41f629345e5"
                 "b00e1abe 3 7 8 296"),
                ("plain", ("--neg-sampling", "destination",
                           "--neg-destination", "@" + paths["own"]),
                 "0 0 0bd110d3dcc8f2ce9860dadbb0d5097b35106e31adf06670d53debb4"
                 "71919ba3 3 7 8 356"),
                ("plain", ("--neg-sampling", "binary", "--neg-strict"),
                 "0 0 4c066692fd9c4f7d273cf9fb956e82ed0b224971566da0b0cb77b437"
                 "5909f865 3 7 8 320"),
                ("plain", ("--neg-sampling", "binary", "--neg-strict",
                           "--on-exhausted", "accept"),
                 "0 0 5e93cd5c2c725bdd41aad8a48fcf326611ba6cf7ee171d925f00442b"
                 "b4cad902 3 7 8 328"),
                ("plain", ("--neg-sampling", "triplet", "--neg-amount", 2,
                           "--neg-strict"),
                 "0 0 bd585f209cb85219e76c9209919778459b84c762d1913eac0f46ce8a"
                 "e9dc9548 3 6 6 256")):
            with self.subTest(flags):
                made = self.lines(None, "2,2", 3, "--kind", "link",
                                  "--input-edges", "@" + paths[name], *flags)
                self.assertEqual(made[0], line)


WALK = ("--kind", "walk", "--walk-length")


class CoraTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "one"), 1)
        cls.reversed = folders.partition(
            folders.CORA, os.path.join(folder, "reversed"), 3, "metis",
            "--add-reverse")

    def digest(self, *flags, graph=None, seed=11):
        lines = sampling.lines(graph or self.graph, seed=seed, batches="0:1",
                               flags=flags)
        self.assertEqual(len(lines), 1)
        return lines[0].split()[2]

    def test_epoch(self):
        lines = sampling.lines(self.graph)
        self.assertEqual(
            lines[0],
            "2 0 2d0b78ca2d02ebbdfe2707e65fd722d693293b71573be5b34ff71180be63"
            "7fbc 32 357 566 2061524")
        self.assertEqual(
            lines[1].split()[2:6],
            ["09712e27fefdbc5b6266cdfedb6daef1f3079fbb4c00456c5e5903a3add4964"
             "d", "32", "405", "665"])
        self.assertEqual(
            lines[4].split()[2:4],
            ["0e205d67f26749beb2383e280ea104af09db914687702137b9011d581d07a1c"
             "9", "12"])
        # Batches past the end are left out.
        self.assertEqual([line.split()[:2] for line in lines],
                         [["2", str(g)] for g in range(5)])

    def test_inputs_by_weight(self):
        weights = np.array([(7 * i) % 5 for i in range(140)], np.float32)
        read = graphs.read_ogb(folders.CORA)
        expected = loader.Loader(
            read, read.split("node", "train"),
            neighbour_batch.Spec([10, 5], 11), 32, weights=weights.tolist())
        with processes.temporary_folder() as folder:
            path = os.path.join(folder, "weights.npy")
            np.save(path, weights)
            self.assertEqual(
                sampling.lines(self.graph, flags=["--input-weight",
                                                  "@" + path]),
                [expected.line(2, i) for i in range(5)])

    def test_a_mask_and_all_nodes_are_their_ids(self):
        with processes.temporary_folder() as folder:
            mask = np.zeros(2708, bool)
            mask[[2707, 5, 9]] = True
            np.save(os.path.join(folder, "mask.npy"), mask)
            np.save(os.path.join(folder, "all.npy"), np.arange(2708))
            lines = [sampling.lines(self.graph, inputs=inputs, batch_size=500)
                     for inputs in (f"@{folder}/mask.npy", "5,9,2707", "*",
                                    f"@{folder}/all.npy")]
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(lines[2], lines[3])
        self.assertEqual(len(lines[2]), 6)

    def test_a_range_is_the_same_batches(self):
        self.assertEqual(sampling.lines(self.graph, batches="1:3"),
                         sampling.lines(self.graph)[1:3])

    def test_largest_seed(self):
        self.assertEqual(
            self.digest(seed=2**64 - 1),
            "5778b6dbe4b6046039bc618f97ef681ee0a815bfc1c010e56e52317d1b4bdfb5")

    def test_add_reverse(self):
        self.assertEqual(
            self.digest(graph=self.reversed),
            "5fb683ff17ed8a903f890e97f0c512b6401940c21ee612082def12275ae8d5eb")

    def test_replace(self):
        self.assertEqual(
            self.digest("--replace"),
            "1f3077e67d6e25bd6104e3da5e0f383de298122034d6154cc472496d656e363b")

    def test_expand_all(self):
        self.assertEqual(
            self.digest("--expand", "all"),
            "1de508182e1a99b33ff412beb50a3bd1a449160e01349203818227c11cab7f94")

    def test_subgraphs(self):
        for fanouts, flags, line in (
                ("10,5", ("--subgraph-type", "induced"),
                 "2 0 c0776ecbf014300b26dbffd40bd4f4bb4fd7cf928ba04e2845b40614"
                 "8d0ee786 32 335 2128 1960044"),
                ("10,10", ("--subgraph-type", "induced", "--disjoint"),
                 "2 0 f213c67b05f06f86f4a19b7b6b5fd841cf34d72b42549996e1a6b768"
                 "b2746c46 32 487 2712 2846980"),
                ("10,5", ("--subgraph-type", "bidirectional"),
                 "2 0 498853bae074197077eb8d8b37dac369440219c47196fa137f4815bb"
                 "de7decf3 32 335 774 1938380")):
            with self.subTest(flags):
                self.assertEqual(
                    sampling.lines(self.reversed, fanouts=fanouts,
                                   batches="0:1", flags=flags), [line])

    def test_walks(self):
        for flags, digest in (
                ((*WALK, 40, "--walks-per-node", 10),
                 "a1ba31732662f77e58f632191aa3decb0741954d4e64557de1e563c27fd7"
                 "a03e"),
                ((*WALK, 10, "--walks-per-node", 2, "--restart-prob", 0.15),
                 "c8e0316b6f6bc55aaf091151a7d1d41e3c73ef7f0a0ce542b826d44ec21c"
                 "e24e"),
                ((*WALK, 10, "--walks-per-node", 2, "--p", 0.25, "--q", 4),
                 "2907c317ed8e9df138c9f7bd4ef922b9dd016171f6b1e763401b6454b971"
                 "7737")):
            with self.subTest(flags):
                line, = sampling.lines(self.reversed, fanouts=None,
                                       batches="0:1", flags=flags)
                self.assertEqual(line.split()[2], digest)


class AifbTest(unittest.TestCase):
    """Typed: 9 node types, 65 relations."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.AIFB,
                                      os.path.join(folder, "one"), 1)
        cls.reversed = folders.partition(
            folders.AIFB, os.path.join(folder, "reversed"), 3, "metis",
            "--add-reverse")

    def lines(self, graph, fanouts, inputs="person:train", **options):
        return sampling.lines(graph, inputs=inputs, fanouts=fanouts,
                              batch_size=16, epoch=1, batches="0:1",
                              **options)

    def test_add_reverse(self):
        self.assertEqual(
            self.lines(self.reversed, "4,3"),
            ["1 0 e18d94784b763b85c2268c417cdbfce7f44b310ae3f9739687b83761989b"
             "94e5 16 922 2489 50600"])

    def test_a_fanout_by_type(self):
        self.assertEqual(
            self.lines(self.graph, "4,3;publication,author,person=2,0"),
            ["1 0 f0f63446f7b41f501e3d1b9c5a46d66db6280c8870dfdacb4c55c56681f2"
             "828a 16 333 554 13424"])

    def test_subgraphs(self):
        for kind, line in (
                ("induced",
                 "1 0 1cbd307dac2a603fb56b4cb9bcb366743c9898f8d5fc8ad3d1230499"
                 "9b8d9a48 16 922 11264 188920"),
                ("bidirectional",
                 "1 0 0a9bed333831cc352cd3bd94cfe9c9aaed60c07290ce964ca796416c"
                 "428e3acf 16 922 4562 81688")):
            with self.subTest(kind):
                self.assertEqual(
                    self.lines(self.reversed, "4,3",
                               flags=("--subgraph-type", kind)), [line])

    def test_walks_along_a_metapath(self):
        self.assertEqual(
            self.lines(self.reversed, None, flags=(
                *WALK, 6, "--walks-per-node", 3, "--metapath",
                "publication,author,person;person,rev_author,publication")),
            ["1 0 f6619476ce3aaaaece459d37941044321cf7912b9252efc7a299de3a0549"
             "3067 16 112 0 5464"])

    def test_one_planned_type(self):
        one = ("1 0 03b2d80884b25ce43dce5a1bb15721f7a1a51e2d3be7494b40c9a4b2e6"
               "364507 16 36 20")
        for fanouts in ("0,0;publication,author,person=2,0",
                        "publication,author,person=2,0"):  # 0 by default
            with self.subTest(fanouts):
                line, = self.lines(self.graph, fanouts)
                self.assertEqual(line.rsplit(" ", 1)[0], one)

    def test_the_split_is_its_ids(self):
        """By SCHEME/name, as ids and from a file, the lines are the same."""
        ids = [int(row[0]) for row in graphs.rows_of(
            os.path.join(folders.AIFB, "split/standard/person/train"))]
        with processes.temporary_folder() as folder:
            np.save(os.path.join(folder, "ids.npy"), np.array(ids))
            lines = [self.lines(self.graph, "4,3", inputs="person:" + source)
                     for source in ("train", "standard/train",
                                    ",".join(map(str, ids)),
                                    f"@{folder}/ids.npy")]
        self.assertEqual(lines[1:], lines[:1] * 3)


if __name__ == "__main__":
    unittest.main()
