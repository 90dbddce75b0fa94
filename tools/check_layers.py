#!/usr/bin/env python3
"""Checks every #include of a C++ file against who may depend on whom.

    check_layers.py FILE...        paths from the root of the checkout

Bazel's visibility refuses a wrong target; this refuses a wrong header, and
says which arrow it breaks. The arrows are those of docs/architecture.md.
"""

import pathlib
import re
import sys

# A layer may include itself, and these layers or headers. The longest prefix of
# a path is its layer.
MAY_INCLUDE = {
    "third_party": [],
    "common": [],
    "partition/format": ["common"],
    "partition/pipeline": ["common", "partition/format"],
    "channel": ["common"],
    "sampler_server/engine": ["common", "partition/format"],
    # Its fixtures stand above it, for they make plans of every kind.
    "sampler_server/engine/testing": [
        "common",
        "partition/format",
        "sampler_server/engine",
        "sampler_server/kinds",
    ],
    "sampler_server/kinds/*_spec": ["common"],
    "sampler_server/kinds": [
        "sampler_server/kinds/*_spec",
        "common",
        "partition/format",
        "sampler_server/engine",
    ],
    "sampler_server": [
        "common",
        "partition/format",
        "channel",
        "sampler_server/engine",
        "sampler_server/kinds",
        "sampler_server/kinds/*_spec",
    ],
    "trainer_client/core": [
        "common",
        "channel",
        "partition/schema/draw_traits.h",
        "partition/schema/edge_direction.h",
        "partition/schema/feature_columns.h",
        "partition/schema/schema.h",
        "sampler_server/kinds/*_spec",
    ],
    "trainer_client/embedded": [
        "common",
        "partition/format",
        "channel",
        "sampler_server/engine",
        "sampler_server",
        "trainer_client/core",
    ],
    "trainer_client/cuda": ["common"],
    "trainer_client/modes": [
        "common",
        "channel",
        "trainer_client/core",
        "trainer_client/cuda",
        "trainer_client/embedded",
    ],
    "trainer_client/torch": [
        "common",
        "channel",
        "partition/schema/schema.h",
        "trainer_client/core",
        "trainer_client/cuda",
        "trainer_client/embedded",
        "trainer_client/modes",
    ],
}
# They stand above all layers.
TOP = ["cli", "tests", "benchmarks", "examples", "tools"]
# Who may include a library's headers: prefixes of paths.
TORCH_IN = ["trainer_client/torch/"]
GRPC_NOT_IN = ["common/", "partition/", "sampler_server/engine/", "trainer_client/core/"]

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]')
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
GRPC = re.compile(r"^(grpc|grpcpp)/|\.grpc\.pb\.h$")


def is_fixture_for_test(path, header):
    """Tests may use any part's fixtures."""
    return "/testing/" in header and ("/testing/" in path or path.endswith("_test.cc"))


# What clients link of a kind of sampling: its specification and bound.
KIND_SPEC = re.compile(r"^sampler_server/kinds/([^/]+)/\1_spec(_test)?\.(h|cc)$")


def layer_of(path):
    if KIND_SPEC.match(path):
        return "sampler_server/kinds/*_spec"
    names = list(MAY_INCLUDE) + TOP
    found = [name for name in names if path.startswith(name + "/")]
    return max(found, key=len) if found else None


def wrong_arrow(path, header):
    """Why `path` must not include `header`, or None."""
    if TORCH.match(header):
        if not any(path.startswith(place) for place in TORCH_IN):
            return "LibTorch only in trainer_client/torch"
        return None
    if GRPC.search(header):
        if any(path.startswith(place) for place in GRPC_NOT_IN):
            return "no gRPC in state machines and below them"
    source, target = layer_of(path), layer_of(header)
    if source is None:
        return "its folder is in no layer of tools/check_layers.py"
    if target is None or source in TOP or source == target:
        return None
    if target in TOP:
        return f"{target} stands above {source}"
    if is_fixture_for_test(path, header):
        return None
    if target not in MAY_INCLUDE[source] and header not in MAY_INCLUDE[source]:
        return f"{source} may not include {target}"
    return None


def check(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        why = wrong_arrow(path, match.group(2)) if match else None
        if why:
            yield f"{path}:{number}: {match.group(2)}: {why}"


def main(paths):
    errors = []
    for path in paths:
        errors += check(path, pathlib.Path(path).read_text())
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
