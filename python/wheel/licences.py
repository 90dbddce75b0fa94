"""The licences of all that the wheel holds and others have written."""

import pathlib
import re
import shutil
from collections.abc import Iterable

import debian

# What is linked statically, or compiled in from headers: their development packages.
COMPILED_IN = ("libabsl-dev", "libboost1.74-dev", "libcli11-dev", "libfmt-dev",
               "libgrpc++-dev", "libgrpc-dev", "libprotobuf-dev", "libspdlog-dev",
               "libssl-dev", "nlohmann-json3-dev", "libstdc++-12-dev")


def copy_licences(libraries: Iterable[str], folder: pathlib.Path) -> None:
    """Copies the copyright file of each Debian package of `libraries` (paths) and of
    what is compiled in, and the texts that these files refer to, into `folder`."""
    named: set[str] = set()
    for package in sorted({*debian.packages_of(list(libraries)), *COMPILED_IN}):
        source = pathlib.Path(debian.DOCUMENTS, package, "copyright")
        if not source.exists():
            raise debian.NotPackaged(f"{package} has no {source}")
        target = folder / package / "copyright"
        target.parent.mkdir(parents=True)
        shutil.copyfile(source, target)
        text = target.read_text(encoding="utf-8", errors="replace")
        named.update(re.findall(rf"{debian.COMMON_LICENSES}/([\w.-]*\w)", text))
    (folder / "common-licenses").mkdir()
    for name in sorted(named):
        shutil.copyfile(pathlib.Path(debian.COMMON_LICENSES, name),
                        folder / "common-licenses" / name)
