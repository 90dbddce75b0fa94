"""The order in which an epoch takes its inputs."""

from tests.oracle import philox

LARGEST_TABLE = 1 << 20


def fisher_yates(key, n):
    stream = philox.Stream(key, 0)
    p = list(range(n))
    for i in range(n - 1, 0, -1):
        j = stream.below(n - 1 - i, i + 1, wide=n > 65536)
        p[i], p[j] = p[j], p[i]
    return p


def feistel(key, n, position):
    bits = (n - 1).bit_length()
    half = (bits + 1) // 2
    mask = (1 << half) - 1
    x = position
    while True:
        left, right = x >> half, x & mask
        for k in range(8):
            f = philox.philox((right, k, 0, 0), key)[0] & mask
            left, right = right, left ^ f
        x = left << half | right
        if x < n:
            return x


class WeightedOrder:
    """position -> number in the input list, drawn by float64 weights."""

    def __init__(self, weights, seed, epoch):
        largest = max(weights)
        self.masses = [0 if w == 0 else max(1, round(w / largest * 4294967295))
                       for w in weights]
        self.key = philox.make_key(seed, epoch, 0, philox.ORDER, 0, "")

    def __getitem__(self, position):
        words = philox.philox(
            (0, position & 0xFFFFFFFF, position >> 32, 0), self.key)
        left = (words[0] | words[1] << 32) * sum(self.masses) >> 64
        for number, mass in enumerate(self.masses):
            if left < mass:
                return number
            left -= mass


class EpochOrder:
    """position -> number in the input list."""

    def __init__(self, n, seed, epoch, shuffle=True):
        self.n = n
        self.shuffle = shuffle
        self.key = philox.make_key(seed, epoch, 0, philox.ORDER, 0, "")
        self.table = None
        if shuffle and n <= LARGEST_TABLE:
            self.table = fisher_yates(self.key, n)

    def __getitem__(self, position):
        if not self.shuffle:
            return position
        if self.table is not None:
            return self.table[position]
        return feistel(self.key, self.n, position)

    def batch(self, index, size):
        first = index * size
        return [self[i] for i in range(first, min(first + size, self.n))]
