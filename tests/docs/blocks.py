"""Writes the C++ of pages and of headers' examples as functions to compile.

    blocks.py --out FILE PAGE_OR_HEADER...

A page's blocks are those fenced by ```cpp; C++ in another block is an error. A
header's examples are the indented lines of a comment, if one of them ends like
a statement. What a reader is to fill in is written `...`: on a line of its own,
or in place of fields (`{...}`).

Each file is a function of its own, whose parameters (NAMES) are what the text
takes for granted. The blocks of a page follow one another, so a later one sees
the names of those before it, and may declare them anew. A block that is a whole
program must be built by a target of its own, named in PROGRAMS.
"""

import argparse
import re

from tests.docs.names import NAMES

PROGRAMS = {"docs/migrating-from-glt.md": "//tests/e2e/pages:glt_loaders"}

FENCE = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)
EXAMPLE_LINE = re.compile(r"^ *//(?:   (.*)|)$")
STATEMENT = re.compile(r";( *//.*)?$")
UNFENCED = re.compile(
    r"^    (?:ASSIGN_OR_RETURN|RETURN_IF_ERROR|auto |const |#include)", re.M)
LIST = re.compile(r"^ *(\d+\.|-) ")


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def blocks_of_page(text):
    """(line number, code) of each block."""
    left_out = UNFENCED.search(FENCE.sub("", text))
    if left_out:
        raise ValueError(f"C++ without ```cpp: {left_out.group()}")
    return [(line_of(text, found.start(1)), found.group(1))
            for found in FENCE.finditer(text)]


def examples_of_header(text):
    """(line number, code) of each example."""
    examples, lines = [], []
    for number, line in enumerate(text.split("\n") + [""], 1):
        found = EXAMPLE_LINE.match(line)
        if found and (lines or found.group(1)):
            lines.append(found.group(1) or "")
            continue
        if is_code(lines):
            examples.append((number - len(lines), "\n".join(lines) + "\n"))
        lines = []
    return examples


def is_code(lines):
    return (any(STATEMENT.search(line) for line in lines)
            and not LIST.match(lines[0]))


def without_ellipses(code):
    code = re.sub(r"^ *\.\.\.( .*)?$", "", code, flags=re.M)
    return code.replace("{...}", "{}")


def is_program(code):
    return re.search(r"^int main\(", code, re.M) is not None


def function(number, path, blocks):
    """The function of one file: each block is in the scope of the one before."""
    lines = [f"// {path}",
             f"absl::Status Blocks{number}({NAMES.get(path, '')}) {{"]
    for line, code in blocks:
        lines += ["{", f'#line {line} "{path}"', without_ellipses(code)]
    lines += ["}" for _ in blocks]
    return "\n".join(lines + ["return absl::OkStatus();", "}", ""])


def translation_unit(files):
    """The source for `files`, (path, text)."""
    headers, functions = [], []
    for path, text in files:
        is_page = path.endswith(".md")
        blocks = (blocks_of_page if is_page else examples_of_header)(text)
        blocks = [(line, code) for line, code in blocks
                  if not (is_program(code) and path in PROGRAMS)]
        if not blocks:
            continue
        if not is_page:
            headers.append(f'#include "{path}"')
        functions.append(function(len(functions), path, blocks))
    return "\n".join(['#include "tests/docs/prelude.h"', *headers, "",
                      "namespace tributary {", "namespace doc_blocks {",
                      *functions, "}  // namespace doc_blocks",
                      "}  // namespace tributary", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    files = []
    for path in sorted(args.files):
        with open(path, encoding="utf-8") as file:
            files.append((path, file.read()))
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(translation_unit(files))


if __name__ == "__main__":
    main()
