"""torch_py_test: a test in Python that imports torch and torch_geometric."""

load("//third_party:torch.bzl", "ONE_TORCH_THREAD")

def torch_py_test(name, data = [], env = {}, tags = [], size = "medium", shard_count = None):
    """Runs NAME.py of the package by Debian's python3.

    Args:
      name: the name of the test and of its module. Modules import from the root
        of the checkout; the package's folder has an __init__.py.
      data: what else the test imports, reads and runs.
      env: variables of the test and of the programs that it starts.
      tags: Bazel's.
      size: Bazel's.
      shard_count: Bazel's; each shard has its own time.
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//third_party/torch_python:with_torch.sh"],
        args = [
            "tests/run_python_test.sh",
            native.package_name().replace("/", ".") + "." + name,
        ],
        data = [
            name + ".py",
            "//tests:python_runner",
            "//tests:run_python_test.sh",
            "//third_party/torch_python",
        ] + data,
        env = dict(ONE_TORCH_THREAD, **env),
        shard_count = shard_count,
        # A sanitizer would have to be loaded before Python.
        tags = [
            "no-sanitizer",
            "torch",
        ] + tags,
    )
