"""Builds the wheel tributary_gnn from python/, LICENSE and VERSION of the current folder
and from the native files; the same input gives the same bytes.

    build_wheel.py --tools FOLDER --library libtributary.so --program tributary
        --out WHEEL --name-out FILE

The tools are the packages of requirements.txt; binutils and dpkg are the system's. A
wheel can only be installed under its own name, which FILE gets.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import licences
import private_libraries

PLATFORM = "manylinux_2_36_x86_64"  # Debian 12's glibc
FIRST_DAY_OF_ZIP = "315532800"  # 1980-01-01


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("tools", "library", "program", "out", "name-out"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    return parser.parse_args()


def strip_into(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Copies a native file into `folder` without what debuggers read."""
    folder.mkdir()
    target = folder / source.name
    subprocess.run(["strip", "--strip-unneeded", "-o", target, source], check=True)
    target.chmod(0o755)
    return target


def stage(arguments: argparse.Namespace, project: pathlib.Path,
          copies: pathlib.Path) -> None:
    """Lays out what Hatchling packs in `project`, and in `copies` the libraries that
    auditwheel then takes in."""
    shutil.copytree("python", project, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("LICENSE", "VERSION"):
        shutil.copyfile(name, project / name)
    package = project / "tributary_gnn"
    library = strip_into(arguments.library, package / "lib")
    program = strip_into(arguments.program, package / "bin")
    copies.mkdir()
    shared = private_libraries.make_private(library, [program], copies)
    licences.copy_licences(shared.values(), project / "debian")


def run_tool(name: str, *arguments: object, folder: pathlib.Path,
             **environment: str) -> None:
    """Runs a tool of Python in `folder`; shows its output only if it fails."""
    done = subprocess.run([sys.executable, "-B", "-m", name, *map(str, arguments)],
                          cwd=folder, env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{name} failed:\n{done.stdout}")


def build(arguments: argparse.Namespace, folder: pathlib.Path) -> pathlib.Path:
    """Builds the wheel in `folder`; returns its path there."""
    project, copies = folder / "project", folder / "copies"
    stage(arguments, project, copies)
    run_tool("hatchling", "build", "-t", "wheel", "-d", folder / "plain", folder=project)
    (plain,) = (folder / "plain").glob("*.whl")
    run_tool("auditwheel", "repair", "--plat", PLATFORM, "--only-plat",
             "-w", folder / "repaired", plain, folder=folder,
             LD_LIBRARY_PATH=str(copies))
    (wheel,) = (folder / "repaired").glob("*.whl")
    return wheel


def main() -> None:
    arguments = parse_arguments()
    os.environ["PATH"] = f"{arguments.tools}/bin:{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = str(arguments.tools)
    os.environ["SOURCE_DATE_EPOCH"] = FIRST_DAY_OF_ZIP
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(arguments, pathlib.Path(folder))
        shutil.copyfile(wheel, arguments.out)
        arguments.name_out.write_text(wheel.name + "\n")


if __name__ == "__main__":
    main()
