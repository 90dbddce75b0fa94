"""Fuzz tests: one source with LLVMFuzzerTestOneInput, run in two ways."""

load("//third_party:cc.bzl", "cc_test")

def tributary_fuzz_test(name, corpus, mutations = 20000, srcs = None, deps = [], tags = [], **kwargs):
    """A cc_test that feeds its function the corpus, and mutations of it.

    With --config=fuzz the same target is a libFuzzer binary; `./dev fuzz` runs
    those, beginning with the same corpus.

    Args:
      name: of the test, by habit ..._fuzz_test.
      corpus: folder of this package; each file in it is an input.
      mutations: how many inputs the ordinary test makes up beside the corpus,
        the same in every run.
      srcs: sources, one with LLVMFuzzerTestOneInput; by default name + ".cc".
      deps: as usual.
      tags: as usual.
      **kwargs: as of cc_test.
    """
    inputs = native.glob([corpus + "/*"])
    if not inputs:
        fail("%s: %s holds no inputs" % (name, corpus))
    cc_test(
        name = name,
        size = "small",
        optimize = True,
        srcs = srcs or [name + ".cc"],
        args = ["--mutations=%d" % mutations] +
               ["$(rootpath %s)" % label for label in inputs],
        data = inputs,
        linkopts = select({
            "//third_party/fuzz:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        tags = tags + ["fuzz"],
        deps = deps + select({
            "//third_party/fuzz:libfuzzer": [],
            "//conditions:default": ["//third_party/fuzz:replay"],
        }),
        **kwargs
    )
