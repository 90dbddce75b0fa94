#!/usr/bin/env python3
"""Checks of rendered manifests that a schema cannot make.

Reads the output of `kubectl kustomize` and fails when names, labels, numbers or
flags do not agree with each other or with the programs that the pods run.

    kubectl kustomize FOLDER | check_manifests.py [--beside FILE] [BINARY ...]

FILE holds what is applied beside it: services and volume claims are looked up
there, too. Each BINARY (tributary, tributary-train, tributary-fetch) is asked
for its --help, and every flag that a container passes must be in it.
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
import volumes  # noqa: E402


def check(resources, beside=(), binaries=()):
    """The errors, in words."""
    found = manifests.Manifests(resources, beside)
    if not found.resources:
        return ["nothing was rendered"]
    for part in (references, volumes, quantities, pod_security):
        part.check_all(found)
    flags.check_all(found, {os.path.basename(path): path for path in binaries})
    return found.errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--beside", type=pathlib.Path)
    parser.add_argument("binaries", nargs="*")
    arguments = parser.parse_args()
    beside = manifests.load(arguments.beside.read_text()) if arguments.beside else []
    errors = check(manifests.load(sys.stdin.read()), beside, arguments.binaries)
    for error in errors:
        print(f"k8s: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
