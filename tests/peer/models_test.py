"""Models, loss and gradients beside PyTorch Geometric's, within 1e-5.

dump_models computes them on tiny graphs and writes its parameters, inputs and
results; here the same parameters are loaded into PyG's modules, by name.
"""

import pathlib
import subprocess
import tempfile
import unittest

import numpy
import torch
from torch_geometric.nn import RGCNConv, to_hetero
from torch_geometric.nn.models import GAT, GCN, GraphSAGE

DUMP = "trainer_client/torch/nn/testing/dump_models"
TOLERANCE = 1e-5
HIDDEN, OUT = 8, 3


class Case:
    """What dump_models wrote of one model."""

    def __init__(self, folder):
        self.arrays = {
            path.name.removesuffix(".npy"): torch.from_numpy(numpy.load(path))
            for path in folder.glob("*.npy")
        }

    def of(self, kind):
        prefix = kind + "."
        return {
            name.removeprefix(prefix): array
            for name, array in self.arrays.items()
            if name.startswith(prefix)
        }

    def convs(self):
        """The parameters of the layers."""
        return {
            name: value
            for name, value in self.of("param").items()
            if name.startswith("convs.")
        }


def loss_of(rows):
    labels = torch.arange(rows.shape[0]) % 3
    return torch.nn.functional.cross_entropy(rows, labels)


class ModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        subprocess.run([DUMP, folder], check=True)
        cls.folder = pathlib.Path(folder)

    def case(self, name):
        return Case(self.folder / name)

    def assert_close(self, a, b, what):
        self.assertEqual(a.shape, b.shape, what)
        self.assertLessEqual((a - b).abs().max().item(), TOLERANCE, what)

    def compare(self, case, rows, module):
        """Rows, loss and the gradients of the module's parameters."""
        (expected,) = case.of("out").values()
        self.assertGreater(expected.abs().max().item(), 0.01)
        self.assert_close(rows, expected, "rows")
        loss = loss_of(rows)
        self.assert_close(loss, case.arrays["loss"], "loss")
        loss.backward()
        compared = 0
        for name, parameter in module.named_parameters():
            grad = parameter.grad
            if grad is None:
                grad = torch.zeros_like(parameter)
            self.assert_close(grad, case.of("grad")[name], name)
            compared += 1
        self.assertEqual(compared, len(list(module.state_dict())))

    def compare_homogeneous(self, name, model):
        case = self.case(name)
        model.load_state_dict(case.convs())
        rows = model(case.of("x")["node"], case.of("edges")["node,to,node"])
        inputs = case.arrays["out.node"].shape[0]
        self.compare(case, rows[:inputs], model)

    def compare_typed(self, name, model):
        case = self.case(name)
        x = case.of("x")
        edges = {tuple(n.split(",")): e for n, e in case.of("edges").items()}
        model = to_hetero(model, (list(x), list(edges)), aggr="sum")
        with torch.no_grad():
            model(x, edges)  # makes the parameters that depend on x
        model.load_state_dict(case.convs())
        inputs = case.arrays["out.paper"].shape[0]
        self.compare(case, model(x, edges)["paper"][:inputs], model)

    def test_graph_sage(self):
        self.compare_homogeneous("sage", GraphSAGE(4, HIDDEN, 2, OUT))

    def test_graph_sage_max(self):
        self.compare_homogeneous(
            "sage_max", GraphSAGE(4, HIDDEN, 2, OUT, aggr="max"))

    def test_gcn_of_whole_neighbourhoods(self):
        self.compare_homogeneous("gcn", GCN(4, HIDDEN, 2, OUT))

    def test_gat(self):
        self.compare_homogeneous("gat", GAT(4, HIDDEN, 2, OUT, heads=2))

    def test_typed_graph_sage(self):
        self.compare_typed("typed_sage", GraphSAGE((-1, -1), HIDDEN, 2, OUT))

    def test_typed_graph_sage_max(self):
        self.compare_typed("typed_sage_max",
                           GraphSAGE((-1, -1), HIDDEN, 2, OUT, aggr="max"))

    def test_typed_gat(self):
        self.compare_typed(
            "typed_gat",
            GAT((-1, -1), HIDDEN, 2, OUT, heads=2, add_self_loops=False))

    def compare_rgcn(self, name, inputs_of):
        """RGCNConv over the nodes of all types, one after the other."""
        case = self.case(name)
        parameters = case.of("param")
        start, rows = {}, []
        for node_type, x in sorted(case.of("x").items()):
            start[node_type] = sum(len(r) for r in rows)
            weight = parameters.get(f"input.{node_type}.weight")
            if weight is not None:
                x = x @ weight.T + parameters[f"input.{node_type}.bias"]
            rows.append(x)
        index, kind = [], []
        relations = sorted(case.of("edges").items())
        for number, (relation, edges) in enumerate(relations):
            source, _, destination = relation.split(",")
            index.append(edges + torch.tensor(
                [[start[source]], [start[destination]]]))
            kind.append(torch.full((edges.shape[1],), number))
        bases = 2 if "bases" in name else None
        convs = torch.nn.ModuleDict({"convs": torch.nn.ModuleList(
            RGCNConv(HIDDEN, out, len(relations), num_bases=bases)
            for out in (HIDDEN, OUT))})
        convs.load_state_dict(case.convs())
        x, index, kind = torch.cat(rows), torch.cat(index, 1), torch.cat(kind)
        x = convs["convs"][0](x, index, kind).relu()
        x = convs["convs"][1](x, index, kind)
        (inputs,) = case.of("out").values()
        first = start[inputs_of]
        self.compare(case, x[first:first + len(inputs)], convs)

    def test_rgcn(self):
        self.compare_rgcn("rgcn", "node")

    def test_typed_rgcn(self):
        self.compare_rgcn("typed_rgcn", "paper")

    def test_typed_rgcn_with_bases(self):
        self.compare_rgcn("typed_rgcn_bases", "paper")


if __name__ == "__main__":
    unittest.main()
