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


def to_int8(a):
    """Rows as int8, and their scales."""
    with np.errstate(all="ignore"):
        flat = a.astype(np.float32).reshape(len(a), -1 if a.size else 1)
        most = np.abs(flat).max(axis=1)
        scale = most / np.float32(127)
        whole = np.clip(np.rint(flat / scale[:, None]), -127, 127)
    lost = ~np.isfinite(flat).all(axis=1)
    scale[lost] = np.uint32(0x7FC00000).view(np.float32)
    whole[lost | (scale == 0)] = 0
    return whole.astype(np.int8).reshape(a.shape), scale


LOWER = {"float16": to_float16, "bfloat16": to_bfloat16, "int8": to_int8}


def lowered(tensors, dtype):
    """The batch's tensors with floating x and edge_attr as `dtype`."""
    out = dict(tensors)
    for name, a in tensors.items():
        column, *of_type = name.split("/")
        if column not in ("x", "edge_attr") or a.dtype.kind != "f":
            continue
        if dtype == "int8":
            scale = "/".join([column + "_scale", *of_type])
            out[name], out[scale] = to_int8(a)
        else:
            out[name] = LOWER[dtype](a)
    return out
