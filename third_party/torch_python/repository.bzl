"""@torch_python: the package torch of LibTorch's wheel, for tests. Fetched only
when tests that import it are run."""

# Empty libraries stand in for those of CUDA that nothing calls without a GPU.
_BUILD = """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "torch",
    srcs = ["path.txt"] + glob(["lib/*"]),
)
"""

def _locate(ctx):
    python = ctx.which("python3")
    if not python:
        fail("@torch_python needs python3: run ./dev setup")
    ctx.path(Label("//third_party/libtorch:requirements.txt"))
    done = ctx.execute(
        [
            python,
            "-B",
            ctx.path(Label("//third_party/libtorch:locate.py")),
            "--python",
            "--out",
            "found.json",
        ],
        timeout = 3600,
        quiet = False,
    )
    if done.return_code != 0:
        fail("The Python package torch was not found:\n" + done.stderr)
    return json.decode(ctx.read("found.json"))

def _compile_empty_library(ctx, name):
    compiler = ctx.which("gcc") or ctx.which("cc")
    if not compiler:
        fail("@torch_python needs a C compiler: run ./dev setup")
    done = ctx.execute([compiler, "-shared", "-x", "c", "/dev/null", "-o", "lib/" + name, "-Wl,-soname," + name])
    if done.return_code != 0:
        fail("The empty %s was not compiled:\n%s" % (name, done.stderr))

def _torch_python_impl(ctx):
    ctx.report_progress("Finding or fetching LibTorch with Python (530 MB, once)")
    found = _locate(ctx)
    for name, path in found["libraries"].items():
        ctx.symlink(path, "lib/" + name)
    for name in found["absent"]:
        _compile_empty_library(ctx, name)
    ctx.file("path.txt", str(ctx.path(found["root"]).dirname))
    ctx.file("BUILD.bazel", _BUILD)

torch_python_repository = repository_rule(
    doc = """See locate.py for where it comes from.

Its path.txt names the folder that holds the package torch; its lib has each CUDA
library that torch's own libraries link to.""",
    implementation = _torch_python_impl,
    environ = [
        "CUDA_HOME",
        "CUDA_PATH",
        "HOME",
        "TRIBUTARY_LIBTORCH",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
