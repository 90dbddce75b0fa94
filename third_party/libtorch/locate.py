#!/usr/bin/env python3
"""Finds LibTorch and what it needs to run, fetching it by pip at most once.

Writes a JSON object: `root` (holds include/ and lib/), `rpath` (folders that
a binary must search at run time), `cuda_include` (the CUDA toolkit's headers,
or empty). With --python `root` is also the package torch of Python 3.11, and
there are `libraries` (name to path of the CUDA libraries that its import needs)
and `absent` (names of those that it only links to). Messages go to stderr.
Standard library only: Bazel's repository rule runs it before anything is built.

LibTorch is $TRIBUTARY_LIBTORCH, or the wheel pinned in requirements.txt,
unpacked under ${XDG_CACHE_HOME:-~/.cache}/tributary, where it outlives
`bazel clean --expunge`. That wheel's libtorch_cpu.so needs two small CUDA
libraries even without a GPU, and with --cuda libtorch_cuda.so needs a dozen:
taken from beside it, from a CUDA toolkit, or from their own wheels.
"""

import argparse
import fcntl
import json
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
# The wheel that carries each library, should no CUDA toolkit have it.
WHEEL_OF = {
    "libcublas.so.13": "nvidia-cublas",
    "libcublasLt.so.13": "nvidia-cublas",
    "libcudart.so.13": "nvidia-cuda-runtime",
    "libcudnn.so.9": "nvidia-cudnn-cu13",
    "libcufft.so.12": "nvidia-cufft",
    "libcufile.so.0": "nvidia-cufile",
    "libcupti.so.13": "nvidia-cuda-cupti",
    "libcurand.so.10": "nvidia-curand",
    "libcusolver.so.12": "nvidia-cusolver",
    "libcusparse.so.12": "nvidia-cusparse",
    "libcusparseLt.so.0": "nvidia-cusparselt-cu13",
    "libnccl.so.2": "nvidia-nccl-cu13",
    "libnvJitLink.so.13": "nvidia-nvjitlink",
    "libnvshmem_host.so.3": "nvidia-nvshmem-cu13",
}
# Of wheels that run on Debian 12, whose glibc is 2.36; pip infers none from
# another, but for the old names.
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(36, 16, -1)]
PLATFORMS += ["manylinux2014_x86_64", "manylinux2010_x86_64"]
# The libraries of LibTorch that need them.
CPU_LIBRARIES = ["libtorch_cpu.so"]
CUDA_LIBRARIES = [
    "libc10_cuda.so",
    "libtorch_cuda.so",
    "libtorch_cuda_linalg.so",
    "libtorch_nvshmem.so",
]
# Where wheels keep them, beside LibTorch: on its own libraries' RPATH.
NVIDIA_LIB = "nvidia/*/lib"
PYTHON_LIBRARIES = ["libtorch_python.so"]
# Says in the unpacked wheel that it has the files for Python; older versions of
# this program left them out.
HAS_PYTHON = "has-python"
# What C++ needs, and what tests in Python need to import torch.
WANTED = re.compile(
    r"torch/(include/|lib/lib[^/]+\.so|bin/torch_shm_manager|_C\.)"
    r"|(torch|torchgen|functorch)/.*\.py$"
    r"|nvidia/[^/]+/lib/lib[^/]+\.so"
    r"|[^/]+\.dist-info/.*(LICENSE|License|NOTICE)"
)


def log(message):
    print("libtorch: " + message, file=sys.stderr, flush=True)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "tributary"


def requirement(package):
    for line in (HERE / "requirements.txt").read_text().splitlines():
        if line.startswith(package + "=="):
            return line
    raise SystemExit(f"libtorch: requirements.txt does not pin {package}")


def python_with_pip():
    for python in [sys.executable, shutil.which("python3"), "/usr/bin/python3"]:
        if python and not subprocess.call(
            [python, "-m", "pip", "--version"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            return python
    raise SystemExit(
        "libtorch: no python3 with pip found. Run ./dev setup (Debian's "
        "python3-pip), or set TRIBUTARY_LIBTORCH to an unpacked libtorch."
    )


def download(package, folder):
    """The path of the pinned wheel of `package`, fetched into `folder`."""
    pins = folder / "pins.txt"
    pins.write_text(requirement(package) + "\n")
    command = [python_with_pip(), "-m", "pip", "download", "--no-deps"]
    command += ["--require-hashes", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--progress-bar", "off"]
    command += ["--python-version", "3.11", "--implementation", "cp"]
    command += ["--abi", "cp311", "--abi", "none"]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    command += ["-d", str(folder), "-r", str(pins)]
    for attempt in range(3):
        if attempt:
            log(f"pip failed, trying again in {5 * attempt} s")
            time.sleep(5 * attempt)
        if not subprocess.call(command, stdout=sys.stderr):
            return next(folder.glob(package.replace("-", "_") + "-*.whl"))
    raise SystemExit(
        f"libtorch: pip cannot fetch {package}. Check the network, or set "
        "TRIBUTARY_LIBTORCH to an unpacked libtorch (include/ and lib/)."
    )


def unpack(package, site):
    """Adds the wanted files of `package`'s wheel to the folder `site`."""
    with tempfile.TemporaryDirectory(dir=site.parent) as folder:
        started = time.monotonic()
        log(f"fetching {requirement(package).split()[0]}, once")
        wheel = zipfile.ZipFile(download(package, pathlib.Path(folder)))
        names = [name for name in wheel.namelist() if WANTED.match(name)]
        wheel.extractall(site, names)
        log(f"{package} unpacked, {time.monotonic() - started:.0f} s")


def add_python(site):
    """Completes a folder of an older version of this program.

    Files that are there stay, for processes may be running from them.
    """
    unfinished = site.with_name(site.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    unpack("torch", unfinished)
    for path in sorted(unfinished.rglob("*")):
        place = site / path.relative_to(unfinished)
        if path.is_file() and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)
    shutil.rmtree(unfinished)
    (site / HAS_PYTHON).touch()


def compile_python(site):
    """Compiles the modules that are not compiled yet: tests may write nothing."""
    command = ["/usr/bin/python3", "-m", "compileall", "-q", "-j", "0", str(site)]
    subprocess.run(command, stdout=sys.stderr, check=True)


def fetched_libtorch(libraries, python=False):
    """The root of the unpacked wheel; many processes may ask at once."""
    version = requirement("torch").split()[0].split("==")[1]
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    site = cache / f"libtorch-{version}"
    with open(cache / "libtorch.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.is_dir():
            unfinished = cache / f"libtorch-{version}.part"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            unpack("torch", unfinished)
            (unfinished / HAS_PYTHON).touch()
            unfinished.rename(site)
        if python and not (site / HAS_PYTHON).exists():
            add_python(site)
        if python:
            compile_python(site)
        provide_cuda_runtime(site / "torch", site, libraries)
    return site / "torch"


def needed_libraries(library):
    text = subprocess.run(
        ["readelf", "-d", str(library)], capture_output=True, text=True, check=True
    ).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", text)


def toolkits():
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")]
    homes += ["/usr/local/cuda"]
    return [pathlib.Path(home) for home in homes if home and os.path.isdir(home)]


def toolkit_folders():
    inside = ["lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"]
    folders = [home / name for home in toolkits() for name in inside]
    return [folder for folder in folders if folder.is_dir()]


def cuda_runtime_folders(root, libraries):
    """The folder of each CUDA library that `libraries` need, or None.

    Libraries that these need in turn are included.
    """
    beside = [root / "lib", *root.parent.glob(NVIDIA_LIB)]
    found = {}
    waiting = [root / "lib" / library for library in libraries]
    while waiting:
        for name in needed_libraries(waiting.pop()):
            if name not in WHEEL_OF or name in found:
                continue
            own = [at for at in beside if (at / name).exists()]
            places = own + [at for at in toolkit_folders() if (at / name).exists()]
            found[name] = places[0] if places else None
            waiting += [places[0] / name] if places else []
    return found


def provide_cuda_runtime(root, site, libraries):
    """Unpacks the wheels of the CUDA libraries that are nowhere else."""
    # What a wheel brings may need others in turn.
    for _ in WHEEL_OF:
        missing = missing_libraries(cuda_runtime_folders(root, libraries))
        if not missing:
            return
        unpack(WHEEL_OF[missing[0]], site)


def missing_libraries(folders):
    return [name for name, folder in folders.items() if folder is None]


def given_libtorch(path):
    root = pathlib.Path(path).expanduser().resolve()
    for part in ["include/torch", "lib/libtorch_cpu.so", "lib/libc10.so"]:
        if not (root / part).exists():
            raise SystemExit(
                f"libtorch: TRIBUTARY_LIBTORCH={path} has no {part}. It must "
                "name an unpacked libtorch, or the torch folder of a wheel."
            )
    return root


def python_libraries(root):
    """(name to path of libraries that must be real, names of the others).

    Torch's libraries for the CPU call into the first ones. Those for CUDA are
    loaded with Python, too, and call the others once there is a GPU.
    """
    real = cuda_runtime_folders(root, CPU_LIBRARIES)
    names, waiting = set(), list(PYTHON_LIBRARIES)
    while waiting:
        for name in needed_libraries(root / "lib" / waiting.pop()):
            if name not in names and (root / "lib" / name).exists():
                waiting.append(name)
            if name in WHEEL_OF or (root / "lib" / name).exists():
                names.add(name)
    absent = sorted(name for name in names if name in WHEEL_OF and name not in real)
    return {name: str(folder / name) for name, folder in real.items()}, absent


def imports_as_torch(root):
    """Whether `root` is the package torch of Python 3.11."""
    return (root / "__init__.py").exists() and any(root.glob("_C.cpython-311-*"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="JSON file to write")
    parser.add_argument(
        "--cuda", action="store_true", help="also what libtorch_cuda.so needs"
    )
    parser.add_argument(
        "--python", action="store_true", help="also what `import torch` needs"
    )
    args = parser.parse_args()

    libraries = CPU_LIBRARIES + (CUDA_LIBRARIES if args.cuda else [])
    given = os.environ.get("TRIBUTARY_LIBTORCH")
    root = given_libtorch(given) if given else None
    if not root or (args.python and not imports_as_torch(root)):
        root = fetched_libtorch(libraries, args.python)
    folders = cuda_runtime_folders(root, libraries)
    missing = missing_libraries(folders)
    if missing:
        raise SystemExit(
            f"libtorch: {root}/lib needs {', '.join(missing)}, which no CUDA "
            "toolkit here has. Set CUDA_HOME, or unset TRIBUTARY_LIBTORCH."
        )
    include = [home / "include" for home in toolkits()]
    include = [path for path in include if (path / "cuda_runtime.h").exists()]
    result = {
        "root": str(root),
        "rpath": sorted({str(folder) for folder in folders.values()}),
        "cuda_include": str(include[0]) if include else "",
    }
    if args.python:
        result["libraries"], result["absent"] = python_libraries(root)
    pathlib.Path(args.out).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
