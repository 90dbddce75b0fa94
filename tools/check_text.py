#!/usr/bin/env python3
"""Checks that files hold nothing of one machine, and are tidy text.

    check_text.py FILE...

Refused: paths of a home or of this checkout, package indexes, private keys,
trailing blanks, carriage returns, a missing last newline, conflict markers.
"""

import pathlib
import re
import sys

# Not worth a look: data is as its makers made it.
SKIPPED = re.compile(r"^tests/data/|/testdata/|/corpus/|^LICENSE$")
PLACES = re.compile(r"(?<![\w.$})-])/(home|root|Users)/[\w.]")
INDEX = re.compile(r"--(extra-)?index-url|--trusted-host|pythonhosted")
KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
CONFLICT = re.compile(r"^(<{7}|>{7}) ")


def checkout_folders():
    """This checkout and the folder that it is in, unless that says nothing."""
    here = pathlib.Path.cwd()
    common = {pathlib.Path(name) for name in ["/", "/tmp", "/home", "/src"]}
    return [f"{place}/" for place in [here, here.parent] if place not in common]


def check(path, text, folders):
    if "\r" in text:
        yield f"{path}: carriage returns"
    if text and not text.endswith("\n"):
        yield f"{path}: no newline at its end"
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        if PLACES.search(line) or any(folder in line for folder in folders):
            yield f"{where}: a path of one machine"
        if INDEX.search(line) and path != "tools/check_text.py":
            yield f"{where}: a package index"
        if KEY.search(line):
            yield f"{where}: a private key"
        if CONFLICT.match(line):
            yield f"{where}: a conflict marker"
        if line != line.rstrip() and not path.endswith((".md", ".patch")):
            yield f"{where}: blanks at its end"


def main(paths):
    folders, errors = checkout_folders(), []
    for path in paths:
        if SKIPPED.search(path) or not pathlib.Path(path).is_file():
            continue
        try:
            text = pathlib.Path(path).read_text()
        except UnicodeDecodeError:
            errors.append(f"{path}: a binary file; data belongs in tests/data")
            continue
        errors += check(path, text, folders)
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
