"""Philox4x32-10 and the keys of its streams."""

import hashlib
import struct

MASK = 0xFFFFFFFF
VERSION = 1

# Purposes of a key.
ORDER = 1
NEIGHBOURS = 2
NEGATIVES = 3
WALKS = 4
LABOR = 5
LAYERWISE = 6


def philox(counter, key):
    """Four 32-bit words from a counter of four and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0 = c0 * 0xD2511F53
        p1 = c2 * 0xCD9E8D57
        c0, c1, c2, c3 = ((p1 >> 32) ^ c1 ^ k0, p1 & MASK,
                          (p0 >> 32) ^ c3 ^ k1, p0 & MASK)
        k0 = (k0 + 0x9E3779B9) & MASK
        k1 = (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def make_key(seed, epoch, batch, purpose, hop, name):
    raw = name.encode()
    digest = hashlib.sha256(
        b"tributary" + struct.pack("<IQQQIII", VERSION, seed, epoch, batch,
                                   purpose, hop, len(raw)) + raw).digest()
    return struct.unpack_from("<II", digest)


class Stream:
    """The words of one node under one key."""

    def __init__(self, key, number, tree=0):
        self.key = key
        self.number = number
        self.tree = tree

    def word(self, j):
        return philox((j // 4, self.number, self.tree, 0), self.key)[j % 4]

    def below(self, i, n, wide):
        if not wide:
            return (self.word(i) * n) >> 32
        return ((self.word(2 * i) | self.word(2 * i + 1) << 32) * n) >> 64
