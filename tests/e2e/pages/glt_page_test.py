"""The blocks of docs/migrating-from-glt.md, pasted into shells."""

import random
import re
import subprocess
import unittest

from tests.e2e import made_up_graphs, processes
from tests.e2e.pages import page

PAGE = "docs/migrating-from-glt.md"
LOADERS = "tests/e2e/pages/glt_loaders"  # the page's C++, compiled


def losses(output):
    return re.findall(r"^epoch \d+/\d+ +loss (\S+) ", output, re.M)


class GltPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        self.sections = page.sections(PAGE)
        # A network that no other test uses; ports stay as they are.
        self.network = "127.%d.%d." % (random.SystemRandom().randrange(256),
                                       random.SystemRandom().randrange(256))
        rng = random.Random(5)
        made_up_graphs.write_products(self.shells.path("ogbn_products"), rng)
        made_up_graphs.write_mag(self.shells.path("ogbn_mag"), rng)

    def commands(self, heading):
        text = page.commands(self.sections[heading])
        self.assertNotEqual(text, "")
        return page.with_free_master_port(
            text.replace("10.0.0.", self.network))

    def machines(self, heading, names):
        first, blocks = page.by_machine(self.commands(heading))
        self.assertEqual(list(blocks), names)
        return first, list(blocks.values())

    def partition(self):
        out = self.shells.paste(self.commands("Step 1: partition the graph"))
        self.assertIn("2 partitions by metis", out)

    def test_both_modes_give_the_same_losses(self):
        self.partition()
        _, workers = self.machines("Step 2: worker mode",
                                   ["machine 0", "machine 1"])
        of_workers = self.shells.paste_together(workers)
        self.assertEqual(len(losses(of_workers[0])), 3, of_workers)
        self.assertIn("result test_accuracy=", of_workers[0])

        listing, servers = self.machines(
            "The servers", ["server machine 0", "server machine 1"])
        options, clients = self.machines(
            "The clients", ["client machine 0", "client machine 1"])
        # The commands that look at the fleet come after those of the clients.
        clients[-1], look = re.split("(?=^tributary status )", clients[-1],
                                     flags=re.M)
        self.shells.paste(listing + options)
        outputs = self.shells.paste_together(servers + clients)
        for part in range(2):
            self.assertIn(f"partitions={part}", outputs[part])
        self.assertEqual(losses(outputs[2]), losses(of_workers[0]))

        running = [self.shells.start(block.replace("--num-clients 4", ""))
                   for block in servers]
        try:
            for shell in running:
                processes.until(lambda shell=shell: "ready" in shell.output())
            out = self.shells.paste("until tributary doctor "
                                    "--servers file:servers.txt >/dev/null; "
                                    "do :; done\n" + look)
            self.assertEqual(len(re.findall(" ready graph=", out)), 2, out)
        finally:
            for shell in running:
                shell.end()

    def test_the_loaders_run(self):
        self.partition()
        with processes.Fleet(self.shells.path("products"), ["0", "1"]) as fleet:
            fleet.doctor()
            done = subprocess.run([LOADERS, fleet.addresses()], text=True,
                                  capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split(":")[0] for line in done.stdout.splitlines()]
        self.assertEqual(lines, [f"{name} batch {i}" for name in (
            "DistNeighborLoader", "DistLinkNeighborLoader",
            "DistSubGraphLoader") for i in range(2)])
        self.assertIn(" nodes of 100 features", done.stdout)

    def test_links(self):
        out = self.shells.paste(self.commands("Links"))
        self.assertEqual(len(losses(out)), 1, out)

    def test_typed_graphs(self):
        out = self.shells.paste(self.commands("Typed graphs"))
        self.assertEqual(len(re.findall("^0 [01] [0-9a-f]{64} 16 ", out, re.M)),
                         2, out)
        self.assertIn("result test_accuracy=", out)


if __name__ == "__main__":
    unittest.main()
