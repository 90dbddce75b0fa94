#!/usr/bin/env python3
"""Checks every C++ #include and .proto import against the layers.

    check_layers.py FILE...        paths from the root of the checkout

Two rules, without exceptions:

1. A folder includes only what ALLOWED says of its layer. The longest prefix of
   a path is its layer. Tests (`*_test.cc`, `testing/`, and the folders of TOP)
   stand above everything and may include any layer; nothing includes them.
2. The folders' includes have no cycle, at any depth: no arrow runs up, neither
   between folders nor between what they and the folders in them include.

Bazel's visibility refuses a wrong target; this refuses a wrong header, and says
which arrow it breaks. docs/architecture.md draws the layers.
"""

import collections
import pathlib
import re
import sys

# Layer: the layers that it may include beside itself and the layers below it
# with the same first folder that rule 2 permits.
ALLOWED = {
    "third_party": [],
    "common": [],
    "partition/schema": ["common"],
    "partition/format": ["common", "partition/schema"],
    "partition/source": ["common", "partition/schema"],
    "partition/writer": [
        "common",
        "partition/schema",
        "partition/format",
        "partition/source",
    ],
    "partition/pipeline": [
        "common",
        "partition/schema",
        "partition/source",
        "partition/format",
        "partition/writer",
    ],
    "channel": ["common"],
    "sampler_server/engine": ["common", "partition/schema", "partition/format"],
    "sampler_server/kinds": [
        "common",
        "partition/schema",
        "partition/format",
        "sampler_server/engine",
    ],
    "sampler_server": [
        "common",
        "partition/schema",
        "partition/format",
        "channel",
        "sampler_server/engine",
        "sampler_server/kinds",
    ],
    "trainer_client/core": ["common", "channel", "partition/schema"],
    "trainer_client/embedded": [
        "common",
        "partition/schema",
        "partition/format",
        "channel",
        "sampler_server/engine",
        "sampler_server",
        "trainer_client/core",
    ],
    "trainer_client/cuda": ["common"],
    "trainer_client/modes": [
        "common",
        "partition/schema",
        "channel",
        "trainer_client/core",
        "trainer_client/cuda",
        "trainer_client/embedded",
    ],
    "trainer_client/tensors": [
        "common",
        "partition/schema",
        "channel",
        "trainer_client/core",
        "trainer_client/modes",
    ],
    "trainer_client/graph": [
        "common",
        "partition/schema",
        "channel",
        "trainer_client/core",
        "trainer_client/modes",
        "trainer_client/tensors",
    ],
    "trainer_client/c": [
        "common",
        "trainer_client/core",
        "trainer_client/graph",
        "trainer_client/modes",
        "trainer_client/tensors",
    ],
    "trainer_client/torch": [
        "common",
        "partition/schema",
        "channel",
        "trainer_client/core",
        "trainer_client/cuda",
        "trainer_client/embedded",
        "trainer_client/graph",
        "trainer_client/modes",
        "trainer_client/tensors",
    ],
}
# Folders that stand above all layers. The command is one of them and includes no
# LibTorch, as every folder but TORCH_IN; Arrow is in ARROW_IN alone.
TOP = ["cli", "tests", "benchmarks", "examples", "tools"]
# Prefixes of paths that may include a library's headers, and that may not.
TORCH_IN = ["trainer_client/torch/", "third_party/pch/", "benchmarks/segment/",
            "examples/own_model/", "examples/distributed/", "tests/docs/"]
ARROW_IN = ["cli/fetch/arrow_store.cc", "cli/parquet/"]
MPI_IN = ["partition/pipeline/mpi/", "cli/mpi/"]
GRPC_NOT_IN = ["common/", "partition/", "sampler_server/engine/", "trainer_client/core/"]

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^">]+)[">]')
IMPORT = re.compile(r'^\s*import\s+(?:public\s+)?"([^"]+)"')
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
ARROW = re.compile(r"^(arrow|parquet)/")
MPI = re.compile(r"^(mpi\.h$|scotch)")
GRPC = re.compile(r"^(grpc|grpcpp)/|\.grpc\.pb\.h$")


def is_test(path):
    """Whether a file is a test or a fixture, which stand above all layers."""
    return path.endswith("_test.cc") or "/testing/" in path or path.startswith("tests/")


def layer_of(path):
    found = [name for name in [*ALLOWED, *TOP] if path.startswith(name + "/")]
    return max(found, key=len) if found else None


def wrong_arrow(path, header):
    """Why `path` must not include `header`, or None."""
    if TORCH.match(header):
        if not any(path.startswith(place) for place in TORCH_IN):
            return "LibTorch only in trainer_client/torch"
        return None
    if ARROW.match(header):
        if not any(path.startswith(place) for place in ARROW_IN):
            return "Arrow only in cli/fetch/arrow_store.cc and cli/parquet"
        return None
    if MPI.match(header) and not any(path.startswith(place) for place in MPI_IN):
        return "MPI only in partition/pipeline/mpi and cli/mpi"
    if GRPC.search(header):
        if any(path.startswith(place) for place in GRPC_NOT_IN):
            return "no gRPC in state machines and below them"
    source, target = layer_of(path), layer_of(header)
    if source is None:
        return "its folder is in no layer of tools/check_layers.py"
    if target is None or is_test(path):
        return None
    if is_test(header):
        return "only tests include fixtures"
    if source in TOP or source == target:
        return None
    if target in TOP:
        return f"{target} stands above {source}"
    if target not in ALLOWED[source]:
        return f"{source} may not include {target}"
    return None


def includes_of(path, text):
    """(line number, header or .proto) of each include or import."""
    pattern = IMPORT if path.endswith(".proto") else INCLUDE
    for number, line in enumerate(text.splitlines(), 1):
        match = pattern.match(line)
        if match:
            yield number, match.group(1)


def check(path, text):
    for number, header in includes_of(path, text):
        why = wrong_arrow(path, header)
        if why:
            yield f"{path}:{number}: {header}: {why}"


class FolderGraph:
    """Which folder includes which, of files that are no tests. Of each depth: a
    folder of depth 2 stands for all that is in it."""

    def __init__(self):
        self.depths = collections.defaultdict(lambda: collections.defaultdict(dict))

    def add(self, path, text):
        if is_test(path) or layer_of(path) is None:
            return
        folder = pathlib.PurePosixPath(path).parent.parts
        for number, header in includes_of(path, text):
            if layer_of(header) is None:
                continue
            target = pathlib.PurePosixPath(header).parent.parts
            for depth in range(1, max(len(folder), len(target)) + 1):
                if folder[:depth] != target[:depth]:
                    self.depths[depth]["/".join(folder[:depth])].setdefault(
                        "/".join(target[:depth]), f"{path}:{number}: {header}")

    def cycles(self):
        """An error for each include that is part of a cycle of folders."""
        said = set()
        for _, arrows in sorted(self.depths.items()):
            reachable = {folder: reachable_from(folder, arrows) for folder in arrows}
            for folder in sorted(arrows):
                for target, where in sorted(arrows[folder].items()):
                    line = f"{where}: {folder} and {target} include each other"
                    if folder in reachable.get(target, ()) and line not in said:
                        said.add(line)
                        yield line


def reachable_from(folder, arrows):
    seen, left = set(), [folder]
    while left:
        for target in arrows.get(left.pop(), {}):
            if target not in seen:
                seen.add(target)
                left.append(target)
    return seen


def main(paths):
    errors = []
    graph = FolderGraph()
    for path in paths:
        text = pathlib.Path(path).read_text()
        errors += check(path, text)
        graph.add(path, text)
    errors += graph.cycles()
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
