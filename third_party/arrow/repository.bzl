"""@arrow: Arrow C++ as a Bazel target. Fetched only by builds that need it."""

_BUILD = """\
package(default_visibility = ["//visibility:public"])

[cc_library(
    name = name,
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
    linkopts = {folder} + [
        "-l" + library,
        "-larrow",
    ],
) for name, library in {{
    "s3": "arrow_s3",
    "parquet": "parquet",
}}.items()]

# For images.
filegroup(
    name = "libraries",
    srcs = glob(["lib/*"]),
)

filegroup(
    name = "licences",
    srcs = glob(["licences/**"]),
)
"""

def _arrow_impl(ctx):
    ctx.report_progress("Finding or fetching Arrow (55 MB, once)")
    python = ctx.which("python3")
    if not python:
        fail("@arrow needs python3: run ./dev setup")
    done = ctx.execute(
        [python, ctx.path(Label("//third_party/arrow:locate.py"))],
        timeout = 3600,
    )
    if done.return_code != 0:
        fail("Arrow was not found:\n" + done.stderr)
    folder = done.stdout.strip()
    ctx.symlink(folder + "/include", "include")
    for path in ctx.path(folder).readdir():
        # "libarrow.so" is a link for the linker.
        if ".so." in path.basename:
            ctx.symlink(path, "lib/" + path.basename)
    for site in ctx.path(folder).dirname.readdir():
        if site.basename.endswith(".dist-info"):
            for path in site.get_child("licenses").readdir():
                ctx.symlink(path, "licences/pyarrow/" + path.basename)
    ctx.file("BUILD.bazel", _BUILD.format(folder = [
        "-L" + folder,
        "-Wl,-rpath," + folder,
    ]))

arrow_repository = repository_rule(
    doc = "See locate.py for where it comes from.",
    implementation = _arrow_impl,
    environ = [
        "HOME",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
