#!/usr/bin/env python3
"""Writes the seeds of fuzzers that are not text.

Run it after a format has changed, with third_party/arrow/requirements.txt
installed; the rest of the corpus is written by hand, and found-* came from
fuzzers.
"""
import gzip
import hashlib
import io
import json
import pathlib
import struct
import zipfile

import pyarrow
import pyarrow.parquet

HERE = pathlib.Path(__file__).parent


def write(name, data):
    """`name` is FUZZER/SEED; the fuzzers of users' files are in a folder."""
    fuzzer = name.split("/")[0]
    of_inputs = (HERE / "inputs" / f"{fuzzer}_fuzz_test.cc").exists()
    path = (HERE / "inputs" if of_inputs else HERE) / "corpus" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


# --- protobuf, as far as is needed ---------------------------------------------
def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def blob(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def zigzag(values):
    return b"".join(varint(v << 1 ^ v >> 63) for v in values)


# --- common/proto/session.proto --------------------------------------------------
def fanout(edge_type, per_hop):
    return blob(1, blob(1, edge_type) + blob(2, zigzag(per_hop)))


def session_spec(fanouts, shuffle=2, expand=1, replace=0, input_type=b"a",
                 more=b""):
    neighbor = b"".join(fanouts) + number(2, replace) + number(3, expand)
    return spec_of_kind(blob(16, neighbor + more), shuffle, input_type)


def walk_spec(length, walks, steps, more=b""):
    walk = number(1, length) + number(2, walks)
    walk += b"".join(blob(3, step) for step in steps)
    return spec_of_kind(blob(17, walk + more), 2, b"a")


def ppr_spec(top_k, edge_type, more=b""):
    whole = 1 << 32
    ppr = number(1, top_k) + number(2, whole // 8) + number(3, whole // 512)
    return spec_of_kind(blob(19, ppr + blob(4, edge_type) + more), 2, b"a")


def layerwise_spec(layers, edge_type, importance=1):
    layerwise = b"".join(number(1, nodes) for nodes in layers)
    layerwise += number(2, importance) + blob(3, edge_type)
    return spec_of_kind(blob(20, layerwise), 2, b"a")


def link_spec(lists):
    """Of all four links, strict binary negatives, one for each."""
    neighbor = fanout(b"a,to,a", [1]) + number(3, 1)
    link = blob(1, neighbor) + number(2, 1) + number(4, 1)
    link += varint(3 << 3 | 1) + struct.pack("<d", 1.0)
    inputs = number(2, 4) + blob(3, bytes(32)) + lists
    return spec_of_kind(blob(18, link), 2, None, inputs)


def link_list(edge_type, count):
    return blob(9, blob(1, edge_type) + number(2, count))


def spec_of_kind(kind, shuffle, input_type, inputs=None):
    if inputs is None:
        inputs = blob(1, input_type) + number(2, 4) + blob(3, bytes(32))
    layout = blob(4, bytes(32)) if shuffle == 3 else b""
    return (
        number(1, 1)
        + blob(2, b"test")
        + blob(3, bytes(32))
        + layout
        + number(5, 7)
        + number(6, 2)
        + number(7, shuffle)
        + blob(8, inputs)
        + number(9, 1)
        + kind
    )


def session_specs():
    both = [fanout(b"a,to,a", [2, 1]), fanout(b"b,of,a", [-1, 1])]
    write("session_spec/two_types", session_spec(both))
    write("session_spec/one_type", session_spec(both[:1], shuffle=1))
    write("session_spec/none_drawn", session_spec([fanout(b"a,to,a", [0])]))
    write("session_spec/replace", session_spec(both, expand=2, replace=1))
    deep = [fanout(b"a,to,a", [0] * 33)]
    write("session_spec/too_deep", session_spec(deep))
    write("session_spec/deep", session_spec([fanout(b"a,to,a", [1] * 32)]))
    wide = [fanout(b"a,to,a", [(1 << 20) + 1])]
    write("session_spec/too_wide", session_spec(wide))
    whole = 1 << 32
    second = number(1, whole // 4) + number(2, whole) + number(3, whole // 2)
    write("session_spec/walk", walk_spec(8, 2, [b"a,to,a"], blob(6, second)))
    write("session_spec/restart", walk_spec(8, 2, [b"a,to,a"],
                                            number(4, whole // 8)))
    write("session_spec/metapath", walk_spec(1, 3, [b"b,of,a", b"a,to,a"]))
    write("session_spec/ppr", ppr_spec(3, b"a,to,a"))
    write("session_spec/ppr_astray", ppr_spec(3, b"b,of,a"))
    write("session_spec/layerwise", layerwise_spec([3, 2], b"a,to,a"))
    write("session_spec/layerwise_uniform",
          layerwise_spec([2], b"a,to,a", 2))
    write("session_spec/mask", session_spec(both, more=blob(12, b"train")))
    is_false = number(1, 5) + number(3, 3) + number(4, 0) + blob(6, b"train")
    not_masked = blob(1, b"b,of,a") + blob(2, is_false)
    write("session_spec/mask_predicate",
          session_spec(both, more=blob(10, not_masked)))
    write("session_spec/links", link_spec(blob(5, b"b,of,a")))
    write("session_spec/link_lists", link_spec(
        link_list(b"a,to,a", 1) + link_list(b"b,of,a", 3)))
    write("session_spec/link_lists_astray", link_spec(
        link_list(b"b,of,a", 1) + link_list(b"a,to,a", 3)))
    write("session_spec/local", session_spec(both, shuffle=3, input_type=b"b"))


# --- common/batch/batch_layout.h ---------------------------------------------------
def batch(tensors, epoch=3, index=4):
    entries, data, names_bytes = [], b"", 0
    for name, _, shape, _ in tensors:
        names_bytes += 4 + len(name) + 2 + 8 * len(shape) + 8
    start = (72 + names_bytes + 63) // 64 * 64
    for name, dtype, shape, values in tensors:
        dims = b"".join(struct.pack("<Q", d) for d in shape)
        entries.append(
            struct.pack("<I", len(name))
            + name
            + bytes([dtype, len(shape)])
            + dims
            + struct.pack("<Q", start + len(data))
        )
        data += values + bytes(-len(values) % 64)
    head = b"TRIBATCH" + struct.pack(
        "<IIQQQ", 1, len(tensors), epoch, index, start + len(data)
    )
    head += bytes(range(32)) + b"".join(entries)
    return head + bytes(start - len(head)) + data


def batches():
    ids = struct.pack("<3q", 5, 0, 7)
    edges = struct.pack("<4i", 0, 1, 1, 2)
    write("batch_view/empty", batch([]))
    write(
        "batch_view/two_tensors",
        batch([(b"edge_index", 4, [2, 2], edges), (b"n_id", 5, [3], ids)]),
    )
    write("batch_view/no_rows", batch([(b"x", 8, [0, 16], b"")]))


# --- compact edges -------------------------------------------------------------------
def compact(ids, left_out, block):
    return struct.pack("<BH", ids, left_out // 64) + block


def compact_edges():
    header = struct.pack("<BBHI6I", 1, 2, 0, 1, 20, 3, 3, 2, 5, 0)
    streams = bytes.fromhex("e7ff3f 130000 02002c010500") + b"\1\0" * 14
    write("compact_edges/example", compact(0, 64, header + bytes(24) + streams))
    reversed_ = header[:-4] + struct.pack("<I", 1)
    write("compact_edges/reversed", compact(0, 64, reversed_ + bytes(24) + streams))
    fresh = struct.pack("<BBHI6I", 1, 0, 0, 1, 32, 1, 32, 2, 5, 0)
    bits = bytes.fromhex("ffffffff00")
    write("compact_edges/all_fresh", compact(0, 192, fresh + bytes(27) + bits))
    known = struct.pack("<BBHI6I", 1, 1, 0, 1, 32, 1, 0, 2, 0, 0)
    numbers = bytes(range(32))
    write("compact_edges/none_fresh", compact(0, 128, known + bytes(59) + bits + numbers))
    ids = struct.pack("<BBHI", 1, 4, 0, 0) + struct.pack("<40I", *range(40))
    write("compact_edges/ids", compact(1, 128, bytes(24).join([ids[:8], ids[8:]])))


# --- .npy ----------------------------------------------------------------------------
def npy(descr, shape, data, version=1, order="False"):
    if not descr.startswith("["):
        descr = f"'{descr}'"
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    prefix = 10 if version == 1 else 12
    text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def arrays():
    write("npy/int64", npy("<i8", "(3,)", struct.pack("<3q", 1, 2, 3)))
    write("npy/uint32", npy("<u4", "(2,)", struct.pack("<2I", 9, 8)))
    write("npy/matrix", npy("<f4", "(2, 3)", bytes(24), version=2))
    write("npy/links", npy("<i8", "(2, 2)", struct.pack("<4q", 1, 2, 3, 4)))
    write("npy/labelled", npy("<f8", "(2, 3)", struct.pack("<6d", 1, 2, 3, 4, 0.5, 1),
                              order="True"))
    write("npy/scalar", npy("|b1", "()", b"\x01"))
    write("npy/fortran", npy("<f8", "(1, 1)", bytes(8), order="True"))
    write("npy/largest", npy("|u1", "(9223372036854775807,)", b""))
    write("npy/too_large", npy("|u1", "(2, 4611686018427387904)", b""))
    write("npy/overflow", npy("<u8", "(4294967296, 4294967296)", b""))
    write("npy/scaled", npy("[('value', '|i1', (3,)), ('scale', '<f4')]",
                            "(2,)", bytes(14)))
    write("npy/scaled_one", npy("[('value', '|i1'), ('scale', '<f4')]", "(2,)",
                                bytes(10)))


def numbers(descr, values):
    code = {"<i8": "q", "<u2": "H", "|u1": "B"}[descr]
    return npy(descr, f"({len(values)},)",
               struct.pack(f"<{len(values)}{code}", *values))


def assignments():
    write("assignment/npy", b"n" + numbers("<u2", [0, 3, 1]))
    write("assignment/npy_int64", b"n" + numbers("<i8", [0, 3, -1]))
    write("assignment/npy_columns",
          b"n" + npy("<i8", "(3, 0)", struct.pack("<3q", 0, 1, 2)))
    both = b"=a.npy\n" + numbers("|u1", [1, 2, 3]) + b"=b.txt\n0\n"
    # A section ends at the next '=', of which a header has none.
    write("assignment/folder_npy", b"f" + both)


def dictionaries():
    write("external_ids/numbers", b"n3" + numbers("<i8", [-7, 0, 40]))
    write("external_ids/descending", b"n3" + numbers("<i8", [3, 2, 1]))
    offsets = numbers("<i8", [0, 1, 3])
    text = numbers("|u1", b"abc")
    write("external_ids/files", b"o2" + bytes([len(offsets)]) + offsets + text)
    write("external_ids/words", b"w3" + bytes([0, 2, 2, 5]) + b"abbcd")
    write("external_ids/beyond", b"w2" + bytes([0, 9, 255]) + b"abbcd")


# --- OGB's binary layout: arrays by script, or the bytes of an archive ------------
def array(which, dtype, shape, elements):
    return bytes([which, dtype - 1, len(shape), *shape, *elements])


def archive(arrays, compression):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as members:
        for name, data in arrays.items():
            members.writestr(zipfile.ZipInfo(name + ".npy"), data, compression)
    return out.getvalue()


def binary_layouts():
    boolean, int64, float32 = 10, 5, 8
    ends = array(2, int64, [2, 3], [0, 1, 3, 1, 2, 3])
    whole = (array(0, int64, [1], [4]) + array(1, int64, [1], [3]) + ends
             + array(3, float32, [4, 2], range(8))
             + array(4, float32, [3], range(3))
             + array(6, int64, [3, 1], [9, 8, 7])
             + array(7, boolean, [3], [1, 0, 1])
             + array(9, int64, [4, 1], [0, 1, 255, 2]))
    write("ogb_binary/one_graph", b"@" + whole)
    write("ogb_binary/one_graph_compressed", b"B" + whole)
    write("ogb_binary/weights", b"L" + whole + array(5, float32, [3], [0] * 3))
    write("ogb_binary/no_columns",
          b"@" + whole + array(3, float32, [4, 0], []))
    typed = (array(0, int64, [1], [2]) + array(1, int64, [1], [3])
             + array(2, int64, [1], [2]) + array(3, int64, [2, 2], [0, 1, 2, 1])
             + array(4, float32, [2, 2], range(4)) + array(5, int64, [3], [0] * 3)
             + array(8, int64, [2], [5, 6]) + array(9, boolean, [2], [0, 1]))
    write("ogb_binary/typed", b"A" + typed)
    write("ogb_binary/typed_reverse", b"G" + typed)
    arrays = {"edge_index": npy("<i8", "(2, 1)", struct.pack("<2q", 0, 1)),
              "none": npy("<i8", "(1, 0)", b""),
              "num_nodes_list": numbers("<i8", [2])}
    write("ogb_binary/stored", b"z" + archive(arrays, zipfile.ZIP_STORED))
    write("ogb_binary/deflated", b"z" + archive(arrays, zipfile.ZIP_DEFLATED))


# --- safetensors: 'J' and the JSON of a file, or 'F' and a file ----------------
def tensor(name, dtype, shape, begin, end):
    shape = ",".join(map(str, shape))
    return (f'"{name}":{{"dtype":"{dtype}","shape":[{shape}],'
            f'"data_offsets":[{begin},{end}]}}')


def safetensors():
    weight = tensor("weight", "F32", [2, 2], 0, 16)
    bias = tensor("bias", "I64", [], 16, 24)
    meta = '"__metadata__":{"step":"7"}'
    two = "{" + ",".join([meta, bias, weight]) + "}"
    two += " " * (-len(two) % 8)
    write("safetensors/json_two", b"J" + two.encode())
    write("safetensors/file_two", b"F" + struct.pack("<Q", len(two))
          + two.encode() + struct.pack("<4fq", 1, 2, 3, 4, 5))
    half = tensor("h\\u00f6", "BF16", [1], 0, 2)
    none = tensor("none", "BOOL", [0, 9], 2, 2)
    write("safetensors/json_half", b"J{" + f"{half},{none}".encode() + b"}")
    write("safetensors/json_empty", b"J{}")
    twice = tensor("a", "U8", [8], 0, 8)
    write("safetensors/json_twice", b"J{" + f"{twice},{twice}".encode() + b"}")
    overlap = tensor("b", "U8", [1], 7, 8)
    write("safetensors/json_overlap",
          b"J{" + f"{twice},{overlap}".encode() + b"}")
    large = tensor("a", "F64", [1 << 32, 1 << 32], 0, 0)
    write("safetensors/json_large", b"J{" + large.encode() + b"}")
    write("safetensors/file_long", b"F" + struct.pack("<Q", 1 << 62) + b"{}")


# --- checkpoint.json, up to the digest, which the fuzzer adds ---------------------
def checkpoint_manifests():
    manifest = {
        "format": "tributary-checkpoint",
        "format_version": 1,
        "created_by": "by hand",
        "step": 1200,
        "epoch": 3,
        "attempt": 0,
        "world_size": 4,
        "cursor": {
            "epoch": 3,
            "consumed": 640,
            "next_index": 20,
            "order": {"inputs": "0" * 64, "graph": "f" * 64,
                      "random_seed": 11, "shuffle": True, "drop_last": False},
        },
        "options": "--lr 0.5",
        "epoch_sums": {"loss": "bff8000000000000"},
        "files": [{"name": "model", "bytes": 48, "sha256": "a" * 64}],
    }
    text = json.dumps(manifest, indent=2)
    write("checkpoint_manifest/one_file", text.removesuffix("\n}").encode())
    whole = text.removesuffix("\n}").encode()
    digest = hashlib.sha256(whole).hexdigest()
    write("checkpoint_manifest/whole",
          whole + f',\n  "sha256": "{digest}"\n}}\n'.encode())
    newer = text.replace('version": 1', 'version": 2')
    write("checkpoint_manifest/newer", newer.removesuffix("\n}").encode())
    escape = text.replace('"name": "model', '"name": "../model')
    write("checkpoint_manifest/escape", escape.removesuffix("\n}").encode())


# --- csv --------------------------------------------------------------------------------
def tables():
    text = b"0,1\n1,2\n4,0\n"
    packed = gzip.compress(text, mtime=0)
    write("csv/edges_gzip", b"2" + packed)
    write("csv/edges_gzip_twice", b"2" + packed + packed)
    write("csv/edges_gzip_cut", b"2" + packed[:-9])


# --- graph.json ---------------------------------------------------------------------
def column(dtype, dim):
    return {"dtype": dtype, "dim": dim}


def node_type(name, base, x=None, y=None):
    return {"name": name, "num_nodes": base[-1], "base": base, "x": x, "y": y}


def edge_type(src, rel, dst, counts, attr=None):
    return {
        "src": src,
        "rel": rel,
        "dst": dst,
        "num_edges": sum(counts),
        "partition_edges": counts,
        "edge_attr": attr,
    }


def graph_json(node_types, edge_types, splits, partitions):
    text = {
        "format": "tributary-graph",
        "format_version": 1,
        "semantics_version": 1,
        "name": "test",
        "heterogeneous": len(node_types) > 1,
        "num_partitions": partitions,
        "node_types": node_types,
        "edge_types": edge_types,
        "splits": splits,
        "files": [{"path": "node_map/node.npy", "bytes": 133, "crc32c": 7}],
        "partition_method": "random",
        "made_by": "by hand",
        "content_digest": "0" * 64,
        "layout_digest": "f" * 64,
    }
    return json.dumps(text, sort_keys=True, separators=(",", ":")).encode()


def schemas():
    x, y = column("float32", 2), column("int64", 0)
    split = {"scheme": "", "node_type": "node", "name": "train", "count": 2}
    homogeneous = graph_json(
        [node_type("node", [0, 3, 5], x, y)],
        [edge_type("node", "to", "node", [4, 0], x)],
        [split],
        2,
    )
    write("graph_json/homogeneous", homogeneous)
    typed = graph_json(
        [node_type("a", [0, 3]), node_type("b", [0, 0], y=y)],
        [edge_type("a", "to", "a", [2]), edge_type("b", "of", "a", [0])],
        [],
        1,
    )
    write("graph_json/typed", typed)
    columns = graph_json(
        [dict(node_type("a", [0, 3]), timed=True), node_type("b", [0, 2])],
        [dict(edge_type("a", "to", "b", [2]), weight="float64", timed=True),
         dict(edge_type("b", "of", "a", [1]), weight="float32",
              neighbor_ids=True, degrees=True)],
        [],
        1,
    )
    write("graph_json/columns", columns)
    scaled = dict(column("int8", 2), scaled=True)
    write("graph_json/scaled", graph_json(
        [node_type("node", [0, 3, 5], scaled, y)],
        [edge_type("node", "to", "node", [4, 0], scaled)], [split], 2))
    write("graph_json/unknown_key", typed.replace(b'"num_edges"',
                                                  b'"num_ways":1,"num_edges"'))


# --- channel/envelope.h ------------------------------------------------------------------
WIRE_VERSION = 2


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def envelope(kind, header, payload, call_id=0, wire_version=WIRE_VERSION):
    start = struct.pack("<4sHHQIII", b"TRIB", wire_version, kind, call_id,
                        len(header), len(payload), crc32c(payload))
    header_crc = struct.pack("<I", crc32c(start + header))
    return start + header_crc + header + payload


def envelopes():
    version = number(1, WIRE_VERSION)
    write("envelope/describe_request", envelope(33, version, b"", 1))
    write("envelope/older_version",
          envelope(33, version, b"", 1, WIRE_VERSION - 1))
    write("envelope/frame", envelope(5, number(1, 3) + number(3, 8),
                                     b"payload!"))
    frame = number(1, 3) + number(3, 100)
    write("envelope/frame_beyond_slot", envelope(5, frame, bytes(100)))
    halves = number(1, 3) + number(3, 16)
    write("envelope/half_a_batch", envelope(5, halves, b"12345678"))


# --- channel/tcp ----------------------------------------------------------------
def client_hello(names):
    alpn = b"".join(bytes([len(name)]) + name for name in names)
    alpn = struct.pack(">HH", len(alpn) + 2, len(alpn)) + alpn
    extensions = struct.pack(">HH", 0, 4) + b"name" + struct.pack(">H", 16) + alpn
    hello = (b"\x03\x03" + b"r" * 32 + b"\0" + b"\0\2\x13\1" + b"\1\0" +
             struct.pack(">H", len(extensions)) + extensions)
    message = b"\1" + struct.pack(">I", len(hello))[1:] + hello
    return b"\x16\3\1" + struct.pack(">H", len(message)) + message


def tcp_streams():
    opened = envelope(0xFF00, b"", b"")
    write("tcp_stream/stream", opened + envelope(5, b"header", b"payload", 7) +
          envelope(0xFF02, b"", b"") + envelope(0xFF01, b"enough", b"", 8))
    write("tcp_stream/large_payload", opened +
          b"".join(envelope(5, b"h", bytes(20000)) for _ in range(3)))
    write("tcp_stream/large_header", envelope(5, b"h" * 40000, b"p") + opened)
    write("tcp_stream/cut", opened + envelope(5, b"header", bytes(30000))[:20000])
    write("tcp_stream/other_version", envelope(0xFF00, b"", b"", 0, 3))
    write("tcp_stream/client_hello", client_hello([b"tributary-stream"]))
    write("tcp_stream/client_hello_of_http2", client_hello([b"h2"]))


# --- channel/shm: operations of shm_stream_fuzz_test ---------------------------
def shm_room(op, room, offset, size, memory, has_fd):
    """`offset`, `size`: (how, units of 64 bytes)."""
    return bytes([op, 0, room, *offset, *size, memory, has_fd])


def shm_streams():
    first = shm_room(3, 1, (0, 0), (0, 64), 0, 1)
    again = shm_room(2, 2, (0, 64), (0, 64), 0, 0)
    write("shm_stream/two-rooms", first + again)
    write("shm_stream/at-the-end", first + shm_room(2, 2, (128, 1), (0, 1),
                                                    0, 0))
    write("shm_stream/beyond", first + shm_room(2, 2, (128, 0), (0, 1), 0, 0))
    write("shm_stream/wraps", first + shm_room(2, 2, (192, 1), (192, 1), 0, 0))
    write("shm_stream/no-memory", shm_room(2, 1, (0, 0), (0, 1), 0, 1))
    write("shm_stream/memories", b"".join(
        shm_room(3, 1 + i, (0, i), (0, 1), i, 1) for i in range(17)))
    close = struct.pack("<IIQQQII", 3, 4, 1, 0, 0, 0, 0) + b"gone"
    write("shm_stream/close", first + bytes([0, len(close)]) + close + again)
    write("shm_stream/raw", bytes([1, 5]) + b"bytes" + first)


# --- Parquet ------------------------------------------------------------------
def parquet(name, columns, **options):
    out = io.BytesIO()
    options = {"compression": "none", "write_statistics": False, **options}
    pyarrow.parquet.write_table(pyarrow.table(columns), out, **options)
    write("parquet/" + name, out.getvalue())


def parquet_files():
    def array(values, kind):
        return pyarrow.array(values, kind)

    parquet("numbers", {
        "src": array([0, 1, 2, 5], pyarrow.int64()),
        "dst": array([1, 2, 0, 0], pyarrow.uint16()),
        "large": array([1, 2, 3, 1 << 62], pyarrow.uint64()),
        "flag": array([True, False, True, True], pyarrow.bool_()),
        "weight": array([0.5, 2, 0, 1], pyarrow.float32()),
        "at": array([1, 2, 3, 4], pyarrow.timestamp("ms")),
    }, use_dictionary=False, row_group_size=3)
    parquet("nulls", {
        "weight": array([0.5, None, 1], pyarrow.float64()),
        "id": array([1, None, 2], pyarrow.int32()),
    })
    words = ["a", "b", "a", "", "long"]
    parquet("texts", {
        "word": array(words, pyarrow.string()),
        "large": array(words, pyarrow.large_binary()),
        "coded": array(words, pyarrow.string()).dictionary_encode(),
    }, compression="snappy")
    rows = [[1, 2], [3, 4], [5, 6]]
    parquet("lists", {
        "x": array(rows, pyarrow.list_(pyarrow.float32())),
        "large": array(rows, pyarrow.large_list(pyarrow.int8())),
        "fixed": array(rows, pyarrow.list_(pyarrow.float64(), 2)),
    })
    parquet("lists_uneven", {
        "x": array([[1], [2, 3]], pyarrow.list_(pyarrow.float32()))})
    parquet("lists_empty", {
        "x": array([[], []], pyarrow.list_(pyarrow.float32(), 0))})
    parquet("no_rows", {"x": array([], pyarrow.list_(pyarrow.float32()))})
    parquet("delta", {
        "id": array([5, 7, 7, 9], pyarrow.int64()),
        "word": array(["ab", "abc", "b", "bc"], pyarrow.string()),
    }, use_dictionary=False, data_page_version="2.0", column_encoding={
        "id": "DELTA_BINARY_PACKED", "word": "DELTA_BYTE_ARRAY"})


if __name__ == "__main__":
    envelopes()
    tcp_streams()
    schemas()
    session_specs()
    batches()
    compact_edges()
    arrays()
    assignments()
    dictionaries()
    binary_layouts()
    safetensors()
    checkpoint_manifests()
    tables()
    shm_streams()
    parquet_files()
