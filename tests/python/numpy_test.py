"""Batches as NumPy arrays: copies and views, types, lower precision, DLPack."""

import gc
import unittest
import weakref

import numpy

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs


class NumpyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.cora = graphs.cora(folder.name)
        cls.typed = graphs.aifb(folder.name)

    def open(self, data=None, **arguments):
        loader = tg.NeighborLoader(data or self.cora, **{
            "num_neighbors": [10, 5], "input_nodes": "train", "batch_size": 32,
            "random_seed": 3, "format": "numpy", **arguments})
        self.addCleanup(loader.close)
        return loader

    def leased(self, **session):
        """A loader of the C library's batches, in its first epoch."""
        source = tg.Source(graph=self.cora, channel_size="8MB")
        self.addCleanup(source.close)
        loader = tg.Loader(source, {"input_nodes": "train", "num_neighbors": [10, 5],
                                    "batch_size": 32, **session})
        self.addCleanup(loader.close)
        loader.start_epoch(0)
        return loader

    # ---- Names -------------------------------------------------------------------------

    def test_columns_by_name(self):
        batch = next(iter(self.open()))
        self.assertIs(batch.x, batch["x"])
        self.assertEqual(batch.batch_size, 32)
        self.assertEqual(batch["batch_size"].tolist(), [32])
        self.assertEqual((batch.epoch, batch.index), (0, 0))
        self.assertIn("edge_index", batch)
        self.assertEqual(sorted(batch), [
            "batch_size", "e_id", "edge_index", "input_id", "n_id", "num_sampled_edges",
            "num_sampled_nodes", "seed_index", "x", "y"])
        self.assertIn("x=[", repr(batch))
        for wrong in (lambda: batch["z"], lambda: batch["paper"]):
            with self.assertRaisesRegex(KeyError, "it has batch_size, e_id"):
                wrong()
        with self.assertRaisesRegex(AttributeError, "no 'z'; it has batch_size"):
            batch.z

    def test_columns_of_types(self):
        batch = next(iter(self.open(self.typed, input_nodes="person:train")))
        edge_type = ("publication", "author", "person")
        self.assertIn(edge_type, batch.edge_types)
        self.assertIn("person", batch.node_types)
        self.assertIs(batch["person"].n_id, batch["n_id/person"])
        self.assertIs(batch[edge_type]["edge_index"],
                      batch["edge_index/publication__author__person"])
        self.assertEqual(batch["person"].batch_size, 32)
        with self.assertRaisesRegex(AttributeError, "no 'batch_size'; it has batch_size/person"):
            batch.batch_size
        self.assertEqual(self.open(self.typed, input_nodes="person:train").graph_types.node_types,
                         tuple(node["name"] for node in self.open(
                             self.typed, input_nodes="person:train").schema()["node_types"]))

    # ---- Copies and views --------------------------------------------------------------

    def test_copies_may_be_kept_and_written(self):
        loader = self.open(channel_size="4MB")
        kept = [batch for _ in range(3) for batch in loader]
        loader.close()
        self.assertGreater(sum(batch.x.nbytes for batch in kept), 16 << 20)
        for batch in kept:
            self.assertTrue(all(a.flags.writeable and a.flags.owndata for a in batch.values()))
        kept[0].x[:] = 1

    def test_views_are_of_the_ring(self):
        copies = list(self.open())
        for copy, view in zip(copies, self.open(zero_copy=True)):
            for name, array in view.items():
                with self.subTest(name):
                    self.assertFalse(array.flags.writeable)
                    self.assertFalse(array.flags.owndata)
                    self.assertEqual(array.ctypes.data % 64, 0)
                    numpy.testing.assert_array_equal(array, copy[name])

    def test_views_that_are_kept_fill_the_ring(self):
        loader = self.open(zero_copy=True, channel_size="8MB")
        kept = []
        with self.assertRaisesRegex(tg.FailedPrecondition,
                                    "batches still leased .*zero_copy=True each array holds"):
            for batch in loader:
                kept.append(batch.x[:1])
        del batch
        expected = [next(iter(self.open())).x[:1]]
        numpy.testing.assert_array_equal(kept[0], expected[0])
        kept.clear()
        self.assertEqual(len(list(map(len, loader))), 5)

    def test_views_outlive_loader_and_source(self):
        loader = self.open(zero_copy=True)
        view = next(iter(loader)).x
        expected = view.copy()
        loader.close()
        gc.collect()
        numpy.testing.assert_array_equal(view, expected)

    def test_the_lease_ends_with_the_last_view(self):
        batch = self.leased().next()
        lease = weakref.ref(batch._lease)
        view = batch["x"].numpy(copy=False)[3:5]
        batch.close()
        with self.assertRaisesRegex(tg.FailedPrecondition, "the batch is closed"):
            batch["x"]
        self.assertIsNotNone(lease())
        del view
        self.assertIsNone(lease())

    def test_empty_tensors(self):
        for zero_copy in (False, True):
            for batch in self.open(self.typed, input_nodes="person:train", num_neighbors={
                    "default": [0], "publication,author,person": [1]}, zero_copy=zero_copy):
                empty = batch["edge_index/publication__author__person"]
                self.assertEqual(empty.shape[0], 2)
                self.assertEqual(empty.dtype, numpy.int32)
                self.assertEqual(empty.flags.writeable, not zero_copy)

    # ---- Types -------------------------------------------------------------------------

    def columns(self, dtype, **arguments):
        return [batch for batch in self.open(feature_dtype=dtype, **arguments)]

    def test_lower_precision(self):
        for stored, half in zip(self.columns("stored"), self.columns("float16")):
            self.assertEqual(half.x.dtype, numpy.float16)
            numpy.testing.assert_array_equal(half.x, stored.x.astype(numpy.float16))
            numpy.testing.assert_array_equal(half.float32("x"), half.x.astype(numpy.float32))
        for stored, small in zip(self.columns("stored"), self.columns("int8")):
            self.assertEqual((small.x.dtype, small.x_scale.dtype), (numpy.int8, numpy.float32))
            numpy.testing.assert_array_equal(small.float32("x"),
                                             small.x * small.x_scale[:, None])
            numpy.testing.assert_allclose(small.float32("x"), stored.x, atol=0.005)

    def test_bfloat16_is_float32(self):
        for zero_copy in (False, True):
            for stored, short in zip(self.columns("stored"),
                                     self.columns("bfloat16", zero_copy=zero_copy)):
                self.assertEqual(short.x.dtype, numpy.float32)
                # Rounded to the nearest, ties to even, as docs/sampling/tensors.md has it.
                bits = stored.x.view(numpy.uint32).astype(numpy.uint64)
                expected = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(
                    numpy.uint32).view(numpy.float32)
                numpy.testing.assert_array_equal(short.x, expected)

    def test_bits_of_bfloat16(self):
        tensor = self.leased(feature_dtype="bfloat16").next()["x"]
        self.assertEqual(tensor.dtype, "bfloat16")
        self.assertEqual(tensor.bits().dtype, numpy.uint16)
        self.assertEqual(tensor.nbytes, 2 * tensor.bits().size)
        numpy.testing.assert_array_equal(
            tensor.numpy(), (tensor.bits().astype(numpy.uint32) << 16).view(numpy.float32))

    # ---- DLPack ------------------------------------------------------------------------

    def test_dlpack(self):
        batch = self.leased().next()
        for tensor in batch.tensors():
            with self.subTest(tensor=tensor):
                taken = numpy.from_dlpack(tensor)
                numpy.testing.assert_array_equal(taken, tensor.numpy())
                self.assertEqual(taken.ctypes.data, tensor.bits().ctypes.data)
                self.assertEqual(tensor.__dlpack_device__(), (1, 0))
        self.assertIn("dltensor_versioned", repr(batch["x"].__dlpack__(max_version=(1, 0))))
        self.assertIn('"dltensor"', repr(batch["x"].__dlpack__(max_version=(0, 8))))
        for request in ({"stream": 1}, {"dl_device": (2, 0)}, {"copy": True}):
            with self.assertRaises(BufferError):
                batch["x"].__dlpack__(**request)
        batch["x"].__dlpack__(dl_device=(1, 0), copy=False)

    def test_what_dlpack_took_holds_the_batch(self):
        loader = self.leased()
        expected = loader.next()["x"].numpy()
        loader.start_epoch(0)
        taken = numpy.from_dlpack(loader.next()["x"])
        for epoch in range(1, 8):
            loader.start_epoch(epoch)
            while loader.next() is not None:
                pass
        numpy.testing.assert_array_equal(taken, expected)

    def test_refused_exports_return_their_batch(self):
        # More batches than the ring holds, each exported and not taken.
        loader = self.leased(feature_dtype="bfloat16")
        for epoch in range(8):
            loader.start_epoch(epoch)
            while (batch := loader.next()) is not None:
                with self.assertRaisesRegex((RuntimeError, BufferError),
                                            "Unsupported dtype"):
                    numpy.from_dlpack(batch["x"])
                batch["n_id"].__dlpack__()
                batch["n_id"].__dlpack__(max_version=(1, 0))
                numpy.from_dlpack(batch["n_id"])


if __name__ == "__main__":
    unittest.main()
