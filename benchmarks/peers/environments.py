"""Makes the Python environments of the systems that are measured, or runs a command in one.

    /usr/bin/python3 -m benchmarks.peers.environments dgl COMMAND...

An environment is a folder in the cache, one for each content of its requirements file
(third_party/pip/install.py), which pins every wheel by its hash. torch's wheel names
NVIDIA's libraries as dependencies, 2.5 GB, which nothing calls without a GPU: empty
libraries stand in for them, loaded lazily, as in the project's own tests in Python.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from third_party.libtorch import locate

ROOT = pathlib.Path(__file__).absolute().parents[2]
INSTALL = ROOT / "third_party/pip/install.py"
# Has sitecustomize.py, which loads libraries lazily.
STARTUP = ROOT / "third_party/torch_python/startup"
# Has modules that GraphLearn-for-PyTorch imports and does not need here.
STAND_INS = ROOT / "benchmarks/peers/stand_ins"
PYG_OPERATORS = "pyg_operators"
EMPTY = "empty_libraries"
CUDA_LIBRARY = re.compile(r"lib(cu|nccl|nv)\w*\.so")
# "... R_X86_64_GLOB_DAT 0000000000000000 cudnnDestroy@libcudnn.so.8 + 0"
DATA_RELOCATION = re.compile(r"R_X86_64_(?:GLOB_DAT|64) +0+ (\w+)@(\S+) \+")


class Unavailable(Exception):
    """An environment cannot be made here; the message says why."""


def last_line(text):
    """Returns the last line of a program's messages that is not blank."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def complaint(text):
    """Returns the last line of pip's messages that says what is wrong."""
    errors = [line for line in text.splitlines() if line.startswith("ERROR:")]
    return last_line("\n".join(errors) or text)


def install(name, requirements):
    """Returns the folder of the packages of a requirements file."""
    done = subprocess.run([sys.executable, "-B", str(INSTALL), name, str(requirements)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"not installed: {complaint(done.stderr)}")
    return pathlib.Path(done.stdout.strip())


def loaded_libraries(folder):
    """Returns the paths of torch's own libraries that its import loads."""
    found, waiting = [], ["libtorch_global_deps.so", "libtorch_python.so"]
    while waiting:
        path = folder / waiting.pop()
        if path.exists() and path not in found:
            found.append(path)
            waiting += locate.needed_libraries(path)
    return found


def absent_libraries(site):
    """Returns the names of CUDA's libraries that torch links to and no package has, and for
    each the functions whose addresses torch needs when it is loaded."""
    libraries = loaded_libraries(site / "torch/lib")
    there = {path.name for path in [*libraries, *site.glob("nvidia/*/lib/*")]}
    needed = {name for path in libraries for name in locate.needed_libraries(path)}
    absent = {name: set() for name in needed - there if CUDA_LIBRARY.match(name)}
    for path in libraries:
        relocations = subprocess.run(["readelf", "-rW", str(path)], capture_output=True,
                                     text=True, check=True).stdout
        for function, library in DATA_RELOCATION.findall(relocations):
            if library in absent:
                absent[library].add(function)
    return absent


def compile_library(folder, name, functions):
    """Compiles a library whose functions do nothing. Their version has the library's name,
    as it has in CUDA's."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source, script = (pathlib.Path(work) / name for name in ("empty.c", "versions"))
        source.write_text("".join(f"void {function}(void) {{}}\n" for function in functions))
        script.write_text(f"{name} {{ global: *; }};\n")
        subprocess.run(["gcc", "-shared", "-o", f"{work}/library", str(source),
                        f"-Wl,-soname,{name},--version-script={script}"], check=True)
        (pathlib.Path(work) / "library").rename(folder / name)


def make_empty_libraries(site):
    """Compiles a library for each absent one; returns their folder."""
    folder = site / EMPTY
    folder.mkdir(exist_ok=True)
    for name, functions in sorted(absent_libraries(site).items()):
        if not (folder / name).exists():
            compile_library(folder, name, sorted(functions))
    return folder


def variables(site, others=()):
    """Returns what a program that imports the environment's torch needs to be set; it also
    imports from the folders `others`."""
    libraries = [make_empty_libraries(site), *sorted(site.glob("nvidia/*/lib"))]
    return {
        "PYTHONPATH": os.pathsep.join(map(str, [STARTUP, site, *others, ROOT])),
        "LD_LIBRARY_PATH": os.pathsep.join(map(str, libraries)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DGLBACKEND": "pytorch",  # without it DGL writes a file into the home
    }


def pyg_operators(site):
    """Returns a folder with pyg_lib or torch_sparse for the torch of `site`. Neither has a
    wheel on PyPI, so it is any that pip finds by the user's own configuration."""
    folder = site / PYG_OPERATORS
    for packages in (["pyg-lib"], ["torch-sparse", "torch-scatter"]):
        if folder.is_dir():
            break
        with tempfile.TemporaryDirectory(dir=site) as part:
            done = subprocess.run(
                [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
                 "--only-binary=:all:", "--disable-pip-version-check", "--no-cache-dir",
                 "--target", f"{part}/found", *packages],
                capture_output=True, text=True, check=False)
            if done.returncode == 0:
                os.rename(f"{part}/found", folder)
    if not folder.is_dir():
        raise Unavailable("NeighborLoader needs pyg-lib or torch-sparse, and pip finds no wheel "
                          f"of either; PIP_FIND_LINKS can name a place for {torch_of(site)}")
    return folder


def torch_of(site):
    (found,) = site.glob("torch-*.dist-info")
    return found.name.removesuffix(".dist-info").replace("-", " ")


def make(name):
    """Returns the variables of environment `name`, dgl, glt or pyg; raises Unavailable."""
    if name not in ("dgl", "glt", "pyg"):
        raise Unavailable(f"{name!r}; allowed: dgl, glt, pyg")
    pins = "glt" if name == "pyg" else name
    try:
        site = install(f"peers-{pins}", ROOT / f"benchmarks/peers/requirements_{pins}.txt")
        others = {"glt": lambda: [STAND_INS], "pyg": lambda: [pyg_operators(site)]}
        return variables(site, others.get(name, list)())
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unavailable(f"not installed: {error}") from error


if __name__ == "__main__":
    try:
        os.environ.update(make(sys.argv[1]))
    except Unavailable as unavailable:
        raise SystemExit(f"environments: {unavailable}") from unavailable
    os.execvp(sys.argv[2], sys.argv[2:])
