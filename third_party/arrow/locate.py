#!/usr/bin/env python3
"""Finds Arrow C++ with S3 and Parquet, fetching it by pip at most once.

Prints the folder that holds include/ and the libraries: that of the pyarrow
wheel pinned in requirements.txt, unpacked under
${XDG_CACHE_HOME:-~/.cache}/tributary, where it outlives `bazel clean
--expunge`. Messages go to stderr. Standard library only: Bazel's repository
rule runs it before anything is built.
"""

import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# The three libraries that are linked, their headers and their licences.
WANTED = re.compile(
    r"pyarrow/(include/(arrow|parquet)/|lib(arrow|arrow_s3|parquet)\.so\.)"
    r"|[^/]+\.dist-info/.*(LICENSE|NOTICE)"
)


def log(message):
    print("arrow: " + message, file=sys.stderr, flush=True)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "tributary"


def pinned_version():
    text = (HERE / "requirements.txt").read_text()
    return re.search(r"^pyarrow==(\S+)", text, re.M).group(1)


def download(folder):
    """The path of the pinned wheel, fetched into `folder`."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps"]
    command += ["--require-hashes", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--progress-bar", "off"]
    command += ["--python-version", "3.11", "--implementation", "cp"]
    command += ["--abi", "cp311", "--platform", "manylinux_2_28_x86_64"]
    command += ["-d", folder, "-r", str(HERE / "requirements.txt")]
    for attempt in range(3):
        if attempt:
            log(f"pip failed, trying again in {5 * attempt} s")
            time.sleep(5 * attempt)
        if not subprocess.call(command, stdout=sys.stderr):
            return next(pathlib.Path(folder).glob("pyarrow-*.whl"))
    raise SystemExit(
        "arrow: pip cannot fetch pyarrow. Check the network, or run ./dev setup "
        "(Debian's python3-pip)."
    )


def unpack(site):
    """Makes the folder `site` of the wanted files of the wheel."""
    log(f"fetching pyarrow {pinned_version()}, once")
    unfinished = site.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    with tempfile.TemporaryDirectory(dir=site.parent) as folder:
        wheel = zipfile.ZipFile(download(folder))
        names = [name for name in wheel.namelist() if WANTED.match(name)]
        wheel.extractall(unfinished, names)
    # What the linker looks for.
    for library in (unfinished / "pyarrow").glob("*.so.*"):
        name = library.name.split(".so.")[0] + ".so"
        (unfinished / "pyarrow" / name).symlink_to(library.name)
    unfinished.rename(site)


def main():
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    # With what of it is unpacked in the name.
    site = cache / f"arrow-s3-parquet-{pinned_version()}"
    with open(cache / "arrow.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.is_dir():
            unpack(site)
    print(site / "pyarrow")


if __name__ == "__main__":
    main()
