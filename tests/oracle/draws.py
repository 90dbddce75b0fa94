"""Which positions of an adjacency are drawn; always ascending."""

from tests.oracle import philox

NARROW = 65536  # the most that 32-bit words draw from


def uniform(stream, degree, fanout, replace=False):
    if fanout < -1:
        raise ValueError(f"fanout {fanout}: -1 (all) or more")
    if fanout == -1 or (degree <= fanout and not replace):
        return list(range(degree))
    wide = degree > NARROW
    if replace:
        if degree == 0:
            return []
        return sorted(stream.below(i, degree, wide) for i in range(fanout))
    taken = set()
    for i in range(fanout):
        top = degree - fanout + i
        x = stream.below(i, top + 1, wide)
        taken.add(top if x in taken else x)
    return sorted(taken)


def integer_weights(weights):
    largest = max(weights, default=0.0)
    return [0 if w == 0 else max(1, round((w / largest) * 4294967295))
            for w in weights]


def _position(masses, r):
    for p, mass in enumerate(masses):
        if r < mass:
            return p
        r -= mass
    raise AssertionError("r lies beyond the mass")


def weighted(stream, weights, fanout, replace=False):
    """`weights` are integers, as integer_weights makes them."""
    positive = [p for p, w in enumerate(weights) if w > 0]
    if fanout == -1 or (len(positive) <= fanout and not replace):
        return positive
    if not positive:
        return []
    total = sum(weights)
    prefix = [sum(weights[:p]) for p in range(len(weights))]
    drawn = []
    left = total
    for i in range(fanout):
        r = stream.below(i, left, wide=True)
        if not replace:
            for p in sorted(drawn):
                if r >= prefix[p]:
                    r += weights[p]
        p = _position(weights, r)
        drawn.append(p)
        if not replace:
            left -= weights[p]
    return sorted(drawn)


def temporal(stream, times, bound, fanout, replace=False, strict=False,
             last=False):
    """`times` by position; what is not later than `bound` is eligible."""
    order = sorted((t, p) for p, t in enumerate(times)
                   if (t < bound if strict else t <= bound))
    if last:
        ranks = range(0 if fanout == -1 else max(0, len(order) - fanout),
                      len(order))
    else:
        ranks = uniform(stream, len(order), fanout, replace)
    return sorted(order[r][1] for r in ranks)


def labor(key, ids, fanout):
    """`ids` are the neighbours' by position."""
    def variate(p):
        w = philox.philox((ids[p] & philox.MASK, ids[p] >> 32, 0, 0), key)
        return w[0] | w[1] << 32

    order = sorted(range(len(ids)), key=lambda p: (variate(p), p))
    return sorted(order if fanout == -1 else order[:fanout])
