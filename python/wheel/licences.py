"""The licences of all that the wheel holds and others have written."""

import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterable

import debian

# What is linked statically, or compiled in from headers: their development packages.
COMPILED_IN = ("libabsl-dev", "libboost1.74-dev", "libcli11-dev", "libfmt-dev",
               "libgrpc++-dev", "libgrpc-dev", "libprotobuf-dev", "libspdlog-dev",
               "libssl-dev", "nlohmann-json3-dev", "libstdc++-12-dev")

SOURCES = """\
The shared libraries in tributary_gnn.libs are those of the Debian packages listed here,
and the native files hold code of these packages. The build has changed the libraries:
they have other file names and search paths, their symbols' names end in ".tributary",
and nothing else. `apt-get source SOURCE=VERSION` gets the source of each from Debian,
whose archive of snapshots keeps all versions.

package source version
"""


def sources_of(packages: Iterable[str]) -> str:
    """Says which source each Debian package was built from."""
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${source:Package} ${source:Version}\n",
         *packages], capture_output=True, text=True, check=True)
    return SOURCES + "".join(sorted(done.stdout.splitlines(keepends=True)))


def copy_licences(libraries: Iterable[str], folder: pathlib.Path) -> None:
    """Writes into `folder`, for each Debian package of `libraries` (paths) and of what
    is compiled in, its copyright file, the texts that these refer to, and in SOURCES
    where its source is."""
    named: set[str] = set()
    packages = sorted({*debian.packages_of(list(libraries)), *COMPILED_IN})
    for package in packages:
        source = pathlib.Path(debian.DOCUMENTS, package, "copyright")
        if not source.exists():
            raise debian.NotPackaged(f"{package} has no {source}")
        target = folder / package / "copyright"
        target.parent.mkdir(parents=True)
        shutil.copyfile(source, target)
        text = target.read_text(encoding="utf-8", errors="replace")
        named.update(re.findall(rf"{debian.COMMON_LICENSES}/([\w.-]*\w)", text))
    (folder / "SOURCES").write_text(sources_of(packages), encoding="utf-8")
    (folder / "common-licenses").mkdir()
    for name in sorted(named):
        shutil.copyfile(pathlib.Path(debian.COMMON_LICENSES, name),
                        folder / "common-licenses" / name)
