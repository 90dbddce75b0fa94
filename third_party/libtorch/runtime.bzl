"""@libtorch_runtime, @libtorch_cuda_runtime: the libraries of LibTorch as files,
for images. Fetched only by builds that need them."""

_BUILD = """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "libraries",
    srcs = glob(["lib/**"]),
)

filegroup(
    name = "licences",
    srcs = glob(["licences/**"], allow_empty = True),
)
"""

def _runtime_impl(ctx):
    ctx.report_progress("Finding or fetching the libraries of LibTorch")
    python = ctx.which("python3")
    if not python:
        fail("@%s needs python3: run ./dev setup" % ctx.name)
    ctx.path(Label("//third_party/libtorch:locate.py"))
    ctx.path(Label("//third_party/libtorch:requirements.txt"))
    done = ctx.execute(
        [
            python,
            "-B",
            ctx.path(Label("//third_party/libtorch:runtime.py")),
            "--out",
            "found.json",
        ] + (["--cuda"] if ctx.attr.cuda else []),
        timeout = 3600,
        quiet = False,
    )
    if done.return_code != 0:
        fail("The libraries of LibTorch were not found:\n" + done.stderr)
    found = json.decode(ctx.read("found.json"))
    for name, path in found["libraries"].items():
        ctx.symlink(path, "lib/" + name)
    for name, path in found["licences"].items():
        ctx.symlink(path, "licences/" + name)
    ctx.file("BUILD.bazel", _BUILD)

libtorch_runtime_repository = repository_rule(
    doc = "See runtime.py for where they come from.",
    implementation = _runtime_impl,
    attrs = {
        "cuda": attr.bool(doc = "Only what CUDA adds to the others."),
    },
    environ = [
        "HOME",
        "TRIBUTARY_LIBTORCH",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
