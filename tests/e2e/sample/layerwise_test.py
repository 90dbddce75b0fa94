"""`tributary sample --kind layerwise` prints the lines that docs/sampling.md
states."""

import os
import unittest

from tests.e2e import folders, processes, sampling

LAYERS = ("--kind", "layerwise", "--nodes-per-layer")


class VectorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())

    def partition(self, source, *flags):
        out = os.path.join(self.folder, f"g{len(os.listdir(self.folder))}")
        return folders.partition(source, out, 3, "metis", *flags)

    def check(self, graph, cases, **where):
        for flags, line in cases:
            with self.subTest(flags):
                self.assertEqual(
                    sampling.lines(graph, fanouts=None, batches="0:1",
                                   flags=(*LAYERS, *flags), **where), [line])

    def test_seven_nodes(self):
        source = folders.write_ogb(os.path.join(self.folder, "seven"), 7,
                                   folders.SEVEN_ROWS)
        self.check(self.partition(source), (
            (("2,2",),
             "0 0 03f0f59f21c66298b00044b6972186868d39dd2a53339496ae225da3e314"
             "470e 3 4 7 256"),
            (("2,1", "--importance", "uniform"),
             "0 0 9935953c384aa9f8c7a1557d1cdbac104af82a98f64fca44e577bb1ad23c"
             "d7a7 3 5 5 224"),
            (("50",),
             "0 0 1b63430ca442a89cc3634c95620696fcc232678355595f0f41ce210464e9"
             "ba48 3 5 5 208")),
            inputs="0,3,1,6", batch_size=3, seed=7, epoch=0)

    def test_fastgcn(self):
        source = folders.write_ogb(os.path.join(self.folder, "by-degree"), 7,
                                   folders.SEVEN_ROWS)
        self.check(self.partition(source, "--degrees"), (
            (("3,4", "--importance", "fastgcn"),
             "0 0 2fdba2db8d07094b82739c511e8dcb10c6445c0a9dc925a8c0e5dce4be76"
             "15f5 3 5 7 264"),),
            inputs="0,3,1,6", batch_size=3, seed=7, epoch=0)
        cora = self.partition(folders.CORA, "--add-reverse", "--degrees")
        line = ("2 0 5e2c95e41d937fcacca8bed453e248dc99e94cb919c6237ee3e4ea81"
                "4acdf20b 32 55 58 317732")
        cases = ((("64,128", "--importance", "fastgcn"), line),)
        self.check(cora, cases)
        with processes.Fleet(cora, ["0", "1", "2"]) as fleet:
            self.check(("servers", fleet.addresses()), cases)

    def test_cora(self):
        self.check(self.partition(folders.CORA, "--add-reverse"), (
            (("64,64",),
             "2 0 a61b72588e499768eaa1aa541c725029451e8a0325b59de94ed3e97f8c71"
             "3e27 32 121 362 703180"),
            (("512,256,64",),
             "2 0 e36a8c7d28ade61301d7bc367e34b4b4b66168bf9242f96a64264467d338"
             "0b66 32 294 1786 1726080"),
            (("64,64", "--importance", "uniform"),
             "2 0 7754c0d8f5fdaff9bb90e7b8f8eb3c75d6293a6b002f63f6deb3315ec25c"
             "a73d 32 152 290 879928")))

    def test_one_edge_type_of_aifb(self):
        self.check(self.partition(folders.AIFB, "--add-reverse"), (
            (("5,3", "--edge-type", "schema,subClassOf,schema"),
             "1 0 31b719d2ee38d4eb60d1be589419f550f6f3c0f15b1aa9366f9612d89caf"
             "9a4c 4 10 8 336"),),
            inputs="schema:39,30,14,12,16,30", batch_size=4, epoch=1)


if __name__ == "__main__":
    unittest.main()
