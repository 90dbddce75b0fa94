"""Tests that drive the real programs from outside."""

HARNESS = [
    "//cli:tributary",
    "//tests:python_runner",
    "//tests/data:aifb",
    "//tests/data:collegemsg",
    "//tests/data:cora",
    "//tests/data:fb15k-237",
    "//tests/data:ogbl-ddi",
    "//tests/e2e:harness",
    "//tests/oracle",
]

# Of tests that train.
TRAIN_TAGS = [
    "no-sandbox",
    "no-tsan",
    "torch",
]

def e2e_test(name, data = [], tags = ["no-tsan"], size = "medium"):
    """Runs NAME.py of the package. Debian's gRPC is not instrumented for TSan."""
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tests:run_python_test.sh"],
        args = [native.package_name().replace("/", ".") + "." + name],
        data = [
            "__init__.py",
            name + ".py",
        ] + data + HARNESS,
        tags = tags,
    )
