"""Copies of the shared libraries that native files load, which share no symbol with
other copies in the process.

A Python process may hold other versions of the same libraries. Those that are loaded
with RTLD_GLOBAL (TensorFlow's, since 2.20, with Abseil and protobuf in them) come
before a library's own dependencies in the search for a symbol, and symbols that are
unique in a process (STB_GNU_UNIQUE) are shared whatever the scope. So each symbol that
a copy defines gets a name of its own, in the copies and in all files that refer to it;
demanglers show the suffix as that of a clone. docs/c-library.md has what was measured.
"""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterable, Mapping

import libraries

SUFFIX = ".tributary"
# What stays the system's: one per process, or part of the C library.
SYSTEM = {"ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6"}


def dependencies(files: Iterable[pathlib.Path]) -> dict[str, str]:
    """Soname to path of each library that `files` load, the system's left out."""
    found = libraries.closure([str(file) for file in files], [])
    return {name: path for name, path in found.items() if name not in SYSTEM}


def private_name(soname: str) -> str:
    """Another name, which no system has: "libtributary-z.so.1" of "libz.so.1"."""
    return "libtributary-" + soname.removeprefix("lib")


def symbols(path: pathlib.Path | str, which: str) -> dict[str, str]:
    """The `which` ("defined" or "undefined") dynamic symbols of a file: name without
    version to nm's letter."""
    done = subprocess.run(["nm", "-D", f"--{which}-only", "--format=posix", str(path)],
                          capture_output=True, text=True, check=True)
    found = dict(line.split()[:2] for line in done.stdout.splitlines())
    return {name.split("@")[0]: kind for name, kind in found.items()
            if kind != "A"}  # a version's own symbol


def shared_names(library: pathlib.Path, copied: Iterable[str]) -> set[str]:
    """What `library` and the libraries at `copied` could share with other files.

    Beside what the latter define, these are weak references that nothing needs to
    define, such as those to the initialisers of variables of threads (_ZTH).
    """
    names = set()
    for path in copied:
        names.update(symbols(path, "defined"))
    for path in [library, *copied]:
        names.update(name for name, kind in symbols(path, "undefined").items()
                     if kind == "w" and name.startswith("_Z"))
    return names


def detach(file: pathlib.Path, sonames: Iterable[str], map_file: pathlib.Path) -> None:
    """Makes `file` load the copies of `sonames`, by their names and symbols."""
    command = ["patchelf", "--rename-dynamic-symbols", str(map_file)]
    for soname in sonames:
        command += ["--replace-needed", soname, private_name(soname)]
    subprocess.run([*command, str(file)], check=True)


def copy_library(soname: str, path: str, folder: pathlib.Path) -> pathlib.Path:
    """Copies a library into `folder` under its private name."""
    copy = folder / private_name(soname)
    shutil.copyfile(os.path.realpath(path), copy)
    copy.chmod(0o755)
    subprocess.run(["patchelf", "--set-soname", copy.name, str(copy)], check=True)
    return copy


def make_private(library: pathlib.Path, programs: Iterable[pathlib.Path],
                 folder: pathlib.Path) -> Mapping[str, str]:
    """Gives `library` and `programs` copies, in `folder`, of what they load.

    Symbols are renamed that `library` could share with others in its process; a
    program has its process to itself. Returns soname to path of what was copied.
    """
    files = [library, *programs]
    shared = dependencies(files)
    map_file = folder / "renames"
    names = shared_names(library, list(dependencies([library]).values()))
    map_file.write_text("".join(f"{name} {name}{SUFFIX}\n" for name in sorted(names)))
    copies = [copy_library(name, path, folder) for name, path in sorted(shared.items())]
    for file in [*files, *copies]:
        detach(file, shared, map_file)
    map_file.unlink()
    return shared
