"""The C++ of pages and headers as a source: see blocks.py."""

def _doc_blocks_impl(ctx):
    headers = depset(transitive = [
        dep[CcInfo].compilation_context.headers
        for dep in ctx.attr.deps
    ])
    own = [header for header in headers.to_list() if _is_own(ctx, header)]
    arguments = ctx.actions.args()
    arguments.add("--out", ctx.outputs.out)
    arguments.add_all(ctx.files.pages)
    arguments.add_all(own)
    ctx.actions.run_shell(
        mnemonic = "DocBlocks",
        command = "exec /usr/bin/python3 -B -m tests.docs.blocks \"$@\"",
        arguments = [arguments],
        inputs = ctx.files.pages + ctx.files.scripts + own,
        outputs = [ctx.outputs.out],
    )

def _is_own(ctx, header):
    return header.is_source and header.extension == "h" and [
        folder
        for folder in ctx.attr.folders
        if header.path.startswith(folder + "/")
    ] != []

doc_blocks = rule(
    implementation = _doc_blocks_impl,
    attrs = {
        "deps": attr.label_list(
            doc = "Examples of all headers that these need are taken.",
            providers = [CcInfo],
        ),
        "folders": attr.string_list(doc = "Of these headers."),
        "out": attr.output(mandatory = True),
        "pages": attr.label_list(allow_files = [".md"]),
        "scripts": attr.label_list(allow_files = [".py"]),
    },
)
