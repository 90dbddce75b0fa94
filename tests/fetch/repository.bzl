"""@moto: an S3 server for tests. Fetched only when they are run."""

def _moto_impl(ctx):
    ctx.report_progress("Finding or fetching moto (30 MB, once)")
    python = ctx.which("python3")
    if not python:
        fail("@moto needs python3: run ./dev setup")
    done = ctx.execute(
        [python, ctx.path(Label("//tests/fetch:install.py"))],
        timeout = 3600,
    )
    if done.return_code != 0:
        fail("moto was not found:\n" + done.stderr)
    ctx.file("path.txt", done.stdout.strip())
    ctx.file("BUILD.bazel", """\
package(default_visibility = ["//visibility:public"])

exports_files(["path.txt"])
""")

moto_repository = repository_rule(
    doc = "See install.py. Its path.txt names the folder of the packages.",
    implementation = _moto_impl,
    environ = [
        "HOME",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
