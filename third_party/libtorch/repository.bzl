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
"""

# A repository of its own, for its libraries are fetched too where no CUDA
# toolkit has them.
_CUDA_BUILD = """\
package(default_visibility = ["//visibility:public"])

# What Torch's CUDA libraries add to a program. No headers: a file that includes
# none of CUDA's compiles the same with and without it.
cc_library(
    name = "torch_cuda",
    linkopts = {torch_cuda},
)

# The CUDA toolkit's headers, empty without one.
cc_library(
    name = "headers",
    hdrs = glob(["cuda/**"], allow_empty = True),
    includes = ["cuda"],
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

def _locate(ctx, arguments):
    python = ctx.which("python3")
    if not python:
        fail("@libtorch needs python3: run ./dev setup")
    done = ctx.execute(
        [python, ctx.path(Label("//third_party/libtorch:locate.py")), "--out", "found.json"] + arguments,
        timeout = 3600,
        quiet = False,
    )
    if done.return_code != 0:
        fail("LibTorch was not found:\n" + done.stderr)
    return json.decode(ctx.read("found.json"))

def _libtorch_impl(ctx):
    ctx.report_progress("Finding or fetching LibTorch (530 MB, once)")
    found = _locate(ctx, [])
    for name in _INCLUDES:
        ctx.symlink(found["root"] + "/include/" + name, "include/" + name)
    ctx.file("BUILD.bazel", _BUILD.format(
        torch = _linkopts(["torch_cpu", "c10"], found["root"] + "/lib", found["rpath"]),
    ))

def _libtorch_cuda_impl(ctx):
    ctx.report_progress("Finding or fetching LibTorch's CUDA libraries")
    found = _locate(ctx, ["--cuda"])
    if found["cuda_include"]:
        ctx.symlink(found["cuda_include"], "cuda")
    ctx.file("BUILD.bazel", _CUDA_BUILD.format(
        torch_cuda = _linkopts(["torch_cuda", "c10_cuda"], found["root"] + "/lib", found["rpath"]),
    ))

_ENVIRON = [
    "CUDA_HOME",
    "CUDA_PATH",
    "HOME",
    "TRIBUTARY_LIBTORCH",
    "XDG_CACHE_HOME",
]

libtorch_repository = repository_rule(
    doc = "See locate.py for where it comes from.",
    implementation = _libtorch_impl,
    environ = _ENVIRON,
    local = False,
)

libtorch_cuda_repository = repository_rule(
    doc = "What --config=cuda adds to @libtorch. See locate.py.",
    implementation = _libtorch_cuda_impl,
    environ = _ENVIRON,
    local = False,
)
