"""cc_library, cc_binary and cc_test with precompiled headers.

Parsing the standard library, Abseil and GoogleTest is most of what a small
source costs. These rules parse them once per configuration (third_party/pch)
and start each source from the result. A source still includes what it uses:
clang-tidy (`./dev test --deep`) reads it without a precompiled header.
"""

load("//third_party/pch:pch.bzl", "pch_copts", "pch_deps")

# A test's own source is compiled without optimisation: it takes a third of the
# time, and what tests run is in libraries.
TEST_COPTS = ["-O0", "-U_FORTIFY_SOURCE"]

def cc_library(name, deps = [], copts = [], pch = "base", **kwargs):
    native.cc_library(
        name = name,
        deps = deps + pch_deps(pch),
        copts = pch_copts(pch) + copts,
        **kwargs
    )

def cc_binary(name, deps = [], copts = [], pch = "base", **kwargs):
    native.cc_binary(
        name = name,
        deps = deps + pch_deps(pch),
        copts = pch_copts(pch) + copts,
        **kwargs
    )

def cc_test(name, deps = [], copts = [], optimize = False, **kwargs):
    """A native.cc_test, of sources that are not optimised unless `optimize`."""
    pch = "base" if optimize else "test"
    native.cc_test(
        name = name,
        deps = deps + pch_deps(pch),
        copts = pch_copts(pch) + ([] if optimize else TEST_COPTS) + copts,
        **kwargs
    )
