"""Steps 0 to 3 of docs/migrating-from-dgl.md over four hosts with sshd, each with
files of its own: partition, copy, launch, train."""

import os
import random
import re
import unittest

from tests.e2e import made_up_graphs, processes
from tests.e2e.pages import page
from tests.launch import hosts

PAGE = "docs/migrating-from-dgl.md"
DEADLINE = 600  # seconds: four hosts on one machine


class DglPageOverSshTest(unittest.TestCase):
    def setUp(self):
        hosts.require()
        self.cluster = hosts.Cluster(4, [processes.TRIBUTARY, page.TRAINER])
        self.addCleanup(self.cluster.close)
        self.shells = page.Shells(self.cluster.path("w"))
        self.sections = page.sections(PAGE)
        made_up_graphs.write_mag(self.shells.path("ogbn_mag"),
                                 random.Random(5))

    def test_partition_copy_launch_train(self):
        commands = {number: page.commands(text) for heading, text in
                    self.sections.items()
                    for number in re.findall(r"^Step (\d)", heading)}
        listed = dict(zip((f"172.31.0.{i}" for i in range(1, 5)),
                          (host.address for host in self.cluster.hosts)))
        text = "".join(commands[step] for step in "1203")
        for address, here in listed.items():
            self.assertIn(address, text)
            text = text.replace(address, here)
        [out] = self.shells.paste_together([text], DEADLINE)
        first = self.cluster.hosts[0].address
        self.assertIn(f"{first} trainer 0: result test_accuracy=", out)
        self.assertIn("epoch 3/3", out)
        self.assertEqual(out.count("\nsent "), 4)
        for part, host in enumerate(self.cluster.hosts):
            self.assertIn(f"{host.address} server {part}: ready listen="
                          f"{host.address}:30050 partitions={part}", out)
            self.assertEqual(
                [name for name in os.listdir(host.workspace + "/mag")
                 if name.startswith("part-")], [f"part-{part}"])
        processes.until(lambda: not hosts.left())


if __name__ == "__main__":
    unittest.main()
