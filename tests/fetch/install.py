#!/usr/bin/env python3
"""Installs the packages of requirements.txt, once; prints their folder.

It is under ${XDG_CACHE_HOME:-~/.cache}/tributary, one for each content of that
file. Standard library only: Bazel's repository rule runs it.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

PINS = pathlib.Path(__file__).resolve().parent / "requirements.txt"


def main():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = pathlib.Path(base) / "tributary"
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    site = cache / f"moto-{digest}"
    with open(cache / "moto.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.is_dir():
            unfinished = site.with_suffix(".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            subprocess.run(
                [sys.executable, "-m", "pip", "install", "--quiet"]
                + ["--require-hashes", "--no-deps", "--only-binary=:all:"]
                + ["--disable-pip-version-check", "--no-cache-dir"]
                + ["--target", str(unfinished), "-r", str(PINS)],
                check=True,
                stdout=sys.stderr,
            )
            unfinished.rename(site)
    print(site)


if __name__ == "__main__":
    main()
