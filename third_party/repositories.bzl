"""What the WORKSPACE of a program that depends on this checkout must have."""

load(
    "//third_party/libtorch:repository.bzl",
    "libtorch_cuda_repository",
    "libtorch_repository",
)

def tributary_repositories(checkout = "."):
    """Declares the repositories that @tributary's libraries need.

    Everything comes from Debian 12's packages (debian-packages.txt), so a build
    needs no network but for LibTorch. Bazel is 4.2.3, of bazel-bootstrap; the
    first four repositories are what it asks for by itself.

    Args:
      checkout: the path of this checkout.
    """
    native.local_repository(
        name = "rules_java",
        path = "/usr/share/bazel/rules/java",
    )
    native.local_repository(
        name = "rules_proto",
        path = "/usr/share/bazel/rules/proto",
    )

    # Debian's bazel-rules-cc is too new for its Bazel: a stub of our own.
    native.local_repository(
        name = "rules_cc",
        path = checkout + "/third_party/rules_cc",
    )
    native.local_repository(
        name = "remote_coverage_tools",
        path = checkout + "/third_party/remote_coverage_tools",
    )

    # LibTorch, fetched when a target that needs it is built.
    libtorch_repository(name = "libtorch")
    libtorch_cuda_repository(name = "libtorch_cuda")
