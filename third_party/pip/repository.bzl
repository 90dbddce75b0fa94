"""Python packages for tests, pinned by hash. Fetched only when tests that need
them are run."""

# What runs the tests; wheels are for its version.
_PYTHON = "/usr/bin/python3"

def _pip_packages_impl(ctx):
    ctx.report_progress("Finding or fetching %s (%s, once)" % (ctx.name, ctx.attr.download_size))
    if not ctx.path(_PYTHON).exists:
        fail("@%s needs %s: run ./dev setup" % (ctx.name, _PYTHON))
    done = ctx.execute(
        [
            _PYTHON,
            "-B",
            ctx.path(Label("//third_party/pip:install.py")),
            ctx.name,
            ctx.path(ctx.attr.requirements),
        ],
        timeout = 3600,
    )
    if done.return_code != 0:
        fail("%s was not found:\n%s" % (ctx.name, done.stderr))
    ctx.file("path.txt", done.stdout.strip())
    ctx.file("BUILD.bazel", """\
package(default_visibility = ["//visibility:public"])

exports_files(["path.txt"])
""")

pip_packages_repository = repository_rule(
    doc = "See install.py. Its path.txt names the folder of the packages.",
    implementation = _pip_packages_impl,
    attrs = {
        "download_size": attr.string(doc = "The size of the download.", mandatory = True),
        "requirements": attr.label(
            doc = "The file that pins the packages.",
            allow_single_file = True,
            mandatory = True,
        ),
    },
    environ = [
        "HOME",
        "XDG_CACHE_HOME",
    ],
    local = False,
)
