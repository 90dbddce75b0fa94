"""Tests of the package tributary_gnn."""

# What a test of the package runs with. //tests/python/pyg has those that need torch.
PACKAGE = [
    "__init__.py",
    "children.py",
    "graphs.py",
    "leftovers.py",
    "loading.py",
    "//cli:tributary",
    "//python/tributary_gnn",
    "//tests/data:aifb",
    "//tests/data:cora",
    "//tests/e2e:harness",
    "//tests/oracle",
]

def package_test(name, data = [], size = "medium"):
    """Runs NAME.py of this folder, which may import tributary_gnn.

    Args:
      name: the name of the test and of its module.
      data: what else the test imports, reads and runs.
      size: Bazel's.
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tests:run_python_test.sh"],
        args = ["tests.python." + name],
        data = [
            name + ".py",
            "//tests:python_runner",
        ] + data + PACKAGE,
        # A sanitizer would have to be loaded before Python.
        tags = ["no-sanitizer"],
    )
