#!/usr/bin/env python3
"""Lists the libraries of LibTorch that a trainer's image needs, as JSON:
`libraries` (name to path) and `licences` (NAME/FILE to path).

They come from the wheels that requirements.txt pins, whatever CUDA toolkit the
machine may have, so that an image is the same wherever it is built. The wheels
of CUDA's libraries are unpacked apart from LibTorch, under
${XDG_CACHE_HOME:-~/.cache}/tributary. With $TRIBUTARY_LIBTORCH LibTorch itself
is that one. Standard library only: a repository rule runs it.
"""

import argparse
import fcntl
import json
import os
import pathlib
import re
import shutil

import locate

# What libraries open by name.
OPENED_BY_NAME = {"libcudnn.so.9": "libcudnn_*.so.9"}


class Wheels:
    """Unpacks wheels, each into a folder of its own, at most once."""

    def __init__(self, cache):
        self._site = cache / "libtorch-runtime"
        self._site.mkdir(parents=True, exist_ok=True)

    def folder(self, package):
        """Where `package` of the pinned version is unpacked."""
        version = locate.requirement(package).split()[0].split("==")[1]
        folder = self._site / f"{package}-{version}"
        with open(self._site / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                unfinished = self._site / f"{folder.name}.part"
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir()
                locate.unpack(package, unfinished)
                unfinished.rename(folder)
        return folder


def libtorch_root():
    given = os.environ.get("TRIBUTARY_LIBTORCH")
    return locate.given_libtorch(given) if given else locate.fetched_libtorch([])


def licence_files(package, folder):
    """The licence texts of an unpacked wheel: NAME/FILE to path."""
    pattern = re.compile("licen[cs]e|notice", re.IGNORECASE)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        f"{package}/{path.name}": str(path)
        for path in sorted(files)
        if pattern.search(path.name) and ".so" not in path.name
    }


def torch_licences(root):
    """In a wheel they are beside torch/, in an archive of libtorch not at all."""
    found = {}
    for folder in sorted(root.parent.glob("torch-*.dist-info")):
        found |= licence_files("torch", folder)
    return found


def collect(root, roots, wheels):
    """The closure of `roots` as far as it is not the system's."""
    libraries, licences = {}, torch_licences(root)
    waiting = [(name, root / "lib" / name) for name in roots]
    while waiting:
        name, path = waiting.pop()
        if name in libraries:
            continue
        libraries[name] = str(path)
        for needed in locate.needed_libraries(path):
            if (root / "lib" / needed).exists():
                waiting.append((needed, root / "lib" / needed))
            elif needed in locate.WHEEL_OF:
                package = locate.WHEEL_OF[needed]
                folder = wheels.folder(package)
                licences |= licence_files(package, folder)
                waiting += wheel_libraries(folder, needed)
    return libraries, licences


def wheel_libraries(folder, name):
    """`name` in an unpacked wheel, and what it opens by name."""
    found = []
    for pattern in [name, OPENED_BY_NAME.get(name)]:
        found += sorted(folder.glob(f"nvidia/*/lib/{pattern}")) if pattern else []
    if not found:
        raise SystemExit(f"libtorch: {folder.name} has no {name}")
    return [(path.name, path) for path in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="JSON file to write")
    parser.add_argument("--cuda", action="store_true", help="only what CUDA adds")
    args = parser.parse_args()
    root, wheels = libtorch_root(), Wheels(locate.cache_folder())
    libraries, licences = collect(root, locate.CPU_LIBRARIES + ["libc10.so"], wheels)
    if args.cuda:
        added, licences = collect(root, locate.CUDA_LIBRARIES, wheels)
        libraries = {name: added[name] for name in added if name not in libraries}
    result = {"libraries": libraries, "licences": licences}
    pathlib.Path(args.out).write_text(json.dumps(result, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
