"""Batches as torch tensors: their dtypes, and whose memory they are in."""

import importlib.util
import unittest
from unittest import mock

import numpy as np
import torch

import tributary_gnn as tg
from tests.e2e import processes
from tests.python.pyg import graphs
from tributary_gnn import formats
from tributary_gnn.formats import torch_format
from tributary_gnn.graph_types import GraphTypes
from tributary_gnn.neighbor_loader import NeighborLoader


def flags_of_mapping(address):
    """The kernel's flags of the mapping that has this address."""
    inside = False
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            ends = line.split(" ")[0].split("-")
            if len(ends) == 2:
                inside = int(ends[0], 16) <= address < int(ends[1], 16)
            elif inside and line.startswith("VmFlags:"):
                return line.split()[1:]
    raise AssertionError(f"no mapping of {address:x}")


# An epoch of these batches takes more than the ring.
SMALL = {"channel_size": "64KiB", "batch_size": 2}


class TensorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.graph = graphs.partition(graphs.homogeneous(), folder.name)

    def loader(self, format="torch", **options):
        return self.enterContext(NeighborLoader(self.graph, [4, 3], None, format=format,
                                                **{"batch_size": 10, **options}))

    def first(self, format="torch", **options):
        return next(iter(self.loader(format, **options)))

    def raw(self, **asked):
        """A batch in the ring, and what the format torch makes of it."""
        loader = tg.Loader(self.enterContext(tg.Source(graph=self.graph)),
                           {"input_nodes": "*", "num_neighbors": [4, 3]})
        self.addCleanup(loader.close)
        loader.start_epoch(0)
        batch = loader.next()
        convert = formats.converter("torch", formats.Request(
            GraphTypes(loader.schema()), schema=loader.schema(),
            placement=formats.Placement(**asked)))
        return batch, convert(batch)

    def test_tensors_are_the_arrays_of_numpy(self):
        arrays, tensors = self.first("numpy"), self.first()
        self.assertEqual(list(tensors), list(arrays))
        for name, array in arrays.items():
            self.assertEqual(tensors[name].numpy().dtype, array.dtype, name)
            self.assertTrue(np.array_equal(tensors[name].numpy(), array), name)

    def test_batches_that_are_kept_do_not_change(self):
        kept = list(self.loader(**SMALL))
        again = [batch.x.clone() for batch in self.loader(**SMALL)]
        self.assertEqual(len(kept), len(again))
        for batch, x in zip(kept, again):
            self.assertTrue(torch.equal(batch.x, x))
            batch.x.zero_()  # the user's own

    def test_zero_copy_is_the_ring_itself(self):
        batch, tensors = self.raw(zero_copy=True)
        for name in batch:
            self.assertEqual(tensors[name].data_ptr(),
                             batch[name].numpy(copy=False).ctypes.data, name)

    def test_a_copy_is_not(self):
        batch, tensors = self.raw()
        for name in batch:
            self.assertNotEqual(tensors[name].data_ptr(),
                                batch[name].numpy(copy=False).ctypes.data, name)

    def test_large_copies_ask_for_huge_pages(self):
        for mebibytes, asked in ((16, False), (40, True)):
            source = torch.arange(mebibytes << 18, dtype=torch.int32)
            copy = torch_format._copied(source)
            self.assertTrue(torch.equal(copy, source))
            flags = flags_of_mapping(copy.data_ptr() + copy.nbytes // 2)
            self.assertEqual("hg" in flags, asked, mebibytes)

    def test_views_outlive_their_loader(self):
        for format in ("torch", "pyg"):
            expected = self.first(format).x
            with NeighborLoader(self.graph, [4, 3], None, batch_size=10, format=format,
                                zero_copy=True) as loader:
                x = next(iter(loader)).x
            self.assertTrue(torch.equal(x, expected))

    def test_views_that_are_kept_fill_the_ring(self):
        kept = []
        iterator = iter(self.loader(zero_copy=True, **SMALL))
        with self.assertRaisesRegex(tg.FailedPrecondition, "still leased.*clone"):
            for batch in iterator:
                kept.append(batch.x[:1])  # a part holds all of its batch
        before = len(kept)
        kept.clear()
        self.assertGreater(before, 1)
        self.assertGreater(next(iterator).index, before - 1)

    def test_features_in_a_lower_precision(self):
        whole = self.first().x
        for name, dtype, error in (("float16", torch.float16, 2e-3),
                                   ("bfloat16", torch.bfloat16, 2e-2)):
            for format in ("torch", "pyg"):
                x = self.first(format, feature_dtype=name).x
                self.assertEqual(x.dtype, dtype)
                torch.testing.assert_close(x.float(), whole, rtol=error, atol=error)

    def test_int8_comes_with_scales_or_multiplied_out(self):
        """PyG's models know nothing of scales."""
        columns = self.first(feature_dtype="int8")
        self.assertEqual((columns.x.dtype, columns.x_scale.dtype),
                         (torch.int8, torch.float32))
        expected = columns.x.float() * columns.x_scale[:, None]
        self.assertTrue(torch.equal(columns.float32("x"), expected))
        data = self.first("pyg", feature_dtype="int8")
        self.assertTrue(torch.equal(data.x, expected))
        self.assertNotIn("x_scale", data)

    def test_the_default_is_what_is_installed(self):
        find = importlib.util.find_spec

        def without(*missing):
            return mock.patch.object(importlib.util, "find_spec", lambda name: (
                None if name in missing else find(name)))

        self.assertEqual(formats.choose(None), "pyg")
        with without("torch_geometric"):
            self.assertEqual(formats.choose(None), "torch")
        with without("torch_geometric", "torch"):
            self.assertEqual(formats.choose(None), "numpy")

    def test_own_numbers_of_inputs(self):
        numbers = np.arange(1000, 1000 + graphs.PAPERS)
        for format in ("torch", "pyg"):
            batch = self.first(format, input_id=numbers)
            self.assertEqual(batch.input_id.tolist(), list(range(1000, 1010)))

    def test_walks_over_several_types_are_of_none(self):
        folder = self.enterContext(processes.temporary_folder())
        graph = graphs.partition(graphs.heterogeneous(), folder)
        path = ",".join(graphs.WRITES) + ";" + ",".join(graphs.WRITTEN_BY)
        session = {"kind": "walk", "input_nodes": "paper:*", "walk_length": 2,
                   "metapath": path, "batch_size": graphs.PAPERS}
        shape = (graphs.PAPERS, 3)
        with tg.Source(graph=graph) as source, tg.Loader(source, session) as loader:
            types = GraphTypes(loader.schema())
            loader.start_epoch(0)
            batch = loader.next()
            for format in ("numpy", "torch", "pyg"):
                given = formats.converter(
                    format, formats.Request(types, schema=loader.schema()))(batch)
                self.assertEqual(tuple(given["walks"].shape), shape, format)
                self.assertEqual(tuple(given["walk_index"].shape), shape, format)
                self.assertEqual(given["paper"]["x"].shape[1], 5, format)

    def test_refused_before_anything_is_opened(self):
        """The graph is not even there."""
        no_cuda = "torch .* finds no CUDA device"
        for options, text in (
                ({"pin_memory": True}, f"pin_memory is True; allowed here: False, for {no_cuda}"),
                ({"to_device": "cuda:0"},
                 f"to_device is 'cuda:0'; allowed here: 'cpu', for {no_cuda}"),
                ({"to_device": "gpu"}, "to_device is 'gpu'; allowed: 'cpu', 'cuda' or 'cuda:N'"),
                ({"to_device": "meta", "format": "torch"}, "to_device is 'meta'; allowed: "),
                ({"to_device": "cuda", "format": "numpy"},
                 "to_device is 'cuda' with format 'numpy'; allowed: 'cpu', or the format"),
                ({"format": "dgl"}, "format is 'dgl'; allowed: 'numpy', 'pyg', 'torch'")):
            with self.subTest(**options), self.assertRaisesRegex(ValueError, text):
                NeighborLoader("no/such/graph", [4, 3], None, **options)


if __name__ == "__main__":
    unittest.main()
