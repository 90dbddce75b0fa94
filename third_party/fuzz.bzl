"""Fuzz tests: one source with LLVMFuzzerTestOneInput, run in two ways."""

def tributary_fuzz_test(name, srcs, corpus = [], deps = [], tags = [], **kwargs):
    """A cc_test that feeds its function the corpus and 20,000 mutations of it.

    With --config=fuzz the same target is a libFuzzer binary; `./dev fuzz` runs
    those.

    Args:
      name: of the test, by habit ..._fuzz_test.
      srcs: sources, one with LLVMFuzzerTestOneInput.
      corpus: files to begin with.
      deps: as usual.
      tags: as usual.
      **kwargs: as of cc_test.
    """
    native.cc_test(
        name = name,
        size = "small",
        srcs = srcs,
        args = ["$(rootpaths %s)" % label for label in corpus],
        data = corpus,
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
