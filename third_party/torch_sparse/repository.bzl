"""@torch_sparse: the sources of torch-sparse, whose operators sample for PyG's own
loaders. There is no wheel of it; fetched only when a test that wants it is run."""

# What runs the tests.
_PYTHON = "/usr/bin/python3"

_BUILD = """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "neighbor_sample",
    srcs = glob([
        "csrc/neighbor_sample.cpp",
        "csrc/cpu/neighbor_sample_cpu.cpp",
        "csrc/*.h",
        "csrc/cpu/*.h",
        "third_party/parallel-hashmap/parallel_hashmap/*.h",
    ]),
)
"""

def _environment(ctx):
    """pip runs setup.py for the metadata, and that imports torch."""
    packages = [
        ctx.read(Label("@%s//:path.txt" % repository))
        for repository in ["torch_python", "torch_geometric"]
    ]
    startup = ctx.path(Label("//third_party/torch_python:startup/sitecustomize.py"))
    libraries = ctx.path(Label("@torch_python//:path.txt")).dirname
    return {
        "FORCE_ONLY_CPU": "1",
        "LD_LIBRARY_PATH": "%s/lib" % libraries,
        "PYTHONPATH": ":".join([str(startup.dirname)] + packages),
    }

def _torch_sparse_impl(ctx):
    ctx.report_progress("Fetching the sources of torch-sparse (210 KB, once)")
    done = ctx.execute(
        [_PYTHON, "-B", "-m", "pip", "download", "--quiet"] +
        ["--require-hashes", "--no-deps", "--no-binary=:all:", "--no-build-isolation"] +
        ["--disable-pip-version-check", "--no-cache-dir", "--dest", "fetched"] +
        ["-r", str(ctx.path(Label("//third_party/torch_sparse:requirements.txt")))],
        environment = _environment(ctx),
        timeout = 3600,
    )
    if done.return_code != 0:
        fail("The sources of torch-sparse were not found:\n" + done.stderr)
    [archive] = ctx.path("fetched").readdir()
    ctx.extract(archive, stripPrefix = archive.basename[:-len(".tar.gz")])
    ctx.delete("fetched")
    ctx.file("BUILD.bazel", _BUILD)

torch_sparse_repository = repository_rule(
    doc = "Its :neighbor_sample are the sources of PyG's neighbour sampling.",
    implementation = _torch_sparse_impl,
    environ = [
        "HOME",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
