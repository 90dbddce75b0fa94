#!/usr/bin/env python3
"""Installs the packages of a requirements file, once; prints their folder.

    install.py NAME REQUIREMENTS

It is ${XDG_CACHE_HOME:-~/.cache}/tributary/NAME-DIGEST, one for each content of
that file, which pins every package by its hash. Standard library only: Bazel's
repository rule runs it, by the Python that is to import them.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys


def main():
    name, pins = sys.argv[1], pathlib.Path(sys.argv[2])
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = pathlib.Path(base) / "tributary"
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(pins.read_bytes()).hexdigest()[:12]
    site = cache / f"{name}-{digest}"
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.is_dir():
            unfinished = site.with_suffix(".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            subprocess.run(
                [sys.executable, "-m", "pip", "install", "--quiet"]
                + ["--require-hashes", "--no-deps", "--only-binary=:all:"]
                + ["--disable-pip-version-check", "--no-cache-dir"]
                + ["--target", str(unfinished), "-r", str(pins)],
                check=True,
                stdout=sys.stderr,
            )
            unfinished.rename(site)
    print(site)


if __name__ == "__main__":
    main()
