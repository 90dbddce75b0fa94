"""The blocks of docs/data.md: its commands in a shell, its script in Python."""

import os
import re
import unittest

import numpy as np

from tests.e2e import processes
from tests.e2e.pages import page

PAGE = "docs/data.md"


class Tensor:
    """What the script uses of a torch.Tensor."""

    def __init__(self, values):
        self._values = np.array(values)

    def numpy(self):
        return self._values


class Store:
    """What the script uses of PyG's Data, and of the stores of HeteroData."""

    def __init__(self, num_nodes=None, **values):
        self.num_nodes = num_nodes
        self._values = values

    def to_dict(self):
        return dict(self._values)


class HeteroData(dict):
    @property
    def node_types(self):
        return [key for key in self if isinstance(key, str)]

    @property
    def edge_types(self):
        return [key for key in self if not isinstance(key, str)]


class DataPageTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(self.folder)
        self.sections = page.sections(PAGE)

    def commands(self, heading):
        # The script's lines are indented too.
        return page.commands(re.sub(r"```.*?```", "", self.sections[heading],
                                    flags=re.S))

    def save_data(self):
        script = re.search(r"```python\n(.*?)```",
                           self.sections["From PyG"], re.S)[1]
        names = {}
        exec(script, names)  # pylint: disable=exec-used
        return names["save_data"]

    def test_tables_and_a_config(self):
        out = self.shells.paste(self.commands("A table of edges"))
        self.assertIn("wrote social1.graph nodes=4 edges=4 ", out)
        # dan has no edge.
        self.assertIn("wrote social2.graph nodes=5 edges=4 ", out)
        self.assertIn("columns left out: since", out)
        out = self.shells.paste(
            self.commands("Any other layout")
            + "tributary verify shop.graph --against social --format edge-list"
              " --config social/shop.json --add-reverse\n")
        # user,buys,item and user,knows,user and their reverses.
        self.assertIn("wrote shop.graph nodes=4 edges=8 ", out)
        self.assertIn("verified shop.graph against social", out)

    def test_the_script_writes_data(self):
        # Strided as PyG's transposed edge indices are.
        pairs = np.array([[0, 1], [1, 2], [2, 0]])
        data = Store(num_nodes=3, edge_index=Tensor(pairs.T),
                     x=Tensor(np.eye(3, dtype=np.float32)), name="not a tensor",
                     train_mask=Tensor([True, False, True]))
        self.save_data()(data, self.shells.path("arrays"))
        out = self.shells.paste(
            self.commands("From PyG")
            + "tributary sample --graph pyg.graph --input-nodes train"
              " --num-neighbors=-1 --batch-size 2\n")
        self.assertIn("wrote pyg.graph nodes=3 edges=3 partitions=2", out)

    def test_the_script_writes_hetero_data(self):
        data = HeteroData({
            "paper": Store(num_nodes=2, x=Tensor(np.zeros((2, 4), "float32"))),
            "author": Store(num_nodes=3),
            ("author", "writes", "paper"): Store(
                edge_index=Tensor([[0, 2, 1], [1, 0, 1]]),
                time=Tensor([5, 6, 7])),
        })
        self.save_data()(data, self.shells.path("arrays"))
        self.assertTrue(os.path.exists(
            self.shells.path("arrays", "author__writes__paper", "time.npy")))
        out = self.shells.paste(self.commands("From PyG"))
        self.assertIn("wrote pyg.graph nodes=5 edges=3 partitions=2", out)

    def test_dgls_chunks(self):
        out = self.shells.paste(self.commands("DGL's chunked graph"))
        self.assertIn("wrote mini.graph nodes=5 edges=8 ", out)

    def test_a_graph_larger_than_memory(self):
        out = self.shells.paste(
            "tributary generate rmat --scale 8 --edges 1000 --feat-dim 4"
            " --chunks big\n" + self.commands("A graph larger than memory"))
        self.assertIn("wrote big.graph nodes=256 edges=1000 partitions=8", out)

    def test_a_dataset_of_ogb(self):
        os.mkdir(self.shells.path("dataset"))
        for data, name in (("cora", "ogbn_arxiv"), ("fb15k-237", "fb15k-237")):
            os.symlink(os.path.abspath(f"tests/data/{data}"),
                       self.shells.path("dataset", name))
        out = self.shells.paste(self.commands("From OGB"))
        self.assertIn("wrote arxiv.graph nodes=2708 edges=10556", out)
        self.assertIn("wrote fb15k.graph nodes=14541 edges=272115 ", out)


if __name__ == "__main__":
    unittest.main()
