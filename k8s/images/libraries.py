"""Finds the shared libraries that programs load, by asking the loader itself."""

import os
import re
import subprocess

LOADER = "/lib64/ld-linux-x86-64.so.2"
# "name => path (0x..)", "path (0x..)" or "name => not found".
LINE = re.compile(r"^\s*(\S+)(?: => (not found|\S+))?(?: \(0x[0-9a-f]+\))?$")
# What dlopen() searches after the caches.
DEFAULT_FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib"]


class Missing(Exception):
    pass


def trace(program, folders):
    """Yields (name, path or None) of each library that `program` loads.

    `folders` are searched before the system's.
    """
    command = [LOADER]
    if folders:
        command += ["--library-path", ":".join(folders)]
    done = subprocess.run(
        command + [os.path.abspath(program)],
        env={"LC_ALL": "C", "LD_TRACE_LOADED_OBJECTS": "1"},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise Missing(f"{program}: the loader says: {done.stderr.strip()}")
    for line in done.stdout.splitlines():
        found = LINE.match(line)
        if not found or "linux-vdso" in line or "statically linked" in line:
            continue
        name, path = found.groups()
        if os.path.basename(name) == os.path.basename(LOADER):
            name, path = os.path.basename(LOADER), LOADER
        yield name, None if path == "not found" else path or name


def closure(roots, folders, given_at_run_time=()):
    """The libraries that `roots` (programs or libraries) load: name to path.

    Raises Missing where one is not to be found, other than those of
    `given_at_run_time`, and where two roots load different files by one name.
    """
    found = {}
    for root in roots:
        for name, path in trace(root, folders):
            if name in given_at_run_time:
                continue
            if path is None:
                raise Missing(f"{root} needs {name}, which is nowhere")
            path = real_folder(path)
            if found.setdefault(name, path) != path:
                raise Missing(
                    f"{name} is two files: {found[name]} and, for {root}, {path}"
                )
    return found


def find_by_name(name):
    """The path that dlopen(`name`) opens on this machine."""
    for folder in DEFAULT_FOLDERS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise Missing(f"{name} is in none of {', '.join(DEFAULT_FOLDERS)}")


def soname(path):
    """The name by which the library at `path` is loaded."""
    text = subprocess.run(
        ["readelf", "-d", path], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"\(SONAME\).*\[(.+)\]", text)
    return names[0] if names else os.path.basename(path)


def real_folder(path):
    """`path` with its folder's links followed, but not its own: a library keeps
    the name by which it is loaded."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
