"""Precompiled headers for GCC.

A precompiled header is built with the toolchain's and the command line's flags
(`--copt`, `--cxxopt`), so each configuration, sanitizers too, has its own. GCC
refuses one whose flags do not fit; -Winvalid-pch makes that an error instead of
a slow build. clang gets none.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# By Label: the targets may be of another workspace that depends on this one.
_CLANG = str(Label("//third_party:clang"))
_PACKAGE = Label("//third_party/pch")
_FOLDER = "/".join(["$(BINDIR)"] + [part for part in [
    _PACKAGE.workspace_root,
    _PACKAGE.package,
] if part])

def pch_copts(pch):
    """The flags that start a source from the precompiled header `pch`."""
    if not pch:
        return []
    return select({
        _CLANG: [],
        "//conditions:default": [
            "-include",
            "%s/%s.h" % (_FOLDER, pch),
            "-Winvalid-pch",
        ],
    })

def pch_deps(pch):
    """What a target with pch_copts(pch) depends on."""
    return [str(_PACKAGE.relative(":" + pch))] if pch else []

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    copy = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.symlink(output = copy, target_file = ctx.file.header)
    headers = [copy]
    if "clang" not in toolchain.compiler:
        headers.append(_precompile(ctx, toolchain))
    return [
        DefaultInfo(files = depset(headers)),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset(headers),
        )),
    ]

def _precompile(ctx, toolchain):
    output = ctx.actions.declare_file(ctx.label.name + ".h.gch")
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
        source_file = ctx.file.header.path,
        output_file = output.path,
        user_compile_flags = flags + ctx.attr.copts,
        include_directories = depset(transitive = [c.includes for c in contexts]),
        system_include_directories = depset(
            transitive = [c.system_includes for c in contexts],
        ),
        preprocessor_defines = depset(
            transitive = [c.defines for c in contexts],
        ),
        use_pic = True,
    )
    ctx.actions.run(
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling " + ctx.file.header.short_path,
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
        ),
        arguments = ["-x", "c++-header"] + cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        inputs = depset(
            [ctx.file.header],
            transitive = [toolchain.all_files] + [c.headers for c in contexts],
        ),
        outputs = [output],
        execution_requirements = {"no-sandbox": "1"} if ctx.attr.deps else {},
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
