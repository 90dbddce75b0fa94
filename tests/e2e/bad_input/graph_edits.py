"""Changes to a graph folder, with or without making its checksums right."""

import hashlib
import io
import json
import os

import numpy as np


def _crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def read_json(graph):
    with open(os.path.join(graph, "graph.json"), encoding="utf-8") as f:
        return json.load(f)


def write_json(graph, said):
    """`said` with its layout digest made right."""
    said = dict(said)
    digested = {k: v for k, v in said.items()
                if k not in ("layout_digest", "made_by")}
    said["layout_digest"] = hashlib.sha256(_dump(digested)).hexdigest()
    with open(os.path.join(graph, "graph.json"), "wb") as f:
        f.write(_dump(said))


def _dump(said):
    return json.dumps(said, sort_keys=True, separators=(",", ":"),
                      ensure_ascii=False).encode()


def change_bytes(graph, name, change):
    with open(os.path.join(graph, name), "r+b") as f:
        data = change(f.read())
        f.seek(0)
        f.truncate()
        f.write(data)
    return data


def reseal(graph, name, change):
    """Changes a file's bytes, and graph.json so that both agree."""
    data = change_bytes(graph, name, change)
    said = read_json(graph)
    for file in said["files"]:
        if file["path"] == name:
            file["bytes"], file["crc32c"] = len(data), crc32c(data)
    write_json(graph, said)


def array(change):
    """bytes -> bytes of a .npy, by array -> array."""
    def changed(data):
        out = io.BytesIO()
        np.save(out, change(np.load(io.BytesIO(data))))
        return out.getvalue()
    return changed


def element(index, value):
    def change(values):
        values = values.copy()
        values[index] = value
        return values
    return array(change)


def flip(at):
    """Flips a bit of one byte."""
    def change(data):
        data = bytearray(data)
        data[at] ^= 1
        return bytes(data)
    return change


def half(data):
    return data[:len(data) // 2]
