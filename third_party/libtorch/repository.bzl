"""@libtorch: LibTorch as Bazel targets. Fetched only by builds that need it."""

# What our code may include. Left out: google (protobuf 3.13, not Debian's),
# pybind11, kineto and other insides.
_INCLUDES = ["ATen", "c10", "caffe2", "fmt", "torch"]

_BUILD = """\
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = glob(["include/**"]),
    includes = [
        "include",
        "include/torch/csrc/api/include",
    ],
    defines = ["USE_C10D_GLOO"],
)

# Torch on the CPU.
cc_library(
    name = "torch",
    linkopts = {torch},
    deps = [":headers"],
)

cc_library(
    name = "cuda_headers",
    hdrs = glob(["cuda/**"], allow_empty = True),
    includes = ["cuda"],
)

# Torch with its CUDA libraries.
cc_library(
    name = "torch_cuda",
    defines = ["USE_C10D_NCCL"],
    linkopts = {torch_cuda},
    deps = [
        ":cuda_headers",
        ":torch",
    ],
)
"""

def _linkopts(libraries, folder, rpath):
    quoted = ["'-Wl,-rpath,%s'" % path for path in [folder] + rpath]
    return ["'-L%s'" % folder] + quoted + [
        # DT_RPATH, unlike DT_RUNPATH, also serves the libraries' own needs.
        "-Wl,--disable-new-dtags",
        "-Wl,--allow-shlib-undefined",
        "-Wl,--no-as-needed",
    ] + ["-l" + library for library in libraries] + ["-Wl,--as-needed"]

def _libtorch_impl(ctx):
    python = ctx.which("python3")
    if not python:
        fail("@libtorch needs python3: run ./dev setup")
    ctx.report_progress("Finding or fetching LibTorch (530 MB, once)")
    done = ctx.execute(
        [python, ctx.path(Label("//third_party/libtorch:locate.py")), "--out", "found.json"],
        timeout = 3600,
        quiet = False,
    )
    if done.return_code != 0:
        fail("LibTorch was not found:\n" + done.stderr)
    found = json.decode(ctx.read("found.json"))
    for name in _INCLUDES:
        ctx.symlink(found["root"] + "/include/" + name, "include/" + name)
    if found["cuda_include"]:
        ctx.symlink(found["cuda_include"], "cuda")
    lib = found["root"] + "/lib"
    ctx.file("BUILD.bazel", _BUILD.format(
        torch = _linkopts(["torch_cpu", "c10"], lib, found["rpath"]),
        torch_cuda = _linkopts(["torch_cuda", "c10_cuda"], lib, found["toolkit_rpath"]),
    ))

libtorch_repository = repository_rule(
    doc = "See locate.py for where it comes from.",
    implementation = _libtorch_impl,
    environ = [
        "CUDA_HOME",
        "CUDA_PATH",
        "HOME",
        "TRIBUTARY_LIBTORCH",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
