"""Features in a lower precision against the vectors that docs/sampling.md
states, and against numbers of any bits."""

import unittest

import numpy as np

from tests.oracle import digest, graph, precision
from tests.oracle.loader import Loader
from tests.oracle.neighbour_batch import Spec

# Of docs/sampling.md: a float32, float16, bfloat16.
VECTORS = [
    (1, 0x3C00, 0x3F80), (-2, 0xC000, 0xC000), (0.1, 0x2E66, 0x3DCD),
    (65504, 0x7BFF, 0x4780), (65520, 0x7C00, 0x4780),
    (3.3961776e38, 0x7C00, 0x7F80), (-1e9, 0xFC00, 0xCE6E),
    (2.0**-24, 0x0001, 0x3380), (2.0**-25, 0x0000, 0x3300),
    (3 * 2.0**-25, 0x0002, 0x33C0), (2.0**-133, 0x0000, 0x0001),
    (-0.0, 0x8000, 0x8000), (1 + 2.0**-11, 0x3C00, 0x3F80),
    (1 + 3 * 2.0**-11, 0x3C02, 0x3F80), (1 + 3 * 2.0**-8, 0x3C0C, 0x3F82),
    (float("inf"), 0x7C00, 0x7F80), (float("nan"), 0x7E00, 0x7FC0)]


def codes(made):
    return made.view(np.uint16).tolist()


class RoundingTest(unittest.TestCase):
    def test_vectors(self):
        given = np.array([v for v, _, _ in VECTORS], np.float32)
        self.assertEqual(codes(precision.to_float16(given)),
                         [h for _, h, _ in VECTORS])
        self.assertEqual(codes(precision.to_bfloat16(given)),
                         [b for _, _, b in VECTORS])

    def test_a_nan_is_one_of_two_bytes(self):
        nans = np.array([0x7F800001, 0xFFFFFFFF, 0xFFC00000],
                        np.uint32).view(np.float32)
        self.assertEqual(codes(precision.to_float16(nans)), [0x7E00] * 3)
        self.assertEqual(codes(precision.to_bfloat16(nans)), [0x7FC0] * 3)

    def test_int8(self):
        """Of docs/sampling.md: rows, what they become, bits of the scale."""
        odd = [float("nan"), float("inf"), float("-inf")]
        for row, whole, scale in [
                ((127, -127, 63.5, 64.5, 0.5, 1.5, -0.5),
                 [127, -127, 64, 64, 0, 2, 0], 0x3F800000),
                ((1, -0.1, 0.5), [127, -13, 64], 0x3C010204),
                ((3.4028235e38, 1e38), [127, 37], 0x7C010204),
                ((0, -0.0), [0, 0], 0),
                ((190 * 2.0**-149, -2.0**-149), [127, -1], 1),
                ((60 * 2.0**-149,), [0], 0),
                *(((1, v, -3), [0, 0, 0], 0x7FC00000) for v in odd)]:
            with self.subTest(row=row):
                made, scales = precision.to_int8(np.array([row], np.float32))
                self.assertEqual(made.tolist(), [whole])
                self.assertEqual(scales.view(np.uint32).tolist(), [scale])
                self.assertEqual(scales.dtype, np.float32)

    def test_bfloat16_is_the_nearest(self):
        """Of its neighbours; float64 holds all of them."""
        bits = np.random.default_rng(3).integers(0, 0x7F7F0000, 20000)
        values = bits.astype(np.uint32).view(np.float32).astype(np.float64)
        made = np.array(codes(precision.to_bfloat16(values)))
        number = lambda code: (code.astype(np.uint32) << 16).view(
            np.float32).astype(np.float64)
        here = np.abs(number(made) - values)
        for other in (made - 1, made + 1):
            there = np.abs(number(np.maximum(other, 0)) - values)
            self.assertTrue(np.all(here <= there))
            self.assertTrue(np.all(made[here == there] % 2 == 0))


def seven():
    """x of node v is (v + 0.1, -1e-7 v, 70000)."""
    v = np.arange(7, dtype=np.float64)
    x = np.stack([v + 0.1, -1e-7 * v, np.full(7, 7e4)], 1).astype(np.float32)
    return graph.homogeneous(7, graph.SEVEN_ROWS, x=x,
                             y=np.arange(7, dtype=np.int64))


class BatchTest(unittest.TestCase):
    def batch(self, dtype):
        return Loader(seven(), [0, 3, 1, 6], Spec([2, 2], seed=7), 3,
                      feature_dtype=dtype).batch(0, 0)

    def test_vectors(self):
        for dtype, rows, size, expected in (
                (None, None, 320,
                 "68e91e96fcec8116f85a359b099c09448a01c7e6bcdcc5a3a156824195"
                 "5b4814"),
                ("float16", [[0x4233, 0x8005, 0x7C00],
                             [0x461A, 0x800A, 0x7C00]], 290,
                 "ec9f1dd2e728c5d12d4626b3e018b1967b42dad15d6c1b50ca4bd0999d"
                 "f0f1de"),
                ("bfloat16", [[0x4046, 0xB4A1, 0x4789],
                              [0x40C3, 0xB521, 0x4789]], 290,
                 "caed8ce9e669eed8658941918dd544d9df5ce53f1f65bf55999546e7cc"
                 "c48b09")):
            made = self.batch(dtype)
            self.assertEqual(made["n_id"].tolist(), [3, 6, 1, 0, 2])
            if rows is not None:
                self.assertEqual(codes(made["x"][:2]), rows)
            self.assertEqual(digest.payload_bytes(made), size)
            self.assertEqual(digest.digest(made), expected)

    def test_int8(self):
        """The largest value of a row rules it."""
        made = self.batch("int8")
        self.assertEqual(made["x"].tolist(), [[0, 0, 127]] * 5)
        self.assertEqual(made["x_scale"].view(np.uint32).tolist(),
                         [0x4409CB97] * 5)
        self.assertEqual(digest.payload_bytes(made), 295)
        self.assertEqual(
            digest.digest(made),
            "443e609ed418fbacda8f3a39129498d2fabd9682c99adea2cf7b7e103d7699e6")


if __name__ == "__main__":
    unittest.main()
