"""A program for an image: linked for /app/lib instead of this machine's paths."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _without_rpath(flags):
    return [flag for flag in flags if not flag.startswith("-Wl,-rpath")]

def _linker_inputs(ctx):
    """What the dependencies link, less their search paths at run time."""
    inputs = []
    for dep in ctx.attr.deps:
        for given in dep[CcInfo].linking_context.linker_inputs.to_list():
            inputs.append(cc_common.create_linker_input(
                owner = given.owner,
                libraries = depset(given.libraries),
                user_link_flags = depset(_without_rpath(given.user_link_flags)),
                additional_inputs = depset(given.additional_inputs),
            ))
    return depset(inputs, order = "topological")

def _image_binary_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    linked = cc_common.link(
        actions = ctx.actions,
        name = ctx.attr.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        linking_contexts = [cc_common.create_linking_context(
            linker_inputs = _linker_inputs(ctx),
        )],
        # DT_RPATH, unlike DT_RUNPATH, also serves the libraries' own needs;
        # $ORIGIN instead would need /proc.
        user_link_flags = ctx.fragments.cpp.linkopts + [
            "-Wl,--disable-new-dtags",
            "-Wl,-rpath,/app/lib",
        ],
    )
    return [DefaultInfo(
        executable = linked.executable,
        files = depset([linked.executable]),
        runfiles = ctx.runfiles(files = [linked.executable]),
    )]

image_binary = rule(
    doc = "The program of `deps` (libraries, one of which has main() and is " +
          "alwayslink), which looks for libraries in /app/lib. No path of the " +
          "machine that built it is left in it.",
    implementation = _image_binary_impl,
    attrs = {
        "deps": attr.label_list(
            doc = "What is linked.",
            providers = [CcInfo],
        ),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
        ),
    },
    executable = True,
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
