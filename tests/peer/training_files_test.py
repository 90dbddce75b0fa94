"""Hugging Face's safetensors and TensorBoard on the files that we write.

Needs safetensors 0.8 and tensorboard from PyPI: docs/checkpoints.md.
"""
import ctypes
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import safetensors
import safetensors.numpy
from tensorboard.backend.event_processing import event_accumulator

PROGRAM = "tests/peer/training_files"
# Names in safetensors.serialize of our types, by code from 1.
TYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16",
         "float32", "float64", "bool"]
SIZES = [1, 1, 2, 4, 8, 2, 2, 4, 8, 1]
FORMAT_NAMES = ["U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64",
                "BOOL"]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def expected_tensors():
    """name: (code, shape, bytes), as the program's comment says."""
    tensors = {}
    for i in range(10):
        code = 10 - i
        data = bytes(range(i, i + 6 * SIZES[code - 1]))
        tensors[f"t{i}"] = (code, [2, 3], data)
    tensors["t0"] = (10, [2, 3], bytes([1, 0, 1, 0, 0, 1]))
    tensors["Köln"] = (9, [], np.float64(-0.5).tobytes())
    tensors["none"] = (4, [0, 4], b"")
    return tensors


class SafetensorsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name) / "file.safetensors")

    def test_they_read_ours(self):
        run("write", self.path)
        read = safetensors.deserialize(pathlib.Path(self.path).read_bytes())
        self.assertEqual(
            {name: (FORMAT_NAMES.index(t["dtype"]) + 1, t["shape"],
                    bytes(t["data"])) for name, t in read},
            expected_tensors())
        with safetensors.safe_open(self.path, "np") as file:
            self.assertEqual(file.metadata(), {"step": "12"})
            self.assertEqual(file.get_tensor("Köln"), -0.5)

    def test_files_are_equal_byte_for_byte(self):
        run("write", self.path)
        kept, specs = [], {}
        for name, (code, shape, data) in expected_tensors().items():
            kept.append(ctypes.create_string_buffer(data, max(len(data), 1)))
            specs[name] = safetensors.TensorSpec(
                dtype=TYPES[code - 1], shape=shape,
                data_ptr=ctypes.addressof(kept[-1]), data_len=len(data))
        theirs = safetensors.serialize(specs, {"step": "12"})
        self.assertEqual(pathlib.Path(self.path).read_bytes(), bytes(theirs))

    def test_we_read_theirs(self):
        tensors = {"b": np.arange(6, dtype=np.float32).reshape(2, 3),
                   "a": np.array(True), "c": np.zeros((0, 2), np.int16)}
        safetensors.numpy.save_file(tensors, self.path, {"k": "v w"})
        hexadecimal = tensors["b"].tobytes().hex()
        self.assertEqual(run("read", self.path).splitlines(),
                         ["k=v w", "a bool [] 01",
                          f"b float32 [2,3] {hexadecimal}", "c int16 [0,2] "])


class TensorBoardTest(unittest.TestCase):
    def test_scalars_of_a_resumed_run(self):
        with tempfile.TemporaryDirectory() as folder:
            run("events", folder)
            events = event_accumulator.EventAccumulator(folder).Reload()
            self.assertEqual(sorted(events.Tags()["scalars"]),
                             ["loss/train", "rate"])
            # Steps 3 and 4 of the first run were taken again by the second.
            self.assertEqual(
                [(e.step, e.value, e.wall_time)
                 for e in events.Scalars("loss/train")],
                [(0, 0.5, 1700000000), (1, 1.5, 1700000001),
                 (2, 2.5, 1700000002), (3, 103.5, 1700000103),
                 (4, 104.5, 1700000104)])
            self.assertEqual([e.value for e in events.Scalars("rate")],
                             [0, -1, -2, -103, -104])


if __name__ == "__main__":
    unittest.main()
