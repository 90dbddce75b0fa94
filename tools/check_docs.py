#!/usr/bin/env python3
"""Checks what the documentation points at.

    check_docs.py FILE...          every file of the checkout, from its root

In each Markdown file: a relative link leads to a file or folder that exists,
and its `#anchor` to a heading of that page; a path in backticks that begins
with a folder of the checkout exists; a name in backticks that is written like a
C++ class (`SlotRing`, `SlotRing::Allocate`) occurs in the sources; each block for
a shell ends in bounded time whatever fails (page_blocks.py).
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import page_blocks  # noqa: E402

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CLASS = re.compile(r"^[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+(?:::\w+)?$")
PATH = re.compile(r"^[\w.-]+(?:/[\w.-]+)+/?$")
# A part of a path that the reader is to replace.
PLACEHOLDER = re.compile(r"(^|/)(foo\b|foo_|[A-Z]{2,}(/|$))")
SOURCES = (".h", ".cc", ".proto", ".py", ".cu")
# Pages that tell of the past, or of what is not ours, name classes freely.
NO_CLASSES = ["CHANGELOG.md"]
# Classes of PyG, DGL, GLT, PyTorch and of those whom pages compare with.
FOREIGN_TABLE = re.compile(r"^\|.*$", re.M)


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(text):
    body = FENCE.sub("", text)
    return {slug(line.lstrip("#")) for line in body.splitlines() if re.match(r"#+ ", line)}


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def wrong_link(page, target, root):
    """Why a link of `page` leads nowhere, or None."""
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (root / page).parent / path if path else root / page
    if not file.exists():
        return "no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
        return "no such heading"
    return None


def check(page, text, root, folders, sources):
    """Errors of one page. `sources`: all code as one text."""
    for match in LINK.finditer(text):
        why = wrong_link(page, match.group(1), root)
        if why:
            yield f"{page}:{line_of(text, match.start())}: {match.group(1)}: {why}"
    for line, why in page_blocks.unbounded(text):
        yield f"{page}:{line}: {why}"
    body = FENCE.sub(lambda m: "\n" * m.group().count("\n"), text)
    for match in CODE.finditer(body):
        where, name = f"{page}:{line_of(body, match.start())}", match.group(1)
        if PATH.match(name) and name.split("/")[0] in folders:
            if PLACEHOLDER.search(name):
                continue
            if not (root / name).exists():
                yield f"{where}: {name}: no such file"
        elif CLASS.match(name) and page not in NO_CLASSES:
            line = body[body.rfind("\n", 0, match.start()) + 1 :].split("\n")[0]
            if not FOREIGN_TABLE.match(line) and not all(
                re.search(rf"\b{part}\b", sources) for part in name.split("::")
            ):
                yield f"{where}: {name}: in no source"


def main(files):
    root = pathlib.Path.cwd()
    folders = {file.split("/")[0] for file in files if "/" in file}
    sources = "\n".join(
        (root / file).read_text(errors="replace") for file in files if file.endswith(SOURCES)
    )
    errors = []
    for page in files:
        if page.endswith(".md") and not page.startswith("tests/data/"):
            errors += check(page, (root / page).read_text(), root, folders, sources)
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
