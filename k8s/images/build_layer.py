"""Builds a layer of an image: build_layer.py SPEC BLOB META.

SPEC is JSON, written by oci_layer of oci.bzl, which says what its fields mean.
BLOB becomes the layer; META, JSON, its digests and the fingerprint of each of
its paths. What the layers below hold already is left out; a path that they hold
with another content is an error.
"""

import json
import os
import pathlib
import sys

import debian
import libraries
from tarball import file, folder, link, with_parents, write_layer

APP = "/app"
APP_LIB = "/app/lib"
SYSTEM_LINKS = {"/lib": "usr/lib", "/lib64": "usr/lib64"}
LOADER_FILE = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
LOADER_LINK = "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"


class BadLayer(Exception):
    pass


def program_entries(paths):
    return {f"{APP}/{os.path.basename(path)}": file(path, 0o755) for path in paths}


def system_file(path):
    """Where a file of the system stands in the image, and its entry."""
    return libraries.real_folder(path), file(os.path.realpath(path))


def loader_entries():
    """The loader, under the path that programs ask for and under its own."""
    entries = {at: link(to) for at, to in SYSTEM_LINKS.items()}
    entries["/usr/lib64/" + os.path.basename(libraries.LOADER)] = link(LOADER_LINK)
    entries[LOADER_FILE] = file(os.path.realpath(libraries.LOADER), 0o755)
    return entries


def library_entries(spec):
    """Entries of all libraries in the closure, and the system's files among them."""
    own = {libraries.soname(path): path for path in spec["libraries"]}
    opened = [libraries.find_by_name(name) for name in spec["opened_by_name"]]
    roots = spec["programs"] + spec["libraries_of"] + spec["libraries"] + opened
    folders = sorted({os.path.abspath(os.path.dirname(path)) for path in own.values()})
    found = libraries.closure(roots, folders, spec["given_at_run_time"])
    system = [path for name, path in found.items() if name not in own]
    entries = {f"{APP_LIB}/{name}": file(path) for name, path in own.items()}
    for path in system:
        if os.path.basename(path) == os.path.basename(libraries.LOADER):
            entries |= loader_entries()
        else:
            at, entry = system_file(path)
            entries[at] = entry
    for path in opened:
        added, paths = opened_entries(path)
        entries |= added
        system += paths
    return entries, system


def opened_entries(path):
    """A library that is opened by the name of `path`, and a link if its own name
    is another."""
    name = libraries.soname(path)
    real = os.path.join(os.path.dirname(path), name)
    at, entry = system_file(real)
    entries = {at: entry}
    if name != os.path.basename(path):
        entries[libraries.real_folder(path)] = link(name)
    return entries, [real]


def document_entries(paths):
    """Licences of what is no Debian package: .../licences/NAME/FILE."""
    entries = {}
    for path in paths:
        name = path.rpartition("licences/")[2]
        entries[f"{debian.DOCUMENTS}/{name}"] = file(path)
    return entries


def all_entries(spec):
    entries, system = library_entries(spec)
    entries |= program_entries(spec["programs"])
    entries |= document_entries(spec["documents"])
    for path in spec["system_files"]:
        at, entry = system_file(path)
        entries[at] = entry
        system.append(path)
    entries |= debian.describe(debian.packages_of(system) | set(spec["packages"]))
    if "ca-certificates" in spec["packages"]:
        entries |= debian.certificate_bundle()
    if spec["common_licenses"]:
        entries |= debian.common_licenses()
    entries |= {at: file(path) for at, path in spec["files"].items()}
    entries |= {at: link(to) for at, to in spec["links"].items()}
    entries |= {at: folder(int(mode, 8)) for at, mode in spec["folders"].items()}
    return with_parents(entries)


def above(entries, metas):
    """Returns the entries that the layers below do not hold, and fingerprints."""
    held = {}
    for meta in metas:
        held |= json.loads(pathlib.Path(meta).read_text())["paths"]
    fingerprints = {path: entry.fingerprint() for path, entry in entries.items()}
    for path, fingerprint in fingerprints.items():
        if held.get(path, fingerprint) == fingerprint:
            continue
        raise BadLayer(
            f"{path} is in a layer below with another content: {held[path]} "
            f"there, {fingerprint} here"
        )
    new = {path: entry for path, entry in entries.items() if path not in held}
    return new, {path: fingerprints[path] for path in sorted(new)}


def main(spec_path, blob, meta):
    spec = json.loads(pathlib.Path(spec_path).read_text())
    entries, fingerprints = above(all_entries(spec), spec["below"])
    layer = write_layer(entries, blob)
    layer |= {"name": spec["name"], "paths": fingerprints}
    pathlib.Path(meta).write_text(json.dumps(layer, indent=1, sort_keys=True))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (BadLayer, debian.NotPackaged, libraries.Missing) as error:
        sys.exit(f"image layer: {error}")
