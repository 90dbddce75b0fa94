#!/usr/bin/env python3
"""Checks of rendered manifests that a schema cannot make.

    check_manifests.py [--binary PATH]... FILE...

Each FILE is the output of `kubectl kustomize`. Fails when names, labels, numbers
or flags do not agree with each other or with the programs that the pods run.
Services, volume claims and ConfigMaps of the other files count as applied beside
it. A file base-*.yaml is a base, whose images have no registry yet. Each binary
(tributary, tributary-train, tributary-fetch) is asked for its --help, and every
flag that a container passes must be in it.
"""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import flags  # noqa: E402
import manifests  # noqa: E402
import pod_security  # noqa: E402
import quantities  # noqa: E402
import references  # noqa: E402
import tls  # noqa: E402
import volumes  # noqa: E402


def check(resources, beside=(), binaries=(), is_base=False):
    """The errors, in words."""
    found = manifests.Manifests(resources, beside)
    if not found.resources:
        return ["nothing was rendered"]
    for part in (references, volumes, quantities, pod_security, tls):
        part.check_all(found)
    if not is_base:
        pod_security.check_images(found)
    flags.check_all(found, {os.path.basename(path): path for path in binaries})
    return found.errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", action="append", default=[])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    loaded = {path: manifests.load(path.read_text()) for path in arguments.files}
    count = 0
    for path, resources in loaded.items():
        beside = [r for other in loaded if other != path for r in loaded[other]]
        for error in check(resources, beside, arguments.binary, path.name.startswith("base-")):
            print(f"k8s: {path.stem}: {error}", file=sys.stderr)
            count += 1
    print(f"k8s: {len(loaded)} renderings, {count} errors in their references and quantities")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
