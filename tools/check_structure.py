#!/usr/bin/env python3
"""Checks that folders and classes stay small enough to take in, that some calls
are made in one place, and that each test is built.

    check_structure.py FILE...     paths from the root of the checkout

A folder holds at most MAX_FILES C++ and .proto files. The methods of a class
are defined in at most two sources: one that needs more holds several ideas,
and the class is to be split, not its file. What ONE_PLACE names is called by
that file alone. A BUILD file names each `x_test.cc`, or x_test or x where a list
or a rule makes its target.
"""

import collections
import pathlib
import re
import sys

MAX_FILES = 44
MAX_SOURCES = 2
# GCC removes calls of functions that do nothing but prefetch.
ONE_PLACE = {"__builtin_prefetch": "common/io/prefetch.h"}

CLASS = re.compile(r"^(?:class|struct)\s+(?:\w+\([^)]*\)\s+)?(\w+)[^;]*$", re.M)
# `Name::Method(` at the start of a definition: no indentation before the line.
METHOD = re.compile(r"^(?:[A-Za-z_][\w:<>,*& ]*[ *&])?(\w+)::~?\w+\(", re.M)


def large_folders(paths):
    counts = collections.Counter(str(pathlib.PurePosixPath(path).parent) for path in paths)
    for folder, count in sorted(counts.items()):
        if count > MAX_FILES:
            yield f"{folder}: {count} files; at most {MAX_FILES}: divide the folder"


def defined_classes(text):
    """Names of the classes of which a source defines methods."""
    return {name for name in METHOD.findall(text) if name[0].isupper()}


def scattered_classes(texts):
    """`texts`: of each path. A class is looked for in its header's folder."""
    headers = collections.defaultdict(set)
    sources = collections.defaultdict(set)
    for path, text in texts.items():
        folder = str(pathlib.PurePosixPath(path).parent)
        if path.endswith(".h"):
            for name in CLASS.findall(text):
                headers[folder].add(name)
        elif path.endswith(".cc") and not path.endswith("_test.cc"):
            for name in defined_classes(text):
                sources[folder, name].add(path)
    for (folder, name), found in sorted(sources.items()):
        if name in headers[folder] and len(found) > MAX_SOURCES:
            yield f"{folder}: class {name} is in {len(found)} sources: {', '.join(sorted(found))}"


def calls_elsewhere(texts):
    for path, text in sorted(texts.items()):
        for name, place in ONE_PLACE.items():
            if f"{name}(" in text and path != place:
                yield f"{path}: calls {name}; use {place}"


def build_file_of(path):
    """Returns the path of the BUILD file of a source's package."""
    for folder in pathlib.PurePosixPath(path).parents:
        if pathlib.Path(folder / "BUILD.bazel").exists():
            return folder / "BUILD.bazel"
    raise ValueError(f"{path}: no BUILD.bazel above it")


def unbuilt_tests(paths, build_file=build_file_of):
    for path in sorted(paths):
        if not path.endswith("_test.cc"):
            continue
        build = build_file(path)
        name = str(pathlib.PurePosixPath(path).relative_to(build.parent))
        text = pathlib.Path(build).read_text()
        endings = ("", ".cc", "_test.cc")
        if not any(f'"{name.removesuffix(ending)}"' in text for ending in endings):
            yield f"{path}: no target of {build} builds it"


def main(paths):
    texts = {path: pathlib.Path(path).read_text() for path in paths}
    errors = [*large_folders(paths), *scattered_classes(texts),
              *calls_elsewhere(texts), *unbuilt_tests(paths)]
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
