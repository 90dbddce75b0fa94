#!/usr/bin/env python3
"""Writes compile_commands.json for clangd from `bazel aquery --output=jsonproto`.

    compile_commands.py ROOT < AQUERY > compile_commands.json

One entry for each C++ source of the checkout, in ROOT. External repositories are
reached through bazel-out, as the checkout has no link to them.
"""

import json
import sys

EXTERNAL = "bazel-out/../../../external/"
# They name outputs of Bazel's own; a language server writes none.
DROPPED_WITH_VALUE = {"-MF", "-o"}
DROPPED = {"-MD", "-c", "-fno-canonical-system-headers"}


def reachable(argument):
    """An argument as it reads from the root of the checkout."""
    for prefix in ("", "-I", "-iquote", "-isystem"):
        if argument.startswith(prefix + "external/"):
            return prefix + EXTERNAL + argument[len(prefix) + len("external/") :]
    return argument


def kept(arguments):
    """The arguments without those about outputs."""
    left = iter(arguments)
    for argument in left:
        if argument in DROPPED_WITH_VALUE:
            next(left, None)
        elif argument not in DROPPED and not argument.startswith("-frandom-seed"):
            yield reachable(argument)


def source_of(arguments):
    """The file that a compilation reads: the value of -c."""
    for position, argument in enumerate(arguments[:-1]):
        if argument == "-c":
            return arguments[position + 1]
    return None


def commands(actions, root):
    entries = {}
    for action in actions:
        arguments = action.get("arguments", [])
        source = source_of(arguments)
        if source and source.endswith(".cc") and not source.startswith(("bazel-out", "external")):
            entries.setdefault(
                source,
                {"directory": root, "file": source, "arguments": list(kept(arguments))},
            )
    return [entries[source] for source in sorted(entries)]


def main(root):
    graph = json.load(sys.stdin)
    json.dump(commands(graph.get("actions", []), root), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
