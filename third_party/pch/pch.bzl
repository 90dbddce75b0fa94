"""Precompiled headers for GCC and clang.

A precompiled header is built with the toolchain's and the command line's flags
(`--copt`, `--cxxopt`), so each configuration, sanitizers too, has its own. GCC
refuses one whose flags do not fit; -Winvalid-pch makes that an error instead of
a slow build. With clang it is always an error.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# By Label: the targets may be of another workspace that depends on this one.
_PACKAGE = Label("//third_party/pch")

# clang looks for the files that a precompiled header was made of by their
# absolute paths, which do not outlive a sandbox. So it reads the header itself
# from standard input.
_CLANG = ["-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates"]
_FOLDER = "/".join(["$(BINDIR)"] + [part for part in [
    _PACKAGE.workspace_root,
    _PACKAGE.package,
] if part])

def pch_copts(pch):
    """The flags that start a source from the precompiled header `pch`."""
    if not pch:
        return []
    return ["-include", "%s/%s.h" % (_FOLDER, pch), "-Winvalid-pch"]

def pch_deps(pch):
    """What a target with pch_copts(pch) depends on."""
    return [str(_PACKAGE.relative(":" + pch))] if pch else []

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    copy = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.symlink(output = copy, target_file = ctx.file.header)
    headers = [copy, _precompile(ctx, toolchain)]
    return [
        DefaultInfo(files = depset(headers)),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset(headers),
        )),
    ]

def _precompile(ctx, toolchain):
    clang = "clang" in toolchain.compiler
    output = ctx.actions.declare_file(
        ctx.label.name + (".h.pch" if clang else ".h.gch"),
    )
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps]
    flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = "-" if clang else ctx.file.header.path,
        output_file = output.path,
        user_compile_flags = flags + ctx.attr.copts + (_CLANG if clang else []),
        include_directories = depset(transitive = [c.includes for c in contexts]),
        system_include_directories = depset(
            transitive = [c.system_includes for c in contexts],
        ),
        preprocessor_defines = depset(
            transitive = [c.defines for c in contexts],
        ),
        use_pic = True,
    )
    compiler = cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = ACTION_NAMES.cpp_compile,
    )
    arguments = ["-x", "c++-header"] + cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = ACTION_NAMES.cpp_compile,
        variables = variables,
    )
    inputs = depset(
        [ctx.file.header],
        transitive = [toolchain.all_files] + [c.headers for c in contexts],
    )
    common = dict(
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling " + ctx.file.header.short_path,
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        inputs = inputs,
        outputs = [output],
    )
    if clang:
        ctx.actions.run_shell(
            command = 'exec "${@:2}" < "$1"',
            arguments = [ctx.file.header.path, compiler] + arguments,
            # It names the headers of deps by paths of this checkout.
            execution_requirements = {"no-sandbox": "1", "no-cache": "1"} if ctx.attr.deps else {},
            **common
        )
    else:
        ctx.actions.run(
            executable = compiler,
            arguments = arguments,
            execution_requirements = {"no-sandbox": "1"} if ctx.attr.deps else {},
            **common
        )
    return output

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "header": attr.label(allow_single_file = [".h"], mandatory = True),
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
        ),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
