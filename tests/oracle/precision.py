"""Features in a lower precision: of numpy where it has the format."""

import numpy as np

BFLOAT16 = np.dtype("V2")  # numpy has none: its two bytes


def to_float16(a):
    with np.errstate(over="ignore", invalid="ignore"):
        made = a.astype(np.float16)
    made[np.isnan(a)] = np.uint16(0x7E00).view(np.float16)
    return made


def to_bfloat16(a):
    """The upper half of a float32, rounded to nearest even: by whole numbers,
    the exponent above the fraction."""
    out = []
    for bits in a.astype(np.float32).view(np.uint32).ravel().tolist():
        upper, lower = bits >> 16, bits & 0xFFFF
        if bits & 0x7FFFFFFF > 0x7F800000:
            upper = 0x7FC0
        elif lower > 0x8000 or (lower == 0x8000 and upper % 2 == 1):
            upper += 1
        out.append(upper)
    return np.array(out, np.uint16).reshape(a.shape).view(BFLOAT16)


LOWER = {"float16": to_float16, "bfloat16": to_bfloat16}


def lowered(tensors, dtype):
    """The batch's tensors with floating x and edge_attr as `dtype`."""
    out = dict(tensors)
    for name, a in tensors.items():
        if name.split("/")[0] in ("x", "edge_attr") and a.dtype.kind == "f":
            out[name] = LOWER[dtype](a)
    return out
