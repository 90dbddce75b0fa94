"""Links of several edge types, and a total fanout over them: `tributary sample`
prints the lines that docs/sampling.md states."""

import os
import unittest

from tests.e2e import folders, processes, sampling
from tests.oracle import graph as graphs


class SmallTypedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        source = folders.write_hetero(
            os.path.join(cls.folder, "small"),
            {t: (n, None, None) for t, n in graphs.SMALL_NODES.items()},
            {t: (rows, None) for t, rows in graphs.SMALL_ROWS.items()})
        cls.graph = folders.partition(source, os.path.join(cls.folder, "g2"),
                                      2)

    def lists(self, name, rows):
        """TYPE:@FILE of each type, in no canonical order."""
        lists = []
        for t in sorted(rows, reverse=True):
            path = os.path.join(self.folder, f"{name}-{'-'.join(t)}.csv")
            with open(path, "w") as f:
                f.writelines(",".join(map(str, row)) + "\n"
                             for row in rows[t])
            lists.append(f"{','.join(t)}:@{path}")
        return ";".join(lists)

    def test_links(self):
        links = graphs.SMALL_LINKS
        numbers = iter(range(1, 7))
        labelled = {t: [(*link, next(numbers)) for link in links[t]]
                    for t in sorted(links)}
        own = {("a", "r", "b"): [(1, 2), (0, 1), (2, 0)],
               ("a", "t", "a"): [(1, 3), (2, 2)], ("b", "s", "a"): [(0, 3)]}
        for rows, fanouts, flags, lines in (
                (links, "2,2", (), [
                    "0 0 bd5db9f514fec049bbb3f642760aafb432a383242c82c9b2800d"
                    "07bc5df2b660 4 7 14 440",
                    "0 1 bad74b17c374d3cda722d6a918627b0408baf1fb14a3e68b9325"
                    "52906a5093d0 2 7 12 376"]),
                (labelled, "2,2",
                 ("--neg-sampling", "binary", "--neg-amount", 0.5),
                 ["0 0 c29d7b3f6db975fd2175e7b4780998fe899332b95fcf05bfaf0b78"
                  "d30f2d0938 4 7 14 520"]),
                (links, "2,2", ("--neg-sampling", "triplet", "--neg-amount", 2,
                                "--disjoint"),
                 ["0 0 fabaf033c59833405c001865bd7b76d687095c1306c35af0b68473"
                  "8ade441819 4 28 51 1456"]),
                (links, "2,2", ("--neg-sampling", "destination",
                                "--neg-strict", "--on-exhausted", "accept"),
                 ["0 0 2048a05e9ec5e0d90b6a81fd408d7cfb142e97a03e360abfe42614"
                  "e4d37ccc3e 4 7 14 528"]),
                (links, "-1", ("--neg-sampling", "triplet", "--shuffle",
                               "none", "--neg-destination",
                               self.lists("own", own)),
                 ["0 0 c7aadcbb6f67fbde372be9edf372ec0a8c910489c686f06e4d7246"
                  "be1dd80394 4 7 14 432",
                  "0 1 cceca0e9d359d26e9e3ab81899d8c60679c7b433c016b025aec261"
                  "adc8bb6403 2 7 11 336"])):
            with self.subTest(flags):
                made = sampling.lines(
                    self.graph, inputs=None, fanouts=fanouts, batch_size=4,
                    seed=7, epoch=0, flags=(
                        "--kind", "link", "--input-edges",
                        self.lists("links", rows), *flags))
                self.assertEqual(made[:len(lines)], lines)

    def total(self, fanouts, *flags, inputs="a:0,3,2,1"):
        return sampling.arguments(
            self.graph, inputs=inputs, fanouts=fanouts, batch_size=4, seed=7,
            epoch=0, flags=("--shuffle", "none", "--draw", "across_types",
                            *flags))

    def test_a_total_over_edge_types(self):
        for arguments, line in (
                (self.total("1,1"),
                 "0 0 32c34b11563090114667491c245e002901fec6b33f3c633e87b1665c"
                 "dea98fd2 4 7 7 320"),
                (self.total("2,1", "--replace"),
                 "0 0 48135e7c991f4a7796dd325678aac335f93b12516833a34945ccbcf4"
                 "132c17fa 4 7 11 384"),
                (self.total("1,2", "--expand", "all"),
                 "0 0 c62b5aa1df09a9969688c8b67ac9833cdab144ce2999465b642f0a70"
                 "2e127f23 4 7 17 480"),
                (self.total("1,1", "--disjoint", inputs="a:0,3,0,1"),
                 "0 0 c9cbdb3d5db9313ab02e887ffabe81fd4e4ba0384180389b1587f953"
                 "c53dd626 4 11 8 456")):
            with self.subTest(line=line):
                self.assertEqual(processes.run_ok(*arguments).splitlines(),
                                 [line])

    def test_a_total_is_one_list(self):
        done = processes.run(*self.total("2;a,t,a=1"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("draw: across_types with num_neighbors by edge type "
                      "(a,r,b=2, a,t,a=1); allowed: num_neighbors of one list",
                      done.stderr)
        done = processes.run(*sampling.arguments(
            self.graph, inputs=None, fanouts="2", batch_size=4, flags=(
                "--kind", "link", "--draw", "across_types", "--exclude",
                "pair", "--input-edges",
                self.lists("links", graphs.SMALL_LINKS))))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("draw: across_types with exclude; allowed: exclude none",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
