#!/usr/bin/env python3
"""Checks that no name of C++ is defined twice.

    check_names.py FILE...     paths from the root of the checkout

Sources and headers share one namespace, and the linker joins what has one name:
of two types, or of two functions with equal parameters, it keeps one of each
member that both have, without a word. So a type, an alias or a function outside
of unnamed namespaces has one definition in all of the checkout.
"""

import collections
import pathlib
import re
import sys

# What is no code: comments, texts (also raw), characters, the preprocessor.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M)
TYPE = re.compile(
    r"(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+"
    r"(?:\w+\([^)]*\)\s+|\[\[.*?\]\]\s*)*(\w+(?:<[^;{}]*>)?)"
    r"(?:\s+final)?\s*(?::[^:].*)?$", re.S)
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=", re.S)
NAMESPACE = re.compile(r"\bnamespace(?:\s+([\w:]+))?\s*$")
# What stands before the parameters: the name, and for members the class.
FUNCTION = re.compile(r"(?<![\w:~])(operator\s*(?:[^\s\w]+|new|delete)|\w+)\s*$")
# Each program has its own.
OF_PROGRAMS = {"main", "LLVMFuzzerTestOneInput"}
# The build takes one of them.
ALTERNATIVES = {"trainer_client/torch/ddp/nccl_backend.cc",
                "trainer_client/torch/ddp/no_cuda_backend.cc"}


def split_top(text, separator=","):
    """The parts of a list of parameters, whatever commas they hold."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "<([{") - (character in ">)]}")
        if character == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return parts + [part] if part.strip() else parts


def type_of(parameter):
    """A parameter without its name and default, in one spelling."""
    text = split_top(parameter, "=")[0]
    words = re.findall(r"\w+|[^\w\s]", text)
    plain = [word for word in words if word not in ("const", "struct", "class")]
    if len(plain) > 1 and re.match(r"[a-z]\w*$", plain[-1]) and plain[-2] != ":" \
            and (plain[-2] in "*&>" or re.match(r"\w", plain[-2])):
        words.pop()
    return " ".join(words)


def definitions(text):
    """Yields ("type" or "function", name with parameters) of each definition that
    has external linkage. Function templates are left out: their parameters tell
    too little."""
    text = NO_CODE.sub(lambda found: " " if found[0][0] != '"' else '""', text)
    scopes = []  # a namespace's name, "" of an unnamed one, None of all else
    statement = ""
    for token in re.findall(r"[{};]|[^{};]+", text):
        outside = all(scopes)
        place = "::".join(scopes) + "::" if outside and scopes else ""
        if token == "{":
            head = statement.strip()
            named = NAMESPACE.search(head)
            if named:
                scopes.append(named[1] or "")
            else:
                if outside:
                    yield from defined(place, head)
                scopes.append(None)
            statement = ""
        elif token == "}":
            if scopes:
                scopes.pop()
            statement = ""
        elif token == ";":
            alias = ALIAS.match(statement.strip())
            if alias and outside:
                yield "type", place + alias[1]
            statement = ""
        else:
            statement += token


def defined(place, head):
    """Yields what `head`, which stands before a brace in `place`, defines."""
    kind = TYPE.match(head)
    if kind:
        yield "type", place + re.sub(r"\s+", "", kind[1])
        return
    if re.match(r"(?:static|template)\b", head):
        return
    before, parameters = parameters_of(head)
    name = FUNCTION.search(before)
    if not name or not before[:name.start()].strip() or "=" in before[:name.start()]:
        return  # no function, a macro, or a constructor
    if name[1] in OF_PROGRAMS or name[1].startswith(("operator new", "operator delete")):
        return
    types = [type_of(part) for part in split_top(parameters)]
    yield "function", f"{place}{name[1]}({', '.join(types)})"


def parameters_of(head):
    """What stands before the first parentheses that no <> hold, and in them."""
    depth = 0
    for start, character in enumerate(head):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth <= 0:
            break
    else:
        return "", ""
    depth = 0
    for end in range(start, len(head)):
        depth += (head[end] == "(") - (head[end] == ")")
        if depth == 0:
            return head[:start], head[start + 1:end]
    return "", ""


def doubles(texts):
    """`texts`: of each path."""
    found = collections.defaultdict(set)
    for path, text in texts.items():
        for definition in definitions(text):
            found[definition].add(path)
    for (kind, name), paths in sorted(found.items()):
        if len(paths) > 1 and not ALTERNATIVES.issuperset(paths):
            yield (f"{name}: {kind} defined in {', '.join(sorted(paths))}; allowed: one "
                   "definition; rename one, or put it into an unnamed namespace")


def main(paths):
    errors = list(doubles({path: pathlib.Path(path).read_text() for path in paths}))
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
