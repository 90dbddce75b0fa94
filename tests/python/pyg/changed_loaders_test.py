"""Scripts that are written for PyG's loaders, in the way of PyG's examples, train by them with two
ranks under torchrun; and, with nothing changed but the lines of their loaders, over two servers to
the accuracy of tributary-train."""

import os
import pathlib
import unittest
from unittest import mock

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs
from tests.python.pyg import part_of_ddi, train_test

SCRIPTS = "tests/python/pyg/scripts/"
DEADLINE = 420  # seconds, on a machine that does other things too
PYG = ("-m", "tests.python.pyg.sampling_operators")


def changes(servers):
    """Returns what is replaced, and by what. A list of inputs that is a rank's own, and what one
    rank alone reads, is shared with no other."""
    return (("from torch_geometric.loader import", "from tributary_gnn import"),
            ("NeighborLoader(data, ", f'NeighborLoader("{servers}", rank=0, world_size=1, '))


def changes_of_links(servers):
    """Returns the same for links: the ranks share a split by themselves, and its links have ids,
    by which hops leave them out."""
    return (("LinkNeighborLoader(data, edge_label_index=train_links, ",
             f'LinkNeighborLoader("{servers}", edge_label_index="only/train", '
             'exclude="reverse_id", neg_strict=True, '), *changes(servers))


def changed(script, replaced):
    """Returns the script's text with each change made, where it is to be made at all."""
    for old, new in replaced:
        if old not in script:
            raise AssertionError(f"no line has {old!r}")
        script = script.replace(old, new)
    return script


def lines_that_differ(before, after):
    """Yields the lines of `before` that are others in `after`, which has as many."""
    return (line for line, now in zip(before.splitlines(), after.splitlines(), strict=True)
            if line != now)


class ChangedLoadersTest(unittest.TestCase):
    """Each figure that is wanted is below what three seeds of tributary-train reach
    (docs/python.md, docs/results.md)."""

    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        # A changed script is not where it was, and imports what is beside the other.
        places = (os.getcwd(), os.environ.get("PYTHONPATH", ""))
        self.enterContext(mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(places)))

    def reached(self, *words):
        output = train_test.torchrun(*words, deadline=DEADLINE)
        [reached] = train_test.LINE.findall(output)
        print(words, output, end="", flush=True)
        return float(reached)

    def expect(self, wanted, name, data, graph, replaced=changes):
        """Trains the script `name` by PyG's loaders on `data` for an epoch, and by ours on
        `graph` to what is wanted."""
        fleet = self.enterContext(tg.serve(graph, num_servers=2))
        script, ours = pathlib.Path(SCRIPTS, name), pathlib.Path(self.folder, name)
        text = script.read_text("utf-8")
        ours.write_text(changed(text, replaced(fleet.servers)), "utf-8")
        for line in lines_that_differ(text, ours.read_text("utf-8")):
            self.assertRegex(line, r"^ +\w+_loader = |^from torch_geometric.loader import ")
        self.reached(*PYG, str(script), data, "--epochs", "1")
        self.assertGreater(self.reached(str(ours), data), wanted)

    def test_nodes(self):
        self.expect(0.78, "nodes.py", "tests/data/cora", graphs.cora(self.folder))

    def test_a_typed_graph(self):
        self.expect(0.8, "typed.py", "tests/data/aifb", graphs.aifb(self.folder))

    def test_links(self):
        graph, raw = part_of_ddi.partition(self.folder)
        self.expect(0.1, "links.py", raw, graph, changes_of_links)


if __name__ == "__main__":
    unittest.main()
