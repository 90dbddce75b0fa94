"""cc_library, cc_binary and cc_test for files that include LibTorch.

They are the only way to it: the recipe is kept here. A torch file takes half a
minute to compile, so keep torch out of headers and such files few. It must not
include spdlog (another fmt) nor Debian's protobuf and gRPC headers next to
torch/csrc/jit's. With --config=cuda the CUDA libraries are linked too; files
compile the same but for those that //trainer_client/torch/ddp chooses by it.
"""

load("//third_party:cc.bzl", "TEST_COPTS")
load("//third_party/pch:pch.bzl", "pch_copts", "pch_deps")

TORCH = ["@libtorch//:torch"] + select({
    str(Label("//third_party:cuda")): ["@libtorch_cuda//:torch_cuda"],
    "//conditions:default": [],
})

# Gloo's headers are Debian's, its code is in libtorch_cpu.so.
_DEPS = [str(Label("//third_party:gloo_headers"))]

TORCH_COPTS = [
    "-Wno-unused-parameter",
    "-Wno-deprecated-declarations",
]

# A sandbox would link 9,000 headers for each file. ThreadSanitizer cannot see
# into LibTorch.
_TAGS = [
    "no-sandbox",
    "no-tsan",
    "torch",
]

# For plain cc rules that depend on targets of LibTorch, but include none of its
# headers.
BESIDE_TORCH_TAGS = _TAGS

# The environment of tests that run LibTorch.
ONE_TORCH_THREAD = {"OMP_NUM_THREADS": "1"}

def torch_cc_library(name, deps = [], copts = [], tags = [], pch = "torch", **kwargs):
    native.cc_library(
        name = name,
        deps = deps + _DEPS + TORCH + pch_deps(pch),
        copts = pch_copts(pch) + TORCH_COPTS + copts,
        tags = _TAGS + tags,
        **kwargs
    )

def torch_cc_binary(name, deps = [], copts = [], tags = [], **kwargs):
    native.cc_binary(
        name = name,
        deps = deps + _DEPS + TORCH + pch_deps("torch"),
        copts = pch_copts("torch") + TORCH_COPTS + copts,
        tags = _TAGS + tags,
        **kwargs
    )

def torch_cc_test(name, deps = [], copts = [], tags = [], env = {}, **kwargs):
    native.cc_test(
        name = name,
        deps = deps + _DEPS + TORCH + pch_deps("torch_test"),
        copts = pch_copts("torch_test") + TORCH_COPTS + TEST_COPTS + copts,
        tags = _TAGS + tags,
        env = dict(ONE_TORCH_THREAD, **env),
        **kwargs
    )
